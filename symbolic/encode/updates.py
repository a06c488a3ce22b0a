"""Updates in place: the next value of a variable, made part by part from the old one.

`m[b][p] = m[b][p].append(x)` updates the map `m` at `b`, and the map `m[b]` at `p`. As an expression, it
would select `m[b]` from all of `m` and `m[b][p]` from that, only to put both back. Here each part of `m` is
made by itself: where `b` and `p` are its keys, it is its old value with `x` appended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.encode.expressions import Environment, Expressions, Partial
from leadline.symbolic.encode.values import Items, Shape
from leadline.symbolic.lang import Map, Record, Seq, Tuple, Type, nodes as n

_UNFOLDED = 4
"""How many times as many parts as nodes a value may have to be made in target."""


@dataclass(frozen=True)
class Target:
    """A part of a variable that an update may change.

    Attributes:
        nodes: expressions for the part's old value.
        kind: the part's type.
        old: the old value, if `untouched`.
        untouched: whether no earlier update of the same chain may have changed this part.
        here: the literal that the update is made and changes this part: its keys and branches are these.
        keys: the literals that its keys are these.
        reached: the literal that its branches are these.
        environment: the values of the bound variables.
    """

    nodes: tuple[n.Node, ...]
    kind: Type
    old: Shape
    untouched: bool
    here: int
    keys: tuple[int, ...]
    reached: int
    environment: Environment


def _parts(value: n.Node) -> tuple[n.Node, ...]:
    """The parts of a value that are made together with it."""
    match value:
        case n.Ite():
            return value.then, value.orelse
        case n.MapUpdate():
            return value.map, value.value
        case n.ComponentUpdate():
            return value.item, value.value
        case n.MapBuild():
            return (value.body,)
        case n.Coerce():
            return (value.item,)
    return ()


def unfolds(value: n.Node) -> bool:
    """Whether a value shares so many parts that making each in place takes far longer than evaluating it.

    An example is an update in a loop, where each turn starts from the last one's value in both branches of a
    condition. An expression is evaluated only once, however often it occurs.
    """
    unfolded = n.kept(value, "_unfolded", _unfolded)
    seen, waiting = {value}, [value]
    while waiting:
        new = [part for part in _parts(waiting.pop()) if part not in seen]
        seen.update(new)
        waiting += new
    return bool(unfolded > _UNFOLDED * len(seen))


def _unfolded(node: n.Node, parts: list[int]) -> int:
    """The number of parts that are made together with a value, as often as they occur in it, and itself."""
    return 1 + sum(int(part.__dict__["_unfolded"]) for part in _parts(node))


def bare(value: n.Node, kind: Type) -> n.Node:
    """A value without conversions between sequence types that the conversion to the stored type repeats."""
    while (
        isinstance(value, n.Coerce)
        and isinstance(kind, Seq)
        and isinstance(value.type, Seq)
        and isinstance(value.item.type, Seq)
        and value.type.item == value.item.type.item == kind.item
        and value.type.capacity >= kind.capacity
    ):
        value = value.item
    return value


def chain_of(value: n.Node, target: Target) -> tuple[n.Node, list[n.MapUpdate | n.ComponentUpdate]]:
    """The value that a chain of updates of parts starts from, and the updates in their order."""
    links: list[n.MapUpdate | n.ComponentUpdate] = []
    while isinstance(value, (n.MapUpdate, n.ComponentUpdate)) and value not in target.nodes:
        links.append(value)
        value = next(n.children(value))
    return value, links[::-1]


def starts_from(value: n.Node, target: Target) -> bool:
    """Whether at least one branch of a value starts from the target's old value."""
    branches = [value]
    while branches:
        found = bare(branches.pop(), target.kind)
        if isinstance(found, n.Ite):
            branches += (found.then, found.orelse)
            continue
        found, _ = chain_of(found, target)
        if found in target.nodes or appends(found, target):
            return True
    return False


def appends(value: n.Node, target: Target) -> bool:
    """Whether a value is the target's old value and one more item.

    Only the old state then decides whether that is too long, not whether the update is made.
    """
    return (
        target.untouched
        and isinstance(value, n.Concat)
        and isinstance(target.kind, Seq)
        and isinstance(value.type, Seq)
        and value.type.item == target.kind.item
        and isinstance(value.right, n.MakeSeq)
        and len(value.right.items) == 1
        and bare(value.left, target.kind) in target.nodes
    )


class Updates:
    """Evaluates the next values of variables.

    Args:
        expressions: evaluates the operands, over the same state.
    """

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.circuit = expressions.circuit
        self.values = expressions.values
        self._errors: list[int] = []

    def evaluate(self, variable: n.Node, value: n.Node, taken: int) -> Partial:
        """The next value of a variable, which is its old one where the update is not made.

        The literal that it is out of bounds does not depend on whether the update is made.

        Args:
            variable: the variable.
            value: its next value.
            taken: the literal that the update is made.
        """
        self._errors = []
        old, _ = self.expressions.evaluate(variable)
        target = Target((variable,), variable.type, old, True, taken, (), TRUE, {})
        make = self._anew if unfolds(value) else self._made
        made = make(target, value, old)
        return made, self.circuit.disj(self._errors)

    def _made(self, target: Target, value: n.Node, orelse: Shape) -> Shape:
        """The value where the update changes the target, `orelse` elsewhere.

        Where it does, `orelse` equals the old value.
        """
        branches = [(target, value)]
        while branches:
            at, one = branches.pop()
            one = bare(one, target.kind)
            if isinstance(one, n.Ite) and starts_from(one, target):
                branches += reversed(self._branches(at, one))
            elif one not in target.nodes and at.here != FALSE:
                orelse = self._changed(at, one, orelse)
        return orelse

    def _branches(self, target: Target, value: n.Ite) -> list[tuple[Target, n.Node]]:
        """The branches of a value, each with the target where the update takes it."""
        condition, error = self.expressions.evaluate(value.condition, target.environment)
        self._wrong(target.reached, error)
        conj = self.circuit.conj
        return [
            (replace(target, here=conj((target.here, x)), reached=conj((target.reached, x))), branch)
            for x, branch in ((condition, value.then), (-condition, value.orelse))
        ]

    def _changed(self, target: Target, value: n.Node, orelse: Shape) -> Shape:
        """`_made` for a value that differs from the old one."""
        match value:
            case n.MapUpdate() | n.ComponentUpdate():
                return self._chain(target, value, orelse)
            case n.MapBuild() if value.type == target.kind:
                return self._build(target, value, orelse)
            case n.Concat() if appends(value, target):
                return self._append(target, value, orelse)
        return self._anew(target, value, orelse)

    def _anew(self, target: Target, value: n.Node, orelse: Shape) -> Shape:
        """`_made` for a value that does not start from the old one, as far as can be seen."""
        shape, error = self.expressions.evaluate(value, target.environment)
        shape, outside = self.expressions.collections.coerce(shape, value.type, target.kind)
        # Whether the value exists does not depend on the known keys; whether it fits does.
        self._wrong(target.reached, error)
        self._wrong(self.circuit.conj((target.reached, *target.keys)), outside)
        return self.values.ite(target.here, shape, orelse, target.kind)

    def _wrong(self, reached: int, error: int) -> None:
        if error != FALSE:
            self._errors.append(self.circuit.conj((reached, error)))

    def _chain(self, target: Target, value: n.MapUpdate | n.ComponentUpdate, orelse: Shape) -> Shape:
        """`_made` for a chain of updates of parts, one after the other."""
        first, links = chain_of(value, target)
        made = list(self._made(target, first, orelse))
        begins = first in target.nodes
        before, nodes = (target.old, target.nodes) if begins else (tuple(made), (first,))
        target = replace(target, untouched=target.untouched and begins)
        touched: set[int] = set()
        for link in links:
            if isinstance(link, n.ComponentUpdate):
                whole = (link.item,) if link.position in touched else (*nodes, link.item)
                parts = [self._component(target, whole, before, link)]
            else:
                parts = self._at_keys(target, link, before)
            for position, part in parts:
                part = replace(part, untouched=part.untouched and position not in touched)
                made[position] = self._made(part, link.value, made[position])
            touched |= {position for position, _ in parts}
        return tuple(made)

    def _component(
        self, target: Target, whole: Sequence[n.Node], old: Sequence[Shape], link: n.ComponentUpdate
    ) -> tuple[int, Target]:
        """The target that an update of a component may change."""
        assert isinstance(target.kind, (Record, Tuple))
        position, kind = link.position, target.kind.parts[link.position]
        nodes = tuple(n.make(n.Component, kind, link.span, node, position) for node in whole)
        return position, replace(target, nodes=nodes, kind=kind, old=old[position])

    def _at_keys(self, target: Target, link: n.MapUpdate, old: Sequence[Shape]) -> list[tuple[int, Target]]:
        """The targets that an update of a map may change."""
        assert isinstance(target.kind, Map)
        key, error = self.expressions.evaluate(link.key, target.environment)
        self._wrong(target.reached, error)
        chosen = dict(self.values.cases(key, link.key.type))
        positions = self.expressions.collections.places(target.kind)
        there = n.make(n.Apply, target.kind.value, link.span, link.map, link.key)
        found = []
        for at, literal in chosen.items():
            if at not in positions:
                self._wrong(target.reached, literal)
                continue
            part = replace(
                target,
                nodes=(there,),
                kind=target.kind.value,
                old=old[positions[at]],
                here=self.circuit.conj((target.here, literal)),
                keys=(*target.keys, literal),
            )
            found.append((positions[at], part))
        return found

    def _build(self, target: Target, value: n.MapBuild, orelse: Shape) -> Shape:
        """`_made` for a map that is given key by key."""
        assert isinstance(target.kind, Map)
        kind = target.kind.value
        nodes = tuple(n.make(n.Apply, kind, value.span, node, value.var) for node in target.nodes)
        made = []
        for position, key in enumerate(target.kind.keys):
            inner = {**target.environment, value.var: key}
            part = replace(target, nodes=nodes, kind=kind, old=target.old[position], environment=inner)
            made.append(self._made(part, value.body, orelse[position]))
        return tuple(made)

    def _append(self, target: Target, value: n.Concat, orelse: Items) -> Items:
        assert isinstance(target.kind, Seq) and isinstance(value.right, n.MakeSeq)
        node, collections = value.right.items[0], self.expressions.collections
        item, error = self.expressions.evaluate(node, target.environment)
        self._wrong(target.reached, error)
        item, _ = collections.coerce(item, node.type, target.kind.item)
        full = target.old.length.get(target.kind.capacity, FALSE)
        self._wrong(target.reached, self.circuit.conj((*target.keys, full)))
        return collections.append(target.old, item, target.kind, target.here, orelse)

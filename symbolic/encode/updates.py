"""Updates in place: the next value of a variable, made part by part from what stands there.

`m[b][p] = m[b][p].append(x)` updates a map at `b`, and the map that stands there at `p`. As an expression, it
would select `m[b]` out of all of `m` and `m[b][p]` out of that, only to put both back. Here each part is made
for itself: where `b` and `p` are its keys, it is what it was and `x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.encode.evaluation import Outcome
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.update_places import (
    Place,
    appends,
    bare,
    chain_of,
    is_copy,
    starts_from,
    unfolds,
    with_keys,
)
from leadline.symbolic.encode.values import Items, Shape
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.structures import Map, Record, Seq, Tuple


class Updates:
    """Evaluates the next values of variables.

    Args:
        expressions: evaluates what the values are made of, over the same state.
    """

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.circuit = expressions.circuit
        self.values = expressions.values
        self._errors: list[int] = []

    def evaluate(self, variable: n.Node, value: n.Node, taken: int) -> Outcome:
        """The outcome of a variable's next value, which stays as it is where the update is not made.

        That it is out of bounds is the same whether it is made or not.

        Args:
            variable: the variable.
            value: its next value.
            taken: the literal that the update is made.
        """
        self._errors = []
        old, _ = self.expressions.evaluate(variable)
        place = Place((variable,), variable.type, old, True, taken, (), TRUE, {}, {})
        make = self._anew if unfolds(value) else self._made
        made = make(place, value, old)
        return made, self.circuit.disj(self._errors)

    def _made(self, place: Place, value: n.Node, orelse: Shape) -> Shape:
        """The value where the update comes to the place, `orelse` elsewhere.

        Where it comes there, `orelse` has the same value as what is there before.
        """
        branches = [(place, value)]
        while branches:
            at, one = branches.pop()
            one = bare(one, place.kind)
            if isinstance(one, n.Ite) and starts_from(one, place):
                branches += reversed(self._branches(at, one))
            elif one not in place.nodes and at.here != FALSE:
                orelse = self._changed(at, one, orelse)
        return orelse

    def _branches(self, place: Place, value: n.Ite) -> list[tuple[Place, n.Node]]:
        """The branches of a value, each where the update comes to it."""
        condition, error = self.expressions.evaluate(value.condition, place.environment)
        self._wrong(place.reached, error)
        conj = self.circuit.conj
        return [
            (replace(place, here=conj((place.here, x)), reached=conj((place.reached, x))), branch)
            for x, branch in ((condition, value.then), (-condition, value.orelse))
        ]

    def _changed(self, place: Place, value: n.Node, orelse: Shape) -> Shape:
        """The same for a value that is another than what is there before."""
        match value:
            case n.MapUpdate() | n.ComponentUpdate():
                return self._chain(place, value, orelse)
            case n.SetUnion() | n.SetMinus() if value.type == place.kind and starts_from(value, place):
                return self._members(place, value, orelse)
            case n.MakeTuple() | n.MakeRecord() if value.type == place.kind:
                return self._product(place, value, orelse)
            case n.MapBuild() if value.type == place.kind:
                return self._build(place, value, orelse)
            case n.Concat() if appends(value, place):
                return self._append(place, value, orelse)
        return self._anew(place, value, orelse)

    def _anew(self, place: Place, value: n.Node, orelse: Shape) -> Shape:
        """A value that is not made of what is there before, as far as can be seen."""
        if is_copy(value):
            value = with_keys(value, place.constants)
        shape, error = self.expressions.evaluate(value, place.environment)
        shape, outside = self.expressions.collections.coerce(shape, value.type, place.kind)
        # What a copy asks of the state does not depend on the keys that are known; how long it is does.
        self._wrong(place.reached, error)
        self._wrong(self.circuit.conj((place.reached, *place.keys)), outside)
        return self.values.ite(place.here, shape, orelse, place.kind)

    def _wrong(self, reached: int, error: int) -> None:
        if error != FALSE:
            self._errors.append(self.circuit.conj((reached, error)))

    def _members(self, place: Place, value: n.SetUnion | n.SetMinus, orelse: Shape) -> Shape:
        """Members more or less, one set after the other."""
        first, links = chain_of(value, place, (n.SetUnion, n.SetMinus))
        made = dict(self._made(place, first, orelse))
        for link in links:
            assert isinstance(link, (n.SetUnion, n.SetMinus))
            changed, error = self.expressions.evaluate(link.right, place.environment)
            self._wrong(place.reached, error)
            more = isinstance(link, n.SetUnion)
            join, sign = (self.circuit.disj, 1) if more else (self.circuit.conj, -1)
            for member, literal in changed.items():
                old = made.get(member, FALSE)
                new = join((old, sign * literal))
                made[member] = self.circuit.update(place.here, new, old, old)
        return {member: literal for member, literal in made.items() if literal != FALSE}

    def _chain(self, place: Place, value: n.MapUpdate | n.ComponentUpdate, orelse: Shape) -> Shape:
        """Updates of parts, one after the other."""
        first, links = chain_of(value, place, (n.MapUpdate, n.ComponentUpdate))
        made = list(self._made(place, first, orelse))
        begins = first in place.nodes
        before, nodes = (place.old, place.nodes) if begins else (tuple(made), (first,))
        place = replace(place, untouched=place.untouched and begins)
        touched: set[int] = set()
        for link in links:
            if isinstance(link, n.ComponentUpdate):
                whole = (link.item,) if link.position in touched else (*nodes, link.item)
                parts = [self._component(place, whole, link.position, before, link)]
            else:
                assert isinstance(link, n.MapUpdate)
                parts = self._at_keys(place, link, before)
            for position, part in parts:
                part = replace(part, untouched=part.untouched and position not in touched)
                made[position] = self._made(part, link.value, made[position])
            touched |= {position for position, _ in parts}
        return tuple(made)

    def _component(
        self, place: Place, whole: Sequence[n.Node], position: int, old: Sequence[Shape], value: n.Node
    ) -> tuple[int, Place]:
        """The place of a component."""
        assert isinstance(place.kind, (Record, Tuple))
        kind = place.kind.parts[position]
        nodes = tuple(n.make(n.Component, kind, value.span, node, position) for node in whole)
        return position, replace(place, nodes=nodes, kind=kind, old=old[position])

    def _at_keys(self, place: Place, link: n.MapUpdate, old: Sequence[Shape]) -> list[tuple[int, Place]]:
        """The places that an update of a map may come to."""
        assert isinstance(place.kind, Map)
        key, error = self.expressions.evaluate(link.key, place.environment)
        self._wrong(place.reached, error)
        chosen = dict(self.values.cases(key, link.key.type))
        positions = self.expressions.collections.places(place.kind)
        there = n.make(n.Apply, place.kind.value, link.span, link.map, link.key)
        found = []
        for at, literal in chosen.items():
            if at not in positions:
                self._wrong(place.reached, literal)
                continue
            constant = n.make(n.Const, link.key.type, link.span, at)
            part = replace(
                place,
                nodes=(there,),
                kind=place.kind.value,
                old=old[positions[at]],
                here=self.circuit.conj((place.here, literal)),
                keys=(*place.keys, literal),
                constants={**place.constants, link.key: constant},
            )
            found.append((positions[at], part))
        return found

    def _product(self, place: Place, value: n.MakeTuple | n.MakeRecord, orelse: Shape) -> Shape:
        made = []
        for position, item in enumerate(value.items):
            _, part = self._component(place, place.nodes, position, place.old, value)
            made.append(self._made(part, item, orelse[position]))
        return tuple(made)

    def _build(self, place: Place, value: n.MapBuild, orelse: Shape) -> Shape:
        assert isinstance(place.kind, Map)
        kind = place.kind.value
        nodes = tuple(n.make(n.Apply, kind, value.span, node, value.var) for node in place.nodes)
        made = []
        for position, key in enumerate(place.kind.keys):
            inner = {**place.environment, value.var: key}
            part = replace(place, nodes=nodes, kind=kind, old=place.old[position], environment=inner)
            made.append(self._made(part, value.body, orelse[position]))
        return tuple(made)

    def _append(self, place: Place, value: n.Concat, orelse: Items) -> Items:
        assert isinstance(place.kind, Seq) and isinstance(value.right, n.MakeSeq)
        node, collections = value.right.items[0], self.expressions.collections
        item, error = self.expressions.evaluate(node, place.environment)
        self._wrong(place.reached, error)
        item, _ = collections.coerce(item, node.type, place.kind.item)
        full = place.old.length.get(place.kind.capacity, FALSE)
        self._wrong(place.reached, self.circuit.conj((*place.keys, full)))
        return collections.append(place.old, item, place.kind, place.here, orelse)

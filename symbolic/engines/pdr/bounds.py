"""The bound that a step leaves, and a constraint on states under which no step leaves one.

A constraint is made of the parts of the state that the failing update reads: a number or a length that stays on
its side of the value that it has in the failing state, for all keys of a map. Each candidate is given to a solver,
with an invariant: if no step from a state of both leaves its bounds, the invariant proves the property under the
constraint. If one does, its state is the next to be excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Word, way_text
from leadline.symbolic.engines.pdr.invariant import Invariant
from leadline.symbolic.engines.pdr.system import Bad, System
from leadline.symbolic.lang import Model, OutOfBounds, Property, PropertyKind, rules
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.containers import field_of
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.node import rebuilt
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Int, Named, Option, Type
from leadline.symbolic.solve.cores import CoreSolver
from leadline.symbolic.trace import Step
from leadline.symbolic.trace.trace import action_named

_MOST = 6
"""The failing states that are excluded before the search for a constraint is given up."""

_MEMBER = Word("member", None, None)
"""The way into a set, which has no places."""

Path = tuple[str, tuple[Word | None, ...]]
"""A variable and the way to a part of it that every state has; None stands for any key."""


@dataclass(frozen=True)
class Outside:
    """A part of the state that a step would put out of bounds.

    Attributes:
        name: the variable.
        way: the way to the part.
        kind: the part's type.
        value: the value that it would have; of a sequence that would be too long, all of it.
    """

    name: str
    way: tuple[Word, ...]
    kind: Type
    value: Any

    @property
    def grows(self) -> bool:
        """Whether the value is above its bound, not below."""
        return isinstance(self.kind, Seq) or (isinstance(self.kind, Int) and self.value > self.kind.high)

    def text(self) -> str:
        """The part, the value that it would have and its type, in words."""
        member = _MEMBER in self.way
        way = self.way[: self.way.index(_MEMBER)] if member else self.way
        part = f"`{self.name}{''.join(map(way_text, way))}`"
        shown = f"have {len(self.value)} items" if isinstance(self.kind, Seq) else f"be {self.value}"
        where = f"in a member of {part} a value" if member else part
        return f"{where} would {shown}, and its type is {self.kind!r}"


def outside(model: Model, before: State, step: Step) -> Outside | None:
    """The first part that a step would put out of bounds; None if it has no outcome for another reason.

    Args:
        model: the model.
        before: the state before the step.
        step: a step out of bounds.
    """
    semantics = Semantics(model)
    for name, node in action_named(model, step.action).updates:
        try:
            value = semantics.evaluate(_unchecked(node), before, step.picks)
        except OutOfBounds:
            return None
        except KeyError:  # A guard or the domain of a pick has no value, before all picks are made.
            return None
        found = next(_parts_outside(model.variable(name).type, value, name, ()), None)
        if found is not None:
            return found
    return None


def _unchecked(root: n.Node) -> n.Node:
    """An expression without the checks that the values it is made of are of their types."""
    done: dict[n.Node, n.Node] = {}
    for node in n.postorder(root):
        kept: Sequence[n.Node] = ()
        match node:
            case n.Coerce(item=item):
                done[node] = done[item]
                continue
            case n.MapUpdate(key=key):
                kept = (key,)
            case n.SeqUpdate(place=place):
                kept = (place,)
            case n.Ite(condition=condition):
                kept = (condition,)
            case n.MapBuild(var=var):
                kept = (var,)
            case n.ComponentUpdate() | n.MakeVariant() | n.Concat() | n.SetUnion() | n.SetOf():
                pass
            case n.MakeTuple() | n.MakeRecord() | n.MakeSeq():
                pass
            case _:
                done[node] = node
                continue
        done[node] = rebuilt(node, lambda x, kept=kept: x if x in kept else done[x])  # type: ignore[misc]
    return done[root]


def _parts_outside(kind: Type, value: Any, name: str, way: tuple[Word, ...]) -> Iterator[Outside]:
    """The parts of a value that are not of their types."""
    inner: list[tuple[Type, Any, Word]] = []
    match kind:
        case Seq() if len(value) > kind.capacity:
            yield Outside(name, way, kind, value)
        case Seq():
            inner = [(kind.item, x, Word("place", None, place)) for place, x in enumerate(value, start=1)]
        case Set():
            inner = [(kind.item, x, _MEMBER) for x in sorted(value, key=repr)]
        case Map():
            inner = [
                (kind.value, x, Word("key", kind.key, key)) for key, x in zip(kind.keys, value, strict=True)
            ]
        case Record():
            pairs = zip(kind.fields, value, strict=True)
            inner = [(part, x, Word("field", None, field)) for (field, part), x in pairs]
        case Tuple():
            parts = zip(kind.items, value, strict=True)
            inner = [(part, x, Word("part", None, place)) for place, (part, x) in enumerate(parts)]
        case Option():
            inner = [] if value is None else [(kind.item, value, Word("item", None, None))]
        case Union():
            inner = [(kind.by_tag[value[0]], value[1], Word("payload", None, value[0]))]
        case _:
            if not kind.contains(value):
                yield Outside(name, way, kind, value)
    for part, x, word in inner:
        yield from _parts_outside(part, x, name, (*way, word))


# -- constraints ---------------------------------------------------------------------------------------


def enough(
    model: Model, target: Property, invariant: Invariant, before: State, step: Step
) -> tuple[n.Node, ...]:
    """The conjuncts of a constraint on states under which no step leaves its bounds; none if none is found.

    Args:
        model: the model.
        target: the property.
        invariant: an invariant that proves it of the states that are reached within bounds.
        before: a state.
        step: a step out of bounds from it.
    """
    kept: dict[Path, n.Node] = {}
    for _ in range(_MOST):
        beyond = outside(model, before, step)
        if beyond is None or not isinstance(beyond.kind, (Int, Seq)):
            return ()
        first: tuple[dict[Path, n.Node], State, Step] | None = None
        for path, one in _candidates(model, beyond, before, step):
            now = {**kept, path: one}
            found = _escape(model, target, invariant, [*now.values()])
            if found is None:
                return tuple(now.values())
            first = first or (now, *found)
        if first is None:
            return ()
        kept, before, step = first
    return ()


def _escape(
    model: Model, target: Property, invariant: Invariant, formulas: Sequence[n.Node]
) -> tuple[State, Step] | None:
    """A state of an invariant and of some formulas, with a step out of bounds."""
    names = [model.properties[name] for name in invariant.strengthenings]
    given = [replace(target, name="", kind=PropertyKind.CONSTRAINT, formula=one) for one in formulas]
    system = System(model, target, [*names, *given], symmetric=False)
    layer = system.layer
    solver = CoreSolver(layer.formula.clauses, layer.formula.variables, "glucose4")
    for cube in (cube for orbit in invariant.orbits for cube in orbit):
        solver.add([-x for x in cube])
    if layer.bad[Bad.STEP_OUTSIDE] == -TRUE or not solver.check([layer.bad[Bad.STEP_OUTSIDE]]):
        return None
    true = {TRUE, *solver.model()}

    def holds(literal: int) -> bool:
        return literal in true if literal > 0 else -literal not in true

    action, picks = layer.choice(holds)
    return system.encoding.decode(system.row, holds), Step(action, picks, None)


def _candidates(model: Model, beyond: Outside, before: State, step: Step) -> Iterator[tuple[Path, n.Node]]:
    """Formulas that are false in a state, about each number and each length that the failing update reads."""
    (update,) = [node for name, node in action_named(model, step.action).updates if name == beyond.name]
    values = {x.name: value for x, value in zip(model.variables, before, strict=True)}
    seen: set[Path] = set()
    for node in n.postorder(update):
        path = _path(node)
        if path is None or path in seen or not isinstance(node.type, (Int, Seq)):
            continue
        seen.add(path)
        name, way = path
        kind = model.variable(name).type
        numbers = [len(x) if isinstance(node.type, Seq) else x for x in _values(kind, values[name], way)]
        least = 0 if isinstance(node.type, Seq) else node.type.low
        most = node.type.capacity if isinstance(node.type, Seq) else node.type.high
        bound = max(numbers) if beyond.grows else min(numbers)
        if bound == (least if beyond.grows else most):
            continue  # No value is on the other side of it.
        yield path, _formula(model, name, way, bound, grows=beyond.grows)


def _path(node: n.Node) -> Path | None:
    """The path to the part of the state that an expression reads; None if not every state has it."""
    way: list[Word | None] = []
    while not isinstance(node, n.StateVar):
        match node:
            case n.Apply(map=item):
                way.append(None)
            case n.Component(item=item, position=position) if isinstance(item.type, Record):
                way.append(Word("field", None, item.type.fields[position][0]))
            case n.Component(item=item, position=position):
                way.append(Word("part", None, position))
            case _:
                return None
        node = item
    return node.name, tuple(reversed(way))


def _values(kind: Any, value: Any, way: Sequence[Word | None]) -> list[Any]:
    """The values at the end of a way, one for each choice of keys."""
    if not way:
        return [value]
    word, *rest = way
    if word is None:
        return [found for x in value for found in _values(kind.value, x, rest)]
    place = kind.positions[word.value] if word.kind == "field" else word.value
    return _values(kind.parts[place], value[place], rest)


def _formula(model: Model, name: str, way: Sequence[Word | None], bound: int, *, grows: bool) -> n.Node:
    """The formula that a number or a length is on its side of a bound, for all keys."""

    def at(part: Any, rest: Sequence[Word | None], taken: tuple[str, ...]) -> Any:
        if not rest:
            number = part.length if isinstance(part.node.type, Seq) else part
            return number < bound if grows else number > bound
        word, *more = rest
        if word is not None:
            inner = wrap(field_of(part.node, word.value)) if word.kind == "field" else part[word.value]
            return at(inner, more, taken)
        kind = part.node.type.key
        first = kind.name[0].lower() if isinstance(kind, Named) else "k"
        called = first if first not in taken else f"{first}{len(taken) + 1}"
        every = n.make(n.Universe, Set(kind), caller_span())
        body = lambda key: at(part[wrap(key)], more, (*taken, called))  # noqa: E731
        return wrap(rules.bind(n.Forall, kind, called, body, lambda _: rules.BOOL, every))

    variable = model.variable(name)
    found: n.Node = at(wrap(n.make(n.StateVar, variable.type, variable.span, name)), way, ()).node
    return found

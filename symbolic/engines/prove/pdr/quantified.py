"""Invariants in the words of the protocol: a quantified formula for each orbit of clauses.

The members of sorts that an orbit treats alike become variables, distinct where two of them are of one sort.
A literal that does not matter in a state (the item of an absent option) is false there. One that a permutation may
negate is free there, so that both it and its negation hold.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby, pairwise
from typing import Any, NamedTuple, TypeAlias

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import FactPart, Facts, Literal
from leadline.symbolic.engines.prove.pdr.invariant import Invariant
from leadline.symbolic.engines.prove.pdr.system import Cube
from leadline.symbolic.lang import (
    Int,
    InternalError,
    Map,
    Model,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    Value,
    all_of,
    all_types,
    any_of,
    as_node,
    caller_span,
    field_of,
    implies,
    int_range,
    nodes as n,
    rules,
    wrap,
)
from leadline.symbolic.notation.expressions import Printer

Built: TypeAlias = Any
"""An expression as users write them: what it has depends on its type."""

_MOST_VALUES = 1024
"""The most values of an integer whose bits are read together."""
_MOST_LISTED = 8
"""The most values of an integer that are listed; more are told by its bits."""

Member = tuple[str, str]
"""A sort's name and a member."""


@dataclass(frozen=True)
class OrbitFormula:
    """A formula that is true where no cube of an orbit holds.

    Attributes:
        variables: the variables, each quantified over its sort; those of one sort differ from each other.
        body: the formula over them.
    """

    variables: tuple[n.Bound, ...]
    body: n.Node

    @property
    def by_sort(self) -> list[tuple[Type, list[n.Bound]]]:
        """The variables of each sort."""
        return [(kind, list(some)) for kind, some in groupby(self.variables, lambda x: x.type)]

    @property
    def distinct(self) -> list[tuple[n.Bound, n.Bound]]:
        """The pairs of variables that differ."""
        return [pair for _, some in self.by_sort for pair in combinations(some, 2)]

    def tla(self, model: Model) -> str:
        r"""The formula as TLA+: `\A r, s \in Replica : r # s => ~(...)`."""
        text = Printer({x.name: x.tla for x in model.variables}).text(self.body)
        if not self.variables:
            return text
        names = [f"{', '.join(x.name for x in some)} \\in {kind!r}" for kind, some in self.by_sort]
        apart = " /\\ ".join(f"{a.name} # {b.name}" for a, b in self.distinct)
        return f"\\A {', '.join(names)} : {f'{apart} => ' if apart else ''}{text}"


def formulas(model: Model, invariant: Invariant) -> list[OrbitFormula]:
    """The formula of each orbit of an invariant.

    Raises:
        InternalError: if clauses that are grouped are no orbit.
    """
    symmetries = _Symmetries(model)
    return [
        _Reader(model, symmetries.facts, symmetries.sorts_alike(orbit)).formula(orbit[0])
        for orbit in invariant.orbits
    ]


class _Symmetries:
    """The exchanges of two members of each sort, as permutations of the literals."""

    def __init__(self, model: Model) -> None:
        self.facts = Facts(model)
        sorts = [x for x in all_types(v.type for v in model.variables) if isinstance(x, Sort)]
        self._exchanges = {kind: [*self._of(kind)] for kind in sorted(sorts, key=repr)}

    def _of(self, kind: Sort) -> Iterator[list[int]]:
        for one, other in pairwise(kind.members):
            yield self.facts.image({(kind.name, one): other, (kind.name, other): one})

    def sorts_alike(self, orbit: Sequence[Cube]) -> set[str]:
        """The names of the sorts under whose permutations clauses are an orbit."""
        cubes = set(orbit)
        alike = {
            kind: images
            for kind, images in self._exchanges.items()
            if all(_image(cube, one) in cubes for cube in cubes for one in images)
        }
        found = {orbit[0]}
        waiting = [orbit[0]]
        while waiting:
            cube = waiting.pop()
            more = {_image(cube, one) for images in alike.values() for one in images} - found
            found |= more
            waiting += more
        if found != cubes:
            raise InternalError("clauses that are grouped are no orbit")
        return {kind.name for kind in alike}


def _image(cube: Cube, image: Sequence[int]) -> Cube:
    at = TRUE + 1
    return tuple(sorted([image[x - at] if x > 0 else -image[-x - at] for x in cube]))


class _Part(NamedTuple):
    """A part of the state with finitely many values, of which literals allow some.

    Attributes:
        name: the variable.
        way: the way to the part.
        test: "value", "length", "tag", "true", "present", "has" or "bit".
        asked: the member that a set may have, or the number of the bit.
    """

    name: str
    way: tuple[FactPart, ...]
    test: str
    asked: Value = None


class _Allowed(NamedTuple):
    """The values of a part that some literals allow, of all that it may have."""

    every: tuple[Value, ...]
    values: frozenset[Value]


class _Reader:
    """Reads a cube: its literals by the part that they test, with the members of some sorts as variables.

    Args:
        model: the model.
        facts: its facts.
        alike: the names of the sorts whose members become variables.
    """

    def __init__(self, model: Model, facts: Facts, alike: set[str]) -> None:
        self._model = model
        self._facts = facts
        self._alike = alike
        self._variables: dict[Member, n.Bound] = {}

    def formula(self, cube: Cube) -> OrbitFormula:
        """The formula that no image of a cube holds."""
        literals = sorted(cube, key=abs)
        body = rules.negation(all_of(*self._conjuncts(literals)))
        used = set(n.postorder(body))
        variables = [x for x in self._variables.values() if x in used]
        return OrbitFormula(tuple(sorted(variables, key=lambda x: (repr(x.type), -x.level))), body)

    def _conjuncts(self, literals: Sequence[int]) -> Iterator[Built]:
        """The facts of each part's literals, in the row's order: a part comes before its content."""
        parts: dict[_Part, list[int]] = {}
        for literal in literals:
            parts.setdefault(self._read(literal)[0], []).append(literal)
        said = {part: self._together(some, frozenset.intersection) for part, some in parts.items()}
        for part, some in parts.items():
            first = self._literal(some[0])
            guards = self._guards(first.needs, said)
            matters = not first.moved and any(x > 0 for x in some)
            if matters:
                yield from guards
            if len(said[part].values) == len(said[part].every):
                continue
            test = self._test(part, said[part], some)
            yield implies(all_of(*guards), test) if guards and not matters else test

    def _guards(self, needs: Iterable[Sequence[int]], said: Mapping[_Part, _Allowed]) -> list[Built]:
        """The conditions for a part to matter that are not stated already; FALSE if they cannot hold."""
        guards = []
        for clause in needs:
            part, allowed = self._read(clause[0])[0], self._together(clause, frozenset.union)
            known = said.get(part)
            if known is None or not known.values <= allowed.values:
                if known is not None and not known.values & allowed.values:
                    return [wrap(as_node(False))]
                guards.append(self._test(part, allowed, clause))
        return guards

    def _literal(self, literal: int) -> Literal:
        return self._facts.literals[abs(literal) - TRUE - 1]

    def _read(self, literal: int) -> tuple[_Part, _Allowed]:
        """The part that a literal tests, and the values for which it is true."""
        name, (*words, test) = self._literal(literal).fact
        way = tuple(words)
        kind = self._at(name, way).node.type
        true: Iterable[Value] = (test.value,)
        every: Iterable[Value]
        match test.kind:
            case "bit" if kind.cardinality <= _MOST_VALUES:
                part, every = _Part(name, way, "value"), kind.values()
                true = [x for x in kind.values() if x - kind.low >> test.value & 1]
            case "is":
                part, every = _Part(name, way, "value"), kind.values()
            case "length":
                part, every = _Part(name, way, "length"), range(kind.capacity + 1)
            case "tag":
                tags = [tag for tag, record in kind.variants if record.capped]
                part, every = _Part(name, way, "tag"), tags
            case "true" | "present":
                part, every = _Part(name, way, test.kind), (False, True)
            case _:
                part, every, true = _Part(name, way, test.kind, test.value), (False, True), (True,)
        values, all_values = frozenset(true), tuple(every)
        return part, _Allowed(all_values, values if literal > 0 else frozenset(all_values) - values)

    def _together(self, literals: Iterable[int], join: Callable[..., frozenset[Value]]) -> _Allowed:
        """The values of a part that several literals allow."""
        read = [self._read(literal)[1] for literal in literals]
        return _Allowed(read[0].every, join(*(one.values for one in read)))

    # -- expressions ---------------------------------------------------------------------------------

    def _test(self, part: _Part, allowed: _Allowed, literals: Sequence[int]) -> Built:
        """The expression that a part has one of the allowed values; `literals` say the same."""
        whole = self._at(part.name, part.way)
        holds = True in allowed.values
        if not allowed.values:
            return wrap(as_node(False))
        match part.test:
            case "true":
                return _either(whole, holds)
            case "present":
                return _either(whole.is_some, holds)
            case "has":
                return _either(whole.has(self._value(whole.node.type.item, part.asked)), holds)
            case "bit":
                return _either(_bit(whole, part.asked), holds)
            case "tag":
                return _one_of(allowed, lambda tags: any_of(*map(whole.is_a, tags)))
            case "length":
                return self._in(whole.length, allowed)
        bits = [(self._literal(x).fact[1][-1], x > 0) for x in literals]
        if bits[0][0].kind == "bit" and _scattered(allowed):
            return all_of(*(_either(_bit(whole, word.value), true) for word, true in bits))
        return self._in(whole, allowed)

    def _in(self, item: Built, allowed: _Allowed) -> Built:
        """The expression that a number or a named value is one of those that are allowed."""
        kind = item.node.type

        def among(values: list[Value]) -> Built:
            if len(values) == 1:
                return wrap(rules.equality(item, self._value(kind, values[0])))
            if isinstance(kind, Int) and len(values) > 2 and _consecutive(values):
                return item.is_in(int_range(values[0], values[-1]))
            return wrap(rules.membership(item, self._value(Set(kind), frozenset(values))))

        values, most = sorted(allowed.values), len(allowed.every) - 1
        if isinstance(kind, Int) and 1 < len(values) < most and _consecutive(values):
            if values[-1] == allowed.every[-1]:
                return item >= values[0]
            if values[0] == allowed.every[0]:
                return item <= values[-1]
        return _one_of(allowed, among)

    @cached_property
    def _kinds(self) -> dict[str, Type]:
        return {variable.name: variable.type for variable in self._model.variables}

    def _at(self, name: str, way: Sequence[FactPart]) -> Built:
        """The part of a variable at the end of a way."""
        found: Built = wrap(n.make(n.StateVar, self._kinds[name], caller_span(), name))
        for word in way:
            match word.kind:
                case "key":
                    assert word.type is not None
                    found = found[self._value(word.type, word.value)]
                case "field":
                    found = wrap(field_of(found.node, word.value))
                case "part":
                    found = found[word.value]
                case "place":
                    found = found[word.value + 1]
                case "item":
                    found = found.value
                case _:
                    found = found.as_a(word.value)
        return found

    def _value(self, kind: Type, value: Value) -> n.Node:
        """A value with variables in place of members of the sorts that are treated alike."""
        if not any(isinstance(x, Sort) and x.name in self._alike for x in all_types([kind])):
            return n.make(n.Const, kind, caller_span(), value)
        match kind:
            case Sort():
                return self._variable(kind, value)
            case Option():
                return as_node(None if value is None else self._value(kind.item, value), kind)
            case Union():
                tag, payload = value
                part = self._value(kind.by_tag[tag], payload)
                if isinstance(part, n.Const):
                    return n.make(n.Const, kind, caller_span(), value)
                return n.make(n.MakeVariant, kind, caller_span(), tag, part)
            case Map():
                return self._map(kind, value)
        several: dict[type[Type], tuple[type[n.Node], Sequence[tuple[Type, Value]]]] = {
            Record: (n.MakeRecord, [*zip(kind.parts, value, strict=False)]),
            Tuple: (n.MakeTuple, [*zip(kind.parts, value, strict=False)]),
            Seq: (n.MakeSeq, [(kind.parts[0], x) for x in value]),
            Set: (n.SetOf, [(kind.parts[0], x) for x in sorted(value, key=repr)]),
        }
        make, items = several[type(kind)]
        return n.make(make, kind, caller_span(), tuple(self._value(*item) for item in items))

    def _map(self, kind: Map, value: Value) -> n.Node:
        *some, (_, last) = [
            (self._value(kind.key, key), self._value(kind.value, x))
            for key, x in zip(kind.keys, value, strict=True)
        ]

        def body(key: n.Bound) -> n.Node:
            result = last
            for one, x in reversed(some):
                result = rules.if_then_else(rules.equality(key, one), x, result)
            return result

        return rules.bind(n.MapBuild, kind.key, "key", body, expected=kind.value)

    def _variable(self, kind: Sort, member: str) -> n.Bound:
        known = self._variables
        if (kind.name, member) not in known:
            taken = {x.name for x in known.values()} | {x.tla for x in self._model.variables}
            sorts = [x for x in all_types(self._kinds.values()) if isinstance(x, Sort)]
            taken |= {name for x in sorts for name in x.members}
            name = next(x for x in _names(kind.name.strip('{"')[0].lower()) if x not in taken)
            known[kind.name, member] = n.make(n.Bound, kind, caller_span(), name, -len(known) - 1)
        return known[kind.name, member]


def _names(first: str) -> Iterator[str]:
    """Letters from the first on, without those that look like numbers; then with numbers."""
    letters = [x for x in string.ascii_lowercase if x not in "ilo"]
    start = next((place for place, x in enumerate(letters) if x >= first), 0)
    letters = letters[start:] + letters[:start]
    return itertools.chain(letters, (f"{letters[0]}{number}" for number in itertools.count(1)))


def _either(test: Built, holds: bool) -> Built:
    return test if holds else wrap(rules.negation(test))


def _bit(number: Built, place: int) -> Built:
    """The expression that a bit of an integer is set; the integer is counted from its least value."""
    low = number.node.type.low
    above = number - low if low else number
    return (above // (1 << place) if place else above) % 2 == 1


def _consecutive(numbers: Sequence[int]) -> bool:
    return numbers[-1] - numbers[0] == len(numbers) - 1


def _scattered(allowed: _Allowed) -> bool:
    """Whether integers are neither few nor consecutive, and the others are not either."""
    sides = sorted(allowed.values), sorted(set(allowed.every) - allowed.values)
    return not any(len(side) <= _MOST_LISTED or _consecutive(side) for side in sides)


def _one_of(allowed: _Allowed, test: Callable[[list[Value]], Built]) -> Built:
    """A test for the allowed values, or that it fails for the others if these are fewer."""
    inside = [x for x in allowed.every if x in allowed.values]
    outside = [x for x in allowed.every if x not in allowed.values]
    return wrap(rules.negation(test(outside))) if len(outside) < len(inside) else test(inside)

"""The parts of a next-state relation, which are its actions by name, and the variables that decide their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Analysis
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import Specification


@dataclass(frozen=True)
class Part:
    """A part of the next-state relation.

    Attributes:
        name: the operator that it is.
        path: which disjunct to take at each disjunction above it, and which conjunct it is in at each conjunction.
    """

    name: str
    path: tuple[int, ...] = ()


def parts(specification: Specification) -> list[Part]:
    """The parts of the next-state relation: its disjuncts, those within its operators included."""
    name, e, seen = "Next", specification.next, frozenset[str]()
    definitions = specification.definitions
    while isinstance(e, s.Apply) and e.operator in definitions and not e.arguments:
        name, e = e.operator, definitions[e.operator].body
        seen = frozenset({name})
    return [] if e is None else list(_parts(specification, e, name, seen))


def _parts(within: Specification, e: s.Expression, name: str, seen: frozenset[str]) -> Iterator[Part]:
    match e:
        case s.Apply("\\/", items):
            for place, item in enumerate(items):
                yield from (Part(one.name, (place, *one.path)) for one in _parts(within, item, name, seen))
        case s.Quantified("\\E", _, body) | s.Let(_, body):
            yield from _parts(within, body, name, seen)
        case s.Apply(operator) if operator in within.definitions and operator not in seen:
            body = within.definitions[operator].body
            inside = list(_parts(within, body, operator, seen | {operator}))
            whole = len(inside) > 1 and any(part.name == operator for part in inside)
            yield from [Part(operator)] if whole else inside
        case s.Apply("/\\", items):
            steps = [place for place, item in enumerate(items) if within.levels.of(item) is Level.ACTION]
            found = [(place, list(_parts(within, items[place], name, seen))) for place in steps]
            # Of `Send(m) /\ x' = 1` no part is the step, but of `(Send(m) \/ Drop(m)) /\ x' = 1` each is one.
            # Of two such conjuncts the one whose disjuncts all have names is split, and none of one name alone.
            several = [each for each in found if len(steps) == 1 or len({one.name for one in each[1]}) > 1]
            named = [[one.name != name for one in inside] for _, inside in several]
            split = [each for each, names in zip(several, named, strict=True) if all(names)]
            split = split or [each for each, names in zip(several, named, strict=True) if any(names)]
            if len(split) == 1:
                ((place, inside),) = split
                yield from (Part(one.name, (place, *one.path)) for one in inside)
            else:
                yield Part(name)
        case _:
            yield Part(name)


Influence = dict[str, frozenset[str]]
"""For variables that steps change the names of those that their next values depend on; see `GUARDS` and `KEPT`."""

GUARDS = ""
"""What the guards of an action depend on."""
KEPT = "UNCHANGED"
"""The variables that keep their values."""


@dataclass(frozen=True)
class _Around:
    """What is around a formula.

    Attributes:
        read: for the names that are bound the variables that what they stand for depends on.
        local: the operators of LET.
        inside: the operators whose bodies it is in.
    """

    read: Mapping[str, frozenset[str]] = field(default_factory=dict)
    local: Mapping[str, s.Definition] = field(default_factory=dict)
    inside: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Influences:
    """What the formulas of a specification depend on, by what it reads.

    A model tells less: where types decide a part of a formula, such as `x < 2` of an x that was 0 and 1 so far, it
    has nothing of that part.

    Attributes:
        specification: a loaded specification with steps.
        analysis: facts about its expressions.
    """

    specification: Specification
    analysis: Analysis

    def of(self, e: s.Node, around: _Around = _Around()) -> frozenset[str]:
        """The variables that an expression depends on. Of those that it has primed, next values matter."""
        reads, bound = self.analysis.reads(e), around.read
        return (reads.now | reads.next).union(*(bound[x] for x in bound.keys() & self.analysis.free(e)))

    @cached_property
    def by_action(self) -> Mapping[str, Influence]:
        """The influences on the steps of each part of the next-state relation, by the part's name."""
        own, found = self.specification, dict[str, Influence]()
        each = {name: self.of(e) for name, e in own.history.items()}
        each |= self._guards([*own.constraints, *own.action_constraints], _Around())
        assert own.next is not None
        for part in parts(own):
            here = self._step(own.next, part.path, _Around())
            here.pop(KEPT, None)
            found[part.name] = _united([found.get(part.name, {}), here, each])
        return found

    def _step(self, e: s.Expression, path: tuple[int, ...], around: _Around) -> Influence:
        """The influences on a formula about a step, of which a path takes some disjuncts: see `Part`."""
        found = self._within(e, path, around)
        # Such as those that an operator primes which is a parameter.
        others = self.analysis.reads(e).next - found.keys() - found.get(KEPT, frozenset())
        read = self.of(e, around)
        return _united([found, dict.fromkeys([*others, GUARDS], read)]) if others else found

    def _within(self, e: s.Expression, path: tuple[int, ...], around: _Around) -> Influence:
        match e:
            case s.Apply("/\\", items):
                place, rest = (path[0], path[1:]) if path else (-1, ())
                found = [self._step(x, rest if i == place else (), around) for i, x in enumerate(items)]
                return _united([*found, {GUARDS: frozenset(_twice(found))}])
            case s.Apply("\\/", items):
                items, path = (items[path[0] : path[0] + 1], path[1:]) if path else (items, ())
                return _united(self._step(x, path, around) for x in items)
            case s.Apply("=" | "\\in", (s.Apply("'", (s.Apply(name, ()),)), value)) if self._is_variable(
                name
            ):
                read = self.of(value, around)
                return {name: read} if e.operator == "=" else {name: read, GUARDS: read}
            case s.Apply("UNCHANGED", (body,)) if (kept := self._names(body)) is not None:
                return {KEPT: frozenset(kept)}
            case s.Quantified("\\E", bounds, body):
                names = {name: self.of(one, around) for one in bounds for name in one.names}
                within = replace(around, read={**around.read, **names})
                return _united([self._guards(bounds, around), self._step(body, path, within)])
            case s.If(condition, then, otherwise):
                arms = [self._step(x, path, around) for x in (then, otherwise)]
                return _united([self._guards([condition], around), *arms])
            case s.Let(definitions, body):
                return self._step(body, path, self._with(definitions, around))
            case s.Apply(name, arguments) if name not in around.inside:
                return self._applied(name, arguments, path, around)
        return self._guards([e], around)

    def _with(self, definitions: Sequence[s.Unit], around: _Around) -> _Around:
        """What is around the body of a LET."""
        for one in definitions:
            if isinstance(one, s.Definition):
                read = {**around.read, one.name: self.of(one.body, around)}
                around = replace(around, read=read, local={**around.local, one.name: one})
        return around

    def _applied(
        self, name: str, arguments: Sequence[s.Expression], path: tuple[int, ...], around: _Around
    ) -> Influence:
        """The influences on a formula that an operator gives."""
        one, outer = around.local.get(name), around
        if one is None:
            one, outer = self.specification.definitions.get(name), replace(around, read={}, local={})
        if one is None:
            return self._guards([s.Apply(name, tuple(arguments))], around)
        pairs = zip(one.parameters, arguments, strict=True)
        read = {**outer.read, **{x.name: self.of(argument, around) for x, argument in pairs}}
        return self._step(one.body, path, replace(outer, read=read, inside=outer.inside | {name}))

    def _guards(self, expressions: Iterable[s.Node], around: _Around) -> Influence:
        return {GUARDS: frozenset().union(*(self.of(one, around) for one in expressions))}

    def _is_variable(self, name: str) -> bool:
        return name in self.analysis.variables

    def _names(self, e: s.Expression) -> list[str] | None:
        """The variables of a tuple of variables; None if it is none."""
        match e:
            case s.TupleOf(items):
                found = [self._names(one) for one in items]
                return None if None in found else [name for names in found for name in names or ()]
            case s.Apply(name, ()) if self._is_variable(name):
                return [name]
            case s.Apply(name, ()) if name in self.specification.definitions:
                return self._names(self.specification.definitions[name].body)
        return None


def _united(influences: Iterable[Influence]) -> Influence:
    found: Influence = {}
    for one in influences:
        for name, read in one.items():
            found[name] = found.get(name, frozenset()) | read
    return found


def _twice(influences: Iterable[Influence]) -> Iterator[str]:
    """What variables depend on, and they themselves, that several conjuncts are about: all but one are tests."""
    known: Influence = {}
    for one in influences:
        about = {name: read for name, read in one.items() if name not in (GUARDS, KEPT)}
        about |= {name: about.get(name, frozenset()) for name in one.get(KEPT, ())}
        for name in about.keys() & known.keys():
            yield from (name, *known[name], *about[name])
        known = _united([known, about])

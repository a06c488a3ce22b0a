"""The parts of a next-state relation, which are its actions by name, and the variables that decide their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from leadline.symbolic.lang import ERRORS, GUARDS
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Analysis, dependent
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
"""The variables that decide a step: for each variable that it changes, for `GUARDS`, and for `ERRORS`."""

KEPT = "UNCHANGED"
"""Stands for the variables that keep their values, among the names of those that change."""


@dataclass(frozen=True)
class Influences:
    """The variables that decide the formulas of a specification: those that the formulas read.

    A model tells less. Its types may decide a part of a formula, such as `x < 2` of an x that was 0 and 1 so far,
    and the model then lacks that part.

    Attributes:
        specification: a loaded specification with steps.
        analysis: facts about its expressions.
    """

    specification: Specification
    analysis: Analysis

    def of(self, e: s.Node) -> frozenset[str]:
        """The variables that decide an expression, by their values or, where they are primed, by the next ones."""
        reads = self.analysis.reads(e)
        return reads.now | reads.next

    @cached_property
    @s.deeply()
    def by_action(self) -> Mapping[str, Influence]:
        """The variables that decide the steps of each part of the next-state relation, by the part's name."""
        own, found = self.specification, dict[str, Influence]()
        each = {name: self.of(e) for name, e in own.history.items()}
        each |= self._guards([*own.constraints, *own.action_constraints])
        assert own.next is not None
        for part in parts(own):
            here = self._step(own.next, part.path, frozenset())
            if not here.keys() | here.pop(KEPT, frozenset()) >= {*own.variables}:
                here.setdefault(ERRORS, frozenset())
            found[part.name] = _united([found.get(part.name, {}), here, each])
        return found

    def _step(self, e: s.Expression, path: tuple[int, ...], inside: frozenset[str]) -> Influence:
        """The variables that decide a formula about a step. The path chooses among its disjuncts: see `Part`."""
        match e:
            case s.Apply("/\\", items):
                place, rest = (path[0], path[1:]) if path else (-1, ())
                found = [self._step(one, rest if i == place else (), inside) for i, one in enumerate(items)]
                return _united([*found, {GUARDS: frozenset(_twice(found))}])
            case s.Apply("\\/", items):
                items, path = (items[path[0] : path[0] + 1], path[1:]) if path else (items, ())
                return _united(self._step(one, path, inside) for one in items)
            case s.Apply("=" | "\\in", (s.Apply("'", (x,)), value)) if names := self._names(x):
                own = dict.fromkeys(names, self.of(value)) | self._failing([value])
                return own if e.operator == "=" else own | self._guards([value])
            case s.Apply("UNCHANGED", (body,)) if (names := self._names(body)) is not None:
                return {KEPT: frozenset(names)}
            case s.Quantified("\\E", bounds, body):
                return _united([self._guards(bounds), self._step(body, path, inside)])
            case s.Case(arms, s.Expression() as other):
                steps = [self._step(x, path, inside) for x in (*(arm for _, arm in arms), other)]
                return _united([self._guards([test for test, _ in arms]), *steps])
            case s.Let(definitions, body) if not self._acts(e, definitions):
                return _united([self._guards(definitions), self._step(body, path, inside)])
            case s.Apply(name, arguments) if (
                name in self.specification.definitions.keys() - inside and not self._acts(e, arguments)
            ):
                body = self.specification.definitions[name].body
                return _united([self._guards(arguments), self._step(body, path, inside | {name})])
        return dict.fromkeys(self.analysis.reads(e).next, self.of(e)) | self._guards([e])

    def _acts(self, e: s.Let | s.Apply, given: Sequence[s.Node]) -> bool:
        """Whether a definition of a LET, or an argument, is about the next state or may be primed by its name."""
        known = self.analysis
        if isinstance(e, s.Let):
            primed = bool(known.primed_in_let(e))
        else:
            operators = any(one.arity for one in self.specification.definitions[e.operator].parameters)
            primed = operators or bool(known.primed_parameters(e.operator))
        return primed or any(known.reads(one).next for one in given)

    def _guards(self, expressions: Sequence[s.Node]) -> Influence:
        return {GUARDS: frozenset().union(*map(self.of, expressions))} | self._failing(expressions)

    def _failing(self, expressions: Sequence[s.Node]) -> Influence:
        found = [self.of(x) for x in expressions if self._fails(x) or self._partial & s.operators(x)]
        return {ERRORS: frozenset().union(*found)} if found else {}

    @cached_property
    def _partial(self) -> set[str]:
        """The operators whose applications may have no value, but for those that are constants."""
        every = self.specification.definitions.items()
        known = {name: one for name, one in every if one.parameters or self.of(one)}
        own = (name for name, one in known.items() if self._fails(one))
        return dependent(known, ["Assert", "Head", "Tail", *own])

    def _fails(self, e: s.Node) -> bool:
        """Whether an expression may have no value by what is written in it, not in the operators that it applies.

        A bound name is believed to be in the domain of the function that is applied to it.
        """
        match e:
            case s.Case(_, None) | s.Choose():
                return True
            case s.Apply("\\div" | "%", (_, by)) | s.Index(_, by) if self.of(by):
                return True
        return any(map(self._fails, s.children(e)))

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
    """The variables that several conjuncts give values to, and those that decide the values.

    The first conjunct gives the value, and the others are guards that compare it.
    """
    known: Influence = {}
    for one in influences:
        about = {name: read for name, read in one.items() if name not in (GUARDS, KEPT, ERRORS)}
        about |= {name: about.get(name, frozenset()) for name in one.get(KEPT, ())}
        for name in about.keys() & known.keys():
            yield from (name, *known[name], *about[name])
        known = _united([known, about])

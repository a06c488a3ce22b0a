"""Runs that cover a model: a small set that together meets every goal of a kind, each run as short as can be.

The states are searched breadth first, and each goal keeps the first run that meets it. Then runs are taken, the
longest first, as long as one meets a goal that no other has met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import factorial, prod

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.concrete.coverage import suspects
from leadline.symbolic.concrete.orbits import Symmetric
from leadline.symbolic.conform.explain import ways
from leadline.symbolic.conform.logs import LogMap, Reader
from leadline.symbolic.lang import (
    Model,
    OutOfBounds,
    Pick,
    Sort,
    Type,
    UserError,
    group_of,
    in_tla,
    nodes as n,
    schedule,
    symmetric_sorts,
)
from leadline.symbolic.meaning import Explorer, Path, Step
from leadline.symbolic.notation.expressions import to_tla
from leadline.symbolic.trace import Trace, TraceEnd, trace_of_path

_MOST_VALUES = 1_000
_MOST_PERMUTATIONS = 5_040


class Goals:
    """The goals of one kind. A goal is known by its text.

    Attributes:
        wanted: all goals; those of values are as many as have been met if the type has very many.
        enough: the number of goals after which the search ends, if any will do.
    """

    wanted: Sequence[str]
    enough: int | None = None

    def of_state(self, state: State) -> Iterable[str]:
        """The goals that a state meets."""
        return ()

    def of_step(self, before: str | None, step: Step) -> Iterable[str]:
        """The goals that a step meets, after a step of an action."""
        return ()

    def is_last(self, state: State) -> bool:
        """Whether runs end at a state."""
        return False

    def outside(self, state: State) -> str | None:
        """A property whose evaluation goes out of bounds in a state; None if there is none."""
        return None

    def trace(self, path: Path, goal: str) -> Trace:
        """The run to a goal."""
        return trace_of_path(path, TraceEnd.STOPS)


class Actions(Goals):
    """Each action is taken."""

    def __init__(self, model: Model) -> None:
        self._tla = {one.name: one.tla for one in model.actions}
        self.wanted = list(self._tla.values())

    def of_step(self, before: str | None, step: Step) -> Iterable[str]:
        return (self._tla[step.action],)


class Pairs(Goals):
    """Each action is taken right after each other one."""

    def __init__(self, model: Model) -> None:
        self._tla = {one.name: one.tla for one in model.actions}
        self.wanted = [self._text(one, other) for one in self._tla for other in self._tla]

    def _text(self, one: str, other: str) -> str:
        return f"{self._tla[one]}, then {self._tla[other]}"

    def of_step(self, before: str | None, step: Step) -> Iterable[str]:
        return () if before is None else (self._text(before, step.action),)


class Guards(Goals):
    """Each guard of each action is evaluated and true, and evaluated and false."""

    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics
        names = {variable.name: variable.tla for variable in semantics.model.variables}
        self._texts = {
            action.name: [
                f"{action.tla}: {to_tla(item, names)}"
                for item in schedule(action)
                if not isinstance(item, Pick)
            ]
            for action in semantics.model.actions
        }
        guards = [text for texts in self._texts.values() for text in texts]
        self.wanted = [f"{text} is {value}" for text in dict.fromkeys(guards) for value in ("true", "false")]

    def of_state(self, state: State) -> Iterator[str]:
        for action in self._semantics.model.actions:
            texts = self._texts[action.name]
            for way in ways(self._semantics, action, state):
                yield from (f"{text} is true" for text in texts[: way.passed])
                if way.false is not None:
                    yield f"{texts[way.passed]} is false"


class Properties(Goals):
    """Each probe is reached, and each premise in a property is true somewhere."""

    def __init__(self, semantics: Semantics) -> None:
        model = semantics.model
        self._semantics = semantics
        claimed = [model.properties[name] for name in model.claimed]
        probes = {f"{one.name} is reached": one.formula for one in claimed if one.kind.value == "probe"}
        names = {variable.name: variable.tla for variable in model.variables}
        premises = {
            f"{one.name}: {to_tla(x.formula, names)} is {'not empty' if x.is_set else 'true'}": x
            for one in claimed
            if one.temporal is None
            for x in suspects(one)
        }
        self._formulas = {**probes, **{text: x.weakened for text, x in premises.items()}}
        self.wanted = list(self._formulas)
        if not self.wanted:
            raise UserError(
                f"{model.protocol} has no goal of properties: no probe, and no premise in an invariant"
            )

    def of_state(self, state: State) -> Iterator[str]:
        for text, formula in self._formulas.items():
            try:
                if not self._semantics.evaluate(formula, state):
                    yield text
            except OutOfBounds:
                continue


@dataclass(frozen=True)
class Term:
    """A part of a state, or an expression of it.

    Attributes:
        text: its text, as it is shown.
        type: its type.
        shown: its value in a state, as TLA+ text; None if it has none.
    """

    text: str
    type: Type
    shown: Callable[[State], str | None]


def term_of(semantics: Semantics, text: str, expression: Callable[[str], n.Node]) -> Term:
    """The term that a user has written.

    Args:
        semantics: the meaning of the model.
        text: the text.
        expression: the expression of a text that is no part of the state.

    Raises:
        UserError: if it is none; its text says what would be, for the end of a sentence.
    """
    try:
        part = Reader(semantics.model, LogMap(), {}).at(text)
        return Term(part.text, part.type, part.shown)
    except UserError as error:
        wrong = error
    try:
        node = expression(text)
    except UserError as error:
        raise UserError(f"a part of the state ({wrong}) or an expression ({error})") from error

    def shown(state: State) -> str | None:
        try:
            return in_tla(node.type, semantics.evaluate(node, state))
        except OutOfBounds:
            return None

    return Term(text, node.type, shown)


class Values(Goals):
    """A term has each of its values."""

    def __init__(self, term: Term) -> None:
        self._term = term
        few = term.type.capped <= _MOST_VALUES
        self.wanted = [f"{term.text} = {in_tla(term.type, x)}" for x in term.type.values()] if few else []

    def of_state(self, state: State) -> Iterable[str]:
        shown = self._term.shown(state)
        return () if shown is None else (f"{self._term.text} = {shown}",)


class Violations(Goals):
    """Invariants are violated, in as many ways as are asked for. Runs end at the first violation.

    Args:
        semantics: the meaning of the model.
        names: the names of the invariants.
        view: a term by whose values ways are told apart; without it they are by the state, in which names
            of members that the model treats alike do not count.
        most: the number of ways.
    """

    wanted = ()

    def __init__(self, semantics: Semantics, names: Sequence[str], view: Term | None, most: int) -> None:
        model = semantics.model
        self._semantics, self._names, self._view, self.enough = semantics, names, view, most
        self._tla = [(one.tla, one.type) for one in model.variables]
        sorts: list[Sort] = []
        for sort in symmetric_sorts(model, [model.properties[name] for name in names]):
            # Orbits of more permutations take longer than they are worth: some ways may be told twice then.
            if prod(factorial(one.cardinality) for one in (*sorts, sort)) <= _MOST_PERMUTATIONS:
                sorts.append(sort)
        self._least = Symmetric(model, group_of(sorts)).canonical if sorts else None

    def of_state(self, state: State) -> Iterator[str]:
        for name in self._names:
            with suppress(OutOfBounds):
                if not self._semantics.holds(name, state):
                    yield f"{name}: {self._way(state)}"

    def is_last(self, state: State) -> bool:
        return any(True for _ in self.of_state(state))

    def outside(self, state: State) -> str | None:
        for name in self._names:
            try:
                self._semantics.holds(name, state)
            except OutOfBounds:
                return name
        return None

    def trace(self, path: Path, goal: str) -> Trace:
        name = next(name for name in self._names if goal.startswith(f"{name}: "))
        return trace_of_path(path, TraceEnd.VIOLATES, name)

    def _way(self, state: State) -> str:
        if self._view is not None:
            return self._view.shown(state) or f"{self._view.text} is out of bounds"
        least = state if self._least is None else self._least(state)
        return ", ".join(
            f"{tla} = {in_tla(kind, x)}" for (tla, kind), x in zip(self._tla, least, strict=True)
        )


KINDS: Mapping[str, Callable[[Semantics], Goals]] = {
    "actions": lambda semantics: Actions(semantics.model),
    "pairs": lambda semantics: Pairs(semantics.model),
    "guards": Guards,
    "properties": Properties,
}
"""The kinds of goals by name; another name is a part of the state, or an expression."""


@dataclass(frozen=True)
class Covered:
    """Runs that cover a model.

    Attributes:
        runs: the runs, each with the goals that it is the first to meet.
        missing: the goals that no run met.
        states: the number of states that were looked at.
        complete: whether these are all reachable states: what is missing is unreachable then.
        stopped: why the search stopped early, if it did.
        beyond: a run to the first step, or evaluation of a property, that goes out of bounds; None without one.
    """

    runs: Sequence[tuple[Trace, Sequence[str]]]
    missing: Sequence[str]
    states: int
    complete: bool
    stopped: str | None = None
    beyond: Trace | None = None

    @property
    def met(self) -> int:
        """The number of goals that are met."""
        return sum(len(goals) for _, goals in self.runs)


class Coverage(Explorer[Semantics]):
    """A breadth-first search for goals, which ends when all are met.

    Args:
        semantics: the meaning of the model.
        goals: the goals.
        depth: the most steps of a run; None for no limit.
        most_states: the most states.
        progress: called now and then with the numbers of states and of goals that are met.
    """

    def __init__(
        self,
        semantics: Semantics,
        goals: Goals,
        depth: int | None,
        most_states: int,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        super().__init__(semantics, depth=depth, max_states=most_states)
        self.goals, self._tell = goals, progress
        self._wanted = set(goals.wanted)
        self._beyond: Trace | None = None
        self._first: dict[str, tuple[int, tuple[Step, ...]]] = {}
        self._places: dict[State, int] = {}
        self._entered: list[dict[str, tuple[int, Step]]] = []
        self._left: list[list[Step] | None] = []

    def keep(self, state: State, parent: int) -> None:
        super().keep(state, parent)
        if self.full:
            return
        place = self._places[state] = len(self._places)
        self._entered.append({})
        self._left.append(None)
        claim = self.goals.outside(state) if self._beyond is None else None
        if claim is not None:
            self._beyond = trace_of_path(self.path(place), TraceEnd.OUT_OF_BOUNDS, claim)
        self._note(self.goals.of_state(state), place)

    def _note(self, goals: Iterable[str], place: int, *more: Step) -> None:
        """Keep a run for each goal that it is the first to meet: that to a state, and some steps more."""
        for goal in goals:
            if goal not in self._first and not self._has_enough():
                self._first[goal] = place, more
                self._wanted.discard(goal)
                self.full = self._has_enough()

    def _has_enough(self) -> bool:
        most = self.goals.enough
        return (most is not None and len(self._first) >= most) or bool(self.goals.wanted and not self._wanted)

    def expand(self, index: int) -> None:
        state = self.order[index]
        if index % 1000 == 0:
            self._tell(len(self.order), len(self._first))
        if index in self.beyond or self.goals.is_last(state):
            return
        outcomes = [*self.semantics.successors(state)]
        self.take([one.state for one in outcomes], index)
        following = [x for x in outcomes if x.state in self._places]
        by_action = list({x.action: x for x in reversed(following)}.values())
        self._left[index] = by_action
        for action, (before, entering) in self._entered[index].items():
            for step in by_action:
                self._note(self.goals.of_step(action, step), before, entering, step)
        for step in following:
            assert step.state is not None
            self._note(self.goals.of_step(None, step), index, step)
            target = self._places[step.state]
            if step.action not in self._entered[target]:
                self._entered[target][step.action] = index, step
                for last in self._left[target] or ():
                    self._note(self.goals.of_step(step.action, last), index, step, last)

    def covered(self, stopped: str | None = None) -> Covered:
        """The runs found so far."""
        outside = self.path_out_of_bounds()
        if outside is not None:
            stopped = stopped or "a step goes out of bounds"
            self._beyond = self._beyond or trace_of_path(outside, TraceEnd.OUT_OF_BOUNDS)
        paths = {goal: (*self.path(place), *more) for goal, (place, more) in self._first.items()}
        runs, met = [], set[str]()
        for goal in sorted(paths, key=lambda one: -len(paths[one])):
            if goal not in met:
                path = paths[goal]
                new = [x for x in dict.fromkeys(self._met(path)) if x not in met]
                met.update(new)
                runs.append((self.goals.trace(path, goal), new))
        wanted = [x for x in self.goals.wanted if x not in met]
        # Beyond a step out of bounds may be other states.
        complete = self.complete and outside is None
        stopped = None if complete else stopped
        return Covered(runs, wanted, len(self.order), complete, stopped, self._beyond)

    def _met(self, path: Path) -> Iterator[str]:
        before: str | None = None
        for number, one in enumerate(path):
            assert one.state is not None
            yield from self.goals.of_state(one.state)
            if number:
                yield from self.goals.of_step(before, one)
                yield from self.goals.of_step(None, one)
                before = one.action


def goals_of(semantics: Semantics, kind: str, expression: Callable[[str], n.Node]) -> Goals:
    """The goals of a name: a kind, a part of the state, or an expression of it.

    Args:
        semantics: the meaning of the model.
        kind: the name.
        expression: the expression of a text that is no part of the state.

    Raises:
        UserError: if the name is none of these.
    """
    if kind in KINDS:
        return KINDS[kind](semantics)
    try:
        return Values(term_of(semantics, kind, expression))
    except UserError as error:
        raise UserError(f"--goal {kind}: write {', '.join(KINDS)}, {error}") from error

"""Explicit exploration as an engine: breadth-first search of the states within a number of steps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import leadline
from leadline.symbolic import bits
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.concrete.coverage import Counted, Guard, never_true, suspects_of
from leadline.symbolic.concrete.orbits import Symmetric, in_order
from leadline.symbolic.encode.orders import has_order
from leadline.symbolic.engines import runs as liveness
from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, Interrupted, Limited, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Cause, Progress, Result, Stop, Verdict
from leadline.symbolic.engines.ask.widening import Kept, answer_with_known, told_by_values
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.explore.checkpoint import Checkpoint
from leadline.symbolic.engines.explore.circuits import CircuitExplorer, told_apart
from leadline.symbolic.engines.explore.facts import ExploreFacts, noted, with_coverage
from leadline.symbolic.engines.explore.statistics import Occurring, counted_values, values_of
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, address_space_mb, cores, limited, stop_at
from leadline.symbolic.lang import (
    Model,
    OutOfBounds,
    Property,
    Slots,
    Temporal,
    Type,
    UserError,
    Value,
    all_types,
    counted,
    fingerprint,
    group_of,
    sorts_in,
    symmetric_sorts,
)
from leadline.symbolic.meaning import Exploration, Explorer, Level, Path
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, end_reason, replay, trace_of_path

if TYPE_CHECKING:
    from leadline.symbolic.engines.runs.formulas import SafetyPart

BY = CIRCUITS, VALUES = ("circuits", "values")
LEAST_MEMORY = 256
"""The least limit on memory, in MB, for exploration on circuits: numpy itself takes 80 to 120 of address space."""

MOST_WORKERS = 64
_WORKER_MB = 2000
"""The least limit on memory, in MB, for each of several processes that explore."""

HEAD_START = 1.5
"""Seconds for itself in a portfolio: on circuits a million states take one, which others need to begin."""
LAST_PART = 1.0
"""The work that is left once all states are found: to look at runs through them takes about as long."""
_TELLING = 100_000
"""The number of states from which on the growth of levels tells that it goes too far."""
_FORESEEN = 100
"""The levels that are foreseen one by one."""
MOST_PERMUTATIONS = 5_040
"""Those of seven members."""


@dataclass(frozen=True)
class ExploreOptions(Options):
    """The options of an exploration.

    Attributes:
        depth: the number of steps; None to go on until no state is new.
        max_states: the number of states at which to stop; None for no limit. With symmetry, of orbits. States
            beyond a constraint count, since they are kept too.
        symmetry: whether a state stands for all into which permutations of members of sorts turn it.
        count_values: whether to count in how many states each value of each variable occurs.
        coverage: whether to count how often guards are true and how many states each action is the first to reach,
            and to look for properties that hold vacuously.
        vacuity: whether to look for these alone.
        by: "circuits" for many states at once, "values" for one after the other; by default on circuits
            wherever they can give the answer.
        every_state: whether every state counts where the protocol declares a view.
        checkpoint: the folder in which levels are kept, and from which the exploration goes on.
        notes: whether each proof names the actions that are never taken, as a store of results needs.
        parallel: the number of processes that explore on circuits once there are many states; by default as many
            as there are cores, and one beside other engines.
        prove: whether a property that holds in all reachable states counts as proved, not as safe. Every
            state counts then.
    """

    engine = "explore"

    depth: int | None = option(None, metavar="K", doc="explore K steps (default: until no state is new)")
    max_states: int | None = option(None, metavar="N", low=1, doc="stop at N states")
    symmetry: bool = option(
        False, doc="explore one state of each orbit under permutations of members of sorts"
    )
    coverage: bool = option(
        False, doc="tell actions never taken, guards never true, and properties that hold vacuously"
    )
    count_values: bool = option(
        False, flag="values", doc="tell the values of each variable, and how many states have each"
    )
    by: str | None = option(
        None,
        choices=BY,
        noun="explorer",
        doc="explore on circuits or on values (default: on circuits wherever a model has them)",
    )
    every_state: bool = option(False, doc="explore every state, not one for each value of the declared view")
    checkpoint: str | None = option(
        None, metavar="DIR", doc="keep each level in a folder; the same command again goes on from there"
    )
    parallel: int | None = option(
        None,
        metavar="N",
        flag="workers",
        low=1,
        most=MOST_WORKERS,
        place=True,
        doc="explore with N processes once there are many states (default: as many as there are cores)",
    )
    prove: bool = False
    vacuity: bool = False
    notes: bool = False


class Explore(Engine):
    """Breadth-first search over concrete states."""

    options = ExploreOptions
    facts = ExploreFacts
    takes_solver = False
    breadth_first = True
    runs = AboutRuns.ANSWERED
    limited = Limited.BY_ALARM

    def options_for(self, command: str, model: Model, given: Mapping[str, object]) -> Options:
        # A check is of every state: no view may hide a violation from a test. A VIEW of TLA+ is meant for checks.
        whole = command != self.name and not model.alone
        return super().options_for(command, model, {**given, "every_state": True} if whole else given)

    def member(self, depth: int | None) -> Options | None:
        return ExploreOptions(depth=depth, max_states=3_000_000, prove=True, vacuity=True)

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        return True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options_as(ExploreOptions)
        if model.alone:
            return self._of_module(model, query, limits, listener)
        try:
            return _explored(model, query, limits, listener)
        except bits.NoCircuits as error:
            if not options.prove:
                raise
            # Others of a portfolio may answer.
            unknown = Result("", self.name, Verdict.UNKNOWN, reason=str(error), cause=Cause.SOLVER)
            return Answer([replace(unknown, property=name) for name in query.names(model)])

    def _of_module(self, model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        """The answer about a TLA+ module, by its interpreter or by circuits."""
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.engines.explore.specifications import answer_of_module

        # Where circuits alone are asked, the search goes on beyond a step out of bounds, which may be an error.
        alone = query.options_as(ExploreOptions).by == CIRCUITS
        narrower: list[CircuitExplorer] | None = None if alone else []
        # A search that begins anew, on circuits or with wider types, may end before it finds a violation again.
        kept = Kept()

        def done(one: Result) -> None:
            if one.verdict is Verdict.VIOLATED:
                kept.violated[one.property] = one
            listener.done(one)

        def on_circuits(begun: Callable[[], None], lowered: Model, asked: Query, rest: Limits) -> Answer:
            def progress(now: Progress) -> None:
                begun()
                listener.progress(now)

            # Violations have values of the interpreter for the listener.
            told = Listener(progress, done=lambda one: done(told_by_values(lowered, one)))
            return _explored(lowered, asked, rest, told, narrower)

        def ask(of: Model, within: Limits) -> Answer:
            return answer_of_module(of, query, within, replace(listener, done=done), on_circuits)

        return answer_with_known(ask, model, limits, kept)


def _explored(
    model: Model,
    query: Query,
    limits: Limits,
    listener: Listener,
    narrower: list[CircuitExplorer] | None = None,
) -> Answer:
    """The answer about a model of formulas, which goes on with the explorations of narrower ones."""
    exploring = _Exploring(model, query, limits, listener, narrower)
    return exploring.answer(searched(limits, exploring.search))


class Forecast:
    """Foretells how far a search is from its end, by the new states of each level.

    Args:
        most: the number of states at which it stops; None for no limit.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._new: deque[int] = deque(maxlen=5)

    def left(self, level: Level) -> float | None:
        """The work that is left after a level, as a multiple of that done.

        Levels mostly grow slower and slower, and then shrink ever faster. So the rate at which they grow is taken
        to go on to fall as it did, and not to rise. Rates are those of two levels, since requests and replies
        often take turns.

        Returns:
            Infinity if it comes to the number of states at which it stops; None if it is too early to tell.
        """
        self._new.append(level.new)
        first, middle, new = self._new[0], self._new[-3] if len(self._new) > 2 else 0, level.new
        if not middle:
            return None
        rate, change = math.sqrt(new / middle), 1.0
        if len(self._new) == 5:
            change = min(math.sqrt(rate / math.sqrt(middle / first)), 1.0)
        rest = _rest(new, rate * math.sqrt(change), change)
        if rest is not None and (self._most is None or level.states + rest <= self._most):
            return rest / level.states
        if self._most is None or level.states < _TELLING:
            return None
        soon = new * (rate + rate**2 + rate**3)
        return math.inf if level.states + soon > self._most else None


def _rest(new: float, rate: float, change: float) -> float | None:
    """The number of states in all further levels; None if these do not end.

    Args:
        new: the number of new states of the last level.
        rate: the growth from the level before to the last, as a factor.
        change: the factor from each rate to the next.
    """
    rest = 0.0
    for _ in range(_FORESEEN):
        rate *= change
        new *= rate
        rest += new
    return rest + new * rate / (1 - rate) if rate < 1 else None


def _values(explorer: Explorer[Semantics] | CircuitExplorer) -> dict[str, Occurring]:
    if isinstance(explorer, CircuitExplorer):
        return explorer.values()
    model = explorer.semantics.model
    return values_of(model, counted_values(len(model.variables), explorer.states_within))


def check_one_form(model: Model, flag: str) -> None:
    """Check that each state of a model has one form, so that states can be counted.

    Args:
        model: the model.
        flag: the option that wants it explored by itself.

    Raises:
        UserError: if it has not.
    """
    if has_slots(one.type for one in model.variables):
        raise UserError(
            f"{flag}: messages lie in slots in no fixed order here, so that equal states would be counted several "
            "times; leave the option out"
        )


def has_slots(kinds: Iterable[Type]) -> bool:
    """Whether some of these types have slots in them, in which sets of messages lie."""
    return any(isinstance(one, Slots) for one in all_types(kinds))


class _Exploring:
    """The exploration that some options ask for, on circuits if they can give the answer.

    Attributes:
        explorer: the exploration.
        why: the reason why it is on values; None if it is not, or was asked to be.
        untrue: of each action that is never taken the first guard that is never true, if that is looked for.
    """

    untrue: Sequence[Guard] = ()

    def __init__(
        self,
        model: Model,
        query: Query,
        limits: Limits,
        listener: Listener,
        narrower: list[CircuitExplorer] | None,
    ) -> None:
        options = query.options_as(ExploreOptions)
        self._model, self._query, self._options, self._listener = model, query, options, listener
        self._chosen = query.chosen(model)
        self._names = [one.name for one in self._chosen if one.temporal is None]
        self._runs = [one.name for one in self._chosen if one.temporal is not None]
        if options.symmetry and options.coverage:
            raise UserError("--coverage counts every state: leave out --symmetry")
        # Runs of a module with SYMMETRY are looked at through all states where they must be.
        if options.symmetry and self._runs and not model.symmetry:
            raise UserError(
                f"--symmetry: {self._runs[0]} is a claim about runs, which is explored without symmetry: leave "
                "the option out, or name claims about states with --property"
            )
        self._claims = dict(self._split())
        self._about_runs: dict[str, Trace | None] = {}
        self._told = set() if query.deadlock else {DEADLOCK}
        self._vacuity = options.coverage or options.vacuity
        self._forecast = Forecast(options.max_states)
        self._bounds = options.depth, self._progress, options.max_states
        self.why = self._needs_values(limits)
        if model.origin is not None and model.origin.recorded is not None:
            text = f"states that differ in {model.origin.recorded} alone would be counted apart"
            raise UserError(f"{text}: leave out --by {CIRCUITS}")
        if options.by is not None and (self._runs or options.coverage):
            check_one_form(model, f"--by {options.by}")
        if self.why is not None and options.by == CIRCUITS:
            raise bits.NoCircuits(f"--by circuits: {self.why}, which needs --by values")
        values = self.why is not None or options.by == VALUES
        self.explorer: Explorer[Semantics] | CircuitExplorer
        self.explorer = self._by_values() if values else self._by_circuits(limits, narrower)

    def _progress(self, level: Level) -> None:
        """Tell of a level, and of violations."""
        states = "orbit" if self._options.symmetry else "state"
        reached = f"{counted(level.states, states)} within {counted(level.depth, 'step')}"
        left = self._forecast.left(level)
        self._listener.progress(Progress(level.depth, 0.0, text=reached, left=left))
        _tell_violations(self.explorer, self._told, self._listener)

    def _split(self) -> Iterator[tuple[str, tuple[SafetyPart, Temporal | None]]]:
        """For each claim about runs the part that a finite run can violate, and the rest if there is more.

        Where states stand for others, that part stays with the rest if it does not treat these alike.
        """
        if not self._runs:
            return
        from leadline.symbolic.engines.runs.formulas import SafetyPart, split

        for one in self._chosen:
            if one.temporal is not None:
                safety, rest = split(one.temporal)
                if self._options.symmetry:
                    alone = liveness.Reduction(self._model, one).stated(
                        liveness.Part(liveness.Method.HISTORY)
                    )
                    if self._meant(alone, alone.properties[one.name]).canonical is None:
                        safety, rest = SafetyPart((), (), ()), one.temporal
                yield one.name, (safety, rest)

    def _needs_values(self, limits: Limits) -> str | None:
        """The part of the question that circuits do not answer yet; None if they answer all of it."""
        endless = next((name for name, (_, rest) in self._claims.items() if rest is not None), None)
        if endless is not None and self._options.depth is not None:
            return f"{endless} is a claim about runs, with a bound on depth"
        return lack_of_room(limits)

    def _by_circuits(self, limits: Limits, narrower: list[CircuitExplorer] | None) -> CircuitExplorer:
        model, options = self._model, self._options
        viewed = model.view is not None and view_is_used(model, options, self._runs)
        ends = {name for name, (_, rest) in self._claims.items() if rest is None}
        finite = {x: safety for x, (safety, _) in self._claims.items() if x in ends or not safety.empty}
        apart = [one for one in self._chosen if one.name not in ends]
        return CircuitExplorer(
            meaning(model, apart, options, watching=True),
            self._names,
            *self._bounds,
            vacuity=self._vacuity,
            counting=options.coverage,
            finite=finite,
            view=model.view.formula if model.view is not None and viewed else None,
            narrower=narrower,
            checkpoint=checkpoint_of(model, self._query, CIRCUITS),
            workers=workers_for(options, limits),
        )

    def _by_values(self) -> Explorer[Semantics]:
        semantics = meaning(self._model, self._chosen, self._options)
        semantics.view = view_of(semantics, self._options, self._runs)
        return Explorer(
            semantics,
            self._names,
            *self._bounds,
            checkpoint_of(self._model, self._query, VALUES),
            attributing=self._options.coverage,
            suspects=suspects_of(semantics, self._names) if self._vacuity else None,
        )

    def search(self) -> None:
        """Explore, and look for counterexamples to the claims about runs; what is proved is told before.

        Raises:
            NoCircuits: if exploration on circuits is asked for, and they cannot give the answer.
        """
        try:
            self._search()
        except bits.NoCircuits as error:
            if self._options.by == CIRCUITS:
                raise
            self.why = str(error)
            self.explorer = self._by_values()
            self._about_runs.clear()
            self._search()

    def _search(self) -> None:
        explorer = self.explorer
        explorer.run()
        if isinstance(explorer, CircuitExplorer) and explorer.left_types:
            return
        if self._vacuity:
            self.untrue = (
                explorer.never_true() if isinstance(explorer, CircuitExplorer) else never_true(explorer)
            )
        known = self._about_steps()
        runs = [name for name in self._runs if name not in known]
        if not runs:
            return
        left = LAST_PART if explorer.complete else None
        self._listener.progress(Progress(len(explorer.within) - 1, 0.0, text="looking at runs", left=left))
        tell_proofs(self.answer(), self._options, self._listener)
        properties = self._model.properties
        if isinstance(explorer, CircuitExplorer):
            for name in runs:
                self._about_runs[name] = self._counterexample(properties[name])
            return
        # Here, since claims about states need none of it.
        from leadline.symbolic.engines.explore.runs import Explicit

        graph = Explicit(explorer)
        for name in runs:
            self._about_runs[name] = graph.counterexample(properties[name])

    def _about_steps(self) -> dict[str, Trace | None]:
        """A counterexample so far, or None, for each claim that initial states, states and steps settle."""
        explorer = self.explorer
        found: dict[str, Trace | None] = {}
        if isinstance(explorer, CircuitExplorer):
            for name in explorer.finite:
                trace = _trace(explorer.semantics, explorer.wrong_run(name), TraceEnd.VIOLATES, name)
                outside = None if trace is not None else explorer.wrong_run(name, outside=True)
                trace = trace or _trace(explorer.semantics, outside, TraceEnd.OUT_OF_BOUNDS, name)
                if trace is not None or self._claims[name][1] is None:
                    found[name] = trace
        return found

    def _counterexample(self, claim: Property) -> Trace | None:
        """A run that violates what is left of a claim, or one on which it goes out of bounds, by circuits."""
        from leadline.symbolic.engines.explore.runs import Takers, fair_run, folded

        assert isinstance(self.explorer, CircuitExplorer)
        most = None if self.explorer.complete else self._options.max_states
        rest = self._claims[claim.name][1]
        assert rest is not None
        search = self.explorer.search
        claim, takers = replace(claim, temporal=rest), Takers(search, rest)

        def ask(about: liveness.Reduction, part: liveness.Part, *_: object) -> Result:
            name = about.name
            if part.method is liveness.Method.LOOPS:
                return loop(about.product(part.conjunct), name)
            other = about.stated(part)
            meant = self._meant(other, other.properties[name])
            explorer = CircuitExplorer(meant, [name], None, lambda _: None, most, unless_sure=True)
            explorer.run()
            asked = replace(self._query, properties=(name,), deadlock=False)
            return answer_about(explorer.semantics, explorer.summary(stuck=False), asked, {}, None).results[0]

        def loop(product: liveness.Product, name: str) -> Result:
            # Loops are sought among all states, which the orbits may be a small part of.
            limit = self._options.max_states
            if self._model.symmetry and limit is not None and (every := search.all_states()) > limit:
                raise bits.NoCircuits(
                    f"{counted(every, 'state')} are too many to look at runs through all of them"
                )
            trace = fair_run(product, name, most, takers)
            verdict = Verdict.SAFE if trace is None else Verdict.VIOLATED
            return Result(name, ExploreOptions.engine, verdict, trace=trace)

        asked = liveness.ReducedClaim(self._model, claim, self._query, counts=False, leaves=takers.leaves)
        trace = asked.judged(ask).trace
        if trace is not None and trace.loop is not None:
            trace = folded(trace)
            replay(Semantics(self._model), trace)
        return trace

    def _meant(self, other: Model, claim: Property) -> Semantics:
        """The meaning of a model with a monitor: by orbits if the claim treats alike what SYMMETRY exchanges."""
        if self._model.symmetry:
            with suppress(UserError):
                return meaning(replace(other, symmetry=self._model.symmetry), [claim], self._options)
        return Semantics(other)

    def answer(self, stop: Stop | None = None) -> Answer:
        """The answer by what was found; see `ended`."""
        explorer, model, options = self.explorer, self._model, self._options
        found = explorer.summary(None if stop is None else stop.text, stuck=self._query.deadlock)
        known = {**self._about_steps(), **self._about_runs}
        answer = answer_about(explorer.semantics, found, self._query, known, stop)
        by = VALUES
        if isinstance(explorer, CircuitExplorer):
            by, answer = CIRCUITS, replace(answer, leaving=explorer.leaving)
        facts = replace(ExploreFacts.of(found), by=by, by_values_since=self.why)
        facts = with_view(facts, model, options, found, self._runs)
        facts = with_coverage(facts, explorer, self.untrue, answer.results)
        if options.count_values:
            facts = replace(facts, values=_values(explorer))
        answer = replace(answer, facts=facts, results=[qualified(one, facts) for one in answer.results])
        shown = {action.name: action.tla for action in model.actions} if options.notes else {}
        return ended(answer, options, found, stop, shown)


def lack_of_room(limits: Limits) -> str | None:
    """Why limits leave no room for circuits, in words; None if they do."""
    if address_space_mb(limits) >= LEAST_MEMORY:
        return None
    return f"a limit below {LEAST_MEMORY} MB leaves little room for arrays"


def workers_for(options: ExploreOptions, limits: Limits) -> int:
    """The number of processes that explore: as many as are asked for, or as cores and memory allow."""
    if options.parallel is not None:
        return options.parallel
    if options.prove or options.coverage:
        return 1  # others have the other cores, or the action that reaches a state first matters
    room = address_space_mb(limits) / _WORKER_MB  # infinite without a limit
    return max(1, int(min(cores(), MOST_WORKERS, room)))


def checkpoint_of(model: Model, query: Query, by: str) -> Checkpoint | None:
    """The folder in which an exploration is kept, if one is named.

    Args:
        model: the model, or the outline of a module.
        query: the question.
        by: the explorer.

    Raises:
        UserError: if the folder has another exploration, or cannot be used.
    """
    options = query.options_as(ExploreOptions)
    if options.checkpoint is None:
        return None
    if options.coverage:
        raise UserError("--checkpoint keeps no coverage: leave out --coverage")
    viewed = view_is_used(model, options, ()) or (model.alone and not options.every_state)
    about = {
        "set of properties": query.names(model),
        "model": model.fingerprint,
        "symmetry": options.symmetry,
        "view": viewed and fingerprint(model.view),
        "version of Leadline": leadline.__version__,
    }
    return Checkpoint(FilePath(options.checkpoint), about, by)


# -- views: one state for each value of an expression, and what verdicts then depend on -----------------------


def view_of(
    semantics: Semantics, options: ExploreOptions, runs: Sequence[str]
) -> Callable[[State], Value] | None:
    """The value by which an exploration tells states apart; None for all of a state.

    Every state counts where a proof is wanted, and for claims about runs, since a loop goes through states
    that a view may take for others.

    Args:
        semantics: the meaning of the model.
        options: the options of the exploration.
        runs: the names of the claims about runs that are asked about.

    Raises:
        UserError: if the model has a view that cannot be used with other options.
    """
    view = semantics.model.view
    if not view_is_used(semantics.model, options, runs):
        return None
    assert view is not None
    if options.symmetry:
        raise UserError(
            f"--symmetry is for every state, and the view {view.name} is declared: add --every-state"
        )

    def value(state: State) -> Value:
        try:
            return semantics.evaluate(view.formula, state)
        except OutOfBounds as error:
            told = f"{view.span}: the view {view.name} is out of bounds in a reachable state: {error}"
            raise UserError(told) from error

    return value


def view_is_used(model: Model, options: ExploreOptions, runs: Sequence[str]) -> bool:
    """Whether states are told apart by the model's view."""
    return model.view is not None and not (options.every_state or options.prove or runs)


def with_view(
    facts: ExploreFacts, model: Model, options: ExploreOptions, found: Exploration, runs: Sequence[str]
) -> ExploreFacts:
    """The facts of an exploration with the part of a view in it, if it was asked for one."""
    if model.view is None or options.every_state or options.prove:
        return facts
    unused = f"{runs[0]} is a claim about runs, for which every state counts" if runs else None
    return replace(facts, view=model.view.name, all_views=found.all_views, view_unused=unused)


def qualified(result: Result, facts: ExploreFacts) -> Result:
    """A result with the note that it depends on a view, if nothing wrong was found under one."""
    if facts.all_views is None or result.verdict is not Verdict.SAFE:
        return result
    note = f"looked at one state for each value of the view {facts.view}"
    return replace(result, reason=f"{result.reason}; {note}" if result.reason else note)


# -- the meaning, and the verdicts ----------------------------------------------------------------------------


def meaning(
    model: Model, properties: Sequence[Property], options: ExploreOptions, *, watching: bool = False
) -> Semantics:
    """The meaning of a model, with symmetry that of its orbits.

    Args:
        model: the model.
        properties: the properties that will be evaluated.
        options: the options of the search.
        watching: whether the search will look whether an order of members shows in the states that it reaches.

    Raises:
        UserError: if there is no sort whose members are treated alike, or their permutations are too many.
    """
    if options.coverage:
        return Counted(model)
    if not options.symmetry:
        about_runs = any(one.temporal is not None for one in properties)
        slots = has_slots(one.type for one in model.variables)
        return in_order(model) if slots and not about_runs else Semantics(model)
    # Claims about runs have explorations of their own.
    about_states = [one for one in properties if one.temporal is None]
    claims = [*about_states, *model.constraints]
    declared = model.origin is not None and model.origin.symmetric
    # Where a module has SYMMETRY, a state may be looked at in place of one that has an error, as in TLC.
    sorts = sorts_alike(model, claims, truth_alone=bool(model.symmetry), initially=not declared)
    if model.symmetry:
        # A sort that no variable has a value of stays as it is, whatever is exchanged.
        held = {sort.name for one in model.variables for sort in sorts_in(one.type)}
        moved = held.intersection(name for one in model.symmetry for name, _ in one)
        apart = moved.difference(sort.name for sort in sorts)
        unnamed = symmetric_sorts(model, claims, in_any_order=False, initially=not declared)
        watched = watching and (declared or not any(map(has_order, model.init.roots)))
        if apart and not (watched and moved.issubset(sort.name for sort in unnamed)):
            raise told_apart(model, apart)
        return Symmetric(model, model.symmetry, frozenset(apart), weighing=not declared)
    if not sorts:
        raise UserError(
            f"--symmetry: {model.protocol} with these properties treats the members of no sort alike: leave it out"
        )
    number = math.prod(math.factorial(sort.cardinality) for sort in sorts)
    if number > MOST_PERMUTATIONS:
        which = " and ".join(f"{sort.cardinality} of {sort.name}" for sort in sorts)
        raise UserError(
            f"--symmetry: the members, {which}, have {number} permutations, and at most {MOST_PERMUTATIONS} are "
            "gone through: give fewer members, or leave it out"
        )
    return Symmetric(model, group_of(sorts))


def searched(limits: Limits, search: Callable[[], object]) -> Stop | None:
    """Search; the limit, or Ctrl-C, that has ended it, None if it has come to its end."""
    try:
        with limited(limits):
            search()
    except KeyboardInterrupt:
        return Stop(Cause.INTERRUPTED, "interrupted")
    except (TimeIsOver, MemoryError) as error:
        return stop_at(error, limits)
    return None


def ended(
    answer: Answer, options: ExploreOptions, found: Exploration, stop: Stop | None, actions: Mapping[str, str]
) -> Answer:
    """The answer of an exploration that has ended, as a proof if its options ask for one.

    Args:
        answer: the answer so far, with facts.
        options: the options.
        found: the result of the exploration.
        stop: why it was ended, if it was.
        actions: the actions of which a proof tells that they are never taken, as they are shown.

    Raises:
        Interrupted: with the answer, if Ctrl-C has ended it.
    """
    # A search that was not stopped met its limit on states.
    cause = Cause.STATES if stop is None else stop.cause
    results = [replace(x, cause=cause) if x.verdict is Verdict.UNKNOWN else x for x in answer.results]
    if options.prove and found.complete:
        results = [_proved(one, answer.told(ExploreFacts), actions) for one in results]
    if options.prove and found.stopped is not None:
        states = "orbit" if options.symmetry and found.orbits is not None else "state"
        far = f"{counted(found.states, states)} within {counted(found.diameter, 'step')}"
        results = [_unfinished(one, found.stopped, far) for one in results]
    answer = replace(answer, results=results)
    if stop is not None and stop.cause is Cause.INTERRUPTED:
        raise Interrupted(answer)
    return answer


def tell_proofs(answer: Answer, options: ExploreOptions, listener: Listener) -> None:
    """Tell what an answer proves, or by a view finds safe, if its options ask for proofs: runs may take long."""
    for one in answer.results if options.prove else ():
        if one.verdict in (Verdict.SAFE, Verdict.PROVED):
            listener.done(one)


def _unfinished(result: Result, stopped: str, far: str) -> Result:
    """An unknown result with the reason, and how far the search came."""
    if result.verdict is not Verdict.UNKNOWN:
        return result
    return replace(result, reason=f"{stopped}, with {far}", reached={ExploreOptions.engine: far})


def _proved(result: Result, facts: ExploreFacts, actions: Mapping[str, str]) -> Result:
    """A result as a proof, where all reachable states were looked at, with those of some actions never taken."""
    if result.verdict is not Verdict.SAFE:
        return result
    explored = "no state: the constraints exclude all initial ones"
    if facts.states:
        explored = f"all {counted(facts.states, 'reachable state')} explored"
    notes = noted(facts, result.property, actions)
    return replace(result, verdict=Verdict.PROVED, reason=explored, notes=notes)


def answer_about(
    semantics: Semantics,
    found: Exploration,
    query: Query,
    about_runs: Mapping[str, Trace | None],
    stop: Stop | None,
) -> Answer:
    """The answer that an exploration gives.

    Args:
        semantics: the meaning of the model.
        found: its result.
        query: the question.
        about_runs: for each claim about runs that was looked at a counterexample, or None.
        stop: why it was ended, if it was.
    """
    beyond = _trace(semantics, found.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, None)

    def judged(name: str, trace: Trace | None) -> Result:
        trace = trace or beyond
        return verdict_on(name, found, trace, None if trace is None else end_reason(semantics, trace))

    def about_states(name: str) -> Result:
        checked = found.properties[name]
        violation = _trace(semantics, checked.violation, TraceEnd.VIOLATES, name)
        # A violation takes precedence over an evaluation, and a step, out of bounds.
        return judged(
            name, violation or _trace(semantics, checked.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, name)
        )

    def about_run(name: str) -> Result:
        result = judged(name, about_runs.get(name))
        if name in about_runs or result.verdict is not Verdict.SAFE:
            return result
        # It was not looked at: the time was over before.
        return replace(result, verdict=Verdict.UNKNOWN, reason=None if stop is None else stop.text)

    results = [
        (about_states if one.temporal is None else about_run)(one.name)
        for one in query.chosen(semantics.model)
    ]
    if query.deadlock:
        results.append(judged(DEADLOCK, _trace(semantics, found.deadlock, TraceEnd.DEADLOCK, None)))
    return Answer(results, None, beyond)


def _tell_violations(
    explorer: Explorer[Semantics] | CircuitExplorer, told: set[str], listener: Listener
) -> None:
    """Tell the properties that are violated so far, and a deadlock, that were not told before."""
    paths = {name: explorer.violation(name) for name in set(explorer.violated()) - told}
    if DEADLOCK not in told and (path := explorer.deadlocked()) is not None:
        paths[DEADLOCK] = path
    for name, path in paths.items():
        told.add(name)
        dead = name == DEADLOCK
        ends = TraceEnd.DEADLOCK if dead else TraceEnd.VIOLATES
        trace = _trace(explorer.semantics, path, ends, None if dead else name)
        assert trace is not None
        # No deeper search finds a shorter path.
        listener.done(result_of(name, Verdict.VIOLATED, trace, trace.length - 1))


def result_of(name: str, verdict: Verdict, trace: Trace | None, depth: int, why: str | None = None) -> Result:
    """The result about a property, or about deadlocks, with the run to what is wrong."""
    return Result(
        property=name,
        engine=ExploreOptions.engine,
        verdict=verdict,
        depth=depth,
        steps=None if trace is None else trace.length,
        trace=trace,
        reason=why,
    )


def verdict_on(name: str, found: Exploration, trace: Trace | None, why: str | None) -> Result:
    """The result about one property: what is wrong at the end of a run, and why; without one, how far it holds."""
    verdict = Verdict.SAFE if found.stopped is None else Verdict.UNKNOWN
    if trace is not None:
        verdict = Verdict.OUT_OF_BOUNDS if trace.ends is TraceEnd.OUT_OF_BOUNDS else Verdict.VIOLATED
    return replace(result_of(name, verdict, trace, found.diameter, why), complete=found.complete)


def _trace(semantics: Semantics, path: Path | None, ends: TraceEnd, name: str | None) -> Trace | None:
    """The run along a path, replayed."""
    if path is None:
        return None
    trace = trace_of_path(path, ends, name)
    replay(semantics, trace)
    return trace

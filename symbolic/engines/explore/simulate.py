"""Simulation as an engine: random runs, each property evaluated in every state that they meet.

A simulation proves nothing: without a violation a property stays unknown, whatever the number of runs. Where a
model has circuits, tens of thousands of runs go side by side; one after the other is for the rest.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.engine import Engine, Interrupted, Limited, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import (
    Answer,
    Cause,
    Effort,
    EngineFacts,
    Progress,
    Result,
    Verdict,
)
from leadline.symbolic.engines.explore.circuits import values_at
from leadline.symbolic.engines.explore.explore import BY, CIRCUITS, VALUES, lack_of_room, searched
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.statistics import Occurring, RunStatistics, values_of
from leadline.symbolic.engines.run.limits import (
    Limits,
    TimeIsOver,
    limited,
    own_peak_mb,
)
from leadline.symbolic.lang import (
    Model,
    ModelError,
    OutOfBounds,
    PropertyKind,
    UserError,
    Value,
    counted,
    unknown_name,
)
from leadline.symbolic.meaning import Meaning, Path, State, Step, path_of, random_walk
from leadline.symbolic.trace import (
    DEADLOCK,
    DROPS,
    Trace,
    TraceEnd,
    end_reason,
    replay,
    shortening,
    trace_of_path,
)

if TYPE_CHECKING:
    from leadline.symbolic.bits import RandomRuns
    from leadline.symbolic.bits.lanes import Words

_EVERY = 0.2  # seconds between two looks at the clock for the progress line


@dataclass(frozen=True)
class SimulateOptions(Options):
    """The options of a simulation.

    Attributes:
        runs: the number of random runs, 1 or more.
        depth: the steps of a run at most.
        seed: the seed of the random choices.
        weights: how much likelier actions are than one without a weight, such as "write=5".
        by: "circuits" for many runs side by side, "values" for one after the other; by default on circuits
            wherever the model has them; those of a TLA+ module must also be made soon. The same seed takes other
            runs by each.
    """

    engine = "simulate"

    runs: int = option(1000, metavar="N", low=1, doc="the number of random runs (default: 1000)")
    depth: int = option(100, metavar="K", doc="steps of a run at most (default: 100)")
    seed: int = option(0, metavar="S", doc="the seed of the random choices (default: 0)")
    weights: tuple[str, ...] = option(
        (),
        flag="weight",
        metavar="ACTION=N",
        doc="take an action N times as often as another; may be repeated",
    )
    by: str | None = option(
        None,
        choices=BY,
        noun="explorer",
        doc="take runs side by side on circuits, or one after the other on values (default: on circuits wherever "
        "a model has them; of a TLA+ module, where they are soon made)",
    )


class Simulate(Engine):
    """Random runs. A step takes an enabled action, each as likely or by its weight, and one of its outcomes.

    Args:
        begun: called once circuits are made. Without circuits there is no answer then, and the parts of one action
            of a module count as one. None if runs are taken on values where there are no circuits.
    """

    options = SimulateOptions
    facts = SimulateFacts
    takes_solver = False
    limited = Limited.BY_ALARM

    def __init__(self, begun: Callable[[], None] | None = None) -> None:
        self._begun = begun

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        return True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options_as(SimulateOptions)
        names = tuple(one.name for one in query.chosen(model))
        asked = RunsQuestion(model, names, query.deadlock, weights_of(model, options))
        if model.alone:
            # Here, since protocols in Python need none of it.
            from leadline.symbolic.engines.explore.module_runs import answer_of_module

            return answer_of_module(asked, query, new_solver, limits, listener)
        begin = time.monotonic()
        try:
            return _first(asked, options, limits, self._begun).told(limits, listener)
        except NoCircuits as error:
            if self._begun is not None or options.by == CIRCUITS:
                raise
            return RunsOnValues(asked, options, str(error)).told(limits.since(begin), listener)


def weights_of(model: Model, options: SimulateOptions) -> dict[str, int]:
    """The weight of each action that has one.

    Raises:
        UserError: if an action is unknown or named twice, or a weight is no positive integer.
    """
    names: dict[str, list[str]] = {}
    for one in model.actions:
        for spelled in {one.tla, one.name}:
            names.setdefault(spelled, []).append(one.name)
    found: dict[str, int] = {}
    for text in options.weights:
        name, _, number = text.partition("=")
        if name not in names:
            raise UserError(unknown_name(f"{model.protocol} has no action", name, [*names]))
        twice = not found.keys().isdisjoint(names[name])
        if not number.isdecimal() or not 0 < int(number) <= _HEAVIEST or twice:
            told = "has two weights" if twice else f"the weight {number!r} is not in 1..{_HEAVIEST}"
            raise UserError(f"{name}: {told}: write {name}=5 once, say")
        found |= dict.fromkeys(names[name], int(number))
    return found


_HEAVIEST = 1_000_000


def random_run(
    semantics: Semantics, chance: random.Random, weights: Mapping[str, int] | None = None
) -> Iterator[Step]:
    """A random run: its beginning, and steps until none can be taken or one goes out of bounds.

    Args:
        semantics: the meaning of the model.
        chance: gives the random choices.
        weights: how much likelier actions are than one without a weight.

    Raises:
        ModelError: if there is no initial state.
    """
    starts = semantics.initial()
    if not starts:
        raise semantics.no_initial_state()
    return random_walk(chance.choice(starts), partial(random_step, semantics, chance, weights or {}))


def random_step(
    meaning: Meaning, chance: random.Random, weights: Mapping[str, int], last: Step
) -> Step | None:
    """A random outcome of a random enabled action; None if no action is enabled, or there is no state."""
    if last.state is None:
        return None
    actions = list(meaning.model.actions)
    if weights:
        # An order by weights: P. Efraimidis, P. Spirakis, Information Processing Letters 97, 2006.
        actions.sort(key=lambda one: -(chance.random() ** (1 / weights.get(one.name, 1))))
    else:
        chance.shuffle(actions)
    for action in actions:
        outcomes = [x for x in meaning.attempts(last.state, action.name) if x is not None]
        if outcomes:
            return chance.choice(outcomes)
    return None


@dataclass(frozen=True)
class RunsQuestion:
    """A question for random runs.

    Attributes:
        model: the model, or the outline of a module.
        names: the properties to evaluate.
        deadlock: whether it is about deadlocks too.
        weights: the weight of each action that has one; that of another is 1.
    """

    model: Model
    names: Sequence[str]
    deadlock: bool
    weights: Mapping[str, int]

    @cached_property
    def semantics(self) -> Semantics:
        """The meaning of the model on values."""
        return Semantics(self.model)

    @property
    def every(self) -> list[str]:
        """The subjects of the results: the properties, and deadlocks if they are asked for."""
        return [*self.names, *([DEADLOCK] if self.deadlock else [])]

    @property
    def probes(self) -> list[str]:
        """Those of the properties that are probes."""
        properties = self.model.properties
        return [x for x in self.names if properties[x].kind is PropertyKind.PROBE]


class Walker:
    """Takes random runs by the meaning of a model, and tells of them.

    Args:
        asked: the question.
        options: the options.

    Attributes:
        meaning: the meaning.
        about_steps: the properties that say something of steps.
        begun_in: see `SimulateFacts`.
    """

    about_steps: Sequence[str] = ()

    def __init__(self, asked: RunsQuestion, options: SimulateOptions) -> None:
        self._asked, self._chance = asked, random.Random(options.seed)
        self._holding = cache(lambda name: self.meaning.property_function(name))

    @property
    def meaning(self) -> Meaning:
        return self._asked.semantics

    @property
    def begun_in(self) -> int | None:
        return None

    def random_run(self) -> Iterator[Step]:
        """A random run: its beginning, and steps until none can be taken or one goes out of bounds.

        Raises:
            ModelError: if there is no initial state.
        """
        return random_run(self._asked.semantics, self._chance, self._asked.weights)

    def is_within(self, state: State) -> bool:
        """Whether a state is within the constraints."""
        constraint = self.meaning.constraint
        return constraint is None or constraint(state, {})

    def end_in(self, name: str, state: State) -> TraceEnd | None:
        """The error at which a property ends a run in a state; None if there is none."""
        return end_by(partial(self._holding(name), state, {}))

    def end_after(self, name: str, path: Sequence[Step]) -> TraceEnd | None:
        """The error at which a property about steps ends a run after its last step; None if there is none."""
        return None

    def unseen(self, name: str) -> str:
        """The part of a property that runs say nothing of, as words that follow others; "" for none."""
        return ""

    def values(self, counts: Sequence[Counter[Value]]) -> Mapping[str, Occurring]:
        """The values of each variable, given how often they occur."""
        return values_of(self._asked.model, counts)

    def shortened(self, whole: Trace) -> tuple[Trace, str | None]:
        """A run without the steps that it does not need, replayed; why some may be left, None if none is."""
        trace, minimal = shortening(self._asked.semantics, whole)
        replay(self._asked.semantics, trace)
        return trace, None if minimal else cut_short(DROPS)

    def reason(self, trace: Trace) -> str | None:
        """The reason why the end of a run is out of bounds; None for other ends."""
        return end_reason(self._asked.semantics, trace)


class Simulation(ABC):
    """A search that finds runs, of which an answer can be given even if an exception ends `run` early.

    Args:
        asked: the question.
        walker: the meaning of the model.

    Attributes:
        engine: the name of the engine that its results tell.
    """

    engine: ClassVar[str] = SimulateOptions.engine

    def __init__(self, asked: RunsQuestion, walker: Walker) -> None:
        self.asked, self.walker = asked, walker
        self._begin = self._last = time.monotonic()

    @abstractmethod
    def run(self, listener: Listener) -> None:
        """Take all runs.

        Raises:
            ModelError: if there is no initial state.
        """

    @abstractmethod
    def facts(self, stopped: str | None) -> EngineFacts | None:
        """The numbers of the runs so far."""

    @abstractmethod
    def extent(self) -> str:
        """The extent of the search, in words that follow "no violation in"."""

    @abstractmethod
    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        """The run to a state in which a property is false or out of bounds, and which; of None, to such a step."""

    def tell(self, listener: Listener, text: Callable[[], str]) -> None:
        """Tell of progress now and then."""
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            listener.progress(Progress(-1, now - self._begin, text=text()))

    def told(self, limits: Limits, listener: Listener) -> Answer:
        """Take all runs, or those for which there is time, and tell the answer.

        Raises:
            Interrupted: on Ctrl-C, with the answer so far.
            ModelError: as `run`.
        """
        stop = searched(limits, lambda: self.run(listener))
        found = self.answer(None if stop is None else stop.text)
        if stop is not None and stop.cause is Cause.INTERRUPTED:
            raise Interrupted(found)
        return found

    def answer(self, stopped: str | None) -> Answer:
        """The answer by the runs so far."""
        beyond = self._trace(None)
        results = [self.result(name, beyond) for name in self.asked.every]
        return Answer(results, self.facts(stopped), None if beyond is None else beyond[0])

    def result(self, name: str, beyond: tuple[Trace, str | None] | None = None) -> Result:
        """The result about a property.

        Args:
            name: the property.
            beyond: a run out of bounds, and why it may be longer than need be; None if none is known.
        """
        found = self._trace(name) or beyond
        effort = Effort(memory_mb=own_peak_mb())
        if found is None:
            why = f"no violation in {self.extent()}{self.walker.unseen(name)}"
            return Result(name, self.engine, Verdict.UNKNOWN, effort, reason=why, cause=Cause.RUNS)
        trace, long = found
        outside = trace.ends is TraceEnd.OUT_OF_BOUNDS
        result = Result(
            property=name,
            engine=self.engine,
            verdict=Verdict.OUT_OF_BOUNDS if outside else Verdict.VIOLATED,
            effort=effort,
            steps=trace.length,
            trace=trace,
            reason=self.walker.reason(trace),
        )
        return result if long is None else result.perhaps_longer(long)

    def _trace(self, name: str | None) -> tuple[Trace, str | None] | None:
        """The run to a violation or out of bounds, shortened and replayed; why it may be longer than need be."""
        found = self.found(name)
        if found is None:
            return None
        ends, path = found
        whole = trace_of_path(path, ends, None if ends is TraceEnd.DEADLOCK else name)
        return self.walker.shortened(whole)


def _first(
    asked: RunsQuestion, options: SimulateOptions, limits: Limits, begun: Callable[[], None] | None
) -> Simulation:
    """The runs that a question is put to first."""
    if options.by == VALUES:
        return RunsOnValues(asked, options, None)
    if options.by is None and (lack := lack_of_room(limits)) is not None:
        return RunsOnValues(asked, options, lack)
    return _OnCircuits(asked, options, making_in(limits, options), begun)


def making_in(limits: Limits, options: SimulateOptions) -> float | None:
    """The seconds to make circuits in: half of the time, or all if they are asked for; None for any number."""
    return limits.seconds if limits.seconds is None or options.by == CIRCUITS else limits.seconds / 2


class _OnCircuits(Simulation):
    """Random runs side by side.

    Args:
        asked: the question.
        options: the options.
        making: the seconds in which circuits are to be made; None for any number.
        begun: see `Simulate`.
    """

    def __init__(
        self,
        asked: RunsQuestion,
        options: SimulateOptions,
        making: float | None,
        begun: Callable[[], None] | None,
    ) -> None:
        super().__init__(asked, Walker(asked, options))
        self.options = options
        self._making, self._begun = making, begun
        self._actions: dict[str, set[int]] = {}
        for place, one in enumerate(asked.model.actions):
            self._actions.setdefault(one.name if begun is None else one.tla, set()).add(place)
        self._runs: RandomRuns | None = None
        self._begun_in: int | None = None

    def run(self, listener: Listener) -> None:
        """Take all runs.

        Raises:
            NoCircuits: if the model has no circuits, or they are not made in time.
            ModelError: if there is no initial state.
        """
        try:
            with limited(Limits(self._making)):
                runs, begin = self._made(listener)
        except TimeIsOver:
            raise NoCircuits(f"circuits were not made in {self._making:.1f} s") from None
        except (ModelError, RecursionError) as error:
            raise NoCircuits(str(error)) from error
        if not len(begin):
            raise self.asked.semantics.no_initial_state()
        self._runs = runs
        if self._begun is not None:
            self._begun()
        runs.run(begin)

    def _made(self, listener: Listener) -> tuple[RandomRuns, Words]:
        """The runs, none of which is taken, and the initial states."""
        # Here, since runs on values need none of it.
        from leadline.symbolic import bits

        def progress() -> None:
            self.tell(listener, partial(_met, runs.runs, runs.met))

        asked, options, model = self.asked, self.options, self.asked.model
        machine = bits.Machine(model)
        first = [model.actions[min(places)].name for places in self._actions.values()]
        runs = bits.RandomRuns(
            machine,
            [machine.claim(model.properties[name].formula) for name in asked.names],
            list(self._actions.values()),
            [asked.weights.get(name, 1) for name in first],
            options.runs,
            options.depth,
            options.seed,
            [asked.names.index(name) for name in asked.probes],
            progress,
        )
        begin, some = bits.drawn_states(model, options.seed)
        self._begun_in = len(begin) if some else None
        return runs, begin

    def extent(self) -> str:
        return _extent(0 if self._runs is None else self._runs.runs, self.options)

    def facts(self, stopped: str | None) -> SimulateFacts:
        # Here, since runs on values need none of it.
        from leadline.symbolic import bits

        runs = self._runs
        if runs is None:
            return RunsOnValues(self.asked, self.options, None).facts(stopped)
        values = values_at(runs.machine, bits.occurring(runs.states, runs.machine.encoding.columns))
        facts = runs_told(self.asked, [*self._actions], runs, stopped, values, CIRCUITS)
        return replace(facts, begun_in=self._begun_in)

    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        runs = self._runs
        if runs is None:
            return None
        if name is None:
            return self._path(runs, TraceEnd.OUT_OF_BOUNDS, runs.failure, None)
        if name == DEADLOCK:
            return self._path(runs, TraceEnd.DEADLOCK, runs.deadlock)
        found = runs.found[self.asked.names.index(name)]
        return self._path(runs, TraceEnd.VIOLATES, found.violated_at) or self._path(
            runs, TraceEnd.OUT_OF_BOUNDS, found.outside_at
        )

    def _path(
        self, runs: RandomRuns, ends: TraceEnd, number: int | None, *more: None
    ) -> tuple[TraceEnd, Path] | None:
        """A run to a state, and out of bounds if there is more."""
        if number is None:
            return None
        from leadline.symbolic import bits

        semantics, found = self.asked.semantics, runs.states[runs.path(number)]
        begun = semantics.outcome(None, "init", bits.picks_to(self.asked.model, found[0]))
        assert begun is not None
        return ends, path_of(semantics, [*map(runs.machine.state, found), *more], begun)


class RunsOnValues(Simulation):
    """Random runs one after the other.

    Args:
        asked: the question.
        options: the options.
        why: why they are on values; None if they were asked to be.
        walker: takes them; None for the meaning of the model.
    """

    def __init__(
        self,
        asked: RunsQuestion,
        options: SimulateOptions,
        why: str | None,
        walker: Walker | None = None,
    ) -> None:
        super().__init__(asked, walker or Walker(asked, options))
        self.options = options
        self._why = why
        self._found: dict[str | None, tuple[TraceEnd, Path]] = {}
        self._names = [one.name for one in asked.model.actions]
        self._statistics = RunStatistics(len(asked.model.variables), self._names, asked.probes)
        self._reaching: dict[str, set[int]] = {name: set() for name in asked.probes}

    def run(self, listener: Listener) -> None:
        while self._statistics.runs < self.options.runs:
            self._one()
            self._statistics.end()
            self.tell(listener, partial(_met, self._statistics.runs, self._statistics.states))

    def _one(self) -> None:
        path: list[Step] = []
        for one in islice(self.walker.random_run(), self.options.depth + 1):
            path.append(one)
            if len(path) > 1:
                self._statistics.take(one.action)
            if one.state is None:
                self._found.setdefault(None, (TraceEnd.OUT_OF_BOUNDS, tuple(path)))
            else:
                self._look(path, one.state)
        end = path[-1].state
        # Constraints guard every action, so a state beyond them has no successor and is no deadlock.
        if len(path) <= self.options.depth and end is not None and self.walker.is_within(end):
            self._statistics.deadlocks += 1
            self._found.setdefault(DEADLOCK, (TraceEnd.DEADLOCK, tuple(path)))

    def _look(self, path: Sequence[Step], state: State) -> None:
        """Evaluate the properties in the last state of a run if it is new, and claims about steps in any case."""
        if self._statistics.meet(state):
            for name in self.asked.names:
                # A probe is evaluated in each new state, another property until it is violated.
                if name in self._reaching or not self._is_violated(name):
                    self._note(name, self.walker.end_in(name, state), path)
        for name in self.walker.about_steps:
            if not self._is_violated(name):
                self._note(name, self.walker.end_after(name, path), path)
        for name, reaching in self._reaching.items():
            if hash(state) in reaching:
                self._statistics.reach(name)

    def _is_violated(self, name: str) -> bool:
        known = self._found.get(name)
        return known is not None and known[0] is TraceEnd.VIOLATES

    def _note(self, name: str, ends: TraceEnd | None, path: Sequence[Step]) -> None:
        """Note the error at which a property ends a run, if there is one."""
        if ends is None:
            return
        if ends is TraceEnd.OUT_OF_BOUNDS:
            self._found.setdefault(name, (ends, tuple(path)))
            return
        if name in self._reaching:
            self._reaching[name].add(hash(path[-1].state))
        if not self._is_violated(name):
            self._found[name] = ends, tuple(path)

    def extent(self) -> str:
        return _extent(self._statistics.runs, self.options)

    def facts(self, stopped: str | None) -> SimulateFacts:
        statistics, values = self._statistics, self.walker.values(self._statistics.values)
        facts = runs_told(self.asked, self._names, statistics, stopped, values, VALUES, self._why)
        return replace(facts, begun_in=self.walker.begun_in)

    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        return self._found.get(name)


def _met(runs: int, states: int) -> str:
    return f"{counted(runs, 'run')}, {counted(states, 'distinct state')}"


def _extent(runs: int, options: SimulateOptions) -> str:
    return f"{counted(runs, 'run')} of at most {counted(options.depth, 'step')}"


def end_by(holds: Callable[[], bool]) -> TraceEnd | None:
    """The error at which a formula ends a run; None where it holds."""
    try:
        return None if holds() else TraceEnd.VIOLATES
    except OutOfBounds:
        return TraceEnd.OUT_OF_BOUNDS


def cut_short(drops: int) -> str:
    """The reason why a counterexample may have steps to spare, in words."""
    return f"shortening ended after {drops:,} tries of a step"


def runs_told(
    asked: RunsQuestion,
    names: Sequence[str],
    runs: RandomRuns | RunStatistics,
    stopped: str | None,
    values: Mapping[str, Occurring],
    by: str,
    why: str | None = None,
) -> SimulateFacts:
    """The facts of runs, with these names of the actions."""
    actions = dict(zip(names, map(int, runs.taken), strict=True))
    steps, by_depth = sum(actions.values()), runs.by_depth()
    reached = [runs.reached(place) for place in range(len(asked.probes))]
    return SimulateFacts(
        runs=runs.runs,
        steps=steps,
        longest=runs.longest,
        states=sum(by_depth),
        deadlocks=runs.deadlocks,
        stopped=stopped,
        actions=actions,
        action_rates={name: number / max(1, steps) for name, number in actions.items()},
        runs_taking=dict(zip(names, map(int, runs.runs_taking), strict=True)),
        probes={
            name: {"runs": number, "median_steps": median}
            for name, (number, median) in zip(asked.probes, reached, strict=True)
        },
        states_by_depth=by_depth,
        values=values,
        by=by,
        by_values_since=why,
    )

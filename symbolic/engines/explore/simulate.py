"""Simulation as an engine: random runs, each property evaluated in every state that they meet.

A simulation proves nothing: without a violation a property stays unknown, whatever the number of runs. Where a
model has circuits, tens of thousands of runs go side by side; one after the other is for the rest.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.ask.engine import Engine, Interrupted, Limited, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import (
    Answer,
    Cause,
    Effort,
    Progress,
    Result,
    Verdict,
)
from leadline.symbolic.engines.explore.circuits import values_at
from leadline.symbolic.engines.explore.explore import BY, CIRCUITS, LEAST_MEMORY, VALUES
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.statistics import Occurring, RunStatistics, values_of
from leadline.symbolic.engines.run.limits import (
    Limits,
    TimeIsOver,
    address_space_mb,
    limited,
    own_peak_mb,
    stop_at,
)
from leadline.symbolic.lang import (
    Model,
    ModelError,
    OutOfBounds,
    PropertyKind,
    UserError,
    counted,
    unknown_name,
)
from leadline.symbolic.meaning import Path, Step, path_of, random_walk
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, end_reason, replay, shortening, trace_of_path

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
            wherever the model has them. The same seed takes other runs by each.
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
        "a model has them)",
    )


class Simulate(Engine):
    """Random runs. A step takes an enabled action, each as likely or by its weight, and one of its outcomes."""

    options = SimulateOptions
    facts = SimulateFacts
    takes_solver = False
    limited = Limited.BY_ALARM

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, SimulateOptions)
        weights = weights_of(model, options)
        asked = _Asked(Semantics(model), tuple(x.name for x in query.chosen(model)), query.deadlock, weights)
        simulation = _first(asked, options, limits)
        stopped = None
        try:
            with limited(limits):
                try:
                    simulation.run(listener)
                except NoCircuits as error:
                    if options.by == CIRCUITS:
                        raise
                    simulation = _OnValues(asked, options, str(error))
                    simulation.run(listener)
        except KeyboardInterrupt:
            raise Interrupted(simulation.answer("interrupted")) from None
        except (TimeIsOver, MemoryError) as error:
            stopped = stop_at(error, limits).text
        return simulation.answer(stopped)


def weights_of(model: Model, options: SimulateOptions) -> dict[str, int]:
    """The weight of each action that has one.

    Raises:
        UserError: if an action is unknown or named twice, or a weight is no positive integer.
    """
    names = {spelled: one.name for one in model.actions for spelled in (one.tla, one.name)}
    found: dict[str, int] = {}
    for text in options.weights:
        name, _, number = text.partition("=")
        if name not in names:
            raise UserError(unknown_name(f"{model.protocol} has no action", name, [*names]))
        if not number.isdecimal() or not 0 < int(number) <= _HEAVIEST or names[name] in found:
            told = (
                "has two weights"
                if names[name] in found
                else f"the weight {number!r} is not in 1..{_HEAVIEST}"
            )
            raise UserError(f"{name}: {told}: write {name}=5 once, say")
        found[names[name]] = int(number)
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
    return random_walk(chance.choice(starts), partial(_random_step, semantics, chance, weights or {}))


def _random_step(
    semantics: Semantics, chance: random.Random, weights: Mapping[str, int], last: Step
) -> Step | None:
    """A random outcome of a random enabled action; None if no action is enabled, or there is no state."""
    if last.state is None:
        return None
    actions = list(semantics.model.actions)
    if weights:
        # An order by weights: P. Efraimidis, P. Spirakis, Information Processing Letters 97, 2006.
        actions.sort(key=lambda one: -(chance.random() ** (1 / weights.get(one.name, 1))))
    else:
        chance.shuffle(actions)
    for action in actions:
        outcomes = [x for x in semantics.attempts(last.state, action.name) if x is not None]
        if outcomes:
            return chance.choice(outcomes)
    return None


@dataclass(frozen=True)
class _Asked:
    """A question for random runs.

    Attributes:
        semantics: the meaning of the model on values.
        names: the properties to evaluate.
        deadlock: whether it is about deadlocks too.
        weights: the weight of each action that has one; that of another is 1.
    """

    semantics: Semantics
    names: Sequence[str]
    deadlock: bool
    weights: Mapping[str, int]

    @property
    def probes(self) -> list[str]:
        """Those of the properties that are probes."""
        properties = self.semantics.model.properties
        return [x for x in self.names if properties[x].kind is PropertyKind.PROBE]


class _Simulation(ABC):
    """Random runs, of which an answer can be given even if an exception ends `run` early."""

    def __init__(self, asked: _Asked, options: SimulateOptions) -> None:
        self.asked, self.options = asked, options
        self._begin = self._last = time.monotonic()

    @abstractmethod
    def run(self, listener: Listener) -> None:
        """Take all runs.

        Raises:
            ModelError: if there is no initial state.
        """

    @abstractmethod
    def facts(self, stopped: str | None) -> SimulateFacts:
        """The numbers of the runs so far."""

    @abstractmethod
    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        """The run to a state in which a property is false or out of bounds, and which; of None, to such a step."""

    def tell(self, listener: Listener, runs: int, states: int) -> None:
        """Tell of progress now and then."""
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            text = f"{counted(runs, 'run')}, {counted(states, 'distinct state')}"
            listener.progress(Progress(-1, now - self._begin, text=text))

    def answer(self, stopped: str | None) -> Answer:
        """The answer by the runs so far."""
        beyond = self._trace(None)
        asked = [*self.asked.names, *([DEADLOCK] if self.asked.deadlock else [])]
        facts = self.facts(stopped)
        most = counted(self.options.depth, "step")
        done = f"no violation in {counted(facts.runs, 'run')} of at most {most}"
        results = [self._result(name, beyond, done) for name in asked]
        return Answer(results, facts, None if beyond is None else beyond[0])

    def _result(self, name: str, beyond: tuple[Trace, bool] | None, done: str) -> Result:
        found = self._trace(name) or beyond
        effort = Effort(memory_mb=own_peak_mb())
        if found is None:
            engine = SimulateOptions.engine
            return Result(name, engine, Verdict.UNKNOWN, effort, reason=done, cause=Cause.RUNS)
        trace, minimal = found
        outside = trace.ends is TraceEnd.OUT_OF_BOUNDS
        result = Result(
            property=name,
            engine=SimulateOptions.engine,
            verdict=Verdict.OUT_OF_BOUNDS if outside else Verdict.VIOLATED,
            effort=effort,
            steps=trace.length,
            trace=trace,
            reason=end_reason(self.asked.semantics, trace),
        )
        return result.unless_minimal(minimal)

    def _trace(self, name: str | None) -> tuple[Trace, bool] | None:
        """The run to a property's violation or out of bounds, shortened and replayed, and whether to the end."""
        found = self.found(name)
        if found is None:
            return None
        ends, path = found
        whole = trace_of_path(path, ends, None if ends is TraceEnd.DEADLOCK else name)
        trace, minimal = shortening(self.asked.semantics, whole)
        replay(self.asked.semantics, trace)
        return trace, minimal


def _first(asked: _Asked, options: SimulateOptions, limits: Limits) -> _Simulation:
    """The runs that a question is put to first."""
    if options.by == VALUES:
        return _OnValues(asked, options, None)
    if options.by is None and address_space_mb(limits) < LEAST_MEMORY:
        return _OnValues(asked, options, f"a limit below {LEAST_MEMORY} MB leaves little room for arrays")
    return _OnCircuits(asked, options, None if limits.seconds is None else limits.seconds / 2)


class _OnCircuits(_Simulation):
    """Random runs side by side.

    Args:
        asked: the question.
        options: the options.
        making: the seconds in which circuits are to be made; None for any number.
    """

    def __init__(self, asked: _Asked, options: SimulateOptions, making: float | None) -> None:
        super().__init__(asked, options)
        self._making = making
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
            raise NoCircuits(f"circuits were not made in {self._making:g} s") from None
        except (ModelError, RecursionError) as error:
            raise NoCircuits(str(error)) from error
        if not len(begin):
            raise self.asked.semantics.no_initial_state()
        self._runs = runs
        runs.run(begin)

    def _made(self, listener: Listener) -> tuple[RandomRuns, Words]:
        """The runs, none of which is taken, and the initial states."""
        # Here, since runs on values need none of it.
        from leadline.symbolic import bits

        def progress() -> None:
            self.tell(listener, runs.runs, runs.met)

        asked, options, model = self.asked, self.options, self.asked.semantics.model
        machine = bits.Machine(model)
        runs = bits.RandomRuns(
            machine,
            [machine.claim(model.properties[name].formula) for name in asked.names],
            [asked.weights.get(action.name, 1) for action in model.actions],
            options.runs,
            options.depth,
            options.seed,
            [asked.names.index(name) for name in asked.probes],
            progress,
        )
        begin, some = bits.drawn_states(model, options.seed)
        self._begun_in = len(begin) if some else None
        return runs, begin

    def facts(self, stopped: str | None) -> SimulateFacts:
        # Here, since runs on values need none of it.
        from leadline.symbolic import bits

        runs = self._runs
        if runs is None:
            return _OnValues(self.asked, self.options, None).facts(stopped)
        values = values_at(runs.machine, bits.occurring(runs.states, runs.machine.encoding.columns))
        facts = _facts(self.asked, runs, stopped, values, CIRCUITS)
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
        return ends, path_of(
            self.asked.semantics, [*map(runs.machine.state, runs.states[runs.path(number)]), *more]
        )


class _OnValues(_Simulation):
    """Random runs one after the other.

    Args:
        asked: the question.
        options: the options.
        why: why they are on values; None if they were asked to be.
    """

    def __init__(self, asked: _Asked, options: SimulateOptions, why: str | None) -> None:
        super().__init__(asked, options)
        self._why = why
        self._chance = random.Random(options.seed)
        self._found: dict[str | None, tuple[TraceEnd, Path]] = {}
        model = asked.semantics.model
        self._statistics = RunStatistics(
            len(model.variables), [one.name for one in model.actions], asked.probes
        )
        self._reaching: dict[str, set[int]] = {name: set() for name in asked.probes}

    def run(self, listener: Listener) -> None:
        while self._statistics.runs < self.options.runs:
            self._one()
            self._statistics.end()
            self.tell(listener, self._statistics.runs, self._statistics.states)

    def _one(self) -> None:
        """Take one run."""
        path: list[Step] = []
        run = random_run(self.asked.semantics, self._chance, self.asked.weights)
        for one in islice(run, self.options.depth + 1):
            path.append(one)
            if len(path) > 1:
                self._statistics.take(one.action)
            if one.state is None:
                self._found.setdefault(None, (TraceEnd.OUT_OF_BOUNDS, tuple(path)))
            else:
                self._look(path)
        if len(path) <= self.options.depth and self._stuck(path[-1].state):
            self._statistics.deadlocks += 1
            self._found.setdefault(DEADLOCK, (TraceEnd.DEADLOCK, tuple(path)))

    def _stuck(self, end: State | None) -> bool:
        """Whether a run in whose last state no action is enabled ends in a deadlock.

        Constraints guard every action, so a state beyond them has no successor and is no deadlock.
        """
        constraint = self.asked.semantics.constraint
        return end is not None and (constraint is None or constraint(end, {}))

    def _look(self, path: Sequence[Step]) -> None:
        """Evaluate the properties in the last state."""
        state = path[-1].state
        assert state is not None
        if self._statistics.meet(state):
            for name in self.asked.names:
                self._evaluate(name, state, path)
        for name, reaching in self._reaching.items():
            if hash(state) in reaching:
                self._statistics.reach(name)

    def _evaluate(self, name: str, state: State, path: Sequence[Step]) -> None:
        """Evaluate a property in a new state: a probe in each, another one until it is violated."""
        known = self._found.get(name)
        if known is not None and known[0] is TraceEnd.VIOLATES and name not in self._reaching:
            return
        try:
            if self.asked.semantics.property_function(name)(state, {}):
                return
        except OutOfBounds:
            self._found.setdefault(name, (TraceEnd.OUT_OF_BOUNDS, tuple(path)))
            return
        if name in self._reaching:
            self._reaching[name].add(hash(state))
        if known is None or known[0] is not TraceEnd.VIOLATES:
            self._found[name] = TraceEnd.VIOLATES, tuple(path)

    def facts(self, stopped: str | None) -> SimulateFacts:
        values = values_of(self.asked.semantics.model, self._statistics.values)
        return _facts(self.asked, self._statistics, stopped, values, VALUES, self._why)

    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        return self._found.get(name)


def _facts(
    asked: _Asked,
    runs: RandomRuns | RunStatistics,
    stopped: str | None,
    values: Mapping[str, Occurring],
    by: str,
    why: str | None = None,
) -> SimulateFacts:
    """The facts of runs."""
    names = [one.name for one in asked.semantics.model.actions]
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

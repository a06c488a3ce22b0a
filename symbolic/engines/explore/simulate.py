"""Simulation as an engine: random runs, each property evaluated in every state that they meet.

A simulation proves nothing: without a violation a property stays unknown, whatever the number of runs.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.ask.engine import Engine, Interrupted, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import (
    Answer,
    Cause,
    Effort,
    Progress,
    Result,
    Verdict,
)
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.statistics import RunStatistics, values_of
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, limited, own_peak_mb, stop_at
from leadline.symbolic.lang import Model, OutOfBounds, PropertyKind, UserError, counted, unknown_name
from leadline.symbolic.meaning import Outcome
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, end_reason, replay, shortening, trace_of_path

_EVERY = 0.2  # seconds between two looks at the clock for the progress line


@dataclass(frozen=True)
class SimulateOptions(Options):
    """The options of a simulation.

    Attributes:
        runs: the number of random runs, 1 or more.
        depth: the steps of a run at most.
        seed: the seed of the random choices.
        weights: how much likelier actions are than one without a weight, such as "write=5".
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


class Simulate(Engine):
    """Random runs. A step takes an enabled action, each as likely or by its weight, and one of its outcomes."""

    options = SimulateOptions
    facts = SimulateFacts
    takes_solver = False
    limits_itself = True
    sets_alarm = True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options = query.options
        assert isinstance(options, SimulateOptions)
        names = tuple(one.name for one in query.chosen(model))
        chance = random.Random(options.seed)
        simulation = _Simulation(Semantics(model), names, chance, query.deadlock, weights_of(model, options))
        stopped = None
        try:
            with limited(limits):
                simulation.run(options, listener)
        except KeyboardInterrupt:
            raise Interrupted(simulation.answer(options, "interrupted")) from None
        except (TimeIsOver, MemoryError) as error:
            stopped = stop_at(error, limits).text
        return simulation.answer(options, stopped)


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
) -> Iterator[Outcome]:
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
    last: Outcome | None = chance.choice(starts)
    while last is not None:
        yield last
        last = None if last.state is None else random_step(semantics, last.state, chance, weights or {})


def random_step(
    semantics: Semantics, state: State, chance: random.Random, weights: Mapping[str, int]
) -> Outcome | None:
    """A random outcome of a random enabled action; None if no action is enabled."""
    actions = list(semantics.model.actions)
    if weights:
        # An order by weights: P. Efraimidis, P. Spirakis, Information Processing Letters 97, 2006.
        actions.sort(key=lambda one: -(chance.random() ** (1 / weights.get(one.name, 1))))
    else:
        chance.shuffle(actions)
    for action in actions:
        outcomes = [x for x in semantics.attempts(state, action.name) if x is not None]
        if outcomes:
            return chance.choice(outcomes)
    return None


@dataclass
class _Simulation:
    """Random runs so far.

    Attributes:
        weights: the weight of each action that has one; that of another is 1.
        found: for each property the run to the first state in which it is false or out of bounds, and which.
        statistics: the numbers.
    """

    semantics: Semantics
    names: Sequence[str]
    chance: random.Random
    deadlock: bool
    weights: Mapping[str, int]
    deadlocks: int = 0
    found: dict[str | None, tuple[TraceEnd, tuple[Outcome, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        model = self.semantics.model
        self.statistics = RunStatistics(len(model.variables))
        self._probes = [x for x in self.names if model.properties[x].kind is PropertyKind.PROBE]
        self._reaching: dict[str, set[int]] = {name: set() for name in self._probes}

    def run(self, options: SimulateOptions, listener: Listener) -> None:
        """Take all runs.

        Raises:
            ModelError: if there is no initial state.
        """
        begin = last = time.monotonic()
        while self.statistics.runs < options.runs:
            self._one(options.depth)
            self.statistics.end()
            now = time.monotonic()
            if now - last >= _EVERY:
                last = now
                runs, states = self.statistics.runs, self.statistics.states
                text = f"{counted(runs, 'run')}, {counted(states, 'distinct state')}"
                listener.progress(Progress(-1, now - begin, text=text))

    def _one(self, depth: int) -> None:
        """Take one run."""
        path: list[Outcome] = []
        for one in islice(random_run(self.semantics, self.chance, self.weights), depth + 1):
            path.append(one)
            if len(path) > 1:
                self.statistics.take(one.action)
            if one.state is None:
                self.found.setdefault(None, (TraceEnd.OUT_OF_BOUNDS, tuple(path)))
            else:
                self._look(path)
        if len(path) <= depth and self._stuck(path[-1].state):
            self.deadlocks += 1
            self.found.setdefault(DEADLOCK, (TraceEnd.DEADLOCK, tuple(path)))

    def _stuck(self, end: State | None) -> bool:
        """Whether a run in whose last state no action is enabled ends in a deadlock.

        Constraints guard every action, so a state beyond them has no successor and is no deadlock.
        """
        constraint = self.semantics.constraint
        return end is not None and (constraint is None or constraint(end, {}))

    def _look(self, path: Sequence[Outcome]) -> None:
        """Evaluate the properties in the last state."""
        state = path[-1].state
        assert state is not None
        if self.statistics.meet(state):
            for name in self.names:
                self._evaluate(name, state, path)
        for name in self._probes:
            if hash(state) in self._reaching[name]:
                self.statistics.reach(name)

    def _evaluate(self, name: str, state: State, path: Sequence[Outcome]) -> None:
        """Evaluate a property in a new state: a probe in each, another one until it is violated."""
        known = self.found.get(name)
        if known is not None and known[0] is TraceEnd.VIOLATES and name not in self._reaching:
            return
        try:
            if self.semantics.property_function(name)(state, {}):
                return
        except OutOfBounds:
            self.found.setdefault(name, (TraceEnd.OUT_OF_BOUNDS, tuple(path)))
            return
        if name in self._reaching:
            self._reaching[name].add(hash(state))
        if known is None or known[0] is not TraceEnd.VIOLATES:
            self.found[name] = TraceEnd.VIOLATES, tuple(path)

    def answer(self, options: SimulateOptions, stopped: str | None) -> Answer:
        """The answer by the runs so far."""
        beyond = self._trace(None)
        asked = [*self.names, *([DEADLOCK] if self.deadlock else [])]
        numbers, model = self.statistics, self.semantics.model
        done = f"no violation in {counted(numbers.runs, 'run')} of at most {counted(options.depth, 'step')}"
        results = [self._result(name, beyond, done) for name in asked]
        facts = SimulateFacts(
            runs=numbers.runs,
            steps=numbers.steps,
            longest=numbers.longest,
            states=numbers.states,
            deadlocks=self.deadlocks,
            stopped=stopped,
            actions={one.name: numbers.taken[one.name] for one in model.actions},
            action_rates={one.name: numbers.taken[one.name] / max(1, numbers.steps) for one in model.actions},
            runs_taking={one.name: numbers.runs_taking[one.name] for one in model.actions},
            probes={name: numbers.reached(name) for name in self._probes},
            states_by_depth=numbers.by_depth(),
            values=values_of(model, numbers.values),
        )
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
            reason=end_reason(self.semantics, trace),
        )
        return result.unless_minimal(minimal)

    def _trace(self, name: str | None) -> tuple[Trace, bool] | None:
        """The run to a property's violation or out of bounds, shortened and replayed, and whether to the end."""
        if name not in self.found:
            return None
        ends, path = self.found[name]
        whole = trace_of_path(path, ends, None if ends is TraceEnd.DEADLOCK else name)
        trace, minimal = shortening(self.semantics, whole)
        replay(self.semantics, trace)
        return trace, minimal

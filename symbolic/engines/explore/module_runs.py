"""Random runs of TLA+ modules: side by side where a module soon has circuits, else one after the other by its
interpreter, which every module has."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.engines.ask.engine import Interrupted, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Answer, formless
from leadline.symbolic.engines.ask.widening import told_by_values, widened_answers
from leadline.symbolic.engines.explore.explore import CIRCUITS, lack_of_room
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.explore.simulate import (
    RunsOnValues,
    RunsQuestion,
    Simulate,
    SimulateOptions,
    Walker,
    cut_short,
    end_by,
    making_in,
    random_step,
)
from leadline.symbolic.engines.explore.specifications import any_outside
from leadline.symbolic.engines.explore.statistics import Occurring, values_by
from leadline.symbolic.engines.run.limits import (
    Limits,
    NotWorthIt,
    TimeIsOver,
    limited,
    timely,
    worth,
)
from leadline.symbolic.lang import InternalError, Model, NoSymbolicForm, OutOfBounds, Value
from leadline.symbolic.meaning import State, Step, first_states
from leadline.symbolic.meaning.replay import Departs
from leadline.symbolic.meaning.trace import states
from leadline.symbolic.tla.learning import LISTING
from leadline.symbolic.tla.outline import Outline, formed
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.runs import ModuleReplayer
from leadline.symbolic.tla.values.values import tla_text
from leadline.symbolic.trace import Trace, TraceEnd, shortened

_MOST_INITIAL = 100_000
"""The initial states that runs begin in, where there are more."""
_DROPS = 4_000
"""The most steps that are taken while a run is shortened: the interpreter takes some thousand a second."""
_MAKING = 4.0
"""Seconds of the processor that the model may take, and its circuits, where the time is short."""
_SHARE = 0.1
"""The share of the time that circuits may take to make."""


def answer_of_module(
    asked: RunsQuestion, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
) -> Answer:
    """Take random runs of a module, whose runs in the answer have values of the interpreter.

    Args:
        asked: the question, about the outline of the module.
        query: the same.
        new_solver: makes a fresh solver, for claims about runs.
        limits: the limits on time and memory.
        listener: is told of progress.

    Raises:
        Interrupted: on Ctrl-C, with the answer so far.
        ModelError: if there is no initial state.
        NoCircuits: if circuits are asked for, and it has none.
    """
    options = query.options_as(SimulateOptions)
    begin, why = time.monotonic(), None
    if options.by == CIRCUITS or (options.by is None and lack_of_room(limits) is None):
        try:
            return _on_circuits(asked, query, new_solver, limits, listener)
        except NoCircuits as error:
            if options.by == CIRCUITS:
                raise
            why = str(error)
    walker = ModuleWalker(asked, options, behaviour_of(asked, query, limits))
    try:
        return RunsOnValues(asked, options, why, walker).told(limits.since(begin), listener)
    finally:
        walker.end()


def _on_circuits(
    asked: RunsQuestion, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
) -> Answer:
    """The answer by the formulas of a module.

    Raises:
        NoCircuits: if it has none, they take long to make, or something is out of bounds.
    """
    # Here, since reductions of claims about runs need this engine.
    from leadline.symbolic.engines.runs import reduction

    options, begin = query.options_as(SimulateOptions), time.monotonic()
    most = math.inf if options.by == CIRCUITS else max(_MAKING, (limits.seconds or 0.0) * _SHARE)
    making = making_in(limits, options)

    def ask(lowered: Model, rest: Limits) -> Answer:
        if making is not None and time.monotonic() - begin > making:
            raise TimeIsOver  # A run has left the types: the time that is left is for runs on values.
        names = tuple(name for name in asked.names if name in lowered.properties)
        with worth(most) as begun:
            engine, own = Simulate(begun), replace(query, properties=names)
            try:
                return reduction.answered(engine, lowered, own, new_solver, rest, Listener(listener.progress))
            except Interrupted as interrupted:
                told = _of_module(asked, lowered, interrupted.answer)
                raise Interrupted(told, interrupted.message) from None

    try:
        with limited(Limits(making)), worth(most):
            made, lacking = formed(asked.model, asked.names)
        # The runs of answers before the last may leave the types, and are none of the module.
        *_, (lowered, found) = widened_answers(made, limits.since(begin), ask)
    except NoSymbolicForm as error:
        raise NoCircuits(error.why) from error
    except (NotWorthIt, TimeIsOver) as error:
        seconds = making if isinstance(error, TimeIsOver) else most
        raise NoCircuits(f"circuits were not made in {seconds:.1f} s") from error
    if any_outside(found) or found.out_of_bounds is not None:
        raise NoCircuits("a run leaves the bounds of the module's formulas")
    latest = _of_module(asked, lowered, found)
    open_ = [formless(name, options.engine, why) for name, why in lacking.items()]
    results = {one.property: one for one in (*latest.results, *open_)}
    return replace(latest, results=[results[name] for name in query.names(asked.model)])


def _of_module(asked: RunsQuestion, lowered: Model, answer: Answer) -> Answer:
    """The answer about a module, given that about its model."""
    facts = answer.told(SimulateFacts)
    names = [one.name for one in asked.model.actions]
    facts = replace(
        facts,
        actions={name: facts.actions.get(name, 0) for name in names},
        action_rates={name: facts.action_rates.get(name, 0.0) for name in names},
        runs_taking={name: facts.runs_taking.get(name, 0) for name in names},
    )
    return Answer([told_by_values(lowered, one) for one in answer.results], facts)


def behaviour_of(asked: RunsQuestion, query: Query, limits: Limits, *, symmetric: bool = False) -> Behaviour:
    """The behaviour of a module with the properties of a question alone.

    Args:
        asked: the question, about the outline of the module.
        query: the same.
        limits: the limits, also on the time in which the module's expressions are made.
        symmetric: whether states stand for those that SYMMETRY takes for one with them.
    """
    whole = Outline.of(asked.model).specification
    own = replace(
        whole,
        view=None,
        symmetry=whole.symmetry if symmetric else (),
        invariants={name: one for name, one in whole.invariants.items() if name in asked.names},
        properties={name: one for name, one in whole.properties.items() if name in asked.names},
    )
    with timely(query.source, limits):
        return Behaviour(own)


class ModuleWalker(Walker):
    """Takes random runs by the interpreter of a module.

    Args:
        asked: the question, about the outline of the module.
        options: the options.
        behaviour: the behaviour of the module, in which each state stands for itself.
    """

    def __init__(self, asked: RunsQuestion, options: SimulateOptions, behaviour: Behaviour) -> None:
        super().__init__(asked, options)
        self._behaviour = behaviour
        self._safety = {name: behaviour.safety(name) for name in behaviour.specification.properties}
        self.about_steps = [name for name, one in self._safety.items() if one.initial or one.steps]

    @property
    def meaning(self) -> Behaviour:
        return self._behaviour

    @cached_property
    def _starts(self) -> tuple[list[State], bool]:
        """Initial states, and whether there are more."""
        starts, more = first_states(self._behaviour.interpreter.steps[0], _MOST_INITIAL, LISTING)
        if not starts:
            raise self._behaviour.no_initial_state()
        return starts, more

    @property
    def begun_in(self) -> int | None:
        # Where the time was over before, they are not looked for.
        starts, more = self.__dict__.get("_starts", ([], False))
        return len(starts) if more else None

    def random_run(self) -> Iterator[Step]:
        last: Step | None = Step("init", {}, self._chance.choice(self._starts[0]))
        level = 0
        while last is not None:
            self._behaviour.at_level(level)
            yield last
            last = self._drawn(last, level)
            level += 1

    def _drawn(self, last: Step, level: int) -> Step | None:
        """A random step after another, which ends so many steps from the beginning; None if there is none."""
        behaviour, state = self._behaviour, last.state
        try:
            if state is None or not self.is_within(state):
                return None
        except OutOfBounds:
            # The first action tells the error.
            return next(behaviour.attempts(state, behaviour.actions[0].name))
        # Formulas may ask for the level: steps from a state are a level deeper than the state.
        behaviour.at_level(level + 1)
        try:
            return random_step(behaviour, self._chance, self._asked.weights, last)
        finally:
            behaviour.at_level(level)

    def end(self) -> None:
        """End the runs: formulas that ask for the level have none outside of them."""
        self._behaviour.at_level(None)

    def end_after(self, name: str, path: Sequence[Step]) -> TraceEnd | None:
        before, state = path[-2].state if len(path) > 1 else None, path[-1].state
        return None if state is None else end_by(partial(self._behaviour.keeps, name, before, state))

    def unseen(self, name: str) -> str:
        more = name in self._safety and self._safety[name].runs
        return ", of which states and steps were looked at, and no claim about whole runs" if more else ""

    def values(self, counts: Sequence[Counter[Value]]) -> Mapping[str, Occurring]:
        return values_by(dict.fromkeys(self._behaviour.variables, tla_text), counts)

    def shortened(self, whole: Trace) -> tuple[Trace, str | None]:
        by, trace = ModuleReplayer(self._behaviour), whole
        if self._behaviour.asks_level:
            # Other steps before a state would change its level.
            long = "a run is not shortened where formulas ask for the level of a state"
        elif whole.property in self.about_steps:
            # The claim is not about the last state alone.
            long = "a run to a step is not shortened"
        else:
            trace, minimal = shortened(by, whole, _DROPS)
            long = "" if minimal else cut_short(_DROPS)
        try:
            taken = by.confirmed(trace)
        except Departs as wrong:
            raise InternalError(f"a run of {self._asked.model.protocol} does not replay: {wrong}") from wrong
        why = taken.why
        if taken.ends is TraceEnd.OUT_OF_BOUNDS and taken.property is not None and taken.last is not None:
            why = self._behaviour.error_in(taken.property, list(states(taken)))
        return replace(taken, why=why), long or None

    def reason(self, trace: Trace) -> str | None:
        return trace.why

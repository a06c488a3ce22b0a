"""Search by novelty of TLA+ modules.

The search goes on from the states in which something is true for the first time, then from those in which two
things are true together for the first time, and from the others when there are no such. In turn with them it
takes a step of a random run: where much is new, those that come first are near the beginning. Every second run
draws an action before one of its outcomes, since most outcomes may be of few actions, and takes no other: it
costs little to be deep. So the search is soon at depths that a breadth-first search does not reach. Runs begin in
the initial states that are listed in some seconds. Counterexamples are not the shortest, and nothing is proved.

A step without a value, such as one with a false `Assert`, ends the search; initial states and constraints without
one are left to exploration. So are properties and steps that ask for the level of a state: the first run to a
state that this search finds may be longer than the shortest, which TLC's level is about.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count

from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Answer, Result
from leadline.symbolic.engines.explore.module_runs import ModuleWalker, behaviour_of
from leadline.symbolic.engines.explore.novelty import NoveltyOptions
from leadline.symbolic.engines.explore.simulate import RunsQuestion, SimulateOptions, Simulation, end_by
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model, counted
from leadline.symbolic.meaning import Enough, Path, State, Step, beginning_until, path_of
from leadline.symbolic.tla.learning import LISTING
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.novelty import RANKS, Novelty
from leadline.symbolic.tla.values.symmetry import ToldApart
from leadline.symbolic.trace import DEADLOCK, TraceEnd

_TURN = 4
"""Every so many states one of the next rank is taken: a count that grows for ever is new in each state."""
_DRAWN = 4
"""The steps at a time of a random run that draws actions: each takes one action where other steps take all."""
_NONE = -1
"""Stands for the number of a state where there is none."""
_LONGEST = 100
"""The most steps of a random run."""


def answer_of_module(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
    """Search a module, whose runs in the answer have values of the interpreter.

    Args:
        model: the outline of the module.
        query: the question.
        limits: the limits on time and memory.
        listener: is told of progress and of violations.

    Raises:
        Interrupted: on Ctrl-C, with the answer so far.
        ModelError: if there is no initial state.
    """
    names = tuple(one.name for one in query.chosen(model))
    asked = RunsQuestion(model, names, query.deadlock, {})
    options = query.options_as(NoveltyOptions)
    try:
        symmetric = behaviour_of(asked, query, limits, symmetric=True)
        return _Search(asked, symmetric, options).told(limits, listener)
    except ToldApart:
        return _Search(asked, behaviour_of(asked, query, limits), options).told(limits, listener)


class _Search(Simulation):
    """A search by novelty, of which an answer can be given even if an exception ends `run` early.

    Args:
        asked: the question.
        behaviour: the behaviour of the module.
        options: when it stops.
    """

    engine = NoveltyOptions.engine

    def __init__(self, asked: RunsQuestion, behaviour: Behaviour, options: NoveltyOptions) -> None:
        itself = Behaviour(behaviour.specification, interpreter=behaviour.interpreter)
        super().__init__(asked, ModuleWalker(asked, SimulateOptions(), itself))
        self._behaviour, self._options = behaviour, options
        claims = {**behaviour.specification.invariants, **behaviour.specification.properties}
        self._judged = [name for name in asked.names if not behaviour.ask_level([claims[name]])]
        self._properties = {name: behaviour.property_function(name) for name in self._judged}
        self._constraint = behaviour.constraint
        self._novelty = Novelty(len(behaviour.variables))
        self._numbers: dict[State, int] = {}
        self._parents: list[int] = []
        self._depths: list[int] = []
        self._states: list[State] = []
        self._after: dict[int, list[list[int]]] = {}
        self._waiting = [deque[int]() for _ in range(RANKS)]
        self._outside = {_NONE}  # where runs end: no value, or beyond the constraint
        self._chance = random.Random(0)
        self._stale = 0
        self._begun_in_all = True
        self._ends: dict[str | None, tuple[TraceEnd, list[State | None]]] = {}
        self._results: dict[str, Result] = {}

    def run(self, listener: Listener) -> None:
        try:
            self._search(listener)
        finally:
            self._behaviour.end_search()
            self._behaviour.at_level(None)

    def _search(self, listener: Listener) -> None:
        behaviour = self._behaviour
        own = behaviour.specification
        if behaviour.sets_registers or behaviour.ask_level(one for one in (own.init, own.next) if one):
            return  # what states follow depends on the order in which they are met
        behaviour.at_level(0)
        until, self._begun_in_all = time.process_time() + LISTING, False
        with beginning_until(lambda: bool(self._states) and time.process_time() > until):
            begun = self._step(behaviour.steps[0], _NONE)
        self._look_at_steps()
        if not begun:
            raise behaviour.no_initial_state()
        begun = [one for one in begun if one not in self._outside]
        run, by_action = list[int](), False
        for turn in count(1):
            self._report(listener)
            waiting = [one for one in self._waiting if one]
            if not waiting or self._is_over():
                break
            self._go_on(waiting[turn % _TURN == 0 and len(waiting) > 1].popleft())
            for _ in range(_DRAWN if by_action else 1):
                step = self._draw if by_action else self._go_on
                actions = step(run[-1]) if run else [begun]
                if not actions or len(run) > _LONGEST:
                    run, by_action = [], not by_action
                    break
                weights = None if by_action else [*map(len, actions)]
                (outcomes,) = self._chance.choices(actions, weights)
                run.append(self._chance.choice(outcomes))
            self.tell(listener, self._counted)

    def _is_over(self) -> bool:
        most, patience = self._options.max_states, self._options.patience
        full = most is not None and len(self._states) >= most
        stale = patience is not None and self._stale >= patience
        return full or stale or None in self._ends or all(name in self._ends for name in self.asked.every)

    def _go_on(self, number: int) -> list[list[int]]:
        """Take all steps from the state of a number the first time. The states where a run goes on, by action."""
        if (known := self._after.get(number)) is not None:
            return known
        self._behaviour.at_level(self._depths[number] + 1)
        outcomes = [self._step(step, number) for step in self._behaviour.steps[1:]]
        self._look_at_steps()
        if not any(outcomes):
            self._ends.setdefault(DEADLOCK, (TraceEnd.DEADLOCK, self._chain(number)))
        inside = ([x for x in after if x != number and x not in self._outside] for after in outcomes)
        self._after[number] = [after for after in inside if after]
        return self._after[number]

    def _draw(self, number: int) -> list[list[int]]:
        """As `_go_on`, but of one action if not all were taken yet: the first of a random order that goes on."""
        if number not in self._after:
            self._behaviour.at_level(self._depths[number] + 1)
            steps = self._behaviour.steps[1:]
            self._chance.shuffle(steps)
            for step in steps:
                outcomes = self._step(step, number)
                self._look_at_steps()
                if inside := [x for x in outcomes if x != number and x not in self._outside]:
                    return [inside]
        return self._go_on(number)

    def _step(self, step: Callable[..., None], number: int) -> list[int]:
        """Take an action in the state of a number, or begin if that is `_NONE`. The numbers of its outcomes."""
        found: list[int] = []

        def add(after: State | None) -> None:
            if after is None and number >= 0:
                self._ends.setdefault(None, (TraceEnd.OUT_OF_BOUNDS, [*self._chain(number), None]))
            elif after is not None and after not in self._numbers:
                self._add(after, number)
            found.append(_NONE if after is None else self._numbers[after])
            if number < 0 and self._is_over():
                raise Enough

        with suppress(Enough):
            step(None if number < 0 else self._states[number], add)
            self._begun_in_all |= number < 0
        return found

    def _add(self, state: State, parent: int) -> None:
        number = self._numbers[state] = len(self._states)
        self._states.append(state)
        self._parents.append(parent)
        self._depths.append(0 if parent < 0 else self._depths[parent] + 1)
        for name, holds in self._properties.items():
            if name not in self._ends and (ends := end_by(partial(holds, state))) is not None:
                self._ends[name] = ends, self._chain(number)
        before = None if parent < 0 else self._states[parent]
        if self._constraint is None or end_by(partial(self._constraint, state)) is None:
            rank = self._novelty.rank(state, before)
            self._stale = self._stale + 1 if rank == RANKS - 1 else 0
            self._waiting[rank].append(number)
        else:
            self._outside.add(number)

    def _look_at_steps(self) -> None:
        """Note the properties that the behaviour has found a step, or an initial state, to break."""
        canonical = self._behaviour.canonical
        for name, (before, after) in self._behaviour.broken.items():
            if name not in self._ends and name in self._judged:
                chain = [] if before is None else self._chain(self._numbers[before])
                self._ends[name] = TraceEnd.VIOLATES, [*chain, canonical(after) if canonical else after]

    def _chain(self, number: int) -> list[State | None]:
        """The states of the run to the state of a number."""
        chain: list[State | None] = []
        while number >= 0:
            chain.append(self._states[number])
            number = self._parents[number]
        return chain[::-1]

    def _report(self, listener: Listener) -> None:
        """Tell the listener of the violations that it does not know yet."""
        for name in self.asked.every:
            if name in self._ends and name not in self._results:
                self._results[name] = self.result(name)
                listener.done(self._results[name])

    def found(self, name: str | None) -> tuple[TraceEnd, Path] | None:
        if name not in self._ends:
            return None
        ends, states = self._ends[name]
        self._behaviour.at_level(0)
        return ends, path_of(self._behaviour, states, Step("init", {}, states[0]))

    def facts(self, stopped: str | None) -> None:
        return None

    def extent(self) -> str:
        if self._behaviour.sets_registers:
            return "no state, since formulas set registers"
        some = "" if self._begun_in_all else f", begun in {self._depths.count(0):,} of more initial states"
        return f"{self._counted()}, those with new facts first{some}"

    def _counted(self) -> str:
        return counted(len(self._states) - len(self._outside - {_NONE}), "state")

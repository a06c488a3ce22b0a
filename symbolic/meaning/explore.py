"""Breadth-first exploration: every state within a number of steps, the violations and the deadlocks.

Python's cyclic garbage collector rests meanwhile: it would visit all states again and again.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from leadline.symbolic.lang import OutOfBounds, Work, site
from leadline.symbolic.meaning.coverage import Suspect, Suspects
from leadline.symbolic.meaning.interface import Enough, Levels, Meaning, Path, State, is_within, path_of

AnyMeaning = TypeVar("AnyMeaning", bound=Meaning)

OFTEN = 1 << 10
"""The states between two calls of `busy`."""
_GROWING = ("order", "parents", "deadlocks", "out_of_bounds")
"""The attributes of an explorer that grow at their end."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of an exploration.

    Attributes:
        depth: steps from the initial states, from 0.
        new: states first reached in that many steps.
        states: states found so far.
    """

    depth: int
    new: int
    states: int


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings about one property. The paths are shortest.

    Attributes:
        violation: a path to a state in which it does not hold, or None.
        out_of_bounds: a path to a state in which its evaluation goes out of bounds, or None.
        why: the expression that went out of bounds there.
        violations: the number of states in which it does not hold.
    """

    violation: Path | None
    out_of_bounds: Path | None
    why: str | None
    violations: int

    @property
    def steps(self) -> int | None:
        """The number of steps of the violation."""
        return len(self.violation) - 1 if self.violation is not None else None


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of an exploration.

    Attributes:
        states: the number of distinct states found, those beyond a constraint left out, as TLC counts.
        diameter: the greatest depth that was explored in full, in steps; -1 if not even the initial states were.
        states_within_steps: for each depth up to it, the number of distinct states at most so many steps from an
            initial one.
        complete: whether these are all reachable states. Under a view it is not known.
        stopped: why the exploration stopped early, such as "states: stopped at 1000"; None if it did not, or
            only at its bound on depth.
        generated: the number of initial states and successors computed, repetitions included.
        deadlocks: the number of expanded states in which no action is enabled. (An action that is enabled
            and goes out of bounds counts as enabled.)
        steps_out_of_bounds: the number of steps, and of ways to begin, that go out of bounds.
        actions: for each action, the number of outcomes that it gave (successors, repetitions included, and
            steps out of bounds) from the states that were expanded; 0 for an action that was never taken. With a
            bound on depth the states of the last level are not expanded.
        orbits: `states` in orbits, where a state stood for its orbit; else None. Then `generated`, `actions`,
            `deadlocks`, `steps_out_of_bounds` and the violations of properties are numbers of orbits and of steps
            from the states that stand for them.
        orbits_within_steps: `states_within_steps` in orbits; None likewise.
    """

    states: int
    diameter: int = field(init=False)
    states_within_steps: Sequence[int]
    complete: bool
    stopped: str | None
    generated: int
    deadlocks: int
    steps_out_of_bounds: int
    actions: Mapping[str, int]
    orbits: int | None = None
    orbits_within_steps: Sequence[int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "diameter", len(self.states_within_steps) - 1)


@dataclass(frozen=True, kw_only=True)
class Exploration(Counts):
    """The result of an exploration. The paths are shortest.

    Attributes:
        deadlock: a path to one of the deadlocks; None if there is none, or it is not asked for.
        out_of_bounds: a path whose last outcome goes out of bounds, or None.
        properties: the findings about each property.
        all_views: under a view, whether no state that was found leads to another value of it; None without one.
    """

    deadlock: Path | None = None
    out_of_bounds: Path | None = None
    properties: Mapping[str, Checked]
    all_views: bool | None = None


@dataclass
class _Watch:
    """A property during an exploration: the first state of each kind of failure, by index."""

    name: str
    function: Callable[[State, Mapping[str, Any]], bool]
    violated_at: int | None = None
    violations: int = 0
    out_at: int | None = None
    why: str | None = None

    def look(self, state: State, index: int) -> None:
        """Evaluate the property in a new state."""
        try:
            if self.function(state, {}):
                return
        except OutOfBounds as error:
            if self.out_at is None:
                self.out_at, self.why = index, str(error)
            return
        if self.violated_at is None:
            self.violated_at = index
        self.violations += 1


def _beginning(known: Mapping[str, Any]) -> Work:
    self: Explorer[Any] = known["self"]
    where = self.semantics.no_initial_state().mistakes[0].span
    listed = self.fired[0] + len(known.get("found", ()))
    return Work("listing the initial states", where, made=f"{listed:,} states")


@dataclass
class Explorer(Generic[AnyMeaning]):
    """A breadth-first exploration that can be summarized even if an exception ends `run` early.

    A violated property does not end it, nor does a step that goes out of bounds, which has no successor. States
    have their index in the order of discovery, and a state's parent is the one that it came from.

    Args:
        semantics: the meaning of the model.
        properties: the names of the properties to evaluate in every state.
        depth: the number of steps to go; None for as long as there are new states.
        progress: called after each level.
        max_states: the number of states at which to stop; None for no limit.
        checkpoint: the folder in which levels are kept, and from which the search goes on; None for none.
        notes: the findings that the meaning notes by itself, which are kept too.
        busy: called now and then with the states found, also within a level and while initial states are listed.
        attributing: whether it counts the states that each action is the first to reach.
        suspects: the parts of properties whose effect is looked at in each state; None for none.

    Attributes:
        fired: for init and each action, the number of outcomes.
        first: these numbers, for init and each action.

    Raises:
        UserError: if a property is unknown.
    """

    semantics: AnyMeaning
    properties: Sequence[str] = ()
    depth: int | None = None
    progress: Callable[[Level], None] = lambda _: None
    max_states: int | None = None
    checkpoint: Levels | None = None
    notes: Mapping[str, dict[Any, Any]] = field(default_factory=dict)
    busy: Callable[[Sequence[State]], None] = lambda _: None
    attributing: bool = False
    suspects: Suspects[Any, Any] | None = None
    order: list[State] = field(default_factory=list, init=False)
    parents: array[int] = field(default_factory=lambda: array("q"), init=False)
    seen: set[State] = field(default_factory=set, init=False)
    viewed: set[Any] = field(default_factory=set, init=False)
    deadlocks: list[int] = field(default_factory=list, init=False)
    out_of_bounds: list[int] = field(default_factory=list, init=False)
    beyond: set[int] = field(default_factory=set, init=False)
    within: list[int] = field(default_factory=list, init=False)
    weights: list[int] = field(default_factory=list, init=False)
    weighed: int = field(default=0, init=False)
    unweighed: int = field(default=0, init=False)
    full: bool = field(default=False, init=False)
    complete: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        model = self.semantics.model
        self.parts: list[dict[Any, Any]] = [{} for _ in model.variables]
        self.fired = [0] * (1 + len(model.actions))
        self._kept: dict[str, int] = {}
        self.first = [0] * len(self.fired)
        self.within_constraint = self.semantics.constraint
        self.watches = [_Watch(name, self.semantics.property_function(name)) for name in self.properties]

    def run(self) -> None:
        """Explore until no state is new or a bound is reached.

        Raises:
            ModelError: if there is no initial state, nor one that is out of bounds.
        """
        with uncollected():
            self._run()

    def _run(self) -> None:
        start = self._resume()
        kept = bool(self.order)
        if not kept:
            self.begin()
        while not self.full and start < (end := len(self.order)):
            if self.checkpoint is not None and not kept:
                self._keep_level(self.checkpoint, start)
            kept = False
            self.close_level()
            gc.collect(1)  # the garbage made since the last level: each object is visited once
            if self.depth is not None and len(self.within) > self.depth:
                break
            for index in range(start, end):
                if index % OFTEN == 0:
                    self.busy(self.order)
                self.expand(index)
                if self.full:
                    break
            start = end
        self.complete = not self.full and start == len(self.order)

    def close_level(self) -> None:
        """Record that all states of a depth are found, and report it."""
        before = self.within[-1] if self.within else 0
        if self._record_level():
            self.progress(Level(len(self.within) - 1, self.counted - before, self.counted))

    def _record_level(self) -> bool:
        """Record the number of states up to a depth; whether there are new ones."""
        if self.within and self.counted <= self.within[-1]:
            return False
        self.within.append(self.counted)
        self.weigh()
        self.weights.append(self.weighed)
        return True

    def _keep_level(self, checkpoint: Levels, start: int) -> None:
        """Keep the level that is found, whose states begin at an index."""
        lists = {name: getattr(self, name) for name in _GROWING}
        new = {name: list(found[self._kept.get(name, 0) :]) for name, found in lists.items()}
        self._kept = {name: len(found) for name, found in lists.items()}
        beyond = [place for place in range(start, len(self.order)) if place in self.beyond]
        watches = [(x.violated_at, x.violations, x.out_at, x.why) for x in self.watches]
        found = {"start": start, "new": new, "beyond": beyond, "fired": self.fired, "watches": watches}
        checkpoint.keep({**found, "notes": self.notes})

    def _resume(self) -> int:
        """Take the levels that are kept, within the bounds; the index at which the last of them begins."""
        start = 0
        for found in self.checkpoint.levels() if self.checkpoint is not None else ():
            size = len(self.order) + len(found["new"]["order"])
            if self.max_states is not None and size > self.max_states:
                break
            if self.order and self.depth is not None and len(self.within) >= self.depth:
                break
            if self.order:
                self._record_level()
            self._restore(found)
            start = found["start"]
        self.seen.update(self.order)
        if self.semantics.view is not None:
            self.viewed.update(map(self.semantics.view, self.states_within))
        self._kept = {name: len(getattr(self, name)) for name in _GROWING}
        return start

    def _restore(self, found: Mapping[str, Any]) -> None:
        """Take a level that is kept."""
        states = found["new"].pop("order")
        tables = self.parts
        self.order += (
            tuple([t.setdefault(x, x) for t, x in zip(tables, state, strict=True)]) for state in states
        )
        for name, new in found["new"].items():
            getattr(self, name).extend(new)
        self.beyond.update(found["beyond"])
        self.fired = found["fired"]
        for watch, facts in zip(self.watches, found["watches"], strict=True):
            watch.violated_at, watch.violations, watch.out_at, watch.why = facts
        for name, noted in found["notes"].items():
            self.notes[name].update(noted)

    def weigh(self) -> None:
        """Add up the states that the latest states stand for."""
        weight = self.semantics.weight
        if weight is not None:
            new = range(self.unweighed, len(self.order))
            self.weighed += sum(weight(self.order[place]) for place in new if place not in self.beyond)
        self.unweighed = len(self.order)

    def summary(self, stopped: str | None = None, *, stuck: bool = True) -> Exploration:
        """The result of the states found so far. It ends the exploration.

        Args:
            stopped: why `run` was ended early, if it was; it does not count once all states are found.
            stuck: whether the path to a deadlock is asked for.
        """
        # These take most of the memory, which may be scarce; paths need them no more.
        self.seen, self.viewed, self.parts = set(), set(), []
        names = [action.name for action in self.semantics.model.actions]
        if self.full:
            stopped = f"states: stopped at {self.max_states}"
        self.weigh()
        orbits = self.semantics.weight is not None
        viewed = self.semantics.view is not None
        return Exploration(
            states=self.weighed if orbits else self.counted,
            states_within_steps=list(self.weights if orbits else self.within),
            orbits=self.counted if orbits else None,
            orbits_within_steps=list(self.within) if orbits else None,
            complete=self.complete and not viewed,
            all_views=self.complete if viewed else None,
            stopped=None if self.complete else stopped,
            generated=sum(self.fired),
            actions=dict(zip(names, self.fired[1:], strict=True)),
            deadlocks=len(self.deadlocks),
            deadlock=self.deadlocked() if stuck else None,
            steps_out_of_bounds=len(self.out_of_bounds),
            out_of_bounds=self.path_out_of_bounds(),
            properties={watch.name: self._checked(watch) for watch in self.watches},
        )

    @site(_beginning)
    def begin(self) -> None:
        """Find the initial states.

        Raises:
            ModelError: if there is none, nor one that is out of bounds.
        """
        found: list[State | None] = []

        def keep() -> None:
            self.fired[0] += len(found)
            self.take(found, -1)
            found.clear()

        def add(state: State | None) -> None:
            found.append(state)
            if len(found) == OFTEN:
                keep()
                self.busy(self.order)
                if self.full:
                    raise Enough

        with suppress(Enough):
            self.semantics.steps[0](None, add)
        keep()
        if not self.fired[0]:
            raise self.semantics.no_initial_state()
        self.first[0] = self.counted

    @property
    def counted(self) -> int:
        """The number of states found within the constraints."""
        return len(self.order) - len(self.beyond)

    @property
    def states_within(self) -> Sequence[State]:
        """The states found within the constraints."""
        if not self.beyond:
            return self.order
        return [state for place, state in enumerate(self.order) if place not in self.beyond]

    def expand(self, index: int) -> None:
        """Find the successors of a state; one beyond a constraint has none, and is no deadlock."""
        if index in self.beyond:
            return
        state = self.order[index]
        found: list[State | None] = []
        add = found.append
        before = 0
        fired, attributing = self.fired, self.attributing
        for place, step in enumerate(self.semantics.steps):
            if place:
                step(state, add)
                if len(found) != before:
                    fired[place] += len(found) - before
                    if attributing:
                        known = self.counted
                        self.take(found[before:], index)
                        self.first[place] += self.counted - known
                    before = len(found)
        if not found:
            self.deadlocks.append(index)
        elif not self.attributing:
            self.take(found, index)

    def take(self, found: list[State | None], parent: int) -> None:
        """Keep the new states."""
        seen = self.seen
        if self.semantics.view is not None:
            found = [state for state in found if state is None or (state not in seen and self.differs(state))]
        for state in found:
            if state is None:
                self.out_of_bounds.append(parent)
            elif state not in seen:
                self.keep(state, parent)
                if self.full:
                    return

    def differs(self, state: State) -> bool:
        """Whether no state that was found, but for those beyond a constraint, has the same view: as in TLC."""
        view = self.semantics.view
        assert view is not None
        if not is_within(self.within_constraint, state):
            return True
        size = len(self.viewed)
        self.viewed.add(view(state))
        return len(self.viewed) > size

    def keep(self, state: State, parent: int) -> None:
        """Keep a new state, unless there are as many as may be."""
        if self.max_states is not None and len(self.seen) >= self.max_states:
            self.full = True
            return
        # Equal values of a variable become one object, which saves most of the memory. Each variable
        # has its own table, since to Python 1 and True are equal, and so are (1,) and (True,).
        state = tuple([table.setdefault(x, x) for table, x in zip(self.parts, state, strict=True)])
        self.seen.add(state)
        index = len(self.order)
        self.order.append(state)
        self.parents.append(parent)
        for watch in self.watches:
            watch.look(state, index)
        if self.suspects is not None:
            self.suspects.look(state)
        if not is_within(self.within_constraint, state):
            self.beyond.add(index)

    @property
    def endings(self) -> set[int]:
        """The places of the states from which no run goes on: the constraint is false there, or out of bounds."""
        # The parent of an initial state is -1.
        places, within = {x for x in self.out_of_bounds if x >= 0}, self.within_constraint
        return self.beyond | {x for x in places if not is_within(within, self.order[x], outside=False)}

    def states_to(self, index: int) -> list[State]:
        """The states of a shortest path to a state."""
        chain = [index]
        while self.parents[chain[-1]] >= 0:
            chain.append(self.parents[chain[-1]])
        return [self.order[place] for place in reversed(chain)]

    def path(self, index: int) -> Path:
        """A shortest path to a state. Its actions are found again, since they were not stored."""
        return path_of(self.semantics, self.states_to(index))

    @property
    def vacuous(self) -> Sequence[Suspect[Any, Any]] | None:
        """The outermost suspects that had no effect in the states found so far; None if none is looked at."""
        return None if self.suspects is None else self.suspects.vacuous

    def path_out_of_bounds(self) -> Path | None:
        """A shortest path whose last outcome goes out of bounds."""
        if not self.out_of_bounds:
            return None
        index = self.out_of_bounds[0]
        return path_of(self.semantics, [*(self.states_to(index) if index >= 0 else []), None])

    def violated(self) -> list[str]:
        """The properties that are violated so far."""
        return [watch.name for watch in self.watches if watch.violated_at is not None]

    def deadlocked(self) -> Path | None:
        """A shortest path to a deadlock, if one was found so far."""
        return self.path(self.deadlocks[0]) if self.deadlocks else None

    def violation(self, name: str) -> Path | None:
        """A shortest path to a state in which a property is false, among those found so far."""
        index = next(watch.violated_at for watch in self.watches if watch.name == name)
        return None if index is None else self.path(index)

    def _checked(self, watch: _Watch) -> Checked:
        violation = self.path(watch.violated_at) if watch.violated_at is not None else None
        out = self.path(watch.out_at) if watch.out_at is not None else None
        return Checked(violation, out, watch.why, watch.violations)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python's cyclic garbage collector rest."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    except BaseException:
        # The collector goes through new objects soon, which may take as long as the search. Now they are old.
        gc.freeze()
        gc.unfreeze()
        raise
    finally:
        if enabled:
            gc.enable()

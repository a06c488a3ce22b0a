"""Exploration on circuits, with results and paths as those of the search on values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from leadline.symbolic import bits
from leadline.symbolic.concrete import Runs, Semantics, State
from leadline.symbolic.concrete.coverage import Guard, Vacuous, suspects
from leadline.symbolic.concrete.orbits import Symmetric
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines.explore.statistics import MOST_VALUES, Occurring, occurring
from leadline.symbolic.lang import (
    InternalError,
    Model,
    ModelError,
    OutOfBounds,
    Pick,
    UserError,
    in_tla,
    nodes as n,
    schedule,
)
from leadline.symbolic.lang.rules import connective
from leadline.symbolic.meaning import Checked, Exploration, Level, Levels, Path, Step as PathStep
from leadline.symbolic.meaning.coverage import outermost

if TYPE_CHECKING:
    from leadline.symbolic.bits.lanes import Indices, Words
    from leadline.symbolic.engines.runs.formulas import SafetyPart


def told_apart(model: Model, sorts: Iterable[str]) -> UserError:
    """The mistake that a module has a SYMMETRY of members that it tells apart."""
    return UserError(f"SYMMETRY: {model.protocol} tells members of {' and '.join(sorted(sorts))} apart")


def path_through(search: bits.Search, semantics: Semantics, words: Words, *more: None) -> Path:
    """The path through some states that a search has found, and out of bounds if there is more.

    The circuits tell the steps, and the meaning on values takes them.

    Raises:
        InternalError: if it does not.
    """
    model, facts, path = search.machine.model, Facts(search.machine.model), list[PathStep]()
    # Under SYMMETRY a kept state stands for others, and the path goes through these: they are found one by one.
    along = search.moves_between(words[:-1], words[1:]) if search.orbits is None else []

    def row(state: State) -> Words:
        true, matters = facts.packed(state)
        return search.row(true & matters)

    def steps(after: Words) -> Iterator[PathStep | None]:
        before = path[-1].state if path else None
        if before is None:
            yield from semantics.attempts(None, "init")
            return
        (moves,) = [along[len(path) - 1]] if along else search.moves_between(row(before), after)
        for move in moves:
            yield semantics.outcome(before, model.actions[move.action].name, move.picks)

    for place in range(len(words)):
        after = words[place : place + 1]
        states = ((one, one.state) for one in steps(after) if one is not None)
        found = (one for one, x in states if x is not None and search.stand_for(row(x), after).all())
        path.append(_first(found, search.machine.state(words[place])))
    for _ in more:
        last = path[-1].state if path else None
        outcomes = semantics.initial() if last is None else semantics.successors(last)
        path.append(_first((one for one in outcomes if one.state is None), None))
    return tuple(path)


def _first(steps: Iterator[PathStep], after: State | None) -> PathStep:
    found = next(steps, None)
    if found is None:
        raise InternalError(f"no step reaches {after!r}, though one was taken")
    return found


def _exchanged(semantics: Semantics) -> object:
    """The permutations by which states stand for others, with the sorts that are watched; None for none."""
    return (semantics.group, semantics.watched) if isinstance(semantics, Symmetric) else None


@dataclass(eq=False)
class CircuitExplorer:
    """A breadth-first exploration on circuits that can be summarized even if an exception ends `run` early.

    Args:
        semantics: the meaning on values, by which the steps of paths are found.
        properties: the names of the properties to evaluate in every state.
        depth: the number of steps to go; None for as long as there are new states.
        progress: called after each level.
        max_states: the number of states at which to stop; None for no limit.
        vacuity: whether to look for properties that hold vacuously, and for guards that are never true.
        counting: whether to count how often guards are true.
        unless_sure: whether nothing is explored if neither a claim nor a step can go wrong in any state.
        finite: for each of some claims about runs, by name, the part of it that a finite run can violate.
        view: an expression by whose values states are told apart; None for all of a state.
        narrower: explorations of the same model with narrower types, each ended by a step that leaves them. The
            last one is gone on with, if its states have such types too, and this one is put behind it. None if
            such a step does not end it.
        checkpoint: the folder in which levels are kept, and from which the search goes on; None for none.
        workers: the number of processes that search once there are many states.
    """

    semantics: Semantics
    properties: Sequence[str]
    depth: int | None
    progress: Callable[[Level], None]
    max_states: int | None
    _: KW_ONLY
    vacuity: bool = False
    counting: bool = False
    unless_sure: bool = False
    finite: Mapping[str, SafetyPart] = field(default_factory=dict)
    view: n.Node | None = None
    narrower: list[CircuitExplorer] | None = None
    checkpoint: Levels | None = None
    workers: int = 1
    _search: bits.Search | None = field(default=None, init=False)
    _guards: Sequence[Guard] = field(default=(), init=False)

    @cached_property
    def _suspects(self) -> list[Vacuous]:
        claims = (self.semantics.model.properties[name] for name in self.properties)
        return [x for claim in claims for x in suspects(claim)] if self.vacuity else []

    def run(self) -> None:
        """Explore until no state is new or a bound is reached.

        Raises:
            NoCircuits: if the model has no circuits; nothing was explored then.
            ModelError: if there is no initial state.
        """
        model, began = self.semantics.model, time.process_time()
        try:
            machine = bits.Machine(model, steps=self._claimed())
            claims, watched = self._all_claims(machine)
            key = None
            if self.view is not None:
                # The numbers of a module's states are TLC's, whose search takes steps in another order.
                exact = model.origin is not None
                key = machine.exact_key(self.view, claims) if exact else machine.key(self.view)
            begin = bits.initial_states(model)
        except (ModelError, RecursionError) as error:
            raise bits.NoCircuits(str(error)) from error

        if self.unless_sure and not machine.may_fail(claims):
            return

        # Where a step leaves the types, wider circuits will take about as long to be made as these.
        ahead = None if self.narrower is None else time.process_time() - began
        self._search = search = self._new_search(machine, claims, key, watched, ahead)
        if not self._goes_on(search):
            search.run(begin)
        if self.narrower is not None:
            self.narrower.append(self)
        if watched is not None and search.found[watched].violated_at is not None:
            assert isinstance(self.semantics, Symmetric)
            raise told_apart(model, self.semantics.watched)
        if search.unclear:
            raise bits.NoCircuits(search.unclear)
        if not search.fired[0]:
            raise self.semantics.no_initial_state()
        if self.counting:
            self._guards = list(self._counted(search, reached=False))

    @property
    def search(self) -> bits.Search:
        """The search, after its begin."""
        assert self._search is not None
        return self._search

    def _claimed(self) -> list[list[n.Node]]:
        """For each claim about runs, what no step of each action may satisfy."""
        if not self.finite:
            return []
        # Here, since claims about states need none of it.
        from leadline.symbolic.engines.runs.product import Step

        steps = [Step(self.semantics.model, action) for action in self.semantics.model.actions]
        wrong = [connective(n.Or, one.steps) for one in self.finite.values()]
        return [[step.happens(node) for step in steps] for node in wrong]

    def _all_claims(self, machine: bits.Machine) -> tuple[list[bits.Claim], int | None]:
        """All claims, and the place of the one that no order of members shows, if symmetry needs it."""
        model, about, watched = machine.model, self.semantics, None
        formulas = [model.properties[name].formula for name in self.properties]
        formulas += [one.weakened for one in self._suspects]
        finite = [connective(n.And, one.states) for one in self.finite.values()]
        claims = [*map(machine.claim, formulas)]
        if isinstance(about, Symmetric) and about.watched:
            watched = len(claims)
            asked = [*formulas, *finite, *(one.formula for one in model.constraints)]
            claims.append(machine.in_any_order(asked, [one for one in about.group if one]))
        return [*claims, *map(machine.claim, finite), *machine.about_steps], watched

    def _new_search(
        self,
        machine: bits.Machine,
        claims: Sequence[bits.Claim],
        key: bits.Key | None,
        watched: int | None,
        ahead: float | None,
    ) -> bits.Search:
        """The search that the arguments of this exploration ask for; it ends where a claim is false."""

        tell = self.progress  # the search must not hold this object: its processes end with it

        def progress(depth: int, new: int, states: int) -> None:
            tell(Level(depth, new, states))

        orbits = None
        if isinstance(self.semantics, Symmetric):
            orbits = bits.Orbits(machine.model, [one for one in self.semantics.group if one])
            if key is not None and orbits.moved & key.hidden:
                # The least image is one of all parts of a state.
                raise bits.NoCircuits("the symmetry moves parts of a state that the view leaves out")
        return bits.DividedSearch(
            machine,
            claims,
            self.depth,
            self.max_states,
            progress,
            orbits=orbits,
            weighing=self.semantics.weight is not None,
            key=key,
            checkpoint=self.checkpoint,
            until_outside=ahead,
            until_false=watched,
            every_step=self.counting,
            initial=[machine.claim(connective(n.And, one.initial)) for one in self.finite.values()],
            workers=self.workers,
        )

    def _goes_on(self, search: bits.Search) -> bool:
        """Whether the search with narrower types was gone on with."""
        model = self.semantics.model
        before = self.narrower.pop() if self.narrower else None
        if before is None or before._search is None or model.origin is None:
            return False
        other, narrow = before._search, before.semantics.model
        if other.begun is None or [x.name for x in narrow.actions] != [x.name for x in model.actions]:
            return False
        if _exchanged(self.semantics) != _exchanged(before.semantics):
            return False
        values = model.origin.as_widened(narrow, model)
        if values is None:
            return False
        return search.go_on_from(other, *other.machine.row_of(search.machine, values))

    def violated(self) -> list[str]:
        """The properties that are violated so far."""
        found = self._search.found if self._search is not None else ()
        states = [x for x, one in zip(self.properties, found, strict=False) if one.violated_at is not None]
        return [*states, *(name for name in self.finite if any(x is not None for x in self._wrong(name)))]

    def deadlocked(self) -> Path | None:
        """A shortest path to a deadlock, if one was found so far."""
        return None if self._search is None else self._path(self._search, self._search.deadlock)

    def violation(self, name: str) -> Path | None:
        """A shortest path that violates a property, among those found so far."""
        assert self._search is not None
        if name in self.finite:
            return self.wrong_run(name)
        return self._path(self._search, self._search.found[self.properties.index(name)].violated_at)

    def wrong_run(self, name: str, *, outside: bool = False) -> Path | None:
        """A shortest path that violates the part of a claim that a finite run can violate.

        Args:
            name: the claim's name.
            outside: whether the evaluation of that part goes out of bounds at its end instead.
        """
        search = self._search
        if search is None:
            return None
        first, state, before = self._wrong(name, outside=outside)
        begun = None if first is None else path_through(search, self.semantics, first[None])
        paths = [begun, self._path(search, state), self._path(search, before)]
        if paths[2] is not None:
            paths[2] = (*paths[2], self._wrong_step(paths[2][-1].state, self.finite[name], outside=outside))
        return min((one for one in paths if one is not None), key=len, default=None)

    def _wrong(self, name: str, *, outside: bool = False) -> tuple[Words | None, int | None, int | None]:
        """An initial state that is wrong, the number of any state that is, and of one before a step that is."""
        search = self._search
        if search is None or not search.within:
            return None, None, None
        place, many = [*self.finite].index(name), len(self.finite)
        state, step = search.found[place - 2 * many], search.found[place - many]
        first = search.wrong_at_first[place][outside]
        if outside:
            return first, state.outside_at, step.outside_at
        return first, state.violated_at, step.violated_at

    def _wrong_step(self, state: State | None, safety: SafetyPart, *, outside: bool) -> PathStep:
        """The first step from a state that a claim forbids, or at which it is out of bounds."""
        assert state is not None
        runs = Runs(self.semantics)
        for one in self.semantics.successors(state):
            try:
                wrong = one.state is not None and any(
                    runs.happens(node, state, one.state) for node in safety.steps
                )
            except OutOfBounds:
                if outside:
                    return one
            else:
                if wrong and not outside:
                    return one
        raise InternalError(f"no step from {state!r} is wrong, though one was found")

    # -- results ----------------------------------------------------------------------------------

    @property
    def within(self) -> Sequence[int]:
        """For each depth that was explored in full, the number of states at most so many steps away."""
        return self._search.within if self._search is not None else ()

    @property
    def complete(self) -> bool:
        """Whether all states were found."""
        return self._search is not None and self._search.complete

    @property
    def left_types(self) -> bool:
        """Whether a step that leaves the types has ended the search, which wider ones go on with."""
        return self.narrower is not None and self._search is not None and self._search.failures > 0

    @property
    def leaving(self) -> list[State]:
        """Some states from which a step leaves the types, if such steps end the search."""
        search = self._search
        return [] if search is None else [*map(search.machine.state, search.leaving)]

    def summary(self, stopped: str | None = None, *, stuck: bool = True) -> Exploration:
        """The result of the states found so far.

        Args:
            stopped: why `run` was ended early, if it was; it does not count once all states are found.
            stuck: whether the path to a deadlock is found again, which takes seconds where steps are long.
        """
        search = self._search
        if search is None:
            # It was ended before it began.
            fired = {action.name: 0 for action in self.semantics.model.actions}
            properties = {name: Checked(None, None, None, 0) for name in self.properties}
            return Exploration(
                states=0,
                states_within_steps=[],
                complete=False,
                stopped=stopped,
                generated=0,
                deadlocks=0,
                steps_out_of_bounds=0,
                actions=fired,
                properties=properties,
            )
        if search.full:
            stopped = f"states: stopped at {self.max_states}"
        names = [action.name for action in self.semantics.model.actions]
        failed = search.failure
        orbits, viewed = self.semantics.weight is not None, search.key is not None
        return Exploration(
            states=search.weighed if orbits else search.counted,
            states_within_steps=list(search.weights if orbits else search.within),
            orbits=search.counted if orbits else None,
            orbits_within_steps=list(search.within) if orbits else None,
            complete=search.complete and not viewed,
            all_views=search.complete if viewed else None,
            stopped=None if search.complete else stopped,
            generated=sum(search.fired),
            actions=dict(zip(names, search.fired[1:], strict=True)),
            deadlocks=search.deadlocks,
            deadlock=self.deadlocked() if stuck else None,
            steps_out_of_bounds=search.failures,
            out_of_bounds=None if failed is None else self._path(search, failed, None),
            properties=dict(self._checked(search)),
        )

    def _path(self, search: bits.Search, number: int | None, *more: None) -> Path | None:
        """A shortest path to a state, and out of bounds if there is more."""
        if number is None:
            return None
        return path_through(search, self.semantics, search.states_to(number), *more)

    def _checked(self, search: bits.Search) -> Iterator[tuple[str, Checked]]:
        for name, found in zip(self.properties, search.found, strict=False):
            violation, outside = self._path(search, found.violated_at), self._path(search, found.outside_at)
            yield name, checked(self.semantics, name, violation, outside, found.violations)

    def values(self) -> dict[str, Occurring]:
        """The values of each variable in the states found so far."""
        search = self._search
        if search is None:
            return {}
        return values_at(search.machine, search.occurring(search.machine.encoding.columns))

    # -- coverage ---------------------------------------------------------------------------------

    @property
    def vacuous(self) -> Sequence[Vacuous] | None:
        """The outermost suspects that had no effect in the states found so far; None if none is looked at."""
        if not self.vacuity:
            return None
        found = self._search.found[len(self.properties) :] if self._search is not None else ()
        pairs = zip(self._suspects, found, strict=False)
        return outermost([one for one, x in pairs if not x.violations and x.outside_at is None])

    @property
    def guards(self) -> Sequence[Guard] | None:
        """The guards of all actions in the order in which they are evaluated; None if they were not counted."""
        return self._guards if self.counting else None

    @property
    def first(self) -> Sequence[int]:
        """For init and each action, the number of states that it was the first to reach."""
        return self._search.first if self._search is not None else ()

    def never_true(self) -> list[Guard]:
        """The first guard that no state found satisfies of each action never taken that has one."""
        search = self.search
        if all(search.fired):
            return []
        fired = dict(zip((x.name for x in self.semantics.model.actions), search.fired[1:], strict=True))
        found: dict[str, Guard] = {}
        for guard in self._counted(search, reached=True):
            if not fired[guard.action.name] and not guard.true:
                found.setdefault(guard.action.name, guard)
        return [*found.values()]

    def _counted(self, search: bits.Search, *, reached: bool) -> Iterator[Guard]:
        """How often the guards of all actions were evaluated, and how often they were true, as `Search.tested`."""
        counts: Mapping[tuple[int, int], tuple[int, int]] = search.tested(reached=reached)
        for place, action in enumerate(self.semantics.model.actions):
            nodes = [item for item in schedule(action) if not isinstance(item, Pick)]
            for number, node in enumerate(nodes):
                yield Guard(action, node, *counts.get((place, number), (0, 0)))


def checked(
    semantics: Semantics, name: str, violation: Path | None, outside: Path | None, violations: int
) -> Checked:
    """The findings about a property.

    Args:
        semantics: the meaning on values.
        name: the property's name.
        violation: a shortest path to a state in which it is false, or None.
        outside: one to a state in which its evaluation goes out of bounds, or None.
        violations: the number of states in which it is false.
    """
    why = None
    if outside is not None:
        state = outside[-1].state
        assert state is not None
        try:
            semantics.holds(name, state)
        except OutOfBounds as error:
            why = str(error)
    return Checked(violation, outside, why, violations)


def values_at(machine: bits.Machine, found: Iterable[tuple[Words, Indices]]) -> dict[str, Occurring]:
    """The values of each variable.

    Args:
        machine: gives states their values.
        found: for each variable a state with each value, and how many states have it, the most frequent first.
    """
    told = {}
    for place, (variable, (states, counts)) in enumerate(zip(machine.model.variables, found, strict=True)):
        frequent = (machine.state(one)[place] for one in states[:MOST_VALUES])
        pairs = zip(frequent, counts[:MOST_VALUES].tolist(), strict=True)
        told[variable.name] = occurring(partial(in_tla, variable.type), len(counts), pairs)
    return told

"""The runs that fit a log, by the set of states after each of its events.

The set after an event has the states that some run reaches which explains all events so far. Few states are held
as values, many on circuits. Between two events lie hidden steps, so the exact set, in full, can be large, and
nearly always a few of its states suffice: those reached with the fewest hidden steps. So the search goes on with
these alone. At a dead end it goes back by one event, two, four and so on, and takes all states from there on; if
it comes back to the beginning, or to an event that tells the whole state, the sets are exact, and the first empty
one shows the event that nothing explains.

Few sets are kept: every `_SPACING`-th. Others are computed again where they are needed, so memory grows with the
size of a set and hardly with the length of a log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.conform.events import Cut, Event, Log
from leadline.symbolic.lang import UserError
from leadline.symbolic.meaning import Step

if TYPE_CHECKING:
    from leadline.symbolic.conform.circuits import Circuits, PackedSet

_SPACING = 1024
_MOST_REMEMBERED = 100_000
"""The answers of each kind that are remembered: some hundred megabytes."""
_MOST_CUTS = 64
_MOST_STATES = 4096
"""The states, and the cuts of nodes without one clock, with which the search goes on while all is well."""
_WIDE = 256
_NARROW = 64
"""Sets of more states go to circuits, and those of fewer come back to values: there each is cheaper."""


class TooManyStates(Exception):
    """More states fit than may be kept."""


class Steps:
    """The steps of a model, remembered.

    Args:
        semantics: the meaning of the model.
        hidden: the names of the actions that a log need not show.

    Attributes:
        hidden_actions: the names of the actions that a log need not show.
        outside: whether a hidden step, or one that could be an event, has left the model's bounds so far: then a
            larger model may explain what this one does not.
    """

    def __init__(self, semantics: Semantics, hidden: Sequence[str]) -> None:
        self.semantics = semantics
        self.hidden_actions = tuple(hidden)
        remembered = lru_cache(_MOST_REMEMBERED)
        self.outcomes = remembered(self._outcomes)
        self.after = remembered(self._after)
        self.hidden = remembered(self._hidden)
        # A long run takes few different steps, many times.
        self._shared = remembered(lambda name, picks, state: Step(name, dict(picks), state))
        self.outside = False

    def _outcomes(self, state: State, action: str) -> tuple[Step, ...]:
        return tuple(x for x in self.semantics.attempts(state, action) if x is not None)

    def explaining(self, state: State, event: Event) -> Iterator[Step]:
        """The outcomes in a state that explain an event."""
        if not all(part.fits(state) for part in event.before):
            return
        for action, picks in event.actions.items():
            for one in self.outcomes(state, action):
                # A step out of bounds may lack the picks that it had not made by then.
                if picks and any(picks.get(name, value) != value for name, value in one.picks.items()):
                    continue
                self.outside |= one.state is None
                if one.state is not None and all(part.fits(one.state) for part in event.after):
                    yield one

    def _after(self, state: State, event: Event) -> frozenset[State]:
        if event.is_step:
            return frozenset(x.state for x in self.explaining(state, event) if x.state is not None)
        seen = all(part.fits(state) for part in (*event.before, *event.after))
        return frozenset({state} if seen else ())

    def _hidden(self, state: State) -> frozenset[State]:
        return frozenset(x.state for x in self.hidden_outcomes(state) if x.state is not None)

    def step(self, state: State, event: Event | None, target: State) -> Step:
        """The step from a state to a target that explains an event, or a hidden one without an event."""
        outcomes = self.hidden_outcomes(state) if event is None else self.explaining(state, event)
        one = next(x for x in outcomes if x.state == target)
        return self._shared(one.action, tuple(one.picks.items()), one.state)

    def hidden_outcomes(self, state: State) -> Iterator[Step]:
        """The hidden steps in a state."""
        for action in self.hidden_actions:
            for one in self.outcomes(state, action):
                self.outside |= one.state is None
                if one.state is not None and one.state != state:
                    yield one


class ValueSet:
    """A set of states as values, and the steps from all of them."""

    def __init__(self, steps: Steps, states: frozenset[State]) -> None:
        self._steps, self._states = steps, states

    def __len__(self) -> int:
        return len(self._states)

    def values(self) -> frozenset[State]:
        """The states as values."""
        return self._states

    def after(self, event: Event) -> StateSet:
        """The states after an event."""
        return self._of(self._steps.after(x, event) for x in self._states)

    def and_hidden(self) -> StateSet:
        """These states, and those one hidden step later."""
        return self._of([self._states, *map(self._steps.hidden, self._states)])

    def joined(self, other: StateSet) -> StateSet:
        """The states of both sets."""
        return self._of((self._states, other.values()))

    def few(self, most: int) -> StateSet:
        """Some of the states, always the same."""
        return self._of([frozenset(sorted(self._states, key=repr)[:most])])

    def before(self, event: Event | None, target: State) -> State | None:
        """A state from which an event, or a hidden step without an event, leads to a target; None without one."""
        # In order, since the same run is to be told each time.
        return next((x for x in sorted(self._states, key=repr) if target in self._next(x, event)), None)

    def _next(self, state: State, event: Event | None) -> frozenset[State]:
        return self._steps.hidden(state) if event is None else self._steps.after(state, event)

    def _of(self, parts: Iterable[frozenset[State]]) -> ValueSet:
        return ValueSet(self._steps, frozenset[State]().union(*parts))


class Forms:
    """The forms of sets: few states as values, many on circuits if the model has them.

    Args:
        steps: the steps of the model on values.
        by: "values" or "circuits" for all sets in one form; "auto" for that which fits their size.
        make: makes the steps on circuits.

    Attributes:
        circuits: the steps on circuits, once they are wanted.
    """

    def __init__(self, steps: Steps, by: str, make: Callable[[], Circuits]) -> None:
        self._steps, self._by, self._make = steps, by, make
        self.circuits: Circuits | None = None
        self._may = by != "values"

    @property
    def used(self) -> str:
        """The forms that have been used: "values" or "circuits"."""
        return "values" if self.circuits is None else "circuits"

    @property
    def outside(self) -> bool:
        """Whether a step on the way has left the model's bounds."""
        return self._steps.outside or (self.circuits is not None and self.circuits.outside)

    def fitted(self, states: StateSet) -> StateSet:
        """A set in the form that fits its size.

        Raises:
            UserError: if all sets are to be on circuits, and the model has none.
        """
        is_wide = len(states) > (_WIDE if isinstance(states, ValueSet) else _NARROW) or self._by == "circuits"
        if isinstance(states, ValueSet) and is_wide and self._may:
            circuits = self._made()
            if circuits is not None:
                return circuits.packed(states.values())
        if not isinstance(states, ValueSet) and not is_wide:
            return ValueSet(self._steps, states.values())
        return states

    def _made(self) -> Circuits | None:
        """The steps on circuits; None if the model has none."""
        if self.circuits is None:
            try:
                self.circuits = self._make()
            except (UserError, RecursionError):
                if self._by == "circuits":
                    raise
                self._may = False
        return self.circuits


StateSet: TypeAlias = "ValueSet | PackedSet"

Layer = dict[Cut, StateSet]
"""The states after some events, by how many of each node are past."""


@dataclass
class Fit:
    """A search for runs that fit a log.

    Args:
        steps: the steps of the model.
        log: the log.
        hidden: the most hidden steps before an event.
        most: the most states after an event.
        forms: the forms of sets.
        progress: called now and then with the number of events that are explained.

    Attributes:
        explained: the most events that a run explains, so far.
        last: the states after these events; in full once the search has failed.
    """

    steps: Steps
    log: Log
    hidden: int
    most: int
    forms: Forms
    progress: Callable[[int], None] = lambda _: None
    explained: int = field(default=0, init=False)
    last: Layer = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        begin = frozenset(
            x.state
            for x in self.steps.semantics.initial()
            if x.state is not None and all(part.fits(x.state) for part in self.log.begin)
        )
        start = (0,) * len(self.log.nodes)
        found = self.forms.fitted(ValueSet(self.steps, begin))
        self._kept: dict[int, Layer] = {0: {start: found} if begin else {}}
        self._exact = 0  # the last place where a layer is known to hold all states that fit so far
        self._full: list[tuple[int, int]] = []  # where layers hold all states: from, to

    def run(self) -> bool:
        """Whether a run fits the whole log.

        Raises:
            TooManyStates: if more states fit than may be kept.
        """
        layer, place, size = self._kept[0], 0, self.log.size
        self.last = layer
        while layer and place < size:
            following = self._next(layer, full=False)
            if following:
                layer, place = following, place + 1
                if len(self.log.nodes) == 1 and self.log.event(0, place - 1).is_whole:
                    self._exact = place
            else:
                found = self._redone(place)
                if found is None:
                    return False
                layer, place = found
            self._keep(place, layer)
        return bool(layer)

    def _keep(self, place: int, layer: Layer) -> None:
        self.explained, self.last = max(self.explained, place), layer
        if place % _SPACING == 0:
            self._kept[place] = layer
            self.progress(place)

    def _redone(self, end: int) -> tuple[Layer, int] | None:
        """The layer after the event at which the search ended, with all states from further and further back."""
        back = 1
        while True:
            start = max(self._exact, end - back)
            place, layer = start, self._layer(start)
            while place <= end and layer:
                best, layer = layer, self._next(layer, full=True)
                place += bool(layer)
            if place > end:
                self._note_full(start, place)
                self._kept[place] = layer
                if start == self._exact:
                    self._exact = place
                return layer, place
            if start == self._exact:
                self._note_full(start, place)
                self.explained, self.last = place, best
                return None
            back *= 2

    def _note_full(self, start: int, end: int) -> None:
        """Note that the layers from one place to another have all states that come from the first."""
        self._full = [x for x in self._full if x[1] <= start] + [(start, end)]
        self._kept = {x: one for x, one in self._kept.items() if x <= start}

    def _layer(self, place: int) -> Layer:
        kept = max(x for x in self._kept if x <= place)
        layer = self._kept[kept]
        for number in range(kept, place):
            layer = self._next(layer, full=self._is_full(number))
        return layer

    def _is_full(self, place: int) -> bool:
        """Whether the layer after one at a place has all states that come from that."""
        at = bisect_right(self._full, place, key=lambda one: one[0]) - 1
        return at >= 0 and place < self._full[at][1]

    def _next(self, layer: Layer, *, full: bool) -> Layer:
        """The layer after one more event."""
        reached = layer
        for more in range(self.hidden + 1):
            if more:
                reached = {cut: self.forms.fitted(states.and_hidden()) for cut, states in reached.items()}
                self._limit(reached)
            if not full or more == self.hidden:
                found = self._explained(reached)
                self._limit(found)
                if found:
                    return found if full else _few(found)
        return {}

    def _explained(self, layer: Layer) -> Layer:
        found: Layer = {}
        for cut, states in layer.items():
            for node in self.log.next(cut):
                after = states.after(self.log.event(node, cut[node]))
                if after:
                    past = (*cut[:node], cut[node] + 1, *cut[node + 1 :])
                    found[past] = self.forms.fitted(found[past].joined(after) if past in found else after)
        return found

    def _limit(self, layer: Layer) -> None:
        if sum(map(len, layer.values())) > self.most:
            raise TooManyStates

    # -- the run that fits --------------------------------------------------------------------------------

    def path(self) -> list[Step]:
        """A run that fits the log or, if `run` was false, the longest prefix; first its initial state."""
        place = self.explained
        cut, states = next(iter(self.last.items()))
        state = min(states.few(1).values(), key=repr)
        backwards: list[Step] = []
        while place:
            base = max(0, (place - 1) // _SPACING * _SPACING)
            layers = [self._layer(base)]
            for number in range(base, place - 1):
                layers.append(self._next(layers[-1], full=self._is_full(number)))
            while layers:
                cut, state, steps = self._explanation(layers.pop(), cut, state)
                backwards += reversed(steps)
            place = base
        begin = next(x for x in self.steps.semantics.initial() if x.state == state)
        return [begin, *reversed(backwards)]

    def _explanation(self, layer: Layer, cut: Cut, target: State) -> tuple[Cut, State, list[Step]]:
        """Steps from a state of a layer by which one event is explained and a state after it is reached.

        Returns:
            The cut and the state from which they lead, and the steps.
        """
        for before, states in layer.items():
            for node in self.log.next(before):
                if cut == (*before[:node], before[node] + 1, *before[node + 1 :]):
                    found = self._steps_to(states, self.log.event(node, before[node]), target)
                    if found is not None:
                        return before, *found
        raise AssertionError("a layer has states that nothing leads to")

    def _steps_to(self, states: StateSet, event: Event, target: State) -> tuple[State, list[Step]] | None:
        """A state from which hidden steps, the fewest there are, and the step of an event lead to a target."""
        reached = [states]
        while (state := reached[-1].before(event, target)) is None:
            if len(reached) > self.hidden:
                return None
            reached.append(self.forms.fitted(reached[-1].and_hidden()))
        backwards = [self.steps.step(state, event, target)] if event.is_step else []
        for earlier in reversed(reached[:-1]):
            # With fewer hidden steps the event was not explained, so the state is none of the earlier ones.
            target, before = state, earlier.before(None, state)
            assert before is not None
            state = before
            backwards.append(self.steps.step(state, None, target))
        return state, backwards[::-1]


def _few(layer: Layer) -> Layer:
    """A layer, or a part of it that is small."""
    if len(layer) > _MOST_CUTS:
        layer = dict(list(layer.items())[:_MOST_CUTS])
    if sum(map(len, layer.values())) > _MOST_STATES:
        most = max(1, _MOST_STATES // len(layer))
        layer = {cut: states.few(most) for cut, states in layer.items()}
    return layer

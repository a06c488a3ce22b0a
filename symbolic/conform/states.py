"""The runs that fit a log, by the set of states after each of its events.

The set after an event has the states that some run reaches which explains all events so far. Between two events
lie hidden steps, so the exact set, in full, can be large, and nearly always a few of its states suffice: those
reached with the fewest hidden steps. So the search goes on with these alone. At a dead end it goes back by one
event, two, four and so on, and takes all states from there on; if it comes back to the beginning, the sets are
exact, and the first empty one shows the event that nothing explains.

Few sets are kept: every `_SPACING`-th. Others are computed again where they are needed, so memory grows with the
size of a set and hardly with the length of a log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.conform.events import Cut, Event, Log
from leadline.symbolic.lang import Value
from leadline.symbolic.meaning import Outcome
from leadline.symbolic.trace import Step

_SPACING = 1024
_MOST_CACHED = 400_000
"""The number of steps that are remembered: some hundred megabytes."""
_MOST_CUTS = 64
_MOST_STATES = 4096
"""The states, and the cuts of nodes without one clock, with which the search goes on while all is well."""

Layer = dict[Cut, frozenset[State]]
"""The states after some events, by how many of each node are past."""


class TooManyStates(Exception):
    """More states fit than may be kept."""


class Steps:
    """The steps of a model, remembered.

    Args:
        semantics: the meaning of the model.
        hidden: the names of the actions that a log need not show.

    Attributes:
        outside: whether a hidden step, or one that could be an event, has left the model's bounds so far: then a
            larger model may explain what this one does not.
    """

    def __init__(self, semantics: Semantics, hidden: Sequence[str]) -> None:
        self.semantics = semantics
        self._hidden_actions = tuple(hidden)
        self._of_action: dict[tuple[State, str], tuple[Outcome, ...]] = {}
        self._after: dict[tuple[State, int], frozenset[State]] = {}
        self._beyond: dict[State, frozenset[State]] = {}
        self._cached = 0
        self.outside = False

    def outcomes(self, state: State, action: str) -> tuple[Outcome, ...]:
        """The outcomes of an action in a state."""
        found = self._of_action.get((state, action))
        if found is None:
            attempts = self.semantics.attempts(state, action)
            found = self._of_action[state, action] = tuple(x for x in attempts if x is not None)
            self._count(1 + len(found))
        return found

    def explaining(self, state: State, event: Event) -> Iterator[Outcome]:
        """The outcomes in a state that explain an event."""
        if not all(part.fits(state) for part in event.before):
            return
        for action, picks in event.actions.items():
            for one in self._told(state, action, picks):
                self.outside |= one.state is None
                if one.state is not None and all(part.fits(one.state) for part in event.after):
                    yield one

    def _told(self, state: State, action: str, picks: Mapping[str, Value]) -> Iterator[Outcome]:
        for one in self.outcomes(state, action):
            # A step out of bounds may lack the picks that it had not made by then.
            if not picks or all(picks.get(name, value) == value for name, value in one.picks):
                yield one

    def after(self, state: State, event: Event, number: int) -> frozenset[State]:
        """The states after an event that has a number."""
        found = self._after.get((state, number))
        if found is None:
            if event.is_step:
                found = frozenset(x.state for x in self.explaining(state, event) if x.state is not None)
            else:
                seen = all(part.fits(state) for part in (*event.before, *event.after))
                found = frozenset({state} if seen else ())
            self._after[state, number] = found
            self._count(1 + len(found))
        return found

    def hidden_outcomes(self, state: State) -> Iterator[Outcome]:
        """The hidden steps in a state."""
        for action in self._hidden_actions:
            for one in self.outcomes(state, action):
                self.outside |= one.state is None
                if one.state is not None and one.state != state:
                    yield one

    def hidden(self, state: State) -> frozenset[State]:
        """The states one hidden step after a state."""
        found = self._beyond.get(state)
        if found is None:
            outcomes = self.hidden_outcomes(state)
            found = self._beyond[state] = frozenset(x.state for x in outcomes if x.state is not None)
            self._count(1 + len(found))
        return found

    def _count(self, more: int) -> None:
        self._cached += more
        if self._cached > _MOST_CACHED:
            self._cached = 0
            for cache in (self._of_action, self._after, self._beyond):
                cache.clear()


@dataclass
class Fit:
    """A search for runs that fit a log.

    Args:
        steps: the steps of the model.
        log: the log.
        hidden: the most hidden steps before an event.
        most: the most states after an event.
        progress: called now and then with the number of events that are explained.

    Attributes:
        explained: the most events that a run explains, so far.
        last: the states after these events; in full once the search has failed.
        widest: the largest number of states after an event.
    """

    steps: Steps
    log: Log
    hidden: int
    most: int
    progress: Callable[[int], None] = lambda _: None
    explained: int = field(default=0, init=False)
    last: Layer = field(default_factory=dict, init=False)
    widest: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        begin = frozenset(
            x.state
            for x in self.steps.semantics.initial()
            if x.state is not None and all(part.fits(x.state) for part in self.log.begin)
        )
        start = (0,) * len(self.log.nodes)
        self._kept: dict[int, Layer] = {0: {start: begin} if begin else {}}
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
            else:
                found = self._redone(place)
                if found is None:
                    return False
                layer, place = found
            self._keep(place, layer)
        return bool(layer)

    def _keep(self, place: int, layer: Layer) -> None:
        self.explained, self.last = max(self.explained, place), layer
        self.widest = max(self.widest, sum(map(len, layer.values())))
        if place % _SPACING == 0:
            self._kept[place] = layer
            self.progress(place)

    def _redone(self, end: int) -> tuple[Layer, int] | None:
        """The layer after the event at which the search ended, with all states from further and further back."""
        back = 1
        while True:
            start = max(0, end - back)
            place, layer = start, self._layer(start)
            while place <= end and layer:
                best, layer = layer, self._next(layer, full=True)
                place += bool(layer)
                self.widest = max(self.widest, sum(map(len, layer.values())))
            if place > end:
                self._full = [x for x in self._full if x[1] <= start] + [(start, place)]
                self._kept = {x: one for x, one in self._kept.items() if x <= start}
                self._kept[place] = layer
                return layer, place
            if start == 0:
                self.explained, self.last = place, best
                return None
            back *= 2

    def _layer(self, place: int) -> Layer:
        """The layer after so many events."""
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
                reached = {cut: states | self._hidden(states) for cut, states in reached.items()}
                self._limit(reached)
            if not full or more == self.hidden:
                found = self._explained(reached)
                self._limit(found)
                if found:
                    return found if full else _few(found)
        return {}

    def _hidden(self, states: frozenset[State]) -> frozenset[State]:
        return frozenset().union(*map(self.steps.hidden, states))

    def _explained(self, layer: Layer) -> Layer:
        found: dict[Cut, frozenset[State]] = {}
        for cut, states in layer.items():
            for node in self.log.next(cut):
                number = self.log.events[node][cut[node]]
                event = self.log.kinds[number]
                after = frozenset[State]().union(*(self.steps.after(x, event, number) for x in states))
                if after:
                    past = (*cut[:node], cut[node] + 1, *cut[node + 1 :])
                    found[past] = found[past] | after if past in found else after
        return found

    def _limit(self, layer: Layer) -> None:
        if sum(map(len, layer.values())) > self.most:
            raise TooManyStates

    # -- the run that fits --------------------------------------------------------------------------------

    def path(self) -> list[Step]:
        """A run that fits the whole log, from the step that leads to its first state; after `run` was true."""
        place = self.log.size
        cut, states = next(iter(self.last.items()))
        state = min(states, key=repr)
        backwards: list[Step] = []
        while place:
            base = max(0, (place - 1) // _SPACING * _SPACING)
            layers = [self._layer(base)]
            for number in range(base, place - 1):
                layers.append(self._next(layers[-1], full=self._is_full(number)))
            while layers:
                cut, steps = self._explanation(layers.pop(), cut, state)
                backwards += [step for _, step in reversed(steps)]
                state = steps[0][0] if steps else state
            place = base
        begin = next(x for x in self.steps.semantics.initial() if x.state == state)
        return [Step("init", dict(begin.picks), begin.state), *reversed(backwards)]

    def _explanation(self, layer: Layer, cut: Cut, target: State) -> tuple[Cut, list[tuple[State, Step]]]:
        """Steps from a state of a layer by which one event is explained and a state after it is reached.

        Returns:
            The cut of the state from which they lead, and each step with the state before it.
        """
        for before, states in layer.items():
            for node in self.log.next(before):
                if cut != (*before[:node], before[node] + 1, *before[node + 1 :]):
                    continue
                found = self._steps_to(states, self.log.event(node, before[node]), target)
                if found is not None:
                    return before, found
        raise AssertionError("a layer has states that nothing leads to")

    def _steps_to(
        self, states: frozenset[State], event: Event, target: State
    ) -> list[tuple[State, Step]] | None:
        """Hidden steps, the fewest there are, and the step that explains an event."""
        came: dict[State, tuple[State, Step] | None] = dict.fromkeys(states)
        front = list(states)
        for _ in range(self.hidden + 1):
            for state in front:
                last = self._last_step(state, event, target)
                if last is not None:
                    return [*_back(came, state), *last]
            following = []
            for state in front:
                for one in self.steps.hidden_outcomes(state):
                    assert one.state is not None
                    if one.state not in came:
                        came[one.state] = state, Step(one.action, dict(one.picks), one.state)
                        following.append(one.state)
            front = following
        return None

    def _last_step(self, state: State, event: Event, target: State) -> list[tuple[State, Step]] | None:
        if not event.is_step:
            fits = state == target and all(part.fits(state) for part in (*event.before, *event.after))
            return [] if fits else None
        for one in self.steps.explaining(state, event):
            if one.state == target:
                return [(state, Step(one.action, dict(one.picks), one.state))]
        return None


def _back(came: dict[State, tuple[State, Step] | None], state: State) -> list[tuple[State, Step]]:
    chain = []
    while (link := came[state]) is not None:
        chain.append(link)
        state = link[0]
    return chain[::-1]


def _few(layer: Layer) -> Layer:
    """A layer, or a part of it that is small."""
    if len(layer) > _MOST_CUTS:
        layer = dict(list(layer.items())[:_MOST_CUTS])
    if sum(map(len, layer.values())) > _MOST_STATES:
        most = max(1, _MOST_STATES // len(layer))
        # A layer that is computed again must be the same.
        layer = {cut: frozenset(sorted(states, key=hash)[:most]) for cut, states in layer.items()}
    return layer

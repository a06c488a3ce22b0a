"""The events of a log, in terms of a model."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import Option, Type, Value

_MISSING = object()


@dataclass(frozen=True)
class Part:
    """A part of a state with the value that a log tells of it.

    Attributes:
        text: its path, such as `role[s1]`.
        steps: the places on the way to it: that of the variable in a state, and so on.
        type: its type.
        value: its value.
    """

    text: str
    steps: tuple[int, ...]
    type: Type
    value: Value

    def found(self, state: State) -> Value:
        """The value in a state; something equal to no value if there is no such part."""
        value: Any = state
        for step in self.steps:
            if value is None or step >= len(value):
                return _MISSING
            value = value[step]
        return value

    def fits(self, state: State) -> bool:
        """Whether a state has the value."""
        return bool(self.found(state) == self.value)

    def shown(self, state: State) -> str | None:
        """The value in a state as TLA+ text; None if there is no such part."""
        value = self.found(state)
        if value is _MISSING:
            return None
        return "None" if value is None and not isinstance(self.type, Option) else self.type.tla(value)


@dataclass(frozen=True)
class Event:
    """A line of a log, apart from its place. Equal lines are equal events.

    Attributes:
        actions: the actions that it may be, each with the picks that the log tells; without any, it is no step
            but a look at the state.
        before: the parts of the state before it that the log tells.
        after: those of the state after it.
    """

    actions: Mapping[str, Mapping[str, Value]]
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()

    @property
    def is_step(self) -> bool:
        """Whether it is a step, not only a look at the state."""
        return bool(self.actions)


Cut = tuple[int, ...]
"""The number of events of each node that are past."""


@dataclass
class Log:
    """The events of all nodes.

    Attributes:
        begin: what is told of the initial state.
        nodes: the name of each node.
        kinds: the different events.
        events: for each node the numbers of its events among `kinds`, in their order.
        places: for each node the file of its events, and the line of each.
        needs: for a node and the place of an event, how many events of other nodes come before it, by the
            places of the nodes.
        clocks: for each node the times of its events; empty without a clock.
        clock_error: the most by which an event may be earlier than one that came before it.
    """

    begin: tuple[Part, ...] = ()
    nodes: list[str] = field(default_factory=list)
    kinds: list[Event] = field(default_factory=list)
    events: list[array[int]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    lines: list[array[int]] = field(default_factory=list)
    needs: dict[tuple[int, int], Mapping[int, int]] = field(default_factory=dict)
    clocks: list[array[float]] = field(default_factory=list)
    clock_error: float = 0.0

    @property
    def size(self) -> int:
        """The number of events."""
        return sum(map(len, self.events))

    def event(self, node: int, place: int) -> Event:
        """The event of a node at a place, from 0."""
        return self.kinds[self.events[node][place]]

    def place(self, node: int, place: int) -> str:
        """The file and the line of an event."""
        return f"{self.files[node]}:{self.lines[node][place]}"

    def next(self, cut: Cut) -> list[int]:
        """The nodes whose next event may be the next of all after a cut."""
        left = [node for node, past in enumerate(cut) if past < len(self.events[node])]
        if self.clocks and len(left) > 1:
            times = {node: self.clocks[node][cut[node]] for node in left}
            latest = min(times.values()) + self.clock_error
            left = [node for node in left if times[node] <= latest]
        if not self.needs:
            return left
        return [node for node in left if self._has_its_causes(node, cut)]

    def _has_its_causes(self, node: int, cut: Cut) -> bool:
        needs = self.needs.get((node, cut[node]), {})
        return all(cut[other] >= least for other, least in needs.items())

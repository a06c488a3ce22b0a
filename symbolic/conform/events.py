"""The events of a log, in terms of a model."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import or_
from typing import Any

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Record,
    Seq,
    Span,
    Tuple,
    Type,
    Value,
    in_tla,
    nodes as n,
)

_MISSING = object()
SPAN = Span("<log>", 1)
_BOOL = Bool()


@dataclass(frozen=True)
class Part:
    """A part of a state, with the value that a log tells of it if it does.

    Attributes:
        text: its path, such as `role[s1]`.
        steps: the places on the way to it: that of the variable in a state, and so on.
        type: its type.
        value: its value.
    """

    text: str
    steps: tuple[int, ...]
    type: Type
    value: Value = None

    def found(self, state: State) -> Value:
        """The value in a state; something equal to no value if there is no such part."""
        value: Any = state
        try:
            for step in self.steps:
                value = value[step]
        except (TypeError, IndexError):  # an option that is None, or a short sequence
            return _MISSING
        return value

    def fits(self, state: State) -> bool:
        """Whether a state has the value."""
        return bool(self.found(state) == self.value)

    def shown(self, state: State) -> str | None:
        """The value in a state as TLA+ text; None if there is no such part."""
        value = self.found(state)
        if value is _MISSING:
            return None
        return "None" if value is None and not isinstance(self.type, Option) else in_tla(self.type, value)


@dataclass(frozen=True, eq=False)
class Event:
    """A line of a log, apart from its place. Lines that tell the same are one event while it is remembered.

    Attributes:
        actions: the actions that it may be, each with the picks that the log tells; without any, it is no step
            but a look at the state.
        before: the parts of the state before it that the log tells.
        after: those of the state after it.
        is_whole: whether it tells all of the state after it.
    """

    actions: Calls
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()
    is_whole: bool = False

    @property
    def is_step(self) -> bool:
        """Whether it is a step, not only a look at the state."""
        return bool(self.actions)


Calls = Mapping[str, Mapping[str, Value]]
"""Actions by name, each with the values of some of its picks."""

Cut = tuple[int, ...]
"""The number of events of each node that are past."""

_MOST_REMEMBERED = 100_000


class Journal:
    """The events of a node, in little memory: long logs tell few different things in many combinations.

    Attributes:
        name: its name.
        file: the file of its events.
        lines: the line of each event.
        clock: the time of each event; empty without a clock.
    """

    def __init__(self, name: str, file: str) -> None:
        self.name, self.file = name, file
        self.lines = array("Q")
        self.clock = array("d")
        self._told = array("I")
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, line: int, calls: int, before: Sequence[int], after: Sequence[int]) -> None:
        """Add an event: its line, and the numbers of what it tells in a `Log`."""
        self.lines.append(line)
        self._told.extend((calls, len(before), *before, *after))
        self._ends.append(len(self._told))

    def told(self, place: int) -> array[int]:
        """The numbers of what an event tells: its calls, how many parts are of the state before, all parts."""
        return self._told[self._ends[place] : self._ends[place + 1]]


@dataclass
class Log:
    """The events of all nodes.

    Attributes:
        begin: what is told of the initial state.
        nodes: the nodes.
        calls: the different ways to name an action and picks.
        parts: the different parts that are told.
        leaves: for each part, the leaves of a state that it tells, as the bits of a number.
        all_leaves: all leaves of a state.
        needs: for a node and the place of an event, how many events of other nodes come before it, by the
            places of the nodes.
        has_clock: whether events have times.
        clock_error: the most by which an event may be earlier than one that came before it.
    """

    begin: tuple[Part, ...] = ()
    nodes: list[Journal] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    all_leaves: int = -1
    needs: dict[tuple[int, int], Mapping[int, int]] = field(default_factory=dict)
    has_clock: bool = False
    clock_error: float = 0.0

    def __post_init__(self) -> None:
        self._event = lru_cache(_MOST_REMEMBERED)(self._made)

    @property
    def size(self) -> int:
        """The number of events."""
        return sum(map(len, self.nodes))

    def event(self, node: int, place: int) -> Event:
        """The event of a node at a place, from 0."""
        return self._event(self.nodes[node].told(place).tobytes())

    def _made(self, content: bytes) -> Event:
        calls, count, *parts = array("I", content)
        before, after = parts[:count], parts[count:]
        leaves = reduce(or_, (self.leaves[x] for x in after), 0)
        told, shown = (tuple(self.parts[x] for x in some) for some in (before, after))
        return Event(self.calls[calls], told, shown, leaves == self.all_leaves)

    def place(self, node: int, place: int) -> str:
        """The file and the line of an event."""
        return f"{self.nodes[node].file}:{self.nodes[node].lines[place]}"

    def next(self, cut: Cut) -> list[int]:
        """The nodes whose next event may be the next of all after a cut."""
        left = [node for node, past in enumerate(cut) if past < len(self.nodes[node])]
        if self.has_clock and len(left) > 1:
            times = {node: self.nodes[node].clock[cut[node]] for node in left}
            latest = min(times.values()) + self.clock_error
            left = [node for node in left if times[node] <= latest]
        if not self.needs:
            return left
        needs = {node: self.needs.get((node, cut[node]), {}) for node in left}
        return [node for node in left if all(cut[other] >= least for other, least in needs[node].items())]

    def waiting(self) -> list[str]:
        """The places of events that wait for each other, so that no order has them; none if there is an order."""
        cut = [0] * len(self.nodes)
        while ready := self.next(tuple(cut)):
            for node in ready:
                cut[node] += 1
        left = (node for node, past in enumerate(cut) if past < len(self.nodes[node]))
        return [self.place(node, cut[node]) for node in left]


def formula(model: Model, part: Part) -> n.Node:
    """The formula that a state has a part."""
    variable = model.variables[part.steps[0]]
    node: n.Node = n.make(n.StateVar, variable.type, SPAN, variable.name)
    needs: list[n.Node] = []
    for step in part.steps[1:]:
        if isinstance(node.type, Option):
            needs.append(n.make(n.IsSome, _BOOL, SPAN, node))
            node = n.make(n.Get, node.type.item, SPAN, node)
        node = _inner(node, step, needs)
    if part.type != node.type:
        raise AssertionError(f"{part.text} is of type {node.type!r}")
    equal = n.make(n.Eq, _BOOL, SPAN, node, _constant(part.type, part.value))
    return n.make(n.And, _BOOL, SPAN, (*needs, equal)) if needs else equal


def _inner(node: n.Node, step: int, needs: list[n.Node]) -> n.Node:
    """A part of a value; what must hold for it to be there is added to `needs`."""
    kind = node.type
    if isinstance(kind, Map):
        return n.make(n.Apply, kind.value, SPAN, node, _constant(kind.key, kind.keys[step]))
    if isinstance(kind, Seq):
        number = Int(0, kind.capacity)
        place = _constant(number, step + 1)
        needs.append(n.make(n.Le, _BOOL, SPAN, place, n.make(n.Len, number, SPAN, node)))
        return n.make(n.Index, kind.item, SPAN, node, place)
    return n.make(n.Component, kind.parts[step], SPAN, node, step)


def _constant(kind: Type, value: object) -> n.Node:
    return n.make(n.Const, kind, SPAN, value)


class Leaves:
    """The leaves of a state: the places that have no parts which are always there, numbered."""

    def __init__(self, model: Model) -> None:
        self._model = model
        paths = (path for place, one in enumerate(model.variables) for path in _leaves(one.type, (place,)))
        self._numbers = {path: number for number, path in enumerate(paths)}
        self.all = (1 << len(self._numbers)) - 1

    def of(self, part: Part) -> int:
        """The leaves that a part of a state tells, as the bits of a number; 0 if the part may be missing."""
        kind = self._model.variables[part.steps[0]].type
        for step in part.steps[1:]:
            if not isinstance(kind, (Map, Record, Tuple)):
                return 0
            kind = kind.value if isinstance(kind, Map) else kind.parts[step]
        return sum(1 << self._numbers[path] for path in _leaves(kind, part.steps))


def _leaves(kind: Type, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    kinds = [kind.value] * len(kind.keys) if isinstance(kind, Map) else kind.parts
    if not isinstance(kind, (Map, Record, Tuple)) or not kinds:
        yield path
        return
    for place, one in enumerate(kinds):
        yield from _leaves(one, (*path, place))

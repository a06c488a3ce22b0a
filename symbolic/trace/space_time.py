"""A run as a space-time diagram: lanes, the steps on them, and the messages between steps.

A lane is a member of a type that actions pick and that is the key of a map in the state, such as a replica. If
there is none, it is a member of a sort that actions pick and of which the state has sets, such as the clients
that wait. Other sorts are data, such as the records of a log.

A message is an element that a step adds to a set or a sequence, or an entry that it adds to a map of options.
It is received by the step that takes it away or, where it stays, by each step whose picks contain it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import (
    Bool,
    Enum,
    Int,
    Map,
    Model,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    Value,
    all_types,
    camel,
)
from leadline.symbolic.trace.trace import Step, Trace, action_named

_MOST_LANES = 16
_MOST_MESSAGES = 500

Typed = tuple[Type, Value]
"""A value with its type."""


@dataclass(frozen=True)
class Group:
    """The lanes of one type.

    Attributes:
        kind: the type.
        name: the sort's name or, of integers, that of the first pick of the type.
        on: whether an action picks it first, so that its members seem to act.
    """

    kind: Type
    name: str
    on: bool

    def labels(self) -> list[str]:
        """The name of each lane."""
        names = [str(value) for value in self.kind.values()]
        return names if isinstance(self.kind, Named) else [f"{self.name} {name}" for name in names]


def groups(model: Model) -> list[Group]:
    """The types whose members are lanes."""
    every = all_types({variable.type for variable in model.variables})
    picked = {pick.type for action in model.actions for pick in action.picks}
    keys = picked & {kind.key for kind in every if isinstance(kind, Map)}
    # A set of members tells of each whether it is in, as a map to truth values does.
    keys = keys or picked & {
        kind.item for kind in every if isinstance(kind, Set) and isinstance(kind.item, Sort)
    }
    first = {action.picks[0].type for action in model.actions if action.picks}
    found: dict[Type, Group] = {}
    for pick in (pick for action in model.actions for pick in action.picks):
        kind = pick.type
        if kind in keys and isinstance(kind, (Named, Int)) and kind.cardinality <= _MOST_LANES:
            name = kind.name if isinstance(kind, Named) else camel(pick.name)
            found.setdefault(kind, Group(kind, name, kind in first))
    return list(found.values())


def space_time(model: Model, trace: Trace) -> dict[str, Any] | None:
    """The diagram as JSON, or None if the protocol has no lanes.

    `groups` has each group's name, whether it is shown at first, and its lanes. `steps` has for each state
    whether it has an actor, and its lanes, the actor's first, each as its place among all lanes. `messages`
    has the step that sends, the step that receives, the text and the kind of each.
    """
    found = groups(model)
    if not any(group.on for group in found):
        return None
    lanes = [(group.kind, value) for group in found for value in group.kind.values()]
    places = {lane: place for place, lane in enumerate(lanes)}
    steps = []
    before: State | None = None
    for stage in trace.stages:
        acting, others = _lanes(model, before, stage, places)
        steps.append({"acts": bool(acting), "lanes": [places[lane] for lane in (*acting[:1], *others)]})
        before = stage.state
    return {
        "groups": [{"name": group.name, "on": group.on, "lanes": group.labels()} for group in found],
        "steps": steps,
        "messages": messages(model, trace, {group.kind for group in found if group.on}),
    }


def _lanes(
    model: Model, before: State | None, stage: Step, lanes: Mapping[Typed, int]
) -> tuple[list[Typed], list[Typed]]:
    """The lanes that may act in a step, the likeliest first, and those of its other picks and changes.

    The actor is picked, or named inside a pick; if there are several, it is one whose entry in a map changes.
    """
    picked = list(_picks(model, stage))
    direct = [one for one in picked if one in lanes]
    named = [one for whole in picked for one in _within(*whole) if one in lanes]
    changed: dict[Typed, None] = {}
    if before is not None and stage.state is not None:
        for variable, old, new in zip(model.variables, before, stage.state, strict=True):
            entries = list(_changed(variable.type, old, new))
            if isinstance(variable.type, Set):
                entries = [(variable.type.item, x) for x in (*old, *new) if (x in old) != (x in new)]
            changed |= dict.fromkeys(one for one in entries if one in lanes)
    acting = sorted(dict.fromkeys((*direct, *named)), key=lambda one: one not in changed)
    others = [one for one in dict.fromkeys((*direct, *changed)) if one not in acting[:1]]
    return acting, others


def _picks(model: Model, stage: Step) -> Iterator[Typed]:
    for pick in action_named(model, stage.action).picks:
        if pick.name in stage.picks:
            yield pick.type, stage.picks[pick.name]


def _within(kind: Type, value: Value) -> Iterator[Typed]:
    """A value and all values in it, with their types."""
    yield kind, value
    for _, part, x in _parts(kind, value):
        yield from _within(part, x)


def _parts(kind: Type, value: Value) -> Iterator[tuple[str, Type, Value]]:
    """The components of a value: where each is, its type and itself."""
    match kind:
        case Option() if value is not None:
            yield "", kind.item, value
        case Record() | Tuple():
            yield from ((f".{n}", part, x) for n, (part, x) in enumerate(zip(kind.parts, value, strict=True)))
        case Union():
            yield f".{value[0]}", kind.by_tag[value[0]], value[1]
        case Map():
            yield from ((f"[{k}]", kind.value, x) for k, x in zip(kind.keys, value, strict=True))
        case Set() | Seq():
            yield from (("", kind.item, x) for x in value)


def _changed(kind: Type, old: Value, new: Value) -> Iterator[Typed]:
    """The keys of maps whose entries differ, with the type of the key."""
    if old == new or isinstance(kind, (Set, Seq)):
        return
    if isinstance(kind, Map):
        entries = zip(kind.keys, old, new, strict=True)
        yield from ((kind.key, key) for key, one, other in entries if one != other)
    inside = {place: (part, x) for place, part, x in _parts(kind, old)}
    for place, part, x in _parts(kind, new):
        if place in inside and inside[place][0] == part:
            yield from _changed(part, inside[place][1], x)


# -- messages --------------------------------------------------------------------------------------------


class Element(NamedTuple):
    """An element of a set or sequence, or an entry of a map.

    Attributes:
        kind: its type.
        value: its value.
        owner: the lane whose entry of a map holds the container, such as that of an inbox.
        key: of an entry, its key.
    """

    kind: Type
    value: Value
    owner: Typed | None = None
    key: Typed | None = None

    def text(self) -> str:
        """The element as TLA+."""
        shown = self.kind.tla(self.value)
        return f"{self.key[0].tla(self.key[1])} :> {shown}" if self.key else shown

    def label(self, path: str) -> str:
        """The kind of a message: its shape's or record's name, else the variable that holds it.

        A record's field that is one of some words, such as `type |-> "Prepare"`, tells records apart.
        """
        if isinstance(self.kind, Union):
            return str(self.value[0])
        if isinstance(self.kind, Record):
            words = (x for part, x in zip(self.kind.parts, self.value, strict=True) if isinstance(part, Enum))
            return str(next(words, self.kind.name or _variable(path))).strip('"')
        return str(self.value).strip('"') if isinstance(self.kind, Enum) else _variable(path)


def _variable(path: str) -> str:
    """The variable at the beginning of a path."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


Contents = Mapping[str, Counter[Element]]
"""The elements of the containers in a state, by their paths."""
_NOTHING: Counter[Element] = Counter()


def messages(model: Model, trace: Trace, actors: set[Type]) -> list[tuple[int, int, str, str]]:
    """The messages of a run: the step that sends, the step that receives, the text, the kind; at most 500.

    Args:
        model: the model.
        trace: a run of it.
        actors: the types whose members act: what they are keys of is their own state, and no message.
    """
    contents = [_contents(model, stage.state, actors) for stage in trace.stages if stage.state is not None]
    picks = [list(_picks(model, stage)) for stage in trace.stages]
    found: list[tuple[int, int, str, str]] = []
    for sent in range(1, len(contents)):
        old = {one._replace(owner=None) for elements in contents[sent - 1].values() for one in elements}
        for path, elements in contents[sent].items():
            for element in elements - contents[sent - 1].get(path, _NOTHING):
                taken, read = _received(path, element, sent, contents, picks)
                # A copy of a message that was there, as in a log of what was received, is not sent again.
                copied = element._replace(owner=None) in old
                received = [taken] if taken else [] if copied else read
                found += ((sent, step, element.text(), element.label(path)) for step in received)
    return found[:_MOST_MESSAGES]


def _contents(model: Model, state: State, actors: set[Type]) -> Contents:
    found: dict[str, Counter[Element]] = {}
    for variable, value in zip(model.variables, state, strict=True):
        for path, element in _elements(variable.tla, variable.type, value, actors, None):
            found.setdefault(path, Counter())[element] += 1
    return found


def _elements(
    path: str, kind: Type, value: Value, actors: set[Type], owner: Typed | None
) -> Iterator[tuple[str, Element]]:
    """The elements of containers, each with the container's path.

    Members of sorts, numbers and truth values in a set are no messages: they are memberships or facts.
    """
    match kind:
        case Set() | Seq():
            if not isinstance(kind.item, (Sort, Int, Bool)) and kind.item not in actors:
                yield from ((path, Element(kind.item, x, owner)) for x in value)
        case Map(key=Int() as key, value=Option(item=item)) if key not in actors:
            entries = zip(kind.keys, value, strict=True)
            yield from ((path, Element(item, x, owner, (key, k))) for k, x in entries if x is not None)
        case Map(key=key) if key in actors:
            for k, x in zip(kind.keys, value, strict=True):
                yield from _elements(f"{path}[{k}]", kind.value, x, actors, (key, k))
        case _:
            for place, part, x in _parts(kind, value):
                yield from _elements(f"{path}{place}", part, x, actors, owner)


def _received(
    path: str, element: Element, sent: int, contents: Sequence[Contents], picks: Sequence[Sequence[Typed]]
) -> tuple[int | None, list[int]]:
    """The step that takes an element away, if one does, and the steps before it that pick it."""
    read: list[int] = []
    for step in range(sent + 1, len(picks)):
        if step < len(contents):
            now, then = (contents[i].get(path, _NOTHING)[element] for i in (step, step - 1))
            if now < then:
                return step, read
        if _is_picked(element, picks[step]):
            read.append(step)
    return None, read


def _is_picked(element: Element, picks: Sequence[Typed]) -> bool:
    """Whether picks contain a message: the whole, the key of an entry, or every field of a record."""
    kind, value, owner, key = element
    inner = [one for whole in picks for one in _within(*whole)]
    if owner is not None and owner not in inner:
        return False
    if key is not None:
        return key in picks
    if (kind, value) in inner:
        return True
    if isinstance(kind, Union):
        kind, value = kind.by_tag[value[0]], value[1]
    fields = [(part, x) for _, part, x in _parts(kind, value)] if isinstance(kind, Record) else []
    return len(fields) > 1 and not Counter(fields) - Counter(picks)

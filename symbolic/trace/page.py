"""The data of the page of a run, as JSON: values that occur several times are written once.

They are made where the model is known, and are stored with a counterexample of a grid, so that a page of it can be
made without the model: its values as TLA+ text, the reason, the lanes. Stored data are only data, and are checked.

The page shows the run as a space-time diagram: lanes, the steps on them, and the messages between steps. A lane
is a member of a type that actions pick and that is the key of a map in the state, such as a replica. If there is
none, it is a member of a sort that actions pick and of which the state has sets, such as the clients that wait.
Other sorts are data, such as the records of a log.

A message is an element that a step adds to a set or a sequence, or an entry that it adds to a map of options. It
is received by the step that takes it away or, where it stays, by each step whose picks contain it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import (
    Atoms,
    Bool,
    Enum,
    Int,
    Listed,
    Map,
    Model,
    Named,
    Option,
    PropertyKind,
    Record,
    Seq,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    UserError,
    Value,
    all_types,
    in_tla,
    spoken,
)
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.trace import Trace, TraceEnd, action_named, states, title
from leadline.symbolic.trace.aliases import alias_values
from leadline.symbolic.trace.document import Stored
from leadline.symbolic.trace.explainer import Explainer, Reason
from leadline.symbolic.trace.explanation import Falsified, blame, explanation, predicates
from leadline.symbolic.trace.fair import fairness
from leadline.symbolic.trace.replay import end_reason
from leadline.symbolic.trace.text import LineKind, ending, finding, lines
from leadline.symbolic.trace.values import field_names

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
            name = kind.name if isinstance(kind, Named) else spoken(pick)
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
        shown = in_tla(self.kind, self.value)
        return f"{in_tla(self.key[0], self.key[1])} :> {shown}" if self.key else shown

    def label(self, path: str, actors: set[Type]) -> str:
        """The kind of a message: its shape's or record's name, else the variable that holds it.

        A record's field that is one of some words, such as `type |-> "Prepare"`, tells records apart, unless the
        words are those who act, such as the sender.
        """
        if isinstance(self.kind, Union):
            return str(self.value[0])
        if isinstance(self.kind, Record):
            fields = zip(self.kind.parts, self.value, strict=True)
            words = (x for part, x in fields if isinstance(part, _WORDS) and part not in actors)
            return str(next(words, self.kind.name or _variable(path))).strip('"')
        return str(self.value).strip('"') if isinstance(self.kind, _WORDS) else _variable(path)


def _variable(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


Contents = Mapping[str, Counter[Element]]
"""The elements of the containers in a state, by their paths."""
_WORDS = (Atoms, Enum, Listed)
"""The types whose values tell kinds of messages apart."""

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
                found += ((sent, step, element.text(), element.label(path, actors)) for step in received)
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


_MOST_WITNESSES = 4

Data = dict[str, Any]


VERSION = 1
"""The version of the data that are stored."""


def page_data(semantics: Semantics, trace: Trace, begin: str = "") -> Data:
    """The data of the page of a run.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        begin: the first state's name, if it is no initial state.
    """
    model = semantics.model
    values = Nodes()
    steps = [_step(model, stage, values) for stage in trace.stages]
    if begin:
        steps[0]["name"] = begin
    aliases = _add_aliases(model, trace, steps, values)
    end = ending(model, trace, end_reason(semantics, trace))
    return {
        "version": VERSION,
        "title": title(model),
        "finding": finding(model, trace),
        "sentence": _sentence(model, trace, end),
        "text": [[str(line.kind), line.text] for line in lines(semantics, trace)],
        "variables": [*(variable.tla for variable in model.variables), *aliases],
        "aliases": len(aliases),
        "steps": steps,
        "lanes": space_time(model, trace),
        "end": end,
        "ends": str(trace.ends),
        "loop": trace.loop,
        "property": trace.property,
        "fairness": [[one.name, one.why(), one.place] for one in fairness(model, trace)],
        **_why(model, trace, steps),
        "nodes": values.rows,
    }


def _sentence(model: Model, trace: Trace, end: str) -> str:
    """The reason of a counterexample in one sentence, formulas between backquotes."""
    why = explanation(model, trace)
    if why is None or trace.ends is not TraceEnd.VIOLATES:
        # Of several lines the first tells it; all of them stand below the steps.
        return end.partition("\n")[0]
    claim = model.properties[trace.property or ""]
    where = "of this run" if trace.loop is not None else f"in state {trace.length}"
    expected = ", as a probe should be" if claim.kind is PropertyKind.PROBE else ""
    return f"{claim.tla} is false {where}{expected}: {why.sentence()}."


def stored_page_data(stored: Stored) -> Data:
    """The data of the page that are stored with a counterexample.

    Raises:
        UserError: if there are none, or they are wrong.
    """
    data: Any = stored.data.get("page")
    try:
        _need(data["version"] == VERSION)
        _Checked(data).all()
    except (KeyError, ValueError, TypeError) as error:
        raise UserError(f"{stored.place} lacks what a page needs") from error
    shown: Data = data
    return shown


class _Checked:
    """Checks that the page's script can take stored data: no place leads out of a table or in a circle."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def all(self) -> None:
        """Check everything.

        Raises:
            KeyError, ValueError, TypeError: if something is wrong.
        """
        data = self.data
        for name in ("title", "finding", "sentence", "end", "ends"):
            _need(type(data[name]) is str)
        _need(data["property"] is None or type(data["property"]) is str)
        _need(all(type(x) is str for x in [*data["variables"], *data["texts"]]))
        _need(all(kind in list(LineKind) and type(text) is str for kind, text in data["text"]))
        self._tables()
        steps, size = data["steps"], len(data["variables"])
        _need(bool(steps) and data["aliases"] in range(size + 1))
        _need(data["loop"] is None or (type(data["loop"]) is int and data["loop"] in range(len(steps))))
        for step in steps:
            _need(type(step["name"]) is str and type(step["bad"]) is bool)
            _need(all(type(name) is str for name, _ in step["picks"]))
            _places((value for _, value in step["picks"]), data["nodes"])
            _need(step["state"] is None or len(step["state"]) == size)
            _places(step["state"] or (), data["nodes"])
            _places(() if step["reason"] is None else (step["reason"],), data["reasons"])
        for name, why, place in data["fairness"]:
            _need(type(name) is type(why) is str)
            _places(() if place is None else (place,), steps)
        if data["lanes"] is not None:
            self._lanes(data["lanes"])

    def _tables(self) -> None:
        data = self.data
        for number, node in enumerate(data["nodes"]):
            if type(node) is not str:
                kind, keys, parts = node
                _need(kind in _KINDS and (keys is None) is (kind in "sq"))
                _need(keys is None or (len(keys) == len(parts) and all(type(key) is str for key in keys)))
                _places(parts, range(number))
        for number, (formula, value, instance, chosen, parts, more) in enumerate(data["reasons"]):
            _places((formula, value, instance, chosen), data["texts"])
            _places(parts, range(number))
            _need(type(more) is int)
        for name, row in data["parts"]:
            _places((name, *(value for value in row[1::2] if value != -1)), data["texts"])
            _places(row[::2], data["steps"])
            _need(len(row) % 2 == 0)

    def _lanes(self, lanes: Data) -> None:
        steps, names = self.data["steps"], [name for group in lanes["groups"] for name in group["lanes"]]
        _need(all(type(name) is str for name in names))
        _need(all(type(group["name"]) is str and type(group["on"]) is bool for group in lanes["groups"]))
        _need(len(lanes["steps"]) == len(steps))
        for step in lanes["steps"]:
            _need(type(step["acts"]) is bool)
            _places(step["lanes"], names)
        for sent, received, text, kind in lanes["messages"]:
            _places((sent, received), steps)
            _need(type(text) is type(kind) is str)


_KINDS = "rmsq"


def _need(fits: bool) -> None:
    if not fits:
        raise ValueError


def _places(found: Iterable[object], table: Sequence[object]) -> None:
    _need(all(type(place) is int and 0 <= place < len(table) for place in found))


def _step(model: Model, stage: Step, values: Nodes) -> Data:
    action = action_named(model, stage.action)
    made = (pick for pick in action.picks if pick.name in stage.picks)
    return {
        "name": action.tla,
        "picks": [(spoken(pick), values.of(pick.type, stage.picks[pick.name])) for pick in made],
        "state": None if stage.state is None else _state(model, stage.state, values),
        "reason": None,
        "bad": False,
    }


def _add_aliases(model: Model, trace: Trace, steps: Sequence[Data], values: Nodes) -> list[str]:
    """Add the values of aliases to the states, after those of the variables. Gives the aliases' names."""
    rows = alias_values(model, trace)
    names = list(dict.fromkeys(one.tla for row in rows for one in row))
    for step, row in zip(steps, rows, strict=True):
        shown = {
            one.tla: values.place("out of bounds") if one.why else values.of(one.type, one.value)
            for one in row
        }
        if step["state"] is not None:
            step["state"] += [shown.get(name, values.place("out of bounds")) for name in names]
    return names


def _state(model: Model, state: State, values: Nodes) -> list[int]:
    return [values.of(variable.type, x) for variable, x in zip(model.variables, state, strict=True)]


# -- why the property is false ---------------------------------------------------------------------------


def _why(model: Model, trace: Trace, steps: Sequence[Data]) -> Data:
    """The values of the property's predicates and their parts. The reasons of one are added to the steps.

    It is the predicate to blame; without one, the first.
    """
    found = _Predicates(steps)
    visited = list(states(trace))
    # A deadlock has a name too, and no formula.
    about = model.properties.get(trace.property or "")
    if about is not None and visited:
        blamed = blame(model, trace)
        asked = predicates(about)
        explained = blamed.demand.formula if blamed is not None else asked[0]
        at_once = about.temporal is None or (
            blamed is not None and blamed.demand.falsified is Falsified.SOMEWHERE
        )
        for node in asked:
            explainer = Explainer(model, node)
            views = explainer.views(visited)
            if node is explained:
                found.add_reasons(explainer, views, at_once)
            found.add_parts(explainer, views)
    return {"texts": found.texts.rows, "reasons": found.reasons.rows, "parts": found.parts}


class _Predicates:
    """The tables of texts and reasons, and the parts of predicates with their values.

    Args:
        steps: the steps of the page, to which reasons are added.
    """

    def __init__(self, steps: Sequence[Data]) -> None:
        self.steps = steps
        self.texts = Table()
        self.texts.place("")
        self.reasons = Table()
        self.parts: list[tuple[int, list[int]]] = []

    def add_reasons(self, explainer: Explainer, views: Sequence[State | None], at_once: bool) -> None:
        """Add the reason at each step; with `at_once`, the property is false where the predicate is."""
        for step, view in zip(self.steps, views, strict=False):
            if view is not None:
                reason = explainer.reason(view, _MOST_WITNESSES)
                step["reason"] = self._placed(reason)
                step["bad"] = at_once and reason.value == "FALSE"

    def add_parts(self, explainer: Explainer, views: Sequence[State | None]) -> None:
        """Add the values of a predicate and its parts, short texts first."""
        there = [view for view in views if view is not None]
        missing: list[str | None] = [None] * (len(views) - len(there))
        rows = explainer.table(there) if there else []
        rows[1:] = sorted(rows[1:], key=lambda row: len(row[0]))
        self.parts += ((self.texts.place(name), self._changes([*missing, *row])) for name, row in rows)

    def _placed(self, reason: Reason) -> int:
        """The place of a reason: the places of its texts and of its parts, and the number left out."""
        chosen = " = ".join(reason.chosen or ()) + (f" in {reason.domain}" if reason.domain else "")
        parts = tuple(map(self._placed, reason.parts))
        words = (reason.formula, reason.value, reason.instance, chosen)
        return self.reasons.place((*map(self.texts.place, words), parts, reason.left_out))

    def _changes(self, row: Sequence[str | None]) -> list[int]:
        """A row's values: each step at which they change, with the place of the text from then on, or -1."""
        found: list[int] = []
        for step, value in enumerate(row):
            if step == 0 or value != row[step - 1]:
                found += (step, -1 if value is None else self.texts.place(value))
        return found


# -- tables ----------------------------------------------------------------------------------------------


class Table:
    """Rows without duplicates."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[Hashable, int] = {}

    def place(self, row: Hashable) -> int:
        """The place of a row, which is added if it is new."""
        if row not in self._places:
            self._places[row] = len(self.rows)
            self.rows.append(row)
        return self._places[row]


class Nodes(Table):
    """Values: a text, or a kind (r: record, m: map, s: set, q: sequence or tuple), keys, and places of parts.

    Equal values have the same place, so the script compares places.
    """

    def of(self, kind: Type, value: Value) -> int:
        """The place of a value of the type."""
        match kind:
            case Option() if value is not None:
                return self.of(kind.item, value)
            case Record() if kind.parts:
                return self._whole("r", field_names(kind), zip(kind.parts, value, strict=True))
            case Union():
                record = kind.by_tag[value[0]]
                fields = [(kind.tags, value[0]), *zip(record.parts, value[1], strict=True)]
                return self._whole("r", ("type", *field_names(record)), fields)
            case Map() if pairs := list(kind.pairs(value)):
                keys = tuple(in_tla(kind.key, key) for key, _ in pairs)
                return self._whole("m", keys, ((kind.value, x) for _, x in pairs))
            case Set():
                return self._whole("s", None, ((kind.item, x) for x in sorted(value, key=kind.item.order)))
            case Seq():
                return self._whole("q", None, ((kind.item, x) for x in value))
            case Tuple():
                return self._whole("q", None, zip(kind.items, value, strict=True))
        return self.place(in_tla(kind, value))

    def _whole(self, kind: str, keys: tuple[str, ...] | None, parts: Iterable[tuple[Type, Value]]) -> int:
        return self.place((kind, keys, tuple(self.of(part, x) for part, x in parts)))

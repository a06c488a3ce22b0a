"""Logs of implementations, and the maps that say what their fields mean. Both are data: nothing in them is run.

A log is NDJSON (an object a line), CSV (a header, then a line for each event) or ITF. A map is TOML:

    [log]
    action = "event"            # the field that names the action (default: "action")
    node = "host"               # lines of different values have no common order (default: lines are in order)
    clock = "time"              # a number: an event comes before those of other nodes with a larger one,
    clock_error = 0.01          # if it is smaller by more than this
    sent = "message"            # the names of messages: the event that received one comes after the one
    received = "cause"          # that sent it
    skip = ["level == 'debug'"] # conditions on the fields of events that are left out
    observe = ["event == 'status'"]  # events that are no steps: they tell a part of the state
    hidden = ["Timeout"]        # the actions of steps that the log need not show (default: all)
    [actions]
    elected = "BecomeLeader"    # a name in the log, and the action, or several that it may be
    [picks]
    server = "host"             # a pick, and the field with its value; "BecomeLeader.server" is that of one action
    [before]
    [after]
    "role[{host}]" = "role"     # a part of the state before or after the step, and the field with its value
    [names]
    "node-1" = "s1"             # a name in the log, and the name in the model

Without these tables an event tells its picks, and parts of the state before and after it, as objects `picks`,
`before` and `after`; without `picks`, each field of a pick's name tells that pick. Members of a sort that the log
names otherwise are matched in the order of their occurrence where the model treats them alike.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from io import BytesIO, StringIO
from pathlib import Path
from sys import float_info
from typing import Any, BinaryIO

from leadline.symbolic.concrete import State
from leadline.symbolic.conditions import Condition, Name, read_condition
from leadline.symbolic.conform.events import Calls, Journal, Leaves, Log, Part
from leadline.symbolic.files import read_bytes, read_text
from leadline.symbolic.lang import (
    Action,
    Map,
    Model,
    Named,
    Option,
    Pick,
    Record,
    Seq,
    Sort,
    Type,
    Union,
    UserError,
    Value,
    in_tla,
    symmetric_sorts,
    unknown_name,
    untagged,
)
from leadline.symbolic.meaning.trace import action_named
from leadline.symbolic.trace import Trace
from leadline.symbolic.trace.document import no_key_twice
from leadline.symbolic.trace.values import bare_json, field_names, from_json, spelled

_MOST_TOLD = 10
_MOST_REMEMBERED = 100_000
_ABSENT = object()
_TABLES = ("actions", "picks", "before", "after", "names")
_STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[([^\[\]]+)\]")
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class LogMap:
    """The meaning of a log's fields. The attributes are those of the TOML in the module's text."""

    action: str = "action"
    node: str | None = None
    clock: str | None = None
    clock_error: float = 0.0
    sent: str | None = None
    received: str | None = None
    skip: tuple[Condition, ...] = ()
    observe: tuple[Condition, ...] = ()
    hidden: tuple[str, ...] | None = None
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    picks: Mapping[str, str] | None = None
    before: Mapping[str, str] | None = None
    after: Mapping[str, str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def fields(self) -> dict[str, bool]:
        """The fields of a line that are read, each with whether the map names it."""
        named = [x for x in (self.node, self.clock, self.sent, self.received) if x is not None]
        for table in (self.picks, self.before, self.after):
            named += [] if table is None else table.values()
        for table in (self.before, self.after):
            named += [x for path in table or () for x in _PLACEHOLDER.findall(path)]
        given = {"picks": self.picks, "before": self.before, "after": self.after}
        usual = [LogMap.action, *(name for name, table in given.items() if table is None)]
        return {
            **dict.fromkeys(usual, False),
            **dict.fromkeys([*named, self.action], True),
            LogMap.action: False,
        }


def read_map(path: Path) -> LogMap:
    """Read a map.

    Raises:
        UserError: with all mistakes in it.
    """
    try:
        data = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not TOML: {error}") from error
    wrong: list[str] = []
    known = ("log", *_TABLES)
    wrong += [unknown_name("there is no table", name, list(known)) for name in data if name not in known]
    given = {name: _table(data, name, wrong) for name in known if name in data}
    about = _about(given.pop("log", {}), wrong)
    for name, table in given.items():
        read = _texts if name == "actions" else _text
        about[name] = {key: read(f"{name}.{key}", x, wrong) for key, x in table.items()}
    if wrong:
        raise UserError("\n".join(f"{path}: {text}" for text in wrong))
    return LogMap(**about)


def _table(data: Mapping[str, Any], name: str, wrong: list[str]) -> Mapping[str, Any]:
    table = data[name]
    if isinstance(table, dict):
        return table
    wrong.append(f"{name} is a table: write [{name}]")
    return {}


def _about(table: Mapping[str, Any], wrong: list[str]) -> dict[str, Any]:
    """The fields of the table [log]."""
    known = [one.name for one in fields(LogMap) if one.name not in _TABLES]
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            wrong.append(unknown_name("[log] has no", key, known))
        elif key == "clock_error":
            if type(value) not in (int, float) or not 0 <= value < float("inf"):
                wrong.append(f"log.{key}: a number from 0 on is needed, not {value!r}")
            found[key] = value
        elif key in ("skip", "observe"):
            texts = _texts(f"log.{key}", value, wrong)
            found[key] = tuple(filter(None, (_condition(key, text, wrong) for text in texts)))
        elif key == "hidden":
            found[key] = _texts(f"log.{key}", value, wrong)
        else:
            found[key] = _text(f"log.{key}", value, wrong)
    return found


def _text(place: str, value: Any, wrong: list[str]) -> str:
    if isinstance(value, str) and value:
        return value
    wrong.append(f"{place}: text is needed, not {value!r}")
    return ""


def _texts(place: str, value: Any, wrong: list[str]) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_text(place, one, wrong) for one in values)


def _condition(key: str, text: str, wrong: list[str]) -> Condition | None:
    def name(path: str) -> Name:
        return Name(lambda event: _plain(_field(event, path)), frozenset())

    return read_condition(f"log.{key}", text, name, lambda told: wrong.append(f"log.{key}: {told}"))


def _plain(value: Any) -> Any:
    """A field as a condition sees it: what is no truth value, number or text is missing."""
    return value if isinstance(value, (bool, int, float, str)) else None


def _field(event: Mapping[str, Any], path: str) -> Any:
    """A field, or one of an object in it, by a path with dots."""
    if path in event:
        return event[path]
    value: Any = event
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return value


# -- files ------------------------------------------------------------------------------------------------

Raw = dict[str, Any]


def _lines(path: Path, wrong: Callable[[str], None]) -> Iterator[tuple[int, Raw]]:
    """The events of a file, each with its line (of ITF, the number of the state)."""
    name = path.name.removesuffix(".gz")
    try:
        with opened(path) as file:
            if not name.endswith((".csv", ".itf.json", ".itf")):
                yield from _of_ndjson(file, path, wrong)
                return
            text = file.read().decode("utf-8-sig")
        yield from _of_csv(text, path, wrong) if name.endswith(".csv") else _of_itf(text, path)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: {error}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path} is not gzip, or is cut off: {error}") from error


def opened(path: Path) -> BinaryIO:
    """The content of a log's file; of one that ends in .gz, the file that is packed in it.

    Raises:
        UserError: if it cannot be read.
    """
    content = BytesIO(read_bytes(path, most=4 << 30))
    return gzip.open(content) if path.name.endswith(".gz") else content  # type: ignore[return-value]  # GzipFile reads bytes


def _of_ndjson(file: BinaryIO, path: Path, wrong: Callable[[str], None]) -> Iterator[tuple[int, Raw]]:
    # Line by line, since a long log takes several times its size as text and as objects.
    for number, line in enumerate(file, start=1):
        if line.isspace():
            continue
        try:
            # Some systems begin a file with a mark of its byte order.
            written = line.decode("utf-8-sig" if number == 1 else "utf-8")
            event = json.loads(written, object_pairs_hook=no_key_twice)
        except (ValueError, RecursionError) as error:
            if line.endswith(b"\n"):
                wrong(f"{path}:{number} is not JSON: {error}")
            else:
                wrong(f"{path}:{number}: the last line is cut off or no JSON: remove it ({error})")
            continue
        if isinstance(event, dict):
            yield number, event
        else:
            wrong(f"{path}:{number}: an object is needed")


def _of_csv(text: str, path: Path, wrong: Callable[[str], None]) -> Iterator[tuple[int, Raw]]:
    reader = csv.DictReader(StringIO(text, newline=""), strict=True)
    try:
        names = reader.fieldnames or ()
        if twice := sorted({x for x in names if [*names].count(x) > 1}):
            raise UserError(
                f"{path}:1: the header has {', '.join(twice)} twice: give each column a name of its own"
            )
        for row in reader:
            if None in row or None in row.values():
                wrong(f"{path}:{reader.line_num}: it has not as many fields as the header")
                continue
            yield reader.line_num, {key: _of_cell(x) for key, x in row.items() if x != ""}
    except csv.Error as error:
        wrong(f"{path}:{reader.line_num}: {error}")


def _of_cell(text: str) -> Any:
    """A number, truth value or other JSON; else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _of_itf(text: str, path: Path) -> Iterator[tuple[int, Raw]]:
    try:
        data = json.loads(text, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON: {error}") from error
    states = data.get("states") if isinstance(data, dict) else None
    if not isinstance(states, list) or not all(isinstance(x, dict) for x in states):
        raise UserError(f"{path} is not ITF: an object with an array `states` is needed")
    meta = data.get("#meta")
    aliases = meta.get("aliases") if isinstance(meta, dict) else None
    left_out = ["#meta", *(aliases if isinstance(aliases, list) else [])]
    for number, state in enumerate(states):
        about = state.get("#meta")
        call = about.get("action") if isinstance(about, dict) else None
        told = {key: _of_itf_value(x) for key, x in state.items() if key not in left_out}
        event: Raw = {"after": told}
        if number == 0:
            event["action"] = "init"
        elif isinstance(call, str):
            event["action"] = call.partition("(")[0]
        yield number, event


def _of_itf_value(value: Any) -> Any:
    """A value of ITF as `from_json` reads it."""
    match value:
        case {"#bigint": str(digits)} if digits.lstrip("-").isdecimal() and len(digits) < 4000:
            return int(digits)
        case {"#tup": list(items)} | {"#set": list(items)}:
            return [_of_itf_value(x) for x in items]
        case {"#map": list(pairs)} if all(isinstance(x, list) and len(x) == 2 for x in pairs):
            read = [[_of_itf_value(x) for x in pair] for pair in pairs]
            named = all(isinstance(key, str) for key, _ in read)
            return dict(read) if named else read
        case {"tag": tag, "value": "U_OF_UNIT"}:
            return {"tag": tag, "value": {}}
        case dict():
            return {key: _of_itf_value(x) for key, x in value.items()}
        case list():
            return [_of_itf_value(x) for x in value]
    return None if value == "None" else value


# -- events -----------------------------------------------------------------------------------------------


def read_log(
    model: Model, paths: Sequence[Path], about: LogMap, names: Mapping[str, str] | None = None
) -> tuple[Log, Reader]:
    """Read a log.

    Args:
        model: the model.
        paths: its files. Several have no common order but what the map says.
        about: the meaning of their fields.
        names: further names of the log's, each with that in the model.

    Raises:
        UserError: with the first mistakes in the map and the log.
    """
    reader = Reader(model, about, names or {})
    for path in paths:
        reader.add(path)
    reader.order()
    if not reader.wrong and reader.unread and reader.fields:
        reader.wrong += _unread(reader, about)
    if reader.wrong:
        more = len(reader.wrong) - _MOST_TOLD
        raise UserError(
            "\n".join([*reader.wrong[:_MOST_TOLD], *([f"and {more} more mistakes"] if more > 0 else [])])
        )
    if not reader.log.size and not reader.log.begin:
        told = ", ".join(map(str, paths)) or "no files"
        raise UserError(f"{told}: there is no event in the log, so there is nothing to explain")
    return reader.log, reader


def _unread(reader: Reader, about: LogMap) -> Iterator[str]:
    """The mistake of a map that reads nothing of a log, or no action: then any step would explain any line."""
    shown = ", ".join(sorted(reader.fields)[:_MOST_TOLD])
    if reader.unread.keys() >= about.fields().keys():
        wanted = ", ".join(about.fields())
        yield f"no line of the log has a field that is read ({wanted}), but {shown}: give a map (--map) of these"
    elif about.action != LogMap.action and about.action in reader.unread:
        yield f"no line of the log has the field `{about.action}`, the map's action: there are {shown}"


class Reader:
    """Reads the files of a log.

    Attributes:
        log: the events so far.
        wrong: the mistakes so far.
        matched: for each sort, the names of the log's that were matched with its members.
        taken: the members of sorts that the map names, or the log itself.
        unread: the fields that no line had so far, each with whether the map names it.
        fields: the fields of the first line.
    """

    def __init__(self, model: Model, about: LogMap, names: Mapping[str, str]) -> None:
        self.model = model
        self.about = about
        self._leaves = Leaves(model)
        self.log = Log(all_leaves=self._leaves.all)
        self.wrong: list[str] = []
        self.matched: dict[Sort, dict[str, str]] = {}
        self.unread = about.fields()
        self.fields: set[str] = set()
        self._names = {**about.names, **names}
        self.taken: set[object] = {*self._names.values()}
        # Branches of an action of a module are actions of its name.
        self._actions: dict[str, tuple[Action, ...]] = {}
        for one in model.actions:
            for name in {one.tla, one.name}:
                self._actions[name] = (*self._actions.get(name, ()), one)
        self._variables = {x: place for place, v in enumerate(model.variables) for x in (v.tla, v.name)}
        self._calls: dict[Any, int] = {}
        self._parts: dict[Any, tuple[int, ...]] = {}
        self._numbers: dict[Part, int] = {}
        self._threads: dict[Any, int] = {}
        self._picked = [x for one in model.actions for x in _pick_names(one) if x not in about.fields()]
        self._sent: dict[Any, tuple[int, int]] = {}
        self._received: list[tuple[Any, int, int]] = []
        self._place = ""
        self._check_map()

    def _check_map(self) -> None:
        """Mistakes in the map that no event is needed to see."""
        known = list(self._actions)
        named = [x for texts in self.about.actions.values() for x in texts]
        for name in (*named, *(self.about.hidden or ())):
            if name not in self._actions:
                self.wrong.append(unknown_name(f"the map: {self.model.protocol} has no action", name, known))
        picks = {pick.name for action in self.model.actions for pick in action.picks}
        for name in self.about.picks or ():
            if name.rpartition(".")[2] not in picks:
                self.wrong.append(unknown_name("the map: there is no pick", name, sorted(picks)))

    def add(self, path: Path) -> None:
        """Read a file."""
        for number, raw in _lines(path, self.wrong.append):
            if len(self.wrong) > _MOST_TOLD:
                return
            self._place = f"{path}:{number}"
            if any(one.holds(raw) for one in self.about.skip):
                continue
            self.fields = self.fields or {*raw}
            for name in [x for x in self.unread if _field(raw, x) is not _ABSENT]:
                del self.unread[name]
            try:
                self._take(path, number, raw)
            except UserError as error:
                self.wrong.append(str(error))

    def _take(self, path: Path, number: int, raw: Raw) -> None:
        name = _field(raw, self.about.action)
        if name in ("init", "Init") and name not in self.about.actions and not self.log.size:
            told = (x for part in self._fields(raw, "after") for x in self._told(*part))
            self.log.begin += tuple(self.log.parts[x] for x in told)
            return
        thread = self._thread(path, raw)
        calls = self._call(raw)
        before, after = (
            [x for part in self._fields(raw, name) for x in self._told(*part)] for name in ("before", "after")
        )
        self._note_order(raw, thread)
        self.log.nodes[thread].add(number, calls, before, after)

    def _thread(self, path: Path, raw: Raw) -> int:
        """The place of the node that an event is of."""
        value = None if self.about.node is None else _field(raw, self.about.node)
        if value is _ABSENT or isinstance(value, (dict, list)):
            raise UserError(f"{self._place}: the field {self.about.node}, the map's node, is missing")
        key = (str(path), value)
        if key not in self._threads:
            self._threads[key] = len(self.log.nodes)
            self.log.nodes.append(Journal(path.stem if value is None else str(value), str(path)))
        return self._threads[key]

    def _note_order(self, raw: Raw, thread: int) -> None:
        about, place = self.about, len(self.log.nodes[thread])
        if about.clock is not None:
            time = _field(raw, about.clock)
            if type(time) not in (int, float) or not abs(time) <= float_info.max:
                raise UserError(f"{self._place}: the field {about.clock}, the map's clock, is no number")
            clock = self.log.nodes[thread].clock
            if clock and clock[-1] > time:
                raise UserError(
                    f"{self._place}: {about.clock}, the map's clock, goes back from {clock[-1]:g}"
                )
            clock.append(time)
        if about.sent is not None and (message := _field(raw, about.sent)) is not _ABSENT:
            self._sent.setdefault(str(message), (thread, place))
        if about.received is not None and (message := _field(raw, about.received)) is not _ABSENT:
            self._received.append((str(message), thread, place))

    def order(self) -> None:
        """Note the order between nodes."""
        self.log.has_clock = self.about.clock is not None
        self.log.clock_error = self.about.clock_error
        for message, thread, place in self._received:
            sender = self._sent.get(message)
            if sender is not None and sender[0] != thread:
                self.log.needs[thread, place] = {sender[0]: sender[1] + 1}
        if self.log.needs and (waiting := self.log.waiting()):
            by = "messages and times" if self.log.has_clock else "messages"
            told = f"each of these events waits for another one, by the {by}: mend the log or its map"
            self.wrong.append(f"{', '.join(waiting)}: {told}")

    def _call(self, raw: Raw) -> int:
        """The number of the actions and picks that an event tells."""
        about = self.about
        observed = any(one.holds(raw) for one in about.observe)
        read = [about.action, *(["picks", *self._picked] if about.picks is None else about.picks.values())]
        key = None if observed else repr([_field(raw, path) for path in read])
        if key not in self._calls:
            self.log.calls.append({} if observed else self._made(raw))
            self._calls[key] = len(self.log.calls) - 1
        return self._calls[key]

    def _made(self, raw: Raw) -> Calls:
        found = _field(raw, self.about.action)
        name = str(found)
        if found is _ABSENT or found is None:
            chosen = self.model.actions
        elif name in self.about.actions:
            chosen = tuple(one for x in self.about.actions[name] for one in self._actions.get(x, ()))
        elif name in self._actions:
            chosen = self._actions[name]
        else:
            what = f"{self._place}: {self.model.protocol} has no action"
            told = unknown_name(what, name, [one.tla for one in self.model.actions])
            raise UserError(f"{told} (a map says under [actions] which one it is, or skips it)")
        return {one.name: self._picks(one, raw, len(chosen) > 1) for one in chosen}

    def _picks(self, action: Action, raw: Raw, one_of_several: bool) -> dict[str, Value]:
        """The picks that an event tells if it is of an action."""
        found: dict[str, Value] = {}
        given: dict[str, Any] = {}
        names = _pick_names(action)
        if self.about.picks is None:
            told = raw.get("picks")
            if not isinstance(told, dict) and told is not None:
                raise UserError(f"{self._place}: picks: an object by picks is needed")
            own = (x for x in names if x in raw and x in self._picked)
            given = {x: raw[x] for x in own} if told is None else told
        else:
            # The field that is named for one action alone prevails.
            for name, path in sorted(self.about.picks.items(), key=lambda one: "." in one[0]):
                owner, _, pick = name.rpartition(".")
                if owner in ("", action.name, action.tla):
                    given[pick] = _field(raw, path)
        for name, value in given.items():
            chosen = names.get(name)
            if chosen is None and self.about.picks is None and not one_of_several:
                raise UserError(
                    f"{self._place}: {unknown_name(f'{action.tla} has no pick', name, list(names))}"
                )
            if chosen is not None and value is not _ABSENT:
                found[chosen.name] = self._value(chosen.type, value, f"{self._place}: {name}")
        return found

    def _fields(self, raw: Raw, name: str) -> Iterator[tuple[str, Any]]:
        """The paths to parts of a state that an event tells, each with the value."""
        table = getattr(self.about, name)
        if table is None:
            told = _field(raw, name)
            if told is _ABSENT or told is None:
                return
            if not isinstance(told, dict):
                raise UserError(f"{self._place}: {name}: an object by variables is needed")
            yield from told.items()
            return
        for text, path in table.items():
            value = _field(raw, path)
            holes = {x: _field(raw, x) for x in _PLACEHOLDER.findall(text)}
            if value is not _ABSENT and _ABSENT not in holes.values():
                for name, hole in holes.items():
                    text = text.replace(f"{{{name}}}", str(hole))
                yield text, value

    def _told(self, path: str, value: Any) -> tuple[int, ...]:
        """The numbers of the parts in the value of a path."""
        key = path, repr(value)
        found = self._parts.get(key)
        if found is None:
            if len(self._parts) > _MOST_REMEMBERED:
                self._parts.clear()
            found = self._parts[key] = tuple(map(self._number, self.told(path, value)))
        return found

    def _number(self, part: Part) -> int:
        number = self._numbers.get(part)
        if number is None:
            number = self._numbers[part] = len(self.log.parts)
            self.log.parts.append(part)
            self.log.leaves.append(self._leaves.of(part))
        return number

    def told(self, path: str, value: Any) -> Iterator[Part]:
        """The parts in the value of a path such as `role[s1]`."""
        yield from self._below(self.at(path), value)

    def at(self, path: str) -> Part:
        """The part of a state that a path such as `role[s1]` leads to; it has no value."""
        found = list(_STEP.finditer(path))
        if not found or "".join(x.group() for x in found) != path or found[0].group(1) is None:
            raise UserError(f"{self._at}{path} is no part of a state: write it as role[s1].term")
        name = found[0].group(1)
        if name not in self._variables:
            known = [one.tla for one in self.model.variables]
            what = f"{self._at}{self.model.protocol} has no variable"
            raise UserError(unknown_name(what, name, known))
        place = self._variables[name]
        variable = self.model.variables[place]
        at = Part(variable.tla, (place,), variable.type)
        for step in found[1:]:
            at = self._inner(at, step.group(1), step.group(2))
        return at

    def _inner(self, at: Part, name: str | None, key: str | None) -> Part:
        """The part of a part that a field's name or a key leads to."""
        kind = at.type.item if isinstance(at.type, Option) else at.type
        if name is not None and isinstance(kind, Record) and name in (names := _spelled(kind)):
            return Part(f"{at.text}.{name}", (*at.steps, names[name]), kind.parts[names[name]])
        if key is not None and isinstance(kind, Map):
            written = key if isinstance(kind.key, Named) else _of_cell(key)
            member = self._value(kind.key, written, self._place)
            text = f"{at.text}[{in_tla(kind.key, member)}]"
            return Part(text, (*at.steps, kind.keys.index(member)), kind.value)
        if key is not None and isinstance(kind, Seq) and key.isdecimal() and int(key):
            return Part(f"{at.text}[{key}]", (*at.steps, int(key) - 1), kind.item)
        wanted = f".{name}" if name is not None else f"[{key}]"
        raise UserError(f"{self._at}{at.text} has no part {wanted}")

    def _below(self, at: Part, value: Any) -> Iterator[Part]:
        """The parts that a value tells: of an object, those of its fields."""
        kind = at.type.item if isinstance(at.type, Option) else at.type
        if isinstance(value, dict) and isinstance(kind, Record):
            for name, part in value.items():
                yield from self._below(self._inner(at, name, None), part)
        elif isinstance(value, dict) and isinstance(kind, Map) and isinstance(kind.key, Named):
            for key, part in value.items():
                yield from self._below(self._inner(at, None, key), part)
        else:
            told = self._value(at.type, value, f"{self._place}: {at.text}")
            yield replace(at, value=told)

    def _value(self, kind: Type, value: Any, place: str) -> Value:
        return from_json(kind, self._renamed(kind, value), place)

    def _renamed(self, kind: Type, value: Any) -> Any:
        if isinstance(value, str):
            value = self._names.get(value, value)
            kinds = untagged(kind).values() if isinstance(kind, Union) else (kind, *kind.parts)
            sorts = [x for x in kinds if isinstance(x, Sort)]
            named = [x for x in kinds if isinstance(x, Named)]
            known = any(x.contains(x.written(value)) for x in named)
            return self._member(sorts[0], value) if sorts and not known else self._own(sorts, value)
        if isinstance(value, list):
            inner = kind.parts
            if isinstance(kind, Map):
                return [
                    [self._renamed(kind.key, x[0]), self._renamed(kind.value, x[1])]
                    if isinstance(x, list) and len(x) == 2
                    else x
                    for x in value
                ]
            kinds = inner if len(inner) == len(value) and len(inner) > 1 else inner[:1] * len(value)
            return [self._renamed(k, x) for k, x in zip(kinds, value, strict=True)] if kinds else value
        if isinstance(value, dict):
            kind = kind.item if isinstance(kind, Option) else kind
            if isinstance(kind, Map):
                return {self._renamed(kind.key, k): self._renamed(kind.value, x) for k, x in value.items()}
            if isinstance(kind, Record):
                places = _spelled(kind)
                return {
                    k: self._renamed(kind.parts[places[k]], x) if k in places else x for k, x in value.items()
                }
        return value

    def _own(self, sorts: Sequence[Sort], name: str) -> str:
        """A name in a log that is a member's, if it is one; no other name stands for that member."""
        for sort in sorts:
            for other, member in self.matched.get(sort, {}).items():
                if member == sort.written(name):
                    raise UserError(
                        f"{self._place}: {name} is one of {sort.name}, and {other} in the log was taken for it: "
                        f"say under [names] which one {other} is"
                    )
            self.taken.add(sort.written(name))
        return name

    def _member(self, sort: Sort, name: str) -> str:
        """The member of a sort for a name in a log that is not itself a member."""
        matched = self.matched.setdefault(sort, {})
        if name not in matched:
            taken = {*matched.values(), *map(sort.written, self.taken)}
            free = [x for x in sort.members if x not in taken]
            if not free:
                told = ", ".join(matched)
                raise UserError(
                    f"{self._place}: {name} is none of {sort.name} ({', '.join(sort.members)}), which stand for "
                    f"{told or 'what [names] says'}: give the model more of them, or name it under [names]"
                )
            matched[name] = free[0]
        return matched[name]

    @property
    def _at(self) -> str:
        """The place of a mistake, if it is in a log."""
        return f"{self._place}: " if self._place else ""

    @property
    def uncertain(self) -> dict[Sort, list[str]]:
        """The names that were matched with members of sorts whose members the model tells apart."""
        alike = symmetric_sorts(self.model, ())
        return {sort: list(names) for sort, names in self.matched.items() if sort not in alike}


def _pick_names(action: Action) -> dict[str, Pick]:
    """The picks of an action, by both of their names."""
    own = tuple(one.name for one in action.picks)
    return dict(zip((*own, *spelled(own)), action.picks * 2, strict=True))


def _spelled(kind: Record) -> dict[str, int]:
    """The places of a record's fields, by both of their names."""
    own = [name for name, _ in kind.fields]
    return {name: place for names in (own, field_names(kind)) for place, name in enumerate(names)}


def told(model: Model, values: Mapping[str, Any]) -> list[Part]:
    """The parts of a state that an object by variables tells.

    Raises:
        UserError: if one is no part of a state, or a value is none of its type.
    """
    reader = Reader(model, LogMap(), {})
    return [part for path, value in values.items() for part in reader.told(path, value)]


def log_of(model: Model, run: Trace) -> str:
    """A run as a log: NDJSON that needs no map, a line for each step, and first one for the initial state."""
    return "".join(log_line(model, x.action, x.picks, x.state) for x in run.stages if x.state is not None)


def log_line(model: Model, name: str, made: Mapping[str, Value], state: State) -> str:
    """A step, or the beginning, as a line of a log.

    Args:
        model: the model.
        name: the name of the action, or "init".
        made: the picks.
        state: the state after it.
    """
    action = action_named(model, name)
    names = spelled(tuple(pick.name for pick in action.picks))
    picks = {shown: bare_json(x.type, made[x.name]) for shown, x in zip(names, action.picks, strict=True)}
    after = {x.tla: bare_json(x.type, value) for x, value in zip(model.variables, state, strict=True)}
    told = {"action": action.tla, "picks": picks, "after": after}
    return f"{json.dumps(told, ensure_ascii=False)}\n"

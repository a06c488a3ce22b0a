"""Grid files: what to ask, in TOML. They are data: nothing in them is evaluated.

A file holds one or more `[[check]]` tables. Each asks for every combination of its values:

    protocol = "kafka-replication"       a name that `leadline list` shows, or the path of a Python file,
                                         relative to the grid file; it runs, as with `leadline check`
    parameters = { replicas = [2, 3] }   for each parameter a value or a list of values
    properties = ["weak-isr"]            a name or a list of names; all that apply where it is left out
    depth = 11                           layers to look ahead, or a list of them; 10 where it is left out
    unroll = "sweeps"                    what a layer holds: "steps" (if it is left out), "sweeps" or a list
    solver = "cadical"                   "z3", "cadical" or a list of them; "z3" where it is left out
    deadlock = true                      whether to ask for deadlocks too; false where it is left out
    timeout_seconds = 60                 what a query may use; 600 seconds and 4096 megabytes of address space
    memory_mb = 2000                     where it is left out

The keys from `depth` on may also stand at the top of the file, for every table that does not set them itself.
A point at which an assumption of the protocol is false is dropped, and told.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, find, split_path
from leadline.symbolic.engines import UNROLLINGS, Limits
from leadline.symbolic.lang import Parameter, UserError
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.solve import SOLVERS

_SHARED: dict[str, Any] = {
    "depth": 10,
    "unroll": "steps",
    "solver": "z3",
    "deadlock": False,
    "timeout_seconds": 600,
    "memory_mb": 4096,
}
_KEYS = ("protocol", "parameters", "properties", *_SHARED)
_DEEPEST = 100_000
_LONGEST = 10_000_000  # seconds: four months
_LARGEST = 1 << 30  # megabytes: more than any machine has
_POINTS = 100_000


@dataclass(frozen=True)
class Check:
    """One table of a grid file, its values known to be of the right kinds.

    Attributes:
        place: the table's place in the file.
        entry: the protocol.
        parameters: for each parameter that is set, its values.
        properties: the names of the properties; all if there are none.
        depths: how far to look ahead.
        unrollings: what the layers hold.
        solvers: which solvers to ask.
        deadlock: whether to ask for deadlocks.
        limits: what each query may use.
    """

    place: str
    entry: Entry
    parameters: Mapping[str, tuple[Setting, ...]]
    properties: tuple[str, ...]
    depths: tuple[int, ...]
    unrollings: tuple[str, ...]
    solvers: tuple[str, ...]
    deadlock: bool
    limits: Limits


@dataclass
class Mistakes:
    """Everything that is wrong with a grid file."""

    path: Path
    found: list[str] = field(default_factory=list)

    def say(self, place: str, text: str) -> None:
        """Add a mistake; a text of several lines is as many."""
        self.found += [f"{place}: {line}" if place else line for line in text.splitlines()]

    def check(self) -> None:
        """Raise them, if there are any.

        Raises:
            UserError: with all of them, a line each.
        """
        found = list(dict.fromkeys(self.found))
        if found:
            count = f"{len(found)} mistake{'s' if len(found) != 1 else ''}"
            lines = [f"  {self.path}: {one}" for one in found]
            raise UserError("\n".join([f"the grid has {count} (its first table is check[1]):", *lines]))


def read_checks(path: Path, mistakes: Mistakes) -> list[Check]:
    """The tables of a grid file; those with mistakes are left out, and their mistakes noted.

    Raises:
        UserError: if the file cannot be read or is not TOML.
    """
    data = _load(path)
    for key in data:
        if key != "check" and key not in _SHARED:
            mistakes.say("", unknown_name("the top of a grid file has no key", key, ["check", *_SHARED]))
    shared = {**_SHARED, **{key: data[key] for key in _SHARED if key in data}}
    top = _Reader("", shared, mistakes)
    top.shared()
    tables = data.get("check", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.say("check", "an array of tables is needed: write [[check]]")
        return []
    if not tables:
        mistakes.say("", "nothing is asked: write a table [[check]] with a protocol")
    entries = _Entries(path.parent)
    found = []
    for number, table in enumerate(tables, start=1):
        # A mistake at the top is told there, once, and not again in each table.
        values = {**(_SHARED if top.wrong else shared), **table}
        check = _read_check(_Reader(f"check[{number}]", values, mistakes), entries)
        found += [check] if check is not None else []
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not TOML: {error}") from error


class _Entries:
    """The protocols named in the file, each loaded once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[str, Entry | UserError] = {}

    def find(self, name: str) -> Entry | UserError:
        if name not in self._found:
            try:
                self._found[name] = find(self._source(name))
            except UserError as error:
                self._found[name] = error
        return self._found[name]

    def _source(self, name: str) -> str:
        """A path as seen from anywhere: the machines that answer have other working directories."""
        file = split_path(name)
        if file is None:
            return name
        path, wanted = file
        return str((self._folder / path).resolve()) + (f":{wanted}" if wanted else "")


@dataclass
class _Reader:
    """Reads the values of one table, noting what is wrong."""

    place: str
    values: Mapping[str, Any]
    mistakes: Mistakes
    wrong: bool = False

    def say(self, key: str, text: str) -> None:
        self.wrong = True
        self.mistakes.say(".".join(filter(None, [self.place, key])), text)

    def many(self, key: str, value: object, complaint: Callable[[Any], str | None]) -> tuple[Any, ...]:
        """A value or a list of values; `complaint` says what is wrong with one."""
        values = value if isinstance(value, list) else [value]
        if not values:
            self.say(key, "the list is empty: give it a value or leave the key out")
        for text in dict.fromkeys(filter(None, map(complaint, values))):
            self.say(key, text)
        times = Counter((type(one), _shown(one)) for one in values)
        for (_, text), count in times.items():
            if count > 1:
                self.say(key, f"{text} is given more than once: leave the others out")
        return tuple(values)

    def shared(self) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...], bool, Limits]:
        """The values that the top of the file may set."""
        depths = self.many("depth", self.values["depth"], _integer(0, _DEEPEST))
        unrollings = self.many("unroll", self.values["unroll"], _one_of("unrolling", UNROLLINGS))
        solvers = self.many("solver", self.values["solver"], _one_of("solver", tuple(SOLVERS)))
        deadlock, seconds, memory = (self.values[key] for key in ("deadlock", "timeout_seconds", "memory_mb"))
        if type(deadlock) is not bool:
            self.say("deadlock", f"true or false is needed, not {_shown(deadlock)}")
        if type(seconds) not in (int, float) or not 0 < seconds <= _LONGEST:
            wanted = f"a number above 0, at most {_LONGEST}, is needed"
            self.say("timeout_seconds", f"{wanted}, not {_shown(seconds)}")
        if (text := _integer(1, _LARGEST)(memory)) is not None:
            self.say("memory_mb", text)
        return depths, unrollings, solvers, deadlock, Limits(seconds, memory)


def _read_check(reader: _Reader, entries: _Entries) -> Check | None:
    for key in reader.values:
        if key not in _KEYS:
            reader.say("", unknown_name("a check has no key", key, list(_KEYS)))
    depths, unrollings, solvers, deadlock, limits = reader.shared()
    entry = _protocol(reader, entries)
    if entry is None:
        return None
    parameters = _parameters(reader, entry)
    properties = _properties(reader, entry)
    if reader.wrong:
        return None
    return Check(reader.place, entry, parameters, properties, depths, unrollings, solvers, deadlock, limits)


def _protocol(reader: _Reader, entries: _Entries) -> Entry | None:
    name = reader.values.get("protocol")
    if not isinstance(name, str):
        text = "is missing" if name is None else f"must be text, and is {_shown(name)}"
        reader.say("protocol", f'{text}: write protocol = "a name or a path"')
        return None
    found = entries.find(name)
    if isinstance(found, UserError):
        reader.say("protocol", str(found))
        return None
    return found


def _parameters(reader: _Reader, entry: Entry) -> dict[str, tuple[Setting, ...]]:
    given = reader.values.get("parameters", {})
    if not isinstance(given, dict):
        repair = "write parameters = { name = value }"
        reader.say("parameters", f"a table is needed, not {_shown(given)}: {repair}")
        return {}
    declared: Mapping[str, Parameter] = entry.protocol.parameters
    found = {}
    for name, value in given.items():
        key = f"parameters.{name}"
        if name in declared:
            found[name] = reader.many(key, value, declared[name].complaint)
        else:
            reader.say(key, unknown_name(f"{entry.name} has no parameter", name, list(declared)))
    points = math.prod(len(values) for values in found.values())
    if points > _POINTS:
        reader.say("parameters", f"{points} combinations are more than {_POINTS}: split the table")
    return found


def _properties(reader: _Reader, entry: Entry) -> tuple[str, ...]:
    if "properties" not in reader.values:
        return ()
    known = [claim.name for claim in entry.claims]

    def complaint(name: Any) -> str | None:
        if not isinstance(name, str):
            return f"the name of a property is needed, not {_shown(name)}"
        return None if name in known else unknown_name(f"{entry.name} has no property", name, known)

    return reader.many("properties", reader.values["properties"], complaint)


def _integer(low: int, high: int) -> Callable[[Any], str | None]:
    def complaint(value: Any) -> str | None:
        fits = type(value) is int and low <= value <= high
        return None if fits else f"an integer in {low}..{high} is needed, not {_shown(value)}"

    return complaint


def _one_of(what: str, names: tuple[str, ...]) -> Callable[[Any], str | None]:
    def complaint(value: Any) -> str | None:
        if not isinstance(value, str):
            return f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} is needed, not {_shown(value)}"
        return None if value in names else f"there is no {what} {_shown(value)}: choose of {', '.join(names)}"

    return complaint


def _shown(value: Any) -> str:
    """A value about as TOML writes it."""
    return json.dumps(value, default=str, ensure_ascii=False)

"""Grid files: the questions of a grid, in TOML. They are data: nothing in them is evaluated.

A file holds one or more `[[check]]` tables. Each asks for every combination of its values:

    protocol = "kafka-replication"       a name that `leadline list` shows, or the path of a Python file,
                                         relative to the grid file; it runs, as with `leadline check`
    parameters = { replicas = [2, 3] }   the values of each parameter
    constraints = ["replicas < 4"]       conditions on the parameters, in the grammar of
                                         `leadline.symbolic.conditions`; a point that breaks one is
                                         dropped
    properties = ["weak-isr"]            names; default: all that apply; [] asks only for deadlocks
    kinds = ["bounded"]                  kinds of queries, each answered by one engine; default: "bounded"
    engines = ["NAME"]                   in place of kinds: the engines by their names
    depth = 11                           layers to look ahead, for a bounded check; default: 10
    unroll = "NAME"                      the content of such a layer; values and default as in
                                         `leadline check --unroll`, with a depth
    split = 1                            the number of parts, at least, into which a check by steps is cut,
                                         each a query of its own; default: 1
    solver = "NAME"                      the name of a solver; default as in `leadline check --depth`
    logs = "runs"                        a folder of logs, relative to the grid file, for the engine "conform":
                                         each file in it is a log, and each folder in it one of several nodes
    map = "map.toml"                     the map of the logs' fields; default: none
    hidden = 0                           steps before each event that a log need not show; default: 0
    by = "auto"                          the way in which the run of a log is searched; default: "auto"
    seed = 0                             the seed of the solver's random choices; not every solver takes one
    deadlock = true                      whether to ask for deadlocks too; default: false
    timeout_seconds = 60                 the limit of a query's time; default: 600 seconds
    memory_mb = 2000                     the limit of its address space; default: 4096 megabytes

A key that can have several values takes one value, a list, or a range of integers with both ends:
`{ from = 2, to = 8, step = 2 }`, where `step` is 1 if left out. A list may hold ranges.

The keys from `kinds` on may also stand at the top of the file, for every table that does not set them itself.
A point at which an assumption of the protocol is false is dropped, with a message.

The solver "auto" of `leadline check` races two solvers on two processors, but a grid has a query for each
processor: it asks for one or more solvers by name.
"""

from __future__ import annotations

import json
import math
import operator
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, entry_of_class, find, find_module, split_path
from leadline.symbolic.conditions import Condition, Name, kind_of, read_condition
from leadline.symbolic.engines import ENGINES, Limits
from leadline.symbolic.files import read_text, real_path
from leadline.symbolic.grid.kinds import BY_ENGINE, KINDS, QueryKind
from leadline.symbolic.lang import (
    Foreign,
    Mistake,
    ModelError,
    Parameter,
    Protocol,
    Setting,
    Span,
    UserError,
    constant_text,
    counted,
    excerpt,
    unknown_name,
)
from leadline.symbolic.solve import DEFAULT, SOLVERS
from leadline.symbolic.trace import DEADLOCK

MOST_VALUES = 100_000
"""The most values of a range, and the most points of a table."""

_RANGE = ("from", "to", "step")

Complaint = Callable[[Any], str | None]
"""Returns the mistake in a value, or None."""


_HEADER = re.compile(r"\s*\[\[\s*check\s*\]\]")
_PLACE = re.compile(r"check\[(\d+)\]\.?(.*)")


def line_of(path: Path, text: str, place: str) -> Span | None:
    """The line of a key in a grid file; None if the text does not tell, as of a key that two lines may set.

    Args:
        path: the file.
        text: its content, which is TOML.
        place: the key as messages have it, such as `depth`, `check[2].parameters.top` or `check[1]`.
    """
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    table = _PLACE.fullmatch(place)
    number, keys = (int(table[1]), table[2]) if table else (0, place)
    if number > len(heads):
        return None
    region = range(heads[number - 1] if number else 0, [*heads, len(lines)][number])
    name = re.sub(r"\[\d+\]$", "", keys).rpartition(".")[2]
    if not name:
        return Span(str(path), region[0] + 1) if number else None
    key = re.compile(rf"(?<![\w.-])[\"']?({re.escape(name)})[\"']?\s*=(?!=)")
    found = [(at, one) for at in region for one in key.finditer(lines[at].partition("#")[0])]
    if len(found) != 1:
        return None
    at, one = found[0]
    first, last = (len(lines[at][:place].encode()) for place in one.span(1))
    return Span(str(path), at + 1, columns=(first, last))


@dataclass
class Mistakes:
    """The mistakes in a grid file, each with its place, and those in its models, reported together.

    Attributes:
        path: the file, or what stands for it in messages.
        text: its content; "" if there is no file.
        found: the mistakes in the file, with the line if it is known.
        models: the mistakes in models.
    """

    path: Path
    text: str = ""
    found: dict[str, Span | None] = field(default_factory=dict)
    models: list[Mistake] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.found) + len(self.models)

    def say(self, place: str, text: str, key: str = "") -> None:
        """Add a mistake, or several: one for each line of the text.

        Args:
            place: the table, or the key in it; "" for the top of the file.
            text: the mistake and its repair.
            key: the key that is meant, if `place` is the table that must not have it.
        """
        span = line_of(self.path, self.text, ".".join(filter(None, [place, key])))
        for line in text.splitlines():
            self.found.setdefault(f"{place}: {line}" if place else line, span)

    def of_model(self, error: ModelError, where: str = "") -> None:
        """Add the mistakes in a model.

        Args:
            error: the mistakes.
            where: the point at which they were found.
        """
        at = f" (at {where})" if where else ""
        self.models += [replace(one, text=f"{one.text}{at}") for one in error.mistakes]

    def check(self) -> None:
        """Raise an error if there are mistakes.

        Raises:
            ModelError: with those of the models, if the file itself has none.
            UserError: with all mistakes, each with its line of the file if that is known.
        """
        if self.models and not self.found:
            raise ModelError(self.models)
        found = {**self.found, **{str(one): None for one in self.models}}
        if not found:
            return
        lines = [f"the grid has {counted(len(found), 'mistake')} (its first table is check[1]):"]
        for text, span in found.items():
            lines.append(f"  {self.path if span is None else span}: {text}")
            lines += [f"      {line}" for line in excerpt(span)] if span is not None else []
        raise UserError("\n".join(lines))


@dataclass
class TableReader:
    """Reads the values of one table and notes mistakes.

    Attributes:
        place: the table's place in the file; "" is the top.
        values: the table's values, and the defaults of keys that it does not set.
        mistakes: takes the mistakes.
        wrong: whether there was a mistake.
    """

    place: str
    values: Mapping[str, Any]
    mistakes: Mistakes
    wrong: bool = False

    def say(self, key: str, text: str) -> None:
        """Note a mistake at a key of the table."""
        self.wrong = True
        self.mistakes.say(".".join(filter(None, [self.place, key])), text)

    def many(self, key: str, value: object, complaint: Complaint) -> tuple[Any, ...]:
        """A value, a range, or a list of both.

        Args:
            key: the key in the table.
            value: the key's value.
            complaint: returns the mistake in a single value.
        """
        given = value if isinstance(value, list) else [value]
        if not given:
            self.say(key, "the list is empty: give it a value or leave the key out")
        found: list[Any] = []
        for one in given:
            values = self._range(key, one) if isinstance(one, dict) else [one]
            # If the ends of a range are right, so are the values between.
            ends = [values[0], values[-1]] if isinstance(one, dict) and values else values
            text = next(filter(None, map(complaint, ends)), None)
            if text is not None:
                self.say(key, text)
            found += values
        self._each_once(key, found)
        return tuple(found)

    def _each_once(self, key: str, values: Sequence[Any]) -> None:
        times = Counter((type(one), one) if isinstance(one, (int, str)) else shown(one) for one in values)
        for one, count in times.items():
            if count > 1:
                text = one if isinstance(one, str) else shown(one[1])
                self.say(key, f"{text} is given more than once: leave the others out")

    def _range(self, key: str, given: Mapping[str, Any]) -> Sequence[int]:
        """The values of `{ from = 2, to = 5 }`, to which `step` may be added; none if it has mistakes."""
        wrong = [
            unknown_name("a range has no key", name, list(_RANGE)) for name in given if name not in _RANGE
        ]
        if not {"from", "to"} <= given.keys():
            wrong.append("a range needs both its ends: write { from = 1, to = 3 }")
        for name, value in given.items():
            if name in _RANGE and type(value) is not int:
                wrong.append(f"`{name}` of a range is an integer, not {shown(value)}")
        for text in wrong:
            self.say(key, text)
        if wrong:
            return ()
        first, last, step = given["from"], given["to"], given.get("step", 1)
        if step < 1:
            self.say(key, f"`step` of a range is at least 1, and is {step}")
        elif first > last:
            self.say(key, f"the range is empty: from = {first} is above to = {last}")
        elif (count := (last - first) // step + 1) > MOST_VALUES:
            self.say(key, f"the range has {count} values, and {MOST_VALUES} are allowed: make it shorter")
        else:
            return range(first, last + 1, step)
        return ()


def integer(low: int, high: int) -> Complaint:
    """A complaint about a value that is not an integer from `low` to `high`."""

    def complaint(value: Any) -> str | None:
        fits = type(value) is int and low <= value <= high
        return None if fits else f"an integer in {low}..{high} is needed, not {shown(value)}"

    return complaint


def one_of(what: str, names: Sequence[str], special: Mapping[str, str] | None = None) -> Complaint:
    """The complaint about a value that is not one of these names.

    Args:
        what: the kind of thing that the names stand for.
        names: the names that are allowed.
        special: messages about names that are allowed elsewhere but not here, by the name.
    """

    def complaint(value: Any) -> str | None:
        if not isinstance(value, str):
            return f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} is needed, not {shown(value)}"
        if special and value in special:
            return special[value]
        return None if value in names else f"there is no {what} {shown(value)}: choose of {', '.join(names)}"

    return complaint


def shown(value: Any) -> str:
    """A value, roughly as TOML writes it."""
    return json.dumps(value, default=str, ensure_ascii=False)


AXES = {
    one.name: one
    for kind in KINDS.values()
    for one in fields(ENGINES[kind.engine].options)
    if one.metadata.get("grid")
}
"""The options of engines that a grid may set, by name."""

_SHARED: dict[str, Any] = {
    "kinds": next(iter(KINDS)),
    "engines": None,
    "logs": None,
    "map": None,
    **{name: one.default for name, one in AXES.items()},
    "solver": DEFAULT,
    "seed": 0,
    "deadlock": False,
    "timeout_seconds": 600,
    "memory_mb": 4096,
}
_KEYS = ("protocol", "spec", "config", "parameters", "constraints", "properties", *_SHARED)
_SEEDS = (1 << 32) - 1
_AUTO = {
    "auto": '"auto" races two solvers, each on a processor of its own, and a grid has a query for each '
    f"processor: name one or more of {', '.join(SOLVERS)}"
}


@dataclass(frozen=True)
class SharedValues:
    """The values that the top of a file may set for its tables.

    Attributes:
        kinds: the kinds of queries to ask.
        axes: the values of each engine option that a grid may set, and the `logs`.
        solvers: the names of the solvers.
        seeds: the seeds of the solvers.
        deadlock: whether to ask for deadlocks.
        limits: the limits of each query.
    """

    kinds: tuple[QueryKind, ...]
    axes: Mapping[str, tuple[Any, ...]]
    solvers: tuple[str, ...]
    seeds: tuple[int, ...]
    deadlock: bool
    limits: Limits


@dataclass(frozen=True)
class CheckTable:
    """One table of a grid file, its values checked.

    Attributes:
        place: the table's place in the file.
        entry: the protocol.
        parameters: the values of each parameter that is set.
        constraints: the conditions that its points must satisfy.
        properties: the names of the properties; None for all.
        asked: the engines, their options and solvers, and the limits of the queries.
    """

    place: str
    entry: Entry
    parameters: Mapping[str, tuple[Setting, ...]]
    constraints: tuple[Condition, ...]
    properties: tuple[str, ...] | None
    asked: SharedValues


def read_checks(grid: Path | Mapping[str, Any], mistakes: Mistakes) -> list[CheckTable]:
    """The tables of a grid; notes the mistakes, and leaves out the tables that have any.

    Args:
        grid: the grid file, or what one holds; there a protocol may also be a class.
        mistakes: takes the mistakes.

    Raises:
        UserError: if the file cannot be read or is not TOML.
    """
    if isinstance(grid, Path):
        mistakes.text = read_text(grid, _LARGEST)
        data: Mapping[str, Any] = _load(grid, mistakes.text)
    else:
        data = grid
    for key in data:
        if key != "check" and key not in _SHARED:
            text = unknown_name("the top of a grid file has no key", key, ["check", *_SHARED])
            mistakes.say("", text, key)
    shared = {**_SHARED, **{key: data[key] for key in _SHARED if key in data}}
    top = TableReader("", shared, mistakes)
    _shared(top)
    tables = data.get("check", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.say("check", "an array of tables is needed: write [[check]]")
        return []
    if not tables:
        mistakes.say("", "nothing is asked: write a table [[check]] with a protocol")
    entries = _Protocols(grid.parent if isinstance(grid, Path) else Path())
    found = []
    for number, table in enumerate(tables, start=1):
        # A mistake at the top is reported once, and not again for each table.
        values = {**(_SHARED if top.wrong else shared), **table}
        check = _read_check(TableReader(f"check[{number}]", values, mistakes), entries, frozenset(table))
        found += [check] if check is not None else []
    return found


_LARGEST = 4 << 20  # bytes of a grid file


_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")


def _load(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        if (at := _AT.search(str(error))) is None:
            raise UserError(f"{path} is not TOML: {error}") from error
        line, column = int(at[1]), int(at[2])
        lines = text.split("\n")
        first = len(lines[line - 1][: column - 1].encode()) if line <= len(lines) else 0
        shown = excerpt(Span(str(path), line, columns=(first, first + 1)))
        said = f"{path}:{line}: this is not TOML: {_AT.sub('', str(error))}"
        raise UserError("\n".join([said, *(f"      {one}" for one in shown)])) from error


class _Protocols:
    """The protocols named in the file, each loaded once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[object, Entry | UserError] = {}

    def find(self, name: str | type[Protocol]) -> Entry | UserError:
        return self._once(
            name, lambda: find(self._source(name)) if isinstance(name, str) else entry_of_class(name)
        )

    def find_module(self, spec: str, config: str | None) -> Entry | UserError:
        """The protocol that a TLA+ module stands for, with a configuration."""
        path = real_path(self.folder / spec)
        file = None if config is None else real_path(self.folder / config)
        return self._once((path, file), lambda: find_module(path, file))

    def _once(self, key: object, find_it: Callable[[], Entry]) -> Entry | UserError:
        if key not in self._found:
            try:
                self._found[key] = find_it()
            except UserError as error:
                self._found[key] = error
        return self._found[key]

    def _source(self, name: str) -> str:
        """The name with an absolute path: the machines that answer have other working directories."""
        file = split_path(name)
        if file is None:
            return name
        path, wanted = file
        return str(real_path(self.folder / path)) + (f":{wanted}" if wanted else "")


def _shared(reader: TableReader) -> SharedValues:
    values = reader.values
    kinds = reader.many("kinds", values["kinds"], one_of("kind", tuple(KINDS)))
    axes = {name: reader.many(name, values[name], _complaint(one)) for name, one in AXES.items()}
    for name in _PATHS:
        axes[name] = () if values[name] is None else reader.many(name, values[name], _path)
    solvers = reader.many("solver", values["solver"], one_of("solver", tuple(SOLVERS), _AUTO))
    seeds = reader.many("seed", values["seed"], integer(0, _SEEDS))
    deadlock, seconds, memory = (values[key] for key in ("deadlock", "timeout_seconds", "memory_mb"))
    if type(deadlock) is not bool:
        reader.say("deadlock", f"true or false is needed, not {shown(deadlock)}")
    if type(seconds) not in (int, float) or not 0 < seconds <= Limits.LONGEST:
        wanted = f"a number above 0, at most {Limits.LONGEST}, is needed"
        reader.say("timeout_seconds", f"{wanted}, not {shown(seconds)}")
    if (text := integer(1, Limits.LARGEST)(memory)) is not None:
        reader.say("memory_mb", text)
    chosen = tuple(KINDS[kind] for kind in kinds if kind in KINDS)
    if values["engines"] is not None:
        named = reader.many("engines", values["engines"], one_of("engine", tuple(BY_ENGINE)))
        chosen = tuple(BY_ENGINE[name] for name in named if name in BY_ENGINE)
    return SharedValues(chosen, axes, solvers, seeds, deadlock, Limits(seconds, memory))


_PATHS = ("logs", "map")


def _path(value: Any) -> str | None:
    fits = isinstance(value, str) and value
    return None if fits else f"a path as text is needed, not {shown(value)}"


def _complaint(one: Field[Any]) -> Complaint:
    """A complaint about a value that an engine option cannot have."""
    told = one.metadata
    if told.get("choices"):
        return one_of(told["noun"], told["choices"])
    return integer(told["low"], told["most"])


def _read_check(reader: TableReader, entries: _Protocols, own: frozenset[str]) -> CheckTable | None:
    for key in reader.values:
        if key not in _KEYS:
            reader.wrong = True
            reader.mistakes.say(reader.place, unknown_name("a check has no key", key, list(_KEYS)), key)
    asked = _shared(reader)
    if not reader.wrong:
        _fitting(reader, asked, own)
    if not reader.wrong and any(kind.of_logs for kind in asked.kinds):
        asked = replace(asked, axes={**asked.axes, "logs": _logs(reader, asked.axes, entries.folder)})
    entry = _protocol(reader, entries)
    if entry is None:
        return None
    parameters = _parameters(reader, entry)
    constraints = _constraints(reader, entry, frozenset(parameters))
    properties = _properties(reader, entry, asked)
    if reader.wrong:
        return None
    return CheckTable(reader.place, entry, parameters, constraints, properties, asked)


def _logs(reader: TableReader, axes: Mapping[str, tuple[Any, ...]], folder: Path) -> tuple[Any, ...]:
    """The logs of a table, each with each map: options of the engine that are to be completed."""
    # Here, since few grids ask about logs.
    from leadline.symbolic.conform.engine import logs_in
    from leadline.symbolic.conform.logs import read_map

    found: list[Any] = []
    for key, name in ((one, name) for one in _PATHS for name in axes[one]):
        path = real_path(folder / name)
        try:
            if key == "logs":
                found += logs_in(path, name)
            else:
                read_map(path)
        except UserError as error:
            reader.say(key, str(error))
    if reader.wrong:
        return ()
    maps = [(name, str(real_path(folder / name))) for name in axes["map"]] or [("", "")]
    return tuple(log.mapped(name, path) for log in found for name, path in maps)


def _fitting(reader: TableReader, asked: SharedValues, own: frozenset[str]) -> None:
    """Note values that contradict one another."""
    seedless = [name for name in asked.solvers if not SOLVERS[name].takes_seed]
    if any(asked.seeds) and seedless:
        others = " or ".join(name for name, kind in SOLVERS.items() if kind.takes_seed)
        text = f"{', '.join(seedless)} takes no seed other than 0: "
        text += f"ask {others} with these seeds in a table of its own"
        reader.say("seed", text)
    for key in (*AXES, *_PATHS, "deadlock"):
        fits = [kind for kind in asked.kinds if key in kind.axes]
        if key == "deadlock":
            fits = [kind for kind in asked.kinds if kind.refuses(DEADLOCK) is None]
        if key in own and not fits:
            told = ", ".join(kind.name for kind in asked.kinds)
            reader.say(key, f"means nothing for kinds = {told}: leave it out")
    for clash in filter(None, (kind.clash(asked.axes) for kind in asked.kinds)):
        reader.say(*clash)
    if {"kinds", "engines"} <= own:
        reader.say("engines", "kinds and engines say the same: leave one of them out")


def _protocol(reader: TableReader, entries: _Protocols) -> Entry | None:
    if "spec" in reader.values or "config" in reader.values:
        return _module(reader, entries)
    name = reader.values.get("protocol")
    if not isinstance(name, str) and not (isinstance(name, type) and issubclass(name, Protocol)):
        text = "is missing" if name is None else f"must be text, and is {shown(name)}"
        reader.say("protocol", f'{text}: write protocol = "a name or a path"')
        return None
    if isinstance(name, str) and name.endswith(".tla"):
        reader.say("protocol", f'this is a TLA+ module: write spec = "{name}"')
        return None
    return _entry(reader, "protocol", entries.find(name))


def _module(reader: TableReader, entries: _Protocols) -> Entry | None:
    values = reader.values
    for key in ("spec", "config"):
        if not isinstance(values.get(key, ""), str):
            reader.say(key, f"a path as text is needed, not {shown(values[key])}")
    if "protocol" in values:
        reader.say("protocol", "spec names a TLA+ module already: leave one of them out")
    if "spec" not in values:
        reader.say("config", 'it is for a TLA+ module: write spec = "Spec.tla" too')
    if reader.wrong:
        return None
    return _entry(reader, "spec", entries.find_module(values["spec"], values.get("config")))


def _entry(reader: TableReader, key: str, found: Entry | UserError) -> Entry | None:
    if isinstance(found, ModelError):
        reader.mistakes.of_model(found)
    elif isinstance(found, UserError):
        reader.say(key, str(found))
    return found if isinstance(found, Entry) else None


def _parameters(reader: TableReader, entry: Entry) -> dict[str, tuple[Setting, ...]]:
    given = reader.values.get("parameters", {})
    if not isinstance(given, dict):
        repair = "write parameters = { name = value }"
        reader.say("parameters", f"a table is needed, not {shown(given)}: {repair}")
        return {}
    declared: Mapping[str, Parameter] = entry.protocol.parameters
    found = {}
    for name, value in given.items():
        key = f"parameters.{name}"
        if name in declared:
            value = _tla(value) if issubclass(entry.protocol, Foreign) else value
            found[name] = reader.many(key, value, declared[name].complaint)
        else:
            reader.say(key, unknown_name(f"{entry.name} has no parameter", name, list(declared)))
    points = math.prod(len(values) for values in found.values())
    if points > MOST_VALUES:
        reader.say("parameters", f"{points} combinations are more than {MOST_VALUES}: split the table")
    return found


def _tla(value: Any) -> Any:
    """The value of a constant, or a list of such, as TLA+ text."""
    if isinstance(value, list):
        return [_tla(one) for one in value]
    return constant_text(value)


def _constraints(reader: TableReader, entry: Entry, given: frozenset[str]) -> tuple[Condition, ...]:
    texts = reader.values.get("constraints", [])
    texts = texts if isinstance(texts, list) else [texts]
    declared = entry.protocol.parameters
    unset = frozenset(name for name, one in declared.items() if one.default is None and name not in given)
    found = []
    for number, text in enumerate(texts, start=1):
        key = f"constraints[{number}]"
        if isinstance(text, str):
            read = read_constraint(text, declared, unset, lambda said, key=key: reader.say(key, said))  # type: ignore[misc]  # a default
            found += [read] if read is not None else []
        else:
            reader.say(key, f"a condition as text is needed, not {shown(text)}")
    return tuple(found)


def _properties(reader: TableReader, entry: Entry, asked: SharedValues) -> tuple[str, ...] | None:
    if "properties" not in reader.values:
        return None
    if reader.values["properties"] == []:
        if not asked.deadlock:
            reader.say(
                "properties", "the list is empty: name some, or ask for a deadlock with deadlock = true"
            )
        return ()
    known = [claim.name for claim in entry.claims if claim.kind.is_claim]

    def complaint(name: Any) -> str | None:
        if not isinstance(name, str):
            return f"the name of a property is needed, not {shown(name)}"
        return None if name in known else unknown_name(f"{entry.name} has no property", name, known)

    return reader.many("properties", reader.values["properties"], complaint)


def read_constraint(
    text: str, declared: Mapping[str, Parameter], unset: frozenset[str], say: Callable[[str], None]
) -> Condition | None:
    """Read a constraint.

    Args:
        text: the text in the grid file.
        declared: the protocol's parameters.
        unset: the parameters that have neither a default nor a value in the grid.
        say: called with each mistake, its line and column in front, both from 1.

    Returns:
        A condition on the values of all parameters, or None if there are mistakes.
    """

    def meaning(name: str) -> Name | str:
        one = declared.get(name)
        if one is None:
            return unknown_name("there is no parameter", name, list(declared))
        if name in unset:
            return f"{name} is derived unless it is set: give it values in `parameters`"

        def complaint(value: str) -> str | None:
            if one.kind is not str or one.complaint(value) is None:
                return None
            return unknown_name(f"{name} is never", value, list(one.choices))

        return Name(operator.itemgetter(name), frozenset({kind_of(one.kind())}), complaint)

    return read_condition("a constraint", text, meaning, say)

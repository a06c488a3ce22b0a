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

import math
import operator
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, entry_of_class, find, find_module, split_path
from leadline.symbolic.conditions import Condition, Name, kind_of, read_condition
from leadline.symbolic.engines import ENGINES, Limits
from leadline.symbolic.files import read_text, real_path
from leadline.symbolic.grid.gridvalues import (
    MOST_VALUES,
    Complaint,
    Mistakes,
    TableReader,
    integer,
    one_of,
    shown,
)
from leadline.symbolic.grid.kinds import BY_ENGINE, KINDS, QueryKind
from leadline.symbolic.lang import (
    Foreign,
    ModelError,
    Parameter,
    Protocol,
    Setting,
    Span,
    UserError,
    excerpt,
    unknown_name,
)
from leadline.symbolic.solve import DEFAULT, SOLVERS
from leadline.symbolic.trace import DEADLOCK

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
        return self._once(
            (path, file), lambda: find_module(path, file, source=f"{path} {file or ''}".strip())
        )

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
            reader.refuse(key, unknown_name("a check has no key", key, list(_KEYS)))
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
    """The protocol of a TLA+ module."""
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
    if isinstance(value, bool):
        return str(value).upper()
    return str(value) if isinstance(value, int) else value


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

"""Grid files: what to ask, in TOML. They are data: nothing in them is evaluated.

A file holds one or more `[[check]]` tables. Each asks for every combination of its values:

    protocol = "kafka-replication"       a name that `leadline list` shows, or the path of a Python file,
                                         relative to the grid file; it runs, as with `leadline check`
    parameters = { replicas = [2, 3] }   for each parameter its values
    constraints = ["replicas < 4"]       conditions on the parameters: points that break one are dropped; for
                                         what they may say see `leadline.symbolic.grid.grammar.constraints`
    properties = ["weak-isr"]            names; all that apply where it is left out; [] for deadlocks alone
    kinds = ["bounded", "induction"]     a bounded check, or the obligations of an inductive proof (invariants
                                         only); "bounded" where it is left out
    depth = 11                           layers to look ahead, of a bounded check; 10 where it is left out
    unroll = "sweeps"                    what such a layer holds: "steps" (if it is left out), "sweeps"
    solver = "cadical"                   "z3" (if it is left out), "cadical"
    seed = 0                             what the solver draws its random choices from; only z3 takes another
    deadlock = true                      whether to ask for deadlocks too; false where it is left out
    timeout_seconds = 60                 what a query may use; 600 seconds and 4096 megabytes of address space
    memory_mb = 2000                     where it is left out

Where several values make sense, a key takes one value, a list, or for integers a range with both its ends:
`{ from = 2, to = 8, step = 2 }`, where `step` is 1 if left out; a list may hold ranges.

The keys from `kinds` on may also stand at the top of the file, for every table that does not set them itself.
A point at which an assumption of the protocol is false is dropped, and told.

The solver "auto" of `leadline check` races both, so it has no one meaning where every processor is taken by
another query: a grid asks for a solver by name, or for both.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry, find, split_path
from leadline.symbolic.engines import UNROLLINGS, Limits
from leadline.symbolic.grid.grammar.constraints import Constraint, read_constraint
from leadline.symbolic.grid.plan.mistakes import Mistakes
from leadline.symbolic.grid.plan.values import MOST, Reader, integer, one_of, shown
from leadline.symbolic.lang import Parameter, UserError
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.solve import SOLVERS

BOUNDED, INDUCTION = "bounded", "induction"
KINDS = (BOUNDED, INDUCTION)
"""The kinds of queries."""

_SHARED: dict[str, Any] = {
    "kinds": BOUNDED,
    "depth": 10,
    "unroll": "steps",
    "solver": "z3",
    "seed": 0,
    "deadlock": False,
    "timeout_seconds": 600,
    "memory_mb": 4096,
}
_KEYS = ("protocol", "parameters", "constraints", "properties", *_SHARED)
_OF_BOUNDED = ("depth", "unroll", "deadlock")
_DEEPEST = 100_000
_SEEDS = (1 << 32) - 1
_AUTO = {
    "auto": '"auto" races both solvers, each on a processor of its own, and a grid has a query for each '
    'processor: name "z3", "cadical" or both'
}


@dataclass(frozen=True)
class Shared:
    """What the top of a file may say for its tables.

    Attributes:
        kinds: the kinds of queries: "bounded", "induction".
        depths: how far to look ahead.
        unrollings: what the layers hold.
        solvers: which solvers to ask.
        seeds: their seeds.
        deadlock: whether to ask for deadlocks.
        limits: what each query may use.
    """

    kinds: tuple[str, ...]
    depths: tuple[int, ...]
    unrollings: tuple[str, ...]
    solvers: tuple[str, ...]
    seeds: tuple[int, ...]
    deadlock: bool
    limits: Limits


@dataclass(frozen=True)
class Check:
    """One table of a grid file, its values known to be of the right kinds.

    Attributes:
        place: the table's place in the file.
        entry: the protocol.
        parameters: for each parameter that is set, its values.
        constraints: what its points must satisfy.
        properties: the names of the properties; None for all.
        asked: how they are asked.
    """

    place: str
    entry: Entry
    parameters: Mapping[str, tuple[Setting, ...]]
    constraints: tuple[Constraint, ...]
    properties: tuple[str, ...] | None
    asked: Shared


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
    top = Reader("", shared, mistakes)
    _shared(top)
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
        check = _read_check(Reader(f"check[{number}]", values, mistakes), entries, frozenset(table))
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


def _shared(reader: Reader) -> Shared:
    values = reader.values
    kinds = reader.many("kinds", values["kinds"], one_of("kind", KINDS))
    depths = reader.many("depth", values["depth"], integer(0, _DEEPEST))
    unrollings = reader.many("unroll", values["unroll"], one_of("unrolling", UNROLLINGS))
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
    return Shared(kinds, depths, unrollings, solvers, seeds, deadlock, Limits(seconds, memory))


def _read_check(reader: Reader, entries: _Entries, own: frozenset[str]) -> Check | None:
    for key in reader.values:
        if key not in _KEYS:
            reader.say("", unknown_name("a check has no key", key, list(_KEYS)))
    asked = _shared(reader)
    if not reader.wrong:
        _fitting(reader, asked, own)
    entry = _protocol(reader, entries)
    if entry is None:
        return None
    parameters = _parameters(reader, entry)
    constraints = _constraints(reader, entry, frozenset(parameters))
    properties = _properties(reader, entry, asked)
    if reader.wrong:
        return None
    return Check(reader.place, entry, parameters, constraints, properties, asked)


def _fitting(reader: Reader, asked: Shared, own: frozenset[str]) -> None:
    """Complain of values that make no sense together."""
    if any(asked.seeds) and set(asked.solvers) != {"z3"}:
        text = (
            'only z3 takes a seed other than 0: ask z3 with these seeds in a table of its own (solver = "z3")'
        )
        reader.say("seed", text)
    if BOUNDED not in asked.kinds:
        for key in _OF_BOUNDED:
            if key in own:
                reader.say(key, "speaks of bounded checks, and kinds has none: leave it out")


def _protocol(reader: Reader, entries: _Entries) -> Entry | None:
    name = reader.values.get("protocol")
    if not isinstance(name, str):
        text = "is missing" if name is None else f"must be text, and is {shown(name)}"
        reader.say("protocol", f'{text}: write protocol = "a name or a path"')
        return None
    found = entries.find(name)
    if isinstance(found, UserError):
        reader.say("protocol", str(found))
        return None
    return found


def _parameters(reader: Reader, entry: Entry) -> dict[str, tuple[Setting, ...]]:
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
            found[name] = reader.many(key, value, declared[name].complaint)
        else:
            reader.say(key, unknown_name(f"{entry.name} has no parameter", name, list(declared)))
    points = math.prod(len(values) for values in found.values())
    if points > MOST:
        reader.say("parameters", f"{points} combinations are more than {MOST}: split the table")
    return found


def _constraints(reader: Reader, entry: Entry, given: frozenset[str]) -> tuple[Constraint, ...]:
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


def _properties(reader: Reader, entry: Entry, asked: Shared) -> tuple[str, ...] | None:
    if "properties" not in reader.values:
        return None
    if reader.values["properties"] == []:
        if not asked.deadlock:
            reader.say(
                "properties", "the list is empty: name some, or ask for a deadlock with deadlock = true"
            )
        return ()
    known = [claim.name for claim in entry.claims]

    def complaint(name: Any) -> str | None:
        if not isinstance(name, str):
            return f"the name of a property is needed, not {shown(name)}"
        return None if name in known else unknown_name(f"{entry.name} has no property", name, known)

    return reader.many("properties", reader.values["properties"], complaint)

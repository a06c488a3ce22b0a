"""The rows of the store: one for each query, and the only place that says what their columns are."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pyarrow as pa

from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.lang.parameters import Setting

MOOT = "moot"
"""The verdict of a query that was not asked, since another answer had made it pointless."""

NOT_INDUCTIVE = "not inductive"
"""How the reason begins where an obligation has a counterexample to induction."""

SCHEMA_VERSION = 1
"""The version of the columns; it changes whenever one of them does."""

_ARROW: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    datetime: pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True)
class Row:
    """What is known of one query. Each field is a column, its annotation says what the column holds."""

    query: Annotated[str, "the query's id: a hash of what was asked, of what model, by which Leadline"]
    protocol: Annotated[str, "the protocol's name"]
    source: Annotated[str, "the protocol as the catalog found it: its name, or the path of its file"]
    parameters: Annotated[str, "every parameter's value: a JSON object, sorted by name"]
    property: Annotated[str, "the property's name, or deadlock"]
    kind: Annotated[str, "invariant, probe (a violation is expected) or deadlock"]
    engine: Annotated[str, "the engine that was asked: bmc or induction"]
    depth_asked: Annotated[int | None, "layers to look ahead; null for an obligation"]
    unroll: Annotated[str | None, "what a layer held: steps or sweeps; null for an obligation"]
    obligation: Annotated[str | None, "the obligation of an inductive proof; null for a bounded check"]
    solver: Annotated[str, "the solver's name"]
    seed: Annotated[int, "what the solver drew its random choices from"]
    timeout_seconds: Annotated[float | None, "the limit on wall-clock time, in seconds"]
    memory_limit_mb: Annotated[int | None, "the limit on address space, in megabytes"]
    verdict: Annotated[str, "proved, safe (to the depth reached), unknown, out-of-bounds, violated or moot"]
    depth: Annotated[int, "the deepest layer known to hold no counterexample; -1 if none is"]
    steps: Annotated[int | None, "the length of the counterexample in steps"]
    build_seconds: Annotated[float, "seconds spent on making terms and clauses"]
    solve_seconds: Annotated[float, "seconds spent in the solver"]
    total_seconds: Annotated[float, "seconds from the start to the end of the search"]
    task_seconds: Annotated[float, "seconds of the whole Spark task, with the start of its child process"]
    memory_mb: Annotated[float, "peak memory of the child process in megabytes"]
    variables: Annotated[int, "variables given to the solver"]
    clauses: Annotated[int, "clauses given to the solver"]
    predicted_seconds: Annotated[float | None, "what the cost model expected, in seconds"]
    reason: Annotated[str | None, "why it is not better known, what is out of bounds, or why it is moot"]
    trace: Annotated[str | None, "the counterexample's file in the store, which `leadline trace` reads"]
    run: Annotated[str, "the run of `leadline grid` that answered: its time of start and a random part"]
    fingerprint: Annotated[str, "the model's hash: of its variables, initial states, actions and properties"]
    leadline_version: Annotated[str, "the Leadline that answered"]
    solver_version: Annotated[str, "the package of the solver and its version"]
    python_version: Annotated[str, "the Python that ran the task"]
    host: Annotated[str, "the name of the machine that answered"]
    machine: Annotated[str, "its system and its number of processors"]
    started: Annotated[datetime, "when the task began (UTC)"]

    def settings(self) -> Mapping[str, Setting | None]:
        """The parameters' values by name."""
        found: Mapping[str, Setting | None] = json.loads(self.parameters)
        return found

    def unknown(self) -> bool:
        """Whether the query was not answered."""
        return self.verdict == str(Verdict.UNKNOWN)

    def moot(self) -> bool:
        """Whether the query was not asked, since another answer had made it pointless."""
        return self.verdict == MOOT

    def not_inductive(self) -> bool:
        """Whether an obligation was refuted: the property may still hold, this proof of it does not."""
        return self.unknown() and (self.reason or "").startswith(NOT_INDUCTIVE)

    def settles(self, query: GridQuery) -> bool:
        """Whether the query need not be run again.

        An answer settles it, and so does a counterexample to induction, or that another answer made the query
        pointless (whether that answer still stands, whoever prunes must say). What stopped at a limit would
        do so again, unless there is more to use now; what failed otherwise gets another try.
        """
        if not self.unknown() or self.not_inductive():
            return True
        limit, asked = {
            "time": (self.timeout_seconds, query.limits.seconds),
            "memory": (self.memory_limit_mb, query.limits.memory_mb),
        }.get((self.reason or "").partition(":")[0], (0, None))
        unlimited = math.inf
        return (unlimited if limit is None else limit) >= (unlimited if asked is None else asked)


def _field(name: str, annotation: Any) -> pa.Field:
    assert get_origin(annotation) is Annotated, f"{name} has no line that says what it holds"
    kind, doc = get_args(annotation)
    kinds = get_args(kind) or (kind,)
    return pa.field(name, _ARROW[kinds[0]], nullable=type(None) in kinds, metadata={"doc": doc})


SCHEMA = pa.schema([_field(*item) for item in get_type_hints(Row, include_extras=True).items()])
"""The columns in Parquet; each field's metadata has its line of documentation under `doc`."""

_BARE = pa.schema([field.remove_metadata() for field in SCHEMA])


def to_table(rows: Iterable[Row]) -> pa.Table:
    """Rows as a table, its columns without their documentation: ten thousand files would repeat it."""
    return pa.Table.from_pylist([asdict(row) for row in rows], schema=_BARE)


def from_table(table: pa.Table) -> list[Row]:
    """The rows of a table.

    Raises:
        ValueError: if its columns are others than these.
    """
    if not table.schema.equals(SCHEMA):
        raise ValueError("its columns are not those of this version")
    return [Row(**values) for values in table.to_pylist()]

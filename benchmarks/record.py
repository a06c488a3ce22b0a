"""The record of a run: a Parquet file with a row for each measurement. Its columns are defined here alone."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq

from leadline.benchmarks.cases import Case
from leadline.benchmarks.machine import Machine
from leadline.benchmarks.measurement import ANSWERED, Measurement, Point, model
from leadline.benchmarks.ways import Way
from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.durable import write_bytes
from leadline.symbolic.grid.rows import columns
from leadline.symbolic.lang import UserError


@dataclass(frozen=True)
class Row:
    """One measurement. Each field is a column, its annotation says what the column holds."""

    run: Annotated[datetime, "when the run began (UTC): the same in all of its rows"]
    case: Annotated[str, "the name of the case"]
    protocol: Annotated[str, "the protocol's name"]
    parameters: Annotated[str, "every parameter's value: a JSON object, sorted by name"]
    property: Annotated[str, "the property's name"]
    fingerprint: Annotated[str, "the model's hash: of its variables, initial states, actions and properties"]
    expected: Annotated[str, "the verdict that is known: violated, proved, or safe within the layers"]
    shortest: Annotated[int | None, "the known length of a shortest counterexample, in steps"]
    way: Annotated[str, "the name of the way"]
    engine: Annotated[str, "an engine of Leadline's, or another checker's command"]
    unroll: Annotated[str | None, "what a layer held: steps or sweeps"]
    solver: Annotated[str | None, "the solver's name, or auto where two raced"]
    symmetry: Annotated[bool, "whether sorts were picked in the order of first use"]
    layers: Annotated[int | None, "layers to look ahead; none for what explores every state"]
    timeout_seconds: Annotated[float, "the limit on wall-clock time, in seconds"]
    memory_limit_mb: Annotated[int, "the limit on address space, in megabytes"]
    repeat: Annotated[int, "which repeat this is, from 1"]
    place: Annotated[int, "the place of the measurement in its run, from 1"]
    started: Annotated[datetime, "when it began (UTC)"]
    load: Annotated[float, "the load average of the minute before"]
    verdict: Annotated[str, "proved, safe, unknown, out-of-bounds or violated"]
    ended: Annotated[str, "answered, or what stopped it: time, memory or crash"]
    as_expected: Annotated[bool, "whether the answer, if there is one, is what is known of the case"]
    depth: Annotated[int, "the deepest layer known to hold no counterexample; -1 if none is"]
    steps: Annotated[int | None, "the length of the counterexample found, in steps"]
    seconds: Annotated[float, "wall-clock time of the whole process, with its start; a bound if not answered"]
    build_seconds: Annotated[float | None, "seconds of it spent on making terms and clauses"]
    solve_seconds: Annotated[float | None, "seconds of it spent in the solver"]
    memory_mb: Annotated[float | None, "peak memory in megabytes; of a race that of the one that answered"]
    variables: Annotated[int | None, "variables given to the solver"]
    clauses: Annotated[int | None, "clauses given to the solver"]
    states: Annotated[int | None, "distinct states found, where states are explored"]
    reason: Annotated[str | None, "why there is no answer, or what is out of bounds"]
    tool: Annotated[str | None, "the version that a checker from outside tells of itself"]
    points: Annotated[tuple[Point, ...], "for each layer or level that was done: when, and how large"]

    def answered(self) -> bool:
        """Whether there is an answer."""
        return self.ended == ANSWERED


_POINTS = pa.list_(
    pa.struct(
        [
            pa.field("depth", pa.int64(), nullable=False),
            pa.field("seconds", pa.float64(), nullable=False),
            pa.field("variables", pa.int64()),
            pa.field("clauses", pa.int64()),
            pa.field("states", pa.int64()),
        ]
    )
)

SCHEMA = pa.schema([*columns(Row, {tuple[Point, ...]: _POINTS}), *columns(Machine)])
"""The columns in Parquet, those of `Row` and then of `Machine`; their metadata has each line as `doc`."""


def row(case: Case, way: Way, limits: Limits, found: Measurement, **when: Any) -> Row:
    """The row of a measurement.

    Args:
        case: what was asked.
        way: how.
        limits: what it might use, both given.
        found: what came of it.
        when: the columns run, repeat, place, started and load.
    """
    assert limits.seconds is not None and limits.memory_mb is not None
    asked = model(case)
    layers = {"steps": case.steps, "sweeps": case.sweeps}
    return Row(
        case=case.name,
        protocol=case.protocol,
        parameters=json.dumps(dict(asked.parameters), sort_keys=True),
        property=case.property,
        fingerprint=asked.fingerprint,
        expected=str(case.expected),
        shortest=case.shortest,
        way=way.name,
        engine=way.engine,
        unroll=way.unroll,
        solver=way.solver,
        symmetry=way.symmetry,
        layers=layers.get(way.unroll or ""),
        timeout_seconds=limits.seconds,
        memory_limit_mb=limits.memory_mb,
        verdict=str(found.verdict),
        ended=found.ended,
        as_expected=found.as_expected(case, way),
        depth=found.depth,
        steps=found.steps,
        seconds=found.seconds,
        build_seconds=found.build,
        solve_seconds=found.solve,
        memory_mb=found.memory_mb,
        variables=found.variables,
        clauses=found.clauses,
        states=found.states,
        reason=found.reason,
        tool=found.tool,
        points=found.points,
        **when,
    )


def write(path: Path, rows: Sequence[Row], machine: Machine) -> None:
    """Write a record whole: to a temporary file beside it that then takes its name.

    Raises:
        UserError: if that fails; the record that was there, if any, is as it was.
    """
    where = asdict(machine)
    table = pa.Table.from_pylist([{**asdict(one), **where} for one in rows], schema=SCHEMA)
    made = io.BytesIO()
    pq.write_table(table, made)
    try:
        write_bytes(path, made.getvalue())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error

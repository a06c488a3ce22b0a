"""The rows of the store, one for each query, the one definition of their columns, and conditions on them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

import pyarrow as pa

from leadline.symbolic.conditions import Name, kind_of, read_condition
from leadline.symbolic.engines import ENGINES, Options, Verdict
from leadline.symbolic.engines.ask.result import Cause, Note, NoteKind, in_words
from leadline.symbolic.grid.kinds import PROVING
from leadline.symbolic.grid.query import GridQuery, ParameterValues, question_text, read_options
from leadline.symbolic.lang import UserError, shortened, unknown_name
from leadline.symbolic.solve import SOLVERS

VIOLATED = str(Verdict.VIOLATED)
"""The verdict of a query that found a counterexample."""

UNKNOWN = str(Verdict.UNKNOWN)
"""The verdict of a query that was not answered."""

MOOT = "moot"
"""The verdict of a query that was not asked, since another answer had made it pointless."""

_VERDICTS = frozenset((*map(str, Verdict), MOOT))
_CAUSES = frozenset(map(str, Cause))

SCHEMA_VERSION = 4
"""The version of the columns; it changes whenever one of them does."""

_SHOWN = 300  # characters of a text in a message
_LASTING = (Cause.DEPTH, Cause.QUESTIONS, Cause.STATES, Cause.RUNS, Cause.LOG)
_SETTING = (int, str, type(None))

_ARROW: Mapping[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True)
class Row:
    """The answer to one query. Each field is a column, documented by its annotation."""

    query: Annotated[str, "the query's id: a hash of the question, the model and the version of Leadline"]
    protocol: Annotated[str, "the protocol's name"]
    source: Annotated[str, "the protocol as the catalog found it: its name, or the path of its file"]
    parameters: Annotated[str, "every parameter's value: a JSON object, sorted by name"]
    property: Annotated[str, "the property's name, deadlock, or the log with its map and hidden steps"]
    kind: Annotated[str, "invariant, probe (should be violated), temporal, step, refinement, deadlock or log"]
    engine: Annotated[str, "the engine that was asked"]
    options: Annotated[str, "the engine's options: a JSON object, sorted by name"]
    depth_asked: Annotated[int | None, "layers to look ahead; null for an engine without"]
    unroll: Annotated[
        str | None, "the content of a layer, as in `check --unroll`; null for an engine without"
    ]
    obligation: Annotated[
        str | None, "the part of a proof or of a cut check that was asked for; null for a whole question"
    ]
    solver: Annotated[str, "the solver's name; empty for an engine without"]
    seed: Annotated[int, "the seed of random choices"]
    timeout_seconds: Annotated[float | None, "the limit on wall-clock time, in seconds"]
    memory_limit_mb: Annotated[int | None, "the limit on address space, in megabytes"]
    verdict: Annotated[str, "proved, safe (to the depth reached), unknown, out-of-bounds, violated or moot"]
    depth: Annotated[
        int,
        "the deepest layer known to hold no counterexample, -1 if none is; of a log, the events explained",
    ]
    steps: Annotated[int | None, "the length of the counterexample in steps, its loop included"]
    stem: Annotated[int | None, "of a counterexample that goes on for ever, the steps before its loop"]
    loop: Annotated[int | None, "the steps of its loop; 1 where it stops for ever in its last state"]
    build_seconds: Annotated[float, "seconds spent on making terms and clauses"]
    solve_seconds: Annotated[float, "seconds spent in the solver"]
    total_seconds: Annotated[float, "seconds from the start to the end of the search"]
    task_seconds: Annotated[float, "seconds of the whole Spark task, with the start of its child process"]
    memory_mb: Annotated[float, "peak memory of the child process in megabytes"]
    variables: Annotated[int, "variables given to the solver"]
    clauses: Annotated[int, "clauses given to the solver"]
    predicted_seconds: Annotated[float | None, "the prediction of the cost model, in seconds"]
    reason: Annotated[
        str | None, "for people: why the verdict is no better, what is out of bounds, or why it is moot"
    ]
    cause: Annotated[str | None, f"the cause of the verdict unknown: {', '.join(Cause)}; null for another"]
    notes: Annotated[
        str,
        f"notes on a proof by exploration: a JSON list of pairs of a kind ({', '.join(NoteKind)}) and a text",
    ]
    moot_by: Annotated[str | None, "the query whose answer makes this one moot; null for another verdict"]
    trace: Annotated[str | None, "the counterexample's file in the store, which `leadline trace` reads"]
    run: Annotated[str, "the run of `leadline grid` that answered: its time of start and a random part"]
    fingerprint: Annotated[str, "the model's hash: of its variables, initial states, actions and properties"]
    leadline_version: Annotated[str, "the Leadline that answered"]
    solver_version: Annotated[str, "the package of the solver and its version"]
    python_version: Annotated[str, "the Python that ran the task"]
    host: Annotated[str, "the name of the machine that answered"]
    machine: Annotated[str, "its system and its number of processors"]
    started: Annotated[datetime, "when the task began (UTC)"]

    def settings(self) -> ParameterValues:
        """The value of every parameter, by name."""
        found: ParameterValues = json.loads(self.parameters)
        return found

    def question(self) -> str:
        """The question about the property, in words."""
        asked = self.asked()
        told = question_text(self.engine, self.obligation, self.depth_asked, self.unroll, self.parts())
        return (asked and asked.wording) or told

    def parts(self) -> int:
        """The number of parts into which the question is cut that this answers, or answers a part of."""
        asked = self.asked()
        return 1 if asked is None else asked.parts

    def asked(self) -> Options | None:
        """The engine's options; None if these are not options of the engine."""
        try:
            return read_options(self.engine, self.options)
        except ValueError:
            return None

    def unknown(self) -> bool:
        """Whether the query was not answered."""
        return self.verdict == UNKNOWN

    def moot(self) -> bool:
        """Whether the query was not asked, since another answer had made it pointless."""
        return self.verdict == MOOT

    def not_inductive(self) -> bool:
        """Whether an obligation has a CTI: the property may still hold, this proof of it fails."""
        return self.cause == Cause.NOT_INDUCTIVE

    def remarks(self) -> tuple[Note, ...]:
        """The notes on a proof.

        Raises:
            ValueError: if the column has none; `contradiction` tells of such a row.
        """
        return _notes(self.notes)

    def why(self) -> str | None:
        """The reason and the notes, for a person; None without any."""
        return in_words(self.reason, self.remarks())

    def contradiction(self) -> str | None:
        """A contradiction between the verdict and other columns, or a value that no row has; None without any."""
        if (wrong := self._wrong_value()) is not None:
            return wrong
        found = self.verdict in (VIOLATED, str(Verdict.OUT_OF_BOUNDS))
        if self.verdict not in _VERDICTS:
            return f"there is no verdict {self.verdict!r}"
        if self.cause is not None and (self.cause not in _CAUSES or not self.unknown()):
            return f"it says {self.verdict}, and has the cause {self.cause!r}"
        if found and self.steps is None:
            return f"it says {self.verdict}, and has no run that is so"
        if not found and self.steps is not None:
            return f"it says {self.verdict}, and has a counterexample of {self.steps} steps"
        if not found and self.trace is not None and not self.not_inductive():
            return f"it says {self.verdict}, and has the counterexample {self.trace}"
        if (wrong := self._wrong_loop()) is not None:
            return wrong
        if self.engine not in ENGINES:
            return f"there is no engine {self.engine!r}"
        if found and self.obligation is not None and self.engine in PROVING:
            return f"it says {self.verdict}, and is a part of a proof"
        if self.verdict == str(Verdict.PROVED) and self.engine not in PROVING:
            return f"it says proved, and the engine {self.engine} proves nothing"
        if self.verdict == str(Verdict.SAFE) and (self.depth_asked is None or self.depth < self.depth_asked):
            return f"it says safe, and looked {self.depth} layers ahead where {self.depth_asked} were asked"
        return None

    def _wrong_value(self) -> str | None:
        """The mistake in a column's value, or None: anyone may have written the row."""
        for name, number in vars(self).items():
            if isinstance(number, float) and not 0 <= number < math.inf:
                return f"its {name} is {number}"
        try:
            given = json.loads(self.parameters)
            self.parameters.encode()
            json.dumps(given, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            return f"its parameters are no JSON that can be used: {type(error).__name__}"
        if not isinstance(given, dict) or not all(isinstance(x, _SETTING) for x in given.values()):
            return "its parameters are no object of integers, truth values and texts"
        try:
            self.remarks()
        except ValueError as error:
            return str(error)
        return None

    def _wrong_loop(self) -> str | None:
        """The contradiction between the loop of a counterexample and other columns; None without any."""
        if self.stem is None and self.loop is None:
            return None
        if self.stem is None or self.loop is None or self.verdict != VIOLATED or self.steps is None:
            return f"it says {self.verdict}, and has a loop without a run"
        if self.stem < 0 or self.loop != max(1, self.steps - self.stem):
            return f"it has a loop of {self.loop} after {self.stem} of {self.steps} steps"
        return None

    def disbelief(self, why: str) -> str:
        """The warning that the row is not believed, with the reason."""
        asked = ", ".join(filter(None, [self.property, self.question(), self.solver]))
        of = f"{self.protocol} {shortened(self.parameters, _SHOWN)}: {asked}"
        return f"the row {self.query} of the run {self.run} ({of}) is not believed: {why}"

    def settles(self, query: GridQuery) -> bool:
        """Whether the query need not be run again.

        An answer settles it, and so does a counterexample to induction. So does a moot row; the caller checks
        that the answer which it names still stands. A query that stopped at a limit would stop there again,
        unless the limit is larger now; another depth, or number of questions, states or runs, is another query.
        A query that failed otherwise gets another try.
        """
        if not self.unknown() or self.not_inductive():
            return True
        limits: dict[str | None, tuple[float | None, float | None]] = {
            Cause.TIME: (self.timeout_seconds, query.limits.seconds),
            Cause.MEMORY: (self.memory_limit_mb, query.limits.memory_mb),
            **dict.fromkeys(_LASTING, (None, None)),
        }
        limit, asked = limits.get(self.cause, (0, None))
        return limit is None or (asked is not None and limit >= asked)


def notes_json(notes: Sequence[Note]) -> str:
    """Notes as JSON.

    >>> notes_json([])
    '[]'
    """
    return json.dumps(notes, separators=(",", ":"), ensure_ascii=False)


@cache
def _notes(text: str) -> tuple[Note, ...]:
    """The notes that `notes_json` wrote.

    Raises:
        ValueError: if these are none.
    """
    try:
        found = tuple(Note(NoteKind(kind), told) for kind, told in json.loads(text))
        "".join(note.text for note in found).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(
            f"its notes are no list of pairs of a kind and a text: {shortened(text, _SHOWN)}"
        ) from error
    return found


def columns(kind: type, others: Mapping[Any, pa.DataType] | None = None) -> Iterator[pa.Field]:
    """The fields of a class as columns, whose metadata has each annotation's line as `doc`.

    Args:
        kind: the class.
        others: the types of columns for what only some classes hold.
    """
    arrow = {**_ARROW, **(others or {})}
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        held, doc = get_args(annotation)
        kinds = (held,) if held in arrow else get_args(held)
        yield pa.field(name, arrow[kinds[0]], nullable=type(None) in kinds, metadata={"doc": doc})


SCHEMA = pa.schema(columns(Row))
"""The columns in Parquet; each field's metadata has its documentation under `doc`."""

_BARE = pa.schema([field.remove_metadata() for field in SCHEMA])


def to_table(rows: Iterable[Row]) -> pa.Table:
    """Rows as a table. Its columns have no documentation, which ten thousand files would repeat."""
    return pa.Table.from_pylist([asdict(row) for row in rows], schema=_BARE)


def from_table(table: pa.Table) -> list[Row]:
    """The rows of a table with these columns."""
    return [Row(**values) for values in table.to_pylist()]


@cache
def solver_version(solver: str) -> str:
    """A solver's distribution and its version; "" for an engine that takes no solver."""
    return SOLVERS[solver].version if solver else ""


# -- conditions on rows --------------------------------------------------------------------------------------

# Their names are the columns of the store and the parameters of its rows. Where a parameter has a column's name,
# `parameters.NAME` is the parameter.
RowCondition = Callable[[Row], bool]
"""Decides whether a row is wanted."""

_PARAMETERS = "parameters."
_COLUMN_KINDS = {"string": "", "timestamp[us, tz=UTC]": ""}
"""An example of the values of each type of column that has no numbers."""


def read_where(text: str, rows: Iterable[Row]) -> RowCondition:
    """Read a condition as a function of rows. A row at which it divides by zero is not wanted.

    Args:
        text: the user's text.
        rows: the rows of the store, whose parameters may be named.

    Raises:
        UserError: with every mistake, each with its line and column.
    """
    told: list[str] = []
    kinds: dict[str, set[str]] = {}
    for settings in {row.parameters: row.settings() for row in rows}.values():
        for name, value in settings.items():
            kinds.setdefault(name, set()).update(() if value is None else (kind_of(value),))

    def meaning(name: str) -> Name | str:
        if name in SCHEMA.names:
            kind = kind_of(_COLUMN_KINDS.get(str(SCHEMA.field(name).type), 0))
            return Name(lambda row: _plain(getattr(row, name)), frozenset({kind}))
        parameter = name.removeprefix(_PARAMETERS)
        if parameter not in kinds:
            known = [*kinds, *(SCHEMA.names if parameter == name else ())]
            return unknown_name("the store has no column or parameter", parameter, known)
        return Name(lambda row: row.settings().get(parameter), frozenset(kinds[parameter]))

    condition = read_condition("a condition", text, meaning, told.append)
    if condition is None:
        raise UserError("\n".join(f"--where: {complaint}" for complaint in told))

    def wanted(row: Row) -> bool:
        try:
            return condition.holds(row)
        except ZeroDivisionError:
            return False

    return wanted


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def plain_row(row: Row) -> dict[str, Any]:
    """A row as a JSON object, with its parameters as an object of its own."""
    return {**{name: _plain(value) for name, value in asdict(row).items()}, "parameters": row.settings()}

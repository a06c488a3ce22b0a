"""Grids of queries: many parameters, properties and depths, answered on Spark."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from leadline.erasing import to_standard_error
from leadline.symbolic.api.grid_run import Answers, GridRun
from leadline.symbolic.api.grid_text import grid_parts
from leadline.symbolic.api.progress import steady
from leadline.symbolic.api.states import frame
from leadline.symbolic.api.tables import plain
from leadline.symbolic.catalog import Entry, entry_of_class, find
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.durable import scratch_folder
from leadline.symbolic.grid.remote import place_of
from leadline.symbolic.grid.rows import plain_row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.summary import latest
from leadline.symbolic.lang import UserError
from leadline.symbolic.report.findings import ShownTrace, counterexample
from leadline.symbolic.report.html import page

if TYPE_CHECKING:
    from pandas import DataFrame


Columns: TypeAlias = Mapping[str, Any]
"""A row of a store, or a table of a grid, by the names of its columns or keys."""

Grid: TypeAlias = str | Path | Columns | Sequence[Columns]
"""A grid: the path of a grid file, one of its tables as a mapping, several, or all that a file holds."""


class GridResults(Sequence[Columns]):
    """The answers to a grid: for each query a mapping with the columns of the store. Printed, they are a table.

    Attributes:
        store: the folder of the store, or its URI.
        dropped: a sentence for each reason for which points are dropped.
    """

    def __init__(self, answers: Answers, given: Mapping[str, Entry]) -> None:
        self.store = answers.store
        self.dropped = answers.todo.dropped
        self._answers = answers
        self._given = given
        self._rows = [plain_row(row) for row in answers.whole]

    @overload
    def __getitem__(self, place: int) -> Columns: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Columns]: ...

    def __getitem__(self, place: int | slice) -> Columns | Sequence[Columns]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def complete(self) -> bool:
        """Whether every query has an answer, its own or one that follows from another query's."""
        rows = self._answers.rows
        return len(rows) == len(self._answers.todo.queries) and not any(row.unknown() for row in rows)

    @cached_property
    def _cells(self) -> Sequence[Cell]:
        return self._answers.cells

    def to_pandas(self) -> DataFrame:
        """A row for each query, with a column for each parameter in place of `parameters`.

        Raises:
            UserError: if pandas is not installed.
        """
        rows = [
            {**{key: value for key, value in row.items() if key != "parameters"}, **row["parameters"]}
            for row in self._rows
        ]
        return frame(rows, "row")

    def report(self, path: str | Path) -> None:
        """Write the answers as one HTML page, as `leadline report` does."""

        def show(cell: Cell) -> ShownTrace:
            return counterexample(Store(self.store), cell, self._given)

        made = page(latest(self._answers.whole), self._cells, show, title=self._answers.todo.name)
        Path(path).write_text(made, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<GridResults of {len(self)} queries in {self.store}>"

    def __str__(self) -> str:
        return "\n".join(line for part in grid_parts(self._answers) for line in plain(part))

    def _repr_html_(self) -> str:
        from leadline.symbolic.api.html import grid_html

        return grid_html(self._cells)


def grid(
    grid: Grid,
    /,
    *,
    store: str | Path | None = None,
    master: str | None = None,
    remote: str | None = None,
    retries: int | None = None,
    conf: Mapping[str, str] | None = None,
    prune: bool = True,
    replay: bool = False,
    progress: bool = True,
) -> GridResults:
    """Answer the queries of a grid on Spark, and store each answer the moment that it exists.

    A table is a mapping with the keys of `docs/grid-files.md`. A protocol in it is a name, a path or a class;
    a list of values may be any sequence, such as a range.

        leadline.grid({"protocol": Counter, "parameters": {"workers": range(1, 4)}, "depth": 6})

    Args:
        grid: the path of a grid file, a table, several tables, or a mapping as a file holds it.
        store: the folder of the store, or its URI such as s3://BUCKET/PATH, where earlier answers are not
            asked again; a temporary folder if left out, which goes with the results.
        master: Spark's master; by default this machine with all its processors.
        remote: the address of a Spark Connect server, sc://HOST:PORT, in place of a master.
        retries: how often a query is tried again if its worker is lost.
        conf: settings of Spark, by their names.
        prune: whether queries that another answer makes moot are not run.
        replay: whether to replay stored counterexamples and recheck certificates first.
        progress: whether a terminal or a notebook shows the progress.

    Raises:
        UserError: with every mistake in the grid; or if Spark does not start.
        KeyboardInterrupt: on Ctrl-C. The same call with the same store goes on from there.
    """
    given = Path(grid) if isinstance(grid, (str, Path)) else _tables(grid)
    with ExitStack() as stack:
        if store is None:
            store = stack.enter_context(scratch_folder())
        run = GridRun(
            name=given.name if isinstance(given, Path) else "in this process",
            store=Store(store if isinstance(store, Path) else place_of(store)),
            tell=_tell,
            steady=steady if progress else _silent,
            master=master,
            retries=retries,
            conf=conf or {},
            prune=prune,
            remote=remote,
        )
        found = GridResults(run.run(run.plan(given), replay=replay), _entries(given))
        weakref.finalize(found, stack.pop_all().close)
    return found


def _tell(text: str) -> None:
    to_standard_error(f"leadline: {text}")


@contextmanager
def _silent(_: str) -> Iterator[Callable[[str, float], None]]:
    yield lambda text, share: None


def _tables(grid: Columns | Sequence[Columns]) -> dict[str, Any]:
    """The tables of a grid as a file would hold them."""
    if not isinstance(grid, (Mapping, Sequence)):
        raise UserError(f"a grid is a path, a table or several, and not {grid!r}")
    if isinstance(grid, Mapping) and "check" in grid:
        found: dict[str, Any] = _plain(grid)
        return found
    return {"check": _plain([grid] if isinstance(grid, Mapping) else list(grid))}


def _plain(value: object) -> Any:
    """A value with dicts for mappings, and lists for other sequences."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (Sequence, range)) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value


def _entries(grid: Path | Columns) -> dict[str, Entry]:
    """The user's own protocols that the grid has loaded, by name."""
    if isinstance(grid, Path):
        return {}
    named = [table["protocol"] for table in grid["check"]]
    made = [entry_of_class(one) if isinstance(one, type) else find(one) for one in named]
    return {entry.name: entry for entry in made}

"""The answers to a grid in words, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from leadline.symbolic.api.asked import Part
from leadline.symbolic.engines import Table
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.rows import Row, plain_row
from leadline.symbolic.grid.summary import ProtocolRows, counts, groups, order, verdict_text
from leadline.symbolic.report.outcomes import as_expected, failures, sentence, surprises, tally

if TYPE_CHECKING:
    from leadline.symbolic.api.grid_run import Answers


def grid_parts(answers: Answers) -> Iterator[Part]:
    """The answers as tables, one for each protocol."""
    yield from tables(_together(sorted(answers.whole, key=order)), answers.run)
    for text in answers.todo.dropped:
        yield f"dropped: {text}"
    missing = len(answers.todo.queries) - len(answers.rows)
    if missing:
        yield f"not run: {missing} of {len(answers.todo.queries)}"
    if answers.before:
        yield f"{answers.before} answered in an earlier run were skipped"
    if count := len(answers.certificates):
        what = "1 proof, its certificate" if count == 1 else f"{count} proofs, their certificates"
        yield f"{what} in {answers.store / 'certificates'}"
    yield f"the results are in {answers.store}"
    yield ""
    yield from result_lines(answers.whole, answers.cells)


def result_lines(rows: Sequence[Row], found: Sequence[Cell]) -> Iterator[str]:
    """Surprises, then numbers: the last lines on the screen, which are read first.

    Args:
        rows: the rows, of which the queries are counted.
        found: the cells that they answer.
    """
    surprising, failed = surprises(found), failures(found)
    for cell, known in surprising:
        yield f"not as expected: {sentence(cell)}; known: {known.text()}"
    if found and not surprising and (not failed or any(map(as_expected, found))):
        yield "not as expected: nothing"
    for cell, where in failed:
        yield f"failed: {where}, such as {sentence(cell)}" if where else f"failed: {sentence(cell)}"
    if found:
        yield tally(found)
    yield counts(rows)


def tables(lines: Sequence[Sequence[Row]], run: str | None = None) -> Iterator[Part]:
    """A table for each protocol.

    Args:
        lines: the rows of each line.
        run: the run of which a last column tells the rows from earlier ones; None for no such column.
    """
    seeds = ["seed"] if len({row.seed for rows in lines for row in rows}) > 1 else []
    runs = [] if run is None else ["run"]
    of_line = {rows[0].query: rows for rows in lines}
    for group in groups(rows[0] for rows in lines):
        yield group.title
        header = [*group.varying, "property", "asked", "solver", *seeds, "verdict", "seconds", "MB", *runs]
        yield Table(header, [_line(group, of_line[row.query], seeds, run) for row in group.rows])
        yield ""


def _together(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each line: those obligations of one proof that hold share a line."""
    lines: dict[tuple[str | int, ...], list[Row]] = {}
    for row in rows:
        holds = row.obligation is not None and row.verdict == "proved"
        key = (row.protocol, row.parameters, row.property, row.solver, row.seed) if holds else (row.query,)
        lines.setdefault(key, []).append(row)
    return list(lines.values())


def _line(group: ProtocolRows, rows: Sequence[Row], seeds: Sequence[str], run: str | None) -> list[str]:
    row, many = rows[0], len(rows) > 1
    return [
        *group.point(row),
        row.property,
        f"{len(rows)} obligations" if many else row.question(),
        row.solver,
        *(str(row.seed) for _ in seeds),
        "all hold" if many else verdict_text(row),
        f"{sum(one.task_seconds for one in rows):.1f}",
        f"{max(one.memory_mb for one in rows):.0f}",
        *([] if run is None else ["now" if any(one.run == run for one in rows) else "earlier"]),
    ]


def grid_json(answers: Answers) -> Mapping[str, object]:
    """The answers as a JSON object."""
    return {
        "store": str(answers.store),
        "run": answers.run,
        "queries": len(answers.todo.queries),
        "dropped": list(answers.todo.dropped),
        "certificates": list(answers.certificates),
        "results": [{**plain_row(row), "skipped": row.run != answers.run} for row in answers.whole],
    }

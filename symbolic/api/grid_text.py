"""The answers to a grid in words, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from leadline.symbolic.api.asked import Part
from leadline.symbolic.engines import Table
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.rows import Row, plain_row
from leadline.symbolic.grid.summary import ProtocolRows, counts, groups, point_order, verdict_text
from leadline.symbolic.report.outcomes import as_expected, failures, sentence, surprises, tally

if TYPE_CHECKING:
    from leadline.symbolic.api.grid_run import Answers


def grid_parts(answers: Answers) -> Iterator[Part]:
    """The answers as tables, one for each protocol."""
    for group in groups(sorted(answers.whole, key=_order)):
        yield group.title
        header = [*group.varying, "property", "asked", "solver", "verdict", "seconds", "MB", "run"]
        lines = [_line(group, rows, answers) for rows in _together(group.rows)]
        yield Table(header, lines)
        yield ""
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


def _together(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each line: those obligations of one proof that hold share a line."""
    lines: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        holds = row.obligation is not None and row.verdict == "proved"
        key = (row.parameters, row.property, row.solver) if holds else (row.query,)
        lines.setdefault(key, []).append(row)
    return list(lines.values())


def _line(group: ProtocolRows, rows: Sequence[Row], answers: Answers) -> list[str]:
    row, many = rows[0], len(rows) > 1
    return [
        *group.point(row),
        row.property,
        f"{len(rows)} obligations" if many else row.question(),
        row.solver,
        "all hold" if many else verdict_text(row),
        f"{sum(one.task_seconds for one in rows):.1f}",
        f"{max(one.memory_mb for one in rows):.0f}",
        "now" if any(one.run == answers.run for one in rows) else "earlier",
    ]


def _order(row: Row) -> tuple[object, ...]:
    """The sort key of a row: its point, with numbers by their size, then the question."""
    depth = -1 if row.depth_asked is None else row.depth_asked
    how = (row.engine, row.unroll or "", depth, row.parts(), row.obligation or "", row.solver, row.seed)
    return (row.protocol, point_order(row), row.property, *how)


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

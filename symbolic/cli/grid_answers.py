"""What `leadline grid` answers: a table for a person, a document for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.output import Report

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan.plan import Plan
    from leadline.symbolic.grid.store.rows import Row
    from leadline.symbolic.grid.store.summary import Group


@dataclass(frozen=True)
class Answers:
    """What is known of a grid's queries in the end.

    Attributes:
        todo: the plan.
        store: the store's folder.
        run: the name of this run.
        rows: what is known of each query, in the plan's order; those that were not run are missing.
        before: how many queries an earlier run has settled.
        certificates: the paths in the store of the certificates of what is proved.
    """

    todo: Plan
    store: Path
    run: str
    rows: Sequence[Row]
    before: int
    certificates: Sequence[str] = ()


def grid_report(answers: Answers) -> Report:
    """The answers as tables, one for each protocol."""
    from leadline.symbolic.grid.store.summary import counts, groups

    report = Report()
    for group in groups(sorted(answers.rows, key=_order)):
        report.say(group.title)
        header = [*group.varying, "property", "asked", "solver", "verdict", "seconds", "MB", "run"]
        lines = [_line(group, rows, answers) for rows in _together(group.rows)]
        report.table(header, lines)
        report.say()
    for text in answers.todo.dropped:
        report.say(f"dropped: {text}")
    report.say(counts(answers.rows))
    missing = len(answers.todo.queries) - len(answers.rows)
    if missing:
        report.say(f"not run: {missing} of {len(answers.todo.queries)}")
    if answers.before:
        report.say(f"{answers.before} answered in an earlier run were skipped")
    if count := len(answers.certificates):
        what = "1 proof, its certificate" if count == 1 else f"{count} proofs, their certificates"
        report.say(f"{what} in {answers.store / 'certificates'}")
    report.say(f"the results are in {answers.store}")
    return report


def _together(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows line by line: obligations of one proof that hold are one line, each other row is its own."""
    lines: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        holds = row.obligation is not None and row.verdict == "proved"
        key = (row.parameters, row.property, row.solver) if holds else (row.query,)
        lines.setdefault(key, []).append(row)
    return list(lines.values())


def _line(group: Group, rows: Sequence[Row], answers: Answers) -> list[str]:
    from leadline.symbolic.grid.store.summary import question_text, verdict_text

    row, many = rows[0], len(rows) > 1
    return [
        *group.point(row),
        row.property,
        f"{len(rows)} obligations" if many else question_text(row),
        row.solver,
        "all hold" if many else verdict_text(row),
        f"{sum(one.task_seconds for one in rows):.1f}",
        f"{max(one.memory_mb for one in rows):.0f}",
        "now" if any(one.run == answers.run for one in rows) else "earlier",
    ]


def _order(row: Row) -> tuple[Any, ...]:
    """Where a row stands: by point, numbers by their size, then by what is asked; not in the plan's order."""
    point = tuple(
        (0, value, "") if isinstance(value, int) else (1, 0, str(value)) for value in row.settings().values()
    )
    depth = -1 if row.depth_asked is None else row.depth_asked
    how = (row.engine, row.unroll or "", depth, row.obligation or "", row.solver, row.seed)
    return (row.protocol, point, row.property, *how)


def grid_json(answers: Answers) -> Mapping[str, Any]:
    """The answers as a JSON object."""
    return {
        "store": str(answers.store),
        "run": answers.run,
        "queries": len(answers.todo.queries),
        "dropped": list(answers.todo.dropped),
        "certificates": list(answers.certificates),
        "results": [
            {
                **asdict(row),
                "parameters": row.settings(),
                "started": row.started.isoformat(),
                "skipped": row.run != answers.run,
            }
            for row in answers.rows
        ],
    }

"""What `leadline grid` answers: a table for a person, a document for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.output import Report

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan import Plan
    from leadline.symbolic.grid.rows import Row


@dataclass(frozen=True)
class Answers:
    """What is known of a grid's queries in the end.

    Attributes:
        todo: the plan.
        store: the store's folder.
        run: the name of this run.
        rows: what is known of each query, in the plan's order; those that were not run are missing.
        before: how many queries an earlier run has settled.
    """

    todo: Plan
    store: Path
    run: str
    rows: Sequence[Row]
    before: int


def grid_report(answers: Answers) -> Report:
    """The answers as tables, one for each protocol."""
    from leadline.symbolic.grid.summary import counts, groups, question_text, verdict_text

    report = Report()
    for group in groups(sorted(answers.rows, key=_order)):
        report.say(group.title)
        header = [*group.varying, "property", "asked", "solver", "verdict", "seconds", "MB", "run"]
        lines = [
            [
                *group.point(row),
                row.property,
                question_text(row),
                row.solver,
                verdict_text(row),
                f"{row.task_seconds:.1f}",
                f"{row.memory_mb:.0f}",
                _when(row, answers),
            ]
            for row in group.rows
        ]
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
    report.say(f"the results are in {answers.store}")
    return report


def _order(row: Row) -> tuple[Any, ...]:
    """Where a row stands: by point, numbers by their size, then by what is asked; not in the plan's order."""
    point = tuple(
        (0, value, "") if isinstance(value, int) else (1, 0, str(value)) for value in row.settings().values()
    )
    depth = -1 if row.depth_asked is None else row.depth_asked
    how = (row.engine, row.unroll or "", depth, row.obligation or "", row.solver, row.seed)
    return (row.protocol, point, row.property, *how)


def _when(row: Row, answers: Answers) -> str:
    return "now" if row.run == answers.run else "earlier"


def grid_json(answers: Answers) -> Mapping[str, Any]:
    """The answers as a JSON object."""
    return {
        "store": str(answers.store),
        "run": answers.run,
        "queries": len(answers.todo.queries),
        "dropped": list(answers.todo.dropped),
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

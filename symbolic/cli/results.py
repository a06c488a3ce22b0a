"""`leadline results`: what a store holds, for people, programs and continuous integration."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.exits import Exit, worst
from leadline.symbolic.cli.files import check_writable
from leadline.symbolic.cli.inputs import store_folder
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver, printable, tell
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.symbolic.grid.grammar.where import Condition
    from leadline.symbolic.grid.store.cells import Cell
    from leadline.symbolic.grid.store.rows import Row
    from leadline.symbolic.report.baseline import Compared


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "results",
        help="show or export what a store of results holds",
        description="Show or export the latest answers of a store of results. In JUnit XML and SARIF, what "
        "all queries about a property at a point say together is one test: a violation, a value out of "
        "bounds and a probe that is not reached fail; what is unknown is an error in JUnit, and in SARIF "
        "a notification.",
        epilog="Exit codes: 0 if the store can be read; with --baseline, of what got worse: 12 if a property "
        "is violated now (11 for a deadlock) or a probe not reached, 21 if a value is out of bounds now, 20 "
        "if a query is unknown now. Cells that the baseline does not have are told, and fail nothing.",
    )
    parser.add_argument("store", metavar="STORE", type=store_folder, help="the folder that `grid` filled")
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        help="only rows for which this holds: columns and parameters compared with values, such as "
        "\"verdict == 'violated' and replicas > 2\"",
    )
    add_format(parser, "table", "csv", "json", "junit", "sarif", out=True)
    parser.add_argument(
        "--baseline", metavar="STORE", type=store_folder, help="fail if a cell is worse than in this store"
    )
    parser.add_argument(
        "--compact", action="store_true", help="merge the store's rows into one file, and do nothing else"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Show or export the rows, and compare them."""
    if args.compact:
        return _compact(args)
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.store.summary import latest
    from leadline.symbolic.report.baseline import compared

    check_writable(args.out)
    here = _read(args.store)
    there = None if args.baseline is None else _read(args.baseline)
    wanted = _condition(args.where, [here] if there is None else [here, there])
    rows = latest(filter(wanted, here.rows))
    report = _report(rows)
    found = None if there is None else compared(there.cells, here.cells, lambda cell: _speaks(cell, wanted))
    for line in [] if found is None else _told(found):
        report.say(line) if args.format == "table" else tell(line)
    cells = [cell for cell in here.cells if _speaks(cell, wanted)]
    deliver(report, _written(args.format, rows, cells), args.out)
    return Exit.HOLDS if found is None else worst([_exit(cell) for _, cell in found.worse])


def _compact(args: argparse.Namespace) -> Exit:
    from leadline.symbolic.grid.store.compaction import compact
    from leadline.symbolic.grid.store.store import Store

    if args.where or args.out or args.baseline or args.format != "table":
        raise UserError("--compact goes alone: it shows nothing")
    done = compact(Store(args.store))
    for warning in done.warnings:
        tell(warning)
    tell(f"{done.rows} row{'s' if done.rows != 1 else ''} of {args.store} are in one file now")
    return Exit.HOLDS


@dataclass(frozen=True)
class _Held:
    """What a store holds."""

    rows: Sequence[Row]
    cells: Sequence[Cell]


def _read(folder: Path) -> _Held:
    from leadline.symbolic.grid.store.cells import cells
    from leadline.symbolic.grid.store.store import Store

    store = Store(folder)
    found = store.all()
    for warning in found.warnings:
        tell(warning)
    rows = list(found.rows.values())
    return _Held(rows, cells(rows, store.manifest().proofs()))


def _condition(where: str | None, stores: Sequence[_Held]) -> Condition:
    from leadline.symbolic.grid.grammar.where import read_where

    if where is None:
        return lambda row: True
    return read_where(where, [row for store in stores for row in store.rows])


def _speaks(cell: Cell, wanted: Condition) -> bool:
    """Whether a row that is wanted is about the cell."""
    return any(map(wanted, cell.rows))


def _report(rows: Sequence[Row]) -> Report:
    from leadline.symbolic.grid.store.summary import counts, groups, question_text, verdict_text

    report = Report()
    seeds = len({row.seed for row in rows}) > 1
    for group in groups(rows):
        report.say(printable(group.title))
        header = [*group.varying, "property", "asked", "solver", *(["seed"] if seeds else []), "verdict"]
        lines = [
            [
                *group.point(row),
                row.property,
                question_text(row),
                row.solver,
                *([str(row.seed)] if seeds else []),
                verdict_text(row),
                f"{row.task_seconds:.1f}",
                f"{row.memory_mb:.0f}",
            ]
            for row in group.rows
        ]
        report.table([*header, "seconds", "MB"], [[printable(text) for text in line] for line in lines])
        report.say()
    report.say(counts(rows))
    return report


def _written(form: str, rows: Sequence[Row], cells: Sequence[Cell]) -> str | None:
    """The answer in the format asked for; None for the table."""
    if form == "csv":
        return _csv(rows)
    if form == "json":
        from leadline.symbolic.grid.grammar.where import plain_row

        return as_json([plain_row(row) for row in rows])
    if form == "junit":
        from leadline.symbolic.report.junit import junit

        return junit(cells)
    if form == "sarif":
        from leadline.symbolic.report.sarif import sarif

        return as_json(sarif(cells))
    return None


def _csv(rows: Sequence[Row]) -> str:
    """The columns of the store, the parameters as JSON; what is null is empty."""
    from leadline.symbolic.grid.grammar.where import plain_row
    from leadline.symbolic.grid.store.rows import SCHEMA

    text = io.StringIO()
    writer = csv.DictWriter(text, SCHEMA.names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**plain_row(row), "parameters": row.parameters} for row in rows)
    return text.getvalue()


def _told(found: Compared) -> list[str]:
    """The comparison in words."""
    from leadline.symbolic.report.outcomes import sentence

    lines = [f"worse: {sentence(cell)} (was: {was.text()})" for was, cell in found.worse]
    lines += [f"new: {sentence(cell)}" for cell in found.new]
    lines += [f"not in this store: {sentence(cell)}" for cell in found.gone]
    count = len(found.worse)
    lines.append(f"{count} cell{'s' if count != 1 else ''} got worse" if count else "no cell got worse")
    return [printable(line) for line in lines]


def _exit(cell: Cell) -> Exit:
    """The exit code for a cell that got worse."""
    from leadline.symbolic.report.outcomes import Outcome, outcome
    from leadline.symbolic.trace import DEADLOCK

    if outcome(cell) is not Outcome.FAILED:
        return Exit.UNKNOWN
    if cell.verdict == "out-of-bounds":
        return Exit.OUT_OF_BOUNDS
    return Exit.DEADLOCK if cell.goal.property == DEADLOCK else Exit.VIOLATED

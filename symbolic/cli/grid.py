"""`leadline grid`: many queries at once, spread over Spark, their results stored as they come."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import write_out
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver, tell
from leadline.symbolic.cli.progress import live
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan import Plan
    from leadline.symbolic.grid.rows import Row
    from leadline.symbolic.grid.store import Store

_STORES = Path("build", "store")


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "grid",
        help="answer the queries of a grid file on Spark",
        description="Answer the queries of a grid file on Spark. What the store answers already is not run "
        "again, except for what was unknown and has more to use now.",
        epilog="Exit codes: 0 if every query is answered (a violation is an answer), 20 if one is unknown, "
        "2 if the file has mistakes or Spark does not start, 130 if interrupted (the same command goes on "
        "from there).",
    )
    parser.add_argument("file", metavar="FILE.toml", type=Path, help="what to ask")
    parser.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine)")
    parser.add_argument(
        "--store",
        metavar="DIR",
        type=Path,
        help=f"where results are kept (default: {_STORES}/NAME of NAME.toml)",
    )
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Run what is not answered yet, and report all of it."""
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.plan import plan
    from leadline.symbolic.grid.store import Store

    todo = plan(args.file)
    store = Store(args.store or _STORES / args.file.stem)
    store.create()
    before = _settled(todo, store, warn=True)
    _answer(args, todo, store, before)
    rows = _stored(todo, store)
    report = _report(todo, store, rows, before)
    write_out(store.folder / "report.txt", report.text())
    deliver(report, as_json(_json(todo, store, rows, before)) if args.format == "json" else None, None)
    answered = sum(not row.unknown() for row in rows)
    return Exit.HOLDS if answered == len(todo.queries) else Exit.UNKNOWN


def _settled(todo: Plan, store: Store, *, warn: bool = False) -> set[str]:
    """The ids of the queries that need not be run again."""
    found = store.find(query.id for query in todo.queries)
    for warning in found.warnings if warn else ():
        tell(warning)
    return {
        query.id for query in todo.queries if query.id in found.rows and found.rows[query.id].settles(query)
    }


def _stored(todo: Plan, store: Store) -> list[Row]:
    found = store.find(query.id for query in todo.queries).rows
    return [found[query.id] for query in todo.queries if query.id in found]


def _answer(args: argparse.Namespace, todo: Plan, store: Store, before: set[str]) -> None:
    """Answer what is left; a Spark that gives up is told, and what it did is reported."""
    left = [query for query in todo.queries if query.id not in before]
    if not left:
        return
    # Here, since nothing else needs Spark.
    from leadline.symbolic.grid import spark

    try:
        store.forget(query.id for query in left)
        with live(f"grid {args.file.name}") as show:
            show("starting Spark")
            spark.run(
                left,
                store,
                args.master or spark.MASTER,
                lambda done: show(f"{len(before) + done} of {len(todo.queries)} queries"),
            )
    except KeyboardInterrupt:
        done = len(_settled(todo, store))
        tell(
            f"interrupted: {done} of {len(todo.queries)} queries are answered and kept in {store.folder}; "
            "the same command goes on from there"
        )
        raise
    except spark.SparkGaveUp as error:
        tell(f"{error}; what was answered is kept, the same command goes on from there")
    except OSError as error:
        raise UserError(f"the store {store.folder} cannot be written: {error.strerror}") from error


def _report(todo: Plan, store: Store, rows: Sequence[Row], before: set[str]) -> Report:
    from leadline.symbolic.grid.summary import counts, groups, verdict_text

    report = Report()
    for group in groups(rows):
        report.say(group.title)
        header = [*group.varying, "property", "solver", "verdict", "seconds", "MB", "run"]
        lines = [
            [
                *group.point(row),
                row.property,
                row.solver,
                verdict_text(row),
                f"{row.task_seconds:.1f}",
                f"{row.memory_mb:.0f}",
                "earlier" if row.query in before else "now",
            ]
            for row in group.rows
        ]
        report.table(header, lines)
        report.say()
    for text in todo.dropped:
        report.say(f"dropped: {text}")
    report.say(counts(rows))
    if len(rows) < len(todo.queries):
        report.say(f"not run: {len(todo.queries) - len(rows)} of {len(todo.queries)}")
    if before:
        report.say(f"{len(before)} answered in an earlier run were skipped")
    report.say(f"the results are in {store.folder}")
    return report


def _json(todo: Plan, store: Store, rows: Sequence[Row], before: set[str]) -> Mapping[str, Any]:
    return {
        "store": str(store.folder),
        "queries": len(todo.queries),
        "dropped": list(todo.dropped),
        "results": [{**_row_json(row), "skipped": row.query in before} for row in rows],
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        **asdict(row),
        "parameters": row.settings(),
        "trace": None if row.trace is None else json.loads(row.trace),
        "started": row.started.isoformat(),
    }

"""`leadline grid`: many queries at once, spread over Spark, their results stored as they come."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import write_out
from leadline.symbolic.cli.grid_answers import Answers, grid_json, grid_report
from leadline.symbolic.cli.inputs import store_folder
from leadline.symbolic.cli.output import add_format, as_json, deliver, tell
from leadline.symbolic.cli.plan import show_plan
from leadline.symbolic.cli.progress import steady
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan.plan import Plan
    from leadline.symbolic.grid.running.archive import StoreArchive
    from leadline.symbolic.grid.running.resume import Resumed
    from leadline.symbolic.grid.store.rows import Row
    from leadline.symbolic.grid.store.store import Store

_STORES = Path("build", "store")
_GOES_ON = "the same command goes on from there"


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "grid",
        help="answer the queries of a grid file on Spark",
        description="Answer the queries of a grid file on Spark. What the store answers already is not run "
        "again, except for what was unknown and has more to use now. A query is moot, and not run, once "
        "another answer says what it would find: a violation that it would find too, or a proof.",
        epilog="Exit codes: 0 if every query is answered or moot (a violation is an answer), 20 if one is "
        "unknown or was not run, 2 if the file has mistakes or Spark does not start, 130 if interrupted (the "
        "same command goes on from there).",
    )
    parser.add_argument("file", metavar="FILE.toml", type=Path, help="what to ask")
    parser.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine)")
    parser.add_argument(
        "--store",
        metavar="DIR",
        type=store_folder,
        help=f"where results are kept (default: {_STORES}/NAME of NAME.toml)",
    )
    parser.add_argument(
        "--plan", action="store_true", help="show what would run and about what it costs, and run nothing"
    )
    parser.add_argument("--no-prune", dest="prune", action="store_false", help="run moot queries too")
    parser.add_argument("--ui", action="store_true", help="let Spark show its pages while the grid runs")
    parser.add_argument(
        "--retries",
        metavar="N",
        type=_count,
        help="how often a query is tried again whose worker process or machine was lost (default: 2)",
    )
    parser.add_argument(
        "--conf",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help="a setting of Spark's, such as spark.executor.memory=2g; may be repeated",
    )
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 100:
        raise argparse.ArgumentTypeError(f"a number in 0..100 is needed, not {text}")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f"spark.NAME=VALUE is needed, not {text}")
    return name, value


def run(args: argparse.Namespace) -> Exit:
    """Run what is not answered yet, and report all of it."""
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.cost.cost import read_cost_model
    from leadline.symbolic.grid.plan.plan import plan
    from leadline.symbolic.grid.running.archive import StoreArchive, new_run
    from leadline.symbolic.grid.running.resume import resume
    from leadline.symbolic.grid.store.store import Store

    store = Store(args.store or _STORES / args.file.stem)
    costs, warnings = read_cost_model(store.folder)
    todo = plan(args.file, costs)
    if not args.plan:
        store.create()
    begin = resume(todo.queries, store, prune=args.prune)
    for warning in (*warnings, *begin.warnings):
        tell(warning)
    if args.plan:
        return show_plan(todo, begin, store.folder, args.format)
    archive = StoreArchive(store, new_run(), todo.predicted)
    if begin.left or begin.moot:
        _answer(args, begin, todo, archive)
        _learn(todo, _known(todo, archive), store.folder)
    known = _known(todo, archive)
    proved = _certify(todo, known, store)
    answers = Answers(todo, store.folder, archive.run, known, len(begin.settled), proved)
    _deliver(args, answers)
    answered = sum(not row.unknown() for row in answers.rows)
    return Exit.HOLDS if answered == len(todo.queries) else Exit.UNKNOWN


def _learn(todo: Plan, rows: Sequence[Row], folder: Path) -> None:
    """Keep in the store what the run says of costs, for the next plan."""
    try:
        todo.costs.refit(rows).write(folder)
    except OSError as error:
        tell(f"what was learned of costs is not kept in {folder}: {error.strerror}")


def _certify(todo: Plan, rows: Sequence[Row], store: Store) -> Sequence[str]:
    """Keep in the store a certificate of each proof."""
    # Here, since a grid without proofs needs no engine.
    from leadline.symbolic.grid.store.cells import obligations_of
    from leadline.symbolic.grid.store.certified import certify

    try:
        return certify(rows, obligations_of(todo.queries), store)
    except OSError as error:
        tell(f"a certificate cannot be written in {store.folder}: {error.strerror}; {_GOES_ON}")
        return ()


def _known(todo: Plan, archive: StoreArchive) -> list[Row]:
    """What is known of the queries, whether it could be stored or not."""
    known: Mapping[str, Row] = {
        **archive.store.find(query.id for query in todo.queries).rows,
        **{answer.row.query: answer.row for answer in archive.unsaved},
    }
    return [known[query.id] for query in todo.queries if query.id in known]


def _answer(args: argparse.Namespace, begin: Resumed, todo: Plan, archive: StoreArchive) -> None:
    """Answer what is left; where that ends early it is told why, and what was done is reported."""
    # Here, since nothing else needs Spark.
    from leadline.symbolic.grid.running import spark
    from leadline.symbolic.grid.running.spark import SparkGaveUp

    try:
        archive.store.record(archive.run, todo.queries)
        for query, reason in begin.moot:
            archive.moot(query, reason)
        if begin.left:
            _on_spark(args, begin, archive, spark.run)
    except KeyboardInterrupt:
        done = len(_known(todo, archive))
        kept = f"{done} of {len(todo.queries)} queries are answered and kept in {archive.store.folder}"
        tell(f"interrupted: {kept}; {_GOES_ON}")
        raise
    except SparkGaveUp as error:
        tell(f"{error}; what was answered is kept, {_GOES_ON}")
    except OSError as error:
        lost = len(archive.unsaved)
        answers = f"{lost} answer{'s' if lost != 1 else ''}, shown here, could not be stored;"
        tell(
            f"the store {archive.store.folder} cannot be written: {error.strerror}; {answers} what was "
            f"answered before is kept; make room, then {_GOES_ON}"
        )


def _on_spark(args: argparse.Namespace, begin: Resumed, archive: StoreArchive, start: Any) -> None:
    from leadline.symbolic.grid.running.session import MASTER, RETRIES, Setup

    retries = RETRIES if args.retries is None else args.retries
    setup = Setup(args.master or MASTER, retries, args.ui, dict(args.conf))
    with steady(f"grid {args.file.name}") as show:
        show("starting Spark", 0.0)
        start(
            begin.left,
            archive,
            setup,
            begin.pruning,
            lambda tally: show(tally.text(), tally.share),
            started=lambda spark: tell(f"Spark shows its pages at {spark.uiWebUrl}") if args.ui else None,
        )


def _deliver(args: argparse.Namespace, answers: Answers) -> None:
    report = grid_report(answers)
    try:
        write_out(answers.store / "report.txt", report.text())
    except UserError as error:
        tell(str(error))
    deliver(report, as_json(grid_json(answers)) if args.format == "json" else None, None)

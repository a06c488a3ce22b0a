"""`leadline grid`: answer many queries on Spark and store each result as it arrives."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.api.progress import steady
from leadline.symbolic.cli.grid_report import Answers, grid_json, grid_report, show_plan
from leadline.symbolic.cli.inputs import store_folder
from leadline.symbolic.cli.output import Exit, add_format, as_json, deliver, tell, write_out
from leadline.symbolic.lang import UserError
from leadline.symbolic.lang.names import counted

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan import Plan
    from leadline.symbolic.grid.rows import Row
    from leadline.symbolic.grid.runs import Resumed, StoreArchive
    from leadline.symbolic.grid.store import Store
    from leadline.symbolic.grid.witnesses import Replayed

_STORES = Path("build", "store")
_GOES_ON = "the same command goes on from there"


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "grid",
        help="answer the queries of a grid file on Spark",
        description="Answer the queries of a grid file on Spark. A query that the store answers is not run "
        "again, unless its answer is unknown and its limits are larger now. A query is moot, and not run, "
        "once another answer implies its own: a violation that it would find too, or a proof.",
        epilog="Exit codes: 0 if every query is answered or moot (a violation is an answer), 20 if one is "
        "unknown or was not run, or a recheck did not end, 255 if --replay refuted something in the store, 2 "
        "if the file has mistakes or Spark does not start, 130 if interrupted (the same command goes on from "
        "there).",
    )
    parser.add_argument("file", metavar="FILE.toml", type=Path, help="the grid file")
    parser.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine)")
    parser.add_argument(
        "--store",
        metavar="DIR",
        type=store_folder,
        help=f"the store of the results (default: {_STORES}/NAME for NAME.toml)",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="show the queries to run and their predicted cost, and run nothing",
    )
    parser.add_argument(
        "--replay",
        action="store_true",
        help="first replay the counterexamples that the store holds for these queries, and recheck the "
        "certificates by the other solver; report those that fail, and ask their queries again",
    )
    parser.add_argument("--no-prune", dest="prune", action="store_false", help="run moot queries too")
    parser.add_argument("--ui", action="store_true", help="serve Spark's web pages while the grid runs")
    parser.add_argument(
        "--retries",
        metavar="N",
        type=_count,
        help="try a query again up to N times if its worker process or machine is lost (default: 2)",
    )
    parser.add_argument(
        "--conf",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help="a setting for Spark, such as spark.executor.memory=2g; repeat it for several",
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
    """Run the queries that have no answer yet, and report the answers to all."""
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.cost import read_cost_model
    from leadline.symbolic.grid.plan import plan
    from leadline.symbolic.grid.runs import StoreArchive, new_run, resume
    from leadline.symbolic.grid.store import Store

    if args.plan and args.replay:
        raise UserError("--replay does not go with --plan, which runs nothing: leave one of them out")
    store = Store(args.store or _STORES / args.file.stem)
    costs, warnings = read_cost_model(store.folder)
    todo = plan(args.file, costs)
    if not args.plan:
        store.create()
    replayed = _replay(args, todo, store) if args.replay else None
    refuted = replayed.refuted if replayed is not None else {}
    begin = resume(todo.queries, store, prune=args.prune, refuted=refuted.keys())
    for warning in (*warnings, *begin.warnings):
        tell(warning)
    if args.plan:
        return show_plan(todo, begin, store.folder, args.format)
    archive = StoreArchive(store, new_run(), todo.predicted)
    if begin.left or begin.moot:
        _answer(args, begin, todo, archive, refuted)
        _learn(todo, _known(todo, archive, refuted), store.folder)
    known = _known(todo, archive, refuted)
    proved = _certify(todo, known, store)
    answers = Answers(todo, store.folder, archive.run, known, len(begin.settled), proved)
    _deliver(args, answers)
    if replayed is not None and replayed.refusals:
        return Exit.INTERNAL
    answered = sum(not row.unknown() for row in answers.rows)
    ended = replayed is None or not replayed.unfinished
    return Exit.HOLDS if answered == len(todo.queries) and ended else Exit.UNKNOWN


def _replay(args: argparse.Namespace, todo: Plan, store: Store) -> Replayed:
    """Replay the counterexamples and recheck the certificates of the store, and report those that fail."""
    # Here, since only this needs the engines.
    from leadline.symbolic.grid.witnesses import replay

    with steady(f"grid {args.file.name}") as show:
        done = replay(todo.queries, store, show)
    for text in (*done.refusals, *done.unfinished):
        tell(text)
    checked = f"replayed: {counted(done.traces, 'counterexample')}, {counted(done.proofs, 'certificate')}"
    again = f"; {counted(len(done.refuted), 'answer')} refuted, to be asked again" if done.refuted else ""
    tell(checked + again)
    return done


def _learn(todo: Plan, rows: Sequence[Row], folder: Path) -> None:
    """Fit the predictions of cost to the run, and store them for the next plan."""
    try:
        todo.costs.refit(rows).write(folder)
    except OSError as error:
        tell(f"the predictions of cost cannot be stored in {folder}: {error.strerror}")


def _certify(todo: Plan, rows: Sequence[Row], store: Store) -> Sequence[str]:
    """Store a certificate of each proof."""
    # Here, since a grid without proofs needs no engine.
    from leadline.symbolic.grid.witnesses import certify

    try:
        done = certify(rows, todo.queries, store)
    except OSError as error:
        tell(f"a certificate cannot be written in {store.folder}: {error.strerror}; {_GOES_ON}")
        return ()
    for refusal in done.refusals:
        tell(refusal)
    return [*done.proofs]


def _known(todo: Plan, archive: StoreArchive, refuted: Mapping[str, str]) -> list[Row]:
    """The answers to the queries, stored or not, without rows that were refuted."""
    from leadline.symbolic.grid.witnesses import answers

    stored = answers(archive.store, (query.id for query in todo.queries)).rows
    known: Mapping[str, Row] = {
        **{name: row for name, row in stored.items() if refuted.get(name) != row.run},
        **{answer.row.query: answer.row for answer in archive.unsaved},
    }
    return [known[query.id] for query in todo.queries if query.id in known]


def _answer(
    args: argparse.Namespace, begin: Resumed, todo: Plan, archive: StoreArchive, refuted: Mapping[str, str]
) -> None:
    """Answer the queries that are left; if that ends early, report the reason."""
    # Here, since nothing else needs Spark.
    from leadline.symbolic.grid import spark
    from leadline.symbolic.grid.spark import SparkGaveUp

    try:
        archive.store.record(archive.run, todo.queries)
        for query, reason in begin.moot:
            archive.moot(query, reason)
        if begin.left:
            _on_spark(args, begin, archive, spark.run)
    except KeyboardInterrupt:
        done = len(_known(todo, archive, refuted))
        kept = f"{done} of {len(todo.queries)} queries are answered and kept in {archive.store.folder}"
        tell(f"interrupted: {kept}; {_GOES_ON}")
        raise
    except SparkGaveUp as error:
        tell(f"{error}; the answers so far are kept, {_GOES_ON}")
    except OSError as error:
        lost = len(archive.unsaved)
        answers = f"{counted(lost, 'answer')}, shown here, could not be stored;"
        tell(
            f"the store {archive.store.folder} cannot be written: {error.strerror}; {answers} the "
            f"answers before are kept; make room, then {_GOES_ON}"
        )


def _on_spark(args: argparse.Namespace, begin: Resumed, archive: StoreArchive, start: Any) -> None:
    from leadline.symbolic.grid.session import MASTER, RETRIES, SparkSetup

    retries = RETRIES if args.retries is None else args.retries
    setup = SparkSetup(args.master or MASTER, retries, args.ui, dict(args.conf))
    with steady(f"grid {args.file.name}") as show:
        show("starting Spark", 0.0)
        start(
            begin.left,
            archive,
            setup,
            begin.pruning,
            lambda progress: show(progress.text(), progress.share),
            started=lambda spark: tell(f"Spark shows its pages at {spark.uiWebUrl}") if args.ui else None,
        )


def _deliver(args: argparse.Namespace, answers: Answers) -> None:
    report = grid_report(answers)
    try:
        write_out(answers.store / "report.txt", report.text())
    except UserError as error:
        tell(str(error))
    deliver(report, as_json(grid_json(answers)) if args.format == "json" else None, None)

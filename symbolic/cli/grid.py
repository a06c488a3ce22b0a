"""`leadline grid`: answer many queries on Spark and store each result as it arrives."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.symbolic.api.progress import steady
from leadline.symbolic.cli.grid_report import show_plan
from leadline.symbolic.cli.inputs import seconds, store_place
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines.run.limits import timely
from leadline.symbolic.grid.durable import write_text
from leadline.symbolic.grid.remote import StoreAway
from leadline.symbolic.grid.workers import PATIENCE
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.symbolic.api.grid_run import Answers

_STORES = Path("build", "store")


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Answer the queries of a grid file on Spark. A query that the store answers is not run "
        "again, unless its answer is unknown and its limits are larger now. A query is moot, and not run, "
        "once another answer implies its own: a violation that it would find too, or a proof."
    )
    parser.epilog = (
        "Exit codes: 0 if every query is answered or moot (a violation is an answer), 20 if one is "
        "unknown or was not run, or a recheck did not end, 255 if --replay refuted something in the store, 2 "
        "if the file has mistakes or Spark does not start, 150 if a model has mistakes, 130 if interrupted "
        "(the same command goes on from there)."
    )
    parser.add_argument("file", metavar="FILE.toml", type=Path, help="the grid file")
    parser.add_argument(
        "--store",
        metavar="STORE",
        type=store_place,
        help="the store of the results: a folder, or s3://BUCKET/PATH, gs://, abfs:// or hdfs:// "
        f"(default: {_STORES}/NAME for NAME.toml)",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="show the queries to run and their predicted cost, and run nothing",
    )
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=seconds,
        help="give up if the grid is not planned within S seconds (its queries have timeout_seconds in the file)",
    )
    parser.add_argument(
        "--replay",
        action="store_true",
        help="first replay the counterexamples that the store holds for these queries, and recheck the "
        "certificates by the other solver; report those that fail, and ask their queries again",
    )
    parser.add_argument("--no-prune", dest="prune", action="store_false", help="run moot queries too")
    _add_spark(parser)
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def _add_spark(parser: argparse.ArgumentParser) -> None:
    """Declare the options about Spark."""
    parser.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine)")
    parser.add_argument(
        "--remote", metavar="URL", help="a Spark Connect server, sc://HOST:PORT, in place of a master"
    )
    parser.add_argument("--ui", action="store_true", help="serve Spark's web pages while the grid runs")
    parser.add_argument(
        "--retries",
        metavar="N",
        type=_count,
        help="try a query again up to N times if its worker process or machine is lost (default: 2)",
    )
    parser.add_argument(
        "--patience",
        metavar="S",
        type=seconds,
        default=PATIENCE,
        help="on a cluster without any worker, or while a store elsewhere cannot be reached, give up after S "
        "seconds (default: 600)",
    )
    parser.add_argument(
        "--conf",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help="a setting for Spark, such as spark.executor.memory=2g; repeat it for several",
    )


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
    from leadline.symbolic.api.grid_run import GridRun
    from leadline.symbolic.grid.store import Store

    if args.plan and args.replay:
        raise UserError("--replay does not go with --plan, which runs nothing: leave one of them out")
    grid = GridRun(
        args.file.name,
        Store(args.store or _STORES / args.file.stem),
        tell,
        steady,
        args.master,
        args.retries,
        args.ui,
        dict(args.conf),
        args.prune,
        args.patience,
        args.remote,
    )
    with timely(args.file, args.timeout, "the grid was planned"):
        todo = grid.plan(args.file)
    if args.plan:
        return show_plan(todo, grid.begin(todo, {}), grid.store.folder, args.format)
    answers = grid.run(todo, replay=args.replay)
    _deliver(args, answers)
    if answers.refusals:
        return Exit.INTERNAL
    answered = sum(not row.unknown() for row in answers.rows)
    whole = answered == len(todo.queries) and not answers.unfinished and not answers.waiting
    return Exit.HOLDS if whole else Exit.UNKNOWN


def _deliver(args: argparse.Namespace, answers: Answers) -> None:
    from leadline.symbolic.api.grid_text import grid_json, grid_parts

    report = Report([*grid_parts(answers)])
    try:
        write_text(answers.store / "report.txt", report.text())
    except (OSError, StoreAway) as error:
        why = error.strerror if isinstance(error, OSError) else error
        tell(f"{answers.store / 'report.txt'} cannot be written: {why}")
    deliver(report, as_json(grid_json(answers)) if args.format == "json" else None, None)

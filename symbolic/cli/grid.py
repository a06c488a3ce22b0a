"""`leadline grid`: answer many queries on Spark and store each result as it arrives.

With `--plan` nothing runs: the queries and their predicted cost are shown.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.grid_run import Answers, GridRun
from leadline.symbolic.api.grid_text import grid_json, grid_parts
from leadline.symbolic.api.progress import steady
from leadline.symbolic.cli.inputs import add_conf, at_least, seconds, store_place
from leadline.symbolic.cli.output import add_format, as_json, as_text, deliver
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines import Limits, Table
from leadline.symbolic.engines.run.limits import timely
from leadline.symbolic.grid.cost import LayerFormula
from leadline.symbolic.grid.durable import write_text
from leadline.symbolic.grid.plan import Plan
from leadline.symbolic.grid.query import GridQuery, point_text
from leadline.symbolic.grid.remote import Place, StoreAway
from leadline.symbolic.grid.runs import Resumed
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.workers import PATIENCE
from leadline.symbolic.lang import UserError

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
    parser.add_argument("--master", metavar="URL", help="Spark's master (default: local[*], this machine)")
    parser.add_argument(
        "--remote", metavar="URL", help="a Spark Connect server, sc://HOST:PORT, in place of a master"
    )
    parser.add_argument("--ui", action="store_true", help="serve Spark's web pages while the grid runs")
    parser.add_argument(
        "--retries",
        metavar="N",
        type=at_least(0, 100),
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
    add_conf(parser)


def run(args: argparse.Namespace) -> Exit:
    """Run the queries that have no answer yet, and report the answers to all."""
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
    with timely(args.file, Limits(args.timeout), "the grid was planned"):
        todo = grid.plan(args.file)
    if args.plan:
        begin, store = grid.begin(todo, {}), grid.store.folder
        written = as_json(_plan_json(todo, begin, store)) if args.format == "json" else None
        return deliver(_plan_report(todo, begin, store), written, None)
    answers = grid.run(todo, replay=args.replay)
    _deliver(args, answers)
    if answers.refusals:
        return Exit.INTERNAL
    answered = sum(not row.unknown() for row in answers.rows)
    whole = answered == len(todo.queries) and not answers.unfinished and not answers.waiting
    return Exit.HOLDS if whole else Exit.UNKNOWN


def _deliver(args: argparse.Namespace, answers: Answers) -> None:
    parts = [*grid_parts(answers)]
    try:
        write_text(answers.store / "report.txt", as_text(parts))
    except (OSError, StoreAway) as error:
        why = error.strerror if isinstance(error, OSError) else error
        tell(f"{answers.store / 'report.txt'} cannot be written: {why}")
    deliver(parts, as_json(grid_json(answers)) if args.format == "json" else None, None)


_LONGEST = 5
"""The number of the longest queries that are shown."""


@dataclass(frozen=True)
class Share:
    """One protocol's share of a grid.

    Attributes:
        protocol: its name.
        points: the number of points that are asked.
        dropped: the number of points left out, since they break a constraint or an assumption.
        queries: the number of queries.
        to_run: the number of queries that are neither answered nor moot.
        layer_size: the least and the greatest predicted size of a layer of those, in variables and clauses.
        predicted_seconds: the predicted seconds of those together.
    """

    protocol: str
    points: int
    dropped: int
    queries: int
    to_run: int
    layer_size: tuple[float, float] | None
    predicted_seconds: float


def _shares(todo: Plan, begin: Resumed) -> list[Share]:
    left = {query.id for query in begin.left}
    points: dict[str, set[str]] = {}
    for query in todo.in_file_order():
        points.setdefault(query.protocol, set()).add(query.parameters)
    dropped: Counter[str] = Counter()
    for drop in todo.drops:
        dropped[drop.protocol] += drop.points if drop.whole else 0
    shares = []
    for protocol, own in points.items():
        queries = [query.id for query in todo.queries if query.protocol == protocol]
        waiting = [name for name in queries if name in left]
        sizes = [todo.costs.sizes[name] for name in waiting]
        seconds = sum(todo.predicted[name] for name in waiting)
        extent = (min(sizes), max(sizes)) if sizes else None
        counts = len(own), dropped[protocol], len(queries), len(waiting)
        shares.append(Share(protocol, *counts, extent, seconds))
    return shares


def _plan_report(todo: Plan, begin: Resumed, store: Place) -> Iterator[Part]:
    shares = _shares(todo, begin)
    lines = [_share_line(share) for share in shares]
    if len(shares) > 1:
        points, dropped, queries, to_run = map(sum, zip(*map(_counts, shares), strict=True))
        seconds = sum(share.predicted_seconds for share in shares)
        lines.append(_share_line(Share("total", points, dropped, queries, to_run, None, seconds)))
    yield Table(["protocol", "points", "dropped", "queries", "to run", "layer size", "predicted"], lines)
    yield ""
    yield from (f"dropped: {text}" for text in todo.dropped)
    if todo.dropped:
        yield ""
    if begin.left:
        yield "the longest queries"
        rows = [_query_line(query, todo.predicted[query.id]) for query in begin.left[:_LONGEST]]
        yield from (Table(["protocol", "parameters", "property", "asked", "solver", "predicted"], rows), "")
    if begin.settled or begin.moot:
        yield f"{store} answers {len(begin.settled) + len(begin.moot)} of them already"
    yield _source(todo)


def _share_line(share: Share) -> list[str]:
    extent = "-"
    if share.layer_size is not None:
        extent = "..".join(dict.fromkeys(f"{size:.0f}" for size in share.layer_size))
    counts = (f"{count:,}" for count in _counts(share))
    return [share.protocol, *counts, extent, duration(share.predicted_seconds)]


def _counts(share: Share) -> tuple[int, int, int, int]:
    return share.points, share.dropped, share.queries, share.to_run


def _query_line(query: GridQuery, seconds: float) -> list[str]:
    return [
        query.protocol,
        point_text(dict(query.settings), "its defaults"),
        query.property,
        query.question,
        query.solver,
        duration(seconds),
    ]


def _source(todo: Plan) -> str:
    costs = todo.costs
    if costs.spread is None:
        return "costs are predicted by the defaults: they are refitted to what a run measures"
    within = f"typically within a factor of {costs.spread:.1f}"
    return f"costs are predicted from {costs.rows} measured rows, {within}"


def duration(seconds: float) -> str:
    """A time, for a person.

    >>> [duration(x) for x in (0.4, 59, 90, 5400, 200000)]
    ['0.4 s', '59 s', '1.5 min', '1.5 h', '2.3 days']
    """
    for unit, size, limit in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 86400)):
        if seconds < limit:
            return f"{seconds / size:.{0 if seconds / size >= 9.95 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def _plan_json(todo: Plan, begin: Resumed, store: Place) -> Mapping[str, Any]:
    left = {query.id for query in begin.left}
    return {
        "store": str(store),
        "queries": len(todo.queries),
        "to_run": len(left),
        "predicted_seconds": sum(todo.predicted[query.id] for query in begin.left),
        "costs": {"rows": todo.costs.rows, "spread": todo.costs.spread},
        "protocols": [asdict(share) for share in _shares(todo, begin)],
        "dropped": [
            {
                "table": drop.place,
                "protocol": drop.protocol,
                "why": drop.why,
                "text": drop.text,
                "points": drop.points,
                "first": drop.first,
            }
            for drop in todo.drops
        ],
        "layers": [_layer_json(formula) for formula in todo.layers],
        "longest_first": _queries_json(todo, left),
    }


def _layer_json(formula: LayerFormula) -> Mapping[str, Any]:
    return {
        "protocol": formula.protocol,
        "size": str(formula.expression),
        "choices": {
            name: [{"value": value, "factor": factor} for value, factor in factors.items()]
            for name, factors in formula.choices.items()
        },
        "measured": len(formula.sizes),
    }


def _queries_json(todo: Plan, left: set[str]) -> Sequence[Mapping[str, Any]]:
    return [
        {
            "query": query.id,
            "protocol": query.protocol,
            "parameters": dict(query.settings),
            "property": query.property,
            "engine": query.engine,
            "depth": query.depth,
            "unroll": query.unroll,
            "obligation": query.obligation,
            "solver": query.solver,
            "seed": query.seed,
            "predicted_seconds": todo.predicted[query.id],
            "to_run": query.id in left,
        }
        for query in todo.queries
    ]

"""`leadline grid --plan`: what a grid would run and about what it costs. Nothing is started or written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.output import Report, as_json, deliver

if TYPE_CHECKING:
    from leadline.symbolic.grid.plan.plan import Plan
    from leadline.symbolic.grid.plan.points import Family
    from leadline.symbolic.grid.query import GridQuery
    from leadline.symbolic.grid.running.resume import Resumed

_LONGEST = 5
"""How many of the longest queries are shown."""


@dataclass(frozen=True)
class Share:
    """What one protocol has of a grid.

    Attributes:
        protocol: its name.
        points: how many points are asked.
        dropped: how many are not, since they break a constraint or an assumption.
        queries: how many queries.
        left: how many of them are neither answered nor moot.
        sizes: the least and the greatest size of a layer of those: variables and clauses, about.
        seconds: what all of those cost, as predicted.
    """

    protocol: str
    points: int
    dropped: int
    queries: int
    left: int
    sizes: tuple[float, float] | None
    seconds: float


def show_plan(todo: Plan, begin: Resumed, store: Path, form: str) -> Exit:
    """Show a plan.

    Args:
        todo: the plan.
        begin: what its store answers already.
        store: the store's folder, which need not exist.
        form: "text" or "json".
    """
    written = as_json(_json(todo, begin, store)) if form == "json" else None
    deliver(_report(todo, begin, store), written, None)
    return Exit.HOLDS


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
        share = Share(
            protocol=protocol,
            points=len(own),
            dropped=dropped[protocol],
            queries=len(queries),
            left=len(waiting),
            sizes=(min(sizes), max(sizes)) if sizes else None,
            seconds=sum(todo.predicted[name] for name in waiting),
        )
        shares.append(share)
    return shares


def _report(todo: Plan, begin: Resumed, store: Path) -> Report:
    shares = _shares(todo, begin)
    report = Report()
    lines = [_line(share) for share in shares]
    if len(shares) > 1:
        total = Share(
            protocol="total",
            points=sum(share.points for share in shares),
            dropped=sum(share.dropped for share in shares),
            queries=sum(share.queries for share in shares),
            left=sum(share.left for share in shares),
            sizes=None,
            seconds=sum(share.seconds for share in shares),
        )
        lines.append(_line(total))
    report.table(["protocol", "points", "dropped", "queries", "to run", "layer size", "predicted"], lines)
    report.say()
    for text in todo.dropped:
        report.say(f"dropped: {text}")
    if todo.dropped:
        report.say()
    if begin.left:
        report.say("the longest queries")
        rows = [_query_line(query, todo.predicted[query.id]) for query in begin.left[:_LONGEST]]
        report.table(["protocol", "parameters", "property", "asked", "solver", "predicted"], rows)
        report.say()
    if begin.settled or begin.moot:
        report.say(f"{store} answers {len(begin.settled) + len(begin.moot)} of them already")
    report.say(_source(todo))
    return report


def _line(share: Share) -> list[str]:
    counts = (share.points, share.dropped, share.queries, share.left)
    sizes = "-" if share.sizes is None else "..".join(dict.fromkeys(f"{size:.0f}" for size in share.sizes))
    return [share.protocol, *(f"{count:,}" for count in counts), sizes, duration(share.seconds)]


def _query_line(query: GridQuery, seconds: float) -> list[str]:
    from leadline.symbolic.grid.plan.points import spelled

    asked = query.obligation or f"{query.depth} {query.unroll}"
    return [query.protocol, spelled(query.settings), query.property, asked, query.solver, duration(seconds)]


def _source(todo: Plan) -> str:
    """Where the predictions come from."""
    costs = todo.costs
    if costs.spread is None:
        return "costs are predicted by the defaults: they are refitted to what a run measures"
    told = f"typically within a factor of {costs.spread:.1f}"
    return f"costs are predicted from {costs.rows} measured rows, {told}"


def duration(seconds: float) -> str:
    """A time for a person to read.

    >>> [duration(x) for x in (0.4, 59, 90, 5400, 200000)]
    ['0.4 s', '59 s', '1.5 min', '1.5 h', '2.3 days']
    """
    for unit, size, limit in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 86400)):
        if seconds < limit:
            return f"{seconds / size:.{0 if seconds / size >= 9.95 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def _json(todo: Plan, begin: Resumed, store: Path) -> Mapping[str, Any]:
    left = {query.id for query in begin.left}
    return {
        "store": str(store),
        "queries": len(todo.queries),
        "to_run": len(left),
        "predicted_seconds": sum(todo.predicted[query.id] for query in begin.left),
        "costs": {"rows": todo.costs.rows, "spread": todo.costs.spread},
        "protocols": [
            {
                "protocol": share.protocol,
                "points": share.points,
                "dropped": share.dropped,
                "queries": share.queries,
                "to_run": share.left,
                "layer_size": share.sizes,
                "predicted_seconds": share.seconds,
            }
            for share in _shares(todo, begin)
        ],
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
        "layers": [_layer_json(family) for family in todo.families],
        "longest_first": _queries_json(todo, left),
    }


def _layer_json(family: Family) -> Mapping[str, Any]:
    found = {"protocol": family.protocol, "fixed": dict(family.fixed), "varying": list(family.varying)}
    if family.layer is None:
        return {**found, "size": None, "reason": family.reason}
    return {**found, "size": str(family.layer.size.layer)}


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

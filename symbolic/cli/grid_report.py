"""The report of `leadline grid --plan`: the queries and their predicted cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from leadline.symbolic.cli.output import Report, as_json, deliver
from leadline.symbolic.cli.terminal import Exit

if TYPE_CHECKING:
    from leadline.symbolic.grid.layers import LayerFormula
    from leadline.symbolic.grid.plan import Plan
    from leadline.symbolic.grid.query import GridQuery
    from leadline.symbolic.grid.remote import Place
    from leadline.symbolic.grid.runs import Resumed

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


def show_plan(todo: Plan, begin: Resumed, store: Place, form: str) -> Exit:
    """Show a plan.

    Args:
        todo: the plan.
        begin: the queries that the store answers already, and those that are left.
        store: the store's folder or URI, which need not exist.
        form: "text" or "json".
    """
    written = as_json(_plan_json(todo, begin, store)) if form == "json" else None
    return deliver(_plan_report(todo, begin, store), written, None)


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


def _plan_report(todo: Plan, begin: Resumed, store: Place) -> Report:
    shares = _shares(todo, begin)
    report = Report()
    lines = [_share_line(share) for share in shares]
    if len(shares) > 1:
        points, dropped, queries, to_run = map(sum, zip(*map(_counts, shares), strict=True))
        seconds = sum(share.predicted_seconds for share in shares)
        lines.append(_share_line(Share("total", points, dropped, queries, to_run, None, seconds)))
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


def _share_line(share: Share) -> list[str]:
    extent = "-"
    if share.layer_size is not None:
        extent = "..".join(dict.fromkeys(f"{size:.0f}" for size in share.layer_size))
    counts = (f"{count:,}" for count in _counts(share))
    return [share.protocol, *counts, extent, duration(share.predicted_seconds)]


def _counts(share: Share) -> tuple[int, int, int, int]:
    return share.points, share.dropped, share.queries, share.to_run


def _query_line(query: GridQuery, seconds: float) -> list[str]:
    from leadline.symbolic.grid.query import point_text

    return [
        query.protocol,
        point_text(dict(query.settings), "its defaults"),
        query.property,
        query.question,
        query.solver,
        duration(seconds),
    ]


def _source(todo: Plan) -> str:
    """The source of the predictions, in a sentence."""
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

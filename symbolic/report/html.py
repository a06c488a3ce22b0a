"""A store of results as one HTML page that needs nothing else: no network, no script, no file beside it.

Whatever the store says is data: every text is escaped, and the page's policy lets nothing be loaded or run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from html import escape

from leadline.symbolic.grid.store.cells import Cell
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.summary import counts, groups
from leadline.symbolic.report.answers import all_answers, slowest
from leadline.symbolic.report.charts import asked, growth, predicted
from leadline.symbolic.report.findings import Show, findings
from leadline.symbolic.report.heatmap import heat_maps, legend
from leadline.symbolic.report.style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def page(rows: Sequence[Row], cells: Sequence[Cell], show: Show) -> str:
    """The page.

    Args:
        rows: the latest answers, in the order to show them; the texts in them may be anything.
        cells: what they say together.
        show: finds the counterexample of a violated cell.
    """
    title = f"Leadline: {counts(rows)}"
    body = "\n".join(_body(rows, cells, show))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def _body(rows: Sequence[Row], cells: Sequence[Cell], show: Show) -> Iterator[str]:
    yield '<a class="skip" href="#results">To the results</a>'
    yield f"<header><h1>Leadline</h1><p>{escape(counts(rows))}. {escape(_work(rows))}</p></header>"
    if not rows:
        return
    protocols = list(dict.fromkeys(cell.goal.protocol for cell in cells))
    yield _contents(protocols, cells)
    yield f"<h2>How to read the maps</h2>{legend(cells)}"
    yield (
        '<p class="note">The colour is stronger for a shorter bug, and for a deeper search without one. '
        "A cell leads to its answer in the table at the end.</p>"
    )
    yield '<main id="results">'
    for place, protocol in enumerate(protocols):
        yield from _section(place, protocol, rows, cells, show)
    yield from _costs(rows)
    yield f'<h2 id="answers">All answers</h2>{all_answers(rows)}'
    yield f"</main><h2>Made by</h2>{_made_by(rows)}"


def _work(rows: Sequence[Row]) -> str:
    run = asked(rows)
    if not run:
        return ""
    seconds = sum(row.task_seconds for row in run)
    first = min(row.started for row in run).astimezone(UTC)
    return f"{seconds:.0f} seconds of work, begun {first:%Y-%m-%d %H:%M} UTC."


def _contents(protocols: Sequence[str], cells: Sequence[Cell]) -> str:
    entries = "".join(
        f'<li><a href="#p{place}">{escape(protocol)}</a>: {_tally(protocol, cells)}</li>'
        for place, protocol in enumerate(protocols)
    )
    rest = '<li><a href="#costs">Costs</a></li><li><a href="#answers">All answers</a></li>'
    return f'<nav aria-label="Contents"><ul>{entries}{rest}</ul></nav>'


def _tally(protocol: str, cells: Sequence[Cell]) -> str:
    own = [cell for cell in cells if cell.goal.protocol == protocol]
    wished = sum(cell.as_wished for cell in own)
    unanswered = sum(not cell.answered for cell in own)
    wrong = len(own) - wished - unanswered
    parts = [
        f"{wrong} not as expected" if wrong else "",
        f"{unanswered} without an answer" if unanswered else "",
    ]
    told = ", ".join(filter(None, [f"{wished} as expected" if wished else "", *parts]))
    return f"{told}, of {len(own)} cell{'s' if len(own) != 1 else ''}"


def _section(
    place: int, protocol: str, rows: Sequence[Row], cells: Sequence[Cell], show: Show
) -> Iterator[str]:
    own = [row for row in rows if row.protocol == protocol]
    (group,) = groups(own)
    yield f'<section><h2 id="p{place}">{escape(protocol)}</h2>'
    yield f'<p class="note">{escape(f"{counts(own)}. {group.fixed}".rstrip(". "))}</p>'
    of_protocol = [cell for cell in cells if cell.goal.protocol == protocol]
    for name in dict.fromkeys(cell.goal.property for cell in of_protocol):
        about = [cell for cell in of_protocol if cell.goal.property == name]
        kind = "" if about[0].kind == "invariant" else f' <span class="note">({escape(about[0].kind)})</span>'
        yield f"<h3>{escape(name)}{kind}</h3>"
        yield f'<div class="wide">{heat_maps(about)}</div>'
        yield findings(about, show)
    if charts := list(growth(own)):
        drawn = "".join(f"<div>{chart}</div>" for chart in charts)
        yield f'<details><summary>Growth of the time</summary><div class="charts">{drawn}</div></details>'
    yield "</section>"


def _costs(rows: Sequence[Row]) -> Iterator[str]:
    yield f'<h2 id="costs">Costs</h2><h3>Slowest queries</h3>{slowest(rows)}'
    if (found := predicted(rows)) is not None:
        sentence, drawn = found
        yield f"<h3>Predicted and measured</h3><p>{escape(sentence)}</p>"
        yield f'<div class="charts"><div>{drawn}</div></div>'


def _made_by(rows: Sequence[Row]) -> str:
    facts = {
        "Leadline": (row.leadline_version for row in rows),
        "solvers": (row.solver_version for row in rows),
        "Python": (row.python_version for row in rows),
        "machines": (f"{row.host} ({row.machine})" for row in rows),
    }
    lines = "".join(
        f'<tr><th scope="row">{name}</th><td>{_several(texts)}</td></tr>' for name, texts in facts.items()
    )
    return f'<table class="list">{lines}</table>'


def _several(texts: Iterable[str]) -> str:
    return "<br>".join(escape(text) for text in sorted(set(texts)))

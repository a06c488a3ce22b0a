"""A store of results as one HTML page, which loads no other file.

Texts from the store are data: each is escaped. The page's policy forbids loading anything, and lets only its own
script run, by its hash: the search in the table of all answers, which is whole without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from html import escape

from leadline.symbolic.engines.ask.result import LOG, Judgement, Note, NoteKind
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.summary import ProtocolRows, counts, groups, said_of, verdict_text
from leadline.symbolic.lang import counted
from leadline.symbolic.report.assets import asset
from leadline.symbolic.report.charts import asked, growth, predicted
from leadline.symbolic.report.findings import Show, findings
from leadline.symbolic.report.heatmap import NO_LINKS, Links, address, heat_map, legend, look, varying
from leadline.symbolic.report.outcomes import as_expected, failures, sentence, surprises, tally
from leadline.symbolic.report.trace_page import hash_of

_SLOWEST = 10
_MOST_POINTS = 6
_VACUOUS = (NoteKind.VACUOUS, NoteKind.PARTLY_VACUOUS)
_COST = ("seconds", "predicted", "MB")

STYLE = asset("palette.css") + asset("report.css")
_SCRIPT = asset("report.js")
_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src {hash_of(_SCRIPT)}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    rows: Sequence[Row], cells: Sequence[Cell], show: Show, links: Links = NO_LINKS, title: str = ""
) -> str:
    """The page.

    Args:
        rows: the latest answers, in the order to show; their texts may hold anything.
        cells: the cells of these rows.
        show: finds the counterexample of a violated cell.
        links: the pages of counterexamples, beside this page.
        title: the grid's name; the protocols' if it has none.
    """
    title = title or ", ".join(dict.fromkeys(row.protocol for row in rows)) or "Leadline"
    body = "\n".join(_body(rows, cells, show, links, title))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}: {escape(counts(rows))}</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><style>{STYLE}</style></head>\n<body>\n{body}\n'
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _body(rows: Sequence[Row], cells: Sequence[Cell], show: Show, links: Links, title: str) -> Iterator[str]:
    yield '<a class="skip" href="#results">To the results</a>'
    work = f"{escape(counts(rows))}. {escape(_work(rows))}"
    yield f'<header><h1>{escape(title)}</h1><p>{work} <span class="note">By Leadline.</span></p></header>'
    if not rows:
        return
    protocols = list(dict.fromkeys(cell.goal.protocol for cell in cells))
    yield _first(cells, links)
    yield _contents(protocols, cells)
    if mapped := [cell for cell in cells if cell.kind != LOG]:
        yield f'<details class="how"><summary>How to read the maps</summary>{legend(mapped)}'
        walk = ", one with a counterexample to a page to walk through it" if links else ""
        yield (
            '<p class="note">The colour is stronger for a shorter bug, and for a deeper search without one. '
            f"A cell leads to its answer in the table at the end{walk}.</p></details>"
        )
    yield '<main id="results">'
    for place, protocol in enumerate(protocols):
        yield from _section(place, protocol, rows, cells, show, links)
    every = "".join(_all(group, links) for group in groups(rows))
    yield f'<h2 id="answers">All answers</h2>{_search(rows)}<div id="all">{every}</div>'
    yield from _costs(rows)
    yield f'</main><h2>Made by</h2><div class="wide">{_made_by(rows)}</div>'


def _first(cells: Sequence[Cell], links: Links) -> str:
    """The answers that a reader wants first: those that are not as expected, and other failures by property."""
    found = surprises(cells)
    told = ""
    if found:
        lines = "".join(
            f"<li>{_linked(cell, links)}; known: {escape(known.text())}</li>" for cell, known in found
        )
        told = f"<h2>Not as expected</h2><ul>{lines}</ul>"
    elif any(as_expected(cell) for cell in cells):
        told = "<p>No answer is other than expected.</p>"
    if others := failures(cells):
        lines = "".join(
            f"<li>{escape(where)}, such as this: {_linked(cell, links)}</li>"
            if where
            else f"<li>{_linked(cell, links)}</li>"
            for cell, where in others
        )
        told += f"<h2>Failures</h2><ul>{lines}</ul>"
    return f'<section id="first">{told}</section>' if told else ""


def _linked(cell: Cell, links: Links) -> str:
    return f'<a href="{address(cell, links)}">{escape(sentence(cell))}</a>'


def _search(rows: Sequence[Row]) -> str:
    """The search box and the choice of a verdict, which the script shows."""
    kinds = sorted({said_of(row) for row in rows})
    options = "".join(f'<option value="{escape(kind, quote=True)}">{escape(kind)}</option>' for kind in kinds)
    return (
        '<div class="tools" id="tools" hidden><input id="search" type="search" placeholder="Search all answers" '
        'aria-label="Search all answers" spellcheck="false"> <label>verdict <select id="verdict">'
        f'<option value="">any</option>{options}</select></label> '
        '<span id="found" class="note" role="status"></span></div>'
    )


def _work(rows: Sequence[Row]) -> str:
    run = asked(rows)
    if not run:
        return ""
    seconds = sum(row.task_seconds for row in run)
    first = min(row.started for row in run).astimezone(UTC)
    return f"{seconds:.0f} seconds of work, begun {first:%Y-%m-%d %H:%M} UTC."


def _contents(protocols: Sequence[str], cells: Sequence[Cell]) -> str:
    tallies = {one: tally([cell for cell in cells if cell.goal.protocol == one]) for one in protocols}
    entries = "".join(
        f'<li><a href="#p{place}">{escape(protocol)}</a>: {escape(told)}</li>'
        for place, (protocol, told) in enumerate(tallies.items())
    )
    rest = '<li><a href="#answers">All answers</a></li><li><a href="#costs">Costs</a></li>'
    return f'<nav aria-label="Contents"><ul>{entries}{rest}</ul></nav>'


def _section(
    place: int, protocol: str, rows: Sequence[Row], cells: Sequence[Cell], show: Show, links: Links
) -> Iterator[str]:
    own = [row for row in rows if row.protocol == protocol]
    (group,) = groups(own)
    yield f'<section><h2 id="p{place}">{escape(protocol)}</h2>'
    yield f'<p class="note">{escape(f"{counts(own)}. {group.fixed}".rstrip(". "))}</p>'
    of_protocol = [cell for cell in cells if cell.goal.protocol == protocol]
    if logs := [cell for cell in of_protocol if cell.kind == LOG]:
        yield f"<h3>Logs</h3>{refused_logs(logs, links)}"
    for name in dict.fromkeys(cell.goal.property for cell in of_protocol if cell.kind != LOG):
        about = [cell for cell in of_protocol if cell.goal.property == name]
        kind = "" if about[0].kind == "invariant" else f' <span class="note">({escape(about[0].kind)})</span>'
        yield f"<h3>{escape(name)}{kind}</h3>"
        yield f'<div class="wide">{heat_map(about, links)}</div>'
        yield findings(about, show, links)
        yield vacuity(about)
    yield never_taken(of_protocol)
    if charts := list(growth(own)):
        drawn = "".join(f"<div>{chart}</div>" for chart in charts)
        yield f'<details><summary>Growth of the time</summary><div class="charts">{drawn}</div></details>'
    yield "</section>"


def refused_logs(cells: Sequence[Cell], links: Links = NO_LINKS) -> str:
    """The logs that do not conform, each with the objections to its event, as HTML.

    Args:
        cells: all cells of logs of one protocol.
        links: the pages of the runs that explain their longest prefixes.
    """
    others = [cell for cell in cells if cell.judgement is not Judgement.PASSED]
    told = f"<p>{len(cells) - len(others)} of {counted(len(cells), 'log')} conform.</p>"
    names = varying(cells)
    lines = []
    for cell in others:
        point = "".join(f"<td>{escape(point_text({name: cell.settings[name]}))}</td>" for name in names)
        leads = address(cell, links)
        why = f'<pre class="trace">{escape(cell.row.why() or "")}</pre>'
        verdict = f'<td class="verdict {look(cell)}">{escape(cell.said)}{why}</td>'
        lines.append(f'<tr>{point}<td><a href="{leads}">{escape(cell.goal.property)}</a></td>{verdict}</tr>')
    return told + list_table([*names, "log", "verdict"], "".join(lines)) if others else told


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
    told = {name: "<br>".join(map(escape, sorted(set(texts)))) for name, texts in facts.items()}
    lines = "".join(f'<tr><th scope="row">{name}</th><td>{text}</td></tr>' for name, text in told.items())
    return f'<table class="list">{lines}</table>'


# -- tables of answers -----------------------------------------------------------------------------------


def slowest(rows: Sequence[Row]) -> str:
    """The slowest queries, as HTML."""
    found = sorted(asked(rows), key=lambda row: -row.task_seconds)[:_SLOWEST]
    points = [[row.protocol, point_text(row.settings())] for row in found]
    return _table(["protocol", "point"], points, found, None)


def _all(group: ProtocolRows, links: Links) -> str:
    """All rows of a protocol, in a closed table."""
    table = _table(group.varying, map(group.point, group.rows), group.rows, links)
    title = escape(f"{group.protocol}: {counts(group.rows)}")
    return f"<details><summary>{title}</summary>{table}</details>"


def _table(
    names: Sequence[str], points: Iterable[Sequence[str]], rows: Sequence[Row], links: Links | None
) -> str:
    """Rows with their points in front. With `links`, each row has an anchor and the name of its trace."""
    anchors = links is not None
    texts = [*names, "property", "engine", "asked", "solver", "verdict", *(["trace"] if anchors else [])]
    costs = "".join(f'<th scope="col" class="number">{name}</th>' for name in _COST)
    lines = []
    for point, row in zip(points, rows, strict=True):
        anchor = f' id="q-{escape(row.query, quote=True)}"' if anchors else ""
        words = [*point, row.property, row.engine, row.question(), row.solver]
        cells = "".join(f"<td>{escape(text)}</td>" for text in words)
        trace = f"<td>{_trace(row, links)}</td>" if links is not None else ""
        start = f'<tr{anchor} data-kind="{escape(said_of(row), quote=True)}">'
        lines.append(f"{start}{cells}{_verdict(row)}{trace}{_cost(row)}</tr>")
    return list_table(texts, "\n".join(lines), costs)


def list_table(names: Iterable[str], body: str, more: str = "") -> str:
    """A table with a column for each name, and `more` heads, from the HTML of its rows; a wide one scrolls."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    table = f"<thead><tr>{head}{more}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table class="list">{table}</table></div>'


def _trace(row: Row, links: Links) -> str:
    name = escape(row.trace or "")
    leads = escape(links.get(row.query, ""), quote=True)
    return f'<a href="{leads}">{name}</a>' if leads else name


def _verdict(row: Row) -> str:
    kind = said_of(row).replace(" ", "-")
    reason = escape(row.why() or "", quote=True)
    holds = any(note.kind in _VACUOUS for note in row.remarks())
    vacuous = '<br><span class="note">vacuously</span>' if holds else ""
    text = f"{escape(verdict_text(row))}{vacuous}"
    return f'<td class="verdict {escape(kind, quote=True)}" title="{reason}">{text}</td>'


def _cost(row: Row) -> str:
    predicted = "" if row.predicted_seconds is None else f"{row.predicted_seconds:.1f}"
    numbers = (f"{row.task_seconds:.1f}", predicted, f"{row.memory_mb:.0f}")
    return "".join(f'<td class="number">{text}</td>' for text in numbers)


# -- notes ----------------------------------------------------------------------------------------------


def vacuity(cells: Sequence[Cell]) -> str:
    """The parts of a property that hold vacuously, with the points where, as HTML; "" without any.

    Args:
        cells: all cells of one property of one protocol.
    """
    notes = _noted(cells, _VACUOUS)
    if not notes:
        return ""
    lines = [_line(note, points, cells) for note, points in notes.items()]
    whole = any(note.kind is NoteKind.VACUOUS for note in notes)
    head = f"Holds vacuously{'' if whole else ' in part'}: true, but for want of anything that it is about."
    return f'<div class="vacuous"><p><strong>{head}</strong></p><ul>{"".join(lines)}</ul></div>'


def never_taken(cells: Sequence[Cell]) -> str:
    """The actions that are never taken, with the points where, as HTML; "" without any.

    Args:
        cells: all cells of one protocol.
    """
    notes = _noted(cells, (NoteKind.NEVER_TAKEN,))
    if not notes:
        return ""
    lines = [_line(note, points, cells) for note, points in notes.items()]
    return f'<div class="never-taken"><h3>Actions never taken</h3><ul>{"".join(lines)}</ul></div>'


def _noted(cells: Sequence[Cell], kinds: Collection[NoteKind]) -> Mapping[Note, list[Cell]]:
    """The cells that have a note of these kinds, by the note."""
    found: dict[Note, dict[str, Cell]] = {}
    for cell in cells:
        for row in cell.rows:
            for note in row.remarks():
                if note.kind in kinds:
                    found.setdefault(note, {}).setdefault(cell.goal.parameters, cell)
    return {note: list(points.values()) for note, points in found.items()}


def _line(note: Note, noted: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """A note with its points: only the parameters that vary are named."""
    text = note.text.removeprefix("holds ").removeprefix("never taken: ")
    names = varying(cells)
    every = {cell.goal.parameters for cell in cells}
    if len(noted) == len(every):
        where = "at every point" if len(every) > 1 else ""
    else:
        points = [point_text({name: cell.settings.get(name) for name in sorted(names)}) for cell in noted]
        more = f" and {len(points) - _MOST_POINTS} more points" if len(points) > _MOST_POINTS else ""
        where = f"at {'; '.join(points[:_MOST_POINTS])}{more}"
    place = f' <span class="note">{escape(where)}</span>' if where else ""
    # Formulas stand between backquotes.
    marked = re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))
    return f"<li>{marked}{place}</li>"

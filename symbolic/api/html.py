"""Answers as HTML for notebooks: protocols, results, traces, grids. Every text of theirs is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from leadline.symbolic.api.tables import summary
from leadline.symbolic.engines.ask.result import LOG
from leadline.symbolic.lang import Map, Type, setting_text
from leadline.symbolic.notation.types import set_text
from leadline.symbolic.report.findings import steps_html
from leadline.symbolic.report.heatmap import heat_map, legend
from leadline.symbolic.report.html import STYLE, list_table, refused_logs
from leadline.symbolic.report.outcomes import tally

if TYPE_CHECKING:
    from leadline.symbolic.api.protocols import LoadedProtocol
    from leadline.symbolic.api.results import Result, Results
    from leadline.symbolic.api.states import Trace
    from leadline.symbolic.grid.cells import Cell

_OWN = """
:scope { background: var(--paper); color: var(--ink); padding: .4rem .6rem; }
table.list td, table.list th { text-align: left; }
"""


def framed(*parts: str) -> str:
    """Parts of HTML with the style of the reports, which reaches nothing else of the notebook."""
    style = STYLE.replace(":root", ":scope")
    return f'<div class="leadline"><style>@scope (.leadline) {{{style}{_OWN}}}</style>{"".join(parts)}</div>'


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, the cells of which are HTML."""
    return list_table(header, "".join(f"<tr>{''.join(row)}</tr>" for row in rows))


def _cell(text: object) -> str:
    return f"<td>{escape('-' if text is None else str(text))}</td>"


def _heading(text: str) -> str:
    return f"<p><strong>{escape(text)}</strong></p>"


def protocol_html(protocol: LoadedProtocol) -> str:
    """A protocol: its parameters, variables, actions and properties."""
    model = protocol.model
    declared = protocol.entry.protocol.parameters
    parameters = [
        [*map(_cell, (name, None if value is None else setting_text(value), declared[name].range))]
        for name, value in model.parameters.items()
    ]
    variables = [
        [_cell(one.name), f"<td><code>{escape(_type(one.type))}</code></td>"] for one in model.variables
    ]
    stated = [
        *(("action", one.name, one.doc) for one in model.actions),
        *((str(one.kind), one.name, one.doc) for one in model.properties.values()),
    ]
    return framed(
        _heading(str(protocol)),
        f"<p>{escape(summary(protocol.doc))}</p>" if protocol.doc else "",
        _table(["parameter", "value", "range"], parameters) if parameters else "",
        _table(["variable", "type"], variables),
        _table(
            ["", "name", "meaning"], ([*map(_cell, (kind, name, summary(doc)))] for kind, name, doc in stated)
        ),
    )


def _type(kind: Type) -> str:
    return f"[{_type(kind.key)} -> {_type(kind.value)}]" if isinstance(kind, Map) else set_text(kind).text


def results_html(results: Results) -> str:
    """A row for each property, and below it the counterexamples."""
    rows = [
        [
            _cell(one.property),
            _verdict(one),
            *map(_cell, (one.engine, one.solver, f"{one.statistics.total:.1f}")),
        ]
        for one in results.values()
    ]
    shown = [_folded(one.trace, one.property) for one in results.values() if one.trace is not None]
    beyond = [] if results.out_of_bounds is None else [_folded(results.out_of_bounds, "out of bounds")]
    reasons = [f"<p>{escape(f'{x.property}: {x.reason}')}</p>" for x in results.values() if x.reason]
    table = _table(["property", "verdict", "engine", "solver", "seconds"], rows)
    return framed(_heading(results.title), table, *reasons, *dict.fromkeys([*shown, *beyond]))


def result_html(result: Result) -> str:
    """A verdict and its counterexample."""
    reason = f"<p>{escape(result.reason)}</p>" if result.reason else ""
    shown = "" if result.trace is None else steps_html(result.trace.lines())
    return framed(f"<table><tr>{_cell(result.property)}{_verdict(result)}</tr></table>", reason, shown)


def _verdict(result: Result) -> str:
    return f'<td class="verdict {result.said.replace(" ", "-")}">{escape(str(result))}</td>'


def _folded(trace: Trace, title: str) -> str:
    about = escape(f"{title}: counterexample of {len(trace.steps)} steps")
    return f"<details><summary>{about}</summary>{steps_html(trace.lines())}</details>"


def grid_html(cells: Sequence[Cell]) -> str:
    """The maps of a grid: the verdicts about each property by the parameters."""
    shown = [f"<p>{escape(tally(cells))}</p>"]
    if logs := [cell for cell in cells if cell.kind == LOG]:
        shown += [_heading("logs"), refused_logs(logs)]
    cells = [cell for cell in cells if cell.kind != LOG]
    shown += [legend(cells)] if cells else []
    for protocol, name in dict.fromkeys((cell.goal.protocol, cell.goal.property) for cell in cells):
        about = [cell for cell in cells if (cell.goal.protocol, cell.goal.property) == (protocol, name)]
        shown += [_heading(f"{protocol}: {name}"), f'<div class="wide">{heat_map(about)}</div>']
    return framed(*shown)

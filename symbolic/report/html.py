"""A store of results as one HTML page that needs nothing else: no network, no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC
from html import escape

from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.summary import Group, counts, groups, verdict_text

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
h1, h2 { font-weight: 600; }
h1 { margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .7rem; border-bottom: 1px solid #8884; }
th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.verdict { border-left: .35rem solid; }
.violated { border-left-color: #c62828; background: #c6282822; }
.out-of-bounds { border-left-color: #ad1457; background: #ad145722; }
.unknown { border-left-color: #ef8f00; background: #ef8f0022; }
.safe, .proved { border-left-color: #2e7d32; background: #2e7d3222; }
.expected { border-left-color: #1565c0; background: #1565c022; }
.note { opacity: .75; }
"""


def page(rows: Sequence[Row]) -> str:
    """The page.

    Args:
        rows: what to show, in the order to show it; the texts in them may be anything.
    """
    parts = [
        "<h1>Leadline</h1>",
        f"<p>{escape(counts(rows))}. {escape(_work(rows))}</p>",
        *(_section(group) for group in groups(rows)),
        "<h2>Made by</h2>",
        _made_by(rows),
    ]
    head = f'<meta charset="utf-8"><title>Leadline: {escape(counts(rows))}</title><style>{_STYLE}</style>'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}{viewport}</head>\n<body>\n{body}\n</body></html>\n'


def _work(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    seconds = sum(row.task_seconds for row in rows)
    first = min(row.started for row in rows).astimezone(UTC)
    return f"{seconds:.0f} seconds of work, begun {first:%Y-%m-%d %H:%M} UTC."


def _section(group: Group) -> str:
    header = [*group.varying, "property", "solver", "depth", "verdict", "steps", "reached", "seconds", "MB"]
    numbers = {"depth", "steps", "reached", "seconds", "MB"} - set(group.varying)
    head = "".join(f"<th{_number(name in numbers)}>{escape(name)}</th>" for name in header)
    body = "\n".join(_line(group, row) for row in group.rows)
    fixed = f'<p class="note">{escape(group.fixed)}</p>\n' if group.fixed else ""
    return (
        f"<h2>{escape(group.protocol)}: {escape(counts(group.rows))}</h2>\n{fixed}"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
    )


def _line(group: Group, row: Row) -> str:
    words = [*group.point(row), row.property, row.solver]
    numbers = [
        "" if row.steps is None else str(row.steps),
        str(row.depth) if row.depth >= 0 else "",
        f"{row.task_seconds:.1f}",
        f"{row.memory_mb:.0f}",
    ]
    verdict = f'class="verdict {_colour(row)}" title="{escape(row.reason or "")}"'
    cells = [
        *(f"<td>{escape(text)}</td>" for text in words),
        f"<td{_number(True)}>{row.depth_asked}</td>",
        f"<td {verdict}>{escape(verdict_text(row))}</td>",
        *(f"<td{_number(True)}>{text}</td>" for text in numbers),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _number(yes: bool) -> str:
    return ' class="number"' if yes else ""


def _colour(row: Row) -> str:
    """The class of a verdict's cell: a probe's violation is no bad news."""
    return "expected" if row.kind == "probe" and row.verdict == "violated" else escape(row.verdict)


def _made_by(rows: Sequence[Row]) -> str:
    facts = {
        "Leadline": (row.leadline_version for row in rows),
        "solvers": (row.solver_version for row in rows),
        "Python": (row.python_version for row in rows),
        "machines": (f"{row.host} ({row.machine})" for row in rows),
    }
    lines = "".join(f"<tr><th>{name}</th><td>{_several(texts)}</td></tr>" for name, texts in facts.items())
    return f"<table>{lines}</table>"


def _several(texts: Iterable[str]) -> str:
    return "<br>".join(escape(text) for text in sorted(set(texts)))

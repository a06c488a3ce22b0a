"""Tables of single answers: the slowest, and all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from leadline.symbolic.grid.store.cells import point_text
from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.summary import Group, counts, groups, question_text, verdict_text
from leadline.symbolic.lang import PropertyKind
from leadline.symbolic.report.charts import asked

_SLOWEST = 10
_COST = ("seconds", "predicted", "MB")


def slowest(rows: Sequence[Row]) -> str:
    """The queries that took longest, as HTML."""
    found = sorted(asked(rows), key=lambda row: -row.task_seconds)[:_SLOWEST]
    points = [[row.protocol, point_text(row.settings())] for row in found]
    return _table(["protocol", "point"], points, found, anchors=False)


def all_answers(rows: Sequence[Row]) -> str:
    """Every row, a closed table for each protocol, as HTML."""
    return "".join(_all(group) for group in groups(rows))


def _all(group: Group) -> str:
    table = _table(group.varying, map(group.point, group.rows), group.rows, anchors=True)
    title = escape(f"{group.protocol}: {counts(group.rows)}")
    return f"<details><summary>{title}</summary>{table}</details>"


def _table(
    names: Sequence[str], points: Iterable[Sequence[str]], rows: Sequence[Row], *, anchors: bool
) -> str:
    """Rows with something of each in front; with anchors to go to, and the files of their traces, or not."""
    texts = [*names, "property", "asked", "solver", "verdict", *(["trace"] if anchors else [])]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in texts)
    head += "".join(f'<th scope="col" class="number">{name}</th>' for name in _COST)
    lines = []
    for point, row in zip(points, rows, strict=True):
        anchor = f' id="q-{escape(row.query, quote=True)}"' if anchors else ""
        words = [*point, row.property, question_text(row), row.solver]
        cells = "".join(f"<td>{escape(text)}</td>" for text in words)
        trace = f"<td>{escape(row.trace or '')}</td>" if anchors else ""
        lines.append(f"<tr{anchor}>{cells}{_verdict(row)}{trace}{_cost(row)}</tr>")
    body = "\n".join(lines)
    table = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table class="list">{table}</table></div>'


def _verdict(row: Row) -> str:
    kind = "expected" if row.kind == PropertyKind.PROBE and row.verdict == "violated" else row.verdict
    reason = escape(row.reason or "", quote=True)
    return f'<td class="verdict {escape(kind, quote=True)}" title="{reason}">{escape(verdict_text(row))}</td>'


def _cost(row: Row) -> str:
    predicted = "" if row.predicted_seconds is None else f"{row.predicted_seconds:.1f}"
    numbers = (f"{row.task_seconds:.1f}", predicted, f"{row.memory_mb:.0f}")
    return "".join(f'<td class="number">{text}</td>' for text in numbers)

"""The pictures of a run: how the time grows with depth and with the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.benchmarks.cases import Case
from leadline.benchmarks.summary import Cell, Cells
from leadline.symbolic.report.charts import ChartPoint, Series, line_chart
from leadline.symbolic.report.svg import alone

_SECONDS = "seconds"


def pictures(found: Cells, cases: Sequence[Case], ways: Sequence[str]) -> dict[str, str]:
    """The pictures as SVG, by the names of their files.

    Args:
        found: the medians.
        cases: the cases that were measured, in the order of the table.
        ways: the names of the ways, in the order of the legends.
    """
    drawn: dict[str, str] = {}
    for case in cases:
        if case.deep and (text := _with_depth(found, case, ways)) is not None:
            drawn[f"depth-{case.name}.svg"] = alone(text)
    for growth in dict.fromkeys(case.growth for case in cases if case.growth is not None):
        family = [case for case in cases if case.growth == growth]
        if (text := _with_parameters(found, growth, family, ways)) is not None:
            drawn[f"parameters-{growth.partition(':')[0]}.svg"] = alone(text)
    return drawn


def _with_depth(found: Cells, case: Case, ways: Sequence[str]) -> str | None:
    """The time after which each layer was done, in the measurement with the median time."""
    lines = []
    for way in ways:
        cell = found.get((case.name, way))
        if cell is not None and cell.middle.points:
            lines.append(Series(way, _marks(cell)))
    if not lines:
        return None
    deepest = max(round(mark.x) for line in lines for mark in line.marks)
    labels = [str(depth) for depth in range(deepest + 1)]
    title = f"{case.name}: {case.property}, {case.expected}"
    return line_chart(title, labels, "depth: steps or sweeps, as the line says", _SECONDS, lines)


def _marks(cell: Cell) -> tuple[ChartPoint, ...]:
    row = cell.middle
    marks = [ChartPoint(point.depth, point.seconds) for point in row.points]
    if row.ended == "time":
        marks.append(ChartPoint(marks[-1].x + 1, row.seconds, bound=True))
    return tuple(marks)


def _with_parameters(found: Cells, growth: str, family: Sequence[Case], ways: Sequence[str]) -> str | None:
    """The median time at each point of a family of cases."""
    lines = []
    for way in ways:
        marks = [
            ChartPoint(place, cell.seconds, bound=not cell.answered)
            for place, case in enumerate(family)
            if (cell := found.get((case.name, way))) is not None and cell.timed
        ]
        if marks:
            lines.append(Series(way, tuple(marks)))
    if not lines:
        return None
    what, _, sizes = growth.partition("; by ")
    return line_chart(what, [case.point for case in family], sizes, _SECONDS, lines)

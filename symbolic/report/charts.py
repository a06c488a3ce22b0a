"""Charts of the cost of queries: SVG with logarithmic scales, without scripts, fonts or other files.

Their colours are variables of the page, so that they follow its light or dark mode; `svg.alone` fills them in.
docs/decisions/0008-report-charts.md says why no library draws them.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.summary import groups
from leadline.symbolic.lang import Setting, counted
from leadline.symbolic.report.svg import shortened

WIDTH, HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 240, 50, 60
_DASHES = ("", "6 4", "2 3")

_LINES = 7  # more could not be told apart
_LEAST = 0.001  # seconds: a logarithmic scale has no zero
_SECONDS = "seconds of the whole task"

_PAPER, _INK, _GRID = "var(--paper)", "var(--ink)", "var(--line)"
# Those of Okabe and Ito, which people with colour blindness can tell apart. Further series repeat them, dashed.
_COLOURS = tuple(f"var(--series-{n})" for n in range(1, 8))


@dataclass(frozen=True)
class ChartPoint:
    """A point of a series.

    Attributes:
        x: the position among the chart's labels, from 0; a fraction is between two labels.
        y: the value, above 0.
        bound: whether the value is only a lower bound; it is drawn as a hollow triangle.
    """

    x: float
    y: float
    bound: bool = False


@dataclass(frozen=True)
class Series:
    """A named line of points, from left to right."""

    name: str
    marks: tuple[ChartPoint, ...]


def line_chart(
    title: str,
    labels: Sequence[str],
    x_title: str,
    y_title: str,
    lines: Sequence[Series],
) -> str:
    """A chart of lines over labels, its vertical scale logarithmic.

    Args:
        title: the heading.
        labels: the labels of the horizontal axis, from the left.
        x_title: the title of that axis.
        y_title: the title of the vertical axis, with the unit.
        lines: the lines, in the order of the legend, at least one with a point.
    """
    frame = _Frame(labels, [mark.y for line in lines for mark in line.marks])
    parts = [part for number, line in enumerate(lines) for part in _drawn(frame, line, number)]
    if any(mark.bound for line in lines for mark in line.marks):
        y = _TOP + 20 * len(lines) + 22
        parts.append(frame.text(WIDTH - _RIGHT + 20, y, "\u25b3 stopped there: takes longer", size=11))
    return frame.document(title, x_title, y_title, parts)


def scatter_chart(title: str, points: Sequence[tuple[float, float, str]]) -> str:
    """A chart of predicted and measured seconds on two equal logarithmic scales, with the line of equal values.

    Args:
        title: the heading.
        points: the predicted and the measured seconds, above 0, and the name of the point; at least one.
    """
    frame = _Frame([], [value for x, y, _ in points for value in (x, y)])
    low, high = frame.low, frame.high
    frame.labels = [f"{10.0**power:g}" for power in range(low, high + 1)]
    ends = f"M{frame.x(0):.1f} {frame.y(10.0**low):.1f}L{frame.x(high - low):.1f} {frame.y(10.0**high):.1f}"
    parts = [f'<path d="{ends}" stroke="{_INK}" stroke-dasharray="6 4"/>']
    for x, y, what in points:
        place = f'cx="{frame.x(math.log10(x) - low):.1f}" cy="{frame.y(y):.1f}"'
        told = f"<title>{escape(what)}</title>"
        parts.append(f'<circle {place} r="4" fill="{_COLOURS[0]}" fill-opacity=".6">{told}</circle>')
    return frame.document(title, "predicted seconds", "measured seconds", parts)


class _Frame:
    """The frame of a chart: its scales, axes and texts."""

    def __init__(self, labels: Sequence[str], values: Sequence[float]) -> None:
        self.labels = labels
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)

    def x(self, place: float) -> float:
        last = max(len(self.labels) - 1, 1)
        return _LEFT + 20 + (WIDTH - _LEFT - _RIGHT - 40) * place / last

    def y(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * part

    def document(self, title: str, x_title: str, y_title: str, drawn: Iterable[str]) -> str:
        start = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="12">'
        )
        paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>'
        head = [start, f"<title>{escape(title)}</title>", paper]
        heading = self.text(_LEFT, 24, title, size=14, more=' font-weight="bold"')
        return "\n".join([*head, heading, *self._axes(x_title, y_title), *drawn, "</svg>", ""])

    def _axes(self, x_title: str, y_title: str) -> Iterator[str]:
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="{_GRID}"/>'
            yield self.text(_LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end")
        yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="{_INK}"/>'
        every = math.ceil(len(self.labels) / 24)
        for place, label in enumerate(self.labels):
            if place % every == 0:
                yield self.text(self.x(place), bottom + 18, label, anchor="middle")
        yield self.text((_LEFT + right) / 2, HEIGHT - 16, x_title, anchor="middle")
        middle = (_TOP + bottom) / 2
        turn = f' transform="rotate(-90 18 {middle:.1f})"'
        yield self.text(18, middle, y_title, anchor="middle", more=turn)

    def text(
        self, x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, more: str = ""
    ) -> str:
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
        return f'<text {place} fill="{_INK}"{more}>{escape(text)}</text>'


def _drawn(frame: _Frame, line: Series, number: int) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    places = [(frame.x(mark.x), frame.y(mark.y)) for mark in line.marks]
    for (x1, y1), (x2, y2) in itertools.pairwise(places):
        yield f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" {style}/>'
    for mark, (x, y) in zip(line.marks, places, strict=True):
        told = f"<title>{escape(line.name)}: {'> ' if mark.bound else ''}{mark.y:.3g}</title>"
        if mark.bound:
            shape = f'path d="M{x - 6:.1f} {y + 4:.1f}h12l-6 -10z" fill="{_PAPER}" stroke="{colour}"'
            yield f"<{shape}>{told}</path>"
        else:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">{told}</circle>'
    left, y = WIDTH - _RIGHT + 20, _TOP + 20 * number + 6
    yield f'<path d="M{left} {y}h26" {style}/>'
    yield frame.text(left + 34, y + 4, shortened(line.name, 30))


# -- the cost of queries ----------------------------------------------------------------------------------


def asked(rows: Sequence[Row]) -> list[Row]:
    """The rows of queries that were run, without those that were moot."""
    return [row for row in rows if not row.moot()]


def growth(rows: Sequence[Row]) -> Iterator[str]:
    """Charts of seconds against depth and against each parameter that is a number, for one protocol."""
    run = asked(rows)
    for name in dict.fromkeys(row.property for row in run):
        own = [row for row in run if row.property == name and row.obligation is None]
        if drawn := _against_depth(name, own):
            yield drawn
    for group in groups(run):
        yield from filter(None, (_against(parameter, run) for parameter in group.varying))


def _against_depth(name: str, rows: Sequence[Row]) -> str | None:
    """A chart of the slowest points of a property, one series each; None if no depths differ."""
    lines = {one: found for one, found in _lines(rows).items() if len({row.depth_asked for row in found}) > 1}
    slowest = sorted(lines, key=lambda one: -max(row.task_seconds for row in lines[one]))[:_LINES]
    if not slowest:
        return None
    depths = sorted({row.depth_asked for one in slowest for row in lines[one] if row.depth_asked is not None})
    of = f" (the {_LINES} slowest of {len(lines)})" if len(lines) > _LINES else ""
    drawn = [Series(one, _marks(lines[one], depths, lambda row: row.depth_asked)) for one in slowest]
    return line_chart(
        f"{name}: seconds against depth{of}", [*map(str, depths)], "depth asked", _SECONDS, drawn
    )


def _lines(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows in groups that differ only in depth, by the group's name."""
    found: dict[str, list[Row]] = {}
    solvers, unrollings = {row.solver for row in rows}, {row.unroll for row in rows}
    for group in groups(rows):
        for row in group.rows:
            names = [
                *([row.solver] if len(solvers) > 1 else []),
                *([row.unroll or ""] if len(unrollings) > 1 else []),
                *(f"{one} {value}" for one, value in zip(group.varying, group.point(row), strict=True)),
            ]
            found.setdefault(", ".join(names) or row.solver, []).append(row)
    return found


def _against(parameter: str, rows: Sequence[Row]) -> str | None:
    """A chart of medians over all other parameters, a series for each property; None if no values differ."""

    def value(row: Row) -> Setting | None:
        return row.settings().get(parameter)

    own = [row for row in rows if type(value(row)) is int]
    values = sorted({found for row in own if isinstance(found := value(row), int)})
    if len(values) < 2:
        return None
    lines = []
    for name in dict.fromkeys(row.property for row in own):
        of = [row for row in own if row.property == name]
        if len({value(row) for row in of}) > 1:
            lines.append(Series(name, _marks(of, values, value)))
    lines.sort(key=lambda line: -max(mark.y for mark in line.marks))
    if not lines:
        return None
    title = f"seconds against {parameter} (medians over the other parameters and depths)"
    return line_chart(title, [*map(str, values)], parameter, _SECONDS, lines[:_LINES])


def _marks(
    rows: Sequence[Row], places: Sequence[int], place: Callable[[Row], object]
) -> tuple[ChartPoint, ...]:
    """The median time at each place; a lower bound if that query was stopped."""
    marks = []
    for x, value in enumerate(places):
        here = sorted((row for row in rows if place(row) == value), key=lambda row: row.task_seconds)
        if here:
            middle = here[len(here) // 2]
            marks.append(
                ChartPoint(
                    x, max(middle.task_seconds, _LEAST), bound=middle.cause in (Cause.TIME, Cause.MEMORY)
                )
            )
    return tuple(marks)


def predicted(rows: Sequence[Row]) -> tuple[str, str] | None:
    """Predicted against measured cost: a sentence and a chart; None if nothing was predicted.

    Args:
        rows: any rows; those that were stopped at a limit are left out, as their cost is not known.
    """
    known = [
        (max(row.predicted_seconds, _LEAST), max(row.task_seconds, _LEAST), row)
        for row in asked(rows)
        if row.predicted_seconds is not None and (not row.unknown() or row.not_inductive())
    ]
    if not known:
        return None
    ratios = sorted(took / expected for expected, took, _ in known)
    middle = statistics.median(ratios)
    quarter = len(ratios) // 4
    within = f"{ratios[quarter]:.2g} to {ratios[-1 - quarter]:.2g}"
    sentence = (
        f"Of {counted(len(known), 'query', 'queries')} with a prediction, the measured time is in "
        f"the median {middle:.2g} times the predicted one (the middle half: {within} times)."
    )
    points = [
        (expected, took, f"{row.protocol} {row.property} {row.parameters}") for expected, took, row in known
    ]
    return sentence, scatter_chart("predicted against measured cost", points)

"""Line and scatter charts with logarithmic scales as SVG that needs nothing else: no script, font or file."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 240, 50, 60
_DASHES = ("", "6 4", "2 3")


@dataclass(frozen=True)
class Palette:
    """The colours of a chart.

    Attributes:
        paper: behind everything.
        ink: of axes and texts.
        grid: of the lines behind.
        lines: one after the other, used again with dashes once they run out.
    """

    paper: str
    ink: str
    grid: str
    lines: tuple[str, ...]


# Okabe and Ito's colours, which those who see few colours tell apart.
ALONE = Palette(
    "white", "#333", "#ddd", ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333")
)
"""For a file of its own."""


@dataclass(frozen=True)
class Mark:
    """A point of a line.

    Attributes:
        x: its place among the chart's labels, from 0; between two of them if it is no integer.
        y: its value, above 0.
        bound: whether the value is only a lower bound, drawn as a hollow mark that points up.
    """

    x: float
    y: float
    bound: bool = False


@dataclass(frozen=True)
class Line:
    """A line with its name and its points, from left to right."""

    name: str
    marks: tuple[Mark, ...]


def chart(
    title: str,
    labels: Sequence[str],
    x_title: str,
    y_title: str,
    lines: Sequence[Line],
    palette: Palette = ALONE,
) -> str:
    """A chart of lines over labels, its vertical scale logarithmic.

    Args:
        title: what is shown.
        labels: the places along the horizontal axis, from the left.
        x_title: what they are.
        y_title: what the values are, with their unit.
        lines: the lines, in the order of the legend, at least one with a point.
        palette: the colours.
    """
    frame = _Frame(labels, [mark.y for line in lines for mark in line.marks], palette)
    parts = [*_head(title, palette), *frame.axes(x_title, y_title)]
    for number, line in enumerate(lines):
        parts += _drawn(frame, line, number)
    if any(mark.bound for line in lines for mark in line.marks):
        y = _TOP + 20 * len(lines) + 22
        parts.append(_text(WIDTH - _RIGHT + 20, y, "\u25b3 stopped there: takes longer", palette, size=11))
    return "\n".join([*parts, "</svg>", ""])


def scatter(
    title: str,
    x_title: str,
    y_title: str,
    points: Sequence[tuple[float, float, str]],
    palette: Palette = ALONE,
) -> str:
    """A chart of points, both scales logarithmic and alike, with the line on which both values are the same.

    Args:
        title: what is shown.
        x_title: what goes to the right, with its unit.
        y_title: what goes up, with its unit.
        points: x and y, above 0, and what the point is; at least one.
        palette: the colours.
    """
    values = [value for x, y, _ in points for value in (x, y)]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    powers = [f"{10.0**power:g}" for power in range(low, high + 1)]
    frame = _Frame(powers, [10.0**low, 10.0**high], palette)
    parts = [*_head(title, palette), *frame.axes(x_title, y_title)]
    ends = f"M{frame.x(0):.1f} {frame.y(10.0**low):.1f}L{frame.x(high - low):.1f} {frame.y(10.0**high):.1f}"
    parts.append(f'<path d="{ends}" stroke="{palette.ink}" stroke-dasharray="6 4"/>')
    for x, y, what in points:
        place = f'cx="{frame.x(math.log10(x) - low):.1f}" cy="{frame.y(y):.1f}"'
        told = f"<title>{escape(what)}</title>"
        parts.append(f'<circle {place} r="4" fill="{palette.lines[0]}" fill-opacity=".6">{told}</circle>')
    return "\n".join([*parts, "</svg>", ""])


def _head(title: str, palette: Palette) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="12">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{palette.paper}"/>'
    yield _text(_LEFT, 24, title, palette, size=14, weight="bold")


class _Frame:
    """Where the values are drawn."""

    def __init__(self, labels: Sequence[str], values: Sequence[float], palette: Palette) -> None:
        self.labels = labels
        self.palette = palette
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)

    def x(self, place: float) -> float:
        last = max(len(self.labels) - 1, 1)
        return _LEFT + 20 + (WIDTH - _LEFT - _RIGHT - 40) * place / last

    def y(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * part

    def axes(self, x_title: str, y_title: str) -> Iterator[str]:
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            yield f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="{self.palette.grid}"/>'
            yield self.text(_LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end")
        yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="{self.palette.ink}"/>'
        every = math.ceil(len(self.labels) / 24)
        for place, label in enumerate(self.labels):
            if place % every == 0:
                yield self.text(self.x(place), bottom + 18, label, anchor="middle")
        yield self.text((_LEFT + right) / 2, HEIGHT - 16, x_title, anchor="middle")
        middle = (_TOP + bottom) / 2
        turn = f' transform="rotate(-90 18 {middle:.1f})"'
        yield self.text(18, middle, y_title, anchor="middle", turn=turn)

    def text(self, x: float, y: float, text: str, *, anchor: str = "start", turn: str = "") -> str:
        return _text(x, y, text, self.palette, anchor=anchor, turn=turn)


def _drawn(frame: _Frame, line: Line, number: int) -> Iterator[str]:
    palette = frame.palette
    colour = palette.lines[number % len(palette.lines)]
    dash = _DASHES[number // len(palette.lines) % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    places = [(frame.x(mark.x), frame.y(mark.y)) for mark in line.marks]
    for (x1, y1), (x2, y2) in itertools.pairwise(places):
        yield f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" {style}/>'
    for mark, (x, y) in zip(line.marks, places, strict=True):
        told = f"<title>{escape(line.name)}: {'> ' if mark.bound else ''}{mark.y:.3g}</title>"
        if mark.bound:
            shape = f'path d="M{x - 6:.1f} {y + 4:.1f}h12l-6 -10z" fill="{palette.paper}" stroke="{colour}"'
            yield f"<{shape}>{told}</path>"
        else:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">{told}</circle>'
    left, y = WIDTH - _RIGHT + 20, _TOP + 20 * number + 6
    yield f'<path d="M{left} {y}h26" {style}/>'
    yield frame.text(left + 34, y + 4, line.name)


def _text(
    x: float,
    y: float,
    text: str,
    palette: Palette,
    *,
    anchor: str = "start",
    size: int = 12,
    weight: str = "",
    turn: str = "",
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{palette.ink}"'
    return f"<text {place}{bold}{turn}>{escape(text)}</text>"

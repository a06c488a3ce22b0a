"""Charts of what queries cost: growth with depth and with parameters, and predicted against measured."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from leadline.symbolic.grid.store.rows import Row
from leadline.symbolic.grid.store.summary import groups
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.report.style import INLINE
from leadline.symbolic.report.svg import Line, Mark, chart, scatter

_LINES = 7  # more would not be told apart
_LEAST = 0.001  # seconds: a logarithmic scale has no zero
_SECONDS = "seconds of the whole task"


def asked(rows: Sequence[Row]) -> list[Row]:
    """The rows of queries that were run: what is moot has cost nothing."""
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
    """The slowest points of a property, each a line."""
    lines = {one: found for one, found in _lines(rows).items() if len({row.depth_asked for row in found}) > 1}
    slowest = sorted(lines, key=lambda one: -max(row.task_seconds for row in lines[one]))[:_LINES]
    if not slowest:
        return None
    depths = sorted({row.depth_asked for one in slowest for row in lines[one] if row.depth_asked is not None})
    of = f" (the {_LINES} slowest of {len(lines)})" if len(lines) > _LINES else ""
    drawn = [Line(_cut(one), _marks(lines[one], depths, lambda row: row.depth_asked)) for one in slowest]
    return chart(
        f"{name}: seconds against depth{of}", [*map(str, depths)], "depth asked", _SECONDS, drawn, INLINE
    )


def _lines(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows that differ only in how deep they look, by what tells them from the others."""
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
    """The median over all other parameters, a line for each property."""

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
            lines.append(Line(_cut(name), _marks(of, values, value)))
    lines.sort(key=lambda line: -max(mark.y for mark in line.marks))
    if not lines:
        return None
    title = f"seconds against {parameter} (medians over the other parameters and depths)"
    return chart(title, [*map(str, values)], parameter, _SECONDS, lines[:_LINES], INLINE)


def _marks(rows: Sequence[Row], places: Sequence[int], place: Callable[[Row], object]) -> tuple[Mark, ...]:
    """The median time at each place; a lower bound where that query was stopped."""
    marks = []
    for x, value in enumerate(places):
        here = sorted((row for row in rows if place(row) == value), key=lambda row: row.task_seconds)
        if here:
            middle = here[len(here) // 2]
            marks.append(Mark(x, max(middle.task_seconds, _LEAST), bound=_stopped(middle)))
    return tuple(marks)


def _stopped(row: Row) -> bool:
    return row.unknown() and (row.reason or "").startswith(("time", "memory"))


def _cut(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:29]}\u2026"


def predicted(rows: Sequence[Row]) -> tuple[str, str] | None:
    """Predicted against measured cost: a sentence and a chart; None if nothing was predicted.

    Args:
        rows: any rows; those that were stopped at a limit have no cost to compare.
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
        f"Of {len(known)} quer{'ies' if len(known) != 1 else 'y'} with a prediction, the measured time is in "
        f"the median {middle:.2g} times the predicted one (the middle half: {within} times)."
    )
    points = [
        (expected, took, f"{row.protocol} {row.property} {row.parameters}") for expected, took, row in known
    ]
    title = "predicted against measured cost"
    return sentence, scatter(title, "predicted seconds", "measured seconds", points, INLINE)

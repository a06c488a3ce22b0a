"""Sizes of layers: measured at a few points of a table, and fitted as a formula in the parameters.

The size of a layer is the number of variables and clauses of the template that the engines instantiate. To
build a template takes some milliseconds at most points, and a table may have 100,000 points, so the size is
measured at a few of them, and the formula

    size = factor * (p + 1)^a * (q + 1)^b * ... * choice of r * ...

is fitted to these by least squares of the logarithms. An integer from 0 has a power, any other parameter has
a factor for each value. The measured points are far from one another (farthest-first traversal: T. F.
Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38, 1985).
`python -m leadline.benchmarks.planning` measures the error of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.encode import Encoding
from leadline.symbolic.grid.query import Settings
from leadline.symbolic.lang import Model, Setting, UserError

MOST_SAMPLES = 32
"""The most points of a table that are measured."""

_LARGEST = 2_000_000  # variables and clauses that are built for one table: about ten seconds
_PENALTY = 1e-3  # of the fit: an effect that the samples cannot attribute is split evenly


@dataclass(frozen=True)
class LayerFormula:
    """The size of a layer as a function of the parameters of a table.

    Attributes:
        protocol: the protocol's name.
        factor: the size if no parameter varies.
        powers: the power of the successor of each integer parameter that varies.
        choices: the factor of each value but the first of every other parameter that varies.
        sizes: the size at the measured points, by the model's fingerprint.
    """

    protocol: str
    factor: float
    powers: Mapping[str, float]
    choices: Mapping[str, Mapping[Setting, float]]
    sizes: Mapping[str, int]

    def at(self, settings: Settings) -> float:
        """The size at a point: variables and clauses, about."""
        size = self.factor
        for name, value in settings:
            if name in self.powers:
                size *= (int(value) + 1) ** self.powers[name]
            elif name in self.choices:
                size *= self.choices[name].get(value, 1.0)
        return size

    def __str__(self) -> str:
        """The formula, its numbers rounded and the factors of choices left out."""
        factor = f"{self.factor:.0f}" if self.factor >= 100 else f"{self.factor:.3g}"
        return "*".join(
            [factor, *(f"({name} + 1)**{power:.3g}" for name, power in sorted(self.powers.items()))]
        )


def layer_size(model: Model) -> int:
    """The number of variables and clauses of one layer that holds one action."""
    made = Encoding(model).step.template
    return made.variables + made.clauses


def layer_formula(entry: Entry, points: Mapping[Settings, str], known: Mapping[str, int]) -> LayerFormula:
    """Fit the size of a layer to some points of a table.

    Args:
        entry: the protocol.
        points: the points, at least one, each with its model's fingerprint; all set the same parameters.
        known: sizes that were measured before, by fingerprint.
    """
    axes = _Axes([*points])
    rows = {settings: axes.row(settings) for settings in points}
    sizes: dict[str, int] = {}
    measured: dict[Settings, int] = {}
    formula = LayerFormula(entry.name, 1.0, {}, {}, sizes)
    for settings in _samples([*points], [*rows.values()]):
        left = _LARGEST - sum(measured.values())
        size = known.get(points[settings])
        if size is None and (not measured or formula.at(settings) < left):
            size = _measured(entry, settings)
        if size is not None:
            measured[settings] = sizes[points[settings]] = size
            formula = axes.fitted(entry.name, {one: rows[one] for one in measured}, measured, sizes)
    return formula


def _measured(entry: Entry, settings: Settings) -> int | None:
    """The size at a point; None if no template can be built there, which its queries will report."""
    try:
        return layer_size(model_of(entry, dict(settings)))
    except (UserError, MemoryError):
        return None


class _Axes:
    """The parameters that vary among points, as numbers: logarithms of integers, 0 or 1 for choices."""

    def __init__(self, points: Sequence[Settings]) -> None:
        values: dict[str, dict[Setting, None]] = {}
        for settings in points:
            for name, value in settings:
                values.setdefault(name, {})[value] = None
        varying = {name: [*found] for name, found in values.items() if len(found) > 1}
        self.integers = [
            name for name, found in varying.items() if all(type(one) is int and one >= 0 for one in found)
        ]
        self.choices = {name: found[1:] for name, found in varying.items() if name not in self.integers}

    def row(self, settings: Settings) -> list[float]:
        """A point as numbers."""
        values = dict(settings)
        logarithms = [math.log(int(values[name]) + 1) for name in self.integers]
        return logarithms + [
            float(values[name] == one) for name, others in self.choices.items() for one in others
        ]

    def fitted(
        self,
        protocol: str,
        rows: Mapping[Settings, Sequence[float]],
        measured: Mapping[Settings, int],
        sizes: Mapping[str, int],
    ) -> LayerFormula:
        """The formula that is nearest to the measured sizes."""
        logarithms = [math.log(max(measured[one], 1)) for one in rows]
        middle = sum(logarithms) / len(logarithms)
        found = ridge([[1.0, *row] for row in rows.values()], [x - middle for x in logarithms], _PENALTY)
        numbers = iter(found)
        factor = math.exp(middle + next(numbers))
        powers = {name: next(numbers) for name in self.integers}
        choices = {
            name: {one: math.exp(next(numbers)) for one in others} for name, others in self.choices.items()
        }
        return LayerFormula(protocol, factor, powers, choices, sizes)


def _samples(points: Sequence[Settings], rows: Sequence[Sequence[float]]) -> Iterator[Settings]:
    """Points far from one another, the smallest first: one more than there are numbers to fit."""
    ranges = [(min(column), max(column)) for column in zip(*rows, strict=True)]
    scaled = [[(x - low) / (high - low) for x, (low, high) in zip(row, ranges, strict=True)] for row in rows]
    sums = [sum(row) for row in scaled]
    chosen = [min(range(len(points)), key=sums.__getitem__)]
    distances = [math.inf] * len(points)
    while len(chosen) < min(len(ranges) + 2, MOST_SAMPLES, len(points)):
        last = scaled[chosen[-1]]
        distances = [min(old, math.dist(row, last)) for old, row in zip(distances, scaled, strict=True)]
        chosen.append(max(range(len(points)), key=distances.__getitem__))
    return (points[place] for place in sorted(chosen, key=sums.__getitem__))


def ridge(rows: Sequence[Sequence[float]], values: Sequence[float], penalty: float) -> list[float]:
    """The vector x with the least |rows x - values|^2 + penalty |x|^2, by the normal equations.

    Args:
        rows: at least one, all of the same length.
        values: a number for each row.
        penalty: above 0.
    """
    found, penalized = np.array(rows), penalty * np.eye(len(rows[0]))
    return [*map(float, np.linalg.solve(found.T @ found + penalized, found.T @ np.array(values)))]

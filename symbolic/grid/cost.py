"""The cost of a query: its seconds, predicted from the size and number of layers, the engine and the solver.

The model is linear in logarithms:

    log(seconds - start) = way + a * log(size) + b * log(layers) + probe + protocol + property

`size` is the number of variables and clauses of one layer (`LayerFormula`), `layers` is the
depth plus one, `way` stands for unrolling (or engine) and solver, `start` is the time before the search
begins. The coefficients a and b (one b for each unrolling) are fitted, and so is an offset for each way, for
probes, for each protocol and for each of its properties. The defaults come from measured runs of the built-in
protocols. A run of a grid draws them towards its measurements, by least squares that count each default as
one more observation (ridge regression), so that a few rows do not upset them.

A prediction is a guess, typically within a factor of two. It decides only the order of the queries, and it is
shown to the user.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import leadline
from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines.ask.result import LOG, Cause
from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.durable import write_text
from leadline.symbolic.grid.query import GridQuery, Settings
from leadline.symbolic.grid.remote import Place
from leadline.symbolic.lang import Model, Setting, UserError

if TYPE_CHECKING:
    from leadline.symbolic.grid.rows import Row


# -- the size of a layer ------------------------------------------------------------------------------------

# The size is measured at a few points of a table, which may have 100,000, and the formula
#
#     size = factor * (p + 1)^a * (q + 1)^b * ... * choice of r * ...
#
# is fitted to these by least squares of the logarithms. An integer from 0 has a power, any other parameter has a
# factor for each value. The measured points are far from one another (farthest-first traversal: T. F. Gonzalez,
# Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38, 1985).
# `python -m leadline.benchmarks.planning` measures the error of the formula.

MOST_SAMPLES = 32
"""The most points of a table that are measured."""

_MOST_BUILT = 2_000_000  # variables and clauses that are built for one table: about ten seconds
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

    @cached_property
    def expression(self) -> Any:
        """The formula as a sympy expression, its numbers rounded and the factors of choices left out."""
        import sympy

        parts = [(sympy.Symbol(name) + 1) ** sympy.Float(power, 3) for name, power in self.powers.items()]
        large = self.factor >= 100
        return sympy.Mul(round(self.factor) if large else sympy.Float(self.factor, 3), *parts)


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
        left = _MOST_BUILT - sum(measured.values())
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


# -- the seconds of a query ---------------------------------------------------------------------------------

FILE = "cost.json"
"""The name of the model's file in a store."""

_VERSION = 2
_NAME = re.compile(r"[^\x00-\x1f]{1,400}")
_LARGEST = 1 << 20  # bytes of a file
_SHORTEST = 0.005  # seconds: the least that is measured
_ENDLESS = 1e9  # seconds: thirty years

# Fitted to 1,142 rows of the built-in protocols, which they predict typically within a factor of two; PDR's to 19
# proofs of the main grid.
_START = 0.08
_DEFAULTS: Mapping[str, float] = {
    "size": 0.55,
    "steps z3": -9.3,
    "steps cadical": -10.0,
    "sweeps z3": -8.4,
    "sweeps cadical": -8.8,
    "induction z3": -7.8,
    "induction cadical": -9.2,
    "pdr": -4.8,
}
_OTHERS: Mapping[str, float] = {"layers": 1.5, "probe": 0.0, "protocol": 0.0, "property": 0.0}
_WAY = -9.0  # of an engine and solver that no rows were measured of


@dataclass(frozen=True)
class CostModel:
    """Predicts the seconds of queries.

    Attributes:
        start: seconds before a query begins to search.
        coefficients: the features' coefficients, by name; a missing one has its default.
        rows: the number of rows that it was fitted to; 0 for the defaults.
        spread: the typical factor between prediction and measurement; None for the defaults.
        sizes: the size of a layer of each query that it can predict, by the query's id.
        layers: the sizes of layers that were measured, by the model's fingerprint.
    """

    start: float = _START
    coefficients: Mapping[str, float] = field(default_factory=dict)
    rows: int = 0
    spread: float | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)

    def sized(self, sizes: Mapping[str, float], layers: Mapping[str, int] | None = None) -> CostModel:
        """The same model for other queries.

        Args:
            sizes: the size of a layer of each query, by the query's id.
            layers: the measured sizes, by fingerprint; those of this model if left out.
        """
        return replace(self, sizes=sizes, layers=self.layers if layers is None else layers)

    def predict(self, query: GridQuery) -> float:
        """The seconds that a query will take, at most its limit on time.

        Raises:
            KeyError: if the query's size is not known.
        """
        features = _features(query, query.depth, self.sizes[query.id])
        seconds = self.start + math.exp(min(self._log(features), math.log(_ENDLESS)))
        limit = query.limits.seconds
        return seconds if limit is None else min(seconds, self.start + limit)

    def _log(self, features: Mapping[str, float]) -> float:
        return sum(self._coefficient(name) * value for name, value in features.items())

    def _coefficient(self, name: str) -> float:
        default = _OTHERS.get(name.partition(" ")[0], _WAY)
        return self.coefficients.get(name, _DEFAULTS.get(name, default))

    def refit(self, rows: Iterable[Row]) -> CostModel:
        """The model fitted to the measurements in rows; the same model without rows.

        A row counts if the size of its query is known and the query was answered, or stopped at its limit on
        time.
        """
        searched = (row for row in rows if not row.moot() and (not row.unknown() or row.cause == Cause.TIME))
        used = [row for row in searched if row.query in self.sizes]
        if not used:
            return self
        start = median(max(0.0, row.task_seconds - row.total_seconds) for row in used)
        features = [_features(row, row.depth_asked, self.sizes[row.query]) for row in used]
        measured = [math.log(max(row.total_seconds, _SHORTEST)) for row in used]
        names = sorted({name for one in features for name in one})
        residuals = [y - self._log(one) for one, y in zip(features, measured, strict=True)]
        moves = ridge([[one.get(name, 0.0) for name in names] for one in features], residuals, 1.0)
        moved = {name: self._coefficient(name) + move for name, move in zip(names, moves, strict=True)}
        fitted = replace(self, start=start, coefficients={**self.coefficients, **moved}, rows=len(used))
        errors = [y - fitted._log(one) for one, y in zip(features, measured, strict=True)]
        return replace(fitted, spread=math.exp(math.sqrt(sum(x * x for x in errors) / len(errors))))

    def write(self, folder: Place) -> None:
        """Write the model and the measured layers into a store's folder.

        Raises:
            OSError: if that fails; a model that was there is as it was.
        """
        data = {
            "version": _VERSION,
            "start_seconds": self.start,
            "coefficients": dict(sorted(self.coefficients.items())),
            "rows": self.rows,
            "spread": self.spread,
            "leadline": leadline.__version__,
            "layers": dict(self.layers),
        }
        write_text(folder / FILE, json.dumps(data, indent=2) + "\n")


def read_cost_model(folder: Place) -> tuple[CostModel, tuple[str, ...]]:
    """The model in a store; the default one if there is none.

    Returns:
        The model, and a warning if the store's file cannot be read and the defaults are used instead.
    """
    path = folder / FILE
    try:
        return _parsed(file_bytes(path, _LARGEST)), ()
    except (FileNotFoundError, NotADirectoryError):
        return CostModel(), ()
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        return CostModel(), (f"{path} is ignored, costs are predicted by the defaults: {why}",)


def _parsed(content: bytes) -> CostModel:
    data = json.loads(content)
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise ValueError("it is no cost model of this version")
    coefficients, rows, spread, layers = (
        data.get(key) for key in ("coefficients", "rows", "spread", "layers")
    )
    if not isinstance(coefficients, dict) or not all(map(_NAME.fullmatch, coefficients)):
        raise ValueError("its coefficients have no proper names")
    if type(rows) is not int or rows < 0:
        raise ValueError(f"rows must be a number from 0, and is {rows!r}")
    if not isinstance(layers, dict) or not all(type(size) is int and size >= 0 for size in layers.values()):
        raise ValueError("its layers are no sizes")
    return CostModel(
        start=_number("start_seconds", data.get("start_seconds"), 0, 3600),
        coefficients={name: _number(name, value, -1000, 1000) for name, value in coefficients.items()},
        rows=rows,
        spread=None if spread is None else _number("spread", spread, 0, math.inf),
        # Another version of Leadline may encode a layer in another way.
        layers=layers if data.get("leadline") == leadline.__version__ else {},
    )


def _number(name: str, value: Any, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high:
        raise ValueError(f"{name} must be a number in {low}..{high}, and is {value!r}")
    return float(value)


def _features(of: GridQuery | Row, depth: int | None, size: float) -> dict[str, float]:
    way = of.unroll or of.engine
    found = {
        "size": math.log(max(size, 1.0)),
        f"{way} {of.solver}".strip(): 1.0,
        f"protocol {of.protocol}": 1.0,
        # Thousands of logs are one kind of question.
        f"property {of.protocol} {LOG if of.kind == LOG else of.property}": 1.0,
    }
    if depth is not None:
        found[f"layers {way}"] = math.log(depth + 1)
    if of.kind == "probe":
        found["probe"] = 1.0
    return found

"""What a query will cost: seconds from the size of a layer, the number of layers, the kind and the solver.

The model is linear in logarithms:

    log(seconds - start) = way + a * log(size) + b * log(layers) + probe + protocol + property

`size` is what `leadline.symbolic.grid.cost.sizes` says of one layer and the property (variables and clauses),
`layers` is the depth and one more, `way` stands for unrolling and solver, `start` for what a query takes
before it begins to search. What is fitted are a, b (for each unrolling its own), and an offset for each way,
for probes, for each protocol and each property of it. The defaults come from measured runs of the built-in
protocols. After a run of a grid they are drawn towards what was measured, by least squares that count each
default as one observation more (ridge regression), so that a few rows do not upset them.

A prediction is a guess, typically within a factor of two; it decides nothing but the order of queries and
what a person is told.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from leadline.symbolic.grid.query import GridQuery

if TYPE_CHECKING:
    from leadline.symbolic.grid.store.rows import Row

FILE = "cost.json"
"""The name of the model's file in a store."""

_VERSION = 1
_NAME = re.compile(r"[^\x00-\x1f]{1,400}")
_LARGEST = 1 << 20  # bytes of a file
_SHORTEST = 0.005  # seconds: what is less is as good as none
_ENDLESS = 1e9  # seconds: thirty years

# Fitted to 1,142 rows of the built-in protocols (steps, sweeps and obligations by both solvers), which they
# predict typically within a factor of two.
_START = 0.08
_DEFAULTS: Mapping[str, float] = {
    "size": 0.55,
    "layers steps": 1.5,
    "layers sweeps": 1.5,
    "steps z3": -9.3,
    "steps cadical": -10.0,
    "sweeps z3": -8.4,
    "sweeps cadical": -8.8,
    "induction z3": -7.8,
    "induction cadical": -9.2,
    "probe": 0.0,
}


@dataclass(frozen=True)
class CostModel:
    """Predicts what queries cost.

    Attributes:
        start: seconds before a query begins to search.
        coefficients: of the features, by name; those that are missing have their default, or 0.
        rows: how many rows it was fitted to; 0 for the defaults.
        spread: the typical factor between what was predicted and what was measured; None for the defaults.
        sizes: the size of a layer of each query that it speaks of, by the query's id.
    """

    start: float = _START
    coefficients: Mapping[str, float] = field(default_factory=lambda: dict(_DEFAULTS))
    rows: int = 0
    spread: float | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)

    def sized(self, sizes: Mapping[str, float]) -> CostModel:
        """The same model for other queries.

        Args:
            sizes: the size of a layer of each query, by the query's id.
        """
        return replace(self, sizes=sizes)

    def predict(self, query: GridQuery) -> float:
        """The seconds that a query will take, as far as its limit on time allows.

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
        return self.coefficients.get(name, _DEFAULTS.get(name, 0.0))

    def refit(self, rows: Iterable[Row]) -> CostModel:
        """The model drawn towards what rows say; this one if they say nothing.

        Rows count whose query has a known size and was searched: answered, or stopped at its limit on time.
        """
        used = [row for row in rows if row.query in self.sizes and _searched(row)]
        if not used:
            return self
        start = median(max(0.0, row.task_seconds - row.total_seconds) for row in used)
        features = [_features(row, row.depth_asked, self.sizes[row.query]) for row in used]
        measured = [math.log(max(row.total_seconds, _SHORTEST)) for row in used]
        names = sorted({name for one in features for name in one})
        residuals = [y - self._log(one) for one, y in zip(features, measured, strict=True)]
        moves = _ridge([[one.get(name, 0.0) for name in names] for one in features], residuals)
        moved = {name: self._coefficient(name) + move for name, move in zip(names, moves, strict=True)}
        fitted = replace(self, start=start, coefficients={**self.coefficients, **moved}, rows=len(used))
        errors = [y - fitted._log(one) for one, y in zip(features, measured, strict=True)]
        return replace(fitted, spread=math.exp(math.sqrt(sum(x * x for x in errors) / len(errors))))

    def write(self, folder: Path) -> None:
        """Keep the model in a store's folder; its sizes are the plan's and not kept.

        Raises:
            OSError: if that fails; a model that was there is then as it was.
        """
        data = {
            "version": _VERSION,
            "start_seconds": self.start,
            "coefficients": dict(sorted(self.coefficients.items())),
            "rows": self.rows,
            "spread": self.spread,
        }
        part = folder / f".{FILE}.part"
        part.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        part.replace(folder / FILE)


def read_cost_model(folder: Path) -> tuple[CostModel, tuple[str, ...]]:
    """The model that a store keeps: the defaults if it keeps none.

    Returns:
        the model, and a warning if what is kept cannot be read and the defaults are used in its place.
    """
    path = folder / FILE
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        return _parsed(content), ()
    except (FileNotFoundError, NotADirectoryError):
        return CostModel(), ()
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        return CostModel(), (f"{path} is ignored, costs are predicted by the defaults: {why}",)


def _parsed(content: bytes) -> CostModel:
    if len(content) > _LARGEST:
        raise ValueError("it is too long")
    data = json.loads(content)
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise ValueError("it is no cost model of this version")
    coefficients, rows, spread = (data.get(key) for key in ("coefficients", "rows", "spread"))
    if not isinstance(coefficients, dict) or not all(map(_NAME.fullmatch, coefficients)):
        raise ValueError("its coefficients have no proper names")
    if type(rows) is not int or rows < 0:
        raise ValueError(f"rows must be a number from 0, and is {rows!r}")
    return CostModel(
        start=_number("start_seconds", data.get("start_seconds"), 0, 3600),
        coefficients={name: _number(name, value, -1000, 1000) for name, value in coefficients.items()},
        rows=rows,
        spread=None if spread is None else _number("spread", spread, 0, math.inf),
    )


def _number(name: str, value: Any, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high:
        raise ValueError(f"{name} must be a number in {low}..{high}, and is {value!r}")
    return float(value)


def _searched(row: Row) -> bool:
    stopped = row.unknown() and (row.reason or "").startswith("time:")
    return row.verdict != "moot" and (not row.unknown() or stopped)


def _features(of: GridQuery | Row, depth: int | None, size: float) -> dict[str, float]:
    way = of.unroll or "induction"
    found = {
        "size": math.log(max(size, 1.0)),
        f"{way} {of.solver}": 1.0,
        f"protocol {of.protocol}": 1.0,
        f"property {of.protocol} {of.property}": 1.0,
    }
    if depth is not None:
        found[f"layers {way}"] = math.log(depth + 1)
    if of.kind == "probe":
        found["probe"] = 1.0
    return found


def _ridge(rows: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """The vector x that makes |rows x - values|^2 + |x|^2 least, by the normal equations."""
    count = len(rows[0])
    matrix = [
        [sum(row[i] * row[j] for row in rows) + (i == j) for j in range(count)]
        + [sum(row[i] * value for row, value in zip(rows, values, strict=True))]
        for i in range(count)
    ]
    # Symmetric and positive definite: no pivot is ever zero.
    for i in range(count):
        for j in range(i + 1, count):
            factor = matrix[j][i] / matrix[i][i]
            matrix[j] = [a - factor * b for a, b in zip(matrix[j], matrix[i], strict=True)]
    solution = [0.0] * count
    for i in reversed(range(count)):
        known = sum(matrix[i][j] * solution[j] for j in range(i + 1, count))
        solution[i] = (matrix[i][count] - known) / matrix[i][i]
    return solution

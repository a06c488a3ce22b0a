"""The size of layers against what the encoding makes, and seconds against what was measured."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

import leadline
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Limits
from leadline.symbolic.grid import cost as layers
from leadline.symbolic.grid.cost import FILE, CostModel, layer_formula, layer_size, read_cost_model
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery, Settings
from leadline.symbolic.lang import AssumptionFailed, Model
from tests.grid.queries import with_options
from tests.grid.rows import row, unknown

FACTOR = 1.3
"""How far the predicted size of a layer may be from the real one, either way."""


def points_of(protocol: str, **values: Sequence[Any]) -> dict[Settings, str]:
    """All combinations of values at which the protocol has a model, each with the model's fingerprint."""
    entry = find(protocol)
    found = {}
    for chosen in itertools.product(*values.values()):
        settings = tuple(zip(values, chosen, strict=True))
        with contextlib.suppress(AssumptionFailed):
            found[settings] = model_of(entry, dict(settings)).fingerprint
    return found


TABLES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "kafka-replication": {"variant": ["kip-101", "kip-320"], "replicas": [2, 3, 5], "log_size": [2, 4, 6]},
    "two-phase-commit": {"resource_managers": [2, 3, 4, 5, 6, 7], "rm_may_fail": [True, False]},
    "pulsar-compaction": {"keys": [1, 2, 3], "max_crash_times": [0, 1, 3], "retain_null_key": [True, False]},
    "spanner-leases": {"replicas": [2, 3, 4, 5], "tt_max_si": [2, 4, 8]},
}


@pytest.mark.parametrize(
    "protocol",
    [pytest.param(name, marks=[] if name == "spanner-leases" else [pytest.mark.slow]) for name in TABLES],
)
def test_a_formula_is_about_the_size_of_each_layer(protocol: str) -> None:
    points = points_of(protocol, **TABLES[protocol])
    formula = layer_formula(find(protocol), points, {})
    assert len(formula.sizes) < len(points)
    assert formula.sizes.keys() <= set(points.values())
    for settings in points:
        real = layer_size(model_of(find(protocol), dict(settings)))
        assert 1 / FACTOR < formula.at(settings) / real < FACTOR, settings


def test_a_single_point_has_its_own_size() -> None:
    entry = find("two-phase-commit")
    formula = layer_formula(entry, points_of("two-phase-commit", resource_managers=[3]), {})
    real = layer_size(model_of(entry, {"resource_managers": 3}))
    assert formula.at((("resource_managers", 3),)) == pytest.approx(real, rel=1e-6)
    assert formula.sizes == {model_of(entry, {"resource_managers": 3}).fingerprint: real}
    assert formula.expression == real


def planted(**values: Sequence[Any]) -> tuple[dict[Settings, str], Callable[[Settings], float]]:
    """Points of a table, and a law of the formula's kind that says how large a layer is at each."""

    def law(settings: Settings) -> float:
        at = dict(settings)
        slow = 3 if at["variant"] == "slow" else 1
        return 5000.0 * math.pow(int(at["n"]) + 1, 1.5) * math.pow(int(at["m"]) + 1, 0.5) * slow

    points = [tuple(zip(values, one, strict=True)) for one in itertools.product(*values.values())]
    return {settings: str(settings) for settings in points}, law


def test_a_law_of_the_formulas_kind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured at five of forty points, it holds at all of them."""
    points, law = planted(variant=["fast", "slow"], n=[1, 2, 4, 9], m=[0, 1, 3, 7, 20])
    known = {name: round(law(settings)) for settings, name in points.items()}
    formula = layer_formula(find("two-phase-commit"), points, known)
    assert len(formula.sizes) == 5
    assert all(known[name] == size for name, size in formula.sizes.items())
    for settings in points:
        assert formula.at(settings) == pytest.approx(law(settings), rel=0.02)
    assert formula.powers == pytest.approx({"n": 1.5, "m": 0.5}, abs=0.01)
    n, m = sympy.symbols("n m")
    powers = [power.exp for power in formula.expression.atoms(sympy.Pow)]
    assert formula.expression.free_symbols == {n, m} and len(powers) == 2


def test_layers_that_are_too_large_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes of smaller points say so before."""
    built: list[Any] = []

    def measure(model: Model) -> int:
        managers: Any = model.parameters["resource_managers"]
        built.append(managers)
        return int(2000 * managers**2)

    monkeypatch.setattr(layers, "layer_size", measure)
    points: dict[Settings, str] = {(("resource_managers", n),): str(n) for n in range(1, 61)}
    formula = layer_formula(find("two-phase-commit"), points, {})
    assert len(built) == 2 and 60 not in built
    assert formula.at((("resource_managers", 60),)) > 2_000_000


def test_points_far_from_one_another_are_measured() -> None:
    points, law = planted(variant=["fast"], n=[*range(50)], m=[0, 1])
    known = {name: round(law(settings)) for settings, name in points.items()}
    formula = layer_formula(find("two-phase-commit"), points, known)
    corners = {str((("variant", "fast"), ("n", n), ("m", m))) for n in (0, 49) for m in (0, 1)}
    assert formula.sizes.keys() == corners


# -- seconds -------------------------------------------------------------------------------------------------

GRID = """
[[check]]
protocol = "counter.py"
properties = ["below-three", "never-one"]
depth = [1, 10, 50]
solver = ["z3", "cadical"]
parameters = { top = [2, 9], nodes = [1, 200] }
"""


@pytest.fixture
def queries(folder: Path) -> Sequence[GridQuery]:
    (folder / "grid.toml").write_text(GRID)
    return plan(folder / "grid.toml").in_file_order()


def sizes(queries: Sequence[GridQuery]) -> dict[str, float]:
    return {query.id: 100.0 * (1 + len(str(query.settings))) for query in queries}


def answered(query: GridQuery, seconds: float, **changes: Any) -> Any:
    return row(
        query=query.id,
        protocol=query.protocol,
        kind=query.kind,
        engine=query.engine,
        depth_asked=query.depth,
        unroll=query.unroll,
        solver=query.solver,
        total_seconds=seconds,
        task_seconds=seconds + 0.25,
        **changes,
    )


def test_more_layers_and_larger_ones_cost_more(queries: Sequence[GridQuery]) -> None:
    query = queries[0]
    model = CostModel().sized({query.id: 1000.0, with_options(query, depth=20).id: 1000.0})
    larger = model.sized({query.id: 5000.0})
    assert model.start < model.predict(query) < model.predict(with_options(query, depth=20))
    assert model.predict(query) < larger.predict(query)
    with pytest.raises(KeyError):
        model.predict(with_options(query, depth=21))


def test_no_query_costs_more_than_its_limit(queries: Sequence[GridQuery]) -> None:
    query = replace(queries[0], limits=Limits(30.0, None))
    endless = replace(queries[0], limits=Limits(None, None))
    model = CostModel().sized({query.id: 1e300})
    assert model.predict(query) == model.start + 30
    assert 1e8 < model.predict(endless) < math.inf


def test_a_refitted_model_predicts_what_was_measured(queries: Sequence[GridQuery]) -> None:
    """Times that follow a law of the model's kind, with noise, are predicted within the noise."""
    model = CostModel().sized(sizes(queries))

    def law(query: GridQuery) -> float:
        assert query.depth is not None
        own = 0.2 if query.solver == "z3" else 0.01
        return float(own * (model.sizes[query.id] / 1000) ** 1.5 * (query.depth + 1) ** 1.2)

    noise = [1.2, 0.9, 1.0, 0.8]
    rows = [answered(query, law(query) * noise[i % 4]) for i, query in enumerate(queries)]

    def error(of: CostModel) -> float:
        pairs = [(of.predict(query) - of.start, law(query)) for query in queries]
        return sum(abs(math.log(said / real)) for said, real in pairs) / len(pairs)

    fitted = model.refit(rows)
    assert error(fitted) < 0.5 < error(model)
    # A few defaults hold back a few rows; more rows of the same kind have their way.
    again = fitted.refit(rows * 5)
    assert error(again) < 0.15
    assert (fitted.rows, fitted.start) == (len(rows), 0.25)
    assert again.spread is not None and 1.0 < again.spread < 1.4


def test_rows_that_say_nothing_of_costs(queries: Sequence[GridQuery]) -> None:
    query = queries[0]
    model = CostModel().sized({query.id: 1000.0})
    other = answered(with_options(query, depth=7), 50.0)
    moot = answered(query, 50.0, verdict="moot", reason="moot")
    crashed = replace(unknown("crash: signal 9"), query=query.id)
    assert model.refit([other, moot, crashed]) is model
    stopped = replace(unknown("time: stopped after 50 s"), query=query.id, total_seconds=50.0)
    assert model.refit([stopped]).rows == 1


def test_a_model_is_kept_and_found_again(queries: Sequence[GridQuery], tmp_path: Path) -> None:
    model = CostModel().sized(sizes(queries))
    fitted = model.refit([answered(query, 3.0) for query in queries])
    fitted.write(tmp_path)
    found, warnings = read_cost_model(tmp_path)
    assert (found.sized(model.sizes), warnings) == (fitted, ())
    assert read_cost_model(tmp_path / "nowhere") == (CostModel(), ())
    assert read_cost_model(tmp_path / FILE) == (CostModel(), ())


GOOD = {
    "version": 2,
    "start_seconds": 1,
    "coefficients": {"size": 1},
    "rows": 3,
    "spread": 1.5,
    "leadline": leadline.__version__,
    "layers": {"abc": 1200},
}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "Expecting property name"),
        ("[1]", "it is no cost model of this version"),
        (json.dumps({**GOOD, "version": 1}), "it is no cost model of this version"),
        (json.dumps({**GOOD, "rows": -1}), "rows must be a number from 0, and is -1"),
        (json.dumps({**GOOD, "spread": "x"}), "spread must be a number in 0..inf, and is 'x'"),
        (
            json.dumps({**GOOD, "start_seconds": True}),
            "start_seconds must be a number in 0..3600, and is True",
        ),
        (
            json.dumps({**GOOD, "coefficients": {"size": math.nan}}),
            "size must be a number in -1000..1000, and is nan",
        ),
        (json.dumps({**GOOD, "coefficients": {"a\nb": 1}}), "its coefficients have no proper names"),
        (json.dumps({**GOOD, "coefficients": [1]}), "its coefficients have no proper names"),
        (json.dumps({**GOOD, "layers": {"abc": -1}}), "its layers are no sizes"),
        (json.dumps({**GOOD, "layers": {"abc": 1.5}}), "its layers are no sizes"),
        (json.dumps({**GOOD, "layers": None}), "its layers are no sizes"),
        ("[" * 100_000, ""),
        ("\x00", ""),
        (" " * 2_000_000, "it has more than 1 MB"),
    ],
)
def test_a_broken_model_is_told_and_not_used(content: str, why: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(content)
    found, (warning,) = read_cost_model(tmp_path)
    assert found == CostModel()
    assert warning.startswith(f"{tmp_path / FILE} is ignored, costs are predicted by the defaults: {why}")


def test_what_is_kept_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(GOOD))
    found, warnings = read_cost_model(tmp_path)
    assert (found.rows, found.spread, found.coefficients, warnings) == (3, 1.5, {"size": 1.0}, ())
    assert found.layers == {"abc": 1200}


def test_layers_of_another_leadline_are_measured_again(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps({**GOOD, "leadline": "0.0.1"}))
    found, warnings = read_cost_model(tmp_path)
    assert (found.rows, found.layers, warnings) == (3, {}, ())

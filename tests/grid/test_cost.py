"""The size of layers against what the encoding makes, and seconds against what was measured."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.cost.cost import FILE, CostModel, read_cost_model
from leadline.symbolic.grid.cost.growth import NoFormula, sampled
from leadline.symbolic.grid.cost.layers import layer_formula, size_at
from leadline.symbolic.grid.cost.typesizes import TypeSizes
from leadline.symbolic.grid.plan.plan import plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.lang import Model
from leadline.symbolic.lang.structures import Map, Seq, Set, Tuple, record, union
from leadline.symbolic.lang.types import Bool, Int, Option, Type, enum, sort
from tests.grid.rows import row, unknown

FACTOR = 2
"""How far the predicted size of a layer may be from the real one, either way."""

POINTS: Sequence[tuple[str, Mapping[str, Any]]] = [
    ("kafka-replication", {"replicas": 2}),
    ("kafka-replication", {"variant": "kip-101", "replicas": 5, "log_size": 4}),
    ("kafka-replication", {"variant": "kip-279", "max_records": 5, "max_leader_epoch": 4}),
    ("two-phase-commit", {"resource_managers": 2}),
    ("two-phase-commit", {"variant": "backup-manager", "resource_managers": 7}),
    ("kafka-transactions", {}),
    ("kafka-transactions", {"transaction_ids": 2, "log_partitions": 2}),
    ("pulsar-compaction", {}),
    ("pulsar-compaction", {"model_producer": True, "message_sent_limit": 6, "compaction_times_limit": 5}),
    ("spanner-leases", {"replicas": 2}),
    ("spanner-leases", {"replicas": 5, "tt_max_si": 8}),
    ("spanner-transactions", {"transactions": "circular"}),
]

FAMILIES: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Sequence[int]], Mapping[str, int]]] = [
    # protocol, fixed, varying, and a point far from the samples
    (
        "kafka-replication",
        {"variant": "kip-320"},
        {"replicas": [2, 3, 4], "log_size": [2, 3]},
        {"replicas": 7, "log_size": 9},
    ),
    ("two-phase-commit", {}, {"resource_managers": [2, 3]}, {"resource_managers": 9}),
    (
        "kafka-transactions",
        {},
        {"clients": [1, 2], "topic_partitions": [1, 2]},
        {"clients": 4, "topic_partitions": 3},
    ),
    (
        "pulsar-compaction",
        {},
        {"keys": [1, 2, 3], "message_sent_limit": [2]},
        {"keys": 6, "message_sent_limit": 5},
    ),
    ("spanner-leases", {}, {"replicas": [2, 3], "tt_max_si": [1, 2]}, {"replicas": 6, "tt_max_si": 90}),
    ("spanner-transactions", {"transactions": "read-only"}, {"tt_max_si": [0, 2]}, {"tt_max_si": 70}),
]


def real_size(model: Model) -> int:
    made = Encoding(model).step.template
    return made.variables + made.clauses


@pytest.mark.parametrize(("protocol", "settings"), POINTS, ids=lambda x: x if isinstance(x, str) else "")
def test_the_size_of_a_layer_is_about_the_encodings(protocol: str, settings: Mapping[str, Any]) -> None:
    model = model_of(find(protocol), settings)
    assert 1 / FACTOR < size_at(model).layer / real_size(model) < FACTOR


@pytest.mark.parametrize(("protocol", "fixed", "varying", "far"), FAMILIES, ids=[one[0] for one in FAMILIES])
def test_the_formula_is_the_size(
    protocol: str, fixed: Mapping[str, Any], varying: Mapping[str, Sequence[int]], far: Mapping[str, int]
) -> None:
    """Derived from a few small models it is what the rules say of a model far away, to the last unit."""
    entry = find(protocol)
    formula = layer_formula(entry, fixed, varying)
    assert {str(symbol) for symbol in formula.size.layer.free_symbols} == set(varying)
    assert formula.at(far) == size_at(model_of(entry, {**fixed, **far}))


def test_a_formula_to_read() -> None:
    formula = layer_formula(find("two-phase-commit"), {}, {"resource_managers": [2, 3, 4]})
    managers = sympy.Symbol("resource_managers")
    assert formula.size.properties["not-committed"] == 2 * managers


@pytest.mark.parametrize(
    "kind",
    [
        Bool(),
        Int(0, 2),
        Int(0, 100),
        enum("Colour", "red"),
        sort("Node", 2),
        Option(sort("Node", 3)),
        Set(Int(0, 4)),
        Map(sort("Node", 3), Seq(Int(0, 2), 2)),
        Tuple((Bool(), Int(0, 1))),
        record("Pair", a=Int(0, 3), b=Bool()),
        union("Message", ping={}, pong={"n": Int(0, 3)}, end={}),
    ],
    ids=repr,
)
def test_the_literals_of_types_are_the_encodings(kind: Type) -> None:
    circuit = Circuit()
    layout = Layout(circuit)
    real = layout.literals(layout.free(kind), kind)
    assert TypeSizes(lambda row: row[0]).literals((kind,)) == len(real)


def test_values_are_counted() -> None:
    kinds = [
        Bool(),
        Int(-1, 3),
        Option(Int(0, 2)),
        Set(Int(0, 3)),
        Map(Int(0, 1), Int(0, 2)),
        Tuple((Bool(), Bool())),
    ]
    sizes = TypeSizes(lambda row: row[0])
    assert [sizes.count((kind,)) for kind in kinds] == [kind.cardinality for kind in kinds]


def test_growth_that_is_no_polynomial_is_refused() -> None:
    samples, rows = sampled(("n",), [[1, 2, 3, 4, 9]], lambda place: 2 ** place[0])
    with pytest.raises(NoFormula, match=r"a number that is 512 at \(9,\) is not "):
        samples.formula(rows)
    samples, rows = sampled(
        ("n", "m"), [[1, 2, 3, 9], [2, 5]], lambda place: place[0] ** 2 - 3 * place[0] * place[1]
    )
    n, m = sympy.symbols("n m")
    assert samples.formula(rows) == n**2 - 3 * n * m


def test_samples_look_past_points_without_a_model() -> None:
    samples, rows = sampled(("n",), [[1, 4, 6]], lambda place: None if place[0] in (4, 5) else 7 * place[0])
    assert samples.formula(rows) == 7 * sympy.Symbol("n")
    with pytest.raises(NoFormula, match="no model"):
        sampled(("n",), [[1, 2]], lambda place: None)
    with pytest.raises(NoFormula, match="no second value"):
        sampled(("n",), [[1, 2]], lambda place: 1 if place == (2,) else None)


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
    model = CostModel().sized({query.id: 1000.0, replace(query, depth=20).id: 1000.0})
    larger = model.sized({query.id: 5000.0})
    assert model.start < model.predict(query) < model.predict(replace(query, depth=20))
    assert model.predict(query) < larger.predict(query)
    with pytest.raises(KeyError):
        model.predict(replace(query, depth=21))


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
    other = answered(replace(query, depth=7), 50.0)
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


GOOD = {"version": 1, "start_seconds": 1, "coefficients": {"size": 1}, "rows": 3, "spread": 1.5}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "Expecting property name"),
        ("[1]", "it is no cost model of this version"),
        (json.dumps({**GOOD, "version": 2}), "it is no cost model of this version"),
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
        ("[" * 100_000, ""),
        ("\x00", ""),
        (" " * 2_000_000, "it is too long"),
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

"""The plan of a grid: its order, what it remembers of costs, and `leadline grid --plan`."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.benchmarks import proved
from leadline.symbolic.catalog import model_of
from leadline.symbolic.cli import main
from leadline.symbolic.cli.grid import duration
from leadline.symbolic.grid import cost as layers, plan as plans
from leadline.symbolic.grid.cost import FILE, CostModel, read_cost_model
from leadline.symbolic.grid.gridfile import Mistakes, read_checks
from leadline.symbolic.grid.plan import Plan, plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.lang import Model, UserError

GRIDS = Path(leadline.__file__).parent / "benchmarks" / "grids"

GRID = """
solver = "cadical"
depth = [2, 30]

[[check]]
protocol = "counter.py"
properties = ["below-three", "never-one"]
constraints = ["nodes <= top"]
parameters = { top = [2, 5, 9], nodes = { from = 1, to = 3 } }
"""


@pytest.fixture
def grid(folder: Path) -> Path:
    path = folder / "grid.toml"
    path.write_text(GRID)
    return path


def test_the_longest_first(grid: Path) -> None:
    found = plan(grid)
    seconds = [found.predicted[query.id] for query in found.queries]
    assert seconds == sorted(seconds, reverse=True)
    assert found.queries[0].settings == (("top", 9), ("nodes", 3)) and found.queries[0].depth == 30
    assert found.queries[-1].settings == (("top", 2), ("nodes", 1)) and found.queries[-1].depth == 2
    in_file = found.in_file_order()
    assert {query.id for query in in_file} == {query.id for query in found.queries}
    assert [(query.settings[0][1], query.depth) for query in in_file[:3]] == [(2, 2), (2, 30), (2, 2)]


def test_the_plan_is_the_same_each_time(grid: Path) -> None:
    first, second = plan(grid), plan(grid)
    assert first.queries == second.queries
    assert first.predicted == second.predicted


def test_a_model_is_built_once_for_each_point(grid: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid.write_text(
        f'{GRID}\n[[check]]\nprotocol = "counter.py"\nparameters = {{ top = 9 }}\nkinds = "induction"\n'
    )
    built: list[Mapping[str, Any]] = []

    def counted(entry: Any, settings: Mapping[str, Any]) -> Model:
        built.append(settings)
        return model_of(entry, settings)

    monkeypatch.setattr(plans, "model_or_outline", counted)
    found = plan(grid)
    assert len(found.queries) > 20
    # One point breaks the constraint; the second table asks for one of the first's: nodes is 1 by default.
    assert built == [
        {"top": 2, "nodes": 1},
        {"top": 2, "nodes": 2},
        *({"top": top, "nodes": nodes} for top in (5, 9) for nodes in (1, 2, 3)),
    ]


def test_layers_are_measured_once_for_a_store(grid: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[Mapping[str, Any]] = []

    def counted(model: Model) -> int:
        measured.append(model.parameters)
        return layer_size(model)

    layer_size = layers.layer_size
    monkeypatch.setattr(layers, "layer_size", counted)
    first = plan(grid)
    assert 3 <= len(measured) < 5, "fewer than the five points that are asked"
    assert len(first.costs.layers) == len(measured)
    Path("kept").mkdir()
    first.costs.write(Path("kept"))
    kept, _ = read_cost_model(Path("kept"))
    measured.clear()
    assert plan(grid, kept).predicted == first.predicted
    assert measured == []


def test_points_whose_layer_cannot_be_built_are_asked_all_the_same(
    grid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(model: Model) -> int:
        raise UserError("a type is too wide")

    monkeypatch.setattr(layers, "layer_size", refused)
    found = plan(grid)
    assert len(found.queries) == 20
    assert found.costs.layers == {}


def test_costs_decide_the_order(grid: Path) -> None:
    deep_is_cheap = CostModel(coefficients={"layers steps": -9.0})
    assert {query.depth for query in plan(grid, deep_is_cheap).queries[:10]} == {2}
    deep_is_dear = CostModel(coefficients={"layers steps": 9.0})
    assert {query.depth for query in plan(grid, deep_is_dear).queries[:10]} == {30}


# -- the command ---------------------------------------------------------------------------------------------


def test_the_plan_as_text(grid: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert main(["grid", "grid.toml", "--plan"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    header = ["protocol", "points", "dropped", "queries", "to", "run", "layer", "size", "predicted"]
    assert lines[0].split() == header
    assert lines[1].split()[:5] == ["counter", "5", "4", "20", "20"]
    assert re.fullmatch(r"\d+\.\.\d+", lines[1].split()[5])
    assert lines[3] == "dropped: counter at top = 2, nodes = 3: the constraint `nodes <= top` is false"
    assert lines[4].startswith("dropped: counter at 3 points, the first top = 5, nodes = 1: assumption on")
    assert lines[6] == "the longest queries"
    assert lines[8].split()[:7] == ["counter", "top", "=", "9,", "nodes", "=", "3"]
    assert lines[-1].startswith("costs are predicted by the defaults")
    assert err == ""
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if "__pycache__" not in path.parts}
    assert after == before, "nothing was written"


def test_the_plan_as_json(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--plan", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["to_run"], told["costs"]) == (20, 20, {"rows": 0, "spread": None})
    assert [(drop["why"], drop["points"]) for drop in told["dropped"]] == [
        ("constraint", 1),
        ("assumption", 3),
    ]
    (counter,) = told["protocols"]
    assert (counter["protocol"], counter["points"], counter["dropped"]) == ("counter", 5, 4)
    (layer,) = told["layers"]
    assert re.fullmatch(r"[\d.]+\*\(nodes \+ 1\)\*\*[\d.]+\*\(top \+ 1\)\*\*[\d.]+", layer["size"]), layer[
        "size"
    ]
    assert layer["choices"] == {} and layer["measured"] == 4
    longest = told["longest_first"]
    assert [one["predicted_seconds"] for one in longest] == sorted(
        (one["predicted_seconds"] for one in longest), reverse=True
    )
    assert told["predicted_seconds"] == pytest.approx(sum(one["predicted_seconds"] for one in longest))


def test_what_is_answered_is_not_in_the_bill(
    grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert Path("kept", FILE).exists(), "what was measured is kept for the next plan"
    capsys.readouterr()
    assert main(["grid", "grid.toml", "--store", "kept", "--plan"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].split()[:7] == ["counter", "5", "4", "20", "0", "-", "0.0"]
    assert "kept answers 20 of them already" in out
    assert "costs are predicted from " in out


def test_a_broken_cost_model_is_told(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("kept").mkdir()
    Path("kept", FILE).write_text("import os")
    assert main(["grid", "grid.toml", "--store", "kept", "--plan"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"leadline: {Path('kept', FILE)} is ignored, costs are predicted by the defaults: ")
    assert "costs are predicted by the defaults" in out


def test_mistakes_of_the_file(grid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid.write_text(GRID.replace("nodes <= top", "nodes =< top"))
    assert main(["grid", "grid.toml", "--plan"]) == 2
    assert "check[1].constraints[1]: line 1, column 7: `=` means nothing" in capsys.readouterr().err


def test_no_java_is_started(grid: Path) -> None:
    program = (
        "import sys\n"
        "from leadline.symbolic.cli import main\n"
        "assert main(['grid', 'grid.toml', '--plan']) == 0\n"
        "assert 'pyspark' not in sys.modules and 'py4j' not in sys.modules\n"
    )
    environment = {
        "PYTHONPATH": str(Path(leadline.__file__).parent.parent),
        "PATH": "",
        "JAVA_HOME": "/nowhere",
    }
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)


def test_durations() -> None:
    assert [duration(x) for x in (0, 9.94, 9.96, 3599, 3600, 86_399, 1e6)] == [
        "0.0 s",
        "9.9 s",
        "10 s",
        "60 min",
        "1.0 h",
        "24 h",
        "11.6 days",
    ]


# -- the grids that come along -------------------------------------------------------------------------------


PROTOCOLS = {
    "kafka-replication",
    "kafka-transactions",
    "pulsar-compaction",
    "spanner-leases",
    "spanner-transactions",
    "two-phase-commit",
}


@pytest.mark.parametrize("name", sorted(path.name for path in GRIDS.glob("*.toml")))
def test_a_grid_has_no_mistake(name: str) -> None:
    """Its tables are read; no model is made."""
    mistakes = Mistakes(GRIDS / name)
    assert read_checks(GRIDS / name, mistakes)
    mistakes.check()


@pytest.mark.slow
def test_the_main_grid() -> None:
    found: Plan = plan(GRIDS / "main.toml")
    assert {query.protocol for query in found.queries} == {*PROTOCOLS, "transaction-commit"}
    assert {query.engine for query in found.queries} == {"bmc", "explore", "induction", "pdr"}
    points = {query.fingerprint for query in found.queries}
    assert found.costs.layers.keys() <= points and len(found.costs.layers) < len(points)
    proofs = [query for query in found.queries if query.engine == "pdr"]
    assert len(proofs) == 33 and len(found.queries) == 311


def test_what_is_known_to_hold_is_to_be_proved_by_one_of_the_grids() -> None:
    """By PDR, which needs no strengthenings, at some parameters."""
    asked = set()
    for file in ("main.toml", "frontier.toml"):
        for table in tomllib.loads((GRIDS / file).read_text())["check"]:
            if table.get("engines") == ["pdr"]:
                names = table["properties"]
                asked |= {
                    (table["protocol"], name) for name in ([names] if isinstance(names, str) else names)
                }
    assert asked == {(row.protocol, row.goal) for row in proved.rows()}


@pytest.mark.slow
def test_the_frontier() -> None:
    found: Plan = plan(GRIDS / "frontier.toml")
    assert {query.protocol for query in found.queries} == PROTOCOLS
    assert 1000 < len(found.queries) < 10_000
    points = {query.fingerprint for query in found.queries}
    assert len(points) > 400 and len(found.costs.layers) < 100


def test_progress_is_told_point_by_point(grid: Path) -> None:
    told: list[tuple[int, int]] = []
    plan(grid, progress=lambda number, count: told.append((number, count)))
    assert told == [(number, 9) for number in range(9)], "also of points that are dropped"

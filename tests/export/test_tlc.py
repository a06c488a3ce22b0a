"""TLC finds in the module what Leadline finds in the protocol. Only where `tlc` is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import leadline
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.export import module_name, tla_module, tlc_config
from leadline.symbolic.lang.parameters import Setting
from tests.exploring import explore

pytestmark = pytest.mark.skipif(
    shutil.which("tlc") is None, reason="TLC is not installed: there is no command `tlc` on the PATH"
)
_FOUND = re.compile(r"(\d+) distinct states found 0 states left on queue")
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
ONE_OF_EACH: dict[str, Setting] = {
    "transaction_ids": 1,
    "log_partitions": 1,
    "topic_partitions": 1,
    "max_coordinator_changes": 1,
}
SMALL: list[tuple[str, dict[str, Setting]]] = [
    ("kafka-replication", {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}),
    ("kafka-transactions", {"brokers": 2, "clients": 2, **ONE_OF_EACH}),
    ("pulsar-compaction", {}),
    ("spanner-leases", {}),
    ("spanner-transactions", {"tt_max_si": 1}),
    ("two-phase-commit", {"resource_managers": 1}),
]


def tlc(folder: Path, module: str, text: str, configuration: str) -> str:
    """TLC's output."""
    (folder / f"{module}.tla").write_text(text, encoding="utf-8")
    (folder / f"{module}.cfg").write_text(configuration, encoding="utf-8")
    # One worker: only then are its traces the shortest.
    command = ["tlc", "-workers", "1", "-metadir", "states", "-noGenerateSpecTE", module]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(("name", "setting"), SMALL, ids=[name for name, _ in SMALL])
def test_states_and_violations(name: str, setting: dict[str, Setting], tmp_path: Path) -> None:
    model = model_of(find(name), setting)
    exploration = explore(Semantics(model), tuple(model.properties))
    module, text = module_name(model), tla_module(model)
    # InBounds alone, for which TLC goes to the end.
    before, in_bounds, _ = tlc_config(model).partition("  InBounds\n")
    told = tlc(tmp_path, module, text, before + in_bounds)
    found, depth = _FOUND.search(told.replace(",", "")), _DEPTH.search(told)
    assert found is not None and depth is not None, told
    assert (int(found[1]), int(depth[1]) - 1) == (exploration.states, exploration.diameter)
    for one in model.properties.values():
        told = tlc(tmp_path, module, text, tlc_config(model, [one.name]))
        if one.temporal is not None:
            violated = (
                leadline.explore(name, properties=[one.name], parameters=setting)[one.name].verdict
                == "violated"
            )
            assert ("Temporal properties were violated" in told) == violated, told
            assert violated or _FOUND.search(told.replace(",", "")), told
            continue
        steps = exploration.properties[one.name].steps
        states = len(re.findall(r"^State \d+:", told, re.MULTILINE))
        if steps is None:
            assert _FOUND.search(told.replace(",", "")), told
        elif steps == 0:
            assert f"Invariant {one.tla} is violated by the initial state" in told
        else:
            assert f"Invariant {one.tla} is violated." in told
            assert states == steps + 1

"""TLC's findings about published modules that encodings follow: `data/tlc.json`, `benchmarks/liveness.json`.

The modules are not ours to copy. The tests run where the environment variable LEADLINE_TLA_MODULES names a folder
with them: KafkaReplication.tla and its variants (github.com/hachikuji/kafka-specification), TxTest.tla and
DisjointLeases.tla (github.com/s12f/tlads, spanner), kafka_transactions_for_web.tla, compaction.tla, TPC.tla and
TPCBTM.tla. It may also have a checkout of each repository of `models/models.json`, by the repository's name: their
modules have our configurations in `models`, and TLC's figures beside them.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, cast

import pytest

from leadline.benchmarks import repositories
from leadline.benchmarks.cases import LIVENESS
from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find_module, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Limits, Options, Query, Result, Verdict
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import ModelError
from leadline.symbolic.tla.read.config import parse_config
from leadline.symbolic.tla.read.specification import load
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.exploring import explore
from tests.tlc_names import CONSTANTS
from tests.truth import Row, name_of, rows_where

FOLDER = Path(os.environ.get("LEADLINE_TLA_MODULES", "/nowhere"))
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="LEADLINE_TLA_MODULES names no folder with the modules"
)
LARGE = 15_000
"""The states of a row that is tested among the slow ones."""
MODULES = {
    "kafka-transactions": "kafka_transactions_for_web",
    "two-phase-commit": "TPC",
    "pulsar-compaction": "compaction",
    "spanner-transactions": "TxTest",
}
WRAPPER = """---- MODULE MC ----
EXTENDS {module}
nonconflict == {{<<[read |-> {{"k1"}}, write |-> [k1 |-> 1]], [read |-> {{"k2"}}, write |-> [k2 |-> 2]]>>}}
circular == {{<<[read |-> {{"k1"}}, write |-> [k2 |-> 1]], [read |-> {{"k2"}}, write |-> [k3 |-> 2]],
              [read |-> {{"k3"}}, write |-> [k1 |-> 3]]>>}}
{more}
====
"""


def written(folder: Path, module: str, constants: dict[str, Any], config: str, more: str = "") -> Path:
    """A copy of the module, or one that extends it, with its configuration; other constants are model values."""
    path = folder / f"{module}.tla"
    path.write_text((FOLDER / path.name).read_text())
    if more or "TxDefs" in constants:
        path = folder / "MC.tla"
        path.write_text(WRAPPER.format(module=module, more=more))
    given = [f"{name} {'<-' if name == 'TxDefs' else '='} {value}" for name, value in constants.items()]
    config += f"CONSTANTS {' '.join(given)} CHECK_DEADLOCK FALSE\n"
    try:
        load(path, parse_config(config, "MC.cfg"), [FOLDER])
    except ModelError as error:
        missing = re.findall(r"constant (\w+) has no value", str(error))
        config += " ".join(f"CONSTANT {name} = {name}" for name in missing)
    path.with_suffix(".cfg").write_text(config)
    return path


def of_row(row: Row, folder: Path) -> tuple[Path, list[str]]:
    """The row's module with its configuration, and those of its properties that the module defines."""
    text = "".join(path.read_text() for path in FOLDER.glob("*.tla") if path.is_file())
    names = [name for name in row["properties"] if re.search(rf"^{name}\b", text, re.MULTILINE)]
    config = "INIT Init NEXT Next\n" + "".join(f"INVARIANT {name}\n" for name in names)
    return written(folder, row["module"], row["parameters"], config), names


def marked(row: Row, name: str, large: bool) -> Any:
    return pytest.param(row, id=name, marks=[pytest.mark.slow] if large else [])


ROWS = [
    marked(row, name_of(row), not row["complete"] or row["distinct_states"] > LARGE)
    for row in rows_where(lambda _: True)
]


def tlc_steps(row: Row, name: str) -> tuple[int | None, int | None]:
    """The steps to a violation, and to an error of evaluation."""
    found = row["properties"][name]
    steps = found["shortest_violation_steps"]
    return (None, steps) if found["result"] == "evaluation error" else (steps, None)


@pytest.mark.parametrize("row", ROWS)
def test_the_interpreter_has_tlcs_states_and_verdicts(row: Row, tmp_path: Path) -> None:
    path, names = of_row(row, tmp_path)
    specification = load(path, parse_config(path.with_suffix(".cfg").read_text(), "MC.cfg"), [FOLDER])
    depth = None if row["complete"] else len(row["states_within_steps"]) - 1
    found = explore(cast(Semantics, Behaviour(specification)), names, depth)
    assert found.complete == row["complete"] and list(found.states_within_steps) == row["states_within_steps"]
    for name in names:
        one = found.properties[name]
        beyond = len(one.out_of_bounds) - 1 if one.out_of_bounds else None
        assert (one.steps, beyond) == tlc_steps(row, name)


def asked(path: Path, name: str, options: Options) -> Result:
    entry = find_module(path, None, [FOLDER])
    question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(), lambda _: None, lambda _: None)
    return question.verdicts[0]


LOWERED = [one for one in ROWS if one.values[0]["module"] != "TxTest"]  # its serialisations are functions


@pytest.mark.parametrize("row", LOWERED)
def test_the_model_has_tlcs_states_and_verdicts(row: Row, tmp_path: Path) -> None:
    path, names = of_row(row, tmp_path)
    names = [name for name in names if row["properties"][name]["result"] != "evaluation error"]
    for name in names[:1] if row["complete"] else []:
        result = asked(path, name, ExploreOptions(prove=True))
        assert result.depth == row["diameter_steps"] or result.verdict is Verdict.VIOLATED
    for name in names:
        steps, _ = tlc_steps(row, name)
        if steps is not None and steps <= 14:
            found = asked(path, name, BmcOptions(depth=steps))
            assert (found.verdict, found.steps) == (Verdict.VIOLATED, steps)
        elif steps is None and row["distinct_states"] < 1_000:
            assert asked(path, name, PdrOptions()).verdict is Verdict.PROVED


SETS = ("Clients", "Brokers", "TransactionIds", "TxnLogPartitions", "TopicPartitions")
BACK = {parameter: constant for constant, parameter in CONSTANTS.items() if parameter is not None}


def constants_of(row: Row) -> dict[str, Any]:
    """The constants of a row whose parameters have the names of the encodings."""
    found: dict[str, Any] = {}
    for name, value in row["parameters"].items():
        constant = BACK.get(name)
        if constant is None:
            continue
        found[constant] = str(value).upper() if isinstance(value, bool) else value
        if constant in ("RM", "KeySpace", "ValueSpace", *SETS):
            plain = name if constant in SETS else ""
            found[constant] = f"{{{', '.join(f'{plain}{i}' for i in range(1, value + 1))}}}"
    return found


RUNS = [
    marked(row, f"{row['tla']}-{'-'.join(map(str, row['parameters'].values()))}", row["tlc_seconds"] > 12)
    for row in json.loads(LIVENESS.read_text())
]


def with_runs(row: Row, folder: Path) -> Path:
    weak = "WF_vars(Next)"
    more = f"FairSpec == Spec /\\ {weak}" if row["specification"] == "FairSpec" else ""
    config = f"SPECIFICATION {row['specification']}\nPROPERTY {row['tla']}\n"
    constants = constants_of(row)
    if row["protocol"] == "spanner-transactions":
        constants |= {"None": "None"}
    return written(folder, MODULES[row["protocol"]], constants, config, more)


@pytest.mark.parametrize("row", RUNS)
def test_the_interpreter_has_tlcs_verdicts_on_runs(row: Row, tmp_path: Path) -> None:
    path = with_runs(row, tmp_path)
    specification = load(path, parse_config(path.with_suffix(".cfg").read_text(), "MC.cfg"), [FOLDER])
    behaviour = Behaviour(specification)
    (found,) = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False).results
    assert found.verdict is (Verdict.VIOLATED if row["result"] == "violated" else Verdict.SAFE)


LARGE_HERE = 5_000
MODELS = [
    pytest.param(one, id=one.config, marks=[pytest.mark.slow] if one.states > LARGE_HERE else [])
    for one in repositories.models()
]


@pytest.mark.parametrize("one", MODELS)
def test_modules_of_repositories_have_tlcs_states_and_verdicts(one: repositories.Model) -> None:
    module, folder = one.files(FOLDER)
    if not (FOLDER / one.module).is_file():
        pytest.skip(f"no {one.module} in {FOLDER}")
    config = repositories.MODELS / one.config
    specification = load(module, parse_config(config.read_text(), config.name), [folder])
    behaviour = Behaviour(specification)
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    violated = [found for found in answer.results if found.verdict is Verdict.VIOLATED]
    assert {found.verdict for found in answer.results} <= {Verdict.SAFE, Verdict.VIOLATED}
    assert [found.property for found in violated] == ([one.violated] if one.violated else [])
    if one.violated:
        assert violated[0].steps == one.steps
    else:
        assert answer.told(ExploreFacts).states == one.states

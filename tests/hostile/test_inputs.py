"""Five hundred hostile inputs: a mistake of the user's with its place or an answer, and nothing evaluated.

A case that fails is named by its kind and seed; `spoiled(TEXT, SEED)` makes it again.
"""

from __future__ import annotations

import inspect
import random
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from leadline.symbolic.catalog import find, find_module, model_of
from leadline.symbolic.catalog.sources import _loaded
from leadline.symbolic.cli import main
from leadline.symbolic.engines.prove.certificates import read_certificate
from leadline.symbolic.grid.cells import cells, joined
from leadline.symbolic.grid.cost import CostModel
from leadline.symbolic.grid.gridfile import read_constraint
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.rows import SCHEMA as _COLUMNS, read_where
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.trace import Trace, stored_traces
from tests.grid.declared import DECLARED, UNSET
from tests.grid.rows import ROW, row
from tests.hostile.inputs import CONFIG, CONSTRAINTS, GRID, MARK, MODULE, PROTOCOL, WHERE, WORDS, spoiled

CASES = 60
"""The number of cases of each kind; half of them are slow."""
every_case = pytest.mark.parametrize(
    "seed",
    [*range(CASES // 2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(CASES // 2, CASES))],
)

COUNTER = Path(__file__).parent.parent / "cli" / "counter.py"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A trace and a certificate of counter.py, as commands write them."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copy(COUNTER, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert (
            main(
                [
                    "check",
                    "counter.py",
                    "--format",
                    "json",
                    "--out",
                    "trace.json",
                    "--property",
                    "below-three",
                ]
            )
            == 12
        )
        proof = ["prove", "counter.py", "--property", "not-negative", "--engine", "induction"]
        assert main([*proof, "--out", "proof.json"]) == 0
    return {name: (folder / f"{name}.json").read_text() for name in ("trace", "proof")}


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(find(str(COUNTER), tried=True), {})


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def refused(run: Callable[[], object], place: str) -> str:
    """The message of a refusal, which names the place; "" if the input was fine after all."""
    try:
        run()
    except UserError as error:
        text = str(error)
        assert re.search(place, text), text
        assert len(text) < 100_000
        return text
    finally:
        assert not Path(MARK).exists(), "something was evaluated"
    return ""


@every_case
def test_grid_files(seed: int) -> None:
    Path("grid.toml").write_bytes(spoiled(GRID, seed))
    refused(
        lambda: plan(Path("grid.toml"), CostModel()), r"grid\.toml|check\[|^depth|^solver|^timeout|^memory"
    )


@every_case
def test_constraints(seed: int) -> None:
    text = spoiled(CONSTRAINTS[seed % len(CONSTRAINTS)], seed).decode("utf-8", "replace")
    said: list[str] = []
    found = refused(lambda: read_constraint(text, DECLARED, UNSET, said.append), "")
    assert not found
    if said:
        assert all(":" in one for one in said)
    assert not Path(MARK).exists()


@every_case
def test_conditions_on_rows(seed: int) -> None:
    text = spoiled(WHERE[seed % len(WHERE)], seed).decode("utf-8", "replace")
    refused(lambda: [*map(read_where(text, [ROW]), [ROW])], r"condition|\d")


@every_case
def test_traces(seed: int, made: dict[str, str], model: Model) -> None:
    Path("trace.json").write_bytes(spoiled(made["trace"], seed))

    def read() -> list[Trace]:
        return [one.trace(model) for one in stored_traces(Path("trace.json"))]

    refused(read, r"trace\.json")


@every_case
def test_certificates(seed: int, made: dict[str, str], model: Model) -> None:
    Path("proof.json").write_bytes(spoiled(made["proof"], seed))
    refused(lambda: read_certificate(Path("proof.json")).queries(model, "counter.py"), r"proof\.json")


@every_case
def test_rows(seed: int) -> None:
    store = Store(Path("store"))
    store.create()
    store.keep(row(query="good", trace=None))
    store.keep(_spoiled_row(seed))
    found = store.all()
    assert "good" in found.rows
    told = joined(found.rows.values())
    held = cells(told, {})
    assert held
    assert not Path(MARK).exists()


def _spoiled_row(seed: int) -> Any:
    chance = random.Random(seed)
    wrong = replace(ROW, query="bad", trace=None)
    changes: dict[str, Any] = {}
    for one in chance.sample(fields(ROW), 3):
        value = getattr(wrong, one.name)
        if one.name in ("query", "run", "started"):
            continue
        if isinstance(value, float):
            changes[one.name] = chance.choice([float("inf"), float("nan"), -1.0, 1e308])
        elif isinstance(value, int):
            changes[one.name] = chance.choice([-1, -(2**63), 2**63 - 1])
        elif value is None or isinstance(value, str):
            kind = pa.types.is_string(_COLUMNS.field(one.name).type)
            changes[one.name] = chance.choice(WORDS) if kind else -7
    return replace(wrong, **changes)


@every_case
def test_protocols(seed: int) -> None:
    Path("small.py").write_bytes(spoiled(PROTOCOL, seed))

    def load() -> None:
        # Without the process that tries a file first, which takes a third of a second.
        for entry in _loaded(Path("small.py"), tried=False):
            model_of(entry, {})

    try:
        refused(load, r"small\.py|top")
    except AssertionError:
        assert Path(MARK).exists(), "a protocol is a program, which may write a file"


@every_case
def test_modules(seed: int) -> None:
    Path("Jug.tla").write_bytes(spoiled(MODULE, seed))
    Path("Jug.cfg").write_text(CONFIG)
    refused(lambda: model_of(find_module(Path("Jug.tla")), {}), r"Jug\.(tla|cfg)|constant")


@every_case
def test_configurations(seed: int) -> None:
    Path("Jug.tla").write_text(MODULE)
    Path("Jug.cfg").write_bytes(spoiled(CONFIG, seed))
    refused(lambda: model_of(find_module(Path("Jug.tla")), {}), r"Jug\.(tla|cfg)|constant")


KINDS = (
    *(test_grid_files, test_constraints, test_conditions_on_rows, test_traces, test_certificates, test_rows),
    *(test_protocols, test_modules, test_configurations),
)


# A protocol is a program, which may open a file and leave it so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_other_cases(
    kind: Callable[..., None], here: Path, made: dict[str, str], model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four hundred cases that no run has tried before."""
    given = {"made": made, "model": model}
    own = {name: given[name] for name in inspect.signature(kind).parameters if name in given}
    for _ in range(400):
        seed = random.SystemRandom().randrange(CASES, 2**40)
        folder = here / str(seed)
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            kind(seed=seed, **own)
        except BaseException as error:
            error.add_note(f"{kind.__name__}: the seed is {seed}")
            raise


@pytest.mark.parametrize(
    "config", [CONFIG.replace("2", "9" * 5000), CONFIG.replace("2", "{" * 3000), CONFIG.replace("2", '"a"')]
)
def test_configurations_that_were_tracebacks(config: str) -> None:
    Path("Jug.tla").write_text(MODULE)
    Path("Jug.cfg").write_text(config)
    for command in ("show", "check", "explore"):
        assert main([command, "Jug.tla"]) in (10, 150) or command == "show"


def test_a_configuration_with_thousands_of_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("Jug.tla").write_text(MODULE)
    Path("Jug.cfg").write_text(
        CONFIG.replace("INVARIANT TypeOK", "INVARIANT " + " ".join(f"not{i}" for i in range(2000)))
    )
    assert main(["show", "Jug.tla"]) == 150
    told = capsys.readouterr().err
    assert "the model has 2000 mistakes" in told and told.endswith("  ... and 1900 more\n")
    assert len(told.splitlines()) == 102 + 2 * 20, "twenty of them with the line of source"


def test_a_mistake_that_is_made_again_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("A.tla").write_text("---- MODULE A ----\nA == <<x, y, x, x>>\nB == <<y, x, x, x, x>>\n====")
    assert main(["show", "A.tla"]) == 150
    _, first, *_, second, _, _ = capsys.readouterr().err.splitlines()
    assert first.endswith(
        "A.tla:2:8: unknown operator `x`: expected its definition before this place; also at 2:14,"
        " 2:17, 3:11, 3:14, and 2 more"
    )
    assert second.endswith("`y`: expected its definition before this place; also at 3:8")


def test_a_configuration_without_behaviour(capsys: pytest.CaptureFixture[str]) -> None:
    Path("Jug.tla").write_text(MODULE)
    Path("Jug.cfg").write_text("CONSTANTS Size = 2 Names = {a, b}\n")
    assert main(["prove", "Jug.tla", "--property", "TypeOK"]) == 2
    assert "Jug.tla: Jug has no behaviour: `leadline explore` evaluates its ass" in capsys.readouterr().err


def test_a_protocol_without_an_initial_state(capsys: pytest.CaptureFixture[str]) -> None:
    Path("small.py").write_text(PROTOCOL.replace("def init", "def begin"))
    assert main(["check", "small.py"]) == 150
    assert "small.py:10: Small has no init" in capsys.readouterr().err


COMMANDS = {
    "grid.toml": ("grid", "grid.toml", "--plan"),
    "trace.json": ("trace", "trace.json", "--protocol", "counter.py"),
    "proof.json": ("prove", "--recheck", "proof.json", "--protocol", "counter.py"),
    "Jug.tla": ("show", "Jug.tla"),
    "Jug.cfg": ("show", "Jug.tla"),
    "counter.py": ("show", "counter.py"),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", COMMANDS)
def test_commands(name: str, seed: int, made: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    valid = {
        "grid.toml": GRID,
        "trace.json": made["trace"],
        "proof.json": made["proof"],
        "Jug.tla": MODULE,
        "Jug.cfg": CONFIG,
        "counter.py": COUNTER.read_text(),
    }
    for file, text in valid.items():
        Path(file).write_bytes(spoiled(text, seed) if file == name else text.encode())
    code = main(COMMANDS[name])
    told = capsys.readouterr()
    assert code in (0, 2, 10, 12, 150)
    assert "Traceback" not in told.err
    assert code in (0, 12) or told.err
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", told.out + told.err)
    assert not Path(MARK).exists() or name == "counter.py"


SURROUNDINGS = {
    "COLUMNS": ("0", "-1", "x", "9" * 30),
    "LINES": ("0", "x"),
    "TERM": ("", "\x1b[2J", "dumb"),
    "NO_COLOR": ("", "x"),
    "LC_ALL": ("C", "xx_YY", ""),
    "TZ": ("Nowhere/None", ":", "9" * 500),
    "HOME": ("", "/nowhere"),
    "PYTHONHASHSEED": ("0", "random"),
    "PYSPARK_PYTHON": ("/nowhere",),
    "SPARK_HOME": ("/nowhere",),
}


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for value in SURROUNDINGS[name]:
        monkeypatch.setenv(name, value)
        for colour in ("never", "always"):
            assert main(["explore", "transaction-commit", "--depth", "1", "--color", colour]) == 0
        assert "Traceback" not in capsys.readouterr().err

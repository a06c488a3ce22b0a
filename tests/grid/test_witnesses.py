"""Rows that were edited, and counterexamples and certificates that do not stand, are told and asked again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find
from leadline.symbolic.cli import main
from leadline.symbolic.engines import Answer, Verdict
from leadline.symbolic.engines.prove.certificates import recheck
from leadline.symbolic.grid import witnesses
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.trace import Cti, Trace
from tests.grid.rows import local

GRID = """
solver = "cadical"
depth = 4

[[check]]
protocol = "counter.py"
parameters = { top = [2, 4], nodes = 2 }
properties = ["below-three"]
kinds = ["bounded", "induction"]

[[check]]
protocol = "counter.py"
parameters = { top = 2, nodes = 1, overflow = [false, true] }
properties = ["not-negative"]
deadlock = true
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that is filled once for all tests."""
    return tmp_path_factory.mktemp("once") / "kept"


@pytest.fixture
def kept(folder: Path, asked: list[GridQuery], once: Path) -> Store:
    """A store with answers that are safe, violated, deadlocked, out of bounds, proved and not inductive."""
    Path("grid.toml").write_text(GRID)
    if not once.exists():
        assert main(["grid", "grid.toml", "--store", str(once)]) in (0, 20)
        asked.clear()
    shutil.copytree(once, "kept")
    store = Store(Path("kept"))
    told = {(row.verdict, row.property) for row in store.all().rows.values()}
    assert told >= {
        ("violated", "below-three"),
        ("violated", "deadlock"),
        ("out-of-bounds", "not-negative"),
        ("safe", "not-negative"),
        ("proved", "below-three"),
        ("unknown", "below-three"),
    }
    return store


def rows(store: Store, verdict: str, name: str) -> list[Row]:
    found = (row for row in store.all().rows.values() if (row.verdict, row.property) == (verdict, name))
    return sorted(found, key=lambda row: row.query)


def edits(some: Mapping[str, Any], more: Mapping[str, Any]) -> pytest.MarkDecorator:
    """A test of an edit each, by name; more of their kinds are slow."""
    slow = [pytest.param(edit, id=name, marks=pytest.mark.slow) for name, edit in more.items()]
    return pytest.mark.parametrize("edit", [*(pytest.param(x, id=name) for name, x in some.items()), *slow])


def again(*more: str) -> int:
    return main(["grid", "grid.toml", "--store", "kept", *more])


COLUMNS = {
    "safe": {"verdict": "safe"},
    "no verdict": {"verdict": "fine"},
    "shorter": {"steps": 1},
    "another's trace": {"trace": "traces/other.json"},
    "another model": {"fingerprint": "0" * 64},
}
MORE_COLUMNS = {
    "safe, without steps": {"verdict": "safe", "steps": None},
    "proved": {"verdict": "proved", "steps": None, "trace": None},
    "no steps": {"steps": None},
    "no trace": {"trace": None},
    "another property": {"property": "not-negative"},
    "another point": {"parameters": '{"nodes":1,"overflow":false,"top":4}'},
    "another Leadline": {"leadline_version": "0.0.0"},
    "another depth": {"depth_asked": 3},
    "out of bounds": {"verdict": "out-of-bounds"},
}


@edits(COLUMNS, MORE_COLUMNS)
def test_a_row_that_was_edited(
    edit: dict[str, Any], kept: Store, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows(kept, "violated", "below-three")
    kept.keep(replace(row, **edit))
    capsys.readouterr()
    again()
    out, err = capsys.readouterr()
    assert f"the row {row.query} of the run {row.run}" in err and "is not believed: " in err
    assert row.query in {query.id for query in asked}
    assert "violated in 3 steps" in out
    (now,) = rows(kept, "violated", "below-three")
    assert (now.query, now.verdict, now.steps) == (row.query, "violated", 3)
    asked.clear()
    again()
    assert (asked, capsys.readouterr().err) == ([], ""), "the new answer stands"


def test_a_safe_row_that_did_not_look_so_deep(kept: Store, asked: list[GridQuery]) -> None:
    (row,) = rows(kept, "safe", "not-negative")
    kept.keep(replace(row, depth=2))
    again()
    assert [query.id for query in asked] == [row.query]


DOCUMENTS: dict[str, dict[str, Any]] = {
    "of another property": {"property": "not-negative"},
    "of another length": {"length": 2},
    "of no outline": {"states": 3},
}
MORE_DOCUMENTS: dict[str, dict[str, Any]] = {
    "of another protocol": {"protocol": "other"},
    "of other parameters": {"parameters": {"top": 9, "nodes": 2, "overflow": False}},
    "of another model": {"fingerprint": "0" * 64},
    "of another end": {"ends": "out-of-bounds"},
    "to induction": {"induction": {"obligation": "implication", "conjuncts": []}},
    "of many": {"results": []},
}


@edits(DOCUMENTS, MORE_DOCUMENTS)
def test_a_counterexample_that_is_another(
    edit: dict[str, Any], kept: Store, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows(kept, "violated", "below-three")
    path = local(kept.document(str(row.trace)))
    path.write_text(json.dumps({**json.loads(path.read_text()), **edit}))
    again()
    assert "is not believed: its counterexample is " in capsys.readouterr().err
    assert row.query in {query.id for query in asked}
    (now,) = rows(kept, "violated", "below-three")
    assert now.run != row.run


def test_a_counterexample_that_is_gone(kept: Store, asked: list[GridQuery]) -> None:
    lost = [*rows(kept, "violated", "deadlock"), *rows(kept, "out-of-bounds", "not-negative")]
    (refuted,) = rows(kept, "unknown", "below-three")
    assert refuted.not_inductive()
    for row in (*lost, refuted):
        kept.document(str(row.trace)).unlink()
    again()
    assert {query.id for query in asked} == {row.query for row in lost}
    assert kept.all().rows[refuted.query].moot(), "the property is violated, so there is no proof"
    asked.clear()
    again()
    assert asked == []


def test_a_replay_of_what_stands(
    kept: Store, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    traces = len([*Path("kept", "traces").iterdir()])
    capsys.readouterr()
    assert again() == again("--replay")
    assert f"leadline: replayed: {traces} counterexamples, 1 certificate\n" in capsys.readouterr().err
    assert asked == []
    assert main(["grid", "grid.toml", "--replay", "--plan"]) == 2


def test_a_counterexample_that_does_not_replay(
    kept: Store, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its outline is right, so only a replay sees it."""
    (row,) = rows(kept, "violated", "below-three")
    path = local(kept.document(str(row.trace)))
    data = json.loads(path.read_text())
    name = next(name for name, value in data["states"][1].items() if type(value) is int)
    data["states"][1][name] += 1
    path.write_text(json.dumps(data))
    again()
    assert asked == []
    capsys.readouterr()
    assert again("--replay") == 255
    assert "its counterexample does not replay: step 1" in capsys.readouterr().err
    assert row.query in {query.id for query in asked}
    assert json.loads(path.read_text())["states"] != data["states"]
    assert again("--replay") in (0, 20)


def test_an_obligation_that_the_other_solver_refutes(
    kept: Store,
    asked: list[GridQuery],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each answer of a recheck counts: one refuted is asked again, one that did not end is unknown."""

    def answered(cti: Cti | None) -> None:
        def other(*arguments: Any, **more: Any) -> Answer:
            first, *rest = recheck(*arguments, **more).results
            return Answer([replace(first, verdict=Verdict.UNKNOWN, reason="so it is", cti=cti), *rest])

        monkeypatch.setattr(witnesses, "recheck", other)

    answered(None)
    assert again("--replay") == 20
    assert "did not end: so it is" in capsys.readouterr().err
    assert asked == []
    answered(Cti("any", (), Trace({}, None, ())))
    assert again("--replay") == 255
    assert "z3 refutes it" in capsys.readouterr().err
    assert [query.obligation for query in asked] == ["initial states in bounds"]


CERTIFICATES: dict[str, Callable[[dict[str, Any]], object]] = {
    "of another point": lambda made: made["parameters"].update(top=4),
    "by fewer obligations": lambda made: made["obligations"].pop(),
    "of nothing": lambda made: made.clear(),
}
MORE_CERTIFICATES: dict[str, Callable[[dict[str, Any]], object]] = {
    "of another property": lambda made: made.update(property="not-negative"),
    "of another protocol": lambda made: made.update(protocol="other"),
    "of another model": lambda made: made.update(fingerprint="0" * 64),
    "by other conjuncts": lambda made: made["conjuncts"].append({"name": "x", "formula": "TRUE"}),
}


@edits(CERTIFICATES, MORE_CERTIFICATES)
def test_a_certificate_that_is_none_is_written_anew(
    edit: Callable[[dict[str, Any]], object],
    kept: Store,
    asked: list[GridQuery],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (path,) = Path("kept", "certificates").iterdir()
    good = json.loads(path.read_text())
    bad = json.loads(path.read_text())
    edit(bad)
    path.write_text(json.dumps(bad))
    again()
    assert ": it is written anew" in capsys.readouterr().err
    now = json.loads(path.read_text())
    assert ({**now, "source": good["source"]}, asked) == (good, [])
    again()
    assert "anew" not in capsys.readouterr().err


def test_models_of_a_replay_are_those_of_the_grid(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row's word is not enough to load a file."""
    loaded: list[str] = []

    def seen(source: str, **more: Any) -> Any:
        loaded.append(source)
        return find(source, **more)

    monkeypatch.setattr(witnesses, "find", seen)
    (row,) = rows(kept, "violated", "below-three")
    kept.keep(replace(row, source="/elsewhere/evil.py"))
    assert again("--replay") in (0, 20)
    assert {Path(source.rpartition(":")[0] or source).name for source in loaded} == {"counter.py"}


PROOFS = """
[[check]]
protocol = "two-phase-commit"
properties = ["consistency"]
engines = ["bmc", "pdr"]
depth = 3
solver = "cadical"
"""


@pytest.mark.slow
def test_a_proof_of_one_query_has_its_certificate(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """It prunes, it is compared with its row in every run, and --replay has another solver recheck it."""
    Path("proofs.toml").write_text(PROOFS)
    run = ["grid", "proofs.toml", "--store", "proofs"]
    assert main(run) == 0
    store = Store(Path("proofs"))
    (proof,) = [row for row in store.all().rows.values() if row.verdict == "proved"]
    path = local(store.document(f"certificates/{proof.query}.json"))
    good = path.read_text()
    asked.clear()
    assert main([*run, "--replay"]) == 0 and asked == []
    data = json.loads(good)
    path.write_text(json.dumps({**data, "clauses": [], "strengthenings": []}))
    assert main([*run, "--replay"]) == 255
    assert "refutes it" in capsys.readouterr().err
    assert [one.engine for one in asked] == ["pdr"]
    for spoilt in ("{}", json.dumps({**data, "property": "type-ok"})):
        asked.clear()
        path.write_text(spoilt)
        assert main(run) == 0
        assert "its certificate is" in capsys.readouterr().err
        assert [one.engine for one in asked][-1:] == ["pdr"]
    asked.clear()
    assert main(run) == 0 and asked == []

"""Grids about TLA+ modules: the constants are the parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.symbolic.catalog import model_of, packed
from leadline.symbolic.catalog.sources import receive
from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import _answered, answer
from leadline.symbolic.grid.witnesses import Replayed, _not_proved, _recheck
from leadline.symbolic.lang import UserError
from leadline.symbolic.tla import origin
from tests.tla.modules import ALL, CLIMB_CFG

MODULE = """---- MODULE Climb ----
EXTENDS Naturals
CONSTANTS N, Up
VARIABLE x
Init == x = 0
Next == Up /\\ x < N /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Low == x < 3
====
"""
CONFIG = CLIMB_CFG + "CONSTANTS N = 2 Up = TRUE\n"
GRID = """
[[check]]
spec = "Climb.tla"
config = "Other.cfg"
parameters = { N = [2, 4], Up = [true, "1 = 2"] }
depth = 5
"""


@pytest.mark.slow
def test_constants_are_parameters(folder: Path) -> None:
    Path("Climb.tla").write_text(MODULE)
    Path("Other.cfg").write_text(CONFIG)
    Path("grid.toml").write_text(GRID)
    queries = plan(Path("grid.toml")).queries
    points = {(dict(one.settings)["N"], dict(one.settings)["Up"]): one for one in queries}
    assert points.keys() == {("2", "TRUE"), ("4", "TRUE"), ("2", "1 = 2"), ("4", "1 = 2")}
    for (most, up), query in points.items():
        content = packed(query.source)
        assert content is not None
        entry = receive(query.source, content)
        assert model_of(entry, dict(query.settings)).fingerprint == query.fingerprint
        result, trace = _answered(query)
        violated = (most, up) == ("4", "TRUE")
        assert (str(result.verdict), trace is not None) == ("violated" if violated else "safe", violated)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (
            'spec = "Climb.tla"\nprotocol = "two-phase-commit"',
            r"check\[1\].protocol: spec names a TLA\+ module",
        ),
        ('config = "Other.cfg"\nprotocol = "two-phase-commit"', r"check\[1\].*config: .* write spec"),
        ("spec = 3", r"check\[1\].spec: a path as text is needed"),
        ('spec = "None.tla"', r"check\[1\].spec: .*None.tla"),
        ('protocol = "Climb.tla"', r'check\[1\].protocol: .* write spec = "Climb.tla"'),
        ('spec = "Climb.tla"\nparameters = { M = 2 }', r"Climb has no parameter"),
    ],
)
def test_mistakes(text: str, mistake: str, folder: Path) -> None:
    Path("Climb.tla").write_text(MODULE)
    Path("Climb.cfg").write_text(CONFIG)
    Path("grid.toml").write_text(f"[[check]]\n{text}\n")
    with pytest.raises(UserError, match=mistake):
        plan(Path("grid.toml"))


def test_a_cell_that_leaves_the_types_widens_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter hardly runs ahead. The other cells at the point still have the model of the plan."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", -1.0)
    Path("Climb.tla").write_text(ALL["Climb"][0])
    Path("Climb.cfg").write_text(CLIMB_CFG)
    Path("grid.toml").write_text("""[[check]]\nspec = "Climb.tla"\nengines = ["bmc"]\ndepth = [8, 9]\n""")
    queries = sorted(plan(Path("grid.toml")).queries, key=lambda one: one.depth or 0)
    assert {one.fingerprint for one in queries} == {queries[0].fingerprint}
    for query in (*queries, queries[0]):
        result, trace = _answered(query)
        if query.depth == 8:
            assert (result.verdict, trace) == (Verdict.SAFE, None)
        else:
            assert result.verdict is Verdict.VIOLATED and trace is not None
            assert result.steps == 9 and trace["states"][-1]["height"] == 9


def test_a_proof_after_types_have_widened_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its certificate is about another model than the plan, whose types are narrower."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", -1.0)
    Path("Climb.tla").write_text(
        ALL["Climb"][0].replace("9", "3").replace("Low == height <", "Low == height <=")
    )
    Path("Climb.cfg").write_text(CLIMB_CFG)
    Path("grid.toml").write_text("""[[check]]\nspec = "Climb.tla"\nengines = ["pdr"]\n""")
    (query,) = plan(Path("grid.toml")).queries
    found, store, done = answer(query, "run", None), Store(Path("kept")), Replayed()
    ((place, text),) = found.documents.items()
    assert json.loads(text)["fingerprint"] != query.fingerprint
    store.create()
    store.put(place, text)
    assert _not_proved(found.row, store) is None
    _recheck(store.document(place), [found.row], query, done)
    assert (done.refusals, done.unfinished) == ([], [])


FORMLESS = """---- MODULE Climb ----
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1
Low == x < 4
Words == ToString(<<x>>) # "9"
====
"""


def test_what_has_no_symbolic_form_is_answered_by_exploration_alone(folder: Path) -> None:
    Path("Climb.tla").write_text(FORMLESS)
    Path("Climb.cfg").write_text("INIT Init NEXT Next INVARIANTS Low Words CHECK_DEADLOCK FALSE")
    Path("grid.toml").write_text(
        '[[check]]\nspec = "Climb.tla"\nengines = ["explore"]\n[[check]]\nspec = "Climb.tla"\ndepth = 6\n'
    )
    found = {(x.property, x.engine): _answered(x) for x in plan(Path("grid.toml")).queries}
    verdicts = {key: (str(result.verdict), result.steps) for key, (result, _) in found.items()}
    assert verdicts == {
        ("Low", "explore"): ("violated", 4),
        ("Words", "explore"): ("proved", None),
        ("Low", "bmc"): ("unknown", None),
        ("Words", "bmc"): ("unknown", None),
    }
    result, _ = found["Low", "bmc"]
    assert result.reason is not None and "ToString has no symbolic form" in result.reason
    _, trace = found["Low", "explore"]
    assert trace is not None and trace["length"] == 4

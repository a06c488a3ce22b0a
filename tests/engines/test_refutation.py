"""A verdict as one formula: satisfiable where the search finds something, and refuted elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.engines import (
    Limits,
    Query,
    Result,
    Verdict,
    answer_in_child,
)
from leadline.symbolic.engines.bounded.refutation import Refuted, answer_proof, failure, formula_of
from leadline.symbolic.lang import InternalError, Model, UserError
from leadline.symbolic.solve import Satisfiability
from leadline.symbolic.solve.cadical import CadicalSolver
from leadline.symbolic.trace import DEADLOCK
from tests.asking import bounded_query, here, model_for, options_of
from tests.solve.drup import check, read_dimacs, read_proof

FILE = Path(__file__).parent / "protocols.py"
MINUTE = Limits(60)

CASES: list[tuple[str, dict[str, Any]]] = [
    ("Lift", {}),
    ("Lift", {"at_top": "stop"}),
    ("Lift", {"at_top": "stop", "first": 2}),
    ("Lift", {"at_top": "break"}),
    ("Begin", {}),
    ("Begin", {"broken": False}),
    ("Begin", {"fine": False}),
    ("Still", {}),
    ("Dice", {}),
    ("Pigeons", {"holes": 2}),
]


LONG = [("Lift", {}), ("Lift", {"at_top": "stop", "first": 2})]
"""Cases beside which a like one is quick."""


def query(name: str, depth: int, **options: Any) -> Query:
    return bounded_query(f"{FILE}:{name}", depth, solver="cadical", **options)


def answered(asked: Query) -> tuple[Model, dict[str, Result]]:
    model = model_for(asked)
    return model, {result.property: result for result in here(asked, model=model)}


def proved(asked: Query, names: list[str], limits: Limits, file: Path) -> Refuted | str:
    model = model_for(asked)
    return answer_proof(asked, names, file, lambda query: answer_in_child(model, query, limits))


@pytest.mark.parametrize("unroll", ["steps", "sweeps"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        pytest.param(*one, marks=[pytest.mark.slow] if one in LONG else [], id=f"{one[0]}-{one[1]}")
        for one in CASES
    ],
)
def test_the_formula_says_what_the_search_looks_for(name: str, settings: dict[str, Any], unroll: str) -> None:
    seen = set()
    for depth in (0, 1, 2, 5):
        asked = query(name, depth, settings=settings, unroll=unroll, deadlock=True)
        model, results = answered(asked)
        for one, result in results.items():
            formula = failure(model, [one], options_of(asked))
            solver = CadicalSolver()
            solver.new_variables(formula.variables - 1)
            solver.add(formula.clauses)
            fails = solver.check([]) is Satisfiability.SATISFIABLE
            assert fails == (result.verdict is not Verdict.SAFE), (one, depth)
            seen.add(result.verdict)
    # There is something to tell apart, but where nothing happens and what is wrong is so at once.
    assert len(seen) > 1 or name in ("Begin", "Still")


@pytest.mark.parametrize("unroll", ["steps", "sweeps"])
@pytest.mark.parametrize(
    ("name", "depth", "settings"),
    [
        ("Lift", 5, {}),
        ("Lift", 3, {"at_top": "stop"}),
        ("Begin", 2, {"broken": False}),
        ("Dice", 0, {}),
        ("Pigeons", 2, {"holes": 3}),
        pytest.param("Pigeons", 2, {"holes": 4}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_what_is_safe_is_proved(
    name: str, depth: int, settings: dict[str, Any], unroll: str, tmp_path: Path
) -> None:
    asked = query(name, depth, settings=settings, unroll=unroll, deadlock=True)
    _, results = answered(asked)
    safe = [one for one, result in results.items() if result.verdict is Verdict.SAFE]
    file = tmp_path / "safe.drup"
    assert safe
    made = proved(asked, safe, MINUTE, file)
    assert isinstance(made, Refuted) and made.proof_bytes == file.stat().st_size
    formula = read_dimacs(formula_of(file).read_text())
    assert len(formula) == made.clauses and max(map(abs, sum(formula, ()))) <= made.variables
    assert check(formula, read_proof(file.read_text())) >= 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["safe.drup", "safe.drup.cnf"]


def test_the_formula_tells_what_it_is_of(tmp_path: Path) -> None:
    asked = query("Lift", 3, settings={"top": 2})
    proved(asked, ["in-range", DEADLOCK], MINUTE, tmp_path / "p")
    comments = (tmp_path / "p.cnf").read_text().splitlines()[:5]
    assert comments[:4] == [
        "c leadline: lift (top = 2, first = 0, at_top = back)",
        "c within 3 steps one of these fails, or a step goes out of bounds:",
        "c in-range",
        "c deadlock",
    ]
    assert comments[4].startswith("c fingerprint of the model: ")


def test_a_wrong_verdict_is_told(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="never-two of lift: safe within 3 steps by the search, and yet"):
        proved(query("Lift", 3), ["in-range", "never-two"], MINUTE, tmp_path / "p")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_proof_keeps_its_limits(tmp_path: Path) -> None:
    hard = query("Pigeons", 2, settings={"holes": 11})
    (tmp_path / "p").write_text("from before")
    made = proved(hard, ["nobody-flew"], Limits(seconds=1), tmp_path / "p")
    assert made == "time: stopped after 1 s"
    made = proved(hard, ["nobody-flew"], Limits(memory_mb=60), tmp_path / "p")
    assert isinstance(made, str) and "limit of 60 MB" in made
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("p", "from before")]


def test_a_proof_that_cannot_be_written(tmp_path: Path) -> None:
    asked = query("Lift", 3)
    with pytest.raises(UserError, match="the proof cannot be written: No such file or directory"):
        proved(asked, ["in-range"], MINUTE, tmp_path / "nowhere" / "p")
    (tmp_path / "p").mkdir()
    with pytest.raises(UserError, match=r"--proof .*p: Is a directory"):
        proved(asked, ["in-range"], MINUTE, tmp_path / "p")

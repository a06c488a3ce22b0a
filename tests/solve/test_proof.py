"""CaDiCaL's refutations have proofs that a checker accepts which shares nothing with it."""

from __future__ import annotations

import shutil
import subprocess
from io import StringIO
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.solve import TRUE, Formula, cadical, refute
from leadline.symbolic.solve.cadical import CadicalSolver
from tests.solve.drup import Checker, Clause, NoProof, check, read_dimacs, read_proof


def pigeons(holes: int) -> Formula:
    """One pigeon more than there are holes."""
    formula = Formula()
    first = formula.new_variables((holes + 1) * holes)
    at = [[first + pigeon * holes + hole for hole in range(holes)] for pigeon in range(holes + 1)]
    formula.add([tuple(row) for row in at])
    formula.add([(-a[hole], -b[hole]) for hole in range(holes) for a, b in combinations(at, 2)])
    return formula


def refuted(formula: Formula, path: Path) -> str:
    assert refute(formula.clauses, path)
    return path.read_text()


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A proof that six pigeons do not fit into five holes."""
    return refuted(pigeons(5), tmp_path_factory.mktemp("proof") / "pigeons.drup")


def accepted(text: str, formula: Formula | None = None) -> int:
    return check((formula or pigeons(5)).clauses, read_proof(text))


def test_a_proof_is_accepted(text: str) -> None:
    assert accepted(text) > 50
    assert any(line.startswith("d ") for line in text.splitlines()), "deletions are checked too"


def test_a_proof_of_another_formula_is_refused(text: str) -> None:
    satisfiable = pigeons(5)
    del satisfiable.clauses[1]
    with pytest.raises(NoProof, match="does not follow"):
        accepted(text, satisfiable)


def test_a_proof_without_its_end_is_refused(text: str) -> None:
    lines = text.splitlines()
    end = lines.index("0")
    with pytest.raises(NoProof, match="the empty clause is missing"):
        accepted("\n".join(lines[:end]))
    with pytest.raises(NoProof, match=r"clause \d+ does not follow: \(\)"):
        accepted("\n".join([*lines[: end // 2], "0"]))


def test_a_proof_with_a_line_that_says_more_is_refused(text: str) -> None:
    first, rest = text.split("\n", 1)
    literals = first.split()[:-1]
    for place, literal in enumerate(literals):
        fewer = " ".join(literals[:place] + literals[place + 1 :])
        with pytest.raises(NoProof, match="clause 1 does not follow"):
            accepted(f"{fewer} 0\n{rest}")
        turned = " ".join([*literals[:place], str(-int(literal)), *literals[place + 1 :]])
        with pytest.raises(NoProof, match="clause 1 does not follow"):
            accepted(f"{turned} 0\n{rest}")


LITERALS = st.integers(1, 5).flatmap(lambda variable: st.sampled_from([variable, -variable]))
CLAUSES = st.lists(LITERALS, min_size=1, max_size=4).map(lambda literals: tuple(dict.fromkeys(literals)))


@given(st.lists(CLAUSES, max_size=12), st.lists(st.tuples(st.booleans(), CLAUSES), max_size=8))
def test_the_checker_is_one_that_goes_over_everything_again(
    formula: list[Clause], lines: list[tuple[bool, Clause]]
) -> None:
    checker, known = Checker(formula), list(formula)
    for deletes, clause in lines:
        if deletes:
            if _unit(known, clause) is None and clause in known:
                known.remove(clause)
                checker.delete(clause)
            continue
        follows = _conflict(known, [-literal for literal in clause])
        assert checker.follows(clause) == follows
        if follows:
            checker.add(clause)
            known.append(clause)


def _forced(clauses: list[Clause], true: set[int]) -> bool:
    """Unit propagation, without any cleverness; whether it ends in a conflict."""
    while True:
        left = [[x for x in clause if -x not in true] for clause in clauses if not true & set(clause)]
        if [] in left:
            return True
        units = {x for literals in left if len(literals) == 1 for x in literals}
        if not units:
            return False
        true |= units
        if any(-x in true for x in units):
            return True


def _conflict(clauses: list[Clause], assumed: list[int]) -> bool:
    true = set(assumed)
    return any(-x in true for x in true) or _forced(clauses, true)


def _unit(clauses: list[Clause], clause: Clause) -> int | None:
    """The literal that a clause forces for good, if it does."""
    true: set[int] = set()
    if _forced(clauses, true):
        return clause[0]
    left = [x for x in clause if -x not in true]
    return left[0] if len(left) == 1 else None


def test_a_clause_of_no_consequence_is_refused(text: str) -> None:
    with pytest.raises(NoProof, match=r"clause 1 does not follow: \(7,\)"):
        accepted(f"7 0\n{text}")


def test_what_was_deleted_is_no_premise() -> None:
    formula: list[Clause] = [(1, 2), (1, -2), (-1, 3), (-1, -3)]
    assert check(formula, read_proof("1 0\n0")) == 2
    with pytest.raises(NoProof, match=r"clause 1 does not follow: \(1,\)"):
        check(formula, read_proof("d 2 1 0\n1 0\n0"))
    assert check(formula, read_proof("1 0\nd 1 2 0\n0")) == 2


@pytest.mark.parametrize(
    "clauses",
    [[(2,), (-2,)], [(2, 3), (-2,), (-3,)], [(2, 3), (2, -3), (-2, 3), (-2, -3)], [(2, 2), (-2, -2)]],
    ids=str,
)
def test_small_refutations(clauses: list[Clause], tmp_path: Path) -> None:
    formula = Formula()
    formula.new_variables(2)
    formula.add(clauses)
    assert accepted(refuted(formula, tmp_path / "small.drup"), formula) >= 1


def test_a_formula_that_can_be_satisfied_is_not_refuted(tmp_path: Path) -> None:
    formula = Formula()
    formula.add([(formula.new_variables(1), -TRUE)])
    assert not refute(formula.clauses, tmp_path / "none.drup")


def test_a_proof_that_was_cut_off_is_not_passed_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cadical._is_complete

    def cut(path: Path) -> bool:
        path.write_bytes(path.read_bytes()[:-60])
        return whole(path)

    monkeypatch.setattr(cadical, "_is_complete", cut)
    with pytest.raises(OSError, match="cut off"):
        refute(pigeons(5).clauses, tmp_path / "full.drup")


@pytest.mark.skipif(shutil.which("drat-trim") is None, reason="drat-trim is not installed")
def test_drat_trim_accepts_it_too(tmp_path: Path) -> None:
    formula = pigeons(6)
    refuted(formula, tmp_path / "p.drup")
    with (tmp_path / "p.cnf").open("w") as file:
        formula.write(file)
    ran = subprocess.run(["drat-trim", "p.cnf", "p.drup"], cwd=tmp_path, capture_output=True, text=True)
    assert "s VERIFIED" in ran.stdout


def test_a_formula_is_written_as_it_is() -> None:
    formula = Formula()
    a = formula.new_variables(2)
    formula.add([(a, a + 1), (-a,)])
    written = StringIO()
    formula.write(written, ["about", "it"])
    assert written.getvalue() == "c about\nc it\np cnf 3 3\n1 0\n2 3 0\n-2 0\n"
    assert read_dimacs(written.getvalue()) == formula.clauses


def test_what_is_under_a_guard_holds_only_with_it() -> None:
    """Gates that are made under a guard are shared, so they hold everywhere."""
    formula = Formula()
    guard, a, b = (formula.new_variables(1) for _ in range(3))
    with formula.under(guard):
        both = formula.conj([a, b])
        formula.add([(both,)])
        odd, chosen = formula.xor(a, b), formula.mux(a, b, both)
    solver = CadicalSolver()
    solver.new_variables(formula.variables - 1)
    solver.add(formula.clauses)
    for on, x, y in product([False, True], repeat=3):
        assumed = [z if value else -z for z, value in ((guard, on), (a, x), (b, y))]
        assert (solver.check(assumed).value == "sat") == (not on or (x and y))
        if not on or (x and y):
            assert [solver.true(z) for z in (both, odd, chosen)] == [x and y, x != y, y if x else x and y]

"""Every solver keeps the promises of the interface."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import combinations, product

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.solve import SOLVERS, TRUE, Satisfiability, Solver, cadical
from leadline.symbolic.solve.z3_solver import Z3Solver

SATISFIABLE, UNSATISFIABLE = Satisfiability.SATISFIABLE, Satisfiability.UNSATISFIABLE
Clause = tuple[int, ...]


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    """A fresh solver of each kind."""
    return SOLVERS[request.param]()


def pigeons(solver: Solver, holes: int) -> None:
    """One pigeon more than there are holes."""
    first = solver.new_variables((holes + 1) * holes)
    at = [[first + pigeon * holes + hole for hole in range(holes)] for pigeon in range(holes + 1)]
    solver.add([tuple(row) for row in at])
    solver.add([(-a[hole], -b[hole]) for hole in range(holes) for a, b in combinations(at, 2)])


def test_a_solver_is_known_by_its_name() -> None:
    assert {name: SOLVERS[name]().name for name in SOLVERS} == {"z3": "z3", "cadical": "cadical"}


def test_without_clauses_everything_is_possible(solver: Solver) -> None:
    assert solver.check([]) is SATISFIABLE


def test_variable_one_is_the_constant_true(solver: Solver) -> None:
    assert solver.check([1]) is SATISFIABLE
    assert solver.true(1) and not solver.true(-1)
    assert solver.check([-1]) is UNSATISFIABLE


def test_variables_are_numbered_in_a_row(solver: Solver) -> None:
    assert solver.new_variables(3) == 2
    assert solver.new_variables(0) == 5
    assert solver.new_variables(1) == 5
    assert solver.new_variables(1) == 6


def test_the_model_satisfies_clauses_and_assumptions(solver: Solver) -> None:
    a, b, c = (solver.new_variables(1) for _ in range(3))
    solver.add([(a, b), (-a, c), (-b, c)])
    assert solver.check([-a]) is SATISFIABLE
    assert (solver.true(a), solver.true(b), solver.true(c)) == (False, True, True)
    assert (solver.true(-a), solver.true(-b), solver.true(-c)) == (True, False, False)


def test_assumptions_count_for_one_check_only(solver: Solver) -> None:
    a, b = solver.new_variables(1), solver.new_variables(1)
    solver.add([(a, b)])
    assert solver.check([-a, -b]) is UNSATISFIABLE
    assert solver.check([-a]) is SATISFIABLE and solver.true(b)
    assert solver.check([-b]) is SATISFIABLE and solver.true(a)
    assert solver.check([a, b]) is SATISFIABLE and solver.true(a) and solver.true(b)


def test_contradicting_and_repeated_assumptions(solver: Solver) -> None:
    a = solver.new_variables(1)
    solver.add([(a, -a)])
    assert solver.check([a, -a]) is UNSATISFIABLE
    assert solver.check([a, a]) is SATISFIABLE and solver.true(a)


def test_clauses_accumulate_between_checks(solver: Solver) -> None:
    first = solver.new_variables(3)
    solver.add([(first, first + 1, first + 2)])
    found = set()
    while solver.check([]) is SATISFIABLE:
        row = tuple(x if solver.true(x) else -x for x in range(first, first + 3))
        assert row not in found
        found.add(row)
        solver.add([tuple(-x for x in row)])
    assert len(found) == 7


def test_variables_may_come_after_a_check(solver: Solver) -> None:
    a = solver.new_variables(1)
    solver.add([(a,)])
    assert solver.check([]) is SATISFIABLE
    b = solver.new_variables(1)
    solver.add([(-a, b)])
    assert solver.check([-b]) is UNSATISFIABLE
    assert solver.check([]) is SATISFIABLE and solver.true(b)


def test_variables_without_clauses_have_a_value(solver: Solver) -> None:
    a, b = solver.new_variables(1), solver.new_variables(1)
    assert solver.check([]) is SATISFIABLE
    assert solver.true(a) != solver.true(-a) and solver.true(b) != solver.true(-b)
    assert solver.check([-a, b]) is SATISFIABLE
    assert solver.true(-a) and solver.true(b)


def test_unsatisfiable_at_the_top_stays_so(solver: Solver) -> None:
    a = solver.new_variables(1)
    solver.add([(a,), (-a,)])
    assert solver.check([]) is UNSATISFIABLE
    assert solver.check([a]) is UNSATISFIABLE
    b = solver.new_variables(1)
    solver.add([(a, b), (b,)])
    assert solver.check([b]) is UNSATISFIABLE


def test_clauses_with_constants_and_repetitions(solver: Solver) -> None:
    a, b = solver.new_variables(1), solver.new_variables(1)
    solver.add([(1, -a), (-1, a, a), (b, -b, a)])
    assert solver.check([]) is SATISFIABLE and solver.true(a)
    assert solver.check([-a]) is UNSATISFIABLE
    solver.add([(-1, -a)])
    assert solver.check([]) is UNSATISFIABLE


def test_no_clauses_at_all_may_be_added(solver: Solver) -> None:
    solver.add([])
    assert solver.check([]) is SATISFIABLE


def test_pigeons(solver: Solver) -> None:
    pigeons(solver, 5)
    assert solver.check([]) is UNSATISFIABLE


def test_a_solver_counts_what_was_given(solver: Solver) -> None:
    variables, clauses = solver.variables, solver.clauses
    first = solver.new_variables(4)
    solver.add([(first, first + 1), (-first,)])
    assert (solver.variables, solver.clauses) == (variables + 4, clauses + 2)


def test_gates_count_as_the_clauses_that_define_them(solver: Solver) -> None:
    a, b, c = (solver.new_variables(1) for _ in range(3))
    variables, clauses = solver.variables, solver.clauses
    for gate, defining in ((solver.conj([a, -b, c]), 4), (solver.xor(a, b), 4), (solver.mux(a, b, c), 6)):
        assert gate > c
        variables, clauses = variables + 1, clauses + defining
    assert (solver.variables, solver.clauses) == (variables, clauses)


@pytest.mark.parametrize("signs", [*product((1, -1), repeat=3)])
def test_gates_mean_what_they_say_whatever_the_signs(solver: Solver, signs: tuple[int, ...]) -> None:
    """Also under another gate, by another name, and where nothing but the gate is asked for."""
    inputs = [solver.new_variables(1) for _ in range(3)]
    a, b, c = (x * sign for x, sign in zip(inputs, signs, strict=True))
    both, all_three = solver.conj([a, b]), solver.conj([a, b, c])
    odd, chosen = solver.xor(b, c), solver.mux(a, b, c)
    top = solver.conj([-both, solver.xor(odd, -chosen)])
    (named,) = solver.named([top])
    assert solver.named([-top, TRUE, -TRUE, inputs[0]]) == (-named, TRUE, -TRUE, inputs[0])
    for row in _rows(3):
        x, y, z = (value == (sign > 0) for value, sign in zip(row, signs, strict=True))
        expected = {both: x and y, all_three: x and y and z, odd: y != z, chosen: y if x else z}
        expected[top] = expected[named] = not expected[both] and expected[odd] == expected[chosen]
        here = [variable if value else -variable for variable, value in zip(inputs, row, strict=True)]
        assert solver.check(here) is SATISFIABLE
        assert {gate: solver.true(gate) for gate in expected} == expected
        for gate, value in expected.items():
            assert solver.check([*here, gate if value else -gate]) is SATISFIABLE
            assert solver.check([*here, -gate if value else gate]) is UNSATISFIABLE


def test_two_solvers_know_nothing_of_each_other(solver: Solver) -> None:
    other = SOLVERS[solver.name]()
    a, b = solver.new_variables(1), other.new_variables(1)
    solver.add([(a,)])
    other.add([(-b,)])
    assert solver.check([]) is SATISFIABLE and other.check([]) is SATISFIABLE
    assert solver.true(a) and not other.true(b)


def _rows(width: int) -> Iterator[tuple[bool, ...]]:
    return product((False, True), repeat=width)


def _holds(clause: Clause, row: tuple[bool, ...]) -> bool:
    return any(row[abs(x) - 1] == (x > 0) for x in clause)


_literals = st.sampled_from([x for n in range(1, 6) for x in (n, -n)])
_clauses = st.lists(st.lists(_literals, min_size=1, max_size=3).map(tuple), max_size=6)


@pytest.mark.parametrize("name", SOLVERS)
@given(batches=st.lists(st.tuples(_clauses, st.lists(_literals, max_size=3)), max_size=4))
def test_random_clauses_as_by_truth_tables(name: str, batches: list[tuple[list[Clause], list[int]]]) -> None:
    """Variable 1 is the constant; batches of clauses with checks between them."""
    solver = SOLVERS[name]()
    solver.new_variables(4)
    rows = [row for row in _rows(5) if row[0]]
    for clauses, assumptions in batches:
        solver.add(clauses)
        rows = [row for row in rows if all(_holds(clause, row) for clause in clauses)]
        wanted = [row for row in rows if all(_holds((x,), row) for x in assumptions)]
        answer = solver.check(assumptions)
        assert answer is (SATISFIABLE if wanted else UNSATISFIABLE)
        if wanted:
            assert tuple(solver.true(x) for x in range(1, 6)) in wanted


def test_ctrl_c_ends_z3_as_it_ends_python() -> None:
    """Z3 takes the signal for itself while it is busy, so Python does not see it. A signal that comes before
    Z3 is busy ends Python."""
    solver = Z3Solver()
    pigeons(solver, 11)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.check([])
    timer.join()


def test_cadical_lets_python_act_on_a_signal_within_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handler of a signal runs before the search ends, as when the time is over."""

    def over(number: int, frame: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(cadical, "_CONFLICTS_AT_ONCE", 1_000)
    solver = cadical.CadicalSolver()
    pigeons(solver, 8)
    before = signal.signal(signal.SIGVTALRM, over)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
        with pytest.raises(TimeoutError):
            solver.check([])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert solver._solver.accum_stats()["conflicts"] < 20_000, "all of them are over 40,000"
    assert solver.check([]) is UNSATISFIABLE, "the search goes on"


def test_z3_takes_a_seed() -> None:
    for seed in (0, 7):
        solver = Z3Solver(seed)
        pigeons(solver, 4)
        assert solver.check([]) is UNSATISFIABLE


def test_cadical_has_no_seed_and_always_answers() -> None:
    assert SOLVERS["cadical"]().reason() == "CaDiCaL always answers"
    with pytest.raises(ValueError, match="CaDiCaL takes no seed"):
        SOLVERS["cadical"](7)


def test_the_table_is_read_without_loading_a_solver() -> None:
    """Commands without a solver read it, and must not wait for a library."""
    script = """
import sys
from leadline.symbolic.cli import ask, prove
from leadline.symbolic.solve import SOLVERS
SOLVERS["z3"].version
print([name for name in ("z3", "pysat", "pysolvers") if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("name", SOLVERS)
def test_the_facts_of_the_table_are_true(name: str) -> None:
    kind, made = SOLVERS[name], SOLVERS[name]()
    assert (made.name, kind.name) == (name, name)
    assert kind.rechecked_by in SOLVERS and kind.rechecked_by != name
    assert kind.writes_proofs == hasattr(kind.load(), "refute")
    if kind.takes_seed:
        kind(7)
    else:
        with pytest.raises(ValueError, match="takes no seed"):
            kind(7)

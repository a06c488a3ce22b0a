"""A copy of gates is what the same gates with other operands would be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import z3
from hypothesis import given, strategies as st

from leadline.symbolic.solve import SOLVERS, Satisfiability, z3_solver
from leadline.symbolic.solve.cadical import CadicalSolver
from leadline.symbolic.solve.z3_solver import Z3Solver

INPUTS, OWN = 4, 2
"""The number of inputs from outside, and of inputs among the gates that are copied."""

Gate = tuple[str, list[int], list[bool]]
GATES = st.lists(
    st.tuples(
        st.sampled_from(["conj", "xor", "mux"]),
        st.lists(st.integers(0, 30), min_size=4, max_size=4, unique=True),
        st.lists(st.booleans(), min_size=4, max_size=4),
    ),
    min_size=2,
    max_size=12,
)


def made(solver: Z3Solver, gates: Sequence[Gate], outside: Sequence[int], own: Sequence[int]) -> list[int]:
    """Gates that each combine what is there before them."""
    there = [*outside, *own]
    for kind, places, signs in gates:
        different = dict.fromkeys(place % len(there) for place in places)
        literals = [there[x] if sign else -there[x] for x, sign in zip(different, signs, strict=False)]
        if kind == "mux" and len(literals) > 2:
            there.append(solver.mux(*literals[:3]))
        elif kind == "xor" and len(literals) > 1:
            there.append(solver.xor(*literals[:2]))
        else:
            there.append(solver.conj(literals))
    return there[len(outside) :]


OTHERS = st.lists(st.tuples(st.integers(0, INPUTS - 1), st.booleans()), min_size=INPUTS, max_size=INPUTS)


@given(GATES, GATES, OTHERS)
def test_a_copy_is_the_same_with_other_operands(
    below: list[Gate], gates: list[Gate], others: list[tuple[int, bool]]
) -> None:
    """The operands are inputs and gates; the others may be equal, or one the negation of another."""
    solver = Z3Solver()
    first = solver.new_variables(INPUTS)
    inputs = range(first, first + INPUTS)
    outside = [*inputs, *made(solver, below, inputs, [])]
    begin = solver.new_variables(OWN)
    block = made(solver, gates, outside, range(begin, begin + OWN))
    copier = solver.copier(block, outside)
    assert copier is not None and copier.outside <= set(outside)
    other = solver.new_variables(INPUTS)
    literals = [other + place if sign else -other - place for place, sign in others]
    literals += made(solver, below, literals, [])
    before = solver.statistics()
    there = copier.copy(dict(zip(outside, literals, strict=True)))
    copied = range(there, there + len(block))
    after = solver.statistics()
    again = made(solver, gates, literals, copied[:OWN])
    assert after["variables"] - before["variables"] == len(block)
    assert after["clauses"] - before["clauses"] == solver.statistics()["clauses"] - after["clauses"]
    for one, same in zip(copied, again, strict=True):
        assert solver.check([one, -same]) is solver.check([-one, same]) is Satisfiability.UNSATISFIABLE
    check_values(solver, [*block, *copied], [*made(solver, gates, outside, block[:OWN]), *again])


@given(GATES, GATES, OTHERS)
def test_a_copy_goes_down_to_what_is_known(
    below: list[Gate], gates: list[Gate], others: list[tuple[int, bool]]
) -> None:
    """Gates in between are copied too, and may be copies themselves."""
    solver = Z3Solver()
    first = solver.new_variables(INPUTS)
    inputs = range(first, first + INPUTS)
    between = solver.copier(made(solver, below, inputs, []), inputs)
    assert between is not None
    other = solver.new_variables(INPUTS)
    literals = [other + place if sign else -other - place for place, sign in others]
    there = between.copy(dict(zip(inputs, literals, strict=True)))
    block = made(solver, gates, [*literals, *range(there, there + len(below))], [])
    copier = solver.copier(block, range(other, other + INPUTS))
    assert copier is not None and copier.outside <= set(range(other, other + INPUTS))
    assert set(block) <= set(copier.variables)
    last = solver.new_variables(INPUTS)
    begin = copier.copy({other + place: last + place for place in range(INPUTS)})
    copied = [begin + list(copier.variables).index(x) for x in block]
    third = [last + place if sign else -last - place for place, sign in others]
    again = made(solver, gates, [*third, *made(solver, below, third, [])], [])
    for one, same in zip(copied, again, strict=True):
        assert solver.check([one, -same]) is solver.check([-one, same]) is Satisfiability.UNSATISFIABLE
    check_values(solver, copied, again)
    assert solver.copier(block, range(first, first + INPUTS)) is None or not copier.outside


def check_values(solver: Z3Solver, some: Sequence[int], same: Sequence[int]) -> None:
    """The model gives gates the values that follow from their operands, whichever way they were made."""
    assert solver.check([]) is Satisfiability.SATISFIABLE
    for one, other in zip(some, same, strict=True):
        assert solver.true(one) == solver.true(other) != solver.true(-one)


def test_copies_can_be_asserted_named_and_built_on() -> None:
    solver = Z3Solver()
    a, b = solver.new_variables(1), solver.new_variables(1)
    both, either = solver.conj([a, b]), -solver.conj([-a, -b])
    copier = solver.copier([both, -either], [a, b])
    assert copier is not None
    c, d = solver.new_variables(1), solver.new_variables(1)
    first = copier.copy({a: c, b: -d})
    (name,) = solver.named([-first])
    assert name not in (first, -first)
    differ = solver.xor(first, -(first + 1))
    solver.add([(differ,), (c,), (name, first + 1)])
    assert solver.check([]) is Satisfiability.SATISFIABLE
    assert (solver.true(c), solver.true(d), solver.true(first)) == (True, True, False)
    assert solver.check([-d]) is Satisfiability.UNSATISFIABLE


@pytest.mark.parametrize("count", [0, 1])
def test_one_gate_is_not_worth_a_copier(count: int) -> None:
    solver = Z3Solver()
    a, b = solver.new_variables(1), solver.new_variables(1)
    assert solver.copier([solver.xor(a, b) for _ in range(count)], [a, b]) is None


def test_other_solvers_make_no_copies() -> None:
    solver = CadicalSolver()
    a, b = solver.new_variables(1), solver.new_variables(1)
    assert solver.copier([solver.conj([a, b]), solver.xor(a, b)], [a, b]) is None
    assert {name for name, kind in SOLVERS.items() if not kind().copies} == {"cadical"}


def test_memory_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731  # as the C function answers
    solver = Z3Solver()
    a, b = solver.new_variables(1), solver.new_variables(1)
    copier = solver.copier([solver.conj([a, b]), solver.xor(a, b)], [a, b])
    assert copier is not None
    monkeypatch.setattr(z3_solver, "substitute", nothing)
    with pytest.raises(z3.Z3Exception):
        copier.copy({a: b, b: a})

"""Gates fold without changing what they mean, and clauses mean what the gates do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.encode import circuit as circuits
from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.template import Instance, Unrolled, template
from leadline.symbolic.solve import SOLVERS, Satisfiability
from leadline.symbolic.solve.cadical import CadicalSolver
from tests.encode import truth
from tests.encode.truth import all_rows, simulate

INPUTS = 4
ROWS = 1 << INPUTS
EVERYWHERE = (1 << ROWS) - 1


class Twin:
    """A circuit built beside the truth table of each of its literals, which no gate of it takes part in."""

    def __init__(self) -> None:
        self.circuit = Circuit()
        self.inputs = [self.circuit.input() for _ in range(INPUTS)]
        columns, _ = all_rows(self.inputs)
        self.table = {TRUE: EVERYWHERE, FALSE: 0}
        for x, column in columns.items():
            self.table |= {x: column, -x: EVERYWHERE ^ column}
        self.literals = list(self.table)

    def record(self, literal: int, column: int) -> None:
        """A literal that an operation gave, and the column that it should have."""
        column &= EVERYWHERE
        assert self.table.setdefault(literal, column) == column
        assert self.table.setdefault(-literal, EVERYWHERE ^ column) == EVERYWHERE ^ column
        self.literals += [literal, -literal]


def _conj(twin: Twin, picks: list[int]) -> None:
    chosen = [twin.literals[x % len(twin.literals)] for x in picks]
    column = EVERYWHERE
    for x in chosen:
        column &= twin.table[x]
    twin.record(twin.circuit.conj(chosen), column)


def _disj(twin: Twin, picks: list[int]) -> None:
    chosen = [twin.literals[x % len(twin.literals)] for x in picks]
    column = 0
    for x in chosen:
        column |= twin.table[x]
    twin.record(twin.circuit.disj(chosen), column)


def _one(twin: Twin, picks: list[int]) -> None:
    chosen = [twin.literals[x % len(twin.literals)] for x in picks]
    counts = [sum(twin.table[x] >> row & 1 for x in chosen) for row in range(ROWS)]
    column = sum(1 << row for row, count in enumerate(counts) if count == 1)
    twin.record(twin.circuit.exactly_one(chosen), column)


def _three(twin: Twin, picks: list[int]) -> tuple[int, int, int]:
    a, b, c, *_ = (twin.literals[x % len(twin.literals)] for x in (picks * 3)[:3])
    return a, b, c


def _xor(twin: Twin, picks: list[int]) -> None:
    a, b, _ = _three(twin, picks)
    twin.record(twin.circuit.xor(a, b), twin.table[a] ^ twin.table[b])


def _same(twin: Twin, picks: list[int]) -> None:
    a, b, _ = _three(twin, picks)
    twin.record(twin.circuit.same(a, b), ~(twin.table[a] ^ twin.table[b]))


def _implies(twin: Twin, picks: list[int]) -> None:
    a, b, _ = _three(twin, picks)
    twin.record(twin.circuit.implies(a, b), ~twin.table[a] | twin.table[b])


def _mux(twin: Twin, picks: list[int]) -> None:
    a, b, c = _three(twin, picks)
    twin.record(twin.circuit.mux(a, b, c), twin.table[a] & twin.table[b] | ~twin.table[a] & twin.table[c])


def _update(twin: Twin, picks: list[int]) -> None:
    """A value that the update does not touch stays: `orelse` is `old` wherever the condition holds."""
    condition, new, old = _three(twin, picks)
    other = twin.literals[picks[-1] % len(twin.literals)]
    orelse = twin.circuit.mux(condition, old, other)
    column = twin.table[condition] & twin.table[old] | ~twin.table[condition] & twin.table[other]
    twin.record(orelse, column)
    column = twin.table[condition] & twin.table[new] | ~twin.table[condition] & column
    twin.record(twin.circuit.update(condition, new, old, orelse), column)


OPERATIONS: tuple[Callable[[Twin, list[int]], None], ...] = (
    _conj, _disj, _one, _xor, _same, _implies, _mux, _mux, _update, _update,
)  # fmt: skip


@st.composite
def twins(draw: st.DrawFn, most: int = 25) -> Twin:
    """A random circuit; small numbers pick inputs and constants, so that much folds."""
    twin = Twin()
    picks = st.lists(st.integers(0, 60), min_size=1, max_size=4)
    for operation, chosen in draw(st.lists(st.tuples(st.sampled_from(OPERATIONS), picks), max_size=most)):
        operation(twin, chosen)
    return twin


@given(twins())
def test_every_operation_means_what_it_says(twin: Twin) -> None:
    columns, rows = all_rows(twin.inputs)
    look = simulate(twin.circuit, columns, rows)
    assert all(look(literal) == column for literal, column in twin.table.items())


@given(twins())
def test_gates_stand_after_their_operands_and_none_is_made_twice(twin: Twin) -> None:
    gates = twin.circuit.gates
    assert len(set(gates.values())) == len(gates)
    for variable, gate in gates.items():
        below = getattr(gate, "operands", None) or tuple(gate)
        assert all(TRUE < abs(x) < variable for x in below), "constants fold"


def test_constants_and_equal_operands_fold() -> None:
    circuit = Circuit()
    a, b = circuit.input(), circuit.input()
    assert circuit.conj(()) == TRUE and circuit.disj(()) == FALSE
    assert circuit.conj((a, TRUE, a)) == a and circuit.conj((a, b, -a)) == FALSE
    assert circuit.xor(a, a) == FALSE and circuit.xor(-a, a) == TRUE and circuit.xor(a, TRUE) == -a
    assert circuit.mux(a, b, b) == b and circuit.mux(a, TRUE, FALSE) == a and circuit.mux(FALSE, a, b) == b
    assert circuit.gates == {}
    assert circuit.xor(-a, b) == -circuit.xor(b, a) and circuit.mux(-a, b, TRUE) == circuit.mux(a, TRUE, b)


@pytest.mark.parametrize("name", SOLVERS)
@given(twin=twins(most=12), constraints=st.lists(st.integers(0, 60), max_size=2))
def test_a_solver_gives_every_literal_the_value_of_its_truth_table(
    name: str, twin: Twin, constraints: list[int]
) -> None:
    asserted = [twin.literals[x % len(twin.literals)] for x in constraints]
    roots = sorted(set(twin.literals))
    solver = SOLVERS[name]()
    instance = Instance(template(twin.circuit, (), roots, asserted), (), Unrolled(solver))
    literals = [instance(root) for root in roots]
    expected = EVERYWHERE
    for x in asserted:
        expected &= twin.table[x]
    for row in range(ROWS):
        here = [x if row >> place & 1 else -x for place, x in enumerate(map(instance, twin.inputs))]
        possible = solver.check(here) is Satisfiability.SATISFIABLE
        assert possible == bool(expected >> row & 1)
        if possible:
            values = [solver.true(literal) for literal in literals]
            assert values == [bool(twin.table[root] >> row & 1) for root in roots]


@given(twins(most=12), st.integers(0, 60), st.integers(0, ROWS - 1))
def test_an_instance_is_the_template_with_other_inputs(twin: Twin, pick: int, row: int) -> None:
    """One input is a constant, and two are each other's negation: the instance folds, and means the same."""
    root = twin.literals[pick % len(twin.literals)]
    made = template(twin.circuit, twin.inputs, [root], ())
    solver = CadicalSolver()
    a, b = solver.new_variables(1), solver.new_variables(1)
    unrolled = Unrolled(solver)
    first, second = (Instance(made, [TRUE, a, b, -b], unrolled) for _ in range(2))
    literal = first(root)
    assert second(root) == literal, "equal gates are shared between instances"
    values = [True, bool(row & 1), bool(row & 2), not row & 2]
    here = [a if values[1] else -a, b if values[2] else -b]
    whole = sum(1 << place for place, value in enumerate(values) if value)
    wanted = literal if twin.table[root] >> whole & 1 else -literal
    assert solver.check([*here, wanted]) is Satisfiability.SATISFIABLE
    assert solver.check([*here, -wanted]) is Satisfiability.UNSATISFIABLE


def test_free_variables_are_each_instances_own() -> None:
    circuit = Circuit()
    given_input, own = circuit.input(), circuit.input()
    gate = circuit.xor(given_input, own)
    solver = CadicalSolver()
    shared = solver.new_variables(1)
    unrolled = Unrolled(solver)
    first, second = (
        Instance(template(circuit, [given_input], [gate], ()), [shared], unrolled) for _ in range(2)
    )
    assert first(given_input) == second(given_input) == shared
    assert solver.check([first(gate), -second(gate)]) is Satisfiability.SATISFIABLE
    assert solver.true(first(own)) != solver.true(second(own))


def test_a_template_holds_what_it_depends_on_and_no_more() -> None:
    circuit = Circuit()
    a, b, c, d = (circuit.input() for _ in range(4))
    wanted = circuit.conj((a, b))
    circuit.xor(c, d)
    made = template(circuit, [a], [wanted], ())
    assert made.inputs == (a,)
    assert made.free == (b, c, d)
    assert [x for x, _, _ in made.whole] == [wanted] and made.clauses == 3


def test_an_update_that_may_be_skipped_is_one_multiplexer() -> None:
    circuit = Circuit()
    taken, here, new, old = (circuit.input() for _ in range(4))
    kept = circuit.mux(taken, circuit.mux(here, new, old), old)
    assert kept == circuit.mux(circuit.conj((taken, here)), new, old)
    assert -circuit.mux(taken, -circuit.mux(here, new, old), -old) == kept
    other = circuit.mux(taken, new, circuit.mux(here, new, old))
    assert other == circuit.mux(circuit.disj((taken, here)), new, old)
    assert circuit.mux(taken, old, circuit.mux(here, new, old)) == circuit.mux(
        circuit.conj((-taken, here)), new, old
    )


@pytest.mark.parametrize("most", [0, 32])
def test_exactly_one_in_pairs_and_in_a_row(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A literal that occurs twice is counted twice."""
    monkeypatch.setattr(circuits, "_MOST_PAIRED", most)
    made = Circuit()
    inputs = [made.input() for _ in range(5)]
    columns, rows = all_rows(inputs)
    several, twice = made.exactly_one(inputs), made.exactly_one([*inputs[:3], inputs[0]])
    look = simulate(made, columns, rows)
    assert look(several) == truth.column([row.bit_count() == 1 for row in range(rows)])
    assert look(twice) == truth.column([not row & 1 and (row & 7).bit_count() == 1 for row in range(rows)])


def test_exactly_one_of_many_needs_few_gates() -> None:
    made = Circuit()
    made.exactly_one([made.input() for _ in range(500)])
    assert len(made.gates) < 3 * 500

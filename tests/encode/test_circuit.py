"""Gates fold without changing what they mean, and clauses mean what the gates do."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.template import Clause, template
from leadline.symbolic.encode.unrolling import instantiate
from leadline.symbolic.solve import Answer, CadicalSolver
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


OPERATIONS: tuple[Callable[[Twin, list[int]], None], ...] = (
    _conj, _disj, _one, _xor, _same, _implies, _mux, _mux,
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
        below = getattr(gate, "operands", None) or [getattr(gate, name) for name in gate.__slots__]
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


def _models(clauses: list[Clause], inputs: list[int], variables: int, roots: list[int]) -> set[int]:
    """The rows that the clauses allow, and that each fixes the values of all roots to those of its column."""
    solver = CadicalSolver()
    solver.new_variables(variables - 1)
    solver.add(clauses)
    found = set()
    for row in range(ROWS):
        here = [x if row >> place & 1 else -x for place, x in enumerate(inputs)]
        if solver.check(here) is not Answer.SATISFIABLE:
            continue
        found.add(row)
        for root in roots:
            value = root if solver.true(root) else -root
            assert solver.check([*here, -value]) is Answer.UNSATISFIABLE, "a gate follows from its inputs"
    return found


@given(twins(most=12), st.lists(st.integers(0, 60), max_size=2))
def test_clauses_are_those_of_the_truth_table(twin: Twin, constraints: list[int]) -> None:
    asserted = [twin.literals[x % len(twin.literals)] for x in constraints]
    roots = [x for x in twin.literals if x > TRUE]
    made = template(twin.circuit, (), roots, asserted, twin.inputs)
    assert made.inputs == () and set(made.own) >= set(roots)
    expected = EVERYWHERE
    for x in asserted:
        expected &= twin.table[x]
    found = _models([(TRUE,), *made.clauses], twin.inputs, twin.circuit.variables, roots)
    assert sum(1 << row for row in found) == expected


@given(twins(most=12), st.integers(0, 60), st.integers(0, ROWS - 1))
def test_an_instance_is_the_template_with_other_inputs(twin: Twin, pick: int, row: int) -> None:
    root = twin.literals[pick % len(twin.literals)]
    made = template(twin.circuit, twin.inputs, [root], (), ())
    solver = CadicalSolver()
    row_literals = [solver.new_variables(1) for _ in range(INPUTS - 1)]
    # The last two inputs are one literal, and its negation.
    given_literals = [*row_literals, -row_literals[-1]]
    instances = [instantiate(made, given_literals, solver) for _ in range(2)]
    assert set(instances[0].literals.values()) & set(instances[1].literals.values()) <= {
        TRUE,
        *given_literals,
    }
    values = [bool(row >> place & 1) for place in range(INPUTS - 1)]
    here = [x if value else -x for x, value in zip(row_literals, values, strict=True)]
    whole = sum(1 << place for place, value in enumerate([*values, not values[-1]]) if value)
    expected = bool(twin.table[root] >> whole & 1)
    for instance in instances:
        wanted = instance(root) if expected else -instance(root)
        assert solver.check([*here, wanted]) is Answer.SATISFIABLE
        assert solver.check([*here, -wanted]) is Answer.UNSATISFIABLE


def test_a_template_holds_what_it_depends_on_and_no_more() -> None:
    circuit = Circuit()
    a, b, c, d = (circuit.input() for _ in range(4))
    wanted = circuit.conj((a, b))
    other = circuit.xor(c, d)
    made = template(circuit, [a], [wanted], (), [d])
    assert made.inputs == (a,)
    assert made.own == (b, d, wanted)
    assert all(abs(literal) not in (c, other) for clause in made.clauses for literal in clause)

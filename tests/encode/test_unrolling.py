"""Unrolling by steps reaches exactly the states that the concrete meaning does, in as many steps."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, StepsUnrolling
from leadline.symbolic.lang import Model, Protocol, build, nodes as n
from leadline.symbolic.lang.model import Property, PropertyKind
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.lang.types import Bool
from leadline.symbolic.solve import SOLVERS, Satisfiability
from tests.concrete.protocols import Broken, Counter, Letters, Partial, Subsets
from tests.encode.protocols import Clock, Letterbox, Picky, Shelf

CASES: dict[str, tuple[Protocol, int]] = {
    "counter": (Counter(), 5),
    "counter out of bounds": (Counter(guarded=False), 5),
    "subsets": (Subsets(), 3),
    "partial": (Partial(), 2),
    "a broken beginning": (Broken(), 1),
    "letters": (Letters(), 5),
    "don't-cares": (Shelf(), 4),
    "nothing to pick": (Picky(), 4),
    "one thing to pick": (Picky(top=2), 4),
    "nothing to pick, and a failing domain": (Picky(fails=True), 4),
    "binary integers": (Clock(), 3),
    "one kind of message": (Letterbox(), 4),
    "one kind of message, told too late": (Letterbox(early=True), 2),
}
LONG = {("binary integers", "z3"), ("don't-cares", "z3")}


class Unrolled:
    """A model unrolled in a solver, whose states can be asked for."""

    def __init__(self, model: Model, solver: str = "cadical") -> None:
        self.model = model
        self.encoding = Encoding(model)
        self.solver = SOLVERS[solver]()
        self.unrolling = StepsUnrolling(self.encoding, self.solver)

    def states(self, depth: int) -> set[Any]:
        """Every state after `depth` steps: each answer of the solver excludes its state."""
        found: set[Any] = set()
        gate = self.solver.new_variables(1)
        while self.solver.check([gate]) is Satisfiability.SATISFIABLE:
            state = self.encoding.decode(self.unrolling.rows[depth], self.solver.true)
            assert state not in found
            found.add(state)
            predicates = self.encoding.predicates([self.equals(state)])
            here = self.unrolling.predicates(predicates, depth)
            self.solver.add([(-gate, here(predicates.claims[0].violated))])
        return found

    def equals(self, state: Any) -> Property:
        """The claim that the state is this one."""
        nodes = []
        for v, value in zip(self.model.variables, state, strict=True):
            left = n.make(n.StateVar, v.type, NOWHERE, v.name)
            right = n.make(n.Const, v.type, NOWHERE, value)
            nodes.append(n.make(n.Eq, Bool(), NOWHERE, left, right))
        formula = n.make(n.And, Bool(), NOWHERE, tuple(nodes))
        return Property("here", "Here", PropertyKind.PROBE, "", NOWHERE, formula)

    def possible(self, literals: list[int]) -> bool:
        """Whether one of the literals can hold."""
        return any(self.solver.check([literal]) is Satisfiability.SATISFIABLE for literal in literals)


@pytest.mark.parametrize(
    ("protocol", "depth", "solver"),
    [
        pytest.param(
            *case, solver, id=f"{name}-{solver}", marks=[pytest.mark.slow] if (name, solver) in LONG else []
        )
        for name, case in CASES.items()
        for solver in SOLVERS
    ],
)
def test_the_states_after_so_many_steps(protocol: Protocol, depth: int, solver: str) -> None:
    model = build(protocol)
    meaning = Semantics(model)
    unrolled = Unrolled(model, solver)
    outcomes = meaning.initial()
    assert unrolled.possible([unrolled.unrolling.initial_out_of_bounds]) == any(
        outcome.state is None for outcome in outcomes
    )
    unrolled.unrolling.assert_initial()
    for layer in range(depth + 1):
        expected = {outcome.state for outcome in outcomes if outcome.state is not None}
        assert unrolled.states(layer) == expected
        outcomes = [outcome for state in expected for outcome in meaning.successors(state)]
        outside = unrolled.unrolling.out_of_bounds(layer)
        assert unrolled.possible(outside) == any(outcome.state is None for outcome in outcomes)
        unrolled.unrolling.extend()


@pytest.mark.parametrize(
    "protocol", [Letters(), Shelf(), Subsets(), Clock(), Letterbox()], ids=lambda x: x.protocol_name
)
def test_the_run_of_an_answer_is_one_of_the_model(protocol: Protocol) -> None:
    model = build(protocol)
    meaning = Semantics(model)
    unrolled = Unrolled(model)
    unrolled.unrolling.assert_initial()
    for _ in range(3):
        unrolled.unrolling.extend()
    assert unrolled.solver.check([]) is Satisfiability.SATISFIABLE
    run = unrolled.unrolling.run(3, unrolled.solver.true)
    assert len(run) == 4 and run[0].action == "init"
    state: Any = None
    for step in run:
        outcome = meaning.outcome(state, step.action, step.picks)
        assert outcome is not None and outcome.state == step.state
        state = step.state


def test_encoding_a_deep_expression_does_not_recurse() -> None:
    model = build(Counter())
    number = n.make(n.StateVar, model.variables[0].type, NOWHERE, "number")
    zero: n.Node = n.make(n.Eq, Bool(), NOWHERE, number, n.make(n.Const, number.type, NOWHERE, 0))
    deep: n.Node = reduce(lambda x, _: n.make(n.Not, Bool(), NOWHERE, x), range(5000), zero)
    predicates = Encoding(model).predicates(
        [Property("deep", "Deep", PropertyKind.INVARIANT, "", NOWHERE, deep)]
    )
    assert predicates.claims[0].outside == -1


def test_a_pick_is_of_the_kind_that_the_guard_right_behind_it_asks_for() -> None:
    """Ten bills, two cards, and the empty letter."""
    model = build(Letterbox())
    kinds = {
        action.name: [action.possible(one).cardinality for one in action.picks] for action in model.actions
    }
    assert kinds == {"pay": [10], "remind": [10], "read": [13], "swap": [13, 13]}

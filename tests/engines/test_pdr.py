"""PDR on the protocols of the tests and of the catalog: proofs, counterexamples, and what stands between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.catalog.entry import claims_in, entry_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.engines.prove.pdr import (
    Invariant,
    PdrOptions,
    PdrProgress,
    engine,
    formulas,
    frames,
    pdr,
    recheck,
)
from leadline.symbolic.lang import Model, ModelError, UserError
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.solve.cores import CoreSolver
from leadline.symbolic.trace import TraceEnd
from tests.engines import inductive, protocols, voting
from tests.truth import Row, model_of_row, name_of, rows_where, shortest_violations

FEW = PdrOptions(strengthenings=False, samples=3)
"""So few samples that the frames must do the work."""


def twos(**parameters: Any) -> Model:
    return model_of(entry_of(inductive.Twos, claims_in(inductive), "inductive"), parameters)


def votes(**parameters: Any) -> Model:
    return model_of(entry_of(voting.Votes, claims_in(voting), "voting"), parameters)


@pytest.mark.parametrize("options", [PdrOptions(), PdrOptions(strengthenings=False), FEW], ids=str)
@pytest.mark.parametrize("name", ["even", "not-five", "not-seven", "at-most-eight", "evaluates"])
def test_what_holds_is_proved(name: str, options: PdrOptions) -> None:
    model = twos()
    result = pdr(model, model.properties[name], options)
    assert result.verdict is Verdict.PROVED
    assert result.invariant is not None and result.invariant.in_bounds
    for solver in SOLVERS.values():
        assert recheck(model, model.properties[name], result.invariant, solver) == ()


@pytest.mark.parametrize("options", [PdrOptions(), FEW], ids=str)
@pytest.mark.parametrize(("name", "steps"), [("impossible", 0), ("never-four", 2)])
def test_what_is_violated_has_a_trace(name: str, steps: int, options: PdrOptions) -> None:
    model = twos()
    result = pdr(model, model.properties[name], options)
    assert (result.verdict, result.invariant) == (Verdict.VIOLATED, None)
    assert result.trace is not None
    assert (result.trace.ends, result.trace.length) == (TraceEnd.VIOLATES, steps)


@pytest.mark.parametrize("samples", [3, 15_000])
def test_a_violation_is_found_where_the_samples_take_too_long(
    samples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The property is evaluated in no sample: there may be many, and a quantifier over many values takes long."""
    monkeypatch.setattr(engine, "MOST_SECONDS", -1.0)
    model = twos()
    result = pdr(model, model.properties["never-four"], PdrOptions(samples=samples))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None and result.trace.length == 2


@pytest.mark.parametrize("options", [PdrOptions(), FEW], ids=str)
@pytest.mark.parametrize(("fault", "steps"), [("start-outside", 0), ("step-outside", 5)])
def test_what_leaves_its_bounds_is_told_with_a_trace(fault: str, steps: int, options: PdrOptions) -> None:
    model = twos(fault=fault)
    result = pdr(model, model.properties["at-most-eight"], options)
    assert result.verdict is Verdict.OUT_OF_BOUNDS
    assert result.trace is not None and result.trace.length == steps
    assert result.reason is not None and "is not in Int(0, 9)" in result.reason
    assert result.invariant is None or not result.invariant.in_bounds


def test_a_violation_is_found_behind_a_step_out_of_bounds() -> None:
    model = twos(fault="step-outside")
    result = pdr(model, model.properties["never-four"], FEW)
    assert result.verdict is Verdict.VIOLATED


def test_within_bounds_there_is_still_an_invariant() -> None:
    model = twos(fault="step-outside")
    result = pdr(model, model.properties["even"], FEW)
    assert result.verdict is Verdict.OUT_OF_BOUNDS
    assert result.invariant is not None
    assert recheck(model, model.properties["even"], result.invariant, SOLVERS["z3"]) == ()
    claimed = Invariant(result.invariant.strengthenings, result.invariant.orbits, in_bounds=True)
    assert "steps in bounds" in recheck(model, model.properties["even"], claimed, SOLVERS["z3"])


@pytest.mark.parametrize(
    "options", [PdrOptions(within_bounds=True), replace(FEW, within_bounds=True)], ids=str
)
def test_a_proof_may_be_of_the_states_within_bounds(options: PdrOptions) -> None:
    model = twos(fault="step-outside")
    result = pdr(model, model.properties["even"], options)
    assert (result.verdict, result.trace) == (Verdict.PROVED, None)
    assert result.invariant is not None and not result.invariant.in_bounds
    assert recheck(model, model.properties["even"], result.invariant, SOLVERS["z3"]) == ()
    violated = pdr(model, model.properties["never-four"], options)
    assert violated.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("within", [False, True])
def test_the_property_itself_must_be_within_bounds(within: bool) -> None:
    """Its evaluation is out of bounds on the first floor, and a step is on the second."""
    model = model_of(entry_of(protocols.Lift, claims_in(protocols), "lift"), {"top": 2, "at_top": "break"})
    result = pdr(model, model.properties["not-evaluable-at-one"], replace(FEW, within_bounds=within))
    assert (result.verdict, result.invariant) == (Verdict.OUT_OF_BOUNDS, None)
    assert result.trace is not None and result.trace.property == "not-evaluable-at-one"


def test_cubes_of_narrower_types_are_excluded_where_that_holds() -> None:
    model = model_of(find("two-phase-commit"), {"resource_managers": 2})
    target, text = model.properties["commit-is-decided"], Facts(model).text
    alone = pdr(model, target, FEW)
    assert alone.invariant is not None and alone.progress.frames > 1
    known = [tuple(map(text, orbit[0])) for orbit in alone.invariant.orbits]
    with_known = pdr(model, target, replace(FEW, known=known))
    assert (with_known.verdict, with_known.progress.frames) == (Verdict.PROVED, 1)
    assert with_known.progress.questions < alone.progress.questions


@pytest.mark.parametrize("name", ["type-ok", "not-committed"])
def test_no_cube_of_narrower_types_is_believed(name: str) -> None:
    """Each literal is a cube: some have initial states, some are reached in a step, some in several."""
    model = model_of(find("two-phase-commit"), {"resource_managers": 2})
    target, known = model.properties[name], [(text,) for text in (*Facts(model).by_text(), "x = 77")]
    result = pdr(model, target, replace(FEW, known=known))
    assert result.verdict is pdr(model, target, FEW).verdict
    if result.invariant is not None:
        assert recheck(model, target, result.invariant, SOLVERS["z3"]) == ()


def test_a_model_that_cannot_begin_is_a_mistake() -> None:
    model = twos(fault="no-start")
    with pytest.raises(ModelError, match="has no initial state"):
        pdr(model, model.properties["even"])


def test_deadlocks_are_found() -> None:
    model = twos()
    assert pdr(model, deadlock_property(model), FEW).verdict is Verdict.PROVED


def test_strengthenings_are_candidates_and_not_believed() -> None:
    model = twos()
    used = pdr(model, model.properties["not-five"])
    assert used.invariant is not None
    # `at-most-nine` is for another property.
    assert used.invariant.strengthenings == ("grows-by-twos", "help-of-helps")
    # The strengthening for this property is false at the start.
    assert pdr(model, model.properties["impossible"]).verdict is Verdict.VIOLATED
    hidden = pdr(model, model.properties["not-five"], PdrOptions(strengthenings=False))
    assert hidden.invariant is not None and not hidden.invariant.strengthenings


def test_a_search_can_be_stopped() -> None:
    model = model_of(find("two-phase-commit"), {"resource_managers": 3})
    told: list[PdrProgress] = []
    result = pdr(model, model.properties["consistency"], replace(FEW, questions=100), told=told.append)
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "no answer after 100 questions")
    assert result.invariant is None and result.trace is None
    assert [x.frames for x in told] == list(range(1, len(told) + 1))


def test_the_same_seed_finds_the_same_invariant() -> None:
    model = model_of(find("spanner-leases"), {"variant": "mended-handle-vote", "replicas": 2})
    first, second = (pdr(model, model.properties["disjointness"], FEW) for _ in range(2))
    assert first.verdict is Verdict.PROVED
    assert first.invariant == second.invariant
    assert first.progress.questions == second.progress.questions


@pytest.mark.parametrize("symmetry", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_protocols_are_proved_without_strengthenings(symmetry: bool) -> None:
    sizes = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    model = model_of(find("kafka-replication"), sizes)
    target = model.properties["strong-isr"]
    options = PdrOptions(symmetry=symmetry, strengthenings=False, samples=20)
    found = pdr(model, target, options).invariant
    assert found is not None
    assert (found.clauses > len(found.orbits)) == symmetry
    for solver in SOLVERS.values():
        assert recheck(model, target, found, solver) == ()
    without = Invariant(found.strengthenings, (), found.in_bounds)
    assert recheck(model, target, without, SOLVERS["cadical"])


def test_a_changed_invariant_is_refused_if_it_is_none() -> None:
    """Each literal of each clause negated in turn: the recheck agrees with a look at every state."""
    model = twos()
    target = model.properties["not-five"]
    found = pdr(model, target, FEW).invariant
    assert found is not None
    refused = 0
    for changed in changes(found):
        failing = recheck(model, target, changed, SOLVERS["cadical"])
        assert bool(failing) == (not is_inductive(model, "not-five", changed))
        refused += bool(failing)
    assert refused


def changes(found: Invariant) -> list[Invariant]:
    """The invariant with one literal negated, and with one clause less."""
    made = []
    for place, (cube,) in enumerate(found.orbits):
        others = (found.orbits[:place], found.orbits[place + 1 :])
        made.append(Invariant((), (*others[0], *others[1])))
        for x in cube:
            changed = tuple(-y if x == y else y for y in cube)
            made.append(Invariant((), (*others[0], (changed,), *others[1])))
    return made


def is_inductive(model: Model, name: str, invariant: Invariant) -> bool:
    """Whether an invariant is one, by looking at every state of a model without don't-cares."""
    semantics, facts = Semantics(model), Facts(model)
    cubes = [cube for orbit in invariant.orbits for cube in orbit]

    def satisfied(state: Any) -> bool:
        true, _ = facts.packed(state)
        return not any(all(bool(true >> abs(x) - TRUE - 1 & 1) == (x > 0) for x in cube) for cube in cubes)

    if not all(x.state is not None and satisfied(x.state) for x in semantics.initial()):
        return False
    states = product(*(variable.type.values() for variable in model.variables))
    return all(
        semantics.holds(name, state)
        and all(x.state is not None and satisfied(x.state) for x in semantics.successors(state))
        for state in states
        if satisfied(state)
    )


def test_no_assumption_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """More assumptions than variables write beyond Glucose's memory."""
    model, given, check = votes(voters=3), list[list[int]](), CoreSolver.check

    def asked(solver: CoreSolver, assumptions: Sequence[int]) -> bool:
        given.append(list(assumptions))
        return check(solver, assumptions)

    monkeypatch.setattr(CoreSolver, "check", asked)
    found = pdr(model, model.properties["agreed"], FEW).invariant
    assert found is not None and given
    assert all(len(set(one)) == len(one) for one in given)


def test_an_invariant_of_another_model_is_refused() -> None:
    model = twos()
    target = model.properties["even"]
    with pytest.raises(UserError, match="no literal that a clause has"):
        recheck(model, target, Invariant((), (((90,),),)), SOLVERS["cadical"])
    with pytest.raises(UserError, match="no strengthening unheard-of"):
        recheck(model, target, Invariant(("unheard-of",), ()), SOLVERS["cadical"])


def test_that_others_voted_is_one_clause_whatever_they_voted_for() -> None:
    """Neither what a voter voted for nor whether matters to another value, only that it was not for that."""
    model = votes(voters=3)
    target = model.properties["agreed"]
    found = pdr(model, target, FEW).invariant
    assert found is not None
    told = [one.tla(model) for one in formulas(model, found)]
    assert told == [
        r"\A v, w \in Value : v # w => ~(v \in decided /\ w \in decided)",
        r"\A x \in Value, v, w \in Voter : v # w => "
        r"~((vote[v] # None => vote[v] # x) /\ (vote[w] # None => vote[w] # x) /\ x \in decided)",
    ]
    assert recheck(model, target, found, SOLVERS["z3"]) == ()


@pytest.mark.parametrize(
    ("model", "goal"),
    [
        (votes(voters=3), "agreed"),
        (model_of(find("spanner-leases"), {"variant": "mended-handle-vote"}), "disjointness"),
    ],
    ids=["votes", "leases"],
)
def test_a_proof_does_not_rely_on_all_images_of_a_cube(
    model: Model, goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_MOST_IMAGES", 2)
    target = model.properties[goal]
    found = pdr(model, target, FEW).invariant
    assert found is not None and max(map(len, found.orbits)) > 4
    for solver in SOLVERS.values():
        assert recheck(model, target, found, solver) == ()


def test_invariants_are_told_in_the_words_of_the_protocol() -> None:
    model = model_of(find("kafka-replication"), {"replicas": 2})
    facts = Facts(model)
    texts = {
        facts.text(sign * x) for x in range(TRUE + 1, TRUE + 1 + len(facts.literals)) for sign in (1, -1)
    }
    assert {"replica_state[r1].leader = none", "replica_state[r1].leader != none"} <= texts


VIOLATED = rows_where(lambda row: any(x["shortest_violation_steps"] for x in row["properties"].values()))


def violated_is_not_proved(row: Row, questions: int) -> None:
    model = model_of_row(row)
    for name, steps in shortest_violations(row).items():
        if steps is None:
            continue
        result = pdr(model, model.properties[name], PdrOptions(samples=500, questions=questions))
        assert result.verdict in (Verdict.VIOLATED, Verdict.UNKNOWN), name
        assert result.trace is None or result.trace.length >= steps


@pytest.mark.parametrize("row", VIOLATED[::6], ids=name_of)
def test_what_tlc_finds_violated_is_not_proved(row: Row) -> None:
    violated_is_not_proved(row, 600)


@pytest.mark.slow
@pytest.mark.parametrize("row", VIOLATED, ids=name_of)
def test_what_tlc_finds_violated_is_never_proved(row: Row) -> None:
    violated_is_not_proved(row, 10_000)


@pytest.mark.slow
def test_longer_walks_take_over_from_frames() -> None:
    """Where they find all reachable states, or one that violates the property."""
    options = replace(FEW, longer=((1, 6), (20, 3000)))
    model = model_of(find("kafka-transactions"), {"clients": 1})
    holds = pdr(model, model.properties["no-bad-state-response"], options)
    assert (holds.verdict, holds.progress.frames) == (Verdict.PROVED, 0)
    assert holds.invariant is not None and holds.progress.questions > 20
    assert recheck(model, model.properties["no-bad-state-response"], holds.invariant, SOLVERS["z3"]) == ()
    known = pdr(model, model.properties["no-bad-state-response"], replace(options, samples=3000))
    assert (known.verdict, known.progress.frames) == (Verdict.PROVED, 0)
    leaks = model_of(find("pulsar-compaction"), {"max_crash_times": 2})
    broken = pdr(leaks, leaks.properties["compacted-ledger-leak"], options)
    assert broken.verdict is Verdict.VIOLATED and broken.trace is not None
    assert 20 <= broken.progress.questions <= 64

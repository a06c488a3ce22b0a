"""Refinements, and claims about steps, of well-known protocols: each holds, and a seeded mistake breaks it.

Every engine says so: explicit search and property-directed reachability both ways, sweeps where it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from leadline.encodings.two_phase_commit import TwoPhaseCommit
from leadline.properties.two_phase_commit import consistency, implements_transaction_commit
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Options, Query, Result, Verdict, answer_here
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import (
    Bool,
    Claim,
    Int,
    Model,
    Protocol,
    action,
    build,
    exists,
    ite,
    refines,
)
from leadline.symbolic.trace import replay
from tests.protocols.coffee_can import (
    CoffeeCan,
    eventually_terminates,
    loop_invariant,
    monotonic_decrease,
    termination_hypothesis,
)
from tests.protocols.paxos import Paxos, Voting, implements_voting, one_value
from tests.protocols.two_phase import TwoPhase, implements_transaction_commit as classical

EXPLORE, PDR, SWEEPS = ExploreOptions(prove=True), PdrOptions(), BmcOptions(6, "sweeps")
CAN = (monotonic_decrease, loop_invariant, termination_hypothesis, eventually_terminates)


class Forgetful(TwoPhaseCommit):
    """A resource manager does not log its state: when it recovers it works as before it prepared."""

    @action(tla="RM_RECOVER")
    def rm_recover(self, now: Any, nxt: Any, rm: Any = None) -> None:
        nxt.require(now.pc.rm[rm] == "RM_RECOVER")
        nxt.rm_msg[rm] = set()
        nxt.rm_state[rm] = "working"
        nxt.pc.rm[rm] = "RM_MAIN"

    picks = {"rm": "RM"}


class Hasty(TwoPhaseCommit):
    """A resource manager that finds the transaction manager dead commits if it is prepared."""

    @action(tla="RM_MAIN_decide")
    def rm_main_decide(self, now: Any, nxt: Any, rm: Any = None) -> None:
        self.require_undecided(now, nxt, rm)  # type: ignore[no-untyped-call]  # protocols have no types
        nxt.require(~now.tm_state.live, now.rm_state[rm] == "prepared")
        nxt.rm_state[rm] = "committed"

    picks = {"rm": "RM"}


def asked(model: Model, options: Options, name: str) -> Result:
    query = Query(model.protocol, {}, (name,), options, "cadical")
    (result,) = answer_here(model, query).results
    if result.trace is not None:
        replay(Semantics(model), result.trace)
    return result


RIGHT: dict[str, tuple[Callable[[], Protocol], tuple[Claim, ...]]] = {
    "paxos": (Paxos, (implements_voting,)),
    "two-phase": (TwoPhase, (classical,)),
    "coffee-can": (CoffeeCan, CAN),
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(name, one, id=f"{name}-{one.engine}", marks=[pytest.mark.slow] if long else [])
        for name in RIGHT
        for one in (EXPLORE, PDR)
        for long in (name == "paxos" and one is PDR,)
    ],
)
def test_it_holds(name: str, options: Options) -> None:
    protocol, claims = RIGHT[name]
    model = build(protocol(), claims)
    found = {claim.name: asked(model, options, claim.name).verdict for claim in claims}
    assert found == dict.fromkeys(found, Verdict.PROVED)


WRONG: dict[str, tuple[Callable[[], Protocol], Claim, int]] = {
    "paxos": (lambda: Paxos(mistake=True), implements_voting, 10),
    "two-phase": (lambda: TwoPhase(mistake=True), classical, 6),
    "coffee-can": (lambda: CoffeeCan(mistake=True), loop_invariant, 1),
    "coffee-can-in-the-end": (lambda: CoffeeCan(mistake=True), termination_hypothesis, 1),
    "forgetful": (lambda: Forgetful(resource_managers=1), implements_transaction_commit, 13),
    "hasty": (lambda: Hasty(rm_may_fail=False), implements_transaction_commit, 8),
}


LONG = {"paxos", "forgetful", "hasty"}


@pytest.mark.parametrize("options", [EXPLORE, PDR, SWEEPS], ids=lambda one: one.engine)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow if one in LONG else []) for one in WRONG]
)
def test_a_mistake_is_caught(name: str, options: Options) -> None:
    protocol, claim, steps = WRONG[name]
    result = asked(build(protocol(), [claim]), options, claim.name)
    assert (result.verdict, result.trace is not None) == (Verdict.VIOLATED, True)
    assert result.steps is not None and result.steps >= steps
    if options is EXPLORE:
        assert result.steps == steps, "explicit search finds a shortest run to a wrong step"


@pytest.mark.slow
def test_two_phase_commit_implements_transaction_commit() -> None:
    model = build(TwoPhaseCommit(), [implements_transaction_commit])
    assert asked(model, PDR, "implements-transaction-commit").verdict is Verdict.PROVED


def test_a_refinement_sees_what_consistency_does_not() -> None:
    """A resource manager that forgets that it prepared still agrees with the others, where it is alone."""
    model = build(Forgetful(resource_managers=1), [implements_transaction_commit, consistency])
    assert asked(model, EXPLORE, "consistency").verdict is Verdict.PROVED


def test_voting_chooses_one_value() -> None:
    """The specification that Paxos implements excludes something."""
    model = build(Voting(), [one_value])
    assert asked(model, EXPLORE, "one-value").verdict is Verdict.PROVED


PLACE = Int(0, 2)


class Turning(Protocol):
    """A hand goes round while its clock runs."""

    def define(self, state: Any) -> None:
        state.runs = Bool()
        state.hand = PLACE

    def init(self, start: Any) -> None:
        start.runs, start.hand = True, 0

    def another(self, now: Any, place: Any) -> Any:
        # The variable has the name of that in the guard, which is around it.
        return exists(PLACE, lambda x: now.runs & (x != place))

    @action
    def turn(self, now: Any, nxt: Any) -> None:
        nxt.require(exists(PLACE, lambda x: self.another(now, x)))
        nxt.hand = ite(now.hand == 2, 0, now.hand + 1)


class Round(Turning):
    """The same without the clock, which always runs."""

    def define(self, state: Any) -> None:
        state.hand = PLACE

    def init(self, start: Any) -> None:
        start.hand = 0

    @action
    def turn(self, now: Any, nxt: Any) -> None:
        nxt.hand = ite(now.hand == 2, 0, now.hand + 1)


@refines(Round, Turning)
def implements_turning(protocol: Any, now: Any, abstract: Any) -> None:
    abstract.runs = exists(PLACE, lambda place: place == now.hand)
    abstract.hand = now.hand


@pytest.mark.parametrize("options", [EXPLORE, PDR], ids=lambda one: one.engine)
def test_a_quantifier_in_a_mapping_leaves_the_variables_around_it_apart(options: Options) -> None:
    model = build(Round(), [implements_turning])
    assert asked(model, options, "implements-turning").verdict is Verdict.PROVED


STATES: Mapping[str, tuple[Callable[[], Protocol], int]] = {
    "two-phase": (TwoPhase, 288),
    "coffee-can": (CoffeeCan, 27),
}


@pytest.mark.parametrize("name", STATES)
def test_states(name: str) -> None:
    """As many as there are: 288 for the classical two-phase commit with three resource managers."""
    protocol, states = STATES[name]
    model = build(protocol())
    query = Query(model.protocol, {}, (), EXPLORE)
    assert answer_here(model, query).told(ExploreFacts).states == states

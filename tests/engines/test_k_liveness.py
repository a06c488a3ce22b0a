"""Proofs of claims about runs: predicates that settle, rounds that are counted, loops, and their certificates."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.api.wording import record
from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines import Answer, BmcOptions, Listener, Query, Result, Verdict, answer_here
from leadline.symbolic.engines.ask.result import verdict_text
from leadline.symbolic.engines.prove.certificates import read_certificate
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.prove.pdr.results import ProofFacts
from leadline.symbolic.engines.runs import reduction
from leadline.symbolic.engines.runs.parts import Method, Part, Reduction
from leadline.symbolic.engines.runs.reduction import Counting
from leadline.symbolic.engines.runs.stabilizing import Moves, understood
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Protocol,
    UserError,
    action,
    always,
    build,
    enum,
    eventually,
    forall,
    invariant,
    ite,
    map_of,
    of,
    pick,
    sort,
    strong,
    temporal,
    weak,
)
from leadline.symbolic.meaning import Steps
from tests.random_runs import random_runs


class Relay(Protocol):
    """A dispatcher asks workers one after the other, again and again, until each has been asked and is done."""

    def define(self, state: Any) -> None:
        self.Worker = sort("Worker", 2)
        self.Phase = enum("Phase", "idle", "busy", "done")
        state.phase = Map(self.Worker, self.Phase)
        state.turn = self.Worker
        state.lit = Bool()

    def init(self, start: Any) -> None:
        start.phase = map_of(self.Worker, lambda w: "idle")
        start.turn = of(self.Worker, "w1")
        start.lit = False

    def fair(self) -> Any:
        yield strong("ask", each="w")
        yield weak("work", each="w")
        yield weak("turn_on", "turn_off")

    @action
    def ask(self, now: Any, nxt: Any, w: Any = pick("Worker")) -> None:
        nxt.require(now.lit, now.turn == w, now.phase[w] == "idle")
        nxt.phase[w] = "busy"

    @action
    def work(self, now: Any, nxt: Any, w: Any = pick("Worker")) -> None:
        nxt.require(now.phase[w] == "busy")
        nxt.phase[w] = "done"

    @action
    def turn_on(self, now: Any, nxt: Any, w: Any = pick("Worker")) -> None:
        nxt.require(~now.lit, now.turn != w)
        nxt.turn, nxt.lit = w, True

    @action
    def turn_off(self, now: Any, nxt: Any) -> None:
        nxt.require(now.lit)
        nxt.lit = False


@temporal(Relay)
def begun(protocol: Any, now: Any) -> Any:
    """Some worker is asked eventually: the light is on again and again, at a worker that is idle."""
    return eventually(~forall(protocol.Worker, lambda w: now.phase[w] == "idle"))


@temporal(Relay)
def all_busy(protocol: Any, now: Any) -> Any:
    """Not true: one may be done before the other is asked."""
    return eventually(forall(protocol.Worker, lambda w: now.phase[w] == "busy"))


class Clock(Protocol):
    """A hand goes round, and each time it passes the top a counter grows to its end."""

    def define(self, state: Any) -> None:
        state.hand, state.count = Int(0, 2), Int(0, 3)

    def init(self, start: Any) -> None:
        start.hand, start.count = 0, 0

    def fair(self) -> Any:
        yield weak("tick")

    @action
    def tick(self, now: Any, nxt: Any) -> None:
        nxt.hand = (now.hand + 1) % 3
        nxt.require(now.count < 3)
        nxt.count = now.count + ite(now.hand == 2, 1, 0)


@temporal(Clock)
def full(protocol: Any, now: Any) -> Any:
    return eventually(now.count == 3)


@temporal(Clock)
def passes(protocol: Any, now: Any) -> Any:
    return eventually(now.count == 1) & eventually(now.count == 3)


@temporal(Clock)
def goes_back(protocol: Any, now: Any) -> Any:
    return eventually(now.count == 1) & always(eventually(now.count == 0))


@temporal(Clock)
def counts(protocol: Any, now: Any) -> Any:
    return always(now.count >= 0)


def relay() -> Model:
    return build(Relay(), [begun, all_busy])


def clock() -> Model:
    return build(Clock(), [full, passes, goes_back, counts])


def asked(model: Model, name: str) -> Answer:
    return answer_here(model, Query("test", {}, (name,), PdrOptions()))


def proof(model: Model, name: str) -> dict[str, Any]:
    (result,) = asked(model, name).results
    assert result.verdict is Verdict.PROVED and result.certificate is not None
    return copy.deepcopy(dict(result.certificate))


def test_levels_of_predicates_settle() -> None:
    """The counter rises; while it does not, the hand rises and its way back is not seen."""
    model = clock()
    guess = Counting(Reduction(model, model.properties["full"]).product(), "full")
    texts = [[one.text for one in level] for level in guess.settling]
    assert texts[0] == ["rises: count >= 1", "rises: count >= 2", "rises: count >= 3"]
    assert [text.split(" ")[:2] for text in texts[1]] == [["rises:", "hand"], ["rises:", "hand"]]
    assert guess.most == 0


def test_texts_spell_predicates() -> None:
    model = relay()
    moves = Moves(Reduction(model, model.properties["begun"]).product())
    assert moves.settling() == ()
    level = understood(model.variables, [["falls: phase[*] = idle", "rises: turn = *"], ["rises: lit"]])
    assert [[one.text for one in x] for x in level] == [
        ["falls: phase[*] = idle", "rises: turn = *"],
        ["rises: lit"],
    ]
    with pytest.raises(UserError, match=r"'rises: lid'"):
        understood(model.variables, [["rises: lid"]])


@pytest.mark.parametrize(("made", "name"), [(relay, "begun"), (clock, "full")])
def test_a_claim_is_proved_by_rounds(made: Callable[[], Model], name: str, tmp_path: Path) -> None:
    model = made()
    answer = asked(model, name)
    methods = answer.told(ProofFacts).sizes[name].methods
    assert [text.split(",")[0] for text in methods] == [Method.ROUNDS, Method.BOUNDS]
    size = answer.told(ProofFacts).sizes[name]
    assert size.clauses and size.orbits and size.clauses >= size.orbits
    stands(model, proof(model, name), tmp_path)


def stands(model: Model, made: dict[str, Any], folder: Path) -> None:
    (again,) = rechecked(model, made, folder).results
    assert (again.verdict, again.solver) == (Verdict.PROVED, "z3")


def rechecked(model: Model, made: dict[str, Any], folder: Path) -> Answer:
    path = folder / "proof.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    found = read_certificate(path)
    (query,) = found.queries(model, "test")
    return answer_here(model, query)


def test_a_claim_is_proved_by_loops_where_rounds_have_no_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reduction.Counting, "_rounds", lambda self, states: None)
    model = relay()
    assert asked(model, "begun").told(ProofFacts).sizes["begun"].methods == [Method.LOOPS, Method.BOUNDS]
    stands(model, proof(model, "begun"), tmp_path)


def test_rounds_give_way_to_loops_and_loops_to_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest questions are none at all: each method gives up, and has more of them the next time."""
    monkeypatch.setattr(reduction, "PATIENCE", 1)
    (result,) = asked(relay(), "begun").results
    assert result.verdict is Verdict.PROVED


def test_a_wrong_guess_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look at one state more seems to settle than does, and rounds seem fewer than they are."""
    full_look = Counting(Reduction(relay(), relay().properties["begun"]).product(), "begun")
    monkeypatch.setattr(reduction, "LOOK", 1)
    short = Counting(Reduction(relay(), relay().properties["begun"]).product(), "begun")
    assert (short.settling, short.most) != (full_look.settling, full_look.most)
    (result,) = asked(relay(), "begun").results
    assert result.verdict is Verdict.PROVED


def test_a_claim_that_does_not_hold_is_refuted() -> None:
    (result,) = asked(relay(), "all-busy").results
    assert result.verdict is Verdict.VIOLATED and result.trace is not None
    assert result.trace.loop is not None and result.certificate is None


def test_conjuncts_are_proved_one_by_one(tmp_path: Path) -> None:
    model = clock()
    methods = asked(model, "passes").told(ProofFacts).sizes["passes"].methods
    assert [text.rpartition("(")[2] for text in methods] == [
        "conjunct 1)",
        "conjunct 2)",
        "bounds",
    ]
    made = proof(model, "passes")
    stands(model, made, tmp_path)
    whole = Part(Method.ROUNDS, 0), Part(Method.BOUNDS)
    Reduction(model, model.properties["passes"]).check(whole)
    del made["parts"][1]
    with pytest.raises(UserError, match=r"a proof of passes is by .* for each of 2 conjuncts"):
        rechecked(model, made, tmp_path)


def test_claims_about_steps_do_not_wait_for_others() -> None:
    told: list[Result] = []
    query = Query("test", {}, ("full", "counts"), PdrOptions())
    answer = answer_here(clock(), query, Listener(done=told.append))
    assert [one.property for one in told] == ["counts", "full"]
    assert [one.property for one in answer.results] == ["full", "counts"]


def test_a_conjunct_that_does_not_hold_refutes_the_claim() -> None:
    (result,) = asked(clock(), "goes-back").results
    assert result.verdict is Verdict.VIOLATED and result.trace is not None
    assert result.trace.loop is not None and result.certificate is None


# -- certificates that are no proof ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def relay_proof() -> dict[str, Any]:
    return proof(relay(), "begun")


def test_a_proof_with_a_changed_clause_is_refused(relay_proof: dict[str, Any], tmp_path: Path) -> None:
    """A clause that excludes one fact less of a cube says more than is true of the reachable states."""
    refused = 0
    for part in relay_proof["parts"]:
        for orbit in part["clauses"]:
            changed = copy.deepcopy(relay_proof)
            place = relay_proof["parts"].index(part)
            same = changed["parts"][place]["clauses"][part["clauses"].index(orbit)]
            same[0] = same[0][:1]
            (again,) = rechecked(relay(), changed, tmp_path).results
            refused += again.verdict is Verdict.UNKNOWN and again.refuted
        if refused:
            break
    assert refused


def test_a_proof_of_fewer_rounds_or_other_predicates_is_refused(
    relay_proof: dict[str, Any], tmp_path: Path
) -> None:
    part = relay_proof["parts"][0]
    assert part["method"] == Method.ROUNDS
    part["settled"] = [["rises: lit"]]
    (again,) = rechecked(relay(), relay_proof, tmp_path).results
    assert again.verdict is Verdict.UNKNOWN and again.refuted


def without_rounds(made: dict[str, Any]) -> None:
    del made["parts"][0]


def of_unknown_method(made: dict[str, Any]) -> None:
    made["parts"][0]["method"] = "by-heart"


def of_nothing(made: dict[str, Any]) -> None:
    made["parts"][0]["settled"] = [["rises: moon"]]


def of_negative_rounds(made: dict[str, Any]) -> None:
    made["parts"][0]["rounds"] = -1


def with_more(made: dict[str, Any]) -> None:
    made["parts"][0]["trust"] = True


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_rounds, r"bounds: a proof of begun is by k-liveness and bounds"),
        (of_unknown_method, r"parts\[0\]\.method: one of .*k-liveness.* 'by-heart'"),
        (of_nothing, r"'rises: moon'"),
        (of_negative_rounds, r"parts\[0\]\.rounds"),
        (with_more, r"parts\[0\]\.trust has no meaning"),
    ],
)
def test_what_is_no_proof_is_told(
    change: Callable[[dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    made = proof(relay(), "begun")
    change(made)
    with pytest.raises(UserError, match=words):
        rechecked(relay(), made, tmp_path)


def test_parts_are_those_of_the_claim() -> None:
    model = relay()
    reduced = Reduction(model, model.properties["begun"])
    reduced.check([Part(Method.LOOPS), Part(Method.BOUNDS)])
    with pytest.raises(UserError, match="nothing: a proof of begun"):
        reduced.check([])


# -- bounded answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unroll", "words"), [("steps", "2 layers"), ("sweeps", "2 sweeps")])
def test_a_bounded_answer_says_what_it_counts(unroll: str, words: str) -> None:
    """Some layers choose where a loop begins, so no number of steps follows."""
    model = relay()
    query = Query("test", {}, ("begun",), BmcOptions(2, unroll))
    (result,) = answer_here(model, query).results
    assert verdict_text(model, result) == f"safe within {words} of the search for loops"
    assert record(model, query, result)["steps_covered"] is None


def test_by_steps_a_loop_is_found_within_its_own_steps() -> None:
    """The hand goes round, and the counter falls back each time: to save where they begin is no fifth step."""

    @action
    def reset(self: Any, now: Any, nxt: Any) -> None:
        nxt.require(now.count == 1)
        nxt.count = 0

    @temporal(Clock)
    def ends(protocol: Any, now: Any) -> Any:
        return eventually(now.count == 2)

    kind = type("Endless", (Clock,), {"reset": reset})
    model = build(kind(), [ends])
    query = Query("test", {}, ("ends",), BmcOptions(4, "steps"))
    (result,) = answer_here(model, query).results
    assert result.verdict is Verdict.VIOLATED and result.trace is not None
    assert (result.trace.loop, result.trace.loop_length) == (0, 4)
    (none,) = answer_here(model, replace(query, options=BmcOptions(3, "steps"))).results
    assert none.verdict is Verdict.SAFE and none.loops


def test_bounded_searches_about_states_and_about_runs_take_turns() -> None:
    """A search for a bad state has no end where there is none: a claim about runs is answered long before."""

    @invariant(Clock)
    def counted(protocol: Any, now: Any) -> Any:
        return now.count <= 3

    most = 60
    depths: list[int] = []
    told: dict[str, tuple[Verdict, int]] = {}
    listener = Listener(
        progress=lambda now: depths.append(now.depth),
        done=lambda one: told.update({one.property: (one.verdict, max(depths))}),
    )
    query = Query("test", {}, ("counted", "counts", "goes-back"), BmcOptions(most, "sweeps"))
    answer_here(build(Clock(), [counted, counts, goes_back]), query, listener)
    verdict, deepest = told["goes-back"]
    assert verdict is Verdict.VIOLATED
    assert deepest < most, "the least depth of all searches is told"


def reached(meaning: Steps) -> set[State]:
    """All states that steps within bounds reach."""
    first, *others = meaning.steps
    found: list[State] = []
    seen: set[State] = set()

    def add(state: State | None) -> None:
        if state is not None and state not in seen:
            seen.add(state)
            found.append(state)

    first(None, add)
    for state in found:
        for step in others:
            step(state, add)
    return seen


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(relay(), marks=pytest.mark.slow),
        clock(),
        *map(random_runs, (0, 1, 3)),
        pytest.param(random_runs(2), marks=pytest.mark.slow),
    ],
)
def test_states_with_rounds_counted_are_those_of_the_model_that_counts_them(model: Model) -> None:
    """Also where the guess of what settles is wrong, and where there are more rounds than the model counts."""
    for claim in model.properties.values():
        reduced = Reduction(model, claim)
        if reduced.rest is None:
            continue
        counting = Counting(reduced.product(reduced.conjuncts[0]), claim.name)
        turned = [tuple(replace(one, rises=not one.rises) for one in level) for level in counting.settling]
        most = 3 if counting.most is None else counting.most
        for settling in (counting.settling, tuple(turned), ()):
            for counting.most in {most, max(0, most - 1)}:
                counting.settling = settling
                found = reached(counting.steps)
                assert found == reached(Semantics(counting.model(counting.most)))

"""The search that goes on from states in which something is true for the first time."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic import cli
from leadline.symbolic.catalog import find, model_on_values
from leadline.symbolic.engines import Answer, Limits, Query, Verdict, answer
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.explore import module_novelty
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.novelty import NoveltyOptions
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.novelty import Novelty
from leadline.symbolic.tla.values.values import function
from leadline.symbolic.trace import DEADLOCK
from tests.tla.loading import write

STAGES = r"""
EXTENDS Naturals, TLC
CONSTANT P
VARIABLE x
Init == x = [p \in P |-> 0]
Go(p) == x[p] < 9 /\ x' = [x EXCEPT ![p] = @ + 1]
Next == \E p \in P : Go(p)
Early == \A p \in P : x[p] < 9
Steady == [][\A p \in P : x'[p] < 8]_x
Near == TLCGet("level") < 8
Errs == \A p \in P : x[p] # 7 \/ CHOOSE y \in {} : TRUE
Alike == Permutations(P)
Counts == TLCSet(1, 0) /\ Next
Alone == LET p == CHOOSE p \in P : TRUE IN Go(p)
Asserts == Assert(\A p \in P : x[p] < 6, "early") /\ Next
"""
"""Processes that each go through ten stages: of five there are 100,000 states."""


def searched(folder: Path, config: str, most: int | None = None, deadlock: bool = False) -> Answer:
    path = write(folder, Stages=STAGES)
    path.with_suffix(".cfg").write_text(f"CONSTANT P = {{a, b, c, d, e}}\nINIT Init\n{config}")
    model = model_on_values(find(str(path)), {})
    return answer(model, Query(str(path), {}, None, NoveltyOptions(most), deadlock=deadlock), Limits())


def test_facts_and_pairs_of_facts_are_new_once() -> None:
    novelty = Novelty(2)
    a, b = (function({"r1": x, "r2": y}) for x, y in (("up", "down"), ("down", "up")))
    before = a, frozenset({1})
    assert novelty.rank(before, None) == 0
    assert novelty.rank((b, frozenset({1})), before) == 0
    # Both up: each was before, not together.
    both = function({"r1": "up", "r2": "up"}), frozenset({1})
    assert novelty.rank(both, before) == 1
    assert novelty.rank(both, before) == 2
    assert novelty.rank((both[0], frozenset({1, 2})), both) == 0
    assert novelty.rank((both[0], frozenset({2})), both) == 2


def test_a_deep_violation_is_found_among_few_states(tmp_path: Path) -> None:
    found = searched(tmp_path, "NEXT Next INVARIANT Early", most=250)
    (result,) = found.results
    assert (result.verdict, result.engine, result.steps) == (Verdict.VIOLATED, "novelty", 9)
    path = tmp_path / "Stages.tla"
    model = model_on_values(find(str(path)), {})
    options = ExploreOptions(max_states=1_200, by=VALUES)
    explored = answer(model, Query(str(path), {}, None, options, deadlock=False), Limits())
    assert explored.results[0].verdict is Verdict.UNKNOWN
    assert explored.told(ExploreFacts).states == 1_200


def test_a_random_run_is_deep_where_much_is_new(tmp_path: Path) -> None:
    """Each of thirty messages is new at first, and each pair of them: 435 states are no deeper than two steps."""
    path = write(
        tmp_path,
        Sent=r"""
        EXTENDS FiniteSets, Naturals
        VARIABLE sent
        Init == sent = {}
        Next == \E m \in 1..30 \ sent : sent' = sent \cup {m}
        Few == Cardinality(sent) < 16
        Fewer == Cardinality(sent) < 14
        """,
    )
    for config, steps in (("", 16), ("CONSTRAINT Fewer", None)):
        path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANT Few {config}")
        query = Query(str(path), {}, None, NoveltyOptions(1_500), deadlock=False)
        (result,) = answer(model_on_values(find(str(path)), {}), query, Limits()).results
        assert (result.steps if result.verdict is Verdict.VIOLATED else None) == steps


def test_initial_states_count_for_the_most_states(tmp_path: Path) -> None:
    """The limit is looked at between them, since there may be millions."""
    body = "EXTENDS Naturals\nVARIABLE n\nInit == n \\in 0..9\nNext == n' = n\nSmall == n < 5"
    path = write(tmp_path, Many=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Small")
    for most, verdict in ((1, Verdict.UNKNOWN), (6, Verdict.VIOLATED)):
        query = Query(str(path), {}, None, NoveltyOptions(most), deadlock=False)
        (result,) = answer(model_on_values(find(str(path)), {}), query, Limits()).results
        assert result.verdict is verdict


def test_runs_begin_before_all_candidates_for_initial_states_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_novelty, "LISTING", 0)
    body = """EXTENDS Naturals
        VARIABLES x, y, z
        Init == x \\in 0..2000 /\\ y \\in 0..2000 /\\ z \\in 0..2000 /\\ x + y + z = 0
        Next == x' = x + 1 /\\ UNCHANGED <<y, z>>
        Low == x < 9"""
    path = write(tmp_path, Wide=body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    model = model_on_values(find(str(path)), {})
    (found,) = answer(model, Query(str(path), {}, None, NoveltyOptions(), deadlock=False), Limits()).results
    assert found.trace is not None and found.trace.length == 9
    query = Query(str(path), {}, None, NoveltyOptions(5), deadlock=False)
    (result,) = answer(model, query, Limits()).results
    assert (result.reason or "").endswith("begun in 1 of more initial states")


def test_a_random_run_takes_actions_with_few_outcomes(tmp_path: Path) -> None:
    """Of 51 outcomes one goes up: a run that draws one of all goes up twice in a hundred steps, and takes all."""
    path = write(
        tmp_path,
        Up=r"""
        EXTENDS Naturals
        VARIABLES x, heard
        Init == x = 0 /\ heard = {}
        Up == x' = x + 1 /\ UNCHANGED heard
        Hear(m) == heard' = heard \cup {<<m, x>>} /\ UNCHANGED x
        Next == Up \/ \E m \in 1..50 : Hear(m)
        Low == x < 20
        """,
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Low")
    query = Query(str(path), {}, None, NoveltyOptions(10_000), deadlock=False)
    (result,) = answer(model_on_values(find(str(path)), {}), query, Limits()).results
    assert result.verdict is Verdict.VIOLATED


def test_the_steps_of_a_state_are_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random run comes to states whose steps are known, and states wait from which a run has gone on."""
    levels: list[int | None] = []
    at_level = Behaviour.at_level

    def noted(behaviour: Behaviour, level: int | None) -> None:
        levels.append(level)
        at_level(behaviour, level)

    monkeypatch.setattr(Behaviour, "at_level", noted)
    searched(tmp_path, "NEXT Alone", deadlock=True)
    assert [level for level in levels if level] == list(range(1, 11))


@pytest.mark.parametrize("symmetry", ["", "SYMMETRY Alike"])
def test_violations_of_steps_and_deadlocks(tmp_path: Path, symmetry: str) -> None:
    config = f"NEXT Next PROPERTY Steady INVARIANT Early\n{symmetry}"
    early, steady, dead = searched(tmp_path, config, deadlock=True).results
    assert [(one.property, one.verdict) for one in (early, steady, dead)] == [
        ("Early", Verdict.VIOLATED),
        ("Steady", Verdict.VIOLATED),
        (DEADLOCK, Verdict.VIOLATED),
    ]
    assert early.trace is not None and early.trace.length >= 8
    assert dead.trace is not None and dead.trace.length == 45


def test_the_level_of_a_state_is_that_of_its_run(tmp_path: Path) -> None:
    (result,) = searched(tmp_path, "NEXT Next CONSTRAINT Near INVARIANT Early").results
    assert (result.verdict, result.cause) == (Verdict.UNKNOWN, Cause.RUNS)
    assert "those with new facts first" in (result.reason or "")


def test_properties_that_ask_for_the_level_are_left_to_exploration(tmp_path: Path) -> None:
    """This search reaches n = 9 by ten states; it took that for the level, which is 5."""
    path = write(
        tmp_path,
        Short=r"""
        EXTENDS Naturals, TLC
        VARIABLES n, f
        Init == n = 0 /\ f = {}
        Go == n < 9 /\ n' = n + 1 /\ f' = f
        Put == \E i \in 1..3 : f' = f \cup {i} /\ n' = n
        Jump == f = 1..3 /\ n' \in 0..9 /\ f' = {}
        Next == Go \/ Put \/ Jump
        Near == TLCGet("level") < 10
        Steps == [][Near]_<<n, f>>
        Low == n < 9
        """,
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANTS Near Low PROPERTY Steps")
    query = Query(str(path), {}, None, NoveltyOptions(), deadlock=False)
    found = answer(model_on_values(find(str(path)), {}), query, Limits()).results
    verdicts = {one.property: one.verdict for one in found}
    assert verdicts == {"Near": Verdict.UNKNOWN, "Low": Verdict.VIOLATED, "Steps": Verdict.UNKNOWN}


def test_a_property_without_a_value_is_told(tmp_path: Path) -> None:
    errs, early = searched(tmp_path, "NEXT Next INVARIANT Errs Early").results
    assert (errs.property, errs.verdict) == ("Errs", Verdict.OUT_OF_BOUNDS)
    assert "Stages.tla:12:34: CHOOSE: no element satisfies the formula" in (errs.reason or "")
    assert (early.property, early.verdict) == ("Early", Verdict.VIOLATED)


def test_a_false_assertion_ends_the_search(tmp_path: Path) -> None:
    found = searched(tmp_path, "NEXT Asserts INVARIANT Early", most=250)
    (result,) = found.results
    assert (result.verdict, result.steps) == (Verdict.OUT_OF_BOUNDS, 7)
    assert (result.reason or "").endswith('the assertion is false: "early"')
    assert found.out_of_bounds is not None


def test_registers_depend_on_the_order_of_states(tmp_path: Path) -> None:
    (result,) = searched(tmp_path, "NEXT Counts INVARIANT Early").results
    assert result.reason == "no violation in no state, since formulas set registers"


def test_an_initial_state_without_a_value_is_left_to_exploration(tmp_path: Path) -> None:
    path = write(
        tmp_path, Begins="EXTENDS Naturals\nVARIABLE x\nInit == x = CHOOSE y \\in {} : TRUE\nNext == x' = x"
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next")
    query = Query(str(path), {}, None, NoveltyOptions(), deadlock=True)
    (result,) = answer(model_on_values(find(str(path)), {}), query, Limits()).results
    assert result.reason == "no violation in 0 states, those with new facts first"


def test_states_that_a_constraint_excludes_are_not_counted(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' \\in 0..9\nNear == n < 3\nLow == n < 10"
    path = write(tmp_path, Few=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next CONSTRAINT Near INVARIANT Low")
    query = Query(str(path), {}, None, NoveltyOptions(), deadlock=False)
    (result,) = answer(model_on_values(find(str(path)), {}), query, Limits()).results
    assert result.reason == "no violation in 3 states, those with new facts first"


def test_an_option_of_other_engines_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message was that the engine is for TLA+ modules alone."""
    path = write(tmp_path, Stages=STAGES)
    path.with_suffix(".cfg").write_text("CONSTANT P = {a, b}\nINIT Init NEXT Next INVARIANT Early")
    for option, value in {"--solver": "z3", "--depth": "3"}.items():
        given = ["check", str(path), "--engine", "novelty", "--patience", "9", option, value]
        assert cli.main(given) == 2
        told = capsys.readouterr().err
        assert f"{option} means nothing to the engine novelty: leave one of them out" in told

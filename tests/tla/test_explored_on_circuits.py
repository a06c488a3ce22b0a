"""Modules that take long are explored on circuits: the answer is that of their values."""

from __future__ import annotations

import itertools
import re
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest.mock import Mock

import pytest

from leadline.symbolic.bits import NoCircuits, Search, divided
from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, Interrupted, Query, Verdict, answer
from leadline.symbolic.engines.ask.query import Listener
from leadline.symbolic.engines.ask.result import Cause, Progress, Stop
from leadline.symbolic.engines.explore import specifications
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.explore import ExploreOptions, searched
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.runs import Takers
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, time_stop, worth
from leadline.symbolic.engines.run.parallel import answer_here
from leadline.symbolic.lang import InternalError, Mistake, Model, ModelError, Span
from leadline.symbolic.meaning import Exploration, Explorer
from leadline.symbolic.tla import learning, origin, outline
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.engines.explorers import on_circuits
from tests.tla.asking import Tlc
from tests.tla.modules import ALL
from tests.tla.random_modules import MODULES

WITHOUT_MODEL = """---- MODULE Odd ----
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Low == TLCGet("level") < 100
====
"""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search on values takes long."""
    monkeypatch.setattr(specifications, "SHORT", -1.0)


def explored(
    folder: Path, module: str, config: str, by: str | None = None, workers: int = 1
) -> tuple[Answer, ExploreFacts]:
    path = folder / f"{module.split()[2]}.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text(config)
    model = model_on_values(find(str(path)), {})
    asked = Query(str(path), {}, None, ExploreOptions(by=by, parallel=workers), deadlock=True)
    found = answer(model, asked)
    return found, found.told(ExploreFacts)


TLC = {"Mailbox": (17, 6), "Stock": (160, 7), "Climb": (10, 9), "Tables": (1_088, 2), "Sack": (160, 8)}
"""TLC's number of states and the depth of their graph in steps. It refuses Votes, for an EXCEPT of a tuple."""


@pytest.mark.parametrize("name", ALL)
def test_both_explorers_answer_alike(name: str, tmp_path: Path, at_once: None) -> None:
    module, config = ALL[name]
    found, facts = explored(tmp_path, module, config)
    expected, by_values = explored(tmp_path, module, config, "values")
    assert (facts.by, by_values.by) == ("circuits", "values")
    assert (facts.states, facts.diameter) == TLC.get(name, (by_values.states, by_values.diameter))
    assert list(facts.states_within_steps) == list(by_values.states_within_steps)
    assert (facts.deadlocks, facts.complete) == (by_values.deadlocks, by_values.complete)
    verdicts = [(one.property, one.verdict, one.steps) for one in expected.results]
    assert [(one.property, one.verdict, one.steps) for one in found.results] == verdicts
    assert facts.actions == by_values.actions


def test_a_search_on_values_goes_on_where_circuits_give_nothing(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []
    tried: list[Limits] = []
    search = specifications.explore_specification

    def counted(behaviour: Any, options: ExploreOptions, *more: Any, **named: Any) -> Answer:
        begun.append(options.coverage)
        return search(behaviour, options, *more, **named)

    def nothing(*asked: Any) -> None:
        tried.append(asked[4])
        raise NoCircuits("none")

    monkeypatch.setattr(specifications, "explore_specification", counted)
    monkeypatch.setattr(specifications, "_on_circuits", nothing)
    _, facts = explored(tmp_path, *ALL["Stock"])
    assert facts.by == "values" and facts.states == TLC["Stock"][0]
    assert begun.count(False) == len(tried) == 1


def test_circuits_are_begun_while_initial_states_are_listed(tmp_path: Path, at_once: None) -> None:
    """Values would try eight billion candidates."""
    module = r"""---- MODULE Sparse ----
EXTENDS Naturals
VARIABLES x, y, z
Init == x \in 1..2000 /\ y \in 1..2000 /\ z \in 1..2000 /\ x = 2000 /\ y = x /\ z = y
Next == x > 1995 /\ x' = x - 1 /\ UNCHANGED <<y, z>>
====
"""
    _, facts = explored(tmp_path, module, "INIT Init NEXT Next")
    assert (facts.by, facts.states, facts.deadlocks) == ("circuits", 6, 1)


def test_circuits_that_take_long_to_make_are_left(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(specifications, "MAKING", 1e-3)
    _, facts = explored(tmp_path, *ALL["Stock"])
    assert (facts.by, facts.states) == ("values", TLC["Stock"][0])


def test_a_fault_of_circuits_is_told(tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def departs(*_: object) -> None:
        raise InternalError("a counterexample does not replay")

    monkeypatch.setattr(specifications, "_last", departs)
    with pytest.raises(InternalError, match="does not replay"):
        explored(tmp_path, *ALL["Stock"])


def test_wider_circuits_may_take_as_long_as_values_would_to_the_states_found(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leader election had 136,224 states by values, 2.6 million by circuits, and wider ones took 5 s to make."""
    allowed, known = list[float](), list[int]()
    real = specifications._on_circuits

    def noted(most: float) -> Any:
        allowed.append(most)
        return worth(most)

    def twice(model: Model, limits: Limits, put: Callable[[Model, Limits], Answer]) -> Any:
        yield model, put(model, limits)
        yield model, put(model, limits)

    def begun(specification: Any, those: specifications.Known, *more: Any) -> Answer | None:
        known.append(len(those.states))
        return real(specification, those, *more)

    monkeypatch.setattr(specifications, "worth", noted)
    monkeypatch.setattr(specifications, "widened_answers", twice)
    monkeypatch.setattr(specifications, "_on_circuits", begun)
    _, facts = explored(tmp_path, *ALL["Stock"])
    assert (facts.by, facts.states) == ("circuits", TLC["Stock"][0])
    wider = specifications.MAKING * facts.states / known[0]
    assert wider > specifications.MAKING and allowed == [specifications.MAKING, specifications.MAKING, wider]


def test_a_limit_that_ends_circuits_early_leaves_what_values_found(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Search, "run", full)
    _, facts = explored(tmp_path, *ALL["Stock"])
    assert (facts.by, facts.complete, facts.states) == ("values", True, TLC["Stock"][0])


def test_a_limit_on_time_leaves_what_circuits_found(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit ends the search on circuits; that on values, which waits around it, has the same end."""
    by_circuits, _ = explored(tmp_path, *ALL["Stock"])
    ends: list[Stop | None] = []

    def until_the_end(*given: Any) -> Answer:
        ends.append(searched(given[4], lambda: time.sleep(60)))
        time.sleep(0.1)  # to tell what was found takes a moment
        return by_circuits

    monkeypatch.setattr(specifications, "_on_circuits", until_the_end)
    model = model_on_values(find(str(tmp_path / "Stock.tla")), {})
    found = answer(model, Query("Stock", {}, None, ExploreOptions(), deadlock=True), Limits(seconds=3))
    assert [stop and stop.cause for stop in ends] == [Cause.TIME]
    assert found.told(ExploreFacts) == by_circuits.told(ExploreFacts)


def test_a_limit_on_time_ends_the_making_of_the_model(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Telling what circuits have found may take longer, but nothing is found yet."""
    left: list[float] = []

    def learn(*_: object) -> None:
        left.append(signal.getitimer(signal.ITIMER_REAL)[0])
        raise TimeIsOver

    monkeypatch.setattr(origin.TlaOrigin, "learn", learn)
    explored(tmp_path, *ALL["Stock"], "values")
    model = model_on_values(find(str(tmp_path / "Stock.tla")), {})
    found = answer(model, Query("Stock", {}, None, ExploreOptions(), deadlock=True), Limits(seconds=60))
    assert found.told(ExploreFacts).by == "values"
    assert len(left) == 1 and left[0] <= 60


def test_the_making_of_the_model_is_part_of_the_time(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the search on circuits went on after the end of the time, and what it had found was lost."""
    left: list[float | None] = []
    learn = origin.TlaOrigin.learn

    def long(*given: Any) -> None:
        learn(*given)
        time.sleep(1)

    def asked(_: object, limits: Limits, __: object) -> NoReturn:
        left.append(limits.seconds)
        raise NoCircuits("none")

    monkeypatch.setattr(origin.TlaOrigin, "learn", long)
    monkeypatch.setattr(specifications, "widened_answers", asked)
    explored(tmp_path, *ALL["Stock"], "values")
    model = model_on_values(find(str(tmp_path / "Stock.tla")), {})
    answer(model, Query("Stock", {}, None, ExploreOptions(), deadlock=True), Limits(seconds=60))
    assert len(left) == 1 and left[0] is not None and left[0] <= 59


@pytest.mark.parametrize("while_made", [False, True])
def test_a_limit_that_comes_before_wider_types_leaves_what_circuits_found(
    while_made: bool, tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raft with three nodes had 131,766 states by values, and 1.8 million by circuits that a run had left."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    text = "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nInit == x \\in 0..3\n"
    text += "Next == x' = x + 1 /\\ x < 99\nLow == x < 200\n====\n"
    (tmp_path / "Long.tla").write_text(text)
    (tmp_path / "Long.cfg").write_text("INIT Init NEXT Next INVARIANT Low CHECK_DEADLOCK FALSE")
    model = model_on_values(find(str(tmp_path / "Long.tla")), {})
    if while_made:
        monkeypatch.setattr(origin.TlaOrigin, "widened", lambda *_: time.sleep(60))
    else:
        monkeypatch.setattr(Limits, "after", lambda *_: None)
    found = answer(model, Query("Long", {}, None, ExploreOptions()), Limits(seconds=3 if while_made else 60))
    facts = found.told(ExploreFacts)
    assert (facts.by, facts.steps_out_of_bounds, facts.complete) == ("circuits", 0, False)
    assert facts.stopped is not None and "when a run had left the types" in facts.stopped
    assert 1 < facts.states < 100
    assert [one.cause for one in found.results] == [Cause.TIME]


def test_a_limit_that_comes_before_wider_types_leaves_the_steps_within_the_types(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All states within the types were found, and told as all reachable states, though x = 4 was not one."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    text = "---- MODULE Left ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x \\in 0..3 /\\ y = FALSE\n"
    text += (
        "Next == (y' = TRUE /\\ x' = 0) \\/ (x' = x + 1 /\\ x < 99 /\\ UNCHANGED y)\nLow == x < 200\n====\n"
    )
    (tmp_path / "Left.tla").write_text(text)
    (tmp_path / "Left.cfg").write_text("INIT Init NEXT Next INVARIANT Low CHECK_DEADLOCK FALSE")
    model = model_on_values(find(str(tmp_path / "Left.tla")), {})
    monkeypatch.setattr(Limits, "after", lambda *_: None)
    asked = Query("Left", {}, None, ExploreOptions(by="circuits"))
    facts = answer(model, asked, Limits(seconds=60)).told(ExploreFacts)
    assert (facts.states, facts.complete, facts.steps_out_of_bounds) == (8, False, 0)
    assert (facts.diameter, facts.states_within_steps) == (0, [4])


def test_an_interrupted_search_counts_the_actions_of_the_module(tmp_path: Path, at_once: None) -> None:
    """A branch of IF is an action of the model alone: --fail-fast showed Move twice, one of them never taken."""
    text = "---- MODULE Branch ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    text += "Move == IF x < 50 THEN x' = x + 1 ELSE \\E n \\in {50, 51} : x < n /\\ x' = n + 1\n"
    text += "Next == Move\nLow == x < 99\n====\n"
    (tmp_path / "Branch.tla").write_text(text)
    (tmp_path / "Branch.cfg").write_text("INIT Init NEXT Next INVARIANT Low CHECK_DEADLOCK FALSE")
    model = model_on_values(find(str(tmp_path / "Branch.tla")), {})

    def at_ten(progress: Progress) -> None:
        if progress.depth == 10:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        answer(model, Query("Branch", {}, None, ExploreOptions()), listener=Listener(at_ten))
    facts = caught.value.answer.told(ExploreFacts)
    assert (facts.by, facts.states) == ("circuits", 11)
    assert facts.actions == {"Move": 10}


def test_an_interrupted_search_has_no_run_that_only_leaves_the_types(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module has a step where the types have none: --fail-fast ended with a fault of Leadline's."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    text = "---- MODULE Leaves ----\nEXTENDS Naturals\nVARIABLES x, f\n"
    text += "Init == x \\in 0..3 /\\ f = [i \\in 1..9 |-> FALSE]\n"
    text += "Next == \\/ x' = x + 1 /\\ x < 99 /\\ UNCHANGED f\n"
    text += (
        "        \\/ \\E i \\in 1..9 : f' = [f EXCEPT ![i] = TRUE] /\\ UNCHANGED x\nLow == x < 200\n====\n"
    )
    (tmp_path / "Leaves.tla").write_text(text)
    (tmp_path / "Leaves.cfg").write_text("INIT Init NEXT Next INVARIANT Low")
    model = model_on_values(find(str(tmp_path / "Leaves.tla")), {})

    def at_two(progress: Progress) -> None:
        if progress.depth == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        answer(model, Query("Leaves", {}, None, ExploreOptions(by="circuits")), listener=Listener(at_two))
    told = caught.value.answer
    assert told.runs == [] and {one.verdict for one in told.results} == {Verdict.UNKNOWN}


def test_types_for_circuits_hold_the_states_that_are_known(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    path = tmp_path / "Climb.tla"
    path.write_text(ALL["Climb"][0])
    path.with_suffix(".cfg").write_text(ALL["Climb"][1])
    specification = Source(path).load({})
    explorer = Explorer(Behaviour(specification))
    explorer.run()
    learned = origin.TlaOrigin(specification, {})
    learned.learn(explorer.order)
    found = on_circuits(learned.model())
    assert found.complete and list(found.states_within_steps) == list(explorer.within)


def test_a_message_tells_the_limit_that_was_given() -> None:
    left = Limits(90).after(70)
    assert left is not None and (left.seconds, left) == (20, Limits(20))
    again = left.after(5)
    assert again is not None and time_stop(again).text == "time: stopped after 90 s"


def test_a_module_without_a_model_stays_on_values(tmp_path: Path, at_once: None) -> None:
    _, facts = explored(tmp_path, WITHOUT_MODEL, "INIT Init NEXT Next INVARIANT Low")
    assert (facts.by, facts.states) == ("values", 4)


DELIVERED = r"""---- MODULE Delivered ----
EXTENDS Naturals
VARIABLES sent, done, past
Is(m, kind) == m \in sent /\ m.kind = kind /\ sent' = sent \ {m}
Send == \E k \in {"ask", "tell"} : done < 3 /\ sent' = sent \cup {[kind |-> k, no |-> done]} /\ done' = done + 1
Answer(m) == Is(m, "ask") /\ done' = done
Hear(m) == m.no < 3 /\ Is(m, "tell") /\ UNCHANGED done
Init == sent = {} /\ done = 0 /\ past = {}
Next == /\ Send \/ \E m \in sent : (m.no >= 0 /\ Answer(m)) \/ Hear(m)
                \/ (done = 3 /\ sent' = {} /\ UNCHANGED done)
        /\ past' = past \cup sent
====
"""


def test_actions_have_the_names_of_the_interpreter(tmp_path: Path, at_once: None) -> None:
    """Also where an operator that takes the message begins one, behind a guard, with history, or beside others."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE"
    _, facts = explored(tmp_path, DELIVERED, config)
    _, by_values = explored(tmp_path, DELIVERED, config, "values")
    assert (facts.by, facts.actions) == ("circuits", by_values.actions)
    assert list(facts.actions) == ["Send", "Answer", "Hear", "Next"] and all(facts.actions.values())


LARGEST = r"""---- MODULE Largest ----
EXTENDS Naturals, FiniteSets
VARIABLES sent, chosen
Init == sent = {} /\ chosen = 0
Send == \E m \in [bal : 0..3, val : 0..3] : Cardinality(sent) < 2 /\ sent' = sent \cup {m} /\ chosen' = chosen
Choose == \E m \in sent : \A k \in sent, i \in 0..1 :
  /\ m.bal >= k.bal + i - 1
  /\ IF m.bal = 0 THEN \E v \in 1..2 : chosen' = v ELSE chosen' = m.val
  /\ UNCHANGED sent
Clear == (\A k \in sent : k.bal > 1 /\ chosen' = 3) /\ sent' = {} /\ sent # {}
Next == Send \/ Choose \/ Clear
====
"""


def test_assignments_that_are_the_same_for_all_elements(tmp_path: Path, at_once: None) -> None:
    """The number of states is TLC's. Each of 16 messages may be in the set or not."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE"
    _, facts = explored(tmp_path, LARGEST, config)
    _, by_values = explored(tmp_path, LARGEST, config, "values")
    assert (facts.by, facts.states, len(facts.states_within_steps)) == ("circuits", 456, 5)
    assert facts.actions == by_values.actions


def test_a_short_search_is_on_values(tmp_path: Path) -> None:
    _, facts = explored(tmp_path, *ALL["Climb"])
    assert facts.by == "values"


# -- SYMMETRY and VIEW --------------------------------------------------------------------------------

VOTES = r"""---- MODULE Reduced ----
EXTENDS Naturals
CONSTANTS N, V
VARIABLES voted, sent, clock
Init == voted = [n \in N |-> {}] /\ sent = {} /\ clock = 0
Vote(n, v) == voted[n] = {} /\ voted' = [voted EXCEPT ![n] = {v}]
              /\ sent' = sent \cup {[from |-> n, val |-> v]} /\ clock' = (clock + 1) % 3
Forget(n) == voted[n] # {} /\ voted' = [voted EXCEPT ![n] = {}] /\ UNCHANGED sent /\ clock' = (clock + 2) % 3
Next == \E n \in N : Forget(n) \/ \E v \in V : Vote(n, v)
Late == clock = 2 /\ UNCHANGED <<voted, sent>> /\ clock' = 0
Timely == Next \/ Late
Sooner == clock = 2 /\ sent' = {} /\ UNCHANGED <<voted, clock>>
Settling == Next \/ Sooner
Ageing == (clock < 2 /\ \E n \in N, v \in V : Vote(n, v)) \/ (clock = 2 /\ \E n \in N : Forget(n))
Most == CHOOSE n \in N : \A m \in N : Cardinality(voted[m]) <= Cardinality(voted[n])
Counting == Next \/ (clock = 1 /\ Cardinality(voted[Most]) = 1 /\ clock' = 2 /\ UNCHANGED <<voted, sent>>)
Draw(n, v) == voted[n] = {} /\ voted' = [voted EXCEPT ![n] = {v}] /\ UNCHANGED sent /\ clock' \in {0, 1}
Drawn == (\E n \in N, v \in V : Draw(n, v)) \/ (clock = 1 /\ \E n \in N : Forget(n))
Again(n) == sent' = sent \cup {[from |-> n, val |-> v] : v \in voted[n]} /\ UNCHANGED <<voted, clock>>
Repeating == Next \/ Again(Most)
Marking == Next \/ (\E v \in V : sent' = sent \cup {[from |-> Most, val |-> v]} /\ UNCHANGED <<voted, clock>>)
Sent == voted[Most] \subseteq {m.val : m \in {x \in sent : x.from = Most}}
Symmetry == Permutations(N) \cup Permutations(V)
OfNodes == Permutations(N)
View == <<sent, voted>>
Shown == sent
Some == \A m \in sent : m.val \in V
AllVoted == \E n \in N : voted[n] = {}
Soon == clock < 2
Grows == [][sent \subseteq sent']_sent
Stays == [][\A n \in N : voted[n] \subseteq voted'[n]]_voted
Tells == \A n \in N : (voted[n] # {}) ~> (\E m \in sent : m.from = n)
====
""".replace("EXTENDS Naturals", "EXTENDS Naturals, FiniteSets, TLC")
REDUCED = {
    "symmetry": ("Next", "SYMMETRY Symmetry INVARIANT Some", 65),
    "of one set": ("Next", "SYMMETRY OfNodes INVARIANT AllVoted", 120),
    "symmetry, with claims about runs": ("Next", "SYMMETRY Symmetry PROPERTIES Grows Stays Tells", 65),
    "symmetry, with a choice that does not show": ("Counting", "SYMMETRY Symmetry INVARIANT AllVoted", 173),
    "symmetry, with choices that show elsewhere": ("Repeating", "SYMMETRY Symmetry INVARIANT Sent", 65),
    "symmetry of values that no variable has": ("Late", "SYMMETRY Symmetry INVARIANT Some", 1),
    "view": ("Next", "VIEW View INVARIANT Some", 512),
    "view of states that symmetry takes for one": ("Next", "VIEW View SYMMETRY Symmetry INVARIANT Some", 65),
    "view that leaves out what guards read": ("Timely", "VIEW View INVARIANT Some", 512),
    "view that leaves out what changes it": ("Settling", "VIEW View", 992),
    "view that leaves out what an invariant reads": ("Next", "VIEW View INVARIANT Soon", 512),
    "both, which leave out what guards read": ("Ageing", "VIEW View SYMMETRY OfNodes INVARIANT Soon", 79),
}
"""The steps, further lines of the configuration, and the states that TLC finds where it asks no invariant."""
HEAD = "INIT Init CONSTANTS N = {n1, n2, n3} V = {v1, v2} CHECK_DEADLOCK FALSE "


@pytest.mark.parametrize("name", REDUCED)
def test_symmetry_and_view_have_the_numbers_of_values(name: str, tmp_path: Path, at_once: None) -> None:
    steps, lines, states = REDUCED[name]
    config = f"{HEAD} NEXT {steps} {lines}"
    found, facts = explored(tmp_path, VOTES, config)
    expected, by_values = explored(tmp_path, VOTES, config, "values")
    assert (facts.by, facts.states) == ("circuits", states)
    assert replace(facts, by="values", by_values_since=None) == by_values
    told = [(one.property, one.verdict, one.steps, one.reason) for one in expected.results]
    assert [(one.property, one.verdict, one.steps, one.reason) for one in found.results] == told


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        ("Drawn", "VIEW View"),  # states of a level have the same view, and differ in what guards read
        ("Drawn", "VIEW View SYMMETRY OfNodes"),
        ("Next", "VIEW Shown SYMMETRY OfNodes"),  # the symmetry moves what the view leaves out
        ("Marking", "SYMMETRY Symmetry"),  # a choice shows in a reachable state
        ("Next", "VIEW View PROPERTY Stays"),
    ],
)
def test_states_that_depend_on_the_order_of_the_search_stay_on_values(
    steps: str, lines: str, tmp_path: Path, at_once: None
) -> None:
    _, facts = explored(tmp_path, VOTES, f"{HEAD} NEXT {steps} {lines}")
    assert facts.by == "values"


def test_no_circuits_are_made_where_symmetry_moves_what_the_view_leaves_out(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr(origin.TlaOrigin, "learn", lambda *known: made.append(known))
    _, facts = explored(tmp_path, VOTES, f"{HEAD} NEXT Next VIEW Shown SYMMETRY OfNodes")
    assert (facts.by, made) == ("values", [])


MANY_FAIR = """---- MODULE Fair ----
EXTENDS Naturals
VARIABLE x
Step(i) == x = i /\\ x' = (x + 1) % 65
Spec == x = 0 /\\ [][\\E i \\in 0..64 : Step(i)]_x /\\ \\A i \\in 0..64 : WF_x(Step(i))
Low == []<>(x = 0)
Less == [][x' < 65]_x
====
"""


def test_no_circuits_are_made_where_steps_have_too_few_notes(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    learn = origin.TlaOrigin.learn
    monkeypatch.setattr(origin.TlaOrigin, "learn", lambda own, known: made.append(learn(own, known)))
    found, facts = explored(tmp_path, MANY_FAIR, "SPECIFICATION Spec PROPERTY Low")
    assert (facts.by, facts.states, found.results[0].verdict, made) == ("values", 65, Verdict.SAFE, [])
    _, facts = explored(tmp_path, MANY_FAIR, "SPECIFICATION Spec PROPERTY Less")
    assert (facts.by, len(made)) == ("circuits", 1)


def test_runs_through_more_states_than_the_limit_are_looked_at_on_values(
    tmp_path: Path, at_once: None
) -> None:
    path = tmp_path / "Reduced.tla"
    path.write_text(VOTES)
    path.with_suffix(".cfg").write_text(f"{HEAD} NEXT Next SYMMETRY Symmetry PROPERTIES Grows Tells")
    model = model_on_values(find(str(path)), {})
    found = answer(model, Query(str(path), {}, None, ExploreOptions(max_states=100), deadlock=False))
    facts = found.told(ExploreFacts)
    assert (facts.by, facts.states, facts.complete) == ("values", 65, True)


@pytest.mark.parametrize("name", [*ALL, "Reduced"])
def test_a_proof_exchanges_members_without_a_symmetry(
    name: str, tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the states, verdicts and lengths of a search through all states, and looks at fewer."""
    module, config = ALL.get(name, (VOTES, f"{HEAD} NEXT Repeating INVARIANTS Some AllVoted Sent Soon"))
    path = tmp_path / f"{module.split()[2]}.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text(config)
    sizes = list[int]()

    def counted(explorer: CircuitExplorer, *stopped: str | None, stuck: bool) -> Exploration:
        found = summary(explorer, *stopped, stuck=stuck)
        sizes.append(explorer.search.size)
        return found

    summary = CircuitExplorer.summary
    monkeypatch.setattr(CircuitExplorer, "summary", counted)
    query = Query(str(path), {}, None, ExploreOptions(prove=True), deadlock=True)
    reduced = answer(model_on_values(find(str(path)), {}), query)
    monkeypatch.setattr(specifications, "MOST_UNASKED", 1)
    whole = answer(model_on_values(find(str(path)), {}), query)
    facts = [one.told(ExploreFacts) for one in (reduced, whole)]
    assert facts[0].by == "circuits"
    assert (facts[0].by, facts[0].states, facts[0].states_within_steps) == (
        facts[1].by,
        facts[1].states,
        facts[1].states_within_steps,
    )
    told = [[(x.property, x.verdict, x.steps, x.reason) for x in one.results] for one in (reduced, whole)]
    assert told[0] == told[1]
    if name == "Reduced":
        assert sizes[0] < sizes[-1] == facts[0].states


def test_members_that_a_module_names_are_not_exchanged(tmp_path: Path, at_once: None) -> None:
    module = VOTES.replace("Vote(n, v) ==", "Vote(n, v) == n # First /\\")
    config = f"{HEAD} NEXT Next SYMMETRY Symmetry"
    module = module.replace("CONSTANTS N, V", "CONSTANTS N, V, First")
    _, facts = explored(tmp_path, module, f"{config} CONSTANT First = n1")
    assert facts.by == "values" and facts.symmetry is not None


def test_init_may_name_members_that_are_exchanged(tmp_path: Path, at_once: None) -> None:
    """TLC finds 46 states."""
    module = VOTES.replace("sent = {} /\\", "sent = {[from |-> First, val |-> v] : v \\in V} /\\")
    module = module.replace("CONSTANTS N, V", "CONSTANTS N, V, First")
    config = f"{HEAD} NEXT Next SYMMETRY Symmetry CONSTANT First = n1"
    _, facts = explored(tmp_path, module, config)
    _, by_values = explored(tmp_path, module, config, "values")
    assert (facts.by, facts.symmetry, by_values.symmetry) == ("circuits", None, None)
    assert facts.states == by_values.states == 46
    assert list(facts.states_within_steps) == list(by_values.states_within_steps)


def test_a_proof_looks_at_every_state_where_members_are_told_apart(tmp_path: Path, at_once: None) -> None:
    path = tmp_path / "Reduced.tla"
    module = VOTES.replace("CONSTANTS N, V", "CONSTANTS N, V, First")
    path.write_text(module.replace("m.val \\in V", "m.from # First").replace("====", "Wide == TRUE\n===="))
    path.with_suffix(".cfg").write_text(
        f"{HEAD} NEXT Next SYMMETRY Symmetry INVARIANTS Some Wide CONSTANT First = n1"
    )
    model = model_on_values(find(str(path)), {})
    found = answer(model, Query(str(path), {}, None, ExploreOptions(prove=True), deadlock=False))
    facts = found.told(ExploreFacts)
    told = "SYMMETRY is not used, and each of the states that it takes for one is counted: the module tells values"
    assert facts.by == "circuits" and (facts.symmetry or "").startswith(told)
    some, wide = found.results
    assert (some.verdict, some.steps, wide.verdict) == (Verdict.VIOLATED, 1, Verdict.PROVED)
    assert (wide.reason or "").endswith("explored, without SYMMETRY")


def test_a_type_too_large_for_symmetry_is_told_as_no_mistake(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Reduced.tla"
    path.write_text(VOTES)
    path.with_suffix(".cfg").write_text(f"{HEAD} NEXT Next SYMMETRY Symmetry INVARIANT Some")
    large = ModelError([Mistake(Span("Reduced.tla", 7), "a type is too large")])
    monkeypatch.setattr(origin.TlaOrigin, "taking_for_one", Mock(side_effect=large))
    model = model_on_values(find(str(path)), {})
    found = answer(model, Query(str(path), {}, None, ExploreOptions(prove=True), deadlock=False))
    told = found.told(ExploreFacts).symmetry or ""
    assert told.endswith("is counted: Reduced.tla:7: a type is too large")


ROUND = """---- MODULE Round ----
EXTENDS Naturals
VARIABLES x, up
Init == x = 0 /\\ up = TRUE
Next == \\/ x' = (x + 1) % 13 /\\ up' = (x # 5)
        \\/ x = 7 /\\ up' = ~up /\\ UNCHANGED x
Spec == Init /\\ [][Next]_<<x, up>> /\\ WF_x(Next /\\ x' # x)
Comes == \\A i \\in 0..12 : []<>(x = i)
Comes12 == Comes /\\ []<>(x = 7 /\\ ~up)
====
"""


def test_a_claim_about_many_values_is_guessed_once(tmp_path: Path, at_once: None) -> None:
    """A guess for each of the values would be one of 13 * 2^13 choices, and no step is encoded for so many."""
    config = "SPECIFICATION Spec\nPROPERTIES Comes Comes12\n"
    found, facts = explored(tmp_path, ROUND, config)
    assert facts.by == "circuits"
    assert [x.verdict for x in found.results[:2]] == [Verdict.SAFE, Verdict.VIOLATED]


TWINS = """---- MODULE Twins ----
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Up == x < 3 /\\ x' = x + 1 /\\ y' \\in {0, 1}
Twin == x \\in {1, 2} /\\ x' = x + 1 /\\ y' = 0
Down == x > 0 /\\ x' = 0 /\\ UNCHANGED y
Turn == y' = 1 - y /\\ UNCHANGED x
May == y' \\in {0, 1} /\\ UNCHANGED x
Next == Up \\/ Twin \\/ Down \\/ Turn \\/ May
All == WF_vars(Next)
Most == WF_vars(Up) /\\ SF_vars(Twin)
Parts == SF_vars(Up) /\\ \\A i \\in 0..1 : SF_vars(x = i + 1 /\\ Up)
Staying == WF_vars(May)
Beside == SF_x(Up) /\\ SF_vars(x = 2 /\\ x' = 3 /\\ UNCHANGED y)
Spec == Init /\\ [][Next]_vars /\\ FAIR
Moves == <>(x > 0)
Tops == []<>(x = 3)
Turns == []<>(y = 1)
====
"""


@pytest.mark.parametrize(
    ("fair", "known"),
    [("All", 1), ("Most", 2), ("Parts", 1), ("Staying", 1), ("Beside", 0)],
    ids=lambda x: str(x),
)
def test_steps_take_fair_actions(tmp_path: Path, at_once: None, fair: str, known: int) -> None:
    """A condition whose steps are those of the machine needs no formula for each step; others have theirs."""
    module, config = TWINS.replace("FAIR", fair), "SPECIFICATION Spec\nPROPERTIES Moves Tops Turns\n"
    found, _ = explored(tmp_path, module, config)
    expected, _ = explored(tmp_path, module, config, "values")
    assert [one.verdict for one in found.results] == [one.verdict for one in expected.results]
    model = model_of(find(str(tmp_path / "Twins.tla")), {})
    explorer = CircuitExplorer(Semantics(model), [], None, lambda _: None, None)
    explorer.run()
    claims = [one.temporal for one in model.properties.values() if one.temporal is not None]
    assert [len(Takers(explorer.search, one).leaves) for one in claims] == [known] * 3


STAIRS = """---- MODULE Stairs ----
EXTENDS Naturals, Sequences
VARIABLES x, q
Init == x \\in {0, 1} /\\ q = <<>>
Next == /\\ x < 40
        /\\ x' = x + 1
        /\\ q' = IF x = 8 THEN <<1>> ELSE q
Grows == [][x' > x]_x
Stops == [][x' # 6]_<<x, q>>
Zero == x = 0 /\\ [][x' # 20]_x
Small == [](x < 15) /\\ [][x' # 20]_x
Heads == [][Head(q) = x - 12 /\\ x < 30]_x
Later == [][x # 12 \\/ Head(Tail(q)) = 1]_x
====
"""
LEVELS = {"Stops": 5, "Zero": 0, "Small": 14, "Heads": 9}
"""The claims that are violated, each with the length of its shortest counterexample."""


@pytest.mark.parametrize(
    ("make", "by", "workers"),
    [
        (model_of, "circuits", 1),
        (model_of, "circuits", 2),
        (model_of, "values", 1),
        (model_on_values, "values", 1),
    ],
)
def test_claims_about_steps(
    make: Callable[..., Model], by: str, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On circuits a violation is told with the state before it; a step without a value hides none after it."""
    monkeypatch.setattr(divided, "ALONE", 4)
    path = tmp_path / "Stairs.tla"
    path.write_text(STAIRS)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTIES Grows Stops Zero Small Heads Later")
    told: list[tuple[str, int]] = []
    depth = 0

    def progress(now: Progress) -> None:
        nonlocal depth
        depth = now.depth

    listener = Listener(progress, done=lambda one: told.append((one.property, depth)))
    asked = Query(str(path), {}, None, ExploreOptions(by=by, parallel=workers), deadlock=False)
    found = answer_here(make(find(str(path)), {}), asked, listener)
    verdicts = {one.property: (one.verdict, one.steps) for one in found.results}
    assert {name: steps for name, (one, steps) in verdicts.items() if one is Verdict.VIOLATED} == LEVELS
    # Head(Tail(q)) has no value.
    assert verdicts["Later"] == (Verdict.OUT_OF_BOUNDS, 12) and verdicts["Grows"][0] is Verdict.SAFE
    assert found.told(ExploreFacts).diameter == 39
    if by == "circuits":
        assert dict(told) == {"Zero": 0, "Stops": 4, "Heads": 8, "Small": 14}


STILL = """---- MODULE Still ----
EXTENDS Naturals
VARIABLE x
Init == x \\in {0, 1}
Next == FALSE /\\ x' = 2
Zero == x = 0 /\\ [][x' > x]_x
Grows == [][x' > x]_x
ForNone == \\A k \\in {} : <>(x = k)
Empty == \\A y \\in {} : [][FALSE]_x
====
"""


def test_claims_about_steps_of_a_model_without_any(tmp_path: Path, at_once: None) -> None:
    found, facts = explored(tmp_path, STILL, "INIT Init NEXT Next PROPERTIES Zero Grows ForNone Empty")
    assert facts.by == "circuits"
    told = [(one.verdict, one.steps) for one in found.results]
    assert told[:4] == [(Verdict.VIOLATED, 0), *[(Verdict.SAFE, None)] * 3]


def test_circuits_alone_have_symmetry_and_view_too(tmp_path: Path) -> None:
    name = "both, which leave out what guards read"
    steps, lines, states = REDUCED[name]
    _, facts = explored(tmp_path, VOTES, f"{HEAD} NEXT {steps} {lines}", "circuits")
    assert (facts.by, facts.states) == ("circuits", states)
    with pytest.raises(NoCircuits, match="a VIEW together with temporal properties, which needs --by values"):
        explored(tmp_path, VOTES, f"{HEAD} NEXT Next VIEW View PROPERTY Tells", "circuits")


def is_reduced(seed: int) -> bool:
    """Whether a random module has a SYMMETRY or VIEW, and a symbolic form: no string is used as a sequence."""
    body, config = MODULES.module(seed)
    return bool(re.search("SYMMETRY|VIEW", config)) and not re.search(r"RandomElement|Len\(s\)", body)


REDUCING = [row for row in MODULES.rows() if row[3] is not None and is_reduced(row[0])]


@pytest.mark.parametrize(
    "row",
    [pytest.param(x, marks=pytest.mark.slow if i % 12 else []) for i, x in enumerate(REDUCING)],
    ids=str,
)
def test_random_modules_have_tlcs_states(row: list[Any], tmp_path: Path, at_once: None) -> None:
    told = Tlc(*row)
    body, config = MODULES.module(told.seed)
    _, facts = explored(tmp_path, f"---- MODULE M ----\n{body}\n====\n", config)
    assert (facts.by, facts.states, facts.complete or facts.all_views) == ("circuits", told.distinct, True)


CHOSEN = r"""---- MODULE Chosen ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Replica, Value
VARIABLES leader, log, acked, order
Sequences == {f \in [1..Cardinality(Value) -> Value] : {f[i] : i \in DOMAIN f} = Value}
Init == /\ leader = CHOOSE r \in Replica : TRUE
        /\ log = [r \in Replica |-> {}]
        /\ acked = {}
        /\ order \in {f \in Sequences : f[1] = CHOOSE v \in Value : TRUE}
Put(v) == /\ v \notin log[leader] /\ log' = [log EXCEPT ![leader] = @ \cup {v}]
          /\ UNCHANGED <<leader, acked, order>>
Copy(r) == /\ log[leader] \ log[r] # {} /\ log' = [log EXCEPT ![r] = log[leader]]
           /\ UNCHANGED <<leader, acked, order>>
Ack(v) == /\ v \notin acked /\ 2 * Cardinality({r \in Replica : v \in log[r]}) > Cardinality(Replica)
          /\ acked' = acked \cup {v} /\ UNCHANGED <<leader, log, order>>
Fail(r) == r # leader /\ leader' = r /\ UNCHANGED <<log, acked, order>>
Next == (\E v \in Value : Put(v) \/ Ack(v)) \/ \E r \in Replica : Copy(r) \/ Fail(r)
Symmetry == Permutations(Replica) \cup Permutations(Value)
Kept == acked \subseteq log[leader]
====
"""
"""TLC finds 1,548 states; 16,164 without SYMMETRY."""


@pytest.mark.parametrize("by", ["values", "circuits"])
def test_a_symmetry_holds_where_init_chooses(by: str, tmp_path: Path) -> None:
    config = (
        "INIT Init NEXT Next CONSTANTS Replica = {r1, r2, r3} Value = {v1, v2, v3} "
        "INVARIANT Kept SYMMETRY Symmetry CHECK_DEADLOCK FALSE"
    )
    found, facts = explored(tmp_path, CHOSEN, config, by)
    assert (facts.by, facts.states, facts.diameter, facts.symmetry) == (by, 1548, 14, None)
    (run,) = found.runs
    assert (run.length, found.results[0].verdict) == (4, Verdict.VIOLATED)
    assert "r1" in str(run.initial)


# -- types that widen in the middle of a search -------------------------------------------------------

GROWING = r"""---- MODULE Growing ----
EXTENDS Naturals, Sequences, TLC
CONSTANT P
VARIABLES n, log, at, hidden
Init == n = 0 /\ log = <<>> /\ at = [p \in P |-> "none"] /\ hidden = 0
Step(p) == n < 12 /\ n' = n + 1 /\ at' = [at EXCEPT ![p] = n] /\ hidden' = hidden + 2
           /\ log' = IF n % 4 = 3 THEN Append(log, [by |-> p, no |-> n]) ELSE log
Next == \E p \in P : Step(p)
Symmetry == Permutations(P)
View == <<n, log, at>>
Low == n < 10
Comes == n = 3 ~> n < 20
====
"""


@pytest.fixture
def hardly_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter hardly runs ahead, so that types widen often."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", 0.0)
    for module, name in ((origin, "WALK"), (learning, "WALK"), (learning, "LONG_WALK")):
        monkeypatch.setattr(module, name, 2)


LINES = (
    "",
    "SYMMETRY Symmetry",
    "VIEW View",
    "SYMMETRY Symmetry VIEW View",
    "CONSTRAINT Low",
    "PROPERTY Comes",
)


@pytest.mark.parametrize(
    ("lines", "workers"),
    [
        *((lines, 1) for lines in LINES),
        *(pytest.param(lines, 2, marks=pytest.mark.slow) for lines in ("", "SYMMETRY Symmetry")),
    ],
)
def test_a_search_goes_on_where_types_widen(
    lines: str,
    workers: int,
    tmp_path: Path,
    at_once: None,
    hardly_ahead: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No state is looked at twice."""
    monkeypatch.setattr(divided, "ALONE", 4)
    went = []
    go_on = Search.go_on_from

    def spied(search: Search, other: Search, row: Sequence[int], outside: int) -> bool:
        went.append(go_on(search, other, row, outside))
        return went[-1]

    monkeypatch.setattr(Search, "go_on_from", spied)
    invariant = "" if "CONSTRAINT" in lines or "VIEW" in lines else "INVARIANT Low"
    config = f"INIT Init NEXT Next CONSTANT P = {{p1, p2}} CHECK_DEADLOCK FALSE {lines} {invariant}"
    found, facts = explored(tmp_path, GROWING, config, workers=workers)
    assert facts.by == "circuits" and went and all(went)
    expected, by_values = explored(tmp_path, GROWING, config, "values")
    assert replace(facts, by="values", by_values_since=None) == by_values
    told = [(one.property, one.verdict, one.steps) for one in expected.results]
    assert [(one.property, one.verdict, one.steps) for one in found.results] == told


def test_violations_stay_shortest_where_types_widen_in_a_divided_search(
    tmp_path: Path, at_once: None, hardly_ahead: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is violated first in a few states, and later in states of both processes."""
    monkeypatch.setattr(divided, "ALONE", 4)
    members = ("p1", "p2", "p3")
    claims = [(f"No{i}{p}", f"at[{p}] # {i}") for i in range(4) for p in members]
    defined = "".join(f"{name} == {one}\n" for name, one in claims)
    module = GROWING.replace("n < 12", "n < 6").replace("% 4 = 3", "% 2 = 1")
    module = module.replace("CONSTANT P", "CONSTANTS p1, p2, p3, P").replace("====", f"{defined}====")
    config = f"INIT Init NEXT Next CONSTANTS {' '.join(f'{p} = {p}' for p in members)} P = {{p1, p2, p3}}"
    config += f" INVARIANTS {' '.join(name for name, _ in claims)}"
    found, facts = explored(tmp_path, module, config, workers=2)
    assert facts.by == "circuits"
    steps = {one.property: one.steps for one in found.results}
    assert [steps[name] for name, _ in claims] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]


def test_circuits_are_left_where_types_widen_soon_and_they_take_long(
    tmp_path: Path, at_once: None, hardly_ahead: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later(specification: Any, known: specifications.Known, *more: Any) -> Answer | None:
        return tried(specification, known._replace(states=100 * list(known.states)), *more)

    tried = specifications._on_circuits
    monkeypatch.setattr(specifications, "_on_circuits", later)
    slow = SimpleNamespace(monotonic=time.monotonic, process_time=itertools.count(step=10).__next__)
    monkeypatch.setattr(specifications, "time", slow)
    config = "INIT Init NEXT Next CONSTANT P = {p1, p2} CHECK_DEADLOCK FALSE"
    _, facts = explored(tmp_path, GROWING, config)
    _, by_values = explored(tmp_path, GROWING, config, "values")
    assert (facts.by, facts.states) == ("values", by_values.states)


def test_a_violation_stays_where_memory_ends_as_types_widen(
    tmp_path: Path, at_once: None, hardly_ahead: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise MemoryError

    monkeypatch.setattr(Search, "go_on_from", full)
    config = "INIT Init NEXT Next CONSTANT P = {p1} INVARIANT Early CHECK_DEADLOCK FALSE"
    found, facts = explored(tmp_path, GROWING.replace("====", "Early == n < 1\n===="), config)
    assert [(one.verdict, one.steps) for one in found.results] == [
        (Verdict.VIOLATED, 1),
        (Verdict.UNKNOWN, None),
    ]
    assert facts.stopped is not None and facts.stopped.startswith("memory") and facts.states > 1


BOUNDED = r"""---- MODULE Bounded ----
EXTENDS Naturals, TLC
VARIABLES n, sent
vars == <<n, sent>>
Init == n = 0 /\ sent = <<>>
Up == n' = n + 1 /\ UNCHANGED sent
Put == sent' = sent @@ ([kind |-> IF n < 4 THEN "early" ELSE "late"] :> 1) /\ UNCHANGED n
Spec == Init /\ [][Up \/ Put]_vars /\ WF_vars(Put)
Low == n < 4
Follows == n = 3 ~> sent # <<>>
Wrong == n = 3 ~> (IF n = 3 THEN "none" ELSE 6) = 6
====
"""


def test_fairness_is_not_asked_of_states_beyond_a_constraint(tmp_path: Path) -> None:
    """Steps from these would leave the types."""
    config = "SPECIFICATION Spec CONSTRAINT Low PROPERTY Follows CHECK_DEADLOCK FALSE"
    found, facts = explored(tmp_path, BOUNDED, config, "circuits")
    assert found.results[0].verdict is Verdict.SAFE and facts.by == "circuits"


def test_circuits_leave_an_error_in_a_claim_about_runs_to_values(tmp_path: Path) -> None:
    config = "SPECIFICATION Spec CONSTRAINT Low PROPERTY Wrong CHECK_DEADLOCK FALSE"
    with pytest.raises(NoCircuits, match="out of bounds of its model: explore it with --by values"):
        explored(tmp_path, BOUNDED, config, "circuits")
    found, _ = explored(tmp_path, BOUNDED, config)
    assert (found.results[0].verdict, found.results[0].steps) == (Verdict.OUT_OF_BOUNDS, 3)


MANY = """---- MODULE Many ----
EXTENDS Naturals
VARIABLES x, y
Init == x \\in 1..60 /\\ y \\in 1..60
Next == x < 60 /\\ x' = x + 1 /\\ UNCHANGED y
====
"""


def test_listing_initial_states_on_values_ends_with_the_head_start(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(specifications._Exploring, "_level", lambda *_: pytest.fail("a level was explored"))
    _, facts = explored(tmp_path, MANY, "INIT Init NEXT Next")
    assert (facts.by, facts.states) == ("circuits", 3_600)


POINTERS = """---- MODULE Pointers ----
EXTENDS Naturals
VARIABLES next, far
Init == /\\ next \\in [1..3 -> 1..3]
        /\\ far \\in [1..3 -> 0..2]
        /\\ \\A i \\in 1..3 : far[i] > 0 => far[next[i]] < far[i]
Next == UNCHANGED <<next, far>>
====
"""


def test_initial_states_whose_condition_only_looks_undefined_are_listed_by_circuits(
    tmp_path: Path, at_once: None
) -> None:
    """A number of two bits may be no place of a function of three; none that is chosen is such."""
    _, facts = explored(tmp_path, POINTERS, "INIT Init NEXT Next", "circuits")
    _, by_values = explored(tmp_path, POINTERS, "INIT Init NEXT Next", "values")
    assert facts.states == by_values.states == 189


IMPLIED = """---- MODULE Implied ----
EXTENDS Naturals
VARIABLES x, y
Init == y \\in {0, 1} /\\ (y = 0 => x = 5) /\\ (y # 0 => x \\in {1, 2})
Set(v) == x' = v
Next == /\\ y' \\in 0..2
        /\\ y' = 0 => Set(4)
        /\\ y' # 0 => x' \\in {y', y' + 1}
        /\\ x > 100 => x' = 1
====
"""


def test_a_conclusion_assigns_where_its_premise_is_true(tmp_path: Path, at_once: None) -> None:
    """TLC has three initial states and six in all."""
    _, facts = explored(tmp_path, IMPLIED, "INIT Init NEXT Next", "circuits")
    _, by_values = explored(tmp_path, IMPLIED, "INIT Init NEXT Next", "values")
    assert facts.states_within_steps == by_values.states_within_steps == [3, 6]


def test_implications_about_variables_that_have_values_are_guards(tmp_path: Path, at_once: None) -> None:
    """An invariant as the initial states, as proofs have it: TLC has 322 of them."""
    body = """---- MODULE Inductive ----
EXTENDS Naturals
VARIABLE x
Inv == x \\in [1..12 -> BOOLEAN] /\\ \\A i \\in 1..12 : x[i] => ~x[1 + (i % 12)]
Next == UNCHANGED x
====
"""
    _, facts = explored(tmp_path, body, "INIT Inv NEXT Next", "circuits")
    assert facts.states_within_steps == [322]


def test_types_are_learned_from_few_of_the_steps_beside_a_run() -> None:
    made = itertools.count()

    def step(_: object, add: Callable[[Any], None]) -> None:
        for _ in range(10 * outline.TYPED):
            add((next(made),))

    run = Mock(stages=[SimpleNamespace(state=("here",))])
    beside = specifications._beside(Mock(steps=[None, step, step]), [run])
    assert beside == [(x,) for x in range(outline.TYPED)]
    assert next(made) == outline.TYPED + 1

"""Runs from which types are learned go to what is new and seek actions; types that widen keep what is known."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.symbolic.bits.initial import initial_states
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, BmcOptions, Limits, Query, Result, Verdict, answer, answer_here
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.ask.widening import Kept, widened_answers
from leadline.symbolic.engines.bounded import sweeps
from leadline.symbolic.engines.prove.pdr import PdrOptions, PdrProgress, pdr
from leadline.symbolic.engines.runs.parts import Method, Part, Reduction
from leadline.symbolic.lang import Atoms, Graph, Map, Model, NoInitialState
from leadline.symbolic.meaning import first_states, walks
from leadline.symbolic.tla import learning, origin
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.trace import TraceEnd
from leadline.symbolic.trace.replay import disagreement
from tests.tla.modules import ALL

FAR = """
---- MODULE Far ----
EXTENDS Integers
VARIABLES height, light, said
Init == height = 0 /\\ light = [n \\in 1..LIGHTS |-> FALSE] /\\ said = "nothing"
Climb == height < HIGH /\\ height' = height + 1 /\\ UNCHANGED <<light, said>>
Fall == height' = 0 /\\ UNCHANGED <<light, said>>
Switch == \\E n \\in 1..LIGHTS : light' = [light EXCEPT ![n] = ~@] /\\ UNCHANGED <<height, said>>
Shout == height = HIGH /\\ said' = "here" /\\ UNCHANGED <<height, light>>
Next == Climb \\/ Fall \\/ Switch \\/ Shout
Silent == [][said' = said]_said
Quiet == <>[](height < HIGH)
====
"""


@pytest.mark.parametrize(("high", "lights"), [pytest.param(30, 20, marks=pytest.mark.slow), (400, 4)])
def test_an_action_that_is_taken_far_away_is_found(high: int, lights: int, tmp_path: Path) -> None:
    """Walks that choose evenly fall as often as they climb; levels are too wide to go so deep, or too few."""
    path = tmp_path / "Far.tla"
    path.write_text(FAR.replace("HIGH", str(high)).replace("LIGHTS", str(lights)))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    learner = Learner(Interpreter(Source(path).load({})))
    starts, more = learner.some_initial()
    assert not more
    learner.run_ahead(starts, 3.0)
    said = learner.types["said"]
    assert isinstance(said, Atoms) and set(said.members) == {'"nothing"', '"here"'}
    *early, shout = (learner.first[action] for action in range(4))
    assert early == [0, 0, 0] and shout >= high


def test_an_initial_state_among_very_many_candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where listing them takes too long, the sets that the candidates are from give the types."""
    monkeypatch.setattr(learning, "LISTING", 0)
    path = tmp_path / "Sparse.tla"
    path.write_text(
        "---- MODULE Sparse ----\nEXTENDS Naturals\nVARIABLES x, y, z\n"
        "Within == x \\in 1..90 /\\ y \\in 1..90 /\\ z \\in 1..90\n"
        "Init == Within /\\ x = 9 /\\ y = x /\\ z = y\n"
        "Next == x' = (x % 90) + 1 /\\ y' = x /\\ z' = y\nUp == z <= 90\nNear == z # 11\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Up Near\n")
    model = model_of(find(str(path)), {})
    (up,) = answer(model, Query(str(path), {}, ("Up",), PdrOptions()), Limits()).results
    (near,) = answer(model, Query(str(path), {}, ("Near",), BmcOptions()), Limits()).results
    assert up.verdict is Verdict.PROVED
    assert near.trace is not None and near.trace.length == 4


BEGIN = {"never": "x > 90", "none": "x + y = 9 /\\ x = y", "one": "x + y + z > 269"}


@pytest.mark.parametrize("init", BEGIN)
def test_where_no_initial_state_is_listed_a_proof_asks_whether_there_is_one(
    init: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "LISTING", 0)
    monkeypatch.setattr(walks, "first_states", lambda begin, most, *_: first_states(begin, most, 0, 0))
    path = tmp_path / "Rare.tla"
    path.write_text(
        "---- MODULE Rare ----\nEXTENDS Naturals\nVARIABLES x, y, z\n"
        f"Init == x \\in 1..90 /\\ y \\in 1..90 /\\ z \\in 1..90 /\\ {BEGIN[init]}\n"
        "Next == x' = (x % 90) + 1 /\\ y' = x /\\ z' = y\nUp == z <= 90\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Up\n")
    with nullcontext() if init == "one" else pytest.raises(NoInitialState):
        model = model_of(find(str(path)), {})
        (up,) = answer(model, Query(str(path), {}, ("Up",), PdrOptions()), Limits()).results
        assert up.verdict is Verdict.PROVED


def test_no_circuit_begins_where_types_exclude_all_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "LISTING", 0)
    path = tmp_path / "None.tla"
    path.write_text(
        "---- MODULE None ----\nEXTENDS Naturals\nVARIABLE x\n"
        "Init == x \\in 0..300 /\\ x = 0 /\\ x # 0\nNext == x' = x\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    assert [*initial_states(model_of(find(str(path)), {}))] == []


def test_few_states_are_each_met_once(tmp_path: Path) -> None:
    """Where the search breadth first has met them all, no walk follows."""
    path = tmp_path / "Far.tla"
    path.write_text(FAR.replace("HIGH", "4").replace("LIGHTS", "2"))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    learner = Learner(Interpreter(Source(path).load({})))
    starts, _ = learner.some_initial()
    assert not learner.run_ahead(starts, 3.0)
    assert learner.seen == 5 * 4 * 2
    assert [learner.first[action] for action in range(4)] == [0, 0, 0, 4]


def test_sweeps_take_actions_in_the_order_of_the_runs(tmp_path: Path) -> None:
    path = tmp_path / "Far.tla"
    path.write_text(FAR.replace("HIGH", "30").replace("LIGHTS", "2"))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nPROPERTIES Silent Quiet\n")
    model = TlaOrigin(Source(path).load({}), {}).model()
    claims = {Method.HISTORY: "Silent", Method.LOOPS: "Quiet"}
    made = [Reduction(model, model.properties[name]).stated(Part(how)) for how, name in claims.items()]
    for one in (model, *made):  # for claims about steps and runs too
        assert sweeps.sweep_order(one)[-1].name == "Shout"


FENCED = """
---- MODULE Fenced ----
EXTENDS Naturals
VARIABLES height, copies, said
Init == height = 0 /\\ copies = [n \\in 1..20 |-> 0] /\\ said = "nothing"
Climb == height' = height + 1 /\\ UNCHANGED <<copies, said>>
Copy == \\E n \\in 1..20 : copies' = [copies EXCEPT ![n] = @ + 1] /\\ UNCHANGED <<height, said>>
Shout == height = 30 /\\ said' = "here" /\\ UNCHANGED <<height, copies>>
Next == Climb \\/ Copy \\/ Shout
Few == height <= 30 /\\ \\A n \\in 1..20 : copies[n] <= 1
====
"""


def test_types_are_learned_of_functions_of_bags_of_messages(tmp_path: Path) -> None:
    """Messages within the values of functions are no messages of a variable."""
    module = """
    ---- MODULE Boxes ----
    EXTENDS Integers, Bags
    VARIABLE net
    Init == net = [n \\in 0..2 |-> EmptyBag]
    Next == \\E n \\in 0..2 : net' = [net EXCEPT ![n] = @ (+) SetToBag({[from |-> n]})]
    ====
    """
    (tmp_path / "Boxes.tla").write_text(module)
    (tmp_path / "Boxes.cfg").write_text("INIT Init\nNEXT Next\n")
    learner = TlaOrigin(Source(tmp_path / "Boxes.tla").load({}), {}).learner
    layer = learner.some_initial()[0]
    for _ in range(4):
        learner.meet(layer)
        layer = [after for one in layer for after in learner.successors(one)]
    (kind,) = learner.types.values()
    assert isinstance(kind, Map) and isinstance(kind.value, Graph)


def test_walks_stay_within_constraints(tmp_path: Path) -> None:
    """A step beyond them ends a walk, and after twenty copies nearly each would."""
    path = tmp_path / "Fenced.tla"
    path.write_text(FENCED)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTRAINT Few\n")
    learner = Learner(Interpreter(Source(path).load({})))
    starts, _ = learner.some_initial()
    learner.run_ahead(starts, 2.0)
    said = learner.types["said"]
    assert isinstance(said, Atoms) and set(said.members) == {'"nothing"', '"here"'}


def test_depths_that_were_refuted_stay_so_when_types_widen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer about the wider model that got nowhere does not take back what the first one knew."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", 0.0)
    module, config = ALL["Climb"]
    path = tmp_path / "Climb.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text(config)
    model = model_of(find(str(path)), {})
    query = Query(str(path), {}, ("Low",), BmcOptions(depth=9), "cadical")
    first = answer_here(model, query)
    (narrow,) = first.results
    assert narrow.verdict is Verdict.OUT_OF_BOUNDS and narrow.steps is not None
    nothing = replace(first, results=[replace(narrow, verdict=Verdict.UNKNOWN, depth=-1)], out_of_bounds=None)
    answers = iter([first, nothing])
    *_, (_, last) = widened_answers(model, Limits(), lambda *_: next(answers))
    (result,) = last.results
    assert (result.verdict, result.depth) == (Verdict.UNKNOWN, narrow.steps - 1)
    assert result.depth >= 0


SEVERAL = """
---- MODULE Several ----
EXTENDS Naturals, Sequences
VARIABLES x, y, s
Init == x = 0 /\\ y = 0 /\\ s = <<>>
Step == x < 9 /\\ x' = x + 1 /\\ UNCHANGED <<y, s>>
Jump == x >= 4 /\\ y < 900 /\\ y' = y + 100 * x /\\ UNCHANGED <<x, s>>
Push == x = 7 /\\ Len(s) < 2 /\\ s' = Append(s, y) /\\ UNCHANGED <<x, y>>
Wrong == x = WRONG /\\ x' = s[1] /\\ UNCHANGED <<y, s>>
Next == Step \\/ Jump \\/ Push \\/ Wrong
Early == x # 2
Never == y < 3000
Late == Len(s) < 2
====
"""
NAMES = ("Early", "Never", "Late")


def several(folder: Path, wrong: int) -> tuple[Path, Query]:
    """A module whose types widen again and again if no runs go ahead; a step has no value at some x."""
    path = folder / "Several.tla"
    path.write_text(SEVERAL.replace("WRONG", str(wrong)))
    path.with_suffix(".cfg").write_text(
        f"INIT Init NEXT Next INVARIANTS {' '.join(NAMES)} CHECK_DEADLOCK FALSE"
    )
    return path, Query(str(path), {}, NAMES, BmcOptions(depth=12), "cadical")


@pytest.fixture
def nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """No runs go ahead."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", -1.0)


def test_what_is_known_is_not_asked_of_wider_types(tmp_path: Path, nothing_ahead: None) -> None:
    path, query = several(tmp_path, wrong=99)
    narrow = model_of(find(str(path)), {})
    kept, asked = Kept(), list[Query]()

    def ask(model: Model, _: Limits) -> Answer:
        asked.append(kept.left(model, query))
        return answer_here(model, asked[-1])

    *_, (model, last) = widened_answers(narrow, Limits(), ask, kept)
    known = [one.options.refuted for one in asked if isinstance(one.options, BmcOptions)]
    assert known == sorted(known) and known[0] == -1 and known[-1] > known[1] > 0
    assert asked[0].properties == NAMES and asked[-1].properties == ("Never",)
    found = [(one.property, one.verdict, one.steps) for one in last.results]
    assert found == [
        ("Early", Verdict.VIOLATED, 2),
        ("Never", Verdict.SAFE, None),
        ("Late", Verdict.VIOLATED, 9),
    ]
    for one in last.results:
        assert one.trace is None or disagreement(Semantics(model), one.trace) is None


def test_a_violation_stays_when_nothing_is_found_with_wider_types(
    tmp_path: Path, nothing_ahead: None
) -> None:
    path, query = several(tmp_path, wrong=99)
    narrow = model_of(find(str(path)), {})
    kept = Kept()

    def ask(model: Model, _: Limits) -> Answer:
        left = kept.left(model, query)
        if left.properties == NAMES:
            return answer_here(model, left)
        return Answer(
            [Result(name, "bmc", Verdict.UNKNOWN, cause=Cause.TIME) for name in left.properties or ()]
        )

    *_, (_, last) = widened_answers(narrow, Limits(), ask, kept)
    assert [str(one.verdict) for one in last.results] == ["violated", "unknown", "unknown"]
    assert last.results[1].depth >= 2


def test_a_search_goes_on_beyond_an_error_of_the_module(tmp_path: Path) -> None:
    path, query = several(tmp_path, wrong=1)
    narrow = model_of(find(str(path)), {})
    kept = Kept()
    answers = widened_answers(
        narrow, Limits(), lambda model, _: answer_here(model, kept.left(model, query)), kept
    )
    *_, (_, last) = answers
    found = [(one.property, one.verdict, one.steps) for one in last.results]
    beyond = Verdict.OUT_OF_BOUNDS
    assert found == [("Early", Verdict.VIOLATED, 2), ("Never", beyond, 2), ("Late", Verdict.VIOLATED, 9)]


@pytest.mark.parametrize(("samples", "questions"), [(15_000, 0), (1, 30)])
def test_pdr_ends_at_the_first_run_that_leaves_the_types(
    samples: int, questions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walks meet the step before a solver is asked; without them, no frame is added after the solver has."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    module, config = ALL["Climb"]
    path = tmp_path / "Climb.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text(config)
    model = model_of(find(str(path)), {})
    told = list[PdrProgress]()
    found = pdr(model, model.properties["Low"], PdrOptions(samples=samples), told=told.append)
    assert found.verdict is Verdict.OUT_OF_BOUNDS
    assert found.trace is not None and found.trace.ends is TraceEnd.OUT_OF_BOUNDS
    assert found.progress.questions <= questions
    assert not told


def test_cubes_that_pdr_has_excluded_go_along_to_wider_types(tmp_path: Path, nothing_ahead: None) -> None:
    """Its answer about the second model has some: in the first one the initial state leaves the types."""
    path, query = several(tmp_path, wrong=99)
    query = replace(query, properties=("Never",), options=PdrOptions(samples=1))
    kept, known = Kept(), list[int]()

    def ask(model: Model, _: Limits) -> Answer:
        left = kept.left(model, query)
        known.append(len(left.options_as(PdrOptions).known))
        return answer_here(model, left)

    answers = widened_answers(model_of(find(str(path)), {}), Limits(), ask, kept)
    assert [next(answers)[1].results[0].verdict for _ in range(3)] == [Verdict.OUT_OF_BOUNDS] * 3
    assert known[:2] == [0, 0] and known[2] > 0

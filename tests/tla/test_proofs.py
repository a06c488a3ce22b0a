"""Proofs about TLA+ modules: invariants as candidates, numbers that fall, and numbers that grow without end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.catalog.sources import find_module
from leadline.symbolic.cli import main
from leadline.symbolic.engines import Limits, Options, Query, Result, Verdict, answer_here
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.prove.certificates import read_certificate
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.runs import stabilizing
from leadline.symbolic.engines.runs.parts import Reduction
from leadline.symbolic.engines.runs.product import CHOICE
from leadline.symbolic.lang import Bool, Int, Map, Mapped, Set, Slots, listed
from leadline.symbolic.meaning import walks
from leadline.symbolic.tla import origin
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from tests.tla.loading import write
from tests.tla.modules import ALL

CLOCKS = """
EXTENDS Naturals
VARIABLES a, b
Init == a \\in 0..5 /\\ b = a
Next == a' = (a + 1) % 6 /\\ b' = (b + 1) % 6
Same == a = b
Near == a < b + 2
Together == [][a' = (b + 1) % 6]_<<a, b>>
Apart == [][a' # b']_<<a, b>>
"""
CAN = """
EXTENDS Naturals
VARIABLES white, black
Init == white \\in 0..5 /\\ black \\in 0..5 /\\ white + black > 0
Same == white >= 2 /\\ white' = white - 2 /\\ black' = black + 1
Black == black >= 2 /\\ black' = black - 1 /\\ UNCHANGED white
Mixed == white >= 1 /\\ black >= 1 /\\ black' = black - 1 /\\ UNCHANGED white
Next == Same \\/ Black \\/ Mixed
Spec == Init /\\ [][Next]_<<white, black>> /\\ WF_<<white, black>>(Next)
Ends == <>(white + black = 1)
Odd == (white % 2 = 1) => <>(white = 1 /\\ black = 0)
Wrong == <>(white = 1 /\\ black = 0)
"""
# Only some of the first 10,000 initial states, from which types are learned, are not enough.
LATE = """
EXTENDS Naturals
VARIABLES x, word
Init == x \\in 1..10100 /\\ word = IF x > 10050 THEN "late" ELSE "early"
Next == UNCHANGED <<x, word>>
Known == word \\in {"early", "late"}
Early == word = "early"
"""
COUNTER = """
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Positive == x >= 0
"""

VOTES = """
EXTENDS FiniteSets, Naturals
CONSTANTS Voter, None
VARIABLES vote, msgs, phase, decided
Value == {"a", "b"}
Init == vote = [v \\in Voter |-> None] /\\ msgs = {} /\\ phase = "open" /\\ decided = {}
Cast(v, x) ==
  /\\ vote[v] = None /\\ phase = "open"
  /\\ vote' = [vote EXCEPT ![v] = x] /\\ msgs' = msgs \\cup {[from |-> v, value |-> x]}
  /\\ UNCHANGED <<phase, decided>>
Decide(x) ==
  /\\ Cardinality({v \\in Voter : [from |-> v, value |-> x] \\in msgs}) > 1
  /\\ decided' = decided \\cup {x} /\\ phase' = "closed" /\\ UNCHANGED <<vote, msgs>>
Next == (\\E v \\in Voter, x \\in Value : Cast(v, x)) \\/ \\E x \\in Value : Decide(x)
Agreed == Cardinality(decided) < 2
"""

SERVED = """
EXTENDS Naturals
VARIABLES busy, served
Init == busy = FALSE /\\ served = [c \\in {1, 2} |-> FALSE]
Toggle == busy' = ~busy /\\ UNCHANGED served
Serve(c) == ~busy /\\ ~served[c] /\\ served' = [served EXCEPT ![c] = TRUE] /\\ UNCHANGED busy
Drop(c) == served[c] /\\ served' = [served EXCEPT ![c] = FALSE] /\\ UNCHANGED busy
vars == <<busy, served>>
Next == Toggle \\/ \\E c \\in {1, 2} : Serve(c) \\/ Drop(c)
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Toggle) /\\ \\A c \\in {1, 2} : SF_vars(Serve(c))
Each == \\A c \\in {1, 2} : []<>served[c]
All == []<>(served[1] /\\ served[2])
"""

# Only `state` decides what becomes of `state`. The number and the log of steps grow without end.
LOGGED = """
EXTENDS Naturals, Sequences
VARIABLES state, count, log
vars == <<state, count, log>>
Init == state = [r \\in 1..2 |-> "working"] /\\ count = 0 /\\ log = {}
Prepare(r) ==
  /\\ state[r] = "working"
  /\\ state' = [state EXCEPT ![r] = "prepared"] /\\ count' = count + 1 /\\ UNCHANGED log
Commit(r) ==
  /\\ \\A s \\in 1..2 : state[s] # "working"
  /\\ state' = [state EXCEPT ![r] = "committed"] /\\ log' = log \\cup {<<r, count>>} /\\ UNCHANGED count
Over == state = [r \\in 1..2 |-> "committed"]
Again == Over /\\ state' = [r \\in 1..2 |-> "working"] /\\ UNCHANGED <<count, log>>
Next == Again \\/ \\E r \\in 1..2 : Prepare(r) \\/ Commit(r)
Apart == ~(state[1] = "committed" /\\ state[2] = "working")
Works == state[1] # "committed"
Few == count < 3
"""


def asked(path: Path, name: str, options: Options) -> tuple[Asked, Result]:
    entry = find(str(path))
    question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(), lambda _: None, lambda _: None)
    (result,) = question.verdicts
    return question, result


def proof(path: Path, name: str, folder: Path) -> dict[str, Any]:
    """The certificate of a proof, which another solver has rechecked."""
    question, _ = asked(path, name, PdrOptions())
    (result,) = answer_here(question.model, question.query).results
    assert result.verdict is Verdict.PROVED and result.certificate is not None
    file = folder / "proof.json"
    file.write_text(json.dumps(result.certificate), encoding="utf-8")
    (query,) = read_certificate(file).queries(question.model, question.query.source)
    assert answer_here(question.model, query).results[0].verdict is Verdict.PROVED
    return dict(result.certificate)


def test_invariants_of_the_configuration_are_candidates(tmp_path: Path) -> None:
    path = write(tmp_path, Clocks=CLOCKS)
    claims = "INVARIANTS Same Near\nPROPERTIES Together Apart"
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\n{claims}\nCHECK_DEADLOCK FALSE\n")
    assert proof(path, "Same", tmp_path)["clauses"] == []
    made = proof(path, "Near", tmp_path)
    assert (made["strengthenings"], made["clauses"]) == (["Same", "Near"], [])
    (part,) = proof(path, "Together", tmp_path)["parts"]
    assert part["strengthenings"] == ["Same", "Near"]
    for name in ("Same", "Near", "Together", "Apart"):
        _, explored = asked(path, name, ExploreOptions())
        _, found = asked(path, name, PdrOptions())
        assert explored.verdict is (Verdict.VIOLATED if name == "Apart" else Verdict.SAFE)
        assert found.verdict is (Verdict.VIOLATED if name == "Apart" else Verdict.PROVED)


@pytest.mark.parametrize("most", [2, pytest.param(stabilizing.MOST_VALUES, marks=pytest.mark.slow)])
def test_numbers_that_fall(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of numbers with many values one predicate speaks, with the values as its keys."""
    monkeypatch.setattr(stabilizing, "MOST_VALUES", most)
    path = write(tmp_path, Can=CAN)
    path.with_suffix(".cfg").write_text(
        "SPECIFICATION Spec\nPROPERTIES Ends Odd Wrong\nCHECK_DEADLOCK FALSE\n"
    )
    for name in ("Ends", "Odd"):
        parts = proof(path, name, tmp_path)["parts"]
        settled = [text for part in parts for level in part.get("settled", ()) for text in level]
        assert ("falls: white >= *" in settled) is (most == 2)
    assert asked(path, "Wrong", PdrOptions())[1].verdict is Verdict.VIOLATED


def test_some_initial_states_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "MOST_INITIAL", 2)
    path = write(tmp_path, Can=CAN)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTIES Ends Wrong\nCHECK_DEADLOCK FALSE\n")
    assert asked(path, "Ends", PdrOptions())[1].verdict is Verdict.PROVED
    assert asked(path, "Wrong", PdrOptions())[1].verdict is Verdict.VIOLATED


def test_a_value_of_a_late_initial_state_widens_the_types(tmp_path: Path) -> None:
    path = write(tmp_path, Late=LATE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Known Early\n")
    assert asked(path, "Known", PdrOptions())[1].verdict is Verdict.PROVED
    assert asked(path, "Early", PdrOptions())[1].verdict is Verdict.VIOLATED


def test_numbers_that_grow_without_end_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", 0.001)
    monkeypatch.setattr(origin, "MOST_GROWTH", 3)
    path = write(tmp_path, Counter=COUNTER)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Positive\n")
    assert main(["prove", str(path), "--property", "Positive"]) == 20
    told = capsys.readouterr().out
    assert "the numbers in x grow again and again" in told
    assert "CONSTRAINT" in told


def test_a_proof_within_the_bounds_that_runs_have_shown_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    path = write(tmp_path, Counter=COUNTER)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Positive\n")
    assert main(["prove", str(path), "--property", "Positive", "--within-bounds"]) == 0
    assert "of the states reached within these bounds: x \\in 0.." in capsys.readouterr().out


def test_strong_fairness_is_a_condition_on_runs_not_a_choice(tmp_path: Path) -> None:
    path = write(tmp_path, Served=SERVED)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTIES Each All\n")
    for name, proved in (("Each", Verdict.PROVED), ("All", Verdict.VIOLATED)):
        question, result = asked(path, name, PdrOptions())
        assert result.verdict is proved
        reduction = Reduction(question.model, question.model.properties[name])
        product = reduction.product(reduction.conjuncts[0])
        assert len(product.strong) == 2
        picks = [pick for one in product.watched for pick in one.action.picks if pick.name == CHOICE]
        assert {pick.type.cardinality for pick in picks} == {2}, "only when the claim stays false is chosen"
        _, explored = asked(path, name, ExploreOptions())
        assert explored.verdict is (Verdict.SAFE if proved is Verdict.PROVED else Verdict.VIOLATED)


CLIMBS = """
EXTENDS Naturals
VARIABLES height, path
Init == height = 0 /\\ path = <<>>
Up == height < 4 /\\ height' = height + 1 /\\ path' = IF height % 3 = 0 THEN <<height>> ELSE path
Next == Up \\/ (height = 4 /\\ height' = 0 /\\ path' = <<>>)
Low == height <= 4
"""


def climbs(folder: Path) -> Path:
    """The file of a module whose model has types that are too narrow: the interpreter hardly runs ahead."""
    path = write(folder, Climbs=CLIMBS)
    (folder / "Other.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    return path


def test_a_proof_after_types_have_widened_is_rechecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The certificate has the types; narrower ones, or others, do not make it a proof."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", -1.0)
    path, file = climbs(tmp_path), tmp_path / "proof.json"
    config = tmp_path / "Other.cfg"
    asked = ["prove", str(path), "--config", str(config)]
    assert main([*asked, "--property", "Low", "--out", str(file)]) == 0
    narrow, made = model_of(find_module(path, config), {}), json.loads(file.read_text())
    assert made["learned"]["height"] == ["Int", 0, 4] != narrow.learned["height"]
    again = [*asked, "--recheck", str(file)]
    assert main(again) == 0
    assert main(["prove", "--recheck", str(file)]) == 2
    assert f"--recheck {file} --protocol {path} --config {config}" in capsys.readouterr().err
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCONSTRAINT Low\n")
    assert main(["prove", "--recheck", str(file), "--protocol", str(path)]) == 2
    assert "prove it again, or give the --config that it was proved with" in capsys.readouterr().err

    file.write_text(json.dumps({**made, "learned": narrow.learned}))
    assert main(again) == 2
    forged = {"learned": narrow.learned, "fingerprint": narrow.fingerprint, "clauses": []}
    file.write_text(json.dumps({**made, **forged}))
    capsys.readouterr()
    assert main(again) == 20
    assert "steps in bounds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("types", "complaint"),
    [
        ({"height": ["Int", 0, 9], "path": ["Seq", ["Int", 0, "6"], 1]}, "learned.path: this is no type"),
        ({"height": ["Int", 9, 0], "path": ["Tuple"]}, "learned.height: this is no type"),
        (
            {"height": ["Map", ["Int", 0, 10**9], ["Bool"], False], "path": ["Tuple"]},
            "more than 100,000 keys",
        ),
        ({"height": ["Listed", ["Int", 0, 9], [10]], "path": ["Tuple"]}, "learned.height: this is no type"),
        ({"height": ["Int", 0, 9]}, "Climbs has other variables"),
    ],
)
def test_types_that_are_none_are_refused(
    types: dict[str, Any], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = climbs(tmp_path), tmp_path / "proof.json"
    head = {"version": 2, "leadline": "0", "protocol": "Climbs", "source": str(path), "parameters": {}}
    rest = {"fingerprint": "0", "property": "Low", "verdict": "proved", "strengthenings": [], "clauses": []}
    file.write_text(json.dumps({**head, **rest, "learned": types}))
    asked = ["prove", str(path), "--config", str(tmp_path / "Other.cfg")]
    assert main([*asked, "--recheck", str(file)]) == 2
    assert complaint in capsys.readouterr().err


def test_learned_types_are_read_as_they_were_written(tmp_path: Path) -> None:
    """All kinds of types there are: those of small modules, and three that these do not have."""
    known = []
    for name, (text, config) in ALL.items():
        path = tmp_path / f"{name}.tla"
        path.write_text(text)
        path.with_suffix(".cfg").write_text(config)
        known.append(Learner(Interpreter(Source(path).load({}))))
        known[-1].run_ahead(known[-1].some_initial()[0], 0.2)
    types = {kind for one in known for kind in one.types.values()}
    record = shapes.record_of({"at": Int(0, 3), "to": Set(Int(0, 1))})
    values = listed(record, [(2, frozenset({0, 1})), (0, frozenset())])
    types |= {Slots(Int(1, 2), Mapped(record), graph=False), Map(values, Bool())}
    types |= {shapes.graph_of(record, shapes.NEVER)}
    for kind in types:
        assert shapes.of_data(json.loads(json.dumps(shapes.as_data(kind))), "x") == kind
    told = json.dumps([shapes.as_data(kind) for kind in types])
    every = "AnyOf Atoms Bool Graph Int Listed Map Never Record Seq Set Slots Tuple"
    assert [name for name in every.split() if f'["{name}"' not in told] == []


def test_an_invariant_of_strings_kinds_and_messages_can_be_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "Votes.cfg"
    config.write_text(
        "INIT Init NEXT Next INVARIANT Agreed CHECK_DEADLOCK FALSE CONSTANTS Voter = {v1, v2, v3} None = None"
    )
    path = write(tmp_path, Votes=VOTES)
    goal = ["prove", str(path), "--property", "Agreed", "--engine", "pdr", "--no-strengthenings"]
    assert main([*goal, "--show-invariant"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("  ~", "  \\A"))]
    assert any('= "open"' in line for line in told) and any(" = None" in line for line in told)
    again = write(tmp_path, Again=f"{VOTES}Found ==\n" + "\n".join(f"  /\\{line}" for line in told))
    assert main(["explore", str(again), "--config", str(config), "--invariant", "Found"]) == 0
    assert "Found     safe" in capsys.readouterr().out


CELL = """
CONSTANTS Node, Nil
VARIABLES lock, cell
Init == lock = [n \\in Node |-> FALSE] /\\ cell = Nil
Put(n) == cell = Nil /\\ cell' = [by |-> n, v |-> Nil] /\\ lock' = [lock EXCEPT ![n] = TRUE]
Fill(n) == cell # Nil /\\ cell.by = n /\\ cell.v = Nil /\\ cell' = [cell EXCEPT !.v = n] /\\ UNCHANGED lock
Take(n) == cell # Nil /\\ cell.v = n /\\ cell' = Nil /\\ lock' = [lock EXCEPT ![n] = FALSE]
Next == \\E n \\in Node : Put(n) \\/ Fill(n) \\/ Take(n)
Free == \\A n \\in Node : cell = Nil => ~lock[n]
"""


def test_an_invariant_tells_a_record_from_a_model_value_as_tlc_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, Cell=CELL)
    config = tmp_path / "Cell.cfg"
    config.write_text("INIT Init NEXT Next INVARIANT Free CONSTANTS Node = {n1, n2} Nil = Nil")
    assert main(["prove", str(path), "--config", str(config), "--property", "Free", "--show-invariant"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  \\A")]
    assert any("cell # Nil" in line for line in told)
    found = "".join(f"  /\\{line}\n" for line in told)
    again = write(tmp_path, Again=f"{CELL}Found ==\n{found}")
    goal = ["explore", str(again), "--config", str(config), "--invariant", "Found", "--by", "values"]
    assert main(goal) == 0


JOIN = """
VARIABLES seen, open
Init == seen = First /\\ open = FALSE
Open == open' = TRUE /\\ UNCHANGED seen
Join(n) == open /\\ seen' = seen \\cup {n} /\\ UNCHANGED open
Next == Open \\/ \\E n \\in Node : Join(n)
Closed == open \\/ seen = First
"""


def test_an_invariant_about_a_part_of_a_set_names_its_members(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, Join=f"CONSTANTS Node, First\n{JOIN}")
    sets = "INIT Init NEXT Next CONSTANTS Node = {n1, n2, n3} First = {n1}"
    (tmp_path / "Join.cfg").write_text(f"{sets} INVARIANT Closed")
    assert main(["prove", str(path), "--property", "Closed", "--no-strengthenings", "--show-invariant"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert "  n1 \\in seen" in told and any("\\A n \\in {n2, n3}" in line for line in told)
    found = "".join(f"  /\\{line}\n" for line in told)
    again = write(tmp_path, Again=f"CONSTANTS Node, First, n1, n2, n3\n{JOIN}Found ==\n{found}")
    (tmp_path / "Again.cfg").write_text(f"{sets} n1 = n1 n2 = n2 n3 = n3 INVARIANT Found")
    assert main(["explore", str(again)]) == 0


def logged(folder: Path, **changes: str) -> Path:
    """The module of two managers, with the right side of an operator replaced."""
    text = LOGGED
    for name, body in changes.items():
        text = "".join(
            f"{name} == {body}\n" if line.startswith(f"{name} ==") else line for line in text.splitlines(True)
        )
    path = write(folder, Logged=text)
    path.with_suffix(".cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANTS Apart Works Few\n", encoding="utf-8"
    )
    return path


def test_a_proof_is_about_what_decides_the_property(tmp_path: Path) -> None:
    path = logged(tmp_path)
    clauses = str(proof(path, "Apart", tmp_path)["clauses"])
    assert "count" not in clauses and "log" not in clauses
    # Runs to violations have all variables, and are the module's.
    _, found = asked(path, "Works", PdrOptions())
    assert found.verdict is Verdict.VIOLATED and found.trace is not None and found.trace.last is not None
    assert (found.steps, len(found.trace.last)) == (3, 3)
    _, found = asked(path, "Few", PdrOptions())
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 6)


@pytest.mark.parametrize(
    "again",
    [
        # The empty sequence has no tail: the error is the module's, also where the log does not matter.
        'state[1] = "committed" /\\ log\' = Tail(<<>>) /\\ UNCHANGED <<state, count>>',
        'state[1] = "committed" /\\ Tail(<<>>) = log /\\ UNCHANGED vars',
    ],
)
def test_errors_elsewhere_stand_against_a_proof(tmp_path: Path, again: str) -> None:
    _, found = asked(logged(tmp_path, Again=again), "Apart", PdrOptions())
    assert (found.verdict, found.steps) == (Verdict.OUT_OF_BOUNDS, 4)
    assert found.reason is not None and "Tail" in found.reason


SLOW = "IF n > 30000000 THEN 2 ELSE x"


def growing(folder: Path, patch: pytest.MonkeyPatch, claim: str, tick: str, late: str) -> Path:
    """A module in which n grows by steps that change x too, and an action that comes late, hardly run."""
    patch.setattr(origin, "AHEAD", -1.0)
    patch.setattr(origin, "AFTERWARDS", 0.001)
    body = f"""
    EXTENDS Naturals, Sequences, TLC
    VARIABLES x, y, n
    Init == x = 0 /\\ y = 0 /\\ n = 0
    Put(v, e) == v' = e
    Only(v) == IF n > 30000000 THEN v' = 2 ELSE UNCHANGED x
    Late2(Op(_), v) == IF n > 30000000 THEN Op(v) ELSE UNCHANGED x
    Tick == n' = n + 1 /\\ y' = 1 - y /\\ {tick}
    Late == {late} /\\ UNCHANGED <<y, n>>
    Next == Tick \\/ Late
    Low == {claim}
    Even == y < 2
    """
    path = write(folder, M=body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Low Even\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("claim", "tick", "late"),
    [
        ("x < 2", f"x' = {SLOW}", "FALSE"),
        ("[i \\in 0..1 |-> i][x] < 2 \\/ y = 1", f"x' = {SLOW}", "FALSE"),
        ("x < 2", f"Put(x, {SLOW})", "FALSE"),
        ("x < 2", "Only(x)", "FALSE"),
        ("x < 2", "Late2(LAMBDA v : v' = 2, x)", "FALSE"),
        ("x < 2", "LET Two == x' = 2 IN IF n > 30000000 THEN Two ELSE UNCHANGED x", "FALSE"),
        ("x < 2", "LET Put2(e) == x' = e IN IF n > 30000000 THEN Put2(2) ELSE UNCHANGED x", "FALSE"),
        ("x < 2", "UNCHANGED x", "n > 30000000"),
    ],
)
def test_what_types_decide_so_far_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, tick: str, late: str
) -> None:
    path = growing(tmp_path, monkeypatch, claim, tick, f"{late} /\\ x' = 2")
    assert asked(path, "Low", PdrOptions())[1].verdict is Verdict.UNKNOWN
    plain = tick.startswith(("x'", "UNCHANGED"))
    assert not plain or asked(path, "Even", PdrOptions())[1].verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "late",
    [
        'Assert(FALSE, "no") /\\ UNCHANGED x',
        "x' = (CHOOSE i \\in 0..1 : i = n)",
        "x' = Head(<<>>)",
        "x' = [i \\in 0..1 |-> i][n]",
        "x' = (CASE n = 0 -> 0 [] n = 1 -> 1)",
        "x < 2",
    ],
)
def test_errors_elsewhere_that_types_rule_out_so_far_stand_against_a_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    path = growing(tmp_path, monkeypatch, "TRUE", "UNCHANGED x", f"n > 30000000 /\\ {late}")
    assert asked(path, "Even", PdrOptions())[1].verdict is Verdict.UNKNOWN

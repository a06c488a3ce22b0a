"""`check` of modules that the solvers cannot have whole: explicit search answers, and the reason is told once."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import leadline
from leadline.symbolic.api import asked
from leadline.symbolic.api.wording import WORDINGS
from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.cli import main
from leadline.symbolic.engines import (
    Limits,
    Listener,
    Query,
    Result,
    Verdict,
    answer_here,
    answer_in_child,
    answer_in_children,
)
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.run.formulas import FormulasOptions
from leadline.symbolic.solve import LONE
from tests.tla.loading import write

COUNTING = """
EXTENDS Integers, Sequences, TLC
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1
Registered == TLCSet(1, x) /\\ TLCGet(1) < 4
Few == x < 9
"""
PRINTING = """
EXTENDS Integers, Sequences, TLC
ASSUME PrintT("assumed") /\\ PrintT(Seq({1}))
VARIABLE x
Most == Print("most", 4)
Init == x = 0 /\\ Print("begin", TRUE)
Next == x < Most /\\ x' = x + 1 /\\ PrintT(<<"x", x>>)
Few == x < 4
"""
WORDS = """
EXTENDS Integers, Sequences
VARIABLE s
Init == s = "a"
Next == Len(s) < 5 /\\ s' = s \\o "c"
Short == Len(s) < 4 /\\ (Len(s) > 1 => Tail(s) # "" /\\ SubSeq(s, 1, 1) = "a")
"""
MIXED = """
EXTENDS Integers, Sequences
VARIABLE s
Init == s = "none"
Next == s' = IF Len(s) = 4 THEN <<1>> ELSE IF Len(s) < 3 THEN Append(s, 1) ELSE s
Inv == Len(s) # 3
"""
FALLING = """
EXTENDS Integers
VARIABLE x
Init == x = 3
Next == x' = x - 1
Inv == 10 \\div x < 100
"""
FAR = """
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 300 /\\ x' = x + 1
Inv == x # 200
"""

BAG = """
EXTENDS Naturals, Bags
VARIABLE b
Init == b = EmptyBag
Next == \\E m \\in 1..3 : b' = b (+) SetToBag({m})
Few == BagCardinality(b) <= 1
NotMany(c) == ~(BagCardinality(c) > 1)
Inv == NotMany(b)
"""

KINDS = """
CONSTANT None
VARIABLE x
Init == x = None
Next == x' = IF x = None THEN {1} ELSE <<2>>
Same == x # <<2>>
Text == x = None
"""


def written(folder: Path, body: str, invariants: str) -> str:
    path = write(folder, M=body)
    path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANTS {invariants} CHECK_DEADLOCK FALSE\n")
    return str(path)


@pytest.mark.parametrize(
    ("body", "invariant", "why"),
    [
        pytest.param(COUNTING, "Registered", "TLCGet", marks=pytest.mark.slow),
        (WORDS, "Short", "a string is used as a sequence"),
        (MIXED, "Inv", "no symbolic form, so that only exploration on values answers"),
    ],
)
def test_what_has_no_symbolic_form_is_explored(
    tmp_path: Path, body: str, invariant: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, body, invariant)
    for arguments in (["explore", path], ["check", path], ["check", path, "--depth", "9"]):
        assert main(arguments) == 12
        out, err = capsys.readouterr()
        assert f"{invariant} violated in " in out and not err
    (found,) = by_formulas(path)
    assert (found.verdict, found.cause) == (Verdict.UNKNOWN, Cause.NO_FORM)
    assert why in (found.reason or "") and "M.tla" in (found.reason or "")


def test_a_step_beside_a_disjunct_without_value_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
    EXTENDS Naturals, Sequences
    VARIABLES x
    Init == x = 0
    A == (Head(SubSeq(<<x>>, 1, x)) = 1 /\\ UNCHANGED x) \\/ (x < 2 /\\ x' = x + 1)
    Next == A
    Inv == x < 1
    """
    path = written(tmp_path, body, "Inv")
    for arguments in (["explore", path], ["explore", path, "--by", "circuits"], ["check", path]):
        assert main(arguments) == 12
        out, err = capsys.readouterr()
        assert "Inv violated in 1 step" in out and not err


def test_steps_beside_an_error_at_another_choice_are_taken_by_every_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
    EXTENDS Naturals, Sequences
    VARIABLES x, q
    Init == x = 0 /\\ q = [n \\in {1, 2} |-> IF n = 1 THEN <<>> ELSE <<5>>]
    A(n) == \\/ x' = Head(q[n]) /\\ UNCHANGED q
            \\/ x' \\in {y \\in 6..7 : n = 2} /\\ x' > 4 \\div (x' - 6) /\\ UNCHANGED q
    Next == x < 3 /\\ \\E n \\in {1, 2} : A(n)
    Five == x # 5
    Seven == x # 7
    """
    path = written(tmp_path, body, "Five Seven")
    for arguments in (["explore", path], ["explore", path, "--by", "circuits"], ["check", path]):
        assert main(arguments) == 12
        out, err = capsys.readouterr()
        assert "Five violated in 1 step" in out and "Seven violated in 1 step" in out and not err


def test_what_a_module_prints_is_shown_once_by_exploration_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, PRINTING, "Few")
    shown = "".join(
        f"{line}\n"
        for line in (
            '"assumed"',
            "Seq({1})",
            '"begin"  TRUE',
            '"most"  4',
            *(f'<<"x", {x}>>' for x in range(4)),
        )
    )
    for arguments, printed in (
        (["explore", path], shown),
        (["check", path], shown),
        (["check", path, "--engine", "bmc", "--depth", "9"], ""),
    ):
        assert main(arguments) == 12
        assert capsys.readouterr().err == printed


def test_a_reason_that_operators_make_long_is_told_as_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, BAG, "Few Inv")
    assert main(["explore", path, "--depth", "2"]) == 12
    out = capsys.readouterr().out
    told = [line.strip() for line in out.splitlines() if "FALSE" in line]
    assert told == [
        "FALSE  BagCardinality(b) <= 1, at M.tla:7   (2 <= 1)",
        "FALSE  ~(BagCardinality(c) > 1), at M.tla:8   (~(1 < 2))",
    ]


def test_the_kind_of_a_value_is_told_by_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", written(tmp_path, KINDS, "Same Text CONSTANT None = None")]) == 12
    out = capsys.readouterr().out
    assert "FALSE  x = None   ({1} = None)" in out and ".type" not in out


def by_formulas(path: str) -> Sequence[Result]:
    """The results of the member of a portfolio that makes formulas."""
    entry = find(path)
    model = model_on_values(entry, {})
    query = Query(path, {}, None, FormulasOptions(), LONE)
    return answer_in_child(model, query, Limits(600)).results


def test_what_has_no_symbolic_form_costs_the_formulas_of_no_other_property(tmp_path: Path) -> None:
    few, registered = by_formulas(written(tmp_path, COUNTING, "Few Registered"))
    assert few.verdict is Verdict.PROVED
    assert registered.cause is Cause.NO_FORM and "M.tla:7:31" in (registered.reason or "")


@pytest.mark.parametrize(
    ("step", "claim", "told", "steps"),
    [
        ("x' = x - 1", "10 \\div x < 100", ["Inv"], 0),
        ("x' = x - (10 \\div x)", "TRUE", ["Inv", "deadlock"], 1),
    ],
)
def test_what_has_no_value_is_told_while_the_search_goes_on(
    tmp_path: Path, step: str, claim: str, told: Sequence[str], steps: int
) -> None:
    body = f"EXTENDS Integers\nVARIABLE x\nInit == x \\in 0..2\nNext == x > -9 /\\ {step}\nInv == {claim}"
    path = written(tmp_path, body, "Inv")
    heard: list[Result] = []
    query = Query(path, {}, None, ExploreOptions(by="values"), deadlock=True)
    found = answer_in_child(model_on_values(find(path), {}), query, Limits(600), Listener(told=heard.append))
    outside = [one for one in heard if one.verdict is Verdict.OUT_OF_BOUNDS]
    assert [one.property for one in outside] == told
    assert {one.steps for one in outside} == {steps} and all("M.tla" in (one.reason or "") for one in outside)
    assert all(one.trace is not None and one.trace.why == one.reason for one in outside)
    assert [x.verdict for x in found.results if x.property == "Inv"] == [Verdict.OUT_OF_BOUNDS]


def test_no_proof_stands_before_an_assumption_is_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The formulas are proved long before the subsets are counted."""
    body = r"ASSUME Cardinality({s \in SUBSET (1..18) : 1 \in s}) < 5"
    path = written(
        tmp_path,
        f"EXTENDS FiniteSets, Integers\n{body}\nVARIABLE x\nInit == x = 0\nNext == x' = x\nInv == x = 0",
        "Inv",
    )
    assert main(["check", path]) == 10
    assert "the assumption is false" in capsys.readouterr().err


def test_the_advice_on_an_expression_without_a_value_is_for_a_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 2\nNext == x' = x - 1 - (1 \\div x) * 0\nInv == x < 9"
    assert main(["prove", written(tmp_path, body, "Inv"), "--property", "Inv"]) == 21
    out = capsys.readouterr().out
    assert "Only Next stands against a proof: it has no value" in out and "state a CONSTRAINT" in out


@pytest.mark.slow
def test_a_property_with_too_many_instances_is_left_to_exploration(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, FiniteSets
        VARIABLE net
        Init == net = {}
        Next == Cardinality(net) < 2 /\\ \\E k \\in 1..25 : net' = net \\cup {k}
        Pairs == \\A Q \\in SUBSET net : Cardinality(Q) < 2
        Few == Cardinality(net) < 3
        """
    pairs, few = by_formulas(written(tmp_path, body, "Pairs Few"))
    assert pairs.cause is Cause.NO_FORM and "M.tla:7:1) have " in (pairs.reason or "")
    assert few.verdict is Verdict.PROVED


@pytest.mark.parametrize("asked", ["check", "check --engine bmc --depth 3", "explore --by circuits"])
def test_a_set_of_sets_of_sets_takes_no_memory_for_what_might_be_in_it(
    asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are 2 to the power of 2**60 such sets, and more: the answer was that there is not enough memory."""
    module = r"""EXTENDS FiniteSets, Naturals
    VARIABLE s
    Init == s = {}
    Next == \E y \in {{{60}}, {{1}, {2, 60}}} : s' = s \cup {y}
    Few == Cardinality({y \in s : \E z \in y : 60 \in z}) < 2
    """
    path = write(tmp_path, Nested=module)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Few")
    assert main([*asked.split(), str(path)]) == 12
    assert "Few violated in 2 steps" in capsys.readouterr().out


def test_values_that_are_too_many_for_a_formula_are_no_mistake(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers
        VARIABLES x, y, s
        Init == x \\in {1, 300} /\\ y = x /\\ s = {}
        Next == UNCHANGED <<x, y>> /\\ s' = IF x * y < 4 THEN {v \\in s \\cup {x * y * y} : v # y} ELSE s
        Inv == x < 301 \\/ s = {}
        """
    path = written(tmp_path, body, "Inv")
    query = Query(path, {}, ("Inv",), PdrOptions(), LONE)
    for (found,) in (answer_here(model_of(find(path), {}), query).results, by_formulas(path)):
        assert (found.verdict, found.cause) == (Verdict.UNKNOWN, Cause.NO_FORM)
        assert re.search(r"M\.tla:6:.* must be listed .* type or parameters$", found.reason or "")


@pytest.mark.parametrize(
    ("body", "invariants", "name", "why"),
    [(COUNTING, "Few Registered", "Registered", "M.tla:7:31"), (MIXED, "Inv", "Inv", "M.tla:6")],
)
def test_a_property_that_only_exploration_answers_is_told_once(
    tmp_path: Path, body: str, invariants: str, name: str, why: str
) -> None:
    path = written(tmp_path, body, invariants)
    model = model_on_values(find(path), {})
    query = Query(path, {}, None, FormulasOptions(), LONE)
    found = answer_in_children(model, [query, query], Limits(60.0))
    told = [x for x in WORDINGS["portfolio"].describe(model, query, found) if isinstance(x, str)]
    assert [x.partition(", since there is no symbolic form: ")[0] for x in told] == [
        f"{name}: answered by exploration alone"
    ]
    assert why in told[0] and "form: no symbolic form" not in told[0]


def test_a_proof_by_exploration_tells_how_it_holds_vacuously(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1"
    path = written(tmp_path, f"{body}\nFew == x < 9\nHigh == x > 7 => x = 8\n", "Few High")
    assert main(["check", path]) == 0
    out = capsys.readouterr().out
    assert out.count("holds vacuously") == 1 and "since `x > 7` is never true" in out


def test_a_conjunct_is_told_with_the_names_that_an_instance_replaces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doors = (
        "EXTENDS Naturals\nCONSTANTS Shut, Ajar\nVARIABLE door\n"
        "Close == door = Shut /\\ UNCHANGED door\nWide == door \\in Ajar /\\ UNCHANGED door"
    )
    house = (
        "EXTENDS Naturals\nVARIABLE door\nD == INSTANCE Doors WITH Shut <- 5, Ajar <- {7, 8}\n"
        "Init == door = 0\nNext == door' = 1 - door \\/ D!Close \\/ D!Wide\nSmall == door < 2"
    )
    (tmp_path / "House.cfg").write_text("INIT Init NEXT Next INVARIANT Small")
    assert main(["check", str(write(tmp_path, House=house, Doors=doors))]) == 0
    out = capsys.readouterr().out
    assert "D!Close, since `door = Shut` is" in out and "D!Wide, since `door \\in Ajar` is" in out


COUNTER = """
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 9000 /\\ x' = x + 1
Inv == x # 100
"""


@pytest.mark.parametrize("command", [pytest.param("check", marks=pytest.mark.slow), "explore"])
def test_a_violation_is_told_while_the_search_goes_on(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "GRACE", 0.0)
    path = written(tmp_path, COUNTER, "Inv")
    Path(path).with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert main([command, path, "--fail-fast"]) == 12
    out, err = capsys.readouterr()
    assert "Inv violated in 100 steps" in out and "(--fail-fast)" in out and not err
    assert "interrupted" not in out
    assert main([command, path]) == 12
    out, err = capsys.readouterr()
    told = "leadline: Inv: violated in 100 steps; the search for deadlock goes on"
    assert err.startswith(f"{told}; --fail-fast ends it there\n") and err.count("--fail-fast") == 1
    assert out.count("Inv violated in 100 steps") == 1
    assert out.index("Inv violated in 100 steps") < out.index("deadlock  violated  9000")


def test_an_error_is_told_once_while_the_search_goes_on_and_ends_it_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "GRACE", 0.0)
    body = "EXTENDS Integers, TLC\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nSmall == x < 9\n"
    body += "Up == x' = x + 1 /\\ y' = y /\\ Assert(x # 2, \"two\")\n"
    body += "Next == Up \\/ (y < 9000 /\\ y' = y + 1 /\\ x' = x)"
    path = written(tmp_path, body, "Small")
    assert main(["explore", path, "--fail-fast"]) == 21
    out, err = capsys.readouterr()
    assert "the assertion is false" in out and "9000" not in out and not err
    assert main(["explore", path]) == 21
    out, err = capsys.readouterr()
    assert "Small: out-of-bounds in 3 steps" in err and out.count('the assertion is false: "two"') == 1
    assert out.index("the assertion is false") < out.index("Small     out-of-bounds  3")


def test_fail_fast_ends_a_search_by_sweeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x < 9 /\\ x' = x + 1\n"
    body += "Low == x < 3\nGood == x < 99"
    path = written(tmp_path, body, "Low Good")
    assert main(["check", path, "--engine", "bmc", "--fail-fast"]) == 12
    out = capsys.readouterr().out
    assert "Low violated in 3 steps" in out and "(--fail-fast)" in out


def test_a_deadlock_is_told_before_a_longer_violation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nInv == x # 3\n"
    body += "Next == (x = 0 /\\ x' \\in {1, 2}) \\/ (x = 1 /\\ x' = 3)"
    path = written(tmp_path, body, "Inv")
    Path(path).with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert main(["check", path, "--fail-fast"]) == 11
    assert "M: deadlock after 1 step" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["explore", "check --engine bmc"])
def test_a_partial_function_is_told_by_its_domain(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers, TLC\nVARIABLE f\nInit == f = <<>>\n"
    body += "Add == \\E k \\in {0, 5} : k \\notin DOMAIN f /\\ f' = f @@ (k :> k)\n"
    body += "Drop == DOMAIN f = {0, 5} /\\ f' = [k \\in {5} |-> 7]\nNext == Add \\/ Drop\n"
    body += "Few == 5 \\in DOMAIN f => f[5] # 7 \\/ 0 \\in DOMAIN f"
    path = written(tmp_path, body, "Few")
    assert main([*command.split(), path]) == 12
    out = capsys.readouterr().out
    assert "f = <<>>" in out and "f[0] is no more\n       f[5] = 7" in out and "None" not in out
    assert "FALSE  0 \\in DOMAIN f   (0 \\in {5})" in out
    assert main([*command.split(), path, "--format", "tla"]) == 12
    assert "f = (5 :> 7)" in capsys.readouterr().out
    trace = leadline.check(path, progress=False)["Few"].trace
    assert trace is not None
    assert (trace[0]["f"], trace[-1]["f"]) == ({}, {5: 7})


def test_a_reason_tells_values_of_several_kinds_as_the_module_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers\nCONSTANT No\nVARIABLE c\nInit == c = No\nNext == c = No /\\ c' = [v |-> 5]\n"
    path = written(tmp_path, body + "Low == c # No => c.v < 5", "Low\nCONSTANT No = No")
    assert main(["explore", path]) == 12
    out = capsys.readouterr().out
    assert "TRUE   c # No   ([v |-> 5] # No)" in out and "FALSE  c.v < 5   (5 < 5)" in out


def test_a_run_written_as_a_module_declares_the_model_values_that_its_states_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = 'CONSTANTS Idle, Nodes\nVARIABLES x, m\nInit == x = Idle /\\ m = [n \\in Nodes |-> "b"]\n'
    body += "Next == x = Idle /\\ x' = \"a\" /\\ m' = m\nLow == x = Idle"
    path = written(tmp_path, body, "Low\nCONSTANTS Idle = Idle Nodes = {n1, n2}")
    assert main(["explore", path, "--format", "tla"]) == 12
    assert "CONSTANTS\n  Idle, n1, n2\n" in capsys.readouterr().out


def test_a_library_asks_likewise(tmp_path: Path) -> None:
    path = written(tmp_path, COUNTING, "Few Registered")
    results = leadline.check(path, progress=False)
    assert (results["Few"].verdict, results["Registered"].verdict) == ("proved", "violated")
    assert "Registered" in json.dumps(results.to_sarif())
    first = leadline.check(path, fail_fast=True, progress=False)
    assert first["Registered"].trace is not None


@pytest.mark.parametrize("form", ["sarif", "problems"])
def test_diagnostics_of_a_module_without_a_symbolic_form(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", written(tmp_path, COUNTING, "Few Registered"), "--format", form]) == 12
    out = capsys.readouterr().out
    assert "Registered: violated in 4 steps" in out and "M.tla" in out


def test_symmetry_and_view_are_those_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS TLC\nCONSTANT P\nVARIABLES s, n\nInit == s = {} /\\ n = FALSE\n"
    body += "Next == \\E p \\in P : s' = s \\union {p} /\\ n' = ~n\nSmall == s \\in SUBSET P\n"
    body += "Sym == Permutations(P)\nOnly == s\n"
    body += "vars == <<s, n>>\nAll == <<n, vars>>\n"  # tells all states apart, and is no view
    path = str(write(tmp_path, M=body))
    for more, states in (
        ("", 15),
        ("SYMMETRY Sym", 7),
        ("SYMMETRY Sym VIEW Only", 4),
        ("SYMMETRY Sym VIEW All", 7),
    ):
        text = f"CONSTANT P = {{a, b, c}} INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE {more}"
        Path(path).with_suffix(".cfg").write_text(text)
        assert main(["explore", path, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["states"] == states
        assert main(["check", path]) == 0
        out = capsys.readouterr().out
        whole = f"all {states} reachable states explored"
        assert ("one state for each value of the view Only" if "Only" in more else whole) in out


def test_what_has_no_symbolic_form_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, COUNTING, "Few Registered")
    assert main(["prove", path, "--property", "Few"]) == 20
    assert main(["check", path, "--engine", "pdr"]) == 20
    told = capsys.readouterr().err
    assert "TLCGet" in told and "mistake" not in told
    assert main(["check", path, "--property", "Few", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == "proved"


def test_an_error_of_the_module_is_one_however_wide_the_types_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, FALLING, "Inv")
    assert main(["check", path, "--depth", "5", "--format", "json"]) == 21
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["verdict"], found["steps"], found["steps_covered"]) == ("out-of-bounds", 3, None)


def test_types_that_grow_without_end_leave_the_question_to_exploration(tmp_path: Path) -> None:
    (found,) = by_formulas(written(tmp_path, FAR, "Inv"))
    assert found.cause in (Cause.TYPES, None)


def test_names_of_a_module_are_shown_as_it_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
        EXTENDS Naturals
        VARIABLES of_node, sent
        Init == of_node = [a_term |-> 0] /\\ sent = {}
        Send(to_node) == of_node.a_term < 2 /\\ of_node' = [of_node EXCEPT !.a_term = @ + 1]
                         /\\ sent' = sent \\cup {[m_term |-> of_node'.a_term, to |-> to_node]}
        Next == \\E to_node \\in {"b", "c"} : Send(to_node)
        Low == \\A a_msg \\in sent : a_msg.m_term < 2
        """
    path = str(write(tmp_path, M=body))
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    for engine in (["--engine", "bmc", "--depth", "2"], ["--engine", "explore"]):
        main(["check", path, *engine])
        shown = capsys.readouterr().out
        assert 'Send(to_node = "' in shown
        assert "for a_msg = [m_term |-> 2, to |-> " in shown and "FALSE  a_msg.m_term < 2" in shown
        assert "of_node = [a_term |-> 0]" in shown


def test_a_formula_about_one_state_is_an_invariant_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a configuration it is, as PROPERTY, about initial states alone, which is told."""
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 5\nFew == x < 3\nAll == x < 5"
    path = written(tmp_path, body, "All")
    assert main(["check", path, "--property", "Few", "--format", "json"]) == 12
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["property"], found["verdict"], found["steps"]) == ("Few", "violated", 3)
    assert main(["prove", path, "--property", "Few"]) == 12
    assert "initial states alone" not in capsys.readouterr().err
    Path(path).with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTY Few CHECK_DEADLOCK FALSE\n")
    assert main(["explore", path]) == 0
    assert "M.cfg:1:30: Few is about one state, so that a PROPERTY says it of" in capsys.readouterr().err


def test_a_stored_run_begins_in_its_own_sequence(tmp_path: Path) -> None:
    """The empty sequence, which comes first, is written otherwise."""
    init = "EXTENDS Naturals, Sequences\nVARIABLE q\nInit == q \\in {<<>>, <<0, 0>>}\n"
    path, stored = write(tmp_path, M=f"{init}Next == q' = q\nInv == Len(q) < 2"), str(tmp_path / "found.json")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    assert main(["check", str(path), "--format", "json", "--out", stored]) == 12
    assert main(["trace", stored, "--protocol", str(path)]) == 0

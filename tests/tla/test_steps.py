"""Initial states and steps: how conjuncts give variables their values, in every form that TLC knows."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from leadline.symbolic.lang import ModelError
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.values import tla_text
from tests.tla.loading import specification

HEAD = """
EXTENDS Integers, FiniteSets, Sequences, TLC
VARIABLES x, y
vars == <<x, y>>
Set(v, e) == v' = e
Same(v) == UNCHANGED v
Is(v, e) == v = e
nextX == x'
Both(e) == x' = e /\\ y' = e
Starts(e) == x = e /\\ y = e
Some(act(_)) == \\E z \\in 6..7 : act(z)
RECURSIVE Walk(_)
Walk(n) == IF n = 0 THEN x' = 0 /\\ y' = 0 ELSE Walk(n - 1)
RECURSIVE Sum(_, _), Down(_, _), Fill(_), Wind(_), Even(_), Odd(_), Twice(_), At(_), Later(_, _)
Sum(s, n) == IF n = 0 THEN x' = s /\\ y' = 0 ELSE \\E z \\in 1..2 : Sum(s + z, n - 1)
Down(s, h) == IF s = <<>> THEN x' = 0 /\\ y' = 0 ELSE Down(Tail(s), Head(Tail(s)))
Fill(n) == IF n = 0 THEN y' = 0 ELSE x' = 5 /\\ Fill(n - 1)
Wind(n) == IF n = 0 THEN x' = 0 ELSE Wind(n - 1) /\\ y' = 0
Even(n) == IF n = 0 THEN x' = 0 ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN x' = 1 ELSE Even(n - 1)
Twice(n) == n > 0 /\\ (x' = n \\/ Twice(n - 1))
Later(v, n) == IF n = 0 THEN v' = 0 ELSE Later(v, n - 1)
At(n) == IF n = 0 THEN x = 0 /\\ y = 0 ELSE \\E z \\in {n} : At(z - 1)
Zero(w) == LET F(v) == v' = 0 IN F(w)
One(w) == LET v == w IN v' = 1
Of(F(_)) == F(x) /\\ Same(y)
First(F(_)) == F(x)
Handed(G(_)) == First(G)
Given(F(_), v) == F(v)
Second(w) == Given(One, w)
Fail == CHOOSE z \\in {} : TRUE
Late == LET z == <<0>>[y] + x all == {w + z : w \\in {z}}
        IN x = 2 /\\ z # 7 /\\ all # {} /\\ all # {1}
"""


def successors(folder: Path, action: str, init: str = "x = 1 /\\ y = 2") -> list[str]:
    """The successors of the initial state, as the texts of x and y."""
    body = f"{HEAD}\nInit == {init}\nNext == {action}"
    behaviour = Behaviour(specification(folder, body, "INIT Init\nNEXT Next"))
    found: list[object] = []
    behaviour.steps[0](None, found.append)
    (state,) = found
    after: list[tuple[object, ...] | None] = []
    for step in behaviour.steps[1:]:
        step(state, after.append)
    pickle.dumps(after)  # as searches send states to each other
    return sorted("error" if one is None else " ".join(map(tla_text, one)) for one in after)


def initial(folder: Path, init: str) -> list[str]:
    behaviour = Behaviour(
        specification(folder, f"{HEAD}\nInit == {init}\nNext == UNCHANGED vars", "INIT Init\nNEXT Next")
    )
    found: list[tuple[object, ...] | None] = []
    behaviour.steps[0](None, found.append)
    return sorted("error" if one is None else " ".join(map(tla_text, one)) for one in found)


ACTIONS = {
    "x' = x + 1 /\\ y' = x' + 1": ["2 3"],
    "x' \\in 1..2 /\\ y' = 0": ["1 0", "2 0"],
    "UNCHANGED vars": ["1 2"],
    "UNCHANGED <<x, y>> /\\ x = 2": [],
    "x' = 1 /\\ UNCHANGED vars": ["1 2"],
    "x' = 2 /\\ UNCHANGED vars": [],
    "Same(y) /\\ Set(x, y)": ["2 2"],
    "Both(7)": ["7 7"],
    "Some(Both)": ["6 6", "7 7"],
    "Is(x', 3) /\\ Is(y', x') /\\ x' < 4": ["3 3"],
    "nextX = 4 /\\ Same(y)": ["4 2"],
    "(x' = 1 \\/ x' = 2) /\\ (y' = 3 \\/ y' = 4)": ["1 3", "1 4", "2 3", "2 4"],
    "\\/ x' = 5 /\\ y' = 5\n        \\/ \\E z \\in 6..7 : Both(z)": ["5 5", "6 6", "7 7"],
    "\\E z, w \\in 0..1 : z < w /\\ x' = z /\\ y' = w": ["0 1"],
    "\\E <<z, w>> \\in {<<1, 2>>} : x' = w /\\ y' = z": ["2 1"],
    "\\E z \\in 1..100 : z = 57 /\\ Both(z)": ["57 57"],
    "\\E z \\in 1..9 : \\E w \\in 1..9 : w = 5 /\\ z = w + 1 /\\ x' = z /\\ y' = w": ["6 5"],
    "\\E z \\in {1} : (\\E w \\in {<<>>} : w # <<>> /\\ z = Head(w)) /\\ Both(z)": [],
    "IF x = 1 THEN x' = 2 /\\ y' = 3 ELSE UNCHANGED vars": ["2 3"],
    "(IF x = 1 THEN x' = 2 ELSE x' = 3) /\\ y' = x'": ["2 2"],
    "(x = 1 => x' \\in 2..3) /\\ (x # 1 => Set(x, 4)) /\\ (y = 2 => y' = x')": ["2 2", "3 3"],
    "CASE x = 2 -> Both(0) [] y = 2 -> Both(1) [] OTHER -> FALSE": ["1 1"],
    "LET z == x + y IN z = 3 /\\ Both(z + z)": ["6 6"],
    "LET act == x' = 4 IN act /\\ y' = 1": ["4 1"],
    "LET v == x w == v IN Set(w, 4) /\\ Same(y)": ["4 2"],
    "LET v == y IN (ENABLED Is(v', 3)) /\\ (ENABLED Set(v, 1)) /\\ Both(1)": ["1 1"],
    "LET F(v, z) == v' = z IN \\E z \\in 3..4 : F(x, y) /\\ F(y, z)": ["2 3", "2 4"],
    "Zero(x) /\\ One(y)": ["0 1"],
    "(LET F(v) == v' = 5 IN Of(F)) \\/ Of(One) \\/ Of(LAMBDA v : v' = 7)": ["1 2", "5 2", "7 2"],
    "LET F(v) == v' = 5 go == F(x) IN (ENABLED go) /\\ (ENABLED F(y)) /\\ Both(1)": ["1 1"],
    "(First(One) \\/ Handed(LAMBDA v : v' = 7)) /\\ Second(y)": ["1 1", "7 1"],
    "(LET F(v) == v' = 5 IN Handed(F)) /\\ Second(y)": ["5 1"],
    "LET z == Fail IN x = 2 /\\ Both(z + z + z + z)": [],
    "(IF Late THEN x' = 3 ELSE x' = 4) /\\ Same(y)": ["4 2"],
    "Same(x) /\\ (LET z == <<0>>[y] + x IN y' = [[i \\in {5} |-> 1] EXCEPT ![x] = z + z])": ["1 (5 :> 1)"],
    "LET z == x + y IN (x' = z \\/ x' = z + z) /\\ y' = 0": ["3 0", "6 0"],
    "x' = 1 /\\ (\\A z \\in {1, 2} : y' = 5)": ["1 5"],
    "\\A z \\in {1, 2} : x' = 1 /\\ y' = z": [],
    "\\A z \\in {1, 2} : \\E w \\in 3..4 : x' = w /\\ y' = w": ["3 3", "4 4"],
    "\\A z \\in {1, 2} : \\E w \\in 0..1 : (w = 1 => x' = 7) /\\ (w = 0 => x' = 5) /\\ y' = 0": [
        "5 0",
        "7 0",
    ],
    "(\\A z \\in {} : x' = z) /\\ Both(3)": ["3 3"],
    "[x' = 3 /\\ y' = 3]_vars": ["1 2", "3 3"],
    "<<x' \\in 1..2 /\\ y' = 2>>_vars": ["2 2"],
    "x' = 2 /\\ y' = 2 /\\ (x + y)' = 4": ["2 2"],
    "ENABLED (x' = 1 /\\ x = 1) /\\ UNCHANGED vars": ["1 2"],
    "ENABLED (x' = 1 /\\ x = 2) /\\ UNCHANGED vars": [],
    "~ENABLED (\\E z \\in {} : x' = z) /\\ Both(0)": ["0 0"],
    "Both(LET S == {x} IN CHOOSE z \\in S : TRUE)": ["1 1"],
    "x' = SUBSET {1} /\\ y' = [{1} -> {2}]": ["{{}, {1}} {<<2>>}"],
    "x' = <<>> /\\ y' = Append(x', 3)": ["<<>> <<3>>"],
    "x' = Append(<<>>, [z \\in UNION {{w} : w \\in {y}} |-> z]) /\\ y' = 0": ["<<(2 :> 2)>> 0"],
    "x' = (4 :> [z \\in UNION {{w} : w \\in {y}} |-> z]) /\\ y' = 0": ["(4 :> (2 :> 2)) 0"],
    "x' = 1": ["error"],
    "y' = x' /\\ x' = 1": ["error"],
    "Both(Fail)": ["error"],
    "(x' = 1 /\\ y' = 1) \\/ (x = 2 /\\ Fail = 1)": ["1 1"],
    "Walk(2) /\\ y' = x'": ["0 0"],
    "(Walk(1) \\/ Walk(2)) /\\ x' = y' /\\ (x' = 0 \\/ x' = 1) /\\ (y' = 0 \\/ y' = 2) /\\ x < 5": [
        "0 0",
        "0 0",
    ],
    "Sum(x, y)": ["3 0", "4 0", "4 0", "5 0"],
    "(\\E z \\in 1..2 : Sum(z, 0)) \\/ \\E w \\in 4..5 : Sum(w, 0)": ["1 0", "2 0", "4 0", "5 0"],
    "Down(<<1, 2>>, 0)": ["0 0"],
    "Down(3, 0)": ["error"],
    "Fill(2)": ["5 0"],
    "Fill(0)": ["error"],
    "x' = 4 /\\ Fill(1)": [],
    "Even(3) /\\ Same(y)": ["1 2"],
    "Twice(2) /\\ Same(y)": ["1 2", "2 2"],
    "ENABLED Fill(9) /\\ ~ENABLED (x' = 4 /\\ Fill(9)) /\\ UNCHANGED vars": ["1 2"],
    # TLC goes through all of a guard until each variable has a value.
    "x' = 1 /\\ (x = 1 \\/ Fail) /\\ y' = 2": ["error"],
    "x' = 1 /\\ y' = 2 /\\ (x = 1 \\/ Fail)": ["1 2"],
    "(CASE x = 1 -> (x = 1 \\/ Fail) [] OTHER -> TRUE) /\\ UNCHANGED vars": ["error"],
    "(x = 2 => (x = 1 \\/ Fail)) /\\ UNCHANGED vars": ["1 2"],
    "(x = 1 => (\\E z \\in 1..2 : z = 1 \\/ Fail)) /\\ UNCHANGED vars": ["error"],
    "ENABLED ((x = 1 \\/ Fail) /\\ x' = 1) /\\ UNCHANGED vars": ["1 2"],
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_has_its_successors(tmp_path: Path, action: str) -> None:
    assert successors(tmp_path, action) == ACTIONS[action]


INITIAL = {
    "Some(Starts)": ["6 6", "7 7"],
    "x \\in 1..2 /\\ y = x": ["1 1", "2 2"],
    "x = 1 /\\ (y = 2 \\/ y = 3)": ["1 2", "1 3"],
    "<<x, y>> \\in {<<1, 2>>}": ["error"],
    "\\E z \\in 1..2 : x = z /\\ y = z + x": ["1 2", "2 4"],
    "x \\in {z \\in SUBSET (1..2) : Cardinality(z) = 1} /\\ y = 0": ["{1} 0", "{2} 0"],
    "x = 1 /\\ y = 1 /\\ x # y": [],
    "x = [i \\in 1..2 |-> 0] /\\ y \\in [{1} -> x[1]..1]": ["<<0, 0>> <<0>>", "<<0, 0>> <<1>>"],
    "x \\in 1..2 /\\ (x = 1 => y = 5) /\\ (x # 1 => y = 6)": ["1 5", "2 6"],
    "At(2)": ["0 0"],
    "y = 1": ["error"],
    "(\\E z \\in 1..2 : z = 1 \\/ Fail) /\\ x = 1 /\\ y = 1": ["error"],
    "x = 1 /\\ y = 1 /\\ (\\E z \\in 1..2 : z = 1 \\/ Fail)": ["1 1"],
}


@pytest.mark.parametrize("init", INITIAL)
def test_initial_states(tmp_path: Path, init: str) -> None:
    assert initial(tmp_path, init) == INITIAL[init]


def test_actions_have_the_names_of_their_operators(tmp_path: Path) -> None:
    body = """
    VARIABLE x
    Init == x = 0
    A(i) == x = i /\\ x' = 1
    B == \\/ x = 1 /\\ x' = 2
         \\/ x = 1 /\\ x' = 3
    D == x = 2 /\\ x' = 0
    E == x = 3 /\\ x' = 0
    C == \\/ \\E j \\in {1} : D \\/ E
    Next == (\\E i \\in {0, 1} : A(i)) \\/ B \\/ C \\/ (x = 9 /\\ B) \\/ (x = 7 /\\ x' = 7)
    """
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init\nNEXT Next"))
    assert [one.name for one in behaviour.actions] == ["A", "B", "D", "E", "Next"]
    (outcome,) = behaviour.successors((0,))
    assert (outcome.action, outcome.picks, outcome.state) == ("A", {"i": 0}, (1,))


def test_steps_beside_those_of_next_have_names_of_their_own(tmp_path: Path) -> None:
    body = """
    VARIABLE x
    A == x = 0 /\\ x' = 1
    B == x = 1 /\\ x' = 0
    Next == A \\/ B
    Reset == x' = 0
    Spec == x = 0 /\\ [][Next \\/ \\E i \\in {1, 2} : Reset]_x
    """
    behaviour = Behaviour(specification(tmp_path, body, "SPECIFICATION Spec"))
    assert [one.name for one in behaviour.actions] == ["A", "B", "Reset"]


def test_an_error_in_a_step_is_told_with_its_place(tmp_path: Path) -> None:
    body = "EXTENDS Sequences\nVARIABLE x\nInit == x = <<>>\nNext == x' = Tail(x)"
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init\nNEXT Next"))
    (outcome,) = behaviour.successors(behaviour.initial()[0].state or ())
    assert outcome.state is None
    assert outcome.why == f"{tmp_path}/M.tla:5:14: Tail of the empty sequence"


@pytest.mark.parametrize("action", ["Wind(1)", "Later(x, 1)", "Later(x', 1)"])
def test_a_recursive_action_that_needs_more_than_values_is_refused(tmp_path: Path, action: str) -> None:
    with pytest.raises(ModelError, match=r"the action \w+ is recursive: expected parameters that are values"):
        successors(tmp_path, action)

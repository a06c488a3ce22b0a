"""The values of expressions: one corpus of expressions with their values in TLA+, and one of errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from leadline.symbolic.tla.read.analysis import Analysis
from leadline.symbolic.tla.read.syntax import Apply, Let, Node
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import printing
from leadline.symbolic.tla.values.sets import Functions
from leadline.symbolic.tla.values.values import EvaluationError, Value, tla_text
from tests.tla.loading import specification

MODULES = "Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, Functions, Bags"
DEFINITIONS = """
CONSTANTS a, b, A_1, A_2, B_1
RECURSIVE Deep(_, _), Sum(_), Even(_), Odd(_), Guarded(_, _), Keys(_)
Keys(k) == IF k = 0 THEN <<>> ELSE LET f == Keys(k - 1) IN [i \\in UNION {DOMAIN f, {k}} |-> k]
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \\in S : TRUE IN x + Sum(S \\ {x})
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
Guarded(n, x) == IF n = 0 THEN 0 ELSE Guarded(n - 1, x)
fact[n \\in Nat] == IF n = 0 THEN 1 ELSE n * fact[n - 1]
Twice(F(_), x) == F(F(x))
Fail == CHOOSE x \\in {} : TRUE
Second(x, y) == y
Lazy(x, y) == IF x THEN y ELSE 0
x ++ y == <<x, y>>
Parts ==
  /\\ <<1, 2>> = <<1>>
  /\\ \\/ IF 1 = 2 THEN FALSE ELSE TRUE
     \\/ FALSE
Tripled == \\A n \\in {} : mark(n) :: 3 * n = (LET mark == {mark(m) :: n * m : m \\in {}} IN 0)
Symbols == LET p ** q == p + 10 * q
           IN 5 ** 6
Early == LET late == 3 IN late
late == 4
Fair == WF_a(b)
Field == [x |-> 1].x
plus[i, j \\in Int, <<k, l>> \\in Nat \\X Nat] == i + j + k + l
Biggest(S) == CHOOSE x \\in S : \\A y \\in S : y <= x
Links == {p \\in (1..2) \\X (1..2) : p[1] < p[2]}
Given(f, S) == [x \\in S |-> IF x[1] = 1 /\\ x \\in DOMAIN f THEN f[x] ELSE 0]
Strict(f) == DOMAIN f
Deep(f, n) == IF n = 0 THEN DOMAIN f ELSE Deep(f, n - 1)
"""
CONFIG = "CONSTANTS a = a b = b A_1 = A_1 A_2 = A_2 B_1 = B_1"

VALUES = {
    # Numbers
    "1 + 2 * 3 - -4": "11",
    "7 \\div 2": "3",
    "(-7) \\div 2": "-4",
    "-7 % 2": "1",
    "2 ^ 10": "1024",
    "<<Parts!1, Parts!2, Parts!2!2, Parts!2!1!1, Parts!1!1>>": "<<FALSE, TRUE, FALSE, FALSE, <<1, 2>>>>",
    "<<Twice(Tripled!@!1, 2), Twice(Tripled!mark!1, 2), Tripled!mark(5)!1>>": "<<18, 18, 15>>",
    "Tripled!(2)!:!mark!mark(4)": "8",
    "<<Symbols!**(1, 2), Early!1, Fair!1, Fair!2, Field!2>>": '<<21, 3, a, b, "x">>',
    "plus[1, 2, <<3, 4>>]": "10",
    "[i, j \\in Nat |-> i * j][5, 6]": "30",
    "LET f == [fact EXCEPT ![3] = @ + 1, ![-1] = 2] IN <<f[3], [f EXCEPT ![3] = @ * 2][3]>>": "<<7, 14>>",
    "[[i, j \\in Int |-> [a |-> i, b |-> j]] EXCEPT ![1, 2].a = @ + 5][1, 2]": "[a |-> 6, b |-> 2]",
    '[i \\in {"a", "b"} |-> i] \\in [1..9 -> Nat]': "FALSE",
    "3 \\in 1..3 /\\ 4 \\notin 1..3": "TRUE",
    "{<<n, x>> \\in {0, 2} \\X {1, 3, a} : x \\in 1..n}": "{<<2, 1>>}",
    '\\E n \\in {0}, x \\in {"a"} : x \\in 1..n': "FALSE",
    "-1 \\in Nat \\/ -1 \\in Int": "TRUE",
    # Logic
    "TRUE => FALSE <=> FALSE": "TRUE",
    "FALSE /\\ Fail = 1": "FALSE",
    "TRUE \\/ Fail = 1": "TRUE",
    "\\A x, y \\in 1..3 : x + y \\in 2..6": "TRUE",
    "\\E x \\in 1..3, y \\in {4} : x * y = 12": "TRUE",
    "\\E <<x, y>> \\in {<<1, 2>>, <<3, 4>>} : x + y = 7": "TRUE",
    "\\E x \\in {} : Fail = 1": "FALSE",
    # A first condition is not evaluated where one of the sets is empty, nor where an earlier one is false.
    "\\A x \\in {1}, y \\in {} : Fail = x => x = y": "TRUE",
    "\\A x, y \\in {} : Fail = x => x = y": "TRUE",
    "\\E x \\in {1}, y \\in {} : Fail = x /\\ x = y": "FALSE",
    "\\E x, y \\in {1, 2}, z \\in {3} : x < y /\\ z < 4 /\\ y < z": "TRUE",
    "\\A x, y, z \\in 1..3 : x < 3 /\\ x < y /\\ y < z => z = 3": "TRUE",
    "\\A x, y \\in 1..3 : x < 3 => y < 3": "FALSE",
    "\\A x, y \\in 1..2 : x # 1 /\\ x # 2 => Fail = y": "TRUE",
    "IF 1 > 2 THEN Fail ELSE {TRUE}": "{TRUE}",
    "CASE 1 > 2 -> Fail [] 2 > 1 -> 5 [] OTHER -> Fail": "5",
    # Sets
    "{3, 1, 2, 1}": "{1, 2, 3}",
    "{1, 2} \\cup {3}": "{1, 2, 3}",
    "({1, 2, 3} \\cap {2, 3, 4}) \\ {3}": "{2}",
    "SUBSET {1, 2}": "{{}, {1}, {2}, {1, 2}}",
    "UNION {{1}, {2, 3}}": "{1, 2, 3}",
    "{x \\in 1..5 : x % 2 = 1}": "{1, 3, 5}",
    "{x * y : x, y \\in 1..2}": "{1, 2, 4}",
    "Cardinality(SUBSET (1..4)) + Cardinality({1, 1})": "17",
    "{1, 2} \\X {3}": "{<<1, 3>>, <<2, 3>>}",
    "<<1, {2}, 3>> \\in Nat \\X SUBSET {2} \\X {3}": "TRUE",
    "{1} \\subseteq Nat": "TRUE",
    '{"p", "q", "r", "s", a} \\subseteq {1}': "FALSE",
    "5 \\in Nat \\ {4} /\\ 4 \\notin Nat \\ {4}": "TRUE",
    "5 \\in {x \\in Nat : x > 4}": "TRUE",
    "3 \\in UNION {Nat, {-1}}": "TRUE",
    "BOOLEAN": "{FALSE, TRUE}",
    "IsFiniteSet({1}) /\\ ~IsFiniteSet(Nat)": "TRUE",
    "{{}, {1}} = SUBSET {1}": "TRUE",
    '"a" \\in STRING': "TRUE",
    "[{1} -> {2, 3}]": "{<<2>>, <<3>>}",
    '[x : {1}, y : {"a", "b"}]': '{[x |-> 1, y |-> "a"], [x |-> 1, y |-> "b"]}',
    "[x |-> 1] \\in [x : Nat]": "TRUE",
    "<<1, 2, 3>> \\in Seq(Nat)": "TRUE",
    "[i \\in {5} |-> 7] \\in [{5} -> Int]": "TRUE",
    # quantifiers take the elements in TLC's order, and look no further than they must
    r"\A S \in SUBSET ((1..2) \X (0..1)) : <<1, 0>> \in S => ~\A x \in S : <<2>>[x[1]] = x[2]": "TRUE",
    # CHOOSE takes the first element in TLC's order
    "CHOOSE x \\in {3, 1, 2} : x > 1": "2",
    'CHOOSE x \\in {"b", "a"} : TRUE': '"a"',
    "CHOOSE x \\in {b, a} : TRUE": "a",
    "CHOOSE S \\in SUBSET {1, 2, 3} : Cardinality(S) = 2": "{1, 2}",
    "CHOOSE x \\in {{3}, {1, 2}} : TRUE": "{3}",
    "CHOOSE t \\in {<<2, 1>>, <<1, 2>>} : TRUE": "<<1, 2>>",
    # Functions, records and sequences are one kind of value
    "[x \\in 1..2 |-> x * x] = <<1, 4>>": "TRUE",
    '[x |-> 1] = [y \\in {"x"} |-> 1]': "TRUE",
    "<<>> = [x \\in {} |-> 1]": "TRUE",
    "[x \\in {a, b} |-> 0]": "(a :> 0 @@ b :> 0)",
    "[x, y \\in {1} |-> x + y][1, 1]": "2",
    "[<<x, y>> \\in {<<1, 2>>} |-> x + y][<<1, 2>>]": "3",
    "DOMAIN <<7, 8>>": "{1, 2}",
    "[[x |-> 1, y |-> <<1, 2>>] EXCEPT !.x = @ + 1, !.y[2] = @ * 5]": "[x |-> 2, y |-> <<1, 10>>]",
    "[<<1>> EXCEPT ![2] = 3]": "<<1>>",
    "[<<1, 2>> EXCEPT ![1] = 7, ![1] = @ + 1]": "<<8, 2>>",
    "(1 :> 2 @@ 1 :> 3 @@ 4 :> 5)": "(1 :> 2 @@ 4 :> 5)",
    "<<1>> \\o <<2, 3>>": "<<1, 2, 3>>",
    "Append(<<1>>, 2)": "<<1, 2>>",
    "<<Head(<<1, 2>>), Len(Tail(<<1, 2>>)), SubSeq(<<1, 2, 3>>, 2, 3)>>": "<<1, 1, <<2, 3>>>>",
    "SelectSeq(<<1, 2, 3>>, LAMBDA x : x # 2)": "<<1, 3>>",
    "SortSeq(<<3, 1, 2>>, >)": "<<3, 2, 1>>",
    "fact[5]": "120",
    "[n \\in Nat |-> n + 1][41]": "42",
    "LET f[n \\in 0..3] == IF n = 0 THEN 1 ELSE 2 * f[n - 1] IN f[3]": "8",
    # Operators
    "Sum({1, 2, 3})": "6",
    "Even(10)": "TRUE",
    "Twice(LAMBDA x : 3 * x, 2)": "18",
    "Twice(-., 2)": "2",
    "1 ++ 2": "<<1, 2>>",
    "LET F(x) == x + 1 y == F(F(1)) IN y * y": "9",
    "LET x == Fail IN IF FALSE THEN x + x + x ELSE 1": "1",
    "LET x == Biggest({}) IN \\A y \\in {} : y < x + x": "TRUE",
    "Second(Fail, 2)": "2",
    "Lazy(FALSE, Fail)": "0",
    "Guarded(3, Fail)": "0",
    "Given([p \\in Links |-> 5], {<<1, 2>>, <<2, 1>>})": "(<<1, 2>> :> 5 @@ <<2, 1>> :> 0)",
    "Strict([p \\in Links |-> 5]) \\cup Deep([p \\in Links |-> 5], 1)": "{<<1, 2>>}",
    "LET f == [p \\in Links |-> 5] IN IF Even(2) THEN DOMAIN f \\cup DOMAIN f ELSE {}": "{<<1, 2>>}",
    "FoldSet(LAMBDA x, y : x + y, 0, 1..4)": "10",
    "DOMAIN FoldSet(LAMBDA k, f : [i \\in UNION {DOMAIN f, {k}} |-> k], <<>>, 1..2)": "{1, 2}",
    "Keys(2)": "<<2, 2>>",
    "LET f[k \\in 0..2] == [i \\in UNION {IF k = 0 THEN {} ELSE DOMAIN f[k - 1], {k}} |-> 7] IN f[0]": "(0 :> 7)",
    "LET f[i \\in 1..2] == [j \\in 1..2 |-> IF j = 1 THEN i ELSE f[i][1] + 1] IN f": "<<<<1, 2>>, <<2, 3>>>>",
    "Min({3, 1}) + Max({3, 1})": "4",
    "BagCardinality(SetToBag({1, 2}) (+) SetToBag({2}))": "3",
    "Range(<<1, 2, 1>>)": "{1, 2}",
    # Model values differ from all else
    "a = b \\/ a = 1": "FALSE",
    "A_1 = A_2": "FALSE",
    "a \\in {1, 2}": "FALSE",
    "{a, 1} \\ {1}": "{a}",
    # Truth values are no numbers
    "{0, 1} = {1, 0} /\\ <<TRUE>> # <<FALSE>>": "TRUE",
    # Standard modules
    "Permutations({1, 2})": "{<<1, 2>>, <<2, 1>>}",
    "ToString(<<1, TRUE>>)": '"<<1, TRUE>>"',
    "TLCEval({1}) = {1}": "TRUE",
    "Assert(TRUE, <<>>)": "TRUE",
    '"a" \\o "b"': '"ab"',
}

ERRORS = {
    "CHOOSE i \\in Nat : i = 3": "a configuration may replace it (CONSTANT Nat <- Few)",
    "IF {1} \\X SUBSET {1} THEN 1 ELSE 2": "a set is no truth value",
    "1 + TRUE": "no value for an integer and a truth value",
    '"a" < "b"': "no integer",
    "<<1>> + <<2>>": "no integer",
    '1 = "a"': "compared",
    '"a" = 1': "compared",
    "0 = FALSE": "compared",
    "[x |-> 1] = [x |-> TRUE]": "compared",
    '1 \\in {"a"}': "compared",
    "TRUE \\in {1}": "compared",
    '<<"a", "b", "c", TRUE>> \\in [1..4 -> {"a", "b", "c"}]': "compared",
    "{1, 2, TRUE} \\in SUBSET {1, 2}": "compared",
    '\\E n \\in 1..2, x \\in {"a"} : x \\in 1..n': "compared",
    "\\E n \\in 1..2, x \\in {A_1} : x \\in 1..n": "compared",
    "A_1 = B_1": "compared",
    "A_1 = 1": "compared",
    "<<1, 2>>[3]": "applied to 3, which is not in its domain",
    "<<1, 2>>[0]": "applied to 0",
    "[x |-> 1].y": 'applied to "y"',
    "1[2]": "a function is needed, and this is an integer",
    '"ab"[1]': "a function is needed, and this is a string",
    "[a : {1}, b : Nat].a": "a function is needed, and this is a set",
    "{} \\in SUBSET 0..1": "SUBSET of 0, an integer: a set is needed; SUBSET binds tighter",
    "{1} \\cup 3": "no value for a set and an integer",
    "[1 -> {1}] = {}": "[S -> T] of 1, an integer: sets are needed",
    "1 \\in [a : {1}, b : 2]": "elements of 2, an integer",
    "CHOOSE x \\in 1..3 : x > 3": "no element satisfies",
    "CHOOSE x : x > 3": "no set",
    "\\A S \\in SUBSET {} : \\A x \\in S, y \\in CHOOSE z \\in {} : TRUE : x = y": "no element satisfies",
    "CASE 1 > 2 -> 3": "no arm of CASE",
    "IF 1 THEN 2 ELSE 3": "no truth value",
    "1 /\\ TRUE": "no truth value",
    "1 \\div 0": "0",
    "Head(<<>>)": "Head",
    "Len({1})": "no function",
    "\\E x \\in 5 : TRUE": "no set",
    "1 \\in 2": "no set",
    "\\E x \\in {a} : x \\in {a} \\cup SUBSET x[1]": "a function is needed",
    "{x \\in Nat : x > 4} = {}": "infinite",
    "{[fact EXCEPT ![3] = 1]} = {}": "infinite",
    "Assert(1 = 2, <<>>)": "assertion",
    "LET f[n \\in Nat] == f[n + 1] IN f[0]": "recursion",
}


def named(texts: Iterable[str]) -> dict[str, str]:
    return {text: f"V{place}" for place, text in enumerate(texts)}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The value of an expression of either corpus, all of which are definitions of one module."""
    names = named([*VALUES, *ERRORS])
    definitions = "\n".join(f"{name} == {text}" for text, name in names.items())
    body = f"EXTENDS {MODULES}\n{DEFINITIONS}\n{definitions}"
    interpreter = Interpreter(specification(tmp_path_factory.mktemp("tla"), body, CONFIG))
    return lambda text: tla_text(interpreter.constant(Apply(names[text])))


@pytest.mark.parametrize("text", VALUES)
def test_expression_has_its_value(evaluated: Callable[[str], str], text: str) -> None:
    assert evaluated(text) == VALUES[text]


@pytest.mark.parametrize("text", ERRORS)
def test_expression_has_no_value(evaluated: Callable[[str], str], text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluated(text)
    assert ERRORS[text] in str(caught.value)
    assert "/M.tla:" in str(caught.value), "the place is told"


def test_place_of_an_error_is_that_of_the_innermost_expression(tmp_path: Path) -> None:
    found = specification(tmp_path, "EXTENDS Integers\nV == LET f == <<1>> IN 1 + f[2] + 3")
    with pytest.raises(EvaluationError, match=r"M\.tla:3:28: "):
        Interpreter(found).constant(Apply("V"))


def test_the_name_before_a_field_is_not_told_as_what_has_no_field(tmp_path: Path) -> None:
    """It was told that f is no function."""
    found = specification(tmp_path, "EXTENDS Naturals\nV == LET f == [x \\in 1..2 |-> 5] IN f[1].y")
    with pytest.raises(EvaluationError, match=r"M\.tla:3:37: a function is needed, and this is an integer$"):
        Interpreter(found).constant(Apply("V"))


def test_an_error_with_a_huge_value_is_told_with_its_beginning_and_its_end(tmp_path: Path) -> None:
    found = Interpreter(
        specification(tmp_path, "EXTENDS Naturals, Sequences\nA == [a : 1..2].a\nB == Len(0..9999) + 1")
    )
    with pytest.raises(EvaluationError, match=r"M\.tla:3:6: a function is needed, and this is a set$"):
        found.constant(Apply("A"))
    with pytest.raises(EvaluationError, match=r"\{0, 1, 2, .*9999\} is no function$") as caught:
        found.constant(Apply("B"))
    assert len(str(caught.value)) < 1500


def test_place_of_an_error_in_the_library_is_told_behind_that_of_its_use(tmp_path: Path) -> None:
    found = specification(tmp_path, "EXTENDS SequencesExt, Integers\nV == 1 + Last(<<>>)")
    with pytest.raises(
        EvaluationError, match=r"M\.tla:3:10: .*SequencesExt\.tla:\d+:\d+: the function is applied to 0"
    ):
        Interpreter(found).constant(Apply("V"))


@pytest.mark.parametrize("begin", ["{<<>>}", "{f \\in [0..7 -> 0..99] : f[0] = 1} \\cup {<<>>}"])
def test_a_large_set_that_is_a_part_of_the_value_of_a_recursion_is_not_listed(
    begin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BoundedSeq of an exported protocol took all memory."""
    body = f"""
        EXTENDS Naturals
        RECURSIVE BoundedSeq(_, _)
        BoundedSeq(S, n) == IF n = 0 THEN {begin} ELSE BoundedSeq(S, n - 1) \\cup [1..n -> S]
        Inside == <<1, 2>> \\in BoundedSeq(0..99, 3) /\\ <<1, 100>> \\notin BoundedSeq(0..99, 3)
        """

    elements = Functions.elements

    def few(self: Functions) -> Iterator[Value]:
        assert len(self) < 1_000_000
        return elements(self)

    monkeypatch.setattr(Functions, "elements", few)
    assert Interpreter(specification(tmp_path, body)).holds(Apply("Inside"))


def test_what_an_expression_reads_is_found_once_wherever_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
        EXTENDS Naturals
        VARIABLES x, y
        Init == x = 0 /\\ y = 0
        Next == \\E a \\in 0..1 : LET b == a + x IN
                  b < 9 /\\ \\E c \\in 0..b : LET d == b + c IN
                  d < 9 /\\ x' = a + d /\\ (IF c < d THEN y' = b ELSE y' = y)
        """
    looked: list[tuple[Node, bool]] = []
    find = Analysis._find_mentions

    def noted(self: Analysis, e: Node, bound: frozenset[str], primed: bool) -> frozenset[tuple[str, bool]]:
        looked.append((e, primed))
        return find(self, e, bound, primed)

    monkeypatch.setattr(Analysis, "_find_mentions", noted)
    assert len(Interpreter(specification(tmp_path, body, "INIT Init\nNEXT Next\n")).steps) == 2
    assert len(looked) > 20 and len({(id(e), primed) for e, primed in looked}) == len(looked)


def test_a_let_of_many_definitions_has_as_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis of what a LET primes visits each of its definitions once, not once for every subset of them."""
    names = [f"v{i}" for i in range(12)]
    defined = " ".join(f"{one} == {before} + 1" for before, one in pairwise(["a", *names]))
    body = f"""EXTENDS Naturals
        VARIABLE x
        Late(a, b) == LET {defined} IN {names[-1]} + b
        Init == x = 0
        Next == LET y == Late(x, 0) IN x' = y % 5
        """
    looked: list[Node] = []
    find = Analysis._find_primes

    def noted(self: Analysis, e: Node, name: str, primed: bool) -> bool:
        looked.append(e)
        return find(self, e, name, primed)

    monkeypatch.setattr(Analysis, "_find_primes", noted)
    assert len(Interpreter(specification(tmp_path, body, "INIT Init\nNEXT Next\n")).steps) == 2
    assert len(names) < len({id(one) for one in looked if isinstance(one, Let)}) < 3 * len(names)


def test_a_formula_is_translated_once(tmp_path: Path) -> None:
    found = specification(tmp_path, "VARIABLE x\nInit == x = 0\nNext == x' = x\n", "INIT Init\nNEXT Next\n")
    assert found.init is not None
    interpreter = Interpreter(found)
    assert interpreter.predicate(found.init) is interpreter.predicate(found.init)
    assert interpreter.term(found.init) is not interpreter.predicate(found.init)


@pytest.mark.parametrize("e", ["{1, 2} \\X {3, 4}", "[a : {1, 2}, b : {3, 4}]", "[{1, 2} -> {3, 4}]"])
def test_the_last_part_of_a_product_changes_first(e: str, tmp_path: Path) -> None:
    one = specification(tmp_path, f"EXTENDS Integers, TLC\nE == \\A x \\in {e} : PrintT(x)")
    told: list[str] = []
    with printing(told.append):
        Interpreter(one).constant(Apply("E"))
    assert told == sorted(told)
    assert len(told) == 4


@pytest.mark.parametrize(
    ("e", "lacking"),
    [
        ("[[a |-> i] EXCEPT !.b = 2]", [(27, '"b"')]),
        ("[[a |-> <<i>>] EXCEPT !.a[2] = @ + 1]", [(33, "2")]),
        ("[<<i, 2>> EXCEPT ![2] = @ + 1]", []),
    ],
)
def test_an_except_that_changes_nothing_is_told_once(
    e: str, lacking: list[tuple[int, str]], tmp_path: Path
) -> None:
    one = specification(tmp_path, f"EXTENDS Integers, Sequences\nE == {{{e} : i \\in 1..2}}")
    told: list[str] = []
    with printing(told.append):
        Interpreter(one).constant(Apply("E"))
    text = "EXCEPT changes nothing, since {} is not in the domain"
    assert told == [f"{tmp_path}/M.tla:3:{column}: {text.format(x)}" for column, x in lacking]

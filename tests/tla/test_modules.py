"""Names, modules and configurations: what they bring in, and the mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.lang import ModelError
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.values import EvaluationError, tla_text
from tests.tla.loading import specification, write

COUNTER = """
EXTENDS Naturals
CONSTANT Most
VARIABLE n
Init == n = 0
Next == n < Most /\\ n' = n + 1
"""


def mistakes(folder: Path, body: str, config: str = "", **modules: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        specification(folder, body, config, **modules)
    return [str(mistake).removeprefix(f"{folder}/") for mistake in caught.value.mistakes]


def test_an_instance_substitutes_expressions(tmp_path: Path) -> None:
    instance = "C(most) == INSTANCE Counter WITH n <- a + 1, Most <- most"
    body = f"EXTENDS Naturals\nVARIABLES a\n{instance}\nT == C(3)!Next"
    found = specification(tmp_path, body, Counter=COUNTER)
    substituted = s.Apply("C!n", (s.Apply("most@1@"),))
    assert found.variables == ("a",)
    assert found.definitions["T"].body == s.Apply("C!Next", (s.Number(3),))
    assert found.definitions["C!n"].body == s.Apply("+", (s.Apply("a"), s.Number(1)))
    assert found.definitions["C!Init"].body == s.Apply("=", (substituted, s.Number(0)))


def test_an_instance_takes_the_names_around_it(tmp_path: Path) -> None:
    found = specification(
        tmp_path, "CONSTANT Most\nVARIABLE n\nINSTANCE Counter", "CONSTANT Most = 2", Counter=COUNTER
    )
    assert found.definitions["Init"].body == s.Apply("=", (s.Apply("n"), s.Number(0)))


def test_a_parameter_of_an_instance_has_a_name_that_its_module_may_bind(tmp_path: Path) -> None:
    inner = "EXTENDS Naturals\nVARIABLE v\nLess(w) == v < w /\\ \\A x \\in {v} : x < w"
    instances = "I(w) == INSTANCE Inner WITH v <- w\nJ(x) == INSTANCE Inner WITH v <- x"
    body = f"VARIABLE y\n{instances}\nT == I(y)!Less(1) /\\ J(1)!Less(y)"
    found = specification(tmp_path, body, Inner=inner)
    for key in ("I!Less", "J!Less"):
        one = found.definitions[key]
        first, second = (s.Apply(x.name) for x in one.parameters)
        assert first != second
        assert isinstance(one.body, s.Apply) and one.body.arguments[0] == s.Apply("<", (first, second))
        assert isinstance(one.body.arguments[1], s.Quantified)
        assert one.body.arguments[1].bounds[0].domain == s.SetOf((first,))
        assert one.body.arguments[1].bounds[0].names[0] != first.operator


def test_bound_names_of_a_copy_capture_nothing(tmp_path: Path) -> None:
    inner = "VARIABLE v\nP == \\E x \\in {1, 2} : x = v"
    found = specification(
        tmp_path, "EXTENDS Naturals\nVARIABLE x\nI == INSTANCE Inner WITH v <- x", Inner=inner
    )
    (bound,) = found.definitions["I!P"].body.bounds  # type: ignore[attr-defined]  # it is a quantifier
    assert found.definitions["I!P"].body.body == s.Apply("=", (s.Apply(bound.names[0]), s.Apply("x")))  # type: ignore[attr-defined]
    assert bound.names != ("x",)


def test_nested_modules_see_the_names_before_them(tmp_path: Path) -> None:
    inner = "---- MODULE Inner ----\nVARIABLE v\nB == v = A\n===="
    body = f"A == 1\n{inner}\nVARIABLE w\nI == INSTANCE Inner WITH v <- w"
    found = specification(tmp_path, body)
    assert found.definitions["I!B"].body == s.Apply("=", (s.Apply("w"), s.Apply("A")))


def test_a_formula_is_split(tmp_path: Path) -> None:
    body = """
    VARIABLE x
    Init == x = 0
    Next == x' = 1
    Fair == WF_x(Next)
    Spec == Init /\\ [][Next]_x /\\ Fair
    """
    found = specification(tmp_path, body, "SPECIFICATION Spec")
    assert found.init == s.Apply("Init")
    assert found.next == s.Apply("Next")
    assert found.fairness == (s.Subscripted("WF_", s.Apply("Next"), s.Apply("x")),)


def test_a_configuration_is_read(tmp_path: Path) -> None:
    body = """
    EXTENDS Naturals
    CONSTANTS A, B, C(_), D
    VARIABLE x
    Small == 0..3
    Twice(y) == 2 * y
    Inv == x \\in Nat
    Init == x = 0
    Next == x' = x
    """
    config = """
    \\* the constants
    CONSTANTS A = {r1, r2, "a", -1}
      B <- Small C <- Twice Nat <- Small
    CONSTANT D = D
    INIT Init NEXT Next
    INVARIANTS Inv
    CHECK_DEADLOCK FALSE
    """
    found = specification(tmp_path, body, config)
    values = (s.ModelValue("r1"), s.ModelValue("r2"), s.String("a"), s.Number(-1))
    assert found.definitions["A"].body == s.SetOf(values)
    assert found.definitions["B"].body == found.definitions["Nat"].body == s.Apply("Small")
    assert found.definitions["C"].body == s.Apply("Twice", (s.Apply("a1@"),))
    assert found.definitions["D"].body == s.ModelValue("D")
    assert (found.invariants, found.deadlock) == ({"Inv": s.Apply("Inv")}, False)


MISTAKES = {
    "A == y\nB == Len(<<>>)": ["2:6: unknown operator `y`", "3:6: ... `Len`: EXTENDS Sequences has it"],
    "Above == 1\nB == Abov": ["3:6: ... did you mean `Above`?"],
    "Assert == 1\nB == {1} \\subset {1}": ["3:10: ... did you mean `\\subseteq`?"],
    "A == {TRUE} \\subseteq BOOL": ["2:23: ... did you mean `BOOLEAN`?"],
    "A(x) == x\nB == A\nC == A(1, 2)": ["3:6: A takes 1 argument, and here are 0", "4:6: ... here are 2"],
    "A == 1\nB == A(2)": ["3:6: A takes no arguments, and here is 1"],
    "A(f(_)) == f(1)\nB == A(2)\nC(x, y) == x\nD == A(C)": [
        "3:8: expected an operator with 1 argument",
        "5:8: C takes 2 arguments: expected an operator with 1 argument",
    ],
    "A(f(_), x) == f(x)\nB(x) == x\nC == A(B(1), LAMBDA x : x)": [
        "4:8: expected an operator with 1 argument",
        "4:14: LAMBDA is an operator: expected a value",
    ],
    "A == -1": ["2:6: unknown prefix operator `-`: EXTENDS Integers has it"],
    "A == 4 / 2": ["2:8: unknown operator `/`: did you mean `\\div`?"],
    "A == B!C": ["2:6: B is no instance of a module with definitions: expected `B == INSTANCE M`"],
    "EXTENDS Sequences\nA == \\E Len \\in {} : TRUE": ["3:9: Len is already defined, in a standard module"],
    "A == 1\nA == 2": ["3:1: A is already defined, at ...M.tla:2:1"],
    "A == 1\nA == 1": ["3:1: A is already defined, at ...M.tla:2:1"],
    "VARIABLE x\nA == \\E x \\in {} : x": ["3:9: x is already defined, at ...M.tla:2:10"],
    "EXTENDS Nowhere\nA == Unknown(1) + I!B": ["2:9: there is no module Nowhere"],
    "A == INSTANCE Nowhere\nB == A!C\nD(x) == x\nE == D": [
        "2:1: there is no module Nowhere",
        "5:6: D takes 1 argument, and here are 0",
    ],
    "I == INSTANCE N": ["2:1: the instance of N says nothing of its n, declared at"],
    "CONSTANT n\nI == INSTANCE N WITH m <- 1": ["3:27: N declares no constant or variable m"],
    "RECURSIVE F(_)\nA == F(1)": ["2:11: F is declared as recursive: expected its definition"],
    "VARIABLE x\nA == x'' = 1": ["3:8: a formula about a step has no next value"],
    "VARIABLE x\nA == (UNCHANGED x)'\nB == ENABLED []TRUE": [
        "3:19: a formula about a step",
        "4:6: ENABLED is about",
    ],
    "VARIABLE x\nA == [](x' = 1)\nASSUME x = 1": ["3:6: [] is followed by a formula", "4:10: an assumption"],
    "VARIABLE x\nN1 == x' = 1\nA == []N1\nB == <>[N1]_x": [
        "4:6: [] is followed by",
        "5:6: <> is followed by",
    ],
    "VARIABLE x\nA == (x' = 1) ~> (x = 1)\nB == [][x = 0]_(x')": [
        "3:15: a formula about a step stands beside ~>",
        "4:8: the subscript is about a step",
    ],
    "VARIABLE x\nA == WF_x([]TRUE)": ["3:6: a temporal formula is no action"],
    "VARIABLE x\nA == x' = 1 /\\ <>(x = 1)": [
        "3:13: a formula about a step and one about behaviours",
    ],
    "VARIABLE x\nA == \\E y \\in {x'} : [](x = y)\nB == {[]TRUE}\nC == [](x = 1) => \\E y \\in {x} : <>(x = y)": [
        "3:6: a formula about behaviours is quantified over a set of the next state",
        "4:6: a temporal formula is no value",
    ],
    "VARIABLE x\nI == INSTANCE V WITH n <- x, v <- x'\nJ == INSTANCE N WITH n <- x": [
        "3:27: n is a constant of a module with variables",
        "3:36: v is a variable",
    ],
    "I == INSTANCE N WITH n <- 1, n <- 2": ["2:35: n is given twice"],
    "VARIABLE x\nI(x) == INSTANCE N WITH n <- x": ["3:3: x is already defined, at ...M.tla:2:10"],
    "A == LET RECURSIVE F(_) IN 1": ["2:20: F is declared as recursive: expected its definition"],
    "RECURSIVE F(_)\nF(x, y) == 1": ["3:1: RECURSIVE declares F with 1 parameter: expected as many here"],
    "A == LET RECURSIVE F(_)\n         F(x, y) == 1 IN 1": [
        "3:10: RECURSIVE declares F with 1 parameter: expected as many here"
    ],
    "VARIABLE x\nA == [x \\in {1} -> 1]": ["3:7: a function has `|->` before its values"],
    "A == [a |-> 1, a |-> 2]\nB == @": ["2:6: a field is named twice", "3:6: @ has no meaning here"],
    "CONSTANT C": ["2:10: constant C has no value: ... `C = ...` ... -p C=..."],
    "CONSTANT Seq": ["2:10: constant Seq has no value: ... `Seq = ...` ... -p Seq=..."],
}


@pytest.mark.parametrize("body", MISTAKES)
def test_mistakes_of_names(tmp_path: Path, body: str) -> None:
    config = "CONSTANT n = 1" if "CONSTANT n" in body else ""
    told = mistakes(tmp_path, body, config, N="CONSTANT n\nA == n", V="CONSTANT n\nVARIABLE v\nA == v = n")
    for line, expected in zip(told, MISTAKES[body], strict=True):
        assert all(part.strip() in line for part in f"M.tla:{expected}".split("...")), line


CONFIGURATIONS = {
    "POSTCONDITION Init": "M.cfg:1:15: Init is a formula about one state: expected one about no state",
    "INVARIANT deadlock": "M.cfg:1:11: checks report under the name deadlock ... another name, such as Claim == ",
    "INVARIANT Nothing": "M.cfg:1:11: unknown operator `Nothing`: expected its definition in the module",
    "SPECIFICATION Nothing": "M.cfg:1:15: unknown operator `Nothing`",
    "CONSTANT C <- Nothing": "M.cfg:1:15: unknown operator `Nothing`",
    "INVARIANT Next": "M.cfg:1:11: Next is a formula about a ...or a PROPERTY that is defined as [][Next]_vars",
    "PROPERTY Next": "M.cfg:1:10: Next is a formula about a step: expected a ... as [][Next]_vars",
    "INIT Init": "M.cfg:1:6: expected both INIT and NEXT",
    "CONSTANT A = = 2": "M.cfg:1:14: `=` does not fit here: expected a value",
    "CONSTANT C = 1..3": "M.cfg:1:17: `3` does not fit here: expected `=` or `<-`; ... named here by `<-`",
    "CONSTANT C = <<1>>": "M.cfg:1:14: `<` does not fit here: expected a value; an expression ... by `<-`",
    "CONSTANT C <- Init": "M.cfg:1:10: C is a constant: expected an operator that depends on no variable",
    "CONSTANT Nxt <- Next": "M.cfg:1:10: unknown name Nxt: expected a constant or an operator of the module",
    "Init": "M.cfg:1:1: `Init` does not fit here: expected a keyword",
    "INIT Init NEXT Next\nINIT Init": "M.cfg:2:1: INIT is given twice, first at ...M.cfg:1:1: expected one",
    "CHECK_DEADLOCK FALSE INIT Init NEXT Next\nCHECK_DEADLOCK FALSE": "M.cfg:2:1: CHECK_DEADLOCK is given twice",
    "SPECIFICATION Init": "expected `Init /\\ [][Next]_vars`",
}


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_mistakes_of_configurations(tmp_path: Path, config: str) -> None:
    body = "VARIABLE x\nInit == x = 1\nNext == x' = x\ndeadlock == x = 1"
    body = f"CONSTANT C\n{body}" if "CONSTANT C" in config else body
    (told,) = mistakes(tmp_path, body, config)
    assert all(part in told for part in CONFIGURATIONS[config].split("..."))


def test_temporal_formulas_that_are_defined_by_themselves(tmp_path: Path) -> None:
    """TLC refuses them where they are a property, and takes a recursion about states within one."""
    body = r"""VARIABLE x
    Init == x = 1
    Next == x' = x
    RECURSIVE F(_)
    F(n) == IF n = 0 THEN <>(x = 0) ELSE <>(x = n) /\ F(n - 1)
    P == F(2)
    Q == LET RECURSIVE G(_)
             G(n) == IF n = 0 THEN <>(x = 0) ELSE <>(x = n) /\ G(n - 1)
         IN G(2)
    R == LET RECURSIVE Sum(_)
             Sum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)
         IN []<>(Sum(x) = 1)
    """
    body = "EXTENDS Naturals\n" + body
    for name, place in {"P": "M.tla:7:", "Q": "M.tla:10:"}.items():
        (told,) = mistakes(tmp_path, body, f"INIT Init NEXT Next PROPERTY R {name}")
        assert place in told and "is not defined by itself" in told
    assert specification(tmp_path, body, "INIT Init NEXT Next PROPERTY R").properties.keys() == {"R"}


def test_a_module_that_extends_itself_is_a_mistake(tmp_path: Path) -> None:
    (told,) = mistakes(tmp_path, "EXTENDS N\nA == 1", "", N="I == INSTANCE O\nB == 2", O="EXTENDS N")
    assert "N.tla:1:" in told and "N -> O -> N: a module extends or instantiates itself" in told


def test_symbols_are_replaced_and_replace(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nCONSTANT F(_, _)\nx ++ y == x\nSum(x, y) == x + y\nA == <<1 ++ 2, F(3, 4)>>"
    found = specification(tmp_path, body, "CONSTANTS ++ <- Sum F <- *")
    assert tla_text(Interpreter(found).constant(s.Apply("A"))) == "<<3, 12>>"


def test_constants_are_written_with_operators_that_the_module_has_not(tmp_path: Path) -> None:
    """A certificate and a trace write a function as `k :> v @@ ...`, and a number below zero with a sign."""
    path = write(tmp_path, M="CONSTANT C\nVARIABLE x\nInit == x = C[1]\nNext == x' = x")
    found = Source(path).load({"C": "(1 :> -2 @@ 3 :> 4)"})
    assert tla_text(Interpreter(found).constant(s.Apply("C"))) == "(1 :> -2 @@ 3 :> 4)"


def test_a_configuration_gives_an_operator_a_value_for_each_of_its_arguments(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nCONSTANTS F(_, _), G(_)\nH(n) == IF n = 1 THEN 5 ELSE 6\n"
    body += "A == <<F(1, 2), F(2, 1), G(1), H(1)>>"
    found = specification(tmp_path, body, "CONSTANTS F(1, 2) = 3 F(2, 1) = {4} G(1) = r H(1) = 9")
    assert tla_text(Interpreter(found).constant(s.Apply("A"))) == "<<3, {4}, r, 9>>"


def test_every_module_of_the_library_is_read(tmp_path: Path) -> None:
    body = "EXTENDS TLC, Functions, FiniteSetsExt, Folds, Bags, BagsExt, TLAPS\nS == INSTANCE SequencesExt"
    assert {"FoldSet", "SetToBag", "S!Reverse"} <= specification(tmp_path, body).definitions.keys()


def test_modules_of_which_only_some_operators_have_values(tmp_path: Path) -> None:
    names = "Reals, RealTime, Json, IOUtils, CSV, Randomization, TLCExt, UndirectedGraphs"
    body = f"EXTENDS {names}\nSum == 1 + 1\nHalf == 1 / 2\nText == IOExec(<<>>)\nSet == RandomSubset(2, 1..2)"
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.constant(s.Apply("Sum")) == 2
    assert interpreter.constant(s.Apply("Set")) == frozenset({1, 2})
    for name, why in {"Half": "no real numbers", "Text": "IOExec"}.items():
        with pytest.raises(EvaluationError, match=why):
            interpreter.constant(s.Apply(name))


def test_names_of_standard_sets_are_names_of_fields_too(tmp_path: Path) -> None:
    body = r"""
    EXTENDS Integers
    r == [Nat |-> 1, Int |-> 2, Len |-> 3]
    A == r.Nat + [r EXCEPT !.Int = 5].Int
    B == r \in [Nat : Nat, Int : Int, Len : 1..3]
    C == [x \in {1} |-> Nat]
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.constant(s.Apply("A")) == 6
    assert interpreter.holds(s.Apply("B"))
    assert tla_text(interpreter.constant(s.Apply("r"))) == "[Int |-> 2, Len |-> 3, Nat |-> 1]"


def test_a_variable_or_constant_may_be_declared_twice(tmp_path: Path) -> None:
    """SANY warns of it."""
    body = "EXTENDS A\nVARIABLES x, y\nCONSTANT c\nInit == x = c /\\ y = c\nNext == UNCHANGED <<x, y>>"
    one = specification(
        tmp_path, body, "INIT Init NEXT Next CONSTANT c = 1", A="VARIABLE x\nVARIABLE x\nCONSTANT c"
    )
    assert one.variables == ("x", "y")
    known = [(Path(x.span.file).name, x.span.line, x.text.partition(",")[0]) for x in one.warnings]
    assert known == [
        ("A.tla", 3, "x is declared twice"),
        ("M.tla", 3, "x is declared twice"),
        ("M.tla", 4, "c is declared twice"),
    ]
    copy = specification(tmp_path, "VARIABLE z\nI == INSTANCE B WITH x <- z, y <- z, c <- 1", B=body)
    assert "I!Init" in copy.names


def test_a_named_assumption_or_theorem_is_an_operator(tmp_path: Path) -> None:
    body = "EXTENDS Integers\nASSUME Small == 1 < 2\nASSUME Small\nA == IF Small /\\ Odd THEN 3 ELSE 4"
    body = body.replace("A ==", "THEOREM Odd == 1 % 2 = 1\nTHEOREM Other == OnlyProversKnow(1)\nA ==")
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.constant(s.Apply("A")) == 3 and len(interpreter.specification.assumptions) == 2


def test_a_parameter_of_a_library_is_no_variable_of_its_name(tmp_path: Path) -> None:
    less = "FoldBag(LAMBDA a, b : a - b, 10, SetToBag({3}))"
    body = f"EXTENDS Integers, Bags, BagsExt\nVARIABLES x, n\nASSUME {less} = 7"
    assert len(specification(tmp_path, body).assumptions) == 1


def test_an_operator_is_replaced_within_a_module_and_where_it_comes_from(tmp_path: Path) -> None:
    """As in TLC, of which `Nat <- [Q]Few` and `Bar <-[P] Nine` have this effect."""
    modules = {
        "Q": "EXTENDS Naturals\nVal == IF 5 \\in Nat THEN 5 ELSE 3",
        "P": "EXTENDS Naturals\nCONSTANT K\nBar == K\nFoo == Bar",
    }
    body = "EXTENDS Q, Integers\nFew == 0..3\nNine == 9\nB == INSTANCE P WITH K <- 4\nA == <<Val, B!Foo>>"
    one = specification(tmp_path, body, "CONSTANTS Nat <- [Q] Few Bar <-[P] Nine", **modules)
    assert tla_text(Interpreter(one).constant(s.Apply("A"))) == "<<3, 9>>"
    one = specification(tmp_path, body, "CONSTANT Bar = [P] 7", **modules)
    assert tla_text(Interpreter(one).constant(s.Apply("A"))) == "<<5, 7>>"
    with pytest.raises(ModelError, match="Q has no Bar"):
        specification(tmp_path, body, "CONSTANT Bar <- [Q] Nine", **modules)


def test_a_definition_is_replaced_in_instances_that_extend_its_module_too(tmp_path: Path) -> None:
    """As in TLC, in which what LOCAL INSTANCE has is another definition."""
    modules = {
        "Consensus": "EXTENDS Naturals\nBallots == Nat\nNext(b) == b + 1\nOwn == 5",
        "Votes": "EXTENDS Consensus\nCONSTANT z\nOf == <<Ballots, Next(z)>>",
        "Apart": "LOCAL INSTANCE Consensus\nOf == <<Next(1), Own>>",
    }
    body = """
    EXTENDS Consensus
    Few == 0..1
    Far(b) == b + 100
    Nine == 9
    V(z) == INSTANCE Votes
    A == INSTANCE Apart
    M == INSTANCE Consensus
    Values == <<V(3)!Of, V(4)!Of, A!Of, Own>>
    """
    one = specification(tmp_path, body, "CONSTANTS Ballots <- Few Next <- Far Own <- Nine", **modules)
    value = Interpreter(one).constant(s.Apply("Values"))
    assert tla_text(value) == "<<<<{0, 1}, 103>>, <<{0, 1}, 104>>, <<2, 5>>, 9>>"


def test_a_definition_is_what_it_was_where_an_instance_qualifies_it(tmp_path: Path) -> None:
    """As in TLC: what replaces it may be made of it; the instance's own definitions refer to what replaces it."""
    modules = {
        "Consensus": "EXTENDS Naturals\nOwn == 5\nFar(b) == b + 1\nUse == <<Own, Far(3)>>\nf[n \\in 0..3] == "
        "IF n = 0 THEN Own ELSE f[n - 1] + 1",
        "Votes": "EXTENDS Consensus\nCONSTANT z\nIn == INSTANCE Consensus\nOf == <<Own, Use, In!Own, In!Use, z>>",
    }
    body = """
    EXTENDS Consensus
    M == INSTANCE Consensus
    V(z) == INSTANCE Votes
    Nine == M!Own + 4
    Fifty(b) == M!Far(b) + 50
    Ten == [n \\in 0..3 |-> 10]
    Values == <<M!Own, M!Far(3), M!Use, M!f[2], V(1)!Own, V(2)!Far(3), V(3)!In!Own, Own, Use, f[2]>>
    Deep == V(2)!Of
    """
    one = specification(tmp_path, body, "CONSTANTS Own <- Nine Far <- Fifty f <- Ten", **modules)
    found = [tla_text(Interpreter(one).constant(s.Apply(name))) for name in ("Values", "Deep")]
    assert found == [
        "<<5, 4, <<9, 54>>, 11, 5, 4, 5, 9, <<9, 54>>, 10>>",
        "<<9, <<9, 54>>, 5, <<9, 54>>, 2>>",
    ]


def test_definitions_of_an_instance_without_a_name_refer_to_those_of_its_module(tmp_path: Path) -> None:
    """As in TLC. Of a module without constants and variables, an instance has no definitions of its own."""
    modules = {
        "Own": "EXTENDS Naturals\nCONSTANT K\nOne == 5 + K\nTwo == One + 1",
        "Plain": "EXTENDS Naturals\nThree == 3\nFour == Three + 1",
        "Local": "LOCAL INSTANCE Plain\nLOCAL INSTANCE Own WITH K <- 3\nOf == <<One, Two, Three, Four>>",
    }
    body = "EXTENDS Local\nINSTANCE Own WITH K <- 1\nINSTANCE Plain\nNine == 9\nA == <<One, Two, Three, Four, Of>>"
    one = specification(tmp_path, body, "CONSTANTS One <- Nine Three <- Nine", **modules)
    assert tla_text(Interpreter(one).constant(s.Apply("A"))) == "<<9, 7, 9, 10, <<8, 9, 3, 10>>>>"


def test_a_constant_operator_may_depend_on_variables(tmp_path: Path) -> None:
    """As TLC allows, and `CalculateHash` of tlaplus/Examples' Nano needs."""
    body = "EXTENDS Integers\nCONSTANT Op(_)\nVARIABLE x\nImpl(a) == a + x\nInit == x = 1\nNext == x' = Op(2)"
    one = specification(tmp_path, body, "CONSTANT Op <- Impl INIT Init NEXT Next")
    (outcome,) = Behaviour(one).successors((1,))
    assert outcome.state == (3,)


def test_bytes_that_are_no_utf_8_are_some_character(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TLC takes them so: old modules have comments in other encodings."""
    path = tmp_path / "Old.tla"
    body = 'VARIABLE x (* Lamport\x92s *)\nInit == x = "a\xe9"\nNext == x\' = x\nSafe == x # "a"'
    text = f"---- MODULE Old ----\n{body}\n====\n"
    path.write_bytes(text.encode("latin-1"))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Safe\n")
    assert main(["check", str(path)]) == 0
    assert "Safe" in capsys.readouterr().out


EXPLORED = r"""
------------------------- MODULE M_TTrace -------------------------
EXTENDS M, Sequences, Toolbox, TLC, M_TEConstants
_trace == LET M_TETrace == INSTANCE M_TETrace IN M_TETrace!trace
_inv == ~(TLCGet("level") = Len(_TETrace) /\ x = b)
_init == x = _TETrace[1].x
_next == \E i, j \in DOMAIN _TETrace :
            /\ j = i + 1 /\ i = TLCGet("level")
            /\ x = _TETrace[i].x /\ x' = _TETrace[j].x
===================================================================
---- MODULE M_TETrace ----
EXTENDS M, TLC, M_TEConstants
trace == <<([x |-> a]), ([x |-> b])>>
====
---- MODULE M_TEConstants ----
EXTENDS M
CONSTANTS a, b
====
---- CONFIG M_TTrace ----
CONSTANTS
    a = a
    b = b
    _TETrace <- _trace
INVARIANT _inv
CHECK_DEADLOCK FALSE
INIT _init
NEXT _next
====
\* Generated by TLC
"""


def test_a_counterexample_that_tlc_writes_as_modules_is_explored_with_the_configuration_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, M="EXTENDS Naturals\nVARIABLE x")
    file = tmp_path / "M_TTrace.tla"
    file.write_text(EXPLORED)
    assert main(["explore", str(file), "--config", str(file)]) == 12
    assert "2 states within 1 step" in capsys.readouterr().out
    file.write_text(EXPLORED.replace("INIT _init", "INIT init"))
    assert main(["explore", str(file), "--config", str(file)]) == 150
    assert (
        f"M_TTrace.tla:{EXPLORED[: EXPLORED.index('INIT _')].count(chr(10)) + 1}:6: "
        in capsys.readouterr().err
    )


def test_a_configuration_names_formulas(tmp_path: Path) -> None:
    for config in ("CONSTANT Most = 1 SPECIFICATION Init /\\ [][Next]_n", "INVARIANT 0 < n"):
        assert "a formula is defined in the module, and named here" in mistakes(tmp_path, COUNTER, config)[0]

"""Parts of definitions by their places and labels: TLC's values."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import Int, ModelError
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.typing import untyped
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.values import tla_text
from tests.tla.loading import specification

DEFINITIONS = r"""
EXTENDS Integers
VARIABLES x
S == 1..3
Inv == \A p \in S, q \in {4} : p < q /\ (lab(p, q) :: x < p + q)
F(a) == /\ a < 5
        /\ named:: \E b \in 0..a : /\ b * b = a
                                   /\ G(b):: b # 7
        /\ LET k == a + 1
               m(z) == z + k
           IN  in:: k > m(0) \/ k = a + 1
C == CASE x = 0 -> "zero" [] x = 1 -> "one" [] OTHER -> "other"
R == [u |-> x + 1, v |-> 7]
I == IF x = 0 THEN <<1, 2>> ELSE [<<1, 2>> EXCEPT ![1] = 3]
T == {y \in S : y > x}
U == {y + 1 : y \in S}
f[n \in 0..5] == IF n = 0 THEN 1 ELSE n * f[n - 1]
Op(H(_), w) == H(w) > 0 /\ \A q \in S : H(q) > w
M == INSTANCE Other WITH y <- x, c <- 3
MM(c) == INSTANCE Other WITH y <- x
"""
OTHER = r"""
EXTENDS Integers
VARIABLE y
CONSTANT c
D == y < c /\ lb:: c # 2
E(n) == \A q \in {1} : q > n \/ y = c
"""
TLC = {
    "Inv!1": ["{1, 2, 3}"] * 3, "Inv!2": ["{4}"] * 3, "Inv!(1, 4)!1": ["TRUE"] * 3, "Inv!lab(3, 4)": ["TRUE"] * 3,
    "F(x)!named": ["TRUE", "TRUE", "FALSE"], "F(x)!named!1": ["{0}", "{0, 1}", "{0, 1, 2}"],
    "F(3)!2!(1)!1": ["FALSE"] * 3, "F(4)!named!(2)!2": ["TRUE"] * 3, "F(1)!named!G(6)": ["TRUE"] * 3,
    "F(2)!3!1": ["TRUE"] * 3, "F(2)!in": ["TRUE"] * 3, "F(2)!in!1!<<": ["3"] * 3, "F(2)!in!1!>>": ["3"] * 3,
    "C!1!1": ["TRUE", "FALSE", "FALSE"], "C!2!2": ['"one"'] * 3, "R!1": ["1", "2", "3"],
    "I!1": ["TRUE", "FALSE", "FALSE"], "I!2!2": ["2"] * 3, "I!3!1": ["<<1, 2>>"] * 3, "T!1": ["{1, 2, 3}"] * 3,
    "T!(2)": ["TRUE", "TRUE", "FALSE"], "T!(2)!<<": ["2"] * 3, "U!(5)": ["6"] * 3,
    "f!1": ["{0, 1, 2, 3, 4, 5}"] * 3, "f!(3)!2": ["1"] * 3, "f!(3)!1": ["FALSE"] * 3,
    "Op(LAMBDA t : t + 1, 4)!1!1": ["5"] * 3, "Op(LAMBDA t : t + 1, x)!2!(2)": ["TRUE"] * 3,
    "M!D!1": ["TRUE"] * 3, "M!D!lb": ["TRUE"] * 3, "M!E(4)!(2)!2": ["FALSE"] * 3, "MM(8)!D!2": ["TRUE"] * 3,
    "MM(2)!E(1)!(7)": ["TRUE"] * 3, "F(x)!:": ["TRUE", "TRUE", "FALSE"], "Inv!:": ["TRUE"] * 3,
    "M!D!:": ["TRUE"] * 3,
}  # fmt: skip
"""The text that TLC prints for each part where x is 0, 1 and 2."""


def test_the_parts_are_those_of_sany(tmp_path: Path) -> None:
    body = DEFINITIONS + "\n".join(f"V{i} == {name}" for i, name in enumerate(TLC))
    one = specification(tmp_path, body, Other=OTHER)
    interpreter = Interpreter(one)
    lowering = Lowering(one, {"x": Int(0, 2)})
    for i, (name, values) in enumerate(TLC.items()):
        e = s.Apply(f"V{i}")
        term, node = interpreter.term(e), lowering.value(e, Scope())
        found = function_of(node, {"x": 0})
        for x, value in enumerate(values):
            assert tla_text(term((x,))) == value, name
            assert tla_text(untyped(found((x,), {}), node.type)) == value, name


FEW = "\nL == \\A p \\in S, q \\in S : few(q):: p < q\n"
"""A definition with a label that does not name all that is bound around it."""


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("F(1)!9", "no part of F: expected a place from 1 to 3"),
        ("F!1", "no part of F: expected 1 argument of it"),
        ("Inv!(1)", "no part of Inv: expected values for 2 bound names"),
        ("F(1)!none", "no part of F: expected a label"),
        ("Inv!lab(1)", "no part of Inv: expected 2 arguments of lab"),
        ("L!few(1)", "no part of L: expected `few(p, q) ::` at"),
        ("C!1", "no part of C: expected `!i!1` for the condition"),
        ("Inv!@", "no part of Inv: expected values for the bound names"),
        ("Nothing!1", "a part of no definition"),
    ],
)
def test_a_part_that_is_not_there_is_a_mistake(part: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        specification(tmp_path, f"{DEFINITIONS}{FEW}Wrong == {part}", Other=OTHER)
    assert expected in str(caught.value)

"""Subsets of some cardinalities: both meanings enumerate them by size."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.typing import untyped
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import listed
from leadline.symbolic.tla.values.values import tla_text
from tests.tla.loading import specification

SIZED = {
    r"Cardinality({s \in SUBSET (1..22) : Cardinality(s) = 3})": "1540",
    r"Cardinality({s \in SUBSET (1..40) : Cardinality(s) <= 2})": "821",
    r"Cardinality({s \in SUBSET (1..40) : 39 < Cardinality(s)})": "1",
    r"Cardinality({s \in SUBSET (1..40) : 39 <= Cardinality(s) /\ 1 \in s})": "40",
    r"{s \in SUBSET (1..4) : Cardinality(s) > 3 /\ TRUE}": "{{1, 2, 3, 4}}",
    r"{s \in SUBSET (1..4) : Cardinality(s) < 0}": "{}",
    r"{1, 5} \in {s \in SUBSET (1..40) : Cardinality(s) = 2}": "TRUE",
    r"CHOOSE s \in {t \in SUBSET (1..40) : Cardinality(t) = 2} : 40 \in s": "{1, 40}",
    r"Cardinality({s \in SUBSET (1..3) : \E n \in 1..2 : Cardinality(s) = n})": "6",
    r"Cardinality(kSubset(3, 1..22))": "1540",
}


@pytest.mark.parametrize("text", SIZED)
def test_subsets_of_a_size_are_enumerated_by_size(text: str, tmp_path: Path) -> None:
    """In both meanings: among all subsets of 40 elements nobody would find them."""
    one = specification(tmp_path, f"EXTENDS FiniteSetsExt, Integers\nA == {text}")
    e = s.Apply("A")
    assert tla_text(listed(Interpreter(one).constant(e))) == SIZED[text]
    node = Lowering(one, {}).value(e, Scope())
    assert tla_text(untyped(function_of(node, {})((), {}), node.type)) == SIZED[text]

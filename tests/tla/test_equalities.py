"""Equations and memberships between values of all kinds, in both meanings: TLC's answers.

In `data/tlc_equalities.json` the letter at the place of two kinds is `T` for TRUE, `F` for FALSE and `-` for
an error. TLC evaluated `(a) = (b)` and `(a) \\in {b}` in its REPL, with TLCModelValue("mv")
for the model value mv.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.typing import type_of, typed
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.values import FAILURES
from tests.tla.loading import specification

DATA = json.loads((Path(__file__).parents[1] / "data" / "tlc_equalities.json").read_text())
KINDS = DATA["kinds"]
SCALARS = 10
"""How many kinds, from the first, the expressions that constants decide have."""
VALUES = ("mv", "mw", "a_1", "a_2", "b_1")
FORMS = {"=": "{} = {}", "\\in": "{} \\in {{{}}}"}
SEQUENCES = ("<<0>>", "<<TRUE>>", '<<"s">>', "<<mv>>")
FUNCTION = "[x \\in {mv} |-> 0]"
PAIRS = [
    *((record, FUNCTION) for record in ("[f |-> 0]", "[f |-> TRUE]", "[f |-> mv]", "[g |-> 0]")),
    ("[f : {0}]", "[{mv} -> {0}]"),
]
QUIRKS = {("=", a, b) for a, b in PAIRS} | {("\\in", b, a) for a, b in PAIRS}
QUIRKS |= {(op, *pair) for op in FORMS for x in SEQUENCES for pair in ((x, FUNCTION), (FUNCTION, x))}
"""TLC reports an error here because of how it keeps these values: it has FALSE with the sides exchanged, or for
`(1 :> 0)` in place of `<<0>>`. The answer here is FALSE."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Specification:
    lines = [f"EXTENDS Integers\nCONSTANTS {', '.join(VALUES)}", "VARIABLES v, w"]
    lines += [f"V{place} == {kind}" for place, kind in enumerate(KINDS)]
    for name, form in FORMS.items():
        key = list(FORMS).index(name)
        lines.append(f"Both{key} == {form.format('v', 'w')}")
        lines += [f"Left{key}_{i} == {form.format('v', f'({b})')}" for i, b in enumerate(KINDS)]
        lines += [f"Right{key}_{i} == {form.format(f'({a})', 'w')}" for i, a in enumerate(KINDS)]
        for i, a in enumerate(KINDS[:SCALARS]):
            pairs = [(j, form.format(f"({a})", f"({b})")) for j, b in enumerate(KINDS[:SCALARS])]
            lines += [f"E{key}_{i}_{j} == {formula}" for j, formula in pairs]
    return specification(
        tmp_path_factory.mktemp("m"), "\n".join(lines), f"CONSTANTS {' '.join(f'{x} = {x}' for x in VALUES)}"
    )


def rows() -> Iterator[tuple[int, int, int, str]]:
    for key, operator in enumerate(FORMS):
        for i, answers in enumerate(DATA[operator]):
            for j, answer in enumerate(answers):
                if (operator, KINDS[i], KINDS[j]) not in QUIRKS:
                    yield key, i, j, answer


def ways(key: int, i: int, j: int) -> tuple[str, ...]:
    """The names of the formulas for a pair: with variables on both sides, on one, and of simple values on none."""
    found = (f"Both{key}", f"Left{key}_{j}", f"Right{key}_{i}")
    return (*found, f"E{key}_{i}_{j}") if max(i, j) < SCALARS else found


def test_the_interpreter_compares_as_tlc_does(loaded: Specification) -> None:
    interpreter = Interpreter(loaded)
    values = [interpreter.constant(s.Apply(f"V{i}")) for i in range(len(KINDS))]
    tests = {}
    for key, i, j, answer in rows():
        for name in ways(key, i, j):
            if name not in tests:
                tests[name] = interpreter.predicate(s.Apply(name))
            try:
                found = "T" if tests[name]((values[i], values[j])) else "F"
            except FAILURES:
                found = "-"
            assert found == answer, (name, KINDS[i], KINDS[j])


def test_the_lowering_compares_as_tlc_does(loaded: Specification) -> None:
    interpreter = Interpreter(loaded)
    values = [interpreter.constant(s.Apply(f"V{i}")) for i in range(len(KINDS))]
    kind = reduce(shapes.join, map(type_of, values))
    types, places = {"v": kind, "w": kind}, {"v": 0, "w": 1}
    within = [typed(value, kind) for value in values]
    lowering = Lowering(loaded, types)
    tests = {}
    for key, i, j, answer in rows():
        for name in ways(key, i, j):
            if name not in tests:
                tests[name] = function_of(lowering.truth(s.Apply(name), Scope()), places)
            try:
                found = "T" if tests[name]((within[i], within[j]), {}) else "F"
            except OutOfBounds:
                found = "-"
            assert found == answer, (name, KINDS[i], KINDS[j])

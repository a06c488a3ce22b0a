"""Expressions: the interpreter and the lowering give TLC's values (`data/tlc_expressions.json`).

The values are those of TLC 2.15, as it prints them, for the community modules with their definitions in TLA+,
and for folds with those in Java; `error` stands for each of its errors.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope, Unsupported
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.typing import untyped
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import listed
from leadline.symbolic.tla.values.values import FAILURES, tla_text
from tests.tla.loading import specification

ROWS = json.loads((Path(__file__).parents[1] / "data" / "tlc_expressions.json").read_text())
_STANDARD = "Integers, Sequences, FiniteSets, TLC"
_COMMUNITY = "Bags, FiniteSetsExt, SequencesExt, Functions, Folds, BagsExt, Relation"
EXTENDED = {
    "standard": f"{_STANDARD}, Bags",
    "community": f"{_STANDARD}, {_COMMUNITY}",
    "graphs": f"{_STANDARD}, Graphs, Bitwise, Combinatorics",
}
VALUES = ("mv", "mw", "a_1", "a_2", "b_1")
CONFIG = f"CONSTANTS {' '.join(f'{name} = {name}' for name in VALUES)}"
STRICTER = {'{mv, 1} = {mw, "a"}'}
"""The lowering refuses these comparisons where TLC finds model values that differ first."""


def loaded(folder: Path, group: str) -> Specification:
    lines = [f"EXTENDS {EXTENDED[group]}", f"CONSTANTS {', '.join(VALUES)}", "VARIABLE v"]
    lines += [f"E{place} == ({e})" for place, e in enumerate(ROWS[group])]
    return specification(folder, "\n".join(lines), CONFIG)


def plain(text: str) -> str:
    return re.sub(r"\s", "", text)


def interpreted(interpreter: Interpreter, e: s.Expression) -> str:
    try:
        return tla_text(listed(interpreter.constant(e)))
    except FAILURES:
        return "error"


def lowered(one: Specification, e: s.Expression) -> str | None:
    """The value of an expression by its symbolic form; None if it has none."""
    try:
        node = Lowering(one, {}).value(e, Scope())
    except Unsupported:
        return None
    try:
        return tla_text(untyped(function_of(node, {})((), {}), node.type))
    except OutOfBounds:
        return "error"


@pytest.mark.parametrize("group", ROWS)
def test_the_interpreter_gives_tlcs_values(group: str, tmp_path: Path) -> None:
    interpreter = Interpreter(loaded(tmp_path, group))
    for place, (e, value) in enumerate(ROWS[group].items()):
        assert plain(interpreted(interpreter, s.Apply(f"E{place}"))) == plain(value), e


@pytest.mark.parametrize(
    "group", [pytest.param(one, marks=[pytest.mark.slow] if one == "community" else []) for one in ROWS]
)
def test_the_lowering_gives_tlcs_values(group: str, tmp_path: Path) -> None:
    one = loaded(tmp_path, group)
    values = {e: lowered(one, s.Apply(f"E{place}")) for place, e in enumerate(ROWS[group])}
    for e, value in values.items():
        assert value is None or e in STRICTER or plain(value) == plain(ROWS[group][e]), e
    assert sum(value is not None for value in values.values()) > len(values) * 0.8

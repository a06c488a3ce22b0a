"""Expressions: the interpreter and the lowering give TLC's values (`data/tlc_expressions.json`).

The values are those of TLC 2.15, as it prints them, for the community modules with their definitions in TLA+,
and for folds with those in Java; `error` stands for each of its errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import Graph, Int, Mapped, OutOfBounds, Seq, Set, Slots, Tuple
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope, Unsupported
from leadline.symbolic.tla.lower.shapes import join, partial_map
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.typing import type_of, typed, untyped
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import listed
from leadline.symbolic.tla.values.values import FAILURES, Value, function, model_value, sequence, tla_text
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
NEEDED = (
    "[[a |-> Head(v)] EXCEPT !.a = 2]",
    "<<Head(v), 2>>[2]",
    "<<2, Head(v)>>[Cardinality({Len(v), 0}) \\div 2]",
    "[a |-> Head(v), b |-> 2].b",
    "DOMAIN <<Head(v), 2>>",
    "DOMAIN (CHOOSE f \\in [0..2 -> {1}] : v # <<>>)",
    "DOMAIN [x \\in {Len(v)} |-> Head(v)]",
    "Len(<<Head(v)>>)",
    "[<<<<1>>>> EXCEPT ![2][Head(v)] = 3]",
    "[<<>> EXCEPT ![Head(v)] = 3]",
    "Head([x \\in DOMAIN v \\cup {3} |-> x])",
    "(Len(v) :> 1) @@ [x \\in {Len(v)} |-> Head(v)]",
    "SubSeq(<<>>, 1, 1 - Len(v))",
    "Tail(<<Head(v), 1, 2>>)",
    "Cardinality([{} -> <<{1}>>[2 - Len(v)]])",
    "{x : <<x, y>> \\in {<<1, 2>> \\o Tail(<<0>> \\o v)}}",
    "\\E <<x>> \\in {v} : TRUE",
    "IsFiniteSet(<<{1}>>[Len(v)])",
    "[i \\in 1..Len(v) |-> Head(<<>>)]",
    "<<5, 1>> \\in {} \\X {Head(v)}",
    "[a |-> 1] \\in [b : {Head(v)}]",
    "Tail(<<1>>) \\in Seq({Head(v)})",
    "DOMAIN v \\ {1} \\subseteq SUBSET {Head(v)}",
    "\\E x \\in DOMAIN v, y \\in {Head(v)} : TRUE",
    "{x : x \\in DOMAIN v, y \\in {Head(v)}}",
    "(DOMAIN v) \\X {Head(v)}",
    "<<Len(v), Head(v)>> = <<5, 1>>",
    "(IF v = <<>> THEN mv ELSE [a |-> 1]) = [a |-> Head(v) + 1]",
    "Head(v) \\in Int",
    "Len(v) ^ Len(v)",
    "Len(v) \\in (DOMAIN v \\cup {0}) \\cup {Head(v)}",
    "Len(v) \\in DOMAIN v \\ {Head(v)}",
    "Len(v) \\in 5..Head(v)",
    "0 \\in {x \\in 0..1 : Head(v) = x}",
    "ENABLED (v' = Tail(v))",
    "FoldSet(LAMBDA a, b : TRUE, Head(v), {1})",
    "FoldSet(LAMBDA a, b : TRUE, Head(v), DOMAIN v \\cup {1})",
    "FoldSet(LAMBDA a, b : b, 0, DOMAIN v \\cup mv.b)",
    "1 \\in {<<mv>>[Head(v)]}",
    "DOMAIN ((CHOOSE x \\in {mv} : FALSE) :> Len(v))",
    "{} \\subseteq {Head(v)}",
    "{Head(v)} \\cap {}",
    "{} \\ {Head(v)}",
    "SortSeq(Tail([<<1>> EXCEPT ![Head(v)] = 1]), LAMBDA a, b : a < b)",
    "mv \\in {<<1>>[Head(v)]}",
    "(CASE v # <<>> -> <<>>) @@ [a |-> 1]",
    "CHOOSE T \\in SUBSET {Head(v)} : Cardinality(T) = 0",
    "[1..Len(v) -> {Head(v)}]",
    "<<>> \\in [1..Len(v) -> {Head(v)}]",
    "{} \\ ({1} \\X {Head(v)})",
    "IsFiniteSet(SUBSET {Head(v)})",
    "-1 \\in Nat \\ {Head(v)}",
    "IF v = <<>> THEN 1 \\div 0 ELSE 1 % (1 + 0)",
    "IF v = <<>> THEN 1 % -Len(<<>>) ELSE 1",
    "5 \\div (Len(v) * 3 - 3 * Cardinality({Len(v), 1, 2}) + 6) + Head(v)",
)
"""Expressions some of whose parts have no value where v is `<<>>`."""


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


def told(compute: Callable[[Any], Value], items: tuple[Any, ...]) -> str:
    """A function's value as TLC prints it, or `error`."""
    try:
        return tla_text(listed(compute(items)))
    except (OutOfBounds, *FAILURES):
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


@pytest.mark.parametrize("e", NEEDED)
def test_the_lowering_evaluates_what_tlc_evaluates(e: str, tmp_path: Path) -> None:
    one = specification(
        tmp_path, f"EXTENDS {_STANDARD}, FiniteSetsExt\nCONSTANT mv\nVARIABLE v\nE == {e}", "CONSTANT mv = mv"
    )
    term = Interpreter(one).term(s.Apply("E"))
    node = Lowering(one, {"v": Seq(Int(1, 1), 1)}).value(s.Apply("E"), Scope())
    formula = function_of(node, {"v": 0})
    found = [told(lambda x: untyped(formula((x,), {}), node.type), items) for items in ((), (1,))]
    assert found == [told(lambda x: term((sequence(x),)), items) for items in ((), (1,))]
    assert "error" in found


@pytest.mark.parametrize(
    "e",
    [
        "s \\ {CHOOSE x \\in s : TRUE}",
        "s = {CHOOSE x \\in s : TRUE}",
        "(CHOOSE x \\in s : TRUE) \\in s",
        "[b EXCEPT ![CHOOSE x \\in s : TRUE] = 1]",
        "([y |-> 1] :> s[1]) @@ b",
        "[g EXCEPT ![CHOOSE x \\in s : TRUE] = 1]",
        "(<<>>[1] :> 1) @@ g",
    ],
)
def test_a_value_that_does_not_exist_is_an_error_beside_what_is_empty(e: str, tmp_path: Path) -> None:
    one = specification(tmp_path, f"EXTENDS {_STANDARD}\nVARIABLES s, b, g\nE == {e}")
    place, number = Int(1, 2), Int(0, 3)
    pair = Tuple((number, number))
    kinds = {
        "s": Slots(place, Mapped(number), False),
        "b": Slots(place, Mapped(pair), True),
        "g": Graph(pair),
    }
    node = Lowering(one, kinds).value(s.Apply("E"), Scope())
    with pytest.raises(OutOfBounds):
        function_of(node, {"s": 0, "b": 1, "g": 2})(((None, None), (None, None), frozenset()), {})


@pytest.mark.parametrize(
    ("e", "value"),
    [
        ('[x \\in DOMAIN r |-> r[x]] \\in {[a |-> 1], [b |-> "x"]}', "TRUE"),
        ("(IF s = {} THEN r ELSE s) = (IF s = {} THEN [x \\in DOMAIN r |-> r[x]] ELSE {})", "TRUE"),
        ("<<>> \\in {[x \\in s |-> 1], mv}", "TRUE"),
        ("<<>> = (IF s = {} THEN [x \\in s |-> 1] ELSE mv)", "TRUE"),
        ("r \\in [1..2 -> {1}]", "FALSE"),
        ("r \\in [1..Cardinality(s) + 2 -> {1}] \\cup [a : {1}, b : {1}]", "FALSE"),
        ("r \\in {1} \\X {1}", "error"),
    ],
)
def test_values_of_several_types_are_compared(e: str, value: str, tmp_path: Path) -> None:
    one = specification(
        tmp_path, f"EXTENDS {_STANDARD}\nCONSTANT mv\nVARIABLES r, s\nE == {e}", "CONSTANT mv = mv"
    )
    of_a, of_b = (function({name: x}) for name, x in (("a", 1), ("b", "x")))
    kinds = {"r": join(type_of(of_a), type_of(of_b)), "s": Set(type_of(model_value("mv")))}
    node = Lowering(one, kinds).value(s.Apply("E"), Scope())
    formula, term = function_of(node, {"r": 0, "s": 1}), Interpreter(one).term(s.Apply("E"))
    state: tuple[Value, ...] = (of_a, frozenset())
    items = tuple(typed(x, kind) for x, kind in zip(state, kinds.values(), strict=True))
    assert told(lambda x: term(x), state) == value
    assert told(lambda x: untyped(formula(x, {}), node.type), items) == value


@pytest.mark.parametrize(
    ("e", "value"),
    [
        ("IF 1 \\in DOMAIN q THEN v ELSE b", "[a |-> 1]"),
        ("CHOOSE x \\in {v, b} : x # <<>>", "[a |-> 1]"),
        ("IF 1 \\in DOMAIN q THEN q ELSE m", "<<1>>"),
        ("Cardinality({q, m, mv})", "3"),
        ("mv \\in {m, q}", "FALSE"),
        ("{} \\in {m, q}", "error"),
        ("t \\in SUBSET [a : Nat]", "TRUE"),
        ("t \\in SUBSET {}", "FALSE"),
        ("[a |-> t] = [a |-> {v}]", "TRUE"),
        ("[k \\in {mv} |-> t] = [k \\in {mv} |-> {v}]", "TRUE"),
        ("t \\in {{v}, {[a |-> 2], v}}", "TRUE"),
        ("{t} \\ {{v}, mv}", "{}"),
        ("Cardinality({t, {v}, {}})", "2"),
    ],
)
def test_sets_and_bags_of_records_are_values_among_others(e: str, value: str, tmp_path: Path) -> None:
    one = specification(
        tmp_path, f"EXTENDS {_STANDARD}\nCONSTANT mv\nVARIABLES v, q, b, m, t\nE == {e}", "CONSTANT mv = mv"
    )
    record, empty = function({"a": 1}), function({})
    bag = type_of(function({record: 1, function({"b": 1}): 1}))
    assert isinstance(bag, Graph)
    kinds = {
        "v": join(type_of(record), type_of(model_value("mv"))),
        "q": Seq(Int(1, 1), 2),
        "b": partial_map(bag),
        "m": Slots(Int(1, 2), Mapped(bag.item), True),
        "t": Slots(Int(1, 2), Mapped(type_of(record)), False),
    }
    node = Lowering(one, kinds).value(s.Apply("E"), Scope())
    formula = function_of(node, {name: place for place, name in enumerate(kinds)})
    state: tuple[Value, ...] = (record, sequence((1,)), empty, empty, frozenset({record}))
    items = tuple(typed(x, kind) for x, kind in zip(state, kinds.values(), strict=True))
    assert told(Interpreter(one).term(s.Apply("E")), state) == value
    assert told(lambda x: untyped(formula(x, {}), node.type), items) == value

"""The modules that come along: names and arities are those of the originals.

`data/module_names.json` has what each original exports, as its text says: the standard modules of TLC 1.8.0, and
the community modules of July 2026.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.symbolic.lang import ModelError
from leadline.symbolic.tla.protocol import Source, protocol_of
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.standard import CORE, LIBRARY, STANDARD
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.values import EvaluationError, items_of, model_value, tla_text
from tests.tla.loading import specification, write

NAMES = json.loads((Path(__file__).parents[1] / "data" / "module_names.json").read_text())
OWN = {"LeadlineBuiltIn", "Apalache", "Option", "Variants"}
"""Modules that TLC has not."""


def exported(folder: Path, module: str) -> dict[str, list[int]]:
    names = specification(folder, f"EXTENDS {module}\nVARIABLE v").names
    return {name: list(one.arities) for name, one in names.items() if name not in {*CORE, "v"}}


@pytest.mark.parametrize("module", NAMES)
def test_names_and_arities_are_those_of_the_original(module: str, tmp_path: Path) -> None:
    assert exported(tmp_path, module) == NAMES[module]


def test_every_module_is_compared() -> None:
    ours = {path.stem for path in LIBRARY.glob("*.tla")} | STANDARD.keys()
    assert {name for name in ours - OWN - NAMES.keys() if not name.endswith(("Theorems", "Induction"))} == {
        "TLAPS"
    }


def test_a_copy_of_a_module_without_values_is_that_of_the_library(tmp_path: Path) -> None:
    """TLC takes such operators from Java, wherever their text lies."""
    (tmp_path / "Bitwise.tla").write_text("---- MODULE Bitwise ----\na & b == CHOOSE n : TRUE\n====\n")
    interpreter = Interpreter(specification(tmp_path, "EXTENDS Bitwise, Naturals\nA == 6 & 3"))
    assert interpreter.constant(s.Apply("A")) == 2


def test_a_name_that_older_versions_keep_to_themselves_may_be_defined(tmp_path: Path) -> None:
    body = r"""
    EXTENDS SequencesExt, Integers
    Range(f) == 7
    A == Range(<<1, 2>>)
    B == LET Max(S) == 8 IN Max({})
    C == \E Min \in {1} : Min = 1
    D == Cardinality({1, 2})
    """
    interpreter = Interpreter(specification(tmp_path, body))
    values = [interpreter.constant(s.Apply(name)) for name in "ABD"]
    assert values == [7, 8, 2] and interpreter.holds(s.Apply("C"))
    with pytest.raises(ModelError, match="ToSet is already defined"):
        specification(tmp_path, "EXTENDS SequencesExt\nToSet(x) == x")


def test_places_in_a_part_of_a_sequence_are_those_in_the_whole(tmp_path: Path) -> None:
    """The values are TLC's, which are not those of the module's text."""
    body = r"""
    EXTENDS SequencesExt, Integers
    s == <<1, 2, 3, 2>>
    Two(x) == x = 2
    A == <<SelectInSubSeq(s, 2, 4, Two), SelectInSubSeq(s, 3, 4, Two), SelectInSubSeq(s, 3, 3, Two)>>
    B == <<SelectLastInSubSeq(s, 1, 3, Two), SelectLastInSubSeq(s, 3, 4, Two), SelectLastInSubSeq(s, 4, 3, Two)>>
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert [tla_text(interpreter.constant(s.Apply(name))) for name in "AB"] == ["<<2, 4, 0>>", "<<2, 4, 0>>"]


def test_dyadic_rationals(tmp_path: Path) -> None:
    """The values are TLC's."""
    body = r"""
    EXTENDS DyadicRationals
    Quarter == Half(Half(One))
    A == <<Add(Quarter, Half(One)), Add(Quarter, Quarter), Add(Zero, Quarter), Add(Half(One), Half(One))>>
    B == <<PrettyPrint(Zero), PrettyPrint(One), PrettyPrint(Quarter)>>
    C == <<IsDyadicRational(Quarter), IsDyadicRational([num |-> 1, den |-> 6]), Half(Zero) = Zero>>
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert [tla_text(interpreter.constant(s.Apply(name))) for name in "ABC"] == [
        "<<[den |-> 4, num |-> 3], [den |-> 2, num |-> 1], [den |-> 4, num |-> 1], [den |-> 1, num |-> 1]>>",
        '<<"0", "1", "1/4">>',
        "<<TRUE, FALSE, TRUE>>",
    ]


def test_vector_clocks(tmp_path: Path) -> None:
    """The values are TLC's."""
    body = r"""
    EXTENDS VectorClocks, TLC
    Log(a, b) == <<[c |-> a, n |-> 1], [c |-> b, n |-> 2]>>
    Clock(e) == e.c
    A == IsCausalOrder(Log(<<1, 0>>, <<1, 1>>), Clock) /\ IsCausalOrder(Log(<<1, 0>>, <<0, 1>>), Clock)
    B == IsCausalOrder(Log(<<1, 1>>, <<1, 0>>), Clock) \/ IsCausalOrder(Log(1 :> 1, 1 :> 1), Clock)
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.holds(s.Apply("A")) and not interpreter.holds(s.Apply("B"))


def test_of_two_definitions_that_are_extended_the_first_counts(tmp_path: Path) -> None:
    """SANY warns too; within its module the other one counts."""
    other = "EXTENDS Naturals\nOp == 2\nTwo == Op + 1\nLen(s) == 9"
    one = specification(
        tmp_path, "EXTENDS A, B, Sequences\nC == <<Op, Two, Len(<<1>>)>>", A="Op == 1", B=other
    )
    assert tla_text(Interpreter(one).constant(s.Apply("C"))) == "<<1, 3, 9>>"
    assert [one.text.partition(":")[0] for one in one.warnings] == [
        "Op of B is not used",
        "Len of Sequences is not used",
    ]
    with pytest.raises(ModelError, match="Op is already defined"):
        specification(tmp_path, "EXTENDS A, B", A="Op == 1", B="VARIABLE Op")


def test_a_definition_counts_that_stands_before_an_instance_with_another(tmp_path: Path) -> None:
    """SANY warns too; it refuses an operator with another number of parameters."""
    inner = "EXTENDS Naturals\nOp == 2\nTwo == Op + 1"
    one = specification(tmp_path, "Op == 7\nINSTANCE B\nC == <<Op, Two>>", B=inner)
    assert tla_text(Interpreter(one).constant(s.Apply("C"))) == "<<7, 3>>"
    assert [one.text.partition(":")[0] for one in one.warnings] == ["Op of B is not used"]
    for body in ("Op(a) == a\nINSTANCE B", "INSTANCE B\nOp == 7"):
        with pytest.raises(ModelError, match="Op is already defined"):
            specification(tmp_path, body, B=inner)


def test_model_values_by_name(tmp_path: Path) -> None:
    body = r"""
    EXTENDS TLC, TLCExt, Integers, Sequences
    A == {TLCModelValue("T_MV" \o ToString(i)) : i \in 1..2}
    B == TLCGetOrDefault("none", 3)
    C == TLCGetAndSet("some", LAMBDA a, b : a + b, 4, 5) + TLCGet("some")
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.constant(s.Apply("A")) == {model_value("T_MV1"), model_value("T_MV2")}
    assert [interpreter.constant(s.Apply(name)) for name in "BC"] == [3, 14]


def test_there_is_no_environment(tmp_path: Path) -> None:
    body = r"""
    EXTENDS IOUtils, Integers
    A == IF "NN" \in DOMAIN IOEnv THEN atoi(IOEnv.NN) ELSE atoi("-12") + 1
    B == atoi("twelve")
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.constant(s.Apply("A")) == -11
    with pytest.raises(EvaluationError, match="expected the digits"):
        interpreter.constant(s.Apply("B"))


@pytest.mark.parametrize(("body", "told"), [("IOEnv", ["IOEnv"]), ('atoi("1")', [])])
def test_a_module_that_asks_for_the_environment_is_told_so(
    body: str, told: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, Asks=f"EXTENDS IOUtils\nVARIABLE x\nInit == x = {body}\nNext == x' = x")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next")
    assert [one.partition(":")[0] for one in protocol_of(Source(path))[0].warnings] == told


READING = r"""
    EXTENDS Json, IOUtils, Sequences
    Lines == ndJsonDeserialize("in/log.ndjson")
    Whole == JsonDeserialize("whole.json")
    Text == Deserialize("whole.json", [format |-> "TXT"]).stdout
    Outside == JsonDeserialize("../outside.json")
    Linked == JsonDeserialize("linked.json")
    Missing == JsonDeserialize("missing.json")
    Null == JsonDeserialize("null.json")
    Wrong == ndJsonDeserialize("wrong.ndjson")
    Written == JsonSerialize("whole.json", 1)
    """


def reading(folder: Path, readable: Path | None) -> Callable[[str], str]:
    """The value of an operator as text, or the error that it ends in."""
    loaded = replace(specification(folder, READING), readable=readable)
    interpreter = Interpreter(loaded)

    def value(name: str) -> str:
        try:
            return tla_text(interpreter.constant(loaded.definitions[name].body))
        except EvaluationError as error:
            return str(error)

    return value


def test_json_is_read_below_one_folder(tmp_path: Path) -> None:
    files = tmp_path / "files"
    (files / "in").mkdir(parents=True)
    (files / "in" / "log.ndjson").write_text('{"event": "add", "by": [1, true]}\n\n{"event": ""}\n')
    (files / "whole.json").write_text("[[], -3.9]")
    (files / "null.json").write_text("[null]")
    (files / "wrong.ndjson").write_text("1\n{\n")
    (tmp_path / "outside.json").write_text("1")
    (files / "linked.json").symlink_to(tmp_path / "outside.json")
    value = reading(tmp_path, files.resolve())
    assert value("Lines") == '<<[by |-> <<1, TRUE>>, event |-> "add"], [event |-> ""]>>'
    assert value("Whole") == "<<<<>>, -3>>"
    assert value("Text") == '"[[], -3.9]"'
    for name in ("Outside", "Linked"):
        assert f"does not lie below {files.resolve()}, the folder of --read" in value(name)
    assert "missing.json" in value("Missing")
    assert "null.json: null is no value of TLA+" in value("Null")
    assert "wrong.ndjson, line 2: no JSON" in value("Wrong")
    assert "JsonSerialize: no file is written here" in value("Written")
    assert (files / "whole.json").read_text() == "[[], -3.9]"


JSON = {
    '[no |-> -1, by |-> <<TRUE, "a\\"b">>]': r'{"by":[true,"a\"b"],"no":-1}',
    "{3, 1, 2} \\cup 4..5": "[1,2,3,4,5]",
    "[n \\in {7, 8} |-> {n}]": '{"7":[7],"8":[8]}',
    '[n \\in {TLCModelValue("a"), <<1>>} |-> <<>>]': '{"a":[],"<<1>>":[]}',
    "[n \\in 1..2 |-> SUBSET {n}]": "[[[],[1]],[[],[2]]]",
    "[{2} -> {3}]": '[{"2":3}]',
}


def test_json_is_that_of_tlc(tmp_path: Path) -> None:
    """TLC writes the fields of a record in the order of the text."""
    body = "EXTENDS Integers, Json, TLCExt\n" + "\n".join(f"V{i} == ToJson({x})" for i, x in enumerate(JSON))
    loaded = specification(tmp_path, body)
    values = [Interpreter(loaded).constant(loaded.definitions[f"V{i}"].body) for i in range(len(JSON))]
    assert values == list(JSON.values())


def test_without_a_folder_the_option_is_named(tmp_path: Path) -> None:
    (tmp_path / "whole.json").write_text("1")
    assert '"whole.json" is not read: expected --read FOLDER' in reading(tmp_path, None)("Whole")


def test_drawings_are_those_of_tlc(tmp_path: Path) -> None:
    """TLC rounds coordinates of reals towards zero: ours may be two away."""
    body = r"""
    EXTENDS Integers, SVG
    A == SVGElemToString(Group(<<Rect(0, 1, 2, 3, [fill_rule |-> "red"]), Text(1, 2, "<<1>>", <<>>)>>, <<>>))
    B == [n \in 0..8 |-> NodeOfRingNetwork(10, 20, 300, n, 7)]
    C == PointOnLine([x |-> 0, y |-> 4], [x |-> 10, y |-> 0], 2)
    D == [_anim |-> SVGSerialize(C, "M_", 1), c |-> C]
    """
    interpreter = Interpreter(specification(tmp_path, body))
    a, b, c, d = (interpreter.constant(s.Apply(name)) for name in "ABCD")
    assert a == (
        "<g><rect fill-rule='red' x='0' y='1' width='2' height='3'></rect>"
        "<text x='1' y='2'>&lt;&lt;1&gt;&gt;</text></g>"
    )
    assert tla_text(c) == "[x |-> 5, y |-> 2]"
    assert tla_text(d) == '[_anim |-> "no file is written here", c |-> [x |-> 5, y |-> 2]]'
    for n, place in items_of(b):
        angle = 2 * math.pi / 7 * n
        at = dict(items_of(place))
        assert (
            abs(at["x"] - (10 + 300 * math.cos(angle))) <= 2
            and abs(at["y"] - (20 + 300 * math.sin(angle))) <= 2
        )


def test_sets_too_large_to_be_counted_have_members(tmp_path: Path) -> None:
    """The answers are TLC's. Python's lengths have 63 bits."""
    body = r"""
    EXTENDS Integers, FiniteSets
    A == {{1}} \in SUBSET SUBSET (1..70) /\ {{1, 200}} \notin SUBSET SUBSET (1..70)
    B == IsFiniteSet(SUBSET SUBSET (1..70))
    C == Cardinality(SUBSET (1..70))
    """
    interpreter = Interpreter(specification(tmp_path, body))
    assert interpreter.holds(s.Apply("A")) and interpreter.holds(s.Apply("B"))
    with pytest.raises(EvaluationError, match="too large for its elements to be counted"):
        interpreter.constant(s.Apply("C"))

"""Modules that are written for Apalache: its operators, and variants as records of several shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.engines import BmcOptions, Options, Verdict
from leadline.symbolic.engines.prove.pdr import PdrOptions
from tests.tla.explored import explored
from tests.tla.loading import write
from tests.tla.lowered import asked

COUNTING = """
EXTENDS Integers, Option, Sequences
VARIABLES
  \\* @type: Int;
  x,
  \\* @type: Seq(Int);
  s,
  \\* @type: Set(Num(Int) | Text(Str));
  m,
  \\* @type: Some(Int) | None(UNIT);
  last
\\* @type: (Int, Int) => Int;
Minus(a, b) == a - b
Init == x := 0 /\\ s := <<>> /\\ m := {Variant("Text", "a")} /\\ last := None
Next == x < 3 /\\ x' := x + 1 /\\ s' := Append(s, x) /\\ m' := m \\union {Variant("Num", x)} /\\ last' := Some(x)
Folds == ApaFoldSet(Minus, 9, VariantFilter("Num", m)) = ApaFoldSeqLeft(Minus, 9, s)
Hints == Skolem(\\E i \\in Expand(0..3) : i = x) /\\ ConstCardinality(1 < 2)
Texts == \\A v \\in m : VariantTag(v) = "Text" => VariantGetUnsafe("Text", v) = "a"
Numbers == \\A v \\in m : VariantGetOrElse("Num", v, 0) <= x
Repeats == LET Add(a, i) == a + i IN Repeat(Add, 3, x) = x + 6
Sequence == FunAsSeq([i \\in 1..4 |-> i], x, 4) = MkSeq(x, LAMBDA i : i)
Function == SetAsFun({<<x, 5>>, <<7, x>>}) = [i \\in {x, 7} |-> IF i = x THEN 5 ELSE x]
Last ==
  /\\ OptionGetOrElse(last, -1) = x - 1 /\\ IsNone(last) = (x = 0) /\\ IsSome(last) = (x # 0)
  /\\ OptionToSet(OptionMap(LAMBDA i : i + 1, last)) = {x} \\ {0}
  /\\ OptionToSeq(last) = OptionCase(last, LAMBDA i : <<i>>, LAMBDA u : <<>>)
  /\\ OptionFlatMap(LAMBDA i : IF i = 1 THEN None ELSE Some(x), last) = IF x \\in {0, 2} THEN None ELSE Some(x)
  /\\ OptionFunApp([i \\in 0..3 |-> i * i], last) = IF x = 0 THEN None ELSE Some((x - 1) * (x - 1))
  /\\ OptionPartialFun([i \\in 0..x |-> x], {9})[9] = None
  /\\ OptionToSet(OptionGuess({i \\in {1, 2} : i < x})) = {} <=> x < 2
Short == Len(s) < 3
"""
HOLD = ("Folds", "Hints", "Texts", "Numbers", "Repeats", "Sequence", "Function", "Last")
CONFIG = f"INIT Init\nNEXT Next\nINVARIANTS {' '.join(HOLD)} Short\nCHECK_DEADLOCK FALSE\n"


def test_exploration_by_the_interpreter(tmp_path: Path) -> None:
    verdicts = {one.property: (one.verdict, one.steps) for one in explored(tmp_path, COUNTING, CONFIG)}
    assert verdicts.pop("Short") == (Verdict.VIOLATED, 3)
    assert verdicts == dict.fromkeys(HOLD, (Verdict.SAFE, None))


@pytest.mark.slow
@pytest.mark.parametrize(("options", "proved"), [(BmcOptions(depth=4), "safe"), (PdrOptions(), "proved")])
def test_symbolic_engines(options: Options, proved: str, tmp_path: Path) -> None:
    path = write(tmp_path, M=COUNTING)
    path.with_suffix(".cfg").write_text(CONFIG)
    for name in ("Folds", "Texts", "Sequence", "Last"):
        assert str(asked(path, name, options)[1].verdict) == proved
    found = asked(path, "Short", options)[1]
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 3)

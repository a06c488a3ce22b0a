"""Random expressions with TLC's answers to them.

Each module has a step for each of some random conditions on the values of its variables, so that TLC's number of
states tells for how many of these values the conditions are true. `python -m tests.tla.random_expressions
--count 106 -- timeout 30 java ...` asks TLC, as `tests.tla.random_modules` does.
"""

from __future__ import annotations

import random
import re
from itertools import count

from tests.tla.random_modules import DATA, Family, main

_HEAD = r"""EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt, Functions
VARIABLES i, h, w, m, q, f, c, taken
values == <<i, h, w, m, q, f, c>>
Init == /\ i \in 0..1 /\ h \in BOOLEAN /\ w \in {"a", "b"} /\ m \in {{}, {0, 2}} /\ q \in {<<>>, <<0, 1>>}
        /\ f \in [{"a", "b"} -> {0, 2}] /\ c \in [k : {0, 1}, s : {"a"}] /\ taken = 0
RECURSIVE Sum(_, _)
Sum(n, start) == IF n <= 0 THEN start ELSE Sum(n - 1, start + n)
a ** b == IF a > b THEN a - b ELSE b * 2
Few(S) == {T \in SUBSET (S \cap 0..2) : T # {}}
Head0(Q, other) == IF Q = <<>> THEN other ELSE Head(Q)
Begin(Q) == SubSeq(Q, 1, IF Q = <<>> THEN 0 ELSE 1)
Tail0(Q) == IF Q = <<>> THEN Q ELSE Tail(Q)
Only(S, other) == IF Cardinality(S) = 1 THEN CHOOSE e \in S : TRUE ELSE other
"""
_LEAVES = {
    "Int": ("i", "0", "2", "(-1)", "c.k"),
    "Bool": ("h", "TRUE", "FALSE"),
    "Str": ("w", '"a"', '"b"'),
    "Set": ("m", "{}", "{0, 2}", "(0..2)", "{i}"),
    "Strs": ("{w}", '{"a", "b"}', "{}"),
    "Sets": ("{m}", "{{}, m}", "{{i}, {0}}"),
    "Seq": ("q", "<<>>", "<<i>>", "<<1, 2>>"),
    "Fun": ("f", '[z \\in {"a", "b"} |-> i]'),
    "Rec": ("c", "[k |-> i, s |-> w]"),
    "Recs": ("{c}", "{}", '[k : {0, 1}, s : {"a"}]'),
    "Pair": ("<<i, w>>", '<<1, "a">>'),
    "Pairs": ("{<<i, w>>}", "(m \\X {w})"),
}
_OF_ANY = (
    "(IF $Bool THEN $Same ELSE $Same)",
    "(CASE $Bool -> $Same [] OTHER -> $Same)",
    "(LET $x == $Int IN $Same(Int))",
    "(LET $x == $Set IN $Same(Set))",
    "(LET $x == $Rec IN $Same(Rec))",
    "(LET $z($x, $y) == $Same(Int, Seq) IN $z($Int, $Seq))",
)
_SETS = (
    "($Same \\cup $Same)",
    "($Same \\cap $Same)",
    "($Same \\ $Same)",
    "{$Item, $Item}",
    "{$x \\in $Same : $Bool(Item)}",
    "{$Item(Int) : $x \\in $Set}",
    "{$Item(Rec) : $x \\in $Recs}",
    "{$Item(Int, Str) : <<$x, $y>> \\in $Pairs}",
    "{$Item(Int, Int) : $x \\in $Set, $y \\in $Set}",
)
_MADE = {
    "Int": (
        "($Int + $Int)",
        "($Int - $Int)",
        "($Int ** $Int)",
        "($Int % 3)",
        "($Int \\div 2)",
        "Cardinality($Set)",
        "Cardinality($Pairs)",
        "Len($Seq)",
        "$Fun[$Str]",
        "$Rec.k",
        "$Pair[1]",
        "Head0($Seq, $Int)",
        "Only($Set, $Int)",
        "Sum(i, $Int)",
        "Max($Set \\cup {0})",
        "FoldSet(LAMBDA $x, $y : $x + $y, $Int, $Set)",
        "FoldLeft(LAMBDA $x, $y : 2 * $x - $y, 0, $Seq)",
        "Quantify($Set, LAMBDA $x : $Bool(Int))",
        "(LET $z[$x \\in 0..2] == IF $x = 0 THEN i ELSE $z[$x - 1] + 2 IN $z[2])",
    ),
    "Bool": (
        "($Bool /\\ $Bool)",
        "($Bool \\/ $Bool)",
        "~ $Bool",
        "~ ($Int) = $Int",
        "($Bool => $Bool)",
        "($Bool <=> $Bool)",
        "($Int < $Int)",
        "($Int >= $Int)",
        "($Str = $Str)",
        "($Set = $Set)",
        "($Sets # $Sets)",
        "($Seq = $Seq)",
        "($Fun = $Fun)",
        "($Rec # $Rec)",
        "($Pairs = $Pairs)",
        '(Restrict($Fun, $Strs) = ("a" :> $Int))',
        "($Int \\in $Set)",
        "($Str \\notin $Strs)",
        "($Set \\in $Sets)",
        "($Rec \\in $Recs)",
        "($Pair \\in $Pairs)",
        "($Set \\subseteq $Set)",
        "($Set \\in SUBSET $Set)",
        "($Seq \\in Seq($Set))",
        "($Fun \\in [$Strs -> $Set])",
        "(\\A $x \\in $Set : $Bool(Int))",
        "(\\E $x, $y \\in $Set : $Bool(Int, Int))",
        "(\\A $x \\in $Recs : $Bool(Rec))",
        "(\\E $x \\in Few($Set) : $Bool(Set))",
        "(\\E <<$x, $y>> \\in $Pairs : $Bool(Int, Str))",
        "(\\E $x \\in [$Strs -> {0, 1}] : $x = $Fun)",
        "Contains($Seq, $Int)",
        "IsPrefix($Seq, $Seq)",
    ),
    "Str": ("$Rec.s", "$Pair[2]", "Only($Strs, $Str)"),
    "Set": (*_SETS, "(UNION $Sets)", "(DOMAIN $Seq)", "Range($Fun)", "ToSet($Seq)"),
    "Strs": (*_SETS, "(DOMAIN $Fun)"),
    "Sets": (*_SETS, "Few($Set)"),
    "Seq": (
        "Append($Seq, $Int)",
        "($Seq \\o $Seq)",
        "Tail0($Seq)",
        "Begin($Seq)",
        "SelectSeq($Seq, LAMBDA $x : $Bool(Int))",
        "[$x \\in 1..2 |-> $Int(Int)]",
        "Reverse($Seq)",
        "SetToSortSeq($Set, <)",
    ),
    "Fun": (
        "[$Fun EXCEPT ![$Str] = @ + $Int]",
        '[$Fun EXCEPT !["a"] = $Int, ![$Str] = @ - 1]',
        '[$x \\in {"a", "b"} |-> $Int(Str)]',
        "((w :> $Int) @@ $Fun)",
    ),
    "Rec": ("[k |-> $Int, s |-> $Str]", "[$Rec EXCEPT !.k = @ + $Int]", "Only($Recs, $Rec)"),
    "Recs": (*_SETS, "[k : $Set, s : $Strs]"),
    "Pair": ("<<$Int, $Str>>", "Only($Pairs, $Pair)"),
    "Pairs": (*_SETS, "($Set \\X $Strs)"),
}
"""The templates of expressions, by kind.

`$Int` stands for an expression of that kind, `$Same` for one of the kind that is made and `$Item` for one of its
members; $x, $y and $z for names of its own. In `$Bool(Int)` $x may be used as a number, in `$Bool(Int, Str)` $y as
a string too.
"""
_ITEMS = {"Set": "Int", "Strs": "Str", "Sets": "Set", "Recs": "Rec", "Pairs": "Pair"}
_HOLE = re.compile(r"\$(?:([xyz])|(\w+)(?:\(([\w, ]+)\))?)")
_CONDITIONS = 6
_DEPTH = 4


class _Expressions:
    """Makes expressions by chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._numbers = count()

    def of(self, kind: str, depth: int, scope: tuple[tuple[str, str], ...] = ()) -> str:
        """An expression of a kind, nested so deeply at most, with the names of a scope and their kinds."""
        variable, *others = _LEAVES[kind]
        if depth == 0 or (depth < _DEPTH and self._chance.random() < 0.1):
            return self._chance.choice(
                [*(3 * [variable]), *others, *(3 * [x for x, its in scope if its == kind])]
            )
        made = _OF_ANY if self._chance.random() < 0.2 else _MADE[kind]
        names = {letter: f"{letter}{next(self._numbers)}" for letter in "xyz"}

        def filled(hole: re.Match[str]) -> str:
            letter, named, bound = hole.groups()
            if letter:
                return names[letter]
            kinds = [self._named(one, kind) for one in bound.split(", ")] if bound else []
            inner = (*scope, *zip(names.values(), kinds, strict=False))
            return self.of(self._named(named, kind), depth - 1, inner)

        return _HOLE.sub(filled, self._chance.choice(made))

    @staticmethod
    def _named(name: str, kind: str) -> str:
        return kind if name == "Same" else _ITEMS[kind] if name == "Item" else name


def module(seed: int) -> tuple[str, str]:
    """The module of a seed without its header, and its configuration."""
    chance = random.Random(f"expressions {seed}")
    expressions = _Expressions(chance)
    steps = [
        f"E{number} == /\\ taken = 0 /\\ taken' = {number} /\\ UNCHANGED values\n      /\\ "
        + expressions.of("Bool", _DEPTH)
        for number in range(1, _CONDITIONS + 1)
    ]
    steps.append("Next == " + " \\/ ".join(f"E{number}" for number in range(1, _CONDITIONS + 1)))
    config = ["INIT Init", "NEXT Next", "CHECK_DEADLOCK FALSE"]
    if chance.random() < 0.3:
        steps.append(f"Never == taken # {_CONDITIONS}")
        config.append("INVARIANT Never")
    return _HEAD + "\n".join(steps), "\n".join(config) + "\n"


EXPRESSIONS = Family(module, DATA / "tlc_random_expressions.json")


if __name__ == "__main__":
    main(EXPRESSIONS)

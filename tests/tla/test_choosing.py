"""CHOOSE takes the element that comes first in TLC's order, in the interpreter and in the solvers' models."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from leadline.symbolic.engines import Options, Verdict
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Int, Set
from leadline.symbolic.tla.lower import shapes
from tests.tla.loading import write
from tests.tla.lowered import asked

PAIRS = (
    ("(0 :> 5)", "(0 :> 1) @@ (1 :> 1)"),
    ("(0 :> 2) @@ (5 :> 0)", "(0 :> 1) @@ (7 :> 0)"),
    ("[b |-> 1]", "[a |-> 1, c |-> 2]"),
    ("[a |-> 2, b |-> 0]", "[a |-> 1, c |-> 0]"),
    ("[a |-> 1, b |-> 1]", "[ab |-> 1, c |-> 0]"),
    ("[a |-> 1, c |-> 0]", "[a |-> 2, c |-> 0]"),
    ("[f |-> (0 :> 5)]", "[f |-> (0 :> 1) @@ (1 :> 1)]"),
    ("[a |-> 1, s |-> {3}]", "[s |-> {1, 2}, t |-> 1]"),
    ("<<2>>", "<<1, 1>>"),
    ('"mid"', '"early"'),
    ('"told"', '"seen"'),
    ('"late"', '"able"'),
    ('"n"', '"e"'),
    ('"w"', '"Op"'),
    ('"web"', '"cab"'),
    ('"wall"', '"bell"'),
    ('"yak"', '"bat"'),
    ('"s3"', '"mid"'),
    ('"zoo"', '"ape"'),
    ("s3", "s1"),
    ("s10", "s1"),
    ("s3", "s10"),
    ("s1", '"s3"'),
    ("[mid |-> 1, early |-> 2]", "[mid |-> 2, early |-> 1]"),
    ("[mid |-> 2]", "[early |-> 1]"),
    ('{"mid"}', '{"early"}'),
    ('{"mid", "told"}', '{"early", "seen"}'),
    ("(s3 :> 1) @@ (s1 :> 2)", "(s3 :> 2) @@ (s1 :> 1)"),
    ('<<"mid", "early">>', '<<"early", "mid">>'),
    ('[mid |-> "seen", early |-> s3]', '[mid |-> "seen", early |-> s1]'),
    ('[early |-> {"mid"}]', '[early |-> {"early"}]'),
)
"""Pairs of values of which TLC's CHOOSE takes the first in the module that follows."""

CONFIG = 'CONSTANTS s3 = s3 Word = "zoo" s10 = s10 s1 = s1\nINIT Init\nNEXT Next\nINVARIANT First\n'
OTHER = 'LOCAL INSTANCE Sequences\nOther == [web |-> "wall"]'
BEFORE = r"""
    EXTENDS Naturals, TLC, Other
    CONSTANTS s1, s3, s10, Word
    Fields == [mid |-> 1, early |-> 2, a |-> 3, b |-> 4, c |-> 5, ab |-> 6] \* able, bell
    Strings == <<"told", "seen", "able", "e", "bell">>
    Sets == {<<"bat", d>> : d \in {"yak"}}
    Twice(late) == <<late, late>>
    """


def pairs_module() -> str:
    """A module that fills a set for each pair in one step.

    Names occur as fields, in strings, as identifiers, in other modules and in CONFIG.
    """
    names = [f"v{at}" for at in range(len(PAIRS))]
    pairs = [*zip(names, PAIRS, strict=True)]
    firsts = (f"({one} = {{}} \\/ (CHOOSE x \\in {one} : TRUE) = {a})" for one, (a, _) in pairs)
    return "\n".join((
        textwrap.dedent(BEFORE),
        f"VARIABLES {', '.join(names)}",
        "Init == " + " /\\ ".join(f"{one} = {{}}" for one in names),
        "Next == " + " /\\ ".join(f"{one}' = {{{b}, {a}}}" for one, (a, b) in pairs),
        "First == " + " /\\ ".join(firsts),
    ))  # fmt: skip


@pytest.mark.parametrize("options", [PdrOptions(), ExploreOptions(by=VALUES)], ids=["pdr", "values"])
def test_choose_takes_what_tlc_takes(tmp_path: Path, options: Options) -> None:
    path = write(tmp_path, Choosing=pairs_module(), Other=OTHER)
    path.with_suffix(".cfg").write_text(CONFIG)
    _, result = asked(path, "First", options)
    assert result.verdict in (Verdict.PROVED, Verdict.SAFE)


def test_a_table_is_in_the_order_of_choose() -> None:
    """The sets of a record come by their sizes, which is not their order in a type."""
    message = shapes.record_of({"votes": Set(Int(1, 3)), "term": Int(0, 1)})
    votes = [frozenset({3}), frozenset({1, 2}), frozenset({2})]
    table = shapes.table_of(message, [(0, one) for one in votes])
    assert [value for _, value in table.listed] == [frozenset({2}), frozenset({3}), frozenset({1, 2})]
    assert shapes.in_order(table, {})
    assert not shapes.in_order(message, {})

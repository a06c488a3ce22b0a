"""CHOOSE takes the element that comes first in TLC's order, in the interpreter and in the solvers' models."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.engines import Options, Verdict
from leadline.symbolic.engines.explore.explore import CIRCUITS, VALUES, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Bool, Int, Map, Seq, Set, Tuple, Type, nodes as n
from leadline.symbolic.tla import learning
from leadline.symbolic.tla.lower import first, shapes
from leadline.symbolic.tla.lower.terms import Terms
from tests.tla.asking import Asking, Tlc
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


ENGINES = (PdrOptions(), ExploreOptions(by=VALUES), ExploreOptions(by=CIRCUITS))


@pytest.mark.parametrize("options", ENGINES, ids=["pdr", "values", "circuits"])
@pytest.mark.parametrize(
    ("constants", "first"),
    [
        ("P = {p1, p2} Nil = Nil", False),
        ("Nil = Nil P = {p1, p2}", True),
        ("p1 = p1 Nil = Nil p2 = p2 P = {p1, p2}", False),
    ],
)
def test_members_of_a_sort_have_their_places_among_model_values(
    constants: str, first: bool, options: Options, tmp_path: Path
) -> None:
    """TLC's verdicts: the order of model values is that of the configuration."""
    body = "CONSTANTS P, Nil, p1, p2\nVARIABLES s, c\nInit == s = {Nil} /\\ c = Nil"
    step = "Next == \\E x \\in P \\cup {Nil} : s' = s \\cup {x} /\\ c' = CHOOSE y \\in s' : TRUE"
    path = write(tmp_path, M=f"{body}\n{step}\nFirst == c = Nil")
    others = "" if "p1 = p1" in constants else "p1 = q1 p2 = q2"
    path.with_suffix(".cfg").write_text(
        f"CONSTANTS {constants} {others}\nINIT Init NEXT Next INVARIANT First"
    )
    wanted = {Verdict.SAFE, Verdict.PROVED} if first else {Verdict.VIOLATED}
    _, result = asked(path, "First", options)
    assert result.verdict in wanted


def test_a_table_is_in_the_order_of_choose() -> None:
    """The sets of a record come by their sizes, which is not their order in a type."""
    message = shapes.record_of({"votes": Set(Int(1, 3)), "term": Int(0, 1)})
    votes = [frozenset({3}), frozenset({1, 2}), frozenset({2})]
    table = shapes.table_of(message, [(0, one) for one in votes])
    assert [value for _, value in table.listed] == [frozenset({2}), frozenset({3}), frozenset({1, 2})]
    assert shapes.in_order(table, {})
    assert not shapes.in_order(message, {})


NAMES = shapes.joined(map(shapes.atom, ('"late"', '"early"', "node")))
VOTE = shapes.record_of({shapes.field("by"): NAMES, shapes.field("round"): Int(0, 2)})
LOG = shapes.record_of({shapes.field("at"): NAMES, shapes.field("seen"): Set(Int(0, 2))})
KINDS = (
    Set(NAMES),
    VOTE,
    Seq(Int(0, 1), 3),
    Tuple((NAMES, Int(0, 2))),
    Map(NAMES, Bool()),
    Seq(Tuple((Bool(), Int(0, 1))), 2),
    shapes.joined([VOTE, LOG, Int(0, 1), Set(Int(0, 1))]),
)


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_the_first_of_two_values_is_told_by_their_parts(kind: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the one that comes first where all values of the type are sorted."""
    monkeypatch.setattr(first, "_MOST_RANKED", 3)
    ranks = {"round": 0, "late": 1, "by": 2, "early": 3}
    terms = Terms()
    yes = terms.boolean(True)
    both = [(yes, n.make(n.PickVar, kind, terms.place, name)) for name in ("one", "other")]
    of = function_of(first.First(terms, ranks).of(both, kind, lambda _: yes), {}, ("one", "other"))
    for pair in itertools.product(kind.values(), repeat=2):
        expected = min(pair, key=lambda value: shapes.choice_key(kind, value, ranks))
        assert of((), dict(zip(("one", "other"), pair, strict=True))) == expected


MESSAGES = r"""
EXTENDS Naturals, FiniteSets, Sequences
VARIABLES sent, clock, taken, order
IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
InOrder(S) == CHOOSE f \in [1..Cardinality(S) -> S] : IsInjective(f)
Listed(S) == CHOOSE f \in [1..Cardinality(S) -> S] : \A i \in DOMAIN f, j \in DOMAIN f : i # j => f[i] # f[j]
None == [by |-> 0, to |-> 0, at |-> 0, deps |-> {}]
Init == sent = {} /\ clock = 0 /\ taken = None /\ order = <<>>
Send(p) == /\ clock < 5 /\ Cardinality(sent) < 3 /\ clock' = clock + 1 /\ UNCHANGED <<taken, order>>
           /\ LET deps == {m.at : m \in {m \in sent : m.by = p}} IN
              sent' = sent \cup [by : {p}, to : {1, 2} \ {p}, at : {(clock * 31) % 53}, deps : {deps}]
Take(p) == /\ \E m \in sent : m.to = p /\ m.at # 31
           /\ LET m == CHOOSE m \in sent : m.to = p /\ 100 \div (m.at - 31) < 9 IN taken' = m /\ sent' = sent \ {m}
           /\ UNCHANGED <<clock, order>>
Sort == /\ Cardinality(sent) = 3 /\ order = <<>> /\ UNCHANGED <<sent, clock, taken>>
        /\ order' = IF taken.by = 1 THEN InOrder({m \in sent : m # taken}) ELSE Listed(sent)
Next == (\E p \in 1..2 : Send(p) \/ Take(p)) \/ Sort
"""


def test_a_choice_among_messages_in_slots_compares_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their type has millions of values. The test of a message that comes first may have no value."""
    monkeypatch.setattr(learning, "MOST_LISTED", 0)
    monkeypatch.setattr(learning, "MOST_BITS", 0)
    path = write(tmp_path, M=MESSAGES)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    asking = Asking(path, Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    answers = [asking.answer(ExploreOptions(by=by, max_states=None)) for by in (VALUES, CIRCUITS)]
    values, circuits = (one.told(ExploreFacts) for one in answers)
    assert circuits.states_within_steps == values.states_within_steps
    assert circuits.steps_out_of_bounds == values.steps_out_of_bounds > 0


NUMBERS = r"""
EXTENDS Naturals
VARIABLES at, last, low
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Odd(S) == CHOOSE x \in S : x % 2 = 1
Init == at = [p \in 1..3 |-> 0] /\ last = 0 /\ low = 0
Add(p) == LET new == Max({at[q] : q \in 1..3} \cup {900}) + p IN
          /\ new < 908 /\ at' = [at EXCEPT ![p] = new] /\ last' = new /\ UNCHANGED low
Take == low' = Odd({at[1], at[3], at[2], 0}) /\ UNCHANGED <<at, last>>
Next == Take \/ \E p \in 1..3 : Add(p)
Greatest == last = Max({at[1], at[2], at[3]})
"""


def test_a_choice_among_few_numbers_compares_them(tmp_path: Path) -> None:
    """The type has a thousand values, and each would be tried. The least that fits is taken; there may be none."""
    path = write(tmp_path, M=NUMBERS)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Greatest\nCHECK_DEADLOCK FALSE\n")
    asking = Asking(path, Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    roots = [x for one in asking.model.actions for x in one.roots]
    assert not any(isinstance(x, n.Choose) for x in n.postorder(*roots))
    answers = [asking.answer(ExploreOptions(by=by, max_states=None)) for by in (VALUES, CIRCUITS)]
    values, circuits = (one.told(ExploreFacts) for one in answers)
    assert circuits.states_within_steps == values.states_within_steps
    assert circuits.steps_out_of_bounds == values.steps_out_of_bounds > 0

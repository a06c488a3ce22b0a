"""Sets of functions and records with a condition: picked and tested member by member, not listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Verdict
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions
from leadline.symbolic.lang import NoSymbolicForm, nodes as n
from leadline.symbolic.lang.listed import Listed
from leadline.symbolic.tla import learning
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from tests.exploring import explore
from tests.tla.loading import write
from tests.tla.lowered import asked, counts

CAN = """
---- MODULE Can ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANT Most
VARIABLES can, row
Rows == UNION {[1..k -> 0..2] : k \\in 1..3}
Rising == {s \\in Rows : \\A i \\in 1..Len(s) : i = 1 \\/ s[i - 1] < s[i]}
Pairs == {f \\in [1..2 -> 0..2] : f[1] # f[2]}
Init == /\\ can \\in {c \\in [black : 0..Most, white : 0..Most] : c.black + c.white \\in 1..Most}
        /\\ row \\in Rising
Next == /\\ can.black > 0
        /\\ can' = [can EXCEPT !.black = @ - 1]
        /\\ \\/ UNCHANGED row
           \\/ \\E f \\in Pairs : f[2] > Len(row) /\\ row' = f
Known == row \\in Rising \\cup Pairs
Listed == Cardinality(Pairs) = 6 /\\ {f[1] : f \\in Pairs} = 0..2 /\\ (CHOOSE f \\in Pairs : f[1] = 2)[2] \\in 0..1
Quantified == /\\ \\A f \\in Pairs : f[1] + f[2] < 4
              /\\ \\E f \\in Pairs : f[1] + f[2] = 3
              /\\ ~\\E f \\in Pairs : f[1] = f[2]
Enough == can.white + can.black > 1
====
"""


def written(folder: Path, most: int, claims: str) -> Path:
    path = folder / "Can.tla"
    path.write_text(CAN)
    config = f"CONSTANT Most = {most}\nINIT Init\nNEXT Next\nINVARIANTS {claims}\nCHECK_DEADLOCK FALSE\n"
    path.with_suffix(".cfg").write_text(config)
    return path


def test_a_set_with_a_condition_has_its_members_in_both_meanings(tmp_path: Path) -> None:
    path = written(tmp_path, 3, "Known Listed Quantified Enough")
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    violated = [name for name, one in found.properties.items() if one.violation is not None]
    assert violated == ["Enough"] and not found.steps_out_of_bounds
    for claim, verdict in (
        ("Known", Verdict.SAFE),
        ("Quantified", Verdict.SAFE),
        ("Enough", Verdict.VIOLATED),
    ):
        assert asked(path, claim, BmcOptions(depth=4))[1].verdict is verdict


def test_large_sets_are_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the model; and of the initial states only the first are met, but the types hold all."""
    monkeypatch.setattr(learning, "MOST_INITIAL", 20)
    model = model_of(find(str(written(tmp_path, 2_000, "Known"))), {})
    assert all(part.contains(2_000) for part in model.variable("can").type.parts)
    roots = [x for action in (model.init, *model.actions) for x in action.roots]
    assert max(len(x.value) for x in n.postorder(*roots) if isinstance(x, n.Const) and x.type.parts) <= 2_001
    assert len(n.postorder(*roots)) < 1_500


def test_a_set_that_cannot_be_listed_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "Any.tla"
    path.write_text(
        "---- MODULE Any ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == IF x < 3 THEN x' = x + 1 ELSE \\E k \\in Nat : x' = k\n===="
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(
        NoSymbolicForm, match=r"Any\.tla:5(.|\n)*the members of an infinite set cannot be listed"
    ):
        model_of(find(str(path)), {})


PLACES = """
---- MODULE Places ----
EXTENDS Integers, Sequences
VARIABLE log
RECURSIVE From(_, _)
From(s, k) == IF k > Len(s) THEN k ELSE IF s[k] = 1 THEN From(s, k + 1) ELSE k
Init == log = <<>>
Next == \\E x \\in 1..2 : Len(log) < 3 /\\ log' = Append(log, x)
Ends == From(log, 1) <= 3
====
"""


def test_recursion_over_places_ends_where_types_end_it(tmp_path: Path) -> None:
    path = tmp_path / "Places.tla"
    path.write_text(PLACES)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Ends\nCHECK_DEADLOCK FALSE\n")
    model = model_of(find(str(path)), {})
    assert not any(isinstance(x, n.Undefined) for x in n.postorder(model.properties["Ends"].formula))
    _, result = asked(path, "Ends", BmcOptions(depth=4))
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 3)


CHOICES = """
EXTENDS Naturals, FiniteSets
CONSTANT P, Q
VARIABLES pairs, alike
Init == /\\ pairs =
           CHOOSE f \\in [1..3 -> SUBSET (1..4)] : \\A i \\in 1..3 : Cardinality(f[i]) = IF i = 3 THEN 2 ELSE 1
        /\\ alike = CHOOSE f \\in [P -> SUBSET P] : f[Q] # {} /\\ \\A p \\in P : f[p] \\subseteq f[Q]
Next == UNCHANGED <<pairs, alike>>
Pairs == pairs = <<{1}, {1}, {1, 2}>>
Alike == alike = [p \\in P |-> IF p = Q THEN {Q} ELSE {}]
"""


@pytest.mark.slow
def test_a_function_is_chosen_among_many_without_listing_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both meanings choose the same, and the sets of functions are larger than what may be listed."""
    monkeypatch.setattr(Lowering, "_listed_product", lambda *_: pytest.fail("the functions are listed"))
    path = write(tmp_path, Choices=CHOICES)
    path.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next INVARIANTS Pairs Alike CHECK_DEADLOCK FALSE CONSTANTS P = {a, b, c} Q = a\n"
    )
    for options in (BmcOptions(1), ExploreOptions(by=VALUES)):
        assert [asked(path, name, options)[1].verdict for name in ("Pairs", "Alike")] == [Verdict.SAFE] * 2


PAIR = r"""
EXTENDS Integers, Sequences, FiniteSets, FiniteSetsExt
VARIABLES a, b, row
Init == a = {} /\ b = {} /\ row = <<>>
Next == \E x \in 1..20 : a' = a \cup {x} /\ b' = {x} /\ row' = <<b>>
Few == \A s \in {a, b} : Cardinality(s) <= 2
Once == FoldSet(LAMBDA s, sum : Cardinality(s) + sum, 0, {a, b}) # 2
Sizes == {Cardinality(s) : s \in {a, b}} \subseteq 0..3
First == \E s \in {a, row[1]} : Cardinality(s) <= 9
"""
"""Sets of two sets, of which there may be 2^20."""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("Few", Verdict.VIOLATED),
        ("Once", Verdict.SAFE),
        ("Sizes", Verdict.SAFE),
        ("First", Verdict.OUT_OF_BOUNDS),
    ],
)
def test_a_set_of_two_large_sets_needs_no_list(tmp_path: Path, name: str, verdict: Verdict) -> None:
    """An element that is written twice counts once, and one without a value is told, whatever the other says."""
    path = write(tmp_path, Pair=PAIR)
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT {name}\nCHECK_DEADLOCK FALSE\n")
    assert asked(path, name, BmcOptions(depth=3))[1].verdict is verdict


HEARD = r"""
EXTENDS Naturals, FiniteSets
VARIABLES sent, heard, best
Init == sent = {} /\ heard = {} /\ best = <<>>
Send == Cardinality(sent) < 3 /\ \E k \in 1..4 :
           /\ sent' = sent \cup {<<"do", 100 * k, 90 * k, 80 * k, 7 * k % 5>>}
           /\ UNCHANGED <<heard, best>>
Take(m) == LET got == heard \cup {m}
               done == {h \in got : h[1] = "do"}
           IN /\ best' = IF Cardinality(got) < 3 THEN best ELSE CHOOSE h \in done : \A o \in done : h[5] >= o[5]
              /\ heard' = heard \cup {<<"ok", m[5]>>}
              /\ sent' = sent \ {m}
Next == Send \/ \E m \in sent : Take(m)
NotBest == best = <<>> \/ best[5] # 4
"""


def test_a_set_and_a_message_are_united_by_a_table_of_both(tmp_path: Path) -> None:
    """One type has few values, the messages are listed, and a type of both has too many values for a choice."""
    path = write(tmp_path, Heard=HEARD)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT NotBest\nCHECK_DEADLOCK FALSE\n")
    found = [asked(path, "NotBest", one)[1] for one in (BmcOptions(8), ExploreOptions(by=VALUES))]
    assert [(one.verdict, one.steps) for one in found] == [(Verdict.VIOLATED, 6)] * 2


VOTES = r"""
EXTENDS Integers, Sequences, FiniteSets
VARIABLES sent, log, seen
Last == CASE Len(log) = 0 -> 0 [] Len(log) > 0 -> log[Len(log)] [] OTHER -> -1
Init == sent = {} /\ log = <<>> /\ seen = 0
Grow == Len(log) < 3 /\ \E k \in 1..2 : log' = Append(log, 10 * k) /\ UNCHANGED <<sent, seen>>
Ask == sent' = sent \cup {[type |-> "ask", last |-> Last, size |-> Len(log)]} /\ UNCHANGED <<log, seen>>
Tell == /\ \E k \in 1..4 : sent' = sent \cup {[type |-> "tell", log |-> log, a |-> 100 * k, b |-> 70 * k]}
        /\ UNCHANGED <<log, seen>>
Take == \E m \in sent : m.type = "ask" /\ sent' = sent \ {m} /\ seen' = m.last /\ UNCHANGED log
Next == (Cardinality(sent) < 2 /\ (Grow \/ Ask \/ Tell)) \/ Take
Few == seen < 20
"""


def test_a_message_that_seems_to_have_other_values_than_the_table_is_one_of_it(tmp_path: Path) -> None:
    """A term of -1, which no run has, makes the table of both a wider one than the variable's."""
    path = write(tmp_path, Votes=VOTES)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    model, found = asked(path, "Few", BmcOptions(8))
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 3)
    (ask,) = (one for one in model.actions if one.name == "Ask")
    assert not [x for _, value in ask.updates for x in n.postorder(value) if isinstance(x, n.SetMap)]


BATCHES = r"""
EXTENDS Naturals, Sequences, Bags
VARIABLES flight, rows, done
Init == flight = EmptyBag /\ rows = <<>> /\ done = 0
Read == /\ Len(rows) < 3 /\ \E k \in 1..3 : rows' = Append(rows, [key |-> k, at |-> 100 * k])
        /\ UNCHANGED <<flight, done>>
Flush == /\ BagCardinality(flight) < 2
         /\ flight' = flight (+) SetToBag({[rows |-> rows, of |-> Len(rows), at |-> 70 * Len(rows)]})
         /\ rows' = <<>> /\ UNCHANGED done
Write == \E b \in BagToSet(flight) : /\ flight' = flight (-) SetToBag({b})
                                     /\ done' = done + b.of + CopiesIn(b, flight) /\ UNCHANGED rows
Next == Read \/ Flush \/ Write
Few == done < 5
"""


def test_a_bag_with_one_more_message_has_the_members_of_its_table(tmp_path: Path) -> None:
    """A message that has just been made may have more values than can be listed, but the bag has a table."""
    path = write(tmp_path, Batches=BATCHES)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    answers = [asked(path, "Few", one) for one in (BmcOptions(6), ExploreOptions(depth=6, by=VALUES))]
    assert [(one.verdict, one.steps) for _, one in answers] == [(Verdict.VIOLATED, 6)] * 2
    (flush,) = (action for action in answers[0][0].actions if action.name == "Flush")
    nodes = n.postorder(*(x for _, x in flush.updates))
    assert any(isinstance(x, n.MapUpdate) and isinstance(x.key.type, Listed) for x in nodes)
    assert not any(isinstance(x, n.MapBuild | n.SetUnion) for x in nodes)

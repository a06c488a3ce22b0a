"""Tables of messages: learned from runs, used by every engine, and widened where a step makes another message."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.engines import Limits, Query, Verdict
from leadline.symbolic.engines.ask.widening import widened_answers
from leadline.symbolic.engines.bounded.bmc import SWEEPS, BmcOptions
from leadline.symbolic.engines.explore.explore import CIRCUITS, VALUES, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.run.parallel import answer_here
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Mapped,
    Option,
    Set,
    Slots,
    Tuple,
    Type,
    UserError,
    in_tla,
    listed,
    nodes as n,
    permuted,
    record,
    sort,
    sorts_in,
)
from leadline.symbolic.lang.listed import Listed
from leadline.symbolic.solve import LONE
from leadline.symbolic.tla import learning, origin
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.typing import typed, untyped
from leadline.symbolic.tla.values.values import function
from tests.tla.asking import Asking, Tlc
from tests.tla.loading import write
from tests.tla.lowered import asked

SETS = r"""
EXTENDS Naturals, FiniteSets
CONSTANTS P, First, Late
VARIABLES sent, round, votes
vars == <<sent, round, votes>>
Init == sent = {} /\ round = [p \in P |-> 0] /\ votes = {}
Ask(p) == /\ round[p] < 2 /\ round' = [round EXCEPT ![p] = @ + 1]
          /\ sent' = sent \cup {[type |-> "ask", from |-> p, to |-> q, round |-> round'[p]] : q \in P \ {p}}
          /\ UNCHANGED votes
Answer(m) == /\ m.type = "ask" /\ m.round >= round[m.to] /\ round' = [round EXCEPT ![m.to] = m.round]
             /\ sent' = (sent \ {m}) \cup {[type |-> "yes", from |-> m.to, to |-> m.from, known |-> votes]}
             /\ UNCHANGED votes
Count(m) == /\ m.type = "yes" /\ votes' = votes \cup {m.from} /\ UNCHANGED <<sent, round>>
Again(m) == /\ m.type = "yes" /\ Cardinality(sent) = Late
            /\ sent' = {x \in sent : x # m} \cup {[m EXCEPT !.known = P]} /\ UNCHANGED <<round, votes>>
Next == (\E p \in P : Ask(p)) \/ \E m \in sent : Answer(m) \/ Count(m) \/ Again(m)
Spec == Init /\ [][Next]_vars
Few == Cardinality(sent) < 4
NotAll == votes # P
SomeYes == \A m, n \in sent : m.type = "yes" /\ n.type = "yes" /\ m.from = n.from => m.known \subseteq n.known
Rounds == \A m \in {x \in sent : x.type = "ask"} : m.round \in 1..round[m.from]
Absent == [type |-> "ask", from |-> First, to |-> 7, round |-> 1] \notin sent
FirstAsks == \A m \in sent : m.type = "ask" => m.from = First
"""
BAGS = r"""
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS P, First, Late
VARIABLES sent, round, votes
vars == <<sent, round, votes>>
With(m, bag) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = @ + 1] ELSE bag @@ (m :> 1)
Without(m, bag) == IF bag[m] = 1 THEN [x \in DOMAIN bag \ {m} |-> bag[x]] ELSE [bag EXCEPT ![m] = @ - 1]
Init == sent = [m \in {} |-> 0] /\ round = [p \in P |-> 0] /\ votes = {}
Ask(p) == /\ round[p] < 1 /\ round' = [round EXCEPT ![p] = @ + 1] /\ UNCHANGED votes
          /\ \E q \in P \ {p} : sent' = With([type |-> "ask", from |-> p, to |-> q, round |-> round'[p]], sent)
Answer(m) == /\ m.type = "ask" /\ m.round >= round[m.to] /\ round' = [round EXCEPT ![m.to] = m.round]
             /\ sent' = Without(m, With([type |-> "yes", from |-> m.to, to |-> m.from, known |-> votes], sent))
             /\ UNCHANGED votes
Count(m) == m.type = "yes" /\ votes' = votes \cup {m.from} /\ sent' = Without(m, sent) /\ UNCHANGED round
Again(m) == /\ m.type = "yes" /\ sent[m] = 1 /\ Cardinality(DOMAIN sent) < 3 /\ sent' = With(m, sent)
            /\ UNCHANGED <<round, votes>>
All == /\ sent = <<>> /\ Late = 0 /\ UNCHANGED <<round, votes>>
       /\ sent' = [m \in {[type |-> "all", to |-> p] : p \in P} |-> 1]
More == /\ \E m \in DOMAIN sent : m.type = "all"
        /\ sent' = [m \in DOMAIN sent \cup {[type |-> "more"]} |-> IF m \in DOMAIN sent THEN sent[m] ELSE 2]
        /\ UNCHANGED <<round, votes>>
Next == (\E p \in P : Ask(p)) \/ (\E m \in DOMAIN sent : Answer(m) \/ Count(m) \/ Again(m)) \/ All \/ More
Spec == Init /\ [][Next]_vars
Few == Cardinality(DOMAIN sent) < 3
NotAll == votes # P
SomeYes == \A m, n \in DOMAIN sent : m.type = "yes" /\ n.type = "yes" /\ m.from = n.from => m.known = n.known
Rounds == \A m \in DOMAIN sent : m.type = "ask" => m.round \in 1..round[m.from] /\ sent[m] < 3
Absent == [type |-> "ask", from |-> First, to |-> 7, round |-> 1] \notin DOMAIN sent
FirstAsks == \A m \in DOMAIN sent : m.type = "ask" => m.from = First
"""
SLOTTED = ("Few", "SomeYes", "Rounds")
SYMMETRIC = ("Absent", "Few", "NotAll", "SomeYes", "Rounds")
ENGINES = [BmcOptions(6), BmcOptions(4, SWEEPS), PdrOptions()]
MESSAGE = record("Message", of=sort("Node", 3), round=Int(0, 100))


def few_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of few possible messages are in slots."""
    monkeypatch.setattr(learning, "MOST_LISTED", 0)
    monkeypatch.setattr(learning, "MOST_BITS", 0)


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of few possible messages have tables too."""
    monkeypatch.setattr(learning, "SMALL", 1)
    monkeypatch.setattr(learning, "WORTH", 1)


def module(folder: Path, kind: str, claims: tuple[str, ...], late: int = 0) -> Path:
    stated = f"SPECIFICATION Spec\nINVARIANTS {' '.join(claims)}\nCHECK_DEADLOCK FALSE\n"
    (folder / "M.cfg").write_text(f"CONSTANTS P = {{a, b}} First = a Late = {late}\n{stated}")
    return write(folder, M=SETS if kind == "sets" else BAGS)


def table_of(kind: Type) -> Listed:
    found = kind.item if isinstance(kind, Set) else kind.key if isinstance(kind, Map) else kind
    assert isinstance(found, Listed)
    return found


def test_listed_values() -> None:
    """A permutation of a sort's members permutes the list, and the values keep their order and text."""
    kind = listed(MESSAGE, [("n2", 7), ("n1", 90), ("n3", 7), ("n1", 7)])
    assert [kind.value_of(x) for x in kind.values()] == [("n1", 7), ("n1", 90), ("n2", 7), ("n3", 7)]
    assert in_tla(kind, kind.by_value["n3", 7]) == "[of |-> n3, round |-> 7]"
    swap = {("Node", "n2"): "n3", ("Node", "n3"): "n2"}
    assert permuted(kind, kind.by_value["n2", 7], swap) == kind.by_value["n3", 7]


@pytest.mark.parametrize("kind", ["sets", pytest.param("bags", marks=pytest.mark.slow)])
@pytest.mark.parametrize("claims", [pytest.param(SYMMETRIC, marks=pytest.mark.slow), ("FirstAsks",)])
def test_every_engine_agrees_with_the_interpreter(kind: str, claims: tuple[str, ...], tmp_path: Path) -> None:
    """The nodes are interchangeable, unless a claim names one."""
    asking = Asking(module(tmp_path, kind, claims), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    assert sorts_in(table_of(asking.model.variable("sent").type))
    expected = {one.property: one.steps for one in asking.every.results}
    assert any(expected.values())
    for options in (*ENGINES, ExploreOptions(), ExploreOptions(by=VALUES)):
        answer = asking.answer(options)
        if isinstance(options, ExploreOptions):
            assert answer.told(ExploreFacts).states == asking.every.told(ExploreFacts).states
        for one in answer.results:
            assert (one.verdict is Verdict.VIOLATED) is (expected[one.property] is not None), one
            assert one.verdict is not Verdict.OUT_OF_BOUNDS
            if isinstance(options, BmcOptions) and options.unroll != SWEEPS:
                assert one.steps == expected[one.property], one


ANSWERED = r"""
EXTENDS Naturals
VARIABLES sent, seen, round
Init == sent = {} /\ seen = {} /\ round = [p \in 1..2 |-> 0]
Ask(p) == /\ round[p] < 3 /\ round' = [round EXCEPT ![p] = @ + 1] /\ UNCHANGED seen
          /\ sent' = sent \cup {[type |-> "ask", from |-> p, round |-> round[p]]}
Answer(m) == /\ m.type = "ask" /\ seen' = seen \cup {m} /\ UNCHANGED round
             /\ sent' = (sent \ {m}) \cup {[type |-> "yes", to |-> m.from, round |-> m.round + 1, of |-> m]}
End(m) == /\ m.type = "yes" /\ seen' = seen \cup {m, [type |-> "end", of |-> m.of]} /\ UNCHANGED round
          /\ sent' = sent \ {m}
Next == (\E p \in 1..2 : Ask(p)) \/ \E m \in sent : Answer(m) \/ End(m)
Once == \A m \in sent : m.type = "yes" => m.of \in seen
====
"""


def test_a_table_has_the_values_that_were_known_before_there_was_one() -> None:
    before, wider = (Set(shapes.record_of({"round": Int(0, most)})) for most in (1, 99))
    found = learning.settled(wider, [frozenset({function({"round": 99})})], before)
    assert [one for (one,) in table_of(found).listed] == [0, 1, 99]
    in_slots = Slots(Int(1, 2), Mapped(before.item), graph=False)
    wider = Set(shapes.record_of({"round": Int(0, 9_999)}))
    assert isinstance(learning.settled(wider, [frozenset({function({"round": 99})})], in_slots), Slots)


def test_the_messages_of_a_variable_stay_what_they_are_beside_a_new_one(tmp_path: Path) -> None:
    """A member of one table is one of another by a constant function, and a set with one more stays as it is."""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Once\nCHECK_DEADLOCK FALSE\n")
    asking = Asking(write(tmp_path, M=ANSWERED), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    assert table_of(asking.model.variable("sent").type) != table_of(asking.model.variable("seen").type)
    values = n.postorder(*(value for action in asking.model.actions for _, value in action.updates))
    built = [x for x in values if isinstance(x, n.MakeVariant)]
    assert {type(x) for one in built for x in n.postorder(one)}.isdisjoint({n.Bound}), (
        "each member is built anew"
    )
    for options in (ExploreOptions(), ExploreOptions(by=VALUES)):
        found = asking.answer(options)
        assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states
        assert [one.steps for one in found.results] == [None]


def test_a_message_that_is_not_in_the_table_widens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = module(tmp_path, "sets", SYMMETRIC, late=3)
    (tmp_path / "few").mkdir()
    before = table_of(model_of(find(str(path)), {}).variable("sent").type)
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    path = module(tmp_path / "few", "sets", SYMMETRIC, late=3)
    few = table_of(model_of(find(str(path)), {}).variable("sent").type)
    assert len(few.members) < len(before.members)
    model, result = asked(path, "Rounds", PdrOptions())
    assert result.verdict is Verdict.PROVED
    assert len(table_of(model.variable("sent").type).members) > len(few.members)


@pytest.mark.parametrize(
    ("claims", "kind"),
    [
        (("FirstAsks",), "sets"),
        *(
            pytest.param(claims, kind, marks=pytest.mark.slow)
            for claims, kind in ((("FirstAsks",), "bags"), (SLOTTED, "sets"), (SLOTTED, "bags"))
        ),
    ],
)
def test_engines_agree_about_slots(
    kind: str, claims: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_listed(monkeypatch)
    asking = Asking(module(tmp_path, kind, claims), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    slots = asking.model.variable("sent").type
    assert isinstance(slots, Slots) and slots.graph is (kind == "bags")
    expected = {one.property: one.steps for one in asking.every.results}
    assert any(expected.values())
    for options in ENGINES:
        for one in asking.answer(options).results:
            assert one.verdict in (Verdict.VIOLATED, Verdict.SAFE, Verdict.PROVED), one
            assert (one.verdict is Verdict.VIOLATED) is (expected[one.property] is not None), one
    states = asking.every.told(ExploreFacts).states
    for by in (CIRCUITS, VALUES):
        options = ExploreOptions(by=by, max_states=None)
        assert asking.answer(options).told(ExploreFacts).states == states
    with pytest.raises(UserError, match="messages lie in slots in no fixed order"):
        asking.answer(ExploreOptions(by=VALUES, coverage=True))


def test_one_message_more_than_slots_widens_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_listed(monkeypatch)
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    path = module(tmp_path, "sets", SYMMETRIC)
    narrow = model_of(find(str(path)), {})
    few = narrow.variable("sent").type
    assert isinstance(few, Slots)
    question = Query(str(path), {}, ("Few",), BmcOptions(6), solver=LONE)
    *_, (model, answer) = widened_answers(narrow, Limits(), lambda wider, _: answer_here(wider, question))
    assert [(one.verdict, one.steps) for one in answer.results] == [(Verdict.VIOLATED, 4)]
    wide = model.variable("sent").type
    assert isinstance(wide, Slots) and wide.key.cardinality > few.key.cardinality


def test_values_in_slots() -> None:
    """Typed and untyped values are each other's inverse, and each is shown as the set or function that it is."""
    item = record("Message", of=Int(0, 3), round=Int(0, 100))
    kind = Slots(Int(1, 3), Option(Tuple((item, Int(1, 2)))), True)
    value = function({function({"of": 1, "round": 7}): 2})
    inside = typed(value, kind)
    assert inside == (((1, 7), 2), None, None) and untyped(inside, kind) == value
    assert in_tla(kind, inside) == "([of |-> 1, round |-> 7] :> 2)"
    assert in_tla(Slots(Int(1, 2), Option(item), False), (None, (2, 1))) == "{[of |-> 2, round |-> 1]}"


def test_a_run_shows_messages_and_not_the_slots_they_lie_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few_listed(monkeypatch)
    path = write(tmp_path, M=f'{SETS}\nNoYes == \\A m \\in sent : m.type # "yes"')
    config = "SPECIFICATION Spec\nCONSTANTS P = {p, q} First = p Late = 3\nINVARIANT NoYes\n"
    path.with_suffix(".cfg").write_text(config)
    asked = ("--engine", "bmc", "--unroll", "steps", "--depth", "2", "--solver", "cadical")
    assert main(["check", str(path), *asked]) == 12
    shown = capsys.readouterr().out
    assert "Answer(m = [from |-> " in shown
    assert "sent: added {[from |-> " in shown
    assert 'FALSE  m.type # "yes"' in shown
    assert "slot" not in shown


SLOTS_AND_MAPS = r"""
EXTENDS Naturals, FiniteSets, TLC
CONSTANT Node
VARIABLES b, k
Init == b = <<>> /\ k = 0
Send == k < 2 /\ \E f \in Node, u \in 0..300 :
        b' = b @@ ([from |-> f, n |-> k * 200 + u, u |-> u] :> 1) /\ k' = k + 1
Reset == k = 2 /\ k' = 3 /\ b' = [n \in Node |-> 0]
Next == Send \/ Reset
Two == k = 3 => Cardinality(DOMAIN b) = 2 /\ \A n \in Node : b[n] = 0
None == k < 3
"""


def test_functions_in_slots_and_maps_have_a_type_in_common() -> None:
    slots = Slots(Int(1, 2), Mapped(Tuple((Bool(), Int(0, 1)))), graph=True)
    map_ = Map(shapes.atom("n1"), Int(0, 2))
    found = shapes.join(slots, map_)
    assert found == shapes.join(map_, slots)
    assert found == Slots(Int(1, 2), Mapped(Tuple((shapes.join(Bool(), map_.key), Int(0, 2)))), graph=True)


def test_a_map_becomes_a_function_in_slots(tmp_path: Path) -> None:
    """Also one whose values are all 0 or FALSE, which is not the empty function."""
    (tmp_path / "S.cfg").write_text("CONSTANT Node = {n1, n2} INIT Init NEXT Next INVARIANTS Two None")
    path = write(tmp_path, S=SLOTS_AND_MAPS)
    model, result = asked(path, "Two", BmcOptions(depth=4))
    assert result.verdict is Verdict.SAFE and isinstance(model.variable("b").type, Slots)
    _, result = asked(path, "None", BmcOptions(depth=4))
    assert result.verdict is Verdict.VIOLATED


BROADCASTS = r"""
EXTENDS Naturals, FiniteSets, TLC
CONSTANT Node
VARIABLES b, s, k
To(f) == {[from |-> f, to |-> t, n |-> 200 * k] : t \in Node \ {f}}
Same(f) == {[from |-> f, to |-> f, n |-> 100] : t \in Node}
Init == b = <<>> /\ s = {} /\ k = 0
Send == k < 2 /\ k' = k + 1 /\ \E f \in Node :
        /\ \A m \in To(f) : m \notin DOMAIN b
        /\ b' = b @@ [m \in To(f) |-> 1]
        /\ s' = s \cup {m \in To(f) : k = 0 => m.to = CHOOSE t \in Node : t # f}
Raise == k \in 1..2 /\ k' = k + 2 /\ \E f \in Node :
        /\ b' = [m \in Same(f) |-> k] @@ b
        /\ s' = (s \cup ((To(f) \cup Same(f)) \ To(f))) \cup (Same(f) \cap {[from |-> f, to |-> f, n |-> 100]})
Next == Send \/ Raise
Few == Cardinality(DOMAIN b) < 5
Counted == \A m \in DOMAIN b : b[m] < 2
Sent == s # Same(CHOOSE f \in Node : TRUE)
"""


@pytest.mark.slow
def test_images_of_images_and_parts_of_sets_go_into_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages to several nodes, written as an image, as the arguments of a function, or as a part of a set."""
    few_listed(monkeypatch)
    claims = ("Few", "Counted", "Sent")
    text = f"CONSTANT Node = {{1, 2}} INIT Init NEXT Next INVARIANTS {' '.join(claims)} CHECK_DEADLOCK FALSE"
    (tmp_path / "M.cfg").write_text(text)
    asking = Asking(write(tmp_path, M=BROADCASTS), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    assert all(isinstance(asking.model.variable(name).type, Slots) for name in "bs")
    expected = {one.property: one.steps for one in asking.every.results}
    for one in asking.answer(BmcOptions(5)).results:
        assert (one.steps, one.verdict is Verdict.SAFE) == (
            expected[one.property],
            not expected[one.property],
        )
    options = ExploreOptions(by=CIRCUITS, max_states=None)
    assert asking.answer(options).told(ExploreFacts).states == asking.every.told(ExploreFacts).states


MOVED = r"""
EXTENDS Naturals, Bags, BagsExt
VARIABLES pending, net, k
Init == pending = EmptyBag /\ net = EmptyBag /\ k = 0
Put == /\ k < 2 /\ k' = k + 1 /\ UNCHANGED net
       /\ \E f \in 0..1, u \in 0..9 :
          /\ ~\E m \in DOMAIN net \cup DOMAIN pending : m.from = f /\ m.load > 900
          /\ pending' = pending (+) SetToBag({[from |-> f, load |-> 100 * u, hops |-> 0]})
Of(f) == FoldBag(LAMBDA all, m : IF m.from = f THEN BagAdd(all, m) ELSE all, EmptyBag, pending)
Flush(f) == Of(f) # EmptyBag /\ net' = Of(f) (+) net /\ pending' = pending (-) Of(f) /\ UNCHANGED k
Pass(m) == /\ m.hops < 2 /\ net' = (net (-) SetToBag({m})) (+) SetToBag({[m EXCEPT !.hops = @ + 1]})
           /\ UNCHANGED <<pending, k>>
Next == Put \/ (\E f \in 0..1 : Flush(f)) \/ (\E m \in DOMAIN net : Pass(m))
Few == BagCardinality(net) < 2 \/ \E m \in DOMAIN net : m.load < 900
"""


def test_messages_that_move_are_in_slots_in_both_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There was no symbolic form: a table of over 16 messages cannot be put into slots."""
    monkeypatch.setattr(learning, "MOST_LISTED", 30)
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Few CHECK_DEADLOCK FALSE")
    asking = Asking(write(tmp_path, M=MOVED), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    assert all(isinstance(asking.model.variable(name).type, Slots) for name in ("pending", "net"))
    found = asking.answer(ExploreOptions(by=CIRCUITS))
    assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states
    assert [one.steps for one in found.results] == [one.steps for one in asking.every.results]


LONE_VALUE = r"""
EXTENDS Naturals, Bags
CONSTANT Nil
VARIABLES net, x
Init == net = EmptyBag /\ x = [n \in {1, 2} |-> 0]
Send(n) == x[n] < 1 /\ x' = [x EXCEPT ![n] = @ + 1] /\ net' = net (+) SetToBag({[from |-> n, x |-> x]})
Stop == Nil \notin DOMAIN net /\ net' = net (+) SetToBag({Nil}) /\ UNCHANGED x
Lose(m) == net' = net (-) SetToBag({m}) /\ UNCHANGED x
Next == Stop \/ (\E n \in {1, 2} : Send(n)) \/ \E m \in DOMAIN net : Lose(m)
Alone == net # (Nil :> 1) \/ x[1] = 0
Other == net \notin [{Nil, [a |-> 0]} -> {0}]
"""


def test_a_model_value_is_added_to_a_bag_in_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_listed(monkeypatch)
    (tmp_path / "M.cfg").write_text(
        "CONSTANT Nil = Nil INIT Init NEXT Next INVARIANTS Alone Other CHECK_DEADLOCK FALSE"
    )
    asking = Asking(write(tmp_path, M=LONE_VALUE), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None and isinstance(asking.model.variable("net").type, Slots)
    found = asking.answer(ExploreOptions(by=CIRCUITS))
    assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states
    assert [one.steps for one in found.results] == [one.steps for one in asking.every.results] == [3, None]


def test_a_set_of_the_empty_sequence_is_not_empty_in_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_listed(monkeypatch)
    text = r"""
EXTENDS Naturals, Sequences
VARIABLE logs
Init == logs = {<<>>}
Next == \E log \in logs, x \in 0..2 : Len(log) < 2 /\ logs' = {Append(log, x)}
"""
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    asking = Asking(write(tmp_path, M=text), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None and isinstance(asking.model.variable("logs").type, Slots)
    assert asking.answer(ExploreOptions(by=CIRCUITS)).told(ExploreFacts).states == 1 + 3 + 9


STOPPED = r"""
EXTENDS Naturals, Bags
CONSTANT Stop
VARIABLES pending, k
Init == pending = EmptyBag /\ k = 0
Put == /\ k < 2 /\ k' = k + 1
       /\ \E a, b \in 0..1 : pending' = SetToBag({[to |-> a, s |-> [a |-> k, by |-> b]]}) (+) pending
Take(m) == m # Stop /\ m.s.by = 0 /\ pending' = (pending (-) SetToBag({m})) (+) SetToBag({Stop}) /\ UNCHANGED k
Next == Put \/ \E m \in DOMAIN pending : Take(m)
"""


def test_a_bag_of_messages_keeps_them_beside_a_model_value(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text("CONSTANT Stop = Stop INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    asking = Asking(write(tmp_path, M=STOPPED), Tlc(0, "", 0, None, None, None))
    found = asking.answer(ExploreOptions(by=CIRCUITS))
    assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states == 31


PASSED = r"""
EXTENDS Naturals, FiniteSets
VARIABLES s, k
Init == s = {} /\ k = 0
Send == k < 2 /\ k' = k + 1 /\ \E x, y \in 0..1 : s' = s \cup {[a |-> 900 * x, b |-> 900 * y, hops |-> 0]}
Pass == k' = k /\ \E m \in s : m.hops < 2 /\ s' = (s \cup {[m EXCEPT !.hops = m.hops + 1]}) \ {m}
Next == Send \/ Pass
Few == Cardinality(s) < 3
Near == \A m \in s : m.a + m.b < 1000 \/ m.hops < 2
"""


def test_a_message_is_taken_out_beside_one_of_a_wider_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message may have too many values to list them."""
    few_listed(monkeypatch)
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANTS Few Near CHECK_DEADLOCK FALSE")
    asking = Asking(write(tmp_path, M=PASSED), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None and isinstance(asking.model.variable("s").type, Slots)
    expected = {one.property: one.steps for one in asking.every.results}
    assert expected == {"Few": None, "Near": 3}
    found = asking.answer(ExploreOptions(by=CIRCUITS, max_states=None))
    assert {one.property: one.steps for one in found.results} == expected
    assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states


LESS = r"""
EXTENDS Naturals, Sequences, FiniteSets, TLC
VARIABLES f, q
Init == f = [x \in {} |-> 0] /\ q = <<>>
Put == \E k \in 1..3 : f' = f @@ (k :> 10 * k) /\ q' = IF Len(q) < 2 THEN Append(q, k) ELSE q
Less == \E k \in 1..4 : f' = [x \in DOMAIN f \ {k, 2} |-> f[x]] /\ UNCHANGED q
Off == Cardinality(DOMAIN f) # 2 /\ f' = [x \in DOMAIN f \ {Head(q)} |-> f[x]] /\ q' = Tail(q)
Next == Put \/ Less \/ (q # <<>> /\ Off)
Wrong == Next \/ Off
Few == Cardinality(DOMAIN f) < 3
Kept == \A k \in DOMAIN f : f[k] = 10 * k
"""


@pytest.mark.parametrize("following", ["Next", "Wrong"])
def test_a_function_without_some_arguments_is_updated_at_them(following: str, tmp_path: Path) -> None:
    """One of them may be no argument, or have no value."""
    (tmp_path / "M.cfg").write_text(f"INIT Init NEXT {following} INVARIANTS Few Kept CHECK_DEADLOCK FALSE")
    asking = Asking(write(tmp_path, M=LESS), Tlc(0, "", 0, None, None, None))
    assert asking.model is not None
    (less,) = (one for one in asking.model.actions if one.name == "Less")
    assert not any(isinstance(x, n.MapBuild) for x in n.postorder(*(x for _, x in less.updates)))
    expected = {one.property: (one.verdict, one.steps) for one in asking.every.results}
    found = asking.answer(ExploreOptions(by=CIRCUITS, max_states=None))
    assert {one.property: (one.verdict, one.steps) for one in found.results} == expected
    assert found.told(ExploreFacts).states == asking.every.told(ExploreFacts).states

"""Types count, list, rank, recognise and print their values, and join like a lattice."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.lang import (
    Bool,
    Graph,
    Int,
    Map,
    Never,
    Option,
    Seq,
    Set,
    Tuple,
    Type,
    enum,
    in_tla,
    record,
    sort,
    union,
)
from leadline.symbolic.lang.coercion import as_node
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.types import Atoms
from leadline.symbolic.notation.types import set_text
from tests.strategies import types, values

NODE = sort("Node", 2)
INFO = record("Info", seen_by=NODE, count=Int(0, 1))
MESSAGE = union("Message", ping={"to_node": NODE}, stop={})


@given(types())
def test_values_are_counted_and_listed_in_their_order(kind: Type) -> None:
    listed = list(kind.values())
    assert len(listed) == kind.cardinality
    assert all(kind.order(x) < kind.order(y) for x, y in pairwise(listed))
    assert all(kind.contains(value) for value in listed)
    assert len(set(listed)) == len(listed)
    assert [kind.first] == listed[:1] if listed else kind.cardinality == 0


NO_VALUES = [
    (Bool(), 0),
    (Int(0, 1), True),
    (Int(0, 1), 2),
    (Int(0, 1), "0"),
    (NODE, "n3"),
    (Option(Int(0, 1)), 5),
    (Tuple((Bool(), Bool())), (True,)),
    (Tuple((Bool(), Bool())), [True, True]),
    (INFO, ("n1", 2)),
    (MESSAGE, ("ping", ())),
    (MESSAGE, ("pong", ())),
    (MESSAGE, "ping"),
    (Set(Int(0, 1)), frozenset({0, 2})),
    (Set(Int(0, 1)), (0, 1)),
    (Map(NODE, Bool()), (True,)),
    (Seq(Bool(), 1), (True, True)),
    (Seq(Bool(), 1), (None,)),
    (Never(), None),
]


@pytest.mark.parametrize(("kind", "value"), NO_VALUES, ids=repr)
def test_what_is_no_value_is_not_contained(kind: Type, value: Any) -> None:
    assert not kind.contains(value)


@given(types(depth=2), types(depth=2))
def test_join_is_commutative_and_includes_both(a: Type, b: Type) -> None:
    joined = a.join(b)
    assert joined == b.join(a)
    if joined is not None:
        assert joined.includes(a) and joined.includes(b)
        assert all(joined.contains(value) for kind in (a, b) for value in kind.values())


@st.composite
def near(draw: st.DrawFn, kind: Type) -> Type:
    """A type of the same shape, or an option of it, with other ranges."""
    match kind:
        case Int(low=low, high=high):
            made: Type = Int(low - draw(st.integers(0, 2)), high + draw(st.integers(0, 2)))
        case Set(item=item):
            made = Set(draw(near(item)))
        case Seq(item=item, capacity=capacity):
            made = Seq(draw(near(item)), capacity + draw(st.integers(0, 1)))
        case Map(key=key, value=value):
            made = Map(key, draw(near(value)))
        case _:
            made = kind
    return Option(made) if draw(st.booleans()) and not isinstance(made, Option) else made


@given(st.data())
def test_join_is_associative_where_it_is_defined(data: st.DataObject) -> None:
    base = data.draw(types(depth=2))
    a, b, c = (data.draw(st.one_of(near(base), types(depth=2), st.just(Never()))) for _ in range(3))
    left, right = a.join(b), b.join(c)
    assert a.join(Never()) == a
    if left is not None and right is not None:
        assert left.join(c) == a.join(right)


@given(types(depth=2))
def test_a_type_is_the_join_with_itself_and_survives_pickling(kind: Type) -> None:
    assert kind.join(kind) == kind
    hash(kind)
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert "_hash" not in kind.__getstate__()


def test_types_of_different_shape_do_not_join() -> None:
    apart = [Bool(), Int(0, 1), NODE, sort("Node", 3), Set(NODE), Seq(NODE, 2), Tuple((NODE,)), INFO, MESSAGE]
    assert not [(a, b) for a in apart for b in apart if a is not b and a.join(b) is not None]


def test_records_and_unions_are_known_by_their_fields_not_their_names() -> None:
    assert record("A", x=Bool()) == record("B", x=Bool()) != record("A", y=Bool())
    assert union("A", x={"f": Bool()}) == union("B", x={"f": Bool()}) != union("A", y={"f": Bool()})
    assert hash(union("A", x={})) == hash(union("B", x={}))


PRINTED = [
    (enum("Mark", 'a "b" \\'), 'a "b" \\', '"a \\"b\\" \\\\"'),
    (Atoms("Atom", ('"a \\"', "a")), '"a \\"', '"a \\\\"'),
    (Bool(), False, "FALSE"),
    (Int(-3, 3), -2, "-2"),
    (NODE, "n1", "n1"),
    (enum("Mode", "idle"), "idle", '"idle"'),
    (Option(NODE), None, "None"),
    (Option(NODE), "n2", "n2"),
    (Tuple((Bool(), Int(0, 1))), (True, 0), "<<TRUE, 0>>"),
    (INFO, ("n1", 1), "[seenBy |-> n1, count |-> 1]"),
    (record("Empty"), (), "<<>>"),
    (MESSAGE, ("ping", ("n1",)), '[type |-> "ping", toNode |-> n1]'),
    (MESSAGE, ("stop", ()), '[type |-> "stop"]'),
    (Set(Int(0, 9)), frozenset({9, 1, 3}), "{1, 3, 9}"),
    (Map(NODE, Int(0, 1)), (0, 1), "(n1 :> 0 @@ n2 :> 1)"),
    (Map(sort("Nobody", 0), Bool()), (), "<<>>"),
    (Seq(NODE, 3), ("n2", "n1"), "<<n2, n1>>"),
]


@pytest.mark.parametrize(("kind", "value", "text"), PRINTED, ids=lambda x: x if isinstance(x, str) else "")
def test_values_print_as_in_tla(kind: Type, value: Any, text: str) -> None:
    assert kind.contains(value)
    assert in_tla(kind, value) == text


SETS = [
    (Bool(), "BOOLEAN"),
    (Int(-1, 3), "-1..3"),
    (NODE, "Node"),
    (enum("Mode", "idle", "busy"), '{"idle", "busy"}'),
    (Option(NODE), "Node \\cup {None}"),
    (Option(Set(NODE)), "(SUBSET Node) \\cup {None}"),
    (Set(Option(NODE)), "SUBSET (Node \\cup {None})"),
    (Set(Int(0, 3)), "SUBSET (0..3)"),
    (Map(NODE, Int(0, 3)), "[Node -> 0..3]"),
    (INFO, "[seenBy : Node, count : 0..1]"),
    (record("Empty"), "{<<>>}"),
    (MESSAGE, '[type : {"ping"}, toNode : Node] \\cup [type : {"stop"}]'),
    (Tuple((Bool(), Set(NODE))), "BOOLEAN \\X (SUBSET Node)"),
    (Tuple((Bool(),)), "{<<item_>> : item_ \\in BOOLEAN}"),
    (Tuple(()), "{<<>>}"),
    (Seq(NODE, 2), "BoundedSeq(Node, 2)"),
    (
        Seq(Seq(Bool(), 1), 2),
        "BoundedSeq(BoundedSeq(BOOLEAN, 1), 2)",
    ),
    (Never(), "{}"),
]


@pytest.mark.parametrize(("kind", "text"), SETS, ids=lambda x: x if isinstance(x, str) else "")
def test_sets_of_all_values_print_as_in_tla(kind: Type, text: str) -> None:
    assert set_text(kind).text == text


@given(st.data())
def test_values_of_the_strategies_belong_to_their_type(data: st.DataObject) -> None:
    kind = data.draw(types())
    assert kind.contains(data.draw(values(kind)))


def test_the_first_value_of_a_huge_type_is_not_found_by_listing_them() -> None:
    cell = record("Cell", id=Int(0, 9), members=Set(Int(0, 30)), seen=Option(Int(0, 9)))
    huge = Map(Int(0, 20), Seq(cell, 5))
    assert huge.first == ((),) * 21
    assert Map(Int(0, 20), cell).first == ((0, frozenset(), None),) * 21


def test_a_sort_has_the_operations_of_the_set_of_its_members() -> None:
    node = sort("Node", 3)
    every = wrap(as_node(node))
    assert node.size.node is every.size.node
    assert node.has("n1").node is every.has("n1").node
    assert node.filter(lambda x: x != "n1").node is every.filter(lambda x: x != "n1").node
    assert node.map(lambda x: x).node is every.map(lambda x: x).node
    assert (node - {"n1"}).node is (every - {"n1"}).node
    assert ({"n1"} - node).node is ({"n1"} - every).node
    assert (node & {"n1"}).node is (every & {"n1"}).node
    assert node.remove("n1").node is every.remove("n1").node


def test_graphs_of_functions_join_as_such() -> None:
    """A value of one is then seen to be one of the other, without a test that every set passes."""
    narrow, wide = (Graph(Tuple((NODE, Int(0, high)))) for high in (2, 3))
    assert narrow.join(wide) == wide and wide.includes(narrow)
    assert Map(NODE, Option(wide)).includes(Map(NODE, Option(narrow)))


def test_a_set_with_sets_of_sets_of_records_is_written() -> None:
    """The number of its members is no number that fits into memory."""
    rows = Set(record("Row", one=Int(0, 99), other=Int(0, 99)))
    kind = Set(record("Snapshot", of=Set(rows), rows=rows))
    first, second = frozenset({(1, 2)}), frozenset({(0, 3), (1, 2)})
    found = frozenset({(frozenset({first}), second), (frozenset({second}), first)})
    one, other = "{[one |-> 1, other |-> 2]}", "{[one |-> 0, other |-> 3], [one |-> 1, other |-> 2]}"
    told = f"[of |-> {{{one}}}, rows |-> {other}], [of |-> {{{other}}}, rows |-> {one}]"
    assert in_tla(kind, found) == f"{{{told}}}"

"""Quantifiers, choices, filters and comprehensions, and their nesting."""

from __future__ import annotations

from leadline.symbolic.lang import (
    Bool,
    Int,
    OutOfBounds,
    Set,
    Tuple,
    all_of,
    any_of,
    choose,
    exists,
    forall,
    implies,
    int_range,
    ite,
    map_of,
    number_where,
    of,
    record,
    set_of,
)
from tests.corpus.subject import COLOUR, NODE, Row, fails

QUANTIFIERS = [
    Row("forall over a sort", lambda s: forall(NODE, lambda k: s.count[k] < 5), True),
    Row("forall over a sort, false", lambda s: forall(NODE, lambda k: s.count[k] > 0), False),
    Row("forall over the empty set", lambda s: forall(s.empty, lambda x: fails()), True),
    Row("forall over a set", lambda s: forall(s.few, lambda x: x != 2), True),
    Row("forall stops at the first false", lambda s: forall(s.few, lambda x: (x != 1) & fails()), False),
    Row(
        "forall stops in the type's order",
        lambda s: forall(s.few, lambda x: ite(x == 4, fails(), x < 3)),
        False,
    ),
    Row(
        "forall errs before a later false",
        lambda s: forall(s.few, lambda x: ite(x == 1, fails(), x < 3)),
        OutOfBounds,
    ),
    Row(
        "forall over a sort errs in order",
        lambda s: forall(NODE, lambda k: ite(k == "n1", fails(), k == "n1")),
        OutOfBounds,
    ),
    Row(
        "forall over a sort stops in order",
        lambda s: forall(NODE, lambda k: ite(k == "n3", fails(), k == "n1")),
        False,
    ),
    Row("forall over a large range", lambda s: forall(int_range(0, 99), lambda x: x < 99), False),
    Row("forall over a range of the state", lambda s: forall(int_range(s.j, s.i), lambda x: x * x < 5), True),
    Row("forall over an empty range", lambda s: forall(int_range(s.i, s.j), lambda x: fails()), True),
    Row(
        "forall with two variables",
        lambda s: forall(s.nodes, lambda a, b: (a == b) | (s.count[a] != s.count[b])),
        True,
    ),
    Row("forall, domain out of bounds", lambda s: forall(fails(Set(NODE)), lambda k: s.yes), OutOfBounds),
    Row("exists over a sort", lambda s: exists(NODE, lambda k: s.count[k] == 2), True),
    Row("exists over a set, false", lambda s: exists(s.few, lambda x: x == 2), False),
    Row("exists over the empty set", lambda s: exists(s.empty, lambda x: fails()), False),
    Row("exists stops at the first true", lambda s: exists(s.few, lambda x: (x == 1) | fails()), True),
    Row(
        "exists errs before a later true",
        lambda s: exists(s.few, lambda x: ite(x == 1, fails(), x == 3)),
        OutOfBounds,
    ),
    Row(
        "exists over messages",
        lambda s: exists(s.inbox, lambda m: m.is_a("ping") & (m.as_a("ping").round == 1)),
        True,
    ),
    Row(
        "exists over messages errs in order",
        lambda s: exists(s.inbox, lambda m: m.as_a("stop") == m.as_a("stop")),
        OutOfBounds,
    ),
    Row(
        "exists inside forall",
        lambda s: forall(s.nodes, lambda a: exists(NODE, lambda b: s.count[b] + 2 == s.count[a])),
        True,
    ),
    Row(
        "forall inside exists",
        lambda s: exists(NODE, lambda a: forall(NODE, lambda b: s.count[b] <= s.count[a])),
        True,
    ),
    Row("quantifier over sets", lambda s: exists(Set(Bool()), lambda x: x.size == 2), True),
    Row("choose, least", lambda s: choose(s.few), 1),
    Row("choose with a condition", lambda s: choose(s.few, lambda x: x > 1), 3),
    Row("choose in a sort", lambda s: choose(NODE, lambda k: s.count[k] < 3), "n2"),
    Row("choose from options takes None first", lambda s: choose(s.options), None),
    Row("choose a set in its order", lambda s: choose(s.sets), frozenset({0})),
    Row("choose a message in its order", lambda s: choose(s.inbox), ("ping", (1, "n2"))),
    Row(
        "choose a member in the declared order",
        lambda s: choose(set_of(of(COLOUR, "blue"), of(COLOUR, "green"))),
        "green",
    ),
    Row("choose, none", lambda s: choose(s.few, lambda x: x > 4), OutOfBounds),
    Row("choose from the empty set", lambda s: choose(s.empty), OutOfBounds),
    Row("choose stops at the first", lambda s: choose(s.few, lambda x: ite(x == 4, fails(), x == 3)), 3),
    Row(
        "choose errs before the first",
        lambda s: choose(s.few, lambda x: ite(x == 1, fails(), x == 3)),
        OutOfBounds,
    ),
]

BUILDERS = [
    Row("filter", lambda s: s.few.filter(lambda x: x > 2), frozenset({3, 4})),
    Row("filter to nothing", lambda s: s.few.filter(lambda x: x == 2), frozenset()),
    Row(
        "filter evaluates every element",
        lambda s: s.few.filter(lambda x: ite(x == 4, fails(), s.no)),
        OutOfBounds,
    ),
    Row("filter a sort", lambda s: number_where(NODE, lambda k: s.count[k] > 0), 2),
    Row("filter options", lambda s: s.options.filter(lambda x: x.is_some), frozenset({"n3"})),
    Row("image", lambda s: s.few.map(lambda x: x * 2), frozenset({2, 6, 8})),
    Row("image with equal values", lambda s: s.few.map(lambda x: x > 2), frozenset({False, True})),
    Row("image of the empty set", lambda s: s.empty.map(lambda x: fails(NODE)), frozenset()),
    Row("image out of bounds", lambda s: s.few.map(lambda x: s.list[x]), OutOfBounds),
    Row("image of a map", lambda s: s.count.range, frozenset({0, 2, 4})),
    Row("map over a sort", lambda s: map_of(NODE, lambda k: s.count[k] + 1), (5, 1, 3)),
    Row("map over Bool", lambda s: map_of(Bool(), lambda k: ite(k, "blue", s.colour)), ("green", "blue")),
    Row("map over a range that starts above 0", lambda s: map_of(Int(2, 4), lambda k: k * k), (4, 9, 16)),
    Row("map over a large range", lambda s: map_of(Int(0, 9), lambda k: k + s.i), tuple(range(2, 12))),
    Row(
        "map over pairs",
        lambda s: map_of(Tuple((Bool(), Bool())), lambda k: k[0] & ~k[1]),
        (False, False, True, False),
    ),
    Row(
        "map of maps",
        lambda s: map_of(NODE, lambda a: map_of(Bool(), lambda b: s.votes[b][a])),
        ((True, False), (False, False), (False, True)),
    ),
    Row(
        "map out of bounds at one key",
        lambda s: map_of(NODE, lambda k: ite(k == "n3", s.none.value, 0)),
        OutOfBounds,
    ),
    Row("sequence filter", lambda s: s.list.filter(lambda x: x > 1), (3, 3)),
    Row("sequence filter of the empty one", lambda s: s.nil.filter(lambda x: fails()), ()),
    Row(
        "sequence filter evaluates every item",
        lambda s: s.list.filter(lambda x: ite(x == 1, fails(), s.yes)),
        OutOfBounds,
    ),
]

NESTED = [
    Row("value used twice", lambda s: (s.count[s.node] + 1) * (s.count[s.node] + 1), 1),
    Row(
        "failing value used twice, guarded once",
        lambda s: any_of(s.none.is_none, s.none.value == 1) & implies(s.none.is_some, s.none.value == 1),
        True,
    ),
    Row(
        "failing value used after a guard only",
        lambda s: all_of(implies(s.no, s.none.value == 1), s.none.value == 1),
        OutOfBounds,
    ),
    Row(
        "quantifier inside a map inside a quantifier",
        lambda s: forall(
            NODE,
            lambda a: (
                map_of(Bool(), lambda b: exists(NODE, lambda c: s.votes[b][c] & (c != a)))[True] | (a == "n3")
            ),
        ),
        True,
    ),
    Row(
        "filter of an image of a filter",
        lambda s: s.few.filter(lambda x: x != 3).map(lambda x: x + 1).filter(lambda x: x > 2),
        frozenset({5}),
    ),
    Row(
        "sets of messages",
        lambda s: s.inbox.filter(lambda m: m.is_a("ping")).map(lambda m: m.as_a("ping").to),
        frozenset({"n2"}),
    ),
    Row(
        "sets of records",
        lambda s: s.nodes.map(lambda k: of(record("R", who=NODE, many=Int(0, 5)), who=k, many=s.count[k])),
        frozenset({("n1", 4), ("n3", 2)}),
    ),
    Row(
        "choice inside a comprehension",
        lambda s: s.few.map(lambda x: choose(s.few, lambda y: y >= x)),
        frozenset({1, 3, 4}),
    ),
    Row(
        "choice fails for one element",
        lambda s: s.few.map(lambda x: choose(s.few, lambda y: y > x)),
        OutOfBounds,
    ),
    Row(
        "one name bound twice",
        lambda s: exists(NODE, lambda k: (k == "n1") & exists(NODE, lambda k: k == "n3")),
        True,
    ),
    Row(
        "one binder used at two places",
        lambda s: s.few.filter(lambda x: x > 2).size + s.few.filter(lambda x: x > 2).least,
        5,
    ),
    Row("empty sets of several types", lambda s: (set_of() | s.few) == s.few, True),
    Row(
        "map of empty sets",
        lambda s: map_of(NODE, lambda k: ite(k == s.node, s.few, set())),
        (frozenset(), frozenset({1, 3, 4}), frozenset()),
    ),
]

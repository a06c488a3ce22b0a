"""Maps, tuples, records, options and tagged unions."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Option,
    OutOfBounds,
    Tuple,
    nodes as n,
    of,
    record,
    replace,
    undefined,
)
from tests.corpus.subject import COLOUR, HOPS, MESSAGE, NODE, PAIR, Row, fails, node_of

STRUCTURES = [
    Row("map at a constant", lambda s: s.count["n1"], 4),
    Row("map at a variable", lambda s: s.count[s.node], 0),
    Row("map whose keys start above 0", lambda s: s.hops[s.i + 1], "blue"),
    Row("map at a constant key above 0", lambda s: s.hops[4], "red"),
    Row("map below its domain", lambda s: s.hops[s.i - 1], OutOfBounds),
    Row("map above its domain", lambda s: s.hops[s.i + 3], OutOfBounds),
    Row("map of maps at two keys", lambda s: s.votes[s.yes]["n3"], True),
    Row("map at an expression", lambda s: s.votes[s.i == 2][s.leader.value], False),
    Row("map, key out of bounds", lambda s: s.count[undefined(NODE, "no key")], OutOfBounds),
    Row(
        "map with a wider key, unconverted", lambda s: node_of(n.Apply, COLOUR, s.hops.node, s.i.node), "red"
    ),
    Row(
        "map with a wider key, outside",
        lambda s: node_of(n.Apply, COLOUR, s.hops.node, s.j.node),
        OutOfBounds,
    ),
    Row("map update at a constant", lambda s: s.count.set("n3", 5), (4, 0, 5)),
    Row("map update at a variable", lambda s: s.count.set(s.node, s.i), (4, 2, 2)),
    Row("map update above 0", lambda s: s.hops.set(s.i, "green"), ("green", "blue", "red")),
    Row("map update outside its domain", lambda s: s.hops.set(s.i + 3, "green"), OutOfBounds),
    Row("map update with a value out of range", lambda s: s.count.set("n1", s.i + 4), OutOfBounds),
    Row("map update twice", lambda s: s.count.set("n1", 1).set(s.node, 3), (1, 3, 2)),
    Row("map update twice at one key", lambda s: s.count.set(s.node, 1).set(s.node, 3), (4, 3, 2)),
    Row("map read after update", lambda s: s.count.set(s.node, 5)["n2"], 5),
    Row(
        "map update with itself",
        lambda s: s.votes.set(True, s.votes[True].set("n1", s.yes)),
        ((True, False, False), (True, False, True)),
    ),
    Row("map literal", lambda s: of(HOPS, {2: s.colour, 3: "red", 4: "blue"}), ("green", "red", "blue")),
    Row("tuple", lambda s: (s.i, s.yes), (2, True)),
    Row("empty tuple", lambda s: (), ()),
    Row("tuple with a part out of bounds", lambda s: (s.i, s.none.value), OutOfBounds),
    Row("tuple component", lambda s: s.two[0], 1),
    Row("component of a written tuple errs as a whole", lambda s: as_tuple(s)[0], OutOfBounds),
    Row("record", lambda s: of(PAIR, x=s.i, y=s.node), (2, "n2")),
    Row("record field", lambda s: s.pair.y, "n3"),
    Row("record field of a field", lambda s: s.deep.pair.x, 1),
    Row("record field at a key", lambda s: s.deep.flags["n2"], False),
    Row("record with a field out of range", lambda s: of(PAIR, x=s.i + 2, y="n1"), OutOfBounds),
    Row("record update", lambda s: replace(s.pair, x=0), (0, "n3")),
    Row("record update of all fields", lambda s: replace(s.pair, x=s.i + 1, y=s.node), (3, "n2")),
    Row(
        "record update inside",
        lambda s: replace(s.deep, pair=replace(s.deep.pair, y="n2")),
        ((1, "n2"), (True, False, True)),
    ),
    Row("record update out of range", lambda s: replace(s.pair, x=s.pair.x + 2), OutOfBounds),
    Row(
        "record update of one field",
        lambda s: replace(of(record("One", a=Bool()), a=s.yes), a=s.no),
        (False,),
    ),
    Row("is some", lambda s: s.some.is_some, True),
    Row("is none", lambda s: s.leader.is_none, False),
    Row("is some of a constant", lambda s: of(Option(Int(0, 3)), 0).is_some, True),
    Row("is some of a lifted value", lambda s: of(Option(Int(0, 5)), s.i).is_some, True),
    Row("value of an option", lambda s: s.some.value, 3),
    Row("value of None", lambda s: s.none.value, OutOfBounds),
    Row("value or else, some", lambda s: s.some.or_else(fails(Int(0, 3))), 3),
    Row("value or else, none", lambda s: s.none.or_else(s.i), 2),
    Row("variant", lambda s: of(MESSAGE, "ping", round=s.i, to=s.node), ("ping", (2, "n2"))),
    Row("variant without fields", lambda s: of(MESSAGE, "stop"), ("stop", ())),
    Row(
        "variant with a field out of range",
        lambda s: of(MESSAGE, "ping", round=s.i + 1, to=s.node),
        OutOfBounds,
    ),
    Row("is a", lambda s: s.ping.is_a("ping"), True),
    Row("is not a", lambda s: s.stop.is_a("ping"), False),
    Row("payload", lambda s: s.ping.as_a("ping").to, "n2"),
    Row("empty payload", lambda s: s.stop.as_a("stop"), ()),
    Row("payload of another variant", lambda s: s.stop.as_a("ping").to, OutOfBounds),
    Row(
        "payload guarded by its tag", lambda s: s.stop.is_a("ping") & (s.stop.as_a("ping").round == 1), False
    ),
]


def as_tuple(now: Any) -> Any:
    """A tuple as an expression, with a component out of bounds."""
    return of(Tuple((Int(0, 5), Int(0, 3))), now.i, now.none.value)

"""Expressions as TLA+ text: brackets where TLA+ wants them, the module's names, EXCEPT along paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leadline.symbolic.lang import (
    Bool,
    Int,
    InternalError,
    Map,
    Option,
    Seq,
    Set,
    Tuple,
    all_of,
    any_of,
    choose,
    enum,
    exists,
    forall,
    implies,
    int_range,
    ite,
    map_of,
    nodes as n,
    of,
    record,
    replace,
    set_of,
    sort,
    undefined,
    union,
)
from leadline.symbolic.lang.coercion import as_node, invalid
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.lang.types import Type
from leadline.symbolic.notation.expressions import Printer, to_tla
from tests.lang.sample import in_action, model
from tests.strategies import expressions, types


def variable(name: str, kind: Type) -> Any:
    return wrap(n.make(n.StateVar, kind, NOWHERE, name))


NODE = sort("Node", 2)
MODE = enum("Mode", "idle", "busy")
INFO = record("Info", seen_at=Int(0, 3), buddy=Option(NODE))
MESSAGE = union("Message", ping={"to_node": NODE, "round": Int(0, 3)}, stop={})
P, Q, R = (variable(name, Bool()) for name in "pqr")
X, Y, Z = (variable(name, Int(0, 3)) for name in "xyz")
MY_NODE = variable("my_node", NODE)
NODES, OTHERS, MORE = (variable(name, Set(NODE)) for name in ("nodes", "others", "more"))
INFOS = variable("infos", Map(NODE, INFO))
MSG = variable("msg", MESSAGE)
MSGS = variable("msgs", Set(MESSAGE))
LOG = variable("log", Seq(NODE, 3))
PAIR = variable("pair", Tuple((Bool(), Int(0, 3))))
LEADER = variable("leader", Option(NODE))
TABLE = variable("table", Map(NODE, Map(NODE, Int(0, 3))))
ONE = variable("one", INFO)

TABLE_OF_TEXTS = [
    # leaves
    (of(Int(-3, 3), -2), "-2"),
    (of(MODE, "idle"), '"idle"'),
    (of(NODE, "n1"), "n1"),
    (of(Option(NODE), None), "None"),
    (MY_NODE, "myNode"),
    (wrap(n.make(n.PickVar, NODE, NOWHERE, "new_leader")), "newLeader"),
    (wrap(as_node(NODE)), "Node"),
    (wrap(as_node(Set(NODE))), "SUBSET Node"),
    (undefined(Int(0, 1), 'no "x"'), 'Assert(FALSE, "no \\"x\\"")'),
    (of(Int(0, 3), X + 1), "x + 1"),
    # Booleans
    (P & Q & R, "p /\\ q /\\ r"),
    (P & (Q | R), "p /\\ (q \\/ r)"),
    ((P & Q) | R, "(p /\\ q) \\/ r"),
    (~P, "~p"),
    (~(P & Q), "~(p /\\ q)"),
    (~(X < Y), "~(x < y)"),
    (P & ~Q, "p /\\ ~q"),
    (implies(implies(P, Q), R), "(p => q) => r"),
    (implies(P & Q, R), "p /\\ q => r"),
    (implies(P, implies(Q, R)), "p => (q => r)"),
    (MY_NODE == "n1", "myNode = n1"),
    (MY_NODE != "n1", "myNode # n1"),
    ((X == Y) == P, "(x = y) = p"),
    (ite(P, X, Y), "IF p THEN x ELSE y"),
    (ite(P, X, Y) + 1, "(IF p THEN x ELSE y) + 1"),
    (ite(P, ite(Q, X, Y), ite(R, X, Y)), "IF p THEN (IF q THEN x ELSE y) ELSE IF r THEN x ELSE y"),
    # integers
    (X + Y + Z, "x + y + z"),
    (X + (Y + Z), "x + (y + z)"),
    (X - Y - Z, "x - y - z"),
    (X - (Y - Z), "x - (y - z)"),
    (X - (Y + Z), "x - (y + z)"),
    ((X + Y) * Z, "(x + y) * z"),
    (X + Y * Z, "x + y * z"),
    (X * -1, "x * (-1)"),
    (X - -1, "x - -1"),
    (-X, "0 - x"),
    ((X + 1) // (Y + 1), "(x + 1) \\div (y + 1)"),
    (X % 2 + 1, "(x % 2) + 1"),
    (X + 1 < Y, "x + 1 < y"),
    (X >= Y, "y <= x"),
    # binders
    (forall(NODE, lambda a: NODES.has(a)), "\\A a \\in Node : a \\in nodes"),
    (forall(NODE, lambda a: a == MY_NODE) & P, "(\\A a \\in Node : a = myNode) /\\ p"),
    (P & exists(NODES, lambda a: P), "p /\\ (\\E a \\in nodes : p)"),
    (choose(NODES, lambda a: a != MY_NODE), "CHOOSE a \\in nodes : a # myNode"),
    (NODES.filter(lambda a: a == MY_NODE), "{a \\in nodes : a = myNode}"),
    (NODES.map(lambda a: INFOS[a].seen_at), "{infos[a].seenAt : a \\in nodes}"),
    (NODES.map(lambda a: INFOS[a].seen_at == 0), "{(infos[a].seenAt = 0) : a \\in nodes}"),
    (map_of(NODE, lambda key: X + 1), "[key \\in Node |-> x + 1]"),
    (LOG.filter(lambda e: e == MY_NODE), "SelectSeq(log, LAMBDA e : e = myNode)"),
    (exists(NODES | OTHERS, lambda a: P), "\\E a \\in nodes \\cup others : p"),
    # bound names: apart from those around them, and from everything else
    (forall(NODE, lambda a: exists(NODE, lambda b: a == b)), "\\A a \\in Node : \\E b \\in Node : a = b"),
    (exists(NODE, lambda x: P) & (X == 1), "(\\E x2 \\in Node : p) /\\ x = 1"),
    (
        exists(NODE, lambda a: P) & exists(NODE, lambda a: Q),
        "(\\E a \\in Node : p) /\\ (\\E a \\in Node : q)",
    ),
    (exists(NODE, lambda n1: n1 == MY_NODE), "\\E n12 \\in Node : n12 = myNode"),
    # sets
    (set_of(X, Y), "{x, y}"),
    (int_range(X + 1, Y), "(x + 1)..y"),
    (NODES | OTHERS | MORE, "nodes \\cup others \\cup more"),
    (NODES | (OTHERS & MORE), "nodes \\cup (others \\cap more)"),
    (NODES - (OTHERS - MORE), "nodes \\ (others \\ more)"),
    (variable("sets", Set(Set(NODE))).flatten(), "UNION sets"),
    (NODES.has("n1"), "n1 \\in nodes"),
    (~NODES.has("n1"), "n1 \\notin nodes"),
    (NODES <= OTHERS, "nodes \\subseteq others"),
    ((NODES | OTHERS).size, "Cardinality(nodes \\cup others)"),
    (set_of(X, Y).least, "Min({x, y})"),
    (set_of(X, Y).greatest, "Max({x, y})"),
    (NODES.is_empty, "nodes = {}"),
    # maps, tuples, records
    (INFOS[MY_NODE].buddy, "infos[myNode].buddy"),
    (PAIR[1] + 1, "pair[2] + 1"),
    (of(Tuple((Bool(), Int(0, 3))), P, X), "<<p, x>>"),
    (of(INFO, seen_at=X, buddy=None), "[seenAt |-> x, buddy |-> None]"),
    (ite(P, ONE, INFOS["n1"]).seen_at, "(IF p THEN one ELSE infos[n1]).seenAt"),
    (ite(P, ONE, ONE).seen_at, "one.seenAt"),
    # options
    (LEADER.is_some, "leader # None"),
    (LEADER.is_none, "leader = None"),
    (LEADER.value, "leader"),
    # unions
    (of(MESSAGE, "ping", to_node=MY_NODE, round=1), '[type |-> "ping", toNode |-> myNode, round |-> 1]'),
    (of(MESSAGE, "stop"), '[type |-> "stop"]'),
    (MSG.is_a("ping"), 'msg.type = "ping"'),
    (MSG.as_a("ping").to_node, "msg.toNode"),
    (MSG.as_a("ping"), "[toNode |-> msg.toNode, round |-> msg.round]"),
    (MSG.as_a("stop"), "<<>>"),
    (
        exists(MSGS, lambda m: m.is_a("ping") & (m.as_a("ping").round == X)),
        '\\E m \\in msgs : m.type = "ping" /\\ m.round = x',
    ),
    # sequences
    (of(Seq(NODE, 2), MY_NODE, "n1"), "<<myNode, n1>>"),
    (LOG.append(MY_NODE), "Append(log, myNode)"),
    (LOG.append("n1"), "Append(log, n1)"),
    (LOG.concat(LOG), "log \\o log"),
    (LOG.length - 1, "Len(log) - 1"),
    (LOG[X + 1], "log[x + 1]"),
    (LOG.concat(LOG)[1], "(log \\o log)[1]"),
    (LOG.slice(2, X), "SubSeq(log, 2, x)"),
    # EXCEPT
    (INFOS.set(MY_NODE, ONE), "[infos EXCEPT ![myNode] = one]"),
    (replace(ONE, seen_at=X), "[one EXCEPT !.seenAt = x]"),
    (replace(ONE, seen_at=X, buddy=None), "[one EXCEPT !.seenAt = x, !.buddy = None]"),
    (INFOS.set(MY_NODE, replace(INFOS[MY_NODE], seen_at=X)), "[infos EXCEPT ![myNode].seenAt = x]"),
    (
        INFOS.set(MY_NODE, replace(INFOS[MY_NODE], seen_at=X, buddy=None)),
        "[infos EXCEPT ![myNode].seenAt = x, ![myNode].buddy = None]",
    ),
    (
        INFOS.set(MY_NODE, replace(INFOS["n1"], seen_at=X)),
        "[infos EXCEPT ![myNode] = [infos[n1] EXCEPT !.seenAt = x]]",
    ),
    (TABLE.set("n1", TABLE["n1"].set("n2", X)), "[table EXCEPT ![n1][n2] = x]"),
    (INFOS.set("n1", ONE).set("n2", ONE), "[infos EXCEPT ![n1] = one, ![n2] = one]"),
    (LOG.set(X, MY_NODE), "[log EXCEPT ![x] = myNode]"),
    (
        ite(P, INFOS, INFOS.set("n2", ONE)).set("n1", ONE),
        "[(IF p THEN infos ELSE [infos EXCEPT ![n2] = one]) EXCEPT ![n1] = one]",
    ),
]


@pytest.mark.parametrize(("expression", "text"), TABLE_OF_TEXTS, ids=[text for _, text in TABLE_OF_TEXTS])
def test_text(expression: Any, text: str) -> None:
    assert to_tla(expression.node) == text


def test_an_item_that_is_appended_is_written_where_its_sequence_has_a_name() -> None:
    printer = Printer({})
    appended = LOG.append("n1").node
    assert isinstance(appended, n.Concat)
    printer.parts[appended.right] = "part"
    assert printer.text(appended) == "Append(log, n1)"


def test_the_table_shows_every_kind_that_can_be_printed() -> None:
    shown = {type(node) for expression, _ in TABLE_OF_TEXTS for node in n.postorder(expression.node)}
    assert set(n.KINDS) - shown == {n.Invalid}


def test_updates_of_actions_merge_their_paths() -> None:
    body = """
    nxt.info[now.leader].seen = 1
    nxt.info[now.leader].buddy = now.leader
    nxt.pair[1] = 2
    """
    updates = {name: to_tla(node) for name, node in model(in_action(body)).actions[0].updates}
    assert updates == {
        "info": "[info EXCEPT ![leader].seen = 1, ![leader].buddy = leader]",
        "pair": "[pair EXCEPT ![2] = 2]",
    }


def test_variables_are_named_as_told() -> None:
    shown = all_of(MY_NODE == "n1", exists(NODE, lambda quorum: quorum == MY_NODE)).node
    text = "quorum = n1 /\\ (\\E quorum2 \\in Node : quorum2 = quorum)"
    assert to_tla(shown, {"my_node": "quorum"}) == text


def test_a_mistake_is_not_printed() -> None:
    with pytest.raises(InternalError, match="some mistake"):
        to_tla(invalid("some mistake"))


def test_deep_expressions_overflow_nothing() -> None:
    deep = X
    for _ in range(3000):
        deep = ite(P, deep, 0)
    assert to_tla(deep.node).count("IF") == 3000


def test_a_printer_that_lacks_a_kind_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    # A class registers itself as it is defined: here, in a list that ends with the test.
    monkeypatch.setattr(n, "KINDS", [])

    class Extra(n.Node):
        """A kind that nobody prints."""

    monkeypatch.setattr(n, "KINDS", (*n.KINDS, Extra))
    with pytest.raises(TypeError, match="Printer does not print Extra"):
        Printer._check_total()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_every_random_expression_prints_with_matching_brackets(data: st.DataObject) -> None:
    variables = {"p": P, "x": X, "infos": INFOS, "log": LOG}
    text = to_tla(data.draw(expressions(variables, data.draw(types(depth=2)))).node)
    for left, right in ("()", "[]", "{}"):
        assert text.count(left) == text.count(right)
    assert text.count("<<") == text.count(">>")


def test_any_of_prints_as_a_disjunction() -> None:
    assert to_tla(any_of(P, Q, R).node) == "p \\/ q \\/ r"

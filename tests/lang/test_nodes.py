"""Nodes are interned, know the line that made them, and binders never capture."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    ModelError,
    Option,
    Set,
    all_of,
    any_of,
    case,
    exists,
    forall,
    implies,
    ite,
    map_of,
    nodes as n,
    of,
    record,
    set_of,
    sort,
    union,
)
from leadline.symbolic.lang.coercion import as_node
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.nodes import (
    binder_height,
    free_variables,
    rebuilt,
    replaced,
    replacement,
)
from leadline.symbolic.lang.span import NOWHERE, Span
from leadline.symbolic.lang.types import Type
from tests.lang.sample import INIT, in_action, model

NODE = sort("Node", 2)
INFO = record("Info", seen=Int(0, 3), of=NODE)
MESSAGE = union("Message", ping={"kind": Bool()}, stop={})


def variable(name: str, kind: Type) -> Any:
    return wrap(n.make(n.StateVar, kind, NOWHERE, name))


def test_a_kind_without_fields_of_its_own_is_no_dataclass_of_its_own() -> None:
    """To make one takes half a millisecond, in every process that reads a model."""
    own = {kind for kind in n.KINDS if "__init__" in vars(kind)}
    assert n.Const in own and not {n.And, n.Or, n.Not, n.Eq, n.Add} & own
    one = n.make(n.Not, Bool(), NOWHERE, variable("x", Bool()).node)
    with pytest.raises(AttributeError, match="cannot assign to field 'item'"):
        setattr(one, "item", one)  # noqa: B010  # frozen, to mypy


P, Q = variable("p", Bool()), variable("q", Bool())
X = variable("x", Int(0, 3))
TRUE, FALSE = as_node(True), as_node(False)


def test_equal_expressions_are_one_node_wherever_they_are_written() -> None:
    first = (X + 1 == 2) & P
    second = (X + 1 == 2) & P
    assert first.node is second.node
    assert first.node.span.file == __file__


def test_a_span_takes_no_part_in_equality() -> None:
    here = n.make(n.StateVar, Bool(), Span("a.py", 1), "spanned")
    there = n.make(n.StateVar, Bool(), Span("b.py", 2), "spanned")
    assert here is there
    assert there.span == Span("a.py", 1)


def test_type_and_kind_take_part_in_equality() -> None:
    assert variable("y", Int(0, 1)).node is not variable("y", Int(0, 2)).node
    assert as_node(True) is not as_node(1)
    leaves: list[n.Node] = [n.make(kind, Bool(), NOWHERE, "y") for kind in (n.StateVar, n.PickVar)]
    assert leaves[0] is not leaves[1]


def test_nodes_that_nobody_holds_are_let_go() -> None:
    once = variable("held by nobody", Int(0, 3))
    kept = [(once + number).node for number in range(50)]
    held = [weakref.ref(node) for node in kept]
    assert (once + 7).node is kept[7]
    del kept
    gc.collect()
    assert [ref() for ref in held] == [None] * 50


def test_a_pickled_node_comes_back_as_the_interned_one() -> None:
    node = forall(NODE, lambda a: P | (a == "n1")).node
    assert pickle.loads(pickle.dumps(node)) is node


def test_deep_expressions_overflow_nothing() -> None:
    deep = X
    for _ in range(5000):
        deep = ite(P, deep, 0)
    assert len(n.postorder(deep.node)) > 5000
    assert "..." in repr(deep.node)


def test_binders_written_at_different_times_are_one_node() -> None:
    assert (
        forall(NODE, lambda a: exists(NODE, lambda b: a == b)).node
        is forall(NODE, lambda a: exists(NODE, lambda b: a == b)).node
    )
    assert map_of(NODE, lambda k: k == "n1").node is map_of(NODE, lambda k: k == "n1").node


def test_inner_binders_have_lower_levels_and_capture_nothing() -> None:
    # The name is the same on purpose: only the level tells the two apart.
    outer = forall(NODE, lambda a: exists(NODE, lambda c: a == c) & exists(NODE, lambda a2: a2 != a)).node
    same = forall(NODE, lambda x: _inner(x)).node
    for node in (outer, same):
        assert isinstance(node, n.Forall)
        assert node.var.level > binder_height(node.body) > 0
        assert free_variables(node.body) == {node.var}
        assert not free_variables(node)


def test_what_replaces_a_leaf_keeps_its_binders_and_those_around_it_are_above() -> None:
    # Both binders have one name, type and level before.
    kind = Map(NODE, Bool())
    leaf = n.make(n.StateVar, kind, NOWHERE, "x")
    value = map_of(NODE, lambda a: a == "n1").node
    node = replaced(forall(NODE, lambda a: wrap(leaf)[a]).node, {leaf: value})
    assert isinstance(node, n.Forall) and isinstance(node.body, n.Apply)
    assert node.body.map is value and node.body.key is node.var
    assert node.var.level > binder_height(node.body)


def test_a_binder_that_gets_a_new_level_takes_no_variable_of_the_binders_around_it() -> None:
    # With a quantifier in place of P the inner variable is lifted to the level that the outer one has before.
    nested = exists(NODE, lambda x: exists(NODE, lambda y: P & (y == x))).node
    alike = exists(NODE, lambda x: _inner_where_p(x)).node
    value = exists(NODE, lambda z: z == "n1").node
    for node in (replaced(nested, {P.node: value}), replaced(alike, {P.node: value})):
        assert isinstance(node, n.Exists) and isinstance(node.body, n.Exists)
        assert free_variables(node.body) == {node.var}
        assert not free_variables(node)
        assert node.var.level > node.body.var.level > 1


def _inner_where_p(outer: Any) -> Any:
    return exists(NODE, lambda x: P & (x == outer))


def test_a_part_that_expressions_share_is_replaced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (n.make(n.StateVar, Int(0, 9), NOWHERE, name) for name in "xy")
    shared = n.make(n.Add, Int(0, 18), NOWHERE, x, x)
    several = [
        n.make(n.Add, Int(0, 27), NOWHERE, shared, n.make(n.Const, Int(0, 9), NOWHERE, k)) for k in range(3)
    ]
    made = list[n.Node]()

    def counted(node: n.Node, change: Callable[[n.Node], n.Node]) -> n.Node:
        made.append(node)
        return rebuilt(node, change)

    monkeypatch.setattr(n, "rebuilt", counted)
    assert list(map(replacement({x: y}), several)) == [replaced(one, {x: y}) for one in several]
    # The shared part is made once for all, and then once for each.
    assert made.count(shared) == 1 + 3


def _inner(outer: Any) -> Any:
    return exists(NODE, lambda x: x == outer)


def test_several_arguments_nest() -> None:
    both = forall(NODE, lambda a, b: a == b).node
    assert both is forall(NODE, lambda a: forall(NODE, lambda b: a == b)).node


def test_an_argument_with_a_default_is_not_bound() -> None:
    kept = [exists(NODE, lambda a, fixed=fixed: a == fixed).node for fixed in ("n1", "n2")]
    assert [type(node.body) for node in kept] == [n.Eq, n.Eq]  # type: ignore[attr-defined]  # both are Exists
    assert kept[0] is not kept[1]


FOLDED = [
    ("and drops true", lambda: all_of(True, P, True, Q), lambda: P & Q),
    ("and stops at false", lambda: all_of(P, False, Q), lambda: all_of(P, False)),
    ("false first", lambda: all_of(False, P), lambda: wrap(FALSE)),
    ("or drops false", lambda: any_of(False, P), lambda: P),
    ("or stops at true", lambda: any_of(True, P), lambda: wrap(TRUE)),
    ("empty and", lambda: all_of(), lambda: wrap(TRUE)),
    ("empty or", lambda: any_of(), lambda: wrap(FALSE)),
    ("nested and", lambda: (P & Q) & P, lambda: all_of(P, Q, P)),
    ("not not", lambda: ~~P, lambda: P),
    ("not true", lambda: ~wrap(TRUE), lambda: wrap(FALSE)),
    ("true implies", lambda: implies(True, P), lambda: P),
    ("false implies", lambda: implies(False, P), lambda: wrap(TRUE)),
    ("ite of a constant", lambda: ite(True, X, 7), lambda: wrap(as_node(X, Int(0, 7)))),
    ("case", lambda: case((False, 1), (P, 2), otherwise=3), lambda: wrap(as_node(ite(P, 2, 3), Int(1, 3)))),
    ("constant set", lambda: set_of(2, 1), lambda: of(Set(Int(1, 2)), 1, 2)),
    ("empty set", lambda: variable("s", Set(NODE)) == set(), lambda: variable("s", Set(NODE)).is_empty),
]


@pytest.mark.parametrize(("made", "same"), [row[1:] for row in FOLDED], ids=[row[0] for row in FOLDED])
def test_constants_fold(made: Any, same: Any) -> None:
    assert made().node is same().node


def test_what_may_go_out_of_bounds_is_not_folded_away() -> None:
    out = variable("o", Option(Bool())).value
    for made in (all_of(out, False), any_of(out, True), implies(out, True), ite(out, X, X)):
        assert out.node in n.postorder(made.node)


def test_names_of_fields_that_are_also_names_of_arguments() -> None:
    assert of(INFO, seen=1, of="n1").of.node.type == NODE
    made = of(MESSAGE, "ping", kind=True).node
    assert isinstance(made, n.Const) and made.value == ("ping", (True,))


def test_otherwise_may_be_none() -> None:
    made = case((P, variable("l", Option(NODE))), otherwise=None).node
    assert isinstance(made, n.Ite)
    assert made.orelse is of(Option(NODE), None).node


def test_kinds_are_all_the_classes_of_nodes() -> None:
    abstract = (n.Node, n.Binder, n.Given, n.Unary, n.Binary, n.Several)
    classes = {
        x for x in vars(n).values() if isinstance(x, type) and issubclass(x, n.Node) and x not in abstract
    }
    assert set(n.KINDS) == classes
    assert len(n.KINDS) == len(classes)


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    body = "nxt.require(set_of(*[of(self.Mode, m) for m in {'idle', 'busy'}]).has(now.mode))"
    script = f"from tests.lang.sample import in_action, model\nprint(model(in_action({body!r})).fingerprint)"
    root = Path(__file__).parents[2]
    told = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", script]
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}:{root / 'src'}"}
        told.add(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip())
    assert told == {model(in_action(body)).fingerprint}


def test_the_fingerprint_ignores_names_of_records_but_not_meaning() -> None:
    plain = in_action("nxt.require(now.count == 1)")
    same = [
        plain,
        plain.replace('record("Info"', 'record("Knowledge"'),
        plain.replace("@action", "@action\n"),
    ]
    other = [
        plain.replace("== 1", "== 2"),
        plain.replace("seen=Int(0, 3)", "seen=Int(0, 4)"),
        plain.replace('"idle", "busy"', '"idle", "bored"'),
        plain.replace("Seq(self.Node, 2)", "Seq(self.Node, 3)"),
        plain.replace("nxt.require(", "nxt.pick('x', self.Node)\n        nxt.require("),
        plain.replace("nxt.require(", "nxt.pick('x', self.Mode)\n        nxt.require("),
        plain.replace(INIT, INIT.replace("start.count = 0", "start.count = 1")),
    ]
    assert len({model(source).fingerprint for source in same}) == 1
    assert len({model(source).fingerprint for source in (plain, *other)}) == 1 + len(other)


def test_an_expression_has_no_hash_and_is_not_iterated() -> None:
    with pytest.raises(ModelError, match="cannot be a key or a member of a Python set"):
        hash(P)
    with pytest.raises(ModelError, match="cannot be iterated over"):
        list(variable("s", Set(NODE)))

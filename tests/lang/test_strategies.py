"""The random expressions and protocols reach the whole language, without a mistake in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from leadline.symbolic.lang import Int, Map, Model, Option, Pick, Seq, Set, Type, nodes as n, record, sort
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from tests.random_expressions import literal
from tests.strategies import expressions, models, types, values

NODE = sort("Node", 2)
KINDS: dict[str, Type] = {
    "i": Int(0, 3),
    "node": NODE,
    "nodes": Set(NODE),
    "leader": Option(NODE),
    "info": Map(NODE, record("Info", seen=Int(0, 2), buddy=Option(NODE))),
    "log": Seq(Int(0, 2), 2),
}
VARIABLES: dict[str, Any] = {
    name: wrap(n.make(n.StateVar, kind, NOWHERE, name)) for name, kind in KINDS.items()
}
RARE = settings(
    max_examples=400, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.slow
def test_every_kind_of_node_occurs() -> None:
    seen: set[type[n.Node]] = set()

    @RARE
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        kind = data.draw(types(depth=2))
        node = data.draw(expressions(VARIABLES, kind)).node
        assert node.type == kind
        seen.update(type(x) for x in n.postorder(node))

    collect()
    assert set(n.KINDS) - seen == {n.Invalid, n.PickVar}


@given(st.data())
@settings(deadline=None)
def test_a_literal_is_the_constant_of_its_value(data: st.DataObject) -> None:
    kind = data.draw(types())
    value = data.draw(values(kind))
    node = literal(kind, value).node
    assert isinstance(node, n.Const)
    assert (node.type, node.value) == (kind, value)


@pytest.mark.slow
def test_random_protocols_use_all_of_actions() -> None:
    drawn: list[Model] = []

    @settings(RARE, max_examples=150)
    @given(models())
    def collect(model: Model) -> None:
        drawn.append(model)

    collect()
    actions = [action for model in drawn for action in model.actions]
    bodies = [item for action in actions for item in action.body]
    updated = [node for action in actions for _, node in action.updates]
    assert {len(model.variables) for model in drawn} == {2, 3, 4, 5}
    assert {len(model.actions) for model in drawn} == {2, 3, 4, 5}
    assert {len(model.properties) for model in drawn} == {1, 2}
    assert {len(action.picks) for action in actions} == {0, 1, 2}
    assert any(isinstance(item, Pick) and item.domain is not None for item in bodies)
    assert any(isinstance(item, Pick) and item.domain is None for item in bodies)
    assert any(isinstance(item, n.Node) for item in bodies)
    assert any(model.init.picks for model in drawn)
    assert {n.Ite, n.MapUpdate, n.ComponentUpdate, n.SeqUpdate} <= {type(node) for node in updated}
    assert any(isinstance(x, n.PickVar) for x in n.postorder(*updated))

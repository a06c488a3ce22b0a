"""The concrete meaning gives every expression of the corpus its value."""

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import OutOfBounds
from leadline.symbolic.lang.nodes import KINDS, Invalid, Node, PickVar, postorder
from tests.corpus import MODEL, ROWS, STATE, VARIABLES, Row

SEMANTICS = Semantics(MODEL)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_value(row: Row) -> None:
    assert not isinstance(row.node, Invalid), row.node
    if row.expected is OutOfBounds:
        with pytest.raises(OutOfBounds, match=r"\(.*:\d+\)$"):
            SEMANTICS.evaluate(row.node, STATE)
    else:
        value = SEMANTICS.evaluate(row.node, STATE)
        assert value == row.expected
        assert row.node.type.contains(value)


def test_names_are_distinct() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


def test_every_kind_is_covered() -> None:
    covered: set[type[Node]] = {type(node) for row in ROWS for node in postorder(row.node)}
    # A pick has a value only in an action, and a mistake never gets into a model.
    assert set(KINDS) - covered == {PickVar, Invalid}


def test_the_state_is_of_its_types() -> None:
    assert all(kind.contains(value) for kind, value in VARIABLES.values())
    assert [outcome.state for outcome in SEMANTICS.initial()] == [STATE]

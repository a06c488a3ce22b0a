"""Expressions as Python code: the translator for every kind of node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from leadline.symbolic.concrete.collections import Collections
from leadline.symbolic.concrete.module import Module
from leadline.symbolic.concrete.translator import Code
from leadline.symbolic.lang.nodes import Invalid, Node, PickVar, postorder


class Expressions(Collections):
    """Every kind of node but the mistakes, which never get into a model."""

    unsupported = frozenset({Invalid})

    def apart(self, root: Node) -> Expressions:
        return Expressions(self.module, self.variables, (root,))


def function_of(
    root: Node, variables: Mapping[str, int], picks: Iterable[str] = ()
) -> Callable[[Any, Mapping[str, Any]], Any]:
    """The function `(state, picks) -> value` of an expression; it raises OutOfBounds.

    Args:
        root: the expression, over state variables and picks.
        variables: the position of each state variable in a state.
        picks: the names of the picks that have a value.
    """
    module = Module()
    writer = Expressions(module, variables, (root,))
    known = set(picks)
    for node in postorder(root):
        if isinstance(node, PickVar) and node.name in known:
            name = writer.store(f"picks[{module.constant(node.name)}]")
            writer.know(node, Code(name, 0))
    result = writer.translate(root)
    writer.write(f"return {result.text}")
    module.define("value", "state, picks", writer.lines)
    function: Callable[[Any, Mapping[str, Any]], Any] = module.load()["value"]
    return function

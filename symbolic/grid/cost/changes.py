"""How many literals an expression may make differ from what they were: an update costs what it changes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from leadline.symbolic.grid.cost.nodes import Nodes, child, parts_of, types_of
from leadline.symbolic.grid.cost.typesizes import Size, TypeSizes
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.types import Bool, Int, Named, Type

READ = (n.StateVar, n.Component, n.Apply)
"""What is as it was."""


class Changes:
    """Works out, for parts of expressions, how many literals change and how many values there may be.

    Args:
        types: the sizes of types.
        possible: what a pick can be, where that is less than its type.
    """

    def __init__(self, types: TypeSizes, possible: Mapping[n.Node, Type]) -> None:
        self._types = types
        self._possible = possible
        self._known: dict[Nodes, Size] = {}

    def literals(self, nodes: Nodes) -> Size:
        """How many literals differ from those of what is updated."""
        if nodes not in self._known:
            self._known[nodes] = self._count(nodes)
        return self._known[nodes]

    def _count(self, nodes: Nodes) -> Size:
        match nodes[0]:
            case n.StateVar() | n.Component() | n.Apply():
                return 0
            case n.MapUpdate():
                keys = self._types.count(types_of(child(nodes, "key")))
                return self.literals(child(nodes, "map")) + keys * self._new(child(nodes, "value"))
            case n.ComponentUpdate():
                return self.literals(child(nodes, "item")) + self._new(child(nodes, "value"))
            case n.Ite():
                return self.literals(child(nodes, "then")) + self.literals(child(nodes, "orelse"))
            case n.SetUnion() | n.SetMinus():
                return self.literals(child(nodes, "left")) + self.members(child(nodes, "right"))
        return self._types.literals(types_of(nodes))

    def _new(self, nodes: Nodes) -> Size:
        """The literals of a new value, which may come from elsewhere in the state."""
        return self._types.literals(types_of(nodes)) if isinstance(nodes[0], READ) else self.literals(nodes)

    def members(self, nodes: Nodes) -> Size:
        """How many members a set may have."""
        if isinstance(nodes[0], n.SetOf):
            return sum(self.values(part) for part in parts_of(nodes))
        return self._types.count(tuple(node.type.parts[0] for node in nodes))

    def values(self, nodes: Nodes) -> Size:
        """How many values there may be."""
        match nodes[0]:
            case n.PickVar():
                return self._types.count(tuple(self._possible.get(node, node.type) for node in nodes))
            case n.MakeVariant():
                return self.values(child(nodes, "payload"))
            case n.Ite():
                return self.values(child(nodes, "then")) + self.values(child(nodes, "orelse"))
            case n.MakeRecord() | n.MakeTuple():
                return math.prod(self.values(part) for part in parts_of(nodes))
            case n.Const():
                return 1
        return self._types.count(types_of(nodes))


def is_plain(kind: Type) -> bool:
    """Whether a value is no more than one choice, which nobody updates in part."""
    return isinstance(kind, (Bool, Int, Named))

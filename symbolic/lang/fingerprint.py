"""A model's canonical text and its hash: equal wherever the same model is built."""

from __future__ import annotations

import hashlib

from leadline.symbolic.lang.nodes import Bound, Const, Node, field_names, postorder
from leadline.symbolic.lang.structures import Record, Union
from leadline.symbolic.lang.types import Int, Named, Type


class Fingerprint:
    """Gathers lines; nodes and types are written once each, and then by number.

    Nothing enters that differs between processes: neither the order of a Python set nor the name that
    equal record types happened to have when a node was first made.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._types: dict[Type, str] = {}
        self._nodes: dict[Node, str] = {}

    def say(self, *words: str) -> None:
        """Add a line."""
        self._hash.update((" ".join(words) + "\n").encode())

    def digest(self) -> str:
        """The hash of all lines, in hexadecimal."""
        return self._hash.hexdigest()

    def type(self, kind: Type) -> str:
        """The number of a type."""
        number = self._types.get(kind)
        if number is None:
            parts = [self.type(part) for part in kind.parts]
            own = _own_fields(kind)
            number = self._types[kind] = f"t{len(self._types)}"
            self.say(number, type(kind).__name__, *own, *parts)
        return number

    def node(self, root: Node) -> str:
        """The number of a node."""
        for node in postorder(root):
            if node not in self._nodes:
                words = [self._word(node, name) for name in field_names(type(node))]
                kind = self.type(node.type)
                number = self._nodes[node] = f"n{len(self._nodes)}"
                self.say(number, type(node).__name__, kind, *words)
        return self._nodes[root]

    def _word(self, node: Node, name: str) -> str:
        value = getattr(node, name)
        if isinstance(node, Const):
            return node.type.tla(value)
        if isinstance(value, Bound):
            return f"{value.name!r}@{value.level}:{self.type(value.type)}"
        if isinstance(value, Node):
            return self._nodes[value]
        if isinstance(value, tuple):
            return f"({' '.join(self._nodes[item] for item in value)})"
        return repr(value)


def _own_fields(kind: Type) -> list[str]:
    match kind:
        case Int(low=low, high=high):
            return [str(low), str(high)]
        case Named(name=name, members=members):
            return [repr(name), *map(repr, members)]
        case Record(positions=positions):
            return [repr(name) for name in positions]
        case Union(by_tag=by_tag):
            return [repr(tag) for tag in by_tag]
    capacity = getattr(kind, "capacity", None)
    return [str(capacity)] if capacity is not None else []

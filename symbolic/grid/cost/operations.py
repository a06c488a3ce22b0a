"""What the operations of expressions cost in a layer, over several models of one protocol at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leadline.symbolic.grid.cost.growth import NoFormula
from leadline.symbolic.grid.cost.typesizes import Kinds, Size, TypeSizes, aligned
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.structures import Seq
from leadline.symbolic.lang.types import Bool, Int, Named

Nodes = tuple[n.Node, ...]
"""The same part of an expression in several models."""


@dataclass(frozen=True)
class _Seen:
    """What is known of a part of an expression: whether it is fixed once bound variables are, and which."""

    fixed: bool
    free: frozenset[Nodes]


class Walk:
    """Goes through expressions that differ in numbers only, each part once.

    Args:
        types: the sizes of types.
    """

    def __init__(self, types: TypeSizes) -> None:
        self.types = types
        self._seen: dict[Nodes, _Seen] = {}

    def cost(self, roots: Sequence[Sequence[n.Node]]) -> Size:
        """What the parts cost that were not seen before; for each model its roots."""
        total: Size = 0
        stack = [(_bare(root), False) for root in aligned(roots)]
        while stack:
            nodes, ready = stack.pop()
            if nodes in self._seen:
                continue
            parts = _parts(nodes)
            if not ready:
                stack.append((nodes, True))
                stack.extend((part, False) for part in parts)
                continue
            seen = self._seen[nodes] = self._look(nodes, parts)
            if not seen.fixed:
                total += self._times(seen.free) * self._own(nodes)
        return total

    def _times(self, free: frozenset[Nodes]) -> Size:
        return math.prod(self.types.count(_types(var)) for var in free)

    def _look(self, nodes: Nodes, parts: Sequence[Nodes]) -> _Seen:
        first = nodes[0]
        if isinstance(first, n.Bound):
            return _Seen(True, frozenset((nodes,)))
        below = [self._seen[part] for part in parts]
        free = frozenset().union(*(one.free for one in below))
        if isinstance(first, n.BINDERS):
            free -= {tuple(node.var for node in nodes)}  # type: ignore[attr-defined]  # all are binders
        fixed = not isinstance(first, (n.StateVar, n.PickVar)) and all(one.fixed for one in below)
        return _Seen(fixed, free)

    def fixed(self, nodes: Nodes) -> bool:
        """Whether a part is known once the bound variables are."""
        return self._seen[nodes].fixed

    def _own(self, nodes: Nodes) -> Size:
        rule = _RULES.get(type(nodes[0]))
        return 0 if rule is None else rule(self, nodes)

    def width(self, nodes: Nodes) -> Size:
        """The literals of a value."""
        return self.types.literals(_types(nodes))

    def members(self, nodes: Nodes) -> Size:
        """The possible members of a set, or the items of a sequence."""
        if isinstance(nodes[0].type, Seq):
            return self.types.number(tuple(node.type.capacity for node in nodes))  # type: ignore[attr-defined]  # all are Seq
        return self.types.count(tuple(node.type.parts[0] for node in nodes))

    def child(self, nodes: Nodes, name: str) -> Nodes:
        """The same part of each node."""
        return _bare(tuple(getattr(node, name) for node in nodes))

    def moving(self, nodes: Nodes, name: str) -> bool:
        """Whether a part is not fixed."""
        return not self.fixed(self.child(nodes, name))


def _types(nodes: Nodes) -> Kinds:
    return tuple(node.type for node in nodes)


def _bare(nodes: Iterable[n.Node]) -> Nodes:
    """Without conversions between types: some models have one where others need none."""
    found = []
    for node in nodes:
        inner = node
        while isinstance(inner, n.Coerce):
            inner = inner.item
        found.append(inner)
    return tuple(found)


def _parts(nodes: Nodes) -> list[Nodes]:
    if len({type(node) for node in nodes}) > 1:
        raise NoFormula("the models have not the same shape")
    return [_bare(part) for part in aligned([tuple(n.children(node)) for node in nodes])]


# -- what the operations cost --------------------------------------------------------------------------------

_AND, _MUX = 4, 7  # variables and clauses of a gate of two operands, and of a multiplexer

Rule = Callable[[Walk, Nodes], Size]


def _operands(walk: Walk, nodes: Nodes) -> Size:
    moving = sum(not walk.fixed(part) for part in _parts(nodes))
    return moving + 2 if moving > 1 else 0


def _equal(walk: Walk, nodes: Nodes) -> Size:
    left = walk.child(nodes, "left")
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return 5 * walk.width(left)
    return 0 if isinstance(left[0].type, (Bool, Int, Named)) else walk.width(left) + 2


def _arithmetic(walk: Walk, nodes: Nodes) -> Size:
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return _AND * walk.width(walk.child(nodes, "left")) * walk.width(walk.child(nodes, "right"))
    return walk.width(nodes)


def _comparison(walk: Walk, nodes: Nodes) -> Size:
    left, right = walk.width(walk.child(nodes, "left")), walk.width(walk.child(nodes, "right"))
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return _AND * (left + right)
    return (left if walk.moving(nodes, "left") else right) + 2


def _each(known: int, unknown: int) -> Rule:
    """So much for each possible member of a binder's domain, which is fixed or not."""

    def rule(walk: Walk, nodes: Nodes) -> Size:
        each = unknown if walk.moving(nodes, "domain") else known
        return each * walk.members(walk.child(nodes, "domain"))

    return rule


def _set_map(walk: Walk, nodes: Nodes) -> Size:
    body = walk.child(nodes, "body")
    cases = walk.width(body) if walk.moving(nodes, "body") else 1
    return _AND * cases * walk.members(walk.child(nodes, "domain"))


def _sequence_filter(walk: Walk, nodes: Nodes) -> Size:
    places = walk.members(nodes)
    item = walk.types.count(tuple(node.type.parts[0] for node in nodes))
    width = walk.types.literals(tuple(node.type.parts[0] for node in nodes))
    return _AND * places * item + _AND * places * places * (width + 1)


def _set_of(walk: Walk, nodes: Nodes) -> Size:
    items = [part for part in _parts(nodes) if not walk.fixed(part)]
    return sum(_AND * walk.types.count(_types(item)) for item in items)


def _widths(each: int) -> Rule:
    """So much for each literal of the value."""
    return lambda walk, nodes: each * walk.width(nodes)


def _member(walk: Walk, nodes: Nodes) -> Size:
    if not walk.moving(nodes, "element"):
        return 0
    domain = walk.child(nodes, "domain")
    return _AND * walk.members(domain) if walk.moving(nodes, "domain") else walk.members(domain)


def _counted(walk: Walk, nodes: Nodes) -> Size:
    """Members are counted by a triangle of gates."""
    members = walk.members(walk.child(nodes, "item"))
    return _AND * members * members


def _apply(walk: Walk, nodes: Nodes) -> Size:
    if not walk.moving(nodes, "key") or not walk.moving(nodes, "map"):
        return 0
    keys = walk.types.count(_types(walk.child(nodes, "key")))
    return walk.width(nodes) * (5 * keys + 2)


def _map_update(walk: Walk, nodes: Nodes) -> Size:
    """A multiplexer for each literal, which an update within an update shares with it."""
    within = all(isinstance(node, n.MapUpdate) and isinstance(node.value, n.MapUpdate) for node in nodes)
    return _MUX * walk.width(nodes) if walk.moving(nodes, "key") and not within else 0


def _places(each: int) -> Rule:
    """So much for each place of a sequence and literal of the value."""

    def rule(walk: Walk, nodes: Nodes) -> Size:
        child = "left" if isinstance(nodes[0], n.Concat) else "item"
        return each * walk.members(walk.child(nodes, child)) * walk.width(nodes)

    return rule


def _concatenation(walk: Walk, nodes: Nodes) -> Size:
    """A single item goes to the place behind the last, or stays away; several may go to any place."""
    right = [node.right for node in nodes if isinstance(node, n.Concat)]
    if all(isinstance(one, n.MakeSeq) and len(one.items) == 1 for one in right):
        return _MUX * walk.width(nodes)
    return _places(5)(walk, nodes)


_RULES: dict[type[n.Node], Rule] = {
    n.And: _operands,
    n.Or: _operands,
    n.Implies: _operands,
    n.Eq: _equal,
    n.Ite: lambda walk, nodes: _MUX * walk.width(nodes) if walk.moving(nodes, "condition") else 0,
    **dict.fromkeys((n.Add, n.Sub, n.Mul, n.Div, n.Mod), _arithmetic),
    **dict.fromkeys((n.Lt, n.Le), _comparison),
    **dict.fromkeys((n.Forall, n.Exists), _each(2, 6)),
    n.Choose: _each(8, 12),
    n.SetFilter: _each(0, 4),
    n.SetMap: _set_map,
    n.SeqFilter: _sequence_filter,
    n.SetOf: _set_of,
    **dict.fromkeys((n.IntRange, n.SetUnion, n.SetIntersect, n.SetMinus, n.BigUnion), _widths(_AND)),
    n.Subset: lambda walk, nodes: _AND * walk.width(walk.child(nodes, "left")),
    n.Member: _member,
    n.Cardinality: _counted,
    n.MinOf: lambda walk, nodes: _AND * walk.members(walk.child(nodes, "item")),
    n.MaxOf: lambda walk, nodes: _AND * walk.members(walk.child(nodes, "item")),
    n.Apply: _apply,
    n.MapUpdate: _map_update,
    n.SeqUpdate: _widths(_MUX),
    n.Index: _places(5),
    n.Slice: _places(5),
    n.Concat: _concatenation,
}

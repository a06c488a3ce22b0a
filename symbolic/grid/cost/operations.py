"""What the operations of expressions cost in a layer, over several models of one protocol at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from leadline.symbolic.grid.cost.changes import Changes, is_plain
from leadline.symbolic.grid.cost.nodes import Nodes, bare, child, parts_of, types_of
from leadline.symbolic.grid.cost.typesizes import Size, TypeSizes, aligned
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.structures import Map, Record, Seq, Tuple
from leadline.symbolic.lang.types import Bool, Int, Named, Type


@dataclass(frozen=True)
class _Seen:
    """What is known of a part of an expression: whether it is fixed once bound variables are, and which."""

    fixed: bool
    free: frozenset[Nodes]


class Walk:
    """Goes through expressions that differ in numbers only, each part once.

    Args:
        types: the sizes of types.
        possible: what a pick can be, where that is less than its type.
    """

    def __init__(self, types: TypeSizes, possible: Mapping[n.Node, Type] = MappingProxyType({})) -> None:
        self.types = types
        self.changes = Changes(types, possible)
        self._seen: dict[Nodes, _Seen] = {}
        self._within: set[Nodes] = set()

    def cost(self, roots: Sequence[Sequence[n.Node]]) -> Size:
        """What the parts cost that were not seen before; for each model its roots."""
        total: Size = 0
        stack = [(bare(root), False) for root in aligned(roots)]
        while stack:
            nodes, ready = stack.pop()
            if nodes in self._seen:
                continue
            parts = parts_of(nodes)
            if not ready:
                self._within.update(_updated_within(nodes))
                stack.append((nodes, True))
                stack.extend((part, False) for part in parts)
                continue
            seen = self._seen[nodes] = self._look(nodes, parts)
            if not seen.fixed:
                total += self._times(seen.free) * self._own(nodes)
        return total

    def _times(self, free: frozenset[Nodes]) -> Size:
        return math.prod(self.types.count(types_of(var)) for var in free)

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
        return self.types.literals(types_of(nodes))

    def members(self, nodes: Nodes) -> Size:
        """The possible members of a set, or the items of a sequence."""
        if isinstance(nodes[0].type, Seq):
            return self.types.number(tuple(node.type.capacity for node in nodes))  # type: ignore[attr-defined]  # all are Seq
        return self.types.count(tuple(node.type.parts[0] for node in nodes))

    def within(self, nodes: Nodes) -> bool:
        """Whether it is part of an update, with which it shares its multiplexers."""
        return nodes in self._within

    def moving(self, nodes: Nodes, name: str) -> bool:
        """Whether a part is not fixed."""
        return not self.fixed(child(nodes, name))


# -- what the operations cost --------------------------------------------------------------------------------

_AND, _MUX = 4, 7  # variables and clauses of a gate of two operands, and of a multiplexer

Rule = Callable[[Walk, Nodes], Size]


def _operands(walk: Walk, nodes: Nodes) -> Size:
    moving = sum(not walk.fixed(part) for part in parts_of(nodes))
    return moving + 2 if moving > 1 else 0


def _equal(walk: Walk, nodes: Nodes) -> Size:
    left = child(nodes, "left")
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return 5 * walk.width(left)
    return 0 if isinstance(left[0].type, (Bool, Int, Named)) else walk.width(left) + 2


def _arithmetic(walk: Walk, nodes: Nodes) -> Size:
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return _AND * walk.width(child(nodes, "left")) * walk.width(child(nodes, "right"))
    return walk.width(nodes)


def _comparison(walk: Walk, nodes: Nodes) -> Size:
    left, right = walk.width(child(nodes, "left")), walk.width(child(nodes, "right"))
    if walk.moving(nodes, "left") and walk.moving(nodes, "right"):
        return _AND * (left + right)
    return (left if walk.moving(nodes, "left") else right) + 2


def _each(known: int, unknown: int) -> Rule:
    """So much for each possible member of a binder's domain, which is fixed or not."""

    def rule(walk: Walk, nodes: Nodes) -> Size:
        each = unknown if walk.moving(nodes, "domain") else known
        return each * walk.members(child(nodes, "domain"))

    return rule


def _set_map(walk: Walk, nodes: Nodes) -> Size:
    body = child(nodes, "body")
    cases = walk.width(body) if walk.moving(nodes, "body") else 1
    return _AND * cases * walk.members(child(nodes, "domain"))


def _sequence_filter(walk: Walk, nodes: Nodes) -> Size:
    places = walk.members(nodes)
    item = walk.types.count(tuple(node.type.parts[0] for node in nodes))
    width = walk.types.literals(tuple(node.type.parts[0] for node in nodes))
    return _AND * places * item + _AND * places * places * (width + 1)


def _set_of(walk: Walk, nodes: Nodes) -> Size:
    return sum(_AND * walk.changes.values(part) for part in parts_of(nodes) if not walk.fixed(part))


def _set_change(walk: Walk, nodes: Nodes) -> Size:
    """A gate for each member that may come or go."""
    return _AND * walk.changes.members(child(nodes, "right"))


def _widths(each: int) -> Rule:
    """So much for each literal of the value."""
    return lambda walk, nodes: each * walk.width(nodes)


def _member(walk: Walk, nodes: Nodes) -> Size:
    if not walk.moving(nodes, "element"):
        return 0
    domain = child(nodes, "domain")
    return _AND * walk.members(domain) if walk.moving(nodes, "domain") else walk.members(domain)


def _counted(walk: Walk, nodes: Nodes) -> Size:
    """Members are counted by a triangle of gates."""
    members = walk.members(child(nodes, "item"))
    return _AND * members * members


def _selection(walk: Walk, nodes: Nodes, of: Nodes) -> Size:
    """What stands at an unknown key of a map, as far as it is looked at."""
    if not walk.moving(of, "key") or not walk.moving(of, "map"):
        return 0
    keys = walk.types.count(types_of(child(of, "key")))
    return walk.width(nodes) * (5 * keys + 2)


def _apply(walk: Walk, nodes: Nodes) -> Size:
    """A record is looked at component by component, and what is left as it was is not looked at."""
    return 0 if isinstance(nodes[0].type, (Map, Record, Tuple)) else _selection(walk, nodes, nodes)


def _component(walk: Walk, nodes: Nodes) -> Size:
    of = child(nodes, "item")
    while isinstance(of[0], n.Component):
        of = child(of, "item")
    whole = isinstance(nodes[0].type, (Map, Record, Tuple)) or not isinstance(of[0], n.Apply)
    return 0 if whole else _selection(walk, nodes, of)


def _update(walk: Walk, nodes: Nodes) -> Size:
    """A multiplexer for each literal that changes, which an update within an update shares with it."""
    by = "key" if isinstance(nodes[0], n.MapUpdate) else "condition"
    return 0 if walk.within(nodes) or not walk.moving(nodes, by) else _MUX * walk.changes.literals(nodes)


def _choice(walk: Walk, nodes: Nodes) -> Size:
    if not is_plain(nodes[0].type):
        return _update(walk, nodes)
    return _MUX * walk.width(nodes) if walk.moving(nodes, "condition") else 0


def _updated_within(nodes: Nodes) -> list[Nodes]:
    """The updates that an update is made of."""
    found = []
    if isinstance(nodes[0], (n.MapUpdate, n.ComponentUpdate)):
        found = [child(nodes, "map" if isinstance(nodes[0], n.MapUpdate) else "item"), child(nodes, "value")]
    elif isinstance(nodes[0], n.Ite) and not is_plain(nodes[0].type):
        found = [child(nodes, "then"), child(nodes, "orelse")]
    return [one for one in found if isinstance(one[0], (n.MapUpdate, n.ComponentUpdate, n.Ite))]


def _places(each: int) -> Rule:
    """So much for each place of a sequence and literal of the value."""

    def rule(walk: Walk, nodes: Nodes) -> Size:
        sequence = child(nodes, "left" if isinstance(nodes[0], n.Concat) else "item")
        return each * walk.members(sequence) * walk.width(nodes)

    return rule


def _index(walk: Walk, nodes: Nodes) -> Size:
    """A known place is looked up at once."""
    return _places(5)(walk, nodes) if walk.moving(nodes, "place") else 0


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
    n.Ite: _choice,
    **dict.fromkeys((n.Add, n.Sub, n.Mul, n.Div, n.Mod), _arithmetic),
    **dict.fromkeys((n.Lt, n.Le), _comparison),
    **dict.fromkeys((n.Forall, n.Exists), _each(2, 6)),
    n.Choose: _each(8, 12),
    n.SetFilter: _each(0, 4),
    n.SetMap: _set_map,
    n.SeqFilter: _sequence_filter,
    n.SetOf: _set_of,
    **dict.fromkeys((n.IntRange, n.SetIntersect, n.BigUnion), _widths(_AND)),
    **dict.fromkeys((n.SetUnion, n.SetMinus), _set_change),
    n.Subset: lambda walk, nodes: _AND * walk.width(child(nodes, "left")),
    n.Member: _member,
    n.Cardinality: _counted,
    n.MinOf: lambda walk, nodes: _AND * walk.members(child(nodes, "item")),
    n.MaxOf: lambda walk, nodes: _AND * walk.members(child(nodes, "item")),
    n.Apply: _apply,
    n.Component: _component,
    n.MapUpdate: _update,
    n.SeqUpdate: _widths(_MUX),
    n.Index: _index,
    n.Slice: _places(5),
    n.Concat: _concatenation,
}

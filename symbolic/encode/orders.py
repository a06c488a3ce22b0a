"""Expressions whose values may depend on the order of the members of sorts, and their values in another order.

CHOOSE takes the first of several members. A quantifier stops at the first one that decides it, before another one
that goes out of bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.symbolic.encode.expressions import Expressions, Partial, sought_in
from leadline.symbolic.lang import (
    Permutation,
    Type,
    Value,
    chooses_by_order,
    is_total,
    nodes as n,
    permuted,
    sorts_in,
)
from leadline.symbolic.lang.nodes import free_variables


class Reordered(Expressions):
    """Evaluates expressions as if members of sorts came in another order.

    Args:
        plain: evaluates them in their order, and with it all that has no order.
        permutation: for each member that moves, the member whose place it takes.
    """

    def __init__(self, plain: Expressions, permutation: Permutation) -> None:
        super().__init__(plain.circuit, plain.state, plain.picks)
        self._plain = plain
        self._permutation = permutation

    def _needed(self, node: n.Node) -> Iterator[n.Node]:
        return super()._needed(node) if has_order(node) else iter(())

    def _apply(self, node: n.Node) -> Partial:
        return super()._apply(node) if has_order(node) else self._plain.evaluate(node, self._environment)

    def in_place_of(self, kind: Type, value: Value) -> Value:
        return permuted(kind, value, self._permutation)


def has_order(node: n.Node) -> bool:
    """Whether an expression or a part of it goes through members of sorts in an order that may show."""
    found: bool = n.kept(node, "_has_order", lambda one, inside: any(inside) or _goes_in_order(one))
    return found


def ordered_in(roots: Sequence[n.Node]) -> Iterator[n.Node]:
    """The outermost parts without free variables that go through members of sorts in an order that may show."""
    waiting, seen = list(roots), set[n.Node]()
    while waiting:
        node = waiting.pop()
        if node in seen or not has_order(node):
            continue
        seen.add(node)
        if isinstance(node, n.BINDERS) and not free_variables(node):
            yield node
        else:
            waiting += n.children(node)


def _goes_in_order(node: n.Node) -> bool:
    if not isinstance(node, (n.Forall, n.Exists)):
        return isinstance(node, n.Choose) and chooses_by_order(node)
    # A value that is looked for in a list is out of bounds at every member or at none.
    may_fail = bool(sorts_in(node.var.type)) and not is_total(node.body)
    return may_fail and (isinstance(node, n.Forall) or sought_in(node) is None)

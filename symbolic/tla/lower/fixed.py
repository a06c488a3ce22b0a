"""Variables that an equation fixes, and conditions that are certain.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`, which asks for no choice.

Many recursive operators take an element out of a set, by CHOOSE, until it is empty. The test for that is certain
once as many were taken as there can be, and the recursion ends there. Others count up to a length.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.lang import Int, Set, nodes as n


def conjuncts(formula: n.Node) -> Iterator[n.Node]:
    """The parts of a conjunction, in order.

    The condition that two values may be compared is a part of its own, before the comparison.
    """
    match formula:
        case n.And(items=items):
            for item in items:
                yield from conjuncts(item)
        case n.Ite(condition=refused, then=n.Undefined() as nothing, orelse=answer):
            allowed = n.make(n.Const, formula.type, formula.span, True)
            yield n.make(n.Ite, formula.type, formula.span, refused, nothing, allowed)
            if not isinstance(answer, n.Const) or not answer.value:
                yield from conjuncts(answer)
        case _:
            yield formula


def fixed_value(var: n.Node, formula: n.Node) -> n.Node | None:
    """The value that an equation gives a variable, which may be of a wider type; None if it gives none."""
    if not isinstance(formula, n.Eq):
        return None
    for one, other in ((formula.left, formula.right), (formula.right, formula.left)):
        plain = one.item if isinstance(one, n.Coerce) else one
        if plain is var and not reads(other, var):
            return other
    return None


def reads(node: n.Node, var: n.Node) -> bool:
    """Whether an expression depends on a variable."""
    return var in n.leaves_of(node)


def certain(condition: n.Node) -> bool | None:
    """The value that a condition has wherever it has one, if types or the sizes of sets tell; None otherwise."""
    match condition:
        case n.Const(value=bool() as value):
            return value
        case n.Not(item=item):
            inner = certain(item)
            return None if inner is None else not inner
        case n.And(items=items) | n.Or(items=items):
            decisive = isinstance(condition, n.Or)
            found = [certain(x) for x in items]
            if decisive in found:
                return decisive
            return None if None in found else not decisive
        case n.Ite(then=then, orelse=orelse):
            arms = {certain(x) for x in (then, orelse) if not isinstance(x, n.Undefined)}
            return arms.pop() if len(arms) == 1 else None
        case n.Lt(left=left, right=right) | n.Le(left=left, right=right):
            return compared(range_of(left), range_of(right), strict=isinstance(condition, n.Lt))
        case n.Eq(left=left, right=right) if isinstance(left.type, Int):
            a, b = range_of(left), range_of(right)
            if a.high < b.low or b.high < a.low:
                return False
            return True if a.low == a.high == b.low == b.high else None
        case n.Eq(left=left, right=right) if isinstance(left.type, Set):
            return True if most_members(left) == most_members(right) == 0 else None
    return None


def range_of(node: n.Node) -> Int:
    """The least range that is known of an integer, which a conversion may have widened."""
    while isinstance(node, n.Coerce) and isinstance(node.item.type, Int):
        node = node.item
    assert isinstance(node.type, Int)
    return node.type


def compared(a: Int, b: Int, *, strict: bool) -> bool | None:
    """Whether all integers of a range are less than those of another, or at most as great; None if some are."""
    if a.high < b.low + (not strict):
        return True
    return False if a.low >= b.high + (not strict) else None


def most_members(node: n.Node) -> int:
    """The most members that a set has wherever it has a value; 0 of what is no set."""
    return int(n.kept(node, "_most_members", _most_members))


def _most_members(node: n.Node, parts: list[int]) -> int:
    if not isinstance(node.type, Set):
        return 0
    most = node.type.item.capped
    match node:
        case n.Const(value=value):
            return len(value)
        case n.Undefined():
            return 0
        case n.SetOf():
            return min(most, len(parts))
        case n.SetMap() | n.SetFilter():
            return min(most, parts[0])
        case n.SetUnion():
            return min(most, sum(parts))
        case n.SetIntersect():
            return min(most, *parts)
        case n.SetMinus(left=whole, right=n.SetOf(items=(n.Choose(domain=domain),))) if domain is whole:
            # Where there is nothing to choose, the difference has no value.
            return max(0, min(most, parts[0]) - 1)
        case n.SetMinus():
            return min(most, parts[0])
        case n.Ite():
            return min(most, max(parts))
    return most

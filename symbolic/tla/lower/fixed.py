"""Variables that an equation fixes, and conditions that are certain.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`, which asks for no choice.

Many recursive operators take an element out of a set, by CHOOSE, until it is empty. The test for that is certain
once as many were taken as there can be, and the recursion ends there.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.lang import Set, nodes as n


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
    """The value that a condition has wherever it has one, if the sizes of sets tell; None otherwise."""
    match condition:
        case n.Not(item=item):
            value = certain(item)
            return None if value is None else not value
        case n.Eq(left=left, right=right) if isinstance(left.type, Set):
            return True if most_members(left) == most_members(right) == 0 else None
    return None


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

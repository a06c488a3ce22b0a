"""Variables that an equation fixes, and conditions that are certain.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`, which asks for no choice.

Many recursive operators take an element out of a set, by CHOOSE, until it is empty. The test for that is certain
once as many were taken as there can be, and the recursion ends there. Others count up to a length.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.lang import Int, Map, Option, Set, nodes as n
from leadline.symbolic.tla.lower.builder import body_at


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
    """The most members that a set has wherever it has a value, or keys that a function has; 0 of anything else."""
    return int(n.kept(node, "_most_members", _most_members))


def _most_members(node: n.Node, parts: list[int]) -> int:
    match node.type:
        case Set(item=item):
            most = item.capped
        case Map(key=key, value=Option()):
            most = key.capped
        case _:
            return 0
    match node:
        case n.Const(value=value):
            return len(value) if isinstance(node.type, Set) else sum(x is not None for x in value)
        case n.Undefined():
            return 0
        case n.SetOf():
            return min(most, len(parts))
        case n.SetMap():
            return min(most, parts[0])
        case n.SetFilter(var=var, body=body):
            return min(most, parts[0], _most_where(var, body, most))
        case n.MapBuild(var=var, body=body):
            return min(most, _most_with_value(var, body, most))
        case n.SetUnion():
            return min(most, sum(parts))
        case n.SetIntersect():
            return min(most, *parts)
        case n.SetMinus(left=whole, right=n.SetOf(items=(n.Choose(domain=domain),))) if domain is whole:
            # Where there is nothing to choose, the difference has no value.
            return max(0, min(most, parts[0]) - 1)
        case n.SetMinus():
            return min(most, parts[0])
        case n.MapUpdate(map=before, key=n.Choose(domain=domain), value=n.Const(value=None)):
            return max(0, min(most, parts[0] - _is_domain(domain, before)))
        case n.MapUpdate():
            return min(most, parts[0] + 1)
        case n.Ite():
            return min(most, max(parts))
    return most


def _is_domain(domain: n.Node, function: n.Node) -> bool:
    """Whether a set is the keys that a function has a value at."""
    match domain:
        case n.SetFilter(var=var, domain=n.Universe(), body=n.IsSome(item=item)):
            if isinstance(function, n.MapBuild):
                return item is body_at(function, var)
            return isinstance(item, n.Apply) and item.map is function and item.key is var
    return False


def _most_where(var: n.Node, condition: n.Node, most: int) -> int:
    """The most values of a variable, of so many at all, of which a condition holds, as far as memberships tell."""
    match condition:
        case n.Member(element=element, domain=domain):
            plain = element.item if isinstance(element, n.Coerce) else element
            return most_members(domain) if plain is var and not reads(domain, var) else most
        case n.And(items=items):
            return min(_most_where(var, x, most) for x in items)
        case n.IsSome(item=item):
            return _most_with_value(var, item, most)
    return most


def _most_with_value(var: n.Node, found: n.Node, most: int) -> int:
    """The most values of a variable, of so many at all, at which there is something: a function has a value."""
    match found:
        case n.Ite(condition=here, orelse=n.Const(value=None)):
            return _most_where(var, here, most)
        case n.Apply(map=function, key=key) if key is var and not reads(function, var):
            return most_members(function)
    return most

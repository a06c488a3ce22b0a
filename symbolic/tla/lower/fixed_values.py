"""Picks that a guard fixes are left out: see `leadline.symbolic.tla.lower.fixed`."""

from __future__ import annotations

from dataclasses import replace

from leadline.symbolic.lang import Pick, is_total, nodes as n
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.tla.lower.builder import Unlowerable
from leadline.symbolic.tla.lower.fixed import conjuncts, fixed_value, reads
from leadline.symbolic.tla.lower.picks import Way
from leadline.symbolic.tla.lower.terms import Terms


def without_fixed(way: Way, terms: Terms) -> Way:
    """The path without the picks that a guard on it fixes."""
    body = [one for item in way.body for one in ([item] if isinstance(item, Pick) else conjuncts(item))]
    way = replace(way, body=tuple(body))
    for name in [item.name for item in body if isinstance(item, Pick)]:
        # Its domain may have been changed by the one before.
        pick = next(item for item in way.body if isinstance(item, Pick) and item.name == name)
        way = _without(pick, way, terms)
    return way


def _without(pick: Pick, way: Way, terms: Terms) -> Way:
    """The path without a pick if a guard fixes it, and its value may be asked for where the pick is first read."""
    begin = way.body.index(pick)
    var = n.make(n.PickVar, pick.type, pick.span, pick.name)
    equations = ((at, fixed_value(var, x)) for at, x in enumerate(way.body) if isinstance(x, n.Node))
    at, value = next(((at, x) for at, x in equations if x is not None), (0, None))
    if value is None or not _movable(pick, var, value, way.body[begin + 1 : at]):
        return way
    first = next(i for i, item in enumerate(way.body) if _reads(item, var))
    terms.place = pick.span
    try:
        inside = terms.member(value, terms.universe(pick.type) if pick.domain is None else pick.domain)
        known: dict[n.Node, n.Node] = {var: terms.convert(value, pick.type)}
    except Unlowerable:
        return way
    items = (
        *way.body[:begin],
        *way.body[begin + 1 : first],
        inside,
        *way.body[first:at],
        *way.body[at + 1 :],
    )
    body = [_with(item, known) for item in items]
    return replace(
        way,
        body=tuple(item for item in body if not (isinstance(item, n.Const) and item.value)),
        next=tuple((name, replaced(x, known)) for name, x in way.next),
    )


def _movable(pick: Pick, var: n.Node, value: n.Node, between: tuple[Pick | n.Node, ...]) -> bool:
    """Whether a value may be in the place of a pick: nothing is evaluated that was not, and could have no value.

    Args:
        pick: the pick.
        var: the pick as an expression.
        value: what it is equal to.
        between: what stands between the pick and the equation.
    """
    first = next((i for i, item in enumerate(between) if _reads(item, var)), None)
    if first is not None:
        later = {item.name for item in between[first:] if isinstance(item, Pick)}
        if later & {one.name for one in n.postorder(value) if isinstance(one, n.PickVar)}:
            return False
        if not is_total(value):
            return False
    if pick.domain is None or (isinstance(pick.domain, n.Const) and pick.domain.value):
        return pick.type.cardinality > 0
    return all(is_total(x) for x in (value, pick.domain, *map(_expression, between)) if x is not None)


def _expression(item: Pick | n.Node) -> n.Node | None:
    return item.domain if isinstance(item, Pick) else item


def _reads(item: Pick | n.Node, var: n.Node) -> bool:
    node = _expression(item)
    return node is not None and reads(node, var)


def _with(item: Pick | n.Node, known: dict[n.Node, n.Node]) -> Pick | n.Node:
    if not isinstance(item, Pick):
        return replaced(item, known)
    return item if item.domain is None else replace(item, domain=replaced(item.domain, known))

"""The order in which an action's picks are made and its guards evaluated; expressions that are total."""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Action, Pick
from leadline.symbolic.lang.nodes import kept, leaves_of
from leadline.symbolic.lang.structures import Map
from leadline.symbolic.lang.types import Int


def schedule(action: Action) -> list[Pick | n.Node]:
    """The picks and single guards of an action, each guard as early as the outcomes allow.

    A guard moves before a pick that it does not use. If neither the guard nor the pick's domain can go out of
    bounds, it always may. If the guard can, the pick must be over a type that has values: over an empty
    domain, the guard would not be evaluated at all.
    """
    order: list[Pick | n.Node] = []
    for item in action.body:
        if isinstance(item, Pick):
            order.append(item)
            continue
        for guard in item.items if isinstance(item, n.And) else (item,):
            order.insert(_earliest(order, guard), guard)
    return order


def _earliest(order: list[Pick | n.Node], guard: n.Node) -> int:
    needed = {node.name for node in n.postorder(guard) if isinstance(node, n.PickVar)}
    place = len(order)
    while place and isinstance(pick := order[place - 1], Pick) and pick.name not in needed:
        passable = pick.type.capped > 0 if pick.domain is None else is_total(pick.domain) and is_total(guard)
        if not passable:
            break
        place -= 1
    return place


def is_total(expression: n.Node) -> bool:
    """Whether an expression never goes out of bounds, as far as its nodes tell."""
    return bool(kept(expression, "_total", lambda node, parts: all(parts) and _is_total(node)))


def is_total_beyond(expression: n.Node, action: Action) -> bool:
    """Whether an expression of an action has a value also where variables have values outside of their types.

    A function is believed to have the arguments that its type says. An argument or a divisor is not believed to be
    one that has a value, unless a constant or a pick gives it.
    """
    given = {one.name for one in action.picks if one.domain is None or isinstance(one.domain, n.Const)}

    def is_given(node: n.Node) -> bool:
        return all(isinstance(x, n.PickVar) and x.name in given for x in leaves_of(node))

    def is_safe(node: n.Node) -> bool:
        match node:
            case n.Apply(key=key):
                return is_given(key)
            case n.Div(right=right) | n.Mod(right=right):
                return is_given(right)
        return True

    return is_total(expression) and all(map(is_safe, n.postorder(expression)))


def _is_total(node: n.Node) -> bool:
    match node:
        case n.Coerce():
            return node.type.includes(node.item.type)
        case n.Apply() | n.MapUpdate():
            return isinstance(node.map.type, Map) and node.map.type.key.includes(node.key.type)
        case n.Div() | n.Mod():
            return isinstance(node.right.type, Int) and node.right.type.low >= 1
    return not isinstance(node, n.PARTIAL)

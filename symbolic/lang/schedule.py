"""The order in which an action's picks are made and its guards evaluated."""

from __future__ import annotations

from leadline.symbolic.lang.model import Action, Pick
from leadline.symbolic.lang.nodes import And, Node, PickVar, postorder
from leadline.symbolic.lang.totality import is_total


def schedule(action: Action) -> list[Pick | Node]:
    """The picks and single guards of an action, each guard as early as the outcomes allow.

    A guard moves before a pick that it does not use. If neither the guard nor the pick's domain can go out of
    bounds, it always may. If the guard can, the pick must be over a type that has values: over an empty
    domain, the guard would not be evaluated at all.
    """
    order: list[Pick | Node] = []
    for item in action.body:
        if isinstance(item, Pick):
            order.append(item)
            continue
        for guard in item.items if isinstance(item, And) else (item,):
            order.insert(_earliest(order, guard), guard)
    return order


def _earliest(order: list[Pick | Node], guard: Node) -> int:
    needed = {node.name for node in postorder(guard) if isinstance(node, PickVar)}
    place = len(order)
    while place and isinstance(pick := order[place - 1], Pick) and pick.name not in needed:
        passable = (
            pick.type.cardinality > 0 if pick.domain is None else is_total(pick.domain) and is_total(guard)
        )
        if not passable:
            break
        place -= 1
    return place

"""Names for bound variables: TLA+ forbids a bound name that already means something where it is bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.types import Sort, Type


def bound_names(
    nodes: Sequence[n.Node], variable: Callable[[str], str], around: Collection[str] = ()
) -> Mapping[n.Bound, str]:
    """A name for each bound variable: its own, with a number where another of that name lies around it.

    Args:
        nodes: all nodes of the expression, children before parents.
        variable: the TLA+ name of a state variable.
        around: more names that mean something around the expression.
    """
    taken = _names_outside(nodes, variable).union(around)
    inside: dict[n.Node, frozenset[n.Bound]] = {}
    rivals: dict[n.Bound, set[n.Bound]] = {}
    for node in nodes:
        below = frozenset().union(*(inside[child] for child in n.children(node)))
        if isinstance(node, n.BINDERS):
            rivals.setdefault(node.var, set()).update(inside[node.body])
            below |= {node.var}
        inside[node] = below
    names: dict[n.Bound, str] = {}
    # What lies inside has a lower level, so it is named before.
    for var in sorted(rivals, key=lambda bound: (bound.level, bound.name, repr(bound.type))):
        unfit = taken | {names[other] for other in rivals[var]}
        names[var] = next(name for name in _candidates(camel(var.name)) if name not in unfit)
    return names


def _candidates(name: str) -> Iterator[str]:
    return itertools.chain((name,), (f"{name}{number}" for number in itertools.count(2)))


def _names_outside(nodes: Sequence[n.Node], variable: Callable[[str], str]) -> set[str]:
    taken = {"None"}
    for node in nodes:
        if isinstance(node, n.StateVar):
            taken.add(variable(node.name))
        elif isinstance(node, n.PickVar):
            taken.add(camel(node.name))
    for kind in all_types({node.type for node in nodes}):
        if isinstance(kind, Sort):
            taken.update((kind.name, *kind.members))
    return taken


def all_types(kinds: set[Type]) -> set[Type]:
    """The types and all those inside them."""
    found: set[Type] = set()
    todo = list(kinds)
    while todo:
        kind = todo.pop()
        if kind not in found:
            found.add(kind)
            todo.extend(kind.parts)
    return found

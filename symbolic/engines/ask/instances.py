"""A limit on quantifiers: a question that no machine can hold is refused before it is begun."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.lang import Action, Model, Pick, UserError
from leadline.symbolic.lang.nodes import BINDERS, Bound, MapBuild, Node, Universe, free_variables, postorder

MOST = 50_000_000
"""The most instances of subexpressions that one property, or all actions together, may have."""


def instances(roots: Iterable[Node]) -> int:
    """The number of times that the subexpressions of formulas are evaluated in one state, at the least.

    A subexpression is evaluated once for each value of the quantified variables that occur in it. Only
    quantifiers over whole sorts and types count: how many members other sets have is not known before.
    """
    nodes = postorder(*roots)
    sizes: dict[Bound, int] = {}
    for node in nodes:
        if isinstance(node, BINDERS):
            whole = isinstance(node, MapBuild) or isinstance(node.domain, Universe)
            size = node.var.type.cardinality if whole else 1
            sizes[node.var] = min(size, sizes.get(node.var, size))
    known: dict[Node, frozenset[Bound]] = {}
    return sum(prod(sizes.get(one, 1) for one in free_variables(node, known)) for node in nodes)


def refuse_too_large(model: Model, query: Query) -> None:
    """Refuse a query whose quantifiers have more instances than can be asked.

    Raises:
        UserError: if so, with the place.
    """
    asked = [(f"{one.name} ({one.span})", one.nodes) for one in query.chosen(model)]
    steps = [node for one in (model.init, *model.actions) for node in _nodes(one)]
    for what, nodes in (("the actions", steps), *asked):
        found = instances(nodes)
        if found > MOST:
            raise UserError(
                f"{model.protocol}: at these parameters the quantifiers of {what} have {found:,} instances in "
                f"each state, and at most {MOST:,} can be asked: choose smaller parameters, or other properties"
            )


def _nodes(action: Action) -> Iterable[Node]:
    for item in action.body:
        if not isinstance(item, Pick):
            yield item
        elif item.domain is not None:
            yield item.domain
    yield from (value for _, value in action.updates)

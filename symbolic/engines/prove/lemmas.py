"""Properties of states that a proof may try as conjuncts of its invariant. None need hold."""

from __future__ import annotations

from dataclasses import replace

from leadline.symbolic.engines.ask.query import MOST_INSTANCES, instances
from leadline.symbolic.lang import Model, Property, PropertyKind


def strengthenings(model: Model, goal: str | None = None) -> tuple[Property, ...]:
    """The strengthenings for a property, or for one of these; all if it is no property of the model."""
    means = [one for one in model.properties.values() if one.kind is PropertyKind.STRENGTHENING]
    if goal not in model.properties:
        return tuple(means)
    used, grown = {goal}, True
    while grown:
        more = {one.name for one in means if not one.strengthens or not used.isdisjoint(one.strengthens)}
        grown = not more <= used
        used |= more
    return tuple(one for one in means if one.name in used)


def lemmas(model: Model, goal: str | None = None) -> tuple[Property, ...]:
    """The strengthenings for a property and, of a specification in another language, its invariants.

    An invariant is as a rule written to be inductive. A property that is too large to be asked about is left out,
    since it is too large a conjunct.
    """
    if model.origin is None:
        return strengthenings(model, goal)
    kinds = (PropertyKind.STRENGTHENING, PropertyKind.INVARIANT)
    found = (one for one in model.properties.values() if one.kind in kinds)
    return tuple(one for one in found if instances(one.nodes) <= MOST_INSTANCES)


def claiming(model: Model, claim: Property) -> dict[str, Property]:
    """The properties of a model that is made of another one for a claim: the claim and, where the other has a
    specification in another language, its lemmas.
    """
    some = () if model.origin is None else lemmas(model)
    kept = {x.name: replace(x, kind=PropertyKind.STRENGTHENING) for x in some if x.name != claim.name}
    return {**kept, claim.name: claim}

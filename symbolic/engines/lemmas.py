"""Properties of states that a proof may try as conjuncts of its invariant. None need hold."""

from __future__ import annotations

from dataclasses import replace

from leadline.symbolic.lang.model import Model, Property, PropertyKind


def lemmas(model: Model) -> tuple[Property, ...]:
    """The strengthenings and, of a specification in another language, its invariants.

    What it says of every reachable state is as a rule written to be inductive.
    """
    kinds = [PropertyKind.STRENGTHENING, *([] if model.origin is None else [PropertyKind.INVARIANT])]
    return tuple(one for one in model.properties.values() if one.kind in kinds)


def claiming(model: Model, claim: Property) -> dict[str, Property]:
    """The properties of a model that is made of another one for a claim: the claim and, where the other has a
    specification in another language, its lemmas.
    """
    some = () if model.origin is None else lemmas(model)
    kept = {x.name: replace(x, kind=PropertyKind.STRENGTHENING) for x in some if x.name != claim.name}
    return {**kept, claim.name: claim}

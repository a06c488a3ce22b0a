"""What a module has marked as a property or an action, and what no protocol would ever hear of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

from leadline.symbolic.lang import Claim, Mistake, Protocol
from leadline.symbolic.lang.actions import ActionMark
from leadline.symbolic.lang.written import hidden_by_decorator, namespace_of, start_if_any, written_in


def lost(module: ModuleType, protocols: Sequence[type[Protocol]], claims: Sequence[Claim]) -> list[Mistake]:
    """The properties and actions that a module has marked and that are in none of its protocols.

    Looked at are the module itself and, for properties that a later definition hides, those that the claims
    come from. What an imported module marks in functions is the business of who calls them.

    Args:
        module: the module, run just now.
        protocols: the protocols that it offers.
        claims: the properties that it holds.
    """
    own = vars(module)
    told = [Mistake(claim.span, claim.mistake) for claim in claims if claim.mistake]
    told += _of_no_protocol(own, protocols, claims)
    told += _lost_actions(own)
    places = {id(names): names for names in (own, *(namespace_of(x.function) for x in claims))}
    for names in places.values():
        held = {id(x.function) for x in (*claims, *_held(names))}
        told += [
            Mistake(claim.span, f"the property {claim.name} is lost: {why}")
            for claim in written_in(names).claims
            if id(claim.function) not in held and (why := _why_lost(claim, names, own))
        ]
    return told


def _held(names: dict[str, Any]) -> Iterator[Claim]:
    return (x for x in names.values() if isinstance(x, Claim))


def _why_lost(claim: Claim, names: dict[str, Any], own: dict[str, Any]) -> str | None:
    """Why a module does not hold a property that it has marked; None if that is as its author wants it."""
    function = claim.function
    name, path = function.__name__, function.__qualname__
    if "<locals>" in path:
        return "it is kept under no name of the module: assign it to one" if names is own else None
    if path != name:
        return "it stands in a class, where nobody looks for it: write it outside"
    if name in names and names[name] is not function:
        place = start_if_any(names[name])
        if not isinstance(names[name], Claim) and hidden_by_decorator(claim.span, names[name]):
            return f"a decorator above @{claim.kind} hides it: write @{claim.kind} above all others"
        return f"`{name}` is written again{f', at {place}' if place is not None else ''}; rename one"
    if name in names or name == "<lambda>":
        return "it is kept under no name of the module: assign it to one"
    return None  # Deleted on purpose.


def _of_no_protocol(
    own: dict[str, Any], protocols: Sequence[type[Protocol]], claims: Iterable[Claim]
) -> list[Mistake]:
    """The module's own properties of something else than the protocols that it offers."""
    offered = ", ".join(x.__name__ for x in protocols)
    return [
        Mistake(
            claim.span,
            f"the property {claim.name} is of no protocol that is offered here ({offered}): "
            f"write the decorator with one of them or with a base of theirs",
        )
        for claim in claims
        if not any(issubclass(x, claim.protocol) for x in protocols) and namespace_of(claim.function) is own
    ]


def _lost_actions(own: dict[str, Any]) -> list[Mistake]:
    """The marked actions that are in the body of no protocol's class, nor in a class that one inherits."""
    bases = [base for kind in _subclasses(Protocol) for base in kind.__mro__]
    taken = {id(x) for base in bases for x in vars(base).values()}
    # What such a class has lost itself is told when a model is built.
    kinds = [x for x in own.values() if isinstance(x, type) and issubclass(x, Protocol)]
    told = {mistake.span for kind in kinds for mistake in kind.__leadline_lost__}
    waiting = [x for x in written_in(own).actions if id(x.function) not in taken and x.span not in told]
    return [Mistake(x.span, _no_method(x)) for x in waiting]


def _no_method(mark: ActionMark) -> str:
    return (
        f"the action {mark.function.__name__} is in no protocol: write it as a method of a protocol's class, "
        "under a name of its own"
    )


def _subclasses(kind: type[Protocol]) -> Iterator[type[Protocol]]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)

"""Views and aliases: the part of a state that explicit search tells apart, and expressions that traces show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from leadline.symbolic.lang.actions import Condition
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.model import Property, PropertyKind, Variable
from leadline.symbolic.lang.properties import Claim, Stated, claim_of, everywhere

if TYPE_CHECKING:
    from leadline.symbolic.lang.protocol import Protocol


def view(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Have `explore` keep one state for each value of an expression: the first one found.

    As TLC's VIEW. Decorates `def name(protocol, now) -> expression`, of any type; a Python tuple of
    expressions is one too. A violation that is found is real, but one may be missed: an answer that nothing
    is wrong depends on the view, and says so. `check`, `prove` and grids look at every state. A protocol has
    one view at most. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.VIEW, protocol, tla, when)


def alias(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Show the value of an expression at every state of a trace, under the function's name.

    As a field of TLC's ALIAS. Decorates `def name(protocol, now) -> expression`, of any type. No verdict
    depends on it. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.ALIAS, protocol, tla, when)


def shown_of(
    stated: Iterable[Property], variables: Iterable[Variable], mistakes: list[Mistake]
) -> tuple[Property | None, tuple[Property, ...]]:
    """The view and the aliases among the properties of a protocol; mistakes are added to the list."""
    every = list(stated)
    views = [one for one in every if one.kind is PropertyKind.VIEW]
    aliases = tuple(one for one in every if one.kind is PropertyKind.ALIAS)
    for one in views[1:]:
        text = f"{one.name} is a second view, after {views[0].name} (at {views[0].span})"
        mistakes.append(Mistake(one.span, f"{text}: let one view return a tuple of both"))
    named = {variable.tla: variable for variable in variables}
    for one in aliases:
        if one.tla in named:
            text = f"traces would show the alias {one.name} and a variable both as `{one.tla}`"
            mistakes.append(Mistake(one.span, f'{text}: rename one, or give one another name with tla="..."'))
    return views[0] if views else None, aliases

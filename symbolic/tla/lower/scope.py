"""The meaning of names at a place of a module that is being lowered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from leadline.symbolic.lang import Span, nodes as n
from leadline.symbolic.tla.lower.infinite import Unlisted
from leadline.symbolic.tla.read import syntax as s

DEEPEST = 24
"""How often an operator is put into itself; what lies deeper is out of bounds."""


class Unsupported(Exception):
    """An expression that has no symbolic form.

    Attributes:
        place: where it is.
        why: the reason.
    """

    def __init__(self, place: Span, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


@dataclass(frozen=True)
class Operator:
    """An operator with what is known where it is defined."""

    parameters: tuple[s.Parameter, ...]
    body: s.Expression
    scope: Scope


@dataclass(frozen=True)
class BuiltIn:
    """A built-in operator, or a definition, given as an argument."""

    name: str


Entity: TypeAlias = n.Node | Unlisted | Operator | BuiltIn


@dataclass(eq=False)
class Later:
    """An expression that is evaluated where its name is used.

    Attributes:
        body: the expression.
        scope: where it stands.
        about_steps: whether it speaks of the next state; None before that is known.
        found: its meaning where it stands.
        found_for: its meaning for some values of the variables and next values, which come first.
    """

    body: s.Expression
    scope: Scope
    about_steps: bool | None = None
    found: Entity | None = None
    found_for: tuple[Mapping[str, n.Node] | None, Mapping[str, n.Node], bool, Entity] | None = None


Binding: TypeAlias = Entity | Later


@dataclass(frozen=True)
class Scope:
    """The meaning of names at a place.

    Attributes:
        names: bound names, parameters and LET definitions.
        primed: whether variables stand for their next values.
        next: the next values that are known.
        at: the value of `@`.
        depths: how often each recursive operator has been entered.
        now: the values of variables between two steps that are one; None in a state.
    """

    names: Mapping[str, Binding] = field(default_factory=dict)
    primed: bool = False
    next: Mapping[str, n.Node] = field(default_factory=dict)
    at: n.Node | None = None
    depths: Mapping[str, int] = field(default_factory=dict)
    now: Mapping[str, n.Node] | None = None

    def having(self, names: Mapping[str, Binding]) -> Scope:
        """The scope with more names."""
        return Scope({**self.names, **names}, self.primed, self.next, self.at, self.depths, self.now)

    def calling(self, own: Scope, depths: Mapping[str, int]) -> Scope:
        """The scope of a body that is called here, with the names and the `@` of its own scope."""
        return Scope(own.names, self.primed, self.next, own.at, depths, self.now)

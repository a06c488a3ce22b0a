"""Levels: whether an expression is about no state, one state, a step or a behaviour.

Lamport, *Specifying Systems* (2002), section 17.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import bound_by


class Level(IntEnum):
    """The levels of expressions."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3


_OPERATORS = {"'": Level.ACTION, "UNCHANGED": Level.ACTION, "\\cdot": Level.ACTION, "[]": Level.TEMPORAL,
              "<>": Level.TEMPORAL, "~>": Level.TEMPORAL, "-+->": Level.TEMPORAL}  # fmt: skip
_SUBSCRIPTED = {"[]_": Level.ACTION, "<<>>_": Level.ACTION, "WF_": Level.TEMPORAL, "SF_": Level.TEMPORAL}


class Levels:
    """The levels of resolved expressions.

    Parameters and bound names count as constants: an application is at the level of its arguments, too.

    Attributes:
        variables: the keys of the variables.

    Args:
        definitions: the definitions by key.
    """

    def __init__(self, definitions: Mapping[str, s.Definition], variables: Collection[str]) -> None:
        self.variables = frozenset(variables)
        self._known = dict.fromkeys(definitions, Level.CONSTANT)
        before = None
        while before != self._known:  # twice, or once more for each recursion
            before = dict(self._known)
            self._known.update((key, self.of(one.body)) for key, one in definitions.items())

    def of_definition(self, key: str) -> Level:
        """The level of a definition's body."""
        return self._known[key]

    def of(self, e: s.Node, bound: frozenset[str] = frozenset()) -> Level:
        """The level of an expression.

        Args:
            bound: names that hide definitions and variables of the same name.
        """
        level = Level.CONSTANT
        match e:
            case s.Apply("ENABLED", (action,)):
                return min(self.of(action, bound), Level.STATE)
            case s.Apply(operator):
                level = self._of_operator(operator, bound)
            case s.Subscripted(kind):
                level = _SUBSCRIPTED[kind]
            case s.Quantified("\\AA" | "\\EE"):
                return Level.TEMPORAL
        for child in s.children(e):
            if level is Level.TEMPORAL:
                break
            level = max(level, self.of(child, bound | bound_by(e)))
        return level

    def _of_operator(self, operator: str, bound: frozenset[str]) -> Level:
        if operator in bound:
            return Level.CONSTANT
        if operator in self.variables:
            return Level.STATE
        return self._known.get(operator, _OPERATORS.get(operator, Level.CONSTANT))

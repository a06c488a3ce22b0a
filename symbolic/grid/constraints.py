"""Constraints between parameters: conditions whose names are the parameters of a protocol."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from leadline.symbolic.grid.conditions import Condition, Name, kind_of, read_condition
from leadline.symbolic.lang import Parameter, unknown_name


def read_constraint(
    text: str, declared: Mapping[str, Parameter], unset: frozenset[str], say: Callable[[str], None]
) -> Condition | None:
    """Read a constraint.

    Args:
        text: the text in the grid file.
        declared: the protocol's parameters.
        unset: the parameters that have neither a default nor a value in the grid.
        say: called with each mistake, its line and column in front, both from 1.

    Returns:
        A condition on the values of all parameters, or None if there are mistakes.
    """

    def meaning(name: str) -> Name | str:
        one = declared.get(name)
        if one is None:
            return unknown_name("there is no parameter", name, list(declared))
        if name in unset:
            return f"{name} is derived unless it is set: give it values in `parameters`"

        def complaint(value: str) -> str | None:
            if one.kind is not str or one.complaint(value) is None:
                return None
            return unknown_name(f"{name} is never", value, list(one.choices))

        return Name(operator.itemgetter(name), frozenset({kind_of(one.kind())}), complaint)

    return read_condition("a constraint", text, meaning, say)

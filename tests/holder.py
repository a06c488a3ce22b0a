"""A protocol that holds one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadline.symbolic.lang import Model, Protocol, Type, build
from tests.random_expressions import literal


def holder(kinds: Mapping[str, Type]) -> Model:
    """A model with the variables, to evaluate expressions in."""

    def init(self: Any, start: Any) -> None:
        for name, kind in kinds.items():
            setattr(start, name, literal(kind, next(kind.values())))

    def define(self: Any, state: Any) -> None:
        for name, kind in kinds.items():
            state.declare(name, kind)

    return build(type("Holder", (Protocol,), {"define": define, "init": init})())

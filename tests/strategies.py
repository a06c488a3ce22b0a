"""Random types, values, well-typed expressions and protocols, for comparing the meanings of the language.

Everything is built through the public face of `leadline.symbolic.lang`, so it holds no mistakes; what an
expression means may well be out of bounds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    enum,
    sort,
)
from tests.random_expressions import Maker, literal
from tests.random_protocols import random_model
from tests.random_ways import KEY

SORTS = tuple(sort(f"Sort{size}", size, f"s{size}_") for size in (1, 2, 3))
ENUMS = (enum("Switch", "off", "on"), enum("Colour", "red", "green", "blue"))


def leaf_types() -> st.SearchStrategy[Type]:
    """Types of at most four values, without inner structure."""
    integers = st.builds(lambda low, size: Int(low, low + size), st.integers(-2, 2), st.integers(0, 3))
    return st.one_of(st.just(Bool()), integers, st.sampled_from(ENUMS), st.sampled_from(SORTS))


@st.composite
def types(draw: st.DrawFn, depth: int = 3, most: int = 64) -> Type:
    """A type nested at most `depth` deep, of at most `most` values (at least four)."""
    if depth <= 1 or draw(st.integers(0, 3)) == 0:
        return draw(leaf_types())
    item = draw(types(depth=depth - 1, most=most))
    other = draw(leaf_types())
    made = draw(st.sampled_from(_SHAPES))(item, other)
    return made if made.cardinality <= most else item


def _option(item: Type, other: Type) -> Type:
    return Option(other if isinstance(item, Option) else item)


_SHAPES: tuple[Callable[[Type, Type], Type], ...] = (
    _option,
    lambda item, other: Tuple((item, other)),
    lambda item, other: Record("Pair", (("first_part", item), ("second_part", other))),
    lambda item, other: Union(
        "Message", (("ask", Record("ask", (("about", item),))), ("stop", Record("stop", ())))
    ),
    lambda item, other: Set(item if item.cardinality <= 5 else other),
    lambda item, other: Map(other, item),
    lambda item, other: Map(item if item.cardinality <= 4 else other, other),
    lambda item, other: Seq(item, 2),
)


@functools.cache
def _all_values(kind: Type) -> tuple[Any, ...]:
    return tuple(kind.values())


def values(kind: Type) -> st.SearchStrategy[Any]:
    """A value of a type of few values."""
    return st.sampled_from(_all_values(kind))


@st.composite
def states(draw: st.DrawFn, kinds: Mapping[str, Type]) -> tuple[Any, ...]:
    """A value for each variable, in their order."""
    return tuple(draw(values(kind)) for kind in kinds.values())


@st.composite
def expressions(draw: st.DrawFn, variables: Mapping[str, Any], kind: Type, size: int = 12) -> Any:
    """An expression of the type.

    Args:
        draw: given by hypothesis.
        variables: the expressions that may occur: state variables, say.
        kind: the wanted type.
        size: how many operators it may have; a few more where an operator needs operands.
    """
    return Maker(draw, size).make(kind, tuple(variables.values()), 5)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A protocol of two to five small variables and two to five actions, with one or two properties."""
    kinds = draw(st.lists(types(depth=2, most=8), min_size=2, max_size=4))
    return random_model(draw, kinds)


@st.composite
def models_of_logs(draw: st.DrawFn) -> Model:
    """The same with a map of sequences, much of which is copied and appended to."""
    log = Map(KEY, Seq(draw(st.sampled_from((Bool(), Int(0, 2)))), 1))
    return random_model(draw, [log, draw(types(depth=1, most=4))])


__all__ = ["expressions", "leaf_types", "literal", "models", "models_of_logs", "states", "types", "values"]

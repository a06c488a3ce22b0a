"""The points of the parameters that stand for a row of what is known of a property.

A row for a few values has all of them; one for all values, or from one on, at the least two that differ: the
least and the default, or the bound and the next.
"""

from __future__ import annotations

import itertools
from types import EllipsisType
from typing import Any

from leadline.symbolic.catalog import Entry
from leadline.symbolic.lang import Bound, Known, Parameter, Setting

Point = tuple[tuple[str, Setting | None], ...]
"""The name and the value of every parameter."""


def points_of(entry: Entry, row: Known) -> list[Point]:
    """The points that stand for a row."""
    declared = entry.protocol.parameters
    found: dict[Point, None] = {}
    for place in (0, 1):
        axes = [_chosen(declared[name], values, place) for name, values in row.where.items()]
        for values in itertools.product(*axes):
            given = dict(zip(row.where, values, strict=True))
            found[tuple((name, given.get(name, one.default)) for name, one in declared.items())] = None
    return list(found)


def _chosen(one: Parameter, values: Any, place: int) -> tuple[Setting | None, ...]:
    """The values of a parameter, at the first or the second of its places."""
    if isinstance(values, Bound):
        return (values.low + place if values.low is not None else (values.high or 0) - place,)
    if isinstance(values, (range, tuple)):
        return tuple(values)
    if not isinstance(values, EllipsisType):
        return (values,)
    if one.kind is int:
        return ((one.default, one.at_least)[place],)
    return (False, True) if one.kind is bool else one.choices

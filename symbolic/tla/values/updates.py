"""EXCEPT on values. Generated code calls these functions by their names."""

from __future__ import annotations

from leadline.symbolic.tla.values.operators import UNSET, table
from leadline.symbolic.tla.values.values import Value


def update(f: Value, x: Value, value: Value) -> Value:
    """`[f EXCEPT ![x] = value]`. Outside of its domain a function is left as it is, as TLC does."""
    if f.__class__ is not tuple:
        if f is UNSET:
            return UNSET
        f = table(f)
    place = f[0].index.get(x)
    if place is None:
        return f
    items = list(f)
    items[place] = value
    return tuple(items)


def update_within(f: Value, x: Value, y: Value, value: Value) -> Value:
    """`[f EXCEPT ![x][y] = value]`."""
    if f.__class__ is tuple:
        place = f[0].index.get(x)
        if place is not None and (g := f[place]).__class__ is tuple:
            within = g[0].index.get(y)
            if within is None:
                return f
            items = list(g)
            items[within] = value
            outer = list(f)
            outer[place] = tuple(items)
            return tuple(outer)
    return update(f, x, update(inner(f, x), y, value))


def inner(f: Value, x: Value) -> Value:
    """`f[x]`, which `@` stands for in EXCEPT; UNSET outside of the domain."""
    if f.__class__ is not tuple:
        if f is UNSET:
            return UNSET
        f = table(f)
    place = f[0].index.get(x)
    return UNSET if place is None else f[place]

"""What a step changes, in the words of TLA+: only the parts that differ, each with its path."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import Map, Model, Option, Record, Seq, Set, Tuple, Type, Union
from leadline.symbolic.lang.types import Value
from leadline.symbolic.trace.values import field_names

_WIDTH = 96


def state_changes(model: Model, before: State, after: State) -> list[str]:
    """A line for each part of the state that differs."""
    found: list[str] = []
    for variable, old, new in zip(model.variables, before, after, strict=True):
        found += changes(variable.type, variable.tla, old, new)
    return found


def changes(kind: Type, path: str, old: Value, new: Value) -> Iterator[str]:
    """A line for each part of a value that differs, nothing if the values are equal.

    >>> from leadline.symbolic.lang import Int, Set, Tuple
    >>> list(changes(Tuple((Int(0, 3), Set(Int(0, 3)))), "pair", (0, frozenset({1})), (2, frozenset({1, 3}))))
    ['pair[1] = 2', 'pair[2]: added {3}']
    """
    if old == new:
        return
    match kind:
        case Option() if old is not None and new is not None:
            yield from changes(kind.item, path, old, new)
        case Record():
            yield from _components([f"{path}.{name}" for name in field_names(kind)], kind.parts, old, new)
        case Tuple():
            places = [f"{path}[{place}]" for place in range(1, len(new) + 1)]
            yield from _components(places, kind.items, old, new)
        case Map():
            places = [f"{path}[{kind.key.tla(key)}]" for key in kind.keys]
            yield from _components(places, (kind.value,) * len(places), old, new)
        case Union() if old[0] == new[0]:
            yield from changes(kind.by_tag[new[0]], path, old[1], new[1])
        case Set():
            yield from _members(kind, path, old, new)
        case Seq() if len(old) == len(new):
            places = [f"{path}[{place}]" for place in range(1, len(new) + 1)]
            yield from _components(places, (kind.item,) * len(places), old, new)
        case Seq() if old and new[: len(old)] == old:
            yield f"{path}: appended {', '.join(kind.item.tla(x) for x in new[len(old) :])}"
        case _:
            yield f"{path} = {kind.tla(new)}"


def _components(paths: list[str], kinds: tuple[Type, ...], old: Value, new: Value) -> Iterator[str]:
    for path, kind, one, other in zip(paths, kinds, old, new, strict=True):
        yield from changes(kind, path, one, other)


def _members(kind: Set, path: str, old: Value, new: Value) -> Iterator[str]:
    for word, difference in (("added", new - old), ("removed", old - new)):
        if difference:
            yield f"{path}: {word} {kind.tla(difference)}"


def in_full(kind: Type, name: str, value: Value) -> list[str]:
    """`name = value` on one line if it fits, else a line for each entry of a map or element of a set."""
    whole = f"{name} = {kind.tla(value)}"
    if len(whole) <= _WIDTH or not value:
        return [whole]
    if isinstance(kind, Map):
        entries = [f"{kind.key.tla(k)} :> {kind.value.tla(v)}" for k, v in zip(kind.keys, value, strict=True)]
        return [f"{name} =", *_bracketed("(", entries, " @@", ")")]
    if isinstance(kind, Set):
        members = [kind.item.tla(x) for x in sorted(value, key=kind.item.rank)]
        return [f"{name} =", *_bracketed("{", members, ",", "}")]
    return [whole]


def _bracketed(opening: str, items: list[str], separator: str, closing: str) -> list[str]:
    last = len(items) - 1
    return [
        f"  {' ' if place else opening} {item}{f' {closing}' if place == last else separator}"
        for place, item in enumerate(items)
    ]

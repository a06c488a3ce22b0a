"""Keys of the sets of records that are values of variables.

A field is a key of a variable if no two records of any value met agree in it. A run in which two do leaves the
variable's type, which then becomes that of all sets.
"""

from __future__ import annotations

from leadline.symbolic.lang import MOST_PARTS, KeyedSet, Record, Set, Type, nodes as n

_WORTH = 4
"""How many times as many records there must be as keys."""


def others(kind: Type) -> set[str]:
    """The fields that are no key in a type that is known: all but its key; none where there is no type yet."""
    if isinstance(kind, Set) and isinstance(kind.item, Record):
        return {name for name, _ in kind.item.fields} - ({kind.key} if isinstance(kind, KeyedSet) else set())
    return set()


def keyed(kind: Type, agree: set[str]) -> Type:
    """The type of a variable's values, with a key if they have one.

    Args:
        kind: the least type that holds them.
        agree: the fields that are no key.
    """
    whole = unkeyed(kind)
    if type(whole) is not Set or not isinstance(whole.item, Record) or whole.item.capped > MOST_PARTS:
        return whole
    found = [(part.capped, name) for name, part in whole.item.fields if name not in agree]
    if not found or len(whole.item.fields) < 2:
        return whole
    size, name = min(found)
    return KeyedSet(whole.item, name) if size > 1 and _WORTH * size <= whole.item.capped else whole


def unkeyed(kind: Type) -> Type:
    """The type without its key."""
    return kind.plain if isinstance(kind, KeyedSet) else kind


def as_set(variable: n.Node) -> n.Node:
    """A variable as a value of its plain type."""
    if not isinstance(variable.type, KeyedSet):
        return variable
    return n.make(n.Coerce, variable.type.plain, variable.span, variable)


def with_keys(value: n.Node, kind: Type) -> n.Node:
    """A value of a variable's plain type as one of its type."""
    if not isinstance(kind, KeyedSet):
        return value
    if isinstance(value, n.Ite):
        arms = (with_keys(x, kind) for x in (value.then, value.orelse))
        return n.make(n.Ite, kind, value.span, value.condition, *arms)
    if isinstance(value, n.Coerce) and value.item.type == kind:
        return value.item
    return n.make(n.Coerce, kind, value.span, value)

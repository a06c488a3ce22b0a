"""Expressions as a model's author writes them: Python operators and a few methods for each type.

The methods check nothing themselves; the rules are in `leadline.symbolic.lang.rules`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang import rules
from leadline.symbolic.lang.gate import as_node, invalid, set_of, wrong_part
from leadline.symbolic.lang.sequences import OptionExpr, SeqExpr, UnionExpr
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Set, Tuple
from leadline.symbolic.lang.types import Enum, Int, Never, Sort, Type
from leadline.symbolic.lang.value import (
    BoolExpr,
    InvalidExpr,
    Value,
    int_range,
    ite,
    over,
    over_set,
    undefined,
    unknown_name,
    wrap,
)

__all__ = [
    "BoolExpr",
    "IntExpr",
    "InvalidExpr",
    "MapExpr",
    "NamedExpr",
    "OptionExpr",
    "RecordExpr",
    "SeqExpr",
    "SetExpr",
    "TupleExpr",
    "UnionExpr",
    "Value",
    "field_of",
    "forall_keys",
    "int_range",
    "ite",
    "over",
    "undefined",
    "unknown_name",
    "wrap",
]


class IntExpr(Value, of=(Int,)):
    """An integer."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Add, self, other))

    def __radd__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Add, other, self))

    def __sub__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Sub, self, other))

    def __rsub__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Sub, other, self))

    def __mul__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Mul, self, other))

    def __rmul__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Mul, other, self))

    def __floordiv__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Div, self, other))

    def __rfloordiv__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Div, other, self))

    def __mod__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Mod, self, other))

    def __rmod__(self, other: Any) -> Any:
        return wrap(rules.arithmetic(n.Mod, other, self))

    def __neg__(self) -> Any:
        return wrap(rules.arithmetic(n.Sub, 0, self))


class NamedExpr(Value, of=(Enum, Sort, Never)):
    """A member of an enumeration or a sort."""

    __slots__ = ()


class SetExpr(Value, of=(Set,)):
    """A set."""

    __slots__ = ()

    @property
    def _item(self) -> Type:
        kind = self.node.type
        assert isinstance(kind, Set)
        return kind.item

    def __or__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.SetUnion, self, other))

    def __and__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.SetIntersect, self, other))

    __ror__ = __or__
    __rand__ = __and__

    def __sub__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.SetMinus, self, other))

    def __rsub__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.SetMinus, rules.literal_set(other, self._item), self))

    def __le__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.Subset, self, other))

    def __ge__(self, other: Any) -> Any:
        return wrap(rules.set_operation(n.Subset, other, self))

    def has(self, element: Any) -> BoolExpr:
        """Whether the element is a member."""
        return BoolExpr(rules.membership(element, self))

    def add(self, *elements: Any) -> Any:
        """The set with the elements."""
        return self | self._others(elements)

    def remove(self, *elements: Any) -> Any:
        """The set without the elements."""
        return self - self._others(elements)

    def _others(self, elements: tuple[Any, ...]) -> Any:
        nodes = [as_node(x, self._item if rules.needs_type(x) else None) for x in elements]
        return wrap(set_of(nodes, caller_span()))

    @property
    def size(self) -> Any:
        """The number of members."""
        return wrap(n.make(n.Cardinality, Int(0, self._item.cardinality), caller_span(), self.node))

    @property
    def is_empty(self) -> Any:
        """Whether there is no member."""
        return self == frozenset()

    @property
    def least(self) -> Any:
        """The least of a set of integers; out of bounds if it is empty."""
        return wrap(rules.extreme(n.MinOf, self))

    @property
    def greatest(self) -> Any:
        """The greatest of a set of integers; out of bounds if it is empty."""
        return wrap(rules.extreme(n.MaxOf, self))

    def filter(self, keep: Callable[[Any], Any]) -> Any:
        """The members for which the predicate holds."""
        return wrap(over_set(n.SetFilter, self, keep, lambda _: self.node.type))

    def map(self, image: Callable[[Any], Any]) -> Any:
        """The set of the function's values over the members."""
        return wrap(over_set(n.SetMap, self, image, lambda body: Set(body.type)))

    def flatten(self) -> Any:
        """The union of a set of sets."""
        item = self._item
        if not isinstance(item, Set):
            return wrap(invalid(f"type clash: a set of sets is needed, not of {item!r}", self.node))
        return wrap(n.make(n.BigUnion, item, caller_span(), self.node))


class MapExpr(Value, of=(Map,)):
    """A total map."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        node, value = rules.map_at(self.node, key)
        if isinstance(node, n.Invalid):
            return wrap(node)
        return wrap(n.make(n.Apply, value, caller_span(), self.node, node))

    def set(self, key: Any, value: Any) -> Any:
        """The map with another value at the key."""
        node, value_type = rules.map_at(self.node, key)
        parts = (node, as_node(value, value_type))
        made = wrong_part(parts) or n.make(n.MapUpdate, self.node.type, caller_span(), self.node, *parts)
        return wrap(made)

    @property
    def range(self) -> Any:
        """The set of the map's values."""
        kind = self.node.type
        assert isinstance(kind, Map)
        return forall_keys(kind.key, lambda key: self[key])


def forall_keys(key: Type, value: Callable[[Any], Any]) -> Any:
    """The set of a function's values over all values of a type."""
    return wrap(as_node(key)).map(value)


class TupleExpr(Value, of=(Tuple,)):
    """A tuple."""

    __slots__ = ()

    def __getitem__(self, position: Any) -> Any:
        kind = self.node.type
        assert isinstance(kind, Tuple)
        if not isinstance(position, int) or not 0 <= position < len(kind.items):
            return wrap(invalid(f"a {kind!r} has the components 0..{len(kind.items) - 1}", self.node))
        return wrap(n.make(n.Component, kind.items[position], caller_span(), self.node, position))


class RecordExpr(Value, of=(Record,)):
    """A record: its fields are its attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return wrap(field_of(self.node, name))


def field_of(node: n.Node, name: str) -> n.Node:
    """The field of a record, or a mistake that names the fields there are."""
    kind = node.type
    assert isinstance(kind, Record)
    if name not in kind.positions:
        return invalid(unknown_name(f"a {kind!r} has no field", name, list(kind.positions)), node)
    position = kind.positions[name]
    return n.make(n.Component, kind.parts[position], caller_span(), node, position)

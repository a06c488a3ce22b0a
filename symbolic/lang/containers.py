"""Expressions of sets, maps, tuples, records, options, tagged unions and sequences.

The methods check nothing themselves; the rules are in `leadline.symbolic.lang.rules`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import BOOL, as_node, invalid, set_of, wrong_part
from leadline.symbolic.lang.errors import unknown_name
from leadline.symbolic.lang.expr import (
    BoolExpr,
    BoundFunction,
    Expr,
    IntExpr,
    IntLike,
    NamedExpr,
    int_range,
    ite,
    over_items,
    over_set,
    undefined,
    wrap,
)
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import AnyOf, Graph, Map, Record, Seq, Set, Slots, Tuple, Union
from leadline.symbolic.lang.types import Int, Mapped, Named, Option, Type


class SetExpr(Expr, of=(Set, Graph)):
    """A set."""

    @property
    def _item(self) -> Type:
        kind = self.node.type
        assert isinstance(kind, Set)
        return kind.item

    def __or__(self, other: SetLike) -> SetExpr:
        return wrap(rules.set_operation(n.SetUnion, self, other))

    def __and__(self, other: SetLike) -> SetExpr:
        return wrap(rules.set_operation(n.SetIntersect, self, other))

    __ror__ = __or__
    __rand__ = __and__

    def __sub__(self, other: SetLike) -> SetExpr:
        return wrap(rules.set_operation(n.SetMinus, self, other))

    def __rsub__(self, other: SetLike) -> SetExpr:
        return wrap(rules.set_operation(n.SetMinus, rules.literal_set(other, self._item), self))

    def __le__(self, other: SetLike) -> BoolExpr:
        return wrap(rules.set_operation(n.Subset, self, other))

    def __ge__(self, other: SetLike) -> BoolExpr:
        return wrap(rules.set_operation(n.Subset, other, self))

    def has(self, element: object) -> BoolExpr:
        """Whether the element is a member."""
        return BoolExpr(rules.membership(element, self))

    def add(self, *elements: object) -> SetExpr:
        """The set with the elements."""
        return self | self._others(elements)

    def remove(self, *elements: object) -> SetExpr:
        """The set without the elements."""
        return self - self._others(elements)

    def _others(self, elements: tuple[object, ...]) -> SetExpr:
        nodes = [as_node(x, self._item if rules.needs_type(x) else None) for x in elements]
        return wrap(set_of(nodes, caller_span()))

    @property
    def size(self) -> IntExpr:
        """The number of members."""
        return wrap(n.make(n.Cardinality, Int(0, self._item.capped), caller_span(), self.node))

    @property
    def is_empty(self) -> BoolExpr:
        """Whether there is no member."""
        return self == frozenset()

    @property
    def least(self) -> IntExpr:
        """The least of a set of integers; out of bounds if it is empty."""
        return wrap(rules.extreme(n.MinOf, self))

    @property
    def greatest(self) -> IntExpr:
        """The greatest of a set of integers; out of bounds if it is empty."""
        return wrap(rules.extreme(n.MaxOf, self))

    def filter(self, keep: BoundFunction) -> SetExpr:
        """The members for which the predicate holds."""
        return wrap(over_set(n.SetFilter, self, keep))

    def map(self, image: BoundFunction) -> SetExpr:
        """The set of the function's values over the members."""
        return wrap(over_set(n.SetMap, self, image))

    def flatten(self) -> SetExpr:
        """The union of a set of sets."""
        item = self._item
        if not isinstance(item, Set):
            return wrap(invalid(f"type clash: a set of sets is needed, not of {item!r}", self.node))
        return wrap(n.make(n.BigUnion, item, caller_span(), self.node))


def _of_all(name: str) -> Any:
    """A method or attribute of a set, as one of a sort or an enumeration: of the set of its members."""
    own = getattr(SetExpr, name)

    def everything(kind: Named) -> SetExpr:
        return wrap(as_node(kind))

    if isinstance(own, property):
        return property(lambda kind: getattr(everything(kind), name), doc=own.__doc__)
    return wraps(own)(lambda kind, *others: own(everything(kind), *others))


_OPERATORS = ("__sub__", "__and__", "__or__", "__rsub__", "__rand__", "__ror__")
for _name in ("size", "is_empty", "has", "filter", "map", "remove", *_OPERATORS):
    setattr(Named, _name, _of_all(_name))

SetLike: TypeAlias = SetExpr | Type | Collection[object]
"""A set expression, a type (the set of its values), or a Python set, list or tuple of the members."""


class MapExpr(Expr, of=(Map, Slots)):
    """A total map."""

    def __getitem__(self, key: object) -> AnyExpr:
        node, value = rules.map_at(self.node, key)
        if isinstance(node, n.Invalid):
            return wrap(node)
        return wrap(n.make(n.Apply, value, caller_span(), self.node, node))

    def set(self, key: object, value: object) -> MapExpr:
        """The map with another value at the key."""
        node, value_type = rules.map_at(self.node, key)
        parts = (node, as_node(value, value_type))
        made = wrong_part(parts) or n.make(n.MapUpdate, self.node.type, caller_span(), self.node, *parts)
        return wrap(made)

    @property
    def range(self) -> SetExpr:
        """The set of the map's values."""
        kind = self.node.type
        assert isinstance(kind, Map)
        return wrap(as_node(kind.key)).map(lambda key: self[key])


class TupleExpr(Expr, of=(Tuple,)):
    """A tuple."""

    def __getitem__(self, position: object) -> AnyExpr:
        kind = self.node.type
        assert isinstance(kind, Tuple)
        if not isinstance(position, int) or not 0 <= position < len(kind.items):
            return wrap(invalid(f"a {kind!r} has the components 0..{len(kind.items) - 1}", self.node))
        return wrap(n.make(n.Component, kind.items[position], caller_span(), self.node, position))

    def __len__(self) -> int:
        return len(self.node.type.parts)

    def __iter__(self) -> Iterator[AnyExpr]:
        """The components in order: `first, second = now.pair`."""
        kind = self.node.type
        assert isinstance(kind, Tuple)
        return iter([self[position] for position in range(len(kind.items))])


class RecordExpr(Expr, of=(Record,)):
    """A record: its fields are its attributes."""

    def __getattr__(self, name: str) -> AnyExpr:
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


class OptionExpr(Expr, of=(Option, Mapped)):
    """None or a value."""

    @property
    def is_some(self) -> BoolExpr:
        """Whether there is a value."""
        return BoolExpr(n.make(n.IsSome, BOOL, caller_span(), self.node))

    @property
    def is_none(self) -> BoolExpr:
        """Whether the option is None."""
        return BoolExpr(rules.negation(self.is_some))

    @property
    def value(self) -> AnyExpr:
        """The option's value; out of bounds if the option is None."""
        kind = self.node.type
        assert isinstance(kind, Option)
        return wrap(n.make(n.Get, kind.item, caller_span(), self.node))

    def or_else(self, default: object) -> AnyExpr:
        """The option's value, or the default if the option is None."""
        return wrap(rules.if_then_else(self.is_some, self.value, default))


class UnionExpr(Expr, of=(Union, AnyOf)):
    """A value of a tagged union."""

    def is_a(self, tag: str) -> BoolExpr:
        """Whether the value has the tag."""
        return BoolExpr(self._tagged(n.IsVariant, tag))

    def as_a(self, tag: str) -> RecordExpr:
        """The record behind the tag; out of bounds if the value has another."""
        return wrap(self._tagged(n.Payload, tag))

    def _tagged(self, kind: type[n.Node], tag: str) -> n.Node:
        union = self.node.type
        assert isinstance(union, Union)
        if tag not in union.by_tag:
            return invalid(unknown_name(f"a {union!r} has no variant", tag, list(union.by_tag)), self.node)
        return n.make(kind, BOOL if kind is n.IsVariant else union.by_tag[tag], caller_span(), self.node, tag)


class SeqExpr(Expr, of=(Seq,)):
    """A sequence, indexed from 1 as in TLA+."""

    @property
    def _kind(self) -> Seq:
        kind = self.node.type
        assert isinstance(kind, Seq)
        return kind

    @property
    def length(self) -> IntExpr:
        """The number of items."""
        return wrap(n.make(n.Len, Int(0, self._kind.capacity), caller_span(), self.node))

    @property
    def places(self) -> SetExpr:
        """The set 1..length."""
        return int_range(1, self.length)

    def __getitem__(self, place: IntLike) -> AnyExpr:
        node = rules.integer(place)
        return wrap(wrong_part((node,)) or n.make(n.Index, self._kind.item, caller_span(), self.node, node))

    def set(self, place: IntLike, item: object) -> SeqExpr:
        """The sequence with another item at a place that it has."""
        parts = (rules.integer(place), as_node(item, self._kind.item))
        return wrap(wrong_part(parts) or n.make(n.SeqUpdate, self._kind, caller_span(), self.node, *parts))

    @property
    def first(self) -> AnyExpr:
        """TLA+'s Head; out of bounds if empty."""
        return self[1]

    @property
    def last(self) -> AnyExpr:
        """The last item; out of bounds if empty."""
        return self[self.length]

    @property
    def rest(self) -> SeqExpr:
        """TLA+'s Tail; out of bounds if empty."""
        none = undefined(self._kind, "the tail of an empty sequence")
        return ite(self.length == 0, none, self.slice(2, self.length))

    def append(self, item: object) -> SeqExpr:
        """The sequence with one more item.

        The result has a larger capacity: where the sequence was full, only assigning the result to it goes out of
        bounds. The item must be of the items' type: one outside its range is out of bounds here.
        """
        return self.concat([item])

    def prepend(self, item: object) -> SeqExpr:
        """The sequence with one more item at its beginning; else as `append`."""
        one = as_node([item], Seq(self._kind.item, 1))
        return wrap(one if isinstance(one, n.Invalid) else rules.concat(one, self))

    def concat(self, other: SeqExpr | Sequence[object]) -> SeqExpr:
        """This sequence and then the other."""
        return wrap(rules.concat(self.node, other))

    def slice(self, first: IntLike, last: IntLike) -> SeqExpr:
        """TLA+'s SubSeq: the items from place `first` to place `last`, both included."""
        parts = (rules.integer(first), rules.integer(last))
        return wrap(wrong_part(parts) or n.make(n.Slice, self._kind, caller_span(), self.node, *parts))

    def truncate(self, length: IntLike) -> SeqExpr:
        """The first `length` items; out of bounds if there are fewer."""
        return self.slice(1, length)

    def filter(self, keep: BoundFunction) -> SeqExpr:
        """TLA+'s SelectSeq: the items for which the predicate holds, in their order."""
        return wrap(over_items(n.SeqFilter, self.node, keep))

    def items(self) -> SetExpr:
        """The set of the items: TLA+'s Range."""
        return self.places.map(lambda place: self[place])


if TYPE_CHECKING:

    class AnyExpr(
        BoolExpr,
        IntExpr,
        NamedExpr,
        SetExpr,
        MapExpr,
        TupleExpr,
        RecordExpr,
        OptionExpr,
        UnionExpr,
        SeqExpr,
    ):
        """An expression whose type is known only when the model is built: `now.x`, a pick, a field.

        To a type checker it has the operations of all types, and stands wherever an expression of one type is
        wanted. At run time it is an expression of its own type, and the type rules check it.
        """

        def __lt__(self, other: object) -> BoolExpr: ...
        def __le__(self, other: object) -> BoolExpr: ...
        def __gt__(self, other: object) -> BoolExpr: ...
        def __ge__(self, other: object) -> BoolExpr: ...
        def __and__(self, other: object) -> AnyExpr: ...
        def __rand__(self, other: object) -> AnyExpr: ...
        def __or__(self, other: object) -> AnyExpr: ...
        def __ror__(self, other: object) -> AnyExpr: ...
        def __sub__(self, other: object) -> AnyExpr: ...
        def __rsub__(self, other: object) -> AnyExpr: ...
        def __getitem__(self, key: object) -> AnyExpr: ...
        def __getattr__(self, name: str) -> AnyExpr: ...
        def __iter__(self) -> Iterator[AnyExpr]: ...
        def filter(self, keep: BoundFunction) -> AnyExpr: ...
        def set(self, key: object, value: object) -> AnyExpr: ...

else:
    AnyExpr = Expr

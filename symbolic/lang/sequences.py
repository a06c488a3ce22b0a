"""Expressions of options, tagged unions and sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang import rules
from leadline.symbolic.lang.gate import BOOL, as_node, invalid, wrong_part
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Seq, Union
from leadline.symbolic.lang.types import Int, Option
from leadline.symbolic.lang.value import (
    BoolExpr,
    Value,
    int_range,
    ite,
    over_items,
    undefined,
    unknown_name,
    wrap,
)


class OptionExpr(Value, of=(Option,)):
    """None or a value."""

    __slots__ = ()

    @property
    def is_some(self) -> BoolExpr:
        """Whether there is a value."""
        return BoolExpr(n.make(n.IsSome, BOOL, caller_span(), self.node))

    @property
    def is_none(self) -> BoolExpr:
        """Whether there is none."""
        return BoolExpr(rules.negation(self.is_some))

    @property
    def value(self) -> Any:
        """The value; out of bounds if there is none."""
        kind = self.node.type
        assert isinstance(kind, Option)
        return wrap(n.make(n.Get, kind.item, caller_span(), self.node))

    def or_else(self, default: Any) -> Any:
        """The value, or the default if there is none."""
        return wrap(rules.if_then_else(self.is_some, self.value, default))


class UnionExpr(Value, of=(Union,)):
    """A value of a tagged union."""

    __slots__ = ()

    def is_a(self, tag: str) -> BoolExpr:
        """Whether the value has the tag."""
        return BoolExpr(self._tagged(n.IsVariant, tag))

    def as_a(self, tag: str) -> Any:
        """The record behind the tag; out of bounds if the value has another."""
        return wrap(self._tagged(n.Payload, tag))

    def _tagged(self, kind: type[n.Node], tag: str) -> n.Node:
        union = self.node.type
        assert isinstance(union, Union)
        if tag not in union.by_tag:
            return invalid(unknown_name(f"a {union!r} has no variant", tag, list(union.by_tag)), self.node)
        return n.make(kind, BOOL if kind is n.IsVariant else union.by_tag[tag], caller_span(), self.node, tag)


class SeqExpr(Value, of=(Seq,)):
    """A sequence, indexed from 1 as in TLA+."""

    __slots__ = ()

    @property
    def _kind(self) -> Seq:
        kind = self.node.type
        assert isinstance(kind, Seq)
        return kind

    @property
    def length(self) -> Any:
        """The number of items."""
        return wrap(n.make(n.Len, Int(0, self._kind.capacity), caller_span(), self.node))

    @property
    def places(self) -> Any:
        """The set 1..length."""
        return int_range(1, self.length)

    def __getitem__(self, place: Any) -> Any:
        node = rules.integer(place)
        return wrap(wrong_part((node,)) or n.make(n.Index, self._kind.item, caller_span(), self.node, node))

    def set(self, place: Any, item: Any) -> Any:
        """The sequence with another item at a place that it has."""
        parts = (rules.integer(place), as_node(item, self._kind.item))
        return wrap(wrong_part(parts) or n.make(n.SeqUpdate, self._kind, caller_span(), self.node, *parts))

    @property
    def first(self) -> Any:
        """TLA+'s Head; out of bounds if empty."""
        return self[1]

    @property
    def last(self) -> Any:
        """The last item; out of bounds if empty."""
        return self[self.length]

    @property
    def rest(self) -> Any:
        """TLA+'s Tail; out of bounds if empty."""
        none = undefined(self._kind, "the tail of an empty sequence")
        return ite(self.length == 0, none, self.slice(2, self.length))

    def append(self, item: Any) -> Any:
        """The sequence with one more item.

        Its capacity grows, so it is assigning the result that goes out of bounds where the sequence was full.
        The item must be of the items' type: one outside its range is out of bounds here.
        """
        return self.concat([item])

    def concat(self, other: Any) -> Any:
        """This sequence and then the other."""
        return wrap(rules.concat(self.node, other))

    def slice(self, first: Any, last: Any) -> Any:
        """TLA+'s SubSeq: the items from place `first` to place `last`, both included."""
        parts = (rules.integer(first), rules.integer(last))
        return wrap(wrong_part(parts) or n.make(n.Slice, self._kind, caller_span(), self.node, *parts))

    def truncate(self, length: Any) -> Any:
        """The first `length` items; out of bounds if there are fewer."""
        return self.slice(1, length)

    def filter(self, keep: Callable[[Any], Any]) -> Any:
        """TLA+'s SelectSeq: the items for which the predicate holds, in their order."""
        return wrap(over_items(n.SeqFilter, self.node, self._kind.item, keep, lambda _: self._kind))

    def items(self) -> Any:
        """The set of the items: TLA+'s Range."""
        return self.places.map(lambda place: self[place])

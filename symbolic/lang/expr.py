"""Expressions as a model's author writes them: Python operators and a few methods for each type.

The methods check nothing themselves; the rules are in `leadline.symbolic.lang.build`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NoReturn

from leadline.symbolic.lang import build
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import Mistake, ModelError
from leadline.symbolic.lang.gate import BOOL, Expr, as_node, invalid, set_of, wrong_part
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Bool, Int, Option, Type


class Value(Expr):
    """What expressions of every type can do: be compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return wrap(build.equality(self, other))

    def __ne__(self, other: object) -> Any:
        return wrap(build.negation(build.equality(self, other)))

    def __lt__(self, other: Any) -> Any:
        return wrap(build.comparison(n.Lt, self, other))

    def __le__(self, other: Any) -> Any:
        return wrap(build.comparison(n.Le, self, other))

    def __gt__(self, other: Any) -> Any:
        return wrap(build.comparison(n.Lt, other, self))

    def __ge__(self, other: Any) -> Any:
        return wrap(build.comparison(n.Le, other, self))

    def __bool__(self) -> NoReturn:
        _refuse(
            "an expression has no truth value while the model is written: instead of `if`, `and`, `or`, `not` "
            "and chained comparisons use ite, &, |, ~ and one comparison at a time"
        )

    def __hash__(self) -> int:
        _refuse("an expression cannot be a key or a member of a Python set: write set_of(a, b)")

    def __iter__(self) -> NoReturn:
        _refuse("an expression cannot be iterated over: quantify over it with forall, exists or .map")

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        _refuse(f"`{name}` of the current state cannot be assigned: assign to the next state")

    def is_in(self, domain: Any) -> Any:
        """Whether this is a member of a set."""
        return wrap(build.membership(self, domain))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node!r})"


def _refuse(text: str) -> NoReturn:
    raise ModelError([Mistake(caller_span(), text)])


class BoolExpr(Value):
    """A Boolean."""

    __slots__ = ()

    def __and__(self, other: Any) -> BoolExpr:
        return BoolExpr(build.connective(n.And, [self, other]))

    def __rand__(self, other: Any) -> BoolExpr:
        return BoolExpr(build.connective(n.And, [other, self]))

    def __or__(self, other: Any) -> BoolExpr:
        return BoolExpr(build.connective(n.Or, [self, other]))

    def __ror__(self, other: Any) -> BoolExpr:
        return BoolExpr(build.connective(n.Or, [other, self]))

    def __invert__(self) -> BoolExpr:
        return BoolExpr(build.negation(self))

    def implies(self, conclusion: Any) -> BoolExpr:
        """Implication; the conclusion is evaluated only where this holds."""
        return BoolExpr(build.implication(self, conclusion))


class IntExpr(Value):
    """An integer."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Add, self, other))

    def __radd__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Add, other, self))

    def __sub__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Sub, self, other))

    def __rsub__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Sub, other, self))

    def __mul__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Mul, self, other))

    def __rmul__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Mul, other, self))

    def __floordiv__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Div, self, other))

    def __mod__(self, other: Any) -> Any:
        return wrap(build.arithmetic(n.Mod, self, other))

    def __neg__(self) -> Any:
        return wrap(build.arithmetic(n.Sub, 0, self))


class NamedExpr(Value):
    """A member of an enumeration or a sort."""

    __slots__ = ()


class SetExpr(Value):
    """A set."""

    __slots__ = ()

    def __or__(self, other: Any) -> Any:
        return wrap(build.set_operation(n.SetUnion, self, other))

    def __and__(self, other: Any) -> Any:
        return wrap(build.set_operation(n.SetIntersect, self, other))

    def __sub__(self, other: Any) -> Any:
        return wrap(build.set_operation(n.SetMinus, self, other))

    def __le__(self, other: Any) -> Any:
        return wrap(build.set_operation(n.Subset, self, other))

    def __ge__(self, other: Any) -> Any:
        return wrap(build.set_operation(n.Subset, other, self))

    def has(self, element: Any) -> BoolExpr:
        """Whether the element is a member."""
        return BoolExpr(build.membership(element, self))

    def add(self, *elements: Any) -> Any:
        """The set with the elements."""
        return self | self._others(elements)

    def remove(self, *elements: Any) -> Any:
        """The set without the elements."""
        return self - self._others(elements)

    def _others(self, elements: tuple[Any, ...]) -> Any:
        item = self.node.type.item  # type: ignore[attr-defined]  # only sets are wrapped so
        nodes = [as_node(x, item if build.needs_type(x) else None) for x in elements]
        return wrap(set_of(nodes, caller_span()))

    @property
    def size(self) -> Any:
        """The number of members."""
        most = self.node.type.item.cardinality  # type: ignore[attr-defined]
        return wrap(n.make(n.Cardinality, Int(0, most), caller_span(), self.node))

    @property
    def is_empty(self) -> Any:
        """Whether there is no member."""
        return self == frozenset()

    @property
    def least(self) -> Any:
        """The least of a set of integers; out of bounds if it is empty."""
        return wrap(build.extreme(n.MinOf, self))

    @property
    def greatest(self) -> Any:
        """The greatest of a set of integers; out of bounds if it is empty."""
        return wrap(build.extreme(n.MaxOf, self))

    def filter(self, keep: Callable[[Any], Any]) -> Any:
        """The members for which the predicate holds."""
        return wrap(_over_set(n.SetFilter, self, keep, lambda _: self.node.type))

    def map(self, image: Callable[[Any], Any]) -> Any:
        """The set of the function's values over the members."""
        return wrap(_over_set(n.SetMap, self, image, lambda body: Set(body.type)))

    def flatten(self) -> Any:
        """The union of a set of sets."""
        item = self.node.type.item  # type: ignore[attr-defined]
        if not isinstance(item, Set):
            return wrap(invalid(f"type clash: a set of sets is needed, not of {item!r}", self.node))
        return wrap(n.make(n.BigUnion, item, caller_span(), self.node))


class MapExpr(Value):
    """A total map."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        node, value = build.map_at(self.node, key)
        bad = wrong_part((node,))
        return wrap(bad or n.make(n.Apply, value, caller_span(), self.node, node))

    def set(self, key: Any, value: Any) -> Any:
        """The map with another value at the key."""
        node, value_type = build.map_at(self.node, key)
        parts = (node, as_node(value, value_type))
        return wrap(
            wrong_part(parts) or n.make(n.MapUpdate, self.node.type, caller_span(), self.node, *parts)
        )

    @property
    def range(self) -> Any:
        """The set of the map's values."""
        kind = self.node.type
        assert isinstance(kind, Map)
        return forall_keys(kind.key, lambda key: self[key])


def forall_keys(key: Type, value: Callable[[Any], Any]) -> Any:
    """The set of a function's values over all values of a type."""
    return wrap(as_node(key)).map(value)


class TupleExpr(Value):
    """A tuple."""

    __slots__ = ()

    def __getitem__(self, position: int) -> Any:
        kind = self.node.type
        assert isinstance(kind, Tuple)
        if not isinstance(position, int) or not 0 <= position < len(kind.items):
            return wrap(invalid(f"a {kind!r} has the components 0..{len(kind.items) - 1}", self.node))
        return wrap(n.make(n.Component, kind.items[position], caller_span(), self.node, position))


class RecordExpr(Value):
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


def unknown_name(what: str, name: str, known: list[str]) -> str:
    """`what` and the name, with the nearest known name or all of them."""
    near = difflib.get_close_matches(name, known, n=1)
    repair = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(known) or 'none'}"
    return f"{what} `{name}`: {repair}"


class OptionExpr(Value):
    """None or a value."""

    __slots__ = ()

    @property
    def is_some(self) -> BoolExpr:
        """Whether there is a value."""
        return BoolExpr(n.make(n.IsSome, BOOL, caller_span(), self.node))

    @property
    def is_none(self) -> BoolExpr:
        """Whether there is none."""
        return BoolExpr(build.negation(self.is_some))

    @property
    def value(self) -> Any:
        """The value; out of bounds if there is none."""
        item = self.node.type.item  # type: ignore[attr-defined]  # only options are wrapped so
        return wrap(n.make(n.Get, item, caller_span(), self.node))

    def or_else(self, default: Any) -> Any:
        """The value, or the default if there is none."""
        return wrap(build.if_then_else(self.is_some, self.value, default))


class UnionExpr(Value):
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


class SeqExpr(Value):
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
        node = build.integer(place)
        return wrap(wrong_part((node,)) or n.make(n.Index, self._kind.item, caller_span(), self.node, node))

    def set(self, place: Any, item: Any) -> Any:
        """The sequence with another item at a place that it has."""
        parts = (build.integer(place), as_node(item, self._kind.item))
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
        shorter = ite(
            self.length == 0,
            undefined(self._kind, "the tail of an empty sequence"),
            self.slice(2, self.length),
        )
        return shorter

    def append(self, item: Any) -> Any:
        """The sequence with one more item; its capacity grows, so only assigning it can go out of bounds."""
        return self.concat([item])

    def concat(self, other: Any) -> Any:
        """This sequence and then the other."""
        return wrap(build.concat(self.node, other))

    def slice(self, first: Any, last: Any) -> Any:
        """TLA+'s SubSeq: the items from place `first` to place `last`, both included."""
        parts = (build.integer(first), build.integer(last))
        return wrap(wrong_part(parts) or n.make(n.Slice, self._kind, caller_span(), self.node, *parts))

    def truncate(self, length: Any) -> Any:
        """The first `length` items; out of bounds if there are fewer."""
        return self.slice(1, length)

    def filter(self, keep: Callable[[Any], Any]) -> Any:
        """TLA+'s SelectSeq: the items for which the predicate holds, in their order."""
        return wrap(_over(n.SeqFilter, self.node, self._kind.item, keep, lambda _: self._kind))

    def items(self) -> Any:
        """The set of the items: TLA+'s Range."""
        return self.places.map(lambda place: self[place])


class InvalidExpr(Value):
    """A mistake: whatever is done with it is the same mistake, so that it is told once."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getitem__(self, _: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = __getitem__
    __and__ = __rand__ = __or__ = __ror__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__

    def __invert__(self) -> Any:
        return self


_WRAPPERS: dict[type[Type], type[Value]] = {
    Bool: BoolExpr,
    Int: IntExpr,
    Set: SetExpr,
    Map: MapExpr,
    Tuple: TupleExpr,
    Record: RecordExpr,
    Option: OptionExpr,
    Union: UnionExpr,
    Seq: SeqExpr,
}


def wrap(node: n.Node) -> Any:
    """The node as an expression of its type."""
    if isinstance(node, n.Invalid):
        return InvalidExpr(node)
    return _WRAPPERS.get(type(node.type), NamedExpr)(node)


def _over_set(
    kind: type[n.Node], domain: Any, body: Callable[..., Any], result: Callable[[n.Node], Type]
) -> n.Node:
    node = build.a_set(domain)
    if isinstance(node, n.Invalid):
        return node
    assert isinstance(node.type, Set)
    return _over(kind, node, node.type.item, body, result)


def _over(
    kind: type[n.Node],
    domain: n.Node,
    item: Type,
    body: Callable[[Any], Any],
    result: Callable[[n.Node], Type],
) -> n.Node:
    (name,) = build.bound_names(body)
    return build.bind(kind, item, name, lambda var: body(wrap(var)), result, domain)


def over(
    kind: type[n.Node], domain: Any, body: Callable[..., Any], result: Callable[[n.Node], Type]
) -> n.Node:
    """A quantifier or choice over a domain; several arguments of the body range over the same domain."""
    names = build.bound_names(body)
    if len(names) == 1:
        return _over_set(kind, domain, body, result)
    node = build.a_set(domain)
    if isinstance(node, n.Invalid):
        return node
    assert isinstance(node.type, Set)
    item = node.type.item

    def nested(taken: list[Any]) -> Any:
        if len(taken) == len(names):
            return body(*taken)
        return build.bind(
            kind, item, names[len(taken)], lambda var: nested([*taken, wrap(var)]), result, node
        )

    made = nested([])
    assert isinstance(made, n.Node)
    return made


def int_range(low: Any, high: Any) -> Any:
    """The set `low..high` of integers; empty if `low` is greater."""
    a, b = build.integer(low), build.integer(high)
    bad = wrong_part((a, b))
    if bad is not None:
        return wrap(bad)
    assert isinstance(a.type, Int) and isinstance(b.type, Int)
    item = Int(a.type.low, max(a.type.low, b.type.high))
    return wrap(n.make(n.IntRange, Set(item), caller_span(), a, b))


def ite(condition: Any, then: Any, orelse: Any) -> Any:
    """If-then-else; only the chosen arm is evaluated."""
    return wrap(build.if_then_else(condition, then, orelse))


def undefined(kind: Type, why: str) -> Any:
    """No value of the type: evaluating it is out of bounds."""
    return wrap(n.make(n.Undefined, kind, caller_span(), why))

"""The functions of the language: connectives, quantifiers, and values of structured types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang import rules
from leadline.symbolic.lang.expr import (
    BoolExpr,
    InvalidExpr,
    MapExpr,
    ite,
    over,
    undefined,
    unknown_name,
    wrap,
)
from leadline.symbolic.lang.gate import BOOL, Untyped, as_node, invalid, make_record, wrong_part
from leadline.symbolic.lang.gate import set_of as node_set
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import Option, Type


def all_of(*conditions: Any) -> BoolExpr:
    """Conjunction, evaluated from the left until one is false."""
    return BoolExpr(rules.connective(n.And, list(conditions)))


def any_of(*conditions: Any) -> BoolExpr:
    """Disjunction, evaluated from the left until one is true."""
    return BoolExpr(rules.connective(n.Or, list(conditions)))


def implies(premise: Any, conclusion: Any) -> BoolExpr:
    """Implication; the conclusion is evaluated only where the premise holds."""
    return BoolExpr(rules.implication(premise, conclusion))


def forall(domain: Any, body: Callable[..., Any]) -> BoolExpr:
    """Whether the body holds for every element of the domain (a type or a set).

    A body with several arguments ranges over the domain with each of them: TLA+'s `\\A a, b \\in S`.
    """
    return BoolExpr(over(n.Forall, domain, body, lambda _: BOOL))


def exists(domain: Any, body: Callable[..., Any]) -> BoolExpr:
    """Whether the body holds for some element of the domain (a type or a set)."""
    return BoolExpr(over(n.Exists, domain, body, lambda _: BOOL))


def choose(domain: Any, body: Callable[[Any], Any] = lambda x: True) -> Any:
    """TLA+'s CHOOSE: the first element, in the type's order, for which the body holds.

    One fixed function, as in TLA+. Out of bounds if there is none. For a free choice see `Next.choose_any`.
    """
    node = rules.a_set(domain)
    if isinstance(node, n.Invalid):
        return wrap(node)
    assert isinstance(node.type, Set)
    item = node.type.item
    return wrap(over(n.Choose, node, body, lambda _: item))


_NOTHING = object()
"""Tells an `otherwise` that is not given from the option's None."""


def case(*arms: tuple[Any, Any], otherwise: Any = _NOTHING) -> Any:
    """The value of the first arm whose condition holds; without `otherwise` and a true arm: out of bounds."""
    nodes = [as_node(value) if not rules.needs_type(value) else value for _, value in arms]
    typed = [node for node in nodes if isinstance(node, n.Node)]
    if otherwise is _NOTHING:
        if not typed:
            return wrap(invalid("the arms of case have no type: write of(TheType, ...)"))
        result = undefined(typed[0].type, "no arm of the case holds")
    else:
        result = otherwise
    for (condition, _), value in zip(reversed(arms), reversed(nodes), strict=True):
        result = ite(condition, wrap(value) if isinstance(value, n.Node) else value, result)
    return result


def set_of(*elements: Any) -> Any:
    """The set of the elements."""
    return wrap(node_set([as_node(element) for element in elements], caller_span()))


def map_of(key: Type, value: Callable[[Any], Any]) -> Any:
    """The map that gives each value of the key type the function's value: TLA+'s `[k \\in K |-> ...]`.

    The value may be a literal, such as a string, where the map is put into a place whose type is known.
    """
    names = rules.bound_names(value)
    if len(names) != 1:
        return wrap(invalid(f"the function takes {len(names)} arguments, and map_of needs one: the key"))
    return _map_of(key, value, names[0])


def _map_of(key: Type, value: Callable[[Any], Any], name: str) -> Any:
    literal: list[bool] = []

    def body(var: n.Bound) -> Any:
        written = value(wrap(var))
        literal.append(rules.needs_type(written))
        return written

    def bound(expected: Type | None) -> n.Node:
        return rules.bind(n.MapBuild, key, name, body, lambda x: Map(key, x.type), expected=expected)

    node = bound(None)
    if not literal[0]:
        return wrap(node)
    return (_LiteralMistake if isinstance(node, n.Invalid) else _LiteralMap)(node, key, bound)


class _Literal(Untyped):
    """A map whose values are literals, such as strings: read anew for the type that the place wants."""

    __slots__ = ("_bound", "_key")
    _bound: Callable[[Type | None], n.Node]
    _key: Type

    def __init__(self, node: n.Node, key: Type, bound: Callable[[Type | None], n.Node]) -> None:
        super().__init__(node)
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_bound", bound)

    def _as(self, expected: Type | None) -> n.Node:
        kind = expected.item if isinstance(expected, Option) else expected
        if not isinstance(kind, Map) or kind.key != self._key:
            return self.node
        return self._bound(kind.value)


class _LiteralMap(_Literal, MapExpr):
    """Such a map that is a value as it stands."""

    __slots__ = ()


class _LiteralMistake(_Literal, InvalidExpr):
    """Such a map that is a mistake unless the place wants a type."""

    __slots__ = ()


def of(kind: Type, /, *values: Any, **fields: Any) -> Any:
    """A value of a type.

    `of(Record, field=...)`, `of(Union, "tag", field=...)`, `of(Set, a, b)`, `of(Seq, a, b)`,
    `of(Tuple, a, b)`, and `of(Type, value)` for every other type.
    """
    span = caller_span()
    if isinstance(kind, Record) and not values:
        return wrap(make_record(kind, fields, span))
    if isinstance(kind, Union) and values and isinstance(values[0], str):
        return wrap(_variant(kind, values[0], fields))
    if fields:
        return wrap(invalid(f"of({kind!r}, ...) takes no fields by name here: {', '.join(fields)}"))
    match kind:
        case Set():
            return wrap(node_set([as_node(x, kind.item) for x in values], span, kind.item))
        case Seq() | Tuple():
            return wrap(as_node(list(values), kind))
    if len(values) != 1:
        return wrap(invalid(f"of({kind!r}, ...) takes one value, and is given {len(values)}"))
    return wrap(as_node(values[0], kind))


def _variant(kind: Union, tag: str, fields: dict[str, Any]) -> n.Node:
    if tag not in kind.by_tag:
        return invalid(unknown_name(f"a {kind!r} has no variant", tag, list(kind.by_tag)))
    payload = make_record(kind.by_tag[tag], fields, caller_span())
    if isinstance(payload, n.Const):
        return n.make(n.Const, kind, caller_span(), (tag, payload.value))
    return wrong_part((payload,)) or n.make(n.MakeVariant, kind, caller_span(), tag, payload)


def replace(record: Any, /, **fields: Any) -> Any:
    """The record with some fields changed: TLA+'s `[r EXCEPT !.f = ...]`."""
    node = as_node(record)
    kind = node.type
    if isinstance(node, n.Invalid) or not isinstance(kind, Record):
        return wrap(invalid(f"type clash: replace needs a record, and this is of {kind!r}", node))
    for name, value in fields.items():
        if name not in kind.positions:
            return wrap(invalid(unknown_name(f"a {kind!r} has no field", name, list(kind.positions)), node))
        position = kind.positions[name]
        part = as_node(value, kind.parts[position])
        if isinstance(part, n.Invalid):
            return wrap(part)
        node = n.make(n.ComponentUpdate, kind, caller_span(), node, position, part)
    return wrap(node)


def minimum(left: Any, right: Any) -> Any:
    """The lesser of two integers."""
    return ite(wrap(rules.comparison(n.Le, left, right)), left, right)


def maximum(left: Any, right: Any) -> Any:
    """The greater of two integers."""
    return ite(wrap(rules.comparison(n.Le, left, right)), right, left)


def number_where(domain: Any, body: Callable[[Any], Any]) -> Any:
    """How many elements of the domain satisfy the body."""
    return wrap(rules.a_set(domain)).filter(body).size

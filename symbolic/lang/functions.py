"""The functions of the language: connectives, quantifiers, sums, and values of structured types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import (
    Untyped,
    as_node,
    invalid,
    make_record,
    set_of as node_set,
    wrong_part,
)
from leadline.symbolic.lang.containers import AnyExpr, MapExpr, RecordExpr, SeqExpr, SetExpr, SetLike
from leadline.symbolic.lang.errors import unknown_name
from leadline.symbolic.lang.expr import (
    BoolExpr,
    BoolLike,
    BoundFunction,
    Expr,
    IntExpr,
    IntLike,
    InvalidExpr,
    ite,
    over_set,
    quantified,
    undefined,
    wrap,
)
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.types import MOST_PARTS, Int, Option, Type

Collected: TypeAlias = SetLike | MapExpr | SeqExpr


def all_of(*conditions: BoolLike) -> BoolExpr:
    """Conjunction, evaluated from the left until one is false."""
    return BoolExpr(rules.connective(n.And, list(conditions)))


def any_of(*conditions: BoolLike) -> BoolExpr:
    """Disjunction, evaluated from the left until one is true."""
    return BoolExpr(rules.connective(n.Or, list(conditions)))


def implies(premise: BoolLike, conclusion: BoolLike) -> BoolExpr:
    """Implication; the conclusion is evaluated only where the premise holds."""
    return BoolExpr(rules.implication(premise, conclusion))


def forall(*domains_and_body: SetLike | BoundFunction) -> BoolExpr:
    """Whether a function, the last argument, holds for every element of the domains, which are types or sets.

    `forall(S, lambda a: ...)`; `forall(S, lambda a, b: ...)` for TLA+'s `\\A a, b \\in S`;
    `forall(S, T, lambda a, b: ...)` for `\\A a \\in S, b \\in T`.
    """
    return BoolExpr(_quantifier(n.Forall, domains_and_body))


def exists(*domains_and_body: SetLike | BoundFunction) -> BoolExpr:
    """As `forall`: whether the function holds for some element of the domains."""
    return BoolExpr(_quantifier(n.Exists, domains_and_body))


def _quantifier(kind: type[n.Forall] | type[n.Exists], parts: tuple[SetLike | BoundFunction, ...]) -> n.Node:
    *domains, body = parts or (None,)
    sets = tuple(domain for domain in domains if not _is_function(domain))
    if not _is_function(body) or len(sets) < max(1, len(domains)):
        word = kind.__name__.lower()
        return invalid(f"{word} takes one or more domains and then a function: {word}(S, lambda x: ...)")
    return quantified(kind, sets, body)  # type: ignore[arg-type]  # told apart by the lines above


def _is_function(part: object) -> bool:
    return callable(part) and not isinstance(part, (Expr, Type))


def choose(domain: SetLike, body: BoundFunction = lambda x: True) -> AnyExpr:
    """TLA+'s CHOOSE: the first element, in the type's order, for which the body holds.

    One fixed function, as in TLA+. Out of bounds if there is none. For a free choice see `Next.choose_any`.
    """
    return wrap(over_set(n.Choose, domain, body))


# -- sums and folds ---------------------------------------------------------------------------------


def sum_of(collected: Collected, body: BoundFunction = lambda x: x) -> IntExpr:
    """The sum of a function's values over a type, a set, a map's values or a sequence's items.

    Args:
        collected: the type, set, map or sequence. Equal values of a map or sequence count each time.
        body: the integer to add for each; by default the element itself.
    """
    node = rules.literal_set(collected, None)
    value = wrap(node)
    if isinstance(node.type, Map):
        return _sum(wrap(as_node(node.type.key)), lambda key: body(value[key]))
    if isinstance(node.type, Seq):
        return _sum(value.places, lambda place: body(value[place]))
    return _sum(wrap(rules.a_set(value)), body)


def _sum(domain: SetExpr, body: BoundFunction) -> IntExpr:
    """A sum as the number of pairs of an element and a number up to the element's share of the sum.

    So it treats the members of a sort alike, and needs no operation of its own in any meaning.
    """
    shares = as_node(domain.map(body))
    if isinstance(shares, n.Invalid):
        return wrap(shares)
    low_high, item = rules.item_of(shares), rules.item_of(domain.node)
    if not isinstance(low_high, Int):
        return wrap(invalid(f"type clash: a sum needs integers, and these are of {low_high!r}", shares))
    low, height = low_high.low, low_high.high - low_high.low
    if item.capped * height > MOST_PARTS:
        text = f"a sum over {item!r} of numbers up to {low_high.high:,} has more than {MOST_PARTS:,} parts"
        return wrap(invalid(f"{text}: narrow the numbers' range", shares))
    if not height:
        return number_where(domain, lambda x: wrap(as_node(body(x))) == low) * low
    pairs = Tuple((item, Int(1, height)))

    def counts(pair: AnyExpr) -> BoolExpr:
        inside = isinstance(domain.node, n.Universe) or domain.has(pair[0])
        number = wrap(as_node(body(pair[0])))
        return all_of(inside, pair[1] <= (number - low if low else number))

    above = number_where(pairs, counts)
    return above + domain.size * low if low else above


_MOST_STEPS = 1_000
"""The most members that a fold over a set goes through: each is a part of one formula."""


def fold(collected: Collected, start: object, step: BoundFunction) -> AnyExpr:
    """The result of `step(so_far, element)` over all elements, one after the other, from `start` on.

    A set's members and a map's values come in the order of the type, a sequence's items from the first. Where
    the order does not matter and the elements are numbers, `sum_of` is smaller. A fold over a set of a sort's
    members tells these members apart.

    Args:
        collected: a type, a set, a map or a sequence.
        start: the value for no elements. The result has its type, with other ranges of integers.
        step: a function of the value so far and an element.
    """
    node = rules.literal_set(collected, None)
    value, result = wrap(node), wrap(as_node(start))
    match node.type:
        case Map() as kind:
            for key in kind.keys:
                result = wrap(as_node(step(result, value[of(kind.key, key)])))
        case Seq() as kind:
            for place in range(1, kind.capacity + 1):
                result = ite(value.length >= place, step(result, value[place]), result)
        case Set(item=item):
            if item.capped > _MOST_STEPS:
                text = f"a fold over {item!r} takes more than {_MOST_STEPS:,} steps: add up with sum_of"
                return wrap(invalid(text, node))
            for member in item.values():
                one = wrap(n.make(n.Const, item, caller_span(), member))
                result = ite(value.has(one), step(result, one), result)
        case kind:
            return wrap(
                invalid(f"type clash: fold needs a set, map or sequence, and this is of {kind!r}", node)
            )
    return result


def number_where(domain: SetLike, body: BoundFunction) -> IntExpr:
    """The number of elements of the domain for which the body holds."""
    return wrap(rules.a_set(domain)).filter(body).size


def minimum(left: IntLike, right: IntLike) -> IntExpr:
    """The lesser of two integers."""
    return ite(wrap(rules.comparison(n.Le, left, right)), left, right)


def maximum(left: IntLike, right: IntLike) -> IntExpr:
    """The greater of two integers."""
    return ite(wrap(rules.comparison(n.Le, left, right)), right, left)


# -- values -----------------------------------------------------------------------------------------

_NOTHING = object()
"""Marks an `otherwise` that is not given, since None is a value."""


def case(*arms: tuple[BoolLike, object], otherwise: object = _NOTHING) -> AnyExpr:
    """The value of the first arm whose condition holds; without `otherwise` and a true arm: out of bounds."""
    nodes = [as_node(value) if not rules.needs_type(value) else value for _, value in arms]
    typed = [node for node in nodes if isinstance(node, n.Node)]
    result: object = otherwise
    if otherwise is _NOTHING:
        if not typed:
            return wrap(invalid("the arms of case have no type: write of(T, ...), where T is their type"))
        result = undefined(typed[0].type, "no arm of the case holds")
    for (condition, _), value in zip(reversed(arms), reversed(nodes), strict=True):
        result = ite(condition, wrap(value) if isinstance(value, n.Node) else value, result)
    return wrap(as_node(result))


def set_of(*elements: object) -> SetExpr:
    """The set of the elements."""
    return wrap(node_set([as_node(element) for element in elements], caller_span()))


def map_of(key: Type, value: BoundFunction) -> MapExpr:
    """The map that gives each value of the key type the function's value: TLA+'s `[k \\in K |-> ...]`.

    The value may be a literal, such as a string, where the map is put into a place whose type is known.
    """
    names = rules.bound_names(value)
    if len(names) != 1:
        return wrap(invalid(f"the function takes {len(names)} arguments, and map_of needs one: the key"))
    literal: list[bool] = []

    def body(var: n.Bound) -> object:
        written = value(wrap(var))
        literal.append(rules.needs_type(written))
        return written

    def bound(expected: Type | None) -> n.Node:
        return rules.bind(n.MapBuild, key, names[0], body, expected=expected)

    node = bound(None)
    if not literal[0]:
        return wrap(node)
    made = _LiteralMistake if isinstance(node, n.Invalid) else _LiteralMap
    # A mistake has every operation, as has any other expression: see `wrap`.
    return made(node, key, bound)  # type: ignore[return-value]


class _Literal(Untyped):
    """A map whose values are literals, such as strings: read anew for the type that the place wants."""

    __slots__ = ("_bound", "_key")
    _bound: Callable[[Type | None], n.Node]
    _key: Type

    def __init__(self, node: n.Node, key: Type, bound: Callable[[Type | None], n.Node]) -> None:
        for name, value in (("node", node), ("_key", key), ("_bound", bound)):
            object.__setattr__(self, name, value)

    def _as(self, expected: Type | None) -> n.Node:
        kind = expected.item if isinstance(expected, Option) else expected
        if not isinstance(kind, Map) or kind.key != self._key:
            return self.node
        return self._bound(kind.value)


class _LiteralMap(_Literal, MapExpr):
    """A literal map that is a value as it stands."""


class _LiteralMistake(_Literal, InvalidExpr):
    """A literal map that is a mistake unless its place gives it a type."""


def of(kind: Type, /, *values: object, **fields: object) -> AnyExpr:
    """A value of a type.

    `of(Record, field=...)`, `of(Union, "tag", field=...)`, `of(Set, a, b)` or `of(Set, {a, b})`,
    `of(Seq, a, b)`, `of(Tuple, a, b)`, and `of(Type, value)` for every other type.
    """
    span = caller_span()
    if isinstance(kind, Record) and not values:
        return wrap(make_record(kind, fields, span))
    if isinstance(kind, Union) and values and isinstance(values[0], str):
        return wrap(_variant(kind, values[0], fields))
    if fields and isinstance(kind, Union):
        tags = ", ".join(f'"{tag}"' for tag in kind.by_tag)
        return wrap(invalid(f"of({kind!r}, ...) takes a variant before its fields: {tags}"))
    if fields:
        return wrap(invalid(f"of({kind!r}, ...) takes no fields by name here: {', '.join(fields)}"))
    if isinstance(kind, Set) and not (len(values) == 1 and _is_python_set(values[0], kind)):
        return wrap(node_set([as_node(x, kind.item) for x in values], span, kind.item))
    if isinstance(kind, (Seq, Tuple)):
        return wrap(as_node(list(values), kind))
    if len(values) != 1:
        return wrap(invalid(f"of({kind!r}, ...) takes one value, and is given {len(values)}"))
    return wrap(as_node(values[0], kind))


def _is_python_set(value: object, kind: Set) -> bool:
    """Whether a literal is the set itself rather than its one member."""
    return isinstance(value, (set, frozenset)) and not isinstance(kind.item, Set)


def _variant(kind: Union, tag: str, fields: Mapping[str, object]) -> n.Node:
    if tag not in kind.by_tag:
        return invalid(unknown_name(f"a {kind!r} has no variant", tag, list(kind.by_tag)))
    payload = make_record(kind.by_tag[tag], fields, caller_span())
    if isinstance(payload, n.Const):
        return n.make(n.Const, kind, caller_span(), (tag, payload.value))
    return wrong_part((payload,)) or n.make(n.MakeVariant, kind, caller_span(), tag, payload)


def replace(record: RecordExpr, /, **fields: object) -> RecordExpr:
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

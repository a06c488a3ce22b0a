"""Picks: the choice of an element of a set, on a path through an action or the initial states.

Picks that a guard fixes are left out: see `leadline.symbolic.tla.lower.fixed`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from leadline.symbolic.lang import (
    NEVER,
    TOO_MANY,
    Int,
    Map,
    Option,
    Pick,
    Set,
    Span,
    Type,
    Union,
    is_total,
    nodes as n,
)
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.builder import Body, Unlowerable, body_at, has_value
from leadline.symbolic.tla.lower.expressions import Lowering, is_empty
from leadline.symbolic.tla.lower.fixed import conjuncts, fixed_value, reads
from leadline.symbolic.tla.lower.infinite import (
    Cases,
    Domain,
    Filtered,
    FunctionsOf,
    PowerSet,
    Product,
    Spread,
    United,
    listed_parts,
)
from leadline.symbolic.tla.lower.terms import Terms

_MOST_PICKED = 1_024
"""The most values of a pick: where an expression may have more, what it depends on is picked."""
_MOST_SOUGHT = 65_536
"""The most values that a quantifier in a guard goes through."""


@dataclass(frozen=True)
class Way:
    """A path through a formula as far as it has been followed.

    Attributes:
        body: picks and guards.
        next: the values of the variables that it assigns, which may be outside of their types.
        name: the action that it belongs to.
        path: what is left of the path to a part: see `Part`.
        places: where it assigns them.
        defined: how many of these values have a value wherever the guards hold.
        fixed: see `Action`.
    """

    body: tuple[Pick | n.Node, ...] = ()
    next: tuple[tuple[str, n.Node], ...] = ()
    name: str = ""
    path: tuple[int, ...] = ()
    places: tuple[tuple[str, Span], ...] = ()
    defined: int = 0
    fixed: tuple[tuple[Pick, n.Node], ...] = ()

    def requiring(self, guard: n.Node) -> Way | None:
        """The path with one more guard; None if the guard is never true."""
        if isinstance(guard, n.Const):
            return self if guard.value else None
        way = self.with_values()
        return replace(way, body=(*way.body, guard))

    def with_values(self) -> Way:
        """The path where its next values have a value: as in TLC, their errors come before the guards behind."""
        partly = [value for _, value in self.next[self.defined :] if not is_total(value)]
        return replace(self, body=(*self.body, *map(has_value, partly)), defined=len(self.next))

    def defining(self, nodes: Iterable[n.Node]) -> Way:
        """The path where these have a value too."""
        partly = [has_value(x) for x in nodes if not is_total(x)]
        way = self.with_values() if partly else self
        return replace(way, body=(*way.body, *partly))

    @property
    def ends(self) -> bool:
        """Whether it never goes on, and is there for the errors in it alone."""
        return bool(self.body) and isinstance(self.body[-1], n.Const)


class Picks:
    """The making of picks.

    Args:
        lowering: the lowering of expressions.
        mark: what is put behind the names of picks.
    """

    def __init__(self, lowering: Lowering, mark: str) -> None:
        self._lowering = lowering
        self._terms = lowering.terms
        self._mark = mark

    def requiring(self, way: Way, guard: n.Node) -> Way | None:
        """The path with one more guard; a value that the guard seeks among very many is picked."""
        parts = [*conjuncts(guard)]
        if not any(map(_seeks_among_many, parts)):
            return way.requiring(guard)
        after: Way | None = way
        for part in parts:
            if after is not None and _seeks_among_many(part):
                assert isinstance(part, n.Exists)
                pick = self._pick(after, part.var.name, part.var.type, None)
                within = body_at(part, self._var(pick))
                after = self.requiring(replace(after, body=(*after.body, pick)), within)
            elif after is not None:
                after = after.requiring(part)
        return after

    def picked(self, way: Way, name: str, domain: Domain) -> Iterator[tuple[Way, n.Node]]:
        """The path with a pick of an element of a set, and the element; several paths for a union of sets."""
        way = way if isinstance(domain, n.Node) else way.defining(listed_parts(domain))
        match domain:
            case United():
                for part in domain.parts:
                    yield from self.picked(way, name, part)
            case Spread():
                for begun, element in self.picked(way, domain.name, domain.whole):
                    yield from self.picked(begun, name, domain.body(element))
            case Cases():
                for here, part in domain.parts:
                    if (after := way.requiring(here)) is not None:
                        yield from self.picked(after, name, part)
            case Product():
                yield from self._picked_product(way, name, domain, ())
            case FunctionsOf():
                inside = partial(self._lowering.member, domain=domain)
                yield from self._picked_where(way, name, self._lowering.type_of_functions(domain), inside)
            case Filtered():
                for after, element in self.picked(way, name, domain.whole):
                    within = after.requiring(domain.body(element))
                    if within is not None:
                        yield within, element
            case PowerSet():
                whole = self._terms.set_node(self._lowering.listed(domain.item))
                kind = self._type_of(PowerSet(whole)) or whole.type
                yield from self._picked_where(
                    way, name, kind, lambda x: self._terms.both_sets(n.Subset, x, whole)
                )
            case _:
                node = self._lowering.listed(domain)
                if slots.in_slots(node.type):
                    yield from self._picked_slot(way, name, node)
                else:
                    yield from self._picked_listed(way, name, self._terms.set_node(node))

    def _picked_where(self, way: Way, name: str, kind: Type, holds: Body) -> Iterator[tuple[Way, n.Node]]:
        """A pick of any value of a type for which this holds."""
        pick = self._pick(way, name, kind, None)
        var = self._var(pick)
        after = replace(way, body=(*way.body, pick)).requiring(holds(var))
        if after is not None:
            yield after, var

    def _type_of(self, domain: Domain) -> Type | None:
        """The type of which the elements of a constant set are picked as a whole; None if they are not."""
        match domain:
            case n.Const(type=Set(item=item)) if domain.value and not isinstance(item, Union):
                # Numbers that are far apart are few, but not their type.
                sparse = isinstance(item, Int) and item.cardinality > 2 * len(domain.value)
                return shapes.table_of(item, domain.value) if sparse else item
            case PowerSet(item=n.Const(type=Set(item=item)) as whole):
                return Set(self._type_of(whole) or item)
            case Product(keys=[_, _, *_] as keys):
                kinds = [self._type_of(part) for part in domain.parts]
                parts = [
                    (key.type, key.value, x) for key, x in zip(keys, kinds, strict=True) if x is not None
                ]
                kind = shapes.function_type(parts) if len(parts) == len(keys) else None
                return None if isinstance(kind, Map) and isinstance(kind.value, Option) else kind
        return None

    def _picked_product(
        self, way: Way, name: str, domain: Product, chosen: tuple[n.Node, ...]
    ) -> Iterator[tuple[Way, n.Node]]:
        place = len(chosen)
        kind = None if chosen else self._type_of(domain)
        if kind is not None:
            yield from self._picked_where(way, name, kind, partial(self._lowering.member, domain=domain))
            return
        if place == len(domain.parts):
            yield way, self._terms.function(list(zip(domain.keys, chosen, strict=True)))
            return
        for after, part in self.picked(way, name, domain.parts[place]):
            yield from self._picked_product(after, name, domain, (*chosen, part))

    def _picked_slot(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]]:
        """A pick of a place, where there is a member."""
        at = partial(slots.member_at, self._terms, node)
        for after, place in self._picked_where(way, name, slots.slots_of(node).key, lambda x: at(x)[0]):
            yield after, at(place)[1]

    def _picked_listed(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]]:
        assert isinstance(node.type, Set)
        if node.type.item == NEVER:
            # No member of what is no set: the path ends in an error.
            after = way.requiring(self._terms.of_nothing(node, self._terms.boolean(False)))
            if after is not None:
                yield after, self._terms.undefined(NEVER, "there is no element")
            return
        many = node.type.item.capped > _MOST_PICKED
        inside = self._picked_inside(way, name, node) if many or _is_alone(node) else None
        if inside is not None:
            yield from inside
            return
        if isinstance(node, n.Const):
            if not node.value:
                return
            if len(node.value) == 1 or node.type.item.width == TOO_MANY:
                # A pick of so large a type has no encoding.
                yield from ((way, one) for one in self._terms.elements(node) or [node])
                return
            every = node.type.item.has_exactly(len(node.value))
            pick = self._pick(way, name, node.type.item, None if every else node)
        elif isinstance(node, n.Universe):
            pick = self._pick(way, name, node.type.item, None)
        else:
            # Where the set is empty, errors of the values before are errors all the same.
            way = way.with_values()
            pick = self._pick(way, name, node.type.item, node)
        yield replace(way, body=(*way.body, pick)), self._var(pick)

    def _picked_inside(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]] | None:
        """A pick of what the elements of a set depend on; None if the set does not tell it."""
        match node:
            case n.SetMap(domain=domain):
                found = self._picked_listed(way, name, domain)
                return ((begun, body_at(node, element)) for begun, element in found)
            case n.Coerce(item=inner, type=Set(item=kind)) if isinstance(inner.type, Set):
                found = self._picked_listed(way, name, inner)
                return ((begun, self._terms.convert(element, kind)) for begun, element in found)
            case n.Ite(condition=test, then=then, orelse=orelse):
                arms = ((way.requiring(test), then), (way.requiring(self._terms.negation(test)), orelse))
                each = (self._picked_listed(after, name, part) for after, part in arms if after is not None)
                return itertools.chain.from_iterable(each)
            case n.SetUnion(left=left, right=right):
                both = way.with_values().defining((left, right))
                return itertools.chain(*(self._picked_listed(both, name, part) for part in (left, right)))
            case n.SetFilter(domain=domain):
                found = self._picked_listed(way, name, domain)
                kept = ((begun.requiring(body_at(node, element)), element) for begun, element in found)
                return ((begun, element) for begun, element in kept if begun is not None)
            case n.SetOf(items=[_, *_] as items):
                return self._picked_item(way.with_values().defining(items), name, items)
        return None

    def _picked_item(self, way: Way, name: str, items: Sequence[n.Node]) -> Iterator[tuple[Way, n.Node]]:
        """A pick of the place of one of some expressions."""
        element, terms = items[-1], self._terms
        if len(items) > 1:
            pick = self._pick(way, name, Int(1, len(items)), None)
            way = replace(way, body=(*way.body, pick))
            for place, item in enumerate(items[:-1], start=1):
                element = terms.ite(terms.equal(self._var(pick), terms.integer(place)), item, element)
        yield way, element

    def _pick(self, way: Way, name: str, kind: Type, domain: n.Node | None) -> Pick:
        taken = {one.name for one in way.body if isinstance(one, Pick)}
        plain = name.split("@")[0] + self._mark
        unique = next(x for x in (plain, *(f"{plain}_{i}" for i in range(2, 1_000))) if x not in taken)
        return Pick(unique, kind, domain, self._terms.place)

    def _var(self, pick: Pick) -> n.Node:
        return self._terms.plain(pick.node)


def _is_alone(node: n.Node) -> bool:
    """Whether a set is written with one member, wherever it has any: `IF test THEN {x} ELSE {}`."""
    if isinstance(node, n.Ite):
        return all(is_empty(arm) or _is_alone(arm) for arm in (node.then, node.orelse))
    return isinstance(node, n.SetOf) and len(node.items) == 1


def _seeks_among_many(formula: n.Node) -> bool:
    """Whether a formula is an existential quantifier over a type with too many values to go through."""
    if not isinstance(formula, n.Exists) or not isinstance(formula.domain, n.Universe):
        return False
    return formula.var.type.capped > _MOST_SOUGHT


def without_fixed(way: Way, terms: Terms) -> Way:
    """The path without the picks that a guard on it fixes."""
    body = [one for item in way.body for one in ([item] if isinstance(item, Pick) else conjuncts(item))]
    way = replace(way, body=tuple(body))
    for name in [item.name for item in body if isinstance(item, Pick)]:
        # Its domain may have been changed by the one before.
        pick = next(item for item in way.body if isinstance(item, Pick) and item.name == name)
        way = _without(pick, way, terms)
    return way


def _without(pick: Pick, way: Way, terms: Terms) -> Way:
    """The path without a pick if a guard fixes it, and its value may be asked for where the pick is first read."""
    begin = way.body.index(pick)
    var = pick.node
    equations = ((at, fixed_value(var, x)) for at, x in enumerate(way.body) if isinstance(x, n.Node))
    at, value = next(((at, x) for at, x in equations if x is not None), (0, None))
    if value is None or not _movable(pick, var, value, way.body[begin + 1 : at]):
        return way
    first = next(i for i, item in enumerate(way.body) if _reads(item, var))
    terms.place = pick.span
    try:
        inside = terms.member(value, terms.universe(pick.type) if pick.domain is None else pick.domain)
        known: dict[n.Node, n.Node] = {var: terms.convert(value, pick.type)}
        fixed = (replace(pick, domain=None), terms.equal(var, known[var]))
    except Unlowerable:
        return way
    items = (
        *way.body[:begin],
        *way.body[begin + 1 : first],
        inside,
        *way.body[first:at],
        *way.body[at + 1 :],
    )
    changed = terms.exchange(var, known[var])
    body = [_with(item, changed) for item in items]
    return replace(
        way,
        body=tuple(item for item in body if not (isinstance(item, n.Const) and item.value)),
        next=tuple((name, changed(x)) for name, x in way.next),
        fixed=(*((one, changed(x)) for one, x in way.fixed), fixed),
    )


def _movable(pick: Pick, var: n.Node, value: n.Node, between: tuple[Pick | n.Node, ...]) -> bool:
    """Whether a value may be in the place of a pick: nothing is evaluated that was not, and could have no value.

    Args:
        pick: the pick.
        var: the pick as an expression.
        value: what it is equal to.
        between: what stands between the pick and the equation.
    """
    first = next((i for i, item in enumerate(between) if _reads(item, var)), None)
    if first is not None:
        later = {item.name for item in between[first:] if isinstance(item, Pick)}
        if later & {one.name for one in n.postorder(value) if isinstance(one, n.PickVar)}:
            return False
        if not is_total(value):
            return False
    if pick.domain is None or (isinstance(pick.domain, n.Const) and pick.domain.value):
        return pick.type.capped > 0
    return all(is_total(x) for x in (value, pick.domain, *map(_expression, between)) if x is not None)


def _expression(item: Pick | n.Node) -> n.Node | None:
    return item.domain if isinstance(item, Pick) else item


def _reads(item: Pick | n.Node, var: n.Node) -> bool:
    node = _expression(item)
    return node is not None and reads(node, var)


def _with(item: Pick | n.Node, changed: Callable[[n.Node], n.Node]) -> Pick | n.Node:
    if not isinstance(item, Pick):
        return changed(item)
    return item if item.domain is None else replace(item, domain=changed(item.domain))

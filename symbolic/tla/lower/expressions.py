"""TLA+ expressions as expressions of the language: operators are inlined, constants computed.

A value whose variables are all known becomes a constant; whatever is decided by constants alone is left out.
Sets are gone through, asked for members, and made into functions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, TypeAlias

from leadline.symbolic.lang import (
    BOOL,
    MOST_PARTS,
    NEVER,
    Atoms,
    Graph,
    Int,
    Listed,
    Map,
    Mapped,
    Option,
    OutOfBounds,
    Seq,
    Set,
    Slots,
    Sort,
    Tuple,
    Type,
    Value,
    Work,
    is_total,
    item_of,
    largest,
    nodes as n,
    site,
    sorts_in,
)
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.builder import MOST_MEMBERS, Body, Unlowerable, body_at, has_value, is_large
from leadline.symbolic.tla.lower.comparison import clash, has_name, is_free, some_clash
from leadline.symbolic.tla.lower.first import First
from leadline.symbolic.tla.lower.fixed import certain, most_members
from leadline.symbolic.tla.lower.infinite import (
    Cases,
    Domain,
    Everything,
    Filtered,
    FunctionsOf,
    Numbers,
    PowerSet,
    Product,
    Sequences,
    Spread,
    United,
    Unlisted,
    listed_parts,
)
from leadline.symbolic.tla.lower.scope import (
    DEEPEST,
    Binding,
    BuiltIn,
    Entity,
    Later,
    Operator,
    Scope,
    Unsupported,
)
from leadline.symbolic.tla.lower.terms import Terms, is_function, is_set
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import (
    Analysis,
    cardinality_bound,
    members_in_order,
    sizes,
    unsubscripted,
)
from leadline.symbolic.tla.read.enabled import spoken
from leadline.symbolic.tla.read.guards import EACH
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.standard import LIBRARY
from leadline.symbolic.tla.read.syntax import operators

_OTHERS = "a value of another kind is compared with the members of the set"
MOST_UNROLLED = 200
"""The largest constant set over which a quantifier is written out."""


def _may_be_sequence(kind: Type) -> bool:
    return isinstance(kind, Tuple | Seq) or (isinstance(kind, Map) and isinstance(kind.key, Int))


_MOST_COPIES = 1_000
"""The most copies of a quantifier's body that are written out, the quantifiers around it counted too."""


def is_whole(node: n.Node) -> bool:
    """Whether a constant set has all values of its members' type."""
    if not isinstance(node, n.Const) or not isinstance(node.type, Set):
        return False
    return node.type.item.has_exactly(len(node.value))


def is_by_argument(images: n.SetMap, results: int) -> bool:
    """Whether images are gone through by their arguments: they always have a value, or are too many to list.

    Args:
        results: how many values may be made of an image: by a test two. The arguments make so many of each.
    """
    few = item_of(images.domain).capped * results
    return is_total(images.body) or item_of(images).capped > min(few, MOST_MEMBERS)


def is_empty(node: n.Node) -> bool:
    """Whether a set is the constant `{}`."""
    return isinstance(node, n.Const) and not node.value


_NOT_WRITTEN = (str(LIBRARY), s.BUILT_IN.file)
"""The files that no user has written."""
_MOST_ARGUMENTS = 64
_MOST_LENGTHS = 32
_MOST_SUBSETS = 5_000
_MOST_COMPARED, _MANY = 16, 4
"""CHOOSE compares at most so many numbers, and only where their type has so many times as many values."""
_MOST_CUT = 64


def _work(known: Mapping[str, Any]) -> Work:
    at: Lowering = known["self"]
    return Work(
        "lowering",
        known["e"].place,
        at.specification.operator_at,
        advice=lambda: largest(at.variables),
    )


Change: TypeAlias = tuple[Sequence[n.Node], s.Expression]
"""The path to a part of a value, and the part's new value."""


@dataclass(frozen=True)
class _Run:
    """The calls of a definition within itself in which only one argument changes.

    Attributes:
        calls: their number.
        kind: the type that holds all values of that argument.
        scope: the scope of the last call.
    """

    calls: int = 0
    kind: Type = NEVER
    scope: Scope | None = field(default=None, compare=False)


class Lowering:
    """The lowering of expressions.

    Args:
        specification: a loaded specification.
        variables: the type of each variable.
        sorts: the sort of each model value or string that is of one.

    Attributes:
        terms: makes the nodes.
        ranks: the places of names in the order of CHOOSE.
        first: finds what CHOOSE gives where the members are too many to list.
    """

    def __init__(
        self,
        specification: Specification,
        variables: Mapping[str, Type],
        sorts: Mapping[str, Sort] | None = None,
    ) -> None:
        self.specification = specification
        self.terms = Terms()
        self.terms.sorts = sorts or {}
        self.ranks = specification.ranks
        self.first = First(self.terms, self.ranks)
        self._orders: dict[Type, tuple[Value, ...]] = {}
        self._copies = 1  # the copies that are written of what is lowered now
        self.variables = variables
        self._known: dict[tuple[object, ...], Entity] = {}
        self.too_deep = 0
        self._cut = dict[str, int]()
        self.analysis = Analysis(specification.definitions, specification.levels.variables)
        self._runs: dict[str, list[_Run]] = {}
        self._recursive: dict[tuple[object, ...], tuple[Entity, *tuple[object, ...]]] = {}
        self.calls: dict[tuple[object, ...], tuple[Entity, *tuple[object, ...]]] = {}

    # -- sets: those whose members are listed, and those whose are not ----------------------------

    def quantifier(self, universal: bool, domain: Domain, name: str, body: Body) -> n.Node:
        """Whether the body holds for all elements, or for some."""
        over = self._over(universal, domain, name, body)
        return over if isinstance(domain, n.Node) else self.terms.once_defined(listed_parts(domain), over)

    def _over(self, universal: bool, domain: Domain, name: str, body: Body) -> n.Node:
        join = partial(self.terms.junction, universal)
        match domain:
            case Product():
                return self._over_product(universal, domain, name, body)
            case United():
                return join([self.quantifier(universal, part, name, body) for part in domain.parts])
            case Cases():
                return join(
                    [
                        self.terms.bounded(universal, here, self.quantifier(universal, part, name, body))
                        for here, part in domain.parts
                    ]
                )
            case Spread():
                each = lambda x: self.quantifier(universal, domain.body(x), name, body)  # noqa: E731  # short
                return self.quantifier(universal, domain.whole, domain.name, each)
            case Filtered():
                return self.quantifier(
                    universal,
                    domain.whole,
                    name,
                    lambda x: self.terms.bounded(universal, domain.body(x), body(x)),
                )
            case PowerSet() | FunctionsOf():
                every, inside = self.within_type(domain)
                bounded = lambda x: self.terms.bounded(universal, inside(x), body(x))  # noqa: E731  # short
                return self._over_elements(universal, every, name, bounded)
        node = self.listed(domain)
        if slots.in_slots(node.type):
            return slots.over(self.terms, universal, node, body)
        return self._over_listed(universal, self.terms.set_node(node), name, body)

    def _over_listed(self, universal: bool, node: n.Node, name: str, body: Body) -> n.Node:
        large = self.each(node)
        if large is not None:
            return self.terms.once_defined(large, self.terms.junction(universal, [body(x) for x in large]))
        written = self.written_out(node)
        if written is None or self._copies * len(written) > _MOST_COPIES:
            return self._over_elements(universal, node, name, body)
        parts: list[n.Node] = []
        outer, self._copies = self._copies, self._copies * max(1, len(written))
        try:
            for element in written:
                parts.append(body(element))
                if isinstance(parts[-1], n.Const) and parts[-1].value is not universal:
                    break
        finally:
            self._copies = outer
        return self.terms.junction(universal, parts)

    def _over_elements(self, universal: bool, node: n.Node, name: str, body: Body) -> n.Node:
        """A quantifier as a node of the language."""
        if item_of(node) == NEVER:
            return self.terms.of_nothing(node, self.terms.boolean(universal))
        if isinstance(node, n.SetMap) and is_by_argument(node, BOOL.capped):
            images, name = node, node.var.name  # what is bound is an element, not its image
            return self._over_listed(universal, images.domain, name, lambda x: self.at_image(images, x, body))
        return self.terms.bind(n.Forall if universal else n.Exists, node, name, body)

    def written_out(self, node: n.Node) -> list[n.Node] | None:
        """The elements of a small constant set, to be gone through one by one; None of those of sorts."""
        elements = self.terms.elements(node) if not sorts_in(node.type) else None
        return elements if elements is not None and len(elements) <= MOST_UNROLLED else None

    def each(self, node: n.Node) -> Sequence[n.Node] | None:
        """The elements as they are written, where their type has too many values to be listed."""
        return node.items if isinstance(node, n.SetOf) and item_of(node).capped > MOST_PARTS else None

    def choices(self, node: n.Node) -> list[n.Node] | None:
        """The elements that CHOOSE tries, in its order; None if they are not written out."""
        item = item_of(node)
        if item == NEVER or shapes.in_order(item, self.ranks):
            return self.written_out(node)
        if not isinstance(node, n.Const):
            return None
        return [self.terms.narrowed(item, x) for x in self.in_choice_order(item, node.value)]

    def order_of(self, item: Type) -> tuple[Value, ...]:
        """All values of a type in the order of CHOOSE; none if that is the type's order."""
        if item not in self._orders:
            ordered = shapes.in_order(item, self.ranks)
            self._orders[item] = () if ordered else self.in_choice_order(item, item.values())
        return self._orders[item]

    def in_choice_order(self, item: Type, values: Iterable[Value]) -> tuple[Value, ...]:
        """Values of a type in the order of CHOOSE."""
        return tuple(sorted(values, key=lambda x: shapes.choice_key(item, x, self.ranks)))

    def possible(self, node: n.Node) -> list[tuple[n.Node, n.Node]]:
        """The values that may be in a set, in the order of CHOOSE, each with whether it is."""
        written = self.choices(node)
        if written is not None:
            return [(self.terms.boolean(True), x) for x in written]
        item = item_of(node)
        values = [self.terms.narrowed(item, x) for x in self.order_of(item) or item.values()]
        return [(self.terms.among(x, node), x) for x in values]

    def functions(self, domain: Domain) -> Iterator[n.Const]:
        """The functions to sets of a constant set, in the order of CHOOSE, each made when it is asked for."""
        if not isinstance(domain, Product) or len({*map(id, domain.parts)}) != 1:
            return
        part = self.terms.set_node(self.listed(domain.parts[0]))
        item = item_of(part)
        if not isinstance(part, n.Const) or shapes.in_order(item, self.ranks):
            return
        if sorts_in(item):
            raise Unlowerable("a choice among constants names interchangeable values")
        kind = self._with_values_in_order(domain)
        if kind is not None:
            values = self.in_choice_order(item, part.value)
            for chosen in itertools.product(values, repeat=len(domain.keys)):
                yield self.terms.const(kind, chosen)

    def _with_values_in_order(self, product: Product) -> Tuple | Map | None:
        """The type of functions to constant sets, if their values lie in the order of the keys as they are."""
        items = [item_of(self.terms.set_node(self.listed(part))) for part in product.parts]
        kind = shapes.function_type(
            [(key.type, key.value, item) for key, item in zip(product.keys, items, strict=True)]
        )
        if isinstance(kind, Tuple):
            return kind
        keys = [key.value for key in product.keys]
        if not isinstance(kind, Map) or [*kind.keys] != keys or {*items} != {kind.value}:
            return None
        return kind if shapes.in_order(kind.key, self.ranks) else None

    def _computed(self, kind: Type, body: Body) -> Callable[[Value], Value] | None:
        with suppress(Unsupported, Unlowerable):
            return self.terms.computed(kind, body)
        return None  # Constants alone have a symbolic form, as those of which a set of many more is made.

    def _computed_over(self, universal: bool, product: Product, body: Body) -> n.Node | None:
        """`_over_product` of constant sets, with the body made once; None if the body depends on anything else."""
        sets = [part.value for part in product.parts if isinstance(part, n.Const) and not sorts_in(part.type)]
        if len(sets) < len(product.parts) or math.prod(map(len, sets)) <= MOST_UNROLLED:
            return None
        kind = self._with_values_in_order(product)
        holds = None if kind is None else self._computed(kind, body)
        if holds is None:
            return None
        results = map(holds, itertools.product(*sets))
        with suppress(OutOfBounds):
            return self.terms.boolean(all(results) if universal else any(results))
        return None

    def _over_product(self, universal: bool, product: Product, name: str, body: Body) -> n.Node:
        computed = self._computed_over(universal, product, body)
        if computed is not None:
            return computed

        def rest(chosen: tuple[n.Node, ...]) -> n.Node:
            if len(chosen) == len(product.parts):
                return body(self.terms.function(list(zip(product.keys, chosen, strict=True))))
            return self.quantifier(universal, product.parts[len(chosen)], name, lambda x: rest((*chosen, x)))

        return rest(())

    def mapped(self, domain: Domain, name: str, of: Body) -> n.Node:
        """The set of a function's values over a set."""
        node = self.listed(domain)
        if slots.in_slots(node.type):
            return slots.image(self.terms, node, of)
        return self._images(self.terms.set_node(node), name, of)

    def _images(self, node: n.Node, name: str, of: Body) -> n.Node:
        """As `mapped`, of a set, or of a function that is the set of its pairs."""
        written = self.written_out(node)
        if written is not None:
            return self.terms.set_of([of(x) for x in written])
        large = self.each(node)
        if large is not None:
            return self.terms.once_defined(large, self.terms.set_of([of(x) for x in large]))
        if item_of(node) == NEVER:
            return node
        match node:
            case n.Ite(then=then, orelse=orelse) if is_empty(then) or is_empty(orelse):
                return self.terms.ite(
                    node.condition, self._images(then, name, of), self._images(orelse, name, of)
                )
            case n.SetMap() if is_by_argument(node, item_of(node).capped):
                return self._images(node.domain, node.var.name, lambda x: self.at_image(node, x, of))
        found = self.terms.bind(n.SetMap, node, name, of)
        if isinstance(node, n.SetMap) and is_by_argument(node, item_of(found).capped):
            return self._images(node.domain, node.var.name, lambda x: self.at_image(node, x, of))
        return node if isinstance(found, n.SetMap) and found.body is found.var else found

    def filtered(self, node: n.Node, name: str, body: Body) -> n.Node:
        """The elements of a set for which the body holds."""
        if slots.in_slots(node.type):
            return slots.kept(self.terms, node, body)
        return self._kept(self.terms.set_node(node), name, body)

    def _kept(self, node: n.Node, name: str, body: Body) -> n.Node:
        """As `filtered`, of a set, or of a function that is the set of its pairs."""
        written = None if isinstance(node.type, Graph) else self.written_out(node)
        if written is not None:
            tests = [(x, body(x)) for x in written]
            if all(isinstance(test, n.Const) for _, test in tests):
                return self.terms.set_of([x for x, test in tests if isinstance(test, n.Const) and test.value])
        item = item_of(node)
        if item == NEVER:
            return node
        match node:
            case n.Ite(then=then, orelse=orelse) if is_empty(then) or is_empty(orelse):
                arms = (self._kept(x, name, body) if not is_empty(x) else x for x in (then, orelse))
                return self.terms.ite(node.condition, *arms)
            case n.SetMap() if is_by_argument(node, BOOL.capped):
                kept = self._kept(node.domain, node.var.name, lambda x: self.at_image(node, x, body))
                return self._images(kept, node.var.name, lambda x: body_at(node, x))
        return self.terms.bind(n.SetFilter, node, name, body)

    def at_image(self, images: n.SetMap, element: n.Node, of: Body) -> n.Node:
        """The result of a function of an element's image; out of bounds where any part of the image is.

        `{f(x) : x \\in {g(y) : y \\in S}}` is `{f(g(y)) : y \\in S}`. So the values of `g`, which may be far more
        than the elements of `S`, need not be listed. Where `g` may have no value, `f` may not ask for all of it.
        """
        image = body_at(images, element)
        found = of(image)
        if is_total(image):
            return found
        nothing = self.terms.undefined(found.type, "an element has no value")
        return self.terms.ite(has_value(image), found, nothing)

    def listed(self, domain: Domain) -> n.Node:
        """A set with its members listed.

        Raises:
            Unlowerable: if there are too many.
        """
        match domain:
            case n.Node():
                return domain
            case PowerSet() | FunctionsOf():
                if isinstance(domain, PowerSet):
                    elements = self.terms.elements(self.terms.set_node(self.listed(domain.item)))
                    if elements is not None and len(elements) <= 10:
                        return self._subsets(elements, range(len(elements) + 1))
                every, inside = self.within_type(domain)
                return self.terms.bind(n.SetFilter, every, "x", inside)
            case Product():
                return self._listed_product(domain)
            case United():
                return reduce(partial(self.terms.both_sets, n.SetUnion), map(self.listed, domain.parts))
            case Spread():
                each = lambda x: self.terms.set_node(self.listed(domain.body(x)))  # noqa: E731  # short
                return self.terms.big_union(self.mapped(domain.whole, domain.name, each))
            case Cases():
                chosen = self.terms.set_of([])
                for here, case in domain.parts:
                    chosen = self.terms.ite(here, self.listed(case), chosen)
                return chosen
            case Filtered():
                return self.filtered(self.listed(domain.whole), domain.name, domain.body)
        raise Unlowerable("the members of an infinite set cannot be listed")

    def _subsets(self, elements: Sequence[n.Node], sizes: range) -> n.Node:
        """The sets of so many elements."""
        found = (self.terms.set_of(one) for size in sizes for one in itertools.combinations(elements, size))
        return self.terms.set_of([*found])

    def within_type(self, domain: PowerSet | FunctionsOf) -> tuple[n.Node, Body]:
        """All values of the type of a set's members, and the test of those that are members.

        Raises:
            Unlowerable: if functions are too many for maps.
        """
        if isinstance(domain, FunctionsOf):
            values = self.terms.set_node(self.listed(domain.values))
            key = item_of(domain.arguments)
            if isinstance(key, Listed) or shapes.is_message(key) or key.capped > shapes.MOST_KEYS:
                raise Unlowerable("[S -> T] where S is no constant and may have too many members")
            every = self.terms.universe(Map(key, Mapped(item_of(values))))
            return every, lambda x: self.member(x, domain)
        whole = self.terms.set_node(self.listed(domain.item))
        return self.terms.universe(whole.type), lambda x: self.terms.both_sets(n.Subset, x, whole)

    def product(self, parts: Sequence[Domain]) -> Product:
        """The tuples that have a member of each set at its place."""
        return Product(tuple(map(self.terms.integer, range(1, len(parts) + 1))), tuple(parts))

    def _listed_product(self, domain: Product) -> n.Node:
        def rest(chosen: tuple[n.Node, ...]) -> n.Node:
            place = len(chosen)
            if place == len(domain.parts):
                return self.terms.function(list(zip(domain.keys, chosen, strict=True)))
            found = self.mapped(domain.parts[place], "x", lambda x: rest((*chosen, x)))
            return self.terms.big_union(found) if place + 1 < len(domain.parts) else found

        later = (x for part in domain.parts[1:] for x in listed_parts(part))
        found = rest(()) if domain.parts else self.terms.set_of([self.terms.make_tuple([])])
        return self.terms.once_defined(later, found)

    def member(self, element: n.Node, domain: Domain) -> n.Node:
        """`element \\in domain`."""
        if isinstance(domain, n.Node):
            return self.terms.member(element, domain)
        return self.terms.once_defined(listed_parts(domain), self._in_unlisted(element, domain))

    def _in_unlisted(self, element: n.Node, domain: Unlisted) -> n.Node:
        terms = self.terms
        match domain:
            case Everything():
                return self._is_string(element) if domain.strings else terms.boolean(True)
            case United():
                # TLC looks into the sets that are listed first.
                listed_first = sorted(domain.parts, key=lambda part: not isinstance(part, n.Node))
                return terms.disj([self.member(element, part) for part in listed_first])
            case Spread(whole=whole, name=name, body=body):
                return self.quantifier(False, whole, name, lambda x: self.member(element, body(x)))
            case Cases():
                return terms.disj(
                    [terms.conj([here, self.member(element, part)]) for here, part in domain.parts]
                )
            case Filtered():
                return terms.conj([self.member(element, domain.whole), domain.body(element)])
            case Numbers(least=least):

                def above(x: n.Node) -> n.Node:
                    if least is None:
                        return terms.of_nothing(x, terms.boolean(True))
                    return terms.le(terms.integer(least), x)

                return terms.of_kind(element, lambda kind: isinstance(kind, Int), above, _OTHERS)
            case PowerSet(item=item):
                below = partial(self._all_members, domain=item)
                return terms.of_kind(element, is_set, below, _OTHERS)
            case Sequences():
                items = partial(self._all_items, domain=domain.item)
                return terms.of_kind(element, _may_be_sequence, items, _OTHERS)
            case Product():
                return terms.of_kind(element, is_function, lambda x: self._in_product(x, domain), _OTHERS)
            case FunctionsOf():
                return terms.of_kind(element, is_function, lambda x: self._in_functions(x, domain), _OTHERS)

    def _in_functions(self, element: n.Node, domain: FunctionsOf) -> n.Node:
        """Whether a function is among those of a set that depends on the state."""
        terms = self.terms
        here = terms.equal(terms.domain(element), domain.arguments)
        fit = lambda key: self.member(terms.apply(element, key), domain.values)  # noqa: E731  # short
        return terms.conj([here, self.quantifier(True, domain.arguments, "key", fit)])

    def _is_string(self, element: n.Node) -> n.Node:
        terms = self.terms

        def test(x: n.Node) -> n.Node:
            assert isinstance(x.type, Atoms | Sort)
            here = has_name(terms, x, [*filter(shapes.is_string, x.type.members)])
            others = terms.undefined(BOOL, _OTHERS)
            return terms.disj([here, terms.ite(is_free(terms, x), terms.boolean(False), others)])

        return terms.of_kind(element, lambda kind: isinstance(kind, Atoms | Sort), test, _OTHERS)

    def _all_members(self, element: n.Node, domain: Domain) -> n.Node:
        if isinstance(domain, n.Node):
            return self.terms.subset(element, domain)
        return self.quantifier(True, element, "x", lambda x: self.member(x, domain))

    def _all_items(self, element: n.Node, domain: Domain) -> n.Node:
        node = self.terms.as_sequence(element)
        places = self.terms.interval(self.terms.integer(1), self.terms.length(node))
        return self.quantifier(True, places, "i", lambda i: self.member(self.terms.apply(node, i), domain))

    def _in_product(self, element: n.Node, domain: Product) -> n.Node:
        """Whether a function is among those of a product."""
        terms = self.terms
        keys = terms.domain(element)
        keys_here = terms.set_of(domain.keys)
        if domain.functions:
            here = terms.equal(keys, keys_here)
        else:
            refused = some_clash(
                terms, keys, lambda x: terms.disj([clash(terms, x, key) for key in domain.keys])
            )
            here = terms.ite(refused, terms.undefined(BOOL, _OTHERS), terms.same(keys, keys_here))
        if isinstance(here, n.Const) and not here.value:
            return here
        if sorts_in(keys.type) and len(set(map(id, domain.parts))) == 1 and is_whole(keys_here):
            each = lambda x: self.member(terms.apply(element, x), domain.parts[0])  # noqa: E731  # short
            return terms.conj([here, self._over_elements(True, keys_here, "x", each)])
        pairs = zip(domain.keys, domain.parts, strict=True)
        return terms.conj([here, *(self.member(terms.apply(element, key), part) for key, part in pairs)])

    def function(self, domain: n.Node, name: str, body: Body) -> n.Node:
        """`[x \\in S |-> e]`."""
        terms = self.terms
        if slots.in_slots(domain.type):
            return slots.function(terms, domain, body)
        domain = terms.set_node(domain)
        elements = terms.elements(domain)
        every = is_whole(domain) and sorts_in(domain.type)
        if elements is not None and not every:
            return terms.function([(x, body(x)) for x in elements if isinstance(x, n.Const)])
        if isinstance(domain, n.IntRange) and isinstance(domain.low, n.Const) and domain.low.value == 1:
            return self._sequence(domain, body)
        key = item_of(domain)
        if key == NEVER:
            return terms.of_nothing(domain, terms.make_tuple([]))
        large = shapes.is_message(key) or key.capped > shapes.MOST_KEYS
        if not isinstance(key, Listed) and (large or terms.has_few(domain, key)):
            return self._graph(domain, body)
        if every or isinstance(domain, n.Universe):
            return terms.bind(n.MapBuild, key, name, body)

        def held(x: n.Node) -> n.Node:
            found = body(x)
            kind = Mapped(found.type)
            return terms.ite(terms.among(x, domain), terms.some(found, kind), terms.const(kind, None))

        return terms.bind(n.MapBuild, key, name, held)

    def _graph(self, domain: n.Node, body: Body) -> n.Node:
        """`[x \\in S |-> e]` as the set of its pairs."""
        terms = self.terms

        def pair(x: n.Node) -> n.Node:
            return terms.make_tuple([x, body(x)])

        if isinstance(domain, n.SetOf):
            return terms.graph([pair(x) for x in domain.items])
        if isinstance(domain, n.SetMap) and is_total(domain.body):
            inner, of = domain, pair
            return terms.images(inner.domain, lambda x: of(body_at(inner, x)))
        return terms.images(domain, pair)

    def _sequence(self, domain: n.IntRange, body: Body) -> n.Node:
        terms = self.terms
        assert isinstance(domain.high.type, Int)
        places = list(map(terms.integer, range(1, domain.high.type.high + 1)))
        items = [(terms.le(place, domain.high), body(place)) for place in places]
        kind = shapes.joined(x.type for _, x in items)
        if not kind.capped:
            nothing = terms.undefined(NEVER, "an item of the sequence has no value")
            return terms.ite(terms.lt(domain.high, terms.integer(1)), terms.make_tuple([]), nothing)
        return terms.beginning(items, kind, domain.high)

    # -- expressions ------------------------------------------------------------------------------

    def value(self, e: s.Expression, scope: Scope) -> n.Node:
        """An expression as a node.

        Raises:
            Unsupported: if it has no symbolic form.
        """
        found = self.domain(e, scope)
        if isinstance(found, n.Node):
            return found
        with self.at(e):
            return self.listed(found)

    @site(_work)
    def entity(self, e: s.Expression, scope: Scope) -> Entity:
        """An expression as a node, a set that is not listed, or an operator."""
        with self.at(e):
            return _RULES[type(e)](self, e, scope)

    @contextmanager
    def at(self, e: s.Node) -> Iterator[None]:
        """Give new nodes the place of an expression, in a library module that of the expression that calls it."""
        before = self.terms.place
        if not e.place.file.startswith(_NOT_WRITTEN):
            self.terms.place = e.place
        try:
            yield
        except Unlowerable as error:
            raise Unsupported(self.terms.place, str(error)) from error
        finally:
            self.terms.place = before

    def truth(self, e: s.Expression, scope: Scope) -> n.Node:
        """An expression as a Boolean."""
        with self.at(e):
            return self.terms.truth(self.value(e, scope))

    def _at(self, e: s.At, scope: Scope) -> Entity:
        assert scope.at is not None
        return scope.at

    def _case(self, e: s.Case, scope: Scope) -> Entity:
        if not e.arms:
            return self.terms.undefined(NEVER, "no arm of the CASE holds")
        (guard, arm), *others = e.arms
        behind = e.other if e.other is not None and not others else replace(e, arms=tuple(others))
        condition = self.truth(guard, scope)
        if isinstance(condition, n.Const):
            return self.entity(arm if condition.value else behind, scope)
        found = certain(condition)
        nothing = self.terms.undefined(NEVER, "the condition has no value")
        then = nothing if found is False else self.value(arm, scope)
        otherwise = nothing if found is True else self.value(behind, scope)
        return self.terms.ite(condition, then, otherwise)

    def defined(self, e: s.Let, scope: Scope) -> Scope:
        """The scope of a LET's body."""
        names: dict[str, Binding] = {}
        inner = scope.having(names)
        # The definitions see each other and themselves.
        object.__setattr__(inner, "names", {**scope.names, **names})
        for unit in e.definitions:
            if isinstance(unit, s.Definition):
                operator = Operator(unit.parameters, unit.body, inner)
                entity = operator if unit.parameters else Later(unit.body, inner)
                inner.names[unit.name] = entity  # type: ignore[index]  # a dict of our own
        return inner

    def _named(self, one: Later, scope: Scope) -> Entity:
        """The meaning of a name where it is used: primed, or for the next values that are known there."""
        primed = scope.primed or one.scope.primed
        if not primed and scope.now is None and not self._about_steps(one):
            if one.found is None:
                one.found = self.entity(one.body, one.scope)
            return one.found
        known = one.found_for
        if known is None or known[0] is not scope.now or known[1] is not scope.next or known[2] is not primed:
            inner = replace(one.scope, primed=primed, next=scope.next, now=scope.now)
            known = one.found_for = (scope.now, scope.next, primed, self.entity(one.body, inner))
        return known[3]

    def _about_steps(self, one: Later) -> bool:
        if one.about_steps is None:
            one.about_steps = False  # for a name in its own definition
            inside = [one.scope.names[x] for x in operators(one.body) if x in one.scope.names]
            one.about_steps = self.specification.levels.of(one.body) >= Level.ACTION or any(
                isinstance(x, Later) and self._about_steps(x) for x in inside
            )
        return one.about_steps

    # -- names and operators ----------------------------------------------------------------------

    def _apply(self, e: s.Apply, scope: Scope) -> Entity:
        name, arguments = e.operator, e.arguments
        if name in scope.names:
            found = scope.names[name]
            if isinstance(found, Later):
                found = self._named(found, scope)
            return self.call(found, arguments, scope) if isinstance(found, Operator | BuiltIn) else found
        if name in self.specification.definitions:
            return self._definition(e, scope)
        if name in self.specification.levels.variables:
            return self.variable(name, scope)
        return self.built_in(e, scope)

    def variable(self, name: str, scope: Scope) -> n.Node:
        """The value of a variable, or its next value."""
        if not scope.primed:
            if scope.now is not None:
                return scope.now[name]
            return n.make(n.StateVar, self.variables[name], self.terms.place, name)
        if name not in scope.next:
            told = f"{spoken(name)}' is read before it has a value"
            return self.terms.undefined(self.variables.get(name, NEVER), told)
        return scope.next[name]

    def _definition(self, e: s.Apply, scope: Scope) -> Entity:
        definition = self.specification.definitions[e.operator]
        if definition.parameters and not e.arguments:
            return BuiltIn(e.operator)
        return self.inlined(definition, e.arguments, scope)

    def inlined(self, definition: s.Definition, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
        """A definition's body with its arguments."""
        inner = self.entered(definition, arguments, scope)
        if inner is None:
            return self.terms.undefined(NEVER, f"{definition.name} calls itself more than {DEEPEST} times")
        depth = inner.depths[definition.name]
        if depth > 1:
            inner = self._with_listed(definition.parameters, definition.body, inner)
            found = self._by_values(definition, inner)
            if found is not None:
                return found
        key = self._dependence(definition, inner)
        if key is None:
            return self._within(definition, inner, _Run())
        for known in (key, (*key, depth)):
            if known in self._known:
                return self._known[known]
        before = self.too_deep
        result = self._within(definition, inner, _Run())
        self._known[key if before == self.too_deep else (*key, depth)] = result
        return result

    def _with_listed(self, parameters: Sequence[s.Parameter], body: s.Expression, inner: Scope) -> Scope:
        """The scope of a recursive call with the members of sets listed.

        A set that is only described, such as `R \\cup {x \\in S \\X T : P(R)}`, is described anew wherever it is
        asked for members, and there are more such places in each further call.
        """
        if self.specification.levels.of(body) > Level.STATE:
            return inner  # A parameter may stand for its next value.
        names = dict(inner.names)
        for parameter in parameters:
            one = names[parameter.name]
            with suppress(Unsupported, Unlowerable):
                value = self._named(one, inner) if isinstance(one, Later) else one
                if isinstance(value, United | Spread | Filtered):
                    names[parameter.name] = self.listed(value)
        return replace(inner, names=names)

    def _within(self, definition: s.Definition, inner: Scope, run: _Run) -> Entity:
        runs = self._runs.setdefault(definition.name, [])
        runs.append(replace(run, scope=inner))
        try:
            return self.entity(definition.body, inner)
        finally:
            runs.pop()

    def _by_values(self, definition: s.Definition, inner: Scope) -> n.Node | None:
        """The value of a definition in itself, where one argument alone has changed and has few values; else None.

        What it is for each of these values is found once. Where there have been more calls than values, one has
        come again, and the recursion does not end.
        """
        run = (self._runs.get(definition.name) or [_Run()])[-1]
        if run.scope is None:
            return None
        fixed, changed = list[n.Node](), list[tuple[str, n.Node]]()
        for name in [parameter.name for parameter in definition.parameters]:
            mine, before = (self._argument_in(scope, name) for scope in (inner, run.scope))
            if mine is None or before is None:
                return None
            if mine is before:
                fixed.append(mine)
            else:
                changed.append((name, mine))
        ((name, argument),) = changed if len(changed) == 1 else [("", None)]
        if argument is None or isinstance(argument, n.Const) or argument.type.capped > _MOST_ARGUMENTS:
            return None
        run = _Run(run.calls + 1, shapes.join(run.kind, argument.type))
        if run.calls > run.kind.capped:
            return self.terms.undefined(NEVER, f"{definition.name} calls itself for ever")
        result: n.Node = self.terms.undefined(NEVER, f"{definition.name} has no such argument")
        for value in reversed([self.terms.narrowed(argument.type, x) for x in argument.type.values()]):
            found = self._at_value(definition, inner, (name, value), fixed, run)
            if not isinstance(found, n.Node):
                return None
            result = self.terms.ite(self.terms.equal(argument, value), found, result)
        return result

    def _at_value(
        self,
        definition: s.Definition,
        inner: Scope,
        given: tuple[str, n.Node],
        fixed: list[n.Node],
        run: _Run,
    ) -> Entity:
        around = ((name, runs[-1].calls) for name, runs in self._runs.items() if runs)
        key = (*given, definition.name, inner.primed, id(inner.next), id(inner.now), run, *fixed, *around)
        if key not in self._recursive:
            scope = replace(inner, names={**inner.names, given[0]: given[1]})
            # The objects of which the key has the numbers are kept with the value.
            self._recursive[key] = (self._within(definition, scope, run), inner.next, inner.now)
        return self._recursive[key][0]

    def _argument_in(self, scope: Scope, name: str) -> n.Node | None:
        """The value of a parameter; None if it is none, or has no symbolic form: it may not be needed."""
        one = scope.names[name]
        try:
            value = self._named(one, scope) if isinstance(one, Later) else one
        except Unsupported:
            return None
        return value if isinstance(value, n.Node) else None

    def _dependence(self, definition: s.Definition, inner: Scope) -> tuple[object, ...] | None:
        """All that the value of a definition depends on; None if that is more than values.

        A definition that is called for some value of its argument depends on the calls around it too, and so do
        those that mention it.
        """
        calling = {name for name, runs in self._runs.items() if runs and runs[-1].calls}
        around = calling and {definition.name, *self.analysis.reached(definition.name)} & calling
        if self.specification.levels.of_definition(definition.name) > Level.STATE or around:
            return None
        key: list[object] = [definition.name]
        for parameter in definition.parameters:
            value = self._argument_in(inner, parameter.name)
            if value is None:
                return None
            key.append(value)
        values = inner.next if inner.primed else inner.now
        return (*key, inner.primed, None if values is None else frozenset(values.items()))

    def entered(
        self, definition: s.Definition, arguments: Sequence[s.Expression], scope: Scope
    ) -> Scope | None:
        """The scope of a definition's body; None if it has called itself too often."""
        depths = self.deeper(definition.name, definition.name, scope)
        if depths is None:
            return None
        return scope.calling(Scope(self.bound(definition.parameters, arguments, scope)), depths)

    def deeper(self, key: str, name: str, scope: Scope) -> dict[str, int] | None:
        """The depths of the calls that recursive operators are in, with one more call; None if that is too deep.

        Args:
            key: the operator's key among the depths.
            name: its name, for messages.
            scope: the scope of the call.

        Raises:
            Unlowerable: if calls are too deep in many ways: where each call makes two, there are millions.
        """
        depth = scope.depths.get(key, 0) + 1
        if depth == 1:
            self._cut[key] = 0
        if depth <= DEEPEST:
            return {**scope.depths, key: depth}
        self.too_deep += 1
        self._cut[key] += 1
        if self._cut[key] > _MOST_CUT:
            raise Unlowerable(f"{name} calls itself more than {DEEPEST} times, in over {_MOST_CUT} ways")
        return None

    def bound(
        self, parameters: Sequence[s.Parameter], arguments: Sequence[s.Expression], scope: Scope
    ) -> dict[str, Binding]:
        """The names of parameters with their arguments, which are evaluated when they are needed."""
        pairs = zip(parameters, arguments, strict=True)
        return {parameter.name: self._argument(parameter, one, scope) for parameter, one in pairs}

    def _argument(self, parameter: s.Parameter, one: s.Expression, scope: Scope) -> Binding:
        if not parameter.arity:
            return Later(one, scope)
        if isinstance(one, s.Apply) and one.operator in scope.names:
            return scope.names[one.operator]
        return BuiltIn(one.operator) if isinstance(one, s.Apply) else self.entity(one, scope)

    def call(self, operator: Entity, arguments: Sequence[s.Expression], scope: Scope) -> Entity:
        """An operator applied to expressions."""
        if isinstance(operator, BuiltIn):
            return self.entity(s.Apply(operator.name, tuple(arguments)), scope) if arguments else operator
        if not isinstance(operator, Operator):
            return operator
        if operator.parameters and not arguments:
            return operator
        names = self.bound(operator.parameters, arguments, scope)
        inner = operator.scope.having(names)
        key = f"let {id(operator.body)}"
        depths = self.deeper(key, "an operator", scope)
        if depths is None:
            return self.terms.undefined(NEVER, f"an operator calls itself more than {DEEPEST} times")
        inner = scope.calling(inner, depths)
        if depths[key] > 1:
            inner = self._with_listed(operator.parameters, operator.body, inner)
        return self.entity(operator.body, inner)

    def called(self, operator: Entity, values: Sequence[n.Node], scope: Scope) -> n.Node:
        """An operator applied to values."""
        names = [f"argument {place}" for place in range(len(values))]
        inner = scope.having(dict(zip(names, values, strict=True)))
        found = self.call(operator, [s.Apply(name) for name in names], inner)
        assert not isinstance(found, Operator | BuiltIn)
        return self.listed(found)

    def built_in(self, e: s.Apply, scope: Scope) -> Entity:
        """A built-in operator with its arguments."""
        from leadline.symbolic.tla.lower.operators import NAMES, OPERATORS

        if e.operator in NAMES and not e.arguments:
            return NAMES[e.operator](self)
        rule = OPERATORS.get(e.operator)
        if rule is not None and not e.arguments:
            return BuiltIn(e.operator)
        if rule is None:
            raise Unlowerable(f"{e.operator} has no symbolic form")
        return rule(self, e.arguments, scope)

    # -- binders ----------------------------------------------------------------------------------

    def _quantified(self, e: s.Quantified, scope: Scope) -> Entity:
        if e.quantifier == EACH["\\E"]:
            found = self.truth(replace(e, quantifier="\\E"), scope)
            every = self._over_bounds(e, True, scope, has_value)
            return found if is_total(found) else self.terms.conj([found, every])
        if e.quantifier not in ("\\A", "\\E"):
            raise Unlowerable(f"{e.quantifier} has no symbolic form")
        return self._over_bounds(e, e.quantifier == "\\A", scope, lambda body: body)

    def _over_bounds(self, e: s.Quantified, universal: bool, scope: Scope, of: Body) -> n.Node:
        """Whether a formula about the body holds for all values of the bound names, or for some."""
        pairs = self.pairs(e.bounds, scope)

        def rest(place: int, inner: Scope) -> n.Node:
            if place == len(pairs):
                return of(self.truth(e.body, inner))
            bound, name, domain = pairs[place]
            body = lambda x: rest(place + 1, inner.having(self.names_of(bound, name, x)))  # noqa: E731  # short
            return self.quantifier(universal, domain, name or "x", body)

        later = (x for _, _, domain in pairs[1:] for x in listed_parts(domain) if domain is not pairs[0][2])
        return self.terms.once_defined(later, rest(0, scope))

    def _choose(self, e: s.Choose, scope: Scope) -> Entity:
        folded = members_in_order(e, self.specification.definitions)
        if folded is not None:
            return self.entity(folded, scope)
        ((bound, name, domain),) = self.pairs((e.bound,), scope)

        def body(x: n.Node) -> n.Node:
            return self.truth(e.body, scope.having(self.names_of(bound, name, x)))

        if isinstance(domain, PowerSet):
            # The first of all subsets, which may be too many to be listed.
            test = body(empty := self.terms.set_of([]))
            if isinstance(test, n.Const) and test.value:
                return self.terms.once_defined(listed_parts(domain), empty)
        found = self._first_function(domain, body)
        if found is not None:
            return found
        listed = self.listed(domain)
        node = self.terms.set_node(listed)
        if is_large(node.type) and not isinstance(node, n.Const):
            return self.first.of(slots.written(self.terms, listed), item_of(node), body)
        if numbers := self._few_numbers(node):
            return self.first.of(numbers, item_of(node), body)
        nothing = self.terms.undefined(NEVER, "there is nothing to CHOOSE")
        written = self.choices(node)
        if written is not None:
            result: n.Node = nothing
            tests = [(x, body(x)) for x in written]
            for x, test in reversed(tests):
                result = self.terms.ite(test, x, result)
            return result
        return self.terms.bind(n.Choose, node, name or "x", body, order=self.order_of(item_of(node)))

    def _few_numbers(self, node: n.Node) -> list[tuple[n.Node, n.Node]] | None:
        """The few numbers that a set may have, each with whether it has it; None if its type has not many more."""
        item = item_of(node)
        if isinstance(node, n.Const) or not isinstance(item, Int) or most_members(node) > _MOST_COMPARED:
            return None
        with suppress(Unlowerable):
            found = slots.written(self.terms, node)
            return found if len(found) <= min(_MOST_COMPARED, item.capped // _MANY) else None
        return None

    def _first_function(self, domain: Domain, body: Body) -> n.Node | None:
        """The first function to sets of a constant set that a test accepts; None if it depends on more."""
        accepts: Callable[[Value], Value] | None = None
        for place, x in enumerate(self.functions(domain)):
            if place == MOST_UNROLLED:
                accepts = self._computed(x.type, body)
            try:
                test = body(x) if accepts is None else self.terms.boolean(accepts(x.value))
            except OutOfBounds:
                return None
            if not isinstance(test, n.Const):
                return None
            if test.value:
                return x
        return None

    def _of_size(self, e: s.Filter, domain: Domain, scope: Scope) -> n.Node | None:
        """Subsets of a constant set within the filter's bound on cardinality; None if it has none."""
        found = cardinality_bound(e.body, e.bound.names[0])
        if (
            not isinstance(domain, PowerSet)
            or found is None
            or "Cardinality" in self.specification.definitions
        ):
            return None
        most = self.value(found[1], scope)
        elements = self.terms.elements(self.terms.set_node(self.listed(domain.item)))
        if elements is None or not isinstance(most, n.Const) or not isinstance(most.type, Int):
            return None
        within = sizes(found[0], most.value, len(elements))
        if sum(math.comb(len(elements), size) for size in within) > _MOST_SUBSETS:
            return None
        return self._subsets(elements, within)

    def _filter(self, e: s.Filter, scope: Scope) -> Entity:
        ((bound, name, domain),) = self.pairs((e.bound,), scope)

        def body(x: n.Node) -> n.Node:
            return self.truth(e.body, scope.having(self.names_of(bound, name, x)))

        sized = self._of_size(e, domain, scope)
        if sized is None and not isinstance(domain, n.Node):
            return Filtered(domain, name or "x", body)
        return self.filtered(sized or self.listed(domain), name or "x", body)

    def _image(self, e: s.Image, scope: Scope) -> Entity:
        return self.image(self.pairs(e.bounds, scope), lambda inner: self.value(e.body, inner), scope)

    def image(
        self,
        pairs: list[tuple[s.Bound, str | None, Domain]],
        body: Callable[[Scope], n.Node],
        scope: Scope,
    ) -> n.Node:
        """The set of the body's values."""
        (bound, name, domain), *rest = pairs

        def of(element: n.Node) -> n.Node:
            inner = scope.having(self.names_of(bound, name, element))
            return self.image(rest, body, inner) if rest else body(inner)

        found = self.mapped(domain, name or "x", of)
        later = (x for _, _, one in rest for x in listed_parts(one) if one is not domain)
        return self.terms.once_defined(later, self.terms.big_union(found)) if rest else found

    def _subscripted(self, e: s.Subscripted, scope: Scope) -> Entity:
        if e.kind not in ("[]_", "<<>>_"):
            raise Unlowerable("a fairness condition is no formula about a step")
        return self.entity(unsubscripted(e), scope)

    def next_value(self, e: s.Expression, scope: Scope) -> n.Node:
        """`e'`."""
        return self.value(e, replace(scope, primed=True))

    # -- bound names ------------------------------------------------------------------------------

    def domain(self, e: s.Expression, scope: Scope) -> Domain:
        """An expression as a node, or as a set to go through."""
        found = self.entity(e, scope)
        if isinstance(found, Operator | BuiltIn):
            raise Unsupported(e.place, "an operator is no value")
        return found

    def pairs(self, bounds: Sequence[s.Bound], scope: Scope) -> list[tuple[s.Bound, str | None, Domain]]:
        """Each bound name with its set; a tuple of names as one."""
        found: list[tuple[s.Bound, str | None, Domain]] = []
        for bound in bounds:
            if bound.domain is None:
                raise Unsupported(bound.place, "a bound name without a set")
            domain = self.domain(bound.domain, scope)
            if bound.unpacked:
                found.append((bound, None, self._of_tuples(domain, len(bound.names))))
            else:
                found += [(bound, name, domain) for name in bound.names]
        return found

    def _of_tuples(self, domain: Domain, count: int) -> Domain:
        """A set each of whose elements is to be a tuple of so many values."""
        if isinstance(domain, Product) and [key.value for key in domain.keys] == [*range(1, count + 1)]:
            return domain
        if not isinstance(domain, Product | n.Node):
            return domain
        node = self.terms.set_node(self.listed(domain))
        item = shapes.unlisted(node.type.parts[0])
        if item == NEVER or (isinstance(item, Tuple) and len(item.items) == count):
            return node
        return self.mapped(node, "x", lambda x: self.terms.as_tuple(x, count))

    def names_of(self, bound: s.Bound, name: str | None, element: n.Node) -> dict[str, Entity]:
        """The names that a bound gives to an element."""
        if name is not None:
            return {name: element}
        return {one: self.terms.item(element, place) for place, one in enumerate(bound.names, start=1)}


# Functions, records and tuples


def _record_set(at: Lowering, e: s.RecordSet, scope: Scope) -> Entity:
    keys = tuple(at.terms.atom(shapes.quoted(name)) for name, _ in e.fields)
    return Product(keys, tuple(at.domain(part, scope) for _, part in e.fields))


def _function_set(at: Lowering, e: s.FunctionSet, scope: Scope) -> Entity:
    domain = at.value(e.domain, scope)
    keys, values = at.terms.elements(domain), at.domain(e.range, scope)
    if keys is not None:
        constants = tuple(key for key in keys if isinstance(key, n.Const))
        return Product(constants, (values,) * len(keys), True) if keys else _without_arguments(at, values)
    if isinstance(domain, n.IntRange) and isinstance(domain.low, n.Const):
        return _from_interval(at, domain, domain.low.value, values)
    domain = at.terms.set_node(domain)
    if domain.type == Set(NEVER):
        return at.terms.of_nothing(domain, at.listed(_without_arguments(at, values)))
    return FunctionsOf(domain, values)


def _without_arguments(at: Lowering, values: Domain) -> Domain:
    """`[{} -> T]`, which has no value where T has none."""
    found = Product((), ())
    whole = at.terms.set_node(values) if isinstance(values, n.Node) else values
    if all(map(is_total, listed_parts(whole))):
        return found
    return at.terms.once_defined(listed_parts(whole), at.listed(found))


def _from_interval(at: Lowering, domain: n.IntRange, low: int, values: Domain) -> Domain:
    """The functions of `low..n`, by the values that n may have."""
    terms, kind = at.terms, domain.high.type
    assert isinstance(kind, Int)
    last = range(max(low - 1, kind.low), kind.high + 1)
    if len(last) > _MOST_LENGTHS:
        raise Unlowerable(f"[{low}..n -> T] where n has over {_MOST_LENGTHS} values")
    found: list[tuple[n.Node, Domain]] = []
    if kind.low < low:
        found.append((terms.lt(domain.high, terms.integer(low)), _without_arguments(at, values)))
    for high in range(max(low, kind.low), kind.high + 1):
        keys = tuple(map(terms.integer, range(low, high + 1)))
        functions = Product(keys, (values,) * len(keys), True)
        found.append((terms.equal(domain.high, terms.integer(high)), functions))
    return Cases(found)


def _function(at: Lowering, e: s.Function, scope: Scope) -> Entity:
    if (updated := _restricted(at, e, scope)) is not None:
        return updated
    pairs = at.pairs(e.bounds, scope)
    if len(pairs) == 1:
        ((bound, name, domain),) = pairs
        body = lambda x: at.value(e.body, scope.having(at.names_of(bound, name, x)))  # noqa: E731  # short
        return at.function(at.listed(domain), name or "x", body)

    def value(x: n.Node) -> n.Node:
        inner = scope
        for place, (bound, name, _) in enumerate(pairs, start=1):
            inner = inner.having(at.names_of(bound, name, at.terms.item(x, place)))
        return at.value(e.body, inner)

    return at.function(at.listed(at.product([domain for _, _, domain in pairs])), "key", value)


def _restricted(at: Lowering, e: s.Function, scope: Scope) -> n.Node | None:
    r"""`[x \in DOMAIN f \ S |-> f[x]]` of a map, as updates at S, not a value for each key; None of others."""
    match e:
        case s.Function(
            (s.Bound((name,), s.Apply("\\", (s.Apply("DOMAIN", (whole,)), less))),),
            s.Index(function, s.Apply(key)),
        ) if function == whole and key == name:
            before = at.value(whole, scope)
        case _:
            return None
    terms, kind = at.terms, before.type
    if isinstance(kind, Slots) or not isinstance(kind, Map) or not isinstance(kind.value, Option):
        return None
    gone = terms.set_node(at.value(less, scope))
    if not terms.has_few(gone, kind.key):
        return None
    result, known = before, terms.domain_of(before)
    for here, x in slots.written(terms, gone):
        made = terms.make(
            n.MapUpdate, kind, result, terms.convert(x, kind.key), terms.const(kind.value, None)
        )
        # Where x may be a key, nothing changes if it is none.
        there = here if kind.key.includes(x.type) else terms.conj([here, terms.member(x, known)])
        result = terms.ite(there, made, result)
    return terms.once_defined([before, gone], result)


def _index(at: Lowering, e: s.Index, scope: Scope) -> Entity:
    table = _recursive(at, e.function, scope)
    if table is not None:
        return _call_function(at, *table, e, scope)
    return at.terms.apply(at.value(e.function, scope), at.value(e.index, scope))


def _recursive(at: Lowering, e: s.Expression, scope: Scope) -> tuple[s.Function, Scope] | None:
    """The function that an expression names if it may call itself, and where it stands."""
    if not isinstance(e, s.Apply) or e.arguments:
        return None
    bound = scope.names.get(e.operator)
    body: s.Expression | None = None
    if isinstance(bound, Later):
        body, inner = bound.body, bound.scope
    elif bound is None and (found := at.specification.definitions.get(e.operator)) is not None:
        body, inner = found.body, Scope()
    if not isinstance(body, s.Function) or body.name is None or body.name not in operators(body.body):
        return None
    return body, inner


def _call_function(at: Lowering, function: s.Function, where: Scope, e: s.Index, scope: Scope) -> Entity:
    """A recursive function applied. Where the argument is not known, it is each that it can be."""
    index = at.value(e.index, scope)
    elements = None
    if not isinstance(index, n.Const):
        bounds = at.pairs(
            function.bounds, replace(where, primed=scope.primed, next=scope.next, now=scope.now)
        )
        _, _, domain = bounds[0]
        if len(bounds) == 1 and isinstance(domain, n.Node):
            elements = at.terms.elements(at.terms.set_node(domain))
        if elements is not None and scope.depths.get(_key_of(function, where), 0) >= len(elements):
            at.too_deep += 1
            # One of its arguments has come again.
            return at.terms.undefined(NEVER, f"{function.name} calls itself for ever")
        if elements is None and index.type.cardinality <= _MOST_ARGUMENTS:
            elements = [at.terms.narrowed(index.type, x) for x in index.type.values()]
    if elements is None:
        return _called_at(at, index, function, where, scope)
    result: n.Node = at.terms.undefined(NEVER, "the function has no such argument")
    for one in reversed(elements):
        same = at.terms.equal(index, one)
        if isinstance(same, n.Const) and not same.value:
            continue
        found = _called_at(at, one, function, where, scope)
        assert isinstance(found, n.Node)
        result = at.terms.ite(same, found, result)
    return result


def _called_at(at: Lowering, index: n.Node, function: s.Function, where: Scope, scope: Scope) -> Entity:
    key = (index, _key_of(function, where), id(scope.next), id(scope.now), scope.primed)
    # A value that was cut, since too many calls are around it, is the value at this depth alone.
    deep = (*key, scope.depths.get(_key_of(function, where), 0))
    if deep in at.calls:
        at.too_deep += 1  # The value around it is cut too.
    elif key not in at.calls:
        before = at.too_deep
        found = _call(at, index, function, where, scope)
        # The key's objects are kept with the value, so that no other object has their number.
        whole = (found, function, where.names, scope.next, scope.now)
        at.calls[key if before == at.too_deep else deep] = whole
        return found
    return at.calls[deep if deep in at.calls else key][0]


def _key_of(function: s.Function, where: Scope) -> str:
    """The key of a recursive function among the depths of a scope. One in a LET is another in each scope."""
    return f"function {id(function)} {id(where.names) if where.names else 0}"


def _call(at: Lowering, index: n.Node, function: s.Function, where: Scope, scope: Scope) -> Entity:
    called = function.name or "a function"
    depths = at.deeper(_key_of(function, where), called, scope)
    if depths is None:
        return at.terms.undefined(NEVER, f"{called} calls itself more than {DEEPEST} times")
    inner = scope.calling(where, depths)
    pairs = at.pairs(function.bounds, inner)
    parts = [index] if len(pairs) == 1 else [at.terms.item(index, i + 1) for i in range(len(pairs))]
    inside = at.terms.conj([at.member(x, domain) for x, (_, _, domain) in zip(parts, pairs, strict=True)])
    nothing = at.terms.undefined(NEVER, f"{function.name} has no such argument")
    if isinstance(inside, n.Const) and not inside.value:
        return nothing
    for (bound, name, _), part in zip(pairs, parts, strict=True):
        inner = inner.having(at.names_of(bound, name, part))
    if isinstance(inside, n.Const):
        return at.entity(function.body, inner)
    return at.terms.ite(inside, at.value(function.body, inner), nothing)


def _except(at: Lowering, e: s.Except, scope: Scope) -> Entity:
    result = at.value(e.function, scope)
    changes = [([at.value(x, scope) for x in one.path], one.value) for one in e.updates]
    # Also where the function has no such argument.
    inner = [x for path, _ in changes for x in path[1:]]
    return at.terms.once_defined(inner, _changed(at, result, changes, scope))


def _changed(at: Lowering, node: n.Node, changes: Sequence[Change], scope: Scope) -> n.Node:
    """A value with others at some paths, put in one after the other.

    Consecutive ones at the same place are put in together.
    """
    for key, group in itertools.groupby(changes, lambda change: change[0][0] if change[0] else None):
        if key is None:
            for _, value in group:
                inner = replace(scope, at=node)
                node = at.value(value, inner)
        else:
            rest = [(path[1:], value) for path, value in group]
            node = at.terms.updated(node, key, partial(_changed, at, changes=rest, scope=scope))
    return node


_RULES: Mapping[type[s.Node], Callable[..., Entity]] = {
    s.Number: lambda at, e, scope: at.terms.integer(e.value),
    s.String: lambda at, e, scope: at.terms.atom(shapes.quoted(e.value)),
    s.ModelValue: lambda at, e, scope: at.terms.atom(e.name),
    s.At: Lowering._at,
    s.Case: Lowering._case,
    s.Let: lambda at, e, scope: at.entity(e.body, at.defined(e, scope)),
    s.Lambda: lambda at, e, scope: Operator(e.parameters, e.body, scope),
    s.Apply: Lowering._apply,
    s.Quantified: Lowering._quantified,
    s.Choose: Lowering._choose,
    s.Filter: Lowering._filter,
    s.Image: Lowering._image,
    s.SetOf: lambda at, e, scope: at.terms.set_of([at.value(x, scope) for x in e.items]),
    s.TupleOf: lambda at, e, scope: at.terms.make_tuple([at.value(x, scope) for x in e.items]),
    s.Record: lambda at, e, scope: at.terms.record(
        {shapes.field(name): at.value(x, scope) for name, x in e.fields}
    ),
    s.RecordSet: _record_set,
    s.Function: _function,
    s.FunctionSet: _function_set,
    s.Index: _index,
    s.Except: _except,
    s.Subscripted: Lowering._subscripted,
}

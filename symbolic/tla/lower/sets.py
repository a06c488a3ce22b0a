"""Sets as they are gone through, asked for members, and made into functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

from leadline.symbolic.lang import (
    BOOL,
    NEVER,
    Atoms,
    Int,
    Listed,
    Map,
    Option,
    Seq,
    Set,
    Tuple,
    Type,
    is_total,
    nodes as n,
    sorts_in,
)
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.builder import Unlowerable, body_at
from leadline.symbolic.tla.lower.comparison import choice_key, clash, has_sets, is_free, some_clash
from leadline.symbolic.tla.lower.fixed import conjuncts, fixed_value, reads
from leadline.symbolic.tla.lower.infinite import (
    Cases,
    Domain,
    Everything,
    Filtered,
    Numbers,
    PowerSet,
    Product,
    Restricted,
    Sequences,
    United,
)
from leadline.symbolic.tla.lower.scope import Unsupported
from leadline.symbolic.tla.lower.terms import Terms, is_function

_OTHERS = "a value of another kind is compared with the members of the set"
MOST_UNROLLED = 200
"""The largest constant set over which a quantifier is written out."""
FEWEST_FIXED = 4
"""The fewest elements for which it is worth while to look whether the body fixes one."""
_fresh = itertools.count()


def _may_be_sequence(kind: Type) -> bool:
    return isinstance(kind, Tuple | Seq) or (isinstance(kind, Map) and isinstance(kind.key, Int))


class Sets:
    """Sets whose members are listed, and those whose are not.

    Attributes:
        terms: makes the nodes.
    """

    def __init__(self) -> None:
        self.terms = Terms()

    def quantifier(
        self, universal: bool, domain: Domain, name: str, body: Callable[[n.Node], n.Node]
    ) -> n.Node:
        """Whether the body holds for all elements, or for some."""
        single = None if universal else self._at_fixed(domain, body)
        if single is not None:
            return single
        join = self.terms.conj if universal else self.terms.disj
        match domain:
            case Product():
                return self._over_product(
                    domain, lambda part, of: self.quantifier(universal, part, name, of), body
                )
            case United():
                return join([self.quantifier(universal, part, name, body) for part in domain.parts])
            case Cases():
                return join(
                    [
                        self._bounded(universal, here, self.quantifier(universal, part, name, body))
                        for here, part in domain.parts
                    ]
                )
            case Filtered():
                return self.quantifier(
                    universal, domain.whole, name, lambda x: self._bounded(universal, domain.body(x), body(x))
                )
            case PowerSet():
                whole = self.terms.set_node(self.listed(domain.item))

                def inside(x: n.Node) -> n.Node:
                    return self._bounded(universal, self.terms.both_sets(n.Subset, x, whole), body(x))

                return self._over_elements(universal, self.terms.universe(whole.type), name, inside)
        node = self.listed(domain)
        if slots.in_slots(node.type):
            return slots.over(self.terms, universal, node, body)
        return self._over_listed(universal, self.terms.set_node(node), name, body)

    def _over_listed(
        self, universal: bool, node: n.Node, name: str, body: Callable[[n.Node], n.Node]
    ) -> n.Node:
        written = self.written_out(node)
        if written is None:
            return self._over_elements(universal, node, name, body)
        parts: list[n.Node] = []
        for element in written:
            parts.append(body(element))
            if isinstance(parts[-1], n.Const) and parts[-1].value is not universal:
                break
        return self.terms.conj(parts) if universal else self.terms.disj(parts)

    def _bounded(self, universal: bool, bound: n.Node, body: n.Node) -> n.Node:
        """The body of a quantifier for the elements within a bound: `bound => body`, or `bound /\\ body`."""
        if universal:
            return self.terms.disj([self.terms.negation(bound), body])
        return self.terms.conj([bound, body])

    def _over_elements(
        self, universal: bool, node: n.Node, name: str, body: Callable[[n.Node], n.Node]
    ) -> n.Node:
        """A quantifier as a node of the language."""
        assert isinstance(node.type, Set)
        if node.type.item == NEVER:
            return self.terms.of_nothing(node, self.terms.boolean(universal))
        kind = n.Forall if universal else n.Exists
        return self.terms.bind(kind, node.type.item, name, body, lambda _: BOOL, node)

    def _at_fixed(self, domain: Domain, body: Callable[[n.Node], n.Node]) -> n.Node | None:
        """`\\E` over a constant set, where the body fixes the element; None if it does not."""
        kind = self.kind_of(domain)
        if kind is None or not kind.cardinality >= FEWEST_FIXED:
            return None
        place = self.terms.place
        var = n.make(n.PickVar, kind, place, f"fixed {next(_fresh)}")
        try:
            parts = list(conjuncts(body(var)))
            equations = ((at, fixed_value(var, x)) for at, x in enumerate(parts))
            at, value = next(((at, x) for at, x in equations if x is not None), (0, None))
            if value is None or any(reads(x, var) for x in parts[:at]):
                return None
            known: dict[n.Node, n.Node] = {var: self.terms.convert(value, kind)}
            inside = self.member(value, domain)
            return self.terms.conj([*parts[:at], inside, *(replaced(x, known) for x in parts[at + 1 :])])
        except (Unlowerable, Unsupported):
            return None  # It has a form for each element, perhaps.
        finally:
            self.terms.place = place

    def kind_of(self, domain: Domain) -> Type | None:
        """The least type of the elements of a constant set that is not empty; None of other sets."""
        if isinstance(domain, n.Const) and isinstance(domain.type, Set) and domain.value:
            return domain.type.item
        if isinstance(domain, United):
            several = [self.kind_of(part) for part in domain.parts]
            return shapes.joined(x for x in several if x is not None) if None not in several else None
        if not isinstance(domain, Product):
            return None
        kinds = [self.kind_of(part) for part in domain.parts]
        pairs = [(key.type, key.value, x) for key, x in zip(domain.keys, kinds, strict=True) if x is not None]
        return shapes.function_type(pairs) if len(pairs) == len(kinds) > 0 else None

    def written_out(self, node: n.Node) -> list[n.Node] | None:
        """The elements of a small constant set, to be gone through one by one; None of those of sorts."""
        elements = self.terms.elements(node) if not sorts_in(node.type) else None
        return elements if elements is not None and len(elements) <= MOST_UNROLLED else None

    def choices(self, node: n.Node) -> list[tuple[n.Node, n.Node]] | None:
        """The values that CHOOSE tries, each with whether it is an element; None if they are not written out.

        Raises:
            Unlowerable: if there are too many, and their type has another order than CHOOSE.
        """
        assert isinstance(node.type, Set)
        item, terms = node.type.item, self.terms
        yes = terms.boolean(True)
        if item == NEVER or not has_sets(item):
            written = self.written_out(node)
            return [(yes, x) for x in written] if written is not None else None
        if sorts_in(item):
            raise Unlowerable("CHOOSE among sets of interchangeable values")
        constant = isinstance(node, n.Const)
        if not constant and item.cardinality > MOST_UNROLLED:
            raise Unlowerable(f"CHOOSE where the sets may be more than {MOST_UNROLLED}")
        values = node.value if isinstance(node, n.Const) else item.values()
        ordered = [terms.narrowed(item, x) for x in sorted(values, key=lambda x: choice_key(item, x))]
        return [(yes if constant else terms.member(x, node), x) for x in ordered]

    def _over_product(
        self,
        product: Product,
        each: Callable[[Domain, Callable[[n.Node], n.Node]], n.Node],
        body: Callable[[n.Node], n.Node],
    ) -> n.Node:
        def rest(chosen: tuple[n.Node, ...]) -> n.Node:
            if len(chosen) == len(product.parts):
                return body(self.terms.function(list(zip(product.keys, chosen, strict=True))))
            return each(product.parts[len(chosen)], lambda x: rest((*chosen, x)))

        return rest(())

    def mapped(self, domain: Domain, name: str, of: Callable[[n.Node], n.Node]) -> n.Node:
        """The set of a function's values over a set."""
        node = self.listed(domain)
        if slots.in_slots(node.type):
            return slots.image(self.terms, node, of)
        node = self.terms.set_node(node)
        written = self.written_out(node)
        if written is not None:
            return self.terms.set_of([of(x) for x in written])
        assert isinstance(node.type, Set)
        if node.type.item == NEVER:
            return node
        match node:
            case n.Ite(then=then, orelse=orelse) if is_empty(then) or is_empty(orelse):
                return self.terms.ite(
                    node.condition, self.mapped(then, name, of), self.mapped(orelse, name, of)
                )
            case n.SetMap() if is_total(node.body):
                return self.mapped(node.domain, node.var.name, lambda x: of(image_at(node, x)))
        found = self.terms.bind(n.SetMap, node.type.item, name, of, lambda body: Set(body.type), node)
        return node if isinstance(found, n.SetMap) and found.body is found.var else found

    def filtered(self, node: n.Node, name: str, body: Callable[[n.Node], n.Node]) -> n.Node:
        """The elements of a set for which the body holds."""
        if slots.in_slots(node.type):
            return slots.kept(self.terms, node, body)
        node = self.terms.set_node(node)
        written = self.written_out(node)
        if written is not None:
            tests = [(x, body(x)) for x in written]
            if all(isinstance(test, n.Const) for _, test in tests):
                return self.terms.set_of([x for x, test in tests if isinstance(test, n.Const) and test.value])
        assert isinstance(node.type, Set)
        item = node.type.item
        if item == NEVER:
            return node
        match node:
            case n.Ite(then=then, orelse=orelse) if is_empty(then) or is_empty(orelse):
                arms = (self.filtered(x, name, body) if not is_empty(x) else x for x in (then, orelse))
                return self.terms.ite(node.condition, *arms)
            case n.SetMap() if is_total(node.body):
                kept = self.filtered(node.domain, node.var.name, lambda x: body(image_at(node, x)))
                return self.mapped(kept, node.var.name, lambda x: image_at(node, x))
        return self.terms.bind(n.SetFilter, item, name, body, lambda _: node.type, node)

    def listed(self, domain: Domain) -> n.Node:
        """A set with its members listed.

        Raises:
            Unlowerable: if there are too many.
        """
        match domain:
            case n.Node():
                return domain
            case PowerSet():
                whole = self.terms.set_node(self.listed(domain.item))
                elements = self.terms.elements(whole)
                if elements is not None and len(elements) <= 10:
                    found = itertools.chain.from_iterable(
                        itertools.combinations(elements, size) for size in range(len(elements) + 1)
                    )
                    return self.terms.set_of([self.terms.set_of(one) for one in found])
                every = self.terms.universe(whole.type)

                def within(x: n.Node) -> n.Node:
                    return self.terms.both_sets(n.Subset, x, whole)

                return self.terms.bind(n.SetFilter, whole.type, "x", within, lambda _: Set(whole.type), every)
            case Product():
                return self._listed_product(domain)
            case United():
                parts = [self.listed(part) for part in domain.parts]
                result = parts[0]
                for part in parts[1:]:
                    result = self.terms.both_sets(n.SetUnion, result, part)
                return result
            case Cases():
                chosen = self.terms.set_of([])
                for here, case in domain.parts:
                    chosen = self.terms.ite(here, self.listed(case), chosen)
                return chosen
            case Filtered():
                return self.filtered(self.listed(domain.whole), domain.name, domain.body)
        raise Unlowerable("the members of an infinite set cannot be listed")

    def _listed_product(self, domain: Product) -> n.Node:
        def rest(chosen: tuple[n.Node, ...]) -> n.Node:
            place = len(chosen)
            if place == len(domain.parts):
                return self.terms.function(list(zip(domain.keys, chosen, strict=True)))
            found = self.mapped(domain.parts[place], "x", lambda x: rest((*chosen, x)))
            return self.terms.big_union(found) if place + 1 < len(domain.parts) else found

        return rest(()) if domain.parts else self.terms.set_of([self.terms.make_tuple([])])

    def member(self, element: n.Node, domain: Domain) -> n.Node:
        """`element \\in domain`."""
        terms = self.terms
        match domain:
            case n.Node():
                return terms.member(element, domain)
            case Everything():
                return self._is_string(element) if domain.strings else terms.boolean(True)
            case United():
                # TLC looks into the sets that are listed first.
                listed_first = sorted(domain.parts, key=lambda part: not isinstance(part, n.Node))
                return terms.disj([self.member(element, part) for part in listed_first])
            case Cases():
                return terms.disj(
                    [terms.conj([here, self.member(element, part)]) for here, part in domain.parts]
                )
            case Restricted(whole=whole, other=other, keep=keep):
                found = self.member(element, other)
                return terms.conj([self.member(element, whole), found if keep else terms.negation(found)])
            case Filtered():
                return terms.conj([self.member(element, domain.whole), domain.body(element)])
            case Numbers(least=least):

                def above(x: n.Node) -> n.Node:
                    return terms.boolean(True) if least is None else terms.le(terms.integer(least), x)

                return terms.of_kind(element, lambda kind: isinstance(kind, Int), above, _OTHERS)
            case PowerSet(item=item):

                def below(x: n.Node) -> n.Node:
                    if isinstance(item, n.Node):
                        return terms.subset(x, item)
                    return self.quantifier(True, x, "x", lambda y: self.member(y, item))

                return terms.of_kind(element, lambda kind: isinstance(kind, Set), below, _OTHERS)
            case Sequences():
                items = partial(self._all_items, domain=domain.item)
                return terms.of_kind(element, _may_be_sequence, items, _OTHERS)
            case Product():
                return terms.of_kind(element, is_function, lambda x: self._in_product(x, domain), _OTHERS)

    def _is_string(self, element: n.Node) -> n.Node:
        terms = self.terms

        def test(x: n.Node) -> n.Node:
            assert isinstance(x.type, Atoms)
            strings = [terms.atom(name) for name in x.type.members if shapes.is_string(name)]
            here = terms.member(x, terms.set_of(strings))
            others = terms.undefined(BOOL, _OTHERS)
            return terms.disj([here, terms.ite(is_free(terms, x), terms.boolean(False), others)])

        return terms.of_kind(element, lambda kind: isinstance(kind, Atoms), test, _OTHERS)

    def _all_items(self, element: n.Node, domain: Domain) -> n.Node:
        node = self.terms.as_sequence(element)
        places = self.terms.interval(self.terms.integer(1), self.terms.length(node))
        return self.quantifier(True, places, "i", lambda i: self.member(self.terms.apply(node, i), domain))

    def _in_product(self, element: n.Node, domain: Product) -> n.Node:
        """Whether a function is among those of a product."""
        terms = self.terms
        keys = terms.domain(element)
        keys_here = terms.set_of(domain.keys)
        here = terms.same(keys, keys_here)
        refused = some_clash(terms, keys, lambda x: terms.disj([clash(terms, x, key) for key in domain.keys]))
        here = terms.ite(refused, terms.undefined(BOOL, _OTHERS), here)
        if isinstance(here, n.Const) and not here.value:
            return here
        if sorts_in(keys.type) and len(set(map(id, domain.parts))) == 1 and is_whole(keys_here):
            each = lambda x: self.member(terms.apply(element, x), domain.parts[0])  # noqa: E731  # short
            return terms.conj([here, self._over_elements(True, keys_here, "x", each)])
        pairs = zip(domain.keys, domain.parts, strict=True)
        return terms.conj([here, *(self.member(terms.apply(element, key), part) for key, part in pairs)])

    def function(self, domain: n.Node, name: str, body: Callable[[n.Node], n.Node]) -> n.Node:
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
        assert isinstance(domain.type, Set)
        key = domain.type.item
        if key == NEVER:
            return terms.of_nothing(domain, terms.make_tuple([]))
        if not isinstance(key, Listed) and (shapes.is_message(key) or key.capped > shapes.MOST_KEYS):
            return self._graph(domain, body)
        if every or isinstance(domain, n.Universe):
            return terms.bind(n.MapBuild, key, name, body, lambda x: Map(key, x.type))

        def held(x: n.Node) -> n.Node:
            found = body(x)
            kind = Option(found.type)
            return terms.ite(terms.member(x, domain), terms.some(found, kind), terms.const(kind, None))

        return terms.bind(n.MapBuild, key, name, held, lambda x: Map(key, x.type))

    def _graph(self, domain: n.Node, body: Callable[[n.Node], n.Node]) -> n.Node:
        """`[x \\in S |-> e]` as the set of its pairs."""
        terms = self.terms

        def pair(x: n.Node) -> n.Node:
            return terms.make_tuple([x, body(x)])

        if isinstance(domain, n.SetOf):
            return terms.graph([pair(x) for x in domain.items])
        if isinstance(domain, n.SetMap) and is_total(domain.body):
            inner, of = domain, pair
            return terms.images(inner.domain, lambda x: of(image_at(inner, x)))
        return terms.images(domain, pair)

    def _sequence(self, domain: n.IntRange, body: Callable[[n.Node], n.Node]) -> n.Node:
        terms = self.terms
        most = shapes.most(domain.high.type)
        items = [body(terms.integer(place)) for place in range(1, most + 1)]
        kind = shapes.sequence_of(Tuple(tuple(x.type for x in items)))
        guarded = [
            terms.ite(
                terms.le(terms.integer(place), domain.high),
                terms.convert(x, kind.item),
                terms.const(kind.item, kind.item.first),
            )
            for place, x in enumerate(items, start=1)
        ]
        return terms.slice(terms.sequence(guarded, kind), terms.integer(1), domain.high)


def is_whole(node: n.Node) -> bool:
    """Whether a constant set has all values of its members' type."""
    if not isinstance(node, n.Const) or not isinstance(node.type, Set):
        return False
    return len(node.value) == node.type.item.cardinality


def image_at(images: n.SetMap, element: n.Node) -> n.Node:
    """The image of an element.

    `{f(x) : x \\in {g(y) : y \\in S}}` is `{f(g(y)) : y \\in S}`. So the values of `g`, which may be far more
    than the elements of `S`, need not be listed. This holds where `g` always has a value: `f` may not ask for all
    of it.
    """
    return body_at(images, element)


def is_empty(node: n.Node) -> bool:
    """Whether a set is the constant `{}`."""
    return isinstance(node, n.Const) and not node.value

"""Operators of TLA+ on typed expressions of the language.

The language wants one type where TLA+ has any value, so operands are converted to the least type that holds
both. An application that TLC would call an error is *out of bounds*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce

from leadline.symbolic.lang import (
    BOOL,
    NEVER,
    Atoms,
    Int,
    Map,
    Never,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    Value,
    coerce,
    fits,
    int_range,
    nodes as n,
    placed,
    rules,
    wrap,
)
from leadline.symbolic.lang.nodes import Binary
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.comparison import CLASH, clash, is_free, may_clash, some_clash
from leadline.symbolic.tla.lower.making import Body, Making, Unlowerable
from leadline.symbolic.tla.lower.shapes import join

_MOST_EXPONENTS = 16


class Terms(Making, ABC):
    """The operators of TLA+ on truth values, integers and sets, and what makes tuples and records."""

    # -- conversion -------------------------------------------------------------------------------

    def convert(self, node: n.Node, target: Type) -> n.Node:
        """The value as one of another type; out of bounds if it is none."""
        source = node.type
        if source == target:
            return node
        if isinstance(source, Never):
            return self.undefined(target, node.why if isinstance(node, n.Undefined) else "there is no value")
        if isinstance(node, n.Ite):
            return self.ite(
                node.condition, self.convert(node.then, target), self.convert(node.orelse, target)
            )
        if fits(source, target):
            inner = self._inside(node, target)
            if inner is not None:
                return inner
            if isinstance(node, n.Const) and not target.contains(node.value):
                return self.undefined(target, f"{source.tla(node.value)} is outside of {target!r}")
            with placed(self.place):
                return self.sound(coerce(node, target))
        return self.restructured(node, source, target)

    def _inside(self, node: n.Node, target: Type) -> n.Node | None:
        """A value made of parts, each converted by itself: what is not changed needs no test, then."""
        match node, target:
            case n.MapUpdate(map=whole), Map():
                before = whole.item if isinstance(whole, n.Coerce) else whole
                if before.type == target:
                    return self.make(
                        n.MapUpdate, target, before, node.key, self.convert(node.value, target.value)
                    )
            case n.MakeRecord(items=items), Record():
                parts = zip(items, target.parts, strict=True)
                return self.make(n.MakeRecord, target, tuple(self.convert(x, part) for x, part in parts))
            case n.MakeVariant(tag=tag, payload=payload), Union():
                return self.make(n.MakeVariant, target, tag, self.convert(payload, target.by_tag[tag]))
        return None

    @abstractmethod
    def restructured(self, node: n.Node, source: Type, target: Type) -> n.Node:
        """The value as one of a type of another structure."""

    @abstractmethod
    def domain(self, node: n.Node) -> n.Node:
        """`DOMAIN f`."""

    @abstractmethod
    def apply(self, function: n.Node, argument: n.Node) -> n.Node:
        """`f[e]`."""

    @abstractmethod
    def length(self, node: n.Node) -> n.Node:
        """`Len(s)`."""

    def some(self, node: n.Node, kind: Option) -> n.Node:
        """A value as one of an option."""
        with placed(self.place):
            return self.sound(coerce(node, kind))

    def variant(self, node: n.Node, tag: str) -> n.Node:
        """The value of a union that has this tag."""
        assert isinstance(node.type, Union)
        box = node.type.by_tag[tag]
        return self.make(n.Component, box.parts[0], self.make(n.Payload, box, node, tag), 0)

    def has_tag(self, node: n.Node, tag: str) -> n.Node:
        """Whether a value of a union has this tag."""
        return self.make(n.IsVariant, BOOL, node, tag)

    def by_variant(self, node: n.Node, tags: Sequence[str], of: Body, otherwise: n.Node) -> n.Node:
        """The value of a function of the variant that a union's value is."""
        assert isinstance(node.type, Union)
        whole = len(tags) == len(node.type.variants)
        result = of(self.variant(node, tags[-1])) if whole and tags else otherwise
        for tag in reversed(tags[:-1] if whole else tags):
            result = self.ite(self.has_tag(node, tag), of(self.variant(node, tag)), result)
        return result

    def cases(self, node: n.Node, of: Body, keep: Callable[[Type], bool], why: str) -> n.Node:
        """A function of a value that may be of several kinds, out of bounds for kinds that it is not kept for."""
        if not isinstance(node.type, Union):
            return (
                of(node)
                if keep(node.type)
                else self.undefined(NEVER, f"{why}: this is a value of {node.type!r}")
            )
        tags = [tag for tag, kind in shapes.variants(node.type).items() if keep(kind)]
        return self.by_variant(node, tags, of, self.undefined(NEVER, why))

    def of_kind(self, node: n.Node, keep: Callable[[Type], bool], test: Body, why: str) -> n.Node:
        """A test of the kinds of values that it is for; model values fail it, others are out of bounds."""
        if isinstance(node.type, Union):
            return self.by_variant(
                node, list(node.type.by_tag), lambda x: self.of_kind(x, keep, test, why), self.boolean(False)
            )
        if keep(node.type):
            return test(node)
        return self._unless(self.negation(is_free(self, node)), self.boolean(False), why)

    # -- truth ------------------------------------------------------------------------------------

    def conj(self, items: Sequence[n.Node]) -> n.Node:
        """A conjunction, evaluated from the left."""
        with placed(self.place):
            return self.sound(rules.connective(n.And, [self.truth(x) for x in items]))

    def disj(self, items: Sequence[n.Node]) -> n.Node:
        """A disjunction, evaluated from the left."""
        with placed(self.place):
            return self.sound(rules.connective(n.Or, [self.truth(x) for x in items]))

    def truth(self, node: n.Node) -> n.Node:
        """The value as a Boolean."""
        return self.convert(node, BOOL)

    def negation(self, node: n.Node) -> n.Node:
        """Negation."""
        with placed(self.place):
            return self.sound(rules.negation(self.truth(node)))

    def ite(self, condition: n.Node, then: n.Node, orelse: n.Node) -> n.Node:
        """If-then-else."""
        if isinstance(condition, n.Const):
            return then if condition.value else orelse
        kind = join(then.type, orelse.type)
        if isinstance(kind, Never):
            return self.undefined(NEVER, "both arms have no value")
        return self.make(n.Ite, kind, condition, self.convert(then, kind), self.convert(orelse, kind))

    def equal(self, a: n.Node, b: n.Node) -> n.Node:
        """Equality, out of bounds for values that TLC refuses to compare."""
        return self._unless(clash(self, a, b), self.same(a, b))

    def _unless(self, refused: n.Node, answer: n.Node, why: str = CLASH) -> n.Node:
        return self.ite(refused, self.undefined(BOOL, why), answer)

    def same(self, a: n.Node, b: n.Node) -> n.Node:
        """Whether two values are one; those of different kinds are not."""
        if isinstance(a.type, Never) or isinstance(b.type, Never):
            return self.undefined(BOOL, "there is no value")
        if isinstance(b.type, Union) and not isinstance(a.type, Union):
            a, b = b, a
        if isinstance(a.type, Union) and not isinstance(b.type, Union):
            tag = shapes.tag_of(b.type)
            if tag not in a.type.by_tag:
                return self.boolean(False)
            return self.conj([self.has_tag(a, tag), self.same(self.variant(a, tag), b)])
        kind = join(a.type, b.type)
        if isinstance(kind, Union) and not isinstance(a.type, Union):
            return self.boolean(False)
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
            if len(a.type.items) != len(b.type.items):
                return self.boolean(False)
            return self.conj(
                [self.same(x, y) for x, y in zip(self.components(a), self.components(b), strict=True)]
            )
        return self.make(n.Eq, BOOL, self.convert(a, kind), self.convert(b, kind))

    # -- integers ---------------------------------------------------------------------------------

    def number(self, node: n.Node) -> n.Node:
        """The value as an integer."""
        if isinstance(node.type, Int):
            return node
        found = self.cases(node, lambda x: x, lambda kind: isinstance(kind, Int), "an integer is needed")
        return found if isinstance(found.type, Int) else self.convert(found, Int(0, 0))

    def arithmetic(self, kind: type[n.Node], a: n.Node, b: n.Node) -> n.Node:
        """A sum, difference, product, quotient or remainder."""
        with placed(self.place):
            return self.sound(rules.arithmetic(kind, self.number(a), self.number(b)))  # type: ignore[arg-type]  # the callers give binary kinds

    def power(self, base: n.Node, exponent: n.Node) -> n.Node:
        """A power."""
        if not isinstance(exponent, n.Const):
            return self._power_of_each(base, self.number(exponent))
        if exponent.value < 0 or (isinstance(base, n.Const) and base.value == exponent.value == 0):
            return self.undefined(NEVER, "the exponent is not positive")
        return reduce(lambda x, _: self.arithmetic(n.Mul, x, base), range(exponent.value), self.integer(1))

    def _power_of_each(self, base: n.Node, exponent: n.Node) -> n.Node:
        if exponent.type.cardinality > _MOST_EXPONENTS:
            raise Unlowerable(f"a power whose exponent may be more than {_MOST_EXPONENTS} values")
        result = self.undefined(NEVER, "the exponent is not positive")
        for one in exponent.type.values():
            here = self.equal(exponent, self.integer(one))
            result = self.ite(here, self.power(base, self.integer(one)), result)
        return result

    def le(self, a: n.Node, b: n.Node) -> n.Node:
        """At most."""
        with placed(self.place):
            return self.sound(rules.comparison(n.Le, self.number(a), self.number(b)))

    def lt(self, a: n.Node, b: n.Node) -> n.Node:
        """Less than."""
        with placed(self.place):
            return self.sound(rules.comparison(n.Lt, self.number(a), self.number(b)))

    def interval(self, low: n.Node, high: n.Node) -> n.Node:
        """`low..high`."""
        with placed(self.place):
            return self.sound(int_range(wrap(self.number(low)), wrap(self.number(high))).node)

    # -- binders and sets -------------------------------------------------------------------------

    def set_node(self, node: n.Node) -> n.Node:
        """The value as a set."""
        if isinstance(node.type, Set):
            return node
        found = self.cases(node, lambda x: x, lambda kind: isinstance(kind, Set), "a set is needed")
        return found if isinstance(found.type, Set) else self.convert(found, Set(NEVER))

    def of_nothing(self, node: n.Node, answer: n.Node) -> n.Node:
        """The answer for a set whose type has no members, unless the set itself has no value."""
        match node:
            case n.Undefined():
                return self.undefined(answer.type, node.why)
            case n.Ite():
                arms = (self.of_nothing(x, answer) for x in (node.then, node.orelse))
                return self.ite(node.condition, *arms)
        return answer

    def universe(self, item: Type) -> n.Node:
        """All values of a type."""
        return n.make(n.Universe, Set(item), self.place)

    def set_of(self, items: Sequence[n.Node]) -> n.Node:
        """`{a, b}`."""
        item = reduce(join, (x.type for x in items), shapes.NEVER)
        if not items:
            return self.const(Set(NEVER), frozenset())
        if isinstance(item, Never):
            return self.undefined(Set(NEVER), "a member has no value")
        converted = tuple(self.convert(x, item) for x in items)
        if all(isinstance(x, n.Const) for x in converted):
            return self.const(Set(item), frozenset(x.value for x in converted if isinstance(x, n.Const)))
        return self.make(n.SetOf, Set(item), converted)

    def elements(self, node: n.Node) -> list[n.Node] | None:
        """The members of a constant set, in order; None if it is no constant."""
        if not isinstance(node, n.Const) or not isinstance(node.type, Set):
            return None
        item = node.type.item
        return [self.narrowed(item, value) for value in sorted(node.value, key=item.rank)]

    def narrowed(self, kind: Type, value: Value) -> n.Node:
        """A constant of the least type that holds it."""
        match kind:
            case Int():
                return self.integer(value)
            case Atoms():
                return self.atom(value)
            case Union():
                tag, payload = value
                return self.narrowed(kind.by_tag[tag].parts[0], payload[0])
            case Tuple():
                parts = [self.narrowed(part, x) for part, x in zip(kind.items, value, strict=True)]
                return self.make_tuple(parts)
            case Record():
                found = {
                    name: self.narrowed(part, x) for (name, part), x in zip(kind.fields, value, strict=True)
                }
                return self.record(found)
            case Seq():
                return self.make_tuple([self.narrowed(kind.item, x) for x in value])
        return self.const(kind, value)

    def member(self, element: n.Node, domain: n.Node) -> n.Node:
        """`element \\in domain`, out of bounds if TLC refuses to compare it with an element, and it is none."""
        domain = self.set_node(domain)
        assert isinstance(domain.type, Set)
        inside = self._among(element, domain)
        if not may_clash(element.type, domain.type.item):
            return inside
        refused = some_clash(self, domain, lambda x: clash(self, element, x))
        return self.disj([inside, self._unless(refused, self.boolean(False))])

    def subset(self, part: n.Node, whole: n.Node) -> n.Node:
        """`part \\subseteq whole`, out of bounds if some members cannot be compared, and it is none."""
        part, whole = self.set_node(part), self.set_node(whole)
        inside = self.both_sets(n.Subset, part, whole)
        if not may_clash(part.type, whole.type):
            return inside
        refused = some_clash(self, part, lambda x: some_clash(self, whole, lambda y: clash(self, x, y)))
        return self.disj([inside, self._unless(refused, self.boolean(False))])

    def _among(self, element: n.Node, domain: n.Node) -> n.Node:
        assert isinstance(domain.type, Set)
        item = domain.type.item
        if isinstance(item, Never):
            return self.of_nothing(domain, self.boolean(False))
        if isinstance(element.type, Never):
            return self.undefined(BOOL, "there is no value")
        if isinstance(element.type, Union) and not isinstance(item, Union):
            tag = shapes.tag_of(item)
            if tag not in element.type.by_tag:
                return self.boolean(False)
            return self.conj([self.has_tag(element, tag), self._among(self.variant(element, tag), domain)])
        if (
            isinstance(item, Union)
            and shapes.tag_of(element.type) not in item.by_tag
            and not isinstance(element.type, Union)
        ):
            return self.boolean(False)
        joined = join(element.type, item)
        if isinstance(joined, Union) and not isinstance(item, Union):
            return self.boolean(False)
        if fits(item, joined):
            return self.make(n.Member, BOOL, self.convert(element, joined), domain)
        return self.make(n.Member, BOOL, self.convert(element, joined), self.convert(domain, Set(joined)))

    def both_sets(self, kind: type[Binary], a: n.Node, b: n.Node) -> n.Node:
        """A union, intersection, difference or inclusion of two sets."""
        a, b = self.set_node(a), self.set_node(b)
        assert isinstance(a.type, Set) and isinstance(b.type, Set)
        joined = join(a.type, b.type)
        if isinstance(a.type.item, Never) or isinstance(b.type.item, Never):
            first, _second = (x.type.item == NEVER for x in (a, b))  # type: ignore[attr-defined]  # both are sets
            if kind is n.Subset:
                return self.boolean(True) if first else self.same(a, b)
            return (
                (b if first else a)
                if kind is n.SetUnion
                else (a if kind is n.SetMinus else (a if first else b))
            )
        if not fits(a.type, joined):
            a = self.convert(a, joined)
        if not fits(b.type, joined):
            b = self.convert(b, joined)
        result = {n.SetUnion: joined, n.Subset: BOOL}.get(kind, a.type)
        return self.make(
            kind, result, self.convert(a, joined) if kind is n.SetUnion else a, self.convert(b, joined)
        )

    def set_of_images(self, domain: n.Node, body: Body, target: Set) -> n.Node:
        assert isinstance(domain.type, Set)
        return self.bind(n.SetMap, domain.type.item, "x", body, lambda _: target, domain)

    def cardinality(self, node: n.Node) -> n.Node:
        """The number of members."""
        node = self.set_node(node)
        assert isinstance(node.type, Set)
        return self.make(n.Cardinality, Int(0, node.type.item.cardinality), node)

    def big_union(self, node: n.Node) -> n.Node:
        """The union of a set of sets."""
        node = self.set_node(node)
        assert isinstance(node.type, Set)
        if isinstance(node.type.item, Never):
            return self.of_nothing(node, self.set_of([]))
        if not isinstance(node.type.item, Set):
            raise Unlowerable("UNION of a set whose members are no sets")
        return self.make(n.BigUnion, node.type.item, node)

    # -- tuples and records -----------------------------------------------------------------------

    def components(self, node: n.Node) -> list[n.Node]:
        """The components of a tuple or record."""
        if isinstance(node, n.MakeTuple | n.MakeRecord):
            return list(node.items)
        return [self.make(n.Component, kind, node, place) for place, kind in enumerate(node.type.parts)]

    def make_tuple(self, items: Sequence[n.Node]) -> n.Node:
        """`<<a, b>>`."""
        return self.make(n.MakeTuple, Tuple(tuple(x.type for x in items)), tuple(items))

    def record(self, fields: dict[str, n.Node]) -> n.Node:
        """A record of its fields, by their names in types."""
        kind = shapes.record_of({name: node.type for name, node in fields.items()})
        return self.make(n.MakeRecord, kind, tuple(fields[name] for name in kind.positions))

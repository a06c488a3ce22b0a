"""Operators of TLA+ on typed expressions of the language.

The language wants one type where TLA+ has any value, so operands are converted to the least type that holds
both: boxed in a union, as a sequence, as a map. An application that TLC would call an error is *out of bounds*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from leadline.symbolic.lang import (
    BOOL,
    NEVER,
    Atoms,
    Graph,
    Int,
    Listed,
    Map,
    Mapped,
    Never,
    Option,
    OutOfBounds,
    Record,
    Seq,
    Set,
    Slots,
    Tuple,
    Type,
    Union,
    Value,
    coerce,
    fits,
    in_tla,
    int_range,
    is_total,
    item_of,
    listed_member,
    looked_up,
    member_of,
    nodes as n,
    placed,
    rules,
    sorts_in,
    wrap,
)
from leadline.symbolic.lang.nodes import Binary, free_variables
from leadline.symbolic.tla.lower import shapes, slots
from leadline.symbolic.tla.lower.builder import (
    Body,
    Builder,
    Unlowerable,
    body_at,
    has_too_many,
    has_value,
    is_large,
)
from leadline.symbolic.tla.lower.comparison import CLASH, clash, is_free, may_clash, some_clash
from leadline.symbolic.tla.lower.fixed import compared, most_members
from leadline.symbolic.tla.lower.shapes import join

_MOST_EXPONENTS = 16
_MOST_FILTERED = 200
"""The most values of an item for each of which the test of SelectSeq is written."""
_MOST_PAIRS, _FEW = 16, 4
"""The most pairs that are put into a map one after the other, and the least number of keys for each."""
_MOST_LISTED = 600
"""The most values of a type whose sets are united with sets of many more possible members by a table of both."""


def _component_at(kind: Type, argument: n.Node) -> int | None:
    """The place of the component of a record or tuple that a constant names; None if it names none."""
    match kind, argument:
        case Record(positions=positions), n.Const(type=Atoms(), value=value):
            return positions.get(shapes.field(shapes.unquoted(value))) if shapes.is_string(value) else None
        case Tuple(items=items), n.Const(type=Int(), value=value) if 0 < value <= len(items):
            return int(value) - 1
    return None


def _whole(node: n.Node) -> n.Node:
    """The value that a node is a part of; it is a part only where the whole has the kind."""
    while isinstance(node, n.Component | n.Payload):
        (node,) = n.children(node)
    return node


class Terms(Builder):
    """The operators of TLA+ on truth values, integers, sets, functions, records, tuples and sequences."""

    # -- conversion -------------------------------------------------------------------------------

    def convert(self, node: n.Node, target: Type) -> n.Node:
        """The value converted to another type; out of bounds if that type does not hold it."""
        if node.type == target:
            return node
        # The paths through a formula share most of their values.
        key = (node, target)
        found = self._converted.get(key)
        if found is None:
            # A variable mostly gets what it was with a change, and is of the type before: nothing goes to and fro.
            before = self._origins.get(node, node)
            found = before if before.type == target else self._convert(before, target)
            self._converted[key] = found
            is_kept = isinstance(target, Set | Map) and join(before.type, target) == target
            if is_kept and not isinstance(found, n.Const | n.Undefined):
                self._origins.setdefault(found, before)
        return found

    def _convert(self, node: n.Node, target: Type) -> n.Node:
        source = node.type
        if isinstance(node, n.Undefined):
            return self.undefined(target, node.why)
        if isinstance(source, Never):
            return self.undefined(target, "there is no value")
        if isinstance(target, Listed):
            return self._member(node, target)
        if isinstance(target, Slots) and not isinstance(node, n.Ite):
            return slots.converted(self, node, target)
        if isinstance(node, n.Ite) and not (isinstance(source, Int | Seq) and fits(source, target)):
            # A wider number or sequence is wider as a whole: a sum over n members would be n sums otherwise.
            return self.ite(
                node.condition, self.convert(node.then, target), self.convert(node.orelse, target)
            )
        if isinstance(node, n.MapUpdate) and isinstance(target, Map):
            before = self._origins.get(node.map, node.map)
            if before.type == target:
                return self.make(
                    n.MapUpdate, target, before, node.key, self.convert(node.value, target.value)
                )
        if isinstance(node, n.SetOf | n.SetUnion) and is_large(source) and isinstance(target, Set):
            # The set as a whole would list all values that a written member may have.
            return restructured(self, node, source, target)
        if fits(source, target):
            if isinstance(node, n.Const) and not target.contains(node.value):
                return self.undefined(target, f"{in_tla(source, node.value)} is outside of {target!r}")
            with placed(self.place):
                return self.sound(coerce(node, target))
        return restructured(self, node, source, target)

    def _member(self, node: n.Node, kind: Listed) -> n.Node:
        """The member of a list that equals a value."""
        if isinstance(node, n.Ite):
            arms = (self._member(x, kind) for x in (node.then, node.orelse))
            return n.make(n.Ite, kind, self.place, node.condition, *arms)
        member = listed_member(node)
        if member is not None and member.type != kind:
            return self._in_list(member, kind)
        return member_of(self.convert(node, kind.item), kind)

    def _in_list(self, member: n.Node, kind: Listed) -> n.Node:
        """The member of a list that has the value of a member of another, by a constant function."""
        source = member.type
        assert isinstance(source, Listed)
        converted = self.computed(source.item, lambda x: self.convert(x, kind.item))
        assert converted is not None
        members = list[str | None]()
        for value in source.listed:
            try:
                members.append(kind.by_value.get(converted(value)))
            except OutOfBounds:
                members.append(None)
        here = frozenset(x for x, found in zip(source.members, members, strict=True) if found is not None)
        table = self.const(Map(source, kind), tuple(found or kind.members[0] for found in members))
        inside = self.make(n.Member, BOOL, member, self.const(Set(source), here))
        outside = self.undefined(kind, "the value is none of those listed")
        return n.make(
            n.Ite, kind, self.place, inside, n.make(n.Apply, kind, self.place, table, member), outside
        )

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
        """The result of a function that is applied to the variant of a union's value."""
        assert isinstance(node.type, Union)
        whole = len(tags) == len(node.type.variants)
        result = of(self.variant(node, tags[-1])) if whole and tags else otherwise
        for tag in reversed(tags[:-1] if whole else tags):
            result = self.ite(self.has_tag(node, tag), of(self.variant(node, tag)), result)
        return result

    def cases(self, node: n.Node, of: Body, keep: Callable[[Type], bool], why: str) -> n.Node:
        """A function of a value that may be of several kinds, out of bounds for kinds that it is not kept for."""
        if isinstance(node, n.Undefined):
            return self.undefined(NEVER, node.why)
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
        if isinstance(node, n.Undefined):
            return self.undefined(BOOL, node.why)
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
        return self.junction(True, items)

    def disj(self, items: Sequence[n.Node]) -> n.Node:
        """A disjunction, evaluated from the left."""
        return self.junction(False, items)

    def junction(self, universal: bool, items: Sequence[n.Node]) -> n.Node:
        """Whether all of some formulas hold, or one of them."""
        with placed(self.place):
            return self.sound(rules.connective(n.And if universal else n.Or, [self.truth(x) for x in items]))

    def bounded(self, universal: bool, bound: n.Node, body: n.Node) -> n.Node:
        """The body of a quantifier for the elements within a bound: `bound => body`, or `bound /\\ body`."""
        return self.junction(not universal, [self.negation(bound) if universal else bound, body])

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
        """Whether two values are equal; values of different kinds are not."""
        if isinstance(a.type, Never) or isinstance(b.type, Never):
            return self.undefined(BOOL, "there is no value")
        if slots.within(a.type) or slots.within(b.type):
            return self.once_defined([a, b], self._same_by_parts(a, b))
        members = [listed_member(x) for x in (a, b)]
        if members[0] is not None and members[1] is not None and members[0].type == members[1].type:
            return self.make(n.Eq, BOOL, *members)
        kind = join(a.type, b.type)
        if a.type != b.type and shapes.has_functions_of_two_kinds(kind):
            return self.make(n.Eq, BOOL, self.convert(a, kind), self.convert(b, kind))
        if isinstance(b.type, Union) and not isinstance(a.type, Union):
            a, b = b, a
        shared = a.type.by_tag if isinstance(a.type, Union) else {}
        if isinstance(kind, Union) and not isinstance(b.type, Union) and shapes.tag_of(b.type) not in shared:
            return self.of_nothing(a, self.of_nothing(b, self.boolean(False)))
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
            pairs = list(zip(self.components(a), self.components(b), strict=False))
            alike = len(a.type.items) == len(b.type.items)
            answer = self.conj([self.same(x, y) for x, y in pairs]) if alike else self.boolean(False)
            if alike and pairs:
                return self.once_defined([x for pair in pairs[1:] for x in pair], answer)
            return self.of_nothing(a, self.of_nothing(b, answer))
        return self.make(n.Eq, BOOL, self.convert(a, kind), self.convert(b, kind))

    def _same_by_parts(self, a: n.Node, b: n.Node) -> n.Node:
        """Whether two values are equal that are in slots or have such parts."""
        if isinstance(join(a.type, b.type), Slots):
            return slots.same(self, a, b)
        if isinstance(b.type, Union):
            a, b = b, a
        if isinstance(a.type, Union):
            return self.by_variant(a, [*a.type.by_tag], lambda x: self.same(x, b), self.boolean(False))
        if is_set(a.type) and is_set(b.type):
            return self.conj([self.both_sets(n.Subset, *pair) for pair in ((a, b), (b, a))])
        if not (is_function(a.type) and is_function(b.type)):
            return self.boolean(False)
        keys = self.domain_of(a)
        differ = some_clash(
            self, keys, lambda x: self.negation(self.same(self.apply(a, x), self.apply(b, x)))
        )
        return self.conj([self.same(keys, self.domain_of(b)), self.negation(differ)])

    # -- integers ---------------------------------------------------------------------------------

    def number(self, node: n.Node) -> n.Node:
        """The value as an integer."""
        if isinstance(node.type, Int):
            return node
        found = self.cases(node, lambda x: x, lambda kind: isinstance(kind, Int), "an integer is needed")
        return found if isinstance(found.type, Int) else self.convert(found, Int(0, 0))

    def arithmetic(self, kind: type[n.Node], a: n.Node, b: n.Node) -> n.Node:
        """A sum, difference, product, quotient or remainder."""
        a, b = self.number(a), self.number(b)
        if kind in (n.Div, n.Mod) and isinstance(b.type, Int) and b.type.high < 1:
            return self.undefined(NEVER, "the divisor is not positive")
        with placed(self.place):
            return self.sound(rules.arithmetic(kind, a, b))  # type: ignore[arg-type]  # the callers give binary kinds

    def power(self, base: n.Node, exponent: n.Node) -> n.Node:
        """A power."""
        base, exponent = self.number(base), self.number(exponent)
        for x in (base, exponent):
            if isinstance(x, n.Undefined):
                return x
        if not isinstance(exponent, n.Const):
            return self._power_of_each(base, exponent)
        if exponent.value < 0:
            return self.undefined(NEVER, "the exponent is not positive")
        result: n.Node = self.integer(1)
        if not exponent.value:
            return self.ite(self.equal(base, self.integer(0)), self.undefined(NEVER, "0 ^ 0"), result)
        for _ in range(exponent.value):
            result = self.arithmetic(n.Mul, result, base)
        return result

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
        return self._compared(n.Le, self.number(a), self.number(b))

    def lt(self, a: n.Node, b: n.Node) -> n.Node:
        """Less than."""
        return self._compared(n.Lt, self.number(a), self.number(b))

    def _compared(self, kind: type[n.Lt] | type[n.Le], a: n.Node, b: n.Node) -> n.Node:
        """A comparison; a constant where the types decide it, so that recursion over places in a sequence ends."""
        assert isinstance(a.type, Int) and isinstance(b.type, Int)
        decided = compared(a.type, b.type, strict=kind is n.Lt)
        if decided is not None and is_total(a) and is_total(b):
            return self.boolean(decided)
        with placed(self.place):
            return self.sound(rules.comparison(kind, a, b))

    def interval(self, low: n.Node, high: n.Node) -> n.Node:
        """`low..high`."""
        with placed(self.place):
            return self.sound(int_range(wrap(self.number(low)), wrap(self.number(high))).node)

    # -- binders and sets -------------------------------------------------------------------------

    def set_node(self, node: n.Node) -> n.Node:
        """The value as a set."""
        if slots.in_slots(node.type):
            return slots.image(self, node, lambda x: x)
        if is_set(node.type):
            return node
        found = self.cases(node, lambda x: x, is_set, "a set is needed")
        return found if isinstance(found.type, Set) else self.convert(found, Set(NEVER))

    def of_nothing(self, node: n.Node, answer: n.Node) -> n.Node:
        """The answer where types tell it, such as for a set whose type has no members, unless a value has none."""
        match node:
            case n.Undefined():
                return self.undefined(answer.type, node.why)
            case n.Ite():
                arms = (self.of_nothing(x, answer) for x in (node.then, node.orelse))
                return self.ite(node.condition, *arms)
        return self.once_defined([node], answer)

    def once_defined(self, parts: Iterable[n.Node], answer: n.Node) -> n.Node:
        """The answer, where each of some values that it may not need is defined: TLC evaluates them first."""
        partly = [x for x in map(_whole, parts) if not is_total(x)]
        if not partly:
            return answer
        tests = list(map(has_value, partly))
        nothing = self.undefined(answer.type, "a part of the value has no value")
        return self.ite(self.conj(tests), answer, nothing)

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
        return [self.narrowed(item, value) for value in sorted(node.value, key=item.order)]

    def narrowed(self, kind: Type, value: Value) -> n.Node:
        """A constant of the least type that holds it."""
        match kind:
            case Int():
                return self.integer(value)
            case Atoms():
                return self.atom(value)
            case Listed():
                return self.narrowed(kind.item, kind.value_of(value))
            case Union():
                tag, payload = value
                return self.narrowed(kind.by_tag[tag].parts[0], payload[0])
        return self.const(kind, value)

    def member(self, element: n.Node, domain: n.Node) -> n.Node:
        """`element \\in domain`; out of bounds if it is false and TLC refuses a comparison that it needs."""
        if slots.in_slots(domain.type):
            return slots.member(self, element, domain)
        domain = self.set_node(domain)
        inside = self.among(element, domain)
        if not may_clash(element.type, item_of(domain)):
            return inside
        refused = some_clash(self, domain, lambda x: clash(self, element, x))
        return self.disj([inside, self._unless(refused, self.boolean(False))])

    def subset(self, part: n.Node, whole: n.Node) -> n.Node:
        """`part \\subseteq whole`; out of bounds if it is false and some members cannot be compared."""
        if slots.in_slots(part.type) or slots.in_slots(whole.type):
            return self.both_sets(n.Subset, part, whole)
        part, whole = self.set_node(part), self.set_node(whole)
        inside = self.both_sets(n.Subset, part, whole)
        if not may_clash(part.type, whole.type):
            return inside
        refused = some_clash(self, part, lambda x: some_clash(self, whole, lambda y: clash(self, x, y)))
        return self.disj([inside, self._unless(refused, self.boolean(False))])

    def among(self, element: n.Node, domain: n.Node) -> n.Node:
        """Whether a value is a member of a set; one of another kind is none."""
        item = item_of(domain)
        if isinstance(item, Listed):
            return self._among_listed(element, domain, item)
        if isinstance(item, Never):
            return self.of_nothing(element, self.of_nothing(domain, self.boolean(False)))
        if isinstance(element.type, Never):
            return self.undefined(BOOL, "there is no value")
        in_slots = slots.within(element.type) or slots.within(item)
        if isinstance(domain, n.SetMap) and (has_too_many(domain) or in_slots):
            is_image = lambda x: self.same(body_at(domain, x), element)  # noqa: E731  # short
            return self.once_defined([element, domain], self.bind(n.Exists, domain.domain, "x", is_image))
        if in_slots:
            return self.once_defined([element], some_clash(self, domain, lambda x: self.same(x, element)))
        joined = join(element.type, item)
        if not shapes.has_functions_of_two_kinds(joined):
            no = self.once_defined([element, domain], self.boolean(False))
            if isinstance(element.type, Union) and not isinstance(item, Union):
                tag = shapes.tag_of(item)
                if tag not in element.type.by_tag:
                    return no
                inside = self.among(self.variant(element, tag), domain)
                return self.ite(self.has_tag(element, tag), inside, no)
            alone = shapes.tag_of(element.type) not in shapes.variants(item)
            if alone and isinstance(joined, Union) and not isinstance(element.type, Union):
                return no
        # The encoding compares an element with written members of its own type, and lists the values of others.
        if not fits(item, joined) or (isinstance(domain, n.SetOf) and is_large(domain.type)):
            domain = self.convert(domain, Set(joined))
        return self.make(n.Member, BOOL, self.convert(element, joined), domain)

    def _among_listed(self, element: n.Node, domain: n.Node, kind: Listed) -> n.Node:
        """Whether a value is in a set of listed values; a value that is not listed is not in it."""
        member = member_of(element, kind)
        if not isinstance(member, n.Choose | n.Undefined):
            return self.make(n.Member, BOOL, member, domain)
        own = shapes.variants(kind.item).get(shapes.tag_of(element.type), NEVER)
        fitting: n.Node = self.boolean(True)
        if join(element.type, kind.item) != kind.item:
            if not fits(element.type, own):
                return self.bind(n.Exists, domain, "x", lambda x: self.same(x, element))
            fitting = self.make(n.Member, BOOL, element, self.universe(own))
        # One comparison with the whole list, which the encoding knows, in place of one with each value.
        wide = self.convert(element if own == NEVER else self.convert(element, own), kind.item)
        equal = lambda x: self.make(n.Eq, BOOL, x, wide)  # noqa: E731  # short
        return self.conj([fitting, self.bind(n.Exists, domain, "x", equal)])

    def _of_listed(self, kind: type[Binary], a: n.Node, b: n.Node) -> n.Node | None:
        """An operation on two sets of which one lists its values; None if both sets are as well of one type."""
        x, y = item_of(a), item_of(b)
        if (
            x == y
            or isinstance(x, Never)
            or isinstance(y, Never)
            or not isinstance(x, Listed) | isinstance(y, Listed)
        ):
            return None
        if kind is not n.SetUnion:
            of_table = (
                self._by_place(kind, a, b, x) if isinstance(x, Listed) and isinstance(b, n.SetOf) else None
            )
            return of_table or self._by_member(kind, a, b)
        table, other = (x, y) if isinstance(x, Listed) else (y, x)
        if isinstance(other, Listed) or join(shapes.unlisted(table), other) != shapes.unlisted(table):
            return None
        return self.make(kind, Set(table), self.convert(a, Set(table)), self.convert(b, Set(table)))

    def _by_place(self, kind: type[Binary], a: n.Node, b: n.SetOf, table: Listed) -> n.Node | None:
        """`_by_member` for a set that is written with values of the table, as in `msgs \\ {m}`; else None."""
        places = [member_of(one, table) for one in b.items]
        if any(isinstance(one, n.Choose | n.Undefined) for one in places):
            return None
        return self.make(kind, BOOL if kind is n.Subset else a.type, a, self.set_of(places))

    def _table_of_both(self, a: n.Node, b: n.Node) -> Listed | None:
        """The table of all members that two sets may have; None if those of one are not known."""
        first, second = _listed_in(a), _listed_in(b)
        if not first or not second:
            return None
        item = reduce(join, (kind for kind, _ in (*first, *second)))
        # One conversion for all values of a type: one by one, each would be folded by itself.
        found = [
            self.set_of_images(
                self.const(Set(kind), frozenset(xs)), lambda x: self.convert(x, item), Set(item)
            )
            for kind, xs in (*first, *second)
        ]
        values = [one.value for one in found if isinstance(one, n.Const)]
        return shapes.table_of(item, frozenset().union(*values)) if len(values) == len(found) else None

    def _by_member(self, kind: type[Binary], a: n.Node, b: n.Node) -> n.Node:
        """An intersection, difference or inclusion of two sets, by a test of each member of the first."""

        def test(x: n.Node) -> n.Node:
            inside = self.member(x, b)
            return self.negation(inside) if kind is n.SetMinus else inside

        if not slots.in_slots(a.type):
            found = self.bind(n.Forall if kind is n.Subset else n.SetFilter, a, "x", test)
        else:
            found = slots.over(self, True, a, test) if kind is n.Subset else slots.kept(self, a, test)
        return self.once_defined([b], found)

    def both_sets(self, kind: type[Binary], a: n.Node, b: n.Node) -> n.Node:
        """A union, intersection, difference or inclusion of two sets."""
        if slots.in_slots(a.type) or slots.in_slots(b.type):
            if kind is n.SetUnion:
                return slots.united(self, a, b) if slots.in_slots(a.type) else slots.united(self, b, a)
            return self._by_member(kind, a if slots.in_slots(a.type) else self.set_node(a), b)
        a, b = self.set_node(a), self.set_node(b)
        if kind is not n.SetUnion and (slots.within(a.type) or slots.within(b.type)):
            return self._by_member(kind, a, b)
        of_listed = self._of_listed(kind, a, b)
        if of_listed is not None:
            return of_listed
        joined = join(a.type, b.type)
        if isinstance(item_of(a), Never) or isinstance(item_of(b), Never):
            return self._with_nothing(kind, a, b)
        assert isinstance(joined, Set)
        if kind is n.SetUnion and joined.item.capped > shapes.MOST_KEYS:
            table = self._table_of_both(a, b)
            if table is not None:
                joined = Set(table)
                self._origins.update({self.convert(x, joined): x for x in (a, b)})
        if not fits(a.type, joined):
            a = self.convert(a, joined)
        if not fits(b.type, joined):
            b = self.convert(b, joined)
        result = {n.SetUnion: joined, n.Subset: BOOL}.get(kind, a.type)
        return self.make(
            kind, result, self.convert(a, joined) if kind is n.SetUnion else a, self.convert(b, joined)
        )

    def _with_nothing(self, kind: type[Binary], a: n.Node, b: n.Node) -> n.Node:
        """`both_sets` where the type of one set has no members."""
        empty, other = (a, b) if isinstance(a.type, Set) and isinstance(a.type.item, Never) else (b, a)
        match kind:
            case n.Subset:
                answer = self.boolean(True) if empty is a else self.same(a, b)
            case n.SetUnion:
                answer = other
            case n.SetIntersect:
                answer = empty
            case _:
                answer = a
        return self.of_nothing(empty, answer if answer is other else self.once_defined([other], answer))

    def set_of_images(self, domain: n.Node, body: Body, target: Set) -> n.Node:
        return self.bind(n.SetMap, domain, "x", body, lambda _: target)

    def cardinality(self, node: n.Node) -> n.Node:
        """The number of members."""
        if slots.in_slots(node.type):
            return self.cardinality(slots.places(self, node))
        if isinstance(node, n.SetOf) and len(node.items) == 1 and is_total(node):
            return self.integer(1)
        node = self.set_node(node)
        if slots.within(node.type):
            return self._number_of(slots.written(self, node))
        return self.make(n.Cardinality, Int(0, item_of(node).capped), node)

    def _number_of(self, elements: Sequence[tuple[n.Node, n.Node]]) -> n.Node:
        """The number of different elements, each with whether it is there."""
        result: n.Node = self.integer(0)
        for place, (here, x) in enumerate(elements):
            again = self.disj([self.conj([there, self.same(x, y)]) for there, y in elements[:place]])
            one = self.ite(self.conj([here, self.negation(again)]), self.integer(1), self.integer(0))
            result = self.arithmetic(n.Add, result, one)
        return result

    def big_union(self, node: n.Node) -> n.Node:
        """The union of a set of sets."""
        node = self.set_node(node)
        if isinstance(item_of(node), Never):
            return self.of_nothing(node, self.set_of([]))
        if not isinstance(item_of(node), Set):
            # They may be listed, in slots, or of several kinds.
            node = self.bind(n.SetMap, node, "x", self.set_node)
        if not isinstance(item_of(node), Set):
            raise Unlowerable("UNION of a set whose members are no sets")
        return self.make(n.BigUnion, item_of(node), node)

    # -- tuples and records -----------------------------------------------------------------------

    def components(self, node: n.Node) -> list[n.Node]:
        """The components of a tuple or record."""
        return [self.component(node, place) for place in range(len(node.type.parts))]

    def component(self, node: n.Node, place: int) -> n.Node:
        """A component of a tuple or record, by its place from 0."""
        if isinstance(node, n.MakeTuple | n.MakeRecord):
            return node.items[place]
        return self.make(n.Component, node.type.parts[place], node, place)

    def make_tuple(self, items: Sequence[n.Node]) -> n.Node:
        """`<<a, b>>`."""
        if any(isinstance(x.type, Never) for x in items):
            return self.undefined(NEVER, "an item has no value")
        return self.make(n.MakeTuple, Tuple(tuple(x.type for x in items)), tuple(items))

    def record(self, fields: dict[str, n.Node]) -> n.Node:
        """A record of its fields, by their names in types."""
        if any(isinstance(x.type, Never) for x in fields.values()):
            return self.undefined(NEVER, "a field has no value")
        kind = shapes.record_of({name: node.type for name, node in fields.items()})
        return self.make(n.MakeRecord, kind, tuple(fields[name] for name in kind.positions))

    # -- functions and sequences ------------------------------------------------------------------

    def arguments(self, kind: Record | Tuple) -> list[n.Node]:
        """The arguments of a record or a tuple, which are functions."""
        if isinstance(kind, Tuple):
            return [self.integer(place) for place in range(1, len(kind.items) + 1)]
        return [self.atom(shapes.quoted(shapes.field_name(name))) for name in kind.positions]

    def function(self, pairs: Sequence[tuple[n.Const, n.Node]]) -> n.Node:
        """The function of some constant arguments."""
        kind = shapes.function_type([(key.type, key.value, value.type) for key, value in pairs])
        match kind:
            case Record():
                by_name = {shapes.field(str(key.value)[1:-1]): value for key, value in pairs}
                return self.record(by_name)
            case Tuple():
                return self.make_tuple([value for _, value in sorted(pairs, key=lambda pair: pair[0].value)])
            case Graph():
                return self.graph([self.make_tuple(pair) for pair in pairs])
        assert isinstance(kind, Map)
        if isinstance(kind.value, Never):
            return self.undefined(NEVER, "the function has no values")
        parts = [(self.convert(key, kind.key), self.convert(value, kind.value)) for key, value in pairs]
        known = {x.value: y.value for x, y in parts if isinstance(x, n.Const) and isinstance(y, n.Const)}
        if len(known) == len(pairs):
            # Folding each update would take a millisecond, and a set of functions has thousands.
            return self.const(kind, tuple(known.get(key) for key in kind.keys))
        start = tuple(None if isinstance(kind.value, Option) else kind.value.first for _ in kind.keys)
        whole: n.Node = self.const(kind, start)
        for key, value in parts:
            whole = self.make(n.MapUpdate, kind, whole, key, value)
        return whole

    def with_pairs(
        self,
        whole: n.Node | None,
        pairs: n.Node | Iterable[Sequence[n.Node]],
        kind: Map,
        *,
        at_new: bool = False,
    ) -> n.Node:
        """A map with the values that a few pairs have, or with those at new arguments alone.

        Args:
            whole: the map; None for one without arguments.
            pairs: the pairs, also as a set.
            kind: the type of the map.
            at_new: whether the map keeps the values of its arguments.
        """
        assert isinstance(kind.value, Option)
        whole = self.const(kind, (None,) * len(kind.keys)) if whole is None else whole
        known, result = self.domain_of(whole), whole
        if isinstance(pairs, n.Node):
            found = [(here, *self.components(pair)) for here, pair in slots.written(self, pairs)]
        else:
            found = [(self.boolean(True), *pair) for pair in pairs]
        for here, argument, new in found:
            value = self.convert(self.convert(new, kind.value.item), kind.value)
            made = self.make(n.MapUpdate, kind, result, self.convert(argument, kind.key), value)
            if at_new:
                here = self.conj([here, self.negation(self.member(argument, known))])
            result = self.ite(here, made, result)
        return result

    def has_few(self, node: n.Node, key: Type) -> bool:
        """Whether a set of keys, or of pairs with them, is small beside the keys that a map may have."""
        if isinstance(node, n.SetOf):
            return True
        # Elements that are written one by one may name members of a sort, which tells these apart.
        return not sorts_in(node.type) and most_members(node) <= min(_MOST_PAIRS, key.capped // _FEW)

    def domain(self, node: n.Node) -> n.Node:
        """`DOMAIN f`."""
        return self.cases(node, self.domain_of, is_function, "a function is needed")

    def domain_of(self, node: n.Node) -> n.Node:
        match node.type:
            case Record() | Tuple(items=()) as kind:
                return self.of_nothing(node, self.set_of(self.arguments(kind)))
            case Slots():
                return slots.domain(self, node)
            case Map(key=Never()):
                return self.of_nothing(node, self.set_of([]))
            case Map(key=key, value=Option() as value):

                def held(x: n.Node) -> n.Node:
                    if isinstance(node, n.MapBuild) and not isinstance(key, Listed):
                        # The value at x alone: the whole map would be made for each x.
                        return self.make(n.IsSome, BOOL, body_at(node, x))
                    return self.make(n.IsSome, BOOL, self.make(n.Apply, value, node, self.convert(x, key)))

                return self.bind(n.SetFilter, self.universe(key), "key", held)
            case Map(key=key):
                return self.of_nothing(node, self.sound(self.universe(key)))
            case Graph():
                return self.once_defined([node], self._arguments(node))
        return self.interval(self.integer(1), self.length(node))

    def apply(self, function: n.Node, argument: n.Node) -> n.Node:
        """`f[e]`."""
        of = lambda x: self._apply(x, argument)  # noqa: E731  # short

        def keep(kind: Type) -> bool:
            if isinstance(argument, n.Const) and isinstance(kind, Record):
                return shapes.field(str(argument.value)[1:-1]) in kind.positions
            return is_function(kind)

        return self.cases(function, of, keep, "the function has no such argument")

    def _apply(self, function: n.Node, argument: n.Node) -> n.Node:
        if (at := _component_at(function.type, argument)) is not None:
            found = self.component(function, at)
            if isinstance(function, n.MakeTuple | n.MakeRecord):
                return self.once_defined([x for x in function.items if x is not found], found)
            return found
        match function.type:
            case Record() | Tuple() as kind:
                items = self.components(function)
                return self.once_defined(items, self._looked_up(argument, self.arguments(kind), items))
            case Seq(item=item):
                place = self.number(argument)
                return (
                    self.make(n.Index, item, function, place)
                    if not isinstance(item, Never)
                    else self.undefined(NEVER, "the sequence is empty")
                )
            case Slots():
                return slots.applied(self, function, argument)
            case Map(key=key, value=value):
                found = self.make(n.Apply, value, function, self.convert(argument, key))
                return self.make(n.Get, value.item, found) if isinstance(value, Option) else found
            case Graph():
                there, found = self.looked_up(function, argument)
                return self.ite(there, found, self.undefined(NEVER, "the function has no such argument"))
        raise Unlowerable(f"a function is needed, and this is a value of {function.type!r}")

    def _looked_up(self, argument: n.Node, keys: Sequence[n.Node], values: Sequence[n.Node]) -> n.Node:
        result = self.undefined(NEVER, "the function has no such argument")
        for key, value in zip(reversed(keys), reversed(values), strict=True):
            result = self.ite(self.equal(argument, key), value, result)
        return result

    def updated(self, function: n.Node, argument: n.Node, of: Body) -> n.Node:
        """`[f EXCEPT ![e] = of(f[e])]`."""
        return self.cases(
            function, lambda x: self._updated(x, argument, of), is_function, "a function is needed"
        )

    def _updated(self, function: n.Node, argument: n.Node, of: Body) -> n.Node:
        match function.type:
            case Record() | Tuple() as kind:
                items = self.components(function)
                if not items:
                    return self.of_nothing(function, self.of_nothing(argument, function))
                if (at := _component_at(kind, argument)) is not None:
                    items[at] = self.once_defined([items[at]], of(items[at]))
                else:
                    pairs = zip(self.arguments(kind), items, strict=True)
                    items = [self._changed(argument, key, old, of) for key, old in pairs]
                if isinstance(kind, Tuple):
                    return self.make_tuple(items)
                return self.record(dict(zip(kind.positions, items, strict=True)))
            case Seq() as kind:
                if isinstance(kind.item, Never):
                    return self.of_nothing(argument, function)
                return self._updated_item(function, argument, of)
            case Slots():
                return slots.updated(self, function, argument, of)
            case Map(key=key) as kind:
                place = self.convert(argument, key)
                new = of(self._apply(function, argument))
                value = join(shapes.given(kind.value), new.type)
                whole = Map(key, Mapped(value) if isinstance(kind.value, Option) else value)
                wide = self.convert(function, whole)
                made = self.make(n.MapUpdate, whole, wide, place, self.convert(new, whole.value))
                # As in TLC, nothing changes where the function has no such argument.
                if join(argument.type, key) == key and not isinstance(kind.value, Option):
                    return made
                return self.ite(self.member(argument, self.domain_of(function)), made, function)
            case Graph():
                there, old = self.looked_up(function, argument)
                changed = self.graph([self.make_tuple([argument, of(old)])])
                updated = self.ite(there, self.merged(changed, function), function)
                return self.once_defined([argument], updated)
        raise Unlowerable(f"a function is needed, and this is a value of {function.type!r}")

    def _updated_item(self, sequence: n.Node, place: n.Node, of: Body) -> n.Node:
        assert isinstance(sequence.type, Seq)
        new = of(self._apply(sequence, place))
        wide = Seq(join(sequence.type.item, new.type), sequence.type.capacity)
        inside = self.conj([self.le(self.integer(1), place), self.le(place, self.length(sequence))])
        whole = self.convert(sequence, wide)
        made = self.make(n.SeqUpdate, wide, whole, self.number(place), self.convert(new, wide.item))
        return self.ite(inside, made, sequence)

    def _changed(self, argument: n.Node, key: n.Node, old: n.Node, of: Body) -> n.Node:
        here = self.equal(argument, key)
        if isinstance(here, n.Const) and not here.value:
            return old
        return self.ite(here, self.once_defined([old], of(old)), old)

    # -- functions as sets of pairs -----------------------------------------------------------------

    def graph(self, pairs: Sequence[n.Node]) -> n.Node:
        """The function of some pairs of an argument and a value."""
        item = shapes.joined(x.type for x in pairs)
        if item == NEVER:
            return pairs[0]  # None of them has a value, and the first one's error is told.
        return self.make(n.SetOf, Graph(item), tuple(self.convert(x, item) for x in pairs))

    def images(self, domain: n.Node, pair: Body) -> n.Node:
        """The function with a pair for each element of a set."""
        found = self.bind(n.SetMap, domain, "x", pair, lambda body: Graph(body.type))
        if isinstance(found, n.SetMap) and found.body.type == NEVER:
            # No pair has a value, and the function of the empty set needs none.
            return self.ite(self.same(domain, self.set_of([])), self.make_tuple([]), found.body)
        return found

    def _arguments(self, node: n.Node) -> n.Node:
        """The arguments of a function that is a set of pairs."""
        assert isinstance(node.type, Graph)
        target = Set(node.type.item.parts[0])
        match node:
            case n.SetOf(items=items):
                return self.make(n.SetOf, target, tuple(self.components(x)[0] for x in items))
            case n.SetMap():
                if self._is_by_element(node):
                    return node.domain
                return self.set_of_images(node.domain, lambda x: self.components(body_at(node, x))[0], target)
        return self.set_of_images(node, lambda x: self.components(x)[0], target)

    def _is_by_element(self, node: n.SetMap) -> bool:
        """Whether pairs are those of `[x \\in S |-> e]`: an element of the set and its value."""
        key = self.components(node.body)[0]
        return node.var in (key, listed_member(key))

    def looked_up(self, node: n.Node, argument: n.Node) -> tuple[n.Node, n.Node]:
        """Whether a function that is a set of pairs has an argument, and its value there."""
        if isinstance(node, n.SetOf):
            pairs = [self.components(x) for x in node.items]
            tests = [self.same(key, argument) for key, _ in pairs]
            found: n.Node = self.undefined(NEVER, "the function has no such argument")
            for test, (_, value) in zip(tests, pairs, strict=True):
                found = self.ite(test, value, found)
            return self.disj(tests), found
        domain = node.domain if isinstance(node, n.SetMap) else node
        if isinstance(node, n.SetMap) and self._is_by_element(node):
            # No pair is searched for: the value is that of the expression, once the argument is in the set.
            element = self.convert(argument, shapes.unlisted(item_of(domain)))
            return self.among(argument, domain), self.components(body_at(node, element))[1]

        def pair(x: n.Node) -> list[n.Node]:
            return self.components(body_at(node, x) if isinstance(node, n.SetMap) else x)

        def here(x: n.Node) -> n.Node:
            return self.same(pair(x)[0], argument)

        there = self.bind(n.Exists, domain, "x", here)
        if isinstance(node, n.SetMap):
            value = self.components(node.body)[1]
            if node.var not in free_variables(value):
                return there, value
        return there, pair(self.bind(n.Choose, domain, "x", here))[1]

    def merged(self, left: n.Node, right: n.Node) -> n.Node:
        """`f @@ g`, where one is a set of pairs."""
        kind = join(left.type, right.type)
        assert isinstance(kind, Graph)
        keys = [x.type.key for x in (left, right) if isinstance(x.type, Map)]
        if any(isinstance(key, Listed) or key == kind.item.parts[0] for key in keys):
            return self._merged_map(left, right)
        known = self.domain(left)
        more = lambda x: self.negation(self.member(self.components(x)[0], known))  # noqa: E731  # short
        others = self.bind(n.SetFilter, self.convert(right, kind), "x", more)
        return self.make(n.SetUnion, kind, self.convert(left, kind), others)

    def _merged_map(self, left: n.Node, right: n.Node) -> n.Node:
        """The same where the other is a map: its type has all arguments, or is a table and may have to grow."""
        whole, graph = (left, right) if isinstance(left.type, Map) else (right, left)
        assert isinstance(whole.type, Map) and isinstance(graph.type, Graph)
        key, value = whole.type.key, Mapped(join(shapes.given(whole.type.value), graph.type.item.parts[1]))
        kind = Map(key, value)
        whole = self.convert(whole, kind)
        if self.has_few(graph, key):
            hidden = [graph] if graph is right else []
            return self.once_defined(hidden, self.with_pairs(whole, graph, kind, at_new=graph is right))
        added = self.convert(graph, kind)
        first, second = (whole, added) if graph is right else (added, whole)

        def entry(x: n.Node) -> n.Node:
            place = self.convert(x, key)
            mine, other = (self.make(n.Apply, value, y, place) for y in (first, second))
            return self.ite(self.make(n.IsSome, BOOL, mine), mine, other)

        # An argument that the map cannot have counts also where no key asks for the other function.
        return self.once_defined([added], self.bind(n.MapBuild, key, "key", entry, lambda _: kind))

    # -- sequences --------------------------------------------------------------------------------

    def sequence(self, items: Sequence[n.Node], kind: Seq) -> n.Node:
        """A sequence of the type from its items."""
        return self.make(n.MakeSeq, kind, tuple(items))

    def beginning(self, items: Sequence[tuple[n.Node, n.Node]], kind: Type, size: n.Node) -> n.Node:
        """The sequence of the first so many of some items, each of which has a value where its condition holds."""
        if not items:
            return self.sequence([], Seq(kind, 0))
        some, first = items[0]
        # Places after the end hold the first item: a constant of a sort would tell its members apart.
        first = self.convert(first, kind)
        whole = [first, *(self.ite(here, self.convert(x, kind), first) for here, x in items[1:])]
        made = self.sequence(whole, Seq(kind, len(whole)))
        return self.ite(some, self.slice(made, self.integer(1), size), self.sequence([], Seq(kind, 0)))

    def as_sequence(self, node: n.Node) -> n.Node:
        """The value as a sequence."""

        def converted(x: n.Node) -> n.Node:
            return self.convert(x, shapes.sequence_of(x.type))

        found = self.cases(node, converted, _is_sequence, "a sequence is needed")
        return found if isinstance(found.type, Seq) else self.convert(found, Seq(NEVER, 0))

    def as_tuple(self, node: n.Node, count: int) -> n.Node:
        """The value as a tuple of so many values, out of bounds where it is none."""

        def keep(kind: Type) -> bool:
            if isinstance(kind, Tuple):
                return len(kind.items) == count
            return not isinstance(shapes.result_of(kind), Never)

        def of(x: n.Node) -> n.Node:
            return (
                x
                if isinstance(x.type, Tuple)
                else self.convert(x, Tuple((shapes.result_of(x.type),) * count))
            )

        return self.cases(node, of, keep, f"a tuple of {count} values is needed")

    def length(self, node: n.Node) -> n.Node:
        """`Len(s)`."""

        def of(x: n.Node) -> n.Node:
            if isinstance(x.type, Tuple):
                return self.of_nothing(x, self.integer(len(x.type.items)))
            kind = shapes.sequence_of(x.type)
            return self.make(n.Len, Int(0, kind.capacity), self.convert(x, kind))

        return self.cases(node, of, _is_sequence, "a sequence is needed")

    def item(self, node: n.Node, place: int) -> n.Node:
        """`s[i]`."""
        return self.apply(node, self.integer(place))

    def concat(self, a: n.Node, b: n.Node) -> n.Node:
        """`s \\o t`."""
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
            both = self.make_tuple([*self.components(a), *self.components(b)])
            return self.once_defined([x for x in (a, b) if not x.type.parts], both)
        a, b = self.as_sequence(a), self.as_sequence(b)
        for x in (a, b):
            if isinstance(x, n.Undefined):
                return self.undefined(NEVER, x.why)
        assert isinstance(a.type, Seq) and isinstance(b.type, Seq)
        item = join(a.type.item, b.type.item)
        if isinstance(item, Never):
            return self.once_defined([a, b], self.make_tuple([]))
        parts = [self.convert(x, Seq(item, x.type.capacity)) for x in (a, b)]  # type: ignore[attr-defined]  # sequences
        return self.make(n.Concat, Seq(item, a.type.capacity + b.type.capacity), *parts)

    def slice(self, node: n.Node, first: n.Node, last: n.Node) -> n.Node:
        """`SubSeq(s, m, n)`."""
        places = (
            (first.value, last.value) if isinstance(first, n.Const) and isinstance(last, n.Const) else None
        )
        if places is not None and isinstance(node.type, Tuple):
            low, high = places
            if low > high:
                return self.of_nothing(node, self.make_tuple([]))
            if low >= 1 and high <= len(node.type.items):
                items = self.components(node)
                kept = self.make_tuple(items[low - 1 : high])
                return self.once_defined([*items[: low - 1], *items[high:]], kept)
        node = self.as_sequence(node)
        return self.make(n.Slice, node.type, node, self.number(first), self.number(last))

    def selected(self, node: n.Node, body: Body) -> n.Node:
        """`SelectSeq(s, Test)`."""
        node = self.as_sequence(node)
        assert isinstance(node.type, Seq)
        if isinstance(node, n.Undefined):
            return self.undefined(NEVER, node.why)
        if isinstance(node.type.item, Never):
            return self.of_nothing(node, self.make_tuple([]))
        if node.type.item.capped <= _MOST_FILTERED:
            return self.bind(n.SeqFilter, node, "x", body)
        found, no = self.make_tuple([]), self.boolean(False)
        for place in range(1, node.type.capacity + 1):
            there = self.le(self.integer(place), self.length(node))
            item = self.item(node, place)
            kept = self.ite(there, body(item), no)
            found = self.ite(kept, self.concat(found, self.make_tuple([item])), found)
        return found


def is_function(kind: Type) -> bool:
    """Whether values of a type are functions."""
    return isinstance(kind, Record | Tuple | Seq | Map | Graph) and not slots.in_slots(kind)


def _is_sequence(kind: Type) -> bool:
    """Whether values of a type may be sequences."""
    return shapes.tag_of(kind) == "seq"


def is_set(kind: Type) -> bool:
    """Whether values of a type are sets."""
    return slots.in_slots(kind) or (isinstance(kind, Set) and not isinstance(kind, Graph))


def restructured(t: Terms, node: n.Node, source: Type, target: Type) -> n.Node:
    match source, target:
        case Listed(), _:
            return t.convert(looked_up(node), target)
        case (Option(), _) | (_, Option()):
            return _option_as(t, node, source, target)
        case Union(), _:
            return _from_union(t, node, source, target)
        case _, Union():
            return _boxed(t, node, target)
        case Slots(), Set():
            return t.convert(t.set_node(node), target)
        case Graph(), _:
            return _graph_as(t, node, target)
        case Set(), Set():
            return _set_as(t, node, target)
        case Tuple(), Tuple() if len(source.items) == len(target.items):
            return t.make_tuple(
                [t.convert(x, kind) for x, kind in zip(t.components(node), target.items, strict=True)]
            )
        case Record(), Record() if list(source.positions) == list(target.positions):
            parts = [t.convert(x, kind) for x, kind in zip(t.components(node), target.parts, strict=True)]
            return t.make(n.MakeRecord, target, tuple(parts))
        case Tuple(), Seq() if len(source.items) <= target.capacity:
            return t.sequence([t.convert(x, target.item) for x in t.components(node)], target)
        case Seq(), (Seq() | Tuple()):
            return _sequence_as(t, node, source, target)
        case Tuple(items=()), Graph():
            return t.const(target, frozenset())
        case (Map(), _) | (_, Map()):
            return _with_maps(t, node, source, target)
    return t.undefined(target, f"a value of {source!r} is outside of {target!r}")


def _with_maps(t: Terms, node: n.Node, source: Type, target: Type) -> n.Node:
    """`restructured` where one of the types is a map."""
    match source, target:
        case Map(), Graph():

            def pair(x: n.Node) -> n.Node:
                return t.convert(t.make_tuple([x, t.apply(node, x)]), target.item)

            return t.set_of_images(t.domain_of(node), pair, target)
        case Tuple(items=()), Map(value=Option()):
            return t.const(target, (None,) * len(target.keys))
        case Record(), Map(value=Option()) if shapes.is_keyed(target):
            return t.with_pairs(None, zip(t.arguments(source), t.components(node), strict=True), target)
        case Map(), (Record() | Tuple(items=())) if shapes.is_keyed(source) or isinstance(target, Tuple):
            return _map_as_one_of(t, node, [target], lambda x: x, target)
        case Map(), Map():
            return _map_as(t, node, source, target)
        case ((Seq() | Tuple()), Map(key=Int(), value=Option())):
            return _sequence_as_map(t, node, target)
        case Map(key=Union()), (Seq() | Tuple() | Record()):
            keys = shapes.variants(source.key).get("atoms" if isinstance(target, Record) else "int")
            if keys is not None:
                return t.convert(t.convert(node, Map(keys, Mapped(shapes.given(source.value)))), target)
        case Map(key=Int()), Tuple():
            sequence = shapes.sequence_of(target)
            return t.convert(_map_as_sequence(t, node, source, sequence), target)
        case Map(key=Int()), Seq():
            return _map_as_sequence(t, node, source, target)
    return t.undefined(target, f"a value of {source!r} is outside of {target!r}")


def _option_as(t: Terms, node: n.Node, source: Type, target: Type) -> n.Node:
    if not isinstance(source, Option):
        assert isinstance(target, Option)
        return t.some(t.convert(node, target.item), target)
    given = t.make(n.Get, source.item, node)
    if not isinstance(target, Option):
        return t.convert(given, target)
    some = t.some(t.convert(given, target.item), target)
    return t.ite(t.make(n.IsSome, BOOL, node), some, t.const(target, None))


def _set_as(t: Terms, node: n.Node, target: Set) -> n.Node:
    """A set as one of another type: member by member, where its members are written."""
    match node:
        case n.SetOf(items=items):
            return t.make(n.SetOf, target, tuple(t.convert(x, target.item) for x in items))
        case n.SetUnion(left=left, right=right):
            return t.make(n.SetUnion, target, t.convert(left, target), t.convert(right, target))
        case n.SetMap(domain=domain) if _is_by_argument(domain, node, target):
            return t.set_of_images(domain, lambda x: t.convert(body_at(node, x), target.item), target)
        case n.BigUnion(item=n.SetMap(domain=domain) as sets) if _is_by_argument(domain, node, target):
            inner = t.set_of_images(domain, lambda x: t.convert(body_at(sets, x), target), Set(target))
            return t.make(n.BigUnion, target, inner)
    return t.set_of_images(node, lambda x: t.convert(x, target.item), target)


def _is_by_argument(domain: n.Node, node: n.Node, target: Set) -> bool:
    """Whether there is less to convert if each image is converted, and not each value that an image may have."""
    return isinstance(target.item, Listed) or item_of(domain).capped <= item_of(node).capped


def _listed_in(node: n.Node) -> list[tuple[Type, Sequence[Value]]]:
    """The types and values of all members that a set may have; none where these are too many."""
    item = item_of(node)
    members = [listed_member(x) for x in node.items] if isinstance(node, n.SetOf) else [None]
    kinds = [item if x is None else x.type for x in members]
    if any(not isinstance(kind, Listed) and kind.capped > _MOST_LISTED for kind in kinds):
        return []
    return [
        (shapes.unlisted(kind), kind.listed if isinstance(kind, Listed) else [*kind.values()])
        for kind in kinds
    ]


def _graph_as(t: Terms, node: n.Node, target: Type) -> n.Node:
    """A function that is a set of pairs as one of another type."""
    match target:
        case Graph():
            return t.set_of_images(node, lambda x: t.convert(x, target.item), target)
        case Tuple(items=()):
            return _map_as_one_of(t, node, [target], lambda x: x, target)
        case Map(value=value) if not isinstance(value, Option):
            return t.convert(t.convert(node, shapes.partial_map(target)), target)
        case Map(key=key) if t.has_few(node, key):
            return t.with_pairs(None, node, target)
        case Map(key=key, value=Option() as value):

            def entry(x: n.Node) -> n.Node:
                there, result = t.looked_up(node, x)
                return t.ite(there, t.convert(t.convert(result, value.item), value), t.const(value, None))

            made = t.bind(n.MapBuild, key, "key", entry, lambda _: target)
            return _with_all_keys(t, node, made, target)
    return t.undefined(target, f"a value of {node.type!r} is outside of {target!r}")


def _from_union(t: Terms, node: n.Node, source: Union, target: Type) -> n.Node:
    outside = t.undefined(target, f"the value is outside of {target!r}")
    known = shapes.variants(target)
    if not isinstance(target, Union):
        return t.by_variant(
            node,
            [
                x
                for x, kind in shapes.variants(source).items()
                if x in known or isinstance(target, Seq | Tuple | Map) or shapes.is_keyed(kind)
            ],
            lambda x: t.convert(x, target),
            outside,
        )
    keyed = shapes.has_keyed(source) or shapes.has_keyed(target)
    return t.by_variant(
        node, [x for x in source.by_tag if x in known or keyed], lambda x: _boxed(t, x, target), outside
    )


def _boxed(t: Terms, node: n.Node, target: Union) -> n.Node:
    tag = shapes.tag_of(node.type)
    if tag not in target.by_tag and shapes.is_keyed(node.type):
        return _map_as_one_of(
            t, node, list(shapes.variants(target).values()), lambda x: _boxed(t, x, target), target
        )
    if tag not in target.by_tag and (isinstance(node.type, Record) or node.type == shapes.EMPTY_FUNCTION):
        tag = "map"
    box = target.by_tag.get(tag)
    if box is None:
        return t.undefined(target, f"a value of {node.type!r} is outside of {target!r}")
    payload = t.make(n.MakeRecord, box, (t.convert(node, box.parts[0]),))
    boxed = t.make(n.MakeVariant, target, tag, payload)
    if tag == "map" and "seq" in target.by_tag:
        # A function of numbers alone is told as a sequence where there are such, so that it has one form.
        kind = node.type if isinstance(node.type, Map) and not isinstance(node.type, Slots) else None
        numbers = kind and shapes.variants(kind.key).get("int")
        if numbers is None or kind is None:
            sequence, known = t.make_tuple([]), t.set_of([])
        else:
            sequence = t.convert(node, Map(numbers, Mapped(shapes.given(kind.value))))
            known = t.universe(numbers)
        others = some_clash(t, t.domain_of(node), lambda x: t.negation(t.among(x, known)))
        return t.ite(others, boxed, _boxed(t, sequence, target))
    return boxed


def _map_as_one_of(t: Terms, node: n.Node, kinds: Sequence[Type], of: Body, target: Type) -> n.Node:
    """A function as a record of the fields that are its domain, or as the empty function."""
    domain = t.domain_of(node)
    result: n.Node = t.undefined(target, f"a value of {node.type!r} is outside of {target!r}")
    for kind in kinds:
        if isinstance(kind, Record):
            keys = t.arguments(kind)
            parts = (t.convert(t.apply(node, x), y) for x, y in zip(keys, kind.parts, strict=True))
            result = t.ite(
                t.same(domain, t.set_of(keys)), of(t.make(n.MakeRecord, kind, tuple(parts))), result
            )
        elif kind == shapes.EMPTY_FUNCTION:
            result = t.ite(t.same(domain, t.set_of([])), of(t.make_tuple([])), result)
    return result


def _sequence_as(t: Terms, node: n.Node, source: Seq, target: Seq | Tuple) -> n.Node:
    if isinstance(target, Tuple):
        if len(target.items) > source.capacity:
            return t.undefined(target, f"the sequence does not have {len(target.items)} items")
        items = [t.convert(t.item(node, i + 1), kind) for i, kind in enumerate(target.items)]
        whole = t.make(
            n.Eq,
            BOOL,
            t.convert(t.length(node), Int(0, source.capacity)),
            t.const(Int(0, source.capacity), len(items)),
        )
        return t.ite(whole, t.make_tuple(items), t.undefined(target, "the sequence has another length"))
    if isinstance(node, n.Coerce | n.Concat):
        # Each part is converted by itself: a fold that appends would convert all items again at each step.
        parts = (t.convert(x, Seq(target.item, x.type.capacity)) for x in n.children(node))  # type: ignore[attr-defined]  # sequences
        return t.convert(reduce(t.concat, parts), target)
    longest = len(node.value) if isinstance(node, n.Const) else source.capacity
    places = map(t.integer, range(1, min(longest, target.capacity) + 1))
    there = [(t.le(i, t.length(node)), t.apply(node, i)) for i in places]
    # A sequence that is longer than the target allows is out of bounds here.
    return t.convert(t.beginning(there, target.item, t.length(node)), target)


def _map_as(t: Terms, node: n.Node, source: Map, target: Map) -> n.Node:
    every = join(source.key, target.key) == source.key

    def value(key: n.Node) -> n.Node:
        known = t.convert(t.make(n.Apply, source.value, node, t.convert(key, source.key)), target.value)
        return known if every else t.ite(t.among(key, t.universe(source.key)), known, _missing(t, target))

    made = t.bind(n.MapBuild, target.key, "key", value, lambda _: target)
    return _with_all_keys(t, node, made, target)


def _missing(t: Terms, kind: Map) -> n.Node:
    """The value of a map at a key that is no argument."""
    if isinstance(kind.value, Option):
        return t.const(kind.value, None)
    return t.undefined(kind.value, f"an argument of {kind!r} is missing")


def _with_all_keys(t: Terms, node: n.Node, made: n.Node, target: Map) -> n.Node:
    """A function that was made a map; it is out of bounds where one of its arguments is no key of the map."""
    domain = t.domain_of(node)
    if join(item_of(domain), target.key) == target.key:
        return made
    keys = t.universe(target.key)
    outside = lambda x: t.negation(t.among(x, keys))  # noqa: E731  # short
    lost = t.bind(n.Exists, domain, "x", outside)
    return t.ite(lost, t.undefined(target, f"an argument is outside of {target!r}"), made)


def _sequence_as_map(t: Terms, node: n.Node, target: Map) -> n.Node:
    inside = t.interval(t.integer(1), t.length(node))

    def value(key: n.Node) -> n.Node:
        return t.ite(t.member(key, inside), t.convert(t.apply(node, key), target.value), _missing(t, target))

    made = t.bind(n.MapBuild, target.key, "key", value, lambda _: target)
    return _with_all_keys(t, node, made, target)


def _map_as_sequence(t: Terms, node: n.Node, source: Map, target: Seq) -> n.Node:
    """A function of integers as a sequence, which it is if its domain is 1..n."""
    domain = t.domain_of(node)
    size = t.cardinality(domain)
    same = t.equal(domain, t.interval(t.integer(1), size))
    places = map(t.integer, range(1, source.key.cardinality + 1))
    made = t.beginning([(t.member(i, domain), t.apply(node, i)) for i in places], target.item, size)
    outside = t.undefined(target, "the function is no sequence")
    return t.ite(same, t.convert(made, target), outside)

"""TLA+'s functions and sequences on typed expressions of the language."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.lang import (
    BOOL,
    NEVER,
    Int,
    Map,
    Never,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    nodes as n,
)
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.conversion import restructured
from leadline.symbolic.tla.lower.making import Body, Unlowerable
from leadline.symbolic.tla.lower.shapes import join
from leadline.symbolic.tla.lower.terms import Terms


class FunctionTerms(Terms):
    """Functions, records, tuples and sequences, besides the operators on other values."""

    def restructured(self, node: n.Node, source: Type, target: Type) -> n.Node:
        return restructured(self, node, source, target)

    def function(self, pairs: Sequence[tuple[n.Const, n.Node]]) -> n.Node:
        """The function of some constant arguments."""
        kind = shapes.function_type([(key.type, key.value, value.type) for key, value in pairs])
        match kind:
            case Record():
                by_name = {shapes.field(str(key.value)[1:-1]): value for key, value in pairs}
                return self.record(by_name)
            case Tuple():
                return self.make_tuple([value for _, value in sorted(pairs, key=lambda pair: pair[0].value)])
        assert isinstance(kind, Map)
        if isinstance(kind.value, Never):
            return self.undefined(NEVER, "the function has no values")
        start = tuple(None if isinstance(kind.value, Option) else kind.value.first for _ in kind.keys)
        whole: n.Node = self.const(kind, start)
        for key, value in pairs:
            whole = self.make(
                n.MapUpdate, kind, whole, self.convert(key, kind.key), self.convert(value, kind.value)
            )
        return whole

    def domain(self, node: n.Node) -> n.Node:
        """`DOMAIN f`."""
        return self.cases(node, self.domain_of, is_function, "a function is needed")

    def domain_of(self, node: n.Node) -> n.Node:
        match node.type:
            case Record(positions=positions):
                return self.set_of([self.atom(shapes.quoted(shapes.field_name(name))) for name in positions])
            case Map(key=key, value=Option() as value):
                held = lambda x: self.make(n.IsSome, BOOL, self.make(n.Apply, value, node, x))  # noqa: E731  # short
                return self.bind(n.SetFilter, key, "key", held, lambda _: Set(key), self.universe(key))
            case Map(key=key):
                return self.sound(self.universe(key))
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
        match function.type:
            case Record(positions=positions):
                keys = [self.atom(shapes.quoted(shapes.field_name(name))) for name in positions]
                return self._looked_up(argument, keys, self.components(function))
            case Tuple(items=items):
                keys = [self.integer(i + 1) for i in range(len(items))]
                return self._looked_up(argument, keys, self.components(function))
            case Seq(item=item):
                place = self.number(argument)
                return (
                    self.make(n.Index, item, function, place)
                    if not isinstance(item, Never)
                    else self.undefined(NEVER, "the sequence is empty")
                )
            case Map(key=key, value=value):
                found = self.make(n.Apply, value, function, self.convert(argument, key))
                return self.make(n.Get, value.item, found) if isinstance(value, Option) else found
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
            case Record(positions=positions):
                parts = {
                    name: self._changed(argument, self.atom(shapes.quoted(shapes.field_name(name))), old, of)
                    for name, old in zip(positions, self.components(function), strict=True)
                }
                return self.record(parts)
            case Tuple():
                olds = enumerate(self.components(function), start=1)
                return self.make_tuple([self._changed(argument, self.integer(i), old, of) for i, old in olds])
            case Seq() as kind:
                if isinstance(kind.item, Never):
                    return function
                new = of(self._apply(function, argument))
                wide = Seq(join(kind.item, new.type), kind.capacity)
                inside = self.conj(
                    [self.le(self.integer(1), argument), self.le(argument, self.length(function))]
                )
                made = self.make(
                    n.SeqUpdate,
                    wide,
                    self.convert(function, wide),
                    self.number(argument),
                    self.convert(new, wide.item),
                )
                return self.ite(inside, made, function)
            case Map(key=key) as kind:
                place = self.convert(argument, key)
                new = of(self._apply(function, argument))
                value = join(_item(kind.value), new.type)
                whole = Map(key, Option(value) if isinstance(kind.value, Option) else value)
                made = self.make(
                    n.MapUpdate, whole, self.convert(function, whole), place, self.convert(new, whole.value)
                )
                # As in TLC, nothing changes where the function has no such argument.
                if join(argument.type, key) == key and not isinstance(kind.value, Option):
                    return made
                return self.ite(self.member(argument, self.domain_of(function)), made, function)
        raise Unlowerable(f"a function is needed, and this is a value of {function.type!r}")

    def _changed(self, argument: n.Node, key: n.Node, old: n.Node, of: Body) -> n.Node:
        here = self.equal(argument, key)
        if isinstance(here, n.Const) and not here.value:
            return old
        return self.ite(here, of(old), old)

    # -- sequences --------------------------------------------------------------------------------

    def sequence(self, items: Sequence[n.Node], kind: Seq) -> n.Node:
        """A sequence of the type from its items."""
        return self.make(n.MakeSeq, kind, tuple(items))

    def as_sequence(self, node: n.Node) -> n.Node:
        """The value as a sequence."""

        def converted(x: n.Node) -> n.Node:
            return self.convert(x, shapes.sequence_of(x.type))

        found = self.cases(
            node, converted, lambda kind: isinstance(kind, Seq | Tuple), "a sequence is needed"
        )
        return found if isinstance(found.type, Seq) else self.convert(found, Seq(NEVER, 0))

    def length(self, node: n.Node) -> n.Node:
        """`Len(s)`."""

        def of(x: n.Node) -> n.Node:
            if isinstance(x.type, Tuple):
                return self.integer(len(x.type.items))
            assert isinstance(x.type, Seq)
            return self.make(n.Len, Int(0, x.type.capacity), x)

        return self.cases(node, of, lambda kind: isinstance(kind, Seq | Tuple), "a sequence is needed")

    def item(self, node: n.Node, place: int) -> n.Node:
        """`s[i]`."""
        return self.apply(node, self.integer(place))

    def concat(self, a: n.Node, b: n.Node) -> n.Node:
        """`s \\o t`."""
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple):
            return self.make_tuple([*self.components(a), *self.components(b)])
        a, b = self.as_sequence(a), self.as_sequence(b)
        for x in (a, b):
            if isinstance(x, n.Undefined):
                return self.undefined(NEVER, x.why)
        assert isinstance(a.type, Seq) and isinstance(b.type, Seq)
        item = join(a.type.item, b.type.item)
        if isinstance(item, Never):
            return self.make_tuple([])
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
                return self.make_tuple([])
            if low >= 1 and high <= len(node.type.items):
                return self.make_tuple(self.components(node)[low - 1 : high])
        node = self.as_sequence(node)
        return self.make(n.Slice, node.type, node, self.number(first), self.number(last))

    def selected(self, node: n.Node, body: Body) -> n.Node:
        """`SelectSeq(s, Test)`."""
        node = self.as_sequence(node)
        assert isinstance(node.type, Seq)
        if isinstance(node, n.Undefined):
            return self.undefined(NEVER, node.why)
        if isinstance(node.type.item, Never):
            return self.make_tuple([])
        return self.bind(n.SeqFilter, node.type.item, "x", body, lambda _: node.type, node)


def _item(kind: Type) -> Type:
    return kind.item if isinstance(kind, Option) else kind


def is_function(kind: Type) -> bool:
    """Whether values of a type are functions."""
    return isinstance(kind, Record | Tuple | Seq | Map)

"""The symbolic form of functions, records and tuples."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from leadline.symbolic.lang import NEVER, Int, Map, Tuple, nodes as n, sorts_in
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.infinite import Cases, Domain, Product
from leadline.symbolic.tla.lower.making import Unlowerable
from leadline.symbolic.tla.lower.scope import DEEPEST, BuiltIn, Entity, Later, Operator, Scope, Unsupported
from leadline.symbolic.tla.lower.sets import Sets, is_whole
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.syntax import operators

_MOST_ARGUMENTS = 64
_MOST_LENGTHS = 32

Change: TypeAlias = tuple[Sequence[n.Node], s.Expression]
"""The path to a part of a value, and the part's new value."""


class Functions(Sets):
    """Functions, records and tuples.

    Attributes:
        specification: the specification.
    """

    specification: Specification

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[tuple[object, ...], tuple[Entity, *tuple[object, ...]]] = {}

    @abstractmethod
    def value(self, e: s.Expression, scope: Scope) -> n.Node:
        """An expression as a node."""

    @abstractmethod
    def entity(self, e: s.Expression, scope: Scope) -> Entity:
        """An expression as a node, a set that is not listed, or an operator."""

    def _set_of(self, e: s.SetOf, scope: Scope) -> Entity:
        return self.terms.set_of([self.value(x, scope) for x in e.items])

    def _tuple_of(self, e: s.TupleOf, scope: Scope) -> Entity:
        return self.terms.make_tuple([self.value(x, scope) for x in e.items])

    def _record(self, e: s.Record, scope: Scope) -> Entity:
        return self.terms.record({shapes.field(name): self.value(x, scope) for name, x in e.fields})

    def _record_set(self, e: s.RecordSet, scope: Scope) -> Entity:
        keys = [self.terms.atom(shapes.quoted(name)) for name, _ in e.fields]
        parts = [self.domain(part, scope) for _, part in e.fields]
        return Product(tuple(key for key in keys if isinstance(key, n.Const)), tuple(parts))

    def _function_set(self, e: s.FunctionSet, scope: Scope) -> Entity:
        domain = self.value(e.domain, scope)
        keys, values = self.terms.elements(domain), self.domain(e.range, scope)
        if keys is not None:
            return Product(tuple(key for key in keys if isinstance(key, n.Const)), (values,) * len(keys))
        if not isinstance(domain, n.IntRange) or not isinstance(domain.low, n.Const):
            raise Unlowerable("[S -> T] where S is neither a constant nor m..n with a constant m")
        return self._from_interval(domain, domain.low.value, values)

    def _from_interval(self, domain: n.IntRange, low: int, values: Domain) -> Domain:
        """The functions of `low..n`, by the values that n may have."""
        terms, kind = self.terms, domain.high.type
        assert isinstance(kind, Int)
        last = range(max(low - 1, kind.low), kind.high + 1)
        if len(last) > _MOST_LENGTHS:
            raise Unlowerable(f"[{low}..n -> T] where n has over {_MOST_LENGTHS} values")
        found: list[tuple[n.Node, Domain]] = []
        if kind.low < low:
            found.append((terms.lt(domain.high, terms.integer(low)), Product((), ())))
        for high in range(max(low, kind.low), kind.high + 1):
            keys = [terms.integer(key) for key in range(low, high + 1)]
            constants = tuple(key for key in keys if isinstance(key, n.Const))
            here = terms.equal(domain.high, terms.integer(high))
            found.append((here, Product(constants, (values,) * len(keys))))
        return Cases(found)

    def _function(self, e: s.Function, scope: Scope) -> Entity:
        pairs = self.pairs(e.bounds, scope)
        if len(pairs) > 1:
            sets = [self.terms.set_node(self.listed(domain)) for _, _, domain in pairs]
            if any(sorts_in(x.type) for x in sets) and all(map(is_whole, sets)):
                return self._function_of_all(e, pairs, sets, scope)
            listed = [self.terms.elements(x) for x in sets]
            if any(elements is None for elements in listed):
                raise Unlowerable("a function of several arguments over sets that are no constants")
            found: list[tuple[n.Const, n.Node]] = []
            for choice in itertools.product(*(elements or () for elements in listed)):
                inner = scope
                for (bound, name, _), element in zip(pairs, choice, strict=True):
                    inner = inner.having(self.names_of(bound, name, element))
                key = self.terms.make_tuple(choice)
                assert isinstance(key, n.Const)
                found.append((key, self.value(e.body, inner)))
            return self.terms.function(found)
        ((bound, name, domain),) = pairs
        body = lambda x: self.value(e.body, scope.having(self.names_of(bound, name, x)))  # noqa: E731  # short
        return self.function(self.terms.set_node(self.listed(domain)), name or "x", body)

    def _function_of_all(
        self,
        e: s.Function,
        pairs: Sequence[tuple[s.Bound, str | None, Domain]],
        sets: Sequence[n.Node],
        scope: Scope,
    ) -> n.Node:
        """A function of several arguments, each of which is any value of a type."""
        key = Tuple(tuple(x.type.parts[0] for x in sets))

        def body(x: n.Node) -> n.Node:
            inner = scope
            for place, (bound, name, _) in enumerate(pairs, start=1):
                inner = inner.having(self.names_of(bound, name, self.terms.item(x, place)))
            return self.value(e.body, inner)

        return self.terms.bind(n.MapBuild, key, "key", body, lambda x: Map(key, x.type))

    def _index(self, e: s.Index, scope: Scope) -> Entity:
        table = self._recursive(e.function, scope)
        if table is not None:
            return self._call_function(*table, e, scope)
        return self.terms.apply(self.value(e.function, scope), self.value(e.index, scope))

    def _recursive(self, e: s.Expression, scope: Scope) -> tuple[s.Function, Scope] | None:
        """The function that an expression names if it may call itself, and where it stands."""
        if not isinstance(e, s.Apply) or e.arguments:
            return None
        bound = scope.names.get(e.operator)
        body: s.Expression | None = None
        if isinstance(bound, Later):
            body, inner = bound.body, bound.scope
        elif bound is None and (found := self.specification.definitions.get(e.operator)) is not None:
            body, inner = found.body, Scope()
        if not isinstance(body, s.Function) or body.name is None or body.name not in operators(body.body):
            return None
        return body, inner

    def _call_function(self, function: s.Function, where: Scope, e: s.Index, scope: Scope) -> Entity:
        """A recursive function applied. Where the argument is not known, it is each that it can be."""
        index = self.value(e.index, scope)
        elements = None
        if not isinstance(index, n.Const) and len(function.bounds) == len(function.bounds[0].names) == 1:
            ((_, _, domain),) = self.pairs(
                function.bounds, replace(where, primed=scope.primed, next=scope.next)
            )
            if isinstance(domain, n.Node):
                elements = self.terms.elements(self.terms.set_node(domain))
            if elements is None and index.type.cardinality <= _MOST_ARGUMENTS:
                elements = [self.terms.narrowed(index.type, x) for x in index.type.values()]
        if elements is None:
            return self._called_at(index, function, where, scope)
        result: n.Node = self.terms.undefined(NEVER, "the function has no such argument")
        for one in reversed(elements):
            found = self._called_at(one, function, where, scope)
            assert isinstance(found, n.Node)
            result = self.terms.ite(self.terms.equal(index, one), found, result)
        return result

    def _called_at(self, index: n.Node, function: s.Function, where: Scope, scope: Scope) -> Entity:
        # The key's objects are kept with the value, so that no other object has their number.
        key = (index, id(function), id(where.names), id(scope.next), scope.primed)
        known = self._calls.get(key)
        if known is None:
            found = self._call(index, function, where, scope)
            known = self._calls[key] = (found, function, where.names, scope.next)
        return known[0]

    def _call(self, index: n.Node, function: s.Function, where: Scope, scope: Scope) -> Entity:
        key = f"function {id(function)}"
        depth = scope.depths.get(key, 0) + 1
        if depth > DEEPEST:
            return self.terms.undefined(NEVER, f"{function.name} calls itself more than {DEEPEST} times")
        inner = Scope(where.names, scope.primed, scope.next, None, {**scope.depths, key: depth})
        pairs = self.pairs(function.bounds, inner)
        parts = [index] if len(pairs) == 1 else [self.terms.item(index, i + 1) for i in range(len(pairs))]
        inside = self.terms.conj(
            [self.member(x, domain) for x, (_, _, domain) in zip(parts, pairs, strict=True)]
        )
        nothing = self.terms.undefined(NEVER, f"{function.name} has no such argument")
        if isinstance(inside, n.Const) and not inside.value:
            return nothing
        for (bound, name, _), part in zip(pairs, parts, strict=True):
            inner = inner.having(self.names_of(bound, name, part))
        if isinstance(inside, n.Const):
            return self.entity(function.body, inner)
        return self.terms.ite(inside, self.value(function.body, inner), nothing)

    def _except(self, e: s.Except, scope: Scope) -> Entity:
        result = self.value(e.function, scope)
        changes = [([self.value(x, scope) for x in one.path], one.value) for one in e.updates]
        return self._changed(result, changes, scope)

    def _changed(self, node: n.Node, changes: Sequence[Change], scope: Scope) -> n.Node:
        """A value with others at paths, one after the other; those that follow each other at a place are one."""
        for key, group in itertools.groupby(changes, lambda change: change[0][0] if change[0] else None):
            if key is None:
                for _, value in group:
                    inner = Scope(scope.names, scope.primed, scope.next, node, scope.depths)
                    node = self.value(value, inner)
            else:
                rest = [(path[1:], value) for path, value in group]
                node = self.terms.updated(node, key, partial(self._changed, changes=rest, scope=scope))
        return node

    def domain(self, e: s.Expression, scope: Scope) -> Domain:
        """An expression as a set to go through."""
        found = self.entity(e, scope)
        if isinstance(found, Operator | BuiltIn):
            raise Unsupported(e.place, "an operator is no set")
        return found

    def pairs(self, bounds: Sequence[s.Bound], scope: Scope) -> list[tuple[s.Bound, str | None, Domain]]:
        """Each bound name with its set; a tuple of names as one."""
        found: list[tuple[s.Bound, str | None, Domain]] = []
        for bound in bounds:
            if bound.domain is None:
                raise Unsupported(bound.place, "a bound name without a set")
            domain = self.domain(bound.domain, scope)
            names = [None] if bound.unpacked else bound.names
            found += [(bound, name, domain) for name in names]
        return found

    def names_of(self, bound: s.Bound, name: str | None, element: n.Node) -> dict[str, Entity]:
        """The names that a bound gives to an element."""
        if name is not None:
            return {name: element}
        return {one: self.terms.item(element, place) for place, one in enumerate(bound.names, start=1)}

"""Picks: the choice of an element of a set, on a path through an action or the initial states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from leadline.symbolic.lang import NEVER, Map, Option, Pick, Seq, Set, Span, Type, Union, nodes as n
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.infinite import Cases, Domain, Filtered, PowerSet, Product, United


@dataclass(frozen=True)
class Way:
    """A path through a formula as far as it has been followed.

    Attributes:
        body: picks and guards.
        next: the values of the variables that it assigns, which may be outside of their types.
        name: the operator that it came through first.
        places: where it assigns them.
    """

    body: tuple[Pick | n.Node, ...] = ()
    next: tuple[tuple[str, n.Node], ...] = ()
    name: str = ""
    places: tuple[tuple[str, Span], ...] = ()

    def requiring(self, guard: n.Node) -> Way | None:
        """The path with one more guard; None if the guard is never true."""
        if isinstance(guard, n.Const):
            return self if guard.value else None
        return replace(self, body=(*self.body, guard))


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

    def picked(self, way: Way, name: str, domain: Domain) -> Iterator[tuple[Way, n.Node]]:
        """The path with a pick of an element of a set, and the element; several paths for a union of sets."""
        match domain:
            case United():
                sequence = self._lowering.kind_of(domain)
                if isinstance(sequence, Seq):
                    yield from self._picked_member(way, name, sequence, domain)
                    return
                for part in domain.parts:
                    yield from self.picked(way, name, part)
            case Cases():
                for here, part in domain.parts:
                    after = way.requiring(here)
                    if after is not None:
                        yield from self.picked(after, name, part)
            case Product():
                yield from self._picked_product(way, name, domain, ())
            case Filtered():
                for after, element in self.picked(way, name, domain.whole):
                    within = after.requiring(domain.body(element))
                    if within is not None:
                        yield within, element
            case PowerSet():
                whole = self._terms.set_node(self._lowering.listed(domain.item))
                pick = self._pick(way, name, whole.type, None)
                var = self._var(pick)
                after = replace(way, body=(*way.body, pick)).requiring(
                    self._terms.both_sets(n.Subset, var, whole)
                )
                if after is not None:
                    yield after, var
            case _:
                yield from self._picked_listed(way, name, self._terms.set_node(self._lowering.listed(domain)))

    def _picked_member(self, way: Way, name: str, kind: Type, domain: Domain) -> Iterator[tuple[Way, n.Node]]:
        """A pick of any value of a type that is a member of a set."""
        pick = self._pick(way, name, kind, None)
        var = self._var(pick)
        after = replace(way, body=(*way.body, pick)).requiring(self._lowering.member(var, domain))
        if after is not None:
            yield after, var

    def _picked_function(self, way: Way, name: str, domain: Product) -> Iterator[tuple[Way, n.Node]] | None:
        """A pick of a whole function; None if the sets of its values are not constant, or its type is too rich."""
        kinds: list[tuple[Type, object, Type]] = []
        for key, part in zip(domain.keys, domain.parts, strict=True):
            if not isinstance(part, n.Const) or not isinstance(part.type, Set) or not part.value:
                return None
            kinds.append((key.type, key.value, part.type.item))
        if len(kinds) < 2 or any(isinstance(item, Union) for _, _, item in kinds):
            return None
        kind = shapes.function_type(kinds)
        if isinstance(kind, Map) and isinstance(kind.value, Option):
            return None
        return self._whole(way, name, kind, domain)

    def _whole(self, way: Way, name: str, kind: Type, domain: Product) -> Iterator[tuple[Way, n.Node]]:
        pick = self._pick(way, name, kind, None)
        var = self._var(pick)
        pairs = [
            (key, part)
            for key, part in zip(domain.keys, domain.parts, strict=True)
            if not (isinstance(part, n.Const) and len(part.value) == part.type.parts[0].cardinality)
        ]
        inside = [self._lowering.member(self._terms.apply(var, key), part) for key, part in pairs]
        after = replace(way, body=(*way.body, pick)).requiring(self._terms.conj(inside))
        if after is not None:
            yield after, var

    def _picked_product(
        self, way: Way, name: str, domain: Product, chosen: tuple[n.Node, ...]
    ) -> Iterator[tuple[Way, n.Node]]:
        place = len(chosen)
        whole = None if chosen else self._picked_function(way, name, domain)
        if whole is not None:
            yield from whole
            return
        if place == len(domain.parts):
            yield way, self._terms.function(list(zip(domain.keys, chosen, strict=True)))
            return
        for after, part in self.picked(way, name, domain.parts[place]):
            yield from self._picked_product(after, name, domain, (*chosen, part))

    def _picked_listed(self, way: Way, name: str, node: n.Node) -> Iterator[tuple[Way, n.Node]]:
        assert isinstance(node.type, Set)
        if node.type.item == NEVER:
            # No member of what is no set: the path ends in an error.
            after = way.requiring(self._terms.of_nothing(node, self._terms.boolean(False)))
            if after is not None:
                yield after, self._terms.undefined(NEVER, "there is no element")
            return
        if isinstance(node, n.Const):
            if not node.value:
                return
            if len(node.value) == 1:
                yield way, (self._terms.elements(node) or [node])[0]
                return
            every = len(node.value) == node.type.item.cardinality
            pick = self._pick(way, name, node.type.item, None if every else node)
        else:
            pick = self._pick(way, name, node.type.item, None if isinstance(node, n.Universe) else node)
        yield replace(way, body=(*way.body, pick)), self._var(pick)

    def _pick(self, way: Way, name: str, kind: Type, domain: n.Node | None) -> Pick:
        taken = {one.name for one in way.body if isinstance(one, Pick)}
        plain = name.split("@")[0] + self._mark
        unique = next(x for x in (plain, *(f"{plain}_{i}" for i in range(2, 1_000))) if x not in taken)
        return Pick(unique, kind, domain, self._terms.place)

    def _var(self, pick: Pick) -> n.Node:
        return self._terms.plain(n.make(n.PickVar, pick.type, pick.span, pick.name))

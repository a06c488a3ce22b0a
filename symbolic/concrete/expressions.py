"""Python code for sets, maps, tuples, records, options, tagged unions and sequences: all kinds of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from leadline.symbolic.concrete.logic import Logic
from leadline.symbolic.concrete.module import ANYWHERE, Module, Source
from leadline.symbolic.concrete.writer import Code, Steps, joined
from leadline.symbolic.lang import Int, Map, Set, Type, nodes as n


class Expressions(Logic):
    """All kinds of nodes except `Invalid`, which no finished model contains."""

    unsupported = frozenset({n.Invalid})
    templates: ClassVar[Mapping[type[n.Node], str]] = {
        n.Not: "(not {})",
        n.Eq: "({} == {})",
        n.Add: "({} + {})",
        n.Sub: "({} - {})",
        n.Mul: "({} * {})",
        n.Lt: "({} < {})",
        n.Le: "({} <= {})",
        n.IntRange: "frozenset(range({}, {} + 1))",
        n.SetUnion: "({} | {})",
        n.SetIntersect: "({} & {})",
        n.SetMinus: "({} - {})",
        n.BigUnion: "frozenset().union(*{})",
        n.Cardinality: "len({})",
        n.IsSome: "({} is not None)",
        n.Concat: "({} + {})",
        n.Len: "len({})",
    }

    def separate(self, root: n.Node) -> Expressions:
        return Expressions(self.module, self.variables, (root,))

    # -- sets -------------------------------------------------------------------------------------

    def visit_SetOf(self, node: n.SetOf) -> Steps:
        parts = yield from self.all_of(node.items)
        if not parts:
            return Code(self.module.constant(frozenset(), ("set", ())), 0)
        return joined(f"frozenset(({'{}, ' * len(parts)}))", *parts)

    def visit_Member(self, node: n.Member) -> Steps:
        element = yield node.element
        domain = node.domain
        assert isinstance(domain.type, Set)
        if isinstance(domain, n.Universe) and domain.type.item.includes(node.element.type):
            return Code("True", 0)
        if isinstance(domain, n.Universe):
            kind = domain.type.item
            if isinstance(kind, Int) and isinstance(node.element.type, Int):
                return joined(f"({kind.low} <= {{0}} <= {kind.high})", element)
            return joined(f"{self.module.constant(kind, ('type', kind))}.contains({{0}})", element)
        if isinstance(domain, n.IntRange) and isinstance(node.element.type, Int):
            low = yield domain.low
            return joined("({0} <= {1} <= {2})", low, element, (yield domain.high))
        if isinstance(domain, n.SetOf) and domain.items:
            items = yield from self.all_of(domain.items)
            return joined(f"({{}} in ({'{}, ' * len(items)}))", element, *items)
        return joined("({} in {})", element, (yield domain))

    def visit_Subset(self, node: n.Subset) -> Steps:
        left = yield node.left
        right = node.right
        assert isinstance(right.type, Set)
        if isinstance(right, n.Universe) and right.type.includes(node.left.type):
            return Code("True", 0)
        return joined("({} <= {})", left, (yield right))

    def visit_MinOf(self, node: n.MinOf) -> Steps:
        return self._extreme(node, "min")

    def visit_MaxOf(self, node: n.MaxOf) -> Steps:
        return self._extreme(node, "max")

    def _extreme(self, node: n.MinOf | n.MaxOf, function: str) -> Steps:
        items = self.named((yield node.item))
        self.check(items, self.error(node, f"the {function}imum of an empty set"))
        return Code(f"{function}({items})")

    # -- maps -------------------------------------------------------------------------------------

    def visit_Apply(self, node: n.Apply) -> Steps:
        map_ = yield node.map
        key = yield node.key
        return self._item(map_, self._key_place(node, node.map.type, key))

    def _item(self, whole: Code, place: Code) -> Code:
        return Code(f"{whole.text}[{place.text}]", 1 + max(whole.depth, place.depth))

    def visit_MapUpdate(self, node: n.MapUpdate) -> Steps:
        map_ = yield node.map
        key = yield node.key
        value = yield node.value
        assert isinstance(node.type, Map)
        place = self._key_place(node, node.map.type, key)
        return self._replaced(map_, place, value, node.type.key.cardinality)

    def _key_place(self, node: n.Apply | n.MapUpdate, kind: Type, key: Code) -> Code:
        """The place of a key's value in a map's tuple."""
        assert isinstance(kind, Map)
        if not kind.key.includes(node.key.type):
            key = Code(self.named(key), 0)
            self.check_type(node, node.key.type, kind.key, key.text)
        if isinstance(kind.key, Int):
            if key.text.isdigit():
                return Code(str(int(key.text) - kind.key.low), 0)
            return key if kind.key.low == 0 else joined(f"({{}} - ({kind.key.low}))", key)
        constant = self.module.value(key.text)
        if constant is not None:
            # For what is no key, the test above raises an error before the place is used.
            return Code(str(kind.key.rank(constant) if kind.key.contains(constant) else 0), 0)
        found = self.known((node.key, kind.key))
        if found is None:
            rank = self.places(kind.key)
            found = Code(f"{rank}[{key.text}]", 1 + key.depth)
            if isinstance(node.key, (n.PickVar, n.Bound)) or self.used_again(node.key):
                found = Code(self.store(found), 0)
            self.know((node.key, kind.key), found)
        return found

    def _replaced(self, whole: Code, place: Code, value: Code, length: int) -> Code:
        """A tuple of a known length with another value at a place."""
        if place.text.isdigit():
            return self._with_part(whole, int(place.text), value, length)
        if length == 1:
            return joined("({},)", value)
        name, at = self.named(whole), self.named(place)
        return Code(f"({name}[:{at}] + ({value.text},) + {name}[{at} + 1:])", 2 + value.depth)

    def _with_part(self, whole: Code, position: int, value: Code, length: int) -> Code:
        if length > 12:
            name = self.named(whole)
            return Code(f"(*{name}[:{position}], {value.text}, *{name}[{position + 1}:])", 2 + value.depth)
        name = self.named(whole) if length > 1 else ""
        parts = [Code(f"{name}[{place}]") for place in range(length)]
        parts[position] = value
        return self.tuple_of(parts)

    # -- tuples, records, options, unions ---------------------------------------------------------

    def visit_MakeTuple(self, node: n.MakeTuple) -> Steps:
        return self._product(node.items)

    def visit_MakeRecord(self, node: n.MakeRecord) -> Steps:
        return self._product(node.items)

    def visit_MakeSeq(self, node: n.MakeSeq) -> Steps:
        return self._product(node.items)

    def _product(self, items: Iterable[n.Node]) -> Steps:
        return self.tuple_of((yield from self.all_of(items)))

    def visit_Component(self, node: n.Component) -> Steps:
        whole = yield node.item
        return Code(f"{whole.text}[{node.position}]", 1 + whole.depth)

    def visit_ComponentUpdate(self, node: n.ComponentUpdate) -> Steps:
        whole = yield node.item
        value = yield node.value
        return self._with_part(whole, node.position, value, len(node.type.parts))

    def visit_Get(self, node: n.Get) -> Steps:
        name = self.named((yield node.item))
        self.check(f"{name} is not None", self.error(node, "the value of None"))
        return Code(name, 0)

    def visit_MakeVariant(self, node: n.MakeVariant) -> Steps:
        payload = yield node.payload
        return self.tuple_of([Code(self._tag(node.tag), 0), payload])

    def visit_IsVariant(self, node: n.IsVariant) -> Steps:
        return joined(f"({{}}[0] == {self._tag(node.tag)})", (yield node.item))

    def visit_Payload(self, node: n.Payload) -> Steps:
        name = self.named((yield node.item))
        self.check(f"{name}[0] == {self._tag(node.tag)}", self.error(node, f"the value is no {node.tag}"))
        return Code(f"{name}[1]")

    def _tag(self, tag: str) -> str:
        return self.module.constant(tag, ("tag", tag))

    # -- sequences --------------------------------------------------------------------------------

    def visit_Index(self, node: n.Index) -> Steps:
        items = yield node.item
        place = yield node.place
        whole, at = self._checked_place(node, items, place)
        return Code(f"{whole}[{at} - 1]")

    def visit_SeqUpdate(self, node: n.SeqUpdate) -> Steps:
        items = yield node.item
        place = yield node.place
        value = yield node.value
        whole, at = self._checked_place(node, items, place)
        return Code(f"({whole}[:{at} - 1] + ({value.text},) + {whole}[{at}:])", 2 + value.depth)

    def _checked_place(self, node: n.Node, items: Code, place: Code) -> tuple[str, str]:
        whole, at = self.named(items), self.named(place)
        self.check(f"1 <= {at} <= len({whole})", self.error(node, "a place outside the sequence"))
        return whole, at

    def visit_Slice(self, node: n.Slice) -> Steps:
        items = yield node.item
        first = yield node.first
        last = yield node.last
        whole, low, high = self.named(items), self.named(first), self.named(last)
        inside = f"({low} > {high} or 1 <= {low} and {high} <= len({whole}))"
        self.check(inside, self.error(node, "a slice outside the sequence"))
        return Code(f"({whole}[{low} - 1:{high}] if {low} <= {high} else ())", 2)


def function_of(
    root: n.Node, variables: Mapping[str, int], picks: Iterable[str] = (), source: Source = ANYWHERE
) -> Callable[[Any, Mapping[str, Any]], Any]:
    """Compile an expression to a function `(state, picks) -> value`, which raises OutOfBounds.

    Args:
        root: an expression over state variables and picks.
        variables: the position of each state variable in a state.
        picks: the names of the picks that have a value.
        source: the property that it is a part of, for errors.
    """
    module = Module()
    writer = Expressions(module, variables, (root,))
    writer.source = source
    known = set(picks)
    for node in n.postorder(root):
        if isinstance(node, n.PickVar) and node.name in known:
            name = writer.store(f"picks[{module.constant(node.name)}]")
            writer.know(node, Code(name, 0))
    result = writer.translate(root)
    writer.write(f"return {result.text}")
    module.define("value", "state, picks", writer.lines)
    function: Callable[[Any, Mapping[str, Any]], Any] = module.load()["value"]
    return function

"""Python code of quantifiers, filters, comprehensions and choices."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.concrete.logic import Logic, Steps
from leadline.symbolic.concrete.module import Lines
from leadline.symbolic.concrete.translator import Code
from leadline.symbolic.lang import Int, Map, Set, Type
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.types import Value


@dataclass(frozen=True, slots=True)
class Domain:
    """What a loop goes through: iterables over the same elements in whatever order and in the type's."""

    unordered: str
    ordered: str


OverSet: TypeAlias = n.Forall | n.Exists | n.Choose | n.SetFilter | n.SetMap


class Binders(Logic, abstract=True):
    """Quantifiers, filters, comprehensions and choices, as loops or, over a few constants, written out."""

    def constants_of(self, domain: n.Node) -> tuple[Value, ...] | None:
        """The elements of a set that is known already, in their order; None if it is not, or is large."""
        assert isinstance(domain.type, Set)
        match domain:
            case n.Universe() if domain.type.item.cardinality <= 64:
                return tuple(domain.type.item.values())
            case n.Const():
                elements = domain.value
            case n.SetOf() if all(isinstance(item, n.Const) for item in domain.items):
                elements = {item.value for item in domain.items if isinstance(item, n.Const)}
            case n.IntRange(low=n.Const(value=low), high=n.Const(value=high)) if high - low < 64:
                elements = range(low, high + 1)
            case _:
                return None
        return tuple(sorted(elements, key=domain.type.item.rank))

    def domain(self, domain: n.Node) -> Generator[n.Node, Code, Domain]:
        """A set to go through."""
        assert isinstance(domain.type, Set)
        constants = self.constants_of(domain)
        if constants is not None:
            name = self.module.constant(constants, ("elements", domain.type, constants))
            return Domain(name, name)
        if isinstance(domain, n.Universe):
            name = self.listed(domain.type.item)
            return Domain(name, name)
        if isinstance(domain, n.IntRange):
            low = yield domain.low
            high = yield domain.high
            text = f"range({low.text}, {high.text} + 1)"
            return Domain(text, text)
        code = yield domain
        return Domain(code.text, self.sorted(code, domain.type.item))

    def sorted(self, code: Code, item: Type) -> str:
        """The elements of a set in their order."""
        key = "" if isinstance(item, Int) else f", key={self.rank(item)}"
        return f"sorted({code.text}{key})"

    def _body(self, node: OverSet | n.SeqFilter) -> Generator[n.Node, Code, tuple[str, Code, Lines, bool]]:
        """The loop's variable, and its body: value, lines, and whether it may go out of bounds."""
        raises = self.raises
        self.open()
        name = self.module.fresh("x")
        self.know(node.var, Code(name, 0))
        code = yield node.body
        return name, code, self.close(), self.raises > raises

    def visit_Forall(self, node: n.Forall) -> Steps:
        return self._quantified(node, "and", "True", "if not {}:", "False")

    def visit_Exists(self, node: n.Exists) -> Steps:
        return self._quantified(node, "or", "False", "if {}:", "True")

    def _quantified(self, node: n.Forall | n.Exists, word: str, start: str, test: str, stop: str) -> Steps:
        values = self.constants_of(node.domain)
        if values is not None and self.unrolls(values, node.body):
            return (yield from self._unrolled(node, word, values))
        domain = yield from self.domain(node.domain)
        name, code, lines, ordered = yield from self._body(node)
        result = self.module.fresh("t")
        self.write(f"{result} = {start}", f"for {name} in {domain.ordered if ordered else domain.unordered}:")
        self.block([*lines, test.format(code.text), [f"{result} = {stop}", "break"]])
        return Code(result, 0)

    def _unrolled(self, node: n.Forall | n.Exists, word: str, values: tuple[Value, ...]) -> Steps:
        elements = [Code(self.module.literal(value, node.var.type), 0) for value in values]
        with self.copied(max(1, len(values))):
            return (yield from self.chain(word, (((node.var, x), node.body) for x in elements)))

    def visit_Choose(self, node: n.Choose) -> Steps:
        domain = yield from self.domain(node.domain)
        name, code, lines, _ = yield from self._body(node)
        self.write(f"for {name} in {domain.ordered}:")
        self.block([*lines, f"if {code.text}:", ["break"]])
        self.write("else:")
        self.open()
        self.fail(self.error(node, f"there is no {node.var.name} to choose"))
        self.block(self.close())
        return Code(name, 0)

    def visit_SetFilter(self, node: n.SetFilter) -> Steps:
        domain = yield from self.domain(node.domain)
        name, code, lines, ordered = yield from self._body(node)
        return self._gathered("frozenset", name, domain.ordered if ordered else domain.unordered, lines, code)

    def visit_SeqFilter(self, node: n.SeqFilter) -> Steps:
        items = yield node.domain
        name, code, lines, _ = yield from self._body(node)
        return self._gathered("tuple", name, items.text, lines, code)

    def _gathered(self, kind: str, name: str, elements: str, lines: Lines, test: Code) -> Code:
        found = self.module.fresh("t")
        self.write(f"{found} = []", f"for {name} in {elements}:")
        self.block([*lines, f"if {test.text}:", [f"{found}.append({name})"]])
        return Code(f"{kind}({found})")

    def visit_SetMap(self, node: n.SetMap) -> Steps:
        domain = yield from self.domain(node.domain)
        name, code, lines, ordered = yield from self._body(node)
        found = self.module.fresh("t")
        self.write(f"{found} = set()", f"for {name} in {domain.ordered if ordered else domain.unordered}:")
        self.block([*lines, f"{found}.add({code.text})"])
        return Code(f"frozenset({found})")

    def visit_MapBuild(self, node: n.MapBuild) -> Steps:
        assert isinstance(node.type, Map)
        if node.type.key.cardinality <= 64 and self.unrolls(node.type.keys, node.body):
            return (yield from self._written_map(node, node.type.keys))
        self.open()
        name = self.module.fresh("x")
        self.know(node.var, Code(name, 0))
        code = yield node.body
        lines = self.close()
        found = self.module.fresh("t")
        self.write(f"{found} = []", f"for {name} in {self.listed(node.type.key)}:")
        self.block([*lines, f"{found}.append({code.text})"])
        return Code(f"tuple({found})")

    def _written_map(self, node: n.MapBuild, keys: tuple[Value, ...]) -> Steps:
        values = []
        with self.copied(max(1, len(keys))):
            for key in keys:
                self.open()
                self.know(node.var, Code(self.module.literal(key, node.var.type), 0))
                values.append((yield node.body))
                self.inline(self.close())
        return self.tuple_of(values)

    def tuple_of(self, parts: list[Code]) -> Code:
        """A tuple of the parts."""
        if not parts:
            return Code("()", 0)
        return Code(f"({''.join(f'{part.text}, ' for part in parts)})", 1 + max(part.depth for part in parts))

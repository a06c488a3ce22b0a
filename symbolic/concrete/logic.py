"""Python code for leaves, conversions, Booleans, integers and binders."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.concrete.module import Lines, condition
from leadline.symbolic.concrete.writer import Code, Steps, Writer, joined
from leadline.symbolic.lang import Int, InternalError, Map, Mistake, ModelError, Set, Type, Value, nodes as n

_LARGEST_UNIVERSE = 1 << 20


@dataclass(frozen=True, slots=True)
class Domain:
    """Iterables over the elements of a loop's domain: in any order, and in their type's order."""

    unordered: str
    ordered: str


OverSet: TypeAlias = n.Forall | n.Exists | n.Choose | n.SetFilter | n.SetMap


class Logic(Writer, abstract=True):
    """Leaves, conversions, Booleans, integers and binders (quantifiers, filters, comprehensions, choices).

    A binder becomes a loop. A quantifier or map over a few constants is written out.
    """

    def visit_Const(self, node: n.Const) -> Code:
        return Code(self.module.literal(node.value, node.type), 0)

    def visit_StateVar(self, node: n.StateVar) -> Code:
        return self.state_variable(node.name)

    def visit_PickVar(self, node: n.PickVar) -> Code:
        raise InternalError(f"the pick `{node.name}` has no value where it is used ({node.span})")

    def visit_Bound(self, node: n.Bound) -> Code:
        raise InternalError(f"`{node.name}` is used outside its binder ({node.span})")

    def visit_Universe(self, node: n.Universe) -> Code:
        assert isinstance(node.type, Set)
        item = node.type.item
        if item.cardinality > _LARGEST_UNIVERSE:
            text = f"the set of all {item.cardinality} values of {item!r} is too large: use a smaller set"
            raise ModelError([Mistake(node.span, text)])
        return Code(self.module.constant(frozenset(item.values()), ("universe", item)), 0)

    def visit_Undefined(self, node: n.Undefined) -> Code:
        self.fail(self.error(node, node.why))
        # This is never reached, but the code around it needs an operand.
        return Code("None", 0)

    def visit_Coerce(self, node: n.Coerce) -> Steps:
        code = yield node.item
        if node.type.includes(node.item.type):
            return code
        name = self.named(code)
        self.check_type(node, node.item.type, node.type, name)
        return Code(name, 0)

    def check_type(self, node: n.Node, source: Type, target: Type, name: str) -> None:
        """Write that evaluation goes out of bounds unless a value of one type is one of the other."""
        test = condition(self.module, source, target, name)
        if test is not None:
            kinds = (self.module.constant(kind, ("type", kind)) for kind in (source, target))
            self.check(test, f"out_of_bounds({name}, {', '.join(kinds)}, {self.place_of(node)})")

    # -- Booleans ---------------------------------------------------------------------------------

    def visit_And(self, node: n.And) -> Steps:
        return self.chain("and", ((None, item) for item in node.items))

    def visit_Or(self, node: n.Or) -> Steps:
        return self.chain("or", ((None, item) for item in node.items))

    def chain(self, word: str, items: Iterable[tuple[tuple[n.Bound, Code] | None, n.Node]]) -> Steps:
        """A conjunction ("and") or disjunction ("or"), evaluated from the left until one operand decides.

        Args:
            items: the operands, each with the variable bound in it and the variable's value, if there is one.
        """
        test = "if {}:" if word == "and" else "if not {}:"
        parts: list[Code] = []
        for bound, item in items:
            if bound is None and not parts:
                parts.append((yield item))
                continue
            self.open()
            if bound is not None:
                self.know(*bound)
            code = yield item
            lines = self.close()
            if lines and parts:
                name = self.store(self._operands(word, parts))
                self.write(test.format(name))
                self.block([*lines, f"{name} = {code.text}"])
                parts = [Code(name, 0)]
            else:
                self.inline(lines)
                parts.append(code)
        return self._operands(word, parts)

    def _operands(self, word: str, parts: list[Code]) -> Code:
        if not parts:
            return Code("True" if word == "and" else "False", 0)
        return parts[0] if len(parts) == 1 else joined(f"({f' {word} '.join(['{}'] * len(parts))})", *parts)

    def visit_Implies(self, node: n.Implies) -> Steps:
        premise = yield node.premise
        self.open()
        conclusion = yield node.conclusion
        lines = self.close()
        if not lines:
            return joined("(not {} or {})", premise, conclusion)
        name = self.module.fresh("t")
        self.write(f"{name} = True", f"if {premise.text}:")
        self.block([*lines, f"{name} = {conclusion.text}"])
        return Code(name, 0)

    def visit_Ite(self, node: n.Ite) -> Steps:
        test = yield node.condition
        self.open()
        then = yield node.then
        then_lines = self.close()
        self.open()
        orelse = yield node.orelse
        else_lines = self.close()
        if not then_lines and not else_lines:
            return joined("({} if {} else {})", then, test, orelse)
        name = self.module.fresh("t")
        self.write(f"if {test.text}:")
        self.block([*then_lines, f"{name} = {then.text}"])
        self.write("else:")
        self.block([*else_lines, f"{name} = {orelse.text}"])
        return Code(name, 0)

    # -- integers ---------------------------------------------------------------------------------

    def visit_Div(self, node: n.Div) -> Steps:
        return self._divided(node, "({} // {})")

    def visit_Mod(self, node: n.Mod) -> Steps:
        return self._divided(node, "({} % {})")

    def _divided(self, node: n.Div | n.Mod, template: str) -> Steps:
        left = yield node.left
        right = yield node.right
        assert isinstance(node.right.type, Int)
        if node.right.type.low < 1:
            right = Code(self.named(right), 0)
            self.check(f"{right.text} > 0", self.error(node, "the divisor is not positive"))
        return joined(template, left, right)

    # -- binders ----------------------------------------------------------------------------------

    def constants_of(self, domain: n.Node) -> tuple[Value, ...] | None:
        """The elements of a small constant set, in their order; None for any other set."""
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
        """The domain of a loop over a set."""
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
        """The elements of a set, in their order."""
        key = "" if isinstance(item, Int) else f", key={self.rank(item)}"
        return f"sorted({code.text}{key})"

    def _body(self, node: OverSet | n.SeqFilter) -> Generator[n.Node, Code, tuple[str, Code, Lines, bool]]:
        """The loop's variable, and its body: code, lines, and whether it may go out of bounds."""
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
        """The code of a tuple."""
        if not parts:
            return Code("()", 0)
        return Code(f"({''.join(f'{part.text}, ' for part in parts)})", 1 + max(part.depth for part in parts))

"""Python code of leaves, conversions, Booleans and integers."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeAlias

from leadline.symbolic.concrete.narrowing import condition
from leadline.symbolic.concrete.translator import Code
from leadline.symbolic.concrete.writer import Writer
from leadline.symbolic.lang import Int, InternalError, Set, Type, UserError
from leadline.symbolic.lang import nodes as n

Steps: TypeAlias = Generator[n.Node, Code, Code]
_LARGEST_UNIVERSE = 1 << 20


def joined(template: str, *parts: Code) -> Code:
    """The template with the parts' texts in its braces."""
    return Code(template.format(*(part.text for part in parts)), 1 + max(part.depth for part in parts))


class Logic(Writer, abstract=True):
    """Leaves, conversions, Booleans and integers."""

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
            raise UserError(
                f"{node.span}: the set of all {item.cardinality} values of {item!r} is too large to build; "
                "use a smaller set"
            )
        return Code(self.module.constant(frozenset(item.values()), ("universe", item)), 0)

    def visit_Undefined(self, node: n.Undefined) -> Code:
        self.fail(self.error(node, node.why))
        # Never reached, but the code around it wants an operand.
        return Code("None", 0)

    def visit_Coerce(self, node: n.Coerce) -> Steps:
        code = yield node.item
        if node.type.includes(node.item.type):
            return code
        name = self.named(code)
        self.check_type(node, node.item.type, node.type, name)
        return Code(name, 0)

    def check_type(self, node: n.Node, source: Type, target: Type, name: str) -> None:
        """Go out of bounds unless a value of the source type is one of the target."""
        test = condition(self.module, source, target, name)
        if test is not None:
            where = self.place_of(node)
            self.check(
                test, f"out_of_bounds({name}, {self.module.constant(target, ('type', target))}, {where})"
            )

    # -- Booleans ---------------------------------------------------------------------------------

    def visit_Not(self, node: n.Not) -> Steps:
        return joined("(not {})", (yield node.item))

    def visit_And(self, node: n.And) -> Steps:
        return self.chain("and", ((None, item) for item in node.items))

    def visit_Or(self, node: n.Or) -> Steps:
        return self.chain("or", ((None, item) for item in node.items))

    def chain(self, word: str, items: Iterable[tuple[tuple[n.Bound, Code] | None, n.Node]]) -> Steps:
        """Conjunction ("and") or disjunction ("or"), from the left until one decides.

        Args:
            items: the operands, each with the variable that is bound in it, if any, and its value.
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

    def visit_Eq(self, node: n.Eq) -> Steps:
        left = yield node.left
        return joined("({} == {})", left, (yield node.right))

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

    def visit_Add(self, node: n.Add) -> Steps:
        left = yield node.left
        return joined("({} + {})", left, (yield node.right))

    def visit_Sub(self, node: n.Sub) -> Steps:
        left = yield node.left
        return joined("({} - {})", left, (yield node.right))

    def visit_Mul(self, node: n.Mul) -> Steps:
        left = yield node.left
        return joined("({} * {})", left, (yield node.right))

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

    def visit_Lt(self, node: n.Lt) -> Steps:
        left = yield node.left
        return joined("({} < {})", left, (yield node.right))

    def visit_Le(self, node: n.Le) -> Steps:
        left = yield node.left
        return joined("({} <= {})", left, (yield node.right))

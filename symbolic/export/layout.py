"""Expressions on several lines: a conjunct, a case, a field a line, where one line would be too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leadline.symbolic.export.lines import WIDTH, Lines, bullets, commas, constant, enclose, hang
from leadline.symbolic.export.names import Scope, Words
from leadline.symbolic.export.sharing import bare, repeated
from leadline.symbolic.lang import Record, Type
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.tla import Printer
from leadline.symbolic.lang.tla_text import OPEN, Text, atom
from leadline.symbolic.lang.tla_types import set_text

_NARROW = 30
"""Columns below which breaking a line makes nothing clearer. It bounds how deep lines are nested, too."""

_LONG = 40
"""Columns from which a part of an expression is worth a name."""

_ANYWHERE = OPEN - 1
_INFIX: tuple[type[n.Node], ...] = (n.Eq, n.Lt, n.Le, n.Member, n.Subset, n.Add, n.Sub, n.Mul, n.Div, n.Mod)
_INFIX += (n.SetUnion, n.SetIntersect, n.SetMinus, n.Concat)


class Layout(Printer):
    """Prints expressions in the words of a module, each as the lines that it takes.

    Args:
        words: the module's names.
        picks: the names of the picks around the expressions.
    """

    def __init__(self, words: Words, picks: Mapping[str, str]) -> None:
        self._scope = Scope((*words.taken, *picks.values()))
        super().__init__(words.variables, self._scope.taken)
        self._words = words
        self._picks = picks
        self.parts: dict[n.Node, str] = {}
        self._defining: n.Node | None = None

    def share(self, roots: Sequence[n.Node]) -> None:
        """Give a name to each long part that these expressions repeat: `parts`, what it is made of first."""
        for node in repeated(roots):
            if len(self.text(node)) >= _LONG:
                self.parts[node] = self._scope.take(f"part{len(self.parts) + 1}")

    def let(self, parts: Sequence[n.Node], body: Sequence[str]) -> Lines:
        """The body with the definitions of those parts that it names, directly or through another."""
        lines = list(body)
        defined: Lines = []
        for part in reversed(parts):
            name = re.compile(rf"\b{self.parts[part]}\b")
            if any(map(name.search, (*defined, *lines))):
                defined = [*self._definition(part), *defined]
        return [*hang("LET ", defined), *hang("IN  ", lines)] if defined else lines

    def _definition(self, part: n.Node) -> Lines:
        name = self.parts[part]
        self._defining = part
        lines = self.lines(part, WIDTH // 2)
        self._defining = None
        return [f"{name} == {lines[0]}"] if len(lines) == 1 else [f"{name} ==", *hang("  ", lines)]

    def _print(self, node: n.Node) -> Text:
        if node in self.parts and node is not self._defining:
            return atom(self.parts[node])
        return super()._print(node)

    def lines(self, root: n.Node, room: int, above: int = _ANYWHERE) -> Lines:
        """An expression as lines.

        Args:
            root: the expression.
            room: the columns that there are.
            above: the precedence of the operator whose operand it is, if any.
        """
        self.text(root)
        return self._operand(root, room, above)

    def lines_of_value(self, root: n.Node, room: int) -> Lines:
        """The same after the sign `=`."""
        self.text(root)
        return self._lay_value(root, room)

    def range(self, name: str, domain: n.Node | Type) -> str:
        """`name \\in domain`, for a quantifier."""
        if isinstance(domain, Type):
            return f"{name} \\in {self._set(domain).above(5)}"
        self.text(domain)
        return f"{name} \\in {self._of(domain).above(5)}"

    def _pick(self, name: str) -> str:
        return self._picks[name]

    def _set(self, kind: Type) -> Text:
        return set_text(kind, self._words.types)

    def _operand(self, node: n.Node, room: int, above: int) -> Lines:
        if self._of(node).low > above:
            return self._lay(node, room)
        return enclose("(", self._lay(node, room - 2), ")")

    def _lay(self, node: n.Node, room: int) -> Lines:
        node = bare(node)
        flat = self._plain(node)
        if len(flat) <= room or room < _NARROW:
            return [flat]
        lay: Callable[[Any, int], Lines] | None = getattr(self, f"lay_{type(node).__name__}", None)
        if lay is not None:
            return lay(node, room)
        return self._lay_infix(node, room) if isinstance(node, _INFIX) else [flat]

    # -- Booleans -----------------------------------------------------------------------------------

    def lay_And(self, node: n.And, room: int) -> Lines:
        return bullets("/\\", [self._lay(item, room - 3) for item in _flat(node)])

    def lay_Or(self, node: n.Or, room: int) -> Lines:
        return bullets("\\/", [self._lay(item, room - 3) for item in _flat(node)])

    def lay_Not(self, node: n.Not, room: int) -> Lines:
        if isinstance(node.item, (n.Eq, n.Member)):
            left, right = (getattr(node.item, name) for name in n.field_names(type(node.item)))
            return self._lay_sides(self._of(node), left, right, room)
        return hang("~", self._operand(node.item, room - 1, 15))

    def lay_Implies(self, node: n.Implies, room: int) -> Lines:
        premise = self._operand(node.premise, room - 3, 1)
        if len(premise) > 1 and isinstance(node.premise, (n.And, n.Or)):
            premise = enclose("(", premise, ")")
        conclusion = self._operand(node.conclusion, room - 2, 1)
        return [*enclose("", premise, " =>"), *hang("  ", conclusion)]

    def lay_Ite(self, node: n.Ite, room: int) -> Lines:
        lines: Lines = []
        word = "IF "
        while True:
            condition = self._lay(node.condition, room - len(word))
            arm = self._operand(node.then, room - 5, OPEN)
            if len(condition) == len(arm) == 1 and len(word + condition[0] + arm[0]) + 6 <= room:
                lines.append(f"{word}{condition[0]} THEN {arm[0]}")
            else:
                lines += hang(word, condition) + hang("THEN ", arm)
            rest = bare(node.orelse)
            if not isinstance(rest, n.Ite) or len(self._plain(rest)) <= room - 5:
                return lines + hang("ELSE ", self._lay(rest, room - 5))
            node = rest
            word = "ELSE IF "

    # -- binders ------------------------------------------------------------------------------------

    def lay_Forall(self, node: n.Forall, room: int) -> Lines:
        return self._lay_quantifier("\\A", node, room)

    def lay_Exists(self, node: n.Exists, room: int) -> Lines:
        return self._lay_quantifier("\\E", node, room)

    def lay_Choose(self, node: n.Choose, room: int) -> Lines:
        return self._lay_quantifier("CHOOSE", node, room)

    def _lay_quantifier(self, word: str, node: n.Forall | n.Exists | n.Choose, room: int) -> Lines:
        head = f"{word} {self._range(node.var, node.domain)} :"
        return [head, *hang("  ", self._lay(node.body, room - 2))]

    def lay_SetFilter(self, node: n.SetFilter, room: int) -> Lines:
        head = f"{self._range(node.var, node.domain)} :"
        return enclose("{", [head, *hang("  ", self._lay(node.body, room - 4))], "}")

    def lay_SetMap(self, node: n.SetMap, room: int) -> Lines:
        end = f": {self._range(node.var, node.domain)}"
        body = self._lay(node.body, room - 4)
        if self._of(node.body).low <= 5:
            body = enclose("(", body, ")")
        return enclose("{", [*body, end], "}")

    def lay_MapBuild(self, node: n.MapBuild, room: int) -> Lines:
        head = f"{self._bound[node.var]} \\in {self._set(node.var.type).above(5)} |->"
        return enclose("[", [head, *hang("  ", self._lay(node.body, room - 4))], "]")

    # -- infix operators ----------------------------------------------------------------------------

    def _lay_infix(self, node: n.Node, room: int) -> Lines:
        text = self._of(node)
        if not text.sign:
            left, *rest = n.children(node)
            return self._lay_call(text, [left, *rest], room)
        left, right = n.children(node)
        return self._lay_sides(text, left, right, room)

    def _lay_sides(self, text: Text, left: n.Node, right: n.Node, room: int) -> Lines:
        sign = f"{text.sign} "
        end = self._operand(right, room - len(sign), text.high)
        rights = [end]
        # `a \\cup b \\cup c` is one list of operands, however long.
        while self._of(left).sign == text.sign and text.text.startswith(self._plain(left)):
            left, inner = n.children(bare(left))
            rights.append(self._operand(inner, room - len(sign), text.high))
        first = self._operand(left, room, text.high)
        if len(rights) == 1 and len(first) == 1 and len(first[0]) <= room // 3:
            head = f"{first[0]} {sign}"
            return hang(head, self._operand(right, room - len(head), text.high))
        return [*first, *(line for side in reversed(rights) for line in hang(sign, side))]

    def _lay_call(self, text: Text, parts: Sequence[n.Node], room: int) -> Lines:
        """`Append(a, b)`, the only concatenation that is not infix."""
        left, right = parts
        added = right.items[0] if isinstance(right, n.MakeSeq) else None
        if added is None:
            return [text.text]
        return commas("Append(", [self._lay(left, room - 8), self._lay(added, room - 8)], ")")

    def lay_Const(self, node: n.Const, room: int) -> Lines:
        return constant(node.type, node.value, room)

    # -- values with parts --------------------------------------------------------------------------

    def lay_SetOf(self, node: n.SetOf, room: int) -> Lines:
        return commas("{", [self._lay(item, room - 2) for item in node.items], "}")

    def lay_MakeSeq(self, node: n.MakeSeq, room: int) -> Lines:
        return commas("<<", [self._lay(item, room - 4) for item in node.items], ">>")

    def lay_MakeTuple(self, node: n.MakeTuple, room: int) -> Lines:
        return commas("<<", [self._lay(item, room - 4) for item in node.items], ">>")

    def lay_MakeRecord(self, node: n.MakeRecord, room: int) -> Lines:
        return commas("[", self._lay_fields(node, room), "]")

    def lay_MakeVariant(self, node: n.MakeVariant, room: int) -> Lines:
        if not isinstance(node.payload, n.MakeRecord):
            return [self._plain(node)]
        return commas("[", [[f'type |-> "{node.tag}"'], *self._lay_fields(node.payload, room)], "]")

    def _lay_fields(self, node: n.MakeRecord, room: int) -> list[Lines]:
        assert isinstance(node.type, Record)
        heads = [f"{camel(field)} |->" for field in node.type.positions]
        return [self._after(head, item, room - 2) for head, item in zip(heads, node.items, strict=True)]

    def lay_MapUpdate(self, node: n.MapUpdate, room: int) -> Lines:
        return self._lay_except(node, room)

    def lay_ComponentUpdate(self, node: n.ComponentUpdate, room: int) -> Lines:
        return self._lay_except(node, room)

    def lay_SeqUpdate(self, node: n.SeqUpdate, room: int) -> Lines:
        return self._lay_except(node, room)

    def _lay_except(self, node: n.Node, room: int) -> Lines:
        base, changes = self._changes(node)
        groups = [self._after(f"{path} =", value, room - 3) for path, value in changes]
        first = enclose("[", self._operand(base, room - 8, 15), " EXCEPT")
        return [*first, *commas("  ", groups, "]")]

    def _after(self, head: str, node: n.Node, room: int) -> Lines:
        """A value after its head: beside it, or below where that leaves more room."""
        beside = room - len(head) - 1
        if len(self._plain(node)) > beside and len(head) > room // 4:
            return [head, *hang("  ", self._lay_value(node, room - 2))]
        return hang(f"{head} ", self._lay_value(node, beside))

    def _lay_value(self, node: n.Node, room: int) -> Lines:
        # What is open to the right, as IF is, needs no brackets after the sign `=`.
        return self._operand(node, room, _ANYWHERE if self._of(node).low == OPEN else 5)


def conjuncts_of(node: n.Node) -> list[n.Node]:
    """The conjuncts of a conjunction, or else the node alone."""
    return _flat(node) if isinstance(node, n.And) else [node]


def _flat(node: n.And | n.Or) -> list[n.Node]:
    """The items, and in place of an item of the same kind its items."""
    items: list[n.Node] = []
    todo: list[n.Node] = [node]
    while todo:
        one = todo.pop()
        if type(one) is type(node):
            todo += reversed(one.items)
        else:
            items.append(one)
    return items

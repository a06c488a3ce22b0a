"""Expressions as TLA+ text over several lines: one conjunct, case, field on each if one line is too long."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from leadline.symbolic.lang import (
    OPEN,
    Map,
    Record,
    Seq,
    Set,
    Text,
    Tuple,
    Type,
    Value,
    atom,
    nodes as n,
)
from leadline.symbolic.notation.expressions import Printer
from leadline.symbolic.notation.names import Scope, Words
from leadline.symbolic.notation.types import set_text

WIDTH = 100
"""Columns that a line should not go beyond."""

Lines = list[str]

_NARROW = 30
"""Columns below which a line is not broken further. This also bounds the depth of nesting."""

_LONG = 40
"""Columns from which a repeated part of an expression gets a name."""

_ANYWHERE = OPEN - 1
_INFIX: tuple[type[n.Node], ...] = (n.Eq, n.Lt, n.Le, n.Member, n.Subset, n.Add, n.Sub, n.Mul, n.Div, n.Mod)
_INFIX += (n.SetUnion, n.SetIntersect, n.SetMinus, n.Concat)


class ModulePrinter(Printer):
    """Prints expressions with the names of a module, over several lines where needed.

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
        """Name each long part that these expressions repeat, in `parts`, inner parts first."""
        for node in repeated(roots):
            if len(self.text(node)) >= _LONG:
                self.parts[node] = self._scope.take(f"part{len(self.parts) + 1}")

    def let(self, parts: Sequence[n.Node], body: Sequence[str]) -> Lines:
        """The body in a LET with those of the parts that it names, directly or through another."""
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
            room: the columns available.
            above: the precedence of the operator whose operand it is, if any.
        """
        self.text(root)
        return self._operand(root, room, above)

    def lines_of_value(self, root: n.Node, room: int) -> Lines:
        """An expression as lines, to stand after the sign `=`."""
        self.text(root)
        return self._lay_value(root, room)

    def range(self, name: str, domain: n.Node | Type) -> str:
        """`name \\in domain`, for a quantifier."""
        if isinstance(domain, Type):
            return f"{name} \\in {self._set(domain).above(5)}"
        self.text(domain)
        return f"{name} \\in {self._of(domain).above(5)}"

    def _pick(self, node: n.PickVar) -> str:
        return self._picks[node.name]

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

    def _lay_quantifier(self, node: n.Forall | n.Exists | n.Choose, room: int) -> Lines:
        word = self._plain(node).partition(" ")[0]
        head = f"{word} {self._range(node.var, node.domain)} :"
        return [head, *hang("  ", self._lay(node.body, room - 2))]

    lay_Forall = lay_Exists = lay_Choose = _lay_quantifier

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
        # `a \\cup b \\cup c` is one list of operands.
        while self._of(left).sign == text.sign and text.text.startswith(self._plain(left)):
            parts = tuple(n.children(bare(left)))
            if len(parts) != 2:
                break  # the minus of a negative number is no infix operator
            left, inner = parts
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

    def _lay_items(self, node: n.MakeSeq | n.MakeTuple, room: int) -> Lines:
        return commas("<<", [self._lay(item, room - 4) for item in node.items], ">>")

    lay_MakeSeq = lay_MakeTuple = _lay_items

    def lay_MakeRecord(self, node: n.MakeRecord, room: int) -> Lines:
        return commas("[", self._lay_fields(node, room), "]")

    def lay_MakeVariant(self, node: n.MakeVariant, room: int) -> Lines:
        if not isinstance(node.payload, n.MakeRecord):
            return [self._plain(node)]
        return commas("[", [[f'type |-> "{node.tag}"'], *self._lay_fields(node.payload, room)], "]")

    def _lay_fields(self, node: n.MakeRecord, room: int) -> list[Lines]:
        assert isinstance(node.type, Record)
        heads = [f"{name} |->" for name in node.type.labels]
        return [self._after(head, item, room - 2) for head, item in zip(heads, node.items, strict=True)]

    def _lay_except(self, node: n.Node, room: int) -> Lines:
        base, changes = self._changes(node)
        groups = [self._after(f"{path} =", value, room - 3) for path, value in changes]
        first = enclose("[", self._operand(base, room - 8, 15), " EXCEPT")
        return [*first, *commas("  ", groups, "]")]

    lay_MapUpdate = lay_ComponentUpdate = lay_SeqUpdate = _lay_except

    def _after(self, head: str, node: n.Node, room: int) -> Lines:
        """A value after its head: beside it, or below where that leaves more room."""
        beside = room - len(head) - 1
        if len(self._plain(node)) > beside and len(head) > room // 4:
            return [head, *hang("  ", self._lay_value(node, room - 2))]
        return hang(f"{head} ", self._lay_value(node, beside))

    def _lay_value(self, node: n.Node, room: int) -> Lines:
        # An expression that is open to the right, such as IF, needs no brackets after the sign `=`.
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


# -- shared parts ----------------------------------------------------------------------------------------


def repeated(roots: Sequence[n.Node]) -> list[n.Node]:
    """The nodes that occur more than once and mention no variable that is bound around them.

    A node that occurs only as a part of one larger node is left out. Inner nodes come first.
    """
    nodes = n.postorder(*roots)
    uses = Counter(bare(root) for root in roots)
    for node in nodes:
        if not isinstance(node, n.Coerce):
            uses.update(bare(child) for child in n.children(node))
    closed = _closed(nodes)
    return [node for node in nodes if uses[node] > 1 and node in closed]


def picks_in(node: n.Node) -> set[str]:
    """The names of the picks that an expression mentions."""
    return {part.name for part in n.postorder(node) if isinstance(part, n.PickVar)}


def bare(node: n.Node) -> n.Node:
    """The node inside any coercions, which TLA+ does not print."""
    while isinstance(node, n.Coerce):
        node = node.item
    return node


def _closed(nodes: Sequence[n.Node]) -> set[n.Node]:
    free: dict[n.Node, frozenset[n.Bound]] = {}
    for node in nodes:
        free[node] = frozenset(_free(node, free))
    return {node for node in nodes if not free[node]}


def _free(node: n.Node, free: dict[n.Node, frozenset[n.Bound]]) -> Iterator[n.Bound]:
    if isinstance(node, n.Bound):
        yield node
    for child in n.children(node):
        inside = free[child]
        if isinstance(node, n.BINDERS) and child is node.body:
            inside -= {node.var}
        yield from inside


# -- texts of several lines ------------------------------------------------------------------------------


def hang(head: str, lines: Sequence[str]) -> Lines:
    """The lines behind a head, indented below it by its width."""
    return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]


def enclose(left: str, lines: Sequence[str], right: str) -> Lines:
    """The lines in brackets."""
    hung = hang(left, lines)
    return [*hung[:-1], hung[-1] + right]


def commas(left: str, groups: Sequence[Sequence[str]], right: str, sign: str = ",") -> Lines:
    """Groups of lines in brackets with commas between them."""
    ends = [sign] * (len(groups) - 1) + [""]
    lines = [line for group, end in zip(groups, ends, strict=True) for line in enclose("", group, end)]
    return enclose(left, lines, right)


def bullets(sign: str, groups: Sequence[Sequence[str]]) -> Lines:
    """A list of conjuncts or disjuncts; a single one has no bullet."""
    if len(groups) == 1:
        return list(groups[0])
    return [line for group in groups for line in hang(f"{sign} ", group)]


def fill(left: str, words: Sequence[str], right: str, room: int) -> Lines:
    """Words in brackets with commas between them, as many on a line as fit."""
    if not words:
        return [left + right]
    # Blanks inside a word must not break it.
    kept = [word.replace(" ", "\0") for word in words]
    width = max(room - len(left) - len(right), 1)
    lines = textwrap.wrap(", ".join(kept), width, break_long_words=False, break_on_hyphens=False)
    return enclose(left, [line.replace("\0", " ") for line in lines], right)


def constant(kind: Type, value: Value, room: int) -> Lines:
    """A constant, one part on each line where one line is too long."""
    flat = kind.tla(value)
    if len(flat) <= room or not value:
        return [flat]
    match kind:
        case Set(item=item):
            return fill("{", [item.tla(x) for x in sorted(value, key=item.rank)], "}", room)
        case Seq(item=item):
            return commas("<<", [constant(item, x, room - 4) for x in value], ">>")
        case Tuple(items=items):
            parts = zip(items, value, strict=True)
            return commas("<<", [constant(part, x, room - 4) for part, x in parts], ">>")
        case Record(labels=labels):
            heads = [f"{name} |-> " for name in labels]
            fields_of = zip(heads, kind.parts, value, strict=True)
            return commas("[", [_constant_after(head, part, x, room) for head, part, x in fields_of], "]")
        case Map(key=key, value=item):
            heads = [f"{key.tla(x)} :> " for x in kind.keys]
            pairs = zip(heads, value, strict=True)
            return commas("(", [_constant_after(head, item, x, room) for head, x in pairs], ")", " @@")
    return [flat]


def _constant_after(head: str, kind: Type, value: Value, room: int) -> Lines:
    return hang(head, constant(kind, value, room - len(head) - 4))

"""Expressions as TLA+ text, on one line or on several.

The text needs the modules Integers, Sequences, FiniteSets and, where they occur, TLC (`Assert`) and the
community's FiniteSetsExt (`Min`, `Max`) and SequencesExt (`BoundedSeq`). An option's None is the model value
`None`; a tagged union is a record whose field `type` holds the tag. Bounds are not part of the text: TLA+ has
no declared ranges, so a coercion prints as the value that it coerces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from leadline.symbolic.lang import (
    OPEN,
    Atoms,
    InternalError,
    Mapped,
    Record,
    Seq,
    Text,
    Tuple,
    Type,
    Union,
    atom,
    camel,
    in_tla,
    infix,
    nodes as n,
    prefix,
    spoken,
    untagged,
)
from leadline.symbolic.lang.nodes import Unary
from leadline.symbolic.notation.lines import WIDTH, Lines, bullets, commas, constant, enclose, hang
from leadline.symbolic.notation.names import Scope, Words
from leadline.symbolic.notation.types import NONE, Named, bound_names, set_text


def to_tla(node: n.Node, names: Mapping[str, str] | None = None) -> str:
    """An expression as TLA+.

    Args:
        node: the expression.
        names: the TLA+ names of state variables; one that is not given is printed in lowerCamelCase.
    """
    return Printer(names or {}).text(node)


_INFIX: Mapping[type[n.Node], tuple[str, int, int, bool]] = {
    n.Eq: ("=", 5, 5, False),
    n.Add: ("+", 10, 10, True),
    n.Sub: ("-", 11, 11, True),
    n.Mul: ("*", 13, 13, True),
    n.Div: ("\\div", 13, 13, False),
    n.Mod: ("%", 10, 11, False),
    n.Lt: ("<", 5, 5, False),
    n.Le: ("<=", 5, 5, False),
    n.SetUnion: ("\\cup", 8, 8, True),
    n.SetIntersect: ("\\cap", 8, 8, True),
    n.SetMinus: ("\\", 8, 8, False),
    n.Subset: ("\\subseteq", 5, 5, False),
    n.Member: ("\\in", 5, 5, False),
    n.Implies: ("=>", 1, 1, False),
}
"""Operators with two operands: sign, range of precedence, and whether it is associative."""
_CALLS = {n.Cardinality: "Cardinality", n.MinOf: "Min", n.MaxOf: "Max", n.Len: "Len"}
_JUNCTIONS = {n.And: "/\\", n.Or: "\\/"}
_QUANTIFIERS = {n.Forall: "\\A", n.Exists: "\\E", n.Choose: "CHOOSE"}
_UPDATES = (n.MapUpdate, n.ComponentUpdate, n.SeqUpdate)


_NARROW = 30
"""Columns below which a line is not broken further. This also bounds the depth of nesting."""

_LONG = 40
"""Columns from which a repeated part of an expression gets a name."""

_ANYWHERE = OPEN - 1

NO_NAMES: Mapping[str, str] = {}


class Printer:
    """Prints node by node, children first: by the tables above, or by a method for the kind of node.

    On one line (`text`), or over several (`lines`): one conjunct, case, field on each where one line is too long.
    The forms differ in more than line ends: a broken conjunction is a list with bullets, which needs no brackets.

    Args:
        names: the TLA+ names of state variables; one that is not given is printed in lowerCamelCase.
        taken: names that mean something around the expression, so that no bound variable may have them.
        picks: the names of the picks around the expressions; likewise.
        types: the operators that stand for types.
        tagged: whether values of several kinds are written with the tags that they have here, not in TLA+.
    """

    @classmethod
    def of_module(cls, words: Words, picks: Mapping[str, str]) -> Printer:
        """A printer with the names of a module, and of the picks around the expressions."""
        return cls(words.variables, (*words.taken, *picks.values()), picks, words.types, tagged=True)

    @classmethod
    def _check_total(cls) -> None:
        tables = (*_INFIX, *_CALLS, *_QUANTIFIERS, *_UPDATES)
        others = [kind.__name__ for kind in n.KINDS if kind not in tables]
        missing = [name for name in others if not hasattr(cls, f"visit_{name}")]
        if missing:
            raise TypeError(f"{cls.__name__} does not print {', '.join(missing)}")

    def __init__(
        self,
        names: Mapping[str, str],
        taken: Iterable[str] = (),
        picks: Mapping[str, str] = NO_NAMES,
        types: Named = NONE,
        *,
        tagged: bool = False,
    ) -> None:
        self._tagged = tagged
        self._names, self._picks, self._types = names, picks, types
        self._scope = Scope(taken)
        self.parts: dict[n.Node, str] = {}
        self._defining: n.Node | None = None
        self._bound: Mapping[n.Bound, str] = {}
        self._done: dict[n.Node, Text] = {}

    def text(self, root: n.Node) -> str:
        """The text of one expression."""
        nodes = n.postorder(root)
        self._bound = bound_names(nodes, self._variable, self._scope.taken)
        self._done = {}
        for node in nodes:
            self._done[node] = self._print(node)
        return self._done[root].text

    def _print(self, node: n.Node) -> Text:
        if node in self.parts and node is not self._defining:
            return atom(self.parts[node])
        kind: Any = type(node)
        if kind in _INFIX:
            sign, low, high, associative = _INFIX[kind]
            return infix(sign, low, high, *map(self._of, n.children(node)), associative=associative)
        if isinstance(node, Unary) and kind in _CALLS:
            return atom(f"{_CALLS[kind]}({self._plain(node.item)})")
        if isinstance(node, n.Binder) and kind in _QUANTIFIERS:
            within = self._range(node.var, node.domain)
            return Text(f"{_QUANTIFIERS[kind]} {within} : {self._plain(node.body)}", OPEN, OPEN)
        if isinstance(node, _UPDATES):
            return self._except(node)
        visit: Callable[[n.Node], Text] = getattr(self, f"visit_{kind.__name__}")
        return visit(node)

    def _of(self, node: n.Node) -> Text:
        return self._done[node]

    def _plain(self, node: n.Node) -> str:
        """The text where anything may stand: between brackets or commas."""
        return self._done[node].text

    def _variable(self, name: str) -> str:
        return self._names.get(name, camel(name))

    def _set(self, kind: Type) -> Text:
        return set_text(kind, self._types)

    # -- leaves and conversions ---------------------------------------------------------------------

    def visit_Const(self, node: n.Const) -> Text:
        text = in_tla(node.type, node.value)
        return prefix("-", Text(text[1:], 16, 16), 12) if text.startswith("-") else atom(text)

    def visit_StateVar(self, node: n.StateVar) -> Text:
        return atom(self._variable(node.name))

    def visit_PickVar(self, node: n.PickVar) -> Text:
        return atom(self._picks.get(node.name, spoken(node)))

    def visit_Bound(self, node: n.Bound) -> Text:
        return atom(self._bound.get(node, spoken(node)))

    def visit_Universe(self, node: n.Universe) -> Text:
        (item,) = node.type.parts
        return self._set(item)

    def visit_Undefined(self, node: n.Undefined) -> Text:
        why = node.why.replace("\\", "\\\\").replace('"', '\\"')
        return atom(f'Assert(FALSE, "{why}")')

    def visit_Invalid(self, node: n.Invalid) -> Text:
        raise InternalError(f"a mistake should have been reported: {node.mistake_span}: {node.mistake}")

    def visit_Coerce(self, node: n.Coerce | n.Get) -> Text:
        return self._of(node.item)

    visit_Get = visit_Coerce

    # -- Booleans and integers ----------------------------------------------------------------------

    def visit_Not(self, node: n.Not) -> Text:
        match node.item:
            case n.Eq(left=left, right=right):
                return infix("#", 5, 5, self._of(left), self._of(right))
            case n.Member(element=left, domain=right):
                return infix("\\notin", 5, 5, self._of(left), self._of(right))
            case n.IsSome(item=item):
                return self._there(item, "\\notin", "=")
        # TLA+ would read `~a < b` aright; a person might not.
        return Text(f"~{self._of(node.item).above(15)}", 4, 4)

    def visit_And(self, node: n.And | n.Or) -> Text:
        return infix(_JUNCTIONS[type(node)], 3, 3, *map(self._of, node.items))

    visit_Or = visit_And

    def visit_Ite(self, node: n.Ite) -> Text:
        then = self._of(node.then)
        if not self._tagged and then == self._of(node.orelse):
            return then  # the same of values of two kinds
        match node:
            case n.Ite(condition=n.IsVariant(item=item), orelse=n.Undefined()) if self._is_bare(item.type):
                return then  # values of other kinds have none
        # An open arm would swallow the ELSE only if it were itself an IF; brackets keep that readable too.
        shown = f"({then.text})" if then.low == OPEN else then.text
        return Text(
            f"IF {self._plain(node.condition)} THEN {shown} ELSE {self._plain(node.orelse)}", OPEN, OPEN
        )

    # -- binders ------------------------------------------------------------------------------------

    def visit_SetFilter(self, node: n.SetFilter) -> Text:
        match node:
            case n.SetFilter(
                domain=n.Universe(), body=n.IsSome(item=n.Apply(map=of, key=node.var, type=Mapped()))
            ) if node.var not in n.free_variables(of):
                return self._domain(of)
        return atom(f"{{{self._range(node.var, node.domain)} : {self._plain(node.body)}}}")

    def visit_SetMap(self, node: n.SetMap) -> Text:
        # {x \in S : ...} would be the elements of S for which something holds.
        return atom(f"{{{self._of(node.body).above(5)} : {self._range(node.var, node.domain)}}}")

    def visit_MapBuild(self, node: n.MapBuild) -> Text:
        keys = self._set(node.var.type).above(5)
        return atom(f"[{self._bound[node.var]} \\in {keys} |-> {self._plain(node.body)}]")

    def visit_SeqFilter(self, node: n.SeqFilter) -> Text:
        test = f"LAMBDA {self._bound[node.var]} : {self._plain(node.body)}"
        return atom(f"SelectSeq({self._plain(node.domain)}, {test})")

    def _range(self, var: n.Bound, domain: n.Node) -> str:
        return f"{self._bound[var]} \\in {self._of(domain).above(5)}"

    # -- sets ---------------------------------------------------------------------------------------

    def visit_SetOf(self, node: n.SetOf) -> Text:
        return atom(f"{{{', '.join(map(self._plain, node.items))}}}")

    def visit_IntRange(self, node: n.IntRange) -> Text:
        return Text(f"{self._of(node.low).above(15)}..{self._of(node.high).above(15)}", 9, 9)

    def visit_BigUnion(self, node: n.BigUnion) -> Text:
        return prefix("UNION ", self._of(node.item), 8)

    # -- maps, tuples, records, options, unions -----------------------------------------------------

    def visit_Apply(self, node: n.Apply) -> Text:
        return self._at(node.map, f"[{self._plain(node.key)}]")

    def visit_MakeTuple(self, node: n.MakeTuple | n.MakeSeq) -> Text:
        return atom(f"<<{', '.join(map(self._plain, node.items))}>>")

    visit_MakeSeq = visit_MakeTuple

    def visit_MakeRecord(self, node: n.MakeRecord | n.Payload) -> Text:
        return _record(self._fields(node))

    visit_Payload = visit_MakeRecord

    def visit_Component(self, node: n.Component) -> Text:
        if isinstance(node.item, n.Payload) and self._is_bare(node.item.item.type):
            return self._of(node.item.item)
        # The record behind a tag is the message itself but for its field `type`.
        item = node.item.item if isinstance(node.item, n.Payload) else node.item
        return self._at(item, _part(node))

    def visit_IsSome(self, node: n.IsSome) -> Text:
        return self._there(node.item, "\\in", "#")

    def _there(self, item: n.Node, in_domain: str, to_none: str) -> Text:
        """Whether an option is a value: of a map of TLA+, whether its domain has the key."""
        if isinstance(item, n.Apply) and isinstance(item.type, Mapped):
            return infix(in_domain, 5, 5, self._of(item.key), self._domain(item.map))
        return infix(to_none, 5, 5, self._of(item), atom("None"))

    def _domain(self, of: n.Node) -> Text:
        return prefix("DOMAIN ", self._of(of), 9)

    def visit_MakeVariant(self, node: n.MakeVariant) -> Text:
        if self._is_bare(node.type) and isinstance(node.payload, n.MakeRecord):
            return self._of(node.payload.items[0])
        return _record({"type": f'"{node.tag}"'} | self._fields(node.payload))

    def _is_bare(self, kind: Type) -> bool:
        """Whether values of a type are written without their tags."""
        return not self._tagged and isinstance(kind, Union) and bool(untagged(kind))

    def visit_IsVariant(self, node: n.IsVariant) -> Text:
        if not self._is_bare(node.item.type):
            return infix("=", 5, 5, self._at(node.item, ".type"), atom(f'"{node.tag}"'))
        kinds = dict(untagged(node.item.type))
        one = kinds.pop(node.tag)
        if isinstance(one, Record):
            match list(kinds.values()):
                case [Atoms() as other]:  # DOMAIN of a model value is an error in TLC
                    return self._is_among(node.item, other, "#", "\\notin")
            names = ", ".join(f'"{name}"' for name in one.labels)
            return infix("=", 5, 5, atom(f"DOMAIN {self._of(node.item).above(10)}"), atom(f"{{{names}}}"))
        return self._is_among(node.item, one, "=", "\\in")

    def _is_among(self, item: n.Node, kind: Type, equal: str, among: str) -> Text:
        if kind.has_exactly(1):
            return infix(equal, 5, 5, self._of(item), atom(in_tla(kind, next(iter(kind.values())))))
        return infix(among, 5, 5, self._of(item), Text(self._set(kind).above(5), 6, 6))

    def _fields(self, node: n.Node) -> dict[str, str]:
        """A record's fields by name, each with its text."""
        kind = node.type
        assert isinstance(kind, Record)
        if isinstance(node, n.MakeRecord):
            return {name: self._plain(x) for name, x in zip(kind.labels, node.items, strict=True)}
        if isinstance(node, n.Const):
            triples = zip(kind.labels, kind.parts, node.value, strict=True)
            return {name: in_tla(part, x) for name, part, x in triples}
        source = node.item if isinstance(node, n.Payload) else node
        return {name: self._at(source, f".{name}").text for name in kind.labels}

    def _at(self, node: n.Node, part: str) -> Text:
        return Text(f"{self._of(node).above(15)}{part}", 16, 16)

    # -- sequences ----------------------------------------------------------------------------------

    def visit_Concat(self, node: n.Concat) -> Text:
        match node.right:
            case n.MakeSeq(items=(one,)):
                return atom(f"Append({self._plain(node.left)}, {self._plain(one)})")
            case n.Const(type=Seq(item=kind), value=(one,)):
                return atom(f"Append({self._plain(node.left)}, {in_tla(kind, one)})")
        return infix("\\o", 13, 13, self._of(node.left), self._of(node.right), associative=True)

    def visit_Index(self, node: n.Index) -> Text:
        return self._at(node.item, f"[{self._plain(node.place)}]")

    def visit_Slice(self, node: n.Slice) -> Text:
        return atom(f"SubSeq({self._plain(node.item)}, {self._plain(node.first)}, {self._plain(node.last)})")

    # -- EXCEPT -------------------------------------------------------------------------------------

    def _except(self, root: n.Node) -> Text:
        base, changes = self._changes(root)
        shown = ", ".join(f"{path} = {self._plain(value)}" for path, value in changes)
        return atom(f"[{self._of(base).above(15)} EXCEPT {shown}]")

    def _changes(self, root: n.Node) -> tuple[n.Node, list[tuple[str, n.Node]]]:
        """Updates of one value, one after the other, each as deep as its path goes."""
        base, layers = _layers(root)
        # Paths still to print, the first one last: the way to a part, what it is set to.
        todo = [("!", layer) for layer in layers]
        changes = []
        while todo:
            path, update = todo.pop()
            path += self._selector(update)
            inner_base, inner = _layers(update.value)
            if inner and inner_base is _read(update):
                todo += [(path, layer) for layer in inner]
            else:
                changes.append((path, update.value))
        return base, changes

    def _selector(self, update: Any) -> str:
        if isinstance(update, n.ComponentUpdate):
            return _part(update)
        return f"[{self._plain(update.key if isinstance(update, n.MapUpdate) else update.place)}]"

    # -- over several lines ---------------------------------------------------------------------------

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
        return self._lay_infix(node, room) if isinstance(node, (*_INFIX, n.Concat)) else [flat]

    # -- Booleans -----------------------------------------------------------------------------------

    def lay_And(self, node: n.And | n.Or, room: int) -> Lines:
        return bullets(_JUNCTIONS[type(node)], [self._lay(item, room - 3) for item in _flat(node)])

    lay_Or = lay_And

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
        text, (left, right) = self._of(node), n.children(node)
        if text.sign:
            return self._lay_sides(text, left, right, room)
        # `Append(a, b)`, the only concatenation that is not infix.
        if not isinstance(right, n.MakeSeq):
            return [text.text]
        return commas("Append(", [self._lay(x, room - 8) for x in (left, right.items[0])], ")")

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


Printer._check_total()


def _layers(node: n.Node) -> tuple[n.Node, list[Any]]:
    """The value that a chain of updates starts from, and the updates, the last one first."""
    layers = []
    while isinstance(node, (n.MapUpdate, n.ComponentUpdate, n.SeqUpdate)):
        layers.append(node)
        node = node.map if isinstance(node, n.MapUpdate) else node.item
    return node, layers


def _read(update: Any) -> n.Node:
    """The old value of the part that an update changes."""
    match update:
        case n.MapUpdate(map=item, key=key):
            return n.make(n.Apply, update.value.type, update.span, item, key)
        case n.SeqUpdate(item=item, place=place):
            return n.make(n.Index, update.value.type, update.span, item, place)
    return n.make(n.Component, update.value.type, update.span, update.item, update.position)


def _part(node: n.Component | n.ComponentUpdate) -> str:
    kind = node.item.type
    if isinstance(kind, Tuple):
        return f"[{node.position + 1}]"
    assert isinstance(kind, Record)
    return f".{kind.labels[node.position]}"


def _record(fields: Mapping[str, str]) -> Text:
    if not fields:
        return atom("<<>>")
    return atom(f"[{', '.join(f'{name} |-> {text}' for name, text in fields.items())}]")


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
    return [node for node in nodes if uses[node] > 1 and not n.free_variables(node)]


def picks_in(node: n.Node) -> set[str]:
    """The names of the picks that an expression mentions."""
    return {part.name for part in n.postorder(node) if isinstance(part, n.PickVar)}


def bare(node: n.Node) -> n.Node:
    """The node inside any coercions, which TLA+ does not print."""
    while isinstance(node, n.Coerce):
        node = node.item
    return node

"""Expressions as TLA+ text.

The text needs the modules Integers, Sequences, FiniteSets and, where they occur, TLC (`Assert`) and the
community's FiniteSetsExt (`Min`, `Max`) and SequencesExt (`BoundedSeq`). An option's None is the model value
`None`; a tagged union is a record whose field `type` holds the tag. Bounds are not part of the text: TLA+ has
no declared ranges, so a coercion prints as the value that it coerces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import InternalError
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.structures import Record, Tuple
from leadline.symbolic.lang.tla_names import bound_names
from leadline.symbolic.lang.tla_text import OPEN, Text, atom, infix, prefix
from leadline.symbolic.lang.tla_types import set_text
from leadline.symbolic.lang.types import Type


def to_tla(node: n.Node, names: Mapping[str, str] | None = None) -> str:
    """An expression as TLA+.

    Args:
        node: the expression.
        names: the TLA+ names of state variables; one that is not given is printed in lowerCamelCase.
    """
    return Printer(names or {}).text(node)


class Printer:
    """Prints node by node, children first. There is one method for each kind of node.

    Args:
        names: the TLA+ names of state variables; one that is not given is printed in lowerCamelCase.
        taken: names that mean something around the expression, so that no bound variable may have them.
    """

    def __init_subclass__(cls) -> None:
        cls._check_total()

    @classmethod
    def _check_total(cls) -> None:
        missing = [kind.__name__ for kind in n.KINDS if not hasattr(cls, f"visit_{kind.__name__}")]
        if missing:
            raise TypeError(f"{cls.__name__} does not print {', '.join(missing)}")

    def __init__(self, names: Mapping[str, str], taken: Collection[str] = ()) -> None:
        self._names = names
        self._taken = taken
        self._bound: Mapping[n.Bound, str] = {}
        self._done: dict[n.Node, Text] = {}

    def text(self, root: n.Node) -> str:
        """The text of one expression."""
        nodes = n.postorder(root)
        self._bound = bound_names(nodes, self._variable, self._taken)
        self._done = {}
        for node in nodes:
            self._done[node] = self._print(node)
        return self._done[root].text

    def _print(self, node: n.Node) -> Text:
        visit: Callable[[n.Node], Text] = getattr(self, f"visit_{type(node).__name__}")
        return visit(node)

    def _of(self, node: n.Node) -> Text:
        return self._done[node]

    def _plain(self, node: n.Node) -> str:
        """The text where anything may stand: between brackets or commas."""
        return self._done[node].text

    def _variable(self, name: str) -> str:
        return self._names.get(name, camel(name))

    def _pick(self, name: str) -> str:
        return camel(name)

    def _set(self, kind: Type) -> Text:
        return set_text(kind)

    # -- leaves and conversions ---------------------------------------------------------------------

    def visit_Const(self, node: n.Const) -> Text:
        text = node.type.tla(node.value)
        return prefix("-", Text(text[1:], 16, 16), 12) if text.startswith("-") else atom(text)

    def visit_StateVar(self, node: n.StateVar) -> Text:
        return atom(self._variable(node.name))

    def visit_PickVar(self, node: n.PickVar) -> Text:
        return atom(self._pick(node.name))

    def visit_Bound(self, node: n.Bound) -> Text:
        return atom(self._bound.get(node, camel(node.name)))

    def visit_Universe(self, node: n.Universe) -> Text:
        (item,) = node.type.parts
        return self._set(item)

    def visit_Undefined(self, node: n.Undefined) -> Text:
        why = node.why.replace("\\", "\\\\").replace('"', '\\"')
        return atom(f'Assert(FALSE, "{why}")')

    def visit_Invalid(self, node: n.Invalid) -> Text:
        raise InternalError(
            f"a mistake was to be told before it is printed: {node.mistake_span}: {node.mistake}"
        )

    def visit_Coerce(self, node: n.Coerce) -> Text:
        return self._of(node.item)

    # -- Booleans and integers ----------------------------------------------------------------------

    def visit_Not(self, node: n.Not) -> Text:
        match node.item:
            case n.Eq(left=left, right=right):
                return infix("#", 5, 5, self._of(left), self._of(right))
            case n.Member(element=left, domain=right):
                return infix("\\notin", 5, 5, self._of(left), self._of(right))
            case n.IsSome(item=item):
                return infix("=", 5, 5, self._of(item), atom("None"))
        # TLA+ would read `~a < b` aright; a person might not.
        return Text(f"~{self._of(node.item).above(15)}", 4, 4)

    def visit_And(self, node: n.And) -> Text:
        return infix("/\\", 3, 3, *map(self._of, node.items))

    def visit_Or(self, node: n.Or) -> Text:
        return infix("\\/", 3, 3, *map(self._of, node.items))

    def visit_Implies(self, node: n.Implies) -> Text:
        return infix("=>", 1, 1, self._of(node.premise), self._of(node.conclusion))

    def visit_Eq(self, node: n.Eq) -> Text:
        return self._binary("=", 5, 5, node)

    def visit_Ite(self, node: n.Ite) -> Text:
        then = self._of(node.then)
        # An open arm would swallow the ELSE only if it were itself an IF; brackets keep that readable too.
        shown = f"({then.text})" if then.low == OPEN else then.text
        return Text(
            f"IF {self._plain(node.condition)} THEN {shown} ELSE {self._plain(node.orelse)}", OPEN, OPEN
        )

    def visit_Add(self, node: n.Add) -> Text:
        return self._binary("+", 10, 10, node, associative=True)

    def visit_Sub(self, node: n.Sub) -> Text:
        return self._binary("-", 11, 11, node, associative=True)

    def visit_Mul(self, node: n.Mul) -> Text:
        return self._binary("*", 13, 13, node, associative=True)

    def visit_Div(self, node: n.Div) -> Text:
        return self._binary("\\div", 13, 13, node)

    def visit_Mod(self, node: n.Mod) -> Text:
        return self._binary("%", 10, 11, node)

    def visit_Lt(self, node: n.Lt) -> Text:
        return self._binary("<", 5, 5, node)

    def visit_Le(self, node: n.Le) -> Text:
        return self._binary("<=", 5, 5, node)

    def _binary(self, sign: str, low: int, high: int, node: Any, associative: bool = False) -> Text:
        return infix(sign, low, high, self._of(node.left), self._of(node.right), associative=associative)

    # -- binders ------------------------------------------------------------------------------------

    def visit_Forall(self, node: n.Forall) -> Text:
        return self._quantifier("\\A", node)

    def visit_Exists(self, node: n.Exists) -> Text:
        return self._quantifier("\\E", node)

    def visit_Choose(self, node: n.Choose) -> Text:
        return self._quantifier("CHOOSE", node)

    def _quantifier(self, word: str, node: n.Forall | n.Exists | n.Choose) -> Text:
        return Text(f"{word} {self._range(node.var, node.domain)} : {self._plain(node.body)}", OPEN, OPEN)

    def visit_SetFilter(self, node: n.SetFilter) -> Text:
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

    def visit_SetUnion(self, node: n.SetUnion) -> Text:
        return self._binary("\\cup", 8, 8, node, associative=True)

    def visit_SetIntersect(self, node: n.SetIntersect) -> Text:
        return self._binary("\\cap", 8, 8, node, associative=True)

    def visit_SetMinus(self, node: n.SetMinus) -> Text:
        return self._binary("\\", 8, 8, node)

    def visit_BigUnion(self, node: n.BigUnion) -> Text:
        return prefix("UNION ", self._of(node.item), 8)

    def visit_Member(self, node: n.Member) -> Text:
        return infix("\\in", 5, 5, self._of(node.element), self._of(node.domain))

    def visit_Subset(self, node: n.Subset) -> Text:
        return self._binary("\\subseteq", 5, 5, node)

    def visit_Cardinality(self, node: n.Cardinality) -> Text:
        return atom(f"Cardinality({self._plain(node.item)})")

    def visit_MinOf(self, node: n.MinOf) -> Text:
        return atom(f"Min({self._plain(node.item)})")

    def visit_MaxOf(self, node: n.MaxOf) -> Text:
        return atom(f"Max({self._plain(node.item)})")

    # -- maps, tuples, records, options, unions -----------------------------------------------------

    def visit_Apply(self, node: n.Apply) -> Text:
        return self._at(node.map, f"[{self._plain(node.key)}]")

    def visit_MapUpdate(self, node: n.MapUpdate) -> Text:
        return self._except(node)

    def visit_MakeTuple(self, node: n.MakeTuple) -> Text:
        return atom(f"<<{', '.join(map(self._plain, node.items))}>>")

    def visit_MakeRecord(self, node: n.MakeRecord) -> Text:
        assert isinstance(node.type, Record)
        return _record(
            {camel(f): self._plain(x) for f, x in zip(node.type.positions, node.items, strict=True)}
        )

    def visit_Component(self, node: n.Component) -> Text:
        # The record behind a tag is the message itself but for its field `type`.
        item = node.item.item if isinstance(node.item, n.Payload) else node.item
        return self._at(item, _part(node))

    def visit_ComponentUpdate(self, node: n.ComponentUpdate) -> Text:
        return self._except(node)

    def visit_IsSome(self, node: n.IsSome) -> Text:
        return infix("#", 5, 5, self._of(node.item), atom("None"))

    def visit_Get(self, node: n.Get) -> Text:
        return self._of(node.item)

    def visit_MakeVariant(self, node: n.MakeVariant) -> Text:
        return _record({"type": f'"{node.tag}"'} | self._fields(node.payload))

    def visit_IsVariant(self, node: n.IsVariant) -> Text:
        return infix("=", 5, 5, self._at(node.item, ".type"), atom(f'"{node.tag}"'))

    def visit_Payload(self, node: n.Payload) -> Text:
        return _record(self._fields(node))

    def _fields(self, node: n.Node) -> dict[str, str]:
        """A record's fields by name, each with its text."""
        kind = node.type
        assert isinstance(kind, Record)
        if isinstance(node, n.MakeRecord):
            return {camel(f): self._plain(x) for f, x in zip(kind.positions, node.items, strict=True)}
        if isinstance(node, n.Const):
            return {camel(f): part.tla(x) for (f, part), x in zip(kind.fields, node.value, strict=True)}
        source = node.item if isinstance(node, n.Payload) else node
        return {camel(f): self._at(source, f".{camel(f)}").text for f in kind.positions}

    def _at(self, node: n.Node, part: str) -> Text:
        return Text(f"{self._of(node).above(15)}{part}", 16, 16)

    # -- sequences ----------------------------------------------------------------------------------

    def visit_MakeSeq(self, node: n.MakeSeq) -> Text:
        return atom(f"<<{', '.join(map(self._plain, node.items))}>>")

    def visit_Concat(self, node: n.Concat) -> Text:
        match node.right:
            case n.MakeSeq(items=(one,)):
                return atom(f"Append({self._plain(node.left)}, {self._plain(one)})")
            case n.Const(value=(_,)):
                return atom(f"Append({self._plain(node.left)}, {self._plain(node.right)[2:-2]})")
        return self._binary("\\o", 13, 13, node, associative=True)

    def visit_Len(self, node: n.Len) -> Text:
        return atom(f"Len({self._plain(node.item)})")

    def visit_Index(self, node: n.Index) -> Text:
        return self._at(node.item, f"[{self._plain(node.place)}]")

    def visit_SeqUpdate(self, node: n.SeqUpdate) -> Text:
        return self._except(node)

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


Printer._check_total()


def _layers(node: n.Node) -> tuple[n.Node, list[Any]]:
    """What a chain of updates starts from, and its updates, the last one first."""
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
    return f".{camel(kind.fields[node.position][0])}"


def _record(fields: Mapping[str, str]) -> Text:
    if not fields:
        return atom("<<>>")
    return atom(f"[{', '.join(f'{name} |-> {text}' for name, text in fields.items())}]")

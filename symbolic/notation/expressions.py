"""Expressions as TLA+ text.

The text needs the modules Integers, Sequences, FiniteSets and, where they occur, TLC (`Assert`) and the
community's FiniteSetsExt (`Min`, `Max`) and SequencesExt (`BoundedSeq`). An option's None is the model value
`None`; a tagged union is a record whose field `type` holds the tag. Bounds are not part of the text: TLA+ has
no declared ranges, so a coercion prints as the value that it coerces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from leadline.symbolic.lang import (
    OPEN,
    InternalError,
    Record,
    Text,
    Tuple,
    Type,
    atom,
    camel,
    infix,
    nodes as n,
    prefix,
    spoken,
)
from leadline.symbolic.lang.nodes import Binary, Unary
from leadline.symbolic.notation.types import bound_names, set_text


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
}
"""Operators with two operands: sign, range of precedence, and whether it is associative."""
_CALLS = {n.Cardinality: "Cardinality", n.MinOf: "Min", n.MaxOf: "Max", n.Len: "Len"}
_QUANTIFIERS = {n.Forall: "\\A", n.Exists: "\\E", n.Choose: "CHOOSE"}
_UPDATES = (n.MapUpdate, n.ComponentUpdate, n.SeqUpdate)


class Printer:
    """Prints node by node, children first: by the tables above, or by a method for the kind of node.

    Args:
        names: the TLA+ names of state variables; one that is not given is printed in lowerCamelCase.
        taken: names that mean something around the expression, so that no bound variable may have them.
    """

    def __init_subclass__(cls) -> None:
        cls._check_total()

    @classmethod
    def _check_total(cls) -> None:
        tables = (*_INFIX, *_CALLS, *_QUANTIFIERS, *_UPDATES)
        others = [kind.__name__ for kind in n.KINDS if kind not in tables]
        missing = [name for name in others if not hasattr(cls, f"visit_{name}")]
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
        kind: Any = type(node)
        if isinstance(node, Binary) and kind in _INFIX:
            sign, low, high, associative = _INFIX[kind]
            return infix(sign, low, high, self._of(node.left), self._of(node.right), associative=associative)
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

    def _pick(self, node: n.PickVar) -> str:
        return spoken(node)

    def _set(self, kind: Type) -> Text:
        return set_text(kind)

    # -- leaves and conversions ---------------------------------------------------------------------

    def visit_Const(self, node: n.Const) -> Text:
        text = node.type.tla(node.value)
        return prefix("-", Text(text[1:], 16, 16), 12) if text.startswith("-") else atom(text)

    def visit_StateVar(self, node: n.StateVar) -> Text:
        return atom(self._variable(node.name))

    def visit_PickVar(self, node: n.PickVar) -> Text:
        return atom(self._pick(node))

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

    def visit_Ite(self, node: n.Ite) -> Text:
        then = self._of(node.then)
        # An open arm would swallow the ELSE only if it were itself an IF; brackets keep that readable too.
        shown = f"({then.text})" if then.low == OPEN else then.text
        return Text(
            f"IF {self._plain(node.condition)} THEN {shown} ELSE {self._plain(node.orelse)}", OPEN, OPEN
        )

    # -- binders ------------------------------------------------------------------------------------

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

    def visit_BigUnion(self, node: n.BigUnion) -> Text:
        return prefix("UNION ", self._of(node.item), 8)

    def visit_Member(self, node: n.Member) -> Text:
        return infix("\\in", 5, 5, self._of(node.element), self._of(node.domain))

    # -- maps, tuples, records, options, unions -----------------------------------------------------

    def visit_Apply(self, node: n.Apply) -> Text:
        return self._at(node.map, f"[{self._plain(node.key)}]")

    def visit_MakeTuple(self, node: n.MakeTuple) -> Text:
        return atom(f"<<{', '.join(map(self._plain, node.items))}>>")

    def visit_MakeRecord(self, node: n.MakeRecord) -> Text:
        assert isinstance(node.type, Record)
        return _record({name: self._plain(x) for name, x in zip(node.type.labels, node.items, strict=True)})

    def visit_Component(self, node: n.Component) -> Text:
        # The record behind a tag is the message itself but for its field `type`.
        item = node.item.item if isinstance(node.item, n.Payload) else node.item
        return self._at(item, _part(node))

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
            return {name: self._plain(x) for name, x in zip(kind.labels, node.items, strict=True)}
        if isinstance(node, n.Const):
            triples = zip(kind.labels, kind.parts, node.value, strict=True)
            return {name: part.tla(x) for name, part, x in triples}
        source = node.item if isinstance(node, n.Payload) else node
        return {name: self._at(source, f".{name}").text for name in kind.labels}

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

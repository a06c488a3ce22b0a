"""The building of nodes at places of a module; those without variables become constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Atoms,
    Int,
    Listed,
    OutOfBounds,
    Set,
    Sort,
    Span,
    Type,
    Value,
    is_total,
    looked_up,
    member_of,
    nodes as n,
    placed,
    rules,
)
from leadline.symbolic.lang.nodes import free_variables, kept, leaves_of, rebuilt, replaced, replacement
from leadline.symbolic.tla.lower import shapes

Body = Callable[[n.Node], n.Node]
_LAZY = (n.And, n.Or, n.Implies, n.Ite, *n.BINDERS)
"""The kinds of nodes that need not evaluate all their parts."""
MOST_MEMBERS = 65_536
"""The most members that a set may have whose members are listed."""


class Unlowerable(Exception):
    """An expression that has no form in the language."""


def body_at(binder: n.Binder | n.MapBuild, element: n.Node) -> n.Node:
    """A binder's body for an element, which is no listed value."""
    var = binder.var
    if isinstance(var.type, Listed):
        return replaced(binder.body, {looked_up(var): element, var: member_of(element, var.type)})
    return replaced(binder.body, {var: element})


def has_too_many(node: n.Node) -> bool:
    """Whether a set that a state decides may have too many members to list each of them."""
    return is_large(node.type) and not isinstance(node, n.Const | n.SetOf)


def is_large(kind: Type) -> bool:
    """Whether the members of sets of a type are too many to list each of them."""
    return isinstance(kind, Set) and kind.item.capped > MOST_MEMBERS


def has_value(node: n.Node) -> n.Node:
    """TRUE where an expression has a value, which is out of bounds elsewhere."""
    if is_large(node.type):
        match node:
            case n.SetMap():
                return n.make(n.Forall, BOOL, node.span, node.var, node.domain, has_value(node.body))
            case n.SetOf() | n.SetUnion() | n.SetIntersect() | n.SetMinus():
                parts = tuple(has_value(part) for part in n.children(node) if not is_total(part))
                return n.make(n.And, BOOL, node.span, parts)
    return n.make(n.Eq, BOOL, node.span, node, node)


class Builder:
    """Makes nodes, those without variables as constants.

    Attributes:
        place: the place in the module that new nodes get.
        sorts: the sort of each model value or string that is of one, by the value's name.
    """

    def __init__(self) -> None:
        self.place: Span = NOWHERE
        self.sorts: Mapping[str, Sort] = {}
        self._folded: dict[n.Node, n.Node] = {}
        self._hollow: set[n.Node] = set()
        self._compiled: dict[n.Node, Callable[[Any, Mapping[str, Any]], Any]] = {}
        self._converted: dict[tuple[n.Node, Type], n.Node] = {}
        self._origins: dict[n.Node, n.Node] = {}
        self._constants = count()
        self._exchanges: dict[tuple[n.Node, n.Node], Body] = {}

    def forget(self) -> None:
        """Convert values anew from here on, so that the parts of a claim have places of their own."""
        self._converted.clear()
        self._origins.clear()

    def exchange(self, leaf: n.Node, by: n.Node) -> Body:
        """Gives expressions with another in place of a leaf. What several paths share is gone through once."""
        found = self._exchanges.get((leaf, by))
        if found is None:
            found = self._exchanges[leaf, by] = replacement({leaf: by})
        return found

    # -- constants --------------------------------------------------------------------------------

    def const(self, kind: Type, value: Value) -> n.Const:
        """A constant."""
        return n.make(n.Const, kind, self.place, value)

    def boolean(self, value: bool) -> n.Const:
        """TRUE or FALSE."""
        return self.const(BOOL, value)

    def integer(self, value: int) -> n.Const:
        """A number."""
        return self.const(Int(value, value), value)

    def atom(self, name: str) -> n.Const:
        """A string, in quotation marks, or a model value."""
        return self.const(self.sorts.get(name) or shapes.atom(name), name)

    def undefined(self, kind: Type, why: str) -> n.Node:
        """No value: going out of bounds."""
        return n.make(n.Undefined, kind, self.place, why)

    def sound(self, node: n.Node) -> n.Node:
        """The node, as a constant if it has no variables.

        Raises:
            Unlowerable: if it is a mistake of types.
        """
        if isinstance(node, n.Invalid):
            raise Unlowerable(node.mistake)
        if isinstance(node, n.Const | n.Undefined) or kept(node, "_reads", _reads) or free_variables(node):
            return node
        if node not in self._folded:
            self._folded[node] = self._constant(node)
        return self._folded[node]

    def _constant(self, node: n.Node) -> n.Node:
        """The value of a node without variables; the node itself if it has none."""
        if self._is_hollow(node):
            return node
        if isinstance(node, n.Eq) and isinstance(node.left, n.Const) and isinstance(node.right, n.Const):
            # Most of the nodes that are folded, and compiling one takes a millisecond.
            return self.boolean(node.left.value == node.right.value)
        try:
            value = self._value(node)
        except OutOfBounds:
            self._hollow.add(node)
            return node
        match node.type:
            case Int():
                return self.integer(value)
            case Atoms():
                return self.atom(value)
        return self.const(node.type, value)

    def _is_hollow(self, node: n.Node) -> bool:
        """Whether a node has no value since a part that it always evaluates has none."""
        if isinstance(node, _LAZY) or not any(
            isinstance(x, n.Undefined) or x in self._hollow for x in n.children(node)
        ):
            return False
        self._hollow.add(node)
        return True

    def _value(self, node: n.Node) -> Value:
        """The value of a node without variables. Those with constants of the same types are compiled once."""
        parts = [*n.children(node)]
        if isinstance(node, n.BINDERS) or not parts or not all(isinstance(x, n.Const) for x in parts):
            return function_of(node, {})((), {})
        names = {x: str(place) for place, x in enumerate(parts)}
        open_ = rebuilt(node, lambda x: n.make(n.PickVar, x.type, self.place, names[x]))
        if open_ not in self._compiled:
            self._compiled[open_] = function_of(open_, {}, names.values())
        return self._compiled[open_](
            (), {name: x.value for x, name in names.items() if isinstance(x, n.Const)}
        )

    def computed(self, kind: Type, body: Body) -> Callable[[Value], Value] | None:
        """A function that computes a body for a constant of a type; None if the body depends on more.

        The body is made and compiled once. The function raises `OutOfBounds` where the body has no value.
        """
        pick = n.make(n.PickVar, kind, self.place, f"constant {next(self._constants)}")
        found = body(self.plain(pick))
        if not leaves_of(found) <= {pick}:
            return None
        of = function_of(found, {}, (pick.name,))
        return lambda value: of((), {pick.name: value})

    def plain(self, node: n.Node) -> n.Node:
        """A listed value as one of the type of which there is a list: so are all operands."""
        return looked_up(node) if isinstance(node.type, Listed) else node

    def make(self, kind: type[n.Node], type_: Type, *values: object) -> n.Node:
        """A node at the current place."""
        return self.plain(self.sound(n.make(kind, type_, self.place, *values)))

    def bind(
        self,
        kind: type[n.Node],
        over: n.Node | Type,
        name: str,
        body: Body,
        result: Callable[[n.Node], Type] | None = None,
        *,
        order: tuple[Value, ...] = (),
    ) -> n.Node:
        """A binder: see `leadline.symbolic.lang.rules.bind`."""
        name = name.partition("@")[0]  # names in instances have a suffix
        with placed(self.place):
            found = rules.bind(kind, over, name, lambda x: body(self.plain(x)), result, order=order)
            return self.plain(self.sound(found))


def _reads(node: n.Node, parts: list[bool]) -> bool:
    """Whether an expression depends on a state or on picks."""
    return isinstance(node, n.StateVar | n.PickVar) or any(parts)

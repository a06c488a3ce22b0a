"""Leaves, conversions, Booleans, integers and binders."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.lang.nodes.base import Node
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Value

# -- leaves ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Const(Node):
    """A constant of the type."""

    value: Value


@dataclass(frozen=True, eq=False, repr=False)
class StateVar(Node):
    """The value of a state variable in the current state."""

    name: str


@dataclass(frozen=True, eq=False, repr=False)
class PickVar(Node):
    """The value that an action has picked."""

    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Bound(Node):
    """A variable bound by a quantifier, a filter, a comprehension, a choice or a map.

    `level` is one more than the highest level bound inside the binder's body; before the binder is
    closed it is negative and unique.
    """

    name: str
    level: int


@dataclass(frozen=True, eq=False, repr=False)
class Universe(Node):
    """The set of all values of the item type."""


@dataclass(frozen=True, eq=False, repr=False)
class Undefined(Node):
    """No value: evaluating it is out of bounds. `why` says what is missing."""

    why: str


@dataclass(frozen=True, eq=False, repr=False)
class Invalid(Node):
    """A mistake of the model's author, kept in place until all mistakes are reported."""

    mistake: str
    mistake_span: Span
    parts: tuple[Node, ...]


# -- conversions ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Coerce(Node):
    """The same value as a value of another type. Out of bounds if the value is not of that type."""

    item: Node


# -- Booleans -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Not(Node):
    """Negation."""

    item: Node


@dataclass(frozen=True, eq=False, repr=False)
class And(Node):
    """Conjunction, left to right."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Or(Node):
    """Disjunction, left to right."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Implies(Node):
    """Implication; the conclusion is evaluated only where the premise holds."""

    premise: Node
    conclusion: Node


@dataclass(frozen=True, eq=False, repr=False)
class Eq(Node):
    """Equality of two values of the same type."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Ite(Node):
    """If-then-else; only the chosen arm is evaluated."""

    condition: Node
    then: Node
    orelse: Node


# -- integers -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Add(Node):
    """Sum; its type is as wide as its operands need, so it never overflows."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Sub(Node):
    """Difference; never overflows."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Mul(Node):
    """Product; never overflows."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Div(Node):
    """Quotient rounded down, TLA+'s `\\div`. Out of bounds when the divisor is not positive."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Mod(Node):
    """Remainder of `Div`, never negative. Out of bounds when the divisor is not positive."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Lt(Node):
    """Less than."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, repr=False)
class Le(Node):
    """At most."""

    left: Node
    right: Node


# -- binders: `domain` is a set and lies outside the scope of `var` -------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Forall(Node):
    """Whether the body holds for every element."""

    var: Bound
    domain: Node
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class Exists(Node):
    """Whether the body holds for some element."""

    var: Bound
    domain: Node
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class Choose(Node):
    """The first element, in the type's order, for which the body holds. Out of bounds if there is none."""

    var: Bound
    domain: Node
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class SetFilter(Node):
    """The elements for which the body holds."""

    var: Bound
    domain: Node
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class SetMap(Node):
    """The values of the body over the elements."""

    var: Bound
    domain: Node
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class MapBuild(Node):
    """The map that gives each key the value of the body; evaluated key by key in the keys' order."""

    var: Bound
    body: Node


@dataclass(frozen=True, eq=False, repr=False)
class SeqFilter(Node):
    """The items, in their order, for which the body holds: TLA+'s SelectSeq. `domain` is a sequence."""

    var: Bound
    domain: Node
    body: Node


BINDERS = (Forall, Exists, Choose, SetFilter, SetMap, MapBuild, SeqFilter)

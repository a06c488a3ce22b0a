"""Expressions as a model's author writes them: what all types share, Booleans, integers and named values.

The operators check nothing themselves; the rules are in `leadline.symbolic.lang.rules`. An operator that a
type lacks is a mistake whose text says what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import BOOL, OverRuns, Wrapped, as_node, invalid, mistakes_of, wrong_part
from leadline.symbolic.lang.errors import ModelError, refuse, unknown_name
from leadline.symbolic.lang.listed import Listed
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Set
from leadline.symbolic.lang.types import Atoms, Bool, Enum, Int, Never, Option, Sort, Type

if TYPE_CHECKING:
    from leadline.symbolic.lang.containers import AnyExpr, SetExpr, SetLike

BoolLike: TypeAlias = "bool | BoolExpr"
IntLike: TypeAlias = "int | IntExpr"
BoundFunction: TypeAlias = Callable[..., object]
"""A function of the variables that a quantifier, filter or map binds; usually a lambda."""

_WRAPPERS: dict[type[Type], type[Expr]] = {}


def wrap(node: n.Node) -> AnyExpr:
    """The node as an expression of its type."""
    kind = InvalidExpr if isinstance(node, n.Invalid) else _WRAPPERS[type(node.type)]
    # For type checkers an expression of unknown type has the operations of all types.
    return cast("AnyExpr", kind(node))


class Expr(Wrapped):
    """An expression of any type: it can be compared, and be a member of a set.

    A subclass says with `of=` which types' expressions it holds.
    """

    def __init_subclass__(cls, of: tuple[type[Type], ...] = ()) -> None:
        for kind in of:
            _WRAPPERS[kind] = cls

    def __init__(self, node: n.Node) -> None:
        object.__setattr__(self, "node", node)

    def _as(self, expected: Type | None) -> n.Node:
        return self.node

    def __eq__(self, other: object) -> BoolExpr:  # type: ignore[override]  # it builds a formula
        return wrap(rules.equality(self, other))

    def __ne__(self, other: object) -> BoolExpr:  # type: ignore[override]  # it builds a formula
        return wrap(rules.negation(rules.equality(self, other)))

    def is_in(self, domain: SetLike) -> BoolExpr:
        """Whether this is a member of a set, or a value of a type."""
        return wrap(rules.membership(self, domain))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node!r})"


class BoolExpr(Expr, of=(Bool,)):
    """A Boolean."""

    def __and__(self, other: BoolLike) -> BoolExpr:
        return self._connected(n.And, other, self, other)

    def __rand__(self, other: BoolLike) -> BoolExpr:
        return self._connected(n.And, other, other, self)

    def __or__(self, other: BoolLike) -> BoolExpr:
        return self._connected(n.Or, other, self, other)

    def __ror__(self, other: BoolLike) -> BoolExpr:
        return self._connected(n.Or, other, other, self)

    def _connected(self, kind: type[n.And] | type[n.Or], other: object, *operands: object) -> BoolExpr:
        if isinstance(other, OverRuns):
            return NotImplemented  # type: ignore[no-any-return]  # Python then asks the formula about runs
        node = as_node(other, BOOL)
        told = isinstance(other, Expr) and isinstance(other.node, n.Invalid)
        if isinstance(node, n.Invalid) and not told:
            # The operator has taken a part of the comparison that was meant, such as `b & i` in `b & i == 1`.
            return wrap(invalid(f"{_CONNECTIVE}; {node.mistake}", self.node))
        return BoolExpr(rules.connective(kind, [*operands]))

    def __invert__(self) -> BoolExpr:
        return BoolExpr(rules.negation(self))

    def implies(self, conclusion: BoolLike) -> BoolExpr:
        """Implication; the conclusion is evaluated only where this holds."""
        return BoolExpr(rules.implication(self, conclusion))


_Operator: TypeAlias = "Callable[[IntExpr, IntLike], IntExpr]"


def _operator(kind: type[n.Binary]) -> tuple[_Operator, _Operator]:
    """The methods of an operator: for an expression on the left of another integer, and on its right."""

    def left(self: IntExpr, other: IntLike) -> IntExpr:
        return wrap(rules.arithmetic(kind, self, other))

    def right(self: IntExpr, other: IntLike) -> IntExpr:
        return wrap(rules.arithmetic(kind, other, self))

    return left, right


class IntExpr(Expr, of=(Int,)):
    """An integer."""

    def __lt__(self, other: IntLike) -> BoolExpr:
        return wrap(rules.comparison(n.Lt, self, other))

    def __le__(self, other: IntLike) -> BoolExpr:
        return wrap(rules.comparison(n.Le, self, other))

    def __gt__(self, other: IntLike) -> BoolExpr:
        return wrap(rules.comparison(n.Lt, other, self))

    def __ge__(self, other: IntLike) -> BoolExpr:
        return wrap(rules.comparison(n.Le, other, self))

    __add__, __radd__ = _operator(n.Add)
    __sub__, __rsub__ = _operator(n.Sub)
    __mul__, __rmul__ = _operator(n.Mul)
    __floordiv__, __rfloordiv__ = _operator(n.Div)
    __mod__, __rmod__ = _operator(n.Mod)

    def __neg__(self) -> IntExpr:
        return wrap(rules.arithmetic(n.Sub, 0, self))


class NamedExpr(Expr, of=(Atoms, Enum, Listed, Never, Sort)):
    """A member of an enumeration or a sort."""


# -- uses of Python that mean nothing of an expression ----------------------------------------------
#
# They are set here rather than in the class, so that a type checker objects to them too.

_REFUSED = {
    "__bool__": "an expression has no truth value while the model is written: instead of `if`, `and`, `or`, "
    "`not`, `max` and chained comparisons use ite, &, |, ~, maximum and one comparison at a time, in parentheses",
    "__hash__": "an expression cannot be a key or a member of a Python set: write set_of(a, b)",
    "__iter__": "an expression cannot be iterated over: quantify over it with forall, exists or .map, or add "
    "its members up with sum_of or fold",
    "__contains__": "`in` has no meaning while the model is written: use set.has(x) or x.is_in(set)",
    "__len__": "`len` has no meaning while the model is written: use .length of a sequence or .size of a set",
    "__setattr__": "the current state cannot be assigned: assign to the next state",
    "__setitem__": "a part of the current state cannot be assigned: assign to the next state",
    "__index__": "an expression is no Python number, as `range` and lists need: use int_range, a map or a "
    "sequence",
}
_CONNECTIVE = (
    "`&` and `|` need Booleans (or two sets), and bind tighter than comparisons: write (a == b) & (c == d)"
)
_LACKING = {
    "add": "`+` needs integers: for sequences write .concat, .append or .prepend, for sets |",
    "sub": "`-` needs two integers or two sets",
    "mul": "`*` needs integers",
    "floordiv": "`//` needs integers",
    "mod": "`%` needs integers",
    "and": _CONNECTIVE,
    "or": _CONNECTIVE,
    "pow": "there is no `**`: write x * x",
    "truediv": "there is no `/`, since numbers are integers: write // for the quotient rounded down",
    "xor": "there is no `^`: of two Booleans write p != q",
    "abs": "there is no `abs`: write maximum(x, -x)",
    "neg": "`-` needs an integer",
    "invert": "`~` needs a Boolean, and binds tighter than comparisons: write ~(a == b)",
}


def _refused(text: str) -> Callable[..., NoReturn]:
    def method(self: object, *_: object) -> NoReturn:
        if isinstance(self, Expr) and isinstance(self.node, n.Invalid):
            raise ModelError(mistakes_of(self.node))
        refuse(text)

    return method


def _lacking(text: str) -> Callable[..., AnyExpr]:
    def method(self: Expr, *_: object) -> AnyExpr:
        if isinstance(self.node, n.Invalid):
            return wrap(self.node)
        return wrap(invalid(f"{text}; this is of {self.node.type!r}", self.node))

    return method


def _unknown_attribute(self: Expr, name: str) -> AnyExpr:
    if name.startswith("_"):
        raise AttributeError(name)
    if isinstance(self.node.type, Option) and not isinstance(self.node, n.Invalid):
        text = f"an option has no `{name}`: read its value with .value, after a guard that it is not None"
        return wrap(invalid(text, self.node))
    known = [own for own in dir(type(self)) if own[0] != "_" and own != "node"]
    return wrap(invalid(unknown_name(f"a value of {self.node.type!r} has no", name, known), self.node))


for _name, _text in _REFUSED.items():
    setattr(Expr, _name, _refused(_text))
for _name, _text in _LACKING.items():
    setattr(Expr, f"__{_name}__", _lacking(_text))
    setattr(Expr, f"__r{_name}__", _lacking(_text))
for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    # The rule says what values of other types have instead of an order.
    setattr(Expr, _name, getattr(IntExpr, _name))
for _name in ("__getattr__",):
    setattr(Expr, _name, _unknown_attribute)


class Mistaken:
    """The operations of a mistake. Each gives the same mistake, so that it is reported once."""

    node: n.Node

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *others: object, **named: object) -> Any:
        nodes = [other.node for other in (*others, *named.values()) if isinstance(other, Expr)]
        return wrap(wrong_part((self.node, *nodes)) or self.node)

    def __getitem__(self, other: object) -> Any:
        return self(other)

    def __setattr__(self, name: str, value: object) -> None:
        """Assigns nothing: the mistake is told, and a part of it has no place in a state."""

    def __setitem__(self, key: object, value: object) -> None:
        """Assigns nothing, as `__setattr__`."""


for _name in (*_LACKING, "lt", "le", "gt", "ge"):
    setattr(Mistaken, f"__{_name}__", Mistaken.__call__)
    setattr(Mistaken, f"__r{_name}__", Mistaken.__call__)


class InvalidExpr(Mistaken, Expr):
    """An expression that is a mistake."""


# -- functions that build expressions of any type ---------------------------------------------------


def over_set(kind: type[n.Node], domain: SetLike, body: BoundFunction) -> n.Node:
    """A binder over a set, or over all values of a type."""
    node = rules.a_set(domain)
    return node if isinstance(node, n.Invalid) else over_items(kind, node, body)


def over_items(kind: type[n.Node], domain: n.Node, body: BoundFunction) -> n.Node:
    """A binder over the items of a set or sequence, its body a function of one argument."""
    names = rules.bound_names(body)
    if len(names) != 1:
        text = (
            f"the function takes {len(names)} arguments, and here it needs one, the element: for several "
            "take a set of tuples, such as the type Tuple((A, B)), or put one call inside another"
        )
        return invalid(text, domain)
    return rules.bind(kind, domain, names[0], lambda var: body(wrap(var)))


def quantified(
    kind: type[n.Forall] | type[n.Exists], domains: tuple[SetLike, ...], body: BoundFunction
) -> n.Node:
    """A quantifier over one domain for each argument of the body, or over the same one for all of them."""
    names = rules.bound_names(body)
    if len(domains) == 1:
        domains *= max(1, len(names))
    if len(domains) != len(names):
        return invalid(f"the function takes {len(names)} arguments, and there are {len(domains)} domains")
    nodes = [rules.a_set(domain) for domain in domains]
    if bad := wrong_part(tuple(nodes)):
        return bad

    def nested(taken: list[AnyExpr]) -> object:
        if len(taken) == len(names):
            return body(*taken)
        place = len(taken)
        return rules.bind(kind, nodes[place], names[place], lambda var: nested([*taken, wrap(var)]))

    made = nested([])
    assert isinstance(made, n.Node)
    return made


def int_range(low: IntLike, high: IntLike) -> SetExpr:
    """The set `low..high` of integers; empty if `low` is greater."""
    a, b = rules.integer(low), rules.integer(high)
    if bad := wrong_part((a, b)):
        return wrap(bad)
    assert isinstance(a.type, Int) and isinstance(b.type, Int)
    item = Int(a.type.low, max(a.type.low, b.type.high))
    return wrap(n.make(n.IntRange, Set(item), caller_span(), a, b))


def ite(condition: BoolLike, then: object, orelse: object) -> AnyExpr:
    """If-then-else; only the chosen arm is evaluated."""
    return wrap(rules.if_then_else(condition, then, orelse))


def undefined(kind: Type, why: str) -> AnyExpr:
    """An expression of the type without a value: evaluating it is out of bounds."""
    return wrap(n.make(n.Undefined, kind, caller_span(), why))

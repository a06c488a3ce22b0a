"""What expressions of every type share, how a node is wrapped as one, and what builds values of any type."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NoReturn

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang import rules
from leadline.symbolic.lang.errors import Mistake, ModelError
from leadline.symbolic.lang.gate import Expr, invalid, wrong_part
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Set
from leadline.symbolic.lang.types import Bool, Int, Option, Type

_WRAPPERS: dict[type[Type], type[Value]] = {}


class Value(Expr):
    """What expressions of every type can do: be compared.

    A subclass says with `of=` which types' expressions it holds.
    """

    __slots__ = ()

    def __init_subclass__(cls, of: tuple[type[Type], ...] = ()) -> None:
        for kind in of:
            _WRAPPERS[kind] = cls

    def __eq__(self, other: object) -> Any:
        return wrap(rules.equality(self, other))

    def __ne__(self, other: object) -> Any:
        return wrap(rules.negation(rules.equality(self, other)))

    def __lt__(self, other: Any) -> Any:
        return wrap(rules.comparison(n.Lt, self, other))

    def __le__(self, other: Any) -> Any:
        return wrap(rules.comparison(n.Le, self, other))

    def __gt__(self, other: Any) -> Any:
        return wrap(rules.comparison(n.Lt, other, self))

    def __ge__(self, other: Any) -> Any:
        return wrap(rules.comparison(n.Le, other, self))

    def __bool__(self) -> NoReturn:
        refuse(
            "an expression has no truth value while the model is written: instead of `if`, `and`, `or`, "
            "`not` and chained comparisons use ite, &, |, ~ and one comparison at a time"
        )

    def __hash__(self) -> int:
        refuse("an expression cannot be a key or a member of a Python set: write set_of(a, b)")

    def __iter__(self) -> NoReturn:
        refuse("an expression cannot be iterated over: quantify over it with forall, exists or .map")

    def __contains__(self, element: object) -> bool:
        refuse("`in` has no meaning while the model is written: use set.has(x) or x.is_in(set)")

    def __len__(self) -> int:
        refuse("`len` has no meaning while the model is written: use .length of a sequence or .size of a set")

    def __setattr__(self, name: str, value: Any) -> None:
        refuse(f"`{name}` of the current state cannot be assigned: assign to the next state")

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse("a part of the current state cannot be assigned: assign to the next state")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if isinstance(self.node.type, Option) and not isinstance(self.node, n.Invalid):
            text = f"an option has no `{name}`: read its value with .value, after a guard that it is not None"
            return wrap(invalid(text, self.node))
        known = [own for own in dir(type(self)) if own[0] != "_" and own != "node"]
        return wrap(invalid(unknown_name(f"a value of {self.node.type!r} has no", name, known), self.node))

    def __and__(self, other: Any) -> Any:
        return wrap(invalid(_NOT_CONNECTIVE, self.node))

    __rand__ = __or__ = __ror__ = __and__

    def is_in(self, domain: Any) -> Any:
        """Whether this is a member of a set."""
        return wrap(rules.membership(self, domain))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node!r})"


_NOT_CONNECTIVE = (
    "`&` and `|` need Booleans (or two sets), and bind tighter than comparisons: write (a == b) & (c == d)"
)


def refuse(text: str) -> NoReturn:
    """Stop the author's function at a use of Python that no later step could mend."""
    raise ModelError([Mistake(caller_span(), text)])


class BoolExpr(Value, of=(Bool,)):
    """A Boolean."""

    __slots__ = ()

    def __and__(self, other: Any) -> BoolExpr:
        return BoolExpr(rules.connective(n.And, [self, other]))

    def __rand__(self, other: Any) -> BoolExpr:
        return BoolExpr(rules.connective(n.And, [other, self]))

    def __or__(self, other: Any) -> BoolExpr:
        return BoolExpr(rules.connective(n.Or, [self, other]))

    def __ror__(self, other: Any) -> BoolExpr:
        return BoolExpr(rules.connective(n.Or, [other, self]))

    def __invert__(self) -> BoolExpr:
        return BoolExpr(rules.negation(self))

    def implies(self, conclusion: Any) -> BoolExpr:
        """Implication; the conclusion is evaluated only where this holds."""
        return BoolExpr(rules.implication(self, conclusion))


def unknown_name(what: str, name: str, known: list[str]) -> str:
    """`what` and the name, with the nearest known name or all of them."""
    near = difflib.get_close_matches(name, known, n=1)
    repair = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(known) or 'none'}"
    return f"{what} `{name}`: {repair}"


class InvalidExpr(Value):
    """A mistake: whatever is done with it is the same mistake, so that it is told once."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *others: Any, **named: Any) -> Any:
        nodes = [other.node for other in (*others, *named.values()) if isinstance(other, Expr)]
        return wrap(wrong_part((self.node, *nodes)) or self.node)

    def __getitem__(self, other: Any) -> Any:
        return self(other)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __getitem__
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __getitem__
    __and__ = __rand__ = __or__ = __ror__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__

    def __invert__(self) -> Any:
        return self

    __neg__ = __invert__


def wrap(node: n.Node) -> Any:
    """The node as an expression of its type."""
    if isinstance(node, n.Invalid):
        return InvalidExpr(node)
    return _WRAPPERS[type(node.type)](node)


def over_set(
    kind: type[n.Node], domain: Any, body: Callable[..., Any], result: Callable[[n.Node], Type]
) -> n.Node:
    """A binder over a set, or over all values of a type."""
    node = rules.a_set(domain)
    if isinstance(node, n.Invalid):
        return node
    assert isinstance(node.type, Set)
    return over_items(kind, node, node.type.item, body, result)


def over_items(
    kind: type[n.Node],
    domain: n.Node,
    item: Type,
    body: Callable[[Any], Any],
    result: Callable[[n.Node], Type],
) -> n.Node:
    """A binder over the items of a set or sequence, its body a function of one argument."""
    names = rules.bound_names(body)
    if len(names) != 1:
        text = f"the function takes {len(names)} arguments, and here it needs one: the element"
        return invalid(text, domain)
    return rules.bind(kind, item, names[0], lambda var: body(wrap(var)), result, domain)


def over(
    kind: type[n.Node], domain: Any, body: Callable[..., Any], result: Callable[[n.Node], Type]
) -> n.Node:
    """A quantifier or choice over a domain; several arguments of the body range over the same domain."""
    names = rules.bound_names(body)
    if len(names) < 2 or kind not in (n.Forall, n.Exists):
        return over_set(kind, domain, body, result)
    node = rules.a_set(domain)
    if isinstance(node, n.Invalid):
        return node
    assert isinstance(node.type, Set)
    item = node.type.item

    def nested(taken: list[Any]) -> Any:
        if len(taken) == len(names):
            return body(*taken)
        return rules.bind(
            kind, item, names[len(taken)], lambda var: nested([*taken, wrap(var)]), result, node
        )

    made = nested([])
    assert isinstance(made, n.Node)
    return made


def int_range(low: Any, high: Any) -> Any:
    """The set `low..high` of integers; empty if `low` is greater."""
    a, b = rules.integer(low), rules.integer(high)
    bad = wrong_part((a, b))
    if bad is not None:
        return wrap(bad)
    assert isinstance(a.type, Int) and isinstance(b.type, Int)
    item = Int(a.type.low, max(a.type.low, b.type.high))
    return wrap(n.make(n.IntRange, Set(item), caller_span(), a, b))


def ite(condition: Any, then: Any, orelse: Any) -> Any:
    """If-then-else; only the chosen arm is evaluated."""
    return wrap(rules.if_then_else(condition, then, orelse))


def undefined(kind: Type, why: str) -> Any:
    """No value of the type: evaluating it is out of bounds."""
    return wrap(n.make(n.Undefined, kind, caller_span(), why))

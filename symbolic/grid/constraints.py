"""Constraints between parameters: a closed grammar, read as a Python expression and never evaluated as code.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = { "not" } comparison
    comparison  = sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum }
    sum         = product { ( "+" | "-" ) product }
    product     = factor { ( "*" | "//" | "%" ) factor }
    factor      = { "-" } atom
    atom        = INTEGER | NAME | TEXT | "true" | "false" | "(" condition ")"
                | ( "min" | "max" ) "(" condition { "," condition } ")"

NAME is a parameter of the protocol, and TEXT stands in double or single quotes. All operators have their
meaning in Python: `1 < a < b` is a chain, `//` rounds down. Arithmetic and order are for integers; truth
values and texts are only equal or not. There are no powers, other calls, attributes or decimals.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from leadline.symbolic.grid.conditions import COMPARISONS, REPAIRS, ConditionReader, Refused
from leadline.symbolic.grid.query import ParameterValues
from leadline.symbolic.lang import Parameter
from leadline.symbolic.lang.errors import unknown_name
from leadline.symbolic.lang.parameters import Setting

_INTEGER, _TRUTH, _TEXT = "an integer", "a truth value", "a text"
_KINDS: dict[type, str] = {int: _INTEGER, bool: _TRUTH, str: _TEXT}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_EXTREMES: dict[str, Callable[..., int]] = {"min": min, "max": max}
_NAMED = {"true": True, "false": False}


@dataclass(frozen=True)
class Constraint:
    """A condition on the parameters.

    Attributes:
        text: the condition as written.
        value: its truth at given values of the parameters.
    """

    text: str
    value: Callable[[ParameterValues], Any]

    def holds(self, values: ParameterValues) -> bool:
        """Whether a point satisfies it.

        Args:
            values: the value of every parameter.

        Raises:
            ZeroDivisionError: if it divides by zero there and its truth depends on the quotient.
        """
        return bool(self.value(values))


def read_constraint(
    text: str, declared: Mapping[str, Parameter], unset: frozenset[str], say: Callable[[str], None]
) -> Constraint | None:
    """Read a constraint.

    Args:
        text: the text in the grid file.
        declared: the protocol's parameters.
        unset: the parameters that have neither a default nor a value in the grid.
        say: called with each mistake, its line and column in front, both from 1.

    Returns:
        The constraint, or None if there are mistakes.
    """
    reader = _ConstraintReader(text, say, declared=declared, unset=unset)
    try:
        whole = reader.whole()
    except Refused:
        return None
    return None if reader.wrong else Constraint(text, whole.value)


@dataclass(frozen=True)
class _Part:
    """A part of a constraint.

    Attributes:
        node: the part in the syntax tree.
        kind: the kind of its values; "" after a mistake that has been reported.
        value: its value at given values of the parameters.
        parameter: the parameter, if the part is nothing else.
    """

    node: ast.expr
    kind: str
    value: Callable[[ParameterValues], Any]
    parameter: Parameter | None = None


@dataclass
class _ConstraintReader(ConditionReader):
    """Reads a syntax tree: one method for each kind of part."""

    noun: ClassVar[str] = "a constraint"
    signs: ClassVar[re.Pattern[str]] = re.compile(r"[A-Za-z0-9_]+|[ \t\r\n]|//|<=|>=|==|!=|[-+*%<>(),]")
    repairs: ClassVar[Mapping[str, str]] = {
        **REPAIRS,
        "/": "write // for the quotient rounded down",
        "^": "there are no powers here",
        "**": "there are no powers here",
        "*": "there are no powers here",
        ".": "only integers are written here, without a point",
    }

    declared: Mapping[str, Parameter] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()

    def whole(self) -> _Part:
        """The whole text.

        Raises:
            Refused: if it cannot be read to its end.
        """
        part = self.read(self.tree())
        self.need(_TRUTH, part)
        if not self.wrong and _fixed(part.node):
            self.say(part.node, "no parameter is named: it would say the same of every point")
        return part

    def read(self, node: ast.expr) -> _Part:
        match node:
            case ast.BoolOp():
                return self.connected(node)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                return self.unary(node)
            case ast.Compare() if all(type(sign) in COMPARISONS for sign in node.ops):
                return self.compared(node)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self.computed(node)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, *_], keywords=[]):
                return self.extreme(node, _EXTREMES[name])
            case ast.Name():
                return self.constant(node, _NAMED[node.id]) if node.id in _NAMED else self.named(node)
            case ast.Constant():
                return self.constant(node, self.literal(node))
        raise self.unknown(node)

    def connected(self, node: ast.BoolOp) -> _Part:
        parts = [self.read(one) for one in node.values]
        self.need(_TRUTH, *parts)
        return _Part(node, _TRUTH, _deciding(parts, isinstance(node.op, ast.Or)))

    def unary(self, node: ast.UnaryOp) -> _Part:
        part = self.read(node.operand)
        kind, function = (_TRUTH, operator.not_) if isinstance(node.op, ast.Not) else (_INTEGER, operator.neg)
        self.need(kind, part)
        return _Part(node, kind, lambda values: function(part.value(values)))

    def compared(self, node: ast.Compare) -> _Part:
        """A comparison or a chain of them, which is a conjunction."""
        parts = [self.read(one) for one in (node.left, *node.comparators)]
        links = []
        for left, sign, right in zip(parts, node.ops, parts[1:], strict=False):
            self.comparable(left, sign, right)
            links.append(_Part(node, _TRUTH, _applied(COMPARISONS[type(sign)], left, right)))
        return links[0] if len(links) == 1 else _Part(node, _TRUTH, _deciding(links, False))

    def comparable(self, left: _Part, sign: ast.cmpop, right: _Part) -> None:
        if not isinstance(sign, (ast.Eq, ast.NotEq)):
            self.need(_INTEGER, left, right)
        elif left.kind and right.kind and left.kind != right.kind:
            place = self.sign_between(left.node, right.node)
            self.say(place, f"{left.kind} is never equal to {right.kind}")
        else:
            self.possible(left, right)
            self.possible(right, left)

    def possible(self, one: _Part, text: _Part) -> None:
        """Report a text that is no value of the parameter that it is compared with."""
        if one.parameter is None or not isinstance(text.node, ast.Constant) or text.kind != _TEXT:
            return
        value = self.source(text.node)[1:-1]
        if one.parameter.complaint(value) is not None:
            self.say(
                text.node, unknown_name(f"{one.parameter.name} is never", value, list(one.parameter.choices))
            )

    def computed(self, node: ast.BinOp) -> _Part:
        left, right = self.read(node.left), self.read(node.right)
        self.need(_INTEGER, left, right)
        divides = isinstance(node.op, (ast.FloorDiv, ast.Mod))
        if divides and _fixed(right.node) and not self.wrong and right.value({}) == 0:
            self.say(right.node, "this divides by zero")
        return _Part(node, _INTEGER, _applied(_ARITHMETIC[type(node.op)], left, right))

    def extreme(self, node: ast.Call, function: Callable[..., int]) -> _Part:
        parts = [self.read(one) for one in node.args]
        self.need(_INTEGER, *parts)
        return _Part(node, _INTEGER, lambda values: function([part.value(values) for part in parts]))

    def literal(self, node: ast.Constant) -> Setting:
        text = self.quoted(node)
        value = self.number(node) if text is None else text
        if value is None or isinstance(value, float):
            wanted = "write an integer, a text in plain quotes, true or false"
            raise self.refused(node, f"`{self.source(node)}` means nothing in a constraint: {wanted}")
        return value

    def constant(self, node: ast.expr, value: Setting) -> _Part:
        return _Part(node, _KINDS[type(value)], lambda values: value)

    def named(self, node: ast.Name) -> _Part:
        name = node.id
        one = self.declared.get(name)
        if one is None:
            self.say(node, unknown_name("there is no parameter", name, list(self.declared)))
        elif name in self.unset:
            self.say(node, f"{name} is derived unless it is set: give it values in `parameters`")
        return _Part(node, _KINDS[one.kind] if one else "", operator.itemgetter(name), one)

    def need(self, kind: str, *parts: _Part) -> None:
        """Report parts of another kind."""
        for part in parts:
            if part.kind not in (kind, ""):
                self.say(part.node, f"{kind} is needed here, and this is {part.kind}")


def _fixed(node: ast.expr) -> bool:
    """Whether a part names no parameter."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names <= {*_EXTREMES, *_NAMED}


def _applied(
    function: Callable[[Any, Any], Any], left: _Part, right: _Part
) -> Callable[[ParameterValues], Any]:
    return lambda values: function(left.value(values), right.value(values))


def _deciding(parts: Sequence[_Part], decided: bool) -> Callable[[ParameterValues], bool]:
    """A conjunction (decided by a false part) or a disjunction (by a true one).

    If a part divides by zero, another one may still decide, in any order.
    """

    def value(values: ParameterValues) -> bool:
        failed: ZeroDivisionError | None = None
        for part in parts:
            try:
                if bool(part.value(values)) is decided:
                    return decided
            except ZeroDivisionError as error:
                failed = error
        if failed is not None:
            raise failed
        return not decided

    return value

"""Constraints between parameters: a closed grammar, read into sympy expressions and never evaluated as text.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = { "not" } comparison
    comparison  = sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum }
    sum         = product { ( "+" | "-" ) product }
    product     = factor { ( "*" | "//" | "%" ) factor }
    factor      = { "-" } atom
    atom        = INTEGER | NAME | TEXT | "true" | "false" | "(" condition ")"
                | ( "min" | "max" ) "(" condition { "," condition } ")"

NAME is a parameter of the protocol, TEXT stands in double or single quotes, and everything means what it does
in Python: `1 < a < b` is a chain, `//` rounds down. Integers are compared and computed with; truth values and
texts are only equal or not. There is nothing else: no powers, calls, attributes or decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy
from sympy.core.symbol import Str

from leadline.symbolic.grid.grammar.arithmetic import Evaluator, FloorDiv, Remainder, evaluator
from leadline.symbolic.grid.grammar.tokens import Scanner, Stop, Token
from leadline.symbolic.lang import Parameter
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.parameters import Setting

NESTING = 50
"""How deep its operations may be nested."""

_ATOM = "an integer, a parameter, a text, true, false, min, max, - or ("
_RELATIONS: dict[str, Any] = {
    "<": sympy.Lt,
    "<=": sympy.Le,
    ">": sympy.Gt,
    ">=": sympy.Ge,
    "==": sympy.Eq,
    "!=": sympy.Ne,
}
_MINUS_ONE = sympy.Integer(-1)
_INTEGER, _TRUTH, _TEXT = "an integer", "a truth value", "a text"
_KINDS: dict[type, str] = {int: _INTEGER, bool: _TRUTH, str: _TEXT}


@dataclass(frozen=True)
class Constraint:
    """A condition on the parameters.

    Attributes:
        text: as it is written.
        expression: a sympy expression; its symbols are the parameters' names.
    """

    text: str
    expression: Any

    @cached_property
    def _value(self) -> Evaluator:
        return evaluator(self.expression)

    def holds(self, values: Mapping[str, Setting | None]) -> bool:
        """Whether a point satisfies it.

        Args:
            values: the value of every parameter.

        Raises:
            ZeroDivisionError: if it divides by zero there, and its truth depends on that.
        """
        return bool(self._value(values))


def read_constraint(
    text: str, declared: Mapping[str, Parameter], unset: frozenset[str], say: Callable[[str], None]
) -> Constraint | None:
    """A constraint's text as an expression.

    Args:
        text: what stands in the file.
        declared: the protocol's parameters.
        unset: those without a value unless the grid sets them, which it does not.
        say: told of each mistake, with line and column in the text, both from 1.

    Returns:
        the constraint, or None if there are mistakes.
    """
    reader = _Reader(text, say, declared=declared, unset=unset)
    try:
        value = reader.whole()
    except Stop:
        return None
    return None if reader.wrong else Constraint(text, value.expression)


@dataclass(frozen=True)
class _Value:
    """A part that was read; its kind is "" where a mistake has been told already."""

    expression: Any
    kind: str
    place: int
    height: int = 0
    parameter: Parameter | None = None


@dataclass
class _Reader(Scanner):
    """A parser by recursive descent: one method for each rule."""

    declared: Mapping[str, Parameter] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()
    depth: int = 0

    # -- rules --------------------------------------------------------------------------------------------

    def whole(self) -> _Value:
        self.split()
        value = self.condition()
        if self.next.kind != "end":
            raise self.expected("an operator or the end")
        self.need(value, _TRUTH)
        if not self.wrong and not value.expression.free_symbols:
            self.say(value.place, "no parameter is named: it would say the same of every point")
        return value

    def condition(self) -> _Value:
        self.depth += 1
        if self.depth > NESTING:
            raise self.stop(self.next.place, f"this is nested deeper than {NESTING}: split it")
        value = self.joined("or", sympy.Or, lambda: self.joined("and", sympy.And, self.negation))
        self.depth -= 1
        return value

    def joined(self, word: str, function: Any, operand: Callable[[], _Value]) -> _Value:
        values = [operand()]
        while self.take(word):
            values.append(operand())
        return values[0] if len(values) == 1 else self.apply(function, _TRUTH, _TRUTH, *values)

    def negation(self) -> _Value:
        count = 0
        while self.take("not"):
            count += 1
        value = self.comparison()
        if count:
            self.need(value, _TRUTH)
        return self.apply(sympy.Not, _TRUTH, _TRUTH, value) if count % 2 else value

    def comparison(self) -> _Value:
        left = first = self.sum()
        found: list[_Value] = []
        while sign := self.take(*_RELATIONS):
            right = self.sum()
            self.compared(left, sign, right)
            found.append(self.apply(_RELATIONS[sign.text], "", _TRUTH, left, right))
            left = right
        if not found:
            return first
        return found[0] if len(found) == 1 else self.apply(sympy.And, _TRUTH, _TRUTH, *found)

    def compared(self, left: _Value, sign: Token, right: _Value) -> None:
        if sign.text not in ("==", "!="):
            self.need(left, _INTEGER)
            self.need(right, _INTEGER)
        elif left.kind and right.kind and left.kind != right.kind:
            self.say(sign.place, f"{left.kind} is never equal to {right.kind}")
        elif left.kind == _TEXT:
            self.named(left, right)
            self.named(right, left)

    def named(self, left: _Value, right: _Value) -> None:
        """Complain of a text that the parameter it is compared with cannot be."""
        if left.parameter is None or not isinstance(right.expression, Str):
            return
        name, choices = right.expression.name, left.parameter.choices
        if left.parameter.complaint(name) is not None:
            self.say(right.place, unknown_name(f"{left.parameter.name} is never", name, list(choices)))

    def sum(self) -> _Value:
        values = [self.product()]
        while sign := self.take("+", "-"):
            value = self.product()
            values.append(value if sign.text == "+" else self.negative(value))
        return values[0] if len(values) == 1 else self.apply(sympy.Add, _INTEGER, _INTEGER, *values)

    def product(self) -> _Value:
        values = [self.factor()]
        while sign := self.take("*", "//", "%"):
            right = self.factor()
            if sign.text == "*":
                values.append(right)
                continue
            left = self.apply(sympy.Mul, _INTEGER, _INTEGER, *values) if len(values) > 1 else values[0]
            function = FloorDiv if sign.text == "//" else Remainder
            values = [self.apply(function, _INTEGER, _INTEGER, left, self.divisor(right))]
        return values[0] if len(values) == 1 else self.apply(sympy.Mul, _INTEGER, _INTEGER, *values)

    def divisor(self, value: _Value) -> _Value:
        """A divisor; one that is zero whatever the parameters are is a mistake here and now."""
        fixed = value.kind == _INTEGER and not self.wrong and not value.expression.free_symbols
        if fixed and evaluator(value.expression)({}) == 0:
            self.say(value.place, "this divides by zero")
        return value

    def factor(self) -> _Value:
        count = 0
        while self.take("-"):
            count += 1
        value = self.atom()
        if count:
            self.need(value, _INTEGER)
        return self.negative(value) if count % 2 else value

    def negative(self, value: _Value) -> _Value:
        if isinstance(value.expression, sympy.Integer):
            return replace(value, expression=-value.expression)
        return self.apply(sympy.Mul, _INTEGER, _INTEGER, _Value(_MINUS_ONE, _INTEGER, value.place), value)

    def atom(self) -> _Value:
        token = self.next
        if self.take("("):
            value = self.condition()
            if not self.take(")"):
                raise self.expected("an operator or )")
            return value
        if token.kind not in ("integer", "name", "text") or token.text in ("and", "or", "not"):
            raise self.expected(_ATOM)
        self.at += 1
        if token.kind == "integer":
            return _Value(sympy.Integer(token.text), _INTEGER, token.place)
        if token.kind == "text":
            return _Value(Str(token.text[1:-1]), _TEXT, token.place)
        if token.text in ("min", "max"):
            return self.extreme(token)
        if token.text in ("true", "false"):
            return _Value(sympy.true if token.text == "true" else sympy.false, _TRUTH, token.place)
        return self.parameter(token)

    def extreme(self, token: Token) -> _Value:
        if not self.take("("):
            raise self.expected("(")
        values = [self.condition()]
        while self.take(","):
            values.append(self.condition())
        if not self.take(")"):
            raise self.expected("an operator, a comma or )")
        function = sympy.Min if token.text == "min" else sympy.Max
        return self.apply(function, _INTEGER, _INTEGER, *values)

    def parameter(self, token: Token) -> _Value:
        name = token.text
        one = self.declared.get(name)
        if one is None:
            self.say(token.place, unknown_name("there is no parameter", name, list(self.declared)))
            return _Value(sympy.Symbol(name), "", token.place)
        if name in self.unset:
            self.say(token.place, f"{name} is derived unless it is set: give it values in `parameters`")
        return _Value(sympy.Symbol(name), _KINDS[one.kind], token.place, parameter=one)

    # -- kinds --------------------------------------------------------------------------------------------

    def need(self, value: _Value, kind: str) -> None:
        if kind and value.kind not in (kind, ""):
            self.say(value.place, f"{kind} is needed here, and this is {value.kind}")

    def apply(self, function: Any, needed: str, kind: str, *values: _Value) -> _Value:
        for value in values:
            self.need(value, needed)
        if self.wrong:
            # What is wrong has been told; sympy would not take operands of other kinds.
            return _Value(sympy.Symbol("wrong"), kind, values[0].place)
        height = 1 + max(value.height for value in values)
        if height > NESTING:
            raise self.stop(values[0].place, f"this is nested deeper than {NESTING}: split it")
        options = {} if function in (FloorDiv, Remainder) else {"evaluate": False}
        expression = function(*(value.expression for value in values), **options)
        return _Value(expression, kind, values[0].place, height)

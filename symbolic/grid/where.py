"""Conditions on rows: a closed grammar, read as a Python expression and never evaluated as code.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = { "not" } ( comparison | "(" condition ")" )
    comparison  = NAME ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) value
    value       = [ "-" ] NUMBER | TEXT | "true" | "false" | "null"

NAME is a column of the store or a parameter; where a parameter has a column's name, `parameters.NAME` is the
parameter. TEXT stands in double or single quotes. A missing value is equal to null and to nothing else, and
neither smaller nor larger than anything. Texts compare by their characters.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from leadline.symbolic.grid.conditions import COMPARISONS, REPAIRS, ConditionReader, Refused
from leadline.symbolic.grid.rows import SCHEMA, Row
from leadline.symbolic.lang import UserError
from leadline.symbolic.lang.errors import unknown_name

RowCondition = Callable[[Row], bool]
"""Decides whether a row is wanted."""

_PARAMETERS = "parameters."
_EQUALITY = (operator.eq, operator.ne)
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_KINDS: dict[type, str] = {int: "a number", float: "a number", bool: "true or false", str: "text"}
_COLUMN_KINDS = {"string": "text", "timestamp[us, tz=UTC]": "text"}


def read_where(text: str, rows: Iterable[Row]) -> RowCondition:
    """Read a condition as a function of rows.

    Args:
        text: the user's text.
        rows: the rows of the store, whose parameters may be named.

    Raises:
        UserError: with every mistake, each with its line and column.
    """
    told: list[str] = []
    kinds: dict[str, set[str]] = {}
    for settings in {row.parameters: row.settings() for row in rows}.values():
        for name, value in settings.items():
            kinds.setdefault(name, set()).update(() if value is None else (_KINDS[type(value)],))
    reader = _WhereReader(text, told.append, parameters=kinds)
    try:
        condition = reader.read(reader.tree())
    except Refused:
        condition = None
    if condition is None or reader.wrong:
        raise UserError("\n".join(f"--where: {complaint}" for complaint in told))
    return condition


@dataclass
class _WhereReader(ConditionReader):
    """Reads a syntax tree: one method for each kind of part."""

    noun: ClassVar[str] = "a condition"
    signs: ClassVar[re.Pattern[str]] = re.compile(
        r"[0-9.]+[eE][-+]?[0-9]+|[A-Za-z0-9_.]+|[ \t\r\n]|<=|>=|==|!=|[-<>()]"
    )
    repairs: ClassVar[Mapping[str, str]] = {
        **REPAIRS,
        **dict.fromkeys("+-*", "only values are written here, nothing is computed"),
    }

    parameters: Mapping[str, set[str]] = field(default_factory=dict)

    def read(self, node: ast.expr) -> RowCondition:
        """The meaning of a condition.

        Raises:
            Refused: if it cannot be read to its end.
        """
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = [self.read(one) for one in values]
                joined = any if isinstance(op, ast.Or) else all
                return lambda row: joined(part(row) for part in parts)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.read(operand)
                return lambda row: not inner(row)
            case ast.Compare(ops=[sign], comparators=[right]) if type(sign) in COMPARISONS:
                return self.compared(node.left, COMPARISONS[type(sign)], right)
            case ast.Compare(ops=[_, _, *_]):
                place = self.sign_between(node.comparators[0], node.comparators[1])
                raise self.refused(place, "a comparison has two sides here: join several with and")
            case ast.Name() | ast.Constant():
                raise self.refused(node, "a comparison is needed here, such as steps == 1")
        raise self.unknown(node)

    def compared(self, left: ast.expr, compare: Callable[[Any, Any], bool], right: ast.expr) -> RowCondition:
        name = self.column(left)
        value = self.value(right)
        known = self.kinds(name, left)
        if value is None and compare not in _EQUALITY:
            self.say(right, "null is only equal or not")
        elif known and value is not None and _KINDS[type(value)] not in known:
            self.say(right, f"{name} is {' or '.join(sorted(known))}, never {_KINDS[type(value)]}")
        elif isinstance(value, bool) and compare not in _EQUALITY:
            self.say(right, "true and false are only equal or not")
        return _comparison(_column(name), compare, value)

    def column(self, node: ast.expr) -> str:
        """The name of the column or parameter that stands on the left."""
        match node:
            case ast.Name(id=name) if name not in _WORDS:
                return name
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                return f"{owner}.{name}"
            case ast.BinOp():
                raise self.unknown(node)
        raise self.refused(node, "a column or a parameter is needed here")

    def value(self, node: ast.expr) -> Any:
        """A number, text or word that a column is compared with."""
        match node:
            case ast.Name(id=word) if word in _WORDS:
                return _WORDS[word]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.number(operand) if isinstance(operand, ast.Constant) else None
                if number is None:
                    raise self.refused(operand, "a number is needed here")
                return -number
            case ast.Constant():
                text = self.quoted(node)
                found = self.number(node) if text is None else text
                if found is not None:
                    return found
            case ast.BinOp():
                raise self.unknown(node)
        raise self.refused(node, "a number, a text in plain quotes, true, false or null is needed here")

    def kinds(self, name: str, node: ast.expr) -> set[str]:
        """The kinds of values of a column or parameter; none if they are not known."""
        parameter = name.removeprefix(_PARAMETERS)
        if parameter == name and name in SCHEMA.names:
            return {_COLUMN_KINDS.get(str(SCHEMA.field(name).type), "a number")}
        if parameter not in self.parameters:
            known = [*self.parameters, *(SCHEMA.names if parameter == name else ())]
            self.say(node, unknown_name("the store has no column or parameter", parameter, known))
        return {*self.parameters.get(parameter, ())}


def _column(name: str) -> Callable[[Row], Any]:
    if name in SCHEMA.names:
        return lambda row: _plain(getattr(row, name))
    parameter = name.removeprefix(_PARAMETERS)
    return lambda row: row.settings().get(parameter)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _comparison(
    column: Callable[[Row], Any], compare: Callable[[Any, Any], bool], value: Any
) -> RowCondition:
    """A comparison; values of other kinds, as another protocol may give a parameter, are just not equal."""

    def holds(row: Row) -> bool:
        found = column(row)
        if value is None or compare in _EQUALITY:
            # True equals 1 in Python, but not here.
            same = found == value and isinstance(found, bool) == isinstance(value, bool)
            return same == (compare is operator.eq)
        if found is None or _KINDS[type(found)] != _KINDS[type(value)]:
            return False
        return bool(compare(found, value))

    return holds


def plain_row(row: Row) -> dict[str, Any]:
    """A row as a JSON object, with its parameters as an object of its own."""
    return {**{name: _plain(value) for name, value in asdict(row).items()}, "parameters": row.settings()}

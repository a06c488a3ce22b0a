"""Conditions on rows: a closed grammar, read into functions and never evaluated as text.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = { "not" } ( comparison | "(" condition ")" )
    comparison  = NAME ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) value
    value       = [ "-" ] NUMBER | TEXT | "true" | "false" | "null"

NAME is a column of the store or a parameter; where a parameter has a column's name, `parameters.NAME` is the
parameter. TEXT stands in double or single quotes. What has no value is equal to null, to nothing else, and
neither smaller nor larger than anything. Texts compare by their characters.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from leadline.symbolic.grid.grammar.tokens import REPAIRS, Scanner, Stop, Token
from leadline.symbolic.grid.store.rows import SCHEMA, Row
from leadline.symbolic.lang import UserError
from leadline.symbolic.lang.expr import unknown_name

Condition = Callable[[Row], bool]
"""Whether a row is wanted."""

_NESTING = 50
_PARAMETERS = "parameters."
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_LOGIC = ("and", "or", "not")
_KINDS: dict[type, str] = {int: "a number", float: "a number", bool: "true or false", str: "text"}
_COLUMN_KINDS = {"string": "text", "timestamp[us, tz=UTC]": "text"}


def read_where(text: str, rows: Iterable[Row]) -> Condition:
    """A condition's text as a function of rows.

    Args:
        text: what the user wrote.
        rows: the store's, which say what parameters there are.

    Raises:
        UserError: with every mistake, each with its line and column.
    """
    told: list[str] = []
    kinds: dict[str, set[str]] = {}
    for settings in {row.parameters: row.settings() for row in rows}.values():
        for name, value in settings.items():
            kinds.setdefault(name, set()).update(() if value is None else (_KINDS[type(value)],))
    reader = _Reader(text, told.append, parameters=kinds)
    try:
        condition = reader.whole()
    except Stop:
        condition = None
    if condition is None or reader.wrong:
        raise UserError("\n".join(f"--where: {complaint}" for complaint in told))
    return condition


@dataclass
class _Reader(Scanner):
    """A parser by recursive descent: one method for each rule."""

    parameters: Mapping[str, set[str]] = field(default_factory=dict)
    depth: int = 0

    noun: ClassVar[str] = "a condition"
    pattern: ClassVar[re.Pattern[str]] = re.compile(
        r"(?P<space>[ \t\r\n]+)|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?)"
        r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?)"
        r"""|(?P<text>"[^"\n]*"|'[^'\n]*')|(?P<sign><=|>=|==|!=|[-<>()])"""
    )
    repairs: ClassVar[Mapping[str, str]] = {
        **{sign: REPAIRS[sign] for sign in ("=", "&", "|", "!", '"', "'")},
        "+": "only values are written here, nothing is computed",
        "*": "only values are written here, nothing is computed",
    }

    def whole(self) -> Condition:
        self.split()
        condition = self.condition()
        if self.next.kind != "end":
            raise self.expected("and, or, or the end")
        return condition

    def condition(self) -> Condition:
        self.depth += 1
        if self.depth > _NESTING:
            raise self.stop(self.next.place, f"this is nested deeper than {_NESTING}")
        found = [self.conjunction()]
        while self.take("or"):
            found.append(self.conjunction())
        self.depth -= 1
        return found[0] if len(found) == 1 else lambda row: any(part(row) for part in found)

    def conjunction(self) -> Condition:
        found = [self.negation()]
        while self.take("and"):
            found.append(self.negation())
        return found[0] if len(found) == 1 else lambda row: all(part(row) for part in found)

    def negation(self) -> Condition:
        turned = False
        while self.take("not"):
            turned = not turned
        if self.take("("):
            inner = self.condition()
            if not self.take(")"):
                raise self.expected("and, or, or )")
        else:
            inner = self.comparison()
        return (lambda row: not inner(row)) if turned else inner

    def comparison(self) -> Condition:
        token = self.next
        if token.kind != "name" or token.text in (*_LOGIC, *_WORDS):
            raise self.expected("a column, a parameter, not or (")
        self.at += 1
        sign = self.take(*_COMPARISONS)
        if sign is None:
            raise self.expected("==, !=, <, <=, > or >=")
        place = self.next.place
        value = self.value()
        known = self.kinds(token)
        if value is None and sign.text not in ("==", "!="):
            self.say(place, "null is only equal or not")
        elif known and value is not None and _KINDS[type(value)] not in known:
            self.say(place, f"{token.text} is {' or '.join(sorted(known))}, never {_KINDS[type(value)]}")
        elif isinstance(value, bool) and sign.text not in ("==", "!="):
            self.say(place, "true and false are only equal or not")
        return _compared(_column(token.text), _COMPARISONS[sign.text], value)

    def value(self) -> Any:
        minus = self.take("-")
        token = self.next
        self.at += 1
        if token.kind == "number":
            number = float(token.text) if re.search("[.eE]", token.text) else int(token.text)
            return -number if minus else number
        if not minus and token.kind == "text":
            return token.text[1:-1]
        if not minus and token.text in _WORDS:
            return _WORDS[token.text]
        self.at -= 1
        raise self.expected("a number" if minus else "a number, a text in quotes, true, false or null")

    def kinds(self, token: Token) -> set[str]:
        """What the values of a column or parameter are; nothing if that is not known."""
        name = token.text.removeprefix(_PARAMETERS)
        if name == token.text and name in SCHEMA.names:
            return {_COLUMN_KINDS.get(str(SCHEMA.field(name).type), "a number")}
        if name not in self.parameters:
            known = [*self.parameters, *(SCHEMA.names if name == token.text else ())]
            self.say(token.place, unknown_name("the store has no column or parameter", name, known))
        return {*self.parameters.get(name, ())}


def _column(name: str) -> Callable[[Row], Any]:
    if name in SCHEMA.names:
        return lambda row: _plain(getattr(row, name))
    parameter = name.removeprefix(_PARAMETERS)
    return lambda row: row.settings().get(parameter)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _compared(column: Callable[[Row], Any], compare: Callable[[Any, Any], bool], value: Any) -> Condition:
    """A comparison; values of other kinds, as another protocol may give a parameter, are just not equal."""

    def holds(row: Row) -> bool:
        found = column(row)
        if value is None or compare in (operator.eq, operator.ne):
            # True equals 1 in Python, but not here.
            same = found == value and isinstance(found, bool) == isinstance(value, bool)
            return same == (compare is operator.eq)
        if found is None or _KINDS[type(found)] != _KINDS[type(value)]:
            return False
        return bool(compare(found, value))

    return holds


def plain_row(row: Row) -> dict[str, Any]:
    """A row as JSON takes it, its parameters as an object."""
    return {**{name: _plain(value) for name, value in asdict(row).items()}, "parameters": row.settings()}

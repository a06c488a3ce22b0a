"""Conditions that users write, on the parameters of a point and on the rows of a store: a closed grammar.

    condition   = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = { "not" } comparison
    comparison  = sum { ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum }
    sum         = product { ( "+" | "-" ) product }
    product     = factor { ( "*" | "//" | "%" ) factor }
    factor      = { "-" } atom
    atom        = NUMBER | NAME | TEXT | "true" | "false" | "null" | "(" condition ")"
                | ( "min" | "max" ) "(" condition { "," condition } ")"

TEXT stands in double or single quotes. All operators have their meaning in Python: `1 < a < b` is a chain, `//`
rounds down. A missing value is equal to null and to nothing else, and neither smaller nor larger than anything;
what is computed of it is missing. Values of two kinds are never equal. Texts compare by their characters.

A condition is never evaluated as code. It passes three gates. The first looks at characters: it refuses
everything but names, numbers, quoted texts and the signs of the grammar, and conditions that are too long or too
deeply nested. At the second, `ast.parse` makes a syntax tree, with the contents of quoted texts masked. At the
third, the reader refuses every kind of node that is not in the grammar.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

LONGEST = 1000
"""The most characters of a condition."""

NESTING = 50
"""The most operations, or parentheses, inside one another. A sum of n numbers is nested n deep."""

_DIGITS = 18
_QUOTED = re.compile(r"""'[^'\r\n]*'|"[^"\r\n]*\"""")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_]+|[<>=!/*]{1,2}|\S")
_SIGN = re.compile(r"[0-9.]+[eE][-+]?[0-9]+|[A-Za-z0-9_.]+|[ \t\r\n]|//|<=|>=|==|!=|[-+*%<>(),]")
_QUOTE = "the text has no closing quote"
_POWER = "there are no powers here"
_REPAIRS = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    "/": "write // for the quotient rounded down",
    "^": _POWER,
    "**": _POWER,
    "*": _POWER,
    '"': _QUOTE,
    "'": _QUOTE,
}

_TRUTH, _NUMBERS, _TEXT, _NULL = "a truth value", "a number", "a text", "null"
_KINDS: dict[type, str] = {bool: _TRUTH, int: _NUMBERS, float: _NUMBERS, str: _TEXT, type(None): _NULL}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_EXTREMES: dict[str, Callable[..., Any]] = {"min": min, "max": max}
_NAMED: dict[str, Any] = {"true": True, "false": False, "null": None}

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

Position = int | ast.expr
"""The place of a mistake: a position in the text, from 0, or a part, which stands for its beginning."""


def kind_of(value: Any) -> str:
    """The kind of a value, in words."""
    return _KINDS[type(value)]


@dataclass(frozen=True)
class Name:
    """Something that a condition may name.

    Attributes:
        value: its value at a subject, such as the parameters of a point; None where it is missing.
        kinds: the kinds of its values; empty if they are not known.
        complaint: the reason why a text is never its value; None if it may be.
    """

    value: Callable[[Any], Any]
    kinds: frozenset[str]
    complaint: Callable[[str], str | None] = lambda _: None


@dataclass(frozen=True)
class Condition:
    """A condition on subjects, such as the points of a grid.

    Attributes:
        text: the condition as written.
        value: its truth at a subject.
    """

    text: str
    value: Callable[[Any], Any]

    def holds(self, subject: Any) -> bool:
        """Whether a subject satisfies it.

        Raises:
            ZeroDivisionError: if it divides by zero there and its truth depends on the quotient.
        """
        return self.value(subject) is True


def read_condition(
    noun: str, text: str, names: Callable[[str], Name | str], tell: Callable[[str], None]
) -> Condition | None:
    """Read a condition.

    Args:
        noun: the name of such a text in messages, such as "a constraint".
        text: the user's text.
        names: the meaning of a name, or the mistake that it is.
        tell: called with each mistake, its line and column in front, both from 1.

    Returns:
        The condition, or None if there are mistakes.
    """
    reader = _Reader(noun, text, names, tell)
    try:
        whole = reader.whole()
    except _Refused:
        return None
    return None if reader.wrong else Condition(text, whole.value)


class _Refused(Exception):
    """The condition cannot be read any further; the mistake has been reported."""


@dataclass(frozen=True)
class _Part:
    """A part of a condition.

    Attributes:
        node: the part in the syntax tree.
        kinds: the kinds of its values; empty if they are not known, or after a mistake that has been reported.
        value: its value at a subject.
        name: the name, if the part is nothing else.
    """

    node: ast.expr
    kinds: frozenset[str]
    value: Callable[[Any], Any]
    name: Name | None = None


@dataclass
class _Reader:
    """Reads a text, and reports mistakes with their place in it: one method for each kind of part.

    Attributes:
        wrong: whether there was a mistake.
    """

    noun: str
    text: str
    names: Callable[[str], Name | str]
    tell: Callable[[str], None]
    wrong: bool = False
    _told: set[str] = field(default_factory=set)
    _start: int = 0

    def whole(self) -> _Part:
        """The whole text.

        Raises:
            _Refused: if it cannot be read to its end.
        """
        part = self.read(self.tree())
        self.need(_TRUTH, part)
        if not self.wrong and _fixed(part.node):
            self.say(part.node, "nothing is named: it would say the same everywhere")
        return part

    # -- one method for each kind of part ------------------------------------------------------------------

    def read(self, node: ast.expr) -> _Part:
        match node:
            case ast.BoolOp():
                return self.connected(node)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                return self.unary(node)
            case ast.Compare() if all(type(sign) in _COMPARISONS for sign in node.ops):
                return self.compared(node)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self.computed(node)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[_, *_], keywords=[]):
                return self.extreme(node, _EXTREMES[name])
            case ast.Name(id=name) if name in _NAMED:
                return self.constant(node, _NAMED[name])
            case ast.Name() | ast.Attribute(value=ast.Name()):
                return self.named(node)
            case ast.Constant():
                return self.constant(node, self.literal(node))
        raise self.unknown(node)

    def connected(self, node: ast.BoolOp) -> _Part:
        parts = [self.read(one) for one in node.values]
        self.need(_TRUTH, *parts)
        return _Part(node, frozenset({_TRUTH}), _deciding(parts, isinstance(node.op, ast.Or)))

    def unary(self, node: ast.UnaryOp) -> _Part:
        part = self.read(node.operand)
        if isinstance(node.op, ast.Not):
            self.need(_TRUTH, part)
            return _Part(node, frozenset({_TRUTH}), lambda subject: part.value(subject) is not True)
        self.need(_NUMBERS, part)
        return _Part(node, frozenset({_NUMBERS}), _computed(operator.neg, [part]))

    def compared(self, node: ast.Compare) -> _Part:
        """A comparison or a chain of them, which is a conjunction."""
        parts = [self.read(one) for one in (node.left, *node.comparators)]
        truth, links = frozenset({_TRUTH}), []
        for left, sign, right in zip(parts, node.ops, parts[1:], strict=False):
            self.comparable(left, sign, right)
            links.append(_Part(node, truth, _comparison(type(sign), left, right)))
        return links[0] if len(links) == 1 else _Part(node, truth, _deciding(links, False))

    def comparable(self, left: _Part, sign: ast.cmpop, right: _Part) -> None:
        """Report a comparison that is the same everywhere, since the kinds of its sides differ."""
        if not isinstance(sign, (ast.Eq, ast.NotEq)):
            for part in (left, right):
                if part.kinds and part.kinds <= {_TRUTH, _NULL}:
                    self.say(part.node, f"{_words(part.kinds)} is only equal or not")
                    return
        else:
            self.possible(left, right)
            self.possible(right, left)
        if left.kinds and right.kinds and not (left.kinds | {_NULL}) & right.kinds:
            self.say(
                right.node, f"{self.source(left.node)} is {_words(left.kinds)}, never {_words(right.kinds)}"
            )

    def possible(self, one: _Part, text: _Part) -> None:
        """Report a comparison of a name with a text that is never its value."""
        value = self.quoted(text.node) if isinstance(text.node, ast.Constant) else None
        complaint = one.name.complaint(value) if one.name is not None and value is not None else None
        if complaint is not None:
            self.say(text.node, complaint)

    def computed(self, node: ast.BinOp) -> _Part:
        left, right = self.read(node.left), self.read(node.right)
        self.need(_NUMBERS, left, right)
        divides = isinstance(node.op, (ast.FloorDiv, ast.Mod))
        if divides and _fixed(right.node) and not self.wrong and right.value({}) == 0:
            self.say(right.node, "this divides by zero")
        return _Part(node, frozenset({_NUMBERS}), _computed(_ARITHMETIC[type(node.op)], [left, right]))

    def extreme(self, node: ast.Call, function: Callable[..., Any]) -> _Part:
        parts = [self.read(one) for one in node.args]
        self.need(_NUMBERS, *parts)
        return _Part(node, frozenset({_NUMBERS}), _computed(lambda *values: function(values), parts))

    def constant(self, node: ast.expr, value: Any) -> _Part:
        return _Part(node, frozenset({kind_of(value)}), lambda subject: value)

    def named(self, node: ast.expr) -> _Part:
        found = self.names(self.source(node))
        if isinstance(found, str):
            self.say(node, found)
            return _Part(node, frozenset(), lambda subject: None)
        return _Part(node, found.kinds, found.value, found)

    def literal(self, node: ast.Constant) -> int | float | str:
        text = self.quoted(node)
        value = self.number(node) if text is None else text
        if value is None:
            wanted = "write a number, a text in plain quotes, true, false or null"
            raise self.refused(node, f"`{self.source(node)}` means nothing in {self.noun}: {wanted}")
        return value

    def need(self, kind: str, *parts: _Part) -> None:
        """Report parts of other kinds."""
        for part in parts:
            if part.kinds and kind not in part.kinds:
                self.say(part.node, f"{kind} is needed here, and this is {_words(part.kinds)}")

    # -- the syntax tree -----------------------------------------------------------------------------------

    def tree(self) -> ast.expr:
        """The syntax tree of the text.

        Raises:
            _Refused: if the text has no syntax tree, or exceeds a limit.
        """
        self._check_characters()
        masked = _QUOTED.sub(lambda text: f"{text[0][0]}{'x' * (len(text[0]) - 2)}{text[0][-1]}", self.text)
        # On one line, a column is a position in the text.
        line = re.sub(r"\s", " ", masked)
        self._start = len(line) - len(line.lstrip())
        try:
            with warnings.catch_warnings():
                # `1or a` is a warning in some versions of Python and an error in others.
                warnings.simplefilter("error")
                tree = ast.parse(line.strip(), mode="eval").body
        except SyntaxError as error:
            # An error at the end has no column.
            place = self._start + error.offset - 1 if error.offset else len(self.text)
            raise self.refused(place, self._syntax(error.msg, place)) from None
        except (RecursionError, MemoryError, ValueError):
            raise self.refused(0, f"{self.noun} is too deeply nested") from None
        self._check_depth(tree)
        return tree

    def _check_depth(self, tree: ast.expr) -> None:
        parts = [tree]
        for _ in range(NESTING):
            parts = [
                part for one in parts for part in ast.iter_child_nodes(one) if isinstance(part, ast.expr)
            ]
        if parts:
            raise self.refused(parts[0], f"this is nested deeper than {NESTING}: split it")

    def _check_characters(self) -> None:
        if len(self.text) > LONGEST:
            raise self.refused(
                LONGEST, f"{self.noun} has at most {LONGEST} characters: split it into several"
            )
        bare = _QUOTED.sub(lambda text: "x" * len(text[0]), self.text)
        depth = place = 0
        while place < len(bare):
            sign = _SIGN.match(bare, place)
            if sign is None:
                raise self.refused(place, self.meaningless(bare[place]))
            depth += (sign[0] == "(") - (sign[0] == ")")
            place = sign.end()
            if depth >= NESTING:
                raise self.refused(place, f"this is nested deeper than {NESTING}: split it")

    def _syntax(self, message: str, place: int) -> str:
        if "comma" in message:
            return "an operator is missing in the part that begins here"
        if not message.startswith("invalid syntax"):
            return message.partition(";")[0]
        found = _WORD.match(self.text, place)
        return f"`{found[0]}` is not expected here" if found else "something is missing at the end"

    def meaningless(self, sign: str) -> str:
        """The message about a sign that is not in the grammar."""
        repair = _REPAIRS.get(sign, f"see the grammar of {self.noun}")
        return f"`{sign}` means nothing in {self.noun}: {repair}"

    # -- parts of the tree ---------------------------------------------------------------------------------

    def source(self, node: ast.expr) -> str:
        end = node.end_col_offset or node.col_offset
        return self.text[self._start + node.col_offset : self._start + end]

    def sign_between(self, left: ast.expr, right: ast.expr) -> int:
        """The position of the sign, or word, that joins two parts."""
        place = self._start + (left.end_col_offset or 0)
        while self.text[place] in ") \t\r\n":
            place += 1
        return place

    def unknown(self, node: ast.expr) -> _Refused:
        """The error for a part that is not in the grammar; to be raised."""
        if isinstance(node, ast.BinOp):
            place = self.sign_between(node.left, node.right)
        elif isinstance(node, ast.Compare):
            place = self.sign_between(node.left, node.comparators[0])
        else:
            return self.refused(node, f"this means nothing in {self.noun}: see its grammar")
        found = _WORD.match(self.text, place)
        return self.refused(place, self.meaningless(found[0] if found else self.text[place]))

    def number(self, node: ast.Constant) -> int | float | None:
        """A number in decimal notation; None if the part is something else.

        Raises:
            _Refused: if it is too large.
        """
        source = self.source(node)
        if type(node.value) not in (int, float) or not _NUMBER.fullmatch(source):
            return None
        if type(node.value) is int and len(source) > _DIGITS:
            raise self.refused(node, f"an integer has at most {_DIGITS} digits")
        return node.value  # type: ignore[return-value]  # its type was checked above

    def quoted(self, node: ast.Constant) -> str | None:
        """The text between plain quotes; None if the part is something else."""
        source = self.source(node)
        return source[1:-1] if type(node.value) is str and _QUOTED.fullmatch(source) else None

    # -- mistakes ------------------------------------------------------------------------------------------

    def say(self, where: Position, text: str) -> None:
        """Report a mistake, once."""
        place = where if isinstance(where, int) else self._start + where.col_offset
        self.wrong = True
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        mistake = f"line {line}, column {column}: {text}"
        if mistake not in self._told:
            self._told.add(mistake)
            self.tell(mistake)

    def refused(self, where: Position, text: str) -> _Refused:
        """Report a mistake after which nothing can be read; the error is to be raised."""
        self.say(where, text)
        return _Refused()


# -- values --------------------------------------------------------------------------------------------


def _words(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


def _fixed(node: ast.expr) -> bool:
    """Whether a part names nothing."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names <= {*_EXTREMES, *_NAMED}


def _computed(function: Callable[..., Any], parts: Sequence[_Part]) -> Callable[[Any], Any]:
    """A number; missing if a part is missing, or no number here."""

    def value(subject: Any) -> Any:
        values = [part.value(subject) for part in parts]
        return function(*values) if all(kind_of(one) == _NUMBERS for one in values) else None

    return value


def _comparison(sign: type[ast.cmpop], left: _Part, right: _Part) -> Callable[[Any], bool]:
    """A comparison. Values of two kinds are never equal and never ordered."""
    equal, negated = sign in (ast.Eq, ast.NotEq), sign is ast.NotEq

    def value(subject: Any) -> bool:
        one, other = left.value(subject), right.value(subject)
        kind = kind_of(one)
        if kind != kind_of(other) or (not equal and kind in (_TRUTH, _NULL)):
            return negated
        return _COMPARISONS[sign](one, other)

    return value


def _deciding(parts: Sequence[_Part], decided: bool) -> Callable[[Any], bool]:
    """A conjunction (decided by a false part) or a disjunction (by a true one).

    If a part divides by zero, another one may still decide, in any order.
    """

    def value(subject: Any) -> bool:
        failed: ZeroDivisionError | None = None
        for part in parts:
            try:
                if (part.value(subject) is True) is decided:
                    return decided
            except ZeroDivisionError as error:
                failed = error
        if failed is not None:
            raise failed
        return not decided

    return value

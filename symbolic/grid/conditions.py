"""Conditions that users write: Python expressions of a few kinds, never evaluated as code.

A condition passes three gates. The first looks at characters: it refuses everything but names, whole words,
quoted texts and the signs of the grammar, and conditions that are too long or too deeply nested. At the
second, `ast.parse` makes a syntax tree, with the contents of quoted texts masked. At the third, the reader of
the grammar refuses every kind of node that is not in the grammar.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

LONGEST = 1000
"""The most characters of a condition."""

NESTING = 50
"""The most operations, or parentheses, inside one another. A sum of n numbers is nested n deep."""

_DIGITS = 18
_QUOTED = re.compile(r"""'[^'\r\n]*'|"[^"\r\n]*\"""")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_]+|[<>=!/*]{1,2}|\S")
QUOTE = "the text has no closing quote"
REPAIRS = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    '"': QUOTE,
    "'": QUOTE,
}

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

Position = int | ast.expr
"""The place of a mistake: a position in the text, from 0, or a part, which stands for its beginning."""


class Refused(Exception):
    """The condition cannot be read any further; the mistake has been reported."""


@dataclass
class ConditionReader:
    """Turns a text into a syntax tree, and reports mistakes with their place in the text.

    Attributes:
        noun: the name of such a text in messages.
        signs: a regular expression for one sign or word that may stand outside of quoted texts.
        repairs: the repair for a sign that is not allowed, by the sign.
        text: the text.
        tell: called with each mistake, its line and column in front.
        wrong: whether there was a mistake.
    """

    noun: ClassVar[str]
    signs: ClassVar[re.Pattern[str]]
    repairs: ClassVar[Mapping[str, str]]

    text: str
    tell: Callable[[str], None]
    wrong: bool = False
    _told: set[str] = field(default_factory=set)
    _start: int = 0

    def tree(self) -> ast.expr:
        """The syntax tree of the text.

        Raises:
            Refused: if the text has no syntax tree, or exceeds a limit.
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
            sign = self.signs.match(bare, place)
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
        repair = self.repairs.get(sign, f"see the grammar of {self.noun}")
        return f"`{sign}` means nothing in {self.noun}: {repair}"

    # -- parts of the tree ---------------------------------------------------------------------------------

    def source(self, node: ast.expr) -> str:
        """A part as written."""
        end = node.end_col_offset or node.col_offset
        return self.text[self._start + node.col_offset : self._start + end]

    def sign_between(self, left: ast.expr, right: ast.expr) -> int:
        """The position of the sign, or word, that joins two parts."""
        place = self._start + (left.end_col_offset or 0)
        while self.text[place] in ") \t\r\n":
            place += 1
        return place

    def unknown(self, node: ast.expr) -> Refused:
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
            Refused: if it is too large.
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

    def refused(self, where: Position, text: str) -> Refused:
        """Report a mistake after which nothing can be read; the error is to be raised."""
        self.say(where, text)
        return Refused()

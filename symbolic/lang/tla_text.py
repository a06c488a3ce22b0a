"""Pieces of TLA+ text that know how tightly they bind (Lamport, Specifying Systems, table 6)."""

from __future__ import annotations

from typing import NamedTuple

OPEN = 0
"""The precedence of what reaches as far right as it can: quantifiers, CHOOSE, IF, LAMBDA."""


class Text(NamedTuple):
    """A text with the range of its outermost operator's precedence, and that operator."""

    text: str
    low: int
    high: int
    sign: str = ""

    def above(self, precedence: int) -> str:
        """The text as an operand of an operator of that precedence: in brackets unless it binds tighter."""
        return self.text if self.low > precedence else f"({self.text})"


def atom(text: str) -> Text:
    """A text that needs no brackets anywhere."""
    return Text(text, 17, 17)


def prefix(sign: str, operand: Text, precedence: int) -> Text:
    """A prefix operator and its operand."""
    return Text(f"{sign}{operand.above(precedence)}", precedence, precedence, sign)


def infix(sign: str, low: int, high: int, first: Text, *rest: Text, associative: bool = False) -> Text:
    """An infix operator and its operands; an associative one takes its like on the left without brackets."""
    same = associative and first.sign == sign
    shown = [first.text if same else first.above(high), *(operand.above(high) for operand in rest)]
    return Text(f" {sign} ".join(shown), low, high, sign)

"""Names, values and numbers as people read them, and pieces of TLA+ text that know how tightly they bind.

The precedences are those of Lamport, Specifying Systems, table 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from leadline.symbolic.lang.model import Pick
    from leadline.symbolic.lang.nodes import Bound, PickVar


def camel(name: str) -> str:
    """A snake_case name in TLA+'s lowerCamelCase."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def spoken(one: Pick | Bound | PickVar) -> str:
    """The name of a pick or a bound variable in TLA+: a module's own, or that of a snake_case name."""
    return one.name if one.span.exact else camel(one.name)


def pascal(name: str) -> str:
    """A snake_case name in TLA+'s UpperCamelCase."""
    return "".join(part.capitalize() for part in name.split("_"))


def kebab(name: str) -> str:
    """A snake_case name as the command line spells it: `weak_isr` is `weak-isr`."""
    return name.replace("_", "-")


def setting_text(value: object) -> str:
    """A parameter's value as the command line and grid files spell it.

    >>> setting_text(True), setting_text(3), setting_text("kip-320")
    ('true', '3', 'kip-320')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, by default with an `s` in the plural.

    >>> counted(1, "step"), counted(3, "step"), counted(0, "query", "queries")
    ('1 step', '3 steps', '0 queries')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def shortened(text: str, most: int) -> str:
    """A text of so many characters at most; where some are left out, it ends in dots."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


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

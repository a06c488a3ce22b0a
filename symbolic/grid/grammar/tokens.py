"""The words and signs of a condition in a text, and where in it something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

LONGEST = 1000
"""How many characters a constraint may have."""

_DIGITS = 18
TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)|(?P<integer>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"""|(?P<text>"[^"\n]*"|'[^'\n]*')|(?P<sign>//|<=|>=|==|!=|[-+*%<>(),])"""
)
REPAIRS = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
    "/": "write // for the quotient rounded down",
    "^": "there are no powers here",
    ".": "only integers are written here, without a point",
    '"': "the text has no closing quote",
    "'": "the text has no closing quote",
}


class Stop(Exception):
    """The text cannot be read any further; what is wrong was said."""


@dataclass(frozen=True)
class Token:
    """A word or sign: its kind (integer, name, text, sign or end) and where it begins, from 0."""

    kind: str
    text: str
    place: int


@dataclass
class Scanner:
    """Goes through the tokens of a text.

    Attributes:
        text: what is read.
        told: called with each mistake, its line and column in front.
        wrong: whether there was one.
        said: all of them.
        tokens: all tokens, the last one of the kind "end".
        at: the number of the next one.
    """

    pattern: ClassVar[re.Pattern[str]] = TOKEN
    repairs: ClassVar[Mapping[str, str]] = REPAIRS
    noun: ClassVar[str] = "a constraint"

    text: str
    told: Callable[[str], None]
    wrong: bool = False
    said: set[str] = field(default_factory=set)
    tokens: list[Token] = field(default_factory=list)
    at: int = 0

    def split(self) -> None:
        """Find the tokens.

        Raises:
            Stop: at what is none.
        """
        if len(self.text) > LONGEST:
            raise self.stop(LONGEST, f"{self.noun} has at most {LONGEST} characters: split it into several")
        place = 0
        while place < len(self.text):
            match = self.pattern.match(self.text, place)
            if match is None:
                sign = self.text[place]
                repair = self.repairs.get(sign, f"see the grammar of {self.noun}")
                raise self.stop(place, f"`{sign}` means nothing in {self.noun}: {repair}")
            if match.lastgroup == "integer" and len(match.group()) > _DIGITS:
                raise self.stop(place, f"an integer has at most {_DIGITS} digits")
            if match.lastgroup not in (None, "space"):
                self.tokens.append(Token(str(match.lastgroup), match.group(), place))
            place = match.end()
        self.tokens.append(Token("end", "", place))

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.at]

    def take(self, *texts: str) -> Token | None:
        """The next token, which is then gone by, if it is one of these words or signs."""
        token = self.next
        if token.kind in ("name", "sign") and token.text in texts:
            self.at += 1
            return token
        return None

    def say(self, place: int, text: str) -> None:
        """Tell of a mistake, once."""
        self.wrong = True
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        mistake = f"line {line}, column {column}: {text}"
        if mistake not in self.said:
            self.said.add(mistake)
            self.told(mistake)

    def stop(self, place: int, text: str) -> Stop:
        """Tell of a mistake after which nothing makes sense; to be raised."""
        self.say(place, text)
        return Stop()

    def expected(self, what: str) -> Stop:
        """Tell that something else should come next; to be raised."""
        found = f"`{self.next.text}`" if self.next.text else "the end"
        return self.stop(self.next.place, f"{what} is expected here, not {found}")

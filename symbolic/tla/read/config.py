"""TLC's configuration files.

Their grammar is that of Lamport, *Specifying Systems* (2002), section 14.7.1, with TLC's later keywords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.files import read_text
from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.text import without_comments

_SYMBOL = r"\\[A-Za-z]+|\+\+|--|\*\*|//|\^\^|%%|##|&&|\|\||\?\?|@@|\$\$|\.\.\.?|:>|<:|<=|>="
_TOKEN = re.compile(rf'\s*("(?:\\.|[^"\\\n])*"|<-|-?\d+(?![\w!])|[\w!]+|{_SYMBOL}|\S|$)')
_WORD = re.compile(r"[\w!]*[A-Za-z][\w!]*")
_LISTS = {
    "INVARIANT": "invariants", "INVARIANTS": "invariants", "PROPERTY": "properties",
    "PROPERTIES": "properties", "CONSTRAINT": "constraints", "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints", "SYMMETRY": "symmetry", "POSTCONDITION": "postconditions",
    "POSTCONDITIONS": "postconditions",
}  # fmt: skip
_SINGLE = {"INIT": "init", "NEXT": "next", "SPECIFICATION": "specification", "VIEW": "view", "ALIAS": "alias"}
_REFUSED = {
    "_PERIODIC": "there is nothing to do from time to time: remove the line",
    "_RL_REWARD": "simulation learns nothing: remove the line",
}
_CONSTANTS = ("CONSTANT", "CONSTANTS")
_ONCE = frozenset({*_SINGLE, "CHECK_DEADLOCK", "SYMMETRY"})
KEYWORDS = frozenset({*_LISTS, *_SINGLE, *_REFUSED, *_CONSTANTS, "CHECK_DEADLOCK"})


@dataclass(frozen=True)
class Assigned:
    """The assignment of a constant.

    Attributes:
        name: the constant or operator.
        value: its value, or the name of the operator that replaces it.
        place: where the assignment stands.
        module: the module in which alone the operator is replaced; None for all.
        arguments: the arguments for which an operator has this value; None if it is no operator's value.
        replaces: whether an operator replaces it (`<-`).
    """

    name: str
    value: s.Expression
    place: s.Place
    module: str | None = None
    arguments: tuple[s.Expression, ...] | None = None
    replaces: bool = False


@dataclass
class Config:
    """The contents of a configuration file, by TLC's keywords. Names have their places."""

    constants: list[Assigned] = field(default_factory=list)
    invariants: list[s.Apply] = field(default_factory=list)
    properties: list[s.Apply] = field(default_factory=list)
    constraints: list[s.Apply] = field(default_factory=list)
    action_constraints: list[s.Apply] = field(default_factory=list)
    symmetry: list[s.Apply] = field(default_factory=list)
    postconditions: list[s.Apply] = field(default_factory=list)
    init: s.Apply | None = None
    next: s.Apply | None = None
    specification: s.Apply | None = None
    view: s.Apply | None = None
    alias: s.Apply | None = None
    check_deadlock: bool = True


_SECTION = re.compile(r"^-{4,}\s*CONFIG\s+\w+\s*-{4,}$(.*?)^={4,}", re.M | re.S)


def read_config(path: Path) -> Config:
    """Read a configuration file, or the section CONFIG of a file of modules.

    Raises:
        ModelError: with its mistakes.
        UserError: if it cannot be read.
    """
    text = read_text(path)
    if found := _SECTION.search(text):
        text = "\n" * text.count("\n", 0, found.start(1)) + found[1]
    return parse_config(text, str(path))


def parse_config(text: str, file: str) -> Config:
    """Read the text of a configuration file.

    Raises:
        ModelError: with its mistakes.
    """
    return _Reader(text, file).run()


_NAMED = "; a formula is defined in the module, and named here"
_EVALUATED = "; an expression such as 1..3 is defined in the module, and named here by `<-`"
_DIGITS, _DEEPEST, _SHOWN = 1_000, 50, 80


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.depth = 0
        self.words = list(words_of(text, file))
        self.at = 0
        self.config = Config()
        self.first: dict[str, s.Place] = {}
        self.mistakes: list[Mistake] = []

    @property
    def word(self) -> str:
        return self.words[self.at][0]

    @property
    def place(self) -> s.Place:
        return self.words[self.at][1]

    def take(self, *expected: str) -> str:
        """The next word, which must be one of these if there are any."""
        word = self.word
        if expected and word not in expected:
            self.fail(" or ".join(f"`{one}`" for one in expected))
        self.at += 1
        return word

    def fail(self, expected: str) -> None:
        """Raise a mistake at the next word."""
        found = f"`{self.word[:_SHOWN]}`" if self.word else "the end of the file"
        raise ModelError([Mistake(self.place, f"{found} does not fit here: expected {expected}")])

    def run(self) -> Config:
        """Read statement by statement; after a mistake, go on with the next statement."""
        while self.word:
            self.depth = 0
            try:
                self.statement()
            except ModelError as error:
                self.mistakes += error.mistakes
                self.at += 1 if self.word else 0
                while self.word and self.word not in KEYWORDS:
                    self.at += 1
        if self.mistakes:
            raise ModelError(self.mistakes)
        return self.config

    def statement(self) -> None:
        """Read a statement."""
        word, place = self.word, self.place
        if word in _REFUSED:
            raise ModelError([Mistake(place, f"{word}: {_REFUSED[word]}")])
        if word not in KEYWORDS:
            self.fail(f"a keyword of TLC's, such as `INVARIANT`{_NAMED}")
        if word in _ONCE and (first := self.first.setdefault(word, place)) is not place:
            raise ModelError(
                [Mistake(place, f"{word} is given twice, first at {first}: expected one of the two")]
            )
        self.at += 1
        if word in _CONSTANTS:
            while self.word and self.word not in KEYWORDS:
                self.config.constants.append(self.constant())
        elif word in _LISTS:
            while self.word and self.word not in KEYWORDS:
                getattr(self.config, _LISTS[word]).append(self.name())
        elif word in _SINGLE:
            setattr(self.config, _SINGLE[word], self.name())
        else:
            self.config.check_deadlock = self.take("TRUE", "FALSE") == "TRUE"

    def name(self) -> s.Apply:
        """A name."""
        place = self.place
        if not _WORD.fullmatch(self.word):
            self.fail(f"a name{_NAMED}")
        return s.Apply(self.take(), place=place)

    def operator(self) -> s.Apply:
        """The name of an operator, or its symbol."""
        if not re.fullmatch(rf"{_SYMBOL}|[-+*/^%#&|?@$<>~]", self.word):
            return self.name()
        place = self.place
        return s.Apply(self.take(), place=place)

    def constant(self) -> Assigned:
        """The assignment of a constant."""
        place = self.place
        name = self.take() if not self.word.isalnum() else self.name().operator
        arguments: tuple[s.Expression, ...] | None = None
        if self.word == "(":
            arguments = self.items("(", ")")
        if self.word not in ("=", "<-"):
            self.fail(f"`=` or `<-`{_EVALUATED}")
        sign, module = self.take(), None
        if self.word == "[":
            self.at += 1
            module = self.name().operator
            self.take("]")
        if sign == "=":
            return Assigned(name, self.value(), place, module, arguments)
        return Assigned(name, self.operator(), place, module, replaces=True)

    def value(self) -> s.Expression:
        """A value: a number, a string, a truth value, a model value or a set of such."""
        word, place = self.word, self.place
        if word == "{":
            self.depth += 1
            if self.depth > _DEEPEST:
                self.fail(f"at most {_DEEPEST} sets within sets")
            made = s.SetOf(self.items("{", "}"), place=place)
            self.depth -= 1
            return made
        if re.fullmatch(r"-?\d+", word):
            if len(word) > _DIGITS:
                self.fail(f"a number of at most {_DIGITS} digits")
            self.at += 1
            return s.Number(int(word), place=place)
        if word.startswith('"'):
            self.at += 1
            return s.String(re.sub(r"\\(.)", r"\1", word[1:-1]), place=place)
        if word in ("TRUE", "FALSE"):
            return s.Apply(self.take(), place=place)
        if word in KEYWORDS or not _WORD.fullmatch(word):
            self.fail(f"a value{_EVALUATED}")
        return s.ModelValue(self.take(), place=place)

    def items(self, opening: str, closing: str) -> tuple[s.Expression, ...]:
        """Values between brackets, with commas."""
        self.take(opening)
        found: list[s.Expression] = []
        while self.word != closing:
            found.append(self.value())
            if self.word != closing:
                self.take(",", closing)
        self.take(closing)
        return tuple(found)


def words_of(text: str, file: str = "") -> Iterator[tuple[str, s.Place]]:
    """The words of a configuration's text with their places; an empty one at the end."""
    text, at = without_comments(text), 0
    while True:
        found = _TOKEN.match(text, at)
        assert found is not None
        start, at = found.start(1), found.end()
        line = text.count("\n", 0, start) + 1
        yield found[1], s.Place(file, line, start - text.rfind("\n", 0, start))
        if not found[1]:
            return

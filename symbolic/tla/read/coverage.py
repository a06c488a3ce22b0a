"""Coverage of a specification: how often conjuncts of its actions are true, and vacuous invariants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from leadline.symbolic.lang import UserError, shortened
from leadline.symbolic.meaning.coverage import Suspect
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.text import module_text, without_comments


@dataclass(frozen=True)
class Conjunct:
    """A conjunct of an action that gives no variable its value.

    Attributes:
        action: the action's name.
        formula: the conjunct.
        counts: how often it was evaluated, and how often it was true.
    """

    action: str
    formula: s.Expression
    counts: list[int]


Vacuous: TypeAlias = Suspect[s.Expression, s.Place]
"""A part of an invariant of a module that may be without effect, by its place."""
_Rebuild = Callable[[s.Expression], s.Expression]


def suspects(specification: Specification) -> list[Vacuous]:
    """The implications and quantifiers that the invariants assert, from the outermost on."""
    found: list[Vacuous] = []
    for name, formula in specification.invariants.items():
        found += _Asserted(specification, name).within(
            formula, lambda e: e, frozenset(), False, False, frozenset()
        )
    return found


@dataclass(frozen=True)
class _Asserted:
    """The asserted parts of an invariant."""

    specification: Specification
    name: str

    def within(
        self,
        e: s.Expression,
        rebuild: _Rebuild,
        around: frozenset[s.Place],
        partly: bool,
        beside: bool,
        seen: frozenset[str],
    ) -> Iterator[Vacuous]:
        """Those in an asserted part, given how the invariant is made of another in its place."""
        definitions = self.specification.definitions
        match e:
            case s.Apply("/\\" | "\\/" as junction, items):
                for place, item in enumerate(items):

                    def put(x: s.Expression, place: int = place) -> s.Expression:
                        return rebuild(replace(e, arguments=(*items[:place], x, *items[place + 1 :])))

                    yield from self.within(item, put, around, True, beside or junction == "\\/", seen)
            case s.Apply("=>", (premise, conclusion)):
                weakened = rebuild(s.Apply("~", (premise,), place=e.place))
                yield Suspect(self.name, premise, False, partly, beside, e.place, around, weakened)

                def follow(x: s.Expression) -> s.Expression:
                    return rebuild(replace(e, arguments=(premise, x)))

                yield from self.within(conclusion, follow, around | {e.place}, partly, beside, seen)
            case s.Quantified("\\A", bounds, body):
                false = s.Apply("FALSE", (), place=e.place)
                for bound in bounds:
                    if (
                        bound.domain is not None
                        and self.specification.levels.of(bound.domain) > Level.CONSTANT
                    ):
                        weakened = rebuild(replace(e, body=false))
                        yield Suspect(
                            self.name, bound.domain, True, partly, beside, e.place, around, weakened
                        )
                        break

                def into(x: s.Expression) -> s.Expression:
                    return rebuild(replace(e, body=x))

                yield from self.within(body, into, around | {e.place}, partly, beside, seen)
            case s.Apply(operator, ()) if operator in definitions and operator not in seen:
                body = definitions[operator].body
                yield from self.within(body, rebuild, around, partly, beside, seen | {operator})


# -- the text of an expression -------------------------------------------------------------------------------

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')
_NAME_BEFORE = re.compile(r"[\w!]+\s*$")
_NAME_BEHIND = re.compile(r"\S+?\s+[\w!]+|[^\w\s]+[\w!]+")
"""An infix operator and a name."""
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_LONGEST = 160


def excerpt(e: s.Expression) -> str:
    """The text of an expression in its module, on one line; its place if the module cannot be read."""
    places = sorted({one.place for one in s.nodes(e) if one.place.file == e.place.file and one.place.line})
    try:
        lines = _lines(e.place.file)
        begin, end = (_offset(lines, place) for place in (places[0], places[-1]))
    except (UserError, IndexError):
        return str(e.place)
    text = "\n".join(lines)
    last = _NAME_BEHIND.match(text, end) if _is_replaced(e, -1) else None
    last = last or _TOKEN.match(text, end)
    end = last.end() if last is not None else end
    first = _NAME_BEFORE.search(text, 0, begin) if _is_replaced(e, 0) else None
    begin = first.start() if first is not None else begin
    found = " ".join(_closed(text, begin, end).split())
    return shortened(found, _LONGEST)


def _is_replaced(e: s.Expression, operand: int) -> bool:
    """Whether an infix expression begins or ends with a name that an instance replaces."""
    inner = e
    while isinstance(inner, s.Apply) and len(inner.arguments) == 2 and not inner.operator.isidentifier():
        inner = inner.arguments[operand]
    return inner.place.file != e.place.file


@cache
def _lines(file: str) -> list[str]:
    return without_comments(module_text(Path(file))).split("\n")


def _offset(lines: list[str], place: s.Place) -> int:
    if place.line > len(lines):
        raise IndexError(place.line)
    return sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1


def _closed(text: str, begin: int, end: int) -> str:
    """The text with the brackets that close what it opens; brackets that it only closes are opened before it."""
    waiting: list[str] = []
    missing = ""
    for piece in _TOKEN.finditer(text, begin, end):
        token = piece.group()
        if token in _PAIRS:
            waiting.append(_PAIRS[token])
        elif token in _PAIRS.values():
            if waiting and waiting[-1] == token:
                waiting.pop()
            else:
                missing = next(one for one, other in _PAIRS.items() if other == token) + missing
    return missing + text[begin:end] + "".join(reversed(waiting))

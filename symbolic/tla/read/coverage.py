"""Coverage of a specification: how often conjuncts of its actions are true, and vacuous invariants."""

from __future__ import annotations

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
from leadline.symbolic.tla.read.text import WIDE, module_text, parsed


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

_LONGEST = 160


def excerpt(e: s.Expression) -> str:
    """The text of an expression in its module, on one line; its place if the module cannot be read."""
    text, (begin, end) = _text(e.place.file), e.place.extent or (0, 0)
    found = text[begin:end].decode(errors="replace").replace(WIDE, "")
    return shortened(" ".join(found.split()), _LONGEST) or str(e.place)


@cache
def _text(file: str) -> bytes:
    try:
        return parsed(module_text(Path(file))).encode()
    except UserError:
        return b""

"""Known facts about a property at some parameters: rows of data beside the property.

    @invariant(Counter, known=[violated(4), violated(at_most(9), workers=at_least(3)), holds(workers=1)])

A row names parameters and the values for which it speaks. A parameter that it does not name has its default.
The first row that speaks of the parameters counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import EllipsisType
from typing import TypeAlias

from leadline.symbolic.lang.errors import Mistake, unknown_name
from leadline.symbolic.lang.parameters import Parameter, Setting
from leadline.symbolic.lang.span import Span


@dataclass(frozen=True)
class Bound:
    """A least or a greatest integer; made by `at_least` and `at_most`."""

    low: int | None = None
    high: int | None = None

    def __contains__(self, value: object) -> bool:
        if type(value) is not int:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def at_least(least: int) -> Bound:
    """In a row of `known`: the integers from this one on."""
    return Bound(low=least)


def at_most(greatest: int) -> Bound:
    """In a row of `known`: the integers up to this one. As a length: a shorter one may exist."""
    return Bound(high=greatest)


Values: TypeAlias = Setting | Bound | range | tuple[Setting, ...] | EllipsisType | None
"""The values of a parameter for which a row speaks: one, several, or `...` for all."""


class Status(StrEnum):
    """The three things that can be known of a property."""

    HOLDS = "holds"
    PROVED = "proved"
    VIOLATED = "violated"


@dataclass(frozen=True)
class Known:
    """One row of what is known.

    Attributes:
        status: `holds` in every reachable state, by a search of all of them; `proved`, by induction; or
            `violated`.
        steps: the length of a shortest counterexample, in steps; None if it is not known.
        exact: whether no counterexample is shorter; if not, one of that length is known.
        where: by parameter, the values for which the row speaks. The other parameters have their defaults.
    """

    status: Status
    steps: int | None
    exact: bool
    where: Mapping[str, Values]

    def speaks_of(self, declared: Mapping[str, Parameter], parameters: Mapping[str, Setting | None]) -> bool:
        """Whether the row speaks of these parameters.

        Args:
            declared: the parameters of the protocol.
            parameters: the value of each.
        """
        return all(
            _fits(self.where.get(name, one.default), parameters.get(name)) for name, one in declared.items()
        )

    def agrees(self, verdict: str, *, steps: int | None = None, depth: int = -1) -> bool | None:
        """Whether an answer agrees with the row; None if the row does not decide it.

        Args:
            verdict: the answer's verdict, as `leadline.symbolic.engines.Verdict` spells it.
            steps: of a violation, the length of its counterexample, which may not be a shortest one.
            depth: of a safe answer, the number of steps within which there is no counterexample.
        """
        if self.status is not Status.VIOLATED:
            return {"safe": True, "proved": True, "violated": False, "out-of-bounds": False}.get(verdict)
        if verdict == "violated":
            return not (self.exact and self.steps is not None and steps is not None and steps < self.steps)
        if verdict == "safe":
            if self.steps is None or (depth < self.steps and not self.exact):
                return None
            return depth < self.steps
        return False if verdict in ("proved", "out-of-bounds") else None

    def text(self) -> str:
        """The row in words, without its parameters: `violated in 12 steps`."""
        if self.steps is None:
            return str(self.status)
        within = "" if self.exact else "at most "
        return f"{self.status} in {within}{self.steps} step{'s' if self.steps != 1 else ''}"

    def where_text(self) -> str:
        """The parameters for which the row speaks, in words; empty for the defaults."""
        return ", ".join(_condition(name, values) for name, values in self.where.items())


def holds(**where: Values) -> Known:
    """A row of `known`: the property holds in every reachable state, as `leadline explore` finds.

    Args:
        where: by parameter, its value, several (a tuple or a range), `at_least(n)`, `at_most(n)`, or `...`
            for all. A parameter that is not named has its default.
    """
    return Known(Status.HOLDS, None, True, where)


def proved(**where: Values) -> Known:
    """A row of `known`: the property is proved by induction, as `leadline prove` does; see `holds`."""
    return Known(Status.PROVED, None, True, where)


def violated(steps: int | Bound | None = None, /, **where: Values) -> Known:
    """A row of `known`: the property is violated.

    Args:
        steps: the length of a shortest counterexample in steps, `at_most(n)` if a shorter one is not
            excluded, or None if no length is known.
        where: see `holds`.
    """
    if isinstance(steps, Bound):
        return Known(Status.VIOLATED, steps.high, False, where)
    return Known(Status.VIOLATED, steps, True, where)


def rows_of(given: object, where: str) -> tuple[tuple[Known, ...], str]:
    """The rows of a property, and the mistake in them; "" without one."""
    listed = given if isinstance(given, (tuple, list)) else (given,)
    rows = tuple(row for row in listed if isinstance(row, Known))
    wrong = next((row for row in listed if not isinstance(row, Known)), None)
    repair = f"{where}: known takes rows, as in known=[holds(), violated(4, nodes=3)], and not {wrong!r}"
    return rows, repair if len(rows) < len(listed) else ""


def known_mistakes(
    rows: Iterable[Known], declared: Mapping[str, Parameter], where: str, span: Span
) -> list[Mistake]:
    """Errors in rows: unknown parameters, and values that parameters cannot have."""
    told: list[str] = []
    for name, values in ((name, values) for row in rows for name, values in row.where.items()):
        if name not in declared:
            what = f"{where}: known names a parameter that there is not:"
            told.append(unknown_name(what, name, list(declared)))
            continue
        several = isinstance(values, (Bound, range, EllipsisType))
        listed = values if isinstance(values, tuple) else () if several else (values,)
        complaints = [text for value in listed if (text := declared[name].complaint(value)) is not None]
        told += [f"{where}: known: {text}" for text in complaints]
    return [Mistake(span, text) for text in told]


def _fits(values: Values, value: Setting | None) -> bool:
    if isinstance(values, EllipsisType):
        return True
    if isinstance(values, (Bound, range, tuple)):
        return value in values
    return value == values


def _condition(name: str, values: Values) -> str:
    match values:
        case EllipsisType():
            return f"any {name}"
        case Bound(low=None, high=high):
            return f"{name} <= {high}"
        case Bound(low=low):
            return f"{name} >= {low}"
        case range():
            return f"{name} = {values.start}..{values.stop - 1}"
        case tuple():
            return f"{name} = {' or '.join(map(_spelled, values))}"
    return f"{name} = {_spelled(values)}"


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "derived" if value is None else str(value)

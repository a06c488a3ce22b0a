"""Exceptions: a user's mistakes apart from Leadline's own faults."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from leadline.symbolic.lang.span import Span, caller_place, excerpt


class LeadlineError(Exception):
    """Root of every error that Leadline raises on purpose."""


class UserError(LeadlineError, ValueError):
    """The user's input is at fault; the text says how to mend it. Shown without a traceback."""


class InternalError(LeadlineError, RuntimeError):
    """Leadline itself is at fault: a counterexample does not replay, say."""


class OutOfBounds(LeadlineError, ArithmeticError):
    """An evaluation left its bounds: see "Meaning" in `leadline.symbolic.lang`.

    Attributes:
        place: the assignment, guard or property that was being evaluated; None if it is not known.
    """

    def __init__(self, text: str = "", place: Span | None = None) -> None:
        super().__init__(text)
        self.place = place


class Endless(LeadlineError):
    """The values of a variable of a specification grow, it seems, without end: no finite type holds them."""


class AssumptionFailed(UserError):
    """An assumption that the protocol makes of its parameters is false."""


class ParameterError(UserError):
    """Parameters that are unknown, of the wrong kind or out of range: all of them, a line each."""


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake in a model: where it stands, what it is and how to mend it."""

    span: Span
    text: str

    def __str__(self) -> str:
        return f"{self.span}: {self.text}"


_SHOWN = 100
"""The most mistakes that a message tells."""

_ALIKE = 4
"""The most other places of a mistake that it tells."""

_WITH_SOURCE = 20
"""The most mistakes that it tells with the line of source."""


class ModelError(UserError):
    """Every mistake found in a model, in the order of the lines.

    Attributes:
        mistakes: the mistakes, each with its place and its repair.
    """

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        count = len(self.mistakes)
        self._head = f"the model has {count} mistake{'s' if count != 1 else ''}:"
        super().__init__(self._head)

    def __str__(self) -> str:
        lines, alike = [self._head], dict[tuple[str, str], list[Mistake]]()
        for mistake in self.mistakes:
            alike.setdefault((mistake.span.file, mistake.text), []).append(mistake)
        shown = list(alike.values())[:_SHOWN]
        for number, (mistake, *others) in enumerate(shown):
            places = [str(one.span).removeprefix(f"{one.span.file}:") for one in others[:_ALIKE]]
            places += [f"and {len(others) - _ALIKE} more"] if len(others) > _ALIKE else []
            lines.append(f"  {mistake}{'; also at ' if others else ''}{', '.join(places)}")
            if number < _WITH_SOURCE:
                lines += [f"      {line}" for line in excerpt(mistake.span)]
        count = len(self.mistakes) - sum(map(len, shown))
        return "\n".join([*lines, *([f"  ... and {count} more"] if count else [])])

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Mistake, ...]]]:
        return type(self), (self.mistakes,)


def refuse(text: str) -> NoReturn:
    """Stop the author's function, or file, at a use of Python that no later step could mend."""
    raise ModelError([Mistake(caller_place(), text)])


class NoInitialState(ModelError):
    """No state satisfies the initial condition."""


ALONE = "no symbolic form, so that only exploration on values answers: "
"""The beginning of a reason why formulas alone give no answer; the part without a symbolic form follows."""


class NoSymbolicForm(UserError):
    """A part of a specification that no formula stands for. It is no mistake: explicit search needs none.

    Attributes:
        why: the parts, each with its place and the reason.
    """

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.why = "; ".join(f"{one}" for one in mistakes)
        super().__init__(f"{ALONE}{self.why}")


class NoBehaviour(UserError):
    """A specification that has nothing but assumptions, all of which are true.

    Attributes:
        name: its name.
        assumptions: the number of the assumptions.
    """

    def __init__(self, file: str, name: str, assumptions: int) -> None:
        super().__init__(f"{file}: {name} has no behaviour: `leadline explore` evaluates its assumptions")
        self.name = name
        self.assumptions = assumptions


def nearest(name: str, known: list[str]) -> list[str]:
    """The known name that an unknown one is likely to stand for, alone; none if there is no such name."""
    return difflib.get_close_matches(name, known, n=1)


def unknown_name(what: str, name: str, known: list[str]) -> str:
    """`what` and the name, with the nearest known name or all of them."""
    near = nearest(name, known)
    repair = f"did you mean `{near[0]}`?" if near else f"it has {', '.join(known) or 'none'}"
    return f"{what} `{name}`: {repair}"


DEADLOCK = "deadlock"
"""The name under which checks report that no action is enabled: no property may have it."""


def unknown_property(what: str, name: str, known: list[str]) -> str:
    """The message about an unknown property; that about `deadlock`, which is none, tells the option to write."""
    if name == DEADLOCK:
        return f"{what} `{name}`: write --deadlock, in Python deadlock=True, to ask for it"
    return unknown_name(what, name, known)

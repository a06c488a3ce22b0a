"""What can go wrong, as one family of exceptions: a user's mistake is apart from a fault of ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leadline.symbolic.lang.span import Span


class LeadlineError(Exception):
    """Root of every error that Leadline raises on purpose."""


class UserError(LeadlineError, ValueError):
    """The user's input is at fault; the text says how to mend it. Shown without a traceback."""


class InternalError(LeadlineError, RuntimeError):
    """Leadline itself is at fault (say, a counterexample that does not replay). Told loudly."""


class OutOfBounds(LeadlineError, ArithmeticError):
    """An evaluation left its bounds: see "Meaning" in `leadline.symbolic.lang`."""


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


class ModelError(UserError):
    """Every mistake found in a model, in the order of the lines.

    Attributes:
        mistakes: the mistakes, each with its place and its repair.
    """

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        count = len(self.mistakes)
        head = f"the model has {count} mistake{'s' if count != 1 else ''}:"
        super().__init__("\n".join([head, *(f"  {mistake}" for mistake in self.mistakes)]))

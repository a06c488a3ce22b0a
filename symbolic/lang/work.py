"""The work of making a model, of which a process can tell while it is done.

A function that may take long is marked with `site`, which says from its local names what it is at work on.
That costs nothing while it runs: a process that wants to know looks at its call stack now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, TypeVar

from leadline.symbolic.lang.span import Span


@dataclass(frozen=True)
class Work:
    """A function that is at work, as far as it knows what on.

    Attributes:
        doing: the work, such as "encoding".
        place: the expression; None if the function knows none.
        named: gives the name of the operator around a place, or "".
        made: what is made so far, such as "1,203 gates".
        times: how many times as often as the function around this one the work is done: a quantifier has a body
            for each value of its variable.
        advice: how it would become less; called at the end.
    """

    doing: str = ""
    place: Span | None = None
    named: Callable[[Span], str] | None = None
    made: str = ""
    times: int = 1
    advice: Callable[[], str] | None = None


_SITES: dict[CodeType, Callable[[Mapping[str, Any]], Work]] = {}
F = TypeVar("F", bound=Callable[..., Any])


def site(work: Callable[[Mapping[str, Any]], Work]) -> Callable[[F], F]:
    """Mark a function that may take long.

    Args:
        work: gives what it is at work on, from its local names.
    """

    def marked(function: F) -> F:
        _SITES[function.__code__] = work
        return function

    return marked


def at_work(frame: FrameType | None) -> Iterator[Work]:
    """The work of the functions on a call stack, the innermost first."""
    while frame is not None:
        work = _SITES.get(frame.f_code)
        if work is not None:
            yield work(frame.f_locals)
        frame = frame.f_back

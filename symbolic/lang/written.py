"""What the decorators of a module have marked, so that nothing that is marked can be lost unnoticed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from leadline.symbolic.lang.span import Span

if TYPE_CHECKING:
    from leadline.symbolic.lang.actions import ActionMark
    from leadline.symbolic.lang.properties import Claim

_KEY = "__leadline_written__"


@dataclass
class Written:
    """What one run of a module has marked.

    Attributes:
        run: the module's specification, which is another one when the module is run again.
        claims: its properties, in the order written.
        actions: its actions that no protocol's class has taken in yet.
    """

    run: object
    claims: list[Claim] = field(default_factory=list)
    actions: list[ActionMark] = field(default_factory=list)


def written_in(namespace: dict[str, Any]) -> Written:
    """What is marked in a module, kept among its names: it goes when the module goes."""
    run = namespace.get("__spec__")
    kept = namespace.get(_KEY)
    if not isinstance(kept, Written) or kept.run is not run:
        kept = namespace[_KEY] = Written(run)
    return kept


def namespace_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of the module that a function is written in."""
    names: dict[str, Any] = inspect.unwrap(function).__globals__
    return names


def start_of(function: Callable[..., Any]) -> Span:
    """The line on which a function begins, its decorators included."""
    code = inspect.unwrap(function).__code__
    return Span(code.co_filename, code.co_firstlineno)


def hidden_by_decorator(span: Span, other: object) -> bool:
    """Whether a name means, in place of what is marked at the span, what a decorator above has made of it."""
    place = start_if_any(other)
    return place is not None and (place.file != span.file or place.line <= span.line)


def start_if_any(thing: object) -> Span | None:
    """Where a function, or what is made of one, begins; None for anything else."""
    span = getattr(thing, "span", None)
    if isinstance(span, Span):
        return span
    code = getattr(inspect.unwrap(thing), "__code__", None) if callable(thing) else None
    return Span(code.co_filename, code.co_firstlineno) if code is not None else None

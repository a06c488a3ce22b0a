"""Places in the user's files."""

from __future__ import annotations

import inspect
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_FILE = Path(__file__)
_OWN_FOLDERS = (f"{_FILE.parent}{os.sep}", f"{_FILE.resolve().parent}{os.sep}")


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A line of a source file, as `file:line`."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


NOWHERE = Span("<built in>", 0)


def _caller() -> FrameType | None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _is_own(frame.f_code):
        frame = frame.f_back
    return frame


def _is_own(code: CodeType) -> bool:
    # The methods that a dataclass generates, such as the constructor of a type, have no file.
    made = code.co_filename == "<string>" and code.co_name == "__init__"
    # A class is made by way of abc.
    return made or code.co_filename == "<frozen abc>" or code.co_filename.startswith(_OWN_FOLDERS)


_placed: ContextVar[Span | None] = ContextVar("_placed", default=None)


@contextmanager
def placed(span: Span) -> Iterator[None]:
    """Nodes that are made in the block are of this place: a reader of files makes them, not their author."""
    before = _placed.set(span)
    try:
        yield
    finally:
        _placed.reset(before)


def caller_span() -> Span:
    """The nearest line on the call stack that is outside the language itself, or the place of `placed`."""
    if (given := _placed.get()) is not None:
        return given
    frame = _caller()
    return Span(frame.f_code.co_filename, frame.f_lineno) if frame is not None else NOWHERE


def caller_lines() -> tuple[Span, int]:
    """The nearest line outside the language, and the last line of the statement or call there."""
    frame = _caller()
    if frame is None:
        return NOWHERE, 0
    span = Span(frame.f_code.co_filename, frame.f_lineno)
    _, last, _, _ = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return span, max(span.line, last or 0)


def lines_of(function: Callable[..., Any]) -> tuple[str, range]:
    """The file of a function and its lines there, its decorators and the functions inside it included."""
    code = inspect.unwrap(function).__code__
    waiting, last = [code], code.co_firstlineno
    while waiting:
        one = waiting.pop()
        last = max(last, *(line or 0 for _, _, line in one.co_lines()))
        waiting += [x for x in one.co_consts if isinstance(x, CodeType)]
    return code.co_filename, range(code.co_firstlineno, last + 1)


def caller_names() -> dict[str, Any]:
    """The names of the module that this nearest line is in."""
    frame = _caller()
    return frame.f_globals if frame is not None else {}


def start_of(function: Callable[..., Any]) -> Span:
    """The line on which a function begins, its decorators included."""
    code = inspect.unwrap(function).__code__
    return Span(code.co_filename, code.co_firstlineno)


def hidden_by_decorator(span: Span, other: object) -> bool:
    """Whether a decorator above has replaced the function that is marked at the span."""
    place = start_if_any(other)
    return place is not None and (place.file != span.file or place.line <= span.line)


def start_if_any(thing: object) -> Span | None:
    """The place at which a function begins, or a thing made of one; None for anything else."""
    span = getattr(thing, "span", None)
    if isinstance(span, Span):
        return span
    code = getattr(inspect.unwrap(thing), "__code__", None) if callable(thing) else None
    return Span(code.co_filename, code.co_firstlineno) if code is not None else None

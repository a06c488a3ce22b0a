"""Places in the user's files."""

from __future__ import annotations

import inspect
import itertools
import linecache
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ClassVar

_FILE = Path(__file__)
_OWN_FOLDERS = (f"{_FILE.parent}{os.sep}", f"{_FILE.resolve().parent}{os.sep}")


_LARGEST = 1 << 22  # bytes of a file of which lines are shown
_WIDEST = 100  # characters of a line that are shown


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A line of a source file, as `file:line`.

    Attributes:
        columns: the bytes of the line that are meant, from 0 to before the second; None for all of it.
    """

    exact: ClassVar[bool] = False
    """Whether it is the place of one expression, not of all on a line."""

    file: str
    line: int
    columns: tuple[int, int] | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def short(self) -> str:
        """The place without the folder; that of a package's own file tells the package."""
        path = Path(self.file)
        name = f"{path.parent.name}/{path.name}" if path.stem == "__init__" else path.name
        return f"{name}:{self.line}"

    def marked(self, text: str) -> tuple[int, int]:
        """The characters of the line that are meant, from 0 to before the second."""
        if self.columns is None:
            return len(text) - len(text.lstrip()), len(text)
        whole = text.encode()
        first, last = (len(whole[:place].decode(errors="ignore")) for place in self.columns)
        return first, last


def excerpt(span: Span) -> list[str]:
    """The line of a place, and carets below the part that is meant; nothing if it cannot be read."""
    try:
        about = Path(span.file).stat()
    except (OSError, ValueError):
        about = None  # The cell of a notebook, say, which Python knows all the same.
    if about is not None and not (stat.S_ISREG(about.st_mode) and about.st_size <= _LARGEST):
        return []
    linecache.checkcache(span.file)
    text = linecache.getline(span.file, span.line).rstrip()
    if not text.strip():
        return []
    first, last = span.marked(text)
    first = min(first, len(text) - 1)
    # Of a long line the part around the first caret; of a short one all but what indents it.
    start = first - _WIDEST // 2 if first > _WIDEST - 20 else min(first, len(text) - len(text.lstrip()))
    shown = "".join(x if x.isprintable() else " " for x in text[start : start + _WIDEST])
    return [shown, " " * (first - start) + "^" * max(1, min(last, start + _WIDEST, len(text)) - first)]


NOWHERE = Span("<built in>", 0)


def _caller() -> FrameType:
    frame = sys._getframe(2)
    while _is_own(frame.f_code):
        assert frame.f_back is not None, "the language does not start itself"
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
    """Give the nodes made in the block this place: a reader of files makes them, not their author."""
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
    return Span(frame.f_code.co_filename, frame.f_lineno)


def caller_place() -> Span:
    """As `caller_span`, with the columns of the expression that is evaluated: for mistakes, since it is slower."""
    if (given := _placed.get()) is not None:
        return given
    frame = _caller()
    line, last, first, end = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    known = line == frame.f_lineno and first is not None and end is not None
    # Of an expression over several lines, the rest of its first one.
    columns = (first or 0, end or 0 if last == line else sys.maxsize) if known else None
    return Span(frame.f_code.co_filename, frame.f_lineno, columns=columns)


def caller_lines() -> tuple[Span, int]:
    """The nearest line outside the language, and the last line of the statement or call there."""
    frame = _caller()
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
    return _caller().f_globals


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
    return start_of(thing) if callable(thing) and hasattr(inspect.unwrap(thing), "__code__") else None

"""Where in the user's files something was written."""

from __future__ import annotations

import os
import sys
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
    # What a dataclass writes itself, such as the constructor of a type, has no file.
    made = code.co_filename == "<string>" and code.co_name == "__init__"
    return made or code.co_filename.startswith(_OWN_FOLDERS)


def caller_span() -> Span:
    """The nearest line on the call stack that is outside the language itself."""
    frame = _caller()
    return Span(frame.f_code.co_filename, frame.f_lineno) if frame is not None else NOWHERE


def caller_names() -> dict[str, Any]:
    """The names of the module that this nearest line is in."""
    frame = _caller()
    return frame.f_globals if frame is not None else {}

"""Where in the user's files something was written."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

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


def caller_span() -> Span:
    """The nearest line on the call stack that is outside the language itself."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_OWN_FOLDERS):
            return Span(file, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return NOWHERE

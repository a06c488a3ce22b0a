"""Standard output and standard error, exit codes, and colours: all that the help needs."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from enum import IntEnum
from typing import TextIO

from leadline.erasing import to_standard_error
from leadline.redaction import redacted


class Exit(IntEnum):
    """Exit codes: those of TLC, which scripts know, and a few that TLC does not have."""

    HOLDS = 0
    WRONG_COMMAND = 2
    ASSUMPTION = 10
    DEADLOCK = 11
    VIOLATED = 12
    LIVENESS = 13
    UNKNOWN = 20
    OUT_OF_BOUNDS = 21
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143
    MODEL_MISTAKES = 150
    INTERNAL = 255


class NoOutput(Exception):
    """Standard output cannot be written, as on a full disk."""


def put(text: str, *, coloured: bool = False) -> None:
    """Write to standard output and flush it.

    Args:
        text: the text; control characters in it are escaped.
        coloured: whether it is made here, with control characters for its colours.

    Raises:
        BrokenPipeError: if its reader has closed it.
        NoOutput: if it cannot be written.
    """
    try:
        sys.stdout.write(text if coloured else _STEERING.sub(lambda found: printable(found[0]), text))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_output()
        raise NoOutput(f"standard output: {error.strerror}") from error


def forget_output() -> None:
    """Discard unwritten output, of which the interpreter would complain at its end."""
    try:
        descriptor = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


COLOURS = ("auto", "always", "never")
_colour = [COLOURS[0]]


def set_colour(when: str) -> None:
    """Choose when answers are in colour: one of `COLOURS`."""
    _colour[0] = when


def in_colour() -> bool:
    """Whether answers are in colour: on a terminal, unless the user or NO_COLOR says otherwise."""
    if _colour[0] != "auto":
        return _colour[0] == "always"
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def width() -> int | None:
    """The characters of a line of the terminal, or what COLUMNS says of it; None if output is no terminal."""
    return max(shutil.get_terminal_size().columns, _NARROWEST) if is_terminal(sys.stdout) else None


_NARROWEST = 40


def is_terminal(stream: TextIO) -> bool:
    """Whether the stream is a terminal."""
    return stream.isatty()


def tell(text: str) -> None:
    """Write a message to standard error, after all output so far.

    Control characters are escaped, and URIs lose their passwords and keys.
    """
    sys.stdout.flush()
    lines = "\n".join(map(printable, redacted(f"leadline: {text}").split("\n")))
    to_standard_error(lines)


def printable(text: str) -> str:
    """A text with unprintable characters as escapes, so that it cannot control a terminal.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)

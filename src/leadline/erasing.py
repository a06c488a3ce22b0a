"""Erasing the line of a terminal that shows progress, so that a message can take its place."""

import os
import sys

ERASE = "\r\x1b[2K"
"""Erases the line of a terminal that the cursor is on."""


def can_erase() -> bool:
    """Whether standard error is a terminal that can erase a line."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def over_progress(text: str) -> str:
    """A message for standard error, with what erases the line before it on a terminal."""
    return f"{ERASE}{text}" if can_erase() else text


def to_standard_error(text: str) -> None:
    """Write a message to standard error, in place of a line that shows progress."""
    print(over_progress(text), file=sys.stderr)

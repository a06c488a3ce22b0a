"""Progress of long work: on standard error, in a notebook, or told to a function."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from html import escape
from importlib import import_module
from typing import Any, TypeAlias

from leadline.erasing import ERASE, can_erase
from leadline.symbolic.engines import Progress

Follow: TypeAlias = Callable[[Progress], object] | bool | None
"""Follows a search: a function that is told of its progress; True or None for a line that shows it, where
there is a place for one; False for silence."""


@contextmanager
def following(
    progress: Follow, what: str
) -> Iterator[tuple[Callable[[Progress], object], Callable[[str], None]]]:
    """Show progress as the caller of the library wishes.

    Args:
        progress: the wish.
        what: the beginning of the line.

    Yields:
        A function that takes the progress, and one that takes it as text.
    """
    if callable(progress):
        yield progress, lambda _: None
    elif progress is False:
        yield lambda _: None, lambda _: None
    else:
        with live(what) as show:
            yield lambda _: None, show


@contextmanager
def live(what: str) -> Iterator[Callable[[str], None]]:
    """A line on a terminal that is rewritten while the work runs and removed when it ends.

    Args:
        what: the beginning of the line.

    Yields:
        A function that takes the rest of the line. It does nothing without a terminal or a notebook.
    """
    if in_notebook():
        with _cell(what) as show_in_cell:
            yield lambda text: show_in_cell(text, None)
        return
    if not can_erase():
        yield lambda _: None
        return
    start, said = time.monotonic(), ""

    def show(text: str) -> None:
        nonlocal said
        said = text

    with _line(lambda: f"{what}: {said}, {time.monotonic() - start:.0f} s" if said else what):
        yield show


_BLINK = 0.1  # seconds between two looks of a line that is rewritten


@contextmanager
def _line(text: Callable[[], str]) -> Iterator[None]:
    """A line of the terminal that is written anew in place, cut to its width, and erased at the end.

    The cursor waits at its beginning: a message erases the line and takes its place (`over_progress`).
    """
    ended = threading.Event()

    def write(line: str) -> None:
        with suppress(OSError, ValueError):  # A terminal that is gone is told of elsewhere.
            sys.stderr.write(line)
            sys.stderr.flush()

    def draw() -> None:
        before = ""
        while True:
            width = shutil.get_terminal_size().columns - 1
            shown = "".join(x for x in text() if x.isprintable())[:width]
            if shown != before:
                write(f"{ERASE}{shown}\r")
            before = shown
            if ended.wait(_BLINK):
                return

    drawing = threading.Thread(target=draw, daemon=True)
    drawing.start()
    try:
        yield
    finally:
        ended.set()
        drawing.join()
        write(ERASE)


_SELDOM = 10.0  # seconds between two plain lines
_SOON = 3.0  # seconds to the first one: nobody waits longer without a word


@contextmanager
def steady(what: str) -> Iterator[Callable[[str, float], None]]:
    """Progress of work that may take hours: a bar on a terminal or in a notebook, else a line now and then.

    Args:
        what: the beginning of the line.

    Yields:
        A function that takes the rest of the line and the share of the work that is done, 0 to 1.
    """
    if in_notebook():
        with _cell(what) as show_in_cell:
            yield show_in_cell
        return
    if not can_erase():
        yield _plain(what)
        return
    said = what

    def show(text: str, share: float) -> None:
        nonlocal said
        done = round(_CELLS * min(max(share, 0.0), 1.0))
        said = f"{what} [{'#' * done}{'.' * (_CELLS - done)}] {text}"

    with _line(lambda: said):
        yield show


_CELLS = 20  # characters of a bar


def _plain(what: str) -> Callable[[str, float], None]:
    """A function that prints a new line now and then. Short work prints nothing."""
    last, said = time.monotonic() - _SELDOM + _SOON, ""

    def show(text: str, _: float) -> None:
        nonlocal last, said
        if text != said and time.monotonic() - last >= _SELDOM:
            last, said = time.monotonic(), text
            print(f"leadline: {what}: {text}", file=sys.stderr, flush=True)

    return show


def in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


@contextmanager
def _cell(what: str) -> Iterator[Callable[[str, float | None], None]]:
    """A line in the output of a notebook's cell, with a bar if the share of the work is known."""
    cell: Any = import_module("IPython.display")

    handle: Any = cell.display(cell.HTML(""), display_id=True)
    start = last = time.monotonic()

    def show(text: str, share: float | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _BLINK:
            return
        last = now
        bar = "" if share is None else f'<progress value="{share:.3f}"></progress> '
        handle.update(cell.HTML(f"{bar}{escape(f'{what}: {text}, {now - start:.0f} s')}"))

    try:
        yield show
    finally:
        handle.update(cell.HTML(""))

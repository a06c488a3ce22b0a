"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from leadline.symbolic.cli.output import is_terminal


@contextmanager
def live(what: str) -> Iterator[Callable[[str], None]]:
    """A line on a terminal that is rewritten while the work runs and removed when it ends.

    Args:
        what: the beginning of the line.

    Yields:
        A function that takes the rest of the line. It does nothing if standard error is no terminal.
    """
    if not is_terminal(sys.stderr):
        yield lambda _: None
        return
    start = time.monotonic()
    console = Console(stderr=True, highlight=False)
    with console.status(what, spinner="line") as status:
        yield lambda text: status.update(f"{what}: {text}, {time.monotonic() - start:.0f} s")


_SELDOM = 10.0  # seconds between two plain lines


@contextmanager
def steady(what: str) -> Iterator[Callable[[str, float], None]]:
    """Progress of work that may take hours: a bar on a terminal, elsewhere a plain line now and then.

    Args:
        what: the beginning of the line.

    Yields:
        A function that takes the rest of the line and the share of the work that is done, 0 to 1.
    """
    if not is_terminal(sys.stderr):
        yield _plain(what)
        return
    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[text]}")
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0, text="")
        yield lambda text, share: bar.update(task, completed=share, text=text)


def _plain(what: str) -> Callable[[str, float], None]:
    """A function that prints new lines, but seldom; work that is done soon prints none."""
    last, said = time.monotonic(), ""

    def show(text: str, _: float) -> None:
        nonlocal last, said
        if text != said and time.monotonic() - last >= _SELDOM:
            last, said = time.monotonic(), text
            print(f"leadline: {what}: {text}", file=sys.stderr, flush=True)

    return show

"""Progress of long work, on standard error and only where a person reads it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from leadline.symbolic.cli.output import is_terminal


@contextmanager
def live(what: str) -> Iterator[Callable[[str], None]]:
    """A line that is rewritten in place while the work runs, and is gone once it ends.

    Args:
        what: the work, as the line begins.

    Yields:
        A function that takes the rest of the line; it does nothing where no person reads it.
    """
    if not is_terminal(sys.stderr):
        yield lambda _: None
        return
    start = time.monotonic()
    console = Console(stderr=True, highlight=False)
    with console.status(what, spinner="line") as status:
        yield lambda text: status.update(f"{what}: {text}, {time.monotonic() - start:.0f} s")

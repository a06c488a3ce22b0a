"""Python's cyclic garbage collector during an exploration, which otherwise visits all states again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the collector rest."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def collect_new() -> None:
    """Collect the garbage made since the last call. Each object is visited once."""
    gc.collect(1)

"""How a command ends before its work does: by SIGTERM as by Ctrl-C, with the answers so far and no litter."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_MOMENT = 0.05
"""Seconds after which an interrupt that was dropped comes again."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has come: whatever ends well on Ctrl-C ends well on this."""


@contextmanager
def orderly() -> Iterator[list[int]]:
    """Raise `Terminated` on SIGTERM, unless it is ignored or handled otherwise; lose no interrupt.

    Yields:
        The signals that have come.
    """
    came: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        came.append(number)
        raise Terminated

    usual = sys.unraisablehook

    def again(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            usual(lost)
            return
        # Python drops what the callback of a weak reference or a finalizer raises, and what is raised here.
        number = signal.SIGTERM if issubclass(lost.exc_type, Terminated) else signal.SIGINT
        later = threading.Timer(_MOMENT, signal.pthread_kill, [threading.main_thread().ident, number])
        later.daemon = True
        later.start()

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, end)
    sys.unraisablehook = again
    try:
        yield came
    finally:
        sys.unraisablehook = usual
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

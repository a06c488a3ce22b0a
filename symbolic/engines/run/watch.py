"""A watch on the making of a model: which operator takes the time, for those who cannot wait for the end."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from leadline.symbolic.engines.ask.query import Listener, in_digits
from leadline.symbolic.engines.ask.result import Progress
from leadline.symbolic.lang import Span, Work, at_work

_EVERY = 0.1
"""Seconds of the processor between two looks at the call stack."""
_TELLING = 1.0
"""The least seconds between two tellings."""
_LONG = 1.0
"""The seconds at work from which on it is told."""
_MANY = 1_000
"""The number of instances of a quantified expression from which on it is told."""


class Lookout:
    """The work of a process, as its call stack tells now and then.

    Args:
        tell: is called with it in words, about every second.
    """

    def __init__(self, tell: Callable[[str], None] = lambda _: None) -> None:
        self._tell = tell
        self._told = time.monotonic()
        self._last = time.process_time()
        self._all = 0.0
        self._seconds: dict[tuple[str, str], float] = {}
        self._most: dict[tuple[str, str], tuple[int, Span]] = {}
        self._made = ""
        self._advice: Callable[[], str] | None = None

    def look(self, _: int, frame: FrameType | None) -> None:
        """Look at the call stack: the handler of a signal."""
        # A signal waits while the interpreter is within a call, so that looks are not evenly spread.
        now = time.process_time()
        passed, self._last = now - self._last, now
        self._all += passed
        works = list(at_work(frame))
        place = next((one.place for one in works if one.place is not None), None)
        if place is not None:
            self._note(works, place, passed)
        making = sum(self._seconds.values())
        if making >= _LONG and time.monotonic() - self._told > _TELLING:
            self._told = time.monotonic()
            self._tell(self.text or f"a model made in {making:.1f} s of the processor")

    def _note(self, works: Sequence[Work], place: Span, passed: float) -> None:
        """Count the seconds of a work."""
        doing = next((one.doing for one in works if one.doing), "")
        name = next(filter(None, (one.named(place) for one in works if one.named is not None)), "")
        self._seconds[doing, name] = self._seconds.get((doing, name), 0.0) + passed
        here = math.prod(one.times for one in works), place
        self._most[doing, name] = max(here, self._most.get((doing, name), here), key=lambda one: one[0])
        self._made = next((one.made for one in works if one.made), self._made)
        self._advice = next((one.advice for one in works if one.advice is not None), self._advice)

    @property
    def text(self) -> str:
        """The work that took most of the time; "" if none was seen, or it took under half of the time in all."""
        whole = sum(self._seconds.values())
        # A search for a proof whose model was soon made lasts for another reason.
        if not self._seconds or whole < self._all / 2:
            return ""
        most = max(self._seconds, key=self._seconds.__getitem__)
        times, place = self._most[most]
        share = f"{self._seconds[most]:.1f} of {whole:.1f} s of the processor"
        made = f", {self._made} so far" if self._made else ""
        often = f"; it has up to {in_digits(times)} instances" if times >= _MANY else ""
        advice = f"; {self._advice()}" if self._advice is not None else ""
        return f"{' '.join(filter(None, most))} ({place}) took {share}{made}{often}{advice}"

    def ends(self) -> None:
        """Look no more."""
        signal.setitimer(signal.ITIMER_PROF, 0)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look at the stack of the block. In the main thread only, and unless somebody else has the timer."""
        main = threading.current_thread() is threading.main_thread()
        if not main or signal.getitimer(signal.ITIMER_PROF) != (0.0, 0.0):
            yield
            return
        self._last = time.process_time()
        before = signal.signal(signal.SIGPROF, self.look)
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
        try:
            yield
        finally:
            self.ends()
            signal.signal(signal.SIGPROF, before)


@contextmanager
def watched(listener: Listener) -> Iterator[Listener]:
    """A listener that is told what the block is at work on until the block tells it progress of its own."""
    begin = time.monotonic()
    watch = Lookout(lambda text: listener.progress(Progress(-1, time.monotonic() - begin, text=text)))

    def progress(now: Progress) -> None:
        watch.ends()
        listener.progress(now)

    with watch.looking():
        yield replace(listener, progress=progress)

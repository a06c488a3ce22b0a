"""TrueTime: a clock that says between which two times the true one lies.

Source: the module TrueTime of s12f/tlads, after Spanner: Google's Globally-Distributed Database (J. C.
Corbett et al., OSDI 2012), section 3. No protocol by itself: those that tell the time by it build on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leadline.symbolic.lang import BoolExpr, Int, IntExpr, Next, Protocol, State, action, parameter, pick


class TrueTime(Protocol):
    """A clock, the same for all: the true time, and how far the clock's interval lies behind it.

    Time passes by itself (`tt_si`, self-increments) at most `tt_max_si` times.
    """

    tt_init_abs: int = parameter(1, at_least=0, doc="true time at the start")
    tt_max_si: int = parameter(4, at_least=0, doc="how often time passes by itself")
    tt_interval: int = parameter(1, at_least=0, doc="length of the clock's interval")

    def assume(self) -> Iterable[tuple[bool, str]]:
        """As in the module, so that no time is negative."""
        yield self.tt_init_abs >= self.tt_interval, "tt_init_abs is at least tt_interval"

    def define_clock(self, state: Any, last: int) -> None:
        """Declare the clock's variables.

        Args:
            state: the declarations.
            last: the latest true time that can be reached.
        """
        self.Drift = Int(0, self.tt_interval)
        state.tt_abs = Int(self.tt_init_abs, last)
        state.tt_drift = self.Drift
        state.tt_si = Int(0, self.tt_max_si)

    def init_clock(self, start: Any) -> None:
        """The clock at the start, its interval from the true time on."""
        start.tt_abs = self.tt_init_abs
        start.tt_drift = 0
        start.tt_si = 0

    @action(tla="TTSiNext")
    def tt_si_next(self, now: State, nxt: Next) -> None:
        """Time passes by itself."""
        nxt.require(now.tt_si < self.tt_max_si)
        nxt.tt_si = now.tt_si + 1
        nxt.tt_abs = now.tt_abs + 1

    @action(tla="TTDrift")
    def tt_drift(self, now: State, nxt: Next, drift: IntExpr = pick("Drift")) -> None:
        """The clock drifts, forward or back; or it does not."""
        nxt.tt_drift = drift

    def earliest(self, now: State) -> IntExpr:
        """The earliest time that it may be now."""
        time: IntExpr = now.tt_abs - now.tt_drift
        return time

    def latest(self, now: State) -> IntExpr:
        """The latest time that it may be now."""
        time: IntExpr = self.earliest(now) + self.tt_interval
        return time

    def has_passed(self, now: State, time: Any) -> BoolExpr:
        """Whether a time has passed for certain: TT.after of the paper."""
        return BoolExpr((time < self.earliest(now)).node)

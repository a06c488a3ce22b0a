"""TrueTime: a clock that gives an interval in which the true time lies.

Source: the module TrueTime of s12f/tlads, after Spanner: Google's Globally-Distributed Database (J. C.
Corbett et al., OSDI 2012), section 3. Not a protocol: the base of those that use the clock.
"""

from leadline.symbolic.lang import Int, Protocol, action, parameter, pick


class TrueTime(Protocol):
    """One clock for all: the true time, and how far the clock's interval begins before it.

    Time passes by itself (`tt_si`, self-increments) at most `tt_max_si` times.
    """

    tt_init_abs: int = parameter(1, at_least=0, doc="true time at the start")
    tt_max_si: int = parameter(4, at_least=0, doc="how often time passes by itself")
    tt_interval: int = parameter(1, at_least=0, doc="length of the clock's interval")

    def assume(self):
        """The module's assumption; it keeps times from being negative."""
        yield self.tt_init_abs >= self.tt_interval, "tt_init_abs is at least tt_interval"

    def define_clock(self, state, last):
        """Declare the clock's variables.

        Args:
            state: the declarations.
            last: the latest true time that can be reached.
        """
        self.Drift = Int(0, self.tt_interval)
        state.tt_abs = Int(self.tt_init_abs, last)
        state.tt_drift = self.Drift
        state.tt_si = Int(0, self.tt_max_si)

    def init_clock(self, start):
        """The clock at the start: its interval begins at the true time."""
        start.tt_abs = self.tt_init_abs
        start.tt_drift = 0
        start.tt_si = 0

    @action(tla="TTSiNext")
    def tt_si_next(self, now, nxt):
        """Time passes by itself."""
        nxt.require(now.tt_si < self.tt_max_si)
        nxt.tt_si = now.tt_si + 1
        nxt.tt_abs = now.tt_abs + 1

    @action(tla="TTDrift")
    def tt_drift(self, now, nxt, drift=pick("Drift")):
        """The clock drifts, forward or back, or not at all."""
        nxt.tt_drift = drift

    def earliest(self, now):
        """The earliest possible time of now."""
        return now.tt_abs - now.tt_drift

    def latest(self, now):
        """The latest possible time of now."""
        return self.earliest(now) + self.tt_interval

    def has_passed(self, now, time):
        """Whether a time has passed for certain: TT.after of the paper."""
        return time < self.earliest(now)

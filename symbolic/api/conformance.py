"""`conform`: whether the log of an implementation is a run of a protocol; and the same as a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.symbolic.api.protocols import ProtocolLike, loaded
from leadline.symbolic.api.states import Trace
from leadline.symbolic.catalog import model_of
from leadline.symbolic.conform import Conformance, Fits, LogMap, conformance, read_map
from leadline.symbolic.engines import Limits
from leadline.symbolic.lang import Setting

Log = str | Path | Sequence[str | Path]


class Differs(AssertionError):
    """A log is no run of the protocol; the message has the event that no step explains, and why."""


class Fitting:
    """The answer whether a log is a run of a protocol. It is true if the log conforms.

    Attributes:
        verdict: "conforms", "does not conform", "out of bounds" or "unknown".
        events: the number of events in the log.
        explained: the most events, from the beginning, that a run explains.
        place: the file and the line of the first event that no step explains; None if the log conforms.
        why: the reason why no step explains it, line by line.
        names: the members of sorts for which names in the log were taken.
        run: the completed run or, of a log that does not conform, that of the longest prefix that fits; None if it
            was not wanted or there is none.
    """

    def __init__(self, found: Conformance, run: Trace | None) -> None:
        self.verdict = str(found.verdict)
        self.events = found.events
        self.explained = found.explained
        self.place = found.place
        self.why = tuple(found.why.lines())
        self.names = dict(found.names)
        self.run = run
        self._headline = found.headline()

    def __bool__(self) -> bool:
        return self.verdict == Fits.CONFORMS

    def __str__(self) -> str:
        told = [] if self.place is None else [self.place, *(f"  {one}" for one in self.why)]
        return "\n".join([self._headline, *told])

    def __repr__(self) -> str:
        return f"<{self._headline}>"


def conform(
    protocol: ProtocolLike,
    log: Log,
    /,
    *,
    map: str | Path | None = None,
    hidden: int = 0,
    by: str = "auto",
    timeout: float | None = None,
    memory: int | None = None,
    run: bool = True,
    parameters: Mapping[str, Setting] | None = None,
    **more: Setting,
) -> Fitting:
    """Decide whether the log of an implementation is a run of a protocol.

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        log: a file of NDJSON, CSV or ITF; several are of nodes without one clock.
        map: a TOML file that says what the fields of the log mean.
        hidden: the most steps before each event that the log need not show.
        by: "values" and "circuits" follow the states that fit, "solver" asks a solver; "auto" takes what is
            cheapest.
        timeout: the most seconds, above 0.
        memory: the most megabytes, 1 or more.
        run: whether to complete the run of a log that conforms.
        parameters: parameters of the protocol whose names are those of arguments here.
        more: parameters of the protocol.

    Raises:
        UserError: if the protocol, the log or the map has mistakes.
    """
    chosen = loaded(protocol, {**more, **(parameters or {})})
    model = model_of(chosen.entry, chosen.settings)
    files = [log] if isinstance(log, (str, Path)) else log
    found = conformance(
        model,
        [Path(one) for one in files],
        LogMap() if map is None else read_map(Path(map)),
        hidden=hidden,
        by=by,
        limits=Limits(timeout, memory).within_machine(),
        longest=None if run else 0,
    )
    return Fitting(found, None if found.run is None else Trace(model, found.run, chosen.entry.source))


def assert_conforms(protocol: ProtocolLike, log: Log, /, **asked: object) -> Fitting:
    """Assert that a log is a run of a protocol: for tests.

    Args:
        protocol: as for `conform`.
        log: as for `conform`.
        asked: the other arguments of `conform`.

    Raises:
        Differs: if it is none, with the event that no step explains.
        UserError: as `conform`.
    """
    # pytest shows only the message, not the way to it.
    __tracebackhide__ = True
    found = conform(protocol, log, **asked)  # type: ignore[arg-type]  # checked there
    if not found:
        raise Differs(str(found))
    return found

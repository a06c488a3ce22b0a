"""The answer to the question whether a log conforms to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from leadline.symbolic.conform.explain import Explained
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.lang import Model, counted
from leadline.symbolic.trace import Trace, document

_LONGEST = 500


def shortened(text: str) -> str:
    """A text, its end left out if it is long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class Fits(StrEnum):
    """Whether a log fits a model."""

    CONFORMS = "conforms"
    DIFFERS = "does not conform"
    OUT_OF_BOUNDS = "out of bounds"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Conformance:
    """Whether a log is a run of a model.

    Attributes:
        verdict: whether it is. Out of bounds: only steps that leave the model's bounds could explain an event,
            so larger parameters decide.
        events: the number of its events.
        explained: the most events, from the beginning, that a run explains.
        by: the way in which runs were searched: "values", "circuits" or "solver".
        run: where it was wanted, a run that explains all events; of a log that does not conform, one that
            explains the longest prefix.
        place: the file and the line of the first event that no step explains, after the longest prefix.
        event: the text of that line.
        why: for that event, what is against each action that it could be.
        names: the members of sorts for which names in the log were taken.
        reason: why the verdict is unknown.
        cause: the cause of that, for programs.
        seconds: wall-clock seconds.
    """

    verdict: Fits
    events: int
    explained: int
    by: str
    run: Trace | None = None
    place: str | None = None
    event: str | None = None
    why: Explained = field(default_factory=Explained)
    names: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None
    cause: Cause | None = None
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.verdict is Fits.CONFORMS

    def headline(self) -> str:
        """The answer in a sentence."""
        events = counted(self.events, "event")
        if self.verdict is Fits.CONFORMS:
            steps = "" if self.run is None else f" as a run of {counted(self.run.length, 'step')}"
            return f"conforms: {events}{steps}"
        begun = f"the first {counted(self.explained, 'event')} of {self.events:,} are a run of the model"
        begun = begun if self.explained > 1 else f"{self.explained} of {events} is a run of the model"
        if self.verdict is Fits.UNKNOWN:
            return f"unknown: {self.reason}; {begun}"
        told = f"{self.verdict}: {begun}, and no step explains the next"
        if self.verdict is Fits.OUT_OF_BOUNDS:
            return f"{told}; a step on the way leaves the model's bounds, so larger parameters may explain it"
        return told

    def objection(self) -> str:
        """The event that no step explains, and why, in lines; "" if the log conforms or there is no such event."""
        if self.place is None:
            return ""
        head = (
            f"{self.place}: no step explains this, after {self.explained} of {counted(self.events, 'event')}"
        )
        event = [] if self.event is None else [shortened(self.event)]
        return "\n".join([head, *event, *self.why.lines()])

    def to_json(self, model: Model, source: str) -> dict[str, Any]:
        """The answer as a JSON object."""
        return {
            "verdict": str(self.verdict),
            "events": self.events,
            "explained": self.explained,
            "by": self.by,
            "place": self.place,
            "why": [{"action": x.call, "wrong": list(x.wrong)} for x in self.why.attempts],
            "nearest": None
            if self.why.nearest is None
            else {"action": self.why.nearest.call, "wrong": list(self.why.nearest.wrong)},
            "names": dict(self.names),
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
            "run": None if self.run is None else document(model, self.run, source),
        }

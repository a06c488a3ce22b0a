"""What is known of an obligation, and how that travels between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from leadline.symbolic.engines.verdict import Effort


class ObligationVerdict(StrEnum):
    """Whether an obligation holds."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ObligationResult:
    """The answer about one obligation.

    Attributes:
        name: the obligation's.
        solver: which solver answered, or was asked.
        verdict: whether it holds.
        reason: why it fails, or why that is not known; None if it holds.
        effort: what the answer cost, without what several obligations share but for the first that needs it.
        cti: the counterexample to induction of one that fails, replayed by the concrete meaning, as JSON
            that `leadline trace` reads.
    """

    name: str
    solver: str
    verdict: ObligationVerdict
    reason: str | None
    effort: Effort
    cti: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return {**asdict(self), "verdict": str(self.verdict)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ObligationResult:
        """The result of a JSON object that `to_json` made."""
        verdict, effort = ObligationVerdict(data["verdict"]), Effort(**data["effort"])
        return cls(**{**data, "verdict": verdict, "effort": effort})

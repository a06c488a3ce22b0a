"""What is claimed of Spanner's leader leases: the invariant of module DisjointLeases."""

from __future__ import annotations

from typing import Any

from leadline.encodings.spanner_leases import SpannerLeases
from leadline.symbolic.lang import BoolExpr, State, forall, implies, invariant


@invariant(SpannerLeases)
def disjointness(protocol: SpannerLeases, now: State) -> BoolExpr:
    """A lease that starts after another starts after the other's end.

    From `Disjointness` of DisjointLeases, with its oddity: two leases that start at the same time count as
    disjoint, whoever leads. Holds with 2 replicas (where nobody ever leads) and with 3, `leader_interval` 2,
    `tt_max_si` 4, `tt_interval` 1.
    """

    def apart(one: Any, other: Any) -> Any:
        start = other.end - protocol.leader_interval
        return implies(one.end < other.end, one.end < start)

    return forall(now.intervals, lambda one, other: apart(one, other))

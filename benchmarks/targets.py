"""Targets of sweeps and symmetry, as ratios of times that were measured in one run."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from leadline.benchmarks.cases import Case
from leadline.benchmarks.summary import Cell, Cells, Ratio, ratio
from leadline.benchmarks.ways import SEARCHES
from leadline.symbolic.engines import Verdict

WORTHWHILE = 2.0
"""Seconds from which on finding a bug is to be faster by sweeps than by exploring."""

LONG, SHARE = 1.0, 0.3
"""Of a search of more seconds than this, building is to be a smaller share than that."""

Side = tuple[str, tuple[str, ...]]
"""A case and the ways of which the fastest counts."""


@dataclass(frozen=True)
class Target:
    """A ratio of two times that is to be at least, or at most, some number.

    Attributes:
        what: the target in words.
        above: the side whose time is divided.
        below: the side by whose time it is divided.
        wanted: the number.
        least: whether the ratio is to be at least that, or else at most.
    """

    what: str
    above: Side
    below: Side
    wanted: float
    least: bool = True


_FIRST_TRY, _SAFE = "kip-320-first-try-", "kip-320-3222"

TARGETS = (
    Target(
        "KIP-320's first try at 3/2/2/2 is found by sweeps at least 20 times faster than by steps with Z3",
        (f"{_FIRST_TRY}3222", ("steps/z3",)),
        (f"{_FIRST_TRY}3222", SEARCHES),
        20,
    ),
    Target(
        "sweeps need at 3/6/6/6 at most 5 times as long as at 3/2/2/2",
        (f"{_FIRST_TRY}3666", SEARCHES),
        (f"{_FIRST_TRY}3222", SEARCHES),
        5,
        least=False,
    ),
    Target(
        "sweeps find 5/4/4/4 in the time that steps need for 3/2/2/2",
        (f"{_FIRST_TRY}3222", ("steps/z3", "steps/cadical")),
        (f"{_FIRST_TRY}5444", SEARCHES),
        1,
    ),
    Target(
        "KIP-320 at 3/2/2/2 is refuted for six sweeps at least 10 times faster than by Z3 without symmetry",
        (_SAFE, ("sweeps/z3/no-symmetry",)),
        (_SAFE, SEARCHES),
        10,
    ),
)


@dataclass(frozen=True)
class Judged:
    """A target and what was measured.

    Attributes:
        what: the target in words.
        measured: the ratio with the ways that it is of, or why there is none.
        met: whether the target is met; None if that was not measured, or only bounds are known.
    """

    what: str
    measured: str
    met: bool | None


def judged(found: Cells, cases: Sequence[Case]) -> list[Judged]:
    """Every target, those that are the same for many cases last."""
    ratios = [_judged(found, target) for target in (*TARGETS, *_found_sooner(found, cases))]
    return [*ratios, _built(found)]


def _built(found: Cells) -> Judged:
    """How much of a search is building, where that is most."""
    what = f"building is less than {SHARE:.0%} of every search that takes over {LONG:g} s"
    rows = {key: cell.middle for key, cell in found.items()}
    shares = {
        key: row.build_seconds / row.seconds
        for key, row in rows.items()
        if row.build_seconds and row.seconds > LONG
    }
    if not shares:
        return Judged(what, "not measured", None)
    (case, way), most = max(shares.items(), key=lambda one: one[1])
    return Judged(what, f"at most {most:.0%} ({case}, {way})", most < SHARE)


def _found_sooner(found: Cells, cases: Sequence[Case]) -> Iterator[Target]:
    for case in cases:
        explored = found.get((case.name, "explore"))
        if case.expected is Verdict.VIOLATED and explored is not None and explored.seconds > WORTHWHILE:
            what = f"{case.name} is found by sweeps faster than by exploring"
            yield Target(what, (case.name, ("explore",)), (case.name, SEARCHES), 1)


def _judged(found: Cells, target: Target) -> Judged:
    above, below = (_fastest(found, side) for side in (target.above, target.below))
    if above is None or below is None:
        return Judged(target.what, "not measured", None)
    value = ratio(above[1], below[1])
    if value is None:
        ended = " and ".join(f"{way} ({cell.middle.ended})" for way, cell in (above, below))
        return Judged(target.what, f"not to be compared: {ended}", None)
    return Judged(target.what, f"{value} ({above[0]} to {below[0]})", _met(value, target))


def _fastest(found: Cells, side: Side) -> tuple[str, Cell] | None:
    """The fastest of the ways that were measured; what has an answer comes first."""
    case, ways = side
    there = [(way, found[case, way]) for way in ways if (case, way) in found]
    return min(there, key=lambda one: (not one[1].answered, one[1].seconds), default=None)


def _met(value: Ratio, target: Target) -> bool | None:
    """Whether a ratio, or a bound of it, settles the target."""
    holds: Callable[[float, float], bool] = operator.ge if target.least else operator.le
    good = holds(value.value, target.wanted)
    # A lower bound that is large enough settles what is to be at least that, and one too large the opposite.
    settles = {"": True, ">": good is target.least, "<": good is not target.least}
    return good if settles[value.sign] else None

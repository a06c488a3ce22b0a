"""The order in which the measurements are made."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from leadline.benchmarks.cases import MEMORY_MB, Case
from leadline.benchmarks.measure import measure
from leadline.benchmarks.outside import VARIABLE, program_beside
from leadline.benchmarks.record import Row, row
from leadline.benchmarks.ways import BESIDE, WAYS, Way
from leadline.symbolic.engines import ENGINES, Limits


@dataclass(frozen=True)
class Todo:
    """One measurement that is to be made."""

    case: Case
    way: Way
    repeat: int


def available(way: Way) -> bool:
    """Whether a way can be gone."""
    return missing(way) is None


def missing(way: Way) -> str | None:
    """The tool that is missing for a way; None if it can be gone."""
    if way.engine in ENGINES:
        return None
    if way.engine == BESIDE:
        return None if program_beside() else f"the environment variable {VARIABLE} names no program"
    return None if shutil.which(way.engine) else f"there is no command {way.engine} on the PATH"


def schedule(cases: Sequence[Case], ways: Sequence[str], repeats: int) -> list[Todo]:
    """The measurements in their order: in every repeat all cases, and of a case all its ways in a row.

    A repeat goes through the whole table, so that a noisy hour hits every case. The ways of a case follow
    each other, in another order in each repeat, so that what is compared sees the same machine.
    """
    todo: list[Todo] = []
    for repeat in range(1, repeats + 1):
        # The order is to be mixed, not secret: the same command measures in the same order.
        shuffled = random.Random(repeat)
        for case in cases:
            names = [name for name in ways if name in case.ways]
            shuffled.shuffle(names)
            todo += [Todo(case, WAYS[name], repeat) for name in names]
    return todo


def run(todo: Sequence[Todo], timeout: float | None, show: Callable[[str], None]) -> Iterator[Row]:
    """Make the measurements one after the other.

    What hits a limit is recorded and not repeated: the next repeat would hit it as well.

    Args:
        todo: what is to be measured, in this order.
        timeout: seconds for each, at most; None leaves each case its own.
        show: told of each measurement before it is made.
    """
    began = datetime.now(UTC)
    stopped: set[tuple[str, str]] = set()
    for place, one in enumerate(todo, start=1):
        if (one.case.name, one.way.name) in stopped:
            continue
        show(f"{place} of {len(todo)}: {one.case.name} by {one.way.name}")
        seconds = one.case.timeout if timeout is None else min(timeout, one.case.timeout)
        limits = Limits(seconds, MEMORY_MB)
        started, load = datetime.now(UTC), os.getloadavg()[0]
        found = measure(one.case, one.way, limits)
        if found.ended in ("time", "memory"):
            stopped.add((one.case.name, one.way.name))
        yield row(
            one.case,
            one.way,
            limits,
            found,
            run=began,
            repeat=one.repeat,
            place=place,
            started=started,
            load=load,
        )

"""Watches from outside while grids run: over each row as it is stored, and over the memory of drivers."""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Reading, RowFile, Store
from tests.soak.drivers import Driver
from tests.soak.processes import resident_mb

_ROW = re.compile(r"([0-9a-f]+)\.([0-9]{8}T[0-9]{6}Z-[0-9a-f]+)\.parquet")
_WARM = 30.0  # seconds of a driver's life that are not counted in its growth
_SAMPLES = 6  # the fewest from which a slope is told


@dataclass(frozen=True)
class Seen:
    """A row's file as it was first seen.

    Attributes:
        row: the row.
        inode: the file's.
        stored: when it was written, in seconds since the epoch.
    """

    row: Row
    inode: int
    stored: float


@dataclass
class RowWatch:
    """Watches the rows of a store.

    Attributes:
        store: the store.
        seen: what was seen of each row, by its file's name.
        corrupted: the names of the files that the adversary has corrupted.
        findings: what was wrong.
    """

    store: Store
    seen: dict[str, Seen] = field(default_factory=dict)
    corrupted: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)
    _compacted: set[str] = field(default_factory=set)

    @property
    def results(self) -> Path:
        """The folder of the rows, which is one of this machine."""
        place = self.store.results
        assert isinstance(place, Path)
        return place

    def look(self) -> None:
        """Note the files that are new, or another than before; a store that is cut off is passed over."""
        try:
            with os.scandir(self.results) as entries:
                found = {entry.name: entry.inode() for entry in entries if _ROW.fullmatch(entry.name)}
        except OSError:
            return
        self._compacted |= self.seen.keys() - found.keys()
        for name, inode in found.items():
            before = self.seen.get(name)
            if name not in self.corrupted and (before is None or before.inode != inode):
                self._note(name, before)

    def _note(self, name: str, before: Seen | None) -> None:
        query, run, _ = name.split(".")
        file = RowFile.of(self.results, query, run)
        try:
            row = file.row()
            status = (self.results / name).stat()
        except FileNotFoundError:
            return  # compacted meanwhile
        except (OSError, ValueError) as error:
            self.findings.append(f"{name} is a row's file that cannot be read: {error}")
            return
        again = before is not None and settled(before.row) and row.started != before.row.started
        if again and name not in self._compacted:
            self.findings.append(f"{name} was stored, and its query was computed again in the same run")
        self.seen[name] = Seen(row, status.st_ino, status.st_mtime)

    def whole(self) -> dict[str, Seen]:
        """The rows with an answer whose files were not corrupted, by their names."""
        return {
            name: one for name, one in self.seen.items() if name not in self.corrupted and settled(one.row)
        }

    def lost(self) -> Iterator[str]:
        """The rows that were stored and that are no more."""
        here = {(row.query, row.run) for row in Reading.of(self.store.files()).rows()}
        for name, one in self.whole().items():
            if (one.row.query, one.row.run) not in here:
                yield f"{name} was stored, and is lost"

    def repeated(self, drivers: Sequence[Driver]) -> Iterator[str]:
        """The rows whose query had an answer in the store when the driver of their run was started."""
        first: dict[str, Seen] = {}
        for name, one in sorted(self.whole().items(), key=lambda item: item[1].stored):
            earlier = first.setdefault(one.row.query, one)
            if earlier is not one and earlier.row.run != one.row.run:
                run = run_time(one.row.run)
                starts = [x.started for x in drivers if x.started <= run + 1 and run <= (x.ended or run)]
                if starts and earlier.stored < min(starts):
                    yield f"{name} was computed again: the run {earlier.row.run} had stored it"


def settled(row: Row) -> bool:
    """Whether a row is an answer."""
    return not row.unknown() or row.not_inductive()


def run_time(run: str) -> float:
    """The time of start that is in a run's name, in seconds since the epoch."""
    from datetime import UTC, datetime

    return datetime.strptime(run.partition("-")[0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()


@dataclass
class MemoryWatch:
    """Watches the memory of drivers.

    Attributes:
        samples: for each driver, by name: its age in seconds, the answers of all runs so far, the megabytes
            of its Python process and of its Java.
    """

    samples: dict[str, list[tuple[float, int, float, float]]] = field(default_factory=dict)

    def look(self, driver: Driver, now: float, answers: int) -> None:
        """Take a sample of a driver that runs."""
        java = [one.pid for one in driver.java()]
        if java and driver.begun:
            own = resident_mb([driver.process.pid])
            taken = (now - driver.started, answers, own, resident_mb(java))
            self.samples.setdefault(driver.name, []).append(taken)

    def longest(self) -> tuple[str, Mapping[str, float]] | None:
        """The growth of the driver that lived longest.

        Returns:
            Its name and its figures: `seconds`, `answers`, `first`, `last` and `per_thousand` (megabytes for
            a thousand answers) of Python, `java_last` and `java_per_thousand`; None if no driver lived long.
        """
        kept = {
            name: [sample for sample in samples if sample[0] - samples[0][0] >= _WARM]
            for name, samples in self.samples.items()
        }
        name = max(kept, key=lambda name: len(kept[name]), default=None)
        if name is None or len(kept[name]) < _SAMPLES:
            return None
        ages, answers, python, java = zip(*kept[name], strict=True)
        if answers[0] == answers[-1]:
            return None
        return name, {
            "seconds": ages[-1] - ages[0],
            "answers": answers[-1] - answers[0],
            "first": python[0],
            "last": python[-1],
            "per_thousand": statistics.linear_regression(answers, python).slope * 1000,
            "java_last": java[-1],
            "java_per_thousand": statistics.linear_regression(answers, java).slope * 1000,
        }

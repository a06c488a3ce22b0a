"""Rows side by side: medians over the repeats, ratios, and the tables that show them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leadline.benchmarks.cases import Case
from leadline.benchmarks.measurement import ANSWERED
from leadline.benchmarks.record import Row
from leadline.benchmarks.ways import PDR
from leadline.symbolic.engines import Verdict

HEADER = (
    "case",
    "way",
    "answer",
    "seconds",
    "min..max",
    "ratio",
    "build",
    "solve",
    "MB",
    "variables",
    "clauses",
    "states",
)


@dataclass(frozen=True)
class Cell:
    """All measurements of one case by one way.

    Attributes:
        rows: the measurements, at least one; of an even number the slower middle one is the median.
    """

    rows: tuple[Row, ...]

    @property
    def middle(self) -> Row:
        """The measurement with the median time; what has no answer counts as slower than all that has."""
        ordered = sorted(self.rows, key=lambda row: (not row.answered(), row.seconds))
        return ordered[len(ordered) // 2]

    @property
    def answered(self) -> bool:
        """Whether the median is a time rather than a bound."""
        return self.middle.answered()

    @property
    def seconds(self) -> float:
        """The median time, or if it was stopped at the limit on time, that limit."""
        row = self.middle
        return row.timeout_seconds if row.ended == "time" else row.seconds

    @property
    def timed(self) -> bool:
        """Whether the median time, or a bound of it, is known: not of what ran out of memory or crashed."""
        return self.middle.ended in (ANSWERED, "time")

    def median(self, column: str) -> float | None:
        """The median of a column over the measurements that know it."""
        known = [value for row in self.rows if (value := getattr(row, column)) is not None]
        return statistics.median_high(known) if known else None


Cells = dict[tuple[str, str], Cell]


def cells(rows: Iterable[Row]) -> Cells:
    """The measurements by case and way, in the order in which these come up."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.case, row.way), []).append(row)
    return {key: Cell(tuple(group)) for key, group in found.items()}


@dataclass(frozen=True)
class Ratio:
    """How many times one median is another, where one of them may only be a bound.

    Attributes:
        value: the ratio of the numbers.
        sign: "" if it is exact, ">" or "<" if the truth is at least or at most that.
    """

    value: float
    sign: str = ""

    def __str__(self) -> str:
        digits = 0 if self.value >= 100 else 1 if self.value >= 10 else 2
        return f"{self.sign}{' ' if self.sign else ''}{self.value:.{digits}f}x"


def ratio(above: Cell, below: Cell) -> Ratio | None:
    """How many times the second time fits into the first; None if that is not known, not even as a bound."""
    if not (above.timed and below.timed and (above.answered or below.answered)):
        return None
    sign = ">" if not above.answered else "<" if not below.answered else ""
    return Ratio(above.seconds / below.seconds, sign)


def lines(found: Cells, baseline: str, order: Sequence[str]) -> list[list[str]]:
    """The table, without its header.

    Args:
        found: the medians.
        baseline: the way whose time the ratio is of: 2x took half as long.
        order: the names of the ways, as they are to come within a case.
    """
    table: list[list[str]] = []
    for case in dict.fromkeys(case for case, _ in found):
        first = True
        for way in order:
            if (case, way) in found:
                base = found.get((case, baseline))
                table.append([case if first else "", way, *_line(found[case, way], base)])
                first = False
    return table


RUNS_HEADER = ("claim about runs", "TLC", "explore", "lasso", "proof")


def beside_tlc(found: Cells, cases: Iterable[Case]) -> list[list[str]]:
    """The claims about runs, with TLC's seconds as recorded and the medians of each way; the lassos' best."""
    table = []
    for case in cases:
        if case.tlc is None or not any(name == case.name for name, _ in found):
            continue
        lassos = [
            cell for (name, way), cell in found.items() if name == case.name and way.startswith("sweeps/")
        ]
        best = min(lassos, key=lambda cell: (not cell.answered, cell.seconds), default=None)
        ways = (found.get((case.name, "explore")), best, found.get((case.name, PDR)))
        table.append([case.name, _short(case.tlc), *("-" if x is None else seconds(x) for x in ways)])
    return table


def _line(cell: Cell, base: Cell | None) -> list[str]:
    row = cell.middle
    times = [one.seconds for one in cell.rows]
    compared = ratio(base, cell) if base is not None else None
    return [
        answer(row),
        seconds(cell),
        f"{_short(min(times))}..{_short(max(times))}" if len(times) > 1 else "-",
        "-" if compared is None else str(compared),
        *(_optional(cell.median(name), _short) for name in ("build_seconds", "solve_seconds")),
        *(
            _optional(cell.median(name), "{:.0f}".format)
            for name in ("memory_mb", "variables", "clauses", "states")
        ),
    ]


def answer(row: Row) -> str:
    """The verdict of one measurement, or the reason why it stopped."""
    wrong = "" if row.as_expected else " (WRONG)"
    if not row.answered():
        beyond = f" beyond depth {row.depth}" if row.depth >= 0 else ""
        return f"{row.ended}{beyond}"
    if row.steps is not None:
        return f"{row.verdict} in {row.steps} steps{wrong}"
    reached = "" if row.verdict == str(Verdict.PROVED) else f" to depth {row.depth}"
    return f"{row.verdict}{reached}{wrong}"


def seconds(cell: Cell) -> str:
    """A median time, or the bound that is known of it."""
    if cell.answered:
        return _short(cell.seconds)
    return f"> {_short(cell.seconds)}" if cell.timed else cell.middle.ended


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _optional(number: float | None, show: Callable[[float], str]) -> str:
    return "-" if number is None else show(number)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a README."""
    written = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in written)

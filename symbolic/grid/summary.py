"""Rows in words: what a person wants to see of a grid, on a terminal as on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.lang import PropertyKind


@dataclass(frozen=True)
class Group:
    """The rows of one protocol.

    Attributes:
        protocol: its name.
        fixed: the parameters that are the same in all rows, for a person to read; may be empty.
        varying: the names of the others.
        rows: the rows, in the order given.
    """

    protocol: str
    fixed: str
    varying: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """The protocol and what is the same in all rows."""
        return f"{self.protocol} ({self.fixed})" if self.fixed else self.protocol

    def point(self, row: Row) -> list[str]:
        """The values of the varying parameters in a row."""
        return [_spelled(row.settings().get(name)) for name in self.varying]


def groups(rows: Iterable[Row]) -> list[Group]:
    """The rows by protocol, in the order in which the protocols come up."""
    by_protocol: dict[str, list[Row]] = {}
    for row in rows:
        by_protocol.setdefault(row.protocol, []).append(row)
    return [_group(protocol, found) for protocol, found in by_protocol.items()]


def _group(protocol: str, rows: Sequence[Row]) -> Group:
    names = dict.fromkeys(name for row in rows for name in row.settings())
    values = {name: {_spelled(row.settings().get(name)) for row in rows} for name in names}
    fixed = ", ".join(f"{name} = {next(iter(found))}" for name, found in values.items() if len(found) == 1)
    varying = tuple(name for name, found in values.items() if len(found) > 1)
    return Group(protocol, fixed, varying, tuple(rows))


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "-" if value is None else str(value)


def latest(rows: Iterable[Row]) -> list[Row]:
    """Of rows that ask the same of a protocol that has changed, or of another Leadline, only the latest.

    They come by protocol, parameters, property, depth and solver.
    """
    found: dict[tuple[str, str, str, int, str, str], Row] = {}
    for row in rows:
        key = (row.protocol, row.parameters, row.property, row.depth_asked, row.unroll, row.solver)
        if key not in found or found[key].started < row.started:
            found[key] = row
    return [found[key] for key in sorted(found)]


def verdict_text(row: Row) -> str:
    """A row's verdict: how long the counterexample is, how deep it is safe, why it is unknown."""
    probe = row.kind == PropertyKind.PROBE
    steps = "" if row.steps is None else f" in {row.steps} step{'s' if row.steps != 1 else ''}"
    why = "" if row.reason is None else f": {_gist(row.reason)}"
    match row.verdict:
        case "violated":
            return f"violated{steps}{' (a probe: as expected)' if probe else ''}"
        case "safe":
            return f"safe within {_layers(row)}{' (a probe: a violation was expected)' if probe else ''}"
        case "unknown":
            beyond = f" beyond {_layers(row)}" if row.depth >= 0 else ""
            return f"unknown{beyond}{why}"
    return f"{row.verdict}{steps}{why}"


def _layers(row: Row) -> str:
    """How far a row's search got: `11 steps`."""
    layer = row.unroll.removesuffix("s")
    return f"{row.depth} {layer}{'s' if row.depth != 1 else ''}"


def _gist(reason: str) -> str:
    """The line that says most: a traceback's last, else the only one."""
    return next((line.strip() for line in reversed(reason.splitlines()) if line.strip()), "")


def counts(rows: Sequence[Row]) -> str:
    """How many rows there are of each verdict, the worst first."""
    found = Counter(row.verdict for row in rows)
    worst_first = [str(verdict) for verdict in reversed(Verdict)]
    told = ", ".join(f"{found[verdict]} {verdict}" for verdict in worst_first if found[verdict])
    return f"{len(rows)} quer{'ies' if len(rows) != 1 else 'y'}: {told}" if rows else "no queries"

"""Rows in words: what a person wants to see of a grid, on a terminal as on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.symbolic.engines import Verdict
from leadline.symbolic.grid.store.rows import MOOT, Row
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

    They come by protocol, parameters, property, engine, depth, obligation and solver.
    """
    found: dict[tuple[str | int, ...], Row] = {}
    for row in rows:
        key = _question(row)
        if key not in found or found[key].started < row.started:
            found[key] = row
    return sorted(found.values(), key=lambda row: (row.protocol, point_order(row), _question(row)))


def point_order(row: Row) -> tuple[tuple[str, int, float, str], ...]:
    """An order of points: by the parameters' names, numbers by their size."""
    return tuple(
        (name, 0 if value is None else 2 if isinstance(value, str) else 1, _size(value), str(value))
        for name, value in row.settings().items()
    )


def _size(value: object) -> float:
    return value if isinstance(value, int) else 0


def _question(row: Row) -> tuple[str | int, ...]:
    """What a row's query asks, whatever the model's text and the Leadline."""
    depth = -1 if row.depth_asked is None else row.depth_asked
    how = (row.engine, depth, row.unroll or "", row.obligation or "", row.solver, row.seed)
    return (row.protocol, row.parameters, row.property, *how)


def question_text(row: Row) -> str:
    """What a row's query asks of its property: how far it looks ahead, or which obligation it is."""
    if row.depth_asked is None:
        return row.obligation or ""
    return layers(row.depth_asked, row.unroll)


def verdict_text(row: Row) -> str:
    """A row's verdict: how long the counterexample is, how deep it is safe, why it is unknown."""
    probe = row.kind == PropertyKind.PROBE
    steps = "" if row.steps is None else f" in {layers(row.steps, 'steps')}"
    why = "" if row.reason is None else f": {_gist(row.reason)}"
    unexpected = " (a probe: a violation was expected)" if probe else ""
    match row.verdict:
        case "violated":
            return f"violated{steps}{' (a probe: as expected)' if probe else ''}"
        case "safe":
            return f"safe within {layers(row.depth, row.unroll)}{unexpected}"
        case "proved" if row.obligation is None:
            return f"proved{why}{unexpected}"
        case "unknown":
            beyond = f" beyond {layers(row.depth, row.unroll)}" if row.depth >= 0 else ""
            return f"unknown{beyond}{why}"
    return f"{row.verdict}{steps}{why}"


def layers(number: int, unroll: str | None) -> str:
    """So many layers of an unrolling.

    >>> layers(1, "sweeps")
    '1 sweep'
    """
    layer = (unroll or "layers").removesuffix("s")
    return f"{number} {layer}{'s' if number != 1 else ''}"


def _gist(reason: str) -> str:
    """The line that says most: a traceback's last, else the only one."""
    return next((line.strip() for line in reversed(reason.splitlines()) if line.strip()), "")


def counts(rows: Sequence[Row]) -> str:
    """How many rows there are of each verdict, the worst first."""
    found = Counter(row.verdict for row in rows)
    worst_first = [*(str(verdict) for verdict in reversed(Verdict)), MOOT]
    told = ", ".join(f"{found[verdict]} {verdict}" for verdict in worst_first if found[verdict])
    return f"{len(rows)} quer{'ies' if len(rows) != 1 else 'y'}: {told}" if rows else "no queries"

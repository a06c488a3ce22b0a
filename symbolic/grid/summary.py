"""Rows in words, for the terminal and for pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.ask.result import LOG, Judgement, NoteKind, in_words, judged, said
from leadline.symbolic.grid.query import layers_text, setting_order
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.lang import PropertyKind, counted, setting_text


@dataclass(frozen=True)
class ProtocolRows:
    """The rows of one protocol.

    Attributes:
        protocol: its name.
        fixed: the parameters that are the same in all rows, in words; may be empty.
        varying: the names of the other parameters.
        rows: the rows, in the order given.
    """

    protocol: str
    fixed: str
    varying: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """The protocol, with the parameters that are the same in all rows."""
        return f"{self.protocol} ({self.fixed})" if self.fixed else self.protocol

    def point(self, row: Row) -> list[str]:
        """The values of the varying parameters in a row."""
        return [_spelled(row.settings().get(name)) for name in self.varying]


def groups(rows: Iterable[Row]) -> list[ProtocolRows]:
    """The rows by protocol; the protocols are in the order of their first rows."""
    by_protocol: dict[str, list[Row]] = {}
    for row in rows:
        by_protocol.setdefault(row.protocol, []).append(row)
    return [_group(protocol, found) for protocol, found in by_protocol.items()]


def _group(protocol: str, rows: Sequence[Row]) -> ProtocolRows:
    names = dict.fromkeys(name for row in rows for name in row.settings())
    values = {name: {_spelled(row.settings().get(name)) for row in rows} for name in names}
    fixed = ", ".join(f"{name} = {next(iter(found))}" for name, found in values.items() if len(found) == 1)
    varying = tuple(name for name, found in values.items() if len(found) > 1)
    return ProtocolRows(protocol, fixed, varying, tuple(rows))


def _spelled(value: object) -> str:
    return "-" if value is None else setting_text(value)


def latest(rows: Iterable[Row]) -> list[Row]:
    """The latest of the rows that ask the same, of any version of the protocol and of Leadline.

    They are sorted by protocol, parameters, property, engine, depth, obligation and solver.
    """
    found: dict[tuple[str | int, ...], Row] = {}
    for row in rows:
        key = _question(row)
        if key not in found or found[key].started < row.started:
            found[key] = row
    return sorted(found.values(), key=order)


def order(row: Row) -> tuple[object, ...]:
    """The sort key of a row: its protocol, its point, then the question."""
    return row.protocol, point_order(row), _question(row)


def point_order(row: Row) -> tuple[tuple[str, int, float, str], ...]:
    """An order of points: by the parameters' names, numbers by their size."""
    return tuple((name, *setting_order(value)) for name, value in row.settings().items())


def _question(row: Row) -> tuple[str | int, ...]:
    """The question of a row, whatever the model's fingerprint and the version of Leadline."""
    depth = -1 if row.depth_asked is None else row.depth_asked
    how = (row.engine, depth, row.unroll or "", row.parts(), row.obligation or "", row.solver, row.seed)
    return (row.protocol, row.parameters, row.property, *how, row.question())


def said_of(row: Row) -> str:
    """A row's verdict in a word or two. A word that is no verdict, such as "moot", is returned unchanged."""
    known = row.verdict in map(str, Verdict)
    return said(row.kind, Verdict.named(row.verdict)) if known else row.verdict


def verdict_text(row: Row) -> str:
    """A row's verdict in words: with the length of the counterexample, the safe depth, or the reason.

    For a run that goes on for ever, the words name the state that it goes back to, as TLC does.
    """
    said = said_of(row)
    steps = "" if row.steps is None else f" in {layers_text(row.steps, 'steps')}"
    if row.stem is not None:
        steps += ", then stops" if row.stem == row.steps else f", back to state {row.stem}"
    told = _short(row)
    why = f": {_gist(told)}" if told else ""
    match row.verdict:
        case "violated" | "out-of-bounds" if row.kind == LOG:
            # The first line names the event that no step explains.
            return f"{said}: {told.partition(chr(10))[0]}"
        case "violated":
            return f"{said}{steps}"
        case "safe" if row.kind in (PropertyKind.TEMPORAL, PropertyKind.REFINEMENT):
            # Some layers choose where a loop begins, so no number of steps follows.
            layers = "sweep" if row.unroll == "sweeps" else "layer"
            return f"safe within {counted(row.depth, layers)} of the search for loops"
        case "safe":
            return f"{said} within {layers_text(row.depth, row.unroll)}"
        case "proved" if row.obligation is None:
            return f"{said}{why}"
        case "unknown" if row.kind == LOG:
            explained = f" after {counted(row.depth, 'event')}" if row.depth > 0 else ""
            return f"unknown{explained}{why}"
        case "unknown":
            beyond = f" beyond {layers_text(row.depth, row.unroll)}" if row.depth >= 0 else ""
            return f"unknown{beyond}{why}"
    return f"{row.verdict}{steps}{why}"


def _gist(reason: str) -> str:
    """The last line, which is the most telling one of a traceback."""
    return next((line.strip() for line in reversed(reason.splitlines()) if line.strip()), "")


def _short(row: Row) -> str:
    """The reason and the notes, with the number of actions never taken in place of each with its guard."""
    notes = row.remarks()
    kept = [note for note in notes if note.kind is not NoteKind.NEVER_TAKEN]
    never = len(notes) - len(kept)
    told = [in_words(row.reason, kept), f"{counted(never, 'action')} never taken" if never else None]
    return "; ".join(filter(None, told))


def _badness(row: Row) -> tuple[bool, bool, int]:
    """The sort key of a row by its answer: failures first, then open rows, then the rest, and moot rows last."""
    if row.verdict not in map(str, Verdict):
        return (True, True, 1)
    verdict = Verdict.named(row.verdict)
    judgement = judged(row.kind, verdict)
    return judgement is not Judgement.FAILED, judgement is Judgement.PASSED, -verdict


def counts(rows: Sequence[Row]) -> str:
    """The number of rows of each verdict, in words, the worst first."""
    found = Counter(said_of(row) for row in sorted(rows, key=_badness))
    told = ", ".join(f"{count} {words}" for words, count in found.items())
    return f"{counted(len(rows), 'query', 'queries')}: {told}" if rows else "no queries"

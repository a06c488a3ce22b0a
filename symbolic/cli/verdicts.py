"""Verdicts as the command line tells them: words, exit codes, and the traces behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.output import Report
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.verdict import Effort, Verdict
from leadline.symbolic.lang import Model, PropertyKind
from leadline.symbolic.trace import DEADLOCK, Trace, document, end_reason, lines


def exit_of(name: str, verdict: Verdict) -> Exit:
    """The exit code for one verdict about a property."""
    if verdict is Verdict.VIOLATED:
        return Exit.DEADLOCK if name == DEADLOCK else Exit.VIOLATED
    return {Verdict.OUT_OF_BOUNDS: Exit.OUT_OF_BOUNDS, Verdict.UNKNOWN: Exit.UNKNOWN}.get(verdict, Exit.HOLDS)


def verdict_text(model: Model, name: str, verdict: Verdict) -> str:
    """A verdict for a person; of a probe, whether it came out as expected."""
    claim = model.properties.get(name)
    if claim is None or claim.kind is not PropertyKind.PROBE:
        return str(verdict)
    if verdict is Verdict.VIOLATED:
        return f"{verdict} (a probe: as expected)"
    return f"{verdict} (a probe: a violation was expected)" if verdict is Verdict.SAFE else str(verdict)


def counted(number: int, noun: str) -> str:
    """A number of things: `1 step`, `2 steps`."""
    return f"{number} {noun}{'s' if number != 1 else ''}"


def distinct(traces: Sequence[Trace | None]) -> list[Trace]:
    """The traces, each once: one step out of bounds may stand behind several verdicts."""
    return list({id(trace): trace for trace in traces if trace is not None}.values())


def add_traces(report: Report, semantics: Semantics, traces: Sequence[Trace]) -> None:
    """Each trace in full, after an empty line."""
    for trace in traces:
        report.say()
        report.trace(lines(semantics.model, trace, end_reason(semantics, trace)))


def trace_json(model: Model, trace: Trace | None, source: str) -> dict[str, Any] | None:
    """A trace as JSON that `leadline trace` reads, or null."""
    return document(model, trace, source) if trace is not None else None


def effort_json(effort: Effort) -> dict[str, Any]:
    """What an answer took, as members of a JSON object."""
    return {
        "seconds": {
            "build": round(effort.build, 3),
            "solve": round(effort.solve, 3),
            "total": round(effort.total, 3),
        },
        "memory_mb": round(effort.memory_mb, 1),
        "variables": effort.variables,
        "clauses": effort.clauses,
    }

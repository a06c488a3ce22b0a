"""`leadline explore`: every state within so many steps, by breadth-first search."""

from __future__ import annotations

import argparse
from typing import Any

from leadline.symbolic.catalog import Entry
from leadline.symbolic.cli.exits import Exit, worst
from leadline.symbolic.cli.files import check_writable
from leadline.symbolic.cli.inputs import (
    add_properties,
    add_protocol,
    at_least,
    chosen_model,
    chosen_properties,
)
from leadline.symbolic.cli.output import Report, add_format, as_json, deliver, tell
from leadline.symbolic.cli.progress import live
from leadline.symbolic.cli.verdicts import add_traces, counted, distinct, exit_of, trace_json, verdict_text
from leadline.symbolic.concrete import Exploration, Level, Path, Semantics, explore
from leadline.symbolic.engines.verdict import Verdict
from leadline.symbolic.trace import DEADLOCK, Trace, TraceEnd, replay, trace_of_path
from leadline.symbolic.trace.trace import title


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("explore", help="every state within so many steps, by breadth-first search")
    add_protocol(parser)
    parser.add_argument(
        "--depth", type=at_least(0), metavar="K", help="steps to go (default: until no state is new)"
    )
    add_properties(parser)
    add_format(parser, "text", "json", out=True)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Explore and report."""
    check_writable(args.out)
    entry, _, model = chosen_model(args)
    names = chosen_properties(model, args.properties)
    semantics = Semantics(model)
    findings = Findings(semantics, _explore(semantics, names, args.depth), args.deadlock)
    written = as_json(_json(entry, findings)) if args.format == "json" else None
    deliver(_report(findings), written, args.out)
    return findings.exit()


def _explore(semantics: Semantics, names: tuple[str, ...], depth: int | None) -> Exploration:
    reached = "no states"
    with live(f"exploring {semantics.model.protocol}") as show:

        def progress(level: Level) -> None:
            nonlocal reached
            reached = f"{counted(level.states, 'state')} within {counted(level.depth, 'step')}"
            show(reached)

        try:
            return explore(semantics, names, depth, progress)
        except KeyboardInterrupt:
            tell(f"interrupted with {reached}, and no verdict")
            raise


class Findings:
    """What an exploration says of each property, as verdicts with their replayed traces.

    Args:
        semantics: the concrete meaning that was explored.
        found: what was found.
        deadlock: whether a deadlock counts.
    """

    def __init__(self, semantics: Semantics, found: Exploration, deadlock: bool) -> None:
        self.semantics = semantics
        self.found = found
        self.beyond = self._trace(found.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, None)
        self.verdicts = {name: self._judge(name) for name in found.properties}
        if deadlock:
            trace = self._trace(found.deadlock, TraceEnd.DEADLOCK, None)
            self.verdicts[DEADLOCK] = (Verdict.VIOLATED, trace) if trace else self._unviolated(None)

    def _judge(self, name: str) -> tuple[Verdict, Trace | None]:
        checked = self.found.properties[name]
        violation = self._trace(checked.violation, TraceEnd.VIOLATES, name)
        if violation is not None:
            return Verdict.VIOLATED, violation
        return self._unviolated(self._trace(checked.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, name))

    def _unviolated(self, own: Trace | None) -> tuple[Verdict, Trace | None]:
        trace = own or self.beyond
        return (Verdict.OUT_OF_BOUNDS if trace is not None else Verdict.SAFE), trace

    def _trace(self, path: Path | None, ends: TraceEnd, name: str | None) -> Trace | None:
        if path is None:
            return None
        trace = trace_of_path(path, ends, name)
        replay(self.semantics, trace)
        return trace

    @property
    def traces(self) -> list[Trace]:
        """Every trace once, also of a step out of bounds that stands behind no verdict."""
        return distinct([*(trace for _, trace in self.verdicts.values()), self.beyond])

    def exit(self) -> Exit:
        """The exit code."""
        codes = [exit_of(name, verdict) for name, (verdict, _) in self.verdicts.items()]
        return worst([*codes, Exit.OUT_OF_BOUNDS] if self.beyond is not None else codes)


def _report(findings: Findings) -> Report:
    found, model = findings.found, findings.semantics.model
    report = Report()
    report.say(title(model))
    extent = "all reachable states" if found.complete else "not all reachable states"
    states = f"{counted(found.states, 'state')} within {counted(found.diameter, 'step')}"
    report.say(f"{states} ({extent}), {counted(found.deadlocks, 'deadlock')}")
    report.say()
    counts = zip(found.states_within_steps, (0, *found.states_within_steps), strict=False)
    levels = [[str(k), str(within), str(within - less)] for k, (within, less) in enumerate(counts)]
    report.table(["steps", "states", "new"], levels)
    report.say()
    fired = [[action.tla, str(found.fired[action.name])] for action in model.actions]
    report.table(["action", "times fired"], fired)
    if findings.verdicts:
        report.say()
        report.table(["property", "verdict", "steps"], [_row(findings, name) for name in findings.verdicts])
    add_traces(report, findings.semantics, findings.traces)
    return report


def _row(findings: Findings, name: str) -> list[str]:
    verdict, trace = findings.verdicts[name]
    text = verdict_text(findings.semantics.model, name, verdict)
    return [name, text, str(trace.length) if trace is not None else "-"]


def _json(entry: Entry, findings: Findings) -> dict[str, Any]:
    found, model = findings.found, findings.semantics.model

    def told(trace: Trace | None) -> dict[str, Any]:
        steps = trace.length if trace is not None else None
        return {"steps": steps, "trace": trace_json(model, trace, entry.source)}

    return {
        "protocol": model.protocol,
        "parameters": dict(model.parameters),
        "states": found.states,
        "diameter": found.diameter,
        "states_within_steps": list(found.states_within_steps),
        "complete": found.complete,
        "generated": found.generated,
        "deadlocks": found.deadlocks,
        "steps_out_of_bounds": found.steps_out_of_bounds,
        "actions": dict(found.fired),
        "properties": {
            name: {"verdict": str(verdict), **told(trace)}
            for name, (verdict, trace) in findings.verdicts.items()
        },
        "out_of_bounds": told(findings.beyond) if findings.beyond is not None else None,
    }

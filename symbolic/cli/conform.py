"""`leadline conform`: is the log of a system a run of the protocol? `leadline cover`: runs that drive a system."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.progress import live
from leadline.symbolic.cli import inputs, output
from leadline.symbolic.cli.ask import every_trace, expressions, flags
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.conform import Conformance, Fits, LogMap, conformance, read_map
from leadline.symbolic.conform.ask import MOST_STATES
from leadline.symbolic.conform.cover import Coverage, Covered, Goals, Violations, goals_of, term_of
from leadline.symbolic.conform.logs import log_of
from leadline.symbolic.engines import Limits, Table
from leadline.symbolic.engines.run.limits import TimeIsOver, limited, stop_at
from leadline.symbolic.lang import Model, UserError, counted
from leadline.symbolic.report.trace_page import trace_page
from leadline.symbolic.trace import document, lines

_SHOWN = 40
_CODES = {
    Fits.CONFORMS: Exit.HOLDS,
    Fits.DIFFERS: Exit.VIOLATED,
    Fits.OUT_OF_BOUNDS: Exit.OUT_OF_BOUNDS,
    Fits.UNKNOWN: Exit.UNKNOWN,
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare `conform`."""
    parser.description = (
        "Decide whether a log is a run of a protocol. What the log does not tell is found: picks, parts of "
        "states, and steps that it does not show."
    )
    inputs.add_protocol(parser)
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        type=Path,
        help="NDJSON, CSV (.csv) or ITF (.itf.json); several files are of nodes without one clock",
    )
    inputs.add_file(parser, "--map", "MAP.toml", "what the fields of the log mean")
    parser.add_argument(
        "--hidden",
        metavar="N",
        type=inputs.at_least(0),
        default=0,
        help="steps before each event that the log need not show (default: 0)",
    )
    parser.add_argument(
        "--by",
        choices=("auto", "values", "circuits", "solver"),
        default="auto",
        help="follow the states that fit, as values or on circuits, or ask a solver (default: auto, the cheapest)",
    )
    _add_max_states(parser, "the most states after an event")
    inputs.add_limits(parser)
    output.add_format(parser, "text", "json", *output.TRACES, out=True)
    about = "also write a page to walk through the completed run, or that of the longest beginning that fits"
    inputs.add_file(parser, "--html", "FILE.html", about)
    parser.set_defaults(run=_conform)


def _add_max_states(parser: argparse.ArgumentParser, about: str) -> None:
    doc = f"{about} (default: {MOST_STATES:,})"
    parser.add_argument("--max-states", metavar="N", type=inputs.at_least(1), default=MOST_STATES, help=doc)


def _conform(args: argparse.Namespace) -> Exit:
    begin = time.monotonic()
    output.check_writable(args, "out", "html")
    about = read_map(args.map) if args.map is not None else LogMap()
    entry, _, model = inputs.chosen_model(args)
    with live("explaining the log: ") as show:
        found = conformance(
            model,
            args.logs,
            about,
            hidden=args.hidden,
            by=args.by,
            limits=Limits(args.timeout, args.memory).since(begin).within_machine(),
            most_states=args.max_states,
            longest=_SHOWN if args.format == "text" and args.html is None else None,
            progress=lambda events: show(f"{events:,} events"),
        )
    written = _written(args, found, model, entry.source)
    code = output.deliver(_report(found, model, args.format == "text"), written, args.out)
    if args.html is not None and found.run is not None:
        what = "the log" if found else "the longest beginning of the log that is a run of the model"
        text = trace_page(Semantics(model), found.run, f"A run that explains {what}.")
        if output.keep(args.html, text, "--html"):
            tell(f"wrote {args.html}")
    return max(code, _CODES[found.verdict])


def _written(args: argparse.Namespace, found: Conformance, model: Model, source: str) -> str | None:
    """The answer in the format asked for; None if that is text, or there is no run to write."""
    if args.format == "json":
        return output.as_json(found.to_json(model, source))
    if args.format == "text" or found.run is None:
        return None
    return output.written_trace(args.format, Semantics(model), found.run, source, args.out)


def _report(found: Conformance, model: Model, with_run: bool) -> Iterator[Part]:
    if found and found.run is not None and with_run and found.run.length <= _SHOWN:
        yield from lines(Semantics(model), found.run)
        yield ""
    if found and with_run and (found.run is None or found.run.length > _SHOWN):
        tell("the run is long: --format json, itf or tla and --html write it")
    if found.place is not None:
        yield f"{found.place}: {found.event or ''}".rstrip(": ")
        yield from (f"  {text}" for text in found.why.lines())
        yield ""
    yield from (f"{name} in the log is taken for {member}" for name, member in found.names.items())
    if found.unread:
        yield f"no line has {', '.join(found.unread)}, which the map names"
    yield found.headline()


_MOST_TOLD = 20
_FORMS = {"json": ".json", "itf": ".itf.json", "ndjson": ".ndjson"}


def declare_cover(parser: argparse.ArgumentParser) -> None:
    """Declare `cover`."""
    parser.description = (
        "Find a few runs, each as short as can be, that together meet every goal: test cases that drive a system "
        "through what the protocol can do."
    )
    inputs.add_protocol(parser)
    parser.add_argument(
        "--goal",
        metavar="GOAL",
        default="actions",
        help="actions: each is taken; pairs: each right after each other; guards: each is true and false; "
        "properties: each probe and premise; or a part of the state that has each of its values, such as "
        "role[s1], or an expression, such as 'now.waiting.size', in a TLA+ module 'Cardinality(votes)' (default: "
        "actions)",
    )
    parser.add_argument("--depth", metavar="K", type=inputs.at_least(0), help="steps of a run at most")
    _add_max_states(parser, "stop at N states")
    inputs.add_limits(parser)
    inputs.add_file(parser, "--out", "FOLDER", "write each run to this folder, as JSON, ITF and NDJSON")
    output.add_format(parser, "text", "json")
    parser.set_defaults(run=_cover)


def _cover(args: argparse.Namespace) -> Exit:
    begin = time.monotonic()
    if args.out is not None:
        output.make_folder(args.out)
    entry, settings, model = inputs.chosen_model(args)
    semantics = Semantics(model)
    goals = goals_of(semantics, args.goal, expressions(entry, settings, model))
    found, interrupt = _searched(args, begin, semantics, goals, args.max_states)
    if args.out is not None:
        _write(args.out, found, semantics, entry.source)
    data = output.as_json(_json(found, model)) if args.format == "json" else None
    code = output.deliver(_covered(found), data, None)
    if interrupt is not None:
        raise interrupt
    return max(code, Exit.HOLDS if found.complete or not found.missing else Exit.UNKNOWN)


def violations(args: argparse.Namespace) -> Exit:
    """Find counterexamples that differ, and show them: `check --all N`."""
    begin = time.monotonic()
    _check_beside_all(args)
    entry, settings, model = inputs.chosen_model(args)
    asked = inputs.chosen_properties(model, args.properties)
    names = [x for x in asked if model.properties[x].kind.value == "invariant"]
    if not names:
        raise UserError("--all tells the violations of invariants, and none is asked about")
    semantics = Semantics(model)
    try:
        read = expressions(entry, settings, model)
        view = None if args.view is None else term_of(semantics, args.view, read)
    except UserError as error:
        raise UserError(f"--view {args.view}: write {error}") from error
    goals = Violations(semantics, names, view, args.all)
    found, interrupt = _searched(args, begin, semantics, goals, args.max_states or MOST_STATES)
    told: list[Part] = []
    shortest_first = found.runs[::-1]
    for number, (trace, (way, *_)) in enumerate(shortest_first, start=1):
        told += [f"{number}. {way}", *lines(semantics, trace), ""]
    ended = "there are no more" if found.complete else _within(found)
    if found.beyond is not None:
        told += [*lines(semantics, found.beyond), ""]
    told.append(f"{counted(len(found.runs), 'counterexample')}, each to another violation; {ended}")
    runs = [{"way": ways[0], "run": document(model, trace, entry.source)} for trace, ways in shortest_first]
    beyond = None if found.beyond is None else document(model, found.beyond, entry.source)
    document_of_all = {
        "protocol": model.protocol,
        "complete": found.complete,
        "counterexamples": runs,
        "out_of_bounds": beyond,
    }
    code = output.deliver(told, output.as_json(document_of_all) if args.format == "json" else None, args.out)
    if interrupt is not None:
        raise interrupt
    if found.runs:
        return max(code, Exit.VIOLATED)
    if found.beyond is not None:
        return max(code, Exit.OUT_OF_BOUNDS)
    return max(code, Exit.HOLDS if found.complete else Exit.UNKNOWN)


def _check_beside_all(args: argparse.Namespace) -> None:
    """Check that all options given have a meaning beside --all, whose search has limits and no engine."""
    mute = {"engine": "--engine", "solver": "--solver", "proof": "--proof", **flags("check")}
    given = [
        flag
        for name, flag in mute.items()
        if name not in ("depth", "max_states") and getattr(args, name) not in (None, [])
    ]
    given += ["--deadlock"] if args.deadlock else []
    given += ["--fail-fast"] if args.fail_fast else []
    given += [f"--traces {args.traces}"] if every_trace(args) else []
    given += [f"--format {args.format}"] if args.format not in ("text", "json") else []
    if given:
        raise UserError(
            f"--all goes through the states for invariants, and writes text or json: leave out {', '.join(given)}"
        )


def _searched(
    args: argparse.Namespace, begin: float, semantics: Semantics, goals: Goals, most_states: int
) -> tuple[Covered, KeyboardInterrupt | None]:
    """The runs that meet the goals, and Ctrl-C if that has ended the search."""
    stopped, interrupt = None, None
    limits = Limits(args.timeout, args.memory).since(begin).within_machine()
    with live("covering: ") as show:
        search = Coverage(
            semantics,
            goals,
            args.depth,
            most_states,
            lambda states, met: show(f"{counted(states, 'state')}, {counted(met, 'goal')} met"),
        )
        try:
            with limited(limits):
                search.run()
        except (TimeIsOver, MemoryError) as error:
            stopped = stop_at(error, limits).text
        except KeyboardInterrupt as error:
            stopped, interrupt = "interrupted", error
    return search.covered(stopped), interrupt


def _write(folder: Path, found: Covered, semantics: Semantics, source: str) -> None:
    """Write the runs. Those of an earlier time that are numbered higher go."""
    for number, (trace, _) in enumerate(found.runs, start=1):
        stem = folder / f"run-{number}"
        for form, suffix in _FORMS.items():
            text = (
                log_of(semantics.model, trace)
                if form == "ndjson"
                else output.written_trace(form, semantics, trace, source, None)
            )
            output.write_out(Path(f"{stem}{suffix}"), text, f"--out {folder}:")
    number = len(found.runs) + 1
    while (folder / f"run-{number}.json").exists():
        for suffix in _FORMS.values():
            with suppress(FileNotFoundError):
                (folder / f"run-{number}{suffix}").unlink()
        number += 1
    tell(f"wrote {counted(len(found.runs), 'run')} to {folder}")


def _unmet(found: Covered) -> str:
    """The state of the goals that no run meets."""
    return "proved unreachable" if found.complete else f"not {_within(found)}"


def _within(found: Covered) -> str:
    """How far a search went that is not complete, and why it ended there."""
    why = f" ({found.stopped})" if found.stopped else ""
    return f"found within {counted(found.states, 'state')}{why}"


def _json(found: Covered, model: Model) -> dict[str, object]:
    return {
        "protocol": model.protocol,
        "states": found.states,
        "complete": found.complete,
        "runs": [
            {"steps": trace.length, "goals": list(goals), "actions": [x.action for x in trace.steps]}
            for trace, goals in found.runs
        ],
        "missing": list(found.missing),
        "missing_are": _unmet(found) if found.missing else None,
    }


def _covered(found: Covered) -> Iterator[Part]:
    rows = [
        [str(number), str(trace.length), str(len(goals)), goals[0] + (", ..." if len(goals) > 1 else "")]
        for number, (trace, goals) in enumerate(found.runs, start=1)
    ]
    if rows:
        yield from (Table(["run", "steps", "goals", "such as"], rows), "")
    yield from (f"{_unmet(found)}: {goal}" for goal in found.missing[:_MOST_TOLD])
    if len(found.missing) > _MOST_TOLD:
        yield f"and {len(found.missing) - _MOST_TOLD:,} more, which --format json tells"
    wanted = found.met + len(found.missing)
    yield f"{found.met:,} of {counted(wanted, 'goal')} met by {counted(len(found.runs), 'run')}"

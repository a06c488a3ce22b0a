"""Commands that put one query to an engine and report its answer, such as `check` and `explore`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_type_hints

from leadline.symbolic.catalog import Entry
from leadline.symbolic.cli.inputs import (
    add_properties,
    add_protocol,
    at_least,
    chosen_model,
    chosen_properties,
    seconds,
)
from leadline.symbolic.cli.output import (
    Exit,
    Report,
    add_format,
    as_json,
    check_writable,
    deliver,
    tell,
    worst,
    written_trace,
)
from leadline.symbolic.cli.progress import live
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import (
    AUTO,
    ENGINES,
    Answer,
    Engine,
    Interrupted,
    Limits,
    Listener,
    Progress,
    Query,
    Result,
    Table,
    Verdict,
    answer,
    engines_of,
)
from leadline.symbolic.engines.result import verdict_text
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.lang.names import counted
from leadline.symbolic.solve import LONE, SOLVERS
from leadline.symbolic.trace import DEADLOCK, Trace, cti_lines, end_reason, lines, read_cti
from leadline.symbolic.trace.trace import title


def add_command(commands: Any, command: str) -> argparse.ArgumentParser:
    """Declare a command that asks an engine about properties of a protocol."""
    (engine, *_) = engines_of(command).values()
    parser: argparse.ArgumentParser = commands.add_parser(command, help=engine.summary)
    add_protocol(parser)
    add_properties(parser)
    add_question(parser, command)
    add_format(parser, "text", "json", "itf", "tla", out=True)
    parser.set_defaults(run=run, command=command)
    return parser


def add_question(parser: argparse.ArgumentParser, command: str) -> None:
    """Declare the options of a command's engines, the solver, and limits."""
    engines = engines_of(command)
    if len(engines) > 1:
        parser.add_argument(
            "--engine", choices=engines, help="the engine (default: the first that fits the question)"
        )
    options: dict[str, tuple[Engine, Field[Any]]] = {}
    for engine in engines.values():
        for one in fields(engine.options):
            options.setdefault(one.name, (engine, one))
    for engine, one in options.values():
        if one.metadata.get("doc"):
            _add_option(parser, engine, one)
    solvers = any(engine.takes_solver for engine in engines.values())
    if solvers:
        parser.add_argument(
            "--solver",
            choices=(*SOLVERS, AUTO),
            help=f"the solver (default: {AUTO}, which runs both on two cores, and {LONE} on one)",
        )
    parser.add_argument("--timeout", type=seconds, metavar="S", help="stop after S seconds")
    parser.add_argument(
        "--memory",
        type=at_least(1, Limits.LARGEST),
        metavar="MB",
        help="stop at MB megabytes" + (", each solver at so many where two run" if solvers else ""),
    )


def _add_option(parser: argparse.ArgumentParser, engine: Engine, one: Field[Any]) -> None:
    """Declare an option of an engine by its field."""
    kind = get_type_hints(engine.options)[one.name]
    about, flag = one.metadata, _flag(one)
    more: dict[str, Any] = {"dest": one.name, "help": about["doc"]}
    if kind is bool:
        more |= {"action": "store_const", "const": "negated" not in about}
    elif kind in (int, int | None):
        more |= {"type": at_least(about["low"], about.get("most")), "metavar": about["metavar"]}
    elif "choices" in about:
        more |= {"choices": about["choices"]}
    else:
        more |= {"action": "append", "metavar": about["metavar"]}
    parser.add_argument(flag, **more)


def query_of(
    args: argparse.Namespace,
    command: str,
    entry: Entry,
    settings: Mapping[str, Any],
    model: Model,
    names: Sequence[str],
) -> Query:
    """The query of a command line.

    Raises:
        UserError: if the engine that is named does not have an option that is given.
    """
    given = {name: value for name, value in vars(args).items() if value is not None and value != []}
    engine = _engine(args, command, given, model, names)
    own = {one.name: given.get(one.name) for one in fields(engine.options)}
    own = {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}
    return Query(
        entry.source,
        settings,
        tuple(names),
        engine.options.chosen(own),
        given.get("solver", AUTO),
        seed=given.get("seed", 0),
        deadlock=given.get("deadlock", False),
    )


def _engine(
    args: argparse.Namespace, command: str, given: Mapping[str, Any], model: Model, names: Sequence[str]
) -> Engine:
    """The engine that is named, or the first that has the options that are given and suits the properties."""
    engines = engines_of(command)
    options = {one.name: one for engine in engines.values() for one in fields(engine.options)}
    asked = {name for name in given if name in options}
    able = [
        engine
        for engine in engines.values()
        if asked <= {one.name for one in fields(engine.options)}
        and (engine.takes_solver or "solver" not in given)
    ]
    wanted = engines.get(getattr(args, "engine", None) or "")
    if wanted is not None and wanted not in able:
        known = {one.name for one in fields(wanted.options)}
        wrong = next((_flag(options[name]) for name in sorted(asked - known)), "--solver")
        raise UserError(f"{wrong} means nothing to the engine {wanted.name}: leave one of them out")
    if not able:
        flags = ", ".join(_flag(options[name]) for name in sorted(asked))
        raise UserError(f"no engine takes all of {flags}: leave some out")
    suited = [one for one in able if all(one.suits(model, name, one.options()) for name in names)]
    return wanted or next(iter(suited or able))


def _flag(one: Field[Any]) -> str:
    """The name of an engine's option on the command line."""
    about = one.metadata
    return f"--{about.get('negated') or about.get('flag') or one.name.replace('_', '-')}"


def run(args: argparse.Namespace) -> Exit:
    """Have a query answered, and report the verdicts with their counterexamples."""
    _, code = asked(args)
    return code


def asked(args: argparse.Namespace) -> tuple[Asked, Exit]:
    """Have a query answered and report the answer; also return both, for what follows from it."""
    check_writable(args.out)
    found = Asked.of(args)
    found.put(f"{found.engine.doing} {found.model.protocol}", Limits(args.timeout, args.memory))
    found.deliver(args.format, args.out)
    return found, found.exit()


class Asked:
    """A query and its answer.

    Args:
        entry: the protocol.
        model: the model that it makes.
        query: the question.
    """

    def __init__(self, entry: Entry, model: Model, query: Query) -> None:
        self.entry = entry
        self.model = model
        self.query = query
        self.engine = ENGINES[query.engine]
        self.answer = Answer(())
        self.tells_winner = False

    @classmethod
    def of(cls, args: argparse.Namespace) -> Asked:
        """The query of a command line.

        Raises:
            UserError: if there is nothing to ask.
        """
        entry, settings, model = chosen_model(args)
        names = chosen_properties(model, args.properties)
        found = cls(entry, model, query_of(args, args.command, entry, settings, model, names))
        found.tells_winner = getattr(args, "solver", None) == AUTO
        if found.engine.needs_property and not names and not args.deadlock:
            raise UserError(
                f"there is nothing to check: {entry.name} has no property at these parameters; state one, or "
                "ask for deadlocks with --deadlock"
            )
        return found

    # -- asking -------------------------------------------------------------------------------------

    def put(
        self,
        what: str,
        limits: Limits,
        ask: Callable[[Listener], Answer] | None = None,
    ) -> None:
        """Have the query answered; on Ctrl-C, show the answers so far first.

        Args:
            what: the work, for the line that shows progress.
            limits: the most that it may use.
            ask: answers it in another way than `answer`.
        """
        so_far: dict[Any, Result] = {}
        reached: dict[str, Progress] = {}
        count = len(self.engine.parts(self.model, self.query))
        with live(what) as show:

            def progress(now: Progress) -> None:
                reached[now.engine] = now
                show("; ".join(map(str, reached.values())))

            def told(result: Result) -> None:
                so_far[result.about] = result
                if result.part is not None:
                    show(f"{len(so_far)} of {count} parts")

            listener = Listener(progress, told, told)
            try:
                self.answer = ask(listener) if ask else answer(self.model, self.query, limits, listener)
                return
            except Interrupted as interrupted:
                self.answer = interrupted.answer
                self.report().show()
                raise
            except KeyboardInterrupt:
                pass
        self.answer = Answer(list(so_far.values()))
        self.report().show()
        tell(self._interrupted(list(reached.values())))
        raise KeyboardInterrupt

    def _interrupted(self, reached: Sequence[Progress]) -> str:
        """A sentence on the progress of an interrupted search, or of each of several."""
        parts = self.engine.parts(self.model, self.query)
        if any(part for _, part in parts):
            return f"interrupted; {len(self.answer.results)} of {counted(len(parts), 'part')} answered so far"
        known = {one.property for one in self.answer.results}
        left = ", ".join(name for name, _ in parts if name not in known) or "nothing left to search"
        if len(reached) > 1:
            far = "; ".join(f"{now.engine}: {now}" for now in reached)
            return f"interrupted; no answer so far: {left} ({far})"
        depth = f"within {reached[0].depth} steps" if reached else "at any depth"
        return f"interrupted; no counterexample {depth} so far: {left}"

    # -- the answer ---------------------------------------------------------------------------------

    @property
    def verdicts(self) -> Sequence[Result]:
        """A result for each property."""
        return self.engine.verdicts(self.model, self.query, self.answer)

    def exit(self) -> Exit:
        """The exit code."""
        codes = [exit_of(one.property, one.verdict) for one in self.verdicts]
        if self.answer.out_of_bounds is not None:
            codes.append(Exit.OUT_OF_BOUNDS)
        if self.answer.facts.get("stopped") is not None:
            codes.append(Exit.UNKNOWN)
        return worst(codes)

    def deliver(self, form: str, out: Path | None) -> None:
        """Write the answer in a format, to a file or to standard output."""
        if form == "text":
            deliver(self.report(), None, out)
        elif form == "json":
            document = self.engine.as_json(self.model, self.query, self.answer)
            deliver(self.report(), as_json(document), out)
        else:
            self._deliver_trace(form, out)
        if not self.tells_winner:
            return
        winners = dict.fromkeys(one.solver for one in self.verdicts if one.solver not in (None, AUTO))
        if winners:
            tell(f"answered by {', '.join(map(str, winners))}")

    def _deliver_trace(self, form: str, out: Path | None) -> None:
        """Write the counterexample of the worst verdict, and the verdicts to standard error."""
        semantics = Semantics(self.model)
        for result in self.verdicts:
            tell(f"{result.property}: {verdict_text(self.model, result)}")
        for line in self._reasons(semantics):
            tell(line)
        traces = self._traces(sorted(self.verdicts, key=lambda result: -result.verdict))
        if not traces:
            tell(f"there is no counterexample to write as {form}")
            return
        if len(traces) > 1:
            tell(f"one of {len(traces)} counterexamples is written; choose another with --property")
        text = written_trace(form, semantics, traces[0], self.entry.source, out)
        deliver(Report(), text, out)

    def report(self) -> Report:
        """The answer for a person."""
        semantics = Semantics(self.model)
        report = Report()
        report.say(title(self.model))
        if self.answer.results or self.answer.facts:
            for part in self.engine.describe(self.model, self.query, self.answer):
                if isinstance(part, Table):
                    report.table(part.header, part.rows)
                else:
                    report.say(part)
        for line in self._reasons(semantics):
            report.say(line)
        for trace in self._traces(self.answer.results):
            report.say()
            report.trace(lines(self.model, trace, end_reason(semantics, trace)))
        self._add_cti(report, semantics)
        return report

    def _add_cti(self, report: Report, semantics: Semantics) -> None:
        """The first counterexample to induction."""
        failing = [one for one in self.answer.results if one.cti is not None]
        if not failing:
            return
        assert failing[0].cti is not None
        report.say()
        report.trace(cti_lines(semantics, read_cti(self.model, failing[0].cti)))
        if len(failing) > 1:
            report.say(f"{counted(len(failing) - 1, 'more obligation')} failed: see one with --obligation")

    def _reasons(self, semantics: Semantics) -> Iterator[str]:
        """The reasons of verdicts, where a trace or a counterexample to induction does not tell them."""
        found: dict[str, None] = {}
        for result in self.answer.results:
            # The last line of a trace that is out of bounds tells the reason; so does a CTI.
            shown = end_reason(semantics, result.trace) if result.trace is not None else None
            if result.reason != shown and not result.fails:
                found[f"{'unknown' if result.part else result.property}: {result.reason}"] = None
        yield from found

    def _traces(self, results: Sequence[Result]) -> list[Trace]:
        """The traces, each once: one step out of bounds may be the reason of several verdicts."""
        traces = [*(result.trace for result in results), self.answer.out_of_bounds]
        return list({id(trace): trace for trace in traces if trace is not None}.values())


def exit_of(name: str, verdict: Verdict) -> Exit:
    """The exit code for one verdict about a property."""
    if verdict is Verdict.VIOLATED:
        return Exit.DEADLOCK if name == DEADLOCK else Exit.VIOLATED
    return {Verdict.OUT_OF_BOUNDS: Exit.OUT_OF_BOUNDS, Verdict.UNKNOWN: Exit.UNKNOWN}.get(verdict, Exit.HOLDS)

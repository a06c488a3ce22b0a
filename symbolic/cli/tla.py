"""`leadline explore` and `leadline show` of TLA+ modules."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline.symbolic.api.asked import distinct
from leadline.symbolic.api.progress import live
from leadline.symbolic.cli.output import Report, as_json, check_writable, deliver, exit_of, worst
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.concrete import Level
from leadline.symbolic.engines import Answer, Interrupted, Limits, Result, Verdict
from leadline.symbolic.engines.explore import Explore, ExploreOptions, explored, extent
from leadline.symbolic.engines.judgement import judged
from leadline.symbolic.engines.limits import timely
from leadline.symbolic.engines.specifications import explore_specification
from leadline.symbolic.files import is_there
from leadline.symbolic.lang import ParameterError, PropertyKind, UserError, counted
from leadline.symbolic.tla.protocol import NoBehaviour
from leadline.symbolic.tla.read.config import read_config
from leadline.symbolic.tla.read.specification import Specification, load
from leadline.symbolic.tla.read.syntax import Apply
from leadline.symbolic.tla.values import words
from leadline.symbolic.tla.values.alias import Field, fields_of
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.values import EvaluationError, tla_text
from leadline.symbolic.trace import Line, LineKind, Trace, TraceEnd
from leadline.symbolic.trace.formats import FORMAT
from leadline.symbolic.trace.text import after, going_on, step_lines
from leadline.symbolic.trace.trace import Step, in_steps


def loaded(args: argparse.Namespace) -> Specification:
    """The specification of a command line.

    Raises:
        ModelError: with the mistakes in it.
        UserError: if a file cannot be read, or a constant is given wrongly.
    """
    path = Path(args.protocol)
    beside = path.with_suffix(".cfg")
    file = args.config or (beside if is_there(beside) else None)
    config = read_config(file) if file is not None else None
    values: dict[str, str] = {}
    for text in args.settings:
        name, equals, value = text.partition("=")
        if not equals or name in values:
            repair = "it is given twice" if equals else f"write it as -p {text or 'NAME'}=VALUE"
            raise ParameterError(f"-p {text}: {repair}")
        values[name] = value
    return load(path, config, args.path, values, args.invariants, getattr(args, "properties", []))


def check_plain(args: argparse.Namespace) -> None:
    """Check that no option is given that only protocols in Python have.

    Raises:
        UserError: if one is.
    """
    if args.every_state is not None:
        raise UserError("--every-state is for protocols in Python: leave VIEW out of the configuration")
    if args.symmetry is not None:
        raise UserError(
            "--symmetry is for protocols in Python: for a TLA+ module write SYMMETRY into its configuration"
        )


def explore(args: argparse.Namespace) -> Exit:
    """Explore a module, and report the verdicts with their counterexamples."""
    check_writable(args.out)
    check_plain(args)
    with timely(args.protocol, args.timeout):
        specification = loaded(args)
        if specification.init is None and specification.next is None and specification.assumptions:
            return assume(specification, args)
        behaviour = Behaviour(specification, counting=bool(args.coverage))
    options = ExploreOptions(args.depth, args.max_states, coverage=bool(args.coverage))
    return _answered(behaviour, options, Limits(args.timeout, args.memory), args)


def check(args: argparse.Namespace, limits: Limits) -> Exit:
    """Explore a module in place of other engines, every state whatever its VIEW is."""
    with timely(args.protocol, limits.seconds):
        behaviour = Behaviour(replace(loaded(args), view=None))
    part = Explore.in_portfolio
    return _answered(behaviour, replace(part, depth=args.depth, vacuity=False), limits, args, brief=True)


def _answered(
    behaviour: Behaviour,
    options: ExploreOptions,
    limits: Limits,
    args: argparse.Namespace,
    brief: bool = False,
) -> Exit:
    """Explore a module, and report the answer."""
    specification = behaviour.specification
    deadlock = specification.deadlock or args.deadlock
    limits = limits.within_machine()
    try:
        with live(f"exploring {specification.name}") as show:

            def progress(level: Level) -> None:
                show(f"{counted(level.states, 'state')} within {counted(level.depth, 'step')}")

            answer = explore_specification(behaviour, options, limits, progress, deadlock=deadlock)
    except Interrupted as interrupted:
        _Told(behaviour, interrupted.answer, args.protocol, brief).report().show()
        raise
    if behaviour.symmetry is not None and (remark := behaviour.symmetry.remark()) is not None:
        tell(remark)
    told = _Told(behaviour, answer, args.protocol, brief)
    told.deliver(args.format, args.out)
    return told.exit()


def assume(specification: Specification, args: argparse.Namespace) -> Exit:
    """Evaluate the assumptions of a module without behaviour, and say that there are no states."""
    Interpreter(specification).assume()
    held = counted(len(specification.assumptions), "assumption")
    report = Report()
    report.say(f"{specification.name}: {held} evaluated and true; the module has no behaviour to explore")
    if args.format == "json":
        facts = {"protocol": specification.name, "assumptions": len(specification.assumptions)}
        deliver(report, as_json({**facts, "states": 0, "complete": True, "properties": {}}), args.out)
    else:
        deliver(report, None, args.out)
    return Exit.HOLDS


def assumed(error: UserError, args: argparse.Namespace) -> Exit:
    """Evaluate the assumptions of a module that has nothing else.

    Raises:
        UserError: the error itself, if it says something else of the module.
    """
    if not isinstance(error, NoBehaviour) or not error.specification.assumptions:
        raise error
    return assume(error.specification, args)


class _Told:
    """An answer in words.

    Args:
        brief: whether to leave out how many states there are within each number of steps.
    """

    def __init__(self, behaviour: Behaviour, answer: Answer, source: str, brief: bool = False) -> None:
        self.brief = brief
        self.behaviour = behaviour
        self.specification = behaviour.specification
        self.answer = answer
        self.source = source

    def exit(self) -> Exit:
        """The exit code."""
        about_runs = dict.fromkeys(self.specification.properties, PropertyKind.TEMPORAL)
        codes = [
            exit_of(one.property, about_runs.get(one.property), one.verdict, judged(None, one.verdict))
            for one in self.answer.results
        ]
        if self.answer.out_of_bounds is not None:
            codes.append(Exit.OUT_OF_BOUNDS)
        if self.answer.facts["stopped"] is not None:
            codes.append(Exit.UNKNOWN)
        return worst(codes)

    def deliver(self, form: str, out: Path | None) -> None:
        """Write the answer in a format."""
        if form == "text":
            deliver(self.report(), None, out)
            return
        if form == "json":
            deliver(self.report(), as_json(self.json()), out)
            return
        traces = self.traces()
        if form != "itf":
            raise UserError(f"--format {form} is not for the exploration of TLA+ modules: use itf or json")
        if not traces:
            tell(f"there is no counterexample to write as {form}")
            return
        if len(traces) > 1:
            tell(f"one of {len(traces)} counterexamples is written; choose another with --invariant")
        deliver(Report(), as_json(self.itf(traces[-1])), out)

    def traces(self) -> list[Trace]:
        """The traces, each once, the worst verdict's last."""
        results = sorted(self.answer.results, key=lambda result: result.verdict)
        return distinct([self.answer.out_of_bounds, *(result.trace for result in results)])

    def title(self) -> str:
        """The module with its constants."""
        shown = [f"{name} = {tla_text(value)}" for name, value in self.constants().items()]
        return f"{self.specification.name} ({', '.join(shown)})" if shown else self.specification.name

    def constants(self) -> dict[str, Any]:
        """The values of the constants; operators are left out."""
        interpreter = self.behaviour.interpreter
        found = {}
        for one in self.specification.constants:
            if one.arity == 0:
                with suppress(EvaluationError):  # an infinite set has no value to be shown
                    found[one.name] = interpreter.constant(Apply(one.name))
        return found

    def report(self) -> Report:
        """The answer for a person."""
        report = Report()
        report.say(self.title())
        shown = {one.name: one.name for one in self.behaviour.actions}
        report.parts += [extent(self.answer.facts)] if self.brief else explored(self.answer.facts, shown)
        results = self.answer.results
        if results:
            report.say()
            rows = [[x.property, str(x.verdict), "-" if x.steps is None else str(x.steps)] for x in results]
            report.table(["property", "verdict", "steps"], rows)
        for one in results:
            if one.why is not None and one.trace is None:
                report.say(f"{one.property}: {one.why}")
        for trace in self.traces():
            report.say()
            report.trace(self.lines(trace))
        return report

    def reason(self, trace: Trace) -> str:
        """The error at the end of a trace that is out of bounds."""
        return next((one.reason for one in self.answer.results if one.trace is trace and one.reason), "")

    def finding(self, trace: Trace) -> str:
        """The error of a trace in a few words."""
        if trace.ends is TraceEnd.DEADLOCK:
            return f"deadlock {after(trace.length)}"
        if trace.ends is TraceEnd.OUT_OF_BOUNDS:
            subject = f"{trace.property} has" if trace.last is not None else "an expression has"
            return f"{subject} no value {in_steps(trace.length)}"
        if trace.loop is not None:
            return f"{trace.property} violated by a run that {going_on(trace)}"
        return f"{trace.property} violated {in_steps(trace.length)}"

    def lines(self, trace: Trace) -> Iterator[Line]:
        """A trace: the initial state in full, then each action with what it changes."""
        yield Line(LineKind.HEAD, f"{self.specification.name}: {self.finding(trace)}")
        before: tuple[Any, ...] | None = None
        for number, (stage, aliases) in enumerate(zip(trace.stages, self.aliases(trace), strict=True)):
            below = [*self.parts(before, stage), *alias_lines(aliases)]
            yield from step_lines(number, self.call(stage), below)
            before = stage.state
        yield Line(LineKind.END, f"     {self.ending(trace)}")

    def ending(self, trace: Trace) -> str:
        """The error at the end of a trace."""
        if trace.ends is TraceEnd.DEADLOCK:
            return "Deadlock: no action is enabled."
        if trace.loop is not None:
            claim = f"{trace.property} is false of this run, which is fair."
            begin = "Nothing happens any more" if trace.stutters else f"Back to state {trace.loop}, for ever"
            return f"{begin}: {claim}"
        return self.reason(trace) if trace.ends is TraceEnd.OUT_OF_BOUNDS else f"{trace.property} is false."

    def aliases(self, trace: Trace) -> list[tuple[Field, ...]]:
        """The fields of ALIAS at each stage."""
        visited = [stage.state for stage in trace.stages if stage.state is not None]
        found = fields_of(self.behaviour.interpreter, visited, trace.loop)
        return [*found, *([()] * (len(trace.stages) - len(found)))]

    def call(self, step: Step) -> str:
        """A step's action with the names that it binds."""
        picks = [f"{name} = {tla_text(value)}" for name, value in step.picks.items()]
        name = "Init" if step.action == "init" else step.action
        return f"{name}({', '.join(picks)})" if picks else name

    def parts(self, before: tuple[Any, ...] | None, step: Step) -> list[str]:
        """The changes of a step, or all of an initial state."""
        if step.state is None:
            return []
        names = self.behaviour.variables
        if before is None:
            pairs = zip(names, step.state, strict=True)
            return [line for name, value in pairs for line in words.lines_of(name, value)]
        changed = zip(names, before, step.state, strict=True)
        found = [line for name, old, new in changed for line in words.changes(name, old, new)]
        return found or ["(nothing changes)"]

    def json(self) -> dict[str, Any]:
        """The answer for a program."""
        beyond = self.answer.out_of_bounds
        if self.brief:
            return {"results": [self._record(one) for one in self.answer.results]}
        return {
            **self._module_json(),
            "constraints": [str(one.place) for one in self.specification.constraints],
            **self.answer.facts,
            "properties": {one.property: self._result_json(one) for one in self.answer.results},
            "out_of_bounds": beyond and {"steps": beyond.length, "trace": self._trace_json(beyond)},
        }

    def _module_json(self) -> dict[str, Any]:
        parameters = {name: words.as_json(value) for name, value in self.constants().items()}
        return {"protocol": self.specification.name, "parameters": parameters}

    def _record(self, result: Result) -> dict[str, Any]:
        """A result as `check` writes it."""
        covered = result.verdict <= Verdict.UNKNOWN and result.depth >= 0
        return {
            **self._module_json(),
            "property": result.property,
            **self._result_json(result),
            "engine": result.engine,
            "depth": result.depth,
            "steps_covered": result.depth if covered else None,
            "reason": result.why,
            "cause": result.cause,
        }

    def _result_json(self, result: Result) -> dict[str, Any]:
        trace = None if result.trace is None else self._trace_json(result.trace)
        return {
            "verdict": str(result.verdict),
            "judgement": str(judged(None, result.verdict)),
            "steps": result.steps,
            "trace": trace,
        }

    def _trace_json(self, trace: Trace) -> dict[str, Any]:
        def picks(step: Step) -> dict[str, Any]:
            return {name: words.as_json(value) for name, value in step.picks.items()}

        names = self.behaviour.variables
        states = [stage.state for stage in trace.stages if stage.state is not None]
        aliases = [
            {one.name: words.as_json(one.value) for one in row if one.value is not None}
            for row in self.aliases(trace)[: len(states)]
        ]
        return {
            **self._module_json(),
            "source": self.source,
            "property": trace.property,
            "ends": str(trace.ends),
            "length": trace.length,
            "vars": list(names),
            **({} if trace.loop is None else {"loop": trace.loop}),
            "initial_picks": picks(trace.stages[0]),
            "actions": [{"name": step.action, "picks": picks(step)} for step in trace.steps],
            "states": [dict(zip(names, map(words.as_json, state), strict=True)) for state in states],
            **({} if self.specification.alias is None else {"aliases": aliases}),
        }

    def itf(self, trace: Trace) -> dict[str, Any]:
        """A trace in the Informal Trace Format."""
        names, shown = self.behaviour.variables, self.aliases(trace)
        aliases = list(dict.fromkeys(one.name for row in shown for one in row))
        states = [
            {"#meta": {"index": number, "action": self.call(stage)}}
            | dict(zip(names, map(words.as_itf, stage.state), strict=True))
            | {one.name: words.as_itf(one.value) for one in row if one.value is not None}
            for number, (stage, row) in enumerate(zip(trace.stages, shown, strict=True))
            if stage.state is not None
        ]
        meta: dict[str, Any] = {
            "format": "ITF",
            "format-description": FORMAT,
            "description": f"{self.title()}: {self.finding(trace)}",
            "ends": str(trace.ends),
        }
        if aliases:
            meta["aliases"] = aliases
        if trace.last is None:
            meta["out-of-bounds"] = self.reason(trace)
        loop = {} if trace.loop is None else {"loop": trace.loop}
        return {"#meta": meta, "params": [], "vars": [*names, *aliases], "states": states, **loop}


def alias_lines(row: Iterable[Field]) -> list[str]:
    """The lines of the fields of ALIAS at a state, such as `sum == 3`."""
    found = []
    for one in row:
        if one.value is None:
            found.append(f"{one.name} has no value: {one.why}")
        else:
            first, *rest = words.lines_of(one.name, one.value)
            found += [first.replace(f"{one.name} =", f"{one.name} ==", 1), *rest]
    return found


def show(args: argparse.Namespace) -> Exit:
    """Show a module: its constants, variables, actions and what to check of it."""
    specification = loaded(args)
    behaviour = Behaviour(specification)
    told = _Told(behaviour, Answer(()), args.protocol)
    facts = {
        "variables": list(specification.variables),
        "actions": [one.name for one in behaviour.actions],
        "invariants": list(specification.invariants),
        "properties": list(specification.properties),
    }
    if args.format == "json":
        return deliver(Report(), as_json({**told._module_json(), **facts}), None)
    report = Report()
    report.say(f"{specification.name}, {specification.file}")
    constants = [f"{name} = {tla_text(value)}" for name, value in told.constants().items()]
    for title, names in {"constants": constants, **facts}.items():
        report.say()
        report.say(f"{title}:{'' if names else ' none'}")
        for name in names:
            report.say(f"  {name}")
    return deliver(report, None, None)

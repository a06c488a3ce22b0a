"""Commands that put one query to an engine and report its answer: `check`, `explore` and `simulate`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from leadline.erasing import over_progress
from leadline.symbolic.api.asked import Asked
from leadline.symbolic.api.progress import live
from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.cli import inputs, output
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import (
    AUTO,
    Answer,
    Engine,
    Interrupted,
    Limits,
    Listener,
    Query,
    Result,
    Verdict,
    answer_in_child,
    engines_of,
)
from leadline.symbolic.engines.ask.choice import (
    chosen_query,
    kind_of,
    likely_engine,
    model_for,
    options_of,
)
from leadline.symbolic.engines.ask.engine import Limited
from leadline.symbolic.engines.ask.result import judgement, verdict_text
from leadline.symbolic.engines.run.process import start_server
from leadline.symbolic.lang import (
    Action,
    Model,
    NoBehaviour,
    OutOfBounds,
    Property,
    Setting,
    UserError,
    counted,
    in_tla,
    shortened,
)
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.meaning import Meaning, State
from leadline.symbolic.solve import LONE, PROVER, SOLVERS

FAILED, ALL = "failed", "all"
"""The runs that a report shows."""

_MOST_NODES = 500
_MOST_SHARDS = 10_000
_MOST_LEFT = 80


def check(parser: argparse.ArgumentParser) -> None:
    """Declare `check`."""
    declare(parser, "check")
    parser.add_argument(
        "--proof",
        type=Path,
        metavar="FILE",
        help=f"write a proof by {PROVER.title} that the properties found safe are safe: FILE.cnf is the "
        "formula that one of them fails or a step goes out of bounds (DIMACS), FILE its refutation (DRUP); "
        "--timeout and --memory limit the proof apart from the search",
    )
    parser.add_argument(
        "--all",
        metavar="N",
        type=inputs.at_least(1),
        help="tell up to N counterexamples to invariants, each to another violation: another value of --view, or "
        "without it another state up to the names of members",
    )
    parser.add_argument(
        "--view",
        metavar="EXPRESSION",
        help="with --all: the expression by which violations differ, as in `cover --goal`",
    )


def explore(parser: argparse.ArgumentParser) -> None:
    """Declare `explore`."""
    declare(parser, "explore")


def simulate(parser: argparse.ArgumentParser) -> None:
    """Declare `simulate`."""
    declare(parser, "simulate")
    about = "also write the first run, a line for each step, as a log that leadline conform reads"
    inputs.add_file(parser, "--log", "FILE.ndjson", about)


def declare(parser: argparse.ArgumentParser, command: str) -> None:
    """Declare a command that asks an engine about properties of a protocol."""
    inputs.add_protocol(parser)
    inputs.add_properties(parser)
    add_question(parser, command)
    output.add_format(parser, "text", "json", *output.TRACES, "markdown", "sarif", "problems", out=True)
    add_traces(parser)
    if command != "simulate":
        parser.add_argument(
            "--fail-fast", action="store_true", help="stop when the first property is found to fail"
        )
    if command == "explore":
        _add_graph(parser)
        _add_cluster(parser)
    parser.set_defaults(run=run, command=command, **_NOT_GIVEN)


_NOT_GIVEN: dict[str, Any] = {
    **dict.fromkeys(("all", "dot", "log", "master", "proof", "shards", "store", "view")),
    "conf": [],
    "fail_fast": False,
    "merge": [],
}
"""The values of the options that some commands have and others have not."""


def _add_graph(parser: argparse.ArgumentParser) -> None:
    about = (
        "also write the graph of the states for Graphviz, with the counterexample's path marked: of at most"
    )
    inputs.add_file(parser, "--dot", "FILE", f"{about} {_MOST_NODES} nodes")
    about = (
        "draw states as one that agree in a part of the state, such as role[s1], an alias, a property or an "
        "expression, such as 'now.waiting.size', in a TLA+ module 'Cardinality(votes)'; repeat it for several"
    )
    inputs.add_many(parser, "--merge", "EXPRESSION", about)


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master",
        metavar="URL",
        help="divide the states over the machines of Spark: its master, such as spark://HOST:PORT or local[2]",
    )
    parser.add_argument(
        "--store",
        metavar="DIR",
        help="with --master: the folder or URI of the levels that are done, which all machines reach; the same "
        "command again goes on from there (default: levels)",
    )
    parser.add_argument(
        "--shards",
        metavar="N",
        type=inputs.at_least(1, _MOST_SHARDS),
        help="with --master: divide the states into N parts (default: one for each task that Spark runs at once)",
    )
    inputs.add_conf(parser, "with --master: ")


def add_traces(parser: argparse.ArgumentParser) -> None:
    """Declare --traces."""
    parser.add_argument(
        "--traces",
        choices=(FAILED, ALL),
        default=FAILED,
        help=f"the runs to show as text: those of properties that fail (default), or {ALL}, also those that reach "
        "a probe",
    )


def every_trace(args: argparse.Namespace) -> bool:
    """Whether to show runs that are no errors."""
    return bool(args.traces == ALL)


def add_question(parser: argparse.ArgumentParser, command: str) -> None:
    """Declare the options of a command's engines, the solver, and limits."""
    engines = engines_of(command)
    if len(engines) > 1:
        parser.add_argument(
            "--engine", choices=engines, help="the engine (default: the first that fits the question)"
        )
    for engine, one in options_of(command).values():
        _add_option(parser, engine, one)
    solvers = any(engine.takes_solver for engine in engines.values())
    if solvers:
        parser.add_argument(
            "--solver",
            choices=(*SOLVERS, AUTO),
            help=f"the solver (default: {AUTO}, which runs both on two cores, and {LONE} on one)",
        )
    each = ", each solver at so many where two run" if solvers else ""
    inputs.add_limits(parser, "; loading has as many apart", each)


def _add_option(parser: argparse.ArgumentParser, engine: Engine, one: Field[Any]) -> None:
    kind, about, flag = kind_of(engine, one), one.metadata, _flag(one)
    more: dict[str, Any] = {"dest": one.name, "help": about["doc"]}
    if kind is bool:
        more |= {"action": "store_const", "const": "negated" not in about}
    elif kind in (int, int | None):
        more |= {"type": inputs.at_least(about["low"], about.get("most")), "metavar": about["metavar"]}
    elif "choices" in about:
        more |= {"choices": about["choices"]}
    elif kind == str | None:
        more |= {"metavar": about["metavar"]}
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
) -> tuple[Query, str]:
    """The query of a command line, and why its engine was chosen; "" if it is named there.

    Raises:
        UserError: if the engine that is named does not have an option that is given.
    """
    known = flags(command)
    return chosen_query(
        command, entry.source, settings, model, names, _given(args), lambda name: known.get(name, f"--{name}")
    )


def _given(args: argparse.Namespace) -> dict[str, Any]:
    return {name: value for name, value in vars(args).items() if value is not None and value != []}


def flags(command: str) -> dict[str, str]:
    """The options of a command's engines by name, as they are written."""
    return {name: _flag(one) for name, (_, one) in options_of(command).items()}


def _flag(one: Field[Any]) -> str:
    about = one.metadata
    return f"--{about.get('negated') or about.get('flag') or one.name.replace('_', '-')}"


def run(args: argparse.Namespace) -> Exit:
    """Have a query answered, and report the verdicts with their counterexamples."""
    if args.all is not None:
        # Here, since few checks ask for several counterexamples.
        from leadline.symbolic.cli.conform import violations

        return violations(args)
    if args.view is not None:
        raise UserError("--view tells counterexamples of --all N apart: add --all")
    if args.proof is not None:
        _check_proof(args)
    logged = None if args.log is None else inputs.chosen_model(args)[2]
    try:
        question = _put(args)
    except NoBehaviour as found:
        return _assumed(found, args)
    question.deliver()
    if logged is not None:
        _write_log(args.log, question.query, logged)
    if args.proof is None:
        return question.exit()
    return output.worst(
        [question.exit(), _write_proof(args.proof, question, Limits(args.timeout, args.memory))]
    )


def _write_log(path: Path, query: Query, model: Model) -> None:
    """Write the first run of a simulation as a log, line by line: it may be very long."""
    # Here, since other commands write no logs.
    from leadline.symbolic.conform.logs import log_line
    from leadline.symbolic.engines.explore.simulate import SimulateOptions, random_run, weights_of

    options = query.options_as(SimulateOptions)
    run = random_run(Semantics(model), Random(options.seed), weights_of(model, options))
    try:
        with path.open("w", encoding="utf-8") as file:
            for one in islice(run, options.depth + 1):
                if one.state is not None:
                    file.write(log_line(model, one.action, one.picks, one.state))
    except OSError as error:
        tell(f"--log {path}: {error.strerror}: the log is incomplete")
    else:
        tell(f"wrote {path}")


def _assumed(found: NoBehaviour, args: argparse.Namespace) -> Exit:
    held = counted(found.assumptions, "assumption")
    told = f"{found.name}: {held} evaluated and true; the module has no behaviour to explore"
    facts = {"protocol": found.name, "assumptions": found.assumptions}
    document = {**facts, "states": 0, "complete": True, "properties": {}}
    output.deliver([told], output.as_json(document) if args.format == "json" else None, args.out)
    return Exit.HOLDS


def expressions(entry: Entry, settings: Mapping[str, Setting], model: Model) -> Callable[[str], Node]:
    """Reads expressions about a protocol's state on the command line."""

    def read(text: str) -> Node:
        # Here, since most questions have none.
        from leadline.symbolic.api.workbench import expression_of

        return expression_of(entry, settings, model, text)

    return read


def _put(args: argparse.Namespace) -> Question:
    begin = time.monotonic()
    output.check_writable(args, "out", "dot", "log", "proof")
    if args.merge and args.dot is None:
        raise UserError("--merge is for the graph of states: add --dot FILE")
    engine = likely_engine(args.command, _given(args))
    # Processes about a module are copies of this one.
    if not args.protocol.endswith(".tla") and (engine is None or engine.limited is Limited.KILLED):
        start_server()
    if args.master is not None:
        args.by = args.by or "circuits"
    found = Question.of(args)
    found.fail_fast = args.fail_fast
    found.form, found.out = args.format, args.out
    limits = Limits(args.timeout, args.memory).since(begin)
    if args.command != "simulate":
        most = "" if args.timeout is None else f" up to {args.timeout:g} s in all"
        found.ends = f"{most}; --fail-fast ends it there"
    graph = None if args.dot is None else _Graph(found, args, limits)
    how = _on_spark(found, args) if args.master is not None else None
    if how is None and (args.store or args.shards or args.conf):
        raise UserError("--store, --shards and --conf are for the machines of Spark: add --master URL")
    found.ask(f"{found.wording.doing} {found.model.protocol}", limits, how)
    if graph is not None:
        graph.write(found)
    return found


def _on_spark(found: Question, args: argparse.Namespace) -> Callable[[Model, Listener], Answer]:
    if Limits(args.timeout, args.memory):
        raise UserError("--timeout and --memory are for one machine: leave them out with --master")
    # Here, since nothing else needs Spark.
    from leadline.symbolic.grid.levels import explored
    from leadline.symbolic.grid.remote import place_of
    from leadline.symbolic.grid.session import SparkSetup

    setup = SparkSetup(args.master, conf=dict(args.conf))
    folder = place_of(args.store or "levels")

    def answered(model: Model, listener: Listener) -> Answer:
        answer, sent = explored(model, found.query, setup, folder, args.shards, listener)
        tell(f"{counted(sent, 'byte')} of states were sent between shards; the levels are in {folder}")
        return answer

    return answered


class Question(Asked):
    """The query of a command line and its answer."""

    tells_winner = False
    every_trace = False
    fail_fast = False
    ends = ""
    """The text that tells how a search ends that goes on after a violation; "" once it is told."""
    form = "text"
    """The format of the answer."""
    out: Path | None = None
    """The file of the answer; None for standard output."""

    @classmethod
    def of(cls, args: argparse.Namespace) -> Question:
        """The query of a command line.

        Raises:
            UserError: if there is nothing to ask.
        """
        # Machines of Spark explore formulas.
        spark = getattr(args, "master", None) is not None
        make = model_of if spark else partial(model_for, args.command, given=_given(args))
        entry, settings, model = inputs.chosen_model(args, make)
        names = inputs.chosen_properties(model, args.properties)
        query, _ = query_of(args, args.command, entry, settings, model, names)
        found = cls(entry, model, query)
        found.every_trace = every_trace(args)
        found.tells_winner = getattr(args, "solver", None) == AUTO
        found.check_asks("--deadlock")
        specification = getattr(model.origin, "specification", None)
        told = found.query.engine in ("explore", "portfolio")
        if specification is not None and specification.postconditions and not told:
            later = ", ".join(specification.postconditions)
            tell(f"POSTCONDITION {later}: only leadline explore tells whether it holds")
        return found

    def ask(self, what: str, limits: Limits, how: Callable[[Model, Listener], Answer] | None = None) -> None:
        """Have the query answered; on Ctrl-C, deliver the answers so far first.

        Args:
            what: the work, for the line that shows progress.
            limits: the most that it may use.
            how: answers it in another way than `answer`.
        """
        try:
            with live(what) as progress:
                self.put(limits, lambda _: None, progress, how, early=self._tell, fail_fast=self.fail_fast)
        except Interrupted as interrupted:
            self.deliver()
            if interrupted.message:
                tell(interrupted.message)
            raise

    def _tell(self, result: Result, open_: Sequence[str]) -> None:
        """Tell of a property that fails, or of what goes out of bounds, while the search goes on for others."""
        steps = "" if result.steps is None else f" in {counted(result.steps, 'step')}"
        why = f" ({result.reason})" if result.reason else ""
        left = f" for {shortened(', '.join(open_), _MOST_LEFT)}" if open_ else ""
        ends, self.ends = self.ends, ""
        tell(
            f"{result.property}: {verdict_text(self.model, result)}{steps}{why}; the search{left} goes on{ends}"
        )
        if self.form == "text" and self.out is None:
            print(over_progress(""), end="", file=sys.stderr, flush=True)
            output.show(["", *self.failure(result), ""])

    def exit(self) -> Exit:
        """The exit code."""
        kinds = {name: one.kind for name, one in self.model.properties.items()}
        codes = [
            output.exit_of(one.property, kinds.get(one.property), one.verdict, judgement(self.model, one))
            for one in self.verdicts
        ]
        if self.answer.out_of_bounds is not None:
            codes.append(Exit.OUT_OF_BOUNDS)
        if self.answer.facts is not None and self.answer.facts.ended_early() is not None:
            codes.append(Exit.UNKNOWN)
        if self.answer.facts is not None and self.answer.facts.assumption_failed():
            codes.append(Exit.ASSUMPTION)
        return output.worst(codes)

    def deliver(self) -> None:
        """Write the answer in its format, to its file or to standard output."""
        form, out = self.form, self.out
        parts = self.described(every=self.every_trace)
        if form == "text":
            output.deliver(parts, None, out)
        elif form == "json":
            output.deliver(
                parts, output.as_json(self.wording.as_json(self.model, self.query, self.answer)), out
            )
        elif form in ("sarif", "problems", "markdown"):
            # Here, since the other formats need none of the report.
            from leadline.symbolic.api.diagnostics import markdown, problems, sarif

            forms = {"markdown": markdown, "problems": problems}
            output.deliver(parts, output.as_json(sarif(self)) if form == "sarif" else forms[form](self), out)
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
        for line in self.reasons(semantics):
            tell(line)
        traces = self.traces(self.verdicts, every=True)
        if not traces:
            tell(f"there is no counterexample to write as {form}")
            return
        if len(traces) > 1:
            tell(f"one of {len(traces)} counterexamples is written; choose another with --property")
        text = output.written_trace(form, semantics, traces[-1], self.entry.source, out)
        output.deliver((), text, out)


def _check_proof(args: argparse.Namespace) -> None:
    """A refutation is of a bounded check, by whichever solver, and in two files."""
    # Here, since few checks write a proof.
    from leadline.symbolic.engines.bounded.refutation import formula_of

    bounded = next(x.name for x in engines_of("check").values() if x.takes_solver)
    if args.engine not in (None, bounded):
        raise UserError(f"--proof means nothing to the engine {args.engine}: leave one of them out")
    args.engine = bounded
    output.check_writable(args, "proof")
    output.check_places(args, [("--proof", formula_of(args.proof))])
    for path in (args.proof, formula_of(args.proof)):
        if output.is_special(path):
            raise UserError(f"--proof {path}: this is a device or a pipe; a proof needs a file")


def _write_proof(path: Path, asked: Question, limits: Limits) -> Exit:
    """Write a proof of the properties that were found safe.

    Returns:
        HOLDS if it is written or there is nothing to prove, UNKNOWN if it was not finished within the limits.

    Raises:
        UserError: if it cannot be written.
        InternalError: if a verdict was wrong.
    """
    from leadline.symbolic.engines.bounded.refutation import answer_proof, formula_of

    runs = {one.name for one in asked.model.properties.values() if one.temporal is not None}
    safe = [result.property for result in asked.answer.results if result.verdict is Verdict.SAFE]
    if not safe:
        tell("no property is safe: there is nothing to prove")
    if about_runs := [name for name in safe if name in runs]:
        tell(
            f"no proof of {', '.join(about_runs)}: a proof is about states, and a claim about runs gets none"
        )
        safe = [name for name in safe if name not in runs]
    if not safe:
        return Exit.HOLDS
    with live("refuting a failure with proof"):
        made = answer_proof(asked.query, safe, path, lambda one: answer_in_child(asked.model, one, limits))
    if isinstance(made, str):
        tell(f"no proof: {made}")
        return Exit.UNKNOWN
    tell(
        f"wrote {formula_of(path)}: that within {made.within} a step goes out of bounds or one of these "
        f"fails: {', '.join(safe)} ({made.variables} variables, {made.clauses} clauses)"
    )
    seconds = made.build + made.solve
    tell(f"wrote {path}: its refutation by {PROVER.title} (DRUP, {made.proof_bytes} bytes, {seconds:.1f} s)")
    return Exit.HOLDS


# -- the graph of states ---------------------------------------------------------------------------------

Told: TypeAlias = Callable[[State], tuple[str, ...]]
"""Gives the lines that tell a state."""


class _Graph:
    """The graph of the states of a question, which is made before it is asked: it may be too large to look at.

    Args:
        asked: the question.
        args: its command line.
        limits: the limits on time and memory.

    Raises:
        UserError: if it is too large, or what is merged by has a mistake.
    """

    def __init__(self, asked: Question, args: argparse.Namespace, limits: Limits) -> None:
        # Here, since few questions draw a graph.
        from leadline.symbolic.engines.run.limits import TimeIsOver, limited, stop_at
        from leadline.symbolic.meaning.graph import Merged, TooLarge

        self._file, self._names, self._model = args.dot, args.merge, asked.model
        self._expression = expressions(asked.entry, asked.query.settings, asked.model)
        self._meaning, self._told = self._of_module() if asked.model.alone else self._of_model()
        within = limits.within_machine()
        try:
            with limited(within):
                self._graph = Merged.of(self._meaning, self._told, args.depth, _MOST_NODES)
        except TooLarge as error:
            raise UserError(f"--dot: {self._too_large(nodes=error.nodes)}") from error
        except (TimeIsOver, MemoryError) as error:
            raise UserError(f"--dot: {stop_at(error, within).text}, before the graph was made") from error

    def _too_large(self, *, nodes: bool) -> str:
        less = "give smaller parameters, or --depth K"
        if not nodes:
            return f"over a million states: {less}"
        more = "merge more states" if self._names else "merge states with --merge EXPRESSION"
        return f"over {_MOST_NODES} nodes, more than a person can look at: {more}, {less}"

    def _of_module(self) -> tuple[Meaning, Told]:
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.engines.explore.specifications import labels

        return labels(self._model, self._names)

    def _of_model(self) -> tuple[Meaning, Told]:
        semantics = Semantics(self._model)
        lines = [
            self._line(semantics, name) for name in self._names or [x.tla for x in self._model.variables]
        ]
        return semantics, lambda state: tuple(line(state) for line in lines)

    def _line(self, semantics: Semantics, name: str) -> Callable[[State], str]:
        """The line of an alias, of a property, of a part of the state or of an expression."""
        # Here, since few questions draw a graph.
        from leadline.symbolic.conform.cover import term_of

        model = self._model
        named = [*model.shown, *(x for x in model.properties.values() if x.temporal is None)]
        for one in named:
            if name in (one.name, one.tla):
                return partial(_value_line, semantics, one)
        try:
            term = term_of(semantics, name, self._expression)
        except UserError as error:
            others = "".join(f"{one.name}, " for one in named)
            raise UserError(f"--merge {name}: write {others}{error}") from error

        def line(state: State) -> str:
            shown = term.shown(state)
            return f"{name} is out of bounds" if shown is None else f"{name} = {shown}"

        return line

    def write(self, asked: Question) -> None:
        """Write the graph with the path of the worst counterexample of the answer."""
        # Here, since few questions draw a graph.
        from leadline.symbolic.meaning.trace import states, title
        from leadline.symbolic.report.diagram import states_graph

        traces = asked.traces(asked.verdicts, every=True)
        found: Sequence[State] = [*states(traces[-1])] if traces else []
        if traces and self._model.alone:
            from leadline.symbolic.tla.outline import Outline

            found = [*states(Outline.of(asked.model).untold(asked.model, traces[-1]))]
        nodes = {label: place for place, label in enumerate(self._graph.nodes)}
        path = [nodes[x] for x in map(self._told, found) if x in nodes]
        names = [one.tla if isinstance(one, Action) else one.name for one in self._meaning.model.actions]
        head = f"{title(self._model)}\n{counted(len(nodes), 'node')}"
        text = states_graph(self._graph, names, head, path, whole=not self._names)
        if output.keep(self._file, text, "--dot"):
            tell(f"wrote {self._file}")


def _value_line(semantics: Semantics, one: Property, state: State) -> str:
    try:
        return f"{one.tla} = {in_tla(one.formula.type, semantics.evaluate(one.formula, state))}"
    except OutOfBounds:
        return f"{one.tla} is out of bounds"

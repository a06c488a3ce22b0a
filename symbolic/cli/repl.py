"""`leadline repl`: expressions of the language, evaluated in a state of a trace or of a protocol's runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from leadline.symbolic import lang
from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.cli.inputs import add_protocol, at_least, chosen_entry, settings_of, store_place
from leadline.symbolic.cli.terminal import Exit, printable, put, tell
from leadline.symbolic.concrete import Semantics, State as Values
from leadline.symbolic.engines import Query, answer_here
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.lang import (
    Expr,
    Model,
    OutOfBounds,
    Property,
    PropertyKind,
    Span,
    State,
    UserError,
    as_node,
    build,
    counted,
    mistakes_of,
)
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.lang.rules import boolean, negation
from leadline.symbolic.meaning import Outcome
from leadline.symbolic.trace import Stored, disagreement, stored_traces
from leadline.symbolic.trace.text import parts
from leadline.symbolic.trace.trace import Step, Trace, call_of, title

HELP = """\
An expression is evaluated in the current state. Variables, sorts and properties (with _ in place of -) have
their names, and so have `now`, `protocol` and the functions of the language. NAME = EXPRESSION keeps it.
  :state             the current state
  :run               the steps so far
  :go N              the state after N steps of the run
  :next              the steps that are possible now
  :take N            take the N-th of them; the rest of the run is dropped
  :find EXPRESSION   go to the nearest reachable state in which it is true
  :help, :quit       this text; the end (as Ctrl-D)"""

_MOST_STATES = 1_000_000


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Evaluate expressions of the language in a state: of a trace, of a run taken step by "
        "step, or the nearest in which something holds. What you type is evaluated by Python, as if it "
        "stood in the protocol's file."
    )
    add_protocol(parser)
    parser.add_argument(
        "--trace",
        metavar="FILE",
        type=store_place,
        help="a trace from `check --format json`, or from a store, also by its URI",
    )
    parser.add_argument(
        "--property", metavar="NAME", help="the property whose trace it is, if FILE has several"
    )
    parser.add_argument(
        "--depth",
        metavar="K",
        type=at_least(0),
        default=20,
        help="steps that :find looks ahead (default: 20)",
    )
    parser.add_argument(
        "-e",
        dest="lines",
        metavar="LINE",
        action="append",
        default=[],
        help="evaluate this line and exit; repeat it for several",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Evaluate the lines of the command line, of a pipe, or of a person."""
    entry = chosen_entry(args)
    settings = settings_of(entry, args.settings)
    stored = None if args.trace is None else _chosen(args, entry)
    if stored is not None and settings:
        raise UserError("-p does not go with --trace: the trace tells the parameters")
    bench = Workbench(entry, stored.settings if stored is not None else settings, args.depth)
    if stored is not None:
        bench.follow(stored)
    wrong = False
    for line in args.lines or _typed(bench):
        try:
            put("".join(f"{printable(text)}\n" for text in bench.answer(line)))
        except UserError as error:
            tell(str(error))
            wrong = True
    typed = not args.lines and sys.stdin.isatty()
    return Exit.WRONG_COMMAND if wrong and not typed else Exit.HOLDS


def _chosen(args: argparse.Namespace, entry: Entry) -> Stored:
    """The trace of a file that the command line names."""
    found = stored_traces(args.trace)
    names = [str(one.data["property"] or one.data["ends"]) for one in found]
    chosen = [one for one, name in zip(found, names, strict=True) if args.property in (None, name)]
    if len(chosen) != 1:
        raise UserError(f"{args.trace} has traces of {', '.join(names)}: choose one with --property")
    if chosen[0].protocol != entry.name:
        raise UserError(f"{args.trace} is a trace of {chosen[0].protocol}, not of {entry.name}")
    return chosen[0]


def _typed(bench: Workbench) -> Iterator[str]:
    """The lines that a person types, or a pipe brings."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):
        import readline  # noqa: F401  # it gives `input` its history and keys
    put(f"{title(bench.model)}\n:help tells what can be typed\n")
    while True:
        try:
            line = input(f"{bench.place}> ")
        except EOFError:
            put("\n")
            return
        if line.strip() in (":quit", ":q"):
            return
        yield line


class Workbench:
    """A protocol in a state.

    Args:
        entry: the protocol.
        settings: its parameters.
        depth: the steps that `find` looks ahead.

    Attributes:
        model: the model.
        run: the steps so far, the initial state first.
        place: the number of steps after which the current state is reached.
    """

    def __init__(self, entry: Entry, settings: Any, depth: int) -> None:
        self.model: Model = model_of(entry, settings)
        self.source, self.settings, self.depth = entry.source, settings, depth
        self.semantics = Semantics(self.model)
        protocol = entry.protocol(**settings)
        build(protocol, entry.claims)  # It runs `define`, which sets the protocol's attributes.
        now = State({one.name: one for one in self.model.variables})
        self.names: dict[str, Any] = {name: getattr(lang, name) for name in lang.__all__}
        self.names |= {name: kind for name, kind in vars(protocol).items() if not name.startswith("_")}
        self.names |= {
            claim.function.__name__: claim(protocol, now) for claim in entry.claims if claim.when(protocol)
        }
        self.names |= {one.name: getattr(now, one.name) for one in self.model.variables}
        self.names |= {"now": now, "protocol": protocol}
        begin = next((x for x in self.semantics.initial() if x.state is not None), None)
        if begin is None:
            raise UserError(f"{self.model.protocol} has no initial state within its bounds")
        self.run = [_step(begin)]
        self.place = 0

    @property
    def state(self) -> Values:
        """The current state."""
        state = self.run[self.place].state
        assert state is not None
        return state

    def follow(self, stored: Stored) -> None:
        """Take the run of a trace, and go to its last state.

        Raises:
            UserError: if it is no run of the model.
        """
        trace = stored.trace(self.model)
        wrong = disagreement(self.semantics, trace)
        if wrong is not None:
            raise UserError(f"{stored.place} does not replay: {wrong}")
        self._follow(trace)

    def _follow(self, trace: Trace) -> None:
        self.run = [stage for stage in trace.stages if stage.state is not None]
        self.place = len(self.run) - 1

    def answer(self, line: str) -> Iterator[str]:
        """The lines that answer a line.

        Raises:
            UserError: if it cannot be understood.
        """
        text = line.strip()
        if not text:
            return
        if not text.startswith(":"):
            yield from self._value(text)
            return
        word, _, rest = text[1:].partition(" ")
        match word:
            case "state":
                yield from self._shown(self.place, None)
            case "run":
                for number, step in enumerate(self.run):
                    mark = " <-" if number == self.place else ""
                    yield f"{number:>3}  {call_of(self.model, step)}{mark}"
            case "go":
                self.place = _number(rest, 0, len(self.run) - 1)
                yield from self._arrived()
            case "next":
                for number, step in enumerate(self._next(), start=1):
                    yield f"{number:>3}  {call_of(self.model, step)}{_beyond(step)}"
            case "take":
                yield from self._take(rest)
            case "find":
                yield from self._find(rest)
            case "help":
                yield from HELP.splitlines()
            case _:
                raise UserError(f"there is no :{word}: :help tells what there is")

    def _value(self, text: str) -> Iterator[str]:
        """The value of an expression, or nothing of a statement."""
        made = self._evaluated(text)
        if made is None:
            return
        if not isinstance(made, Expr):
            yield repr(made)
            return
        node = self._node(made)
        try:
            yield node.type.tla(self.semantics.evaluate(node, self.state))
        except OutOfBounds as error:
            yield f"out of bounds: {error}"

    def _evaluated(self, text: str) -> Any:
        """The value of a text in Python; None of a statement."""
        try:
            try:
                code = compile(text, "<typed>", "eval")
            except SyntaxError:
                exec(compile(text, "<typed>", "exec"), self.names)
                return None
            return eval(code, self.names)
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"{type(error).__name__}: {error}") from error

    def _node(self, made: object) -> Node:
        node = as_node(made)
        if wrong := mistakes_of(node):
            raise UserError("; ".join(mistake.text for mistake in wrong))
        return node

    def _next(self) -> list[Step]:
        return [_step(outcome) for outcome in self.semantics.successors(self.state)]

    def _take(self, rest: str) -> Iterator[str]:
        steps = self._next()
        chosen = steps[_number(rest, 1, len(steps)) - 1]
        if chosen.state is None:
            raise UserError("this step goes out of bounds: no state follows it")
        self.run = [*self.run[: self.place + 1], chosen]
        self.place += 1
        yield from self._arrived()

    def _find(self, text: str) -> Iterator[str]:
        """Go to the nearest state in which an expression is true, by breadth-first search."""
        formula = boolean(self._node(self._evaluated(text)))
        target = Property(
            "typed", "Typed", PropertyKind.PROBE, "", Span("<typed>", 1), self._node(negation(formula))
        )
        model = replace(self.model, properties={**self.model.properties, target.name: target})
        options = ExploreOptions(self.depth, _MOST_STATES, every_state=True)
        query = Query(self.source, self.settings, (target.name,), options)
        found = answer_here(model, query)
        (result,) = found.results
        if result.trace is None or result.trace.last is None:
            facts = found.told(ExploreFacts)
            where = "any state" if facts.complete else f"any state within {counted(result.depth, 'step')}"
            yield f"not true in {where}{f' ({facts.stopped})' if facts.stopped else ''}"
            return
        self._follow(result.trace)
        yield from self._arrived()

    def _arrived(self) -> Iterator[str]:
        before = self.run[self.place - 1].state if self.place else None
        yield f"after {counted(self.place, 'step')}: {call_of(self.model, self.run[self.place])}"
        yield from self._shown(self.place, before)

    def _shown(self, place: int, before: Values | None) -> Iterator[str]:
        yield from (f"     {text}" for text in parts(self.model, before, self.run[place]))


def _step(outcome: Outcome) -> Step:
    return Step(outcome.action, dict(outcome.picks), outcome.state)


def _beyond(step: Step) -> str:
    return " (out of bounds)" if step.state is None else ""


def _number(text: str, low: int, high: int) -> int:
    if not text.strip().isdecimal() or not low <= int(text) <= high:
        raise UserError(f"a number in {low}..{high} is needed, not {text.strip()!r}")
    return int(text)

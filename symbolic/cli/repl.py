"""`leadline repl`: a run taken step by step, and questions about its states."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from leadline.symbolic.api.protocols import LoadedProtocol, settings_of
from leadline.symbolic.api.states import Step
from leadline.symbolic.api.workbench import MOST_STEPS, Workbench
from leadline.symbolic.cli import inputs
from leadline.symbolic.cli.terminal import Exit, forget_output, printable, put, tell
from leadline.symbolic.lang import UserError, counted
from leadline.symbolic.meaning.trace import title
from leadline.symbolic.trace import Stored, chosen_traces

HELP = """\
{expressions}
  :state             the current state
  :run               the steps so far
  :init, :init N     the initial states; begin in the N-th of them
  :steps             the steps that are possible now
  :take N            take the N-th of them; the rest of the run is dropped
  :back              the state before
  :go N              the state after N steps of the run
  :why ACTION        the guard that is false now, for the picks that come nearest
  :why ACTION(PICK = VALUE, ...)   the same for these picks
  :find EXPRESSION   go to the nearest reachable state in which it is true
  :help, :quit       this text; the end (as Ctrl-D)"""

_EXPRESSIONS = {
    "python": """\
An expression is evaluated in the current state. Variables, sorts and properties (with _ in place of -) have
their names, and so have `now`, `protocol` and the functions of the language. NAME = EXPRESSION keeps it.
Variables may also be spelled as they are shown.""",
    "tla": """\
An expression of TLA+ is evaluated in the current state. The module's definitions, constants and variables have
their names. NAME == EXPRESSION keeps it.""",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Take a run step by step, and ask about its states: which steps are possible, what an expression is "
        "worth, which guard forbids an action, and where a condition is true first. Expressions about a protocol "
        "in Python are evaluated by Python, as if they stood in its file; those about a TLA+ module are TLA+. It "
        "ends with code 0 at :quit, at the end of its input, and when nobody reads its output any more."
    )
    inputs.add_protocol(parser)
    parser.add_argument(
        "--trace",
        metavar="FILE",
        type=inputs.store_place,
        help="a trace from `check --format json`, or from a store, also by its URI",
    )
    parser.add_argument(
        "--property", metavar="NAME", help="the property whose trace it is, if FILE has several"
    )
    parser.add_argument(
        "--depth",
        metavar="K",
        type=inputs.at_least(0),
        default=20,
        help="steps that :find looks ahead (default: 20)",
    )
    inputs.add_limits(parser, " each :find", " each :find")
    about = "evaluate this line and exit; repeat it for several"
    inputs.add_many(parser, "-e", "LINE", about, dest="lines")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Evaluate the lines of the command line, of a pipe, or of a person."""
    stored = None if args.trace is None else _chosen(args)
    entry = inputs.chosen_entry(args, None if stored is None else stored.settings)
    if stored is not None and stored.protocol != entry.name:
        raise UserError(f"{args.trace} is a trace of {stored.protocol}, not of {entry.name}")
    protocol = LoadedProtocol(entry, stored.settings if stored else settings_of(entry, args.settings))
    bench = Workbench(protocol, depth=args.depth, timeout=args.timeout, memory=args.memory)
    if stored is not None:
        bench.follow(stored)
    typed = not args.lines and sys.stdin.isatty()
    try:
        wrong = _converse(bench, args.lines or _typed(bench), typed)
    except BrokenPipeError:
        forget_output()
        return Exit.HOLDS
    return Exit.WRONG_COMMAND if wrong and not typed else Exit.HOLDS


def _converse(bench: Workbench, lines: Iterable[str], typed: bool) -> bool:
    """Answer lines, up to `:quit`.

    Returns:
        Whether a line could not be understood.
    """
    wrong = False
    for line in lines:
        if line.strip() in (":quit", ":q"):
            break
        try:
            put("".join(f"{printable(text)}\n" for text in answered(bench, line)))
        except UserError as error:
            tell(str(error))
            wrong = True
        except KeyboardInterrupt:
            if not typed:
                raise
            tell("interrupted")
    return wrong


def _chosen(args: argparse.Namespace) -> Stored:
    if args.settings:
        raise UserError("-p does not go with --trace: the trace tells the parameters")
    (found,) = chosen_traces(args.trace, args.property, "--property")
    args.properties = found.claims
    return found


def _typed(bench: Workbench) -> Iterator[str]:
    """The lines that a person types, or a pipe brings."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):
        import readline  # noqa: F401  # it gives `input` its history and keys
    put(f"{title(bench.ground.model)}\n:help tells what can be typed\n")
    while True:
        try:
            yield input(f"{bench.place}> ")
        except EOFError:
            put("\n")
            return
        except KeyboardInterrupt:
            put("\n")


def answered(bench: Workbench, line: str) -> Iterator[str]:
    """The lines that answer a line.

    Raises:
        UserError: if it cannot be understood.
    """
    text = line.strip()
    if not text.startswith(":"):
        value = bench.value(text) if text else None
        yield from [] if value is None else [value]
        return
    word, _, rest = text[1:].partition(" ")
    match word:
        case "state":
            yield from _changes(bench.whole())
        case "run":
            for number, step in enumerate(bench.shown()):
                yield f"{number:>3}  {step}{' <-' if number == bench.place else ''}"
        case "init" if not rest.strip():
            yield from _listed(bench.begins(), _FULL)
        case "steps":
            yield from _listed(bench.steps())
        case "init" | "take" | "go" | "back":
            _move(bench, word, rest)
            yield from _arrived(bench)
        case "why":
            yield from _why(bench, rest)
        case "find":
            found = bench.find(rest)
            yield from _arrived(bench) if found.run is not None else [str(found)]
        case "help":
            yield from HELP.format(expressions=_EXPRESSIONS[bench.ground.language]).splitlines()
        case _:
            raise UserError(f"there is no :{word}: :help tells what there is")


def _move(bench: Workbench, word: str, rest: str) -> None:
    if word == "back":
        if not bench.place:
            raise UserError("this is the initial state: nothing is before it")
        bench.go(bench.place - 1)
        return
    if not rest.strip().isdecimal():
        raise UserError(f"a number is needed, not {rest.strip()!r}: :{word} 1, say")
    {"init": bench.begin, "take": bench.take, "go": bench.go}[word](int(rest))


_FULL = 20
"""The initial states that are shown with their values; of others, the first says how they look."""


def _listed(steps: Sequence[Step], full: int = 0) -> Iterator[str]:
    """Numbered steps, the first so many with their values, as are others that have the same picks."""
    if not steps:
        yield "no step is possible"
    calls = Counter(map(str, steps))
    for number, step in enumerate(steps, start=1):
        beyond = " (out of bounds)" if step.state is None else ""
        yield f"{number:>3}  {step}{beyond}"
        if number <= full or (calls[str(step)] > 1 and step.action != "init"):
            yield from _changes(step)
    if len(steps) == MOST_STEPS:
        yield f"     and perhaps more: {MOST_STEPS} are listed"


_CALL = re.compile(r"\s*(\w[\w!]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_PICK = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*(?:,(?=\s*\w+\s*=)|$)", re.DOTALL)


def _why(bench: Workbench, text: str) -> Iterator[str]:
    found = _CALL.fullmatch(text)
    if found is None:
        raise UserError("write :why ACTION, or :why ACTION(PICK = VALUE)")
    name, given = found[1], found[2] or ""
    picks = dict(_PICK.findall(given))
    if given.strip() and (not picks or _PICK.sub("", given).strip()):
        raise UserError(f"write the picks as :why {name}(PICK = VALUE, ...), not ({given})")
    objections = bench.why(name, picks)
    if not objections:
        yield f"{name}: there is no way to pick its values"
    for one in objections:
        yield f"{one.call}: {'; '.join(one.wrong) or 'it is possible'}"


def _arrived(bench: Workbench) -> Iterator[str]:
    step = bench.here()
    yield f"after {counted(bench.place, 'step')}: {step}"
    yield from _changes(step)


def _changes(step: Step) -> Iterator[str]:
    yield from (f"     {text}" for text in step.changes)

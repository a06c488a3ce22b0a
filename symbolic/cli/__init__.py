"""The command line. Floor 9.

The table `COMMANDS` names the module of each command, which is loaded once the command is chosen: its function
declares the command's options and the function that runs it and returns the exit code. A user's mistake is
reported in one message without a traceback, a fault of Leadline's in full.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any, NoReturn

from leadline.redaction import redacted
from leadline.symbolic.cli.terminal import COLOURS, Exit, NoOutput, forget_output, put, set_colour, tell

_MOMENT = 0.05
"""Seconds after which an interrupt that was dropped comes again."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has come: whatever ends well on Ctrl-C ends well on this."""


@contextmanager
def orderly() -> Iterator[list[int]]:
    """Raise `Terminated` on SIGTERM, unless it is ignored or handled otherwise; lose no interrupt.

    Yields:
        The signals that have come.
    """
    came: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        came.append(number)
        raise Terminated

    usual = sys.unraisablehook

    def again(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            usual(lost)
            return
        # Python drops what the callback of a weak reference or a finalizer raises, and what is raised here.
        number = signal.SIGTERM if issubclass(lost.exc_type, Terminated) else signal.SIGINT
        later = threading.Timer(_MOMENT, signal.pthread_kill, [threading.main_thread().ident, number])
        later.daemon = True
        later.start()

    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, end)
    sys.unraisablehook = again
    try:
        yield came
    finally:
        sys.unraisablehook = usual
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        help: a line of help.
        place: the function that declares it to a parser: its module and its name.
    """

    help: str
    place: str

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's options to its parser; this loads its module."""
        module, _, name = self.place.partition(":")
        getattr(importlib.import_module(module), name)(parser)


def _ours(module: str, about: str, name: str = "declare") -> Command:
    return Command(about, f"{__name__}.{module}:{name}")


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "list": _ours("show", "list protocols with their parameters and properties", "declare_list"),
        "show": _ours("show", "show the variables, actions and properties of a protocol"),
        "check": _ours(
            "ask",
            "check properties: by several engines at once or, with a depth, within so many steps",
            "check",
        ),
        "explore": _ours(
            "ask", "search all reachable states, or those within a number of steps, breadth first", "explore"
        ),
        "prove": _ours("prove", "prove a property for all depths"),
        "simulate": _ours(
            "ask",
            "random runs, which check the properties and count how often each action is taken",
            "simulate",
        ),
        "conform": _ours("conform", "say whether the log of an implementation is a run of a protocol"),
        "cover": _ours(
            "conform", "find short runs that take every action, or meet other goals", "declare_cover"
        ),
        "export": _ours("export", "write a protocol as a TLA+ module or an AIGER circuit"),
        "grid": _ours("grid", "answer the queries of a grid file on Spark"),
        "results": _ours("results", "show or export the answers in a store of results", "declare_results"),
        "report": _ours("results", "write a store of results as one HTML page", "declare_report"),
        "trace": _ours("trace", "replay and show a stored counterexample"),
        "repl": _ours("repl", "evaluate expressions in a state of a trace, or of a run"),
        "init": _ours("workshop", "write a first protocol with its test", "declare_init"),
        "watch": _ours("workshop", "check a file again whenever it changes", "declare_watch"),
        "lsp": _ours("workshop", "serve an editor by the Language Server Protocol", "declare_lsp"),
        "mcp": _ours("workshop", "serve an agent by the Model Context Protocol", "declare_mcp"),
        "completion": _ours("workshop", "write the completion script of a shell", "declare_completion"),
    }
)
"""The commands, as the help lists them."""

PLUGINS = "leadline.commands"
"""The entry-point group through which packages add commands, such as `leadline bench`. An entry point has the
command's name, and its value is a module with `COMMAND`, a `Command`. The help loads that module."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: the command line without the program's name; by default the process's own.

    Returns:
        The exit code, one of `Exit`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        print("leadline: standard output is closed: send it to a file, or to /dev/null", file=sys.stderr)
        return Exit.WRONG_COMMAND
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with orderly() as came:
        try:
            return _flushed(_run(given))
        except BrokenPipeError:
            forget_output()
            return Exit.BROKEN_PIPE
        except KeyboardInterrupt:
            if came:
                tell("ended by SIGTERM")
                return Exit.TERMINATED
            print(file=sys.stderr)
            return Exit.INTERRUPTED


def _flushed(code: int) -> int:
    """The exit code, once all output is written: the help is, for one, when the process ends."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_output()
        tell(f"standard output: {error.strerror}")
        return code or Exit.WRONG_COMMAND
    return code


def _run(given: list[str]) -> int:
    try:
        try:
            args = new_parser(given).parse_args(given)
        except SystemExit as leaving:  # argparse has written its message or the help
            return leaving.code if isinstance(leaving.code, int) else Exit.HOLDS
        set_colour(args.color)
        return int(args.run(args))
    except BrokenPipeError:
        raise
    except NoOutput as error:
        tell(str(error))
        return Exit.WRONG_COMMAND
    except (Exception, SystemExit) as error:
        # An interrupt that comes while a class is made is the cause of a RuntimeError in Python 3.11.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        # Here, since the help and the version need no errors of a protocol, a solver or a store.
        from leadline.symbolic.cli.failures import told

        return told(error, given)


class _Parser(argparse.ArgumentParser):
    """A parser without abbreviations of options, here and in its commands: new options would change them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.add_argument(
            "--color",
            choices=COLOURS,
            default=argparse.SUPPRESS,
            help="whether answers are in colour (default: auto, on a terminal unless NO_COLOR is set)",
        )

    def error(self, message: str) -> NoReturn:
        # Without the usage, which is longer than a screen.
        self.exit(2, f"{self.prog}: error: {message}\n{self.prog} --help lists the options\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # Without this a help that cannot be written is no error.
        if file is sys.stdout:
            put(message)
        else:
            super()._print_message(redacted(message), file)


class _Version(argparse.Action):
    """Prints the version, for which the installed packages are looked through: not before it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from leadline import __version__

        put(f"leadline {__version__}\n")
        parser.exit()


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # it takes none at run time
    """The commands, each declared once it is chosen."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.known: dict[str, Command] = {}

    def add(self, name: str, command: Command) -> None:
        self.known[name] = command
        self.add_parser(name, help=command.help)

    def declare(self, name: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = self.choices[name]
        self.known[name].declare(parser)
        return parser

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        self.declare(values[0])
        super().__call__(parser, namespace, values, option_string)


def new_parser(given: list[str], *, whole: bool = False) -> argparse.ArgumentParser:
    """The parser of the command line.

    Args:
        given: the arguments; commands of other packages are looked for unless the first is one of ours.
        whole: whether all commands are declared with their options, and not only the one that is chosen.
    """
    parser = _Parser(prog="leadline", description="Bounded model checking of distributed protocols.")
    parser.set_defaults(color=COLOURS[0])
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, action=_Commands)
    assert isinstance(commands, _Commands)
    for name, command in COMMANDS.items():
        commands.add(name, command)
    # Reading the installed packages takes time, which our own commands do not need.
    if not given or given[0] not in commands.choices:
        _add_plugins(commands)
    for name in commands.choices if whole else ():
        commands.declare(name)
    return parser


def _add_plugins(commands: _Commands) -> None:
    """Add the commands of installed packages; one that is broken is reported and left out.

    A command that is there already is not replaced.
    """
    for point in sorted(importlib.metadata.entry_points(group=PLUGINS), key=lambda point: point.name):
        package = point.dist.name if point.dist is not None else "a package"
        origin = f"the command {point.name} = {point.value} of {package}"
        if point.name in commands.choices:
            tell(f"{origin} is left out: there is one of that name")
            continue
        try:
            commands.add(point.name, point.load().COMMAND)
        except Exception as error:
            tell(f"{origin} cannot be loaded: {type(error).__name__}: {error}")

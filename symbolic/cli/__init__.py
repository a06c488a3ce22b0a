"""The command line. Floor 8.

A command's module has `add_parser(commands)`, which declares it with a function that runs it and returns the
exit code. A user's mistake is reported in one message without a traceback, a fault of Leadline's in full.
"""

from __future__ import annotations

import argparse
import errno
import importlib.metadata
import io
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline import __version__
from leadline.symbolic.cli import (
    ask,
    check,
    completion,
    export,
    grid,
    prove,
    repl,
    results,
    show,
    trace,
    workshop,
)
from leadline.symbolic.cli.endings import orderly
from leadline.symbolic.cli.output import COLOURS, Exit, forget_output, put, set_colour, tell
from leadline.symbolic.engines import ENGINES
from leadline.symbolic.engines.limits import TimeIsOver
from leadline.symbolic.grid.remote import StoreAway
from leadline.symbolic.lang import AssumptionFailed, ModelError, UserError
from leadline.symbolic.lang.files import redacted

BEFORE, AFTER = (show,), (export, grid, results, trace, repl, workshop, completion)
"""The commands that ask no engine, as the help lists them before and after those that do."""

ASKING = {"check": check, "prove": prove}
"""The commands that do more than to ask an engine; `ask` declares the others."""

PLUGINS = "leadline.commands"
"""The entry-point group through which packages add commands, such as `leadline bench`. An entry point has the
command's name, and its value is a module like those of the commands here."""


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
    except AssumptionFailed as error:
        return _mistaken(error, Exit.ASSUMPTION)
    except ModelError as error:
        return _mistaken(error, Exit.MODEL_MISTAKES)
    except UserError as error:
        return _mistaken(error, Exit.WRONG_COMMAND)
    except BrokenPipeError:
        raise
    except (TimeIsOver, StoreAway) as error:
        return _lacking(str(error))
    except MemoryError:
        return _lacking("memory: there is not enough for this; make the parameters smaller, or give it more")
    except OSError as error:
        return _lacking(_refused(error)) if error.errno in _SURROUNDINGS else _internal(given)
    except (Exception, SystemExit):
        return _internal(given)


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

    def _print_message(self, message: str, file: Any = None) -> None:
        # Without this a help that cannot be written is no error.
        if file is sys.stdout:
            put(message)
        else:
            super()._print_message(redacted(message), file)


def new_parser(given: list[str]) -> argparse.ArgumentParser:
    """The parser of the command line.

    Args:
        given: the arguments; commands of other packages are looked for unless the first is one of ours.
    """
    parser = _Parser(prog="leadline", description="Bounded model checking of distributed protocols.")
    parser.set_defaults(color=COLOURS[0])
    parser.add_argument("--version", action="version", version=f"leadline {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in BEFORE:
        command.add_parser(commands)
    for name in dict.fromkeys(name for engine in ENGINES.values() for name in engine.commands):
        ASKING[name].add_parser(commands) if name in ASKING else ask.add_command(commands, name)
    for command in AFTER:
        command.add_parser(commands)
    # Reading the installed packages takes time, which our own commands do not need.
    if not given or given[0] not in commands.choices:
        _add_plugins(commands)
    return parser


def _mistaken(error: UserError, code: Exit) -> Exit:
    tell(str(error))
    return code


_SURROUNDINGS = {
    errno.EMFILE: "this process may not open more files: raise its limit (ulimit -n)",
    errno.ENFILE: "this machine has no more files to open",
    errno.EAGAIN: "this user may start no more processes: raise the limit (ulimit -u)",
    errno.ENOMEM: "this machine has no memory left",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EROFS: "the disk can only be read",
    errno.EIO: "the disk fails",
    errno.EACCES: "this is not permitted",
    errno.EPERM: "this is not permitted",
    errno.ENOENT: "the folder or file is gone",
    errno.ESTALE: "the folder is gone from its server",
}
"""Errors of the system that are about the surroundings, wherever they are met."""


def _refused(error: OSError) -> str:
    place = f" {error.filename}:" if error.filename else ""
    return f"the system refuses to go on:{place} {error.strerror} ({_SURROUNDINGS[error.errno or 0]})"


def _lacking(text: str) -> Exit:
    """Report that the surroundings lack what an answer needs."""
    tell(text)
    return Exit.UNKNOWN


def _internal(given: list[str]) -> Exit:
    sys.stdout.flush()
    print(redacted(traceback.format_exc()), end="", file=sys.stderr)
    tell(
        "this is a fault of Leadline's, not yours; please report it with the text above. To see it again:\n"
        f"  {shlex.join(['leadline', *given])}"
    )
    return Exit.INTERNAL


def _add_plugins(commands: Any) -> None:
    """Declare the commands of installed packages; one that is broken is reported and left out.

    Args:
        commands: what `add_subparsers` returned. A command that is there already is not replaced.
    """
    for point in sorted(importlib.metadata.entry_points(group=PLUGINS), key=lambda point: point.name):
        package = point.dist.name if point.dist is not None else "a package"
        origin = f"the command {point.name} = {point.value} of {package}"
        if point.name in commands.choices:
            tell(f"{origin} is left out: there is one of that name")
            continue
        try:
            point.load().add_parser(commands)
        except Exception as error:
            tell(f"{origin} cannot be loaded: {type(error).__name__}: {error}")

"""The command line. Floor 6.

A command is one module with `add_parser(commands)`, which declares it, and `run(args)`, which returns the
exit code. What a user got wrong is one message without a traceback; what Leadline got wrong is told in full.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline import __version__
from leadline.symbolic.cli import check, explore, export, grid, listing, prove, report, results, show, trace
from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.offered import add_offered
from leadline.symbolic.cli.output import forget_output, tell
from leadline.symbolic.lang import AssumptionFailed, ModelError, UserError

COMMANDS = (listing, show, explore, check, prove, export, grid, results, report, trace)


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
    try:
        return _run(given)
    except BrokenPipeError:
        forget_output()
        return Exit.BROKEN_PIPE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return Exit.INTERRUPTED


def _run(given: list[str]) -> int:
    try:
        try:
            args = _parser(given).parse_args(given)
        except SystemExit as leaving:  # argparse has said what is wrong, or what was asked for
            return leaving.code if isinstance(leaving.code, int) else Exit.HOLDS
        return int(args.run(args))
    except AssumptionFailed as error:
        return _mistaken(error, Exit.ASSUMPTION)
    except ModelError as error:
        return _mistaken(error, Exit.MODEL_MISTAKES)
    except UserError as error:
        return _mistaken(error, Exit.WRONG_COMMAND)
    except BrokenPipeError:
        raise
    except (Exception, SystemExit):
        return _internal(given)


class _Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, nor do its commands: a new option would change what they mean."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)


def _parser(given: list[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="leadline", description="Bounded model checking of distributed protocols.")
    parser.add_argument("--version", action="version", version=f"leadline {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    # Looking through the installed packages takes time that the commands of our own need not wait for.
    if not given or given[0] not in commands.choices:
        add_offered(commands)
    return parser


def _mistaken(error: UserError, code: Exit) -> Exit:
    tell(str(error))
    return code


def _internal(given: list[str]) -> Exit:
    sys.stdout.flush()
    traceback.print_exc()
    tell(
        "this is a fault of Leadline's, not yours; please report it with the text above. To see it again:\n"
        f"  {shlex.join(['leadline', *given])}"
    )
    return Exit.INTERNAL

"""`leadline lsp` and `leadline mcp` start the servers that editors and agents speak to."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leadline.symbolic.cli.inputs import at_least
from leadline.symbolic.cli.terminal import Exit
from leadline.symbolic.engines import Limits
from leadline.symbolic.lang import UserError


def declare_lsp(parser: argparse.ArgumentParser) -> None:
    """Declare `lsp`."""
    parser.description = (
        "The language server for TLA+ modules, their configurations and protocols in Python. An editor starts "
        "it, and speaks to it on standard input and output."
    )
    parser.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output, as it does in any case"
    )
    parser.add_argument(
        "--path",
        type=Path,
        metavar="FOLDER",
        action="append",
        default=[],
        help="of a TLA+ module: a folder with other modules; repeat it for several",
    )
    parser.set_defaults(run=_lsp)


def _lsp(args: argparse.Namespace) -> Exit:
    """Serve until the editor ends it."""
    with extra("lsp"):
        server = importlib.import_module("leadline.symbolic.serve.lsp")
    server.serve(args.path)
    return Exit.HOLDS


def declare_mcp(parser: argparse.ArgumentParser) -> None:
    """Declare `mcp`."""
    parser.description = (
        "A server for agents, by the Model Context Protocol: tools to list, show, check, prove, explore and "
        "simulate protocols, to evaluate expressions in a state, and to explain counterexamples. An agent "
        "starts it, and speaks to it on standard input and output. It reads files in the folder in which it is "
        "started, and in no other, and writes only where a call says so, a new file there."
    )
    parser.add_argument(
        "--python",
        action="store_true",
        help="allow protocols in Python files, and expressions in Python: code, which runs with your rights",
    )
    most: dict[str, Any] = {"type": at_least(1, Limits.LARGEST), "default": None}
    parser.add_argument("--timeout", metavar="S", help="the most seconds of a call (default: 600)", **most)
    parser.add_argument(
        "--memory", metavar="MB", help="the most megabytes of each process of a call (default: 8000)", **most
    )
    parser.set_defaults(run=_mcp)


def _mcp(args: argparse.Namespace) -> Exit:
    """Serve until the agent ends it."""
    with extra("mcp"):
        server = importlib.import_module("leadline.symbolic.serve.mcp")
    given = {"seconds": args.timeout, "megabytes": args.memory}
    chosen = {name: value for name, value in given.items() if value is not None}
    server.serve(server.Allowed(Path.cwd(), python=args.python, **chosen))
    return Exit.HOLDS


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports that need the packages of an extra, which has the name of its command.

    Raises:
        UserError: if one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "leadline":
            raise
        told = f"leadline {name} needs {error.name}, which is not installed"
        raise UserError(f"{told}: pip install 'leadline[{name}]'") from error

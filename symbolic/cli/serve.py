"""`leadline lsp` starts the language server, which an editor speaks to."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.symbolic.cli.terminal import Exit
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

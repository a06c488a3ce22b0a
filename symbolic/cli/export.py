"""`leadline export`: a protocol at given parameters in the language of another tool."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable, write_out
from leadline.symbolic.cli.inputs import add_properties, add_protocol, chosen_model, chosen_properties
from leadline.symbolic.cli.output import put, tell
from leadline.symbolic.export import module_name, tla_module, tlc_config
from leadline.symbolic.lang import UserError


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("export", help="write a protocol as a TLA+ module with its configuration")
    add_protocol(parser)
    add_properties(parser)
    parser.add_argument("--to", choices=("tla",), required=True, help="the language: TLA+, for TLC")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        help="write the module and its configuration into this folder (default: print the module)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Write the module, which holds all properties, and the configuration, which names those to check."""
    _, _, model = chosen_model(args)
    names = chosen_properties(model, args.properties)
    module = tla_module(model)
    if args.out is None:
        put(module)
        return Exit.HOLDS
    _make(args.out)
    base = args.out / module_name(model)
    texts = {
        base.with_suffix(".tla"): module,
        base.with_suffix(".cfg"): tlc_config(model, names, args.deadlock),
    }
    for path in texts:
        check_writable(path)
    for path, text in texts.items():
        write_out(path, text)
        tell(f"wrote {path}")
    return Exit.HOLDS


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {folder}: {error.strerror}") from error

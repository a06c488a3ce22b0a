"""`leadline report`: a store of results as one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable, write_out
from leadline.symbolic.cli.output import tell


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("report", help="write a store of results as one HTML page")
    parser.add_argument("store", metavar="STORE", type=Path, help="the folder that `leadline grid` filled")
    parser.add_argument("--out", metavar="FILE.html", type=Path, required=True, help="the page to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Write the page."""
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.store import Store
    from leadline.symbolic.grid.summary import latest
    from leadline.symbolic.report.html import page

    check_writable(args.out)
    found = Store(args.store).all()
    for warning in found.warnings:
        tell(warning)
    write_out(args.out, page(latest(found.rows.values())))
    tell(f"wrote {args.out}")
    return Exit.HOLDS

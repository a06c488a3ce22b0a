"""`leadline report`: a store of results as one HTML page."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.files import check_writable, write_out
from leadline.symbolic.cli.inputs import store_folder
from leadline.symbolic.cli.output import tell


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "report",
        help="write a store of results as one HTML page",
        description="Write a store of results as one HTML page that opens without a network: maps of the "
        "verdicts by parameters, the condition on the parameters under which each property breaks, the "
        "counterexample of the smallest broken point, and what the queries cost.",
    )
    parser.add_argument("store", metavar="STORE", type=store_folder, help="the folder that `grid` filled")
    parser.add_argument("--out", metavar="FILE.html", type=Path, required=True, help="the page to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Write the page."""
    # Here, so that other commands do not wait for Parquet to load.
    from leadline.symbolic.grid.store.cells import cells
    from leadline.symbolic.grid.store.store import Store
    from leadline.symbolic.grid.store.summary import latest
    from leadline.symbolic.report.counterexamples import counterexample
    from leadline.symbolic.report.html import page

    check_writable(args.out)
    store = Store(args.store)
    found = store.all()
    for warning in found.warnings:
        tell(warning)
    rows = list(found.rows.values())
    known = cells(rows, store.manifest().proofs())
    write_out(args.out, page(latest(rows), known, partial(counterexample, store)))
    tell(f"wrote {args.out}")
    return Exit.HOLDS

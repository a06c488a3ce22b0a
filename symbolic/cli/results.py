"""`leadline results` and `leadline report`: the contents of a store, in tables and documents or as a page."""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.grid_text import result_lines, tables
from leadline.symbolic.cli import output
from leadline.symbolic.cli.inputs import add_file, add_many, add_module, chosen_entry, store_place
from leadline.symbolic.cli.terminal import Exit, printable, tell
from leadline.symbolic.engines import Table, Verdict
from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.grid.cells import Cell, cells, joined
from leadline.symbolic.grid.remote import Place
from leadline.symbolic.grid.rows import SCHEMA, Row, plain_row, read_where
from leadline.symbolic.grid.spool import send_left
from leadline.symbolic.grid.store import Store, compact
from leadline.symbolic.grid.summary import latest
from leadline.symbolic.lang import UserError, counted
from leadline.symbolic.report.ci import junit, sarif
from leadline.symbolic.report.findings import Show, counterexample
from leadline.symbolic.report.heatmap import maps
from leadline.symbolic.report.html import page
from leadline.symbolic.report.markdown import markdown
from leadline.symbolic.report.outcomes import Comparison, compared, outcome, sentence


def declare_results(parser: argparse.ArgumentParser) -> None:
    """Declare `results`."""
    parser.description = (
        "Show or export the latest answers of a store of results. In JUnit XML and SARIF all "
        "queries about a property at a point are one test. It passes if the answer agrees with what is known "
        "of the property at that point, and fails if it does not. Where nothing is known, a violation, a "
        "value out of bounds and a probe that is unreachable fail. A point without an answer, or a probe that is "
        "not reached within the bound, is an error in JUnit, and a notification in SARIF."
    )
    parser.epilog = (
        "Exit codes: 0 if the store can be read. With --baseline, for answers that got worse: 12 if a "
        "property is violated now (13 if it is about runs or steps, 11 for a deadlock) or a probe "
        "unreachable, 21 if a value is out of bounds now, 20 if a query is unknown now, a probe not reached or a "
        "row missing. Queries that only this store has are reported and do not fail."
    )
    parser.add_argument(
        "store", metavar="STORE", type=store_place, help="the store's folder or URI, from `leadline grid`"
    )
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        help="select rows by a condition on columns and parameters, such as "
        "\"verdict == 'violated' and replicas > 2\"",
    )
    output.add_format(parser, "table", "csv", "json", "junit", "sarif", "markdown", out=True)
    parser.add_argument(
        "--baseline",
        metavar="STORE",
        type=store_place,
        help="fail if an answer is worse than in this store",
    )
    parser.add_argument("--compact", action="store_true", help="only merge the store's rows into one file")
    parser.set_defaults(run=_results)


def _results(args: argparse.Namespace) -> Exit:
    if args.compact:
        return _compact(args)
    output.check_writable(args, "out")
    here = _read(args.store)
    there = None if args.baseline is None else _read(args.baseline)
    every = [*here.rows, *([] if there is None else there.rows)]
    wanted = (lambda row: True) if args.where is None else read_where(args.where, every)

    def selected(cell: Cell) -> bool:
        return any(map(wanted, cell.rows))

    rows, cells = latest(filter(wanted, here.rows)), [*filter(selected, here.cells)]
    found = None if there is None else compared(there.cells, here.cells, selected)
    compared_in_words = [] if found is None else _comparison(found)
    if args.format != "table":
        for line in compared_in_words:
            tell(line)
    parts = [*_report(rows, cells), *(compared_in_words if args.format == "table" else [])]
    code = output.deliver(parts, _written(args, rows, cells, here.grids), args.out)
    if found is None:
        return code
    return output.worst([*(_exit(cell) for _, cell in found.worse), *(Exit.UNKNOWN for _ in found.lost)])


def _compact(args: argparse.Namespace) -> Exit:
    if args.where or args.out or args.baseline or args.format != "table":
        raise UserError("--compact goes alone and shows nothing: leave the other options out")
    done = compact(Store(args.store))
    for warning in done.warnings:
        tell(warning)
    tell(f"{counted(done.rows, 'row')} of {args.store} merged into one file")
    return Exit.HOLDS


@dataclass(frozen=True)
class _Held:
    rows: Sequence[Row]
    cells: Sequence[Cell]
    grids: Sequence[str]


def _read(folder: Place) -> _Held:
    store = Store(folder)
    send_left(store, tell)
    found = store.all()
    for warning in found.warnings:
        tell(warning)
    rows = joined(found.rows.values())
    manifest = store.manifest()
    return _Held(rows, cells(rows, manifest.proofs()), manifest.grids())


def _report(rows: Sequence[Row], cells: Sequence[Cell]) -> Iterator[Part]:
    for part in (*tables([[row] for row in rows]), *result_lines(rows, cells)):
        if isinstance(part, Table):
            yield Table(part.header, [[*map(printable, line)] for line in part.rows])
        else:
            yield printable(str(part))


def _written(
    args: argparse.Namespace, rows: Sequence[Row], cells: Sequence[Cell], grids: Sequence[str]
) -> str | None:
    """The answer in the format asked for; None for the table."""
    forms = {
        "csv": lambda: _csv(rows),
        "json": lambda: output.as_json([plain_row(row) for row in rows]),
        "junit": lambda: junit(cells),
        "sarif": lambda: output.as_json(sarif(cells, Store(args.store))),
        "markdown": lambda: markdown(cells, Store(args.store), ", ".join(grids) or "Leadline"),
    }
    return forms[args.format]() if args.format in forms else None


def _csv(rows: Sequence[Row]) -> str:
    """The columns of the store, the parameters as JSON; null is written as nothing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, SCHEMA.names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**plain_row(row), "parameters": row.parameters} for row in rows)
    return text.getvalue()


def _comparison(found: Comparison) -> list[str]:
    lines = [f"worse: {sentence(cell)} (was: {was.text()})" for was, cell in found.worse]
    lines += [f"new: {sentence(cell)}" for cell in found.new]
    lines += [
        f"{'worse: no answer in this store' if cell in found.lost else 'not in this store'}: {sentence(cell)}"
        for cell in found.gone
    ]
    count = len(found.worse) + len(found.lost)
    lines.append(f"{counted(count, 'cell')} got worse" if count else "no cell got worse")
    return [*map(printable, lines)]


def _exit(cell: Cell) -> Exit:
    if outcome(cell) is not Judgement.FAILED:
        return Exit.UNKNOWN
    return output.exit_of(cell.goal.property, cell.kind, Verdict.named(cell.verdict), Judgement.FAILED)


def declare_report(parser: argparse.ArgumentParser) -> None:
    """Declare `report`."""
    parser.description = (
        "Write a store of results as one HTML page that opens without a network: maps of the "
        "verdicts by parameters, the condition on the parameters under which each property breaks, the "
        "counterexample of the smallest broken point, and what the queries cost. Each counterexample has a "
        "page of its own to walk through it, in a folder beside the report."
    )
    parser.add_argument(
        "store", metavar="STORE", type=store_place, help="the store's folder or URI, from `leadline grid`"
    )
    about = (
        "the Python file or TLA+ module of a protocol that is neither built in nor installed, to replay its "
        "counterexamples; repeat it for several"
    )
    add_many(parser, "--protocol", "FILE", about, dest="protocols")
    add_module(parser)
    add_file(parser, "--out", "FILE.html", "the page to write")
    about = "write the maps of the verdicts as a picture that stands alone, beside the page or without one"
    add_file(parser, "--svg", "FILE.svg", about)
    parser.set_defaults(run=_write_page)


def _write_page(args: argparse.Namespace) -> Exit:
    if args.out is None and args.svg is None:
        raise UserError("say what to write: --out FILE.html for the page, --svg FILE.svg for the maps")
    output.check_writable(args, "out", "svg")
    if not args.protocols and (args.config or args.path or args.readable or args.invariants):
        raise UserError(
            "--config, --path, --read and --invariant are of a TLA+ module: name it by --protocol"
        )
    entries = [chosen_entry(argparse.Namespace(**{**vars(args), "protocol": x}), {}) for x in args.protocols]
    given = {entry.name: entry for entry in entries}
    held = _read(args.store)
    if args.svg is not None:
        output.write_out(args.svg, maps(held.cells, ", ".join(held.grids) or "Leadline"), "--svg")
        tell(f"wrote {args.svg}")
    if args.out is None:
        return Exit.HOLDS
    replayed = partial(counterexample, Store(args.store), given=given)
    links = _write_traces(args.out, held.cells, replayed)
    output.write_out(args.out, page(latest(held.rows), held.cells, replayed, links, ", ".join(held.grids)))
    more = f" and {counted(len(links), 'page')} of counterexamples beside it" if links else ""
    tell(f"wrote {args.out}{more}")
    return Exit.HOLDS


def _write_traces(out: Path, cells: Sequence[Cell], show: Show) -> dict[str, str]:
    """Write a page for each counterexample, in a folder beside the report.

    Returns:
        The address of each page, relative to the report, by the cell's query.
    """
    folder = out.with_name(f"{out.stem}.traces")
    back = f"../{quote(out.name)}#q-"
    links = {}
    for cell in cells if not output.is_special(out) else ():
        if cell.verdict not in ("violated", "out-of-bounds") or (made := show(cell).page) is None:
            continue
        query = cell.row.query
        # A query's id is data: it may be no name of a file.
        name = f"{hashlib.sha256(query.encode()).hexdigest()[:16]}.html"
        with suppress(OSError):  # which the writing of the page tells
            folder.mkdir(exist_ok=True)
        output.write_out(folder / name, made(back + quote(query)))
        links[query] = f"{quote(folder.name)}/{name}"
    _remove_stale(folder, back, {link.rpartition("/")[2] for link in links.values()})
    return links


def _remove_stale(folder: Path, back: str, kept: Set[str]) -> None:
    """Remove the pages that this report wrote before and has no more: those with its kind of name and its link."""
    for path in folder.glob("*.html"):
        if path.name in kept or not re.fullmatch("[0-9a-f]{16}", path.stem):
            continue
        try:
            if f'<a href="{back}' in path.read_text(encoding="utf-8", errors="replace"):
                path.unlink()
        except OSError as error:
            tell(f"{path}: a page of an earlier report, which cannot be removed: {error.strerror}")

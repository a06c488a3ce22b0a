"""`leadline bench`: hard cases, every way to an answer, side by side."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.progress import live
from leadline.symbolic.cli.inputs import at_least, seconds
from leadline.symbolic.cli.output import show, write_out
from leadline.symbolic.cli.terminal import Exit, tell
from leadline.symbolic.engines import Table
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.benchmarks.cases import Case
    from leadline.benchmarks.machine import Machine
    from leadline.benchmarks.record import Row
    from leadline.benchmarks.summary import Cells

_OUT = Path("build", "bench")
RECORD = "bench.parquet"
TABLE = "bench.md"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Measure a fixed table of hard cases by every way to an answer: steps and sweeps, every "
        "solver, with symmetry and without, proofs without strengthenings, the explicit explorer, and TLC, "
        "Apalache and ABC where `tlc`, `apalache-mc` and `berkeley-abc` are on the PATH. A program that the "
        "environment variable LEADLINE_BESIDE names is measured on proofs: it takes PROTOCOL PROPERTY "
        "NAME=VALUE ... and exits as `leadline prove` does. Each measurement is a process of its own, with a "
        "limit on its time and memory; what hits a limit is recorded as such."
    )
    parser.epilog = (
        "Exit codes: 0 if every answer is what is known of its case, 255 if one is not, 130 if "
        "interrupted (what was measured is kept)."
    )
    _add_choices(parser)
    parser.add_argument(
        "--targets", action="store_true", help="judge what sweeps and symmetry are to achieve by this run"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=_OUT,
        metavar="DIR",
        help=f"the folder for {RECORD}, {TABLE} and the pictures (default: {_OUT})",
    )
    parser.set_defaults(run=run)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to measure, and how."""
    parser.add_argument(
        "--case",
        dest="cases",
        metavar="GLOB",
        action="append",
        default=[],
        help="measure the cases whose name matches, such as 'kip-320-*'; repeat it for more",
    )
    parser.add_argument(
        "--way",
        dest="ways",
        metavar="NAME",
        action="append",
        default=[],
        help="measure this way, such as sweeps/auto; repeat it for more",
    )
    parser.add_argument(
        "--quick", action="store_true", help="only the cases that are done in less than two minutes"
    )
    parser.add_argument(
        "--repeats", type=at_least(1), default=3, metavar="N", help="how often to measure (default: 3)"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help="stop each measurement after so many seconds (default: 60, and 300 for the hardest)",
    )
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="divide by the times of this way (default: steps, by the default solver)",
    )


def run(args: argparse.Namespace) -> Exit:
    """Measure, and show the measurements side by side."""
    # Here, so that the command line does not wait for Parquet to load.
    from leadline.benchmarks.machine import this_machine
    from leadline.benchmarks.runner import schedule
    from leadline.benchmarks.ways import BASELINE, WAYS

    cases = _chosen_cases(args.cases, quick=args.quick)
    ways = _chosen_ways(args.ways)
    baseline = _way(args.baseline or BASELINE, list(WAYS))
    todo = schedule(cases, ways, args.repeats)
    if not todo:
        raise UserError(f"none of these cases is measured by {', '.join(ways)}")
    machine = this_machine()
    rows = _measured(args, todo, machine)
    return _deliver(args, cases, baseline, rows, machine)


def _chosen_cases(globs: Sequence[str], *, quick: bool) -> list[Case]:
    from leadline.benchmarks.cases import CASES

    for glob in globs:
        if not any(fnmatch.fnmatchcase(case.name, glob) for case in CASES):
            raise UserError(
                f"--case {glob}: there is no such case; there are\n  "
                + "\n  ".join(case.name for case in CASES)
            )
    chosen = [
        case
        for case in CASES
        if (not globs or any(fnmatch.fnmatchcase(case.name, glob) for glob in globs))
        and (case.quick or not quick)
    ]
    if not chosen:
        raise UserError("none of these cases is quick: leave --quick out")
    return chosen


def _chosen_ways(names: Sequence[str]) -> list[str]:
    """The ways asked for, or all that can be gone on this machine."""
    from leadline.benchmarks.runner import available, missing
    from leadline.benchmarks.ways import WAYS

    if not names:
        return [name for name, way in WAYS.items() if available(way)]
    for name in names:
        if not available(WAYS[_way(name, list(WAYS))]):
            raise UserError(f"--way {name}: {missing(WAYS[name])}")
    return [name for name in WAYS if name in names]


def _way(name: str, known: list[str]) -> str:
    if name not in known:
        raise UserError(f"there is no way {name}: there are {', '.join(known)}")
    return name


def _measured(args: argparse.Namespace, todo: Sequence[Any], machine: Machine) -> list[Row]:
    """The measurements; each is on the disk before the next one begins."""
    from leadline.benchmarks.record import write
    from leadline.benchmarks.runner import run as measure_all

    path = args.out / RECORD
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {args.out} cannot be made: {error.strerror}") from error
    rows: list[Row] = []
    with live("benchmark") as show:
        try:
            for row in measure_all(todo, args.timeout, show):
                rows.append(row)
                write(path, rows, machine)
        except KeyboardInterrupt:
            tell(f"interrupted: {len(rows)} of {len(todo)} measurements are in {path}")
            raise
    return rows


def _deliver(
    args: argparse.Namespace, cases: Sequence[Case], baseline: str, rows: Sequence[Row], machine: Machine
) -> Exit:
    from leadline.benchmarks.pictures import pictures
    from leadline.benchmarks.summary import HEADER, RUNS_HEADER, answer, beside_tlc, cells, lines, markdown
    from leadline.benchmarks.ways import WAYS

    found = cells(rows)
    table = lines(found, baseline, list(WAYS))
    told = f"seconds: the median; ratio: the time of {baseline} divided by it"
    parts: list[Part] = [machine.told(), told, "", Table(HEADER, table)]
    runs = beside_tlc(found, cases)
    if runs:
        parts += ["", Table(RUNS_HEADER, runs)]
    if args.targets:
        parts += ["", _targets(found, cases)]
    drawn = pictures(found, cases, list(WAYS))
    for name, text in drawn.items():
        write_out(args.out / name, text)
    about_runs = f"\n{markdown(RUNS_HEADER, runs)}" if runs else ""
    write_out(args.out / TABLE, f"{machine.told()}\n\n{markdown(HEADER, table)}{about_runs}")
    parts += ["", f"the record is {args.out / RECORD}, the table {args.out / TABLE}"]
    show([*parts, f"pictures: {', '.join(drawn) or 'none'}"])
    wrong = [row for row in rows if not row.as_expected]
    for row in wrong:
        shortest = "" if row.shortest is None else f" in {row.shortest} steps"
        tell(f"{row.case} by {row.way}: {answer(row)}, expected is {row.expected}{shortest}")
    return Exit.INTERNAL if wrong else Exit.HOLDS


def _targets(found: Cells, cases: Sequence[Case]) -> Table:
    from leadline.benchmarks.targets import judged

    words = {True: "met", False: "NOT MET", None: "open"}
    rows = [[one.what, one.measured, words[one.met]] for one in judged(found, cases)]
    return Table(["target", "measured", ""], rows)

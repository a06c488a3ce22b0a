"""Proofs for all depths without strengthenings: `python -m leadline.benchmarks.proofs [NAME ...]`.

Each row, a case of `leadline bench`, is proved by PDR in a process of its own. The table tells CPU seconds of
the whole process, from the start of the interpreter on, and the size of the invariant.
"""

from __future__ import annotations

import argparse
import sys

from leadline.benchmarks.cases import CASES, Case
from leadline.benchmarks.proving import Task, prove
from leadline.symbolic.engines import Verdict
from leadline.symbolic.solve import DEFAULT, SOLVERS

HEADS = ("CPU s", "target", "frames", "orbits", "clauses", "questions")

ROWS = tuple(case for case in CASES if case.expected is Verdict.PROVED and case.tlc is None)


def main(arguments: list[str] | None = None) -> int:
    """Prove the rows that are named, or all; 1 if one is not proved."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.proofs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(row.name for row in ROWS))
    parser.add_argument("--limit", type=float, default=600, help="CPU seconds for each (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random choices (default: 0)")
    parser.add_argument("--recheck", action="store_true", help="have another solver check each invariant")
    args = parser.parse_args(arguments)
    unknown = [name for name in args.names if name not in {row.name for row in ROWS}]
    if unknown:
        parser.error(f"there is no row {unknown[0]}")
    chosen = [row for row in ROWS if not args.names or row.name in args.names]
    print(f"{'row':20} {'answer':9}" + "".join(f"{head:>10}" for head in HEADS))
    answers = [_told(row, args) for row in chosen]
    return 0 if all(answer == "proved" for answer in answers) else 1


def _told(row: Case, args: argparse.Namespace) -> str:
    """Answer a row in a child process and print it; the verdict."""
    found = prove(Task(row.protocol, dict(row.parameters), row.property, args.limit, args.seed, args.recheck))
    clauses = "-" if found.clauses is None else found.clauses
    cells = [f"{found.seconds:.1f}", row.cpu or "-", found.frames, found.orbits, clauses, found.questions]
    line = f"{row.name:20} {found.verdict:9}" + "".join(f"{cell!s:>10}" for cell in cells)
    if found.failing is not None:
        line += f"  {SOLVERS[DEFAULT].title} refuses {', '.join(found.failing) or 'nothing'}"
    if found.reason is not None:
        line += f"  {found.reason}"
    print(line, flush=True)
    return found.verdict


if __name__ == "__main__":
    sys.exit(main())

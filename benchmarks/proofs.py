"""Proofs for all depths without strengthenings: `python -m leadline.benchmarks.proofs [NAME ...]`.

Each row, a case of `leadline bench`, is proved by PDR in a process of its own. The table tells CPU seconds of
the whole process, from the start of the interpreter on, and the size of the invariant.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

from leadline.benchmarks.cases import CASES, Case
from leadline.benchmarks.measurement import model as model_of_case
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.pdr import PdrOptions, minimized, pdr, recheck
from leadline.symbolic.solve import DEFAULT, SOLVERS

HEADS = ("CPU s", "target", "frames", "orbits", "clauses", "questions")

ROWS = tuple(case for case in CASES if case.expected is Verdict.PROVED)


def main(arguments: list[str] | None = None) -> int:
    """Prove the rows that are named, or all; 1 if one is not proved."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.proofs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(row.name for row in ROWS))
    parser.add_argument("--limit", type=float, default=600, help="CPU seconds for each (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random choices (default: 0)")
    parser.add_argument("--recheck", action="store_true", help="have another solver check each invariant")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    unknown = [name for name in args.names if name not in {row.name for row in ROWS}]
    if unknown:
        parser.error(f"there is no row {unknown[0]}")
    chosen = [row for row in ROWS if not args.names or row.name in args.names]
    if args.here:
        print(json.dumps(_prove(chosen[0], args)))
        return 0
    print(f"{'row':20} {'answer':9}" + "".join(f"{head:>10}" for head in HEADS))
    answers = [_told(row, args) for row in chosen]
    return 0 if all(answer == "proved" for answer in answers) else 1


def _prove(row: Case, args: argparse.Namespace) -> dict[str, Any]:
    """The answer of one row, found in this process."""
    model = model_of_case(row)
    target = model.properties[row.property]

    def stop() -> str | None:
        return "the limit is reached" if time.process_time() > args.limit else None

    options = PdrOptions(strengthenings=False, seed=args.seed)
    found = pdr(model, target, options, stop=stop)
    seconds = time.process_time()
    more: dict[str, Any] = {}
    if found.invariant is not None:
        more = {"orbits": len(found.invariant.orbits), "clauses": found.invariant.clauses}
        if args.recheck:
            smaller = minimized(model, target, found.invariant)
            more["failing"] = recheck(model, target, smaller, SOLVERS[DEFAULT])
            more["minimized"] = len(smaller.orbits)
    where = {"frames": found.progress.frames, "questions": found.progress.questions}
    return {"answer": str(found.verdict), "seconds": seconds, **where, **more}


def _told(row: Case, args: argparse.Namespace) -> str:
    """Answer a row in a child process and print it; the verdict."""
    command = [sys.executable, "-m", "leadline.benchmarks.proofs", row.name, "--here"]
    command += [
        "--limit",
        str(args.limit),
        "--seed",
        str(args.seed),
        *(["--recheck"] if args.recheck else []),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found: dict[str, Any] = json.loads(done.stdout)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds = found["seconds"] if args.recheck else whole
    sizes = [found["frames"], found.get("orbits", "-"), found.get("clauses", "-"), found["questions"]]
    cells = [f"{seconds:.1f}", row.cpu or "-", *sizes]
    line = f"{row.name:20} {found['answer']:9}" + "".join(f"{cell!s:>10}" for cell in cells)
    if "failing" in found:
        refused = f"{SOLVERS[DEFAULT].title} refuses {found['failing'] or 'nothing'}"
        line += f"  minimized to {found['minimized']} orbits; {refused}"
    print(line, flush=True)
    return str(found["answer"])


if __name__ == "__main__":
    sys.exit(main())

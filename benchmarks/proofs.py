"""Proofs for all depths without strengthenings: `python -m leadline.benchmarks.proofs [NAME ...]`.

Each row is proved by PDR in a process of its own; the table tells the CPU seconds of the whole process, from
the interpreter's start on, and the size of the invariant.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines.pdr import PdrOptions, minimized, pdr, recheck
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.solve import DEFAULT, SOLVERS


@dataclass(frozen=True)
class Row:
    """A property to prove.

    Attributes:
        name: as the command line takes it.
        target: CPU seconds within which it is to be proved; None where any time will do.
    """

    name: str
    protocol: str
    property: str
    parameters: dict[str, Setting]
    target: float | None = None


def _kafka(name: str, sizes: tuple[int, int, int, int], target: float | None) -> Row:
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    parameters: dict[str, Setting] = dict(zip(names, sizes, strict=True))
    return Row(name, "kafka-replication", "strong-isr", parameters, target)


HEADS = ("CPU s", "target", "frames", "orbits", "clauses", "questions")

_MENDED = "mended-handle-vote"
ROWS = (
    Row("commit-7", "two-phase-commit", "consistency", {"resource_managers": 7}, 8),
    Row("commit-12", "two-phase-commit", "consistency", {"resource_managers": 12}),
    Row("leases-5", "spanner-leases", "disjointness", {"replicas": 5, "variant": _MENDED}, 3),
    Row(
        "compaction-4-3",
        "pulsar-compaction",
        "compaction-horizon-correctness",
        {"message_sent_limit": 4, "keys": 3},
        8,
    ),
    _kafka("kip-320-2-2-2-2", (2, 2, 2, 2), 3),
    _kafka("kip-320-3-2-2-2", (3, 2, 2, 2), 60),
    _kafka("kip-320-2-4-4-4", (2, 4, 4, 4), None),
    Row("kafka-transactions", "kafka-transactions", "no-bad-state-response", {}),
    Row("nonconflict", "spanner-transactions", "strict-serializability", {}),
)


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


def _prove(row: Row, args: argparse.Namespace) -> dict[str, Any]:
    """The answer of one row, found in this process."""
    model = model_of(find(row.protocol), row.parameters)
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


def _told(row: Row, args: argparse.Namespace) -> str:
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
    cells = [f"{seconds:.1f}", row.target or "-", *sizes]
    line = f"{row.name:20} {found['answer']:9}" + "".join(f"{cell!s:>10}" for cell in cells)
    if "failing" in found:
        refused = f"{SOLVERS[DEFAULT].title} refuses {found['failing'] or 'nothing'}"
        line += f"  minimized to {found['minimized']} orbits; {refused}"
    print(line, flush=True)
    return str(found["answer"])


if __name__ == "__main__":
    sys.exit(main())

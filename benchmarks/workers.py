"""Exploration by workers against one process: `python -m leadline.benchmarks.workers`.

Both explore at the same time. The seconds of the workers are those of the processor on the critical path: the
parent's, and for each level those of the busiest worker. The ratio does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Level, Semantics, explore
from leadline.symbolic.engines.workers import Team

CASES: Sequence[tuple[str, Mapping[str, Any], str, int | None]] = (
    ("kafka-replication", {}, "strong-isr", None),
    ("kafka-replication", {"max_leader_epoch": 3}, "strong-isr", 14),
    ("spanner-transactions", {"transactions": "circular"}, "strict-serializability", None),
)
"""A protocol, its parameters, a property, and a bound on depth."""


def alone(protocol: str, parameters: Mapping[str, Any], name: str, depth: int | None) -> tuple[int, float]:
    """The number of states, and the seconds that one process takes."""
    model = model_of(find(protocol), parameters)
    begin = time.process_time()
    return explore(Semantics(model), [name], depth).states, time.process_time() - begin


def together(
    workers: int, protocol: str, parameters: Mapping[str, Any], name: str, depth: int | None
) -> tuple[int, float]:
    """The number of states, and the seconds on the critical path of several processes."""
    model = model_of(find(protocol), parameters)
    spent: list[list[float]] = [[0.0] * workers]

    def progress(_: Level) -> None:
        if team.members:
            spent.append([member.report.seconds for member in team.members])

    begin = time.process_time()
    team = Team(Semantics(model), [name], depth, progress, None, workers)
    team.run()
    own = time.process_time() - begin
    spent.append([member.report.seconds for member in team.members])
    pairs = itertools.pairwise(spent)
    return team.counted, own + sum(max(b - a for a, b in zip(*pair, strict=True)) for pair in pairs)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.workers", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only protocols whose name has this text")
    args = parser.parse_args(words)
    print(f"| protocol | states | one process: CPU s | {args.workers} workers: CPU s | times as fast |")
    print("| --- | --- | --- | --- | --- |")
    for case in CASES:
        if args.only not in case[0]:
            continue
        with ProcessPoolExecutor(2) as pool:
            asked = pool.submit(alone, *case), pool.submit(together, args.workers, *case)
            (states, one), (others, several) = (future.result() for future in asked)
        assert states == others, (states, others)
        print(f"| {case[0]} | {states:,} | {one:.1f} | {several:.1f} | {one / several:.2f} |", flush=True)


if __name__ == "__main__":
    main()

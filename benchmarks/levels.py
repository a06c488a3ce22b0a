"""Exploration on Spark, level by level: `python -m leadline.benchmarks.levels --master URL --store DIR`.

It explores two-phase commit with 4 managers up to a number of states, and tells the seconds of the clock and the
bytes that were sent between shards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Listener, Query
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.grid.levels import explored
from leadline.symbolic.grid.session import MASTER, SparkSetup


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.levels", description=__doc__)
    parser.add_argument("--master", default=MASTER, metavar="URL", help=f"Spark's master (default: {MASTER})")
    parser.add_argument("--states", type=int, default=10_000_000, metavar="N", help="default: ten million")
    parser.add_argument(
        "--shards", type=int, metavar="N", help="the number of shards (default: of tasks at once)"
    )
    args = parser.parse_args(words)
    protocol, settings, name = "two-phase-commit", {"resource_managers": 4}, "consistency"
    query = Query(protocol, dict(settings), (name,), ExploreOptions(max_states=args.states))
    begin = time.monotonic()
    with TemporaryDirectory() as folder:
        listener = Listener(lambda now: print(f"{time.monotonic() - begin:.0f} s: {now.text}", flush=True))
        setup = SparkSetup(args.master)
        answer, sent = explored(
            model_of(find(protocol), settings), query, setup, Path(folder), args.shards, listener
        )
    assert isinstance(answer.facts, ExploreFacts)
    print(
        f"| states | levels | {args.master}: s, with the start of Spark | MB sent |\n| --- | --- | --- | --- |"
    )
    cells = (f"{answer.facts.states:,}", answer.facts.diameter, f"{time.monotonic() - begin:.0f}")
    print(f"| {' | '.join(map(str, cells))} | {sent / 1e6:.0f} |")


if __name__ == "__main__":
    main()

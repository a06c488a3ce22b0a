"""Exploration on circuits beside that on values and TLC: `python -m leadline.benchmarks.states`.

Each exploration is of all states with one property, in a process of its own. Seconds are those of the processor;
the making of circuits counts, that of models does not. TLC's are those that were recorded with one worker for the
same module, of the processor or, on an idle machine, of the clock; "-" where none were.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.meaning import Explorer

_ELECTION = str(Path(__file__).parent / "modules" / "election.tla")


@dataclass(frozen=True)
class Row:
    """A model to explore.

    Attributes:
        name: its name in the table.
        protocol: the protocol, or the file of a module.
        property: the property to evaluate in each state.
        parameters: its parameters.
        tlc: the seconds that TLC took, or None.
        large: whether the search on values takes minutes.
    """

    name: str
    protocol: str
    property: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tlc: float | None = None
    large: bool = False


ROWS = (
    Row("KIP-320 3/2/2/2", "kafka-replication", "strong-isr", tlc=68.5),
    Row(
        "KIP-320's first try 3/2/2/2",
        "kafka-replication",
        "strong-isr",
        {"variant": "kip-320-first-try"},
    ),
    Row("two-phase commit, 2 managers", "two-phase-commit", "consistency", tlc=6.4),
    Row(
        "two-phase commit, 3 managers",
        "two-phase-commit",
        "consistency",
        {"resource_managers": 3},
        tlc=136,
        large=True,
    ),
    Row(
        "Spanner's transactions, circular",
        "spanner-transactions",
        "strict-serializability",
        {"transactions": "circular"},
    ),
    Row(
        "Pulsar, 4 messages, 3 keys",
        "pulsar-compaction",
        "compaction-horizon-correctness",
        {"message_sent_limit": 4, "keys": 3},
    ),
    Row("election.tla, 3 servers, 3 terms", _ELECTION, "ElectionSafety", tlc=9.3),
    Row("election.tla, 3 servers, 4 terms", _ELECTION, "ElectionSafety", {"MaxTerm": "4"}, large=True),
)


def explored(row: Row, by: str) -> tuple[int, float, float]:
    """Explore a model, `by` "circuits" or "values": states, seconds, and megabytes at the peak."""
    semantics = Semantics(model_of(find(row.protocol), row.parameters))
    kind = CircuitExplorer if by == "circuits" else Explorer
    explorer = kind(semantics, [row.property], None, lambda _: None, None)
    begin = time.process_time()
    explorer.run()
    seconds = time.process_time() - begin
    return explorer.within[-1], seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(row: Row, by: str) -> tuple[int, float, float]:
    """`explored` in a process of its own."""
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(explored, row, by).result()


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.states", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose name has this text")
    parser.add_argument("--large", action="store_true", help="search on values where it takes minutes, too")
    args = parser.parse_args(words)
    print("| model | states | circuits: CPU s | MB | values: CPU s | MB | times as fast | TLC: s | times |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        if args.only not in row.name:
            continue
        states, seconds, size = alone(row, "circuits")
        cells = [row.name, f"{states:,}", f"{seconds:.1f}", f"{size:.0f}"]
        if row.large and not args.large:
            cells += ["-", "-", "-"]
        else:
            others, slower, larger = alone(row, "values")
            assert states == others, (states, others)
            cells += [f"{slower:.1f}", f"{larger:.0f}", f"{slower / seconds:.1f}"]
        cells += ["-", "-"] if row.tlc is None else [f"{row.tlc}", f"{row.tlc / seconds:.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

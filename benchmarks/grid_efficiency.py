"""The costs of a grid beside solving: `python -m leadline.benchmarks.grid_efficiency [PART ...]`.

- `busy`: 200 queries of about a second on local[2]. How much of the two cores' time, once both are at work,
  is spent on building and solving; the rest, by query, is what fork, Spark and store cost.
- `pruning`: a grid with bugs, with and without pruning.
- `ways`: 200 trivial queries by a classic Spark and over Spark Connect, in turn; only if it is named.
- `memory`: 10,000 queries that a stub answers: what the driver holds, its Java process included.

Nothing else may run beside it, or the numbers are the neighbours'.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.engines.run.limits import own_peak_mb, peak_mb
from leadline.symbolic.grid import spark
from leadline.symbolic.grid.plan import Plan, plan
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.runs import StoreArchive, new_run
from leadline.symbolic.grid.session import SparkSetup
from leadline.symbolic.grid.spark import ClassicLink, Link
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import Task, TaskResult, answer, unanswered
from leadline.symbolic.solve import LONE

SLOTS = 2
HERE = SparkSetup(f"local[{SLOTS}]")

TRIVIAL = """
[[check]]
protocol = "two-phase-commit"
properties = "consistency"
depth = 0
seed = { from = 0, to = %d }
"""

BUSY = """
[[check]]
protocol = "kafka-replication"
properties = "strong-isr"
parameters = { replicas = 2 }
depth = 9
seed = { from = 0, to = %d }
"""

BUGS = f"""
solver = "{LONE}"

[[check]]
protocol = "kafka-replication"
properties = ["weak-isr", "strong-isr"]
parameters = {{ variant = ["truncate-to-high-watermark", "kip-101"], replicas = 2 }}
depth = {{ from = 6, to = 20 }}

[[check]]
protocol = "pulsar-compaction"
properties = ["duplicate-null-key-message", "compacted-ledger-leak"]
parameters = {{ max_crash_times = [1, 2] }}
depth = {{ from = 2, to = 12 }}

[[check]]
protocol = "two-phase-commit"
properties = ["consistency", "not-committed"]
parameters = {{ resource_managers = [2, 3] }}
depth = {{ from = 4, to = 14, step = 2 }}
"""


@dataclass(frozen=True)
class Ran:
    """A grid that ran."""

    rows: Sequence[Row]
    seconds: float
    driver_mb: float


def run_grid(
    text: str,
    *,
    prune: bool,
    task: Task = answer,
    keep_rows: bool = True,
    setup: SparkSetup = HERE,
) -> Ran:
    """Run a grid in a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "grid.toml").write_text(text, encoding="utf-8")
        todo = plan(Path(folder) / "grid.toml")
        archive = StoreArchive(Store(Path(folder) / "store"), new_run(), todo.predicted)
        archive.store.create()
        peak = _run(todo, archive, prune, task, setup)
        rows = list(archive.store.all().rows.values()) if keep_rows else []
        return Ran(rows, peak[0], peak[1])


def _run(
    todo: Plan, archive: StoreArchive, prune: bool, task: Task, setup: SparkSetup
) -> tuple[float, float]:
    java: list[Callable[[], float]] = []
    begin, most = time.perf_counter(), 0.0

    def look(_: object) -> None:
        nonlocal most
        most = max(most, own_peak_mb() + sum(one() for one in java))

    spark.run(
        todo.queries,
        archive,
        setup,
        Pruning(todo.queries) if prune else None,
        look,
        started=lambda link: java.extend([lambda: peak_mb(java_process(link)) or 0.0] if setup.local else []),
        task=task,
    )
    return time.perf_counter() - begin, most


def java_process(link: Link) -> int:
    """The number of the driver's Java process."""
    assert isinstance(link, ClassicLink) and link.spark._gateway is not None
    pid: int = link.spark._gateway.proc.pid
    return pid


def busy(count: int) -> None:
    """How much of the cores' time is solving."""
    rows = run_grid(BUSY % (count - 1), prune=False).rows
    assert {row.verdict for row in rows} == {"safe"}, "a query failed"
    begin = min(row.started.timestamp() for row in rows)
    end = max(row.started.timestamp() + row.task_seconds for row in rows)
    solving = sum(row.total_seconds for row in rows)
    whole = SLOTS * (end - begin)
    beside = (whole - solving) / len(rows)
    in_task = sum(row.task_seconds - row.total_seconds for row in rows) / len(rows)
    print(
        f"busy: {len(rows)} queries of {solving / len(rows):.2f} s on {SLOTS} cores: {solving / whole:.1%} "
        f"of their time is solving; {beside * 1000:.0f} ms beside it for each query, of which "
        f"{in_task * 1000:.0f} ms in the task"
    )


def pruning() -> None:
    """Compare a grid with bugs with and without pruning."""
    ran = {prune: run_grid(BUGS, prune=prune) for prune in (False, True)}
    cost = {prune: sum(row.total_seconds for row in one.rows) for prune, one in ran.items()}
    moot = sum(row.moot() for row in ran[True].rows)
    print(
        f"pruning: {len(ran[True].rows)} queries, {moot} moot: {cost[True]:.1f} s of solving instead of "
        f"{cost[False]:.1f} s ({cost[True] / cost[False]:.0%}), {ran[True].seconds:.0f} s in all instead of "
        f"{ran[False].seconds:.0f} s"
    )


def stub(query: GridQuery, run: str, predicted: float | None) -> TaskResult:
    """Answers at once, with nothing."""
    return TaskResult(unanswered(query, run, predicted, "a benchmark's stub"))


def memory(count: int) -> None:
    """Measure the memory of the driver."""
    ran = run_grid(BUSY % (count - 1), prune=True, task=stub, keep_rows=False)
    print(
        f"memory: {count} queries answered by a stub in {ran.seconds:.0f} s "
        f"({ran.seconds / count * 1000:.0f} ms each); driver and its Java at most {ran.driver_mb:.0f} MB"
    )


def ways(count: int, remote: str) -> None:
    """The cost of a trivial query on classic Spark and over Spark Connect, in turn."""
    setups = {"classic": HERE, "Connect": SparkSetup(remote=remote)}
    for _ in range(2):
        for name, setup in setups.items():
            rows = run_grid(TRIVIAL % (count - 1), prune=False, setup=setup).rows
            assert {row.verdict for row in rows} == {"safe"}, "a query failed"
            started = sorted(row.started.timestamp() for row in rows)
            each = (started[-1] - started[0]) / (len(rows) - 1)
            task = sum(row.task_seconds for row in rows) / len(rows)
            print(
                f"ways: {name}: {len(rows)} queries, one each {each * 1000:.0f} ms on {SLOTS} cores; the task "
                f"is {task * 1000:.0f} ms of the {SLOTS * each * 1000:.0f} ms of a core"
            )


def main() -> None:
    """Measure what is asked for, all by default."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=["busy", "pruning", "memory", "ways", []], default=[])
    parser.add_argument("--busy-queries", type=int, default=200)
    parser.add_argument("--memory-queries", type=int, default=10_000)
    parser.add_argument("--remote", help="the Spark Connect server on local[2] that `ways` needs")
    args = parser.parse_args()
    parts = args.parts or ["busy", "pruning", "memory"]
    if "busy" in parts:
        busy(args.busy_queries)
    if "pruning" in parts:
        pruning()
    if "memory" in parts:
        memory(args.memory_queries)
    if "ways" in parts:
        ways(args.busy_queries, args.remote or parser.error("ways needs --remote sc://HOST:PORT"))


if __name__ == "__main__":
    main()

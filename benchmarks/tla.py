"""The models of tlaplus/Examples, explored and checked: `python -m leadline.benchmarks.tla --examples FOLDER`.

FOLDER is a checkout of https://github.com/tlaplus/Examples. Taken are the models of the folders whose names
begin with the letters of `--letters`, if their manifest tells TLC's number of distinct states, up to a million,
or the violation that TLC finds. Each is explored by the interpreter, and checked by a symbolic engine on the
model that the module is lowered to, each in a process of its own. The table is written after each model. What
was measured before is kept beside it in a file of JSON lines, so that one model can be measured again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

OUT = Path("docs", "tla-examples.md")
MOST_STATES = 1_000_000
MOST_MEMORY = 4_000
_DEFINITE = {"safe", "proved", "violated"}
_SYMBOLIC = ("--engine", "pdr")
_COMMANDS = ("explore", "symbolic")
_HEAD = ("model", "TLC", "states", "explore", "s", "symbolic", "s", "")


@dataclass(frozen=True)
class Example:
    """A model of the examples.

    Attributes:
        module: the module's file, from the checkout.
        config: its configuration.
        states: the number of distinct states that the manifest gives; None if it gives none.
        fails: whether TLC finds a violation.
    """

    module: str
    config: str
    states: int | None
    fails: bool


@dataclass(frozen=True)
class Ran:
    """A command's end.

    Attributes:
        verdict: `holds`, `violated`, or that there is none: `-`.
        states: the number of states; None if it does not tell or is not complete.
        seconds: the time that it took.
        why: what stopped it.
    """

    verdict: str
    states: int | None
    seconds: float
    why: str


@dataclass(frozen=True)
class Row:
    """A model with what became of it, and the seconds that each command had."""

    example: Example
    explored: Ran
    symbolic: Ran
    limit: int

    @property
    def right(self) -> bool:
        """Whether exploration has TLC's verdict and, where TLC's is known, its number of states."""
        counted = self.example.states is None or self.explored.states == self.example.states
        return self.explored.verdict == self._wanted and counted

    @property
    def answered_symbolically(self) -> bool:
        """Whether a symbolic engine alone has TLC's verdict."""
        return self.symbolic.verdict == self._wanted

    @property
    def _wanted(self) -> str:
        return "violated" if self.example.fails else "holds"

    @property
    def wrong(self) -> bool:
        """Whether a verdict is the opposite of TLC's, or the states are others than TLC's."""
        verdicts = {self.explored.verdict, self.symbolic.verdict} - {"-"}
        return bool(verdicts - {self._wanted}) or (self.explored.verdict != "-" and not self.right)


def examples(folder: Path, letters: str) -> Iterator[Example]:
    """The models to measure, by their manifests."""
    for manifest in sorted(folder.glob("specifications/*/manifest.json")):
        if manifest.parent.name[0].lower() not in letters:
            continue
        for module in json.loads(manifest.read_text(encoding="utf-8"))["modules"]:
            for model in module["models"]:
                states, fails = model.get("distinctStates"), model["result"].endswith("failure")
                if model["mode"] == "exhaustive search" and (
                    fails or (MOST_STATES + 1 if states is None else states) <= MOST_STATES
                ):
                    yield Example(module["path"], model["path"], states, fails)


def measured(folder: Path, one: Example, seconds: int, known: Row | None, commands: Sequence[str]) -> Row:
    """Explore and check a model.

    Args:
        folder: the checkout.
        one: the model.
        seconds: the limit for each command.
        known: what was measured before, if anything.
        commands: those to run; of the others the measurements before are kept.
    """
    row = known or Row(one, _NOTHING, _NOTHING, seconds)
    explored = _run(folder, one, "explore", seconds) if "explore" in commands else row.explored
    symbolic = _run(folder, one, "check", seconds, *_SYMBOLIC) if "symbolic" in commands else row.symbolic
    return Row(one, explored, symbolic, seconds)


_NOTHING = Ran("-", None, 0.0, "not measured")


def _run(folder: Path, one: Example, command: str, seconds: int, *options: str) -> Ran:
    limits = ["--timeout", str(seconds), "--memory", str(MOST_MEMORY)]
    words = [sys.executable, "-m", "leadline", command, one.module, "--config", one.config, *options]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*words, *limits, "--format", "json"],
            cwd=folder, capture_output=True, text=True, timeout=2 * seconds + 60, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Ran("-", None, time.monotonic() - begin, "does not end at its limit")
    took = time.monotonic() - begin
    if not done.stdout.startswith("{"):
        told = [line for line in done.stderr.splitlines() if line.strip()]
        crashed = "Traceback" in done.stderr
        text = "a traceback" if crashed else " ".join(map(str.strip, told)) or f"exit code {done.returncode}"
        return Ran("-", None, took, text.removeprefix("leadline: "))
    return _judged(json.loads(done.stdout), took)


def _judged(told: Mapping[str, Any], seconds: float) -> Ran:
    results: list[Mapping[str, Any]] = told.get("results", [told])
    if isinstance(told.get("properties"), Mapping):
        results = list(told["properties"].values())
    verdicts = [one["verdict"] for one in results]
    states = told.get("states") if told.get("complete", False) else None
    if "violated" in verdicts:
        return Ran("violated", states, seconds, "")
    if set(verdicts) <= _DEFINITE and told.get("stopped") is None and not told.get("out_of_bounds"):
        return Ran("holds", states, seconds, "")
    why = [str(one["reason"]) for one in results if one["verdict"] not in _DEFINITE and one.get("reason")]
    return Ran("-", told.get("states"), seconds, str(told.get("stopped") or (why or verdicts)[0]))


def table(rows: Sequence[Row], letters: str) -> str:
    """The table as Markdown."""
    seconds = max(one.limit for one in rows)
    with_states = [one for one in rows if one.example.states is not None]
    counts = [
        f"{len(some)}; explored with TLC's number and verdict: {sum(x.right for x in some)}; "
        f"answered by `check --engine pdr`: {sum(x.answered_symbolically for x in some)}; "
        f"wrong: {sum(x.wrong for x in some)}"
        for some in (with_states, rows)
    ]
    command = f"python -m leadline.benchmarks.tla --examples FOLDER --seconds {seconds}"
    lines = [
        "# The models of tlaplus/Examples",
        "",
        f"Made by `{command}` on the folders {letters[0]} to {letters[-1]}, with at most {seconds} seconds and",
        f"{MOST_MEMORY:,} MB for each command. Listed are the models of which the manifest tells TLC's number of",
        "distinct states, up to a million, or a violation.",
        "",
        f"- models with TLC's number of states: {counts[0]}",
        f"- all models: {counts[1]}",
        "",
        "`states` is what `explore` finds, and `symbolic` the verdict of `check --engine pdr`. The last column",
        "tells what stopped a command.",
        "Seconds are of the clock, and depend on the machine and what else it does.",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{' --- |' * len(_HEAD)}",
    ]
    return "\n".join([*lines, *map(_line, rows), ""])


def _line(row: Row) -> str:
    one, explored, symbolic = row.example, row.explored, row.symbolic
    runs = zip(_COMMANDS, (explored, symbolic), strict=True)
    whys = dict.fromkeys(f"{name}: {x.why}" for name, x in runs if x.why)
    cells = [
        one.config.removeprefix("specifications/"),
        "violated" if one.fails else f"{one.states:,}",
        "-" if explored.states is None else f"{explored.states:,}",
        explored.verdict,
        f"{explored.seconds:.0f}",
        symbolic.verdict,
        f"{symbolic.seconds:.0f}",
        "; ".join(whys)[:240].replace("|", "\\|").replace("\n", " "),
    ]
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.tla", description=__doc__)
    parser.add_argument("--examples", type=Path, required=True, metavar="FOLDER", help="the checkout")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="the limit for each command")
    parser.add_argument("--letters", default="abcd", help="the first letters of the folders (default: abcd)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only models whose path has this text")
    parser.add_argument(
        "--commands",
        nargs="+",
        choices=_COMMANDS,
        default=_COMMANDS,
        help="run these; keep the rest of the record",
    )
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=f"default: {OUT}")
    parser.add_argument("--record", type=Path, metavar="FILE", help="default: the table's name with .jsonl")
    args = parser.parse_args(words)
    record = args.out.with_suffix(".jsonl") if args.record is None else args.record
    rows = _recorded(record)
    for one in examples(args.examples, args.letters):
        if args.only not in one.config:
            continue
        row = rows[one.config] = measured(
            args.examples, one, args.seconds, rows.get(one.config), args.commands
        )
        print(_line(row), flush=True)
        with record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        args.out.write_text(table(sorted(rows.values(), key=_path), args.letters), encoding="utf-8")


def _recorded(record: Path) -> dict[str, Row]:
    """The rows of a record, the last one of each model."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    found = {}
    for told in map(json.loads, lines):
        explored, symbolic = (Ran(**told[x]) for x in ("explored", "symbolic"))
        row = Row(Example(**told["example"]), explored, symbolic, told["limit"])
        found[row.example.config] = row
    return found


def _path(row: Row) -> str:
    return row.example.config.lower()


if __name__ == "__main__":
    main()

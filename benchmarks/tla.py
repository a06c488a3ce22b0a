"""The models of tlaplus/Examples, explored and checked: `python -m leadline.benchmarks.tla --examples FOLDER`.

FOLDER is a checkout of https://github.com/tlaplus/Examples. Taken are the models whose manifest tells TLC's number
of distinct states, up to a million, or the violation that TLC finds, the smallest first. Each is explored by the
interpreter (`explore`), asked of all engines together (`check`), and of the symbolic ones alone (`symbolic`), each
in processes of its own. Each end is a line of a record, and what the record has is not run again, so that a run
can be made in parts. The page is made from the record.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from leadline.benchmarks.children import run
from leadline.symbolic.tla.read.config import parse_config

OUT = Path("docs", "tla-examples.md")
RECORD = Path("benchmarks", "tla.jsonl")
MOST_STATES = 1_000_000
MOST_MEMORY = 4_000
_DEFINITE = {"safe", "proved", "violated"}
_COMMANDS = {
    "explore": ("explore",),
    "check": ("check",),
    "symbolic": ("check", "--engine", "pdr"),
}
_REFUTE = ("check", "--engine", "bmc")
_PROCESSES = {"explore": 2, "check": 2, "symbolic": 1}
_HEAD = ("model", "TLC", "states", "explore", "CPU s", "check", "CPU s", "symbolic", "CPU s", "")


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

    @property
    def wanted(self) -> str:
        """TLC's verdict."""
        return "violated" if self.fails else "holds"


@dataclass(frozen=True)
class Ran:
    """A command's end.

    Attributes:
        verdict: `holds`, `violated`, `safety holds` if only claims about runs are open, or `-` for none.
        states: the number of states; None if it does not tell.
        seconds: the CPU seconds of all its processes; None if they were not measured.
        why: the reason why there is no verdict, or a remark.
    """

    verdict: str
    states: int | None
    seconds: float | None
    why: str


_NOT_RUN = Ran("-", None, None, "")


@dataclass(frozen=True)
class Row:
    """A model with the ends of commands."""

    example: Example
    runs: Mapping[str, Ran] = field(default_factory=dict)

    def ran(self, command: str) -> Ran:
        """The end of a command."""
        return self.runs.get(command, _NOT_RUN)

    def right(self, command: str) -> bool:
        """Whether a command has TLC's verdict and, where both are known, its number of states."""
        counted = command != "explore" or self.example.states in (None, self.ran(command).states)
        return self.ran(command).verdict == self.example.wanted and counted

    @property
    def safe(self) -> bool:
        """Whether the symbolic engines have TLC's verdict on all but claims about runs."""
        return self.right("symbolic") or (self.ran("symbolic").verdict, self.example.fails) == (
            _SAFETY,
            False,
        )

    @property
    def wrong(self) -> bool:
        """Whether a verdict is the opposite of TLC's, or the states are others than TLC's."""
        verdicts = {one.verdict for one in self.runs.values()} - {"-", _SAFETY}
        explored = self.ran("explore").verdict not in ("-", _SAFETY)
        return bool(verdicts - {self.example.wanted}) or (explored and not self.right("explore"))


_SAFETY = "safety holds"
_ABOUT = "<!-- the machine -->"


def examples(folder: Path) -> list[Example]:
    """The models to measure, by their manifests, the smallest first."""
    found = []
    for manifest in folder.glob("specifications/*/manifest.json"):
        for module in json.loads(manifest.read_text(encoding="utf-8"))["modules"]:
            for model in module["models"]:
                states, fails = model.get("distinctStates"), model["result"].endswith("failure")
                if model["mode"] == "exhaustive search" and (
                    fails or (MOST_STATES + 1 if states is None else states) <= MOST_STATES
                ):
                    found.append(Example(module["path"], model["path"], states, fails))
    return sorted(found, key=lambda one: (one.states or 0, one.config.lower()))


def measured(folder: Path, one: Example, command: str, seconds: int, clock: int) -> Ran:
    """Run a command on a model.

    Args:
        folder: the checkout.
        one: the model.
        command: one of `explore`, `check` and `symbolic`.
        seconds: the CPU seconds that each of its processes may take for a verdict to count.
        clock: the seconds after which it is stopped.
    """
    found = _run(folder, one, _COMMANDS[command], clock)
    if command == "symbolic" and one.fails and found.verdict == "-":
        again = _run(folder, one, _REFUTE, clock)
        took = (found.seconds or 0) + (again.seconds or 0)
        found = replace(again, seconds=took)
        if again.verdict == "holds":  # as far as the bounded check goes, which says nothing of longer runs
            found = replace(found, verdict="-", why="no violation within the bound of check --engine bmc")
    found = replace(found, why=found.why.replace(f"{folder.resolve()}/", ""))
    most = seconds * _PROCESSES[command]
    if found.verdict != "-" and (found.seconds or 0) > most:
        return Ran("-", found.states, found.seconds, f"{found.verdict}, after more than {most} CPU s")
    return found


def _run(folder: Path, one: Example, command: Sequence[str], clock: int) -> Ran:
    limits = ["--timeout", str(clock), "--memory", str(MOST_MEMORY)]
    if one.fails and command[0] == "check":
        limits.append("--fail-fast")  # TLC ends at the first violation, too
    words = [sys.executable, "-m", "leadline", *command, one.module, "--config", one.config, *limits]
    done = run([*words, "--format", "json"], "", 2 * clock + 60, folder=folder)
    if done.status is None:
        return Ran("-", None, None, "does not end at its limit")
    took = round(done.cpu_seconds, 1)
    if not done.output.startswith("{"):
        told = [line for line in done.errors.splitlines() if line.strip()]
        crashed = "Traceback" in done.errors
        text = "a traceback" if crashed else " ".join(map(str.strip, told)) or f"exit code {done.status}"
        return Ran("-", None, took, text.removeprefix("leadline: "))
    config = parse_config((folder / one.config).read_text(encoding="utf-8"), one.config)
    return judged(json.loads(done.output), took, {x.operator for x in config.properties})


def judged(told: Mapping[str, Any], seconds: float, about_runs: Set[str] = frozenset()) -> Ran:
    """The end of a command that answered.

    Args:
        told: its JSON.
        seconds: its CPU seconds.
        about_runs: the properties about runs; if no other is open, safety holds.
    """
    results: list[Mapping[str, Any]] = told.get("results", [told])
    if isinstance(told.get("properties"), Mapping):
        results = [{"property": name, **one} for name, one in told["properties"].items()]
    states = told.get("states")
    if any(one["verdict"] == "violated" for one in results):
        return Ran("violated", states, seconds, "")
    opened = [one for one in results if one["verdict"] not in _DEFINITE]
    if not opened and told.get("stopped") is None and not told.get("out_of_bounds"):
        return Ran("holds", states, seconds, "")
    reasons = [str(one["reason"]) for one in opened if one.get("reason")]
    why = str(told.get("stopped") or [*reasons, *(one["verdict"] for one in opened), "out of bounds"][0])
    names = [one["property"] for one in opened]
    if len(names) < len(results):
        why = f"{', '.join(names)}: {why}"
    safe = bool(opened) and len(opened) < len(results) and about_runs >= set(names)
    return Ran(_SAFETY if safe else "-", states, seconds, why)


def page(rows: Sequence[Row], about: str) -> str:
    """The page as Markdown.

    Args:
        rows: the models.
        about: the conditions of the run, in whole sentences.
    """
    answers = {name: _share(rows, name, Row.right) for name in _COMMANDS}
    safety = _share(rows, "symbolic", lambda row, _: row.safe)
    counts = [
        f"explored with TLC's number of states and verdict: {answers['explore']}",
        f"answered by `check`: {answers['check']}",
        f"answered by its symbolic engines alone: {answers['symbolic']}; with those of which only claims about",
        f"  runs are open: {safety}",
        f"wrong: {sum(x.wrong for x in rows)}",
    ]
    lines = [
        "# The models of tlaplus/Examples",
        "",
        f"The {len(rows)} models of which the manifest tells TLC's number of distinct states, up to a million, or",
        "a violation.",
        "",
        *(one if one.startswith(" ") else f"- {one}" for one in counts),
        "",
        "`states` is what `explore` finds. `symbolic` is the verdict of `check --engine pdr`, and where TLC finds",
        "a violation and PDR none, that of `check --engine bmc`; *safety holds* means that only properties under",
        "PROPERTY are open. The last column tells what stopped a command.",
        "",
        _ABOUT,
        *about.splitlines(),
        _ABOUT,
        "`python -m leadline.benchmarks.tla --examples FOLDER` makes this page from `benchmarks/tla.jsonl`, and",
        "measures what is missing there.",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{' --- |' * len(_HEAD)}",
    ]
    return "\n".join([*lines, *map(_line, rows), ""])


def _share(rows: Sequence[Row], command: str, held: Callable[[Row, str], bool]) -> str:
    """The share of the models on which a command was run, and how many others there are."""
    run = [row for row in rows if command in row.runs]
    right, left = sum(held(row, command) for row in run), len(rows) - len(run)
    told = f"{right} of {len(run)} ({right / max(len(run), 1):.1%})"
    return f"{told}, not run on {left} more" if left else told


def _line(row: Row) -> str:
    one = row.example
    runs = {name: row.ran(name) for name in _COMMANDS}
    whys = [f"{name}: {x.why[:160]}" for name, x in runs.items() if x.why]
    cells = [
        one.config.removeprefix("specifications/"),
        "violated" if one.fails else f"{one.states:,}",
        "-" if runs["explore"].states is None else f"{runs['explore'].states:,}",
        *(
            cell
            for x in runs.values()
            for cell in (x.verdict, "-" if x.seconds is None else f"{x.seconds:.0f}")
        ),
        "; ".join(whys).replace("|", "\\|").replace("\n", " "),
    ]
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.tla", description=__doc__)
    parser.add_argument("--examples", type=Path, required=True, metavar="FOLDER", help="the checkout")
    parser.add_argument("--seconds", type=int, default=120, metavar="N", help="CPU seconds for each process")
    parser.add_argument("--clock", type=int, metavar="N", help="stop a command then (default: --seconds)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only models whose path has this text")
    parser.add_argument("--commands", nargs="*", choices=_COMMANDS, default=list(_COMMANDS))
    parser.add_argument("--again", action="store_true", help="run what the record has no verdict of")
    parser.add_argument(
        "--about", default="", metavar="TEXT", help="the machine (default: as the page tells)"
    )
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=f"default: {OUT}")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE", help=f"default: {RECORD}")
    args = parser.parse_args(words)
    _list(args)
    for one, command in _missing(args):
        ran = measured(args.examples, one, command, args.seconds, args.clock or args.seconds)
        print(one.config, command, ran, flush=True)
        with args.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"example": asdict(one), "command": command, "ran": asdict(ran)}) + "\n")
    about = args.about or about_machine(args.out)
    args.out.write_text(page(recorded(args.record), about), encoding="utf-8")


def about_machine(out: Path) -> str:
    """The conditions of the run that a page tells."""
    told = out.read_text(encoding="utf-8").split(f"{_ABOUT}\n") if out.exists() else []
    return told[1] if len(told) > 1 else ""


def _list(args: argparse.Namespace) -> None:
    """Give the record a line for each model that it lacks, so that the page tells what was not run."""
    known = {row.example for row in recorded(args.record)}
    lines = [json.dumps({"example": asdict(one)}) for one in examples(args.examples) if one not in known]
    with args.record.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _missing(args: argparse.Namespace) -> Iterator[tuple[Example, str]]:
    """The models and commands to run."""
    known = {row.example: row for row in recorded(args.record)}
    for command in args.commands:
        for one in examples(args.examples):
            ran = known.get(one, Row(one)).runs.get(command)
            if args.only in one.config and (ran is None or (args.again and ran.verdict == "-")):
                yield one, command


def recorded(record: Path) -> list[Row]:
    """The rows of a record, in the order of the paths; the last end of each command counts."""
    found: dict[Example, dict[str, Ran]] = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else []:
        told = json.loads(line)
        runs = found.setdefault(Example(**told["example"]), {})
        if "command" in told:
            runs[told["command"]] = Ran(**told["ran"])
    return [Row(one, found[one]) for one in sorted(found, key=lambda one: one.config.lower())]


if __name__ == "__main__":
    main()

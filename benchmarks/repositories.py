"""Modules of public repositories, beside TLC: `python -m leadline.benchmarks.repositories --modules FOLDER`.

FOLDER holds a checkout of each repository, by the repository's name. The modules and their configurations are
those of `tests/tla/models/models.json`, with the states and the violations that TLC finds. Each is explored
(`explore`), asked of all engines together (`check`) and of PDR alone (`pdr`), and its model is made (`made`), each
in processes of its own; `--tlc COMMAND` runs TLC too: `COMMAND -workers 1 -config X.cfg X.tla`. Each end is a line
of a record, and what the record has is not run again. The page is made from the record.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from leadline.benchmarks.children import run
from leadline.benchmarks.tla import judged

MODELS = Path(__file__).resolve().parents[1] / "tests" / "tla" / "models"
OUT = Path("docs", "tla-models.md")
RECORD = Path("benchmarks", "repositories.jsonl")
MOST_MEMORY = 6_000
COMMANDS = ("tlc", "explore", "check", "made", "pdr")
_ASKED = {"explore": ("explore",), "check": ("check",), "pdr": ("check", "--engine", "pdr")}
_HEAD = (
    *("module", "nodes and bounds", "TLC: states", "CPU s", "`explore`: states", "CPU s"),
    *("`check`", "CPU s", "gates", "CPU s", "PDR alone", "CPU s"),
)
_COMMAND = f"python -m leadline.benchmarks.repositories --modules FOLDER --commands {' '.join(COMMANDS)}"


@dataclass(frozen=True)
class Model:
    """A module of a repository with a configuration, and what TLC finds.

    Attributes:
        module: the module's file, from the folder of the checkouts.
        extended: the module of ours that extends it; None if there is none.
        config: the configuration.
        bounds: the nodes and bounds, in words.
        states: TLC's number of distinct states; with a violation, that until TLC finds it.
        violated: the invariant that TLC finds violated; None if all hold.
        steps: the steps to the violation.
    """

    module: str
    extended: str | None
    config: str
    bounds: str
    states: int
    violated: str | None = None
    steps: int | None = None

    @property
    def wanted(self) -> str:
        """TLC's verdict."""
        return "violated" if self.violated else "holds"

    def files(self, checkouts: Path) -> tuple[Path, Path]:
        """The module to read, and the folder of the modules that it extends."""
        module = checkouts / self.module
        return module if self.extended is None else MODELS / self.extended, module.parent


@dataclass(frozen=True)
class Ran:
    """A command's end.

    Attributes:
        verdict: `holds`, `violated`, `made`, or that there is none: `-`.
        size: the number of states, or of gates; None if it does not tell.
        seconds: the CPU seconds of all its processes.
        why: the reason why there is no verdict.
    """

    verdict: str
    size: int | None
    seconds: float
    why: str = ""


_Read = Callable[[str], Ran | None]


def models() -> list[Model]:
    """The modules and their configurations."""
    return [Model(**one) for one in json.loads((MODELS / "models.json").read_text(encoding="utf-8"))]


def measured(checkouts: Path, one: Model, command: str, seconds: int, tlc: str) -> Ran:
    """Run a command on a model.

    Args:
        checkouts: the folder of the checkouts.
        one: the model.
        command: one of `COMMANDS`.
        seconds: the seconds after which it is stopped.
        tlc: TLC's command.
    """
    module, folder = (path.resolve() for path in one.files(checkouts))
    config = str((MODELS / one.config).resolve())
    python = [sys.executable, "-m"]
    files = [str(module), "--config", config, "--path", str(folder), "--timeout", str(seconds)]
    if command == "tlc":
        words = [*shlex.split(tlc), "-workers", "1", "-config", config, module.name]
        return _run(words, module.parent, folder, 5 * seconds, _of_tlc)
    if command == "made":
        return _run([*python, "leadline.benchmarks.making", *files], None, folder, 9 * seconds, _of_making)
    limits = ["--memory", str(MOST_MEMORY), "--format", "json"]
    words = [*python, "leadline", *_ASKED[command], *files, *limits]
    return _run(words, None, folder, 2 * seconds + 60, _of_leadline)


def _run(words: Sequence[str], where: Path | None, folder: Path, seconds: int, read: _Read) -> Ran:
    done = run(words, "", seconds, folder=where, more={"JAVA_TOOL_OPTIONS": f"-DTLA-Library={folder}"})
    took = round(done.cpu_seconds, 1)
    if done.status is None:
        return Ran("-", None, took, "does not end at its limit")
    found = read(done.output)
    if found is None:
        told = " ".join(map(str.strip, done.errors.splitlines()))
        return Ran("-", None, took, "a traceback" if "Traceback" in told else done.last_words)
    return Ran(found.verdict, found.size, took, found.why)


def _of_tlc(out: str) -> Ran | None:
    states = re.findall(r"(\d+) distinct states found", out)
    violated = "is violated" in out or "were violated" in out
    if not states or not (violated or "Model checking completed. No error" in out):
        return None
    return Ran("violated" if violated else "holds", int(states[-1]), 0.0)


def _of_making(out: str) -> Ran | None:
    cells = out.splitlines()[-1].split() if out.strip() else []
    if len(cells) == 8:
        return Ran("made", int(cells[-1]), 0.0)
    return Ran("-", None, 0.0, " ".join(cells[8:])) if cells else None


def _of_leadline(out: str) -> Ran | None:
    if not out.startswith("{"):
        return None
    found = judged(json.loads(out), 0.0)
    return Ran(found.verdict, found.states, 0.0, found.why)


def page(rows: Sequence[tuple[Model, Mapping[str, Ran]]], about: str) -> str:
    """The page as Markdown.

    Args:
        rows: the models, with the end of each command.
        about: the conditions of the run, in whole sentences.
    """
    none = Ran("-", None, 0.0, "not run")
    ends = [(one, {name: runs.get(name, none) for name in COMMANDS}) for one, runs in rows]
    explored = sum(x["explore"].verdict == one.wanted and _counted(one, x["explore"]) for one, x in ends)
    counts = {
        "explored with TLC's number of states and verdict": explored,
        "answered by `check` as TLC does": sum(x["check"].verdict == one.wanted for one, x in ends),
        "lowered to a model of formulas": sum(x["made"].verdict == "made" for _, x in ends),
        f"answered by PDR alone, of {sum(x['pdr'] is not none for _, x in ends)} that it was asked about": sum(
            x["pdr"].verdict == one.wanted for one, x in ends
        ),
        "wrong": sum(_wrong(one, x) for one, x in ends),
    }
    lines = [
        "# Modules of public repositories",
        "",
        f"{len(ends)} models of modules as they are published. Their configurations are in `tests/tla/models`.",
        "",
        *(f"- {name}: {count}" for name, count in counts.items()),
        "",
        "With a violation, TLC's states are those until it finds it. CPU seconds are those of all",
        "processes with their start. Gates are those of the initial states, a step and the properties.",
        "",
        *about.splitlines(),
        "",
        f"`{_COMMAND}` makes this page from",
        "`benchmarks/repositories.jsonl`, and measures what is missing there.",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{' --- |' * len(_HEAD)}",
        *(_line(one, runs) for one, runs in ends),
    ]
    whys = [
        f"- {one.config}, {name}: {x.why[:300]}"
        for one, runs in ends
        for name, x in runs.items()
        if x.why and x is not none
    ]
    return "\n".join([*lines, "", "Commands without a verdict:", "", *whys, ""] if whys else [*lines, ""])


def _counted(one: Model, explored: Ran) -> bool:
    """Whether the states are TLC's, which stops at a violation."""
    return one.violated is not None or explored.size == one.states


def _wrong(one: Model, runs: Mapping[str, Ran]) -> bool:
    verdicts = {x.verdict for x in runs.values()} - {"-", "made", one.wanted}
    return bool(verdicts) or (runs["explore"].verdict != "-" and not _counted(one, runs["explore"]))


def _line(one: Model, runs: Mapping[str, Ran]) -> str:
    tlc, explored, check, made, pdr = (runs[name] for name in COMMANDS)
    states = f"{one.states:,}" + (f", {one.violated} violated" if one.violated else "")
    sizes = ["-" if x.size is None else f"{x.size:,}" for x in (explored, made)]
    cells = [f"{one.module} ({one.config})", one.bounds, states, f"{tlc.seconds:.1f}"]
    cells += [sizes[0], f"{explored.seconds:.1f}", check.verdict, f"{check.seconds:.1f}"]
    cells += [
        sizes[1],
        f"{made.seconds:.1f}",
        pdr.verdict,
        f"{pdr.seconds:.1f}" if pdr.seconds else "not run",
    ]
    return f"| {' | '.join(cells)} |"


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.repositories", description=__doc__)
    parser.add_argument("--modules", type=Path, required=True, metavar="FOLDER", help="the checkouts")
    parser.add_argument("--seconds", type=int, default=120, metavar="N", help="stop a command then")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only configurations whose name has this text"
    )
    parser.add_argument("--commands", nargs="*", choices=COMMANDS, default=list(COMMANDS[1:]))
    parser.add_argument("--tlc", metavar="COMMAND", default="tlc", help="the command of TLC")
    parser.add_argument("--again", action="store_true", help="run also what the record has")
    parser.add_argument("--about", default="", metavar="TEXT", help="the machine and its load, for the page")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=f"default: {OUT}")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE", help=f"default: {RECORD}")
    args = parser.parse_args(words)
    for one, command in _missing(args):
        ran = measured(args.modules, one, command, args.seconds, args.tlc)
        print(one.config, command, ran, flush=True)
        with args.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"config": one.config, "command": command, "ran": asdict(ran)}) + "\n")
    known = recorded(args.record)
    args.out.write_text(
        page([(one, known.get(one.config, {})) for one in models()], args.about), encoding="utf-8"
    )


def _missing(args: argparse.Namespace) -> Iterator[tuple[Model, str]]:
    """The models and commands to run."""
    known = recorded(args.record)
    for one in models():
        for command in args.commands:
            if args.only in one.config and (args.again or command not in known.get(one.config, {})):
                yield one, command


def recorded(record: Path) -> dict[str, dict[str, Ran]]:
    """By configuration and command: the last end in the record."""
    found: dict[str, dict[str, Ran]] = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else []:
        told = json.loads(line)
        found.setdefault(told["config"], {})[told["command"]] = Ran(**told["ran"])
    return found


if __name__ == "__main__":
    main()

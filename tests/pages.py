r"""Pages of the documentation, as commands to run.

A fenced block whose first line is a comment with a file's name, such as `# counter.py`, is that file. A block
that begins with `$` has commands, each with the lines of its output that matter; `...` stands for anything, and
so does every line that is left out. Pages of the tutorial have the files of the pages before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(
    path for folder in ("tutorial", "how-to", "explanation") for path in (DOCS / folder).glob("*.md")
)
REFERENCE = [
    DOCS.parent / "README.md",
    DOCS / "index.md",
    *(
        DOCS / f"{name}.md"
        for name in ("aiger", "clusters", "counterexamples", "grid-files", "language", "store", "tla")
    ),
]
"""Other pages with commands to run, among much that is only shown."""

Runner = Callable[[str], tuple[int, str]]
"""Runs a command in the page's folder: its exit code, and what it writes."""


@dataclass(frozen=True)
class File:
    """A file that the page shows."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command that the page shows, and what it says of its output."""

    line: str
    shown: str


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: the language of each, and its text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def steps(text: str) -> Iterator[File | Command]:
    """The files and the commands of a page, in their order."""
    for _, body in blocks(text):
        first, _, rest = body.partition("\n")
        if named := re.fullmatch(r"(?:#|\\\*) ([\w./-]+\.\w+)", first):
            # A TLA+ module begins with its own line, not with a comment.
            yield File(named[1], rest if first.startswith("\\") else body)
        elif body.startswith("$ "):
            for line, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
                yield Command(line, shown)


def earlier(page: Path) -> list[Path]:
    """The pages whose files a page builds on."""
    return (
        [one for one in PAGES if one.parent == page.parent and one < page] if "tutorial" in page.parts else []
    )


# Seconds, with the megabytes after them, and the engine that answered first differ from run to run.
_MEASURED = re.compile(r"\d+\.\d+( +\d+(?=$| +now$))?|(?<=  )(?:explore|pdr|bmc|sweeps)$")


def _pattern(part: str) -> str:
    """A pattern for a text in which what was measured is anything, and columns are of any width."""
    if not _MEASURED.search(part):
        return re.escape(part)
    found, end = "", 0
    for one in _MEASURED.finditer(part):
        measure = r"[\d.]+ +\d+" if one[1] else r"[\d.]+" if one[0][0].isdigit() else r"[a-z-]+"
        found += re.escape(part[end : one.start()]) + measure
        end = one.end()
    return re.sub(r"(?:\\ ){2,}", " +", found + re.escape(part[end:]))


def as_shown(shown: str, told: str) -> bool:
    """Whether each line of the page's output is one of the text, in that order; `...` stands for anything."""
    lines = [line.rstrip().split("...") for line in shown.splitlines() if line.strip()]
    wanted = [r"[^\n]*".join(map(_pattern, parts)) for parts in lines]
    pattern = "".join(rf"^{line}[ ]*$.*?" for line in wanted)
    return re.search(pattern, told, re.DOTALL | re.MULTILINE) is not None


def code_of(command: Command) -> int:
    """The exit code that goes with an output, where the page does not ask for it by `echo $?`; 0 of a pipe."""
    words = {"out-of-bounds": 21, "violated by a run": 13, " violated ": 12, "unknown": 20, " failed": 1}
    told = "" if " | " in command.line else command.shown
    return next((code for word, code in words.items() if word in told), 0)


def follow(page: Path, folder: Path, run: Runner) -> int:
    """Do in a folder what a page says, and compare what it shows; the number of commands."""
    for before in earlier(page):
        for step in steps(before.read_text(encoding="utf-8")):
            if isinstance(step, File):
                write(folder, step)
    every = list(steps(page.read_text(encoding="utf-8")))
    code = 0
    for place, step in enumerate(every):
        if isinstance(step, File):
            write(folder, step)
        elif step.line == "echo $?":
            assert step.shown.strip() == str(code), (page.name, every[place - 1], code)
        else:
            code, told = run(step.line)
            assert as_shown(step.shown, told), (
                f"{page.name}: $ {step.line}\n{told}\n-- is not as shown --\n{step.shown}"
            )
            asked = place + 1 < len(every) and every[place + 1] == Command("echo $?", f"{code}\n")
            assert asked or code == code_of(step), f"{page.name}: $ {step.line}\nexit code {code}\n{told}"
    return sum(isinstance(step, Command) for step in every)


def write(folder: Path, file: File) -> None:
    """Write a file of a page into a folder."""
    target = folder / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(file.text, encoding="utf-8")

"""Proofs of all rows known to hold, without help: `python -m leadline.benchmarks.proved --out FILE.md`.

The rows are those of the tables beside the properties. One that holds by a search of all states is proved at
each of the points that stand for it; one that is proved with strengthenings, at the point nearest to the
defaults and at the last.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.benchmarks.known_points import Point, points_of
from leadline.benchmarks.proving import Proof, Task, prove
from leadline.symbolic.catalog import Entry, entries
from leadline.symbolic.lang import PropertyKind
from leadline.symbolic.lang.known import Status
from leadline.symbolic.lang.names import setting_text
from leadline.symbolic.lang.parameters import Setting

_ABOUT = """\
# Proofs without help

Each row of the tables of what is known that holds, proved for all depths by property-directed reachability
without strengthenings. A row that holds by a search of all states is here at each of the points that stand for
it; one that is also proved with strengthenings, at the one nearest to the defaults and at the last. Parameters
that are not named have their defaults. CPU seconds are of the whole process, from the start of the interpreter
on. The command:

```
python -m leadline.benchmarks.proved {options}--out docs/proofs.md
```

{summary}

| protocol | parameters | property | verdict | CPU s | clauses | orbits | what stopped it |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """A property at a point where it is known to hold; the parameters are those without their defaults."""

    protocol: str
    parameters: dict[str, Setting]
    goal: str

    @property
    def where(self) -> str:
        """The parameters in words."""
        return ", ".join(f"{name} = {setting_text(value)}" for name, value in self.parameters.items())

    @property
    def name(self) -> str:
        """The row in words, for `--only`."""
        return f"{self.protocol} {self.goal} {self.where}".strip()


def rows() -> list[Row]:
    """The rows that hold, each once."""
    found = {row.name: row for entry in entries().values() for row in _rows_of(entry)}
    return list(found.values())


def _rows_of(entry: Entry) -> Iterator[Row]:
    for claim in entry.claims:
        for known in claim.known if claim.kind is PropertyKind.INVARIANT else ():
            points = points_of(entry, known)
            if known.status is not Status.VIOLATED:
                given = [_given(entry, point) for point in points]
                some = given if known.status is Status.HOLDS else [min(given, key=len), given[-1]]
                yield from (Row(entry.name, parameters, claim.name) for parameters in some)


def _given(entry: Entry, point: Point) -> dict[str, Setting]:
    """The parameters that do not have their defaults."""
    declared = entry.protocol.parameters
    return {name: value for name, value in point if value is not None and value != declared[name].default}


def main(arguments: list[str] | None = None) -> int:
    """Prove the rows; 1 if one is refuted."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.proved", description=__doc__)
    parser.add_argument("--limit", type=float, default=300, help="CPU seconds for each (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random choices (default: 0)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the rows whose name has this text")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page there")
    args = parser.parse_args(arguments)
    chosen = [row for row in rows() if args.only in row.name]
    if not chosen:
        parser.error(f"there is no row with {args.only!r} in its name")
    answers: list[tuple[Row, Proof]] = []
    for row in chosen:
        task = Task(row.protocol, row.parameters, row.goal, args.limit, args.seed)
        answers.append((row, prove(task)))
        print(_line(*answers[-1]), flush=True)
        if args.out:
            args.out.write_text(_page(answers, len(chosen), args))
    return 1 if any(found.verdict == "violated" for _, found in answers) else 0


def _page(answers: list[tuple[Row, Proof]], count: int, args: argparse.Namespace) -> str:
    times = [found.seconds for _, found in answers if found.verdict == "proved"]
    summary = f"{len(times)} of {count} rows are proved"
    if times:
        summary += f", in {min(times):.1f} to {max(times):.0f} s, together {sum(times):.0f} s"
    options = f"--limit {args.limit:g} --seed {args.seed} " + (f'--only "{args.only}" ' if args.only else "")
    about = _ABOUT.format(options=options, summary=summary + ".")
    return about + "".join(_line(*answer) + "\n" for answer in answers)


def _line(row: Row, found: Proof) -> str:
    stopped = found.reason or ""
    if found.verdict == "unknown" and found.frames:
        stopped += f" after {found.frames} frames with {found.orbits} orbits of clauses"
    proved = found.clauses is not None
    sizes = [str(found.clauses) if proved else "", str(found.orbits) if proved else ""]
    cells = [row.protocol, row.where or "defaults", row.goal, found.verdict, f"{found.seconds:.1f}"]
    return f"| {' | '.join([*cells, *sizes, stopped])} |".replace("|  |", "| |").replace("|  |", "| |")


if __name__ == "__main__":
    sys.exit(main())

"""Proofs of all rows known to hold, without help: `python -m leadline.benchmarks.proved --out FILE.md`.

The rows are those of the tables beside the properties. One that holds by a search of all states is proved at
each of the points that stand for it; one that is proved with strengthenings, at the point nearest to the
defaults and at the last. `--grid FILE.toml` adds the proofs that a grid asks of PDR.

`--store FILE.jsonl` keeps each row when it is measured, with the revision and the machine. A row that is kept is
not measured again, unless it was stopped by a smaller limit or `--again` asks for it; several processes may
measure into one store. `--stored` measures nothing, and makes the page of what is kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import leadline
from leadline.benchmarks.known_points import Point, points_of
from leadline.benchmarks.machine import this_machine
from leadline.benchmarks.proving import Proof, Task, prove
from leadline.symbolic.catalog import Entry, entries
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.lang import PropertyKind, Setting, Status, counted, setting_text

_ABOUT = """\
# Proofs without help

Each row of the tables of what is known that holds, proved for all depths by property-directed reachability
without strengthenings. A row that holds by a search of all states is here at each of the points that stand for
it; one that is also proved with strengthenings, at the one nearest to the defaults and at the last. Parameters
that are not named have their defaults. CPU seconds are of the whole process, from the start of the interpreter
on. What is unknown says which limit stopped it: a run with a larger one measures it again. The command:

```
python -m leadline.benchmarks.proved {options}--out docs/proofs.md
```

{measured}
"""

_GRID = """
## {name}

The proofs that this grid asks of PDR, measured in the same way: the grid itself tries the strengthenings too.

"""

_HEAD = """
| protocol | parameters | property | verdict | CPU s | clauses | orbits | revision | what stopped it |
|---|---|---|---|---|---|---|---|---|
"""

_ENGINES = ["pdr"]
"""The engines that are asked for proofs."""


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
    """The parameters that do not have their defaults, in the order of the protocol."""
    values = dict(point)
    return {
        name: value
        for name, one in entry.protocol.parameters.items()
        if (value := values[name]) is not None and value != one.default
    }


def grid_rows(path: Path) -> list[Row]:
    """The proofs that a grid asks of PDR, in the order of the file.

    Raises:
        UserError: if the grid has mistakes.
    """
    data = tomllib.loads(path.read_text())
    tables = [one for one in data["check"] if one.get("engines") == _ENGINES]
    queries = plan({**data, "check": tables}).in_file_order()
    known = entries()
    found = {}
    for query in queries:
        parameters = _given(known[query.protocol], tuple(json.loads(query.parameters).items()))
        row = Row(query.protocol, parameters, query.property)
        found[row.name] = row
    return list(found.values())


# -- the store -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """A row that was measured.

    Attributes:
        name: the row's name.
        limit: CPU seconds that it was given.
        seed: of random choices.
        revision: of the source, as git calls it, or the version.
        day: when.
        machine: where, in words.
        proof: the outcome.
    """

    name: str
    limit: float
    seed: int
    revision: str
    day: str
    machine: str
    proof: Proof

    @classmethod
    def of(cls, row: Row, args: argparse.Namespace) -> Measured:
        """Measure a row."""
        found = prove(Task(row.protocol, row.parameters, row.goal, args.limit, args.seed))
        here, now = this_machine(), datetime.now(UTC)
        where = f"{here.cpu}, {here.cores} cores, {here.system}, Python {here.python_version}"
        return cls(row.name, args.limit, args.seed, revision(), f"{now:%Y-%m-%d}", where, found)

    def answers(self, limit: float, seed: int) -> bool:
        """Whether there is no need to measure again."""
        return self.seed == seed and (self.proof.verdict != "unknown" or self.limit >= limit)


def revision() -> str:
    """The revision of the source, with `+` if files differ from it; the version where there is no git."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    folder = Path(__file__).resolve().parent
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return leadline.__version__
    return done.stdout.strip() or leadline.__version__


def read_store(path: Path | None) -> dict[str, Measured]:
    """The rows that a store keeps, each as it was measured last."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    found = {}
    for line in lines:
        data = json.loads(line)
        proof = Proof(**data["proof"])
        found[data["name"]] = Measured(**{**data, "proof": proof})
    return found


def _keep(path: Path | None, one: Measured) -> None:
    """Add a row; a line is written at once, so that several processes may do so."""
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(asdict(one)) + "\n")


# -- the command ---------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Prove the rows; 1 if one is refuted."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.proved", description=__doc__)
    parser.add_argument("--limit", type=float, default=300, help="CPU seconds for each (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random choices (default: 0)")
    parser.add_argument("--only", default="", metavar="TEXT", help="the rows whose name has this text")
    parser.add_argument(
        "--grid", type=Path, metavar="FILE.toml", help="also the proofs that a grid asks of PDR"
    )
    parser.add_argument(
        "--store", type=Path, metavar="FILE.jsonl", help="keep the rows that are measured there"
    )
    parser.add_argument("--again", action="store_true", help="measure rows again that the store has")
    parser.add_argument(
        "--stored", action="store_true", help="measure nothing: the page of what the store has"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page there")
    args = parser.parse_args(arguments)
    parts = {"": [row for row in rows() if args.only in row.name]}
    if args.grid is not None:
        parts[args.grid.name] = [row for row in grid_rows(args.grid) if args.only in row.name]
    chosen = list({row.name: row for some in parts.values() for row in some}.values())
    if not chosen:
        parser.error(f"there is no row with {args.only!r} in its name")
    known: dict[str, Measured] = {}
    for row in chosen:
        # Read each time, since other processes may measure into the store.
        known |= read_store(args.store)
        one = known.get(row.name)
        if not args.stored and (one is None or args.again or not one.answers(args.limit, args.seed)):
            one = known[row.name] = Measured.of(row, args)
            _keep(args.store, one)
        print(_line(row, one), flush=True)
    if args.out:
        args.out.write_text(_page(parts, known, args))
    answers = [known[row.name].proof.verdict for row in chosen if row.name in known]
    return 1 if "violated" in answers else 0


def _page(parts: dict[str, list[Row]], known: dict[str, Measured], args: argparse.Namespace) -> str:
    grid = f"--grid {args.grid} " if args.grid else ""
    only = f'--only "{args.only}" ' if args.only else ""
    store = f"--store {args.store} " if args.store else ""
    options = f"--limit {args.limit:g} --seed {args.seed} {only}{grid}{store}"
    found = [known[row.name] for some in parts.values() for row in some if row.name in known]
    about = _ABOUT.format(options=options, measured=_measured(found))
    for name, some in parts.items():
        about += _GRID.format(name=name) if name else ""
        about += "\n" * (not name) + _summary(some, known) + _HEAD
        about += "".join(_line(row, known.get(row.name)) + "\n" for row in some)
    return about


def _measured(found: Sequence[Measured]) -> str:
    """The machines and the revisions, with the days and the number of rows of each."""
    groups = Counter((one.machine, one.revision, one.day) for one in dict.fromkeys(found))
    lines = [
        f"- {counted(number, 'row')} at revision {commit} on {day}: {machine}"
        for (machine, commit, day), number in groups.items()
    ]
    return "\n".join(["Measured:", "", *lines])


def _summary(some: Sequence[Row], known: dict[str, Measured]) -> str:
    proofs = [known[row.name].proof for row in some if row.name in known]
    times = [one.seconds for one in proofs if one.verdict == "proved"]
    text = f"{len(times)} of {len(some)} rows are proved"
    if times:
        text += f", in {min(times):.1f} to {max(times):.0f} s, together {sum(times):.0f} s"
    missing = len(some) - len(proofs)
    return f"{text}. {counted(missing, 'row')} not measured.\n" if missing else f"{text}.\n"


def _line(row: Row, one: Measured | None) -> str:
    cells = [row.protocol, row.where or "defaults", row.goal]
    if one is None:
        return f"| {' | '.join([*cells, 'not measured'])} | | | | | |"
    found = one.proof
    stopped = found.reason or ""
    if found.verdict == "unknown" and found.orbits:
        stopped += f" after {counted(found.frames, 'frame')} with {found.orbits} orbits of clauses"
    proved = found.clauses is not None
    sizes = [str(found.clauses) if proved else "", str(found.orbits) if proved else ""]
    cells += [found.verdict, f"{found.seconds:.1f}", *sizes, one.revision, stopped]
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


if __name__ == "__main__":
    sys.exit(main())

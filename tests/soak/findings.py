"""A soak from its preparation to the page about it: what is compared, and what counts as a finding."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import leadline
from leadline.symbolic.engines.run.limits import cores
from leadline.symbolic.grid.durable import sweep_scratch
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.witnesses import answers
from tests.soak.drivers import Driver
from tests.soak.night import MARK, Night
from tests.soak.processes import marked

_GROWTH = 20.0  # megabytes of Python's for a thousand answers
_PAUSE = 0.15  # between two harms, of the time of the undisturbed run
_PATIENCE = 60.0  # seconds that processes have to end

Question = tuple[str | int | None, ...]


def soak(folder: Path, minutes: float, seed: int, queries: int) -> tuple[str, list[str]]:
    """Run a soak.

    Args:
        folder: for its files; it must not exist, or be empty.
        minutes: how long harm is done.
        seed: the adversary's.
        queries: about how many queries the grid has.

    Returns:
        The page about it, and its findings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "events.log").open("w", buffering=1) as log:

        def tell(text: str) -> None:
            print(text, file=sys.stderr, flush=True)
            print(text, file=log)

        small, large = _grids(folder, queries)
        begin = time.monotonic()
        expected = _undisturbed(folder, small)
        # About as many harms for each start of a driver, however fast the machine is.
        pause = (time.monotonic() - begin) * _PAUSE
        night = Night(folder, large, seed, 60 * minutes, pause, tell)
        try:
            night.disk.mount()
            tell(night.disk.describe())
            night.cluster.start()
            night.run()
            night.findings += _wrong_answers(night, expected)
            night.findings += _once_more(night)
        finally:
            night.cluster.stop()
            night.findings += _left_processes(night)
            night.findings += _left_folders(night.temporary)
            page = _page(night, minutes, time.monotonic() - begin)
            night.disk.unmount()
        (folder / "page.txt").write_text(page + "\n")
        return page, night.findings


def _grids(folder: Path, queries: int) -> tuple[Path, Path]:
    """The grid file with one seed, and with as many as give so many queries."""
    text = Path(__file__).with_name("grid.toml").read_text()
    files = []
    counts = [0, 0]
    for last in (0, 1):
        file = folder / f"grid-{last}.toml"
        file.write_text(text.replace("SEEDS", str(last)))
        counts[last] = len(plan(file).queries)
        files.append(file)
    more = max(0, queries - counts[0]) // (counts[1] - counts[0])
    files[1].write_text(text.replace("SEEDS", str(more)))
    return files[0], files[1]


def _question(row: Row) -> Question:
    """The question that a row answers, without the seed."""
    return row.protocol, row.parameters, row.property, row.engine, row.options, row.solver


def _undisturbed(folder: Path, grid: Path) -> Mapping[Question, Row]:
    """The answers of an undisturbed run on this machine, without a cluster."""
    store = folder / "undisturbed"
    driver = Driver.start("undisturbed", folder, grid, store, ["--master", f"local[{cores()}]"], {})
    try:
        driver.process.wait()
    finally:
        driver.stop()
    if driver.process.returncode != 0:
        raise RuntimeError(f"the undisturbed run failed: {driver.summary()}")
    return {_question(row): row for row in Store(store).all().rows.values()}


def _wrong_answers(night: Night, expected: Mapping[Question, Row]) -> Iterator[str]:
    """Queries without one counted answer, or with another than undisturbed; rows lost or computed again."""
    queries = plan(night.grid).queries
    counted = answers(night.rows.store, (query.id for query in queries)).rows
    for query in queries:
        row = counted.get(query.id)
        if row is None or row.unknown():
            yield f"{query.id} ({query.protocol}, {query.property}) has no answer"
            continue
        wanted = expected[_question(row)]
        told, same = (row.verdict, row.depth, row.steps), (wanted.verdict, wanted.depth, wanted.steps)
        if told != same:
            yield f"{query.id} says {told}, and undisturbed {same}"
    for name, one in night.rows.whole().items():
        wanted = expected[_question(one.row)]
        if (one.row.verdict, one.row.depth) != (wanted.verdict, wanted.depth):
            yield f"{name} says {one.row.verdict} to {one.row.depth}, and undisturbed {wanted.verdict}"
    yield from night.rows.findings
    yield from night.rows.lost()
    yield from night.rows.repeated(night.drivers)


def _once_more(night: Night) -> Iterator[str]:
    """A further run asks nothing and leaves no temporary file in the store."""
    before = {path.name for path in night.rows.results.iterdir()}
    options = ["--master", night.cluster.url]
    last = Driver.start("last", night.folder, night.grid, night.disk.store, options, night.environment)
    last.process.wait()
    if last.process.returncode != 0:
        yield f"the last run: {last.summary()}"
    if more := {path.name for path in night.rows.results.iterdir()} - before:
        yield f"the last run asked {len(more)} queries again"
    for path in night.disk.store.rglob(".*"):
        if path.name != ".lock":
            yield f"left in the store: {path.relative_to(night.disk.store)}"


def _left_processes(night: Night) -> Iterator[str]:
    """Processes that are left; they are killed."""
    deadline = time.monotonic() + _PATIENCE
    while (left := marked(MARK, str(night.folder))) and time.monotonic() < deadline:
        time.sleep(0.5)
    for one in left:
        yield f"process {one.pid} is left: {' '.join(one.arguments)[:200]}"
        one.kill()


def _left_folders(temporary: Path) -> Iterator[str]:
    """Temporary folders of drivers that the next grid would not remove."""
    sweep_scratch(temporary)
    for path in sorted(temporary.glob("leadline-*")):
        held = ", ".join(one.name for one in path.iterdir()) or "nothing"
        yield f"temporary folder is left: {path.name} with {held}"


def _page(night: Night, minutes: float, seconds: float) -> str:
    """The page about a soak."""
    ends = [driver.process.returncode for driver in night.drivers]
    whole = night.rows.whole()
    lines = [
        f"Soak of {minutes:g} minutes with the seed {night.seed}: Leadline {leadline.__version__}, "
        f"{cores()} cores; {seconds / 60:.1f} minutes in all",
        f"store: {night.disk.describe()}",
        f"queries: {len({one.row.query for one in whole.values()})} answered, {len(whole)} rows with an answer, "
        f"{len(night.rows.corrupted)} files corrupted",
        f"drivers: {len(ends)} started, of which {ends.count(0)} ended with 0, {ends.count(20)} with 20",
        f"harms: {night.done.total()}, {night.pause:.1f} s apart on average: " + _counts(night.done),
        f"memory: {_memory(night)}",
    ]
    found = night.findings
    return "\n".join([*lines, f"findings: {len(found) or 'none'}", *(f"- {text}" for text in found)])


def _counts(done: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(done.items()))


def _memory(night: Night) -> str:
    """The growth of the driver that lived longest; too much of it is a finding."""
    longest = night.memory.longest()
    if longest is None:
        return "no driver lived long enough to tell"
    name, found = longest
    text = (
        f"{name} went from {found['first']:.1f} to {found['last']:.1f} MB in {found['seconds']:.0f} s and "
        f"{found['answers']} answers: {found['per_thousand']:+.2f} MB for a thousand; its Java "
        f"{found['java_per_thousand']:+.1f} MB, to {found['java_last']:.0f} MB"
    )
    if found["per_thousand"] > _GROWTH and found["last"] - found["first"] > 5:
        night.findings.append(f"the driver's memory grows: {text}")
    return text

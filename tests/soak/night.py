"""The course of a soak: drivers that are started again and again, and the adversary beside them."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.grid.store import Store
from tests.soak.adversary import ENDS_A_DRIVER, Harm, Undo, harms
from tests.soak.cluster import ON_LOOPBACK, Cluster
from tests.soak.disk import Disk
from tests.soak.drivers import Driver
from tests.soak.processes import Process, marked
from tests.soak.watch import MemoryWatch, RowWatch

MARK = "LEADLINE_SOAK"
"""The variable in the environment of every process that a soak starts."""

_TICK = 0.2  # seconds
_SAMPLE = 5.0  # seconds between two looks at the memory
_STALLED = 20  # pauses without a row until a driver counts as stuck, and
_LEAST_STALLED = 240.0  # the fewest seconds of that
_MERCY = 1200.0  # seconds for the queries that are left once the adversary has gone
_SHORTLY = 30.0  # seconds that a harm may still be felt once it is over
_SPARED = 0.75  # of the harms that would end a driver which has brought no row yet
_TRIES = 4  # undisturbed runs that may be needed: each may find what harms have left
_FORKSERVER = "leadline.symbolic.engines.run.forkserver"


@dataclass
class Night:
    """A soak while it goes on.

    Attributes:
        folder: for all its files.
        grid: the grid file.
        seed: the adversary's.
        seconds: how long the adversary is at work.
        pause: seconds between two harms, on average.
        tell: takes a line of the log.
        disk: holds the store.
        cluster: runs the queries.
        rows: watches the store.
        memory: watches the drivers.
        drivers: every driver of the main grid and of second grids, the oldest first.
        done: how often each harm was done.
        findings: what went wrong.
    """

    folder: Path
    grid: Path
    seed: int
    seconds: float
    pause: float
    tell: Callable[[str], None]
    disk: Disk = field(init=False)
    cluster: Cluster = field(init=False)
    rows: RowWatch = field(init=False)
    memory: MemoryWatch = field(default_factory=MemoryWatch)
    drivers: list[Driver] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment = {MARK: str(self.folder), "TMPDIR": str(self.temporary)}
        self.disk = Disk(self.folder / "disk")
        self.cluster = Cluster(self.folder / "cluster", environment=self.environment)
        self.rows = RowWatch(Store(self.disk.store))
        self._begin = 0.0
        self._undo: list[Undo] = []
        self._main: Driver | None = None
        self._second: Driver | None = None
        self._last_row = 0.0
        self._rows_before = 0
        self._last_sample = 0.0
        self._last_harm = 0.0

    @property
    def stalled(self) -> float:
        """Seconds without a new row after which a driver counts as stuck: more on a slow machine."""
        return max(_LEAST_STALLED, _STALLED * self.pause)

    # -- the course ----------------------------------------------------------------------------------------

    def run(self) -> None:
        """Let the grid run under harm, then undisturbed until every query is answered."""
        self._begin = self._last_row = time.monotonic()
        waiting = [*harms(self.seed, self.seconds, self.pause)]
        while (now := self._now()) < self.seconds:
            while waiting and waiting[0].at <= now:
                self._harm(waiting.pop(0))
            self._step()
        self._at_ease()

    def _now(self) -> float:
        return time.monotonic() - self._begin

    def _step(self) -> None:
        """Undo what is due, look after the drivers, and look at the rows and the memory."""
        for one in [x for x in self._undo if x.at <= self._now()]:
            self._undo.remove(one)
            one.do()
            self._say(one.what)
        before = len(self.rows.seen)
        self.rows.look()
        if len(self.rows.seen) > before:
            self._last_row = time.monotonic()
        self._look_after()
        if time.monotonic() - self._last_sample > _SAMPLE:
            self._last_sample = time.monotonic()
            for driver in self._running():
                self.memory.look(driver, time.time(), len(self.rows.seen))
        time.sleep(_TICK)

    def _look_after(self) -> None:
        """Judge drivers that have ended, and start the main one again, as its user would."""
        for driver in [x for x in self.drivers if x.ended is None and not x.running]:
            self._judge(driver)
        if (self._main is None or self._main.ended is not None) and not self._undo:
            self._main = self._start("driver", self.cluster.url, *ON_LOOPBACK)
            self._rows_before = len(self.rows.seen)
        if time.monotonic() - self._last_row > self.stalled and self._main is not None:
            self.findings.append(f"{self._main.name}: no row for {self.stalled:.0f} s; it is killed")
            self._last_row = time.monotonic()
            self._main.send(signal.SIGKILL)

    def _start(self, name: str, master: str, *options: str) -> Driver:
        name = f"{name}-{sum(x.name.startswith(name) for x in self.drivers) + 1}"
        # An executor may need several pauses for its start.
        patience = max(30.0, 6 * self.pause)
        given = ["--master", master, "--patience", f"{patience:.0f}", *options]
        driver = Driver.start(name, self.folder, self.grid, self.disk.store, given, self.environment)
        self.drivers.append(driver)
        self._last_row = time.monotonic()
        self._say(f"{name} is started")
        return driver

    def _judge(self, driver: Driver) -> None:
        driver.ended = time.time()
        self._say(driver.summary())
        self.findings += driver.findings(self._last_harm > driver.started - _SHORTLY)

    def _at_ease(self) -> None:
        """Without harm, the grid must come to its end, and a further run has nothing to ask."""
        self._say("the adversary goes")
        for one in self._undo:
            one.do()
        self._undo = []
        deadline = time.monotonic() + _MERCY
        for _ in range(_TRIES):
            while self._running() and time.monotonic() < deadline:
                self._watch()
            if self._main is not None and self._main.process.returncode == 0 and not self._running():
                break
            self._main = self._start("driver", self.cluster.url, *ON_LOOPBACK)
        for driver in self._running():
            self.findings.append(f"{driver.name} has not ended {_MERCY:g} s after the last harm")
            driver.stop()
        if self._main is None or self._main.process.returncode != 0:
            self.findings.append(f"after {_TRIES} undisturbed runs queries are left")

    def _watch(self) -> None:
        self.rows.look()
        for driver in [x for x in self.drivers if x.ended is None and not x.running]:
            self._judge(driver)
        time.sleep(_TICK)

    def _running(self) -> list[Driver]:
        return [driver for driver in self.drivers if driver.ended is None]

    def _say(self, text: str) -> None:
        self.tell(f"{self._now():8.1f} s  {text}")

    # -- harms ---------------------------------------------------------------------------------------------

    def _harm(self, harm: Harm) -> None:
        if self._spares(harm):
            self._say(f"harm: {harm.kind}: not before the driver has brought a row")
            return
        done = self._do(harm)
        self._say(f"harm: {harm.kind}: {done or 'there is nothing to harm'}")
        if done:
            self.done[harm.kind] += 1
            self._last_harm = time.time()

    def _spares(self, harm: Harm) -> bool:
        """Whether a driver is spared: on a busy machine drivers that are ended at once never answer."""
        fruitless = len(self.rows.seen) == self._rows_before
        return harm.kind in ENDS_A_DRIVER and fruitless and harm.pick < _SPARED

    def _do(self, harm: Harm) -> str | None:
        """Do a harm; what was harmed, or None if there is nothing that it could be done to."""
        match harm.kind:
            case "kill driver":
                return self._signal(self._main, signal.SIGKILL)
            case "interrupt driver":
                return self._signal(self._main, signal.SIGINT)
            case "terminate driver":
                return self._signal(self._main, signal.SIGTERM)
            case "kill second grid":
                return self._signal(self._second, signal.SIGKILL)
            case "second grid":
                return self._second_grid()
            case "kill worker":
                return self._daemon(harm, harm.choose(self.cluster.workers) or "")
            case "kill master":
                return self._daemon(harm, "master")
            case "fill disk":
                return self._full(harm)
            case "cut store":
                return self._cut(harm)
            case "corrupt row":
                return self._corrupt(harm)
            case "compact store":
                return self._compact()
            case _:
                return _kill(harm.choose([*_victims(harm.kind, marked(MARK, str(self.folder)))]))

    def _signal(self, driver: Driver | None, number: int) -> str | None:
        if driver is None or not driver.running or (number != signal.SIGKILL and not driver.begun):
            return None
        driver.send(number)
        return driver.name

    def _second_grid(self) -> str | None:
        if (self._second is not None and self._second.ended is None) or self._undo:
            return None
        self._second = self._start("second", "local[1]")
        return self._second.name

    def _daemon(self, harm: Harm, name: str) -> str | None:
        if self.cluster.daemons[name].poll() is not None:
            return None
        self.cluster.kill(name)
        self._later(harm, f"{name} is started again", lambda: self.cluster.begin(name))
        return name

    def _full(self, harm: Harm) -> str | None:
        self.disk.fill(self._writers())
        self._later(harm, "there is room again", lambda: self.disk.free(self._writers()))
        return "no room is left"

    def _cut(self, harm: Harm) -> str | None:
        # A driver that starts would make a new store in the place of one that is renamed.
        starting = any(not driver.begun for driver in self._running())
        how = self.disk.cut(read_only=starting or harm.pick < 0.5, rename=not starting)
        if how is None:
            return None
        self._later(harm, "the store is back", self.disk.mend)
        return how

    def _corrupt(self, harm: Harm) -> str | None:
        # A compaction or a cut of the store may have taken some away.
        there = sorted(name for name in self.rows.whole() if (self.rows.results / name).exists())
        name = harm.choose(there)
        if name is None:
            return None
        path = self.rows.results / name
        content = path.read_bytes()
        size = len(content)
        if harm.lasts < 4:
            how, content = "cut in half", content[: size // 2]
        elif harm.lasts < 6:
            how, content = (
                "a quarter is zeros",
                content[: size // 2] + bytes(size // 4) + content[size * 3 // 4 :],
            )
        else:
            other = next((one for one in there if one != name), name)
            how, content = f"has the content of {other}", (path.with_name(other)).read_bytes()
        try:
            with path.open("r+b") as file:
                self.rows.corrupted.add(name)
                file.write(content)
                file.truncate()
        except OSError:
            return None
        return f"{name}: {how}"

    def _compact(self) -> str | None:
        from leadline.symbolic.grid.store import compact
        from leadline.symbolic.lang import UserError

        try:
            done = compact(self.rows.store)
        except UserError as error:
            return f"refused: {error}"
        return f"{done.files} files"

    def _later(self, harm: Harm, what: str, do: Callable[[], None]) -> None:
        self._undo.append(Undo(self._now() + harm.lasts, what, do))

    def _writers(self) -> list[int]:
        return [one.pid for one in marked(MARK, str(self.folder)) if not one.named("java")]


def _victims(kind: str, known: Sequence[Process]) -> Iterator[Process]:
    """The processes that a kind of harm may be done to."""
    servers = {one.pid for one in known if one.named(_FORKSERVER)}
    for one in known:
        if (
            (kind == "kill driver's Java" and one.named("deploy.SparkSubmit") and not one.named("bash"))
            or (kind == "kill executor" and one.named("CoarseGrainedExecutorBackend"))
            or (kind == "kill Python worker" and one.named("pyspark.daemon"))
            or (kind == "kill fork server" and one.pid in servers and one.parent not in servers)
            or (kind == "kill solver child" and one.pid in servers and one.parent in servers)
        ):
            yield one


def _kill(victim: Process | None) -> str | None:
    if victim is None:
        return None
    victim.kill()
    return f"process {victim.pid}"

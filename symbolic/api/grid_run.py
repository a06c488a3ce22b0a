"""A run of a grid: plan, ask on Spark what the store does not answer, store, certify."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.cells import Cell, cells, joined
from leadline.symbolic.grid.cost import read_cost_model
from leadline.symbolic.grid.durable import write_bytes
from leadline.symbolic.grid.plan import Plan, plan
from leadline.symbolic.grid.remote import Place, Remote, StoreAway
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.runs import LOG, Resumed, StoreArchive, new_run, resume
from leadline.symbolic.grid.spool import Spool, send_left, waited
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.witnesses import Replayed, certify, replay
from leadline.symbolic.grid.workers import PATIENCE, SparkGaveUp
from leadline.symbolic.lang import UserError, counted

if TYPE_CHECKING:
    from leadline.symbolic.grid.schedule import RunProgress

Show = Callable[[str, float], None]
"""Takes a text that says how far the work is, and the share of it that is done, 0 to 1."""

_NAMED = 10  # answers that a message names
_GOES_ON = "the same command goes on from there"
_MOMENT = 5.0  # seconds for the store, once the user wants an end

T = TypeVar("T")


@dataclass(frozen=True)
class Answers:
    """The answers to a grid's queries.

    Attributes:
        todo: the plan.
        store: the store's folder or URI.
        run: the name of this run.
        rows: the answer to each query, in the plan's order; queries that were not run are missing.
        before: how many queries an earlier run has settled.
        certificates: the paths, in the store, of the certificates of proofs.
        refusals: a sentence for each stored answer that a replay refuted.
        unfinished: a sentence for each recheck that did not end.
        waiting: the number of answers that are not in the store yet.
    """

    todo: Plan
    store: Place
    run: str
    rows: Sequence[Row]
    before: int
    certificates: Sequence[str] = ()
    refusals: Sequence[str] = ()
    unfinished: Sequence[str] = ()
    waiting: int = 0

    @cached_property
    def whole(self) -> Sequence[Row]:
        """The rows, with those of the parts of a check put together."""
        return joined(self.rows)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        """The cells that the rows answer."""
        return cells(self.rows, Store(self.store).manifest().proofs())


@dataclass(frozen=True)
class GridRun:
    """How to run a grid.

    Attributes:
        name: the grid, in messages.
        store: the store of the results.
        tell: takes messages to the user.
        steady: begins a line of progress, whose beginning it takes.
        master: Spark's master; None for this machine.
        retries: the number of times that a query is tried again if its worker is lost; None for the default.
        ui: whether to serve Spark's web pages.
        conf: settings of Spark.
        prune: whether queries that another answer makes moot are not run.
        patience: the most seconds to wait for a worker of a cluster when there is none, and for a store that
            is elsewhere and cannot be reached.
        remote: the address of a Spark Connect server in place of a master.
    """

    name: str
    store: Store
    tell: Callable[[str], None]
    steady: Callable[[str], AbstractContextManager[Show]]
    master: str | None = None
    retries: int | None = None
    ui: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)
    prune: bool = True
    patience: float = PATIENCE
    remote: str | None = None

    def plan(self, grid: Path | Mapping[str, Any]) -> Plan:
        """The plan of a grid file, or of a grid that is given as what such a file holds.

        Raises:
            UserError: with every mistake in it.
            StoreAway: if the store is elsewhere and cannot be reached.
        """
        if isinstance(self.store.folder, Remote):
            self._waited(self.store.manifest)  # Its mistakes come first, and once.
        costs, warnings = self._waited(lambda: read_cost_model(self.store.folder))
        for warning in warnings:
            self.tell(warning)
        with self.steady(f"planning {self.name}") as show:
            return plan(grid, costs, lambda n, of: show(f"{n} of {counted(of, 'point')}", n / of))

    def begin(self, todo: Plan, refuted: Mapping[str, str]) -> Resumed:
        """The state of the grid before the run; its warnings are told."""
        found = resume(todo.queries, self.store, prune=self.prune, refuted=refuted.keys())
        for warning in found.warnings:
            self.tell(warning)
        return found

    def run(self, todo: Plan, *, replay: bool = False) -> Answers:
        """Answer the queries that have no answer yet.

        Args:
            todo: the plan.
            replay: whether to replay the stored counterexamples and recheck the certificates first.

        Raises:
            UserError: if the store cannot be written, or Spark does not start.
            StoreAway: if the store is elsewhere and cannot be reached.
            KeyboardInterrupt: on Ctrl-C; the answers so far are stored.
        """
        self._check()
        self._waited(self.store.create)
        send_left(self.store, self.tell)
        replayed = self._replay(todo) if replay else Replayed()
        begin = self._waited(lambda: self.begin(todo, replayed.refuted))
        archive = self._archive(todo, begin)
        waiting = 0
        if begin.left or begin.moot:
            waiting = self._answer(begin, todo, archive)
        known = _known(todo, archive)
        if begin.left or begin.moot:
            self._learn(todo, known)
        self._tell_changed(known)
        proved = self._certify(todo, known)
        before = len(begin.settled)
        told = replayed.refusals, replayed.unfinished
        return Answers(todo, self.store.folder, archive.run, known, before, proved, *told, waiting)

    def _waited(self, ask: Callable[[], T]) -> T:
        return waited(ask, self.patience, self.tell)

    def _archive(self, todo: Plan, begin: Resumed) -> StoreArchive:
        archive = StoreArchive(self.store, new_run(), todo.predicted, rows=dict(begin.rows))
        if isinstance(self.store.folder, Remote) and (begin.left or begin.moot):
            archive.spool = Spool(self.store, archive.run)
        return archive

    def _check(self) -> None:
        """Refuse settings that a Spark Connect server has of its own."""
        own = {
            "--master": self.master is not None,
            "--retries": self.retries is not None,
            "--ui": self.ui,
        }
        if self.remote is not None and any(own.values()):
            named = ", ".join(name for name, given in own.items() if given)
            raise UserError(f"{named}: a Spark Connect server has its own: leave that out with --remote")

    def _tell_changed(self, rows: Sequence[Row]) -> None:
        """Tell of protocols that were changed while the grid ran, and which answers are of the older ones."""
        for source in dict.fromkeys(row.source for row in filter(_changed, rows)):
            own = [row for row in rows if row.source == source]
            left = [*filter(_changed, own)]
            older = sorted({f"{row.property} at {row.parameters}" for row in own if not _changed(row)})
            named = "; ".join(older[:_NAMED]) + ("; ..." if len(older) > _NAMED else "") or "none"
            count = counted(len(left), "query", "queries")
            self.tell(
                f"{source} was changed or moved while the grid ran: {count} found it so "
                "and have no answer: run the same command again. These answers belong to the older file: "
                f"{named}"
            )

    def _replay(self, todo: Plan) -> Replayed:
        with self.steady(f"grid {self.name}") as show:
            done = replay(todo.queries, self.store, show)
        for text in (*done.refusals, *done.unfinished):
            self.tell(text)
        checked = f"replayed: {counted(done.traces, 'counterexample')}, {counted(done.proofs, 'certificate')}"
        again = f"; {counted(len(done.refuted), 'answer')} refuted, to be asked again" if done.refuted else ""
        self.tell(checked + again)
        return done

    def _learn(self, todo: Plan, rows: Sequence[Row]) -> None:
        """Fit the predictions of cost to the run, and store them for the next plan."""
        folder = self.store.folder
        try:
            todo.costs.refit(rows).write(folder)
        except (OSError, StoreAway) as error:
            why = error.strerror if isinstance(error, OSError) else error
            self.tell(f"the predictions of cost cannot be stored in {folder}: {why}")

    def _certify(self, todo: Plan, rows: Sequence[Row]) -> Sequence[str]:
        try:
            done = certify(rows, todo.queries, self.store)
        except (OSError, StoreAway) as error:
            where, why = self.store.folder, error.strerror if isinstance(error, OSError) else error
            self.tell(f"a certificate cannot be written in {where}: {why}; {_GOES_ON}")
            return ()
        for refusal in done.refusals:
            self.tell(refusal)
        return [*done.proofs]

    def _answer(self, begin: Resumed, todo: Plan, archive: StoreArchive) -> int:
        """Answer the queries that are left; if that ends early, report the reason.

        Returns:
            The number of answers that are not in the store yet.
        """
        try:
            self._ask(begin, todo, archive)
        except BaseException:
            self._sent(archive, _MOMENT)
            raise
        return self._sent(archive, self.patience) + len(archive.unsaved)

    def _sent(self, archive: StoreArchive, patience: float) -> int:
        """Send the answers that wait for the store, and tell of those that still do."""
        if archive.spool is None:
            return 0
        left = archive.spool.close(patience, self.tell)
        if left:
            answers = counted(left, "answer")
            self.tell(f"{answers} wait in {archive.folder / archive.run} for the store: {_GOES_ON}")
            return left
        with suppress(OSError, StoreAway):  # a copy of the log, which is here
            write_bytes(archive.store.folder / LOG, file_bytes(archive.folder / LOG))
        return 0

    def _ask(self, begin: Resumed, todo: Plan, archive: StoreArchive) -> None:
        try:
            self._waited(lambda: archive.store.record(archive.run, todo.queries, todo.name))
            for query, moot in begin.moot:
                archive.unanswered(query, moot)
            if begin.left:
                self._on_spark(begin, archive)
        except KeyboardInterrupt:
            done = len(_known(todo, archive))
            kept = f"{done} of {len(todo.queries)} queries are answered and kept in {archive.store.folder}"
            self.tell(f"interrupted: {kept}; {_GOES_ON}")
            raise
        except SparkGaveUp as error:
            self.tell(f"{error}; the answers so far are kept, {_GOES_ON}")
        except OSError as error:
            lost = len(archive.unsaved)
            answers = f"{counted(lost, 'answer')}, shown here, could not be stored;"
            where = archive.folder if lost else archive.store.folder
            self.tell(
                f"the store {where} cannot be written: {error.strerror}; {answers} {_repair(error, where)}"
            )

    def _on_spark(self, begin: Resumed, archive: StoreArchive) -> None:
        # Here, since a plan needs no Spark.
        from leadline.symbolic.grid import spark
        from leadline.symbolic.grid.session import MASTER, RETRIES, SparkSetup

        retries = RETRIES if self.retries is None else self.retries
        master = MASTER if self.master is None else self.master
        conf = dict(self.conf)
        setup = SparkSetup(master, retries, self.ui, conf, self.patience, self.remote)
        with self.steady(f"grid {self.name}") as show:
            show("starting Spark", 0.0)
            spark.run(
                begin.left,
                archive,
                setup,
                begin.pruning,
                lambda progress: self._show(archive, progress, show),
                warn=self.tell,
                started=lambda made: self.tell(f"Spark shows its pages at {made.pages}") if self.ui else None,
            )

    def _show(self, archive: StoreArchive, progress: RunProgress, show: Show) -> None:
        if archive.spool is not None:
            archive.spool.tell(self.tell)
        show(progress.text(), progress.share)


def _repair(error: OSError, where: Path | Remote) -> str:
    """The state of a store that cannot be written, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the answers before are kept; make room, then {_GOES_ON}"
    if isinstance(where, Path) and not where.is_dir():
        return (
            "the folder was moved or removed while the grid ran, and the answers before with it: put it back, "
            f"then {_GOES_ON}; without it all queries are asked again"
        )
    return f"the answers before are kept; make it writable, then {_GOES_ON}"


def _changed(row: Row) -> bool:
    """Whether a query has no answer, since its protocol was changed meanwhile."""
    return row.cause == Cause.CHANGED


def _known(todo: Plan, archive: StoreArchive) -> list[Row]:
    """The answers to the queries, stored or not."""
    return [archive.rows[query.id] for query in todo.queries if query.id in archive.rows]

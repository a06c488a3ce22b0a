"""Answers on their way to a store that is elsewhere: kept beside the driver until the store has them.

    build/spool/<store>/<run>/    a store in a folder with the rows and documents that are not sent yet
    build/spool/<store>/spark.log

Each answer goes to the disk first and is sent by a thread, so that a store that is slow or away holds up no
query, and a driver that is killed loses none. To send an answer twice changes nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import queue
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.durable import write_bytes
from leadline.symbolic.grid.remote import Remote, StoreAway, at_once
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError, counted

SPOOLS = Path("build", "spool")
"""The folder of all answers that wait, in the working directory."""

_DOCUMENTS = ("traces", "certificates")
_LOCK = ".lock"
_BATCH = 64  # answers that are sent before the folder is looked at again
_LEAST, _MOST = 1.0, 30.0  # seconds between two attempts to send
_LOOKS = 0.5  # seconds between two looks at the sender

T = TypeVar("T")
Tell = Callable[[str], None]


def beside(store: Store) -> Path:
    """The folder on this machine for the files of a store elsewhere."""
    address = str(store.folder)  # without passwords and keys
    name = re.sub("[^A-Za-z0-9_.-]", "", store.folder.name)[:40].lstrip(".")
    return SPOOLS / f"{name or 'store'}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"


class Spool:
    """The answers of one run that wait for their store.

    Args:
        store: a store elsewhere.
        run: the run's name.

    Raises:
        UserError: if there is no place for them beside the driver.
    """

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self.folder = beside(store)
        self._run = self.folder / run
        self._local = Store(self._run)
        self._local.create()
        self._held = os.open(self._run / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(self._held, fcntl.LOCK_EX)
        self._lock = threading.Lock()
        self._told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._away = False
        self._news, self._closing, self._given_up = (threading.Event() for _ in range(3))
        self._sender = threading.Thread(target=self._send_all, name="spool", daemon=True)
        self._sender.start()

    def keep(self, row: Row, documents: Mapping[str, str] | None = None) -> None:
        """Keep an answer here, durably, and send it soon.

        Raises:
            OSError: if it cannot be kept.
            ValueError: as `Store.keep`.
        """
        with self._lock:
            self._local.keep(row, documents)
        self._news.set()

    def tell(self, tell: Tell) -> None:
        """Report the store's losses and returns since the last call."""
        with suppress(queue.Empty):
            while True:
                tell(self._told.get_nowait())

    def close(self, patience: float, tell: Tell) -> int:
        """Send what is left.

        Args:
            patience: the most seconds to wait for a store that is away; one that answers is waited for.
            tell: takes messages to the user.

        Returns:
            The number of answers that are not sent; they stay where they are.
        """
        self._closing.set()
        self._news.set()
        end = time.monotonic() + patience
        while self._sender.is_alive() and (time.monotonic() < end or not self._away):
            self._sender.join(_LOOKS)
            self.tell(tell)
        self.tell(tell)
        self._given_up.set()
        left = len(_waiting(self._run))
        if not left:
            shutil.rmtree(self._run, ignore_errors=True)
        os.close(self._held)
        return left

    def _send_all(self) -> None:
        wait = _LEAST
        while names := self._left():
            # One alone shows whether the store is back.
            tried = at_once(self._failure, names[: 1 if self._away else _BATCH])
            failed = [error for error in tried if error is not None]
            if not failed:
                if self._away:
                    self._told.put(
                        f"the store {self._store.folder} can be written again: the answers go there"
                    )
                wait, self._away = _LEAST, False
                continue
            if not self._away:
                self._told.put(f"{_why(self._store, failed[0])}; answers are kept in {self._run} meanwhile")
            self._away = True
            if self._closing.is_set():
                lasting = not any(isinstance(error, StoreAway) for error in failed)
                if lasting or self._given_up.wait(wait):
                    return
            elif self._closing.wait(wait):
                wait = _LEAST
            wait = min(2 * wait, _MOST)

    def _left(self) -> list[str]:
        """The answers that wait, once there are any; none at the end."""
        while True:
            closing, names = self._closing.is_set(), _waiting(self._run)
            if names or closing:
                return names
            self._news.wait()
            self._news.clear()

    def _failure(self, name: str) -> Exception | None:
        """Send an answer; the error if that fails."""
        try:
            _send(self._run, self._store, name, self._lock)
        except (OSError, StoreAway) as error:
            return error
        return None


def send_left(store: Store, tell: Tell) -> None:
    """Send the answers that runs which have ended, or were killed, left beside the driver.

    Nothing is done for a store in a folder. Trouble is told, and the answers stay for the next time.
    """
    if not isinstance(store.folder, Remote):
        return
    for run in sorted(path for path in beside(store).glob("*") if path.is_dir()):
        held = os.open(run / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _send_run(run, store, tell)
        except BlockingIOError:
            pass  # Its run goes on, and sends them itself.
        finally:
            os.close(held)


def _send_run(run: Path, store: Store, tell: Tell) -> None:
    names = _waiting(run)
    lock = threading.Lock()
    try:
        at_once(lambda name: _send(run, store, name, lock), names)
    except (OSError, StoreAway) as error:
        left = counted(len(_waiting(run)), "answer")
        tell(f"{_why(store, error)}; {left} of an earlier run stay in {run} until the next time")
        return
    shutil.rmtree(run, ignore_errors=True)
    if names:
        tell(f"{counted(len(names), 'answer')} of an earlier run, kept in {run}, are in {store.folder} now")


def _waiting(run: Path) -> list[str]:
    return sorted(path.name for path in (run / "results").glob("[!.]*.parquet"))


def _send(run: Path, store: Store, name: str, lock: threading.Lock) -> None:
    """Send a row, after its documents, and remove it here.

    Raises:
        OSError: if it cannot be sent.
        StoreAway: if the store cannot be reached.
    """
    path = run / "results" / name
    try:
        before, content = path.stat(), file_bytes(path)
    except FileNotFoundError:
        return  # It is sent.
    for folder in _DOCUMENTS:
        document = run / folder / f"{name.partition('.')[0]}.json"
        if document.exists():
            write_bytes(store.folder / folder / document.name, file_bytes(document))
    write_bytes(store.results / name, content)
    with lock:
        after = path.stat()
        # One that has come in its place meanwhile is sent in its turn.
        if (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns):
            path.unlink()


def _why(store: Store, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"the store {store.folder} cannot be written: {error.strerror}"
    return str(error)


def waited(work: Callable[[], T], patience: float, tell: Tell) -> T:
    """The answer of a store, once it can be reached.

    Args:
        work: asks the store; it is asked again while it is away.
        patience: the most seconds to wait.
        tell: takes messages to the user.

    Raises:
        UserError: if there is no such host, which is a mistake rather than a trouble.
        StoreAway: if it stays away.
    """
    begin, wait, told = time.monotonic(), _LEAST, False
    while True:
        try:
            found = work()
        except StoreAway as error:
            away = time.monotonic() - begin
            if error.unknown and not told:
                raise UserError(str(error)) from error
            if away > patience:
                raise StoreAway(
                    f"{error}; given up after {away:.0f} s (--patience S sets the limit)"
                ) from error
            if not told:
                tell(f"{error}: waiting up to {patience:g} s for it (--patience S sets the limit)")
            told = True
            time.sleep(min(wait, max(0.1, patience - away)))
            wait = min(2 * wait, _MOST)
        else:
            if told:
                tell("the store can be reached again: the grid goes on")
            return found

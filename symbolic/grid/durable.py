"""Durable files: written whole or not at all, and safe from a power cut once they are there.

A process that is killed leaves its temporary files and folders. `sweep` and the next `scratch_folder` remove those
that nobody needs any more.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from leadline.symbolic.grid.remote import Place, Remote

PART = ".part"
"""The suffix of a file that is being written; its name begins with a point."""

_OLD = 3600.0  # seconds; no file is written for so long
_SCRATCH = "leadline-"
_HELD = ".scratch"  # in a temporary folder, locked for as long as its process lives


def write_bytes(path: Place, data: bytes) -> None:
    """Write a file: a temporary one beside it, which then takes its name.

    Args:
        path: the file; one that is there already is replaced.
        data: the content.

    Raises:
        OSError: if that fails; a file that was there is as it was.
        StoreAway: if the file is elsewhere, and its store cannot be reached.
    """
    if isinstance(path, Remote):
        path.put(data)
        return
    # Without the file's name, which may be as long as a name can be.
    part = path.with_name(f".{uuid.uuid4().hex}{PART}")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    _sync_folder(path.parent)


def write_text(path: Place, text: str) -> None:
    """Write a text in UTF-8 the same way.

    Raises:
        OSError: if that fails.
    """
    write_bytes(path, text.encode("utf-8"))


def _sync_folder(folder: Path) -> None:
    """Write a folder to the disk; until then a new name in it is not durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a file, so that `sweep` does not remove it while this process lives.

    It is removed in the end; if it cannot be, the next `sweep` removes it.

    Raises:
        OSError: if it cannot be made.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with suppress(OSError):  # a file system without locks; `sweep` cannot lock there either
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def sweep(folder: Path, pattern: str) -> None:
    """Remove the temporary files of killed processes from a folder and its subfolders, as far as possible.

    Args:
        folder: the folder.
        pattern: the names of files in it that are `held` as long as they are needed.
    """
    for path in folder.glob(pattern):
        with suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    for path in (*folder.glob(f".*{PART}"), *folder.glob(f"*/.*{PART}")):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _OLD:
                path.unlink()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, which is removed in the end; those that killed processes have left go first.

    Raises:
        OSError: if it cannot be made.
    """
    sweep_scratch(Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SCRATCH))
        descriptor = os.open(folder / _HELD, os.O_RDWR | os.O_CREAT, 0o600)
        with suppress(OSError):  # a file system without locks, where nobody else can lock it either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            break
        os.close(descriptor)  # Another process took the folder for one that is left.

    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def sweep_scratch(above: Path) -> None:
    """Remove the `scratch_folder`s of this user's in a folder whose processes have ended."""
    for path in above.glob(f"{_SCRATCH}*/{_HELD}"):
        with suppress(OSError):
            if path.parent.lstat().st_uid != os.getuid():
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent)
            finally:
                os.close(descriptor)

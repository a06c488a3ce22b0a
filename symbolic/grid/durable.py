"""Durable files: written whole or not at all, and safe from a power cut once they are there."""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from leadline.symbolic.grid.remote import Place, Remote

PART = ".part"
"""The suffix of a file that is being written; its name begins with a point."""


def write_whole(path: Place, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file: a temporary one beside it, which then takes its name.

    Args:
        path: the file; one that is there already is replaced.
        write: writes the content.

    Raises:
        OSError: if that fails; a file that was there is as it was.
        StoreAway: if the file is elsewhere, and its store cannot be reached.
    """
    if isinstance(path, Remote):
        made = io.BytesIO()
        write(made)
        path.put(made.getvalue())
        return
    # Without the file's name, which may be as long as a name can be.
    part = path.with_name(f".{uuid.uuid4().hex}{PART}")
    try:
        with part.open("xb") as file:
            write(file)
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


def write_bytes(path: Place, data: bytes) -> None:
    """Write bytes the same way.

    Raises:
        OSError, StoreAway: if that fails.
    """
    write_whole(path, lambda file: file.write(data))


def _sync_folder(folder: Path) -> None:
    """Write a folder to the disk; a new name in it is not durable before."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

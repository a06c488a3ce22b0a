"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from leadline.symbolic.grid.store.durable import write_text
from leadline.symbolic.lang import UserError


def check_writable(path: Path | None, option: str = "--out") -> None:
    """Look at an option's file before the work begins, not after.

    Raises:
        UserError: if nothing can be written there.
    """
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"{option} {path}: there is no folder {folder}")
    if path.is_dir():
        raise UserError(f"{option} {path}: this is a folder")
    target = path if is_special(path) else folder
    if not os.access(target, os.W_OK):
        raise UserError(f"{option} {path}: {target} is not writable")


def write_out(path: Path, text: str) -> None:
    """Write a file whole: to a temporary one beside it that then takes its name.

    Raises:
        UserError: if that fails; the file that was there, if any, is as it was.
    """
    try:
        if is_special(path):
            path.write_text(text, encoding="utf-8")
        else:
            write_text(path.resolve(), text)
    except OSError as error:
        raise UserError(f"--out {path}: {error.strerror}") from error


def is_special(path: Path) -> bool:
    """Whether it is a device or a pipe, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False

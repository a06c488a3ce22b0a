"""The one place that reads files which the user names: regular files only, and no more than they may hold.

A process may be confined to a folder, and so are the processes that it starts: `CONFINED` names the folder in
their environment. Then a file elsewhere cannot be read, and is not there, whatever links lead to it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Protocol

from leadline.symbolic.lang import UserError

CONFINED = "LEADLINE_ONLY_IN"
"""The variable of the environment that names the folder whose files alone are read; those that Leadline brings
along are read in any case."""
_OURS = Path(__file__).parent

LARGEST = 256 << 20
"""The most bytes that a file may have, unless its reader says otherwise: 256 MB."""


def environment(*beside: Path | None) -> dict[str, str]:
    """The environment of a process that loads the same package as this one, and modules of further folders."""
    folders = (*beside, _OURS.parents[1], os.environ.get("PYTHONPATH"))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(one) for one in folders if one)}


class Readable(Protocol):
    """A file that is not one of this machine's. Printed, it is its address, without passwords and keys."""

    def content(self, most: int) -> bytes:
        """As `file_bytes`."""


def file_bytes(path: Path | Readable, most: int = LARGEST) -> bytes:
    """The content of a file.

    A pipe or a device is refused before it is read: it may block, or never end.

    Args:
        path: the file.
        most: the most bytes that it may have.

    Raises:
        OSError: if it cannot be read, is no regular file, or is larger; `strerror` says which.
    """
    if not isinstance(path, Path):
        if CONFINED in os.environ:
            raise OSError(errno.EACCES, "only files of one folder may be read here", str(path))
        return path.content(most)
    if not is_allowed(path):
        raise OSError(errno.EACCES, _OUTSIDE.format(os.environ[CONFINED]), str(path))
    try:
        # Opening a pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a zero byte in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    about = os.fstat(descriptor)
    kind = _KINDS.get(stat.S_IFMT(about.st_mode))
    if kind is not None:
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"it is {kind}, and a file is needed", str(path))
    with os.fdopen(descriptor, "rb") as file:
        # To read the most at once would take that much memory. A file may grow meanwhile, and those of the
        # kernel's, as in /proc, have no size before they are read.
        content = file.read(min(most, about.st_size) + 1)
        while len(content) <= most and (more := file.read(_PIECE)):
            content += more
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {_size(most)}, the most that is read", str(path))
    return content


_OUTSIDE = "it is outside of {}, and only files in there may be read"


def is_allowed(path: Path) -> bool:
    """Whether a file may be read: this process is not confined to a folder, or the file is in there."""
    folder = os.environ.get(CONFINED)
    if folder is None:
        return True
    real = real_path(path)
    return any(real.is_relative_to(real_path(one)) for one in (Path(folder), _OURS))


def _size(size: int) -> str:
    return f"{size >> 20} MB" if size >> 20 else f"{size} bytes"


_PIECE = 1 << 20

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def read_bytes(path: Path | Readable, most: int = LARGEST) -> bytes:
    """The content of a file that the user names.

    Raises:
        UserError: with the path, for each `OSError` of `file_bytes`.
    """
    try:
        return file_bytes(path, most)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def read_text(path: Path | Readable, most: int = LARGEST, errors: str = "strict") -> str:
    """The text of a file in UTF-8 that the user names, with any kind of line ends.

    Args:
        path: the file.
        most: the most bytes that it may have.
        errors: "replace" for a text whose bytes that are no UTF-8 may be any characters.

    Raises:
        UserError: as `read_bytes`, or if it is no UTF-8, with the first such line.
    """
    content = read_bytes(path, most)
    try:
        text = content.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line} is no text in UTF-8: {error.reason}") from error
    # Some systems begin a file with a mark of its byte order.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def is_there(path: Path) -> bool:
    """Whether there is a file or folder of that path, which may be no possible name at all."""
    return is_allowed(path) and os.path.exists(path)  # noqa: PTH110  # Path.exists raises an error for a name that is too long


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that path, which may be no possible name at all."""
    return is_allowed(path) and os.path.isdir(path)  # noqa: PTH112  # as above


def real_path(path: Path) -> Path:
    """The absolute path with its links followed, as far as there are files.

    Unlike `Path.resolve` it raises no error for a loop of links or a name that is too long.
    """
    try:
        return Path(os.path.realpath(path))
    except (ValueError, OSError):  # a zero byte in the name, or the working directory is gone
        return path

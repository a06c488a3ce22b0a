"""The disk of a store, which can be filled and cut off."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_SIZE_MB = 256
_BALLAST = "ballast"
_LARGEST = 1000  # bytes of a file once the disk counts as full


@dataclass
class Disk:
    """A folder on a file system of its own, or on one whose end is a limit on the size of files.

    Attributes:
        folder: the folder; the store is in it.
        mounted: whether the file system is its own, a tmpfs: only root may mount one.
    """

    folder: Path
    mounted: bool = False

    def mount(self) -> None:
        """Make the folder, and mount a small file system there if that is allowed."""
        self.folder.mkdir(parents=True)
        options = ["-t", "tmpfs", "-o", f"size={_SIZE_MB}m", "leadline-soak", str(self.folder)]
        with suppress(FileNotFoundError):
            done = subprocess.run(["mount", *options], capture_output=True, check=False)
            self.mounted = done.returncode == 0

    def unmount(self) -> None:
        """Unmount it; what it held is gone then."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.folder / "store"

    def describe(self) -> str:
        """How the disk is made small, in words."""
        if self.mounted:
            return f"the store is on a tmpfs of {_SIZE_MB} MB"
        return "no file system can be mounted here: a full disk is a limit on the size of files"

    def fill(self, writers: Iterable[int]) -> None:
        """Fill the disk; without one of its own no process of these may write a file of a row's size."""
        if not self.mounted:
            _limit(writers, _LARGEST)
            return
        free = os.statvfs(self.folder)
        with suppress(OSError), (self.folder / _BALLAST).open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize)

    def free(self, writers: Iterable[int]) -> None:
        """Make room again."""
        _limit(writers, resource.RLIM_INFINITY)
        (self.folder / _BALLAST).unlink(missing_ok=True)

    def cut(self, *, read_only: bool, rename: bool) -> str | None:
        """Make the store unreachable, or one that cannot be written.

        Args:
            read_only: whether it may be mounted read-only, if the file system is its own and no file there
                is open for writing.
            rename: whether it may be renamed.

        Returns:
            How, in words; None if it could not be done.
        """
        # The file system is made read-only at this place only; other places may still have it.
        if read_only and self.mounted and self._remount("bind,ro"):
            return "mounted read-only"
        if rename and self.store.exists():
            self.store.rename(self.store.with_name("away"))
            return "renamed away"
        return None

    def mend(self) -> None:
        """Make the store reachable and writable again."""
        if self.mounted:
            self._remount("bind,rw")
        away = self.store.with_name("away")
        if away.exists():
            away.rename(self.store)

    def _remount(self, options: str) -> bool:
        command = ["mount", "-o", f"remount,{options}", str(self.folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _limit(writers: Iterable[int], size: int) -> None:
    for pid in writers:
        with suppress(OSError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))

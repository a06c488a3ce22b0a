"""An exploration kept in a folder, level by level, so that it can be stopped and resumed.

    FOLDER/exploration.json    the question that is explored
    FOLDER/3.circuits          a digest, the states that are new at level 3, and the findings up to then

A file is whole before it takes its name: a process that is killed loses the level that it was at.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import pickle
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path

from leadline.symbolic.engines.ask.result import JsonObject
from leadline.symbolic.files import file_bytes
from leadline.symbolic.lang import UserError

_ABOUT = "exploration.json"


class Checkpoint:
    """The levels of an exploration in a folder, which is made if it is not there.

    One process at a time uses it.

    Args:
        folder: the folder.
        about: the facts that decide which states there are and what is found in them.
        explorer: the explorer, as the suffix of its files.

    Raises:
        UserError: if the folder has another exploration, or cannot be used.
    """

    def __init__(self, folder: Path, about: Mapping[str, object], explorer: str) -> None:
        self._folder, self._explorer, self._depth = folder, explorer, 0
        wanted = json.loads(json.dumps(about))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / _ABOUT
            if not path.exists() and any(folder.iterdir()):
                raise UserError(f"--checkpoint {folder}: it has other files: name a new or an empty folder")
            held = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            weakref.finalize(self, os.close, held)
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            known = json.loads(os.read(held, 1 << 20) or b"null")
            if not isinstance(known, dict | None):
                raise ValueError(f"{path.name} is no exploration")
            if known is None:
                os.write(held, json.dumps(wanted).encode())
        except BlockingIOError as error:
            raise UserError(f"--checkpoint {folder}: another process explores in it: name another") from error
        except FileExistsError as error:
            raise UserError(f"--checkpoint {folder}: this is a file: name a folder") from error
        except (OSError, ValueError) as error:
            raise UserError(
                f"--checkpoint {folder} cannot be used: {getattr(error, 'strerror', error)}"
            ) from error
        if known is not None and known != wanted:
            differs = next((name for name in wanted if known.get(name) != wanted[name]), "version")
            raise UserError(
                f"--checkpoint {folder}: the exploration in it has another {differs}: name another folder, or "
                "remove it"
            )

    def levels(self) -> Iterator[JsonObject]:
        """The findings of each level that is kept, from the first on.

        Raises:
            UserError: if a file is damaged.
        """
        self._depth = 0
        while (path := self._path).exists():
            try:
                content = file_bytes(path, path.stat().st_size)
                if _digest(content[_DIGEST:]) != content[:_DIGEST]:
                    raise pickle.UnpicklingError("it is damaged")
                level = _Reader(io.BytesIO(content[_DIGEST:])).load()
            except (OSError, pickle.UnpicklingError) as error:
                raise UserError(
                    f"{path} cannot be read: {error}: remove it to begin at this level"
                ) from error
            yield level
            self._depth += 1

    def keep(self, found: Mapping[str, object]) -> None:
        """Keep the level after those that were taken or kept, unless it is kept already.

        Raises:
            UserError: if it cannot be written.
        """
        path = self._path
        self._depth += 1
        if not path.exists():
            try:
                data = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
                _write(path, _digest(data), data)
            except OSError as error:
                kept = "the levels before are kept, and the same command goes on from there"
                raise UserError(f"{path} cannot be written: {error.strerror}; {kept}") from error

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._depth}.{self._explorer}"


_DIGEST = 32
"""The bytes of a digest, with which a file of a level begins."""


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _write(path: Path, *parts: bytes) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


class _Reader(pickle.Unpickler):
    """Reads values alone: a file that someone else has made may name any function."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in {("builtins", "frozenset"), ("builtins", "set")}:
            return super().find_class(module, name)
        if module.startswith("leadline.symbolic.tla.values.") and "." not in name:
            found: object = super().find_class(module, name)
            if getattr(found, "__module__", None) == module:
                return found
        raise pickle.UnpicklingError(f"it names {module}.{name}")

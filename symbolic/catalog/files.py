"""A user's own protocol: an ordinary Python file."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from leadline.symbolic.catalog.entry import (
    Entry,
    claims_in,
    entry_of,
    prints_apart,
    protocols_in,
    refuse_lost,
)
from leadline.symbolic.lang import LeadlineError, UserError
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.protocol import python_says

_PATH = re.compile(r"(?P<path>.+\.py)(?::(?P<wanted>[\w-]+))?")


def split_path(text: str) -> tuple[Path, str | None] | None:
    """The path and, after a colon, the protocol in it; None if the text does not name a Python file."""
    match = _PATH.fullmatch(text)
    return (Path(match["path"]), match["wanted"]) if match else None


def load_file(path: Path) -> list[Entry]:
    """Every protocol of a Python file, with the properties that the file states.

    The file runs, as it does under `python path`: files beside it can be imported.

    Raises:
        UserError: if it cannot be read, does not run, or holds no protocol.
        ModelError: if a property or an action in it would be in no protocol.
    """
    module = _run(path)
    protocols = protocols_in(module)
    if not protocols:
        raise UserError(
            f"{path} holds no protocol: define a subclass of leadline.symbolic.lang.Protocol "
            "with the methods define and init"
        )
    claims = claims_in(module)
    names = [protocol.protocol_name for protocol in protocols]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"{path} holds two protocols named {twice[0]}: rename one")
    alone = len(protocols) == 1
    found = [entry_of(x, claims, str(path) if alone else f"{path}:{x.__name__}") for x in protocols]
    refuse_lost(module, found, claims)
    return found


def find_in_file(path: Path, wanted: str | None) -> Entry:
    """The protocol of a file: its only one, or the one of that name (the class's or the protocol's).

    Raises:
        UserError: as `load_file`, or if it is not clear which protocol is meant.
    """
    found = load_file(path)
    if wanted is None:
        if len(found) > 1:
            sources = ", ".join(entry.source for entry in found)
            raise UserError(f"{path} holds {len(found)} protocols: name one of {sources}")
        return found[0]
    for entry in found:
        if wanted in (entry.protocol.__name__, entry.name):
            return entry
    known = [entry.protocol.__name__ for entry in found]
    raise UserError(unknown_name(f"{path} has no protocol", wanted, known))


def _run(path: Path) -> ModuleType:
    """The file as a module under a name of its own, so that it can neither hide a module nor be hidden."""
    _check_readable(path)
    full = path.resolve()
    name = f"leadline_file_{full.stem}_{hashlib.sha256(str(full).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, full)
    assert spec is not None and spec.loader is not None  # a .py file always has a loader
    module = importlib.util.module_from_spec(spec)
    if str(full.parent) not in sys.path:
        # Last, unlike under `python path`: a file beside it named like one of ours does no harm.
        sys.path.append(str(full.parent))
    sys.modules[name] = module
    try:
        with prints_apart():
            spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, LeadlineError) or not isinstance(error, (Exception, SystemExit)):
            raise
        raise UserError(_complaint(path, full, error)) from error
    return module


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the path of a Python file")
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _complaint(path: Path, full: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        place = path if error.filename in (None, str(full)) else error.filename
        return f"{place}:{error.lineno or 1}: Python says: {type(error).__name__}: {error.msg}"
    frames = [x for x in traceback.extract_tb(error.__traceback__) if x.filename == str(full)]
    place = f"{path}:{frames[-1].lineno}" if frames else str(path)
    if isinstance(error, SystemExit):
        return f"{place}: loading the file ends the program: put that under `if __name__ == '__main__'`"
    return f"{place}: {python_says(error)}"

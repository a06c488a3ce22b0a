"""A user's file tried in a process of its own, before it is loaded here.

A model may depend on its parameters only. The trial loads the file and builds each model too, under another
hash seed. A model that is built here is accepted only if that one has its fingerprint. A file that ends its
process ends the trial's.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import traceback
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

from leadline.symbolic.files import environment, real_path
from leadline.symbolic.lang import InternalError, Mistake, ModelError, Setting, Span

T = TypeVar("T")

_exit = os._exit
_PROGRAM = "from leadline.symbolic.catalog.trial import serve; serve()"


class Trial:
    """A process that tries a file. It ends when this object is collected.

    Args:
        path: the Python file.

    Raises:
        ModelError: if loading the file ends the process.
        InternalError: if the process does not start.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.start()
        assert self._process.stdout is not None
        self._output = self._process.stdout
        if not self._output.readline():
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace")
            raise InternalError(f"the process that tries {path} does not start: {said}")
        self.loaded: bool = self._hear("loading the file")
        """Whether the file could be loaded."""

    def start(self) -> None:
        """Start the process. Time limits do not interrupt this function, so that no process is lost."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `_end`
        # Two processes with one hash seed would iterate over a set in the same order.
        seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
        self._process = subprocess.Popen(
            # -P: a file in the working directory, perhaps a user's `token.py`, must hide no module.
            [sys.executable, "-P", "-c", _PROGRAM, str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**environment(), "PYTHONHASHSEED": seed},
        )
        self._finalize = weakref.finalize(self, _end, self._process, self._errors)

    def fingerprint(self, name: str, settings: Mapping[str, Setting]) -> str | None:
        """The fingerprint of the model of a class; None if it could not be built.

        Args:
            name: the name of the class.
            settings: its parameters that differ from their defaults.

        Raises:
            ModelError: if building it ends the process.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # `_hear` reports that it has ended.
            self._process.stdin.write(json.dumps([name, dict(settings)]).encode() + b"\n")
            self._process.stdin.flush()
        found: str | None = self._hear("building the model")
        return found

    def _hear(self, doing: str) -> Any:
        try:
            line = self._output.readline()
        except BaseException:  # The time is over: what is tried may never end by itself.
            self._finalize()
            raise
        said = json.loads(line) if line.endswith(b"\n") else {"ended": None}
        if isinstance(said, dict) and "failed" in said:
            raise InternalError(f"the trial of {self._path} failed:\n{said['failed']}")
        if isinstance(said, dict):
            place = Span(*said["ended"]) if said["ended"] else Span(str(self._path), 1)
            text = f"{doing} ends the process, and a model may not: leave out os._exit() and the like"
            raise ModelError([Mistake(place, text)])
        return said


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for file in (process.stdin, process.stdout, errors):
        with suppress(BrokenPipeError):  # There may be a request that it did not live to read.
            if file is not None:
                file.close()


def unstable_model(span: Span) -> ModelError:
    """The error for a model that differs between here and its trial.

    Args:
        span: the place to name.
    """
    text = (
        "the model is another one each time that it is built. It may depend on its parameters only: leave out "
        "the time, the process and chance (or draw from random.Random(SEED)), and write sorted(...) around a "
        "Python set that is iterated over (if the file was changed just now, run it again)"
    )
    return ModelError([Mistake(span, text)])


def serve() -> NoReturn:
    """The process of a trial: load the file that the command line names, then answer requests."""
    requests, channel = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w", buffering=1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    print(file=channel)
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, asked), daemon=True).start()
    path = Path(sys.argv[1])
    setattr(os, "_exit", partial(_reported_exit, real_path(path), channel))  # noqa: B010  # a function, to mypy
    try:
        _serve(path, asked, channel)
    except BaseException:
        print(json.dumps({"failed": traceback.format_exc()}), file=channel)
    _exit(1)


def _serve(path: Path, asked: queue.SimpleQueue[str], channel: IO[str]) -> None:
    # Here, since they load this module.
    from leadline.symbolic.catalog.entry import model_of
    from leadline.symbolic.catalog.sources import load_file

    loaded = _tried(lambda: {entry.protocol.__name__: entry for entry in load_file(path, tried=True)})
    print(json.dumps(loaded is not None), file=channel)
    while True:
        name, settings = json.loads(asked.get())
        made = None if loaded is None else _tried(partial(model_of, loaded[name], settings))
        print(json.dumps(None if made is None else made.fingerprint), file=channel)


def _listen(requests: IO[str], asked: queue.SimpleQueue[str]) -> None:
    """Pass requests on while the file runs, and end when the parent does."""
    for line in requests:
        asked.put(line)
    _exit(0)


def _reported_exit(path: Path, channel: IO[str], status: int) -> NoReturn:
    """`os._exit` for the file, which first reports the line of its call."""
    lines = [frame.lineno for frame in traceback.extract_stack() if frame.filename == str(path)]
    print(json.dumps({"ended": [str(path), lines[-1]] if lines else None}), file=channel)
    _exit(status)


def _tried(run: Callable[[], T]) -> T | None:
    try:
        return run()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None

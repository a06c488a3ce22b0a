"""Conformance as an engine, which grids ask about each log in a folder.

The claim is that a log is a run of the model. Proved means that it conforms, and violated that it does not: then
the counterexample is a run that explains the longest prefix, and its end tells the objections to the next event.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from leadline.symbolic.conform.ask import Conformance, Fits, conformance
from leadline.symbolic.conform.logs import LogMap, Reader, read_map
from leadline.symbolic.engines import (
    Answer,
    Effort,
    Engine,
    Limits,
    Listener,
    Options,
    Progress,
    Query,
    Result,
    Verdict,
)
from leadline.symbolic.engines.ask.engine import AboutRuns, NewSolver
from leadline.symbolic.engines.ask.query import option
from leadline.symbolic.engines.ask.result import Cause, Part
from leadline.symbolic.engines.run.limits import own_peak_mb
from leadline.symbolic.files import is_folder, is_there, read_bytes
from leadline.symbolic.lang import Model, UserError

_VERDICTS = {
    Fits.CONFORMS: Verdict.PROVED,
    Fits.DIFFERS: Verdict.VIOLATED,
    Fits.OUT_OF_BOUNDS: Verdict.OUT_OF_BOUNDS,
    Fits.UNKNOWN: Verdict.UNKNOWN,
}
_LONGEST = 1_000
"""The most events of a prefix whose run is kept: its states go into one document."""
_LARGEST = 4 << 30  # bytes of a file


@dataclass(frozen=True)
class ConformOptions(Options):
    """The options of a question about one log.

    Attributes:
        log: its name.
        content: a hash of its files and of the map.
        map: the map's name; "" without one.
        hidden: the most steps before an event that the log need not show.
        by: the way in which runs are searched.
        files: the paths of its files here.
        map_file: the path of the map here; "" without one.
    """

    engine = "conform"

    log: str = option("")
    content: str = option("")
    map: str = option("")
    hidden: int = option(0, grid=True, most=1_000)
    by: str = option("auto", grid=True, choices=("auto", "values", "circuits", "solver"), noun="way")
    files: tuple[str, ...] = option((), place=True)
    map_file: str = option("", place=True)

    @property
    def subject(self) -> str:
        """The log's name, with the map and the number of hidden steps, since these belong to the claim."""
        hidden = f"{self.hidden} hidden" if self.hidden else ""
        return ", ".join(filter(None, [self.log, self.map, hidden]))

    @property
    def wording(self) -> str | None:
        return self.engine if self.by == "auto" else f"{self.engine}, by {self.by}"

    def about(self) -> LogMap:
        """The map.

        Raises:
            UserError: with all mistakes in it.
        """
        return read_map(Path(self.map_file)) if self.map_file else LogMap()

    def check_map(self, model: Model) -> None:
        """Check that the map fits a model.

        Raises:
            UserError: with all mistakes in it.
        """
        if wrong := Reader(model, self.about(), {}).wrong:
            raise UserError("\n".join(wrong))

    def mapped(self, name: str, path: str) -> Self:
        """The same options with a map, and the hash of all files.

        Args:
            name: the map's name; "" without one.
            path: its path.

        Raises:
            UserError: if a file cannot be read.
        """
        made = replace(self, map=name, map_file=path)
        return replace(made, content=made.hashed())

    def hashed(self) -> str:
        """A hash of the contents as they are now.

        Raises:
            UserError: if a file cannot be read.
        """
        whole = hashlib.sha256()
        for one in self.contents():
            whole.update(hashlib.sha256(one).digest())
        return whole.hexdigest()[:40]

    def contents(self) -> tuple[bytes, ...]:
        """The contents of the log's files and the map.

        Raises:
            UserError: if one cannot be read.
        """
        files = [*self.files, *filter(None, [self.map_file])]
        return tuple(read_bytes(Path(file), most=_LARGEST) for file in files)

    def has_changed(self) -> bool:
        try:
            return self.hashed() != self.content
        except UserError:
            return True

    def received(self, contents: Sequence[bytes], folder: Path) -> Self:
        made = []
        for number, (path, content) in enumerate(zip([*self.files, self.map_file], contents, strict=False)):
            file = folder / str(number) / Path(path).name
            file.parent.mkdir()
            file.write_bytes(content)
            made.append(str(file))
        files = tuple(made[: len(self.files)])
        return replace(self, files=files, map_file=made[-1] if self.map_file else "")

    def shown(self, text: str) -> str:
        """A message with the names of the log and the map in place of paths, which differ between machines."""
        for file in self.files:
            own = Path(file).name
            text = text.replace(file, self.log if Path(self.log).name == own else f"{self.log}/{own}")
        return text.replace(self.map_file, self.map) if self.map_file else text


def logs_in(folder: Path, name: str) -> list[ConformOptions]:
    """The logs in a folder: each file is one, and so is each folder with the files of several nodes.

    Files that begin with a point, and maps, are none.

    Args:
        folder: the folder.
        name: its name in messages.

    Raises:
        UserError: if it is missing or has no logs.
    """
    if not is_folder(folder):
        what = "a folder is needed, and this is a file" if is_there(folder) else "there is no such folder"
        raise UserError(f"{name}: {what}")
    found = []
    for one in _entries(folder):
        files = _entries(one) if one.is_dir() else [one]
        if files:
            log = f"{name.rstrip('/')}/{one.name}"
            found.append(ConformOptions(log, files=tuple(str(x) for x in files if x.is_file())))
    if not found:
        raise UserError(f"{name}: there are no logs in this folder")
    return found


def _entries(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from error
    return [one for one in found if not one.name.startswith(".") and one.suffix != ".toml"]


class Conform(Engine):
    """Whether a log is a run of the model."""

    options = ConformOptions
    takes_solver = False
    runs = AboutRuns.ANSWERED

    def parts(self, model: Model, query: Query) -> tuple[Part, ...]:
        return ((query.options_as(ConformOptions).subject, None),)

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        options, begin = query.options_as(ConformOptions), time.monotonic()

        def progress(events: int) -> None:
            listener.progress(Progress(events, time.monotonic() - begin, (options.subject,)))

        try:
            found = conformance(
                model,
                [Path(file) for file in options.files],
                options.about(),
                hidden=options.hidden,
                by=options.by,
                limits=limits,
                longest=_LONGEST,
                progress=progress,
            )
        except UserError as error:
            found = Conformance(Fits.UNKNOWN, 0, 0, options.by, reason=str(error), cause=Cause.LOG)
        effort = Effort(total=time.monotonic() - begin, memory_mb=own_peak_mb())
        result = replace(_result(options, found), effort=effort)
        listener.done(result)
        return Answer([result])


def _result(options: ConformOptions, found: Conformance) -> Result:
    verdict = _VERDICTS[found.verdict]
    result = Result(options.subject, options.engine, verdict, depth=found.explained, cause=found.cause)
    told = found.objection() or found.reason
    result = replace(result, reason=None if told is None else options.shown(told))
    if found or found.verdict is Fits.UNKNOWN:
        return result
    run = found.run
    if run is None:
        return replace(result, steps=found.explained)
    return replace(result, steps=run.length, trace=replace(run, why=result.reason))

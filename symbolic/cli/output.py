"""A command's answer: an exit code, and text for a person or a document for a program.

Text is in colour on a terminal. Files are written whole or not at all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.tables import plain
from leadline.symbolic.catalog import split_path
from leadline.symbolic.cli.terminal import Exit, NoOutput, in_colour, printable, put, tell, width
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Table, Verdict
from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.files import real_path
from leadline.symbolic.lang import PropertyKind, UserError
from leadline.symbolic.trace import DEADLOCK, Line, LineKind, Trace, document, end_reason, itf, tla_module

TRACES = ("itf", "tla", "mermaid", "svg", "dot")
"""The formats of a single run, besides JSON."""

# A violation weighs more than an open question, and an open question more than "holds so far".
_WORST_FIRST = (
    Exit.VIOLATED,
    Exit.LIVENESS,
    Exit.DEADLOCK,
    Exit.OUT_OF_BOUNDS,
    Exit.ASSUMPTION,
    Exit.UNKNOWN,
)


def worst(codes: list[Exit]) -> Exit:
    """The code for several verdicts together."""
    return next((code for code in _WORST_FIRST if code in codes), Exit.HOLDS)


def exit_of(name: str, kind: str | None, verdict: Verdict, judgement: Judgement) -> Exit:
    """The exit code for one answer.

    Args:
        name: the property.
        kind: its kind, if it has one. As in TLC, a claim about steps counts as one about runs.
        verdict: the verdict about it.
        judgement: whether that is as it should be.
    """
    if judgement is not Judgement.FAILED:
        return Exit.UNKNOWN if judgement is Judgement.OPEN else Exit.HOLDS
    if verdict is Verdict.OUT_OF_BOUNDS:
        return Exit.OUT_OF_BOUNDS
    if name == DEADLOCK:
        return Exit.DEADLOCK
    return Exit.LIVENESS if kind in [x for x in PropertyKind if x.about_runs] else Exit.VIOLATED


def add_format(parser: argparse.ArgumentParser, *formats: str, out: bool = False) -> None:
    """Declare --format, and --out if the answer can be written to a file."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    if out:
        parser.add_argument("--out", metavar="FILE", type=Path, help="write the answer to a file")


def as_text(parts: Iterable[Part], width: int | None = None) -> str:
    """An answer for a person as plain text; with a width, no line is longer where words allow it."""
    return "".join(f"{line}\n" for part in parts for line in plain(part, width))


def show(parts: Iterable[Part]) -> None:
    """Print an answer for a person, in colour on a terminal."""
    if in_colour():
        put(coloured(parts, width()), coloured=True)
    else:
        put(as_text(parts, width()))


def deliver(answer: Iterable[Part], written: str | None, out: Path | None) -> Exit:
    """Write an answer. One that cannot be written where it should be is told elsewhere: it is never lost.

    Args:
        answer: the answer for a person.
        written: the answer in the format asked for; None if that is the text for a person.
        out: the file to write it to, or None for standard output; with a file and another format than text,
            the text is shown too.

    Returns:
        HOLDS, or WRONG_COMMAND if it is not where it should be. An answer with a verdict keeps its own code.
    """
    parts = [*answer]
    if out is not None and not keep(out, as_text(parts) if written is None else written):
        return Exit.WRONG_COMMAND
    try:
        if out is None:
            show(parts) if written is None else put(written)
            return Exit.HOLDS
        if written is not None:
            show(parts)
    except NoOutput as error:
        _tell_after(error, as_text(parts))
        return Exit.WRONG_COMMAND
    tell(f"wrote {out}")
    return Exit.HOLDS


def keep(path: Path, content: str, option: str = "--out") -> bool:
    """Write the outcome of work to a file; if that fails, to standard output or standard error, and tell so.

    Returns:
        Whether it is in the file.
    """
    try:
        write_out(path, content, option)
    except UserError as error:
        tell(f"{error}; what belongs there is on standard output")
        try:
            put(content)
        except NoOutput as full:
            _tell_after(full, content)
        return False
    return True


def _tell_after(error: Exception, content: str) -> None:
    """Write to standard error what standard output does not take."""
    tell("\n".join([f"{error}; it would be this:", *content.splitlines()] if content else [str(error)]))


def as_json(data: Any) -> str:
    """Indented JSON with a newline at its end; no character in it controls a terminal."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


_CONTROLS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""The control characters that JSON leaves as they are, of directions too."""


def written_trace(form: str, semantics: Semantics, trace: Trace, source: str, out: Path | None) -> str:
    """A trace as the text of a file.

    Args:
        form: json or one of `TRACES`.
        semantics: the concrete meaning of the model.
        trace: the trace.
        source: the protocol as the catalog finds it.
        out: the file; a TLA+ module takes its name.
    """
    model = semantics.model
    if form == "json":
        return as_json(document(model, trace, source))
    if form not in ("itf", "tla"):
        return picture(form, semantics, trace)
    reason = end_reason(semantics, trace)
    if form == "itf":
        return as_json(itf(model, trace, reason))
    return tla_module(model, trace, out.stem if out is not None else "counterexample", reason)


def picture(form: str, semantics: Semantics, trace: Trace, begin: str = "") -> str:
    """A run as a picture.

    Args:
        form: mermaid, svg or dot.
        semantics: the concrete meaning of the model.
        trace: the run.
        begin: the first state's name, if it is no initial state.
    """
    # Here, since the other formats need none of the report.
    from leadline.symbolic.report.diagram import PICTURES, diagram
    from leadline.symbolic.trace.page import page_data

    return PICTURES[form](diagram(page_data(semantics, trace, begin)))


_READ = ("protocol", "config", "file", "logs", "map", "recheck", "trace", "witness")
"""The arguments that name files to read."""


def check_writable(args: argparse.Namespace, *names: str) -> None:
    """Check before the work begins that the files of options can be written, as `check_places` does.

    Args:
        args: the arguments.
        names: the options, as attributes of the arguments.
    """
    given = {f"--{name.replace('_', '-')}": getattr(args, name) for name in names}
    check_places(args, [(option, path) for option, path in given.items() if path is not None])


def check_places(args: argparse.Namespace, places: Iterable[tuple[str, Path]]) -> None:
    """Check that files can be written, and that writing them replaces none that the command reads or writes.

    Args:
        args: the arguments.
        places: an option and a file that it has the command write, for each file.

    Raises:
        UserError: if one cannot be written, or is a file that the command reads, or another of the files.
    """
    taken = {real_path(path): "a file that the command reads" for path in _files_read(args)}
    for option, path in places:
        _check_place(path, option)
        real = real_path(path)
        if real in taken and not is_special(path):
            raise UserError(f"{option} {path}: this is {taken[real]}: name another")
        taken[real] = f"the file of {option}"


def _files_read(args: argparse.Namespace) -> Iterator[Path]:
    for name in _READ:
        value = getattr(args, name, None)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Path):
                yield one
            elif isinstance(one, str) and (python := split_path(one)) is not None:
                yield python[0]
            elif isinstance(one, str) and one.endswith(".tla"):
                yield Path(one)
                yield Path(one).with_suffix(".cfg")


def _check_place(path: Path, option: str) -> None:
    """Check that a file can be written there."""
    real = _real(path, option)
    folder = real.parent
    if not folder.is_dir():
        raise UserError(f"{option} {path}: there is no folder {folder}")
    if real.is_dir():
        raise UserError(f"{option} {path}: this is a folder")
    target = real if is_special(real) else folder
    if not os.access(target, os.W_OK):
        raise UserError(f"{option} {path}: {target} is not writable")


def _real(path: Path, option: str) -> Path:
    """The file that a path leads to through links, which need not exist.

    Raises:
        UserError: if there can be none: the name is too long, or links lead in a circle.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise UserError(f"{option} {path}: {error.strerror}") from error
    # `Path.resolve` raises a RuntimeError in a circle.
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_out(path: Path, content: str | bytes, option: str = "--out") -> None:
    """Write a file whole: to a temporary one beside it that then takes its name.

    Raises:
        UserError: if that fails; a file that was there is left unchanged.
    """
    # Half a character, as JSON can hold, is written as its escape.
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if is_special(path):
            path.write_bytes(data)
        else:
            # Here, since most answers are written to no file.
            from leadline.symbolic.grid.durable import write_bytes

            write_bytes(_real(path, option), data)
    except OSError as error:
        raise UserError(f"{option} {path}: {error.strerror}") from error


def make_folder(folder: Path) -> None:
    """Make the folder of --out.

    Raises:
        UserError: if that fails.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {folder}: {error.strerror}: name a folder") from error


def is_special(path: Path) -> bool:
    """Whether a path is a device or a pipe, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


_STYLES = {LineKind.HEAD: "1", LineKind.STEP: "1;36", LineKind.PART: "", LineKind.END: "1;31"}
"""The codes of bold, bold cyan and bold red."""

_PLAIN, _BOLD = "", "1"


def coloured(parts: Iterable[Part], width: int | None) -> str:
    """The parts of an answer as text with the codes of its colours.

    Args:
        parts: the parts.
        width: the characters of a line; None for as many as there are.
    """
    told = (one for part in parts for one in _lines(part, width))
    return "".join(f"\x1b[{style}m{line}\x1b[0m\n" if style and line else f"{line}\n" for line, style in told)


def _lines(part: Part, width: int | None) -> Iterator[tuple[str, str]]:
    """The lines of a part, each with the code of its style."""
    style = _STYLES[part.kind] if isinstance(part, Line) else _PLAIN
    for number, text in enumerate(plain(part, width)):
        for line in text.split("\n"):
            yield printable(line), _BOLD if isinstance(part, Table) and number == 0 else style

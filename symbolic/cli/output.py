"""A command's answer: an exit code, and text for a person or a document for a program.

Text is in colour on a terminal. Files are written whole or not at all.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from leadline.symbolic.api.asked import Part, plain
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Result, Table, Verdict
from leadline.symbolic.engines.judgement import Judgement
from leadline.symbolic.grid.durable import write_whole
from leadline.symbolic.lang import UserError
from leadline.symbolic.lang.files import redacted
from leadline.symbolic.trace import DEADLOCK, Line, LineKind, Trace, document, end_reason, itf, tla_module


class Exit(IntEnum):
    """Exit codes: those of TLC, which scripts know, and a few that TLC does not have."""

    HOLDS = 0
    WRONG_COMMAND = 2
    ASSUMPTION = 10
    DEADLOCK = 11
    VIOLATED = 12
    LIVENESS = 13
    UNKNOWN = 20
    OUT_OF_BOUNDS = 21
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143
    MODEL_MISTAKES = 150
    INTERNAL = 255


# A violation weighs more than an open question, and an open question more than "holds so far".
_WORST_FIRST = (Exit.VIOLATED, Exit.LIVENESS, Exit.DEADLOCK, Exit.OUT_OF_BOUNDS, Exit.UNKNOWN)


def worst(codes: list[Exit]) -> Exit:
    """The code for several verdicts together."""
    return next((code for code in _WORST_FIRST if code in codes), Exit.HOLDS)


def exit_of(result: Result, judgement: Judgement) -> Exit:
    """The exit code for one answer."""
    if judgement is not Judgement.FAILED:
        return Exit.UNKNOWN if judgement is Judgement.OPEN else Exit.HOLDS
    if result.verdict is Verdict.OUT_OF_BOUNDS:
        return Exit.OUT_OF_BOUNDS
    if result.trace is not None and result.trace.loop is not None:
        return Exit.LIVENESS
    return Exit.DEADLOCK if result.property == DEADLOCK else Exit.VIOLATED


_STYLES = {LineKind.HEAD: "bold", LineKind.STEP: "bold cyan", LineKind.PART: "", LineKind.END: "bold red"}


def add_format(parser: argparse.ArgumentParser, *formats: str, out: bool = False) -> None:
    """Declare --format, and --out if the answer can be written to a file."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    if out:
        parser.add_argument("--out", metavar="FILE", type=Path, help="write the answer to a file")


@dataclass
class Report:
    """An answer for a person to read, collected before it is shown."""

    parts: list[Part] = field(default_factory=list)

    def say(self, text: str = "") -> None:
        """Add a line."""
        self.parts.append(text)

    def trace(self, lines: Iterable[Line]) -> None:
        """Add a trace."""
        self.parts.extend(lines)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table."""
        self.parts.append(Table(header, rows))

    def text(self) -> str:
        """The answer as plain text."""
        lines: list[str] = []
        for part in self.parts:
            lines += plain(part)
        return "".join(f"{line}\n" for line in lines)

    def show(self) -> None:
        """Print the answer, in colour on a terminal."""
        if not in_colour():
            put(self.text())
            return
        made = io.StringIO()
        console = Console(file=made, highlight=False, soft_wrap=True, force_terminal=True, no_color=False)
        for part in self.parts:
            console.print(_rich_table(part) if isinstance(part, Table) else _rich_line(part))
        put(made.getvalue(), coloured=True)


def _rich_line(part: str | Line) -> Text:
    text, style = (part.text, _STYLES[part.kind]) if isinstance(part, Line) else (part, "")
    return Text("\n".join(map(printable, text.split("\n"))), style=style)


def _rich_table(rows: Table) -> RichTable:
    table = RichTable(*rows.header, box=None, header_style="bold", pad_edge=False)
    for row in rows.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def deliver(report: Report, written: str | None, out: Path | None) -> Exit:
    """Write an answer. One that cannot be written where it should be is told elsewhere: it is never lost.

    Args:
        report: the answer for a person.
        written: the answer in the format asked for; None if that is the report's text.
        out: the file to write it to, or None for standard output; with a file and another format than text,
            the report is shown too.

    Returns:
        HOLDS, or WRONG_COMMAND if it is not where it should be. An answer with a verdict keeps its own code.
    """
    if out is not None and not keep(out, report.text() if written is None else written):
        return Exit.WRONG_COMMAND
    try:
        if out is None:
            report.show() if written is None else put(written)
            return Exit.HOLDS
        if written is not None:
            report.show()
    except NoOutput as error:
        _tell_after(error, report.text())
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


def _tell_after(error: UserError, content: str) -> None:
    """Write to standard error what standard output does not take."""
    tell("\n".join([f"{error}; it would be this:", *content.splitlines()] if content else [str(error)]))


class NoOutput(UserError):
    """Standard output cannot be written, as on a full disk."""


def put(text: str, *, coloured: bool = False) -> None:
    """Write to standard output and flush it.

    Args:
        text: the text; control characters in it are escaped.
        coloured: whether it is made here, with control characters for its colours.

    Raises:
        BrokenPipeError: if its reader has closed it.
        NoOutput: if it cannot be written.
    """
    try:
        sys.stdout.write(text if coloured else _STEERING.sub(lambda found: printable(found[0]), text))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_output()
        raise NoOutput(f"standard output: {error.strerror}") from error


def forget_output() -> None:
    """Discard unwritten output, of which the interpreter would complain at its end."""
    try:
        descriptor = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def as_json(data: Any) -> str:
    """Indented JSON with a newline at its end; no character in it controls a terminal."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CONTROLS = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""The control characters that JSON leaves as they are, of directions too."""


COLOURS = ("auto", "always", "never")
_colour = [COLOURS[0]]


def set_colour(when: str) -> None:
    """Choose when answers are in colour: one of `COLOURS`."""
    _colour[0] = when


def in_colour() -> bool:
    """Whether answers are in colour: on a terminal, unless the user or NO_COLOR says otherwise."""
    if _colour[0] != "auto":
        return _colour[0] == "always"
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def is_terminal(stream: TextIO) -> bool:
    """Whether the stream is a terminal."""
    return stream.isatty()


def tell(text: str) -> None:
    """Write a message to standard error, after all output so far.

    Control characters are escaped, and URIs lose their passwords and keys.
    """
    sys.stdout.flush()
    print("\n".join(map(printable, redacted(f"leadline: {text}").split("\n"))), file=sys.stderr)


def printable(text: str) -> str:
    """A text with unprintable characters as escapes, so that it cannot control a terminal.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def written_trace(form: str, semantics: Semantics, trace: Trace, source: str, out: Path | None) -> str:
    """A trace as the text of a file.

    Args:
        form: json, itf or tla.
        semantics: the concrete meaning of the model.
        trace: the trace.
        source: the protocol as the catalog finds it.
        out: the file; a TLA+ module takes its name.
    """
    model = semantics.model
    if form == "json":
        return as_json(document(model, trace, source))
    reason = end_reason(semantics, trace)
    if form == "itf":
        return as_json(itf(model, trace, reason))
    return tla_module(model, trace, out.stem if out is not None else "counterexample", reason)


def check_writable(path: Path | None, option: str = "--out") -> None:
    """Check before the work begins that an option's file can be written.

    Raises:
        UserError: if it cannot.
    """
    if path is None:
        return
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
            write_whole(_real(path, option), lambda file: file.write(data))
    except OSError as error:
        raise UserError(f"{option} {path}: {error.strerror}") from error


def is_special(path: Path) -> bool:
    """Whether a path is a device or a pipe, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False

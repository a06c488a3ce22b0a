"""A command's answer: text for a person, in colour on a terminal, or a document for a program."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from leadline.symbolic.cli.files import write_out
from leadline.symbolic.lang import UserError
from leadline.symbolic.trace import Line, LineKind

_STYLES = {LineKind.HEAD: "bold", LineKind.STEP: "bold cyan", LineKind.PART: "", LineKind.END: "bold red"}


def add_format(parser: argparse.ArgumentParser, *formats: str, out: bool = False) -> None:
    """--format and, where the answer is worth a file, --out."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    if out:
        parser.add_argument("--out", metavar="FILE", type=Path, help="write the answer to a file")


@dataclass(frozen=True)
class Rows:
    """A table: a header and rows as long as it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Report:
    """An answer for a person to read, collected before it is shown."""

    parts: list[str | Line | Rows] = field(default_factory=list)

    def say(self, text: str = "") -> None:
        """Add a line."""
        self.parts.append(text)

    def trace(self, lines: Iterable[Line]) -> None:
        """Add a trace."""
        self.parts.extend(lines)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table."""
        self.parts.append(Rows(header, rows))

    def text(self) -> str:
        """The answer as plain text."""
        lines: list[str] = []
        for part in self.parts:
            lines += columns([part.header, *part.rows]) if isinstance(part, Rows) else [str(part)]
        return "".join(f"{line}\n" for line in lines)

    def show(self) -> None:
        """Print the answer, in colour on a terminal."""
        if not is_terminal(sys.stdout):
            put(self.text())
            return
        console = Console(highlight=False, soft_wrap=True)
        for part in self.parts:
            console.print(_rich_table(part) if isinstance(part, Rows) else _rich_line(part))


def _rich_line(part: str | Line) -> Text:
    return Text(part.text, style=_STYLES[part.kind]) if isinstance(part, Line) else Text(part)


def _rich_table(rows: Rows) -> Table:
    table = Table(*rows.header, box=None, header_style="bold", pad_edge=False)
    for row in rows.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def deliver(report: Report, written: str | None, out: Path | None) -> None:
    """Hand over an answer.

    Args:
        report: the answer for a person.
        written: the answer in the format asked for; None if that is the report's text.
        out: the file to write it to, or None for standard output. With a file, a person is told as well.
    """
    if out is None:
        report.show() if written is None else put(written)
        return
    write_out(out, report.text() if written is None else written)
    if written is not None:
        report.show()
    tell(f"wrote {out}")


def put(text: str) -> None:
    """Write to standard output, at once.

    Raises:
        BrokenPipeError: if nobody reads it any more.
        UserError: if it cannot be written (a full disk).
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_output()
        raise UserError(f"standard output: {error.strerror}") from error


def forget_output() -> None:
    """Send what is left for standard output nowhere, or the interpreter would complain of it at its end."""
    try:
        descriptor = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def as_json(data: Any) -> str:
    """JSON for people and programs, with the line's end."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person reads the stream."""
    return stream.isatty()


def tell(text: str) -> None:
    """A message on standard error, after whatever was answered so far. What it quotes steers no terminal."""
    sys.stdout.flush()
    print("\n".join(map(printable, f"leadline: {text}".split("\n"))), file=sys.stderr)


def printable(text: str) -> str:
    """A text on one line that cannot steer a terminal: what is no character to see is written as its escape.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def columns(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Rows as lines with aligned columns.

    >>> columns([["a", "bc"], ["def", "g"]])
    ['a    bc', 'def  g']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]

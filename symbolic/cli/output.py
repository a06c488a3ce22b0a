"""Where a command's answer goes: a terminal, a pipe, or a file that is there whole or not at all."""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from leadline.symbolic.lang import UserError
from leadline.symbolic.trace import Line, LineKind

_STYLES = {LineKind.HEAD: "bold", LineKind.STEP: "bold cyan", LineKind.PART: "", LineKind.END: "bold red"}


def add_format(parser: argparse.ArgumentParser, *formats: str, out: bool = False) -> None:
    """--format and, where the answer is worth a file, --out."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    if out:
        parser.add_argument("--out", metavar="FILE", type=Path, help="write the answer to a file")


def check_writable(path: Path | None) -> None:
    """Look at --out before the work begins, not after.

    Raises:
        UserError: if nothing can be written there.
    """
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"--out {path}: there is no folder {folder}")
    if path.is_dir():
        raise UserError(f"--out {path}: this is a folder")
    target = path if _is_special(path) else folder
    if not os.access(target, os.W_OK):
        raise UserError(f"--out {path}: {target} is not writable")


def write_out(path: Path, text: str) -> None:
    """Write a file whole: to a temporary one beside it that then takes its name.

    Raises:
        UserError: if that fails; the file that was there, if any, is as it was.
    """
    try:
        if _is_special(path):
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise UserError(f"--out {path}: {error.strerror}") from error


def _replace(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _is_special(path: Path) -> bool:
    """Whether it is a device or a pipe, which must not be replaced by a file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def as_json(data: Any) -> str:
    """JSON for people and programs, with the line's end."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person reads the stream."""
    return stream.isatty()


def say(text: str = "") -> None:
    """A line on standard output."""
    print(text)


def tell(text: str) -> None:
    """A message on standard error, after whatever was answered so far."""
    sys.stdout.flush()
    print(f"leadline: {text}", file=sys.stderr)


def say_lines(lines: Iterable[Line]) -> None:
    """A trace on standard output, in colour on a terminal."""
    if not is_terminal(sys.stdout):
        for line in lines:
            print(line)
        return
    console = Console(highlight=False)
    for line in lines:
        console.print(Text(line.text, style=_STYLES[line.kind]), soft_wrap=True)


def say_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on standard output; off a terminal as aligned columns without colour or frame."""
    if is_terminal(sys.stdout):
        table = Table(*header, box=None, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        Console(highlight=False).print(table)
        return
    for line in columns([header, *rows]):
        print(line)


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

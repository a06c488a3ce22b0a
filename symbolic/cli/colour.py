"""An answer in colour."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from leadline.symbolic.api.asked import Part
from leadline.symbolic.cli.terminal import printable
from leadline.symbolic.engines import Table
from leadline.symbolic.trace import Line, LineKind

_STYLES = {LineKind.HEAD: "bold", LineKind.STEP: "bold cyan", LineKind.PART: "", LineKind.END: "bold red"}


def coloured(parts: Sequence[Part]) -> str:
    """The parts of an answer as text with the codes of its colours."""
    made = io.StringIO()
    console = Console(file=made, highlight=False, soft_wrap=True, force_terminal=True, no_color=False)
    for part in parts:
        console.print(_rich_table(part) if isinstance(part, Table) else _rich_line(part))
    return made.getvalue()


def _rich_line(part: str | Line) -> Text:
    text, style = (part.text, _STYLES[part.kind]) if isinstance(part, Line) else (part, "")
    return Text("\n".join(map(printable, text.split("\n"))), style=style)


def _rich_table(rows: Table) -> RichTable:
    table = RichTable(*rows.header, box=None, header_style="bold", pad_edge=False)
    for row in rows.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table

"""An answer in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.symbolic.api.asked import Part
from leadline.symbolic.api.tables import plain
from leadline.symbolic.cli.terminal import printable
from leadline.symbolic.engines import Table
from leadline.symbolic.trace import Line, LineKind

_STYLES = {LineKind.HEAD: "1", LineKind.STEP: "1;36", LineKind.PART: "", LineKind.END: "1;31"}
"""The codes of bold, bold cyan and bold red."""


_PLAIN, _BOLD, _END = "", "1", "\x1b[0m"


def coloured(parts: Sequence[Part], width: int | None) -> str:
    """The parts of an answer as text with the codes of its colours.

    Args:
        parts: the parts.
        width: the characters of a line; None for as many as there are.
    """
    return "".join(f"{_styled(line, style)}\n" for part in parts for line, style in _lines(part, width))


def _lines(part: Part, width: int | None) -> Iterator[tuple[str, str]]:
    """The lines of a part, each with the code of its style."""
    style = _STYLES[part.kind] if isinstance(part, Line) else _PLAIN
    for number, text in enumerate(plain(part, width)):
        for line in text.split("\n"):
            yield printable(line), _BOLD if isinstance(part, Table) and number == 0 else style


def _styled(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}{_END}" if style and text else text

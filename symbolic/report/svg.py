"""SVG that stands alone: no script, no font and no other file, light or dark as the reader prefers.

The colours are those of the pages. They are written as plain values, not as variables of CSS, since viewers that
are no browsers, such as librsvg, know classes and not variables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape

from leadline.symbolic.report.assets import asset

SANS, MONO = "system-ui, 'DejaVu Sans', sans-serif", "ui-monospace, 'DejaVu Sans Mono', monospace"
_DARK = "@media (prefers-color-scheme: dark)"
_STYLE = (
    f"text{{font:13px {SANS};fill:$ink}}.mono{{font:11.5px {MONO}}}.small{{font-size:11px}}"
    ".head{font-weight:600}.title{font-size:15px;font-weight:600}.faint{fill:$faint}.middle{text-anchor:middle}.end{text-anchor:end}"
)


def tidy(text: str) -> str:
    """A text on one line, with unprintable characters as escapes.

    >>> tidy("a\\n b\\x1b")
    'a b\\\\x1b'
    """
    shown = "".join(
        x if x.isprintable() else x.encode("unicode_escape").decode() for x in " ".join(text.split())
    )
    return shown.strip()


def room(text: str) -> int:
    """The columns that a text takes: two for each character of East Asian writing, none for what combines."""
    wide = sum(unicodedata.east_asian_width(x) in "WF" for x in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def shortened(text: str, most: int) -> str:
    """A text of at most so many columns, its end cut if it is longer."""
    if room(text) <= most:
        return text
    while room(text) >= most:
        text = text[:-1]
    return f"{text.rstrip()}\u2026"


def wrapped(text: str, width: int, most: int = 100) -> list[str]:
    """A text as lines of at most so many columns, broken at spaces if there are any; at most so many lines."""
    lines = [""]
    for word in re.findall(r"\S+", text):
        whole = f"{lines[-1]} {word}" if lines[-1] else word
        if room(whole) <= width:
            lines[-1] = whole
            continue
        while room(word) > width:
            part = shortened(word, width + 1)[:-1]
            lines.append(part)
            word = word[len(part) :]
        lines.append(word)
    lines = [line for line in lines if line]
    return (
        lines if len(lines) <= most else [*lines[: most - 1], shortened(" ".join(lines[most - 1 :]), width)]
    )


def label(x: float, y: float, text: str, names: str = "", told: str = "") -> str:
    """A text, of the classes named, with what a mouse over it tells."""
    told = f"<title>{escape(told)}</title>" if told else ""
    kind = f' class="{names}"' if names else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{told}{escape(text)}</text>'


def figure(width: float, height: float, title: str, style: str, drawn: Iterable[str]) -> str:
    """The document.

    Args:
        width: its width in pixels.
        height: its height.
        title: its title, which readers for the blind read.
        style: rules of CSS, with `$name` for a colour of the palette.
        drawn: its elements.
    """
    light, dark = _palettes()
    whole = f".paper{{fill:$paper}}{_STYLE}{style}"
    sheet = f"{_filled(whole, light)}\n{_DARK}{{{_filled(whole, light | dark)}}}"
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{escape(sheet, quote=False)}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
    ]
    return "\n".join([*head, *drawn, "</svg>", ""])


def alone(drawn: str) -> str:
    """A drawing whose colours are variables of a page, with the colours of the day in their place."""
    light, _ = _palettes()
    return re.sub(r"var\(--([\w-]+)\)", lambda found: light[found[1]], drawn)


def _palettes() -> tuple[dict[str, str], dict[str, str]]:
    """The colours of the pages by day and those that differ by night."""
    light, dark = (
        dict(re.findall(r"--([\w-]+): ([^;]+);", part)) for part in asset("palette.css").split("@media")
    )
    return light, dark


def _filled(style: str, colours: dict[str, str]) -> str:
    return re.sub(r"\$([\w-]+)", lambda found: colours[found[1]], style)

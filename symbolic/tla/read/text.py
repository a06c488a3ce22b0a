"""The text of a module's file: its comments and its algorithm."""

from __future__ import annotations

import re
from pathlib import Path

from leadline.symbolic.files import read_text

_OUTSIDE = re.compile(r'"(?:\\.|[^"\\\n])*"|\\\*[^\n]*|\(\*')
_INSIDE = re.compile(r"\(\*|\*\)")
_VISIBLE = re.compile(r"[^\n\f]")
_ALGORITHM = re.compile(
    r"\(\*.*?(--(?:fair\s+)?algorithm\s+\w+\s*"
    r"(?:\{|\(\*|\\\*|(?:variables?|define|macro|procedure|process|fair|begin)\b))",
    re.DOTALL,
)
_TRANSLATION = re.compile(r"\\\*+ *BEGIN TRANSLATION.*?\n(.*?)\\\*+ *END TRANSLATION", re.DOTALL)
WIDE = "\f"
"""A blank that counts as a column, and as no character of the file: see `with_wide_tabs`."""
_TAB = 8
_BEHAVIOUR = re.compile(r"^\s*(?:Init|Next|Spec)\s*(?:==|≜)", re.MULTILINE)


def module_text(path: Path) -> str:
    """The text of a module's file.

    As TLC does, it takes bytes that are no UTF-8 for some character: old modules have such in their comments.

    Raises:
        UserError: if the file cannot be read.
    """
    return read_text(path, errors="replace")


def parsed(text: str) -> str:
    """The text of a file as the parser is given it: without comments, and with wide tabs."""
    # Half of a pair of surrogates, as Python makes of a byte of the command line, has no UTF-8.
    return without_comments(with_wide_tabs(text.encode(errors="replace").decode()))


def without_comments(text: str) -> str:
    """The text with a space for each character of a comment, so that every place stays as it is.

    Comments nest. One that is not closed stays.
    """
    parts, end = [], 0
    while piece := _OUTSIDE.search(text, end):
        kept = piece.end() if piece.group().startswith('"') else piece.start()
        parts.append(text[end:kept])
        closed = _comment_end(text, piece.end()) if piece.group() == "(*" else piece.end()
        if closed is None:
            return "".join([*parts, text[kept:]])
        end = closed
        parts.append(_VISIBLE.sub(" ", text[kept:end]))
    return "".join([*parts, text[end:]])


def _comment_end(text: str, start: int) -> int | None:
    depth = 1
    for piece in _INSIDE.finditer(text, start):
        depth += 1 if piece.group() == "(*" else -1
        if depth == 0:
            return piece.end()
    return None


def untranslated_algorithm(text: str) -> int | None:
    """The offset of a PlusCal algorithm that has no translation; None if there is none.

    A module that defines its behaviour itself needs no translation.
    """
    algorithm = _ALGORITHM.search(text)
    translation = _TRANSLATION.search(text)
    if algorithm is None or (translation is not None and "VARIABLE" in translation.group(1)):
        return None
    return None if _BEHAVIOUR.search(without_comments(text)) else algorithm.start(1)


def with_wide_tabs(text: str) -> str:
    """The text with blanks before each tab, `WIDE`, so that the tab ends at the next multiple of eight columns.

    So it does for SANY, which tells lists of conjuncts by their columns. The parser takes a tab for one column.
    """
    if "\t" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        first, *rest = line.split("\t")
        for part in rest:
            first += WIDE * (_TAB - 1 - len(first) % _TAB) + "\t" + part
        lines.append(first)
    return "\n".join(lines)


def with_plain_names(text: str) -> bytes:
    """The text for the parser, to which `Nat`, `Int` and `Real` are no names; for SANY they are, also of fields.

    All places stay, and names are read from the text itself.
    """
    return re.sub(r"\b(?:Nat|Int|Real)\b", lambda found: found[0].lower(), text).encode()

"""Mistakes in the syntax of a module: where the parser stops, and what it expected there.

The parser is a GLR parser that recovers from mistakes by guessing. Its guesses make poor messages, so its log
is read for the place at which it stopped. The definition around it is then blanked, to find the next mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import tree_sitter

from leadline.symbolic.lang import Mistake
from leadline.symbolic.tla.read.syntax import Place
from leadline.symbolic.tla.read.text import with_plain_names

_MOST = 10
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_END = re.compile(r"^[ \t]*====", re.MULTILINE)
_OPEN = re.compile(r'\(\*|"')
_PROCESS = re.compile(r"process version:\d+, version_count:\d+, state:\d+, row:(\d+), col:(\d+)")
_TOKEN = re.compile(r"\w+|\\\w+|[=/\\<>|.:\-+~]+|.|$", re.DOTALL)
_BLANK = re.compile(r"\s*")
_HEADER = re.compile(
    r"^([ \t]*)((?:LOCAL[ \t]+)?"
    r"\w+[ \t]*(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?[ \t]*(?:==(?!=)|≜)"
    r"|(?:VARIABLE|CONSTANT|ASSUM|THEOREM|LEMMA|RECURSIVE|INSTANCE|AXIOM|COROLLARY|PROPOSITION)\w*\b"
    r"|----+|====+)",
    re.MULTILINE,
)
_OPENING = "---- MODULE m ----\n"
# The Unicode forms are tokens only as a whole.
_CANDIDATES = {
    ")": "`)`", "]": "`]`", "}": "`}`", "⟩": "`>>`", "THEN": "`THEN`", "ELSE": "`ELSE`", "IN": "`IN`",
    ":": "`:`", "→": "`->`", "↦": "`|->`", "≜": "`==`", "!": "`!`", "MODULE": "`MODULE`",
    "\\in": "`\\in`", "=": "`=`", ",": "`,`", "(": "`(`", "1": "an expression", "x": "a name", "+": "an operator",
}  # fmt: skip


def complaints(language: tree_sitter.Language, text: str, file: str) -> list[Mistake]:
    """The mistakes in a text that does not parse, in the order of their places.

    Args:
        text: the text without comments.
    """
    search = _Search(language, text)
    found = unclosed(text)
    for _ in range(0 if found else _MOST):
        offset = search.find()
        if offset is None or offset in found:
            break
        found[offset] = search.message(offset)
        search.blank(offset)
    places = {offset: place_of(text, offset, file) for offset in found}
    return [Mistake(places[offset], found[offset]) for offset in sorted(found)]


def unclosed(text: str) -> dict[int, str]:
    """The first comment or string of a module that is not closed: what comes behind it tells nothing.

    Args:
        text: the text without comments. Around the module it may be anything.
    """
    begin, ends = text.find("----"), [found.start() for found in _END.finditer(text)]
    bare = _STRING.sub(lambda found: "." * len(found.group()), text[: ends[-1] if ends else len(text)])
    piece = _OPEN.search(bare, max(begin, 0))
    if piece is None:
        return {}
    if piece.group() == "(*":
        return {piece.start(): "the comment that begins here is not closed: expected `*)`"}
    return {piece.start(): 'the string that begins here is not closed: expected `"` in the same line'}


def place_of(text: str, offset: int, file: str) -> Place:
    """The place of an offset."""
    return Place(file, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


@dataclass
class _Search:
    """A search for mistakes in a text, from which definitions with known mistakes are blanked."""

    language: tree_sitter.Language
    text: str

    def headers(self) -> list[re.Match[str]]:
        """The beginnings of definitions and of the module's other parts, those within LET left out."""
        found = list(_HEADER.finditer(self.text))
        least = min((len(header[1]) for header in found), default=0)
        return [header for header in found if len(header[1]) <= least]

    def find(self) -> int | None:
        """The offset of the first token that does not fit; None if all do.

        An unfinished expression goes on with the next definition's name, and even with its `==`. Such a
        definition's own beginning is the place then.
        """
        last = _stop(self.language, self.text)
        if last is None:
            return None
        for header in self.headers():
            start = header.start(2)
            if start <= last <= _skip_blank(self.text, header.end()):
                before = self.text[self._definition(start)[0] : start]
                return last if _stop(self.language, f"{_OPENING}{before}\n====") is None else start
        return last

    def message(self, offset: int) -> str:
        """The message about a token that does not fit."""
        token = _TOKEN.match(self.text, offset)
        found = token.group() if token is not None else ""
        expected = self._expected(offset)
        if any(header.start(2) == offset for header in self.headers()):
            part = "module ends" if found.startswith("====") else "next definition begins"
            return f"the {part} here, but the definition before is unfinished: expected {expected}"
        return f"{f'`{found}`' if found else 'the end of the file'} does not fit here: expected {expected}"

    def _expected(self, offset: int) -> str:
        """The tokens that would fit: those after which the parser goes on."""
        start, _ = self._definition(offset)
        before = (_OPENING + self.text[start:offset]).rstrip()
        fits = {}
        for token in _CANDIDATES:
            stop = _stop(self.language, f"{before} {token} ")
            fits[token] = stop is None or stop > len(before) + len(token)
        named = [name for token, name in _CANDIDATES.items() if fits[token] and not _implied(token, fits)]
        *first, last = named or ["another word"]
        return f"{', '.join(first)} or {last}" if first else last

    def _definition(self, offset: int) -> tuple[int, int]:
        """The extent of the definition that the token before an offset is in, up to the next one."""
        before = len(self.text[:offset].rstrip()) - 1
        starts = [header.start() for header in self.headers()]
        start = max((at for at in starts if at <= before), default=0)
        return start, min((at for at in starts if at > max(start, offset - 1)), default=len(self.text))

    def blank(self, offset: int) -> None:
        """Blank the definition with the mistake."""
        start, end = self._definition(offset)
        self.text = self.text[:start] + re.sub(r"[^\n]", " ", self.text[start:end]) + self.text[end:]


def _implied(token: str, fits: dict[str, bool]) -> bool:
    """Whether a token fits only as a name does, or goes without saying."""
    if token == "x":
        return fits["1"]
    if token in ("\\in", "="):
        return fits["+"]
    return (token.isupper() and fits["x"]) or (token == "(" and fits["1"])


def _stop(language: tree_sitter.Language, text: str) -> int | None:
    """The offset of the first token that fits nowhere; None if all fit."""
    log: list[str] = []
    parser = tree_sitter.Parser(language)
    parser.logger = lambda _, message: log.append(message)
    if not parser.parse(with_plain_names(text)).root_node.has_error:
        return None
    stops, at = [], (0, 0)
    for message in log:
        if (process := _PROCESS.match(message)) is not None:
            at = (int(process[1]), int(process[2]))
        elif message.startswith("detect_error"):
            stops.append(_offset(text, *at))
        elif message.startswith("resume"):
            break
    return max(stops, default=_offset(text, *at))


def _offset(text: str, row: int, column: int) -> int:
    """The offset of the token at or after a place, whose column counts bytes."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:row])
    return _skip_blank(text, start + len(lines[row].encode()[:column].decode(errors="ignore")))


def _skip_blank(text: str, offset: int) -> int:
    blank = _BLANK.match(text, offset)
    return blank.end() if blank is not None else offset

"""Texts of several lines: a small algebra of documents, and constants written in it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from leadline.symbolic.lang import Map, Record, Seq, Set, Tuple, Type, Value, in_tla

WIDTH = 100
"""Columns that a line should not go beyond."""

Lines = list[str]


def hang(head: str, lines: Sequence[str]) -> Lines:
    """The lines behind a head, indented below it by its width."""
    return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]


def enclose(left: str, lines: Sequence[str], right: str) -> Lines:
    """The lines in brackets."""
    hung = hang(left, lines)
    return [*hung[:-1], hung[-1] + right]


def commas(left: str, groups: Sequence[Sequence[str]], right: str, sign: str = ",") -> Lines:
    """Groups of lines in brackets with commas between them."""
    ends = [sign] * (len(groups) - 1) + [""]
    lines = [line for group, end in zip(groups, ends, strict=True) for line in enclose("", group, end)]
    return enclose(left, lines, right)


def bullets(sign: str, groups: Sequence[Sequence[str]]) -> Lines:
    """A list of conjuncts or disjuncts; a single one has no bullet."""
    if len(groups) == 1:
        return list(groups[0])
    return [line for group in groups for line in hang(f"{sign} ", group)]


def fill(left: str, words: Sequence[str], right: str, room: int) -> Lines:
    """Words in brackets with commas between them, as many on a line as fit."""
    if not words:
        return [left + right]
    # Blanks inside a word must not break it.
    kept = [word.replace(" ", "\0") for word in words]
    width = max(room - len(left) - len(right), 1)
    lines = textwrap.wrap(", ".join(kept), width, break_long_words=False, break_on_hyphens=False)
    return enclose(left, [line.replace("\0", " ") for line in lines], right)


def constant(kind: Type, value: Value, room: int) -> Lines:
    """A constant, one part on each line where one line is too long."""
    flat = in_tla(kind, value)
    if len(flat) <= room or not value:
        return [flat]
    match kind:
        case Set(item=item):
            return fill("{", [in_tla(item, x) for x in sorted(value, key=item.order)], "}", room)
        case Seq(item=item):
            return commas("<<", [constant(item, x, room - 4) for x in value], ">>")
        case Tuple(items=items):
            parts = zip(items, value, strict=True)
            return commas("<<", [constant(part, x, room - 4) for part, x in parts], ">>")
        case Record(labels=labels):
            heads = [f"{name} |-> " for name in labels]
            fields_of = zip(heads, kind.parts, value, strict=True)
            return commas("[", [_constant_after(head, part, x, room) for head, part, x in fields_of], "]")
        case Map(key=key, value=item):
            pairs = [_constant_after(f"{in_tla(key, k)} :> ", item, x, room) for k, x in kind.pairs(value)]
            return commas("(", pairs, ")", " @@")
    return [flat]


def _constant_after(head: str, kind: Type, value: Value, room: int) -> Lines:
    return hang(head, constant(kind, value, room - len(head) - 4))

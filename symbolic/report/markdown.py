"""Answers as Markdown for a pull request: what fails first, verdicts as a table, counterexamples folded.

A comment on GitHub has at most 65,536 characters. What does not fit is left out, and a sentence says so. Texts are
data: each character that means something in Markdown or HTML is written as its number, in code, where no name
calls a user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import UserError, counted, setting_text
from leadline.symbolic.report.diagram import diagram, mermaid
from leadline.symbolic.report.heatmap import varying
from leadline.symbolic.report.outcomes import as_expected, outcome, sentence, surprises, tally, verdict_of
from leadline.symbolic.report.svg import tidy
from leadline.symbolic.trace import stored_traces
from leadline.symbolic.trace.page import Data, stored_page_data

LONGEST = 65_000
"""The most characters of an answer, a little below GitHub's limit."""

_PICTURE, _TEXT, _TABLES = 10_000, 4_000, 30_000
_ORDER = (Judgement.FAILED, Judgement.OPEN, Judgement.PASSED)


def code(text: str) -> str:
    """A text as code, with nothing in it that Markdown or HTML understands.

    >>> code("a|b @c")
    '<code>a&#124;b &#64;c</code>'
    """
    safe = re.sub(r"[^\w\s(),./+=:-]|_", lambda found: f"&#{ord(found[0])};", tidy(text))
    return f"<code>{safe}</code>" if safe else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], longest: int = _TABLES) -> str:
    """A table; the cells are Markdown already. Rows that do not fit are counted below it."""
    lines = [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows)]
    size, kept = 0, 0
    while kept < len(lines) and (size := size + len(lines[kept]) + 1) <= longest:
        kept += 1
    more = f"\n\n*{counted(len(lines) - kept, 'more row')} left out.*" if kept < len(lines) else ""
    return "\n".join(lines[:kept]) + more


def folded(title: str, data: Data) -> str:
    """A counterexample under a title that opens it: its picture and its text.

    Args:
        title: the title, as Markdown.
        data: the data of its page.
    """
    text = "\n".join(line for _, line in data["text"])
    if len(text) > _TEXT:
        text = f"{text[:_TEXT].rpartition(chr(10))[0]}\n... (the rest of the text is left out)"
    blocks = [
        _fenced("mermaid", mermaid(diagram(data), _PICTURE)),
        *([_fenced("text", text)] if text else []),
    ]
    whole = "\n\n".join(blocks)
    return f"<details><summary>{title}</summary>\n\n{whole}\n\n</details>"


def _fenced(language: str, text: str) -> str:
    """A block of code; its fence is longer than any in it."""
    fence = "`" * max([3, *(len(one) + 1 for one in re.findall("`{3,}", text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def bounded(parts: Iterable[str], longest: int = LONGEST) -> str:
    """The parts that fit, one below the other, and how many are left out."""
    kept: list[str] = []
    left, size = 0, 200
    for part in parts:
        size += len(part) + 2
        if left or size > longest:
            left += 1
        else:
            kept.append(part)
    if left:
        kept.append(f"*{counted(left, 'more part')} left out: a comment has at most 65,536 characters.*")
    return "\n\n".join(kept) + "\n"


def verdict(judged: Judgement, text: str) -> str:
    """A verdict with a sign that tells whether it is as it should be."""
    return f"{_SIGNS[judged]} {code(text)}"


_SIGNS = {Judgement.FAILED: "\u274c", Judgement.OPEN: "\u2754", Judgement.PASSED: "\u2705"}


# -- a store ---------------------------------------------------------------------------------------------


def markdown(cells: Sequence[Cell], store: Store, title: str) -> str:
    """The answers of a store: surprises, a table for each protocol, and counterexamples, the shortest first.

    Args:
        cells: the cells of the store.
        store: the store, which has the counterexamples. They are shown as they are stored: none is replayed.
        title: the heading.
    """
    return bounded(_parts(cells, store, title))


def _parts(cells: Sequence[Cell], store: Store, title: str) -> Iterator[str]:
    yield f"### {code(title)}"
    yield f"{code(tally(cells))}" if cells else "No answers."
    if unexpected := surprises(cells):
        lines = [
            f"- \u274c {code(sentence(cell))}; known: {code(known.text())}" for cell, known in unexpected
        ]
        yield "\n".join(["**Not as expected:**", "", *lines[:_SURPRISES]])
        if len(lines) > _SURPRISES:
            yield f"*{len(lines) - _SURPRISES} more are not as expected.*"
    elif any(as_expected(cell) for cell in cells):
        yield "No answer is other than expected."
    protocols = list(dict.fromkeys(cell.goal.protocol for cell in cells))
    for protocol in protocols:
        own = [cell for cell in cells if cell.goal.protocol == protocol]
        yield f"**{code(protocol)}**\n\n{_table_of(own, _TABLES // len(protocols))}"
    failed = [cell for cell in cells if outcome(cell) is Judgement.FAILED and cell.row.trace]
    for cell in sorted(failed, key=lambda cell: cell.row.steps or 0):
        yield _counterexample(cell, store)


_SURPRISES = 50


def _table_of(cells: Sequence[Cell], longest: int) -> str:
    """The cells of one protocol, failures first."""
    names = varying(cells)
    rows = [
        [
            *(code("" if (x := cell.settings.get(name)) is None else setting_text(x)) for name in names),
            code(cell.goal.property),
            verdict(outcome(cell), verdict_of(cell)),
        ]
        for cell in sorted(cells, key=lambda cell: _ORDER.index(outcome(cell)))
    ]
    return table([*map(code, names), "property", "verdict"], rows, longest)


def _counterexample(cell: Cell, store: Store) -> str:
    title = code(sentence(cell))
    try:
        return folded(title, stored_page_data(stored_traces(store.document(cell.row.trace or ""))[0]))
    except (UserError, ValueError) as error:
        return f"<details><summary>{title}</summary>\n\nNo picture: {code(str(error))}\n\n</details>"

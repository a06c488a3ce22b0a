"""Findings about a property: the condition under which it is violated, and its smallest counterexample."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from leadline.symbolic.catalog import Entry, installed, model_of, naming
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import LeadlineError, Model, UserError, counted
from leadline.symbolic.report.heatmap import NO_LINKS, Links, varying
from leadline.symbolic.report.outcomes import surprises
from leadline.symbolic.report.separating_condition import LONGEST, separate
from leadline.symbolic.report.trace_page import html_of, trace_page
from leadline.symbolic.trace import Line, LineKind, Stored, disagreement, lines, stored_traces
from leadline.symbolic.trace.page import stored_page_data

_NONE: Mapping[str, Entry] = {}


@dataclass(frozen=True)
class ShownTrace:
    """A counterexample to show.

    Attributes:
        lines: its text; empty if it cannot be shown.
        note: a sentence: how it was checked, or why it cannot be shown.
        page: makes the page to walk through it, given the address of the report; None if there is none.
    """

    lines: tuple[Line, ...]
    note: str
    page: Callable[[str], str] | None = None


Show = Callable[[Cell], ShownTrace]
"""Finds the counterexample of a cell."""


def counterexample(store: Store, cell: Cell, given: Mapping[str, Entry] = _NONE) -> ShownTrace:
    """The counterexample of a violated cell.

    If the protocol is built in, installed or given, the counterexample is replayed before it is shown. If it
    is in another file, the counterexample is shown as it is stored, with the texts that were made when it was
    found: a replay would run the file, or read the module, and a store of results must not make a program run.

    Args:
        store: the store.
        cell: the cell.
        given: the user's own protocols that may run, by name.
    """
    place = cell.row.trace
    if place is None:
        return ShownTrace((), "The store has no counterexample for it.")
    try:
        stored = stored_traces(store.document(place))[0]
    except (UserError, ValueError) as error:
        return ShownTrace((), f"Its counterexample cannot be shown: {error}")
    command = f"leadline trace {shlex.quote(str(store.folder / place))}"
    if options := naming(stored.source):
        command = f"{command} {shlex.join(options)}"
        if stored.protocol not in given:
            return _as_stored(stored, ", and not replayed", command)
    try:
        entry = given.get(stored.protocol) or installed(stored.protocol)
        model = model_of(entry, stored.settings)
        if model.fingerprint != stored.data["fingerprint"]:
            why = f"{entry.name} has changed since it was written"
            return _as_stored(stored, f". It does not replay here: {why}", command)
        return _replayed(model, stored, command)
    except LeadlineError as error:
        return _as_stored(stored, f". It does not replay here: {error}", command)


def _replayed(model: Model, stored: Stored, command: str) -> ShownTrace:
    semantics = Semantics(model)
    trace = stored.trace(model)
    wrong = disagreement(semantics, trace)
    if wrong is not None:
        raise UserError(wrong)
    note = f"Replayed step by step as this page was written; {command} does so too."
    return ShownTrace(tuple(lines(semantics, trace)), note, partial(trace_page, semantics, trace, note))


def _as_stored(stored: Stored, how: str, command: str) -> ShownTrace:
    """A counterexample shown from the texts that were stored when it was found."""
    try:
        data = stored_page_data(stored)
    except UserError as error:
        return ShownTrace((), f"It is not shown, since {error}{how}; {command} replays it.")
    text = tuple(Line(LineKind(kind), line) for kind, line in data["text"])
    note = f"As it is stored{how}; {command} replays it."
    return ShownTrace(text, note, partial(html_of, data, note))


def findings(cells: Sequence[Cell], show: Show, links: Links = NO_LINKS) -> str:
    """The findings as HTML.

    Args:
        cells: all cells of one property of one protocol.
        show: finds a counterexample.
        links: the pages of counterexamples.
    """
    violated = [cell for cell in cells if cell.verdict == "violated"]
    others = [cell for cell in cells if cell.verdict in ("safe", "proved")]
    open_ones = [cell for cell in cells if cell.verdict in ("unknown", "out-of-bounds")]
    told = "".join(f"<p>{sentence}</p>" for sentence in (*_where(violated, others), *_depths(others)))
    smallest = _smallest(violated, varying(cells), show, links) if violated else ""
    return f'<div class="finding">{told}{_surprises(cells)}{_uncounted(open_ones)}</div>{smallest}'


def _where(violated: Sequence[Cell], others: Sequence[Cell]) -> list[str]:
    """The condition, in sentences of HTML."""
    known = len(violated) + len(others)
    word = "Reached" if any(cell.probe for cell in (*violated, *others)) else "Violated"
    points = f"{known} points with an answer"
    if not known:
        return ["No point has an answer."]
    if known == 1:
        return [f"{word} at the only point with an answer." if violated else f"Not {word.lower()} there."]
    if not violated or not others:
        return [f"{word} at all {points}." if violated else f"{word} at none of the {points}."]
    found = separate([cell.settings for cell in violated], [cell.settings for cell in others])
    checked = f"at {len(violated)} of the {points}"
    if not found:
        return [
            f"{word} {checked}; no simple condition separates them from the others (none of at most "
            f"{LONGEST} comparisons of a parameter with a value)."
        ]
    first, *more = (f"<code>{escape(one)}</code>" for one in found)
    sentences = [
        f'{word} where <span class="condition">{first}</span>',
        f"True {checked}, which are just those where it is {word.lower()}; nothing is known beyond them.",
    ]
    if more:
        sentences.append(f"As simple, and true at the same points: {'; '.join(more)}.")
    return sentences


def _depths(others: Sequence[Cell]) -> list[str]:
    """Sentences about the points without a violation: the number proved, the depth of the other searches."""
    safe = [cell for cell in others if cell.verdict == "safe"]
    proved = len(others) - len(safe)
    word = "Unreachable" if any(cell.probe for cell in others) else "Proved for every depth"
    sentences = [f"{word} at {counted(proved, 'point')}."] if proved else []
    if safe:
        reached = sorted({(cell.row.depth, cell.reached()) for cell in safe})
        least, most = reached[0][1], reached[-1][1]
        depth = least if least == most else f"{least} to {most}"
        count = counted(len(safe), "point")
        what = "it was not reached" if any(cell.probe for cell in safe) else "no bug was found"
        sentences.append(f"Not a proof: at {count} {what} within the depth searched ({depth}).")
    return [escape(sentence) for sentence in sentences]


def _surprises(cells: Sequence[Cell]) -> str:
    """A list of the points with an answer that is not as expected, as HTML."""
    lines = [f"{_line(cell)}; known: {known.text()}" for cell, known in surprises(cells)]
    return f"<p><strong>Not as expected:</strong></p>{_list(lines)}" if lines else ""


def _uncounted(cells: Sequence[Cell]) -> str:
    """A list of the points that are unanswered or out of bounds, as HTML."""
    if not cells:
        return ""
    count = f"{counted(len(cells), 'point')} without an answer, or out of bounds"
    return f"<details><summary>Not counted: {count}</summary>{_list(map(_line, cells))}</details>"


def _line(cell: Cell) -> str:
    return f"{point_text(cell.settings, 'its only point')}: {cell.text()}"


def _list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _smallest(violated: Sequence[Cell], names: Sequence[str], show: Show, links: Links) -> str:
    """The counterexample at the least parameters, as HTML. Its title has only the parameters in `names`."""
    cell = min(violated, key=_size)
    shown = show(cell)
    point = point_text({name: cell.settings.get(name) for name in sorted(names)})
    what = "A run that reaches it" if cell.probe else "Counterexample"
    title = escape(f"{what} at the smallest such point: {point}" if point else what)
    trace = steps_html(shown.lines) if shown.lines else ""
    shut = "" if cell.probe else " open"
    leads = escape(links.get(cell.row.query, ""), quote=True)
    walk = f' <a href="{leads}">Walk through it step by step</a>' if leads else ""
    note = f'<p class="note">{escape(shown.note)}{walk}</p>'
    return f"<details{shut}><summary>{title}</summary>{note}{trace}</details>"


def steps_html(shown: Iterable[Line]) -> str:
    """The text of a counterexample as HTML."""
    text = "".join(f'<span class="{line.kind}">{escape(line.text)}</span>\n' for line in shown)
    return f'<pre class="trace" tabindex="0" aria-label="counterexample">{text}</pre>'


def _size(cell: Cell) -> tuple[int, int, str]:
    numbers = sum(value for value in cell.settings.values() if type(value) is int)
    return numbers, cell.row.steps or 0, cell.goal.parameters

"""What the page says of a property: where it breaks, and the counterexample of the smallest broken point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from leadline.symbolic.grid.store.cells import Cell, point_text
from leadline.symbolic.report.breaks import LONGEST, condition_text, separate
from leadline.symbolic.report.counterexamples import Shown
from leadline.symbolic.report.heatmap import varying

Show = Callable[[Cell], Shown]
"""Finds the counterexample of a cell."""


def findings(cells: Sequence[Cell], show: Show) -> str:
    """The findings as HTML.

    Args:
        cells: all about one property of one protocol.
        show: finds a counterexample.
    """
    violated = [cell for cell in cells if cell.verdict == "violated"]
    others = [cell for cell in cells if cell.verdict in ("safe", "proved")]
    open_ones = [cell for cell in cells if cell.verdict in ("unknown", "out-of-bounds")]
    told = "".join(f"<p>{sentence}</p>" for sentence in (*_where(violated, others), *_depths(others)))
    smallest = _smallest(violated, varying(cells), show) if violated else ""
    return f'<div class="breaks">{told}{_uncounted(open_ones)}</div>{smallest}'


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
    if not found.conditions:
        return [
            f"{word} {checked}; no simple condition separates them from the others (none of at most "
            f"{LONGEST} comparisons of a parameter with a value)."
        ]
    first, *more = (_code(condition_text(condition)) for condition in found.conditions)
    sentences = [
        f'{word} where <span class="condition">{first}</span>',
        f"True {checked}, which are just those where it is {word.lower()}; nothing is known beyond them.",
    ]
    if more:
        sentences.append(f"As simple, and true at the same points: {'; '.join(more)}.")
    return sentences


def _depths(others: Sequence[Cell]) -> list[str]:
    """What it means that nothing was found."""
    safe = [cell for cell in others if cell.verdict == "safe"]
    proved = len(others) - len(safe)
    sentences = [f"Proved for every depth at {proved} point{'s' if proved != 1 else ''}."] if proved else []
    if safe:
        reached = sorted({(cell.row.depth, cell.reached()) for cell in safe})
        least, most = reached[0][1], reached[-1][1]
        depth = least if least == most else f"{least} to {most}"
        count = f"{len(safe)} point{'s' if len(safe) != 1 else ''}"
        sentences.append(
            f"Not a proof: at {count} it only says that no bug was found within the depth searched ({depth})."
        )
    return [escape(sentence) for sentence in sentences]


def _uncounted(cells: Sequence[Cell]) -> str:
    """What has no answer, or one that is neither."""
    if not cells:
        return ""
    lines = [f"{point_text(cell.settings) or 'its only point'}: {cell.text()}" for cell in cells]
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    count = f"{len(cells)} point{'s' if len(cells) != 1 else ''} without an answer, or out of bounds"
    return f"<details><summary>Not counted: {count}</summary><ul>{items}</ul></details>"


def _smallest(violated: Sequence[Cell], names: Sequence[str], show: Show) -> str:
    """The counterexample where the parameters are smallest; of these only those named are told."""
    cell = min(violated, key=_size)
    shown = show(cell)
    point = point_text({name: cell.settings.get(name) for name in sorted(names)})
    what = "A run that reaches it" if cell.probe else "Counterexample"
    title = escape(f"{what} at the smallest such point: {point}" if point else what)
    text = "".join(f'<span class="{line.kind}">{escape(str(line))}</span>\n' for line in shown.lines)
    trace = f'<pre class="trace" tabindex="0" aria-label="counterexample">{text}</pre>' if text else ""
    shut = "" if cell.probe else " open"
    return (
        f'<details{shut}><summary>{title}</summary><p class="note">{escape(shown.note)}</p>{trace}</details>'
    )


def _size(cell: Cell) -> tuple[int, int, str]:
    numbers = sum(value for value in cell.settings.values() if type(value) is int)
    return numbers, cell.row.steps or 0, cell.goal.parameters


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"

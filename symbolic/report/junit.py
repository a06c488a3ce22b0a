"""Results as JUnit XML, which continuous integration shows as tests.

A test case for each property at each point. A violation or a value out of bounds is a failure; of a probe,
that it is not reached. What is unknown is an error, as a test that was not run to its end: it must not
pass for safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as Xml

from leadline.symbolic.grid.store.cells import Cell, point_text
from leadline.symbolic.report.outcomes import Outcome, outcome

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(cells: Sequence[Cell]) -> str:
    """The XML: a suite for each protocol.

    Args:
        cells: what is known, by protocol.
    """
    root = Xml.Element("testsuites", {"name": "leadline", **_numbers(cells)})
    for protocol in dict.fromkeys(cell.goal.protocol for cell in cells):
        own = [cell for cell in cells if cell.goal.protocol == protocol]
        suite = Xml.SubElement(root, "testsuite", {"name": _clean(protocol), **_numbers(own)})
        for cell in own:
            _case(suite, cell)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _numbers(cells: Sequence[Cell]) -> dict[str, str]:
    found = [outcome(cell) for cell in cells]
    return {
        "tests": str(len(cells)),
        "failures": str(found.count(Outcome.FAILED)),
        "errors": str(found.count(Outcome.OPEN)),
        "skipped": "0",
        "time": f"{sum(map(_seconds, cells)):.3f}",
    }


def _case(suite: Xml.Element, cell: Cell) -> None:
    point = point_text(cell.settings)
    name = f"{cell.goal.property} at {point}" if point else cell.goal.property
    case = Xml.SubElement(
        suite,
        "testcase",
        {"classname": _clean(cell.goal.protocol), "name": _clean(name), "time": f"{_seconds(cell):.3f}"},
    )
    kind = {Outcome.FAILED: "failure", Outcome.OPEN: "error"}.get(outcome(cell))
    if kind is not None:
        attributes = {"type": _clean(cell.verdict), "message": _clean(cell.text())}
        Xml.SubElement(case, kind, attributes).text = _clean("\n".join(_details(cell)))


def _details(cell: Cell) -> Iterable[str]:
    row = cell.row
    yield cell.text()
    if row.reason is not None:
        yield row.reason
    if row.trace is not None:
        yield f"the counterexample is in the store: {row.trace}"


def _seconds(cell: Cell) -> float:
    return sum(row.task_seconds for row in cell.rows)


def _clean(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)

"""Results for continuous integration: as JUnit XML, which it shows as tests, and as SARIF 2.1.0.

In JUnit XML there is a test case for each property at each point: a failure if its outcome is failed, an
error if it is open, as a test that was not run to its end.

In SARIF, which code hosts show beside the source lines, there is a result for each property that fails at a
point, at the line where its run goes out of bounds, or else where the property is written. There is a rule for
each property of a protocol. An open cell is a notification of the run, not a result.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeGuard
from xml.etree import ElementTree as Xml

from leadline.symbolic.catalog import installed, split_path
from leadline.symbolic.engines.ask.result import Judgement
from leadline.symbolic.files import file_bytes
from leadline.symbolic.grid.cells import Cell
from leadline.symbolic.grid.query import point_text
from leadline.symbolic.grid.store import Store
from leadline.symbolic.lang import Span, UserError, kebab
from leadline.symbolic.report.outcomes import outcome, sentence, unanswered, verdict_of
from leadline.symbolic.report.sarif import Finding, document
from leadline.symbolic.trace import DEADLOCK, stored_traces

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(cells: Sequence[Cell]) -> str:
    """The XML: a suite for each protocol."""
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
        "failures": str(found.count(Judgement.FAILED)),
        "errors": str(found.count(Judgement.OPEN)),
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
    kind = {Judgement.FAILED: "failure", Judgement.OPEN: "error"}.get(outcome(cell))
    if kind is not None:
        attributes = {
            "type": _clean("unknown" if unanswered(cell) else cell.said),
            "message": _clean(verdict_of(cell)),
        }
        Xml.SubElement(case, kind, attributes).text = _clean("\n".join(_details(cell)))


def _details(cell: Cell) -> Iterable[str]:
    row = unanswered(cell) or cell.row
    yield verdict_of(cell)
    if (why := row.why()) is not None:
        yield why
    if row.trace is not None:
        yield f"the counterexample is in the store: {row.trace}"


def _seconds(cell: Cell) -> float:
    return sum(row.task_seconds for row in cell.rows)


def _clean(text: str) -> str:
    """A text with a replacement for each character that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def sarif(cells: Sequence[Cell], store: Store) -> dict[str, object]:
    """The results as SARIF, a JSON object.

    Args:
        cells: the cells.
        store: has their counterexamples, which say where a run goes out of bounds.
    """
    failed = [_finding(cell, store) for cell in cells if outcome(cell) is Judgement.FAILED]
    return document(failed, [sentence(cell) for cell in cells if outcome(cell) is Judgement.OPEN])


def _finding(cell: Cell, store: Store) -> Finding:
    row = cell.row
    protocol, parameters, name = cell.goal.place()
    length = {"steps": row.steps, "stem": row.stem, "loop": row.loop}
    about = {"parameters": dict(cell.settings), "query": row.query, "trace": row.trace, **length}
    span = fault(cell, store) or property_line(cell)
    return Finding(protocol, name, parameters, sentence(cell), span, about)


def fault(cell: Cell, store: Store) -> Span | None:
    """The line at which a cell's run goes out of bounds, as it was when the run was stored.

    Returns:
        The line; None if the run ends otherwise, is not there, or the file is not on this machine.
    """
    if cell.verdict != "out-of-bounds" or cell.row.trace is None:
        return None
    try:
        place = stored_traces(store.document(cell.row.trace))[0].data.get("place")
    except (UserError, ValueError):
        return None
    match place:
        case [str(file), int(line)] if line > 0 and Path(file).is_file():
            return Span(file, line)
    return None


# -- the line of a property ------------------------------------------------------------------------------


def property_line(cell: Cell) -> Span | None:
    """The line on which a cell's property begins; for a deadlock, the line on which the protocol begins.

    A user's own file is read and not run: a store of results must not make a program run.

    Returns:
        The line, 1 if only the file is known; None if the protocol is not installed here.
    """
    row = cell.row
    file = split_path(row.source)
    if file is not None:
        return Span(str(file[0]), _line_in(file[0], row.protocol, row.property))
    try:
        entry = installed(row.source)
    except UserError:
        return None
    if row.property == DEADLOCK:
        return Span(inspect.getfile(entry.protocol), inspect.getsourcelines(entry.protocol)[1])
    return next((claim.span for claim in entry.claims if claim.name == row.property), None)


def _line_in(path: Path, protocol: str, name: str) -> int:
    try:
        tree = ast.parse(file_bytes(path))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return 1
    found = [node for node in tree.body if _defines(node, protocol, name)]
    return min([found[-1].lineno, *(one.lineno for one in found[-1].decorator_list)]) if found else 1


def _defines(node: ast.stmt, protocol: str, name: str) -> TypeGuard[ast.FunctionDef | ast.ClassDef]:
    """Whether a statement defines the property or, for a deadlock, the protocol: `MyPaxos` is my-paxos."""
    if name == DEADLOCK:
        return isinstance(node, ast.ClassDef) and node.name.lower() == protocol.replace("-", "").lower()
    return isinstance(node, ast.FunctionDef) and kebab(node.name) == name

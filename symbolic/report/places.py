"""Where a property is written: the file and line that a counterexample speaks of."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TypeGuard

from leadline.symbolic.catalog import find, split_path
from leadline.symbolic.grid.store.cells import Cell
from leadline.symbolic.lang import Span, UserError
from leadline.symbolic.lang.names import kebab
from leadline.symbolic.trace import DEADLOCK


def place_of(cell: Cell) -> Span | None:
    """The line on which a cell's property begins; of a deadlock, the protocol's.

    A user's own file is read, not run: a store of results is no reason to run a program.

    Returns:
        The place, line 1 if only the file is known; None if the protocol is not here.
    """
    row = cell.row
    file = split_path(row.source)
    if file is not None:
        return Span(str(file[0]), _line_in(file[0], row.protocol, row.property))
    try:
        entry = find(row.source)
    except UserError:
        return None
    if row.property == DEADLOCK:
        return Span(inspect.getfile(entry.protocol), inspect.getsourcelines(entry.protocol)[1])
    return next((claim.span for claim in entry.claims if claim.name == row.property), None)


def _line_in(path: Path, protocol: str, name: str) -> int:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return 1
    found = [node for node in tree.body if _is(node, protocol, name)]
    return min([found[-1].lineno, *(one.lineno for one in found[-1].decorator_list)]) if found else 1


def _is(node: ast.stmt, protocol: str, name: str) -> TypeGuard[ast.FunctionDef | ast.ClassDef]:
    """Whether a definition is the property's or, of a deadlock, the protocol's: `MyPaxos` is my-paxos."""
    if name == DEADLOCK:
        return isinstance(node, ast.ClassDef) and node.name.lower() == protocol.replace("-", "").lower()
    return isinstance(node, ast.FunctionDef) and kebab(node.name) == name


def address(span: Span) -> str:
    """A place's file as an URI: relative where it is below the working directory, as code hosts want it."""
    path = Path(span.file).resolve()
    here = Path.cwd().resolve()
    whole = path.as_uri()
    return whole.removeprefix(f"{here.as_uri()}/") if path.is_relative_to(here) else whole

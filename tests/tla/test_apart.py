"""The interpreter, which replays counterexamples, and the lowering share only what reads modules."""

from __future__ import annotations

import ast
from pathlib import Path

ROOM = Path(__file__).parents[2] / "symbolic" / "tla"
PREFIX = "leadline.symbolic.tla"
READING = {
    "analysis", "complaints", "config", "hiding", "levels", "misuse", "modules", "parse", "read_expressions",
    "resolve", "specification", "standard", "symbols", "syntax", "text",
}  # fmt: skip
"""The modules that read specifications and tell what their names are."""


def imported(module: str) -> set[str]:
    """The modules of the room that one of them imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOM / f"{module}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
            rest = (node.module or "").removeprefix(PREFIX).lstrip(".")
            found |= {rest} if rest else {one.name for one in node.names}
    return {one for one in found if (ROOM / f"{one}.py").exists()}


def needed(*modules: str) -> set[str]:
    """The modules of the room that some of them import, and so on."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += imported(one)
    return found


def test_the_interpreter_and_the_lowering_share_no_meaning() -> None:
    meaning = needed("interpreter", "runs", "behaviour")
    lowering = needed(*(path.stem for path in ROOM.glob("lower*.py")), "terms", "conversion")
    assert {"values", "sets", "actions"} <= meaning and {"terms", "shapes"} <= lowering
    assert meaning & lowering == READING

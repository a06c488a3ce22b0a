"""The interpreter, which replays counterexamples, and the lowering share only what reads modules."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "symbolic" / "tla"
PREFIX = "leadline.symbolic.tla."


def imported(folder: str) -> set[str]:
    """The folders of the room whose modules those of a folder import."""
    found: set[str] = set()
    files = sorted((ROOM / folder).glob("*.py"))
    assert len(files) > 10
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(PREFIX):
            rest = f"{node.module}.".removeprefix(PREFIX).partition(".")[0]
            found |= {rest} if rest else {one.name for one in node.names}
    return found


@pytest.mark.parametrize(
    ("folder", "needs"), [("read", {"read"}), ("values", {"read", "values"}), ("lower", {"read", "lower"})]
)
def test_the_interpreter_and_the_lowering_share_no_meaning(folder: str, needs: set[str]) -> None:
    assert imported(folder) == needs

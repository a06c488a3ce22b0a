"""The examples and the table rows of the page on the language."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "language.md").read_text(encoding="utf-8")
LOCKS, CAREFUL, SHORT, SHOWN, TURNS, SAMPLE, OPERATOR = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RUNS = [
    run
    for block in re.findall(r"```\n(\$ leadline .*?)```", PAGE, re.DOTALL)
    for run in re.findall(r"^\$ leadline (.*?)\n(.*?)(?=^\$|\Z)", block, re.DOTALL | re.MULTILINE)
    if " | " not in run[0]  # tests/test_pages.py runs pipes, with the whole page
]


def cells(line: str) -> list[str]:
    """The cells of a table's row."""
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def rows(*head: str) -> list[list[str]]:
    """The rows of the one table with these words at its head."""
    tables = [part.splitlines() for part in PAGE.split("\n\n") if part.startswith("|")]
    (found,) = [table for table in tables if cells(table[0]) == [*head]]
    return [cells(line) for line in found[2:]]


def codes(cell: str) -> list[str]:
    """The code between backquotes in a cell."""
    return [double or single for double, single in re.findall(r"``\s?(.*?)\s?``|`([^`]*)`", cell)]


EXPRESSIONS = rows("TLA+", "Leadline", "value")
STEPS = rows("TLA+", "Leadline", "then")
BEYOND = rows("expression", "why it is out of bounds")
MISTAKES = rows("written in an action", "what the tool says")
TYPES = rows("type", "a value, where the type is known", "the same in TLA+", "bits in a state")


def first(row: list[str]) -> str:
    return row[0]

"""What is wrong with a grid file: all of it, each with its place, told at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.lang import UserError


@dataclass
class Mistakes:
    """Everything that is wrong with a grid file."""

    path: Path
    found: list[str] = field(default_factory=list)

    def say(self, place: str, text: str) -> None:
        """Add a mistake; a text of several lines is as many."""
        self.found += [f"{place}: {line}" if place else line for line in text.splitlines()]

    def check(self) -> None:
        """Raise them, if there are any.

        Raises:
            UserError: with all of them, a line each.
        """
        found = list(dict.fromkeys(self.found))
        if found:
            count = f"{len(found)} mistake{'s' if len(found) != 1 else ''}"
            lines = [f"  {self.path}: {one}" for one in found]
            raise UserError("\n".join([f"the grid has {count} (its first table is check[1]):", *lines]))

"""Commands that packages offer through the entry-point group `leadline.commands`: `leadline bench` is one.

The entry point's name is the command's, its value a module like those of this folder's commands.
"""

from __future__ import annotations

import importlib.metadata
from typing import Any

from leadline.symbolic.cli.output import tell

GROUP = "leadline.commands"


def add_offered(commands: Any) -> None:
    """Declare the commands of installed packages; what is wrong with one is told, and it is left out.

    Args:
        commands: what `add_subparsers` returned. A command that is there already is not replaced.
    """
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
        origin = f"the command {point.name} = {point.value} of {_package(point)}"
        if point.name in commands.choices:
            tell(f"{origin} is left out: there is one of that name")
            continue
        try:
            point.load().add_parser(commands)
        except Exception as error:
            tell(f"{origin} cannot be loaded: {type(error).__name__}: {error}")


def _package(point: importlib.metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "a package"

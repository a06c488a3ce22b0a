"""Drivers on a cluster."""

from __future__ import annotations

from pathlib import Path

from tests.soak.processes import processes


def waiting(folder: Path) -> set[int]:
    """The processes of queries that wait."""
    return {int(path.suffix[1:]) for path in folder.glob("waits.*")} & processes().keys()

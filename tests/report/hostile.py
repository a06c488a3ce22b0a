"""Data of a page whose texts are hostile to it."""

from typing import Any

from tests.report.store import EVIL

_KEPT = ("r", "m", "s", "q", "head", "step", "part", "end")
"""The words of the data's own format: kinds of values and of lines."""


def hostile(data: Any) -> Any:
    """The data of a page with a script in every text."""
    if isinstance(data, dict):
        return {key: x if key == "ends" else hostile(x) for key, x in data.items()}
    if isinstance(data, (list, tuple)):
        return [hostile(x) for x in data]
    return f"{EVIL}{data}" if isinstance(data, str) and data not in _KEPT else data

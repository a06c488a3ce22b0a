"""Style sheets, scripts and templates of pages, as package data."""

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """The text of a file in this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")

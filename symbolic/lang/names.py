"""Names as the TLA+ modules spell them."""

from __future__ import annotations


def camel(name: str) -> str:
    """A snake_case name in TLA+'s lowerCamelCase."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def pascal(name: str) -> str:
    """A snake_case name in TLA+'s UpperCamelCase."""
    return "".join(part.capitalize() for part in name.split("_"))


def kebab(name: str) -> str:
    """A snake_case name as the command line spells it: `weak_isr` is `weak-isr`."""
    return name.replace("_", "-")

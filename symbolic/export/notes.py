"""What a module says in comments."""

from __future__ import annotations

import textwrap

from leadline.symbolic.export.kinds import nodes_of
from leadline.symbolic.lang import Model, Property, PropertyKind
from leadline.symbolic.lang import nodes as n

_BOUNDS = """Where Leadline says that a step goes out of bounds, TLC says that InBounds is violated, or that
an expression cannot be evaluated. What has a value in TLA+ all the same passes unseen here: comparing what an
option holds where it is None, EXCEPT outside of a domain, a field that a message of another type has too."""

_CHOOSE = """TLA+ leaves open which of several values CHOOSE takes. Leadline takes the first in the order of
the type; TLC takes the first in an order of its own, which for integers is the same."""


def comment(text: str) -> list[str]:
    """The lines of a text as comments; none for an empty one."""
    return [f"\\* {line}".rstrip() for line in text.strip().splitlines()]


def header(model: Model) -> list[str]:
    """Where the module comes from, and what it leaves out."""
    set_ = {name: value for name, value in model.parameters.items() if value is not None}
    lines = comment(f"{model.protocol}, written by Leadline" + (" at these parameters:" if set_ else "."))
    lines += [
        f"\\*   {name} = {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in set_.items()
    ]
    lines += ["\\*", *comment(_filled(_BOUNDS))]
    if any(isinstance(node, n.Choose) for node in nodes_of(model)):
        lines += ["\\*", *comment(_filled(_CHOOSE))]
    return lines


def told_of(one: Property) -> list[str]:
    """What is known of a property."""
    lines = comment(one.doc)
    if one.kind is PropertyKind.PROBE:
        lines += comment("A probe: it is expected to be violated.")
    return lines


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 96)

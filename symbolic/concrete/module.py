"""A Python module in the making: its constants and the source of its functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

from leadline.symbolic.lang import OutOfBounds, Type
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Value

Lines: TypeAlias = "list[str | Lines]"
"""Source lines; a list inside is an indented block."""


def out_of_bounds(value: Value, kind: Type, place: str) -> OutOfBounds:
    """The error of a value that is not of the type that its place has."""
    shown = sorted(value, key=repr) if isinstance(value, frozenset) else value
    return OutOfBounds(f"{shown!r} is not in {kind!r} ({place})")


def place(span: Span) -> str:
    """A span without the folders."""
    return f"{span.file.replace(chr(92), '/').rpartition('/')[2]}:{span.line}"


def render(lines: Lines, indent: int = 0) -> str:
    """The lines as source text."""
    # One space a level: Python counts columns, and at 100 levels it gives up whatever their width.
    return "\n".join(
        " " * indent + line if isinstance(line, str) else render(line, indent + 1) for line in lines
    )


class Module:
    """Functions that are compiled together, over one table of constants.

    The source holds only names made here, integers and Python's own constants; every other value goes
    through the table.
    """

    def __init__(self) -> None:
        self._names = 0
        self._constants: dict[str, Any] = {"OutOfBounds": OutOfBounds, "out_of_bounds": out_of_bounds}
        self._known: dict[Any, str] = {}
        self._functions: list[Lines] = []

    def fresh(self, stem: str) -> str:
        """A name that is not used anywhere else in the module."""
        self._names += 1
        return f"{stem}{self._names}"

    def constant(self, value: Any, key: Any = None) -> str:
        """The name of a constant.

        Args:
            value: any object.
            key: hashable; constants with equal keys are one. None for a constant of its own.
        """
        if key is not None and key in self._known:
            return self._known[key]
        name = self.fresh("K")
        self._constants[name] = value
        if key is not None:
            self._known[key] = name
        return name

    def literal(self, value: Value, kind: Type) -> str:
        """A value of a type, as a literal where that is shorter than a constant's name."""
        if value is None or isinstance(value, (bool, int)):
            return (
                repr(value)
                if value is None or value is True or value is False or value >= 0
                else f"({value})"
            )
        return self.constant(value, (kind, value))

    def value(self, name: str) -> Value | None:
        """The constant of that name; None if it is not the name of one."""
        return self._constants.get(name)

    def define(self, name: str, parameters: str, body: Lines) -> None:
        """Add a function."""
        self._functions.append([f"def {name}({parameters}):", body])

    def shared_function(self, key: Any, parameters: str, body: Callable[[], Lines]) -> str:
        """The name of the function of that key, which is added if it is not there yet."""
        if key not in self._known:
            name = self._known[key] = self.fresh("f")
            self.define(name, parameters, body())
        return self._known[key]

    @property
    def source(self) -> str:
        """The source of all functions."""
        return "\n".join(render(function) for function in self._functions)

    def load(self) -> dict[str, Any]:
        """Compile the module: the functions by name."""
        namespace = dict(self._constants)
        with warnings.catch_warnings():
            # Python warns of conditions on constants, such as `1 is not None`, which people do not write.
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(self.source, "<leadline concrete meaning>", "exec"), namespace)
        return namespace

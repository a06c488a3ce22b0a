"""Parameters of protocols: values fixed before a protocol is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, overload

from leadline.symbolic.lang.errors import ParameterError, unknown_name

Setting = int | bool | str
"""The value of a parameter."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its default, its range and what it means. Its kind is that of its default.

    Attributes:
        name: the name, in snake_case.
        default: the value where none is given; None for an integer that the protocol derives from the
            others.
        at_least: the least integer allowed.
        at_most: the greatest integer allowed.
        choices: the strings allowed.
        doc: what it means.
        file: how the name of a file ends that may be given besides the choices, such as ".toml"; or "".
    """

    default: Setting | None
    at_least: int | None
    at_most: int | None
    choices: tuple[str, ...]
    doc: str
    name: str = ""
    file: str = ""

    @property
    def kind(self) -> type:
        """The Python type of its values; an optional parameter is an integer."""
        return int if self.default is None else type(self.default)

    @property
    def range(self) -> str:
        """The allowed values, for a person to read."""
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            files = (f"the path of a {self.file} file",) if self.file else ()
            return " | ".join((*self.choices, *files)) or "text"
        if self.at_most is None:
            return f">= {self.at_least}" if self.at_least is not None else "integer"
        return f"{self.at_least}..{self.at_most}" if self.at_least is not None else f"<= {self.at_most}"

    def wrong(self, name: str) -> Iterator[str]:
        """The mistakes in its declaration, under its name."""
        integer, text = (int, type(None)), str
        wanted: dict[str, tuple[object, str]] = {
            "default": ((*integer, str), "an integer, a bool, text or None"),
            "at_least": (integer, "an integer"),
            "at_most": (integer, "an integer"),
            "choices": ((tuple, list), "a tuple of texts"),
            "doc": (text, "text"),
            "file": (text, "text"),
        }
        told = [
            f"the parameter {name} has {part}={given!r}, and {what} is needed"
            for part, (kinds, what) in wanted.items()
            if not isinstance(given := getattr(self, part), kinds)  # type: ignore[arg-type]  # the table's types
        ]
        choices: object = self.choices
        if isinstance(choices, tuple | list) and any(not isinstance(x, str) for x in choices):
            told.append(f"the parameter {name} has choices={choices!r}, and a tuple of texts is needed")
        if not told and (complaint := replace(self, name=name).complaint(self.default)) is not None:
            told.append(f"the default of a parameter is wrong: {complaint}")
        yield from told

    def complaint(self, value: object) -> str | None:
        """The error in a value, or None."""
        if value is None and self.default is None:
            return None
        if type(value) is not self.kind:
            wanted = {int: "an integer", bool: "true or false", str: "text"}[self.kind]
            return f"{self.name} must be {wanted}, and is {value!r}"
        low = self.at_least if self.at_least is not None else value
        high = self.at_most if self.at_most is not None else value
        outside = self.kind is int and not low <= value <= high  # type: ignore[operator]  # integers by now
        named = value in self.choices or (self.file != "" and str(value).endswith(self.file))
        if outside or ((self.choices or self.file) and not named):
            return f"{self.name} must be {self.range}, and is {value!r}"
        return None


@overload
def parameter(default: bool, *, doc: str = "") -> bool: ...


@overload
def parameter(
    default: int, *, at_least: int | None = None, at_most: int | None = None, doc: str = ""
) -> int: ...


@overload
def parameter(
    default: None, *, at_least: int | None = None, at_most: int | None = None, doc: str = ""
) -> int | None: ...


@overload
def parameter(default: str, *, choices: tuple[str, ...] = (), file: str = "", doc: str = "") -> str: ...


def parameter(
    default: Setting | None,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    choices: tuple[str, ...] = (),
    file: str = "",
    doc: str = "",
) -> object:
    """Declare a parameter in the body of a protocol's class.

    Args:
        default: an int, a bool or a str; None for an integer that the protocol derives from the others.
        at_least: the least integer allowed.
        at_most: the greatest integer allowed.
        choices: the strings allowed; any if empty (and no file is named).
        file: how the name of a file ends that is allowed besides the choices, such as ".toml". The protocol
            reads it, and raises a ParameterError for errors in it.
        doc: what it means, in a few words, for `leadline list`.
    """
    return Parameter(default, at_least, at_most, choices, doc, file=file)


def settings(
    declared: Mapping[str, Parameter], given: Mapping[str, object], protocol: str
) -> dict[str, Setting | None]:
    """The value of every parameter: the given one, or its default.

    Raises:
        ParameterError: for every unknown name and every value out of range, in one error.
    """
    complaints = [
        unknown_name(f"{protocol} has no parameter", name, list(declared))
        for name in given
        if name not in declared
    ]
    chosen: dict[str, Any] = {name: given.get(name, one.default) for name, one in declared.items()}
    complaints += [text for name, one in declared.items() if (text := one.complaint(chosen[name]))]
    if complaints:
        raise ParameterError("\n".join(complaints))
    return chosen


def constant_text(value: Any) -> Any:
    """The TLA+ text of an integer or a bool that is the value of a module's constant; other values as they are."""
    if isinstance(value, bool):
        return str(value).upper()
    return str(value) if isinstance(value, int) else value


def parse_setting(one: Parameter, text: str) -> Setting:
    """A parameter's value from the command line.

    Raises:
        ParameterError: if the text does not read as a value of the parameter's kind.
    """
    if one.kind is bool and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if one.kind is int:
        try:
            return int(text)
        except ValueError:
            pass
    elif one.kind is str:
        return text
    raise ParameterError(str(one.complaint(text)))

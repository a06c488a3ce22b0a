"""The values of keys in a grid file (one value, a list, or a range of integers), and its mistakes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leadline.symbolic.lang import Mistake, ModelError, Span, UserError, counted, excerpt, unknown_name

MOST_VALUES = 100_000
"""The most values of a range, and the most points of a table."""

_RANGE = ("from", "to", "step")

Complaint = Callable[[Any], str | None]
"""Returns the mistake in a value, or None."""


_HEADER = re.compile(r"\s*\[\[\s*check\s*\]\]")
_PLACE = re.compile(r"check\[(\d+)\]\.?(.*)")


def line_of(path: Path, text: str, place: str) -> Span | None:
    """The line of a key in a grid file; None if the text does not tell, as of a key that two lines may set.

    Args:
        path: the file.
        text: its content, which is TOML.
        place: the key as messages have it, such as `depth`, `check[2].parameters.top` or `check[1]`.
    """
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    table = _PLACE.fullmatch(place)
    number, keys = (int(table[1]), table[2]) if table else (0, place)
    if number > len(heads):
        return None
    region = range(heads[number - 1] if number else 0, [*heads, len(lines)][number])
    name = re.sub(r"\[\d+\]$", "", keys).rpartition(".")[2]
    if not name:
        return Span(str(path), region[0] + 1) if number else None
    key = re.compile(rf"(?<![\w.-])[\"']?({re.escape(name)})[\"']?\s*=(?!=)")
    found = [(at, one) for at in region for one in key.finditer(lines[at].partition("#")[0])]
    if len(found) != 1:
        return None
    at, one = found[0]
    first, last = (len(lines[at][:place].encode()) for place in one.span(1))
    return Span(str(path), at + 1, columns=(first, last))


@dataclass
class Mistakes:
    """The mistakes in a grid file, each with its place, and those in its models, reported together.

    Attributes:
        path: the file, or what stands for it in messages.
        text: its content; "" if there is no file.
        found: the mistakes in the file, with the line if it is known.
        models: the mistakes in models.
    """

    path: Path
    text: str = ""
    found: dict[str, Span | None] = field(default_factory=dict)
    models: list[Mistake] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.found) + len(self.models)

    def say(self, place: str, text: str, key: str = "") -> None:
        """Add a mistake, or several: one for each line of the text.

        Args:
            place: the table, or the key in it; "" for the top of the file.
            text: the mistake and its repair.
            key: the key that is meant, if `place` is the table that must not have it.
        """
        span = line_of(self.path, self.text, ".".join(filter(None, [place, key])))
        for line in text.splitlines():
            self.found.setdefault(f"{place}: {line}" if place else line, span)

    def of_model(self, error: ModelError, where: str = "") -> None:
        """Add the mistakes in a model.

        Args:
            error: the mistakes.
            where: the point at which they were found.
        """
        at = f" (at {where})" if where else ""
        self.models += [replace(one, text=f"{one.text}{at}") for one in error.mistakes]

    def check(self) -> None:
        """Raise an error if there are mistakes.

        Raises:
            ModelError: with those of the models, if the file itself has none.
            UserError: with all mistakes, each with its line of the file if that is known.
        """
        if self.models and not self.found:
            raise ModelError(self.models)
        found = {**self.found, **{str(one): None for one in self.models}}
        if not found:
            return
        lines = [f"the grid has {counted(len(found), 'mistake')} (its first table is check[1]):"]
        for text, span in found.items():
            lines.append(f"  {self.path if span is None else span}: {text}")
            lines += [f"      {line}" for line in excerpt(span)] if span is not None else []
        raise UserError("\n".join(lines))


@dataclass
class TableReader:
    """Reads the values of one table and notes mistakes.

    Attributes:
        place: the table's place in the file; "" is the top.
        values: the table's values, and the defaults of keys that it does not set.
        mistakes: takes the mistakes.
        wrong: whether there was a mistake.
    """

    place: str
    values: Mapping[str, Any]
    mistakes: Mistakes
    wrong: bool = False

    def say(self, key: str, text: str) -> None:
        """Note a mistake at a key of the table."""
        self.wrong = True
        self.mistakes.say(".".join(filter(None, [self.place, key])), text)

    def refuse(self, key: str, text: str) -> None:
        """Note a key that the table must not have."""
        self.wrong = True
        self.mistakes.say(self.place, text, key)

    def many(self, key: str, value: object, complaint: Complaint) -> tuple[Any, ...]:
        """A value, a range, or a list of both.

        Args:
            key: the key in the table.
            value: the key's value.
            complaint: returns the mistake in a single value.
        """
        given = value if isinstance(value, list) else [value]
        if not given:
            self.say(key, "the list is empty: give it a value or leave the key out")
        found: list[Any] = []
        for one in given:
            values = self._range(key, one) if isinstance(one, dict) else [one]
            # If the ends of a range are right, so are the values between.
            ends = [values[0], values[-1]] if isinstance(one, dict) and values else values
            text = next(filter(None, map(complaint, ends)), None)
            if text is not None:
                self.say(key, text)
            found += values
        self._each_once(key, found)
        return tuple(found)

    def _each_once(self, key: str, values: Sequence[Any]) -> None:
        times = Counter((type(one), one) if isinstance(one, (int, str)) else shown(one) for one in values)
        for one, count in times.items():
            if count > 1:
                text = one if isinstance(one, str) else shown(one[1])
                self.say(key, f"{text} is given more than once: leave the others out")

    def _range(self, key: str, given: Mapping[str, Any]) -> Sequence[int]:
        """The values of `{ from = 2, to = 5 }`, to which `step` may be added; none if it has mistakes."""
        wrong = [
            unknown_name("a range has no key", name, list(_RANGE)) for name in given if name not in _RANGE
        ]
        if not {"from", "to"} <= given.keys():
            wrong.append("a range needs both its ends: write { from = 1, to = 3 }")
        for name, value in given.items():
            if name in _RANGE and type(value) is not int:
                wrong.append(f"`{name}` of a range is an integer, not {shown(value)}")
        for text in wrong:
            self.say(key, text)
        if wrong:
            return ()
        first, last, step = given["from"], given["to"], given.get("step", 1)
        if step < 1:
            self.say(key, f"`step` of a range is at least 1, and is {step}")
        elif first > last:
            self.say(key, f"the range is empty: from = {first} is above to = {last}")
        elif (count := (last - first) // step + 1) > MOST_VALUES:
            self.say(key, f"the range has {count} values, and {MOST_VALUES} are allowed: make it shorter")
        else:
            return range(first, last + 1, step)
        return ()


def integer(low: int, high: int) -> Complaint:
    """A complaint about a value that is not an integer from `low` to `high`."""

    def complaint(value: Any) -> str | None:
        fits = type(value) is int and low <= value <= high
        return None if fits else f"an integer in {low}..{high} is needed, not {shown(value)}"

    return complaint


def one_of(what: str, names: Sequence[str], special: Mapping[str, str] | None = None) -> Complaint:
    """The complaint about a value that is not one of these names.

    Args:
        what: the kind of thing that the names stand for.
        names: the names that are allowed.
        special: messages about names that are allowed elsewhere but not here, by the name.
    """

    def complaint(value: Any) -> str | None:
        if not isinstance(value, str):
            return f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} is needed, not {shown(value)}"
        if special and value in special:
            return special[value]
        return None if value in names else f"there is no {what} {shown(value)}: choose of {', '.join(names)}"

    return complaint


def shown(value: Any) -> str:
    """A value, roughly as TOML writes it."""
    return json.dumps(value, default=str, ensure_ascii=False)

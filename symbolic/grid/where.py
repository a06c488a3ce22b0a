"""Conditions on rows: their names are the columns of the store and the parameters of its rows.

Where a parameter has a column's name, `parameters.NAME` is the parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from leadline.symbolic.conditions import Name, kind_of, read_condition
from leadline.symbolic.grid.rows import SCHEMA, Row
from leadline.symbolic.lang import UserError, unknown_name

RowCondition = Callable[[Row], bool]
"""Decides whether a row is wanted."""

_PARAMETERS = "parameters."
_COLUMN_KINDS = {"string": "", "timestamp[us, tz=UTC]": ""}
"""An example of the values of each type of column that has no numbers."""


def read_where(text: str, rows: Iterable[Row]) -> RowCondition:
    """Read a condition as a function of rows. A row at which it divides by zero is not wanted.

    Args:
        text: the user's text.
        rows: the rows of the store, whose parameters may be named.

    Raises:
        UserError: with every mistake, each with its line and column.
    """
    told: list[str] = []
    kinds: dict[str, set[str]] = {}
    for settings in {row.parameters: row.settings() for row in rows}.values():
        for name, value in settings.items():
            kinds.setdefault(name, set()).update(() if value is None else (kind_of(value),))

    def meaning(name: str) -> Name | str:
        if name in SCHEMA.names:
            kind = kind_of(_COLUMN_KINDS.get(str(SCHEMA.field(name).type), 0))
            return Name(lambda row: _plain(getattr(row, name)), frozenset({kind}))
        parameter = name.removeprefix(_PARAMETERS)
        if parameter not in kinds:
            known = [*kinds, *(SCHEMA.names if parameter == name else ())]
            return unknown_name("the store has no column or parameter", parameter, known)
        return Name(lambda row: row.settings().get(parameter), frozenset(kinds[parameter]))

    condition = read_condition("a condition", text, meaning, told.append)
    if condition is None:
        raise UserError("\n".join(f"--where: {complaint}" for complaint in told))

    def wanted(row: Row) -> bool:
        try:
            return condition.holds(row)
        except ZeroDivisionError:
            return False

    return wanted


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def plain_row(row: Row) -> dict[str, Any]:
    """A row as a JSON object, with its parameters as an object of its own."""
    return {**{name: _plain(value) for name, value in asdict(row).items()}, "parameters": row.settings()}

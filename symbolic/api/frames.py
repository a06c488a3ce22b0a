"""Tables for pandas, which is optional."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(rows: Sequence[Mapping[str, object]], index: str) -> DataFrame:
    """Rows as a table of pandas; the index counts them.

    Args:
        rows: the rows, each by the columns' names.
        index: the name of the index.

    Raises:
        UserError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise UserError(
            "a table needs pandas, which is not installed: pip install 'leadline[pandas]'"
        ) from error
    made = pandas.DataFrame(list(rows))
    made.index.name = index
    return made

"""Plans of grid files as text, and the mistakes that are told of them."""

import re
from pathlib import Path

import pytest

from leadline.symbolic.grid.plan import Plan, plan
from leadline.symbolic.lang import UserError


def planned(text: str, path: str = "grid.toml") -> Plan:
    Path(path).write_text(text, encoding="utf-8")
    return plan(Path(path))


def mistakes(text: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        planned(text)
    head, *lines = (line for line in str(caught.value).splitlines() if not line.startswith(" " * 6))
    count = f"{len(lines)} mistake{'s' if len(lines) != 1 else ''}"
    assert head == f"the grid has {count} (its first table is check[1]):"
    told = [re.sub(r"^  grid\.toml(:\d+)?: ", "", line) for line in lines]
    assert all(one != line for one, line in zip(told, lines, strict=True))
    return told

"""Plans of grid files as text, and the mistakes that are told of them."""

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
    head, *lines = str(caught.value).splitlines()
    count = f"{len(lines)} mistake{'s' if len(lines) != 1 else ''}"
    assert head == f"the grid has {count} (its first table is check[1]):"
    assert all(line.startswith("  grid.toml: ") for line in lines)
    return [line.removeprefix("  grid.toml: ") for line in lines]

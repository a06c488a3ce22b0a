"""Protocols with known answers for bounded checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import Entry
from tests.asking import entry_at

FILE = Path(__file__).parent / "protocols.py"


def entry(name: str) -> Entry:
    return entry_at(f"{FILE}:{name}")


CASES: list[tuple[str, dict[str, Any]]] = [
    ("Lift", {}),
    ("Lift", {"first": 2}),
    ("Lift", {"top": 1, "first": 1}),
    ("Lift", {"at_top": "stop"}),
    ("Lift", {"at_top": "break"}),
    ("Lift", {"at_top": "break", "top": 2, "first": 2}),
    ("Begin", {"broken": False}),
    ("Begin", {}),
    ("Begin", {"fine": False}),
    ("Still", {}),
    ("Dice", {}),
    ("Pigeons", {"holes": 3}),
    ("Nobody", {}),
    ("Nobody", {"workers": 2}),
]
LONG: list[tuple[str, dict[str, Any]]] = [
    ("Lift", {"first": 2}),
    ("Lift", {"at_top": "stop"}),
    ("Lift", {"at_top": "break", "top": 2, "first": 2}),
]
"""Cases that are slow where one like them is quick."""

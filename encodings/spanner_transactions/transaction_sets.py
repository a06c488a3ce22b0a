"""The transactions that run: the sets of module TxTest by name, or a user's own in a TOML file.

A file lists the transactions, at most 5. Each reads keys, then writes keys; one that writes nothing is a
read-only transaction. An earlier transaction has the higher priority.

    [[transaction]]
    read = ["k1"]
    write = { k1 = 1, k2 = 1 }

    [[transaction]]
    read = ["k1", "k2"]

Keys are named by letters, digits, `_` and `-`, and hold 0 at first. Values are whole numbers from 0 to 63;
those written to one key should differ, or a read does not tell who wrote.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.symbolic.files import read_text
from leadline.symbolic.lang import ParameterError, UserError

FILE = ".toml"
MOST_TRANSACTIONS = 5
GREATEST_VALUE = 63

_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Definition:
    """The keys that a transaction reads, and then the values that it writes, by key."""

    read: frozenset[str]
    write: Mapping[str, int] = field(default_factory=dict)


SETS: Mapping[str, tuple[Definition, ...]] = {
    "nonconflict": (Definition(frozenset({"k1"}), {"k1": 1}), Definition(frozenset({"k2"}), {"k2": 2})),
    "read-only": (
        Definition(frozenset({"k1"}), {"k1": 1, "k2": 1}),
        Definition(frozenset({"k2"}), {"k1": 2, "k2": 2}),
        Definition(frozenset({"k1", "k2"})),
    ),
    "circular": (
        Definition(frozenset({"k1"}), {"k2": 1}),
        Definition(frozenset({"k2"}), {"k3": 2}),
        Definition(frozenset({"k3"}), {"k1": 3}),
    ),
}
"""The sets of module TxTest. Its set "write skew" is the same as "non-conflict"."""


def transaction_set(setting: str) -> tuple[Definition, ...]:
    """The transactions of a set's name or of a file.

    Raises:
        ParameterError: if the file cannot be read or is not as it should be: every mistake, with the file and
            the key.
    """
    return SETS[setting] if setting in SETS else _from_file(Path(setting))


def _from_file(path: Path) -> tuple[Definition, ...]:
    try:
        text = read_text(path)
    except UserError as error:
        raise ParameterError(f"transactions: {error}") from error
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"transactions: {path} is not TOML: {error}") from error
    complaints = list(_complaints(document))
    if complaints:
        raise ParameterError("\n".join(f"transactions: {path}: {text}" for text in complaints))
    return tuple(
        Definition(frozenset(one.get("read", ())), one.get("write", {})) for one in document["transaction"]
    )


def _complaints(document: dict[str, Any]) -> Iterator[str]:
    """The mistakes in a file, in the order of its keys."""
    for key in document:
        if key != "transaction":
            yield f"{key} has no meaning: write [[transaction]] for each transaction"
    listed = document.get("transaction")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_TRANSACTIONS:
        yield f"transaction must be 1 to {MOST_TRANSACTIONS} tables [[transaction]]"
        return
    for number, one in enumerate(listed, start=1):
        place = f"transaction[{number}]"
        if not isinstance(one, dict):
            yield f"{place} must be a table [[transaction]], and is {one!r}"
            continue
        for key in one:
            if key not in ("read", "write"):
                yield f"{place}.{key} has no meaning: a transaction has read and write"
        yield from _complaints_of_read(one.get("read", []), f"{place}.read")
        yield from _complaints_of_write(one.get("write", {}), f"{place}.write")
        if not one.get("read") and not one.get("write"):
            yield f"{place} neither reads nor writes"


def _complaints_of_read(keys: Any, place: str) -> Iterator[str]:
    if not isinstance(keys, list):
        yield f"{place} must be a list of keys, and is {keys!r}"
        return
    for number, key in enumerate(keys, start=1):
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            yield f"{place}[{number}] must be a key (letters, digits, _ and -), and is {key!r}"
        elif key in keys[: number - 1]:
            yield f"{place}[{number}] is {key!r} a second time"


def _complaints_of_write(values: Any, place: str) -> Iterator[str]:
    if not isinstance(values, dict):
        yield f"{place} must be a table of values by key, and is {values!r}"
        return
    for key, value in values.items():
        if not _KEY.fullmatch(key):
            yield f"{place} has the key {key!r}: a key is made of letters, digits, _ and -"
        elif type(value) is not int or not 0 <= value <= GREATEST_VALUE:
            yield f"{place}.{key} must be a whole number from 0 to {GREATEST_VALUE}, and is {value!r}"

"""Results of generated functions that are kept, by the identity of the arguments.

A search keeps one object for each value of a variable. So the parts of a formula that read few variables meet the
same objects again in many states.

Without it, exploring EWD998PCal of tlaplus/Examples takes 1.39 times the CPU (60,000 states), MultiPaxos-SMR 1.21
and ReadersWriters 1.22 times.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from leadline.symbolic.tla.values.values import LISTED

_MOST = 1 << 14
"""Results that are kept at most; then all are dropped."""
_TRIAL = 1 << 12
"""Results computed between two looks at the use of keeping them."""
_USES = 2
"""The times that a result must be used again on average. Keeping one costs as much as some computations."""


class Memo(dict[Hashable, Any]):
    """The results of a function. Each is kept with its arguments, so that no other object gets their identity.

    Where keeping them does not pay, the function itself takes the memo's place.

    Args:
        namespace: the names that generated code uses.
        name: the name of the function that asks the memo first.
        plain: the name of the function that computes.
        lists: whether results are lists of tuples. Equal ones become one object, by which others are kept.

    Attributes:
        hits: the number of results that were used again.
    """

    __slots__ = ("_computed", "_lists", "_name", "_namespace", "_plain", "hits")

    def __init__(self, namespace: dict[str, Any], name: str, plain: str, lists: bool = False) -> None:
        self._namespace = namespace
        self._name = name
        self._plain = plain
        self._lists: dict[Any, Any] | None = {} if lists else None
        self._computed = 0
        self.hits = 0

    def add(self, key: Hashable, arguments: tuple[Any, ...]) -> Any:
        """Compute a result and keep it."""
        result = self._namespace[self._plain](*arguments)
        self._computed += 1
        if len(self) >= _MOST:
            self._drop()
        if self._lists is not None:
            result = _shared(result, self._lists)
        self[key] = (result, arguments)
        if self._computed == _TRIAL:
            if self.hits < _USES * self._computed:
                self._namespace[self._name] = self._namespace[self._plain]
                self._drop()
            self._computed = self.hits = 0
        return result

    def _drop(self) -> None:
        self.clear()
        if self._lists is not None:
            self._lists.clear()


def _shared(found: list[tuple[Any, ...] | None], known: dict[Any, Any]) -> Any:
    """The list, or an equal one that is known. Sets that are not listed are not compared."""
    for one in found:
        if one is None or not LISTED.issuperset(map(type, one)):
            return found
    entries = tuple(found)
    return known.setdefault(entries, entries)

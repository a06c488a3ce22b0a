"""A model's canonical text and its hash: equal wherever the same model is built.

The text has every field of every dataclass that a model is made of, but for places in files and the fields of
`LEFT_OUT`. A field that is added to one of them is covered without a word here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from leadline.symbolic.lang.nodes import Bound, Node, postorder
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type

LEFT_OUT: Mapping[tuple[str, str], str] = {
    ("Model", "protocol"): "a label: what it stands for is in the formulas, and queries' ids have it too",
    ("Model", "parameters"): "labels: what they decide is in the formulas, and queries' ids have them too",
    ("Model", "origin"): "what it means is in the formulas",
    ("Model", "view"): "only the command `explore` uses it, and tells so",
    ("Model", "aliases"): "text for people",
    ("Action", "doc"): "text for people",
    ("Action", "places"): "places in files",
    ("Property", "places"): "places in files",
    ("Property", "doc"): "text for people",
    ("Record", "name"): "records with the same fields are one type",
    ("Union", "name"): "unions with the same variants are one type",
}
"""The fields that no answer depends on, by class and name, each with the reason."""


def fingerprint(thing: object) -> str:
    """The hash of the canonical text of a model or a part of one, in hexadecimal.

    Raises:
        TypeError: if it holds something that has no canonical text.
    """
    text = _Text()
    text.line(text.word(thing))
    return text.hash.hexdigest()


class _Text:
    """Gathers lines; nodes and types are written once each, and then by number.

    Nothing enters that differs between processes: neither the order of a Python set nor the name that
    equal record types happened to have when a node was first made.
    """

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._numbers: dict[Node | Type, str] = {}

    def line(self, *words: str) -> None:
        """Add a line."""
        self.hash.update((" ".join(words) + "\n").encode())

    def word(self, value: Any) -> str:
        """A value as a word that no other value has."""
        if isinstance(value, Bound):
            return self._fields(value)  # A binder's variable need not occur in its body.
        if isinstance(value, Node):
            return self._node(value)
        if isinstance(value, Type):
            return self._type(value)
        if isinstance(value, str):
            return repr(str(value))
        if value is None or isinstance(value, (bool, int)):
            return repr(value)
        if isinstance(value, tuple):
            return f"({' '.join(map(self.word, value))})"
        if isinstance(value, frozenset):
            return f"{{{' '.join(sorted(map(self.word, value)))}}}"
        if isinstance(value, Mapping):
            return f"[{' '.join(f'{self.word(key)}:{self.word(x)}' for key, x in value.items())}]"
        if isinstance(value, Span):
            return "@"  # The same model may be written elsewhere.
        if is_dataclass(value):
            return self._fields(value)
        raise TypeError(f"{value!r} in a model has no canonical text")

    def _fields(self, value: Any) -> str:
        kind: Any = type(value)
        words = (self.word(getattr(value, name)) for name in _written(kind))
        return f"{kind.__name__}({' '.join(words)})"

    def _type(self, kind: Type) -> str:
        if kind not in self._numbers:
            text = self._fields(kind)
            self._numbers[kind] = f"t{len(self._numbers)}"
            self.line(self._numbers[kind], text)
        return self._numbers[kind]

    def _node(self, root: Node) -> str:
        if root not in self._numbers:
            for node in postorder(root):
                if node not in self._numbers:
                    text = self._fields(node)
                    self._numbers[node] = f"n{len(self._numbers)}"
                    self.line(self._numbers[node], text)
        return self._numbers[root]


@cache
def _written(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass that its text has."""
    names = (field.name for field in fields(kind))
    return tuple(name for name in names if (kind.__name__, name) not in LEFT_OUT)

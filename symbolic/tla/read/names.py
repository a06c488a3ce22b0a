"""The order in which TLC meets the names of a specification: that of its strings, record fields and model values.

TLC numbers each text when it first meets it (its class `UniqueString`), and sorts names by these numbers. It reads
the values of the configuration first. Then it parses all modules, word by word. A string's literal is another word
than the string, since it has quotation marks. When all modules are parsed, TLC reads the literals of each, after
those of the modules that it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import Assigned
from leadline.symbolic.tla.read.standard import CORE, LIBRARY

_WORD = re.compile(
    r'"(?:\\.|[^"\\\n])*"|/\\|\\(?:[a-z]+|EE?|AA?|X)\b|[WS]F_|(?:\]|>>)_|<[\d*+]+>\w*|\w+|[^\w\s]'
)
_FIRST = (
    "STRING", "FALSE", "TRUE", "BOOLEAN", "=", ".", "'", "SUBSET", "UNION", "DOMAIN", "ENABLED", "UNCHANGED",
    *"[^/*-+<>|&$%~#",
)  # fmt: skip
"""The words that TLC's own classes have before any module is parsed."""


class _Names(NamedTuple):
    """The names in a module.

    Attributes:
        extended: the modules that it extends.
        instances: the modules that it has instances of, but for those that stand in it.
        words: the words of its text.
        strings: its strings.
    """

    extended: list[str]
    instances: list[str]
    words: list[str]
    strings: list[str]


def ranks(root: s.Module, known: Mapping[str, s.Module], assigned: Iterable[Assigned]) -> dict[str, int]:
    """The place of each name among those of a specification.

    Args:
        root: its module.
        known: the modules that were read, by name.
        assigned: the constants of the configuration, with their values.
    """
    given = (x for one in assigned if not one.replaces for x in (*(one.arguments or ()), one.value))
    values = (
        one.operator if isinstance(one, s.Apply) else one.value if isinstance(one, s.String) else one.name
        for one in _in_order(given)
        if isinstance(one, s.String | s.ModelValue) or (isinstance(one, s.Apply) and one.operator not in CORE)
    )
    names = _standard() | {
        name: _names(one)
        for name, one in {**known, root.name: root}.items()
        if Path(one.place.file).parent != LIBRARY or name not in _standard()
    }
    parsed, needed = _parsed(root.name, names), dict[str, None]()
    _visit(root.name, names, {}, needed)
    words = chain.from_iterable(names[name].words for name in parsed if name in names)
    strings = chain.from_iterable(names[name].strings for name in needed)
    return {name: place for place, name in enumerate(dict.fromkeys(chain(values, _FIRST, words, strings)))}


def _in_order(roots: Iterable[s.Node]) -> Iterator[s.Node]:
    """All nodes, in the order in which TLC reads them."""
    work = [*roots][::-1]
    while work:
        node = work.pop()
        yield node
        below = s.children(node)
        # The sets of `{e : x \in S}` are read before e.
        work += below[:1] + below[:0:-1] if isinstance(node, s.Image) else below[::-1]


def _names(module: s.Module) -> _Names:
    nodes = [*_in_order([module])]
    modules = [one for one in nodes if isinstance(one, s.Module)]
    within = {one.name for one in modules}
    return _Names(
        [one.operator for part in modules for one in part.extends],
        [one.module for one in nodes if isinstance(one, s.Instance) and one.module not in within],
        _WORD.findall(module.text),
        [one.value for one in nodes if isinstance(one, s.String)],
    )


@cache
def _standard() -> dict[str, _Names]:
    """The names in the modules that come with TLC, whose texts there are others than here."""
    lines = (LIBRARY / "names.txt").read_text(encoding="utf-8").splitlines()
    parts = (line.split(":") for line in lines if not line.startswith("#"))
    return {name: _Names(*(part.split() for part in rest)) for name, *rest in parts}


def _parsed(root: str, names: Mapping[str, _Names]) -> list[str]:
    """All modules, in the order in which TLC parses them: those that are extended come before instances."""
    found, new = list[str](), root
    while new:
        found.append(new)
        seen = dict[str, None]()
        _visit(root, {name: names[name] for name in found if name in names}, seen, {})
        extended = chain.from_iterable(names[name].extended for name in seen)
        instances = chain.from_iterable(names[name].instances for name in seen)
        new = next((name for name in chain(extended, instances) if name not in found), "")
    return found


def _visit(name: str, names: Mapping[str, _Names], seen: dict[str, None], done: dict[str, None]) -> None:
    """Add a module to those seen, then those that it needs, and then itself to those that are done."""
    if name in names and name not in seen:
        seen[name] = None
        for one in (*names[name].extended, *names[name].instances):
            _visit(one, names, seen, done)
        done[name] = None

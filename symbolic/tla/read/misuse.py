"""Mistakes in what expressions are about: a prime too many, a field named twice, @ outside of an EXCEPT."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leadline.symbolic.lang import Mistake
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import bound_by
from leadline.symbolic.tla.read.levels import Level, Levels

_ABOUT_STEPS = {
    "'": "a formula about a step has no next value: expected one about a state before the prime",
    "UNCHANGED": "a formula about a step has no next value: expected one about a state after UNCHANGED",
}
_LOOSE = {
    "[]": "[] is followed by a formula about a step: expected [][A]_v",
    "<>": "<> is followed by a formula about a step: expected <><<A>>_v",
}


def misuses(definitions: Iterable[s.Definition], levels: Levels) -> Iterator[Mistake]:
    """The mistakes in definitions, each place once."""
    told: set[tuple[s.Place, str]] = set()
    for one in definitions:
        names = frozenset(parameter.name for parameter in one.parameters)
        for place, text in _found(one.body, names, levels):
            if (place, text) not in told:
                told.add((place, text))
                yield Mistake(place, text)


def misplaced(assumptions: Iterable[s.Expression], levels: Levels) -> Iterator[Mistake]:
    """The assumptions that are about states."""
    for one in assumptions:
        if levels.of(one) > Level.CONSTANT:
            yield Mistake(one.place, "an assumption is about constants: expected no variable in it")


def _found(root: s.Node, names: frozenset[str], levels: Levels) -> Iterator[tuple[s.Place, str]]:
    todo: list[tuple[s.Node, frozenset[str], bool]] = [(root, names, False)]
    while todo:
        e, bound, updating = todo.pop()
        text = _mistake(e, bound, updating, levels)
        if text is not None:
            yield e.place, text
        if isinstance(e, s.Except):
            todo.append((e.function, bound, updating))
            for one in e.updates:
                todo += [(x, bound, updating) for x in one.path]
                todo.append((one.value, bound, True))
        else:
            inner = bound | bound_by(e)
            todo += [(x, inner, updating) for x in s.children(e)]


def _mistake(e: s.Node, bound: frozenset[str], updating: bool, levels: Levels) -> str | None:
    match e:
        case s.At() if not updating:
            return "@ has no meaning here: expected it in the value of an EXCEPT"
        case s.Record(fields) | s.RecordSet(fields) if len(dict(fields)) < len(fields):
            return "a field is named twice"
        case s.Apply(operator, (one,)) if operator in _ABOUT_STEPS and levels.of(one, bound) >= Level.ACTION:
            return _ABOUT_STEPS[operator]
        case s.Apply("ENABLED", (one,)) if levels.of(one, bound) is Level.TEMPORAL:
            return "ENABLED is about a step: expected no temporal operator in it"
        case s.Apply(operator, (one,)) if operator in _LOOSE and levels.of(one, bound) is Level.ACTION:
            junction = isinstance(one, s.Apply) and one.operator in (
                "=",
                "/\\",
                "\\/",
                "=>",
                "'",
                "\\in",
                "#",
            )
            return _LOOSE[operator] if junction else None
        case s.Subscripted(_, action) if levels.of(action, bound) is Level.TEMPORAL:
            return "a temporal formula is no action: expected a formula about a step"
    return None

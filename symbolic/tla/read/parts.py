"""The parts of a next-state relation, which are its actions by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import Specification


@dataclass(frozen=True)
class Part:
    """A part of the next-state relation.

    Attributes:
        name: the operator that it is.
        path: which disjunct to take at each disjunction above it, and which conjunct it is in at each conjunction.
    """

    name: str
    path: tuple[int, ...] = ()


def parts(specification: Specification) -> list[Part]:
    """The parts of the next-state relation: its disjuncts, those within its operators included."""
    name, e, seen = "Next", specification.next, frozenset[str]()
    definitions = specification.definitions
    while isinstance(e, s.Apply) and e.operator in definitions and not e.arguments:
        name, e = e.operator, definitions[e.operator].body
        seen = frozenset({name})
    return [] if e is None else list(_parts(specification, e, name, seen))


def _parts(within: Specification, e: s.Expression, name: str, seen: frozenset[str]) -> Iterator[Part]:
    match e:
        case s.Apply("\\/", items):
            for place, item in enumerate(items):
                yield from (Part(one.name, (place, *one.path)) for one in _parts(within, item, name, seen))
        case s.Quantified("\\E", _, body) | s.Let(_, body):
            yield from _parts(within, body, name, seen)
        case s.Apply(operator) if operator in within.definitions and operator not in seen:
            body = within.definitions[operator].body
            inside = list(_parts(within, body, operator, seen | {operator}))
            whole = len(inside) > 1 and any(part.name == operator for part in inside)
            yield from [Part(operator)] if whole else inside
        case s.Apply("/\\", items):
            steps = [place for place, item in enumerate(items) if within.levels.of(item) is Level.ACTION]
            found = [(place, list(_parts(within, items[place], name, seen))) for place in steps]
            # Of `Send(m) /\ x' = 1` no part is the step, but of `(Send(m) \/ Drop(m)) /\ x' = 1` each is one.
            # Of two such conjuncts the one whose disjuncts all have names is split, and none of one name alone.
            several = [each for each in found if len(steps) == 1 or len({one.name for one in each[1]}) > 1]
            named = [[one.name != name for one in inside] for _, inside in several]
            split = [each for each, names in zip(several, named, strict=True) if all(names)]
            split = split or [each for each, names in zip(several, named, strict=True) if any(names)]
            if len(split) == 1:
                ((place, inside),) = split
                yield from (Part(one.name, (place, *one.path)) for one in inside)
            else:
                yield Part(name)
        case _:
            yield Part(name)

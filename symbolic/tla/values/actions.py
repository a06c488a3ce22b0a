"""The parts of the next-state relation, and ENABLED."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.values.scopes import Code, Kind, Scope
from leadline.symbolic.tla.values.search import Search
from leadline.symbolic.tla.values.statements import Statements


@dataclass(frozen=True)
class Part:
    """A part of the next-state relation.

    Attributes:
        name: the operator that it is.
        path: which disjunct to take at each disjunction above it.
    """

    name: str
    path: tuple[int, ...] = ()


class Actions(Statements):
    """The translation of actions."""

    def enabled(self, e: s.Apply, scope: Scope) -> Code:
        fn = self.source.fn("enabled", (), scope.fn)
        now = scope.next if scope.primed else scope.now
        inner = replace(scope, fn=fn, now=now, next={}, primed=False)
        Search(self, lambda _, lines: lines.append("return True")).run(e.arguments[0], inner, fn.lines)
        fn.lines.append("return False")
        return Code(self.source.call(scope.fn, fn), Kind.TRUTH)

    def parts(self, e: s.Expression, name: str) -> list[Part]:
        """The parts of the next-state relation: its disjuncts, those within its operators included."""
        while isinstance(e, s.Apply) and e.operator in self.definitions and not e.arguments:
            name, e = e.operator, self.definitions[e.operator].body
        return list(self._parts(e, name, frozenset({name})))

    def _parts(self, e: s.Expression, name: str, seen: frozenset[str]) -> Iterator[Part]:
        match e:
            case s.Apply("\\/", items) if len(items) > 1:
                for place, item in enumerate(items):
                    yield from (Part(one.name, (place, *one.path)) for one in self._parts(item, name, seen))
            case s.Quantified("\\E", _, body) | s.Let(_, body):
                yield from self._parts(body, name, seen)
            case s.Apply(operator) if operator in self.definitions and operator not in seen:
                inside = list(self._parts(self.definitions[operator].body, operator, seen | {operator}))
                whole = len(inside) > 1 and any(part.name == operator for part in inside)
                yield from [Part(operator)] if whole else inside
            case s.Apply("/\\", items):
                steps = [item for item in items if self.levels.of(item) is Level.ACTION]
                named = list(self._parts(steps[0], name, seen)) if len(steps) == 1 else []
                yield Part(named[0].name if len(named) == 1 else name)
            case _:
                yield Part(name)

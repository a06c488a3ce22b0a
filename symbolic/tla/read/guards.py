"""Guards as TLC evaluates them: each disjunct, and each element of an \\E, even where one before is true.

TLC searches next states through guards too until all variables have values: a disjunct without a value is an error
behind one that is true, too. From then on it evaluates formulas as it does everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leadline.symbolic.tla.read import syntax as s

EACH = {"\\/": "\\/*", "\\E": "\\E*"}
"""The operators that evaluate each of their parts, by those that end at the first one that is true."""
_TOTAL = frozenset({"/\\", "\\/", "~", "=>", "<=>", "=", "#", "\\in", "\\notin", "'", "TRUE", "FALSE"})
_DATA = (s.Number, s.String, s.ModelValue, s.SetOf, s.TupleOf, s.Record, s.Quantified, s.Bound)


class FullGuards:
    """The guards of a specification.

    Args:
        definitions: the definitions by key.
    """

    def __init__(self, definitions: Mapping[str, s.Definition]) -> None:
        self._definitions = definitions

    def opens(self, e: s.Expression, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a guard, or a conjunct of it, is an operator whose body has such parts."""
        if not isinstance(e, s.Apply) or e.operator in seen:
            return False
        if e.operator == "/\\":
            return any(self.opens(x, seen) for x in e.arguments)
        if e.operator not in self._definitions:
            return False
        body = self._definitions[e.operator].body
        return self.each(body) is not body or self.opens(body, seen | {e.operator})

    @s.remembered
    def each(self, e: s.Expression) -> s.Expression:
        """A guard that evaluates each of its parts."""
        match e:
            case s.Apply("/\\", items):
                found: s.Expression = replace(e, arguments=tuple(map(self.each, items)))
            case s.Apply("\\/", items):
                name = e.operator if all(map(self._total, items[1:])) else EACH[e.operator]
                found = replace(e, operator=name, arguments=tuple(map(self.each, items)))
            case s.Apply("=>", (condition, body)):
                found = replace(e, arguments=(condition, self.each(body)))
            case s.Quantified("\\E", _, body) if not self._total(body):
                found = replace(e, quantifier=EACH[e.quantifier], body=self.each(body))
            case s.Quantified("\\A" | "\\E", _, body) | s.Let(_, body):
                found = replace(e, body=self.each(body))
            case s.Case(arms, other):
                arms = tuple((test, self.each(arm)) for test, arm in arms)
                found = replace(e, arms=arms, other=other and self.each(other))
            case _:
                return e
        return e if found == e else found

    def _total(self, e: s.Node, seen: frozenset[str] = frozenset()) -> bool:
        """Whether an expression surely has a value, but for values of different kinds that are compared."""
        match e:
            case s.Apply(key) if key in self._definitions:
                known = key not in seen and self._total(self._definitions[key].body, seen | {key})
            case s.Apply(operator, arguments):
                known = operator in _TOTAL or not arguments
            case _:
                known = isinstance(e, _DATA) or (isinstance(e, s.Case) and e.other is not None)
        return known and all(self._total(x, seen) for x in s.children(e))

"""Specifications whose constraints bound the level of states, with that level in a variable.

TLC gives `TLCGet("level")` by its search: the level of a state is one more than the steps that it takes to reach
it. Where constraints only bound it from above, the states that satisfy them are those that short runs reach,
whichever way they are found. So formulas may have the length of a run in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import is_

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.levels import Level, Levels
from leadline.symbolic.tla.read.specification import Leveled, Specification, uses

LEVEL = "LEVEL"
_ONE = s.Number(1)


def leveled(made: Specification) -> Specification:
    """The specification with the level of a state as its variable `LEVEL`, if constraints bound it from above.

    It is unchanged where something else asks for `TLCGet`, whose answer then depends on TLC's search, or where a
    step has several parts.
    """
    others = replace(made, constraints=()).formulas
    bounds = _Bounds(made, _free(made))
    constraints = tuple(bounds.of(one) for one in made.constraints)
    if bounds.top is None or _has(made, others, "TLCGet", "\\cdot"):
        return made
    own = len(made.variables) - len(made.history)
    variables = (*made.variables[:own], bounds.level.operator, *made.variables[own:])
    begun = s.Apply("=", (bounds.level, _ONE), place=bounds.top.place)
    found = replace(
        made,
        variables=variables,
        init=made.init and s.Apply("/\\", (made.init, begun), place=made.init.place),
        constraints=constraints,
        definitions=bounds.definitions,
        levels=Levels(bounds.definitions, {*made.levels.variables, *variables}, made.levels.judged),
        leveled=Leveled(bounds.level, bounds.top, made),
    )
    return made if _has(found, found.constraints, "TLCGet") else found


def _has(made: Specification, formulas: Iterable[s.Expression], *operators: str) -> bool:
    formulas = tuple(formulas)
    return any(True for one in operators for _ in uses(made, one, formulas))


def _free(made: Specification) -> str:
    name = LEVEL
    while name in made.names or name in made.definitions or name in made.variables:
        name += "_"
    return name


@dataclass
class _Bounds:
    """The bounds in constraints, with a variable in place of the level.

    Attributes:
        made: the specification.
        name: the variable's name.
        top: the highest level that a state may have by one of them, that of states beyond it included.
        definitions: the definitions of the specification, with those changed that have bounds in them.
    """

    made: Specification
    name: str
    top: s.Expression | None = None
    definitions: Mapping[str, s.Definition] = field(init=False)

    def __post_init__(self) -> None:
        self.definitions = self.made.definitions

    @property
    def level(self) -> s.Apply:
        """The variable."""
        return s.Apply(self.name)

    def of(self, e: s.Expression) -> s.Expression:
        """A conjunction with the variable in its bounds."""
        match e:
            case s.Apply("/\\", parts):
                found = tuple(map(self.of, parts))
                return e if all(map(is_, found, parts)) else replace(e, arguments=found)
            case s.Apply(name, ()) if name in self.definitions:
                one = self.definitions[name]
                body = self.of(one.body)
                if body is not one.body:
                    self.definitions = {**self.definitions, name: replace(one, body=body)}
            case s.Apply("<" | "<=" as operator, (s.Apply("TLCGet", (s.String("level"),)), most)):
                return self._bounded(e, operator == "<", most)
            case s.Apply(">" | ">=" as operator, (most, s.Apply("TLCGet", (s.String("level"),)))):
                return self._bounded(e, operator == ">", most)
        return e

    def _bounded(self, e: s.Apply, below: bool, most: s.Expression) -> s.Expression:
        if self.made.levels.of(most) is not Level.CONSTANT:
            return e
        self.top = most if below else s.Apply("+", (most, _ONE), place=e.place)
        return s.Apply("<" if below else "<=", (self.level, most), place=e.place)

"""Levels: whether an expression is about no state, one state, a step or a behaviour; mistakes in what it is about.

Lamport, *Specifying Systems* (2002), section 17.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import starmap

from leadline.symbolic.lang import Mistake
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import WithinEnabled, bound_by


class Level(IntEnum):
    """The levels of expressions."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3


_OPERATORS = {"'": Level.ACTION, "UNCHANGED": Level.ACTION, "\\cdot": Level.ACTION, "[]": Level.TEMPORAL,
              "<>": Level.TEMPORAL, "~>": Level.TEMPORAL, "-+->": Level.TEMPORAL}  # fmt: skip
_SUBSCRIPTED = {"[]_": Level.ACTION, "<<>>_": Level.ACTION, "WF_": Level.TEMPORAL, "SF_": Level.TEMPORAL}


@dataclass
class Judged:
    """A definition with what follows from the levels of the operators in it.

    Attributes:
        around: the levels of these operators, and which of their parameters occur only within ENABLED.
        level: that of its body.
        misuses: the mistakes in what it is about; None if nobody has looked.
    """

    definition: s.Definition
    around: dict[str, tuple[Level, frozenset[int]]]
    level: Level
    misuses: tuple[Mistake, ...] | None = None


class Levels:
    """The levels of resolved expressions.

    Parameters and bound names count as constants: an application is at the level of its arguments, too.

    Attributes:
        variables: the keys of the variables.
        judged: the definitions by identity.

    Args:
        definitions: the definitions by key.
        before: the `judged` of an earlier reading, of which stays what is still so.
    """

    def __init__(
        self,
        definitions: Mapping[str, s.Definition],
        variables: Collection[str],
        before: Mapping[int, Judged] | None = None,
    ) -> None:
        self.variables = frozenset(variables)
        self.judged: dict[int, Judged] = {}
        self._found: dict[int, tuple[s.Node, Level]] | None = None
        self._enabled = WithinEnabled(definitions)
        self._known = dict.fromkeys(definitions, Level.CONSTANT)
        changed = True
        while changed:  # twice, or once more for each recursion
            changed = False
            for key, one in definitions.items():
                level = self._judge(one, before or {}).level
                changed |= level is not self._known[key]
                self._known[key] = level
        self._found = {}  # what is known now stays

    def _judge(self, one: s.Definition, before: Mapping[int, Judged]) -> Judged:
        known = self.judged.get(id(one)) or before.get(id(one))
        names = known.around.keys() if known is not None else s.operators(one.body)
        around = {name: (self._of_operator(name), self._enabled.parameters(name)) for name in names}
        if known is None or known.around != around:
            known = Judged(one, around, self._of(one.body, frozenset(x.name for x in one.parameters)))
        self.judged[id(one)] = known
        return known

    def of_definition(self, key: str) -> Level:
        """The level of a definition's body."""
        return self._known[key]

    def of(self, e: s.Node, bound: frozenset[str] = frozenset()) -> Level:
        """The level of an expression.

        Args:
            bound: names that hide definitions and variables of the same name.
        """
        if bound or self._found is None:
            return self._of(e, bound)
        # A path through a formula asks for the level of each part, and of the parts of each part.
        known = self._found.get(id(e))
        if known is None:
            known = self._found[id(e)] = (e, self._of(e, bound))
        return known[1]

    def _of(self, e: s.Node, bound: frozenset[str] = frozenset()) -> Level:
        level = Level.CONSTANT
        match e:
            case s.Apply("ENABLED", (action,)):
                return min(self.of(action, bound), Level.STATE)
            case s.Apply(operator):
                level = self._of_operator(operator, bound)
            case s.Subscripted(kind):
                level = _SUBSCRIPTED[kind]
            case s.Quantified("\\AA" | "\\EE"):
                return Level.TEMPORAL
        inner = bound | bound_by(e)
        for place, child in enumerate(s.children(e)):
            if level is Level.TEMPORAL:
                break
            found = self.of(child, inner)
            if found is Level.ACTION and self._enabled.only(e, place):
                found = Level.STATE
            level = max(level, found)
        return level

    def _of_operator(self, operator: str, bound: frozenset[str] = frozenset()) -> Level:
        if operator in bound:
            return Level.CONSTANT
        if operator in self.variables:
            return Level.STATE
        return self._known.get(operator, _OPERATORS.get(operator, Level.CONSTANT))


_ABOUT_STEPS = {
    "'": "a formula about a step has no next value: expected one about a state before the prime",
    "UNCHANGED": "a formula about a step has no next value: expected one about a state after UNCHANGED",
}
_LOOSE = {
    "[]": ("[]_", "[] is followed by a formula about a step: expected [][A]_v"),
    "<>": ("<<>>_", "<> is followed by a formula about a step: expected <><<A>>_v"),
}


_MIXED = frozenset({Level.ACTION, Level.TEMPORAL})
_OF_VALUES = frozenset({"=", "#", "\\in", "\\notin", "\\subseteq", "\\cup", "\\cap", "\\", "\\X",
                        "SUBSET", "UNION", "DOMAIN", "\\cdot"})  # fmt: skip
"""The operators whose operands are no temporal formulas."""


def misuses(definitions: Iterable[s.Definition], levels: Levels) -> dict[Mistake, None]:
    """The mistakes in definitions, each once: copies of a definition have its mistakes too."""
    found: dict[Mistake, None] = {}
    for one in definitions:
        judged = levels.judged[id(one)]
        if judged.misuses is None:
            names = frozenset(parameter.name for parameter in one.parameters)
            judged.misuses = tuple(starmap(Mistake, _found(one.body, names, levels)))
        found |= dict.fromkeys(judged.misuses)
    return found


_INSTEAD = {
    Level.CONSTANT: "is a constant of a module with variables: expected an expression without variables for it",
    Level.STATE: "is a variable: expected an expression about a state for it",
}


def given(instead: Iterable[tuple[str, s.Expression, Level]], levels: Levels) -> Iterator[Mistake]:
    """The mistakes in expressions that stand for constants and variables of modules.

    Args:
        instead: for each constant or variable its name, the expression, and the highest level that this may have.
        levels: the levels of expressions.
    """
    for name, e, most in instead:
        if levels.of(e) > most:
            yield Mistake(e.place, f"{name} {_INSTEAD[most]}")


def _found(root: s.Node, names: frozenset[str], levels: Levels) -> Iterator[tuple[s.Place, str]]:
    todo: list[tuple[s.Node, frozenset[str], bool]] = [(root, names, False)]
    temporal = levels.of(root, names) is Level.TEMPORAL
    while todo:
        e, bound, updating = todo.pop()
        text = _mistake(e, bound, updating, levels)
        text = _mistake_within(e, bound, levels) if text is None and temporal else text
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
            kind, text = _LOOSE[operator]
            return None if isinstance(one, s.Subscripted) and one.kind == kind else text
        case s.Apply("~>" | "-+->" as operator, items) if Level.ACTION in _levels(items, bound, levels):
            return (
                f"a formula about a step stands beside {operator}: expected those about states or behaviours"
            )
        case s.Subscripted(_, _, subscript) if levels.of(subscript, bound) >= Level.ACTION:
            return "the subscript is about a step: expected one about a state"
        case s.Subscripted(_, action, _) if levels.of(action, bound) is Level.TEMPORAL:
            return "a temporal formula is no action: expected a formula about a step"
    return None


def _mistake_within(e: s.Node, bound: frozenset[str], levels: Levels) -> str | None:
    """The mistake at a part of a formula whose level is temporal; None if it has none."""
    inner = _levels(s.children(e), bound | bound_by(e), levels)
    match e:
        case s.Apply("/\\" | "\\/" | "=>" | "<=>" as operator) if inner >= _MIXED:
            return (
                f"a formula about a step and one about behaviours stand beside {operator}: expected [][A]_v"
            )
        case s.Quantified("\\A" | "\\E", _, body) if inner >= _MIXED:
            if levels.of(body, bound | bound_by(e)) is Level.TEMPORAL:
                return "a formula about behaviours is quantified over a set of the next state"
        case s.Apply(operator) if operator not in _OF_VALUES:
            return None
        case (
            s.Apply() | s.Filter() | s.Choose() | s.Image() | s.SetOf() | s.TupleOf() | s.Index() | s.Bound()
        ):
            if Level.TEMPORAL in inner:
                return "a temporal formula is no value: expected a term about a state or a step"
    return None


def _levels(parts: Iterable[s.Node], bound: frozenset[str], levels: Levels) -> frozenset[Level]:
    return frozenset(levels.of(x, bound) for x in parts)

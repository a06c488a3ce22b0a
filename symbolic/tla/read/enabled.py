"""ENABLED within an instance that puts expressions in place of its module's variables.

`ENABLED A` says that A holds for some next values of the variables. Where `INSTANCE M WITH x <- e` makes a copy
of it, x' is one of these values, and not the next value of e (Lamport, *Specifying Systems*, 2002, section 17.8).
So x' becomes a variable of its own there, which occurs nowhere else. A resolver names the definitions that stand
for such variables behind ENABLED's argument: see `marked`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import dependent, unsubscripted

_N = TypeVar("_N", bound=s.Node)


def marked(action: s.Expression, hidden: Iterable[str], place: s.Place) -> s.Apply:
    """ENABLED of an action, with the definitions that stand for variables."""
    return s.Apply("ENABLED", (action, *map(s.Apply, hidden)), place=place)


def fairness(e: s.Subscripted, hidden: Iterable[str]) -> s.Expression:
    """`WF_v(A)` or `SF_v(A)` by its definition (section 8.6), with a marked ENABLED."""
    step = replace(e, kind="<<>>_")

    def apply(operator: str, *arguments: s.Expression) -> s.Apply:
        return s.Apply(operator, arguments, place=e.place)

    disabled = apply("~", marked(step, hidden, e.place))
    outer, inner = ("<>", "[]") if e.kind == "SF_" else ("[]", "<>")
    return apply("\\/", apply(outer, apply(inner, disabled)), apply("[]", apply("<>", step)))


def spoken(variable: str) -> str:
    """The name of a variable, or of the one in an instance that it stands for behind ENABLED."""
    return variable.partition("~")[0]


class Hiding:
    """The removal of the marks from a specification's definitions.

    Attributes:
        variables: the variables that it adds, whose next values alone occur.
    """

    def __init__(self, definitions: dict[str, s.Definition]) -> None:
        self.variables: set[str] = set()
        self._definitions = definitions
        self._copies: dict[tuple[str, ...], _Copy] = {}

    def run(self) -> None:
        """Replace each marked ENABLED."""
        done = set[str]()
        while todo := self._definitions.keys() - done:  # with the copies that were made meanwhile
            for key in sorted(key for key in todo if _is_marked(self._definitions[key])):
                self._definitions[key] = self._without_marks(self._definitions[key])
            done |= todo

    def _without_marks(self, e: _N) -> _N:
        e = s.rebuilt(e, self._without_marks)
        match e:
            case s.Apply("ENABLED", (action, *marks)) if marks:
                hidden = tuple(one.operator for one in marks if isinstance(one, s.Apply))
                if hidden not in self._copies:
                    self._copies[hidden] = _Copy(self._definitions, hidden, f"~{len(self._copies) + 1}")
                    self.variables |= set(self._copies[hidden].variables.values())
                return replace(e, arguments=(self._copies[hidden].now(action),))
        return e


def _is_marked(definition: s.Definition) -> bool:
    operators = (one for one in s.nodes(definition) if isinstance(one, s.Apply))
    return any(one.operator == "ENABLED" and len(one.arguments) > 1 for one in operators)


class _Copy:
    """Expressions in which the next values of some definitions are those of variables."""

    def __init__(self, definitions: dict[str, s.Definition], hidden: tuple[str, ...], suffix: str) -> None:
        self.variables = {key: key + suffix for key in hidden}
        self._definitions = definitions
        self._suffix = suffix
        self._touched = dependent(definitions, hidden)

    def now(self, e: _N) -> Any:
        """An expression about a step."""
        match e:
            case s.Apply("'", (item,)):
                return replace(e, arguments=(self.next(item),))
            case s.Apply("UNCHANGED", (item,)):
                return self._unchanged(item, e.place)
            case s.Subscripted():
                return self.now(unsubscripted(e))
            case s.Apply(operator) if operator in self._touched and operator not in self.variables:
                return self._applied(e, self.now, "")
        return s.rebuilt(e, self.now)

    def next(self, e: _N) -> Any:
        """An expression about a state, below a prime."""
        match e:
            case s.Apply(operator) if operator in self.variables:
                return s.Apply(self.variables[operator], place=e.place)
            case s.Apply(operator) if operator in self._touched:
                return self._applied(e, self.next, "'")
        return s.rebuilt(e, self.next)

    def _unchanged(self, e: s.Expression, place: s.Place) -> s.Expression:
        if isinstance(e, s.TupleOf):
            return s.Apply("/\\", tuple(self._unchanged(one, place) for one in e.items), place=place)
        if isinstance(e, s.Apply) and not e.arguments and e.operator in self._touched - self.variables.keys():
            # Such as `vars`: each variable in it gets its next value here, where it has none.
            return self._unchanged(self._definitions[e.operator].body, place)
        after = s.Apply("'", (self.next(e),), place=place)
        return s.Apply("=", (after, self.now(e)), place=place)

    def _applied(self, e: s.Apply, of: Callable[[Any], Any], mark: str) -> s.Apply:
        """The application of a definition's copy, which is made at its first use."""
        key = e.operator + self._suffix + mark
        if key not in self._definitions:
            one = self._definitions[e.operator]
            self._definitions[key] = one  # for its own recursion
            body = of(one.body)
            if isinstance(body, s.Function) and body.name == e.operator:
                body = replace(body, name=key)
            self._definitions[key] = replace(one, name=key, body=body)
        return replace(e, operator=key, arguments=tuple(map(of, e.arguments)))

"""Parts of definitions by their places, such as `Inv!2!(x)`, and by labels, as SANY finds them.

Lamport, *TLA+2: A Preliminary Guide* (2014), section 4, has the rules, and `selectorToNode` of SANY's Generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from leadline.symbolic.tla.read import syntax as s


class NoPart(Exception):
    """A step that leads to no part; its text is what was expected."""


@dataclass
class Way:
    """A way into a definition, as it is written.

    Attributes:
        found: the expression that it has come to.
        parameters: the names that are bound around it.
        arguments: their values, as they are written.
        around: the LETs around it, outermost first.
    """

    found: s.Expression
    parameters: list[s.Parameter] = field(default_factory=list)
    arguments: list[s.Expression] = field(default_factory=list)
    around: list[s.Let] = field(default_factory=list)

    @property
    def whole(self) -> s.Expression:
        """The expression within its LETs."""
        result = self.found
        for let in reversed(self.around):
            result = replace(let, body=result)
        return result

    def go(self, steps: Sequence[s.Step]) -> None:
        """Take the steps.

        Raises:
            NoPart: if there is no such part.
        """
        rest = list(steps)
        while rest:
            step = rest.pop(0)
            if isinstance(step, s.Apply):
                self._to_name(step)
                continue
            while isinstance(self.found, s.Label):
                self.found = self.found.body
            if isinstance(step, int) and isinstance(self.found, s.Case):
                self._to_arm(self.found, step, rest.pop(0) if rest else None)
            elif isinstance(step, int):
                self._to_operand(step)
            elif isinstance(step, tuple):
                self._to_body(step)
            elif step != ":":
                raise NoPart("values for the bound names, such as `!(x)`")

    def _to_operand(self, place: int) -> None:
        if isinstance(self.found, s.Let):
            self.around.append(self.found)
        below = _operands(self.found)
        if not 0 < place <= len(below):
            raise NoPart(f"a place from 1 to {len(below)}" if below else "an expression with operands")
        self.found = below[place - 1]

    def _to_arm(self, case: s.Case, arm: int, side: s.Step | None) -> None:
        arms: list[tuple[s.Expression | None, s.Expression | None]] = [*case.arms, (None, case.other)]
        pair = arms[arm - 1] if 0 < arm <= len(arms) else (None, None)
        chosen = pair[side - 1] if isinstance(side, int) and side in (1, 2) else None
        if chosen is None:
            raise NoPart("`!i!1` for the condition of an arm, or `!i!2` for its value")
        self.found = chosen

    def _to_body(self, values: tuple[s.Expression, ...]) -> None:
        bounds, body = _binder(self.found)
        names = [s.Parameter(name, place=one.place) for one in bounds for name in one.names]
        if body is None or len(names) != len(values):
            raise NoPart(
                f"values for {len(names)} bound names" if names else "an expression that binds names"
            )
        self.parameters += names
        self.arguments += values
        self.found = body

    def _to_name(self, step: s.Apply) -> None:
        lets, node = next(_named(self.found, step.operator), ([], None))
        if node is None:
            raise NoPart("a label or a place of its definition")
        if len(node.parameters) != len(step.arguments):
            raise NoPart(f"{len(node.parameters)} arguments of {step.operator}")
        self.around += lets
        self.parameters += node.parameters
        self.arguments += step.arguments
        self.found = node.body


def _operands(e: s.Expression) -> list[s.Expression]:
    """The parts of an expression that have a place."""
    match e:
        case s.Record(fields) | s.RecordSet(fields):
            return [part for _, part in fields]
        case s.Except(function, _) | s.Index(function, s.String()):
            return [function]
        case s.Let(_, inner):
            return [inner]
    bounds, body = _binder(e)
    if body is not None:
        return [one.domain for one in bounds if one.domain is not None]
    return [cast(s.Expression, part) for part in s.children(e)]


def _binder(e: s.Expression) -> tuple[Sequence[s.Bound], s.Expression | None]:
    """The bounds of an expression, and that in which their names are bound; None if there are none."""
    match e:
        case s.Quantified(_, bounds, body) | s.Image(body, bounds) | s.Function(bounds, body):
            return bounds, body
        case s.Choose(bound, body) | s.Filter(bound, body):
            return (bound,), body
    return (), None


def _named(e: s.Node, name: str) -> Iterator[tuple[list[s.Let], s.Label | s.Definition]]:
    """The labels and LET definitions of a name, each with the LETs around it."""
    around = [e] if isinstance(e, s.Let) else []
    for child in s.children(e):
        if isinstance(child, s.Definition) and child.name == name:
            yield around, child
        for lets, one in _named(child, name):
            yield [*around, *lets], one
    if isinstance(e, s.Label) and e.name == name:
        yield [], e

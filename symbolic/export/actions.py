"""Actions of a model as TLA+ operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadline.symbolic.export.layout import (
    WIDTH,
    Lines,
    ModulePrinter,
    bare,
    bullets,
    conjuncts_of,
    fill,
    hang,
    picks_in,
)
from leadline.symbolic.lang import Action, Map, Model, Pick, nodes as n
from leadline.symbolic.notation.names import Words

_TAKEN = 12
"""Columns kept for the quantifiers and bullets around a conjunct."""


class OperatorWriter:
    """The body of an operator: one action, or the initial states.

    Args:
        model: the model.
        action: the action.
        words: the module's names.
        given: the names of leaves whose values the operator is given, by the picks' names.
    """

    def __init__(
        self, model: Model, action: Action, words: Words, given: Mapping[str, str] | None = None
    ) -> None:
        self._initial = action is model.init
        self._variables = [words.variables[variable.name] for variable in model.variables]
        self._updates = {words.variables[name]: node for name, node in action.updates}
        given = given or {}
        self._picks = {**given, **words.picks((pick.name for pick in action.picks), given.values())}
        self._layout = ModulePrinter(words, self._picks)
        self._layout.share(action.roots)
        self._picked: set[str] = set(given)
        self._defined: set[n.Node] = set()

    def lines(self, body: Sequence[Pick | n.Node]) -> Lines:
        """The lines of the rest of the action's body and of its updates."""
        first = _first_picks(body)
        if (not first or self._waiting(first)) and (parts := self._definable()):
            self._defined.update(parts)
            return self._layout.let(parts, self.lines(body))
        if first:
            self._picked.update(pick.name for pick in first)
            ranges = ", ".join(self._range(pick) for pick in first)
            return [f"\\E {ranges} :", *hang("  ", self.lines(body[len(first) :]))]
        conjuncts: list[Lines] = []
        for place, item in enumerate(body):
            if isinstance(item, Pick):
                return bullets("/\\", [*conjuncts, self.lines(body[place:])])
            conjuncts += map(self._guard, conjuncts_of(item))
        return bullets("/\\", [*conjuncts, *self._next()])

    def _definable(self) -> list[n.Node]:
        """The parts that are not yet defined and whose picks are all made."""
        found = [part for part in self._layout.parts if part not in self._defined]
        return [part for part in found if picks_in(part) <= self._picked]

    def _waiting(self, picks: Sequence[Pick]) -> bool:
        """Whether the picks' domains use parts that are not yet defined."""
        domains = n.postorder(*(pick.domain for pick in picks if pick.domain is not None))
        return any(part in domains for part in self._layout.parts if part not in self._defined)

    def _range(self, pick: Pick) -> str:
        domain = pick.type if pick.domain is None else pick.domain
        return self._layout.range(self._picks[pick.name], domain)

    def _guard(self, node: n.Node) -> Lines:
        if branches(node) and any(map(_may_fail, n.postorder(node))):
            # TLC would evaluate every branch, also those behind the first that is true.
            return hang("TRUE = ", self._layout.lines(node, WIDTH - _TAKEN - 7, 5))
        return self._layout.lines(node, WIDTH - _TAKEN)

    def _next(self) -> list[Lines]:
        prime = "" if self._initial else "'"
        room = WIDTH - _TAKEN
        assigned = []
        for name, node in self._updates.items():
            head = f"{name}{prime} = "
            assigned.append(hang(head, self._layout.lines_of_value(node, room - len(head))))
        kept = [name for name in self._variables if name not in self._updates]
        return [*assigned, unchanged(kept, self._variables, room)] if kept else assigned


def _may_fail(node: n.Node) -> bool:
    """Whether TLC may fail to evaluate a node whose parts it can evaluate."""
    if isinstance(node, n.Apply):
        kind = node.map.type
        return isinstance(kind, Map) and not kind.key.includes(bare(node.key).type)
    return isinstance(node, (*n.PARTIAL, n.Div, n.Mod))


def unchanged(kept: Sequence[str], variables: Sequence[str], room: int) -> Lines:
    """The conjunct that keeps the values of these variables."""
    if len(kept) == len(variables):
        return ["UNCHANGED vars"]
    return [f"UNCHANGED {kept[0]}"] if len(kept) == 1 else fill("UNCHANGED <<", kept, ">>", room)


def branches(node: n.Node) -> bool:
    """Whether TLC splits a guard into several actions: it evaluates every side of a disjunction in one."""
    todo = [node]
    while todo:
        one = todo.pop()
        match one:
            case n.Or() | n.Exists():
                return True
            case n.And():
                todo += one.items
            case n.Forall():
                todo.append(one.body)
            case n.Ite():
                todo += (one.then, one.orelse)
    return False


def _first_picks(body: Sequence[Pick | n.Node]) -> list[Pick]:
    """The picks that one quantifier can bind: the first ones, as long as their domains use none of them."""
    found: list[Pick] = []
    for item in body:
        if not isinstance(item, Pick):
            break
        names = picks_in(item.domain) if item.domain is not None else set()
        if not names.isdisjoint(pick.name for pick in found):
            break
        found.append(item)
    return found

"""Actions and initial states as operators."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.export.layout import Layout, conjuncts_of
from leadline.symbolic.export.lines import WIDTH, Lines, bullets, fill, hang
from leadline.symbolic.export.names import Words
from leadline.symbolic.export.sharing import bare, picks_in
from leadline.symbolic.lang import Action, Map, Model, Pick
from leadline.symbolic.lang import nodes as n

_TAKEN = 12
"""Columns of a line that the quantifiers and bullets around a conjunct may take."""

_MAY_FAIL = (
    n.Undefined,
    n.Div,
    n.Mod,
    n.Choose,
    n.MinOf,
    n.MaxOf,
    n.Get,
    n.Payload,
    n.Index,
    n.SeqUpdate,
    n.Slice,
)


class Operator:
    """One action, or the initial states, as the body of an operator.

    Args:
        model: the model.
        action: the action.
        words: the module's names.
    """

    def __init__(self, model: Model, action: Action, words: Words) -> None:
        self._initial = action is model.init
        self._variables = [words.variables[variable.name] for variable in model.variables]
        self._updates = {words.variables[name]: node for name, node in action.updates}
        self._picks = words.picks(pick.name for pick in action.picks)
        self._layout = Layout(words, self._picks)
        self._layout.share(action.roots)
        self._picked: set[str] = set()
        self._defined: set[n.Node] = set()

    def lines(self, body: Sequence[Pick | n.Node]) -> Lines:
        """The lines for the rest of the action's body and its updates."""
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
        """The parts, not defined so far, all of whose picks are made."""
        found = [part for part in self._layout.parts if part not in self._defined]
        return [part for part in found if picks_in(part) <= self._picked]

    def _waiting(self, picks: Sequence[Pick]) -> bool:
        """Whether the picks' domains speak of parts that are not defined."""
        domains = n.postorder(*(pick.domain for pick in picks if pick.domain is not None))
        return any(part in domains for part in self._layout.parts if part not in self._defined)

    def _range(self, pick: Pick) -> str:
        domain = pick.type if pick.domain is None else pick.domain
        return self._layout.range(self._picks[pick.name], domain)

    def _guard(self, node: n.Node) -> Lines:
        if branches(node) and any(map(_may_fail, n.postorder(node))):
            # TLC would go into every branch, also those that the first true one spares.
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
    """Whether TLC may be unable to evaluate an expression, but for its parts."""
    if isinstance(node, n.Apply):
        kind = node.map.type
        return isinstance(kind, Map) and not kind.key.includes(bare(node.key).type)
    return isinstance(node, _MAY_FAIL)


def unchanged(kept: Sequence[str], variables: Sequence[str], room: int) -> Lines:
    """That the variables keep their values."""
    if len(kept) == len(variables):
        return ["UNCHANGED vars"]
    return [f"UNCHANGED {kept[0]}"] if len(kept) == 1 else fill("UNCHANGED <<", kept, ">>", room)


def branches(node: n.Node) -> bool:
    """Whether TLC takes a guard for several actions in one: it evaluates every side of a disjunction that
    stands where an action may stand."""
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
    """The picks that one quantifier can bind: the first ones, while their domains speak of none of them."""
    found: list[Pick] = []
    for item in body:
        if not isinstance(item, Pick):
            break
        names = picks_in(item.domain) if item.domain is not None else set()
        if not names.isdisjoint(pick.name for pick in found):
            break
        found.append(item)
    return found

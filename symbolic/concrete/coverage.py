"""Coverage: how often actions are taken and guards are true, and properties that hold vacuously."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

from leadline.symbolic.concrete.actions import Form, functions_of
from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.lang import Action, Bool, Model, OutOfBounds, Pick, Property, nodes as n, schedule
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.meaning import Explorer
from leadline.symbolic.meaning.coverage import Suspect, Suspects


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard of an action, a conjunct by itself.

    Attributes:
        action: the action.
        node: the guard.
        tried: how often it was evaluated, for each state and for each choice of the picks before it.
        true: how often it was true.
    """

    action: Action
    node: n.Node
    tried: int
    true: int


class Counted(Semantics):
    """The meaning of a model whose steps count how often each guard is evaluated, and is true."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._counts: list[list[int]] = []

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        return functions_of(self.model, self._actions, Form.STATES, self._counts)

    @property
    def guards(self) -> list[Guard]:
        """The guards of all actions, in the order in which they are evaluated."""
        pairs = zip(self.model.actions, self._counts[1:], strict=True)
        return [guard for action, counts in pairs for guard in _guards(action, counts)]


def _guards(action: Action, counts: Sequence[int]) -> list[Guard]:
    """The guards of an action, whose function has counted in this list."""
    nodes = [item for item in schedule(action) if not isinstance(item, Pick)]
    return [Guard(action, *one) for one in zip(nodes, counts[::2], counts[1::2], strict=True)]


def never_true(explorer: Explorer[Semantics]) -> list[Guard]:
    """The first guard that no state found satisfies of each action never taken that has one."""
    model, counts = explorer.semantics.model, list[list[int]]()
    never = [action for action, times in zip(model.actions, explorer.fired[1:], strict=True) if not times]
    steps = functions_of(model, never, Form.STATES, counts)
    nowhere: list[State | None] = []
    for state in explorer.states_within if never else ():
        for step in steps:
            step(state, nowhere.append)
    guards = (_guards(action, numbers) for action, numbers in zip(never, counts, strict=True))
    return [one for own in guards for one in [x for x in own if not x.true][:1]]


Vacuous: TypeAlias = Suspect[n.Node, n.Node]
"""A part of a property of a model that may be without effect."""


def suspects_of(semantics: Semantics, names: Sequence[str]) -> Suspects[n.Node, n.Node]:
    """The parts of properties that may be without effect, to be looked at in states."""

    def holds(node: n.Node, state: State) -> bool:
        try:
            return bool(semantics.evaluate(node, state))
        except OutOfBounds:
            return False

    properties = semantics.model.properties
    found = (one for name in names for one in suspects(properties[name]))
    return Suspects([(one, partial(holds, one.weakened)) for one in found])


def suspects(claim: Property) -> Iterator[Vacuous]:
    """The implications and quantifiers over sets that a property asserts, as written, from the outermost on."""
    asserted = dict[n.Node, tuple[frozenset[n.Node], bool, bool]]()
    others = list[n.Node]()
    waiting = [(claim.formula, frozenset[n.Node](), False, False)]
    while waiting:
        node, around, partly, beside = waiting.pop(0)
        if node in asserted:
            continue
        asserted[node] = around, partly, beside
        match node:
            case n.And() | n.Or():
                several = len({_written(claim, item) for item in node.items}) > 1
                also = beside or (several and isinstance(node, n.Or))
                waiting += [(item, around, partly or several, also) for item in node.items]
            case n.Implies():
                waiting.append((node.conclusion, around | {node}, partly, beside))
                others.append(node.premise)
            case n.Forall():
                waiting.append((node.body, around | {node}, partly, beside))
                others.append(node.domain)
            case _:
                others += n.children(node)
    # A part of which an instance is within a premise, say, would have to be made true there.
    elsewhere = {_written(claim, x) for x in n.postorder(*others) if isinstance(x, n.Implies | n.Forall)}
    instances: dict[object, list[n.Node]] = {}
    for node in asserted:
        if _without_effect(node) is not None and (written := _written(claim, node)) not in elsewhere:
            instances.setdefault(written, []).append(node)
    for nodes in instances.values():
        around, partly, beside = asserted[nodes[0]]
        made = {node: found for node in nodes if (found := _without_effect(node)) is not None}
        is_set = isinstance(nodes[0], n.Forall)
        weakened = replaced(claim.formula, {node: instead for node, (_, instead) in made.items()})
        yield Suspect(claim.name, made[nodes[0]][0], is_set, partly, beside, nodes[0], around, weakened)


def _written(claim: Property, node: n.Node) -> object:
    """The part of a property as it is written: all instances of an unrolled body are one part."""
    place = claim.places.get(node, node.span)
    return (type(node), place) if place.exact else node


def _without_effect(node: n.Node) -> tuple[n.Node, n.Node] | None:
    """The premise or set of a node, and the node with its conclusion or body made false; None for other nodes."""
    false = n.make(n.Const, Bool(), node.span, False)
    match node:
        case n.Implies():
            return node.premise, n.make(n.Not, Bool(), node.span, node.premise)
        case n.Forall() if not isinstance(node.domain, n.Universe | n.Const):
            return node.domain, n.make(n.Forall, Bool(), node.span, node.var, node.domain, false)
    return None

"""The sorts whose members may be permuted: the initial states, actions and properties treat them alike.

A model tells members of a sort apart where it names one. It may also do so where it goes through them in an
order (`leadline.symbolic.encode.orders`). Such expressions are encoded twice in a free state: with the members in
their order, and with two neighbours exchanged in it. A solver is asked whether the results can differ; if so,
whether those of the whole action or claim can. A choice of the node with the longest log may be one of several,
but an action that reads the length of that log alone treats them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.encode import Instance, Unrolled
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.orders import Reordered, has_order, ordered_in
from leadline.symbolic.encode.template import template
from leadline.symbolic.encode.updates import Updates
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import (
    BOOL,
    Action,
    Model,
    Permutation,
    Property,
    Sort,
    Type,
    exchanges,
    nodes as n,
    sorts_in,
    symmetric_sorts,
)
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability


def sorts_alike(
    model: Model, properties: Sequence[Property], *, truth_alone: bool = False, initially: bool = True
) -> tuple[Sort, ...]:
    """The sorts whose members may be permuted: initial states, actions and properties treat them alike.

    Args:
        model: the model.
        properties: the properties that will be checked together.
        truth_alone: whether it only counts where the properties are true: a permutation may turn a state where
            one is false into a state where its evaluation is out of bounds.
        initially: as for `symmetric_sorts`.
    """
    sorts = symmetric_sorts(model, properties, in_any_order=False, initially=initially)
    for action in (model.init, *model.actions) if initially else model.actions:
        sorts = _alike_in(_Part(model, action.roots, action), sorts)
    for one in properties:
        sorts = _alike_in(_Part(model, [one.formula], truth_alone=truth_alone), sorts)
    return sorts


def representative_cases(formula: n.Node, sorts: Sequence[Sort]) -> n.Node:
    r"""Fewer cases of a formula: it is false in a state if and only if they are false in an image of the state.

    In `\A m, n \in Node : P(m, n)` a permutation makes the first node of any m, and the second of any n that
    differs from it: two cases stand for all pairs of nodes.

    Args:
        formula: a formula that names no member of the sorts.
        sorts: the sorts whose members may be permuted.
    """
    return formula if has_order(formula) else _with_representatives(formula, dict.fromkeys(sorts, 1))


def _with_representatives(node: n.Node, enough: Mapping[Sort, int]) -> n.Node:
    """The formula with quantifiers that go through fewer members.

    Args:
        node: the formula.
        enough: for each sort, how many members the next quantifier over it has to go through.
    """
    match node:
        case n.And():
            return n.rebuilt(node, lambda x: _with_representatives(x, enough))
        case n.Implies():
            return n.rebuilt(node, lambda x: _with_representatives(x, enough) if x is node.conclusion else x)
        case n.Forall():
            kind, domain = node.var.type, node.domain
            constant = isinstance(domain, n.Const) and kind.has_exactly(len(domain.value))
            whole = constant or isinstance(domain, n.Universe)
            if isinstance(kind, Sort) and kind in enough and whole:
                some = frozenset(kind.members[: enough[kind]])
                domain = n.make(n.Const, domain.type, domain.span, some)
                enough = {**enough, kind: enough[kind] + 1}
            else:
                # Its values are permuted with the state.
                enough = {sort: count for sort, count in enough.items() if sort not in sorts_in(kind)}
            return n.rebuilt(node, lambda x: domain if x is node.domain else _with_representatives(x, enough))
    return node


_Result: TypeAlias = tuple[int, Shape, Type]
"""A value with its type, and the literal that it matters."""


@dataclass(frozen=True)
class _Part:
    """An action, or the formula of a claim.

    Attributes:
        model: its model.
        roots: its expressions.
        action: the action; None for a claim.
        truth_alone: whether it only counts where the claim is true.
    """

    model: Model
    roots: Sequence[n.Node]
    action: Action | None = None
    truth_alone: bool = False

    @property
    def nodes(self) -> list[n.Node]:
        """All expressions, and the variables that an action assigns: it may leave parts of them as they are."""
        if self.action is None or self.action is self.model.init:
            return [*self.roots]
        assigned = (n.make(n.StateVar, x.type, x.span, name) for name, x in self.action.updates)
        return [*self.roots, *assigned]

    def ordered(self, actions: Actions) -> Iterator[_Result]:
        """The values of what goes through members in an order, and whether these are out of bounds."""
        renamed = (lambda node: node) if self.action is None else actions.renaming(self.action)
        for node in ordered_in(self.roots):
            value, error = actions.expressions.evaluate(renamed(node))
            yield TRUE, error, BOOL
            yield -error, value, node.type

    def whole(self, actions: Actions) -> Iterator[_Result]:
        """All that the part tells of a state."""
        if self.action is not None:
            effect = actions.effect(self.action)
            yield TRUE, effect.enabled, BOOL
            yield TRUE, effect.out_of_bounds, BOOL
            kinds = {name: node.type for name, node in self.action.updates}
            yield from ((effect.enabled, shape, kinds[name]) for name, shape in effect.next.items())
            return
        for node in self.roots:
            value, error = actions.expressions.evaluate(node)
            yield TRUE, actions.circuit.conj((value, -error)), BOOL
            yield TRUE, FALSE if self.truth_alone else error, BOOL


def _alike_in(part: _Part, sorts: tuple[Sort, ...]) -> tuple[Sort, ...]:
    """Those of some sorts whose order does not show in a part."""
    nodes = list(ordered_in(part.roots))
    apart = _Comparison(part, nodes).apart(part.ordered, sorts) if nodes else set()
    if apart:
        apart = _Comparison(part, part.nodes).apart(part.whole, [x for x in sorts if x in apart])
    return tuple(sort for sort in sorts if sort not in apart)


class _Comparison:
    """A free state, of which a part of a model is encoded in several orders.

    Args:
        part: the part.
        nodes: what is encoded. A state may be large: it has the variables that these read alone.
    """

    def __init__(self, part: _Part, nodes: Sequence[n.Node]) -> None:
        circuit = Circuit()
        slots = PickSlots(circuit)
        if part.action is not None:
            slots.add(part.action)
        read = {x.name: x.type for x in n.postorder(*nodes) if isinstance(x, n.StateVar)}
        state = {name: slots.layout.free(kind) for name, kind in read.items()}
        self._actions = Actions(circuit, part.model, state, slots)
        self._valid = [slots.valid(), *(slots.layout.valid(state[name], kind) for name, kind in read.items())]

    def apart(self, asked: Callable[[Actions], Iterator[_Result]], sorts: Sequence[Sort]) -> set[Sort]:
        """The sorts on whose order results depend in some state, reachable or not."""
        circuit, own = self._actions.circuit, list(asked(self._actions))
        differs = {}
        for sort in sorts:
            found = []
            for swap in exchanges(sort):
                others = asked(self._with_order(swap))
                for (matters, value, kind), (_, other, _) in zip(own, others, strict=True):
                    same = self._actions.expressions.values.equal(value, other, kind)
                    found.append(circuit.conj((matters, -same)))
            differs[sort] = circuit.disj(found)
        solver = SOLVERS[LONE]()
        made = Instance(template(circuit, (), differs.values(), self._valid), (), Unrolled(solver))
        return {
            sort
            for sort, literal in differs.items()
            if literal != FALSE and solver.check([made(literal)]) is not Satisfiability.UNSATISFIABLE
        }

    def _with_order(self, swap: Permutation) -> Actions:
        found = copy(self._actions)
        found.expressions = Reordered(self._actions.expressions, swap)
        found.updates = Updates(found.expressions)
        return found

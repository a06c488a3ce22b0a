"""The facts about a model that sweeps rest on: an order of its actions, and the sorts that may be permuted.

Order. The protocol's own order comes first. The other actions are sorted by the number of steps after which
they are first enabled, seen in the runs that types were learned from, or else in a short breadth-first look at the
concrete states; ties, and actions that were not met, stay as they are written.

Sorts. A quantifier stops at the first element that decides it. Where one element decides and another goes out
of bounds, the result depends on the order of the sort's members, which tells them apart as a constant does.
A solver is asked whether this can happen in any state, reachable or not. A claim that one member makes false and
another out of bounds is not true in either order: searches for any state where it is not true may ignore that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.encode import Instance, Unrolled
from leadline.symbolic.encode.circuit import FALSE, Circuit
from leadline.symbolic.encode.expressions import Expressions, Partial, sought_in
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.template import template
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import (
    Action,
    Model,
    Pick,
    Property,
    Sort,
    is_total,
    nodes as n,
    sorts_in,
    symmetric_sorts,
)
from leadline.symbolic.lang.nodes import free_variables, rebuilt, replaced
from leadline.symbolic.meaning import Step
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability

LOOK = 1000
"""The most states that the look visits, in a few hundredths of a second."""

BEGINNINGS = 100
"""The most initial states among them: where there are many, the look must get beyond them."""

TRIES = 1000
"""The most values to try for the picks of an action in a state: large types are cut short."""

ALL_TRIES = 10_000
"""The same over all actions and states, with the number of actions added."""


def sweep_order(model: Model, semantics: Semantics) -> tuple[Action, ...]:
    """The actions in the order of a sweep."""
    given = {one.name for one in model.actions} <= set(model.sweep_order)
    return _in_order(model, _first_taken(model) or ({} if given else first_enabled(model, semantics)))


def known_order(base: Model, actions: Sequence[Action]) -> tuple[str, ...]:
    """The names of the actions of a model made of another one, in the order of a sweep as far as it is known.

    Args:
        base: the other model. Where runs have told when its actions are taken, no look at the new one is needed.
        actions: the actions of the new model; those that the other one has not come first.
    """
    first = _first_taken(base)
    if not first:
        return base.sweep_order
    own = [one.name for one in _in_order(base, first)]
    return (*(one.name for one in actions if one.name not in own), *own)


def _first_taken(model: Model) -> dict[str, int]:
    """The number of steps after which actions were taken in runs; none where no runs were taken."""
    known = {} if model.origin is None else model.origin.first_taken()
    return {one.name: known[one.tla] for one in model.actions if one.tla in known}


def _in_order(model: Model, first: Mapping[str, int]) -> tuple[Action, ...]:
    own = {name: place for place, name in enumerate(model.sweep_order)}

    def key(action: Action) -> tuple[int, int]:
        return own.get(action.name, len(own)), first.get(action.name, LOOK)

    return tuple(sorted(model.actions, key=key))


def first_enabled(model: Model, semantics: Semantics) -> dict[str, int]:
    """The number of steps after which an action is first enabled, for the actions that the look meets."""
    look = _Look(semantics)
    layer = list(islice(look.states(look.outcomes(None, "init")), BEGINNINGS))
    found: dict[str, int] = {}
    depth = 0
    while layer and not look.full and len(found) < len(model.actions):
        after: list[State] = []
        for state in layer:
            for action in model.actions:
                if action.name in found and look.full:
                    continue
                outcomes = list(look.outcomes(state, action.name))
                if outcomes:
                    found.setdefault(action.name, depth)
                after += look.states(iter(outcomes))
        layer, depth = after, depth + 1
    return found


class _Look:
    """The states that a look has seen, and the number of tries left."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics
        self.left = ALL_TRIES
        self.seen: set[State] = set()

    @property
    def full(self) -> bool:
        """Whether it has seen as many states as it may."""
        return len(self.seen) >= LOOK

    def outcomes(self, state: State | None, action: str) -> Iterator[Step]:
        """The outcomes of an action in a state, as many as the look may try."""
        self.left -= 1
        for attempt in islice(self.semantics.attempts(state, action), max(0, min(TRIES, self.left))):
            self.left -= 1
            if attempt is not None:
                yield attempt

    def states(self, outcomes: Iterator[Step]) -> Iterator[State]:
        """The new states among outcomes."""
        for outcome in outcomes:
            state = outcome.state
            if state is not None and state not in self.seen and not self.full:
                self.seen.add(state)
                yield state


def sorts_alike(
    model: Model, properties: Sequence[Property], *, truth_alone: bool = False
) -> tuple[Sort, ...]:
    """The sorts whose members may be permuted: initial states, actions and properties treat them alike.

    Args:
        model: the model.
        properties: the properties that will be checked together.
        truth_alone: whether it only counts where the properties are true: a permutation may turn a state where
            one is false into a state where its evaluation is out of bounds.
    """
    sorts = symmetric_sorts(model, properties)
    apart: set[Sort] = set()
    for action in (model.init, *model.actions):
        apart |= _told_apart_by_order(model, action.picks, action.roots)
    claims = [for_truth(one.formula) if truth_alone else one.formula for one in properties]
    apart |= _told_apart_by_order(model, (), claims)
    return tuple(sort for sort in sorts if sort not in apart)


def for_truth(formula: n.Node) -> n.Node:
    """A formula that is true in the same states, in which fewer quantifiers over sorts have an order.

    Where nothing but the truth of a quantifier `forall` counts, it is written out, and has none.
    """
    if not n.kept(formula, "_has_forall_over_sort", _has_forall_over_sort):
        return formula
    match formula:
        case n.And(items=items):
            return n.make(n.And, formula.type, formula.span, tuple(map(for_truth, items)))
        case n.Or(items=(*first, last)):
            return n.make(n.Or, formula.type, formula.span, (*first, for_truth(last)))
        case n.Implies(premise=premise, conclusion=conclusion):
            return n.make(n.Implies, formula.type, formula.span, premise, for_truth(conclusion))
        case n.Ite(condition=condition, then=then, orelse=orelse):
            arms = for_truth(then), for_truth(orelse)
            return n.make(n.Ite, formula.type, formula.span, condition, *arms)
        case n.Forall(var=var, domain=domain, body=body) if isinstance(var.type, Sort):
            each = [n.make(n.Const, var.type, formula.span, member) for member in var.type.members]
            inside = [n.make(n.Member, formula.type, formula.span, member, domain) for member in each]
            bodies = [replaced(for_truth(body), {var: member}) for member in each]
            pairs = zip(inside, bodies, strict=True)
            written = tuple(n.make(n.Implies, formula.type, formula.span, *pair) for pair in pairs)
            return n.make(n.And, formula.type, formula.span, written)
        case n.Forall(body=body):
            changed = for_truth(body)
            return rebuilt(formula, lambda x: changed if x is body else x)
    return formula


def _has_forall_over_sort(node: n.Node, inside: list[bool]) -> bool:
    """Whether a formula has a quantifier `forall` over a sort, given whether each of its parts has one."""
    return any(inside) or (isinstance(node, n.Forall) and isinstance(node.var.type, Sort))


def _told_apart_by_order(model: Model, picks: Iterable[Pick], roots: Iterable[n.Node]) -> set[Sort]:
    # Whether the order shows depends on nothing around a quantifier but the variables bound there.
    binders = (x for x in n.postorder(*roots) if isinstance(x, n.BINDERS) and not free_variables(x))
    suspects = [
        x for x in binders if n.kept(x, "_suspicious", lambda y, inside: _suspicious(y) or any(inside))
    ]
    if not suspects:
        return set()
    circuit = Circuit()
    layout = Layout(circuit)
    # A state may be large: encode only the variables that the suspicious formulas read.
    read = {x.name for x in n.postorder(*suspects) if isinstance(x, n.StateVar)}
    kinds = {v.name: v.type for v in model.variables if v.name in read}
    pick_kinds = {pick.name: pick.type for pick in picks if pick.type.cardinality}
    state = {name: layout.free(kind) for name, kind in kinds.items()}
    picked = {name: layout.free(kind) for name, kind in pick_kinds.items()}
    order = _Order(circuit, state, picked)
    for root in suspects:
        if all(x.name in picked for x in n.postorder(root) if isinstance(x, n.PickVar)):
            order.evaluate(root)
    shows = {sort: circuit.disj(literals) for sort, literals in order.shows.items()}
    valid = [layout.valid(state[name], kind) for name, kind in kinds.items()]
    valid += [layout.valid(picked[name], kind) for name, kind in pick_kinds.items()]
    solver = SOLVERS[LONE]()
    made = Instance(template(circuit, (), shows.values(), valid), (), Unrolled(solver))
    return {
        sort
        for sort, literal in shows.items()
        if literal != FALSE and solver.check([made(literal)]) is Satisfiability.SATISFIABLE
    }


def _suspicious(node: n.Node) -> bool:
    if not isinstance(node, (n.Forall, n.Exists)) or not sorts_in(node.var.type):
        return False
    # A value that is looked for in a list is out of bounds at every member or at none.
    return not is_total(node.body) and (isinstance(node, n.Forall) or sought_in(node) is None)


class _Order(Expressions):
    """Evaluates expressions and records where the result depends on the order of a sort's members."""

    def __init__(self, circuit: Circuit, state: Mapping[str, Shape], picks: Mapping[str, Shape]) -> None:
        super().__init__(circuit, state, picks)
        self.shows: dict[Sort, list[int]] = {}

    def visit_quantifier(self, node: n.Forall | n.Exists) -> Partial:
        fails, stops = [], []
        conj = self.circuit.conj
        for value, member in self._elements(node.domain) if _suspicious(node) else ():
            body, error = self._body(node, value, node.body)
            fails.append(conj((member, error)))
            stops.append(conj((member, -error, -body if isinstance(node, n.Forall) else body)))
        both = conj((self.circuit.disj(fails), self.circuit.disj(stops)))
        for sort in sorts_in(node.var.type):
            self.shows.setdefault(sort, []).append(both)
        return super().visit_quantifier(node)

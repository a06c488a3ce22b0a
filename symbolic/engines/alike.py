"""Which sorts a search may treat alike, out of bounds included.

A quantifier stops at the first element that decides it, so where one element decides and another goes out of
bounds, the order of a sort's members shows: that tells them apart as a constant does. Whether it can happen
in some state, reachable or not, is asked of a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from leadline.symbolic.encode import Instance, Unrolled
from leadline.symbolic.encode.circuit import FALSE, Circuit
from leadline.symbolic.encode.evaluation import Outcome
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.template import template
from leadline.symbolic.encode.values import Shape
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Model, Pick, Property
from leadline.symbolic.lang.symmetry import sorts_in, symmetric_sorts
from leadline.symbolic.lang.types import Sort
from leadline.symbolic.solve import Answer, CadicalSolver

_FALLIBLE = (
    *(n.Undefined, n.Coerce, n.Get, n.Payload, n.Index, n.SeqUpdate, n.Slice, n.Div, n.Mod, n.MinOf),
    *(n.MaxOf, n.Choose, n.Apply, n.MapUpdate),
)


def sorts_alike(model: Model, properties: Sequence[Property]) -> tuple[Sort, ...]:
    """The sorts that the initial states, every action and the properties treat alike.

    Args:
        model: the model.
        properties: the properties that will be checked together.
    """
    sorts = symmetric_sorts(model, properties)
    apart: set[Sort] = set()
    for action in (model.init, *model.actions):
        apart |= _told_apart_by_order(model, action.picks, action.roots)
    apart |= _told_apart_by_order(model, (), [one.formula for one in properties])
    return tuple(sort for sort in sorts if sort not in apart)


def _told_apart_by_order(model: Model, picks: Iterable[Pick], roots: Iterable[n.Node]) -> set[Sort]:
    suspects = [root for root in roots if any(map(_suspicious, n.postorder(root)))]
    if not suspects:
        return set()
    circuit = Circuit()
    layout = Layout(circuit)
    # A state may be large, and what nothing suspicious looks at says nothing.
    looked_at = {x.name for x in n.postorder(*suspects) if isinstance(x, n.StateVar)}
    kinds = {v.name: v.type for v in model.variables if v.name in looked_at}
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
    solver = CadicalSolver()
    made = Instance(template(circuit, (), shows.values(), valid), (), Unrolled(solver))
    return {
        sort
        for sort, literal in shows.items()
        if literal != FALSE and solver.check([made(literal)]) is Answer.SATISFIABLE
    }


def _suspicious(node: n.Node) -> bool:
    if not isinstance(node, (n.Forall, n.Exists)) or not sorts_in(node.var.type):
        return False
    return any(isinstance(x, _FALLIBLE) for x in n.postorder(node.body))


class _Order(Expressions):
    """Evaluates expressions and notes where the order of a sort's members shows."""

    def __init__(self, circuit: Circuit, state: Mapping[str, Shape], picks: Mapping[str, Shape]) -> None:
        super().__init__(circuit, state, picks)
        self.shows: dict[Sort, list[int]] = {}

    def visit_quantifier(self, node: n.Forall | n.Exists) -> Outcome:
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

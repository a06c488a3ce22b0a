"""The invariants that a claim about runs comes to, in other models: what is asked, and what a proof is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from leadline.symbolic.encode import Encoding, Unrolled
from leadline.symbolic.encode.actions import Actions, PickSlots
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.template import Instance, template
from leadline.symbolic.engines.ask.result import JsonObject
from leadline.symbolic.engines.bounded.sweeps import known_order
from leadline.symbolic.engines.prove.lemmas import claiming
from leadline.symbolic.engines.runs.formulas import SafetyPart, conjuncts, split
from leadline.symbolic.engines.runs.loops import loop_model
from leadline.symbolic.engines.runs.product import Product, Step, product_of
from leadline.symbolic.engines.runs.rounds import rounds_model
from leadline.symbolic.engines.runs.stabilizing import understood
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Action,
    Happens,
    Model,
    Property,
    PropertyKind,
    Temporal,
    UserError,
    Variable,
    expanded,
    expressions,
    is_step,
    nodes as n,
    normal,
)
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.lang.rules import connective, equality, implication, negation
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability

GOOD = "(good)"
"""The variable that says whether the run so far is good. No variable of a protocol can have the name."""


class Method(StrEnum):
    """A way from a claim about runs to an invariant.

    The first is of the part that a finite run can violate, the last of the evaluation of the claim. The others
    are of the rest, by either.
    """

    HISTORY = "history"
    ROUNDS = "k-liveness"
    LOOPS = "liveness-to-safety"
    BOUNDS = "bounds"


@dataclass(frozen=True)
class Part:
    """One of the invariants.

    Attributes:
        method: how it comes about.
        rounds: with `Method.ROUNDS`, the number of rounds that a run has at most.
        settled: with `Method.ROUNDS`, the predicates that settle, by level, as texts.
        conjunct: with `Method.ROUNDS` and `Method.LOOPS`, the number of the conjunct that it is about, from 0;
            None if it is about the whole.
    """

    method: Method
    rounds: int = 0
    settled: tuple[tuple[str, ...], ...] = ()
    conjunct: int | None = None

    @property
    def text(self) -> str:
        """It in a few words."""
        text = f"{self.method}, k = {self.rounds}" if self.method is Method.ROUNDS else str(self.method)
        return text if self.conjunct is None else f"{text} (conjunct {self.conjunct + 1})"


class Reduction:
    """The other models for a claim about runs.

    Args:
        model: the model.
        claim: the claim, which has a temporal formula.
        leaves: see `product_of`; predicates over steps that have one are always in bounds.
    """

    def __init__(self, model: Model, claim: Property, leaves: Mapping[Happens, n.Node] | None = None) -> None:
        assert claim.temporal is not None
        self._leaves = leaves or {}
        self.model, self.name = model, claim.name
        self.formula: Temporal = claim.temporal
        self.safety, self.rest = split(self.formula)
        self._products: dict[int | None, Product] = {}

    @cached_property
    def conjuncts(self) -> tuple[int | None, ...]:
        """The numbers of the conjuncts of what is not safety; None alone if it is no conjunction."""
        return tuple(range(len(self._live))) if len(self._live) > 1 else (None,)

    @cached_property
    def _live(self) -> tuple[Temporal, ...]:
        assert self.rest is not None
        return conjuncts(self.rest)

    def product(self, conjunct: int | None = None) -> Product:
        """The model beside a monitor of the negation of what is not safety, or of one of its conjuncts."""
        if conjunct not in self._products:
            assert self.rest is not None
            claim = self.rest if conjunct is None else self._live[conjunct]
            changing = Changing(self.model)
            self._products[conjunct] = product_of(
                self.model, normal(claim, negated=True), changing, self._leaves
            )
        return self._products[conjunct]

    def needs(self, live: Method = Method.LOOPS) -> tuple[Method, ...]:
        """The methods whose invariants together come to the claim.

        Args:
            live: the method for what is not safety.
        """
        if self.rest is None:
            return (Method.HISTORY,)
        return (*(() if self.safety.empty else (Method.HISTORY,)), live, Method.BOUNDS)

    def check(self, parts: Sequence[Part]) -> None:
        """Check that parts of a proof, each of which holds, prove the claim.

        Raises:
            UserError: if they do not.
        """
        lives = [one for one in parts if one.method in (Method.ROUNDS, Method.LOOPS)]
        given = tuple(one.method for one in parts if one not in lives[1:])
        numbers = tuple(one.conjunct for one in lives)
        complete = not lives or (self.rest is not None and numbers in ((None,), self.conjuncts))
        if not complete or given not in (self.needs(Method.ROUNDS), self.needs(Method.LOOPS)):
            wanted = " and ".join(map(str, self.needs(Method.ROUNDS)))
            of_each = f", for each of {len(self.conjuncts)} conjuncts" if len(self.conjuncts) > 1 else ""
            given_text = " and ".join(one.text for one in parts) or "nothing"
            raise UserError(f"{given_text}: a proof of {self.name} is by {wanted}{of_each}")

    def stated(self, part: Part) -> Model:
        """The model whose one property is the invariant of a part.

        Raises:
            UserError: if the part is of another model.
        """
        match part.method:
            case Method.HISTORY:
                return history_model(self.model, self.name, self.safety)
            case Method.LOOPS:
                return loop_model(self.product(part.conjunct), self.name)
            case Method.ROUNDS:
                product = self.product(part.conjunct)
                settling = understood(product.variables, part.settled)
                return rounds_model(product, self.name, part.rounds, settling)
        nodes = expressions(expanded(self.formula), self._leaves)
        states, steps = [x for x in nodes if not is_step(x)], [x for x in nodes if is_step(x)]
        return bounds_model(self.model, self.name, states, steps)


# -- proofs as data ------------------------------------------------------------------------------------

PARTS = "parts"
"""The member of a certificate that has the parts of a proof about runs."""

_OWN = ("strengthenings", "clauses", "within_bounds")
"""The members of a certificate that are of one invariant."""


def runs_certificate(model: Model, proofs: Sequence[tuple[Part, JsonObject]]) -> JsonObject:
    """A proof of a claim about runs, as a JSON object that `certificates.read_certificate` reads.

    Args:
        model: the model.
        proofs: the parts, each with the certificate of its invariant.
    """
    _, first = proofs[0]
    return {
        **{name: value for name, value in first.items() if name not in _OWN},
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        PARTS: [
            {
                "method": str(part.method),
                **({"rounds": part.rounds} if part.method is Method.ROUNDS else {}),
                **({"settled": [list(level) for level in part.settled]} if part.settled else {}),
                **({} if part.conjunct is None else {"conjunct": part.conjunct}),
                **{name: made[name] for name in _OWN if name in made},
            }
            for part, made in proofs
        ],
    }


class Changing:
    """Asks a solver which actions change some variables of any state, reachable or not: ENABLED of their steps is
    shorter to say.

    Args:
        model: the model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._encoding = Encoding(model)
        self._known: dict[tuple[str, frozenset[str]], bool] = {}

    def __call__(self, action: Action, names: Collection[str]) -> bool:
        """Whether each step of the action changes one of the variables, wherever these stay in bounds.

        Whether the other variables do makes no difference.
        """
        key = action.name, frozenset(names)
        if key not in self._known:
            self._known[key] = self._asked(action, names)
        return self._known[key]

    def _asked(self, action: Action, names: Collection[str]) -> bool:
        circuit = Circuit()
        state, before = self._encoding.free_state(circuit)
        slots = PickSlots(circuit)
        slots.add(action)
        alone = replace(action, updates=tuple(pair for pair in action.updates if pair[0] in names))
        effect = Actions(circuit, self._model, state, slots).effect(alone)
        after = self._encoding.rows_after(circuit, effect.next)
        pairs = [
            pair for name in names for pair in zip(before[name], after.get(name, before[name]), strict=True)
        ]
        stays = circuit.conj([effect.enabled, *(circuit.same(old, new) for old, new in pairs)])
        layout = Layout(circuit)
        valid = [layout.valid(state[x.name], x.type) for x in self._model.variables]
        solver = SOLVERS[LONE]()
        free = [literal for row in before.values() for literal in row]
        made = Instance(template(circuit, (), [stays, *free], [slots.valid(), *valid]), (), Unrolled(solver))
        return solver.check([made(stays)]) is Satisfiability.UNSATISFIABLE


def history_model(model: Model, name: str, safety: SafetyPart) -> Model:
    """A model with one property: that no run so far violates the safety. A variable says whether it does.

    Args:
        model: the model.
        name: the name of the property.
        safety: what runs satisfy.
    """
    formula = connective(n.And, safety.states)
    if not safety.initial and not safety.steps:
        return _stated(model, model, name, formula)
    good = n.make(n.StateVar, BOOL, NOWHERE, GOOD)
    begun: dict[n.Node, n.Node] = {model.variable(x).node: value for x, value in model.init.updates}
    first = connective(n.And, [replaced(node, begun) for node in safety.initial])
    return _stated(
        model,
        replace(
            model,
            variables=(*model.variables, Variable(GOOD, GOOD, BOOL, NOWHERE)),
            init=_noting(model.init, first),
            actions=tuple(_noting(x, _allowed(model, x, safety.steps, good)) for x in model.actions),
        ),
        name,
        connective(n.And, [good, formula]),
    )


def _stated(base: Model, model: Model, name: str, formula: n.Node) -> Model:
    claim = Property(name, name, PropertyKind.INVARIANT, "", NOWHERE, formula)
    # The run is replayed by the origin once it is one of the model itself again.
    claimed = replace(model, properties=claiming(base, claim), fairness=(), origin=None)
    return replace(claimed, sweep_order=known_order(base, model.actions))


def _noting(action: Action, good: n.Node) -> Action:
    return replace(action, updates=(*action.updates, (GOOD, good)))


def _allowed(model: Model, action: Action, steps: Sequence[n.Node], good: n.Node) -> n.Node:
    step = Step(model, action)
    return connective(n.And, [good, *(negation(step.happens(node)) for node in steps)])


def bounds_model(model: Model, name: str, nodes: Sequence[n.Node], steps: Sequence[n.Node]) -> Model:
    """A model with one property, always true: evaluating it goes out of bounds where one of the nodes does.

    States beyond a constraint are on no run that counts, so that nothing is evaluated there.

    Args:
        model: the model.
        name: the name of the property.
        nodes: predicates over states.
        steps: predicates over steps.
    """
    states = tuple(implication(model.constraint, equality(node, node)) for node in nodes)
    moves = tuple(negation(equality(node, node)) for node in steps)
    return history_model(model, name, SafetyPart((), states, moves))

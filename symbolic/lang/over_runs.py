"""Properties of runs: temporal formulas, predicates over steps, and refinements of other protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.actions import Condition
from leadline.symbolic.lang.enabled import enabledness, fair_enabled, key_variables
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.fairness import Fairness
from leadline.symbolic.lang.known import Known
from leadline.symbolic.lang.model import Action, Model, PropertyKind
from leadline.symbolic.lang.node import replaced
from leadline.symbolic.lang.properties import (
    Claim,
    Protocols,
    Stated,
    claim_of,
    complaints,
    everywhere,
    returns_nothing,
)
from leadline.symbolic.lang.script import Script, attempted, updates
from leadline.symbolic.lang.states import Next, State
from leadline.symbolic.lang.temporal import (
    Always,
    Both,
    Either,
    Eventually,
    ForEach,
    Happens,
    Holds,
    Negated,
    Temporal,
    always,
    as_temporal,
    expressions,
    primed,
    quantified,
)

if TYPE_CHECKING:
    from leadline.symbolic.lang.protocol import Protocol

Settings: TypeAlias = Callable[..., Mapping[str, object]]


def temporal(
    protocol: Protocols,
    *,
    known: Known | Sequence[Known] = (),
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Claim that every fair run satisfies a temporal formula: a PROPERTY of TLC.

    Decorates `def name(protocol, now)`, or `(protocol, now, nxt)` where the formula speaks of steps, that
    returns a formula made by `always`, `eventually`, `leads_to`, `for_each`, `for_some`, `&`, `|`, `~` and
    `.implies`. The runs are those that satisfy the conditions of the protocol's `fair`; a run may stop for
    ever if they allow it. The arguments are those of `invariant`.
    """
    lower = partial(_checked, as_temporal)
    return claim_of(PropertyKind.TEMPORAL, protocol, tla, when, known=known, lower=lower)


def step_property(
    protocol: Protocols,
    *,
    known: Known | Sequence[Known] = (),
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Claim that every step satisfies a predicate or changes nothing: TLA+'s `[][A]_vars`.

    Decorates `def name(protocol, now, nxt) -> Boolean expression`, where `nxt` is the state after the step.
    The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.STEP, protocol, tla, when, known=known, lower=partial(_checked, always))


def refines(
    protocol: Protocols,
    abstract: type[Protocol],
    *,
    parameters: Settings | None = None,
    fairness: bool = False,
    known: Known | Sequence[Known] = (),
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Claim that the protocol implements a more abstract one: TLA+'s `PROPERTY Abstract!Spec`.

    Decorates `def name(protocol, now, abstract)`, the refinement mapping: it assigns each variable of the
    abstract protocol, as in `abstract.decided = now.log.length > 0`, its value in the state `now`. The claim:
    initial states are mapped to initial states, and steps to steps or to no change.

    Args:
        protocol: the class of the protocol, or a tuple of several.
        abstract: the class of the abstract protocol.
        parameters: a function of the protocol that gives the parameters of the abstract one; by default those
            that have the same names.
        fairness: whether the abstract protocol's fairness conditions are claimed too.
        known: as of `invariant`.
        tla: as of `invariant`.
        when: as of `invariant`.
    """
    lower = partial(_refinement, abstract, parameters, fairness)
    return claim_of(PropertyKind.REFINEMENT, protocol, tla, when, known=known, lower=lower)


# -- the formulas of claims ---------------------------------------------------------------------------


def _checked(
    made: Callable[[Any], Temporal],
    claim: Claim,
    protocol: Protocol,
    now: State,
    mistakes: list[Mistake],
) -> Temporal | None:
    """The formula made of what a claim's function returns; mistakes in its expressions are added to the list."""
    takes_step = claim.kind is PropertyKind.STEP or claim.function.__code__.co_argcount > 2
    after = (State(now.__dict__["_variables"], after=True),) if takes_step else ()
    found = attempted(lambda: claim.function(protocol, now, *after), mistakes, claim.function)
    if not found or returns_nothing(claim, found[0], mistakes):
        return None
    formula = made(found[0])
    mistakes += complaints(claim, expressions(formula), now, "run")
    return formula


# -- refinement: the abstract protocol's formula under the mapping ----------------------------------------


def _refinement(
    abstract: type[Protocol],
    parameters: Settings | None,
    fairness: bool,
    claim: Claim,
    protocol: Protocol,
    now: State,
    mistakes: list[Mistake],
) -> Temporal | None:
    from leadline.symbolic.lang.protocol import build  # which states the claims that this module makes

    def settings() -> Mapping[str, object]:
        if parameters is not None:
            return parameters(protocol)
        own = {name: value for name, value in protocol.settings.items() if value is not None}
        return {name: value for name, value in own.items() if name in abstract.parameters}

    given = attempted(settings, mistakes, claim.function)
    if not given:
        return None
    model = build(abstract(**given[0]))
    values = _mapping(claim, protocol, now, model, mistakes)
    if values is None:
        return None
    mapped = _Mapped(model, values)
    always_steps = Always(Negated(Happens(mapped.no_step())))
    formula = Both((Holds(mapped.initial()), always_steps, *(mapped.fairness() if fairness else ())))
    mistakes += complaints(claim, expressions(formula), now, "run")
    return formula


def _mapping(
    claim: Claim, protocol: Protocol, now: State, model: Model, mistakes: list[Mistake]
) -> dict[str, n.Node] | None:
    """The value of each variable of the abstract protocol in a state of the protocol."""
    script = Script({one.name: one for one in model.variables}, initial=True)
    ran = attempted(lambda: claim.function(protocol, now, Next(script)), mistakes, claim.function)
    where, values = f"the refinement {claim.name}", dict(updates(script))
    for one in model.variables:
        if ran and one.name not in values:
            script.blame(f"{where} gives no value to {one.name}: write abstract.{one.name} = ...", claim.span)
    if script.body:
        script.blame(f"{where} has guards or picks: a mapping only assigns", claim.span)
    for assigned in script.assignments:
        if assigned.path or assigned.arms:
            repair = f"write abstract.{assigned.variable} = ... once, as a whole, with ite for cases"
            script.blame(f"{where} assigns {assigned.variable} in part: {repair}", assigned.span)
    mistakes += script.mistakes
    return values if ran and not script.mistakes else None


class _Mapped:
    """Formulas of a model over the state of another, in which each of its variables has some value."""

    def __init__(self, model: Model, values: Mapping[str, n.Node]) -> None:
        self.model = model
        self.values = values
        self.here: dict[n.Node, n.Node] = {model.variable(name).node: value for name, value in values.items()}
        read = [x for x in n.postorder(*values.values()) if isinstance(x, n.StateVar)]
        after: dict[n.Node, n.Node] = {x: n.make(n.StateVar, x.type, x.span, primed(x.name)) for x in read}
        self.after = {name: replaced(value, after) for name, value in values.items()}

    def initial(self) -> n.Node:
        """Whether the state is mapped to an initial one."""
        init = self.model.init
        return enabledness(init, last=[rules.equality(self.values[x], new) for x, new in init.updates])

    def no_step(self) -> n.Node:
        """Whether the values change, and not by a step of the model."""
        steps: list[object] = [self.step(action) for action in self.model.actions]
        stays: list[object] = [rules.equality(self.after[x], self.values[x]) for x in self.values]
        allowed = rules.connective(n.Or, [rules.connective(n.And, stays), *steps])
        return rules.negation(allowed)

    def step(self, action: Action, *more: n.Node) -> n.Node:
        """Whether the values change as by a step of an action."""
        new = dict(action.updates)
        same = [rules.equality(self.after[x], new.get(x, self.model.variable(x).node)) for x in self.values]
        return replaced(enabledness(action, last=[*same, *more]), self.here)

    def fairness(self) -> list[Temporal]:
        """The model's fairness conditions."""
        return [self._fair(one) for one in self.model.fairness]

    def _fair(self, fair: Fairness) -> Temporal:
        actions = {one.name: one for one in self.model.actions}
        keys = key_variables(fair)
        watched = [x for x in self.values if not fair.of or x in fair.of]
        stays = (rules.equality(self.after[x], self.model.variable(x).node) for x in watched)
        changed = rules.connective(n.Or, list(map(rules.negation, stays)))
        taken: list[object] = []
        for arm in fair.arms:
            at = [rules.equality(key, var) for key, var in zip(arm.keys, keys, strict=True)]
            taken.append(self.step(actions[arm.action], *at, changed))
        idle = Holds(rules.negation(replaced(fair_enabled(fair, actions, self.model.variables), self.here)))
        active = Always(Eventually(Happens(rules.connective(n.Or, taken))))
        never = Eventually(Always(idle)) if fair.strong else Always(Eventually(idle))
        formula: Temporal = Either((never, active))
        for key in keys:
            formula = quantified(ForEach, key, tuple(key.type.values()), formula)
        return formula

"""Properties: claims about a protocol's states and runs, and constraints, written apart from the protocol.

Views and aliases are here too: a view is the part of a state by which explicit search tells states apart, an alias
an expression that traces show.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.actions import Condition, ProtocolClass, declaration_log, namespace_of
from leadline.symbolic.lang.coercion import BOOL, OverRuns, as_node, invalid, mistakes_of
from leadline.symbolic.lang.enabled import enabledness, fair_enabled, key_variables
from leadline.symbolic.lang.errors import DEADLOCK, Mistake, unknown_name
from leadline.symbolic.lang.expr import BoolExpr, wrap
from leadline.symbolic.lang.fairness import Fairness
from leadline.symbolic.lang.known import Known, known_mistakes, rows_of, violated
from leadline.symbolic.lang.model import Action, Model, Property, PropertyKind, Variable
from leadline.symbolic.lang.names import kebab, pascal
from leadline.symbolic.lang.nodes import replaced, written
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.script import Script, attempted, strays, updates
from leadline.symbolic.lang.span import Span, caller_span, lines_of, start_if_any, start_of
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

Stated: TypeAlias = Callable[..., object]
"""The function of a property: `(protocol, now) -> Boolean expression`."""
Protocols: TypeAlias = "type[Protocol] | tuple[type[Protocol], ...]"
"""The class of a protocol, or several."""


@dataclass(frozen=True)
class Claim:
    """A property before the protocol's parameters are known.

    Called with a protocol and its state it gives the formula, so that one claim about states can be part of
    another.

    Attributes:
        name: in kebab-case.
        protocol: the class of the protocols that it speaks of, or several.
        function: `(protocol, now) -> Boolean expression`.
        when: whether the property applies to a protocol at its parameters.
        strengthens: of a strengthening, the names of the properties that it is for; all if there are none.
        entails: of a strengthening, whether those follow from it and their other strengthenings.
        mistake: the error in its decoration, or "". Such a claim is of every protocol, so that the error is
            reported.
        known: the rows of what is known of it, each at some parameters.
        lower: of a claim about runs, the function `(claim, protocol, state, mistakes) -> its formula`, None
            if there are mistakes.
    """

    name: str
    tla: str
    kind: PropertyKind
    protocol: Protocols
    function: Stated
    when: Condition
    doc: str
    span: Span
    strengthens: tuple[str, ...] = ()
    entails: bool = False
    mistake: str = ""
    known: tuple[Known, ...] = ()
    lower: Lower | None = None

    def __call__(self, protocol: Protocol, now: State) -> BoolExpr:
        """The formula, whether or not `when` holds of the protocol."""
        found = self.function(protocol, now)
        return wrap(as_node(found) if self.kind.is_expression else rules.boolean(found))


Lower: TypeAlias = Callable[..., "Temporal | None"]


def everywhere(_: object) -> bool:
    """The condition of a property that applies at all parameters."""
    return True


def claim_of(
    kind: PropertyKind,
    protocol: Protocols,
    tla: str | None,
    when: Condition,
    strengthens: tuple[str, ...] = (),
    entails: bool = False,
    known: Known | Sequence[Known] = (),
    lower: Lower | None = None,
) -> Callable[[Stated], Claim]:
    """The decorator of a property; see `invariant` and `Claim`."""

    def mark(function: Stated) -> Claim:
        if not isinstance(function, FunctionType):
            return _undecorated(kind, function)
        name = function.__name__
        rows, wrong_rows = rows_of(known, f"the property {kebab(name)}")
        wrong = mistake or _wrong_arguments(kind, function) or wrong_rows
        made = Claim(
            kebab(name),
            tla or pascal(name),
            kind,
            _EVERY if wrong else protocol,
            function,
            when,
            inspect.getdoc(function) or "",
            start_of(function),
            strengthens,
            entails,
            wrong,
            rows,
            lower,
        )
        declaration_log(namespace_of(function)).claims.append(made)
        _find_by_claim(made, name)
        return made

    if isinstance(protocol, FunctionType):
        # Written without a class, the decorator is given the function itself.
        mistake = f"{kind} needs the protocol: write @{kind}(YourProtocol) above {protocol.__name__}"
        return mark(protocol)
    mistake = _wrong_protocol(kind, protocol)
    return mark


def _find_by_claim(made: Claim, name: str) -> None:
    """Give the functions of a property the paths by which their module holds them, as pickling needs them.

    The claim stands in the place of its function, so `module.ok` is none; `module.ok.function` is.
    """
    function, when = made.function, made.when
    if function.__qualname__ == name:
        function.__qualname__ = f"{name}.function"
        lambda_of_own = isinstance(when, FunctionType) and when.__name__ == "<lambda>"
        if lambda_of_own and when.__module__ == function.__module__:
            when.__qualname__ = f"{name}.when"


_EVERY: Any = object


def _wrong_protocol(kind: PropertyKind, given: object) -> str:
    """The error in the protocols that a decorator is given, or ""."""
    several = given if isinstance(given, tuple) else (given,)
    wrong = [x for x in several if not isinstance(x, ProtocolClass)]
    if several and not wrong:
        return ""
    told = f"{wrong[0]!r} is no class of a protocol" if wrong else "no class is given"
    if wrong and isinstance(wrong[0], type):
        told = f"the class {wrong[0].__name__} is no protocol"
    elif wrong and isinstance(type(wrong[0]), ProtocolClass):
        told = f"an instance of {type(wrong[0]).__name__} is given in place of its class"
    return f"{told}: write @{kind}(YourProtocol)"


def _wrong_arguments(kind: PropertyKind, function: FunctionType) -> str:
    """The error in a property's arguments, or ""."""
    code = function.__code__
    needed = code.co_argcount - len(function.__defaults__ or ())
    wanted = _ARGUMENTS.get(kind, _STATE_ARGUMENTS)
    for count in (len(x) for x in wanted):
        if needed <= count <= code.co_argcount or (needed < count and code.co_flags & inspect.CO_VARARGS):
            return ""
    given = ", ".join(code.co_varnames[: code.co_argcount])
    calls = " or ".join(f"def {function.__name__}({', '.join(x)})" for x in wanted)
    text = f"the {kind} {function.__name__} takes ({given}): write {calls}"
    if needed > 2 and wanted is _STATE_ARGUMENTS:
        text += "; it sees one state only, so keep in a variable what must be known of another"
        text += ", or write a @step_property"
    return text


_STATE_ARGUMENTS = (("protocol", "now"),)
_ARGUMENTS: Mapping[PropertyKind, tuple[tuple[str, ...], ...]] = {
    PropertyKind.TEMPORAL: (("protocol", "now"), ("protocol", "now", "nxt")),
    PropertyKind.STEP: (("protocol", "now", "nxt"),),
    PropertyKind.REFINEMENT: (("protocol", "now", "abstract"),),
}
"""The arguments of the functions of properties, where they are not those of invariants."""


def _undecorated(kind: PropertyKind, thing: object) -> Claim:
    """The claim of a decorated object that is not a function: a mistake, at its own place if it has one."""
    span = start_if_any(thing) or caller_span()
    what = f"the property {thing.name}" if isinstance(thing, Claim) else f"{thing!r}"
    repair = "decorate one function once; for several protocols give them all, as in @invariant((A, B))"
    text = f"@{kind} is written above {what}: {repair}"
    function = thing.function if isinstance(thing, Claim) else _nothing
    name = f"decorated-at-line-{span.line}"
    return Claim(name, name, kind, _EVERY, function, everywhere, "", span, mistake=text)


def _nothing(protocol: object, now: object) -> None:
    """A stand-in for the missing function of a claim."""


def invariant(
    protocol: Protocols,
    *,
    known: Known | Sequence[Known] = (),
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Claim that a formula holds in every reachable state of a protocol.

    Decorates `def name(protocol, now) -> Boolean expression`; its docstring says where the claim comes from.

    Args:
        protocol: the class of the protocol, or a tuple of several.
        known: what is known of the claim: rows made by `holds`, `proved` and `violated`.
        tla: the name in the TLA+ module; by default the function's in UpperCamelCase.
        when: a function of the protocol: whether the claim applies at its parameters. By default it does.
    """
    return claim_of(PropertyKind.INVARIANT, protocol, tla, when, known=known)


def probe(
    protocol: Protocols,
    *,
    known: Known | Sequence[Known] = (),
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """As `invariant`, for a claim that should be violated: a violation shows that something can be reached."""
    return claim_of(PropertyKind.PROBE, protocol, tla, when, known=known)


def expected(
    claim: Claim, protocol: type[Protocol], parameters: Mapping[str, Setting | None]
) -> Known | None:
    """The expected answer about a property at some parameters, or None.

    A probe is expected to be violated, also where none of its rows speaks of the parameters.

    Args:
        claim: the property.
        protocol: the class of the protocol, which declares the parameters.
        parameters: the value of each parameter.
    """
    found = next((row for row in claim.known if row.speaks_of(protocol.parameters, parameters)), None)
    return violated() if found is None and claim.kind is PropertyKind.PROBE else found


def constraint(
    protocol: Protocols, *, tla: str | None = None, when: Condition = everywhere
) -> Callable[[Stated], Claim]:
    """Bound the search: no action is enabled in a state in which the formula is false.

    As TLC's CONSTRAINT: such a state is checked like any other, but it is neither counted nor expanded, and
    it is no deadlock. Every verdict is then about the runs on which all states but the last satisfy all
    constraints. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.CONSTRAINT, protocol, tla, when)


def strengthening(
    protocol: Protocols,
    *,
    of: str | Iterable[str] = (),
    entails: bool = False,
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """As `invariant`, for a claim that helps to prove other properties by induction, and is proved with them.

    A property may hold in every reachable state, and yet a step can lead from a state that satisfies it to
    one that does not, because that state is not reachable. A strengthening rules such states out; it is
    proved along with the properties that it strengthens. Checks leave it out unless it is named.

    Args:
        protocol: the class of the protocol, or a tuple of several.
        of: the names of the properties, or of other strengthenings, that it is for, in kebab-case; all of the
            protocol's if none is named.
        entails: whether the named properties follow from the strengthenings: they are then not assumed.
        tla: the name in TLA+ text; by default the function's in UpperCamelCase.
        when: a function of the protocol: whether the claim applies at its parameters. By default it does.
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    return claim_of(PropertyKind.STRENGTHENING, protocol, tla, when, names, entails)


# -- stating claims of a protocol -------------------------------------------------------------------


def state_claims(
    protocol: Protocol, now: State, claims: Iterable[Claim], mistakes: list[Mistake]
) -> dict[str, Property]:
    """The claims that apply to the protocol, as properties over its state; mistakes are added to the list."""
    stated: dict[str, Property] = {}
    own = [claim for claim in claims if isinstance(protocol, claim.protocol)]
    mistakes += _wrong_targets(own)
    for claim in own:
        if claim.mistake:
            mistakes.append(Mistake(claim.span, claim.mistake))
            continue
        where = f"the property {claim.name}"
        mistakes += known_mistakes(claim.known, protocol.parameters, where, claim.span)
        applies = attempted(partial(claim.when, protocol), mistakes, claim.function)
        if applies and applies[0]:
            if claim.name in stated:
                first = stated[claim.name].span
                text = f"{where} is stated twice, first at {first}"
                mistakes.append(Mistake(claim.span, text))
            _state_one(claim, protocol, now, stated, mistakes)
    return stated


def _state_one(
    claim: Claim, protocol: Protocol, now: State, stated: dict[str, Property], mistakes: list[Mistake]
) -> None:
    if claim.name == DEADLOCK:
        text = f"checks report under the name {DEADLOCK} that no action is enabled: rename the property"
        mistakes.append(Mistake(claim.span, text))
    about = Property(
        claim.name,
        claim.tla,
        claim.kind,
        claim.doc,
        claim.span,
        n.make(n.Undefined, BOOL, claim.span, f"{claim.name} is about runs, not states"),
        claim.strengthens,
        claim.entails,
    )
    if claim.lower is not None:
        with written() as places:
            temporal = claim.lower(claim, protocol, now, mistakes)
        if temporal is not None:
            stated[claim.name] = _placed(replace(about, temporal=temporal), claim, places)
        return
    with written() as places:
        found = attempted(lambda: claim.function(protocol, now), mistakes, claim.function)
    if found and isinstance(found[0], OverRuns):
        text = f"the {claim.kind} {claim.name} returns a formula about runs: write @temporal above it"
        mistakes.append(Mistake(claim.span, text))
    elif found and not returns_nothing(claim, found[0], mistakes):
        formula = _formula(found[0], claim)
        stated[claim.name] = _placed(replace(about, formula=formula), claim, places)
        mistakes += complaints(claim, [formula], now, "state")


def returns_nothing(claim: Claim, value: object, mistakes: list[Mistake]) -> bool:
    """Whether a claim's function has returned no formula, which is a mistake."""
    if value is None:
        mistakes.append(Mistake(claim.span, f"the property {claim.name} returns nothing: return its formula"))
    return value is None


def _placed(made: Property, claim: Claim, places: Mapping[n.Node, Span]) -> Property:
    """The property with the places of its parts in its own function; helpers are left out."""
    file, lines = lines_of(claim.function)
    known = ((node, places[node]) for node in n.postorder(*made.nodes) if node in places)
    own = {node: span for node, span in known if span.file == file and span.line in lines}
    return replace(made, places=own)


def _wrong_targets(own: list[Claim]) -> list[Mistake]:
    """Errors in `of=`."""
    names = [claim.name for claim in own]
    told = []
    for claim in own:
        where = f"the strengthening {claim.name}"
        for name in claim.strengthens:
            if name not in names:
                text = unknown_name(f"{where} is of a property that there is not:", name, names)
                told.append(Mistake(claim.span, text))
        if claim.entails and not claim.strengthens:
            text = f'{where} entails no property that is named: name one, as in of="the-property"'
            told.append(Mistake(claim.span, text))
    return told


def _formula(value: object, claim: Claim) -> n.Node:
    node = as_node(value)
    formula = node if claim.kind.is_expression else rules.boolean(node)
    if isinstance(formula, n.Invalid) and not isinstance(node, n.Invalid):
        return invalid(formula.mistake, span=claim.span)
    return formula


def complaints(claim: Claim, nodes: Sequence[n.Node], now: State, what: str) -> list[Mistake]:
    """The mistakes in the expressions of a claim, which is about every `what`: a state or a run."""
    where, variables = f"the property {claim.name}", now.__dict__["_variables"]
    both = variables if what == "state" else {**variables, **{primed(x): one for x, one in variables.items()}}
    told = mistakes_of(*nodes) or strays(nodes, both, (), where, claim.span)
    # The formula is a constant where the parameters decide the claim.
    constant = all(isinstance(x, n.Const) for x in nodes)
    if not told and not constant and not any(isinstance(x, n.StateVar) for x in n.postorder(*nodes)):
        text = f"{where} names no state variable: it would say the same of every {what}"
        told.append(Mistake(claim.span, text))
    return told


def view(
    protocol: Protocols, *, tla: str | None = None, when: Condition = everywhere
) -> Callable[[Stated], Claim]:
    """Have `explore` keep one state for each value of an expression: the first one found.

    As TLC's VIEW. Decorates `def name(protocol, now) -> expression`, of any type; a Python tuple of
    expressions is one too. A violation that is found is real, but one may be missed: an answer that nothing
    is wrong depends on the view, and says so. `check`, `prove` and grids look at every state. A protocol has
    one view at most. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.VIEW, protocol, tla, when)


def alias(
    protocol: Protocols, *, tla: str | None = None, when: Condition = everywhere
) -> Callable[[Stated], Claim]:
    """Show the value of an expression at every state of a trace, under the function's name.

    As a field of TLC's ALIAS. Decorates `def name(protocol, now) -> expression`, of any type. No verdict
    depends on it. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.ALIAS, protocol, tla, when)


def shown_of(
    stated: Iterable[Property], variables: Iterable[Variable], mistakes: list[Mistake]
) -> tuple[Property | None, tuple[Property, ...]]:
    """The view and the aliases among the properties of a protocol; mistakes are added to the list."""
    every = list(stated)
    views = [one for one in every if one.kind is PropertyKind.VIEW]
    aliases = tuple(one for one in every if one.kind is PropertyKind.ALIAS)
    for one in views[1:]:
        text = f"{one.name} is a second view, after {views[0].name} (at {views[0].span})"
        mistakes.append(Mistake(one.span, f"{text}: let one view return a tuple of both"))
    named = {variable.tla: variable for variable in variables}
    for one in aliases:
        if one.tla in named:
            text = f"traces would show the alias {one.name} and a variable both as `{one.tla}`"
            mistakes.append(Mistake(one.span, f'{text}: rename one, or give one another name with tla="..."'))
    return views[0] if views else None, aliases


# -- properties of runs: temporal formulas, predicates over steps, refinements ------------------------------

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

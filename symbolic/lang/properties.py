"""Properties: claims about a protocol's states, and constraints on them, written apart from the protocol.

Views and aliases are here too: a view is the part of a state by which explicit search tells states apart, an alias
an expression that traces show. Claims about runs are made by `leadline.symbolic.lang.over_runs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.actions import Condition, ProtocolClass, declaration_log, namespace_of
from leadline.symbolic.lang.coercion import BOOL, OverRuns, as_node, invalid, mistakes_of
from leadline.symbolic.lang.errors import Mistake, unknown_name
from leadline.symbolic.lang.expr import BoolExpr, wrap
from leadline.symbolic.lang.known import Known, known_mistakes, rows_of, violated
from leadline.symbolic.lang.model import Property, PropertyKind, Variable
from leadline.symbolic.lang.names import kebab, pascal
from leadline.symbolic.lang.node import written
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.rules import boolean
from leadline.symbolic.lang.script import attempted, strays
from leadline.symbolic.lang.span import Span, caller_span, lines_of, start_if_any, start_of
from leadline.symbolic.lang.temporal import primed

if TYPE_CHECKING:
    from leadline.symbolic.lang.protocol import Protocol
    from leadline.symbolic.lang.states import State
    from leadline.symbolic.lang.temporal import Temporal

Stated: TypeAlias = Callable[..., object]
"""The function of a property: `(protocol, now) -> Boolean expression`."""
Protocols: TypeAlias = "type[Protocol] | tuple[type[Protocol], ...]"
"""The class of a protocol, or several."""

DEADLOCK = "deadlock"
"""The name under which checks report that no action is enabled: no property may have it."""


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
        return wrap(as_node(found) if self.kind.is_expression else boolean(found))


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
    formula = node if claim.kind.is_expression else boolean(node)
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
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Condition = everywhere,
) -> Callable[[Stated], Claim]:
    """Have `explore` keep one state for each value of an expression: the first one found.

    As TLC's VIEW. Decorates `def name(protocol, now) -> expression`, of any type; a Python tuple of
    expressions is one too. A violation that is found is real, but one may be missed: an answer that nothing
    is wrong depends on the view, and says so. `check`, `prove` and grids look at every state. A protocol has
    one view at most. The arguments are those of `invariant`.
    """
    return claim_of(PropertyKind.VIEW, protocol, tla, when)


def alias(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Condition = everywhere,
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

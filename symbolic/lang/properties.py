"""Properties: claims about a protocol's states, written apart from the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.actions import ProtocolClass
from leadline.symbolic.lang.checks import mistakes_in, strays
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.gate import as_node, invalid
from leadline.symbolic.lang.model import Property, PropertyKind, Variable
from leadline.symbolic.lang.names import kebab, pascal
from leadline.symbolic.lang.rules import boolean
from leadline.symbolic.lang.span import Span, caller_span
from leadline.symbolic.lang.written import namespace_of, start_if_any, start_of, written_in

if TYPE_CHECKING:
    from leadline.symbolic.lang.declarations import State
    from leadline.symbolic.lang.protocol import Protocol

Guarded: TypeAlias = Callable[[Callable[[], object], list[Mistake], Callable[..., Any]], bool]
"""Runs a piece of the user's code, written in the function given; see `leadline.symbolic.lang.protocol`."""


@dataclass(frozen=True)
class Claim:
    """A property before the protocol's parameters are known.

    Attributes:
        name: in kebab-case.
        protocol: the class of the protocols that it speaks of, or several.
        function: `(protocol, now) -> Boolean expression`.
        when: whether the property applies to a protocol at its parameters.
        strengthens: of a strengthening, the names of the properties that it is for; all if there are none.
        entails: of a strengthening, whether those follow from it and their other strengthenings.
        mistake: what is wrong with how it is decorated, or nothing; it is then of every protocol, so that it
            is told.
    """

    name: str
    tla: str
    kind: PropertyKind
    protocol: type[Protocol] | tuple[type[Protocol], ...]
    function: Callable[[Any, State], Any]
    when: Callable[[Any], bool]
    doc: str
    span: Span
    strengthens: tuple[str, ...] = ()
    entails: bool = False
    mistake: str = ""


def _claim(
    kind: PropertyKind,
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    tla: str | None,
    when: Callable[[Any], bool],
    strengthens: tuple[str, ...] = (),
    entails: bool = False,
) -> Callable[[Callable[..., Any]], Claim]:
    def mark(function: Callable[..., Any]) -> Claim:
        if not isinstance(function, FunctionType):
            return _undecorated(kind, function)
        name = function.__name__
        made = Claim(
            kebab(name),
            tla or pascal(name),
            kind,
            _EVERY if mistake else protocol,
            function,
            when,
            inspect.getdoc(function) or "",
            start_of(function),
            strengthens,
            entails,
            mistake,
        )
        written_in(namespace_of(function)).claims.append(made)
        return made

    if isinstance(protocol, FunctionType):
        # Written without a class, the decorator is given the function itself.
        mistake = f"{kind} needs the protocol: write @{kind}(YourProtocol) above {protocol.__name__}"
        return cast(Any, mark(protocol))
    mistake = _wrong_protocol(kind, protocol)
    return mark


_EVERY: Any = object

DEADLOCK = "deadlock"
"""What checks call that no action is enabled, as if it were a property: none may have this name."""


def _wrong_protocol(kind: PropertyKind, given: object) -> str:
    """What is wrong with what a property is said to be of, or nothing."""
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


def _undecorated(kind: PropertyKind, thing: object) -> Claim:
    """The claim of what is no function: a mistake, at its own place if it has one."""
    span = start_if_any(thing) or caller_span()
    what = f"the property {thing.name}" if isinstance(thing, Claim) else f"{thing!r}"
    repair = "decorate one function once; for several protocols give them all, as in @invariant((A, B))"
    text = f"@{kind} is written above {what}: {repair}"
    function = thing.function if isinstance(thing, Claim) else _nothing
    name = f"decorated-at-line-{span.line}"
    return Claim(name, name, kind, _EVERY, function, lambda _: True, "", span, mistake=text)


def _nothing(protocol: Any, now: Any) -> Any:
    """The formula of what has none."""


def invariant(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Callable[[Any], bool] = lambda protocol: True,
) -> Callable[[Callable[..., Any]], Claim]:
    """Claim that a formula holds in every reachable state of a protocol.

    Decorates `def name(protocol, now) -> Boolean expression`; its docstring says where the claim comes from
    and what is known of it.

    Args:
        protocol: the class of the protocol, or a tuple of several.
        tla: the name in the TLA+ module; by default the function's in UpperCamelCase.
        when: whether the claim applies to the protocol at its parameters.
    """
    return _claim(PropertyKind.INVARIANT, protocol, tla, when)


def probe(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    tla: str | None = None,
    when: Callable[[Any], bool] = lambda protocol: True,
) -> Callable[[Callable[..., Any]], Claim]:
    """As `invariant`, for a claim that is expected to be violated: it shows that something can be reached."""
    return _claim(PropertyKind.PROBE, protocol, tla, when)


def strengthening(
    protocol: type[Protocol] | tuple[type[Protocol], ...],
    *,
    of: str | Iterable[str] = (),
    entails: bool = False,
    tla: str | None = None,
    when: Callable[[Any], bool] = lambda protocol: True,
) -> Callable[[Callable[..., Any]], Claim]:
    """As `invariant`, for a claim that is only a means: inductive proofs of other properties assume it.

    A property may hold in every reachable state, and yet a step can lead from a state that satisfies it to
    one that does not, because that state is not reachable. A strengthening rules such states out; it is
    proved along with what it strengthens. Where properties are not named it is not looked at.

    Args:
        protocol: the class of the protocol, or a tuple of several.
        of: the names of the properties, or of other strengthenings, that it is for, in kebab-case; all of the
            protocol's if none is named.
        entails: whether what is named follows from the strengthenings: it is then not assumed itself.
        tla: the name in TLA+ text; by default the function's in UpperCamelCase.
        when: whether the claim applies to the protocol at its parameters.
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    return _claim(PropertyKind.STRENGTHENING, protocol, tla, when, names, entails)


def state_claims(
    protocol: Protocol,
    now: State,
    claims: Iterable[Claim],
    mistakes: list[Mistake],
    guarded: Guarded,
) -> dict[str, Property]:
    """The claims that apply to the protocol, as properties over its state; mistakes are added to the list."""
    stated: dict[str, Property] = {}
    claims = tuple(claims)
    mistakes += _wrong_aims(protocol, claims)
    for claim in claims:
        if not isinstance(protocol, claim.protocol):
            continue
        if claim.mistake:
            mistakes.append(Mistake(claim.span, claim.mistake))
            continue
        applies: list[bool] = []
        if not guarded(partial(_applies, claim, protocol, applies), mistakes, claim.function):
            continue
        if applies[0]:
            _state_one(claim, protocol, now, stated, mistakes, guarded)
    return stated


def _state_one(
    claim: Claim,
    protocol: Protocol,
    now: State,
    stated: dict[str, Property],
    mistakes: list[Mistake],
    guarded: Guarded,
) -> None:
    if claim.name in stated:
        first = stated[claim.name].span
        mistakes.append(Mistake(claim.span, f"the property {claim.name} is stated twice, first at {first}"))
    if claim.name == DEADLOCK:
        text = f"{DEADLOCK} is what checks call that no action is enabled: give the property another name"
        mistakes.append(Mistake(claim.span, text))
    written: list[Any] = []
    if not guarded(partial(_state, claim, protocol, now, written), mistakes, claim.function):
        return
    if written[0] is None:
        mistakes.append(Mistake(claim.span, f"the property {claim.name} returns nothing: return its formula"))
        return
    formula = _formula(written[0], claim)
    stated[claim.name] = Property(
        claim.name,
        claim.tla,
        claim.kind,
        claim.doc,
        claim.span,
        formula,
        claim.strengthens,
        claim.entails,
    )
    mistakes += _complaints(claim, formula, now.__dict__["_variables"])


def _wrong_aims(protocol: Protocol, claims: tuple[Claim, ...]) -> list[Mistake]:
    """What strengthenings say wrong of what they are for."""
    own = [claim for claim in claims if isinstance(protocol, claim.protocol)]
    names = [claim.name for claim in own]
    told = []
    for claim in own:
        where = f"the strengthening {claim.name}"
        for name in claim.strengthens:
            if name not in names:
                text = unknown_name(f"{where} is of a property that there is not:", name, names)
                told.append(Mistake(claim.span, text))
        if claim.entails and not claim.strengthens:
            text = f'{where} entails nothing that is named: say what, as in of="the-property"'
            told.append(Mistake(claim.span, text))
    return told


def _applies(claim: Claim, protocol: Protocol, told: list[bool]) -> None:
    told.append(bool(claim.when(protocol)))


def _state(claim: Claim, protocol: Protocol, now: State, written: list[Any]) -> None:
    written.append(claim.function(protocol, now))


def _formula(value: Any, claim: Claim) -> n.Node:
    node = as_node(value)
    formula = boolean(node)
    if isinstance(formula, n.Invalid) and not isinstance(node, n.Invalid):
        return invalid(formula.mistake, span=claim.span)
    return formula


def _complaints(claim: Claim, formula: n.Node, variables: dict[str, Variable]) -> list[Mistake]:
    where = f"the property {claim.name}"
    told = mistakes_in(formula) or strays([formula], variables, (), where, claim.span)
    # A constant is what a claim says that the parameters have decided already.
    constant = isinstance(formula, n.Const)
    if not told and not constant and not any(isinstance(x, n.StateVar) for x in n.postorder(formula)):
        told.append(
            Mistake(claim.span, f"{where} names no state variable: it would say the same of every state")
        )
    return told

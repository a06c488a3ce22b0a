"""Properties: claims about a protocol's states, written apart from the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.checks import mistakes_in, strays
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.gate import as_node, invalid
from leadline.symbolic.lang.model import Property, PropertyKind, Variable
from leadline.symbolic.lang.names import kebab, pascal
from leadline.symbolic.lang.rules import boolean
from leadline.symbolic.lang.span import Span

if TYPE_CHECKING:
    from leadline.symbolic.lang.protocol import Protocol, State


@dataclass(frozen=True)
class Claim:
    """A property before the protocol's parameters are known.

    Attributes:
        name: in kebab-case.
        protocol: the class of the protocols that it speaks of.
        function: `(protocol, now) -> Boolean expression`.
        when: whether the property applies to a protocol at its parameters.
        strengthens: of a strengthening, the names of the properties that it is for; all if there are none.
        entails: of a strengthening, whether those follow from it and their other strengthenings.
    """

    name: str
    tla: str
    kind: PropertyKind
    protocol: type[Protocol]
    function: Callable[[Any, State], Any]
    when: Callable[[Any], bool]
    doc: str
    span: Span
    strengthens: tuple[str, ...] = ()
    entails: bool = False


def _claim(
    kind: PropertyKind,
    protocol: type[Protocol],
    tla: str | None,
    when: Callable[[Any], bool],
    strengthens: tuple[str, ...] = (),
    entails: bool = False,
) -> Callable[[Callable[..., Any]], Claim]:
    def mark(function: Callable[..., Any]) -> Claim:
        code = function.__code__
        name = function.__name__
        span = Span(code.co_filename, code.co_firstlineno)
        doc = inspect.getdoc(function) or ""
        return Claim(
            kebab(name), tla or pascal(name), kind, protocol, function, when, doc, span, strengthens, entails
        )

    return mark


def invariant(
    protocol: type[Protocol], *, tla: str | None = None, when: Callable[[Any], bool] = lambda protocol: True
) -> Callable[[Callable[..., Any]], Claim]:
    """Claim that a formula holds in every reachable state of a protocol.

    Decorates `def name(protocol, now) -> Boolean expression`; its docstring says where the claim comes from
    and what is known of it.

    Args:
        protocol: the class of the protocol.
        tla: the name in the TLA+ module; by default the function's in UpperCamelCase.
        when: whether the claim applies to the protocol at its parameters.
    """
    return _claim(PropertyKind.INVARIANT, protocol, tla, when)


def probe(
    protocol: type[Protocol], *, tla: str | None = None, when: Callable[[Any], bool] = lambda protocol: True
) -> Callable[[Callable[..., Any]], Claim]:
    """As `invariant`, for a claim that is expected to be violated: it shows that something can be reached."""
    return _claim(PropertyKind.PROBE, protocol, tla, when)


def strengthening(
    protocol: type[Protocol],
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
        protocol: the class of the protocol.
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
    guarded: Callable[[Callable[[], object], list[Mistake], Callable[..., Any]], bool],
) -> dict[str, Property]:
    """The claims that apply to the protocol, as properties over its state; mistakes are added to the list."""
    stated: dict[str, Property] = {}
    claims = tuple(claims)
    mistakes += _wrong_aims(protocol, claims)
    for claim in claims:
        if not isinstance(protocol, claim.protocol) or not claim.when(protocol):
            continue
        if claim.name in stated:
            first = stated[claim.name].span
            mistakes.append(
                Mistake(claim.span, f"the property {claim.name} is stated twice, first at {first}")
            )
        written: list[Any] = []
        state = partial(_state, claim, protocol, now, written)
        if not guarded(state, mistakes, claim.function):
            continue
        if written[0] is None:
            text = f"the property {claim.name} returns nothing: return its formula"
            mistakes.append(Mistake(claim.span, text))
            continue
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
    return stated


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

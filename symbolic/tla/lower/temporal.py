"""Temporal properties and fairness as formulas of the language over a model's states and steps.

Fairness becomes a premise of the claims that need it: what a specification calls fair need not be one of the
model's actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Happens,
    Holds,
    LeadsTo,
    Negated,
    Property,
    PropertyKind,
    Temporal,
    nodes as n,
    primed,
)
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.keys import as_set
from leadline.symbolic.tla.lower.scope import Operator, Scope, Unsupported
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import excerpt
from leadline.symbolic.tla.read.levels import Level


class Claims:
    """The claims about runs that a specification's configuration makes.

    Args:
        lowering: the lowering of expressions.
    """

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._specification = lowering.specification
        place = lowering.terms.place
        self._after: Mapping[str, n.Node] = {
            name: as_set(n.make(n.StateVar, kind, place, primed(name)))
            for name, kind in lowering.variables.items()
        }

    def of(self, name: str) -> Property:
        """A property of the configuration.

        Raises:
            Unsupported: if it has no symbolic form.
        """
        e = self._specification.properties[name]
        parts = list(_conjuncts(self._formula(e, Scope(next=self._after))))
        certain = [(name, one) for name, one in parts if _is_safety(one)]
        if rest := [(name, one) for name, one in parts if not _is_safety(one)]:
            fair = [self._formula(one, Scope(next=self._after)) for one in self._specification.fairness]
            whole = _conjunction(rest)
            certain.append(("", Either((Negated(Both(tuple(fair))), whole)) if fair else whole))
        formula = _conjunction(certain)
        none = n.make(n.Undefined, self._lowering.terms.boolean(True).type, e.place, "a claim about runs")
        place = self._specification.place_of(name)
        return Property(name, name, PropertyKind.TEMPORAL, "", place, none, temporal=formula)

    def _formula(self, e: s.Expression, scope: Scope) -> Temporal:
        with self._lowering.at(e):
            return self._ruled(e, scope)

    def _ruled(self, e: s.Expression, scope: Scope) -> Temporal:
        match e:
            case s.Apply(name) if isinstance(local := scope.names.get(name), Operator):
                names = self._lowering.bound(local.parameters, e.arguments, scope)
                return self._formula(local.body, replace(local.scope.having(names), next=scope.next))
            case s.Apply(name) if name not in scope.names and self._is_temporal(name):
                definition = self._specification.definitions[name]
                inner = self._lowering.entered(definition, e.arguments, scope)
                assert inner is not None
                return self._formula(definition.body, inner)
        if self._specification.levels.of(e) <= Level.STATE:
            return Holds(self._lowering.truth(e, scope))
        match e:
            case s.Apply():
                return self._apply(e, scope)
            case s.Quantified("\\A" | "\\E", bounds, body):
                found = self._elements(bounds, scope)
                items = tuple(self._formula(body, inner) for _, inner in found)
                return (Both if e.quantifier == "\\A" else Either)(items, tuple(name for name, _ in found))
            case s.Let(_, body):
                return self._formula(body, self._lowering.defined(e, scope))
            case s.If(condition, then, otherwise):
                test = Holds(self._lowering.truth(condition, scope))
                arms = (
                    Both((test, self._formula(then, scope))),
                    Both((Negated(test), self._formula(otherwise, scope))),
                )
                return Either(arms)
            case s.Subscripted("WF_" | "SF_"):
                return self._fair(e, scope)
        raise Unsupported(e.place, "a temporal formula other than [], <>, ~>, WF_ and SF_")

    def _is_temporal(self, name: str) -> bool:
        definitions, levels = self._specification.definitions, self._specification.levels
        return name in definitions and levels.of_definition(name) is Level.TEMPORAL

    def _apply(self, e: s.Apply, scope: Scope) -> Temporal:
        def inner(x: s.Expression) -> Temporal:
            return self._formula(x, scope)

        match e.operator, e.arguments:
            case "/\\", items:
                return Both(tuple(map(inner, items)))
            case "\\/", items:
                return Either(tuple(map(inner, items)))
            case "~", (item,):
                return Negated(inner(item))
            case "=>", (left, right):
                return Either((Negated(inner(left)), inner(right)))
            case "<=>", (left, right):
                a, b = inner(left), inner(right)
                return Both((Either((Negated(a), b)), Either((Negated(b), a))))
            case "~>", (left, right):
                return LeadsTo(inner(left), inner(right))
            case "[]", (s.Subscripted("[]_", action, subscript),):
                return Always(Negated(self._step(s.Apply("~", (action,), place=e.place), subscript, scope)))
            case "<>", (s.Subscripted("<<>>_", action, subscript),):
                return Eventually(self._step(action, subscript, scope))
            case "[]", (item,):
                return Always(inner(item))
            case "<>", (item,):
                return Eventually(inner(item))
        raise Unsupported(e.place, f"{e.operator} in a temporal formula")

    def _step(self, action: s.Expression, subscript: s.Expression, scope: Scope) -> Temporal:
        """The steps that are some action's and change an expression."""
        return Happens(
            self._lowering.truth(s.Subscripted("<<>>_", action, subscript, place=action.place), scope)
        )

    def _fair(self, e: s.Subscripted, scope: Scope) -> Temporal:
        step = s.Subscripted("<<>>_", e.action, e.subscript, place=e.place)
        idle = Negated(Holds(self._lowering.truth(s.Apply("ENABLED", (step,), place=e.place), scope)))
        taken, text = self._step(e.action, e.subscript, scope), (excerpt(e),)
        if e.kind == "WF_":
            return Always(Eventually(Either((idle, taken), text)))
        return Either((Eventually(Always(idle)), Always(Eventually(taken))), text)

    def _elements(self, bounds: Sequence[s.Bound], scope: Scope) -> list[tuple[str, Scope]]:
        """The scope with elements of the bounds' sets, in all ways, each after the names of the elements."""
        found = [("", scope)]
        for bound, name, domain in self._lowering.pairs(bounds, scope):
            elements = self._lowering.terms.elements(self._lowering.listed(domain))
            if elements is None:
                raise Unsupported(bound.place, "a temporal formula quantified over a set that is no constant")
            found = [
                (_named(told, name, x), one.having(self._lowering.names_of(bound, name, x)))
                for told, one in found
                for x in elements
            ]
        return found


def _named(before: str, name: str | None, value: n.Node) -> str:
    """The value of a variable, after those of the variables before it: `c = c1, d = d2`."""
    shown = value.type.tla(value.value) if isinstance(value, n.Const) else "..."
    return f"{before}{', ' if before else ''}{name or 'element'} = {shown}"


def _conjuncts(formula: Temporal, name: str = "") -> Iterator[tuple[str, Temporal]]:
    """The conjuncts of a formula, each after the values of the quantifiers around it."""
    if isinstance(formula, Both):
        for inner, one in zip(formula.names or [""] * len(formula.items), formula.items, strict=True):
            yield from _conjuncts(one, ", ".join(filter(None, (name, inner))))
    else:
        yield name, formula


def _conjunction(parts: Sequence[tuple[str, Temporal]]) -> Temporal:
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    return Both(tuple(one for _, one in parts), tuple(name for name, _ in parts))


def _is_safety(formula: Temporal) -> bool:
    """Whether fairness does not matter to a formula: one about states, steps or the beginning."""
    match formula:
        case Holds() | Always(Holds()) | Always(Negated(Happens())):
            return True
    return False

"""Temporal formulas: claims about infinite runs, made of state predicates by always, eventually, leads_to.

The logic is that of TLA (L. Lamport: The temporal logic of actions, TOPLAS 16, 1994): a run may repeat a
state at any place, and no formula can tell. There is no "next".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar, dataclass_transform

from leadline.symbolic.lang import nodes as n, rules
from leadline.symbolic.lang.coercion import OverRuns, invalid
from leadline.symbolic.lang.errors import refuse
from leadline.symbolic.lang.expr import BoolExpr, BoundFunction, wrap
from leadline.symbolic.lang.names import spoken
from leadline.symbolic.lang.nodes import binder_height, replaced
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.types import Type, Value
from leadline.symbolic.lang.values import in_tla

if TYPE_CHECKING:
    from leadline.symbolic.lang.model import Action

PRIME = "'"
_fresh = itertools.count(1)
Folded = TypeVar("Folded")


def primed(name: str) -> str:
    """The name of a variable's value after a step, as expressions over steps read it."""
    return name + PRIME


def is_step(node: n.Node) -> bool:
    """Whether an expression reads the state after a step."""
    return any(isinstance(x, n.StateVar) and x.name.endswith(PRIME) for x in n.postorder(node))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Temporal(OverRuns):
    """A temporal formula: true or false of an infinite run from one of its states on.

    Subclasses are frozen dataclasses.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def __and__(self, other: TemporalLike) -> Temporal:
        return Both((self, as_temporal(other)))

    def __rand__(self, other: TemporalLike) -> Temporal:
        return Both((as_temporal(other), self))

    def __or__(self, other: TemporalLike) -> Temporal:
        return Either((self, as_temporal(other)))

    def __ror__(self, other: TemporalLike) -> Temporal:
        return Either((as_temporal(other), self))

    def __invert__(self) -> Temporal:
        return Negated(self)

    def __bool__(self) -> bool:
        refuse(
            "a formula about runs has no truth value while the model is written: instead of `and`, `or`, "
            "`not` and `if` use &, |, ~ and .implies"
        )

    def implies(self, conclusion: TemporalLike) -> Temporal:
        """Implication."""
        return Either((Negated(self), as_temporal(conclusion)))

    @property
    def parts(self) -> tuple[Temporal, ...]:
        """The formulas that this one is made of."""
        return ()

    def over(self, parts: tuple[Temporal, ...]) -> Temporal:
        """The same formula, made of other parts."""
        return self


TemporalLike: TypeAlias = "Temporal | bool | BoolExpr"


class Holds(Temporal):
    """The state satisfies a predicate."""

    node: n.Node


class Happens(Temporal):
    """The step from the state satisfies a predicate over steps and changes a variable: TLA's `<A>_vars`."""

    node: n.Node
    actions: tuple[Action, ...] = field(default=(), compare=False)
    """The actions whose steps, where they change a variable, are those that satisfy the predicate.

    None are given where they are not known.
    """


class _Connective(Temporal):
    items: tuple[Temporal, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    """For readers, if there are some: the part of a formula that each item is, such as `c = c1`."""

    @property
    def parts(self) -> tuple[Temporal, ...]:
        return self.items

    def over(self, parts: tuple[Temporal, ...]) -> Temporal:
        return replace(self, items=parts)


class Both(_Connective):
    """Conjunction."""


class Either(_Connective):
    """Disjunction."""


class _Prefixed(Temporal):
    item: Temporal

    @property
    def parts(self) -> tuple[Temporal, ...]:
        return (self.item,)

    def over(self, parts: tuple[Temporal, ...]) -> Temporal:
        return replace(self, item=parts[0])


class Negated(_Prefixed):
    """Negation."""


class Always(_Prefixed):
    """The formula holds from now on in every state of the run: TLA's `[]F`."""


class Eventually(_Prefixed):
    """The formula holds now or in a later state: TLA's `<>F`."""


class LeadsTo(Temporal):
    """Whenever the first holds, the second holds then or later: TLA's `F ~> G`."""

    premise: Temporal
    conclusion: Temporal

    @property
    def meaning(self) -> Temporal:
        """The formula by the other operators: `[](F => <>G)`."""
        return Always(Either((Negated(self.premise), Eventually(self.conclusion))))

    @property
    def parts(self) -> tuple[Temporal, ...]:
        return self.premise, self.conclusion

    def over(self, parts: tuple[Temporal, ...]) -> Temporal:
        return LeadsTo(*parts)


class _Quantified(_Prefixed):
    """`item` for each value, or some value, of a constant domain; `var` stands for the value in its nodes."""

    var: n.Bound
    domain: tuple[Value, ...]


class ForEach(_Quantified):
    """The formula holds at each value of the domain."""


class ForSome(_Quantified):
    """The formula holds at some value of the domain."""


def instances(formula: ForEach | ForSome) -> tuple[Temporal, ...]:
    """A quantified formula's item at each value."""
    var = formula.var
    constants = [n.make(n.Const, var.type, var.span, value) for value in formula.domain]
    return tuple(substituted(formula.item, {var: one}) for one in constants)


# -- what a model's author writes ---------------------------------------------------------------------


def as_temporal(value: TemporalLike) -> Temporal:
    """A state predicate as a temporal formula about the first state. Temporal formulas are returned unchanged."""
    if isinstance(value, Temporal):
        return value
    node = rules.boolean(value)
    if is_step(node):
        text = "a predicate over a step stands directly under always or eventually: always(nxt.x >= now.x)"
        return Holds(invalid(text, node))
    return Holds(node)


def always(formula: TemporalLike) -> Temporal:
    """Now and for ever: TLA+'s `[]F`.

    Of a predicate over a step, every step satisfies it or changes no variable: `[][A]_vars`.
    """
    step = _step(formula)
    return Always(as_temporal(formula)) if step is None else Always(Negated(Happens(rules.negation(step))))


def eventually(formula: TemporalLike) -> Temporal:
    """Now or some time: TLA+'s `<>F`.

    Of a predicate over a step, a step that satisfies it and changes some variable: `<><A>_vars`, which TLC
    takes inside of `[]` only.
    """
    step = _step(formula)
    return Eventually(as_temporal(formula) if step is None else Happens(step))


def leads_to(premise: TemporalLike, conclusion: TemporalLike) -> Temporal:
    """Whenever the premise holds, the conclusion holds then or later: TLA+'s `F ~> G`."""
    return LeadsTo(as_temporal(premise), as_temporal(conclusion))


def for_each(domain: object, body: BoundFunction) -> Temporal:
    """The conjunction of a temporal formula over a type or constant set: `for_each(S, lambda a: F)`.

    Where the body is about one state, `forall` is enough.
    """
    return _quantified(ForEach, domain, body)


def for_some(domain: object, body: BoundFunction) -> Temporal:
    """The disjunction of a temporal formula over a type or constant set; see `for_each`."""
    return _quantified(ForSome, domain, body)


def _step(formula: TemporalLike) -> n.Node | None:
    if isinstance(formula, Temporal):
        return None
    node = rules.boolean(formula)
    return node if is_step(node) else None


def _quantified(kind: type[_Quantified], domain: object, body: BoundFunction) -> Temporal:
    node = rules.a_set(domain)
    names = rules.bound_names(body)
    if isinstance(node, n.Invalid):
        return Holds(node)
    if len(names) != 1:
        return Holds(invalid(f"the function takes {len(names)} arguments, and here it needs one", node))
    if not isinstance(node, (n.Universe, n.Const)):
        text = "a temporal formula is quantified over a type or a constant set: the state changes"
        return Holds(invalid(text, node))
    item: Type = node.type.parts[0]
    members = node.value if isinstance(node, n.Const) else item.values()
    values = tuple(sorted(members, key=item.order))
    fresh = n.make(n.Bound, item, caller_span(), names[0], -next(_fresh) - (1 << 40))
    made = body(wrap(fresh))
    formula = as_temporal(made)  # type: ignore[arg-type]  # what it is not becomes a mistake
    return quantified(kind, fresh, values, formula)


def quantified(
    kind: type[_Quantified], leaf: n.Bound | n.PickVar, domain: tuple[Value, ...], formula: Temporal
) -> Temporal:
    """A formula for each value, or for some value, that a leaf of its expressions stands for."""
    levels = [binder_height(x) for x in expressions(formula)]
    levels += [x.var.level for x in formulas(formula) if isinstance(x, _Quantified)]
    var = n.make(n.Bound, leaf.type, leaf.span, leaf.name, max(levels, default=0) + 1)
    return kind(substituted(formula, {leaf: var}), var, domain)


# -- traversals ---------------------------------------------------------------------------------------


def formulas(root: Temporal) -> Iterator[Temporal]:
    """A formula and all formulas in it, those around others first."""
    yield root
    for part in root.parts:
        yield from formulas(part)


def expressions(root: Temporal, without: Collection[Temporal] = ()) -> list[n.Node]:
    """The predicates over states and steps in a formula, but for those of some formulas in it."""
    return [one.node for one in formulas(root) if isinstance(one, (Holds, Happens)) and one not in without]


def expanded(root: Temporal) -> Temporal:
    """The formula with conjunctions and disjunctions in place of quantifiers."""
    if isinstance(root, (ForEach, ForSome)):
        names = tuple(f"{spoken(root.var)} = {in_tla(root.var.type, value)}" for value in root.domain)
        return (Both if isinstance(root, ForEach) else Either)(tuple(map(expanded, instances(root))), names)
    return root.over(tuple(map(expanded, root.parts)))


def rewritten(root: Temporal, change: Callable[[n.Node], n.Node]) -> Temporal:
    """The formula with each predicate changed."""
    if isinstance(root, (Holds, Happens)):
        return type(root)(change(root.node))
    return root.over(tuple(rewritten(part, change) for part in root.parts))


def substituted(root: Temporal, mapping: Mapping[n.Node, n.Node]) -> Temporal:
    """The formula with leaves of its predicates replaced."""
    return rewritten(root, lambda node: replaced(node, mapping))


def is_plain(formula: Temporal) -> bool:
    """Whether a formula is about one state and the step from it."""
    return not any(isinstance(one, Always | Eventually | LeadsTo) for one in formulas(formula))


def folded(
    formula: Temporal,
    leaf: Callable[[Holds | Happens], Folded],
    negation: Callable[[Folded], Folded],
    both: Callable[[Iterator[Folded]], Folded],
    either: Callable[[Iterator[Folded]], Folded],
) -> Folded:
    """The meaning of a formula about one state and the step from it.

    Args:
        formula: the formula; see `is_plain`.
        leaf: gives the meaning of a predicate.
        negation: gives the meaning of a negation.
        both: gives the meaning of a conjunction, from those of its parts as far as it asks for them.
        either: gives the meaning of a disjunction, likewise.
    """

    def of(one: Temporal) -> Folded:
        return folded(one, leaf, negation, both, either)

    match formula:
        case Holds() | Happens():
            return leaf(formula)
        case Negated(item=item):
            return negation(of(item))
        case Both(items=items):
            return both(map(of, items))
        case Either(items=items):
            return either(map(of, items))
        case ForEach():
            return both(map(of, instances(formula)))
        case ForSome():
            return either(map(of, instances(formula)))
    raise TypeError(f"{type(formula).__name__} is not about one state and the step from it")


# -- the normal form ----------------------------------------------------------------------------------


def normal(formula: Temporal, *, negated: bool = False) -> Temporal:
    """The formula, or its negation, without `LeadsTo`, and negated only directly above `Happens`."""
    match formula:
        case Holds(node=node):
            return Holds(rules.negation(node)) if negated else formula
        case Happens():
            return Negated(formula) if negated else formula
        case Negated(item=item):
            return normal(item, negated=not negated)
        case Both(items=items) | Either(items=items):
            kind = Both if isinstance(formula, Both) is not negated else Either
            return joined(kind, [normal(x, negated=negated) for x in items])
        case Always(item=item) | Eventually(item=item):
            always = isinstance(formula, Always) is not negated
            return _prefixed(always, normal(item, negated=negated))
        case LeadsTo():
            return normal(formula.meaning, negated=negated)
        case ForEach() | ForSome():
            each = ForEach if isinstance(formula, ForEach) is not negated else ForSome
            return each(normal(formula.item, negated=negated), formula.var, formula.domain)
    raise TypeError(f"{type(formula).__name__} is no temporal formula")


def joined(kind: type[Both] | type[Either], items: list[Temporal]) -> Temporal:
    flat = [x for item in items for x in (item.items if isinstance(item, kind) else (item,))]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _prefixed(always: bool, item: Temporal) -> Temporal:
    """`[]F` or `<>F`; F alone if it says the same of every suffix of a run, or has the prefix already."""
    kind = Always if always else Eventually
    return item if isinstance(item, kind) or is_tail(item) else kind(item)


def is_tail(formula: Temporal) -> bool:
    """Whether a formula in normal form has the same value in every state of a run: `[]<>F`, `<>[]F` and more."""
    match formula:
        case Always(item=Eventually()) | Eventually(item=Always()):
            return True
        case Both(items=items) | Either(items=items):
            return all(map(is_tail, items))
        case ForEach(item=item) | ForSome(item=item):
            return is_tail(item)
    return False

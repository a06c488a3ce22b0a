"""Fairness as TLA+, conjuncts `WF_v(A)` and `SF_v(A)` of a specification; claims about runs, PROPERTY of TLC."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.export.actions import Operator
from leadline.symbolic.export.layout import WIDTH, Layout, Lines, bullets, enclose, hang
from leadline.symbolic.lang import (
    BOOL,
    Action,
    Always,
    Arm,
    Both,
    Either,
    Enum,
    Eventually,
    Fairness,
    ForEach,
    ForSome,
    Happens,
    Holds,
    LeadsTo,
    Model,
    Negated,
    Pick,
    Set,
    Sort,
    Temporal,
    camel,
    key_variables,
    nodes as n,
    primed,
    substituted,
)
from leadline.symbolic.lang.rules import equality, negation
from leadline.symbolic.notation.names import Scope, Words, ranges_over_type

_ATOM = re.compile(r"\w+")

# -- fairness ------------------------------------------------------------------------------------------


def fair_operators(model: Model, words: Words) -> list[Lines]:
    """The operators of the steps that fairness conditions speak of, where no action is that operator."""
    known = {"Next", *words.actions.values()}
    pairs = zip(model.fairness, words.fair, strict=True)
    return [_Fair(model, words, one, name).operator() for one, name in pairs if name not in known]


def specification(model: Model, words: Words) -> Lines:
    """The specification: the initial states, the steps and the fairness conditions."""
    pairs = zip(model.fairness, words.fair, strict=True)
    fair = [_Fair(model, words, one, name).conjunct() for one, name in pairs]
    parts = ["Init", "[][Next]_vars", *dict.fromkeys(fair)]
    flat = "Spec == " + " /\\ ".join(parts)
    quantified = any(part.startswith("\\A") for part in parts)
    if len(flat) <= WIDTH and not quantified:
        return [flat]
    return ["Spec ==", *(f"  {line}" for line in bullets("/\\", [[part] for part in parts]))]


class _Fair:
    """A fairness condition."""

    def __init__(self, model: Model, words: Words, fair: Fairness, name: str) -> None:
        self.model = model
        self.words = words
        self.fair = fair
        self.name = name
        self.keys = key_variables(fair)
        scope = Scope(words.taken)
        self.parameters = [scope.take(_called(fair, place)) for place in range(len(fair.types))]

    def conjunct(self) -> str:
        """The condition as a formula."""
        layout = Layout(self.words, {})
        pairs = zip(self.parameters, self.fair.types, strict=True)
        ranges = ", ".join(layout.range(name, kind) for name, kind in pairs)
        called = f"{self.name}({', '.join(self.parameters)})" if self.parameters else self.name
        names = [self.words.variables[name] for name in self.fair.of]
        subscript = "vars" if not names else names[0] if len(names) == 1 else f"<<{', '.join(names)}>>"
        formula = f"{'SF' if self.fair.strong else 'WF'}_{subscript}({called})"
        return f"\\A {ranges} : {formula}" if ranges else formula

    def operator(self) -> Lines:
        """The definition of the operator that holds of the steps."""
        if not self.fair.types:
            arms = [[self.words.actions[arm.action]] for arm in self.fair.arms]
            return [f"{self.name} ==", *(f"  {line}" for line in bullets("\\/", arms))]
        named = {action.name: action for action in self.model.unconstrained}
        arms = [self._arm(named[arm.action], arm) for arm in self.fair.arms]
        head = f"{self.name}({', '.join(self.parameters)}) =="
        return [head, *(f"  {line}" for line in bullets("\\/", arms))]

    def _arm(self, action: Action, arm: Arm) -> Lines:
        """An action at the values of the parameters. A key that is a pick becomes a parameter in its place."""
        given: dict[str, str] = {}
        body: list[Pick | n.Node] = list(action.body)
        for key, leaf, name in zip(arm.keys, self.keys, self.parameters, strict=True):
            if isinstance(key, n.PickVar) and key.name not in given:
                given[key.name] = name
                body = [_given(item, key) for item in body]
            else:
                given[leaf.name] = name
                body.append(equality(key, leaf))
        kept = tuple(item for item in body if not (isinstance(item, n.Const) and item.value is True))
        return Operator(self.model, replace(action, body=kept), self.words, given).lines(kept)


def _called(fair: Fairness, place: int) -> str:
    """A name for a parameter: that of a pick, or one made of the type's."""
    key = fair.arms[0].keys[place]
    kind = fair.types[place]
    if isinstance(key, n.PickVar):
        return camel(key.name)
    return kind.name[:1].lower() if isinstance(kind, (Enum, Sort)) else "value"


def _given(item: Pick | n.Node, key: n.PickVar) -> Pick | n.Node:
    """An item of a body in which a pick is given: the pick is a guard that its value is in the domain."""
    if not isinstance(item, Pick) or item.name != key.name:
        return item
    domain = item.domain or n.make(n.Universe, Set(item.type), item.span)
    if item.domain is None:
        return n.make(n.Const, BOOL, item.span, True)
    return n.make(n.Member, BOOL, item.span, key, domain)


# -- claims about runs ---------------------------------------------------------------------------------


def formula_lines(formula: Temporal, words: Words) -> Lines:
    """A temporal formula."""
    after = {primed(name): f"{text}'" for name, text in words.variables.items()}
    own = replace(words, variables={**words.variables, **after})
    return _Formulas(own, {}).lines(formula)


class _Formulas:
    """Writes temporal formulas.

    Args:
        words: the module's names, with those of the variables after a step.
        bound: the names that quantifiers around a formula bind, by the names of the leaves for them.
    """

    def __init__(self, words: Words, bound: Mapping[str, str]) -> None:
        self.words = words
        self.bound = bound

    def lines(self, formula: Temporal) -> Lines:
        """A formula that nothing stands before or behind on its lines."""
        match formula:
            case Holds(node=node):
                return self._predicate(node)
            case Always(item=Negated(item=Happens(node=node))):
                return enclose("[][", self._predicate(negation(node)), "]_vars")
            case Happens(node=node):
                return enclose("<<", self._predicate(node), ">>_vars")
            case Negated(item=item):
                return hang("~", self._closed(item))
            case Always(item=item) | Eventually(item=item):
                return hang("[]" if isinstance(formula, Always) else "<>", self._closed(item))
            case Either(items=(Negated(item=premise), conclusion)):
                return self._infix("=>", premise, conclusion)
            case LeadsTo(premise=premise, conclusion=conclusion):
                return self._infix("~>", premise, conclusion)
            case Both(items=items) | Either(items=items):
                sign = "/\\" if isinstance(formula, Both) else "\\/"
                if not items:
                    return ["TRUE" if isinstance(formula, Both) else "FALSE"]
                return bullets(sign, [self._closed(item, listed=True) for item in items])
            case ForEach() | ForSome():
                return self._quantified(formula)
        raise TypeError(f"{type(formula).__name__} is no temporal formula")

    def _closed(self, formula: Temporal, listed: bool = False) -> Lines:
        """A formula to stand behind a prefix or beside an infix operator or, `listed`, behind a bullet."""
        alone = len(formula.items) == 1 if isinstance(formula, (Both, Either)) else False
        prefixed = isinstance(formula, (Always, Eventually, Negated, Happens))
        if prefixed or alone or (listed and not isinstance(formula, (ForEach, ForSome))):
            return self.lines(formula)
        lines = self.lines(formula)
        return lines if _ATOM.fullmatch("".join(lines)) else enclose("(", lines, ")")

    def _infix(self, sign: str, left: Temporal, right: Temporal) -> Lines:
        before, behind = self._closed(left), self._closed(right)
        if len(before) == len(behind) == 1 and len(before[0] + behind[0]) < WIDTH:
            return [f"{before[0]} {sign} {behind[0]}"]
        return [*before, *hang(f"  {sign} ", behind)]

    def _quantified(self, formula: ForEach | ForSome) -> Lines:
        kind, span = formula.var.type, formula.var.span
        name = Scope((*self.words.taken, *self.bound.values())).take(camel(formula.var.name))
        leaf = n.make(n.PickVar, kind, span, f"bound {len(self.bound)}")
        layout = Layout(self.words, self.bound)
        chosen = n.make(n.Const, Set(kind), span, frozenset(formula.domain))
        within = layout.range(name, kind if ranges_over_type(formula) else chosen)
        inside = _Formulas(self.words, {**self.bound, leaf.name: name})
        sign = "\\A" if isinstance(formula, ForEach) else "\\E"
        head = f"{sign} {within} :"
        lines = inside.lines(substituted(formula.item, {formula.var: leaf}))
        if len(lines) == 1 and len(head + lines[0]) < WIDTH:
            return [f"{head} {lines[0]}"]
        return [head, *hang("  ", lines)]

    def _predicate(self, node: n.Node) -> Lines:
        layout = Layout(self.words, self.bound)
        layout.share([node])
        return layout.let(tuple(layout.parts), layout.lines(node, WIDTH - 20))


def about_runs(names: Sequence[str]) -> Lines:
    """The lines of a configuration that name claims about runs."""
    return ["PROPERTIES", *hang("  ", names)] if names else []

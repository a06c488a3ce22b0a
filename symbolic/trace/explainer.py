"""The reasons why a predicate is false: the subformulas that decide it, with their values.

Values are those of the concrete meaning. Texts are TLA+, with values in place of the variables that the
quantifiers around a subformula bind, if the values are short. A `Reason` is told as text and as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from leadline.symbolic.concrete import State
from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.lang import (
    Bool,
    Int,
    Model,
    Named,
    Option,
    OutOfBounds,
    Set,
    Type,
    Value,
    in_tla,
    is_step,
    nodes as n,
    primed,
    shortened,
    untagged,
)
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.notation.expressions import to_tla
from leadline.symbolic.notation.types import bound_names

_MOST_LINES = 10
_WIDTH = 80
_MOST_TOLD = 4

PLACES = ("state", "step")
"""The names by which a reason about a run tells its place."""


@dataclass(frozen=True)
class Reason:
    """A subformula with its value in a state, and the parts that decide it.

    Attributes:
        formula: the subformula, with the values of bound variables that are numbers or names.
        value: its value: TRUE or FALSE.
        terms: where there are no parts, the terms that it compares, with their values.
        instance: the same formula with the values in place of the terms; "" if that says nothing.
        parts: the subformulas that decide: of a false conjunction those that are false, of a false "for all"
            one for each counterexample shown, of a false "there is" one for each element.
        chosen: of a part of a quantifier, the variable and its value.
        domain: the set from which that was chosen; "" if it is a constant.
        exhaustive: whether the parts are all that the quantifier ranges over.
        left_out: the number of further parts of a quantifier that are not shown.
        place: where the subformula is written, if its text is that of its module; "" otherwise.
    """

    formula: str
    value: str
    terms: tuple[tuple[str, str], ...] = ()
    instance: str = ""
    parts: tuple[Reason, ...] = ()
    chosen: tuple[str, str] | None = None
    domain: str = ""
    exhaustive: bool = False
    left_out: int = 0
    place: str = ""

    def to_json(self) -> dict[str, Any]:
        """The reason as a JSON object; empty fields are left out."""
        fields: dict[str, Any] = {"formula": self.formula, "value": self.value == "TRUE"}
        if self.place:
            fields["place"] = self.place
        if self.chosen:
            fields["with"] = dict([self.chosen])
        if self.terms:
            fields["terms"] = dict(self.terms)
        if self.parts:
            fields["because"] = [part.to_json() for part in self.parts]
        return fields | ({"left_out": self.left_out} if self.left_out else {})

    def lines(self) -> list[str]:
        """The reason in at most ten lines."""
        found = list(_told(self))
        if len(found) > _MOST_LINES:
            found[_MOST_LINES - 1 :] = [f"({len(found) - _MOST_LINES + 1} more lines)"]
        return found

    def sentence(self) -> str:
        """The reason in words for the middle of a sentence, formulas between backquotes."""
        told = list(_pieces(self))
        if len(told) > _MOST_TOLD:
            told[_MOST_TOLD - 1 :] = [f"{len(told) - _MOST_TOLD + 1} more"]
        return ", and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def _pieces(reason: Reason) -> Iterator[str]:
    """The formulas that decide, with their values, in words."""
    chosen = [reason]
    while len(reason.parts) == 1 and not reason.exhaustive:
        (reason,) = reason.parts
        chosen.append(reason)
    given = "".join(f"{text}, " for text in _given(chosen, "`"))
    if reason.parts and not reason.exhaustive:
        for part in _apart(reason.parts):
            for piece in _pieces(part):
                yield given + piece
                given = ""
    else:
        instance = f" (`{shortened(reason.instance, _WIDTH)}`)" if reason.instance else ""
        place = f" at {reason.place}" if reason.place else ""
        yield f"{given}`{shortened(reason.formula, _WIDTH)}`{place} is {reason.value.lower()}{instance}"


def _apart(parts: Iterable[Reason]) -> Iterable[Reason]:
    """The parts that are told: each once, those of connectives in their place, and no constants beside others."""
    told = dict[Reason, None]()
    for part in parts:
        told |= dict.fromkeys(
            [part] if part.exhaustive or part.chosen or not part.parts else _apart(part.parts)
        )
    return [one for one in told if one.formula != one.value] or told


def _is_place(reason: Reason) -> bool:
    """Whether a reason is chosen by its place in a run."""
    return reason.chosen is not None and reason.chosen[0] in PLACES


def _place(kind: str, number: str) -> str:
    if number.startswith("each of"):
        return f"in {number.replace('each of', f'each of the {kind}s')}"
    return f"in {kind} {number}"


def _told(reason: Reason, indent: str = "") -> Iterator[str]:
    """The lines: the values chosen on the way to the first branch, and below them what decides there."""
    chosen = [reason]
    while len(reason.parts) == 1 and not reason.exhaustive:
        (reason,) = reason.parts
        chosen.append(reason)
    if given := _given(chosen):
        yield f"{indent}{', '.join(given)}:"
        indent += "  "
    if reason.exhaustive or not reason.parts:
        instance = f"   ({shortened(reason.instance, _WIDTH)})" if reason.instance else ""
        place = f", at {reason.place}" if reason.place else ""
        yield f"{indent}{reason.value:<5}  {shortened(reason.formula, _WIDTH)}{place}{instance}"
        indent += "  "
    for part in _apart(reason.parts):
        yield from _told(part, indent)
    if reason.left_out:
        yield f"{indent}and so on, for {reason.left_out} more"


def _given(chosen: Sequence[Reason], quote: str = "") -> list[str]:
    """The values of quantifiers and the place in the run that were chosen, in words."""
    values = [_choice(one) for one in chosen if one.chosen and not _is_place(one)]
    places = [_place(*one.chosen) for one in chosen if one.chosen and _is_place(one)]
    return [*([f"for {', '.join(f'{quote}{text}{quote}' for text in values)}"] if values else []), *places]


def _choice(reason: Reason) -> str:
    within = f" in {shortened(reason.domain, _WIDTH)}" if reason.domain else ""
    return f"{' = '.join(reason.chosen or ())}{within}"


_MOST_ELEMENTS = 16
_MOST_COUNTED = 1_000
_DEEPEST = 60
_MOST_ROWS = 400
_MOST_VALUES = 40_000
# A formula shares its parts, so its text can be far longer than it has nodes.
_LONGEST_FORMULA = 4_000
_TOO_LONG = "(a long formula)"


@dataclass(frozen=True)
class _At:
    """A place in a formula.

    Attributes:
        state: the state in which it is evaluated, or two of them in one tuple.
        scope: the values of the variables that are bound around it, by the names of their stand-ins.
        most: how many counterexamples of a quantifier are looked for.
        depth: the number of formulas around it.
    """

    state: State
    scope: Mapping[str, n.Const]
    most: int = 1
    depth: int = 0


class Explainer:
    """Evaluates the parts of a predicate over states or over steps.

    Args:
        model: the model.
        formula: the predicate.
    """

    def __init__(self, model: Model, formula: n.Node) -> None:
        self._model, self._formula = model, formula
        names = {variable.name: variable.tla for variable in model.variables}
        self._names = names | {primed(name): primed(tla) for name, tla in names.items()}
        self._bound = bound_names(n.postorder(formula), lambda name: self._names[name])
        self._places = {name: place for place, name in enumerate(self._names)}
        self._functions: dict[tuple[n.Node, tuple[str, ...]], Callable[..., Value]] = {}
        self._opened: dict[n.Node, n.Node] = {}

    def views(self, states: Sequence[State]) -> list[State | None]:
        """The values that the predicate reads, for each state of a run: the state; or the step to it as one
        tuple, the state before first, and None for the first state."""
        if not is_step(self._formula):
            return list(states)
        return [None, *(before + after for before, after in pairwise(states))]

    def value(self, view: State) -> bool | None:
        """The predicate's value; None if its evaluation goes out of bounds."""
        found = self._value(self._formula, _At(view, {}))
        return None if found is _OUT else found

    def reason(self, view: State, most: int = 1) -> Reason:
        """The reason for the predicate's value.

        Args:
            view: one of `views`.
            most: how many counterexamples of a quantifier are looked for.
        """
        return self._reason(self._formula, _At(view, {}, most))

    def table(self, views: Sequence[State]) -> list[tuple[str, list[str | None]]]:
        """The predicate's subformulas and terms, once for each value of the quantifiers around them, with the
        value of each in every view (None where it is out of bounds); outer ones first, at most some hundred.
        """
        rows: dict[str, list[str | None]] = {}
        most = min(_MOST_ROWS, _MOST_VALUES // len(views))
        places = tuple(_At(view, {}) for view in views)
        waiting = [(self._formula, places)]
        for node, places in waiting:
            if len(rows) >= most:
                break
            if _is_told(node) and (text := self._text(node, places[0], full=True)) not in rows:
                found = [self._value(node, at) for at in places]
                rows[text] = [None if x is _OUT else in_tla(node.type, x) for x in found]
            if len(waiting) < 4 * most:
                waiting += self._below(node, places)
        return list(rows.items())

    def _below(self, node: n.Node, places: tuple[_At, ...]) -> Iterator[tuple[n.Node, tuple[_At, ...]]]:
        """The children of a node; the body of a binder once for each value that is bound in some state."""
        yield from ((child, places) for child in _operands(node))
        if not isinstance(node, n.BINDERS):
            return
        kind = node.var.type
        values = kind.values()
        if isinstance(node, n.Binder) and not isinstance(node.domain, n.Universe):
            found = {x for at in places for x in self._elements(node.domain, at)}
            values = iter(sorted(found, key=kind.order))
        for value in islice(values, _MOST_ELEMENTS):
            yield self._body(node), tuple(self._inside(node, value, at) for at in places)

    # -- reasons ------------------------------------------------------------------------------------

    def _reason(self, node: n.Node, at: _At) -> Reason:
        value = self._value(node, at)
        if at.depth < _DEEPEST and isinstance(node, (n.Forall, n.Exists)):
            return self._quantified(node, value, at)
        inner = replace(at, depth=at.depth + 1)
        deciding = self._deciding(node, value, at) if at.depth < _DEEPEST else ()
        # An equality of a term with itself says no more than that it has a value.
        told = (x for x in deciding if not (isinstance(x, n.Eq) and x.left is x.right))
        parts = tuple(self._reason(part, inner) for part in told)
        compared = {} if parts else {x: self._value(x, at) for x in _compared(node)}
        terms = tuple((self._text(x, at), _shown(x.type, found)) for x, found in compared.items())
        instance = ""
        if compared and _OUT not in compared.values():
            known = {x: n.make(n.Const, x.type, x.span, found) for x, found in compared.items()}
            instance = self._text(replaced(node, known), at)
        text, place = self._as_told(node, at)
        return Reason(text, _shown(node.type, value), terms, instance, parts, place=place)

    def _deciding(self, node: n.Node, value: Value, at: _At) -> Sequence[n.Node]:
        """The operands of a connective that give it its value."""
        match node:
            case n.And() | n.Or() if value is isinstance(node, n.And):
                return node.items
            case n.And() | n.Or():
                return [item for item in node.items if self._value(item, at) is value]
            case n.Implies(premise=premise, conclusion=conclusion) if not value:
                return (premise, conclusion)
            case n.Implies(premise=premise, conclusion=conclusion):
                return (premise if self._value(premise, at) is False else conclusion,)
            case n.Ite(condition=condition, then=then, orelse=orelse):
                return (condition, then if self._value(condition, at) else orelse)
            case n.Not(item=n.And() | n.Or() | n.Implies() | n.Ite() | n.Forall() | n.Exists() as item):
                return (item,)
        return ()

    def _quantified(self, node: n.Forall | n.Exists, value: Value, at: _At) -> Reason:
        """Witnesses, if some element decides; each element of a false "there is"; nothing else."""
        witnessed = value is isinstance(node, n.Exists)
        exhaustive = value is False and not witnessed
        domain = self._as_told(node.domain, at)[0] if _varies(node.domain) else ""
        parts: list[Reason] = []
        left_out = 0
        if witnessed or exhaustive:
            body = self._body(node)
            tried = ((x, self._inside(node, x, at)) for x in self._elements(node.domain, at))
            found = ((x, inner) for x, inner in tried if exhaustive or self._value(body, inner) is value)
            for element, inner in islice(found, max(at.most, 3) if exhaustive else at.most):
                chosen = (self._bound[node.var], in_tla(node.var.type, element))
                parts.append(replace(self._reason(body, inner), chosen=chosen, domain=domain))
            left_out = sum(1 for _ in islice(found, _MOST_COUNTED)) if exhaustive or at.most > 1 else 0
        terms: tuple[tuple[str, str], ...] = ()
        if domain and not parts:
            terms = ((domain, _shown(node.domain.type, self._value(node.domain, at))),)
        instance = " = ".join(terms[0]) if terms else ""
        text, place = self._as_told(node, at)
        shown = _shown(node.type, value)
        return Reason(text, shown, terms, instance, tuple(parts), None, "", exhaustive, left_out, place)

    # -- values -------------------------------------------------------------------------------------

    def _value(self, node: n.Node, at: _At) -> Value:
        picks = {name: one.value for name, one in at.scope.items()}
        key = (node, tuple(picks))
        if key not in self._functions:
            self._functions[key] = function_of(node, self._places, picks)
        try:
            return self._functions[key](at.state, picks)
        except OutOfBounds:
            return _OUT

    def _elements(self, domain: n.Node, at: _At) -> Iterator[Value]:
        """The elements of a set, or the items of a sequence; those of a type are not put into a set first."""
        (item,) = domain.type.parts
        if isinstance(domain, n.Universe):
            return item.values()
        found = self._value(domain, at)
        return iter(() if found is _OUT else sorted(found, key=item.order))

    def _body(self, node: n.Binder | n.MapBuild) -> n.Node:
        """The body of a binder with a stand-in for its variable, so that it is compiled once for all values.

        Levels fall from outside to inside, so the stand-in's name is its own.
        """
        if node not in self._opened:
            stand_in = n.make(n.PickVar, node.var.type, node.span, _stand_in(node))
            self._opened[node] = replaced(node.body, {node.var: stand_in})
        return self._opened[node]

    def _inside(self, node: n.Binder | n.MapBuild, value: Value, at: _At) -> _At:
        """The place of a binder's body when its variable has the value."""
        scope = {**at.scope, _stand_in(node): n.make(n.Const, node.var.type, node.span, value)}
        return replace(at, scope=scope, depth=at.depth + 1)

    def _as_told(self, node: n.Node, at: _At) -> tuple[str, str]:
        """A formula's text. One that operators make long is told as it is written, with its place."""
        text, origin = self._text(node, at), self._model.origin
        if (len(text) <= _WIDTH and text != _TOO_LONG) or origin is None:
            return text, ""
        written = origin.written(node.span, _SYMBOLS.get(type(node), ()))
        return (written, node.span.short) if written else (text, "")

    def _text(self, node: n.Node, at: _At, full: bool = False) -> str:
        """The text of a formula, with values for the variables bound around it: all, or only short ones."""
        shown: dict[n.Node, n.Node] = {}
        for x in n.postorder(node):
            if isinstance(x, n.PickVar):
                named = n.make(n.PickVar, x.type, x.span, x.name.partition("@")[0])
                shown[x] = at.scope[x.name] if full or _is_short(x.type) else named
        found = replaced(node, shown)
        return to_tla(found, self._names) if _size(found) <= _LONGEST_FORMULA else _TOO_LONG


def _stand_in(node: n.Binder | n.MapBuild) -> str:
    return f"{node.var.name}@{node.var.level}"


_SYMBOLS = {
    n.Eq: ("=",),
    n.Lt: ("<", ">"),
    n.Le: ("<=", ">="),
    n.Member: ("\\in",),
    n.Subset: ("\\subseteq",),
    n.Not: ("~", "#", "\\notin"),
    n.Forall: ("\\A",),
    n.Exists: ("\\E",),
    n.SetFilter: ("{",),
    n.SetMap: ("{",),
    n.SetOf: ("{",),
    n.BigUnion: ("{", "UNION"),
}
"""The operators that a node may come from. What is told in reverse has another one at its place."""
_OUT = object()
"""The value of an expression that is out of bounds."""


def _shown(kind: Type, value: Value) -> str:
    return "out of bounds" if value is _OUT else in_tla(kind, value)


def _varies(node: n.Node) -> bool:
    """Whether the value of a term is not evident from its text."""
    leaves = (x for x in n.postorder(node) if isinstance(x, (n.StateVar, n.PickVar)))
    return any(isinstance(x, n.StateVar) or not _is_short(x.type) for x in leaves)


def _operands(node: n.Node) -> Iterator[n.Node]:
    """The children of a node outside of the scope of a variable that it binds."""
    body = node.body if isinstance(node, n.BINDERS) else None
    return (child for child in n.children(node) if child is not body)


def _compared(node: n.Node) -> Iterator[n.Node]:
    """The terms in a formula whose values a reader compares: behind negations and along paths, only keys."""
    match node:
        case n.IsVariant(item=item) if untagged(item.type):
            yield item
        case (
            n.Not(item=item)
            | n.Component(item=item)
            | n.Get(item=item)
            | n.Payload(item=item)
            | n.IsVariant(item=item)
        ):
            yield from _compared(item)
        case n.Apply(map=item, key=key) | n.Index(item=item, place=key):
            yield from _compared(item)
            yield from (key,) if _varies(key) else ()
        case _:
            yield from filter(_varies, _operands(node))


def _is_short(kind: Type) -> bool:
    return isinstance(kind, (Bool, Int, Named))


def _is_told(node: n.Node) -> bool:
    """Whether a table shows a subformula or term: it depends on the state, and its value is short."""
    kind = node.type.item if isinstance(node.type, (Option, Set)) else node.type
    of_state = any(isinstance(x, n.StateVar) for x in n.postorder(node))
    return of_state and _is_short(kind) and not isinstance(node, (n.StateVar, n.Coerce))


def _size(root: n.Node) -> int:
    """The number of nodes that a text would print, as if nothing were shared."""
    sizes: dict[n.Node, int] = {}
    for node in n.postorder(root):
        sizes[node] = 1 + sum(sizes[child] for child in n.children(node))
    return sizes[root]

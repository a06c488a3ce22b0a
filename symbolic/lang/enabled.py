"""ENABLED: whether an action can be taken in a state, as an expression; and fairness, which is made of it."""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.coercion import BOOL, as_node, invalid, mistakes_of, wrong_part
from leadline.symbolic.lang.errors import Mistake, unknown_name
from leadline.symbolic.lang.expr import BoolExpr, wrap
from leadline.symbolic.lang.fairness import Arm, FairMark, Fairness
from leadline.symbolic.lang.model import Action, Pick, Variable
from leadline.symbolic.lang.nodes import binder_height, replaced
from leadline.symbolic.lang.rules import connective, equality, negation
from leadline.symbolic.lang.script import attempted
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.states import State
from leadline.symbolic.lang.structures import Set


def enabled(now: State, action: str, /, **picks: object) -> BoolExpr:
    """TLA+'s ENABLED: whether an action can be taken in the state, also where it would change nothing.

    Args:
        now: the state.
        action: the action's name.
        picks: values for some of its picks, by name; the others can be any.
    """
    actions: Mapping[str, Action | None] = now.__dict__["_actions"]
    if action not in actions:
        return wrap(invalid(unknown_name("enabled: there is no action", action, list(actions))))
    found = actions[action]
    if found is None:
        return wrap(as_node(False))  # The protocol lacks it at these parameters.
    given: dict[str, n.Node] = {}
    for name, value in picks.items():
        own = next((x for x in found.picks if x.name == name), None)
        if own is None:
            names = [x.name for x in found.picks]
            return wrap(invalid(unknown_name(f"enabled: {action} has no pick", name, names)))
        given[name] = as_node(value, own.type)
    bad = wrong_part(tuple(given.values()))
    return wrap(bad or enabledness(found, given))


def enabledness(
    action: Action, given: Mapping[str, n.Node] | None = None, last: Sequence[n.Node] = ()
) -> n.Node:
    """The formula over the state that an action is enabled for some picks.

    Args:
        action: the action.
        given: values of picks by name: the action is enabled with these.
        last: further guards, which are evaluated after those of the action.
    """
    given = given or {}
    formula = connective(n.And, list(last))
    for item in reversed(action.body):
        if not isinstance(item, Pick):
            formula = n.make(n.And, BOOL, action.span, (item, formula))
            continue
        pick: n.Node = item.node
        domain = item.domain or n.make(n.Universe, Set(item.type), item.span)
        if item.name in given:
            formula = replaced(formula, {pick: given[item.name]})
            if item.domain is not None:
                inside = n.make(n.Member, BOOL, item.span, given[item.name], domain)
                formula = n.make(n.And, BOOL, item.span, (inside, formula))
            continue
        var = n.make(n.Bound, item.type, item.span, item.name, binder_height(formula) + 1)
        formula = n.make(n.Exists, BOOL, item.span, var, domain, replaced(formula, {pick: var}))
    return formula


def changes(action: Action, variables: Iterable[Variable]) -> n.Node:
    """Whether a step of the action, which is enabled, changes one of the variables."""
    after = dict(action.updates)
    differ: list[object] = [negation(equality(after[x.name], x.node)) for x in variables if x.name in after]
    return connective(n.Or, differ)


# -- fairness -------------------------------------------------------------------------------------------


def fairness_of(
    marks: Iterable[object],
    actions: Mapping[str, Action | None],
    variables: Mapping[str, Variable],
    mistakes: list[Mistake],
    where: Span,
) -> tuple[Fairness, ...]:
    """The fairness conditions that a protocol's `fair` gives; mistakes are added to the list.

    Args:
        marks: the result of `fair`.
        actions: the actions by name; None for one that the protocol lacks at its parameters.
        variables: the variables by name.
        mistakes: the list to add to.
        where: the place of `fair`.
    """
    found: list[Fairness] = []
    for mark in marks:
        if not isinstance(mark, FairMark):
            text = f"fair lists conditions such as weak(...), strong(...) and weak_next(), and not {mark!r}"
            mistakes.append(Mistake(where, text))
            continue
        told = _wrong_names(mark, actions, variables)
        mistakes += told
        if not told:
            found += _condition(mark, actions, mistakes)
    return tuple(found)


def _wrong_names(
    mark: FairMark, actions: Mapping[str, Action | None], variables: Mapping[str, Variable]
) -> list[Mistake]:
    if any(not isinstance(x, str) for x in (*mark.actions, *mark.of)):
        return [Mistake(mark.span, 'fairness: actions and variables are named by text: write weak("action")')]
    unknown = [x for x in mark.actions if not fnmatch.filter(actions, x)]
    told = [unknown_name("fairness: no action", x, list(actions)) for x in unknown]
    told += [unknown_name("fairness: no variable", x, list(variables)) for x in mark.of if x not in variables]
    if not mark.actions and mark.tla != "Next":
        told.append("fairness of no action: name one, or write weak_next()")
    return [Mistake(mark.span, text) for text in told]


def _condition(
    mark: FairMark, actions: Mapping[str, Action | None], mistakes: list[Mistake]
) -> list[Fairness]:
    """The condition; nothing if the protocol has none of the actions at its parameters."""
    named = dict.fromkeys(name for x in mark.actions or "*" for name in fnmatch.filter(actions, x))
    present = [one for one in (actions[name] for name in named) if one is not None]
    before = len(mistakes)
    arms = [Arm(one.name, _keys(mark, one, mistakes)) for one in present]
    if not arms or len(mistakes) > before:
        return []
    kinds = [tuple(key.type for key in arm.keys) for arm in arms]
    types = kinds[0]
    for arm, other in zip(arms, kinds, strict=True):
        if other != types:
            shown = [", ".join(map(repr, x)) for x in (types, other)]
            text = f"fairness: `each` gives {shown[0]} for {arms[0].action} and {shown[1]} for {arm.action}"
            mistakes.append(Mistake(mark.span, text))
            return []
    name = mark.tla or " \\/ ".join(one.tla for one in present)
    return [Fairness(name, mark.strong, tuple(arms), types, mark.of, mark.span)]


def _keys(mark: FairMark, action: Action, mistakes: list[Mistake]) -> tuple[n.Node, ...]:
    """The values at which a step of an action counts."""
    picks = {x.name: x.node for x in action.picks}
    function = mark.each if callable(mark.each) else None
    names = [*inspect.signature(function).parameters] if function else mark.each
    assert not callable(names)
    unknown = [x for x in names if x not in picks]
    if unknown:
        text = unknown_name(f"fairness: {action.name} has no pick", unknown[0], list(picks))
        mistakes.append(Mistake(mark.span, text))
        return ()
    if function is None:
        return tuple(picks[x] for x in names)
    found = attempted(lambda: function(*(wrap(picks[x]) for x in names)), mistakes, function)
    if not found:
        return ()
    values = found[0] if isinstance(found[0], tuple) else (found[0],)
    keys = tuple(as_node(value) for value in values)
    mistakes += mistakes_of(*keys)
    return keys


def fair_enabled(
    fair: Fairness,
    actions: Mapping[str, Action],
    variables: Sequence[Variable],
    sure: Collection[str] = (),
) -> n.Node:
    """ENABLED of a condition's steps, over the state and, for its types, the leaves of `key_variables`.

    Args:
        fair: the condition.
        actions: the actions by name.
        variables: the model's variables.
        sure: the names of the actions of which each step is known to change one of the condition's variables.
    """
    keys = key_variables(fair)
    watched = [x for x in variables if not fair.of or x.name in fair.of]
    arms: list[object] = []
    for arm in fair.arms:
        action = actions[arm.action]
        same = [equality(key, var) for key, var in zip(arm.keys, keys, strict=True)]
        changed = [] if arm.action in sure else [changes(action, watched)]
        arms.append(enabledness(action, last=[*same, *changed]))
    return connective(n.Or, arms)


def key_variables(fair: Fairness) -> tuple[n.PickVar, ...]:
    """Placeholders for the values at which a condition holds by itself."""
    return tuple(n.make(n.PickVar, kind, fair.span, f"key {i}") for i, kind in enumerate(fair.types))

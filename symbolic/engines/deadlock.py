"""Freedom from deadlock as a property: in every state some action is enabled."""

from __future__ import annotations

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Action, Model, Pick, Property, PropertyKind
from leadline.symbolic.lang.structures import Set
from leadline.symbolic.lang.types import Bool
from leadline.symbolic.lang.walk import binder_height, substitute
from leadline.symbolic.trace import DEADLOCK

_BOOL = Bool()


def deadlock_property(model: Model) -> Property:
    """That some action is enabled, as a formula over the state.

    An action that goes out of bounds makes the formula's evaluation do so too: it is no deadlock.
    """
    span = model.init.span
    enabled = tuple(enabledness(action) for action in model.actions)
    formula = n.make(n.Or, _BOOL, span, enabled) if enabled else n.make(n.Const, _BOOL, span, False)
    doc = "Some action is enabled in every state."
    return Property(DEADLOCK, "Deadlock", PropertyKind.INVARIANT, doc, span, formula)


def enabledness(action: Action) -> n.Node:
    """That an action is enabled for some picks, as a formula over the state."""
    formula: n.Node = n.make(n.Const, _BOOL, action.span, True)
    for item in reversed(action.body):
        if not isinstance(item, Pick):
            formula = n.make(n.And, _BOOL, action.span, (item, formula))
            continue
        pick = n.make(n.PickVar, item.type, item.span, item.name)
        var = n.make(n.Bound, item.type, item.span, item.name, binder_height(formula) + 1)
        domain = item.domain or n.make(n.Universe, Set(item.type), item.span)
        formula = n.make(n.Exists, _BOOL, item.span, var, domain, substitute(formula, {pick: var}))
    return formula

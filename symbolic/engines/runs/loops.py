"""Liveness as safety: a run that returns to a state that it has saved, all conditions met in between.

A. Biere, C. Artho, V. Schuppan: Liveness checking as safety checking, FMICS 2002; strong fairness as there, by
what has been seen of each condition since the state was saved.
"""

from __future__ import annotations

from dataclasses import replace

from leadline.symbolic.engines.runs.product import FALSE, STUTTER, TRUE, Product, Watched, read
from leadline.symbolic.lang import BOOL, NOWHERE, Action, Model, enabledness, nodes as n
from leadline.symbolic.lang.rules import connective, equality, negation

SAVE = "(save)"
"""The action that saves the state. No method of a protocol can have the name."""

SAVED = "(saved)"


def _copy(name: str) -> str:
    """The name of the variable that holds the saved value of another."""
    return f"(saved {name})"


def loop_model(product: Product, name: str) -> Model:
    """A model with one property, that the run has not closed a loop in which all conditions are met.

    It is violated too in a state in which a run may stop for ever, all conditions met.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
    """
    saved = read(SAVED, BOOL)
    kept = tuple((_copy(x.name), read(x.name, x.type)) for x in product.variables)
    save = Action(SAVE, SAVE, "", NOWHERE, (negation(saved),), ((SAVED, TRUE), *kept))
    same: list[object] = [
        equality(read(x.name, x.type), read(_copy(x.name), x.type)) for x in product.variables
    ]
    seen = product.fulfilled(lambda flag, mark: mark.at(read(flag, mark.type)))
    closed = connective(n.And, [saved, *seen, *same])
    formula = negation(connective(n.Or, [closed, stuck(product)]))
    begun = dict(product.init.updates)
    copies = ((_copy(x.name), x.type, begun[x.name]) for x in product.variables)
    actions = [_watching(product, one, saved) for one in product.watched]
    return product.model(
        name, formula, [*actions, save], [(SAVED, BOOL, FALSE), *copies, *product.nothing_noted]
    )


def _watching(product: Product, one: Watched, saved: n.Node) -> Action:
    """An action that notes what is seen once the state is saved."""
    updates = dict(one.action.updates)
    for flag, mark, node in product.noted(one):
        if node is not FALSE:
            old = mark.at(read(flag, mark.type))
            updates[flag] = mark.value(connective(n.And, [saved, connective(n.Or, [old, node])]))
    return replace(one.action, updates=tuple(updates.items()))


MOST_CHOICES = 64
"""Choices of the monitor that are tried for a run that stops; where there are more, it is found as a loop."""


def stuck(product: Product) -> n.Node:
    """Whether the run may stop in a state for ever, the monitor's variables staying as they are."""
    (one,) = (x for x in product.watched if x.action.name == STUTTER)
    after = dict(one.action.updates)
    stays = [
        equality(read(name, new.type), new) for name, new in after.items() if new is not read(name, new.type)
    ]
    met = [mark.every(node) for mark, node in zip(product.recurrent, one.met, strict=True)]
    never = [mark.every(negation(node)) for mark, node in zip(product.strong, product.able, strict=True)]
    if any(pick.type.capped > MOST_CHOICES for pick in one.action.picks):
        return FALSE
    return enabledness(one.action, last=[*stays, *met, *never])

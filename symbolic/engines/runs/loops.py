"""Liveness as safety: a run that returns to a state that it has saved, all conditions met in between.

A. Biere, C. Artho, V. Schuppan: Liveness checking as safety checking, FMICS 2002; strong fairness as there, by
what has been seen of each condition since the state was saved.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.engines.prove.lemmas import claiming
from leadline.symbolic.engines.runs.product import FALSE, STUTTER, TRUE, Mark, Product, Watched
from leadline.symbolic.lang import (
    BOOL,
    NOWHERE,
    Action,
    Model,
    Pick,
    Property,
    PropertyKind,
    Set,
    Type,
    Variable,
    nodes as n,
)
from leadline.symbolic.lang.nodes import binder_height, replaced
from leadline.symbolic.lang.rules import connective, equality, implication, negation

SAVE = "(save)"
"""The action that saves the state. No method of a protocol can have the name."""

SAVED = "(saved)"


def _copy(name: str) -> str:
    """The name of the variable that holds the saved value of another."""
    return f"(saved {name})"


def read(name: str, kind: Type) -> n.Node:
    """The value of a variable."""
    return n.make(n.StateVar, kind, NOWHERE, name)


def loop_model(product: Product, name: str) -> Model:
    """A model with one property, that the run has not closed a loop in which all conditions are met.

    It is violated too in a state in which a run may stop for ever, all conditions met.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
    """
    seen = [*flags_of(product.recurrent, "met"), *flags_of(product.strong, "able", "taken")]
    saved = read(SAVED, BOOL)
    copies = [Variable(_copy(x.name), x.tla, x.type, NOWHERE) for x in product.variables]
    flags = [Variable(flag, flag, mark.type, NOWHERE) for flag, mark in seen]
    actions = [_watching(product, one, saved) for one in product.watched]
    kept = tuple((_copy(x.name), read(x.name, x.type)) for x in product.variables)
    save = Action(SAVE, SAVE, "", NOWHERE, (negation(saved),), ((SAVED, TRUE), *kept))
    same: list[object] = [
        equality(read(x.name, x.type), read(_copy(x.name), x.type)) for x in product.variables
    ]
    closed = connective(n.And, [saved, *_all_seen(product), *same])
    formula = negation(connective(n.Or, [closed, stuck(product)]))
    begun = dict(product.init.updates)
    first = (
        (SAVED, FALSE),
        *((_copy(x.name), begun[x.name]) for x in product.variables),
        *((flag, mark.value(FALSE)) for flag, mark in seen),
    )
    init = Action("init", "Init", "", NOWHERE, product.init.body, (*product.init.updates, *first))
    claim = Property(name, name, PropertyKind.INVARIANT, "", NOWHERE, formula)
    variables = (*product.variables, Variable(SAVED, SAVED, BOOL, NOWHERE), *copies, *flags)
    return Model(product.base.protocol, {}, variables, init, (*actions, save), claiming(product.base, claim))


def flags_of(marks: tuple[Mark, ...], *words: str) -> list[tuple[str, Mark]]:
    """The variables that note something of each mark, with the marks."""
    return [(f"({word} {place})", mark) for word in words for place, mark in enumerate(marks)]


def _watching(product: Product, one: Watched, saved: n.Node) -> Action:
    """An action that notes what is seen once the state is saved."""
    found = [("met", product.recurrent, one.met), ("able", product.strong, product.able)]
    found.append(("taken", product.strong, one.taken))
    updates = dict(one.action.updates)
    for word, marks, nodes in found:
        for (flag, mark), node in zip(flags_of(marks, word), nodes, strict=True):
            if node is FALSE:
                continue
            old = mark.at(read(flag, mark.type))
            updates[flag] = mark.value(connective(n.And, [saved, connective(n.Or, [old, node])]))
    action = one.action
    return Action(action.name, action.tla, action.doc, action.span, action.body, tuple(updates.items()))


def _all_seen(product: Product) -> Iterator[n.Node]:
    for flag, mark in flags_of(product.recurrent, "met"):
        yield mark.every(mark.at(read(flag, mark.type)))
    pairs = zip(flags_of(product.strong, "able"), flags_of(product.strong, "taken"), strict=True)
    for (able, mark), (taken, _) in pairs:
        seen = mark.at(read(able, mark.type)), mark.at(read(taken, mark.type))
        yield mark.every(implication(*seen))


MOST_CHOICES = 64
"""Choices of the monitor that are tried for a run that stops; where there are more, it is found as a loop."""


def stuck(product: Product) -> n.Node:
    """Whether the run may stop in a state for ever, the monitor's variables staying as they are."""
    (one,) = (x for x in product.watched if x.action.name == STUTTER)
    after = dict(one.action.updates)
    stays: list[object] = [
        equality(read(name, new.type), new) for name, new in after.items() if new is not read(name, new.type)
    ]
    met = [mark.every(node) for mark, node in zip(product.recurrent, one.met, strict=True)]
    never = [mark.every(negation(node)) for mark, node in zip(product.strong, product.able, strict=True)]
    guards = [item for item in one.action.body if not isinstance(item, Pick)]
    formula = connective(n.And, [*guards, *stays, *met, *never])
    for pick in one.action.picks:
        if pick.type.cardinality > MOST_CHOICES:
            return FALSE
        leaf = n.make(n.PickVar, pick.type, NOWHERE, pick.name)
        var = n.make(n.Bound, pick.type, NOWHERE, "choice", binder_height(formula) + 1)
        domain = n.make(n.Universe, Set(pick.type), NOWHERE)
        formula = n.make(n.Exists, BOOL, NOWHERE, var, domain, replaced(formula, {leaf: var}))
    return formula

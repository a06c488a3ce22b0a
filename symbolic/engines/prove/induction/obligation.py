"""The obligations of a proof by induction, by conjunct and action.

The invariant is a conjunction: the property itself, unless a strengthening entails it, and the
strengthenings that it has (`leadline.symbolic.lang.strengthening`). A state *satisfies* a formula if its
evaluation is within bounds and true. The obligations, each a question for a solver:

- initial states in bounds: no initial state is out of bounds;
- initiation of C, for each conjunct C: every initial state satisfies C;
- in bounds under A, for each action A: from a state that satisfies all conjuncts A does not go out of bounds;
- consecution of C under A: if A takes a step from such a state, the state after it satisfies C;
- implication: a state that satisfies all conjuncts satisfies the property.

"A state" is any at all within the declared types of the variables, reachable or not.

Why they suffice. Let all hold. Every reachable state satisfies all conjuncts, by induction on the number of
steps to it. With none it is an initial state: initiation says so, for each conjunct. With one more it comes
by some action from a state that satisfies all conjuncts: consecution says so, for each conjunct and action,
and these are all the conjuncts and all the actions. Steps only lead to states within the declared types,
since a value that leaves its type makes a step go out of bounds, so "any state" leaves none out. Hence every
reachable state satisfies the property (implication), and its evaluation is within bounds there; no initial
state is out of bounds, and no step from a reachable state is (in bounds under A, for each A). This is more
than a bounded check says, at every depth.

A failing obligation decides nothing: it has a counterexample to induction (CTI), a state that satisfies all
conjuncts with the failure from there, but that state may not be reachable. Either the property is false, or a
strengthening is needed that excludes the state.

R. W. Floyd: Assigning Meanings to Programs, 1967; Z. Manna, A. Pnueli: Temporal Verification of Reactive
Systems: Safety, 1995, chapter 1 (rules INV-B and INV).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from leadline.symbolic.engines.prove.lemmas import strengthenings
from leadline.symbolic.lang import Model, Property, UserError, unknown_name


class ObligationKind(StrEnum):
    """The kinds of obligations."""

    INITIAL_IN_BOUNDS = "initial states in bounds"
    INITIATION = "initiation"
    STEP_IN_BOUNDS = "in bounds"
    CONSECUTION = "consecution"
    IMPLICATION = "implication"


@dataclass(frozen=True)
class Obligation:
    """One question of an inductive proof.

    Attributes:
        name: unique among the obligations of a model and goal, and the same in every process.
        kind: the kind of the question.
        conjunct: the name of the formula that must be satisfied: a conjunct, or the goal for the implication.
        action: the name of the action that takes the step.
    """

    name: str
    kind: ObligationKind
    conjunct: str | None = None
    action: str | None = None


def conjuncts(model: Model, goal: str) -> tuple[Property, ...]:
    """The conjuncts of the invariant that proves a property, in the order of the file.

    Args:
        model: the model.
        goal: the property's name.

    Raises:
        UserError: if the model has no property of that name.
    """
    model.choose_properties((goal,))
    means = strengthenings(model, goal)
    used = {goal, *(one.name for one in means)}
    if any(one.entails and goal in one.strengthens for one in means):
        used.discard(goal)
    return tuple(one for name, one in model.properties.items() if name in used)


def obligations(model: Model, goal: str) -> tuple[Obligation, ...]:
    """The obligations whose conjunction proves a property of a model: see the top of this module.

    Args:
        model: the model.
        goal: the property's name.

    Returns:
        The obligations in a fixed order: those of the initial states, those of each action, the implication.

    Raises:
        UserError: if the model has no property of that name.
    """
    kinds = ObligationKind
    names = [one.name for one in conjuncts(model, goal)]
    found = [Obligation(kinds.INITIAL_IN_BOUNDS, kinds.INITIAL_IN_BOUNDS)]
    found += [Obligation(f"initiation of {name}", kinds.INITIATION, name) for name in names]
    for action in model.actions:
        own = action.name
        found.append(Obligation(f"in bounds under {own}", kinds.STEP_IN_BOUNDS, None, own))
        found += [
            Obligation(f"consecution of {name} under {own}", kinds.CONSECUTION, name, own) for name in names
        ]
    found.append(Obligation(kinds.IMPLICATION, kinds.IMPLICATION, goal))
    return tuple(found)


def chosen_obligations(model: Model, goal: str, names: tuple[str, ...]) -> tuple[Obligation, ...]:
    """The obligations of those names in the fixed order, or all if there are no names.

    Raises:
        UserError: if there is no property or obligation of a name.
    """
    known = {one.name: one for one in obligations(model, goal)}
    for name in names:
        if name not in known:
            raise UserError(unknown_name(f"{goal} has no obligation", name, list(known)))
    return tuple(one for name, one in known.items() if not names or name in names)

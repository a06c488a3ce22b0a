"""Views in explicit search: one state for each value of an expression, and what verdicts then depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.engines.ask.result import Result, Verdict
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.lang import Model, OutOfBounds, UserError, Value
from leadline.symbolic.meaning import Exploration

if TYPE_CHECKING:
    from leadline.symbolic.engines.explore.explore import ExploreOptions


def view_of(
    semantics: Semantics, options: ExploreOptions, runs: Sequence[str]
) -> Callable[[State], Value] | None:
    """The value by which an exploration tells states apart; None for all of a state.

    Every state counts where a proof is wanted, and for claims about runs, since a loop goes through states
    that a view may take for others.

    Args:
        semantics: the meaning of the model.
        options: the options of the exploration.
        runs: the names of the claims about runs that are asked about.

    Raises:
        UserError: if the model has a view that cannot be used with other options.
    """
    view = semantics.model.view
    if not view_is_used(semantics.model, options, runs):
        return None
    assert view is not None
    if options.symmetry:
        raise UserError(
            f"--symmetry is for every state, and the view {view.name} is declared: add --every-state"
        )

    def value(state: State) -> Value:
        try:
            return semantics.evaluate(view.formula, state)
        except OutOfBounds as error:
            told = f"{view.span}: the view {view.name} is out of bounds in a reachable state: {error}"
            raise UserError(told) from error

    return value


def view_is_used(model: Model, options: ExploreOptions, runs: Sequence[str]) -> bool:
    """Whether states are told apart by the model's view."""
    return model.view is not None and not (options.every_state or options.prove or runs)


def with_view(
    facts: ExploreFacts, model: Model, options: ExploreOptions, found: Exploration, runs: Sequence[str]
) -> ExploreFacts:
    """The facts of an exploration with the part of a view in it, if it was asked for one."""
    if model.view is None or options.every_state or options.prove:
        return facts
    unused = f"{runs[0]} is a claim about runs, for which every state counts" if runs else None
    return replace(facts, view=model.view.name, all_views=found.all_views, view_unused=unused)


def qualified(result: Result, facts: ExploreFacts) -> Result:
    """A result with the note that it depends on a view, if nothing wrong was found under one."""
    if facts.all_views is None or result.verdict is not Verdict.SAFE:
        return result
    note = f"looked at one state for each value of the view {facts.view}"
    return replace(result, reason=f"{result.reason}; {note}" if result.reason else note)


def view_extent(facts: ExploreFacts) -> str | None:
    """The extent of an exploration under a view, in words; None without one."""
    if facts.all_views is None:
        return None
    which = "one for each value" if facts.all_views else "one for each value so far"
    return f"{which} of the view {facts.view}"


def view_remarks(facts: ExploreFacts) -> list[str]:
    """A line that says what depends on a view, or why it is not used; none without one."""
    if facts.view is None:
        return []
    if facts.all_views is None:
        return [f"the view {facts.view} is not used: {facts.view_unused}"]
    return ["violations are real; that there are no others depends on the view"]

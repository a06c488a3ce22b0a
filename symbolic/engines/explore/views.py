"""Views in explicit search: one state for each value of an expression, and what verdicts then depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from leadline.symbolic.concrete import Exploration, Semantics, State
from leadline.symbolic.engines.ask.result import Result, Verdict
from leadline.symbolic.lang import Model, OutOfBounds, UserError, Value

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


def view_facts(
    model: Model, options: ExploreOptions, found: Exploration, runs: Sequence[str]
) -> dict[str, Any]:
    """The part of a view in an exploration, as facts of its answer; empty if it was not asked for one.

    `view` is its name. `all_views` says whether all its values that the states found lead to were found; it is
    null where the view is not used, and `view_unused` says why.
    """
    if model.view is None or options.every_state or options.prove:
        return {}
    told = {"view": model.view.name, "all_views": found.all_views}
    if runs:
        told["view_unused"] = f"{runs[0]} is a claim about runs, for which every state counts"
    return told


def qualified(result: Result, facts: Mapping[str, Any]) -> Result:
    """A result with the note that it depends on a view, if nothing wrong was found under one."""
    if facts.get("all_views") is None or result.verdict is not Verdict.SAFE:
        return result
    note = f"looked at one state for each value of the view {facts['view']}"
    return replace(result, reason=f"{result.reason}; {note}" if result.reason else note)


def view_extent(facts: Mapping[str, Any]) -> str | None:
    """The extent of an exploration under a view, in words; None without one."""
    if facts.get("all_views") is None:
        return None
    which = "one for each value" if facts["all_views"] else "one for each value so far"
    return f"{which} of the view {facts['view']}"


def view_remarks(facts: Mapping[str, Any]) -> list[str]:
    """A line that says what depends on a view, or why it is not used; none without one."""
    if "view" not in facts:
        return []
    if facts["all_views"] is None:
        return [f"the view {facts['view']} is not used: {facts['view_unused']}"]
    return ["violations are real; that there are no others depends on the view"]

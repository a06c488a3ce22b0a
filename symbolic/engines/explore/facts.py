"""The facts of explorations and of simulations, and the coverage among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NotRequired, TypedDict

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.coverage import Counted, Guard, Vacuous
from leadline.symbolic.engines.ask.result import EngineFacts, Note, NoteKind, Result, Verdict
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.statistics import Occurring, Reached
from leadline.symbolic.lang import Action, Model, Property, Span, nodes as n, shortened
from leadline.symbolic.meaning import Counts, Exploration, Explorer
from leadline.symbolic.meaning.coverage import Suspect
from leadline.symbolic.notation.expressions import to_tla


class VacuousPart(TypedDict):
    """A part of a property for which it holds vacuously: a set that is empty, or a formula that is never true.

    Beside other disjuncts this is so only where they are false.
    """

    property: str
    empty: NotRequired[str]
    never_true: NotRequired[str]
    partly: bool
    beside: bool
    place: str


class GuardCount(TypedDict):
    """How often a guard was evaluated, and how often it was true."""

    action: str
    guard: str
    place: str
    evaluated: int
    true: int


@dataclass(frozen=True, kw_only=True)
class ExploreFacts(EngineFacts, Counts):
    """The facts of an exploration: its numbers, and more.

    Attributes:
        by: the explorer, "circuits" or "values".
        by_values_since: why it is on values.
        view: the name of the view that is declared, unless every state is asked for.
        all_views: whether all values of the view that the states found lead to were found; None if it is not used.
        view_unused: why it is not used.
        vacuous: the parts for which properties hold vacuously, if they were looked for.
        never_true: the first guard that is never true of each action that is never taken.
        first_reached: for each action the number of states that it was the first to reach, if that was counted.
        guards: the counts of the guards.
        symmetry: a remark on the symmetry of a TLA+ module.
        values: the values of each variable in the states found, if they were counted; with symmetry, in those that
            stand for their orbits.
        postconditions: for each POSTCONDITION of a TLA+ module whether it holds; the reason if it has no value.
            None if there is none.
    """

    by: str | None = None
    by_values_since: str | None = None
    view: str | None = None
    all_views: bool | None = None
    view_unused: str | None = None
    vacuous: Sequence[VacuousPart] | None = None
    never_true: Sequence[GuardCount] | None = None
    first_reached: Mapping[str, int] | None = None
    guards: Sequence[GuardCount] | None = None
    symmetry: str | None = None
    postconditions: Mapping[str, bool | str] | None = None
    values: Mapping[str, Occurring] | None = None

    @classmethod
    def of(cls, found: Exploration) -> ExploreFacts:
        """The facts that every exploration has."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(Counts) if one.init})

    def ended_early(self) -> str | None:
        return self.stopped

    def assumption_failed(self) -> bool:
        return any(held is not True for held in (self.postconditions or {}).values())

    def to_json(self) -> dict[str, object]:
        # A view that is not used says so by null.
        return {**super().to_json(), **({} if self.view is None else {"all_views": self.all_views})}


@dataclass(frozen=True)
class SimulateFacts(EngineFacts):
    """The facts of a simulation.

    Attributes:
        runs: the number of runs.
        steps: the number of their steps.
        longest: the steps of the longest one.
        states: the number of different states that they meet.
        deadlocks: the number of runs that end in a deadlock.
        stopped: why the simulation was ended early; None if it was not.
        actions: how often each action was taken.
        action_rates: the share of each action in all steps, from 0 to 1.
        runs_taking: for each action the number of runs that take it.
        probes: how often runs reach each probe, and after how many steps.
        states_by_depth: for each number of steps, the different states that runs meet after so many, and after
            no fewer.
        values: the values of each variable in these states.
        by: "circuits" if the runs were taken side by side, "values" if one after the other.
        by_values_since: why they were taken on values.
        begun_in: the number of initial states that they begin in, drawn of those of a model with far more; None
            if all were listed.
    """

    runs: int
    steps: int
    longest: int
    states: int
    deadlocks: int
    stopped: str | None
    actions: Mapping[str, int]
    action_rates: Mapping[str, float]
    runs_taking: Mapping[str, int]
    probes: Mapping[str, Reached]
    states_by_depth: Sequence[int]
    values: Mapping[str, Occurring]
    by: str
    by_values_since: str | None = None
    begun_in: int | None = None

    def ended_early(self) -> str | None:
        return self.stopped


# -- coverage --------------------------------------------------------------------------------------------

_LONGEST = 160  # characters of a formula


def with_coverage(
    facts: ExploreFacts,
    explorer: Explorer[Semantics] | CircuitExplorer,
    untrue: Sequence[Guard],
    results: Sequence[Result],
) -> ExploreFacts:
    """The facts of an exploration with its coverage, if it was counted.

    Args:
        facts: the facts.
        explorer: the exploration, after its end.
        untrue: the first guard that is never true of each action that is never taken.
        results: the verdicts.
    """
    found, semantics = explorer.vacuous, explorer.semantics
    if found is None:
        return facts
    if isinstance(explorer, CircuitExplorer):
        guards = explorer.guards
    else:
        guards = semantics.guards if isinstance(semantics, Counted) else None
    model = semantics.model
    holding = {one.property for one in results if one.verdict in (Verdict.SAFE, Verdict.PROVED)}
    vacuous = [_vacuous(model, one) for one in found if one.property in holding]
    facts = replace(facts, vacuous=vacuous, never_true=[_guard(model, one) for one in untrue])
    if guards is None:
        return facts
    names = [action.name for action in model.actions]
    first = dict(zip(names, explorer.first[1:], strict=True))
    return replace(facts, first_reached=first, guards=[_guard(model, one) for one in guards])


def _vacuous(model: Model, found: Vacuous) -> VacuousPart:
    claim, part = model.properties[found.property], found.part
    # The property's own place where a helper has written the part.
    span = claim.places.get(part, claim.span) if claim.places else _own_span(part, claim)
    return vacuous_part(found, _text(model, found.formula), span.short)


def vacuous_part(one: Suspect[Any, Any], text: str, place: str) -> VacuousPart:
    """The part of a property, with the text of its formula, for which it holds vacuously."""
    name, partly, beside = one.property, one.partly, one.beside
    if one.is_set:
        return {"property": name, "empty": text, "partly": partly, "beside": beside, "place": place}
    return {"property": name, "never_true": text, "partly": partly, "beside": beside, "place": place}


def _guard(model: Model, guard: Guard) -> GuardCount:
    return {
        "action": guard.action.name,
        "guard": _text(model, guard.node),
        "place": (guard.action.place_of(guard.node) or _own_span(guard.node, guard.action)).short,
        "evaluated": guard.tried,
        "true": guard.true,
    }


def vacuity(facts: ExploreFacts, name: str) -> list[tuple[NoteKind, str]]:
    """Whether a property holds vacuously, and why, such as "`x > 0` is never true (file.py:7)".

    Args:
        facts: the facts of an exploration's answer.
        name: the property's name.
    """
    found = []
    for one in facts.vacuous or ():
        if one["property"] == name:
            empty = one.get("empty")
            why = f"`{empty}` is always empty" if empty else f"`{one['never_true']}` is never true"
            why += " where the other disjuncts are false" if one["beside"] else ""
            kind = NoteKind.PARTLY_VACUOUS if one["partly"] else NoteKind.VACUOUS
            found.append((kind, f"{why} ({one['place']})"))
    return found


def never_taken(facts: ExploreFacts, actions: Mapping[str, str]) -> list[str]:
    """A line for each action that is never taken, with its first guard that is never true; none without a state.

    Args:
        facts: the facts of an exploration's answer.
        actions: the names by which actions are shown.
    """
    untrue = {one["action"]: one for one in facts.never_true or ()}
    lines = []
    for name, shown in actions.items():
        if facts.states and not facts.actions[name]:
            one = untrue.get(name)
            why = f", since `{one['guard']}` is never true ({one['place']})" if one is not None else ""
            lines.append(f"{NEVER_TAKEN}{so_far(facts)}: {shown}{why}")
    return lines


HOW: Mapping[NoteKind, str] = {NoteKind.VACUOUS: "vacuously", NoteKind.PARTLY_VACUOUS: "vacuously in part"}
"""How a property holds of which there is such a note."""

NEVER_TAKEN = "never taken"
"""The beginning of a line about actions."""


def noted(facts: ExploreFacts, name: str, actions: Mapping[str, str]) -> tuple[Note, ...]:
    """The notes on a proof of a property by exploration: how it holds vacuously, and actions never taken.

    Args:
        facts: the facts of the exploration's answer.
        name: the property's name.
        actions: the names by which actions are shown.
    """
    return (
        *(Note(kind, f"holds {HOW[kind]}, since {why}") for kind, why in vacuity(facts, name)),
        *(Note(NoteKind.NEVER_TAKEN, line) for line in never_taken(facts, actions)),
    )


def so_far(facts: ExploreFacts) -> str:
    """The reservation that a search that is not complete needs."""
    return "" if facts.complete else " so far"


def _text(model: Model, node: n.Node) -> str:
    text = to_tla(node, {variable.name: variable.tla for variable in model.variables})
    return shortened(" ".join(text.split()), _LONGEST)


def _own_span(node: n.Node, owner: Action | Property) -> Span:
    """The place of an expression; that of its owner where an equal one before it is all that is known."""
    elsewhere = node.span.file != owner.span.file or node.span.line < owner.span.line
    return owner.span if elsewhere else node.span

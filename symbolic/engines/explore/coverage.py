"""The coverage of an exploration, as facts and for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.coverage import Covering, Guard, Vacuous
from leadline.symbolic.engines.ask.result import Note, NoteKind, Result, Verdict
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.facts import ExploreFacts, GuardCount, VacuousPart
from leadline.symbolic.lang import Action, Model, Property, Span, nodes as n
from leadline.symbolic.meaning import Explorer
from leadline.symbolic.notation.expressions import to_tla

_LONGEST = 160  # characters of a formula


def with_coverage(
    facts: ExploreFacts, explorer: Explorer[Semantics] | CircuitExplorer, results: Sequence[Result]
) -> ExploreFacts:
    """The facts of an exploration with its coverage, if it was counted.

    Args:
        facts: the facts.
        explorer: the exploration, after its end.
        results: the verdicts.
    """
    if not isinstance(explorer, Covering | CircuitExplorer) or not explorer.looks_for_vacuity:
        return facts
    model = explorer.semantics.model
    holding = {one.property for one in results if one.verdict in (Verdict.SAFE, Verdict.PROVED)}
    vacuous = [_vacuous(model, one) for one in explorer.vacuous if one.property in holding]
    facts = replace(facts, vacuous=vacuous, never_true=[_guard(model, one) for one in explorer.untrue])
    if explorer.guards is None:
        return facts
    names = [action.name for action in model.actions]
    first = dict(zip(names, explorer.first[1:], strict=True))
    return replace(facts, first_reached=first, guards=[_guard(model, one) for one in explorer.guards])


def _vacuous(model: Model, found: Vacuous) -> VacuousPart:
    text, place = _text(model, found.node), _place(_span_in(model.properties[found.property], found.part))
    if found.is_set:
        return {"property": found.property, "empty": text, "partly": found.partly, "place": place}
    return {"property": found.property, "never_true": text, "partly": found.partly, "place": place}


def _guard(model: Model, guard: Guard) -> GuardCount:
    return {
        "action": guard.action.name,
        "guard": _text(model, guard.node),
        "place": _place(guard.action.place_of(guard.node) or _own_span(guard.node, guard.action)),
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
            kind = NoteKind.PARTLY_VACUOUS if one["partly"] else NoteKind.VACUOUS
            found.append((kind, f"{why} ({one['place']})"))
    return found


def never_taken(facts: ExploreFacts, actions: Mapping[str, str]) -> list[str]:
    """A line for each action that is never taken, with its first guard that is never true.

    Args:
        facts: the facts of an exploration's answer.
        actions: the names by which actions are shown.
    """
    untrue = {one["action"]: one for one in facts.never_true or ()}
    lines = []
    for name, shown in actions.items():
        if not facts.actions[name]:
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
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _span_in(claim: Property, part: n.Node) -> Span:
    """The place of a part of a property; the property's own where a helper has written the part."""
    if claim.places:
        return claim.places.get(part, claim.span)
    return _own_span(part, claim)


def _own_span(node: n.Node, owner: Action | Property) -> Span:
    """The place of an expression; that of its owner where an equal one before it is all that is known."""
    elsewhere = node.span.file != owner.span.file or node.span.line < owner.span.line
    return owner.span if elsewhere else node.span


def _place(span: Span) -> str:
    path = Path(span.file)
    name = f"{path.parent.name}/{path.name}" if path.stem == "__init__" else path.name
    return f"{name}:{span.line}"

"""The reason why no step of a model explains an event of a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import islice

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.conform.events import Event, Part
from leadline.symbolic.conform.states import Steps
from leadline.symbolic.lang import Action, OutOfBounds, Pick, Value, in_tla, nodes as n, schedule
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.meaning.trace import call_of
from leadline.symbolic.trace import Step
from leadline.symbolic.trace.explainer import Explainer

MOST_EXPLAINED = 200
"""The most states from which an explanation is sought."""
_MOST_TRIED = 2_000


@dataclass(frozen=True)
class Attempt:
    """An action that could have been an event, and what is against it.

    Attributes:
        call: the action with its picks as TLA+ text.
        wrong: what is against it, one sentence each.
        outside: whether the step goes out of bounds: the model is too small for it.
    """

    call: str
    wrong: tuple[str, ...]
    outside: bool = False

    def to_json(self) -> dict[str, object]:
        """The attempt as a JSON object."""
        return {"action": self.call, "wrong": list(self.wrong)}


@dataclass(frozen=True)
class Explained:
    """The reason why no step explains an event.

    Attributes:
        attempts: for each action that it could have been, the nearest attempt.
        nearest: the step that the model can take which differs least from the event, and how; None if it can
            take none.
        outside: whether some attempt goes out of the model's bounds.
    """

    attempts: tuple[Attempt, ...] = ()
    nearest: Attempt | None = None
    outside: bool = field(default=False)

    def lines(self) -> Iterator[str]:
        """The reason, line by line."""
        for one in self.attempts:
            yield f"{one.call}: {'; '.join(one.wrong)}"
        if self.nearest is not None:
            wrong = "; ".join(self.nearest.wrong)
            yield f"nearest: {self.nearest.call} is possible{f', but {wrong}' if wrong else ''}"


@dataclass(frozen=True)
class Way:
    """A way through an action in a state.

    Attributes:
        state: the state.
        picks: the picks made on it.
        passed: the number of guards that are true on it.
        false: the guard that is false then.
        wrong: what is wrong, one sentence each, apart from that guard.
        outside: whether that is out of bounds.
    """

    state: State
    picks: Mapping[str, Value]
    passed: int = 0
    false: n.Node | None = None
    wrong: tuple[str, ...] = ()
    outside: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is nearer to an event."""
        return len(self.wrong) + (self.false is not None), -self.passed


def explained(steps: Steps, states: Iterable[State], event: Event) -> Explained:
    """The reason why no step from some states explains an event."""
    model = steps.semantics.model
    tried = list(islice(states, MOST_EXPLAINED))
    if not event.is_step:
        parts = (*event.before, *event.after)
        differences = [tuple(_told(x, state, "is") for x in parts if not x.fits(state)) for state in tried]
        return Explained((Attempt("the state", min(differences, key=len)),) if differences else ())
    attempts = []
    for action in model.actions:
        if action.name in event.actions:
            found = (way for state in tried for way in _objections(steps.semantics, action, state, event))
            best = min(islice(found, _MOST_TRIED), key=lambda way: way.rank, default=None)
            attempts += [(best.rank, _attempt(steps.semantics, action, best))] if best is not None else []
    told = tuple(one for _, one in sorted(attempts, key=lambda pair: pair[0]))
    nearest = min(_possible(steps, tried, event), key=lambda one: len(one.wrong), default=None)
    return Explained(told, nearest, any(one.outside for one in told))


def objections(
    semantics: Semantics, action: Action, state: State, picks: Mapping[str, Value], most: int
) -> list[tuple[tuple[int, int], Attempt]]:
    """The objections to an action in a state, for the ways to choose the other picks that come nearest, each with
    its rank: see `Way`."""
    found = islice(_objections(semantics, action, state, Event({action.name: picks})), _MOST_TRIED)
    nearest = nsmallest(most, found, key=lambda way: way.rank)
    return [(way.rank, _attempt(semantics, action, way)) for way in nearest]


def _told(part: Part, state: State, verb: str) -> str:
    shown = part.shown(state)
    there = f"there {verb} no {part.text}" if shown is None else f"{part.text} {verb} {shown}"
    return f"{there}, and the log says {in_tla(part.type, part.value)}"


def _objections(semantics: Semantics, action: Action, state: State, event: Event) -> Iterator[Way]:
    """The objections to an action in a state, for each way to choose the picks that the log does not tell."""
    before = tuple(_told(part, state, "is") for part in event.before if not part.fits(state))
    for way in ways(semantics, action, state, event.actions[action.name]):
        wrong = (*before, *way.wrong)
        if way.false is not None or way.wrong:
            yield replace(way, wrong=wrong)
            continue
        outcome = semantics.outcome(state, action.name, way.picks)
        after = None if outcome is None else outcome.state
        if after is None:
            beyond = f"the step goes out of the model's bounds: {outcome.why if outcome else ''}"
            yield replace(way, wrong=(*wrong, beyond), outside=True)
        else:
            differs = (_told(part, after, "would be") for part in event.after if not part.fits(after))
            yield replace(way, wrong=(*wrong, *differs))


def _attempt(semantics: Semantics, action: Action, way: Way) -> Attempt:
    """A way with its objections. Only the best one gets the sentence about its guard, which takes long."""
    call = call_of(semantics.model, Step(action.name, way.picks, None))
    false = () if way.false is None else (_false(semantics, way.false, way),)
    return Attempt(call, (*way.wrong, *false), way.outside)


def _false(semantics: Semantics, guard: n.Node, way: Way) -> str:
    """The sentence that a guard is false, with the values that decide."""
    constants: dict[n.Node, n.Node] = {
        x: n.make(n.Const, x.type, x.span, way.picks[x.name])
        for x in n.postorder(guard)
        if isinstance(x, n.PickVar) and x.name in way.picks
    }
    explainer = Explainer(semantics.model, replaced(guard, constants))
    return f"its guard {explainer.reason(way.state).sentence()}"


def ways(
    semantics: Semantics, action: Action, state: State, known: Mapping[str, Value] | None = None
) -> Iterator[Way]:
    """The ways through an action in a state, up to the first false guard, for known values of some picks."""
    given = known or {}

    def on(order: Sequence[Pick | n.Node], way: Way) -> Iterator[Way]:
        for place, item in enumerate(order):
            try:
                if isinstance(item, Pick):
                    yield from chosen(item, order[place + 1 :], way)
                    return
                if not semantics.evaluate(item, way.state, way.picks):
                    yield replace(way, false=item)
                    return
            except OutOfBounds as error:
                yield replace(way, wrong=(f"it goes out of the model's bounds: {error}",), outside=True)
                return
            way = replace(way, passed=way.passed + 1)
        yield way

    def chosen(pick: Pick, order: Sequence[Pick | n.Node], way: Way) -> Iterator[Way]:
        domain = pick.domain
        inside = None if domain is None else semantics.evaluate(domain, way.state, way.picks)
        if pick.name in given:
            values: Iterable[Value] = [given[pick.name]]
        else:
            values = pick.type.values() if inside is None else sorted(inside, key=pick.type.order)
        wrong = f"there is nothing to pick for {pick.name}"
        for value in islice(values, _MOST_TRIED):
            wrong = ""
            with_it = replace(way, picks={**way.picks, pick.name: value})
            if domain is not None and inside is not None and value not in inside:
                shown = f"{in_tla(pick.type, value)} is not in {in_tla(domain.type, inside)}"
                yield replace(with_it, wrong=(shown,))
            else:
                yield from on(order, with_it)
        if wrong:
            yield replace(way, wrong=(wrong,))

    return on(schedule(action), Way(state, {}))


def _possible(steps: Steps, states: Iterable[State], event: Event) -> Iterator[Attempt]:
    """The steps that the model can take, with their differences from an event."""
    model = steps.semantics.model
    for state in states:
        before = [_told(part, state, "is") for part in event.before if not part.fits(state)]
        for action in model.actions:
            picks = event.actions.get(action.name)
            for one in steps.outcomes(state, action.name):
                if one.state is None:
                    continue
                wrong = [*before]
                if picks is None:
                    wrong.append("the log names another action")
                elif not picks.items() <= one.picks.items():
                    wrong.append("the log tells other picks")
                wrong += [_told(x, one.state, "would be") for x in event.after if not x.fits(one.state)]
                yield Attempt(call_of(model, one), tuple(wrong))

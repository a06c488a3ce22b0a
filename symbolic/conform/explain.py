"""The reason why no step of a model explains an event of a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.conform.events import Event, Part
from leadline.symbolic.conform.states import Steps
from leadline.symbolic.lang import Action, OutOfBounds, Pick, Value, nodes as n, schedule
from leadline.symbolic.lang.nodes import substitute
from leadline.symbolic.trace import Step
from leadline.symbolic.trace.explainer import Explainer
from leadline.symbolic.trace.trace import call_of

_MOST_STATES = 200
_MOST_TRIED = 2_000


@dataclass(frozen=True)
class Attempt:
    """An action that could have been an event, and what is against it.

    Attributes:
        call: the action with its picks as TLA+ text.
        wrong: what is against it, one sentence each.
        passed: how far it came: the number of its guards that are true.
        outside: whether the step goes out of bounds: the model is too small for it.
    """

    call: str
    wrong: tuple[str, ...]
    passed: int = 0
    outside: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is nearer to the event."""
        return len(self.wrong), -self.passed


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
    """The picks made on a way through an action, the number of guards that are true on it, the sentence that says
    what is wrong then ("" if nothing is), whether that is out of bounds, and whether it is a guard."""

    picks: Mapping[str, Value]
    passed: int
    wrong: str = ""
    outside: bool = False
    is_false: bool = False


def explained(steps: Steps, states: Iterable[State], event: Event) -> Explained:
    """The reason why no step from some states explains an event."""
    model = steps.semantics.model
    tried = list(islice(states, _MOST_STATES))
    if not event.is_step:
        parts = (*event.before, *event.after)
        differences = [tuple(_told(x, state, "is") for x in parts if not x.fits(state)) for state in tried]
        return Explained((Attempt("the state", min(differences, key=len)),) if differences else ())
    attempts = []
    for action in model.actions:
        if action.name in event.actions:
            found = (one for state in tried for one in _attempts(steps.semantics, action, state, event))
            best = min(islice(found, _MOST_TRIED), key=lambda one: one.rank, default=None)
            attempts += [best] if best is not None else []
    nearest = min(_possible(steps, tried, event), key=lambda one: one.rank, default=None)
    return Explained(
        tuple(sorted(attempts, key=lambda one: one.rank)), nearest, any(x.outside for x in attempts)
    )


def _told(part: Part, state: State, verb: str) -> str:
    shown = part.shown(state)
    there = f"there {verb} no {part.text}" if shown is None else f"{part.text} {verb} {shown}"
    return f"{there}, and the log says {part.type.tla(part.value)}"


def _attempts(semantics: Semantics, action: Action, state: State, event: Event) -> Iterator[Attempt]:
    """The objections to an action in a state, for each way to choose the picks that the log does not tell."""
    before = [_told(part, state, "is") for part in event.before if not part.fits(state)]
    known = event.actions[action.name]
    for way in _Walk(semantics, action, state, known).ways():
        told, outside = [*before, *([way.wrong] if way.wrong else [])], way.outside
        if not way.wrong:
            outcome = semantics.outcome(state, action.name, way.picks)
            after = None if outcome is None else outcome.state
            if after is None:
                outside = True
                told.append(f"the step goes out of the model's bounds: {outcome.why if outcome else ''}")
            else:
                told += [_told(part, after, "would be") for part in event.after if not part.fits(after)]
        call = call_of(semantics.model, Step(action.name, way.picks, None))
        yield Attempt(call, tuple(told), way.passed, outside)


@dataclass(frozen=True)
class _Walk:
    """The ways through an action in a state, for given values of some picks."""

    semantics: Semantics
    action: Action
    state: State
    known: Mapping[str, Value] | None

    def ways(self) -> Iterator[Way]:
        """Each way to choose the other picks, up to the first guard that is false."""
        return self._go(schedule(self.action), Way({}, 0))

    def _go(self, order: Sequence[Pick | n.Node], way: Way) -> Iterator[Way]:
        for place, item in enumerate(order):
            try:
                if isinstance(item, Pick):
                    yield from self._choose(item, order[place + 1 :], way)
                    return
                if not self.semantics.evaluate(item, self.state, way.picks):
                    wrong = self._false(item, way.picks)
                    yield replace(way, wrong=wrong, is_false=True)
                    return
            except OutOfBounds as error:
                yield replace(way, wrong=f"it goes out of the model's bounds: {error}", outside=True)
                return
            way = replace(way, passed=way.passed + 1)
        yield way

    def _choose(self, pick: Pick, order: Sequence[Pick | n.Node], way: Way) -> Iterator[Way]:
        domain = pick.domain
        inside = None if domain is None else self.semantics.evaluate(domain, self.state, way.picks)
        if self.known is not None and pick.name in self.known:
            values: Iterable[Value] = [self.known[pick.name]]
        else:
            values = pick.type.values() if inside is None else sorted(inside, key=pick.type.rank)
        wrong = f"there is nothing to pick for {pick.name}"
        for value in islice(values, _MOST_TRIED):
            wrong = ""
            chosen = replace(way, picks={**way.picks, pick.name: value})
            if domain is not None and inside is not None and value not in inside:
                shown = f"{pick.type.tla(value)} is not in {domain.type.tla(inside)}"
                yield replace(chosen, wrong=shown)
            else:
                yield from self._go(order, chosen)
        if wrong:
            yield replace(way, wrong=wrong)

    def _false(self, guard: n.Node, picks: Mapping[str, Value]) -> str:
        """The sentence that a guard is false, with the values that decide; "" where nobody reads it."""
        if self.known is None:
            return ""
        constants: dict[n.Node, n.Node] = {
            x: n.make(n.Const, x.type, x.span, picks[x.name])
            for x in n.postorder(guard)
            if isinstance(x, n.PickVar) and x.name in picks
        }
        explainer = Explainer(self.semantics.model, substitute(guard, constants))
        return f"its guard {explainer.reason(self.state).sentence()}"


def ways(semantics: Semantics, action: Action, state: State) -> Iterator[Way]:
    """The ways through an action in a state, without sentences."""
    return _Walk(semantics, action, state, None).ways()


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
                made = dict(one.picks)
                wrong = [*before]
                if picks is None:
                    wrong.append("the log names another action")
                elif not picks.items() <= made.items():
                    wrong.append("the log tells other picks")
                wrong += [_told(x, one.state, "would be") for x in event.after if not x.fits(one.state)]
                yield Attempt(call_of(model, Step(one.action, made, one.state)), tuple(wrong))

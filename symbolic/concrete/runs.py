"""Claims about runs of a model: their predicates, and fairness, on a run that is known and in the graph of states.

Whether an action can be taken is tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.concrete.semantics import Semantics, State
from leadline.symbolic.concrete.writer import ANYWHERE, Source
from leadline.symbolic.lang import (
    Fairness,
    InternalError,
    Model,
    OutOfBounds,
    Pick,
    Property,
    Value,
    expanded,
    expressions,
    in_tla,
    is_step,
    primed,
)
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.meaning import Step, Word, is_refuted, satisfies
from leadline.symbolic.meaning.graph import FoundGraph
from leadline.symbolic.meaning.replay import Departs, Replayer
from leadline.symbolic.meaning.trace import Trace, TraceEnd, action_named, call_of, states, word_of

Keys = tuple[Value, ...]
"""The values at which a fairness condition holds by itself."""


class Runs:
    """Evaluates predicates over states and steps, and the enabledness that fairness needs; remembers both.

    Args:
        semantics: the concrete meaning of the model.
        claim: the property whose predicates are evaluated, for errors.
    """

    def __init__(self, semantics: Semantics, claim: Property | None = None) -> None:
        self.semantics = semantics
        self._source = ANYWHERE if claim is None else Source.of(claim)
        names = [variable.name for variable in semantics.model.variables]
        self._places = {name: place for place, name in enumerate(names)}
        both = [*names, *map(primed, names)]
        self._both = {name: place for place, name in enumerate(both)}
        self._functions: dict[Node, Callable[[State, Mapping[str, Value]], Value]] = {}

    def holds(self, node: Node, state: State) -> bool:
        """Whether a state satisfies a predicate.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        return bool(self.semantics.evaluate(node, state, None, self._source))

    def happens(self, node: Node, before: State, after: State) -> bool:
        """Whether a step satisfies a predicate over steps and changes a variable.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        if before == after:
            return False
        if node not in self._functions:
            self._functions[node] = function_of(node, self._both, (), self._source)
        return bool(self._functions[node]((*before, *after), {}))

    def evaluate(self, node: Node, states: Sequence[State]) -> None:
        """Evaluate a predicate over states or steps wherever a run can.

        Raises:
            OutOfBounds: if its evaluation goes out of bounds.
        """
        if not is_step(node):
            for state in states:
                self.holds(node, state)
        for before, after in itertools.pairwise(states):
            self.happens(node, before, after)

    # -- fairness -----------------------------------------------------------------------------------

    def chances(self, fair: Fairness, state: State) -> set[tuple[Keys, State | None]]:
        """The steps from a state that count for a condition: the values at which they do, and where they lead.

        A step out of bounds leads nowhere. It counts, too, if it changes a watched variable or takes one of
        them out of bounds: a run that stops before it is not fair. It counts at all values if it goes out of
        bounds before its guards and its values are decided.
        """
        watched = [self._places[name] for name in fair.of] or range(len(state))
        found = set[tuple[Keys, State | None]]()
        for arm in fair.arms:
            for outcome in self.semantics.attempts(state, arm.action):
                if outcome is None:
                    continue
                after, picks = outcome.state, outcome.picks
                try:
                    if _changes(self.semantics, state, after, watched, arm.action, picks):
                        keys = tuple(self.semantics.evaluate(key, state, picks) for key in arm.keys)
                        found.add((keys, after))
                except OutOfBounds:
                    found |= {(keys, None) for keys in keys_of(fair)}
        return found

    def tried(self, fair: Fairness, word: Word) -> Iterator[tuple[Keys, list[bool], list[bool]]]:
        """For each tuple of values at which a condition is asked, and each place that a run visits again and
        again: whether a step counts that can be taken there, and whether the one that is taken does."""
        chances = [self.chances(fair, word.states[place]) for place in word.repeated]
        for keys in keys_of(fair):
            able = [any(keys == x for x, _ in found) for found in chances]
            taken = [(keys, word.after(i)) in found for i, found in zip(word.repeated, chances, strict=True)]
            yield keys, able, taken


def _changes(
    semantics: Semantics,
    state: State,
    after: State | None,
    watched: Sequence[int],
    action: str,
    picks: Mapping[str, Value],
) -> bool:
    """Whether a step changes one of some variables; one out of bounds, if its guards hold, in principle.

    Args:
        semantics: the concrete meaning of the model.
        state: the state before the step.
        after: the state after it; None if it is out of bounds.
        watched: the places of the variables that count.
        action: the action's name.
        picks: the picks that were made, before the step went out of bounds if it did.

    Raises:
        OutOfBounds: if it goes out of bounds before its guards are decided.
    """
    if after is not None:
        return any(state[i] != after[i] for i in watched)
    model = semantics.model
    one = next(x for x in model.actions if x.name == action)
    guards = [item for item in one.body if not isinstance(item, Pick)]
    places = {model.variables[place].name: place for place in watched}
    if len(picks) < len(one.picks):
        raise OutOfBounds
    if not all(semantics.evaluate(guard, state, picks) for guard in guards):
        return False
    for name, node in one.updates:
        try:
            if name in places and semantics.evaluate(node, state, picks) != state[places[name]]:
                return True
        except OutOfBounds:
            return True
    return False


def neglected(runs: Runs, fair: Fairness, word: Word) -> Keys | None:
    """The first values at which a run neglects a fairness condition; None if it satisfies the condition."""
    often = any if fair.strong else all
    tried = runs.tried(fair, word)
    return next((keys for keys, able, taken in tried if often(able) and not any(taken)), None)


def graph_of(
    semantics: Semantics, states: Sequence[State], beyond: Collection[int], begun: Sequence[int]
) -> FoundGraph:
    """The graph of states that an exploration of a model has found.

    Args:
        semantics: the concrete meaning of the model.
        states: the states.
        beyond: the places of states beyond a constraint, which have no steps.
        begun: the places of the initial states.
    """
    runs, masks, every = Runs(semantics), {False: 0, True: 0}, itertools.count()
    conditions = [
        (fair, {keys: 1 << next(every) for keys in keys_of(fair)}) for fair in semantics.model.fairness
    ]
    for fair, own in conditions:
        masks[fair.strong] |= sum(own.values())

    def found(place: int) -> tuple[int, dict[State, int]]:
        reached = list[State | None]()
        for step in semantics.steps[1:]:
            step(states[place], reached.append)
        able, after = 0, {state: 0 for state in reached if state is not None}
        for fair, own in conditions:
            for keys, target in runs.chances(fair, states[place]):
                able |= own[keys]
                if target is not None:
                    after[target] |= own[keys]
        return able, after

    return FoundGraph(states, beyond, begun, (masks[False], masks[True]), found)


def keys_of(fair: Fairness) -> Iterator[Keys]:
    """The tuples of values at which a condition holds by itself."""
    return itertools.product(*(tuple(kind.values()) for kind in fair.types))


# -- replay ----------------------------------------------------------------------------------------------


class ModelReplayer(Replayer):
    """A model's replay, by its concrete meaning."""

    meaning: Semantics

    def taken(self, before: State | None, step: Step) -> Step:
        model = self.meaning.model
        wrong = _wrong_picks(model, step)
        if wrong is not None:
            raise Departs(wrong)
        try:
            outcome = self.meaning.outcome(before, step.action, step.picks)
        except InternalError as error:  # a pick is missing
            raise Departs(str(error)) from error
        if outcome is None:
            raise Departs(f"{call_of(model, step)} is not enabled")
        if step.state == outcome.state:
            return outcome
        if outcome.state is None:
            raise Departs(f"{call_of(model, step)} goes out of bounds ({outcome.why})")
        if step.state is None:
            raise Departs(f"{call_of(model, step)} stays within bounds")
        raise Departs(_difference(model, outcome.state, step.state))

    def satisfied(self, run: Trace, last: State) -> bool:
        claim = self.meaning.model.properties.get(run.property or "")
        if claim is None:
            raise Departs(f"there is no property {run.property}")
        formula = claim.temporal
        if formula is None:
            return self.meaning.holds(claim.name, last)
        runs, visited = Runs(self.meaning, claim), list(states(run))
        if run.loop is not None:
            return satisfies(runs, formula, word_of(run))
        if run.ends is TraceEnd.OUT_OF_BOUNDS:
            # Every expression of the formula is evaluated in some state of a run, or of some step.
            for node in expressions(expanded(formula)):
                runs.evaluate(node, visited)
        return not is_refuted(runs, formula, visited)

    def unfair(self, run: Trace) -> str | None:
        runs, word = Runs(self.meaning), word_of(run)
        for fair in self.meaning.model.fairness:
            keys = neglected(runs, fair, word)
            if keys is not None:
                at = ", ".join(in_tla(kind, key) for kind, key in zip(fair.types, keys, strict=True))
                kind = "strong" if fair.strong else "weak"
                return f"{kind} fairness of {fair.name}{f' at {at}' if at else ''} is violated"
        return None


def _wrong_picks(model: Model, step: Step) -> str | None:
    name, picks = step.action, step.picks
    if name != "init" and name not in {action.name for action in model.actions}:
        return f"there is no action {name}"
    action = action_named(model, name)
    made = tuple(pick for pick in action.picks if pick.name in picks)
    # A step may go out of bounds before it has made all its picks.
    needed = action.picks if step.state is not None else action.picks[: len(made)]
    if made != needed or len(made) != len(picks):
        wanted = ", ".join(pick.name for pick in action.picks) or "nothing"
        return f"{name} picks {wanted}, and the trace {', '.join(picks) or 'nothing'}"
    for pick in made:
        if not pick.type.contains(picks[pick.name]):
            return f"the pick {pick.name} is not a value of its type: {picks[pick.name]!r}"
    return None


def _difference(model: Model, done: State, told: State) -> str:
    """The first variable of two unequal states that differs, in words."""
    if len(done) != len(told):
        return f"the state has {len(told)} values, and the model {len(model.variables)} variables"
    triples = zip(model.variables, done, told, strict=True)
    variable, one, other = next(x for x in triples if x[1] != x[2])
    shown = in_tla(variable.type, other) if variable.type.contains(other) else repr(other)
    return f"{variable.tla} becomes {in_tla(variable.type, one)}, and the trace says {shown}"

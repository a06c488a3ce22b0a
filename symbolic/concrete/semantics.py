"""The concrete meaning of a model: its states, steps and properties as Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from leadline.symbolic.concrete.actions import Form, functions_of
from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.concrete.writer import ANYWHERE, Source
from leadline.symbolic.lang import InternalError, Mistake, Model, NoInitialState, Value
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.meaning import Step

State: TypeAlias = tuple[Value, ...]
"""A value for each of the model's variables, in their order."""


class Semantics:
    """The concrete meaning of a model, compiled to Python functions: a `Meaning`.

    Args:
        model: a protocol at fixed parameters.

    Attributes:
        canonical: gives the state that `steps` put in place of one; None if each stands for itself.
        weight: gives the number of states that such a state stands for; None if it is one.
        view: gives the value by which exploration tells states apart; None for all of a state.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.canonical: Callable[[State], State] | None = None
        self.weight: Callable[[State], int] | None = None
        self.view: Callable[[State], Value] | None = None
        self._positions = {variable.name: place for place, variable in enumerate(model.variables)}
        self._places = {action.name: place for place, action in enumerate(model.actions, start=1)}
        self._places["init"] = 0
        self._picks = [{pick.name for pick in action.picks} for action in self._actions]
        self._compiled: dict[tuple[Form, int], Callable[..., Iterator[Any]]] = {}
        self._properties: dict[str, Callable[[State, Mapping[str, Value]], bool]] = {}
        self._expressions: dict[
            tuple[Node, tuple[str, ...], Source], Callable[[Any, Mapping[str, Any]], Value]
        ] = {}

    # Functions are compiled when first needed. Exploring needs those of all actions.

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """For init and then each action: `(state, add)`, calling `add(next state)`, or `add(None)` for each
        outcome out of bounds."""
        return functions_of(self.model, self._actions, Form.STATES)

    def _outcomes(self, form: Form, place: int) -> Callable[..., Iterator[Any]]:
        """The function of one action, compiled alone: a run takes few of them."""
        if (form, place) not in self._compiled:
            (self._compiled[form, place],) = functions_of(self.model, [self._actions[place]], form)
        return self._compiled[form, place]

    @property
    def _actions(self) -> tuple[Any, ...]:
        return (self.model.init, *self.model.actions)

    def no_initial_state(self) -> NoInitialState:
        """The error of a model without initial states."""
        text = f"{self.model.protocol} has no initial state: the guards of init exclude every pick"
        return NoInitialState([Mistake(self.model.init.span, text)])

    def initial(self) -> list[Step]:
        """Every outcome of the initial condition, in the order of its picks."""
        return [outcome for outcome in self.attempts(None, "init") if outcome is not None]

    def successors(self, state: State) -> Iterator[Step]:
        """Every outcome of every enabled action, in the order of the actions and then of their picks.

        Two outcomes may reach the same state.
        """
        for action in self.model.actions:
            yield from (outcome for outcome in self.attempts(state, action.name) if outcome is not None)

    def beginnings(self, state: State | None) -> Iterator[Step | None]:
        """As `attempts` of "init", whatever the state."""
        return self.attempts(None, "init")

    def attempts(self, state: State | None, action: str) -> Iterator[Step | None]:
        """Yield the outcomes of an action in a state, or of "init".

        None is yielded whenever a pick tries another value, so that the caller can give up."""
        for found in self._outcomes(Form.ATTEMPTS, self._places[action])(state):
            yield None if found is None else Step(action, dict(found[0]), *found[1:])

    def outcome(self, state: State | None, action: str, picks: Mapping[str, Value]) -> Step | None:
        """The outcome of an action in a state with given picks; None if it is not enabled.

        Args:
            state: the state; None for the action "init".
            picks: a value for each pick that is made before a guard is false or the step goes out of bounds.

        Raises:
            InternalError: if there is no such action or pick.
            MissingPick: if a pick that is needed has no value.
        """
        if action not in self._places:
            raise InternalError(f"{self.model.protocol} has no action {action}")
        place = self._places[action]
        if not picks.keys() <= self._picks[place]:
            unknown = ", ".join(sorted(picks.keys() - self._picks[place]))
            raise InternalError(f"{action} has no pick {unknown}")
        found = next(self._outcomes(Form.CHOSEN, place)(state, picks), None)
        return None if found is None else Step(action, dict(found[0]), *found[1:])

    def property_function(self, name: str) -> Callable[[State, Mapping[str, Value]], bool]:
        """The function `(state, {}) -> whether the property holds`; it raises OutOfBounds.

        Raises:
            UserError: if there is no such property.
        """
        if name not in self._properties:
            (chosen,) = self.model.choose_properties((name,))
            self._properties[name] = function_of(chosen.formula, self._positions, (), Source.of(chosen))
        return self._properties[name]

    @cached_property
    def constraint(self) -> Callable[[State, Mapping[str, Value]], bool] | None:
        """The function `(state, {}) -> whether all constraints hold`, or None without constraints."""
        return function_of(self.model.constraint, self._positions) if self.model.constraints else None

    def holds(self, property_name: str, state: State) -> bool:
        """Whether a property holds in a state.

        Raises:
            OutOfBounds: if evaluating it goes out of bounds.
            UserError: if there is no such property.
        """
        return self.property_function(property_name)(state, {})

    def evaluate(
        self,
        node: Node,
        state: State,
        environment: Mapping[str, Value] | None = None,
        source: Source = ANYWHERE,
    ) -> Value:
        """The value of an expression over the state's variables.

        Args:
            node: the expression.
            state: a state.
            environment: the values of the picks that occur in it, by name.
            source: the property that it is a part of, for errors.

        Raises:
            OutOfBounds: if evaluating it goes out of bounds.
        """
        picks = environment or {}
        key = (node, tuple(picks), source)
        if key not in self._expressions:
            self._expressions[key] = function_of(node, self._positions, picks, source)
        return self._expressions[key](state, picks)

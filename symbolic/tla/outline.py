"""A TLA+ module as a model for exploration on values: the interpreter has the meaning of its actions.

Nothing is lowered before the search, so every module has such a model. Once runs are found, `told` gives their
values types, with which they are written as runs of any other model are, and lowers the properties, as far as
they have a symbolic form, for the reasons why they are false.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from leadline.symbolic.lang import (
    BOOL,
    Action,
    Both,
    Either,
    Holds,
    Int,
    LeadlineError,
    Mistake,
    Model,
    ModelError,
    Negated,
    NoInitialState,
    NoSymbolicForm,
    Pick,
    Property,
    PropertyKind,
    Setting,
    Type,
    Variable,
    nodes as n,
)
from leadline.symbolic.meaning import Step
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.model import FORMLESS, Claims
from leadline.symbolic.tla.lower.scope import Unsupported
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification, leveled
from leadline.symbolic.tla.typing import OutsideType, type_of, typed
from leadline.symbolic.tla.values.interpreter import Interpreter, State

TYPED = 2_000
"""The states of a search that the types hold beside those of the runs, so that properties can be lowered."""


class Outline(TlaOrigin):
    """A TLA+ specification of which only the interpreter knows the actions."""

    alone = True


def lack(error: Exception, file: str) -> list[Mistake]:
    """The parts of a specification without a symbolic form, each with its place in a module.

    Args:
        error: one of `FORMLESS`.
        file: the main module.
    """
    here = s.Place(file, 1, 1)
    match error:
        case Unsupported():
            known = isinstance(error.place, s.Place) and error.place != s.BUILT_IN
            return [Mistake(error.place if known else here, error.why)]
        case ModelError():
            # A type that is too large was made at a line of Leadline.
            return [x if isinstance(x.span, s.Place) else Mistake(here, x.text) for x in error.mistakes]
    return [Mistake(here, "the operators nest too deeply")]


@contextmanager
def telling_lack(file: str) -> Iterator[None]:
    """Tell that a specification has no symbolic form by an error of the user's, with the parts that lack one."""
    try:
        yield
    except NoInitialState:
        raise
    except FORMLESS as error:
        raise NoSymbolicForm(lack(error, file)) from error


def outlined(specification: Specification, parameters: Mapping[str, Setting | None]) -> Model:
    """The model of a specification for exploration on values.

    Args:
        specification: a loaded specification.
        parameters: the values of its constants, as text.
    """
    origin = Outline(specification, {})
    place = s.Place(specification.file, 1, 1)
    return Model(
        specification.name,
        parameters,
        tuple(Variable(name, name, shapes.NEVER, place) for name in origin.interpreter.variables),
        Action("init", "Init", "", place, (), ()),
        tuple(Action(one.name, one.name, "", place, (), ()) for one in origin.interpreter.actions),
        {
            name: _stated(specification, name)
            for name in (*specification.invariants, *specification.properties)
        },
        constraints=tuple(
            replace(_stated(specification, name), kind=PropertyKind.CONSTRAINT, span=one.place)
            for name, one in zip(specification.constraint_names, specification.constraints, strict=True)
        ),
        origin=origin,
    )


def _stated(specification: Specification, name: str) -> Property:
    """A property without its formula, which says no more than whether it assumes fairness."""
    place = specification.place_of(name)
    true = n.make(n.Const, BOOL, place, True)
    if name not in specification.properties:
        return Property(name, name.replace("-", "_"), PropertyKind.INVARIANT, "", place, true)
    whole = Holds(true)
    formula = Either((Negated(Both((whole,))), whole)) if specification.fairness else whole
    return Property(name, name, PropertyKind.TEMPORAL, "", place, true, temporal=formula)


def formed(model: Model, claims: Sequence[str], *, level: bool = False) -> tuple[Model, dict[str, str]]:
    """The model of formulas, without the claims that have no symbolic form.

    Args:
        model: the model that `outlined` made.
        claims: the names of the claims that it is to have.
        level: whether it may have the level of states in a variable: see `leveled`.

    Returns:
        The model, and for each claim that it lacks the reason.

    Raises:
        AssumptionFailed: if an assumption is false or has no value; no verdict stands before that is known.
        NoInitialState: if no state satisfies the initial condition.
        NoSymbolicForm: if the initial states or the steps have no symbolic form.
    """
    own = Outline.of(model).specification
    asked = replace(
        own,
        invariants={name: one for name, one in own.invariants.items() if name in claims},
        properties={name: one for name, one in own.properties.items() if name in claims},
    )
    origin = TlaOrigin(leveled(asked) if level else asked, {}, lenient=True)
    origin.interpreter.assume()
    with telling_lack(own.file):
        made = replace(origin.model(), parameters=model.parameters)
    lacking = {
        name: "; ".join(map(str, lack(error, own.file))) for name, error in (origin.lacking or {}).items()
    }
    return made, lacking


def formed_around(model: Model, formulas: Model | None, state: State) -> tuple[Model, tuple[Any, ...]]:
    """The model of formulas, with types that hold the values of a state, and the state in these types.

    Args:
        model: the model that `outlined` made.
        formulas: the model of formulas so far; None if there is none.
        state: a state in values of the interpreter.

    Raises:
        NoSymbolicForm: if the initial states or the steps have no symbolic form.
    """
    bare = replace(Outline.of(model).specification, invariants={}, properties={})
    with telling_lack(bare.file):
        found = formulas or TlaOrigin(bare, {}, as_written=True).model()
        with suppress(OutsideType):
            return found, _in(found, state)
        origin = TlaOrigin.of(found)
        learner = Learner(origin.interpreter, dict(origin.types))
        learner.meet([state])
        wider = TlaOrigin(bare, learner.types, as_written=True).model()
    return wider, _in(wider, state)


def _in(model: Model, state: State) -> tuple[Any, ...]:
    """A state in the values of a model's types.

    Raises:
        OutsideType: if they do not hold it.
    """
    return tuple(typed(value, one.type) for value, one in zip(state, model.variables, strict=True))


class Telling:
    """Gives types to the values of runs.

    Args:
        model: the model that `outlined` made.
        interpreter: the meaning of its specification.
        stages: the steps of the runs, in values of the interpreter.
        others: states beside those of the runs.
    """

    def __init__(
        self, model: Model, interpreter: Interpreter, stages: Sequence[Step], others: Iterable[State]
    ) -> None:
        self._model, self._specification = model, Outline.of(model).specification
        self._interpreter = interpreter
        learner = Learner(interpreter)
        learner.meet(others)
        learner.meet(one.state for one in stages if one.state is not None)
        self._types = learner.types
        self._picks: dict[str, dict[str, Type]] = {}
        for one in stages:
            known = self._picks.setdefault(one.action, {})
            for name, value in one.picks.items():
                known[name] = shapes.join(known.get(name, shapes.NEVER), type_of(value))

    def model(self, claims: Collection[str]) -> Model:
        """The model with these types, and the formulas of those claims that have a symbolic form."""
        origin = Outline(self._specification, self._types)
        origin.interpreter = self._interpreter
        return replace(
            self._model,
            variables=tuple(replace(one, type=self._types[one.name]) for one in self._model.variables),
            init=self._picking(self._model.init),
            actions=tuple(map(self._picking, self._model.actions)),
            properties={
                name: self._lowered(one) if name in claims else one
                for name, one in self._model.properties.items()
            },
            origin=origin,
        )

    def _picking(self, action: Action) -> Action:
        known = self._picks.get(action.name, {})
        return replace(
            action, body=tuple(Pick(name, kind, None, action.span) for name, kind in known.items())
        )

    def _lowered(self, stated: Property) -> Property:
        # A reason is left out where there is no symbolic form to find it in; the verdict needs none.
        with suppress(Unsupported, RecursionError, LeadlineError):
            found = Claims(Lowering(self._specification, self._types)).of(stated.name)
            if isinstance(found.formula, n.Const):
                # The few values of the runs decide it, as those of one state do: it would give no reason.
                found = Claims(Lowering(self._specification, _wider(self._types))).of(stated.name)
            return found
        return stated

    def typed(self, stage: Step) -> Step:
        """A step in values of the types."""
        kinds = self._picks[stage.action]
        shown = {name: typed(value, kinds[name]) for name, value in stage.picks.items()}
        types = (self._types[one.name] for one in self._model.variables)
        return Step(
            stage.action, shown, None if stage.state is None else tuple(map(typed, stage.state, types))
        )


_MORE = 1_000
"""Numbers on either side of those that a variable has."""


def _wider(types: Mapping[str, Type]) -> dict[str, Type]:
    """Types of variables, those of numbers with more of these."""
    return {
        name: Int(kind.low - _MORE, kind.high + _MORE) if isinstance(kind, Int) else kind
        for name, kind in types.items()
    }

"""A state of a run, and the questions that can be asked there: next steps, expressions, and false guards.

A run is taken step by step with the meaning on values: of a protocol in Python by its model, of a TLA+ module
by the interpreter, whose values get types when they are shown. Reasons need formulas: a module's are made when the
first reason is asked for, and widened where the state at hand leaves their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from leadline.symbolic import lang
from leadline.symbolic.api.protocols import ProtocolLike, loaded
from leadline.symbolic.api.states import Step as ShownStep
from leadline.symbolic.catalog import Entry, model_of, model_on_values
from leadline.symbolic.concrete import Semantics, State as Values
from leadline.symbolic.conform.explain import Attempt, objections
from leadline.symbolic.engines import Answer, Limits, Query, Verdict, answer_here
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.run.limits import TimeIsOver, within
from leadline.symbolic.engines.run.parallel import answer_in_children
from leadline.symbolic.lang import (
    Action,
    Expr,
    Foreign,
    Model,
    NoSymbolicForm,
    OutOfBounds,
    Property,
    PropertyKind,
    Setting,
    Span,
    State,
    UserError,
    Value,
    as_node,
    build,
    camel,
    counted,
    in_tla,
    mistakes_of,
    unknown_name,
    wrap,
)
from leadline.symbolic.lang.nodes import Node
from leadline.symbolic.lang.rules import boolean, negation
from leadline.symbolic.meaning import Step
from leadline.symbolic.solve import LONE
from leadline.symbolic.trace import Stored, replayed

if TYPE_CHECKING:
    from leadline.symbolic.tla.read import syntax as s

MOST_STATES = 1_000_000
"""The states that a search for a nearest state looks at."""
MOST_STEPS = 500
"""The steps that are listed, and the initial states."""
_NEAREST = 3
"""The objections that are told."""
_MOST_VALUES = 100_000
_TARGET = "typed"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Nearest:
    """The answer to a search for a state.

    Attributes:
        run: a shortest run to such a state; None if none was found.
        depth: the number of steps within which none is, where none was found.
        complete: whether no reachable state is one.
        stopped: why the search was ended early; None if it was not.
    """

    run: Sequence[Step] | None
    depth: int = 0
    complete: bool = False
    stopped: str | None = None

    def __str__(self) -> str:
        if self.run is not None:
            return f"true after {counted(len(self.run) - 1, 'step')}"
        where = "any state" if self.complete else f"any state within {counted(self.depth, 'step')}"
        return f"not true in {where}{f' ({self.stopped})' if self.stopped else ''}"


class Workbench:
    """A protocol in a state of a run, for debugging: `leadline repl` in scripts and notebooks.

        bench = leadline.Workbench("two-phase-commit")
        print(*bench.steps(), sep="\\n")
        bench.take(1)
        print(bench.why("TM_commit", {})[0].wrong)

    It begins in the first initial state.

    Args:
        protocol: a name, a path, a class, an instance of one, or what `load` returned.
        depth: the steps that `find` looks ahead.
        timeout: the most seconds of each `find`, above 0.
        memory: the most megabytes of each.
        parameters: the values of parameters that differ from their defaults.

    Attributes:
        run: the steps so far, the initial state first.
        place: the number of steps after which the current state is reached.

    Raises:
        UserError: if there is no initial state, or the protocol has mistakes.
    """

    def __init__(
        self,
        protocol: ProtocolLike,
        /,
        *,
        depth: int = 20,
        timeout: float | None = None,
        memory: int | None = None,
        **parameters: Setting,
    ) -> None:
        found = loaded(protocol, parameters)
        self.ground: _OfModel | _OfModule
        if issubclass(found.entry.protocol, Foreign):
            self.ground = _OfModule(found.entry, found.settings)
        else:
            self.ground = _OfModel(found.entry, found.settings)
        self._depth, self._limits = depth, Limits(timeout, memory)
        self.run: list[Step] = []
        self.place = 0
        self.begin(1)

    @property
    def state(self) -> Values:
        """The current state."""
        state = self.run[self.place].state
        assert state is not None
        return state

    def follow(self, stored: Stored) -> None:
        """Take the run of a trace, and go to its last state.

        Raises:
            UserError: if it is no run of the protocol.
        """
        self._follow(self.ground.run_of(stored))

    def _follow(self, steps: Sequence[Step]) -> None:
        self.run = [one for one in steps if one.state is not None]
        self.place = len(self.run) - 1

    def begins(self) -> list[ShownStep]:
        """The initial states, at most `MOST_STEPS`."""
        return self._shown([*islice(self.ground.initial(), MOST_STEPS)], None)

    def begin(self, number: int) -> None:
        """Begin a run in an initial state, by its place among them from 1.

        Raises:
            UserError: if there is no such initial state.
        """
        within = [one for one in islice(self.ground.initial(), MOST_STEPS) if one.state is not None]
        if not within:
            raise UserError(f"{self.ground.model.protocol} has no initial state within its bounds")
        self.run, self.place = [_nth(within, number)], 0

    def steps(self) -> list[ShownStep]:
        """The steps that are possible in the current state, at most `MOST_STEPS`.

        A step out of bounds has no state.
        """
        return self._shown(self._next(), self.state)

    def _next(self) -> list[Step]:
        return [*islice(self.ground.successors(self.state, self.place), MOST_STEPS)]

    def take(self, number: int) -> None:
        """Take a step by its place among `steps`, from 1; the rest of the run is dropped.

        Raises:
            UserError: if there is no such step, or it goes out of bounds.
        """
        chosen = _nth(self._next(), number)
        if chosen.state is None:
            raise UserError("this step goes out of bounds: no state follows it")
        self.run = [*self.run[: self.place + 1], chosen]
        self.place += 1

    def go(self, place: int) -> None:
        """Go to the state after so many steps of the run.

        Raises:
            UserError: if the run is shorter.
        """
        if not 0 <= place < len(self.run):
            raise UserError(f"a number in 0..{len(self.run) - 1} is needed, not {str(place)!r}")
        self.place = place

    def shown(self) -> list[ShownStep]:
        """The run: its initial state and its steps."""
        return self._shown(self.run, None)

    def here(self) -> ShownStep:
        """The step to the current state."""
        return self.shown()[self.place]

    def whole(self) -> ShownStep:
        """The current state as if a run began there, so that all of it is shown."""
        return self._shown([self.run[self.place]], None)[0]

    def _shown(self, steps: Sequence[Step], before: Values | None) -> list[ShownStep]:
        """Steps as they are shown: all from one state, or one after the other if that is None."""
        first = [] if before is None else [Step("init", {}, before)]
        model, typed = self.ground.shown([*first, *steps])
        if before is not None:
            return [ShownStep(model, typed[0].state, one) for one in typed[1:]]
        starts = [None, *(one.state for one in typed)]
        begins = [one.action == "init" for one in typed]
        pairs = zip(starts, typed, begins, strict=False)
        return [ShownStep(model, None if begin else at, one) for at, one, begin in pairs]

    def value(self, text: str) -> str | None:
        """The value of an expression in the current state, as text; None of a definition, which is kept.

        Raises:
            UserError: if it cannot be understood.
        """
        return self.ground.value(text, self.state, self.place)

    def find(self, text: str) -> Nearest:
        """Go to the nearest state in which an expression is true, by the length of a run from an initial state.

        Raises:
            UserError: if it cannot be understood.
        """
        found = self.ground.nearest(text, self._depth, self._limits)
        if found.run is not None:
            self._follow(found.run)
        return found

    def why(self, name: str, picks: Mapping[str, str]) -> list[Attempt]:
        """The objections to an action in the current state, for the picks that come nearest to it.

        Args:
            name: the action, by its name in Python or in TLA+.
            picks: the values of some picks, as TLA+ text.

        Returns:
            At most three; one without an objection is a step that can be taken.

        Raises:
            UserError: if there is no such action, pick or value.
        """
        known = [named for one in self.ground.model.actions for named in dict.fromkeys((one.tla, one.name))]
        if name not in known:
            raise UserError(unknown_name(f"{self.ground.model.protocol} has no action", name, known))
        try:
            semantics, state = self.ground.formulas(self.state)
        except (NoSymbolicForm, _Late):
            if picks or isinstance(self.ground, _OfModel):
                raise
            return self.ground.counted(name, self.state, self.place)
        # A module's action may be several of its model.
        actions = [one for one in semantics.model.actions if name in (one.name, one.tla)]
        found = [
            one
            for action in actions
            for one in objections(semantics, action, state, _known_picks(action, picks), _NEAREST)
        ]
        found.sort(key=lambda pair: pair[0])
        # Several actions of a module's model may have the same objection.
        told = list(dict.fromkeys(one for _, one in found))
        possible = [one for one in told if not one.wrong]
        return (possible or told)[:_NEAREST]


def _nth(items: Sequence[_T], number: int) -> _T:
    if not 1 <= number <= len(items):
        raise UserError(
            f"a number in 1..{len(items)} is needed, not {str(number)!r}" if items else "no step is possible"
        )
    return items[number - 1]


def _known_picks(action: Action, texts: Mapping[str, str]) -> dict[str, Value]:
    """The values of picks that are given as TLA+ text."""
    found: dict[str, Value] = {}
    by_name = {named: one for one in action.picks for named in (one.name, camel(one.name))}
    for name, text in texts.items():
        if name not in by_name:
            shown = [camel(one.name) for one in action.picks]
            raise UserError(unknown_name(f"{action.tla} has no pick", name, shown))
        pick = by_name[name]
        wanted = "".join(text.split())
        some = list(islice(pick.type.values(), _MOST_VALUES))
        fitting = [x for x in some if "".join(in_tla(pick.type, x).split()) in (wanted, f'"{wanted}"')]
        if not fitting:
            values = ", ".join(in_tla(pick.type, x) for x in some[:8])
            raise UserError(f"{name} = {text}: there is no such value: it may be {values}")
        found[pick.name] = fitting[0]
    return found


# -- protocols in Python -----------------------------------------------------------------------------------


class _OfModel:
    """A protocol by its model, as a workbench asks it; its expressions are evaluated by Python."""

    language = "python"

    def __init__(self, entry: Entry, settings: Mapping[str, Setting]) -> None:
        self.model = model_of(entry, settings)
        self._source, self._settings = entry.source, settings
        self._semantics = Semantics(self.model)
        protocol = entry.protocol(**settings)
        build(protocol, entry.claims)  # It runs `define`, which sets the protocol's attributes.
        now = State({one.name: one for one in self.model.variables})
        self.names: dict[str, object] = {name: getattr(lang, name) for name in lang.__all__}
        self.names |= {name: kind for name, kind in vars(protocol).items() if not name.startswith("_")}
        claims = [one for one in self.model.properties.values() if not one.kind.about_runs]
        self.names |= {one.name.replace("-", "_"): wrap(one.formula) for one in claims}
        # States are shown with the names of TLA+.
        spelled = {named: one.name for one in self.model.variables for named in (one.tla, one.name)}
        self.names |= {named: getattr(now, name) for named, name in spelled.items()}
        self.names |= {"now": now, "protocol": protocol}

    def initial(self) -> Iterable[Step]:
        return self._semantics.initial()

    def successors(self, state: Values, _: int) -> Iterable[Step]:
        return self._semantics.successors(state)

    def shown(self, steps: Sequence[Step]) -> tuple[Model, Sequence[Step]]:
        """Steps with values of types, and the model that has these types."""
        return self.model, steps

    def formulas(self, state: Values) -> tuple[Semantics, Values]:
        """The meaning of a model of formulas, and the state in its values."""
        return self._semantics, state

    def run_of(self, stored: Stored) -> Sequence[Step]:
        return replayed(self._semantics, stored).stages

    def value(self, text: str, state: Values, _: int) -> str | None:
        made = self.evaluated(text)
        if made is None:
            return None
        if not isinstance(made, Expr):
            return repr(made)
        node = _node(made)
        try:
            return in_tla(node.type, self._semantics.evaluate(node, state))
        except OutOfBounds as error:
            return f"out of bounds: {error}"

    def evaluated(self, text: str) -> object:
        """The value of a text in Python; None of a statement."""
        try:
            try:
                code = compile(text, "<typed>", "eval")
            except SyntaxError:
                exec(compile(text, "<typed>", "exec"), self.names)
                return None
            return eval(code, self.names)
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"{type(error).__name__}: {error}") from error

    def nearest(self, text: str, depth: int, limits: Limits) -> Nearest:
        formula = boolean(_node(self.evaluated(text)))
        target = Property(
            _TARGET, "Typed", PropertyKind.PROBE, "", Span("<typed>", 1), _node(negation(formula))
        )
        model = replace(self.model, properties={**self.model.properties, _TARGET: target})
        options = ExploreOptions(depth, MOST_STATES, every_state=True)
        query = Query(self._source, self._settings, (_TARGET,), options)
        explored = _nearest(answer_here(model, query, limits=limits))
        if explored.run is not None or explored.stopped is None:
            return explored
        # There are too many states to list: a solver needs none of them.
        asked = replace(query, options=BmcOptions(depth), solver=LONE)
        (result,) = answer_in_children(model, [asked], limits, branches=True).results
        if result.trace is not None and result.verdict is Verdict.VIOLATED:
            return Nearest(result.trace.stages)
        deepest = max(result.depth, explored.depth)
        return Nearest(None, deepest, stopped=result.why if deepest < depth else None)


def _nearest(found: Answer) -> Nearest:
    """The answer of an exploration whose only property says that no state is wanted."""
    (result,) = found.results
    facts = found.told(ExploreFacts)
    if result.trace is not None and result.verdict is Verdict.VIOLATED:
        return Nearest(result.trace.stages)
    return Nearest(None, result.depth, facts.complete, facts.stopped)


def _node(made: object) -> Node:
    node = as_node(made)
    if wrong := mistakes_of(node):
        raise UserError("; ".join(mistake.text for mistake in wrong))
    return node


def expression_of(entry: Entry, settings: Mapping[str, Setting], model: Model, text: str) -> Node:
    """The expression of the state that a text is: Python as in a protocol's method, or TLA+ of a module.

    Args:
        entry: the protocol.
        settings: the parameters that differ from their defaults.
        model: the model that they make; of a module, one of formulas.
        text: the text.

    Raises:
        UserError: if it is none.
    """
    if issubclass(entry.protocol, Foreign):
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.tla.origin import TlaOrigin

        return TlaOrigin.of(model).expression(model, text)
    made = _OfModel(entry, settings).evaluated(text)
    if made is None:
        raise UserError("a statement has no value")
    return _node(made)


# -- TLA+ modules ------------------------------------------------------------------------------------------


class _OfModule:
    """A TLA+ module by its interpreter, with the methods of `_OfModel`; `place` is the state's number in its run.

    Expressions are TLA+, with the names that are visible at the module's end.
    """

    language = "tla"

    def __init__(self, entry: Entry, settings: Mapping[str, Setting]) -> None:
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.tla.outline import Outline
        from leadline.symbolic.tla.values.behaviour import Behaviour

        self.model = model_on_values(entry, settings)
        self._source, self._settings = entry.source, settings
        self._specification = Outline.of(self.model).specification
        self._behaviour = Behaviour(self._specification).without_canonical()
        self._kept: dict[str, s.Expression] = {}
        self._formulas: Model | None = None
        self._late = False

    def initial(self) -> Iterable[Step]:
        return self._behaviour.initial(MOST_STEPS)

    def successors(self, state: Values, place: int) -> Iterable[Step]:
        # As in a search, no step is taken from a state beyond the constraints.
        within = self._behaviour.constraint
        self._behaviour.at_level(place)
        return self._behaviour.successors(state) if within is None or within(state) else ()

    def shown(self, steps: Sequence[Step]) -> tuple[Model, Sequence[Step]]:
        from leadline.symbolic.tla.outline import Telling

        telling = Telling(self.model, self._behaviour.interpreter, steps, ())
        return telling.model(()), [telling.typed(one) for one in steps]

    def run_of(self, stored: Stored) -> Sequence[Step]:
        from leadline.symbolic.engines.explore.specifications import replayed_on_values

        return replayed_on_values(self.model, stored).stages

    def value(self, text: str, state: Values, place: int) -> str | None:
        from leadline.symbolic.tla.values.values import EvaluationError, tla_text

        name, expression = self._read(text)
        if name:
            self._kept[name] = expression
            return None
        self._behaviour.at_level(place + 1)
        try:
            return tla_text(self._behaviour.interpreter.in_state(expression, state))
        except EvaluationError as error:
            return f"no value: {error}"

    def _read(self, text: str) -> tuple[str, s.Expression]:
        """An expression, and the name that it is given, "" for none."""
        from leadline.symbolic.tla.read.specification import read_expression

        return read_expression(self._specification, text, self._kept)

    def nearest(self, text: str, depth: int, limits: Limits) -> Nearest:
        from leadline.symbolic.tla.outline import outlined
        from leadline.symbolic.tla.read import syntax as s

        _, wanted = self._read(text)
        none_such = s.Apply("~", (wanted,), place=wanted.place)
        # Permutations and a view may take a state for one in which the expression has another value.
        asked = replace(
            self._specification, invariants={_TARGET: none_such}, properties={}, symmetry=(), view=None
        )
        values = {name: x for name, x in self.model.parameters.items() if x is not None}
        model = outlined(asked, values)
        options = ExploreOptions(depth, MOST_STATES, every_state=True)
        query = Query(self._source, self._settings, (_TARGET,), options)
        return _nearest(answer_here(model, query, limits=limits))

    def formulas(self, state: Values) -> tuple[Semantics, Values]:
        from leadline.symbolic.tla.outline import formed_around

        if self._late:
            raise _Late(_LATE)
        try:
            with within(PATIENCE):
                self._formulas, typed = formed_around(self.model, self._formulas, state)
        except TimeIsOver as error:
            self._late = True
            raise _Late(_LATE) from error
        return Semantics(self._formulas), typed

    def counted(self, name: str, state: Values, place: int) -> list[Attempt]:
        """The first conjunct of an action that is true nowhere, for all ways to choose the names that it binds."""
        from leadline.symbolic.tla.read.coverage import excerpt
        from leadline.symbolic.tla.values.interpreter import Interpreter

        interpreter = Interpreter(self._specification, counting=True)
        places = [number for number, one in enumerate(interpreter.actions, start=1) if one.name == name]
        found: list[Values | None] = []
        self._behaviour.at_level(place + 1)
        for number in places:
            interpreter.steps[number](state, found.append)
        if any(after is not None for after in found):
            return [Attempt(name, ())]
        false = [one for one in interpreter.conjuncts.values() if one.counts[0] and not one.counts[1]]
        told: list[Attempt] = []
        for one in false[:_NEAREST]:
            each = "" if one.counts[0] == 1 else f" at each of {one.counts[0]} evaluations"
            told.append(
                Attempt(name, (f"`{excerpt(one.formula)}` is false{each} ({one.formula.place.short})",))
            )
        return told


class _Late(UserError):
    """The formulas of a module are not made in time."""


PATIENCE = 15.0
"""Seconds in which the formulas of a module are made for a first reason; without them, conjuncts are told."""
_LATE = f"the module's formulas are not made within {PATIENCE:.0f} s: ask about the action without picks"

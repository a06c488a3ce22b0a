"""The meaning of a specification as Python values: its states, steps and formulas, compiled to Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from leadline.symbolic.lang import AssumptionFailed, Mistake, ModelError, Work, site
from leadline.symbolic.meaning import candidates
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import Conjunct
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.parts import Part, parts
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.standard import LIBRARY
from leadline.symbolic.tla.values import differences, operators, sets, values
from leadline.symbolic.tla.values.scopes import Scope
from leadline.symbolic.tla.values.search import RULES, Search
from leadline.symbolic.tla.values.symmetry import Symmetry
from leadline.symbolic.tla.values.translation import Translation
from leadline.symbolic.tla.values.values import FAILURES, EvaluationError, Order, Value, in_words, tla_text
from leadline.symbolic.tla.values.writer import Fn, Lines, Source

State: TypeAlias = tuple[Value, ...]
"""A value for each variable, in the order of the specification's variables."""

_LONGEST = 1000
"""The most characters of an error: the middle of one with a huge value is left out."""

_evaluating = site(lambda known: Work("evaluating", known["one"].place) if "one" in known else Work())
"""Decorates a function that evaluates formulas, each in turn named `one`: what is going on tells its place."""


def satisfied(test: Callable[[State], Any], state: State) -> bool:
    """Whether a state satisfies a formula, which may have no value there."""
    try:
        return bool(test(state))
    except FAILURES:
        return False


@dataclass(frozen=True)
class Action:
    """A part of the next-state relation.

    Attributes:
        name: the name of its operator.
        parts: the disjuncts that have this name.
    """

    name: str
    parts: tuple[Part, ...]


class Interpreter:
    """The meaning of a specification on values.

    Args:
        specification: the specification.
        counting: whether `steps` count how often the conjuncts of actions are true, in `conjuncts`.
        symmetry: is told of each CHOOSE; None if nothing depends on how it chooses.

    Raises:
        ModelError: if a formula has no meaning here.
    """

    def __init__(
        self, specification: Specification, counting: bool = False, symmetry: Symmetry | None = None
    ) -> None:
        self.specification = specification
        self.conjuncts: dict[tuple[str, s.Place], Conjunct] = {}
        self._counting = counting
        self._names: dict[tuple[str, s.Place], str] = {}
        namespace: dict[str, Any] = {"partial": partial, "FAILURES": FAILURES, "symmetry": symmetry}
        namespace["candidates"] = candidates
        namespace["READABLE"] = specification.readable
        for module in (values, differences, sets, operators):
            namespace |= {name: thing for name, thing in vars(module).items() if not name.startswith("__")}
        self.order = Order(lambda: specification.ranks)
        namespace |= {"orders": self.order.known, "ordered": self.order.ordered}
        for name in ("in_order", "in_choice", "enumerated", "choices", "fold"):
            namespace[name] = partial(namespace[name], by=self.order)
        namespace["register"] = partial(operators.register, deadlock=specification.deadlock)
        self.source = Source(namespace)
        self.translation = Translation(specification.definitions, specification.levels, self.source, RULES)
        self.translation.own -= specification.history.keys()

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables."""
        return self.specification.variables

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The actions: the parts of the next-state relation by name, in the order of the text."""
        found: dict[str, list[Part]] = {}
        for part in parts(self.specification):
            found.setdefault(part.name, []).append(part)
        return tuple(Action(name, tuple(parts)) for name, parts in found.items())

    @cached_property
    def steps(self) -> list[Callable[..., None]]:
        """For the initial states and then each action: `(state, add)`, calling `add(next state)`, or
        `add(None)` where an evaluation fails. Before an initial state there is no state."""
        return self._searches(traced=False)

    @cached_property
    def traced(self) -> list[Callable[..., None]]:
        """As `steps`, with `add((picks, next state))`, and `add(error)` where an evaluation fails: see `error`."""
        return self._searches(traced=True)

    @s.deeply()
    def _searches(self, traced: bool) -> list[Callable[..., None]]:
        made = [self._initial(traced)] + [self._step(action, traced) for action in self.actions]
        namespace = self.source.load()
        return [namespace[fn.name] for fn in made]

    def _initial(self, traced: bool) -> Fn:
        fn = self.source.fn("initial", ("state", "add"))
        init = self.specification.init
        if init is not None:
            name = init.operator if isinstance(init, s.Apply) else ""
            search = self._search(traced, self._place(name, init), initial=True)
            self._attempt(search, init, Scope(fn, {}, {}, {}))
        return fn

    def _step(self, action: Action, traced: bool) -> Fn:
        fn, now = self._from_state(f"step_{action.name}")
        next_ = self.specification.next
        assert next_ is not None
        place = self._place(action.name, next_)
        for part in action.parts:
            counted = partial(self._counts, action.name) if self._counting and not traced else None
            search = self._search(traced, place, counted=counted)
            self._attempt(search, next_, Scope(fn, {}, now, {}), part.path)
        return fn

    def _place(self, name: str, e: s.Expression) -> s.Place:
        """Where an operator is defined; the place of the expression if there is none of that name."""
        defined = self.specification.definitions.get(name)
        return defined.place if defined else e.place

    def _search(self, traced: bool, place: s.Place, initial: bool = False, **how: Any) -> Search:
        """The search for the states after a state, or for initial states, with the guards of TLC.

        Args:
            place: where a state is told to lack values.
        """
        end = partial(self._found, initial=initial, traced=traced, place=place)
        how |= {"initial": initial, "guards": self.specification.guards}
        return Search(self.translation, end, attempted=partial(_attempted, traced=traced), **how)

    def _attempt(self, search: Search, e: s.Expression, scope: Scope, path: tuple[int, ...] = ()) -> None:
        lines: Lines = []
        search.run(e, scope, lines, path)
        scope.fn.lines += search.attempted(scope, lines)

    def _from_state(self, name: str) -> tuple[Fn, dict[str, str]]:
        """A function `(state, add)`, and the Python variables of the state in it."""
        fn = self.source.fn(name, ("state", "add"))
        now = {name: fn.new(self.translation.now[name]) for name in self.variables}
        fn.lines.append(f"({''.join(f'{name}, ' for name in now.values())}) = state")
        return fn, now

    @s.deeply()
    def steps_of(self, e: s.Expression) -> Callable[..., None]:
        """The function that finds the steps of a formula: `(state, add)`, calling `add(next state)`.

        It raises an error of FAILURES where an evaluation fails, or a variable's next value is not determined.
        """
        fn, now = self._from_state("steps")
        Search(self.translation, partial(self._found, place=e.place)).run(e, Scope(fn, {}, now, {}), fn.lines)
        made: Callable[..., None] = self.source.load()[fn.name]
        return made

    def _counts(self, action: str, e: s.Expression) -> str:
        """The Python name of the list in which a conjunct of an action counts."""
        key = action, e.place
        if key not in self.conjuncts:
            self.conjuncts[key] = Conjunct(action, e, [0, 0])
            self._names[key] = self.source.constant("counts", self.conjuncts[key].counts)
        return self._names[key]

    def _found(
        self, scope: Scope, lines: Lines, place: s.Place, initial: bool = False, traced: bool = False
    ) -> None:
        """Statements for a state that was found."""
        add = scope.fn.use("add")
        known = scope.now if initial else scope.next
        history = self.specification.history
        missing = [x for x in self.variables if x not in known and (initial or x not in history)]
        if missing:
            lines.append(self.source.at(place, f"incomplete({missing!r}, {initial})"))
            return
        for name, value in {} if initial else history.items():
            known = {**known, name: scope.fn.new(self.translation.next[name])}
            lines.append(f"{known[name]} = {self.translation.value(value, scope.within({}))}")
            scope = replace(scope, next=known)
        after = f"({''.join(f'{scope.fn.use(known[x])}, ' for x in self.variables)})"
        if traced:
            picks = "".join(f"({name.split('@')[0]!r}, {scope.fn.use(text)}), " for name, text in scope.picks)
            after = f"(({picks}), {after})"
        lines.append(f"{add}({after})")

    # Formulas

    def predicate(self, e: s.Expression) -> Callable[[State], bool]:
        """The function that tells whether a formula holds in a state.

        It raises an error of FAILURES where the formula has no value: see `error`.
        """
        return self._function(e, False, True)

    def relation(self, e: s.Expression) -> Callable[[State, State], bool]:
        """The function that tells whether a formula holds of a step."""
        return self._function(e, True, True)

    def term(self, e: s.Expression) -> Callable[[State], Value]:
        """The function that gives a term its value in a state."""
        return self._function(e, False, False)

    def term_of_step(self, e: s.Expression) -> Callable[[State, State], Value]:
        """The function that gives a term its value for a step."""
        return self._function(e, True, False)

    def holds(self, e: s.Expression) -> bool:
        """Whether a constant formula holds.

        Raises:
            EvaluationError: if it has no value.
        """
        return bool(self.guarded(self._function(e, None, True)))

    def assume(self) -> None:
        """Evaluate the assumptions of the specification, and those constraints that depend on no state.

        Raises:
            AssumptionFailed: if an assumption is false or has no value.
            ModelError: if a constraint is constantly false, which TLC refuses too: no step is allowed.
        """
        with operators.at_level(0):
            self._assume()
        # Constraints are about states, and a search before this one has left its level behind.
        with operators.at_level(None):
            self._constrain()

    @_evaluating
    def _assume(self) -> None:
        for one in self.specification.assumptions:
            try:
                holds = self.holds(one)
            except EvaluationError as error:
                raise AssumptionFailed(f"{one.place}: the assumption has no value: {error}") from error
            if not holds:
                raise AssumptionFailed(f"{one.place}: the assumption is false")

    @_evaluating
    def _constrain(self) -> None:
        for one in (*self.specification.constraints, *self.specification.action_constraints):
            # One about `TLCGet` has no value before there is any state.
            with suppress(EvaluationError):
                if self.specification.levels.of(one) is Level.CONSTANT and not self.holds(one):
                    text = "the constraint is constantly false: it excludes all"
                    raise ModelError([Mistake(one.place, text)])

    def constant(self, e: s.Expression) -> Value:
        """The value of a constant expression.

        Raises:
            EvaluationError: if it has none.
        """
        return operators.listed(self.unlisted(e))

    def constants(self) -> dict[str, Value]:
        """The values of the declared constants that have one, by name; operators have none."""
        found = dict[str, Value]()
        for one in self.specification.constants:
            if not one.arity:
                with suppress(*FAILURES):
                    found[one.name] = self.constant(s.Apply(one.name))
        return found

    def unlisted(self, e: s.Expression) -> Value:
        """The value of a constant expression, which may be a set that is not listed.

        Raises:
            EvaluationError: if it has none.
        """
        return self.guarded(self._function(e, None, False))

    def in_state(self, e: s.Expression, state: State) -> Value:
        """The value of a term in a state.

        Raises:
            EvaluationError: if it has none.
        """
        term = self.term(e)
        return self.guarded(lambda: operators.listed(term(state)))

    @s.remembered
    @s.deeply()
    def _function(self, e: s.Expression, step: bool | None, truth: bool) -> Callable[..., Any]:
        fn = self.source.fn("formula", () if step is None else ("state", "after") if step else ("state",))
        reads = self.translation.analysis.reads(e)
        now: Mapping[str, str] = {}
        following: dict[str, str] = {}
        if step is not None:
            now = self._unpacked("state", self.translation.now, sorted(reads.now), fn)
        if step:
            following = self._unpacked("after", self.translation.next, sorted(reads.next), fn)
        self.translation.body(e, Scope(fn, {}, now, following), fn.lines, truth)
        made: Callable[..., Any] = self.source.load()[fn.name]
        return made

    def _unpacked(self, state: str, names: Mapping[str, str], used: Sequence[str], fn: Fn) -> dict[str, str]:
        found = {name: fn.new(names[name]) for name in used}
        fn.lines += [f"{text} = {state}[{self.variables.index(name)}]" for name, text in found.items()]
        return found

    # Errors

    def guarded(self, compute: Callable[[], Any]) -> Any:
        """The result of a computation.

        Raises:
            EvaluationError: with its place, where an expression has no value.
        """
        try:
            return compute()
        except FAILURES as error:
            raise self.error(error) from error

    def error(self, error: Exception) -> EvaluationError:
        """An error of generated code in words, with its place: where a module of the library is used, that too."""
        places = list(self.source.places(error.__traceback__))
        place = places[0] if places else None
        match error:
            case EvaluationError():
                text = str(error)
            case KeyError():
                text = f"the function is applied to {tla_text(error.args[0])}, which is not in its domain"
            case RecursionError():
                text = "the recursion is too deep, or does not end"
            case _:
                text = in_words(error, place.token() if place is not None else "")
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
        own = next((one for one in places if Path(one.file).parent != LIBRARY), place)
        return EvaluationError(
            "".join(f"{one}: " for one in dict.fromkeys((own, place)) if one is not None) + text
        )


def _attempted(scope: Scope, lines: Lines, traced: bool) -> Lines:
    """Statements that add an error in some statements, and do not raise it."""
    call = f"{scope.fn.use('add')}({'error' if traced else None})"
    return ["try:", lines or ["pass"], "except FAILURES as error:", [call]]

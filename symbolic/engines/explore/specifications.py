"""Exploration of TLA+ specifications: breadth-first search over the states of their interpreter; coverage."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

from leadline.symbolic.bits import NoCircuits, require_notes
from leadline.symbolic.engines.ask.engine import Interrupted
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import (
    Answer,
    Cause,
    JsonObject,
    Progress,
    Result,
    Stop,
    Verdict,
    is_near,
)
from leadline.symbolic.engines.ask.widening import by_values, unfinished, widened_answers
from leadline.symbolic.engines.explore.checkpoint import Checkpoint
from leadline.symbolic.engines.explore.explore import (
    CIRCUITS,
    LAST_PART,
    VALUES,
    ExploreOptions,
    Forecast,
    checkpoint_of,
    ended,
    qualified,
    result_of,
    searched,
    tell_proofs,
    verdict_on,
)
from leadline.symbolic.engines.explore.facts import ExploreFacts, GuardCount, VacuousPart, vacuous_part
from leadline.symbolic.engines.explore.statistics import counted_values, values_by
from leadline.symbolic.engines.run.limits import (
    Limits,
    NotWorthIt,
    TimeIsOver,
    put_off,
    time_stop,
    timely,
    within,
    worth,
)
from leadline.symbolic.lang import (
    InternalError,
    LeadlineError,
    Model,
    ModelError,
    NoSymbolicForm,
    Permutation,
    UserError,
    counted,
    group_of,
    symmetric_sorts,
)
from leadline.symbolic.meaning import (
    Exploration,
    Explorer,
    Level,
    Path,
    State,
    beginning_until,
    first_states,
    path_of,
)
from leadline.symbolic.meaning.coverage import Suspects
from leadline.symbolic.meaning.graph import OutsideAt
from leadline.symbolic.meaning.replay import Departs
from leadline.symbolic.meaning.trace import states
from leadline.symbolic.tla.learning import MOST_STATES
from leadline.symbolic.tla.lower.scope import Unsupported
from leadline.symbolic.tla.origin import TlaOrigin, sets_of_model_values
from leadline.symbolic.tla.outline import TYPED, Outline, Telling, outlined, telling_lack
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import excerpt, suspects
from leadline.symbolic.tla.read.specification import Specification, claim_parts, read_term
from leadline.symbolic.tla.typing import shows
from leadline.symbolic.tla.values.behaviour import Behaviour, require_behaviour, symmetry_of
from leadline.symbolic.tla.values.interpreter import Interpreter, satisfied
from leadline.symbolic.tla.values.operators import (
    at_level,
    printing,
    set_statistics,
    silently,
    without_statistics,
)
from leadline.symbolic.tla.values.runs import FairRuns, ModuleReplayer, TemporalFormulas
from leadline.symbolic.tla.values.symmetry import ToldApart, model_values
from leadline.symbolic.tla.values.values import EvaluationError, tla_text
from leadline.symbolic.trace import DEADLOCK, Step, Stored, Trace, TraceEnd, trace_of_path

SHORT = 4.0
"""Seconds of the processor in which a search on values may end before a model for circuits is made."""
MAKING = 8.0
"""Seconds of the processor that the model may take once its types are known, and its circuits."""
TELLING = 5.0
"""Seconds beyond a limit on time in which a search on circuits that it has ended may tell what it has found."""
MOST_ON_CIRCUITS = 30_000_000
"""The states at which the search of a portfolio stops on circuits: they take about 50 bytes each."""
MOST_UNASKED = 24
"""The most permutations that a proof uses without SYMMETRY: each takes a tenth of a microsecond for a state."""
AGAIN = 3
"""When circuits that were not worth it are tried again, as a multiple of the time at which they were left."""
_FIRST_RUNS, _MORE_RUNS = 500, 8
"""The number of states at which runs through them are looked at first, and the factor at which again."""
ENOUGH = 5
"""The time that there must be for circuits, as a multiple of `SHORT`."""


class _OnCircuits(Exception):
    """A search on values ends since one on circuits has ended.

    Attributes:
        answer: the answer of that one, or the Ctrl-C that has ended it.
    """

    def __init__(self, answer: Answer | Interrupted) -> None:
        super().__init__()
        self.answer = answer


def answer_of_module(
    model: Model, query: Query, limits: Limits, listener: Listener, on_circuits: Callable[..., Answer]
) -> Answer:
    """Explore a module: on values first, and on circuits if that takes long and the module has a model.

    The runs of the answer have values of the interpreter: see `in_types`.

    Args:
        model: the outline of the module.
        query: the question.
        limits: the limits on time and memory.
        listener: is told of progress and, with such runs too, of violations.
        on_circuits: `(begun, model, query, limits) -> the answer` about a model by circuits; it calls `begun` once
            these are made.

    Raises:
        Interrupted: as `explore_specification`.
        ModelError: likewise, or if an assumption is false.
    """
    options = query.options_as(ExploreOptions)
    names = {one.name for one in query.chosen(model)}
    specification = _asked(Outline.of(model).specification, names, options)
    require_behaviour(specification)
    if specification.symmetry and options.checkpoint is not None:
        raise UserError("--checkpoint keeps no symmetry of a module: leave one of them out")
    checkpoint = checkpoint_of(model, query, VALUES)

    def circuits(known: Known, rest: Limits, making: float) -> Answer:
        began = time.monotonic()
        with put_off(TELLING), silently():
            found = _on_circuits(specification, known, model, query, rest, on_circuits, making)
        facts = found.told(ExploreFacts)
        numbers = _statistics(facts.states_within_steps, facts.states, facts.generated, began)
        set_statistics(lambda: numbers)
        with printing(listener.printed):
            held = _postconditions(Interpreter(specification), rest.since(began))
        return replace(found, facts=replace(facts, postconditions=held))

    needs = _needs_values(specification, options)
    if options.by == CIRCUITS:
        if needs is not None:
            raise NoCircuits(f"--by circuits: {needs}, which needs --by values")
        with timely(query.source, limits):
            Interpreter(specification).assume()
            return circuits(Known((), 0), limits, math.inf)
    hurried = not options.prove and limits.seconds is not None and limits.seconds < ENOUGH * SHORT
    if options.by == VALUES or needs is not None or hurried:
        return _on_values(specification, query, limits, listener, checkpoint)
    return _on_values_first(specification, query, limits, listener, circuits)


def _on_values_first(
    specification: Specification,
    query: Query,
    limits: Limits,
    listener: Listener,
    circuits: Callable[[Known, Limits, float], Answer],
) -> Answer:
    """The answer by values, or by circuits once that takes long.

    Args:
        circuits: `(known, limits, making) -> the answer`, as `_on_circuits` gives it.
    """
    begin = time.monotonic()
    patience = math.inf if _uses_registers(Interpreter(specification)) else SHORT
    since: float | None = None
    halfway = 0.0, 0

    def busy(known: Sequence[State]) -> None:
        nonlocal patience, since, halfway
        now = time.process_time()
        # Where the steps take long to make, those of a model take longer.
        since = now if since is None else since
        if now - since <= patience / 2:
            halfway = now, len(known)
        if now - since <= patience:
            return
        # Initial states may be listed faster than others are found, so only states since halfway count.
        each = (now - halfway[0]) / max(1, len(known) - halfway[1])
        # The search on values waits, and goes on if nothing comes of it.
        making, patience = max(MAKING, patience / 2), math.inf
        try:
            raise _OnCircuits(circuits(Known(known, each), limits.since(begin), making))
        except Interrupted as interrupted:
            raise _OnCircuits(interrupted) from None
        except NotWorthIt:
            # A search that takes longer is worth more.
            patience = AGAIN * (time.process_time() - since)
        except InternalError:
            raise  # A counterexample that does not replay is told.
        except (LeadlineError, RecursionError):
            pass

    try:
        return _on_values(specification, query, limits, listener, busy=busy)
    except _OnCircuits as ended:
        if isinstance(ended.answer, Interrupted):
            raise ended.answer from None
        return ended.answer


def _needs_values(specification: Specification, options: ExploreOptions) -> str | None:
    """The part of a question that is answered by the search on values alone; None if there is none."""
    # Proofs use no view.
    if specification.view is not None and specification.properties and not options.prove:
        return "a VIEW together with temporal properties"
    if options.coverage:
        return "--coverage counts in the module"
    return None if options.checkpoint is None else "--checkpoint keeps the states of a module"


def _uses_registers(interpreter: Interpreter) -> bool:
    """Whether a module uses TLC's registers: only values have them, and learning types changes them."""
    names = {"TLCGet", "TLCGetOrDefault", "TLCSet"}
    return any(interpreter.translation.uses(one, names) for one in interpreter.specification.formulas)


def _on_values(
    specification: Specification,
    query: Query,
    limits: Limits,
    listener: Listener,
    checkpoint: Checkpoint | None = None,
    busy: Callable[[Sequence[State]], None] = lambda _: None,
) -> Answer:
    options = query.options_as(ExploreOptions)
    with printing(listener.printed), timely(query.source, limits):
        behaviour = Behaviour(specification, counting=options.coverage)
    if checkpoint is not None and behaviour.sets_registers:
        raise UserError(
            f"--checkpoint keeps no register of TLCSet, which {specification.name} uses: leave it out"
        )
    return explore_specification(
        behaviour, options, limits, listener, deadlock=query.deadlock, checkpoint=checkpoint, busy=busy
    )


class Known(NamedTuple):
    """The states that the search on values has found.

    Attributes:
        states: the states.
        each: the seconds of the processor that each new one took lately.
    """

    states: Sequence[State]
    each: float

    def behind(self, states: int, seconds: float) -> float:
        """The seconds by which another search is behind that has found so many states in so many seconds more."""
        return seconds - (states - len(self.states)) * self.each


def _on_circuits(
    specification: Specification,
    known: Known,
    model: Model,
    query: Query,
    limits: Limits,
    ask: Callable[..., Answer],
    making: float,
) -> Answer:
    """The answer by the module's model, whose types hold the states that are known.

    Args:
        making: the seconds that the model may take, and its circuits. Wider ones may take as long as values would
            to the states that were found. They are left once values would be so many seconds further.

    Raises:
        NotWorthIt: if making them takes longer.
        NoCircuits: if something is out of bounds of the model alone, or a limit ends the search before it has as
            many states, or if there are too many fairness conditions.
        UserError: if there is no model, or it has no circuits.
    """
    begin = time.monotonic()
    options = query.options_as(ExploreOptions)
    most = MOST_ON_CIRCUITS if options.prove else options.max_states
    asked = replace(query, options=replace(options, by=CIRCUITS, max_states=most))
    by_values = reached = max(1, len(known.states))
    of_module = partial(_of_module, model, erring=options.by == CIRCUITS)

    def put(wider: Model, rest: Limits) -> Answer:
        nonlocal reached
        try:
            # The known states took values about that long; those that circuits have found would take longer.
            with worth(making * reached / by_values) as begun:
                answer = _reduced(wider, asked, rest, partial(ask, begun))
            reached = max(reached, answer.told(ExploreFacts).states)
            return answer
        except Interrupted as interrupted:
            so_far = unfinished(wider, interrupted.answer, Stop(Cause.INTERRUPTED, "interrupted"))
            told = replace(so_far, model=wider)
            # Without facts, its runs keep their types.
            with suppress(NoCircuits):
                told = told if so_far.facts is None else of_module(wider, so_far)
            raise Interrupted(told, interrupted.message) from None

    # The search on circuits would say so too, once they are made.
    _require_notes(specification)
    if not options.prove and _moves_unviewed(specification, known.states):
        raise NoCircuits("the symmetry moves parts of a state that the view leaves out")
    origin = TlaOrigin(specification, {})
    with telling_lack(specification.file):
        with within(limits.seconds):
            # This takes a part of the time in which the known states were found, and some seconds of walks.
            origin.learn(known.states[:: 1 + len(known.states) // MOST_STATES])
            with worth(making):
                narrow = replace(origin.model(), parameters=model.parameters)
        return of_module(*_last(widened_answers(narrow, limits.since(begin), put), known, making))


def _require_notes(specification: Specification) -> None:
    """Raise NoCircuits if a claim is about runs and there are more fairness conditions than notes about a step."""
    definitions, levels = specification.definitions, specification.levels
    claims = specification.properties.values()
    if any(claim_parts(one, definitions, levels).runs for one in claims):
        require_notes(len(TemporalFormulas(Interpreter(specification)).fairness))


def _moves_unviewed(specification: Specification, known: Sequence[State]) -> bool:
    """Whether SYMMETRY moves values that some states have in a variable that VIEW does not mention."""
    symmetry, view = symmetry_of(specification), specification.view
    if symmetry is None or view is None:
        return False
    uses = Interpreter(specification).translation.uses
    hidden = [place for place, name in enumerate(specification.variables) if not uses(view, {name})]
    return any(
        not symmetry.moved.isdisjoint(model_values((state[place],))) for state in known for place in hidden
    )


def _last(answers: Iterable[tuple[Model, Answer]], known: Known, making: float) -> tuple[Model, Answer]:
    """The last answer of those with wider and wider types, with its model.

    Args:
        answers: the answers.
        known: the states that the search on values has found.
        making: the seconds that circuits may take to be made.

    Raises:
        NotWorthIt: if types are left so often that values would be further.
        NoCircuits: if a limit leaves it fewer states than are known.
    """
    begin, before, last = time.process_time(), None, None
    for lowered, found in answers:
        last = lowered, found if before is None else _as_far_as_before(found, before)
        before, spent = found, time.process_time() - begin
        if _is_outside(found) and known.behind(found.told(ExploreFacts).states, spent) > making:
            raise NotWorthIt
    assert last is not None
    facts = last[1].told(ExploreFacts)
    if facts.stopped is not None and facts.states < len(known.states):
        raise NoCircuits(facts.stopped)
    return last


def _as_far_as_before(answer: Answer, before: Answer) -> Answer:
    """The answer with wider types, with the states of the search before where a limit left fewer, or no time."""
    far, facts = before.told(ExploreFacts), answer.told(ExploreFacts)
    if facts is far:  # the time was over before a search with wider types
        limit = next((one.reason for one in answer.results if one.cause is Cause.TIME), None)
        stopped = facts.stopped or limit
    else:
        stopped = facts.stopped if facts.states < far.states else None
    if stopped is None:
        return answer
    # A step that leaves the types is not out of bounds in the module: states beyond it are lacking.
    left = [run.length - 1 for run in before.runs if run.ends is TraceEnd.OUT_OF_BOUNDS]
    depth = min(far.diameter, *left) if left else far.diameter
    within = far.states_within_steps[: depth + 1]
    far = replace(far, states_within_steps=within, complete=False, stopped=stopped)
    return replace(answer, facts=replace(far, steps_out_of_bounds=0))


def _of_module(model: Model, lowered: Model, answer: Answer, *, erring: bool) -> Answer:
    """The answer about a module, given that about its model.

    Args:
        model: the outline of the module.
        lowered: its model.
        answer: the answer about that.
        erring: whether it may have errors of the module. Those of types and of the model alone are none.

    Raises:
        NoCircuits: if something else is out of bounds.
    """
    answer = answer.with_runs(partial(by_values, lowered))
    by_model_alone = any(run.ends is TraceEnd.OUT_OF_BOUNDS and run.why is None for run in answer.runs)
    if _lacks_a_value(answer) or (not erring and _is_outside(answer)) or by_model_alone:
        raise NoCircuits("a value of the module is out of bounds of its model: explore it with --by values")
    facts = answer.told(ExploreFacts)
    # An action of the module may be several of the model.
    fired = {one.name: 0 for one in model.actions}
    for action in lowered.actions:
        fired[action.tla] += facts.actions[action.name]
    facts = replace(facts, actions=fired, orbits=None, orbits_within_steps=None)
    return replace(answer, facts=facts)


def _is_outside(answer: Answer) -> bool:
    """Whether something is out of bounds of the types, or of the model alone."""
    return any_outside(answer) or answer.told(ExploreFacts).steps_out_of_bounds > 0


def any_outside(answer: Answer) -> bool:
    """Whether a result is out of bounds, or is lacking, for the types or for the model alone."""
    outside = any(one.verdict is Verdict.OUT_OF_BOUNDS for one in answer.results)
    return outside or _lacks_a_value(answer)


def _lacks_a_value(answer: Answer) -> bool:
    """Whether a result is lacking for the types, or since the model lacks a value that the module has."""
    return any(one.cause in (Cause.TYPES, Cause.NO_FORM) for one in answer.results)


def _reduced(model: Model, query: Query, limits: Limits, ask: Callable[..., Answer]) -> Answer:
    """The answer with SYMMETRY and VIEW. A proof uses no view, and such symmetry as the model has."""
    options, origin = query.options_as(ExploreOptions), TlaOrigin.of(model)
    declared = bool(origin.specification.symmetry)
    group = _exchanges(model, query) if options.prove and not declared else ()
    asked = replace(query, options=replace(options, symmetry=declared or bool(group)))
    try:
        taken = (
            replace(model, symmetry=group)
            if group
            else origin.taking_for_one(model, viewed=not options.prove)
        )
        return ask(taken, asked, limits)
    except (UserError, Unsupported) as error:
        if not options.prove or not (declared or group):
            raise
        # A type that is too large for symmetry is no mistake: the module is explored without.
        told = NoSymbolicForm(error.mistakes) if isinstance(error, ModelError) else error
        why = told.why if isinstance(told, Unsupported | NoSymbolicForm) else str(told)
        found = ask(model, replace(query, options=replace(options, symmetry=False)), limits)
        if not declared:
            return found
        why = why.removeprefix("SYMMETRY: ")
        remark = f"SYMMETRY is not used, and each of the states that it takes for one is counted: {why}"
        results = [
            replace(one, reason=f"{one.reason}, without SYMMETRY") if one.verdict is Verdict.PROVED else one
            for one in found.results
        ]
        return replace(found, results=results, facts=replace(found.told(ExploreFacts), symmetry=remark))


def _exchanges(model: Model, query: Query) -> tuple[Permutation, ...]:
    """The permutations of the members that a model names nowhere; none if there is only one, or too many."""
    claims = query.chosen(model)
    if any(one.temporal is not None for one in claims):
        return ()
    sorts = symmetric_sorts(model, [*claims, *model.constraints], in_any_order=False)
    number = math.prod(math.factorial(one.cardinality) for one in sorts)
    return tuple(group_of(sorts)) if 1 < number <= MOST_UNASKED else ()


def _asked(specification: Specification, names: Set[str], options: ExploreOptions) -> Specification:
    """The specification with the properties of these names alone, as the options want it explored.

    Raises:
        UserError: if a symmetry is asked for, and there are no model values to exchange.
    """
    if options.symmetry and not specification.symmetry:
        sets = sets_of_model_values(Interpreter(specification))
        if not sets:
            raise UserError(
                f"--symmetry: {specification.name} has no constant that is a set of several model values: leave "
                "it out"
            )
        symmetry = tuple(s.Apply("Permutations", (s.Apply(name),)) for name in sets)
        specification = replace(specification, symmetry=symmetry)
    return replace(
        specification,
        view=None if options.every_state else specification.view,
        invariants={name: one for name, one in specification.invariants.items() if name in names},
        properties={name: one for name, one in specification.properties.items() if name in names},
    )


def in_types(model: Model, answer: Answer) -> Answer:
    """An answer whose runs have values of types, with the model that has these types.

    Args:
        model: the outline of a module.
        answer: an answer about it, whose runs have values of the interpreter.
    """
    interpreter = Outline.of(model).interpreter
    runs = answer.runs
    stages = [one for run in runs for one in run.stages]
    claims = {run.property for run in runs if run.property is not None}
    telling = Telling(model, interpreter, stages, _beside(interpreter, runs))
    typed = answer.with_runs(lambda run: run.through(map(telling.typed, run.stages)))
    return replace(typed, model=_explaining(telling, claims))


def without_slots(model: Model, answer: Answer) -> Answer:
    """An answer whose runs have sets of messages where the model has slots, and messages where it picks slots.

    They have the module's variables alone. The parts of an induction are about those of the model, so an answer
    with parts stays as it is.

    Args:
        model: the model that a module was lowered to.
        answer: an answer about it, whose types no run leaves.
    """
    if not answer.runs or any(one.part is not None for one in answer.results):
        return answer
    specification = TlaOrigin.of(model).specification
    bounded = specification.leveled
    outline = outlined(specification if bounded is None else bounded.before, model.parameters)
    return in_types(outline, answer.with_runs(partial(by_values, model)))


_PATIENCE = 2.0
"""Seconds in which the formulas of claims are made, for the reasons why they are false."""


def _explaining(telling: Telling, claims: Set[str]) -> Model:
    """The model of some runs, with the formulas of their claims if these are soon made."""
    try:
        with within(_PATIENCE):
            return telling.model(claims)
    except TimeIsOver:
        return telling.model(())


def _beside(interpreter: Interpreter, runs: Iterable[Trace]) -> list[State]:
    """States one step from those of runs: properties are lowered with their types too."""
    known = dict.fromkeys(state for run in runs for state in reversed(list(states(run))))
    found: list[State] = []
    for state, step in product(known, interpreter.steps[1:]):
        some, more = first_states(lambda _, add: step(state, add), TYPED - len(found))  # noqa: B023
        found += some
        if more:
            break
    return found


def labels(model: Model, texts: Sequence[str]) -> tuple[Behaviour, Callable[[State], tuple[str, ...]]]:
    """The behaviour of a module, and the lines that tell a state of it: all variables, or what is asked for.

    Args:
        model: the outline of the module.
        texts: expressions in TLA+ about a state, such as the name of a variable or of an operator.

    Raises:
        UserError: if one of them has a mistake.
    """
    specification = Outline.of(model).specification
    behaviour = Behaviour(specification).without_canonical()
    if not texts:
        pairs = list(enumerate(behaviour.variables))
        return behaviour, lambda state: tuple(f"{name} = {tla_text(state[i])}" for i, name in pairs)
    terms = []
    for text in texts:
        try:
            terms.append((text, behaviour.interpreter.term(read_term(specification, text))))
        except UserError as error:
            raise UserError(f"--merge {text}: {error}") from error

    def told(state: State) -> tuple[str, ...]:
        guarded = behaviour.interpreter.guarded
        try:
            return tuple(f"{name} = {tla_text(guarded(partial(term, state)))}" for name, term in terms)
        except EvaluationError as error:
            raise UserError(f"--merge: no value in a reachable state: {error}") from error

    return behaviour, told


def replayed(model: Model, stored: Stored) -> tuple[Model, Trace]:
    """The run of a file as the interpreter takes it, whichever engine has found it.

    Args:
        model: the outline of a module.
        stored: the run in the file.

    Returns:
        The model with the types of its values, and the run.

    Raises:
        UserError: if the interpreter does not take it, or it does not end as the file says.
    """
    run = replayed_on_values(model, stored)
    result = result_of(run.property or DEADLOCK, Verdict.VIOLATED, run, run.length)
    typed = in_types(model, Answer([result]))
    ((one,), made) = typed.results, typed.model
    assert one.trace is not None and made is not None
    return made, one.trace


def replayed_on_values(model: Model, stored: Stored) -> Trace:
    """As `replayed`, with the values of the interpreter."""
    replayer = Outline.of(model).replayer
    names = [one.name for one in model.variables]

    def same(row: JsonObject | None, state: State | None) -> bool:
        if row is None or state is None:
            return row is None and state is None
        return all(shows(row[name], value) for name, value in zip(names, state, strict=True))

    try:
        return ModuleReplayer(replayer.meaning, same).confirmed(stored.as_written(model))
    except Departs as wrong:
        raise UserError(f"{stored.place} does not replay: {wrong}") from wrong


def explore_specification(
    behaviour: Behaviour,
    options: ExploreOptions,
    limits: Limits,
    listener: Listener,
    *,
    deadlock: bool,
    checkpoint: Checkpoint | None = None,
    busy: Callable[[Sequence[State]], None] = lambda _: None,
) -> Answer:
    """Explore a specification breadth-first.

    The states of traces are the interpreter's, and their actions are found by a second translation of the steps.

    Args:
        behaviour: its states and steps.
        options: the bounds.
        limits: the limits on time and memory.
        listener: is told of each level, of violations, and of proofs before runs are looked at.
        deadlock: whether a state without a step is an error.
        checkpoint: the folder in which levels are kept, and from which the search goes on; None for none.
        busy: called now and then with the states found, also while runs through them are looked at if that takes
            long.

    Raises:
        Interrupted: on Ctrl-C, with the answer so far.
        ModelError: if there is no initial state.
    """
    exploring = _Exploring(behaviour, options, listener, deadlock, checkpoint, busy)
    began = time.monotonic()

    def numbers() -> dict[str, int]:
        explorer = exploring.explorer
        return _statistics(explorer.within, explorer.counted, sum(explorer.fired), began)

    set_statistics(numbers)
    with printing(listener.printed):
        stop = searched(limits, exploring.run)
    behaviour.end_search()
    behaviour.at_level(None)
    with printing(listener.printed):
        postconditions = _postconditions(behaviour.interpreter, limits.since(began))
    return exploring.answer(stop, postconditions)


@dataclass(eq=False)
class _Exploring:
    """The exploration of a specification.

    Args:
        behaviour: its states and steps.
        options: the bounds.
        listener: is told of each level, and of violations.
        deadlock: whether a state without a step is an error.
        checkpoint: the folder in which levels are kept; None for none.
        busy: called now and then with the states found, unless the end is near.

    Attributes:
        explorer: the search.
        about_runs: for each claim about whole runs that was looked at, a run that violates it, or on which it
            has no value and the reason; None without one.
        whole: where states stand for others, the search of all states, which runs go through.
    """

    behaviour: Behaviour
    options: ExploreOptions
    listener: Listener
    deadlock: bool
    checkpoint: Checkpoint | None
    busy: Callable[[Sequence[State]], None]
    about_runs: dict[str, tuple[Trace, str | None] | None] = field(default_factory=dict, init=False)
    whole: Explorer[Behaviour] | None = field(default=None, init=False)
    _left: float | None = field(default=None, init=False)
    _beyond: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._names = (*self.behaviour.specification.invariants, *self.behaviour.specification.properties)
        self._forecast, self._runs_at = Forecast(self.options.max_states), _FIRST_RUNS
        self._told = set() if self.deadlock else {DEADLOCK}
        self.explorer = self._new()
        self.behaviour.at_level(0)

    def _new(self) -> Explorer[Behaviour]:
        covering = self.options.coverage
        return Explorer(
            self.behaviour,
            self._names,
            self.options.depth,
            self._level,
            self.options.max_states,
            self.checkpoint,
            self.behaviour.notes,
            # Circuits are not begun where the search on values is near its end.
            lambda known: None if is_near(self._left) else self.busy(known),
            attributing=covering,
            suspects=_suspects(self.behaviour) if covering else None,
        )

    def _level(self, level: Level) -> None:
        """Tell of a level, and of the work that is left, if it is known: see `Progress`."""
        self._tell(level, self._forecast.left(level))
        # Near the end all runs are looked at soon.
        if level.states >= self._runs_at and not is_near(self._left):
            self._runs_at = level.states * _MORE_RUNS
            self._look_early(level.depth)

    def _look_early(self, depth: int) -> None:
        """Tell the claims about runs that a fair run through the states found so far violates.

        Such a run is one of all states. Where states stand for others, or a formula asks for the level or for a
        register, runs are looked at when the search is over.
        """
        behaviour = self.behaviour
        merged = behaviour.canonical is not None or behaviour.view is not None
        if merged or behaviour.asks_level or _uses_registers(behaviour.interpreter):
            return
        runs = FairRuns(behaviour.interpreter, self.explorer, lambda _: self.busy(self.explorer.order))
        for name in behaviour.specification.properties:
            if name not in self.about_runs and behaviour.safety(name).runs:
                found = _violating(behaviour, runs, name)
                if found is not None and found[1] is None:
                    self.about_runs[name] = found
                    self.listener.done(result_of(name, Verdict.VIOLATED, found[0], depth))

    def _tell(self, level: Level, left: float | None) -> None:
        self._left = left
        reached = f"{counted(level.states, 'state')} within {counted(level.depth, 'step')}"
        self.listener.progress(Progress(level.depth, 0.0, text=reached, left=left))
        self._tell_violations()
        self._tell_out_of_bounds()
        self.behaviour.at_level(level.depth + 1)

    def _tell_out_of_bounds(self) -> None:
        """Tell of properties without a value, and of the first step without one, which concerns all of them.

        The search goes on, since a violation would be worse.
        """
        explorer = self.explorer
        for watch in explorer.watches:
            if watch.out_at is not None and watch.name not in self._beyond:
                self._beyond.add(watch.name)
                self._tell_of(watch.name, explorer.path(watch.out_at), watch.name, watch.why)
        for name in self.behaviour.undefined:
            if name not in self._beyond:
                self._beyond.add(name)
                path, why = self._undefined(name)
                self._tell_of(name, path, name, why)
        beyond = None if DEADLOCK in self._beyond else explorer.path_out_of_bounds()
        if beyond is not None:
            for name in (*self._names, DEADLOCK):
                self._beyond.add(name)
                self._tell_of(name, beyond, None, beyond[-1].why)

    def _tell_of(self, name: str, path: Path, claim: str | None, why: str | None) -> None:
        """Tell that the evaluation of a claim, or without one the last step of a path, has no value."""
        if name not in self._told:
            trace, depth = _trace(path, TraceEnd.OUT_OF_BOUNDS, claim, why), len(self.explorer.within) - 1
            self.listener.told(result_of(name, Verdict.OUT_OF_BOUNDS, trace, depth, why))

    @cached_property
    def vacuity(self) -> tuple[Suspects[s.Expression, s.Place], list[GuardCount]]:
        """The parts that had no effect in any state; of each action never taken the first guard never true."""
        behaviour, explorer = self.behaviour, self.explorer
        suspects = _suspects(behaviour)
        for state in explorer.order:
            suspects.look(state)
        names = [action.name for action in behaviour.actions]
        # The level that a guard asks for is no longer known.
        fired = zip(names, explorer.fired[1:], strict=True)
        idle = {name for name, times in fired if not times and not behaviour.asks_level}
        untrue: dict[str, GuardCount] = {}
        if idle:
            counting = Interpreter(behaviour.specification, counting=True)
            steps = zip(counting.actions, counting.steps[1:], strict=True)
            for step in (step for action, step in steps if action.name in idle):
                for state in explorer.states_within:
                    step(state, lambda _: None)
            never = (one for one in _guards(counting) if one["action"] in idle and not one["true"])
            untrue = {one["action"]: one for one in reversed([*never])}
        return suspects, [*untrue.values()]

    def run(self) -> None:
        """Explore, and look for runs, which may take long: what is proved is told before."""
        behaviour, runs = self.behaviour, None
        while not self._is_explored():
            self.explorer = self._new()
        level = Level(len(self.explorer.within) - 1, 0, self.explorer.counted)
        self._tell(level, LAST_PART if self.explorer.complete else None)
        for name in behaviour.specification.properties:
            if name not in self.about_runs and behaviour.safety(name).runs:
                if runs is None:
                    tell_proofs(self.answer(), self.options, self.listener)
                    runs = self._fair_runs()
                self.about_runs[name] = _violating(behaviour, runs, name)

    def _is_explored(self) -> bool:
        """Explore. False if a part of the symmetry does not hold: the search begins anew without it."""
        try:
            with beginning_until(self._listing):
                self.explorer.run()
        except ToldApart:
            self.behaviour.begin_anew()
            return False
        self.behaviour.end_search()
        return True

    def _listing(self) -> bool:
        """Tell that initial states are still listed, and that there is time for more."""
        self.busy(self.explorer.order)
        return False

    def _fair_runs(self) -> FairRuns:
        """The runs through the states found. Where states stand for others, all are looked for first."""
        behaviour, options = self.behaviour, self.options
        if behaviour.canonical is not None or behaviour.view is not None:
            every = behaviour.without_canonical()
            every.at_level(0)
            self.whole = Explorer(
                every,
                (),
                options.depth,
                lambda level: every.at_level(level.depth + 1),
                max_states=options.max_states,
            )
            self.whole.run()
        explorer, begun = self.whole or self.explorer, time.process_time()

        def looked(place: int) -> None:
            total = len(explorer.order)
            text = f"looking at runs: steps from {place:,} of {counted(total, 'state')}"
            depth = len(self.explorer.within) - 1
            self.listener.progress(Progress(depth, 0.0, text=text, left=self._left))
            # Circuits are begun where the steps from the other states take longer than a model may.
            if (time.process_time() - begun) * (total / place - 1) > MAKING:
                self.busy(self.explorer.order)

        return FairRuns(behaviour.interpreter, explorer, looked)

    # -- what is wrong --------------------------------------------------------------------------------

    def _tell_violations(self) -> None:
        """Tell the violations found so far that were not told before.

        A deadlock comes first: of what one level shows, its run is the shortest. Where states stand for others,
        that they do may turn out to be wrong: the run itself must show the violation.
        """
        behaviour, explorer = self.behaviour, self.explorer
        for name in [*([DEADLOCK] if explorer.deadlocks else []), *explorer.violated(), *behaviour.broken]:
            if name in self._told:
                continue
            self._told.add(name)
            dead = name == DEADLOCK
            path = explorer.deadlocked() if dead else self._violation(name)
            assert path is not None
            ends = TraceEnd.DEADLOCK if dead else TraceEnd.VIOLATES
            if behaviour.canonical is None or _shown(behaviour, path, name):
                trace = trace_of_path(path, ends, None if dead else name)
                self.listener.done(result_of(name, Verdict.VIOLATED, trace, len(explorer.within) - 1))

    def _violation(self, name: str) -> Path:
        """The shorter of two paths to a violation, to a state and to a step; one of them may be missing."""
        state = self.explorer.violation(name) if name in self.explorer.violated() else None
        broken = self.behaviour.broken
        step = self._path_through(*broken[name]) if name in broken else None
        return min((one for one in (state, step) if one is not None), key=len)

    def _undefined(self, name: str) -> tuple[Path, str]:
        """A path to a step of which a property has no value, and the reason."""
        before, after, why = self.behaviour.undefined[name]
        return self._path_through(before, after), why

    def _path_through(self, before: State | None, after: State) -> Path:
        """A path whose last step is this one."""
        path: Path = ()
        if before is not None:
            path = self.explorer.path(self.explorer.order.index(before))
        outcomes = self.behaviour.initial() if before is None else self.behaviour.successors(before)
        return (*path, next(one for one in outcomes if one.state == after))

    # -- the answer -----------------------------------------------------------------------------------

    def answer(self, stop: Stop | None = None, postconditions: dict[str, bool | str] | None = None) -> Answer:
        """The answer that the search gives; see `ended`."""
        behaviour, explorer, options = self.behaviour, self.explorer, self.options
        found = explorer.summary(None if stop is None else stop.text)
        path = found.out_of_bounds
        beyond = None if path is None else _trace(path, TraceEnd.OUT_OF_BOUNDS, None, path[-1].why)
        results = [self._judged(name, found, beyond, stop) for name in self._names]
        if self.deadlock:
            trace = _trace(found.deadlock, TraceEnd.DEADLOCK, DEADLOCK)
            results.append(_verdict(DEADLOCK, found, trace or beyond))
        remark = None if behaviour.symmetry is None else behaviour.symmetry.remark()
        facts = replace(ExploreFacts.of(found), by=VALUES, symmetry=remark, postconditions=postconditions)
        if options.count_values:
            counts = counted_values(len(behaviour.variables), explorer.states_within)
            facts = replace(facts, values=values_by(dict.fromkeys(behaviour.variables, tla_text), counts))
        if found.all_views is not None:
            facts = replace(facts, view=behaviour.specification.view_name, all_views=found.all_views)
            results = [qualified(one, facts) for one in results]
        if explorer.suspects is not None:
            names = [action.name for action in behaviour.actions]
            facts = replace(
                facts,
                vacuous=_vacuous(explorer.suspects, results),
                first_reached=dict(zip(names, explorer.first[1:], strict=True)),
                guards=_guards(behaviour.interpreter),
            )
        elif options.vacuity and facts.complete:
            suspects, untrue = self.vacuity
            facts = replace(facts, vacuous=_vacuous(suspects, results), never_true=untrue)
        return ended(Answer(results, facts, beyond), options, found, stop, {})

    def _judged(self, name: str, found: Exploration, beyond: Trace | None, stop: Stop | None) -> Result:
        """The verdict about an invariant, or about a property of states and steps.

        Args:
            name: its name.
            found: the result of the search.
            beyond: a run to a step out of bounds, if there is one.
            stop: why the search was ended, if it was.
        """
        checked, violation = found.properties[name], None
        if checked.violation is not None or name in self.behaviour.broken:
            violation = self._violation(name)
        undefined = [] if checked.out_of_bounds is None else [(checked.out_of_bounds, checked.why)]
        if name in self.behaviour.undefined:
            undefined.append(self._undefined(name))
        if violation is None and undefined:
            path, why = min(undefined, key=lambda one: len(one[0]))
            return _verdict(name, found, _trace(path, TraceEnd.OUT_OF_BOUNDS, name, why))
        result = _verdict(name, found, _trace(violation, TraceEnd.VIOLATES, name) or beyond)
        about_run = self.about_runs.get(name)
        if about_run is not None and result.verdict < Verdict.VIOLATED:
            run, why = about_run
            return _verdict(name, found, replace(run, why=why))
        missed = self._missed(name, stop)
        if missed is not None and result.verdict is Verdict.SAFE:
            return replace(result, verdict=Verdict.UNKNOWN, reason=missed)
        return result

    def _missed(self, name: str, stop: Stop | None) -> str | None:
        """The reason why not all runs were looked at that a claim is about; None if all were."""
        if name not in self.behaviour.specification.properties or not self.behaviour.safety(name).runs:
            return None
        stopped, whole = None, self.whole
        if whole is not None and whole.full:
            stopped = f"states: stopped at {whole.max_states}"
        if name not in self.about_runs:
            stopped = "runs were not looked at" if stop is None else stop.text
        # The search that is told of has ended, so that its states are no measure.
        why = "" if whole is None else "; runs go through every state, also those that others stand for"
        return None if stopped is None else stopped + why


def _statistics(within: Sequence[int], distinct: int, generated: int, began: float) -> dict[str, int]:
    """The numbers of a search that TLCGet tells, by TLC's names.

    Args:
        within: for each depth the number of states at most so many steps away.
        distinct: the number of states.
        generated: the number of initial states and steps.
        began: when the search began.
    """
    levels = within or [0]
    return {
        "initial": levels[0],
        "distinct": distinct,
        "generated": generated,
        "queue": distinct - levels[-1],
        "diameter": len(within),
        "duration": int(time.monotonic() - began),
        "worker": 0,
    }


def _postconditions(interpreter: Interpreter, limits: Limits) -> dict[str, bool | str] | None:
    """For each postcondition whether it holds, or the reason why it has no value. The search is over then."""
    found: dict[str, bool | str] = {}
    with at_level(0):
        for name, formula in interpreter.specification.postconditions.items():
            try:
                with within(limits.seconds):
                    found[name] = interpreter.holds(formula)
            except EvaluationError as error:
                found[name] = str(error)
            except TimeIsOver:
                found[name] = time_stop(limits).text
    set_statistics(None)
    return found or None


def _violating(behaviour: Behaviour, runs: FairRuns, name: str) -> tuple[Trace, str | None] | None:
    """A fair run that violates a property, or one on which it has no value and the reason."""
    by = ModuleReplayer(Behaviour(behaviour.specification, interpreter=behaviour.interpreter))
    try:
        with without_statistics():
            word = runs.violating(name)
    except OutsideAt as outside:
        states = runs.states_to(outside.places)
        trace = trace_of_path(path_of(by.meaning, states), TraceEnd.OUT_OF_BOUNDS, name)
        return trace, str(outside.__cause__)
    if word is None:
        return None
    run = Trace({}, None, (), TraceEnd.VIOLATES, name, word.loop)
    try:
        return by.confirmed(run.through(Step("", {}, one) for one in word.visited)), None
    except Departs as wrong:
        raise InternalError(f"a counterexample to {name} does not replay: {wrong}") from wrong


def _shown(behaviour: Behaviour, path: Path, name: str) -> bool:
    """Whether the end of a path is a deadlock, or violates an invariant or a property of states and steps."""
    last, before = path[-1].state, path[-2].state if len(path) > 1 else None
    assert last is not None
    if name == DEADLOCK:
        return next(behaviour.successors(last), None) is None
    # A wrong symmetry may take a state for one in which the property has no value.
    with suppress(EvaluationError):
        return not behaviour.keeps(name, before, last) or not behaviour.property_function(name)(last)
    return False


def _trace(path: Path | None, ends: TraceEnd, name: str | None, why: str | None = None) -> Trace | None:
    return None if path is None else replace(trace_of_path(path, ends, name), why=why)


def _verdict(name: str, found: Exploration, trace: Trace | None) -> Result:
    """The result about one property with a run to what is wrong; without one it is that of the steps."""
    return verdict_on(name, found, trace, None if trace is None else trace.why)


def _suspects(behaviour: Behaviour) -> Suspects[s.Expression, s.Place]:
    """The parts of invariants that may be without effect, to be looked at in states."""
    predicate = behaviour.interpreter.predicate
    found = suspects(behaviour.specification)
    return Suspects([(one, partial(satisfied, predicate(one.weakened))) for one in found])


def _vacuous(left: Suspects[s.Expression, s.Place], results: Sequence[Result]) -> list[VacuousPart]:
    """The outermost parts without effect in invariants that hold."""
    holding = {one.property for one in results if one.verdict is Verdict.SAFE}
    found = [one for one in left.vacuous if one.property in holding]
    return [vacuous_part(x, excerpt(x.formula), x.part.short) for x in found]


def _guards(interpreter: Interpreter) -> list[GuardCount]:
    """How often the conjuncts of actions were evaluated and true, where steps count that."""
    return [
        {
            "action": one.action,
            "guard": excerpt(one.formula),
            "place": one.formula.place.short,
            "evaluated": one.counts[0],
            "true": one.counts[1],
        }
        for one in interpreter.conjuncts.values()
    ]

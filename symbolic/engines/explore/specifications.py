"""Exploration of TLA+ specifications: breadth-first search over the states of their interpreter; coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import PurePath

from leadline.symbolic.engines.ask.engine import Interrupted
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Progress, Result, Stop, Verdict
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions, because, proved, qualified
from leadline.symbolic.engines.explore.facts import ExploreFacts, VacuousPart
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, limited, stop_at, timely
from leadline.symbolic.lang import InternalError, Model, UserError, counted
from leadline.symbolic.meaning import Exploration, Explorer, Level, Path, State, path_of
from leadline.symbolic.meaning.graph import OutsideAt
from leadline.symbolic.tla.origin import sets_of_model_values
from leadline.symbolic.tla.outline import TYPED, Outline, Telling
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.coverage import Suspect, excerpt, suspects
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.read.syntax import Place
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.runs import FairRuns, is_violated
from leadline.symbolic.tla.values.symmetry import ToldApart
from leadline.symbolic.tla.values.values import FAILURES
from leadline.symbolic.trace import DEADLOCK, Step, Trace, TraceEnd, trace_of_path


def answer_of_module(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
    """Explore a module, and give types to the runs of the answer, with which they are told.

    Args:
        model: the outline of the module.
        query: the question.
        limits: the limits on time and memory.
        listener: is told of progress.

    Raises:
        Interrupted: as `explore_specification`.
        ModelError: likewise.
    """
    options = query.options
    assert isinstance(options, ExploreOptions) and isinstance(model.origin, Outline)
    names = {one.name for one in query.chosen(model)}
    specification = _asked(model.origin.specification, names, options)
    with timely(query.source, limits.seconds):
        behaviour = Behaviour(specification, counting=options.coverage)

    def progress(level: Level) -> None:
        reached = f"{counted(level.states, 'state')} within {counted(level.depth, 'step')}"
        listener.progress(Progress(level.depth, 0.0, text=reached))

    try:
        found = explore_specification(behaviour, options, limits, progress, deadlock=query.deadlock)
    except Interrupted as interrupted:
        raise Interrupted(_in_types(model, behaviour, interrupted.answer), interrupted.message) from None
    return _in_types(model, behaviour, found)


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


def _in_types(model: Model, behaviour: Behaviour, answer: Answer) -> Answer:
    """An answer whose runs have values of types, with the model that has these types."""
    runs = [one.trace for one in answer.results if one.trace is not None]
    runs += [answer.out_of_bounds] if answer.out_of_bounds is not None else []
    stages = [(one.action, one.picks, one.state) for run in runs for one in run.stages]
    telling = Telling(model, behaviour.interpreter, stages, behaviour.met)

    def typed(run: Trace | None, why: str | None) -> Trace | None:
        if run is None:
            return None
        begin, *steps = (Step(*telling.typed((x.action, x.picks, x.state))) for x in run.stages)
        why = why if run.ends is TraceEnd.OUT_OF_BOUNDS else None
        return replace(run, initial_picks=begin.picks, initial=begin.state, steps=tuple(steps), why=why)

    results = [replace(one, trace=typed(one.trace, one.reason)) for one in answer.results]
    remark = None if behaviour.symmetry is None else behaviour.symmetry.remark()
    facts = replace(answer.told(ExploreFacts), by=VALUES, symmetry=remark)
    beyond = typed(answer.out_of_bounds, behaviour.why)
    return replace(answer, results=results, facts=facts, out_of_bounds=beyond, model=telling.model)


def explore_specification(
    behaviour: Behaviour,
    options: ExploreOptions,
    limits: Limits,
    progress: Callable[[Level], None],
    *,
    deadlock: bool,
) -> Answer:
    """Explore a specification breadth-first.

    The states of traces are the interpreter's, and their actions are found by a second translation of the steps.

    Args:
        behaviour: its states and steps.
        options: the bounds.
        limits: the limits on time and memory.
        progress: called after each level.
        deadlock: whether a state without a step is an error.

    Raises:
        Interrupted: on Ctrl-C, with the answer so far.
        ModelError: if there is no initial state.
    """
    specification = behaviour.specification
    names = (*specification.invariants, *specification.properties)
    kind = CoveringModule if options.coverage else Explorer
    bounds = options.depth, _levelled(behaviour, progress), options.max_states
    explorer: Explorer[Behaviour] = kind(behaviour, names, *bounds)
    stop: Stop | None = None
    runs: FairRuns | None = None
    about_runs: dict[str, tuple[Trace, str | None] | None] = {}
    try:
        with limited(limits):
            while not _has_run(behaviour, explorer):
                explorer = kind(behaviour, names, *bounds)
            for name in specification.properties:
                if behaviour.safety(name).more:
                    progress(Level(len(explorer.within) - 1, 0, explorer.counted))
                    runs = runs or _fair_runs(behaviour, explorer, options)
                    about_runs[name] = _violating(behaviour, runs, name)
    except KeyboardInterrupt:
        stop = Stop(Cause.INTERRUPTED, "interrupted")
    except (TimeIsOver, MemoryError) as error:
        stop = stop_at(error, limits)
    behaviour.end_search()
    found = explorer.summary(None if stop is None else stop.text)
    behaviour.at_level(None)
    judge = _Judge(behaviour, explorer, found, about_runs)
    results = [judge.property(name) for name in names]
    if deadlock:
        results.append(judge.result(DEADLOCK, found.deadlock, TraceEnd.DEADLOCK))
    facts = ExploreFacts.of(found)
    if found.all_views is not None:
        facts = replace(facts, view=behaviour.view_name, all_views=found.all_views)
        results = [qualified(one, facts) for one in results]
    if isinstance(explorer, CoveringModule):
        facts = explorer.covered(facts, results)
    if options.prove and found.complete:
        results = [proved(one, facts, {}) for one in results]
    return _told(stop, Answer(results, facts, judge.beyond))


def _told(stop: Stop | None, answer: Answer) -> Answer:
    """The answer; raises `Interrupted` with it if the user ended the search."""
    answer = because(stop, answer)
    if stop is not None and stop.cause is Cause.INTERRUPTED:
        raise Interrupted(answer)
    return answer


def _has_run(behaviour: Behaviour, explorer: Explorer[Behaviour]) -> bool:
    """Explore. False if a part of the symmetry does not hold: the search begins anew without it."""
    try:
        explorer.run()
    except ToldApart:
        behaviour.begin_anew()
        return False
    behaviour.end_search()
    return True


def _levelled(behaviour: Behaviour, progress: Callable[[Level], None]) -> Callable[[Level], None]:
    """Tells the behaviour of each level of the search too."""
    behaviour.at_level(0)

    def told(level: Level) -> None:
        behaviour.at_level(level.depth + 1)
        progress(level)

    return told


def _fair_runs(behaviour: Behaviour, explorer: Explorer[Behaviour], options: ExploreOptions) -> FairRuns:
    """The runs through the states found. Where states stand for others, all are looked for first."""
    if behaviour.canonical is not None or behaviour.view is not None:
        explorer = Explorer(behaviour.without_canonical(), (), options.depth, max_states=options.max_states)
        explorer.run()
    return FairRuns(behaviour.interpreter, explorer)


def _violating(behaviour: Behaviour, runs: FairRuns, name: str) -> tuple[Trace, str | None] | None:
    """A fair run that violates a property, or one on which it has no value and the reason."""
    semantics = behaviour.without_canonical() if behaviour.canonical else behaviour
    try:
        word = runs.violating(name)
    except OutsideAt as outside:
        states = runs.states_to(outside.places)
        trace = trace_of_path(path_of(semantics, states), TraceEnd.OUT_OF_BOUNDS, name)
        return trace, str(outside.__cause__)
    if word is None:
        return None
    stutters = word.loop == len(word.states) - 1
    states = [*word.states, *([] if stutters else [word.states[word.loop]])]
    if not is_violated(behaviour.interpreter, name, word.states, word.loop):
        raise InternalError(f"a counterexample to {name} does not replay")
    trace = trace_of_path(path_of(semantics, states), TraceEnd.VIOLATES, name)
    return replace(trace, loop=word.loop), None


class _Judge:
    """The verdicts about an exploration."""

    def __init__(
        self,
        behaviour: Behaviour,
        explorer: Explorer[Behaviour],
        found: Exploration,
        about_runs: Mapping[str, tuple[Trace, str | None] | None],
    ) -> None:
        self.about_runs = about_runs
        self.behaviour = behaviour
        self.explorer = explorer
        self.found = found
        self.beyond = _trace(found.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, None)
        self.why = found.out_of_bounds[-1].why if found.out_of_bounds is not None else None
        behaviour.met, behaviour.why = explorer.order[:TYPED], self.why

    def property(self, name: str) -> Result:
        """The verdict about an invariant, or about a property of states and steps."""
        checked = self.found.properties[name]
        violation, step = checked.violation, self._broken(name)
        if step is not None and (violation is None or len(step) < len(violation)):
            violation = step
        if violation is None and checked.out_of_bounds is not None:
            return self.result(name, checked.out_of_bounds, TraceEnd.OUT_OF_BOUNDS, checked.why)
        result = self.result(name, violation, TraceEnd.VIOLATES)
        found = self.about_runs.get(name)
        if found is not None and result.verdict < Verdict.VIOLATED:
            run, why = found
            outside = run.ends is TraceEnd.OUT_OF_BOUNDS
            verdict = Verdict.OUT_OF_BOUNDS if outside else Verdict.VIOLATED
            return replace(result, verdict=verdict, steps=run.length, trace=run, reason=why)
        return result

    def result(self, name: str, path: Path | None, ends: TraceEnd, why: str | None = None) -> Result:
        """The verdict with this path to an error; without one it is that of the steps."""
        verdict = Verdict.SAFE if self.found.stopped is None else Verdict.UNKNOWN
        trace = _trace(path, ends, name)
        if trace is not None:
            verdict = Verdict.OUT_OF_BOUNDS if ends is TraceEnd.OUT_OF_BOUNDS else Verdict.VIOLATED
        elif self.beyond is not None:
            verdict, trace, why = Verdict.OUT_OF_BOUNDS, self.beyond, self.why
        return Result(
            property=name,
            engine=ExploreOptions.engine,
            verdict=verdict,
            depth=self.found.diameter,
            steps=None if trace is None else trace.length,
            trace=trace,
            reason=why,
        )

    def _broken(self, name: str) -> Path | None:
        """A path to a step of which a property is false."""
        if name not in self.behaviour.broken:
            return None
        before, after = self.behaviour.broken[name]
        path: Path = ()
        if before is not None:
            path = self.explorer.path(self.explorer.order.index(before))
        outcomes = self.behaviour.initial() if before is None else self.behaviour.successors(before)
        last = next(one for one in outcomes if one.state == after)
        return (*path, last)


def _trace(path: Path | None, ends: TraceEnd, name: str | None) -> Trace | None:
    return None if path is None else trace_of_path(path, ends, name)


class CoveringModule(Explorer[Behaviour]):
    """An exploration of a specification that also looks for invariants that hold vacuously.

    Its behaviour counts how often conjuncts are true.
    """

    attributing = True

    def __post_init__(self) -> None:
        super().__post_init__()
        predicate = self.semantics.interpreter.predicate
        asserted = suspects(self.semantics.specification)
        self._suspects = [(one, predicate(one.weakened)) for one in asserted]

    def keep(self, state: State, parent: int) -> None:
        super().keep(state, parent)
        if self._suspects and not self.full:
            self._suspects = [(one, holds) for one, holds in self._suspects if _holds(holds, state)]

    def covered(self, facts: ExploreFacts, results: Sequence[Result]) -> ExploreFacts:
        """The facts of an answer with these verdicts, with the coverage."""
        holding = {one.property for one in results if one.verdict is Verdict.SAFE}
        left = [one for one, _ in self._suspects if one.invariant in holding]
        parts = {(one.invariant, one.place) for one in left}
        outermost = [one for one in left if not any((one.invariant, place) in parts for place in one.around)]
        names = [action.name for action in self.semantics.actions]
        return replace(
            facts,
            vacuous=[_vacuous(one) for one in outermost],
            first_reached=dict(zip(names, self.first[1:], strict=True)),
            guards=[
                {
                    "action": one.action,
                    "guard": excerpt(one.formula),
                    "place": _short(one.formula.place),
                    "evaluated": one.counts[0],
                    "true": one.counts[1],
                }
                for one in self.semantics.interpreter.conjuncts.values()
            ],
        )


def _vacuous(found: Suspect) -> VacuousPart:
    text, place = excerpt(found.formula), _short(found.place)
    if found.is_set:
        return {"property": found.invariant, "empty": text, "partly": found.partly, "place": place}
    return {"property": found.invariant, "never_true": text, "partly": found.partly, "place": place}


def _holds(holds: Callable[[State], bool], state: State) -> bool:
    try:
        return bool(holds(state))
    except FAILURES:
        return False


def _short(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.line}"

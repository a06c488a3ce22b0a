"""Answer queries: in this process, in a child process with limits, or in several that race.

Which solver is faster, and by how much, is hard to predict. Where two cores are free, running both takes
hardly longer than running the better one.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import runs as liveness
from leadline.symbolic.engines.ask.engine import AboutRuns, Interrupted, Limited
from leadline.symbolic.engines.ask.query import (
    AUTO,
    SILENT,
    Ledger,
    Listener,
    Query,
    refuse_too_large,
    too_large,
)
from leadline.symbolic.engines.ask.result import (
    Answer,
    Cause,
    Effort,
    Part,
    Progress,
    Result,
    Verdict,
    formless,
    is_near,
)
from leadline.symbolic.engines.ask.table import ENGINES
from leadline.symbolic.engines.run.limits import Limits, cores
from leadline.symbolic.engines.run.process import Message, QueryProcess, listen
from leadline.symbolic.engines.run.watch import watched
from leadline.symbolic.lang import (
    ALONE,
    InternalError,
    Model,
    ModelError,
    NoInitialState,
    NoSymbolicForm,
    counted,
)
from leadline.symbolic.solve import LONE, RACERS, SOLVERS
from leadline.symbolic.trace import DEADLOCK, runs_to_others

NO_LIMITS = Limits()


def answer(model: Model, query: Query, limits: Limits = NO_LIMITS, listener: Listener = SILENT) -> Answer:
    """Answer a query; a KeyboardInterrupt ends it at once, wherever it runs.

    Args:
        model: the model that the query is about.
        query: the question. With the solver "auto" the solvers race if there are two cores for them; on one
            core it is `LONE`.
        limits: wall clock and address space; with two solvers, of each. Without a limit on memory, three
            quarters of what is available, shared by the processes, is the limit.
        listener: is told of progress and results.

    Returns:
        A result for each part of the query. A part that was not answered within the limits, or is too large to be
        asked, is unknown.

    Raises:
        ModelError: if the model has no initial state.
        UserError: if a child process makes another model of the same query.
        InternalError: if a counterexample does not replay, or a child process failed.
    """
    large = [*_too_large(model, query)]
    for result in large:
        listener.done(result)
    names = query.names(model)
    left = [name for name in names if name not in {one.property for one in large}]
    if large:
        properties = tuple(name for name in left if name != DEADLOCK)
        query = replace(query, properties=properties, deadlock=DEADLOCK in left)
    try:
        found = (
            with_types(model, _answer(model, query, limits, listener)) if left or not large else Answer(())
        )
    except Interrupted as interrupted:
        raise Interrupted(with_types(model, interrupted.answer), interrupted.message) from None
    if not large:
        return found
    return replace(found, results=sorted((*large, *found.results), key=lambda one: names.index(one.property)))


def _too_large(model: Model, query: Query) -> Iterator[Result]:
    """The results about the parts of a query that have more instances than can be asked."""
    reasons = dict(too_large(model, query))
    for name, part in ENGINES[query.engine].parts(model, query) if reasons else ():
        why = reasons.get(None) or reasons.get(name)
        if why is not None:
            yield formless(name, query.engine, why, part)


def with_types(model: Model, found: Answer) -> Answer:
    """An answer whose runs have values of types, with the model of these types if it is another.

    Args:
        model: the model that was asked about.
        found: the answer as an engine, or `answer_in_children`, gives it, or a part of it.
    """
    if not model.alone or found.model is not None:
        return found
    # Here, since protocols in Python need none of it.
    from leadline.symbolic.engines.explore.specifications import in_types

    return in_types(model, found)


def _answer(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
    """As `answer`, with values of the interpreter where the model's origin alone knows the actions."""
    engine = ENGINES[query.engine]
    if engine.takes_solver and query.solver == AUTO and cores() > 1:
        first, second = (query.by(solver) for solver in RACERS)
        return answer_in_children(
            model, [first, replace(second, options=second.options.beside())], limits, listener
        )
    if engine.limited is Limited.BY_ITSELF:
        return answer_here(model, query, listener, limits)
    if engine.limited is Limited.BY_ALARM and threading.current_thread() is threading.main_thread():
        return answer_here(model, query, listener, limits.within_machine())
    return answer_in_child(model, query, limits, listener)


def answer_here(
    model: Model, query: Query, listener: Listener = SILENT, limits: Limits = NO_LIMITS
) -> Answer:
    """Answer a query in this process; limits hold only for an engine that keeps to them by itself.

    Raises:
        UserError: as `answer`.
    """
    refuse_too_large(model, query)
    own = _alone(query)
    new_solver = partial(SOLVERS[own.solver], own.seed)
    engine = ENGINES[own.engine]
    with watched(listener) as heard:
        about_states = model.alone or all(one.temporal is None for one in own.chosen(model))
        try:
            if about_states or engine.runs is AboutRuns.ANSWERED:
                return engine.answer(model, own, new_solver, limits, heard)
            return liveness.answered(engine, model, own, new_solver, limits, heard)
        except NoInitialState:
            raise
        except ModelError as error:
            # Too many values to be listed: a mistake in a protocol, but a specification needs no formulas.
            if model.origin is None or model.alone:
                raise
            why = NoSymbolicForm(error.mistakes).why
            return Answer([formless(name, own.engine, why, part) for name, part in engine.parts(model, own)])


def answer_in_child(model: Model, query: Query, limits: Limits, listener: Listener = SILENT) -> Answer:
    """Answer a query in a child process that is killed once it passes a limit.

    Args:
        model: the model that the query is about.
        query: the question; "auto" is one solver here, `LONE`.
        limits: wall clock and address space; the time counts from the start of the process.
        listener: is told of progress and results.

    Returns:
        As `answer`. For an unknown part the reason names the limit, and the depth is that of the search.

    Raises:
        ModelError: as `answer`.
        UserError: as `answer`.
        InternalError: as `answer`.
    """
    return answer_in_children(model, [_alone(query)], limits, listener)


def answer_in_children(
    model: Model,
    queries: Sequence[Query],
    limits: Limits,
    listener: Listener = SILENT,
    *,
    branches: bool = False,
    ahead: Mapping[str, float] = MappingProxyType({}),
) -> Answer:
    """Answer queries side by side, a child process each, until every part has an answer.

    Args:
        model: the model that the queries are about.
        queries: the questions, each with a solver by name. Of a part that several share, the first answer is
            taken. If that is a counterexample, an engine whose counterexamples are shortest has a second more.
        limits: wall clock and address space of each process.
        listener: is told of progress, of the deepest search only, and of results.
        branches: see `QueryProcess`.
        ahead: the seconds of the processor that engines have for themselves before the next begins, by name, in
            the order in which they begin.

    Returns:
        As `answer`. If several solvers could not answer a part, its solver is "auto", and the reason lists
        those of all solvers.

    Raises:
        ModelError: as `answer`.
        UserError: as `answer`.
        InternalError: as `answer`.
    """
    for query in queries:
        refuse_too_large(model, query)
    limits = limits.within_machine(len(queries))
    shared = Ledger(listener)
    patience = _Patience()
    sessions: dict[QueryProcess, _Session] = {}
    with ExitStack() as stack:
        for group in _by_head_start(queries, ahead, limits, patience):
            begun: dict[QueryProcess, _Session] = {}
            for query in (_unsettled(model, query, shared) for query in group):
                process = stack.enter_context(QueryProcess(model, query, limits, branches, bool(ahead)))
                begun[process] = sessions[process] = _Session(model, query, shared)
            patience.begun.append(begun)
            if patience.deadline is None and limits.seconds is not None:
                patience.deadline = time.monotonic() + limits.seconds
            found = _heard(sessions, shared, patience)
            if found is not None:
                return _remarked(found, sessions.values())
        for process in sessions:
            process.end()
        return _remarked(
            _settled(sessions.values(), shared) or _together(sessions, shared), sessions.values()
        )


def _unsettled(model: Model, query: Query, shared: Ledger) -> Query:
    """A query without the properties that have an answer already."""
    names = query.names(model)
    left = [name for name in names if not shared.settled((name, None))]
    if len(left) == len(names):
        return query
    return replace(query, properties=tuple(x for x in left if x != DEADLOCK), deadlock=DEADLOCK in left)


def _remarked(answer: Answer, sessions: Collection[_Session]) -> Answer:
    """An answer of several processes with the parts that some of them had no formulas for."""
    lacking = {
        result.property: (result.reason or "").removeprefix(ALONE)
        for session in sessions
        for result in session.ledger.final.values()
        if result.cause is Cause.NO_FORM
    }
    if len(sessions) < 2 or not lacking:
        return answer
    return replace(answer, formless=lacking)


def _by_head_start(
    queries: Sequence[Query], ahead: Mapping[str, float], limits: Limits, patience: _Patience
) -> Iterator[Sequence[Query]]:
    """The queries that begin at once and, each time that the head start of these is over, the next."""
    first = [engine for engine in ahead if any(query.engine == engine for query in queries)]
    # Little time is better spent by all together.
    if limits.seconds is not None and limits.seconds <= _ENOUGH * max(ahead.values(), default=0.0):
        first = []
    for engine in first:
        patience.head_starts.append(ahead[engine])
        yield [query for query in queries if query.engine == engine]
    yield [query for query in queries if query.engine not in first]


def _heard(sessions: Mapping[QueryProcess, _Session], shared: Ledger, patience: _Patience) -> Answer | None:
    """The answer that processes have given by the end of the time; None if there is none yet."""
    running = [process for process in sessions if not process.silent]
    looked: set[Part] = set()

    def idle() -> None:
        shared.listener.idle()
        patience.share()

    for process, message in listen(running, patience.end, idle):
        sessions[process].hear(message)
        _look_for_others(sessions.values(), shared, looked)
        found = _settled(sessions.values(), shared)
        patience.spares = found is not None and _leaves_types(found, sessions.values())
        if found is not None and not patience.spares:
            if not _may_be_shorter(found, sessions.values()):
                return found
            patience.soon = patience.soon or time.monotonic() + _SECOND_MORE
    return None


def _leaves_types(found: Answer, sessions: Iterable[_Session]) -> bool:
    """Whether an answer may say no more than that runs leave the types that were learned."""
    model = next(iter(sessions)).model
    learned = model.origin is not None and not model.alone
    return learned and any(map(_leaves, found.results))


def _leaves(result: Result) -> bool:
    """Whether a result tells of a run out of bounds, but of no error of the module at its end."""
    return result.verdict is Verdict.OUT_OF_BOUNDS and (result.trace is None or result.trace.why is None)


def _look_for_others(sessions: Collection[_Session], shared: Ledger, looked: set[Part]) -> None:
    """Record the invariants that are false on the way of a run that violates another property.

    A bug often breaks several. Where all sessions have one engine nothing is recorded: it tells a shortest run, or
    one of fewest layers, for each property.

    Args:
        sessions: the sessions.
        shared: the results of all of them.
        looked: the parts whose runs were looked at.
    """
    model = next(iter(sessions)).model
    if model.alone or len({one.engine for one in sessions}) < 2:
        return
    wrong = [one for one in shared.final.values() if one.verdict is Verdict.VIOLATED]
    for result in wrong:
        if result.trace is None or result.about in looked:
            continue
        looked.add(result.about)
        left = [name for name, part in _asked(sessions) if not part and not shared.settled((name, part))]
        for run in runs_to_others(Semantics(model), result.trace, left):
            assert run.property is not None
            shared.done(replace(result, property=run.property, trace=run, steps=run.length, depth=-1))


_ENOUGH = 5
"""The time that there must be for a head start, as a multiple of it."""

_OTHERS_TURN = 2
"""The time that the others then have for themselves, as a multiple of the head start."""

_LAST_TURN = 12
"""The time that what has gone ahead has in all before types widen, as a multiple of the head start."""

_SECOND_MORE = 1.0
"""Seconds in which a shortest counterexample is waited for."""


class _Patience:
    """The time that processes have: its end, and whose turn it is.

    Some go ahead of the others, one after the other. Each has its head start for itself, and goes on while it is
    near its end. Those behind it then have a turn without it, and after it all run. Whenever one that has gone
    ahead is near its end, those behind wait for it: little of all work is done in vain. Head starts and turns are
    in seconds of the processor, so that a busy machine takes the same turns as an idle one.

    Attributes:
        deadline: the time at which it ends at the latest; None is never.
        soon: the time at which it ends since there is an answer; None if there is none.
        head_starts: the seconds of each head start.
        begun: the processes with each head start, and last those without one, as far as they have begun.
        spares: whether those with the first head start have a last turn: all that others have found is that types
            must widen.
    """

    def __init__(self) -> None:
        self.deadline: float | None = None
        self.soon: float | None = None
        self.spares = False
        self.head_starts: list[float] = []
        self.begun: list[dict[QueryProcess, _Session]] = []

    def _begins(self) -> float | None:
        """The time at which the next begin at the earliest, as far as it is known now."""
        if len(self.begun) > len(self.head_starts) or any(is_near(_left(group)) for group in self.begun):
            return None
        return _over(self.begun[-1], self.head_starts[len(self.begun) - 1])

    def end(self) -> float | None:
        ends = self.deadline, self.soon, self._begins(), self._spared()
        return min((one for one in ends if one is not None), default=None)

    def _spared(self) -> float | None:
        """The time at which a last turn ends at the earliest."""
        if not self.spares:
            return None
        ahead = {
            process: one for process, one in self.begun[0].items() if one.searches and not process.silent
        }
        return _over(ahead, _LAST_TURN * self.head_starts[0]) if ahead and self.head_starts else 0.0

    def share(self) -> None:
        """Have those processes wait whose turn it is not."""
        if not self.head_starts:
            return
        waits = False
        for place, (group, head_start) in enumerate(zip(self.begun, [*self.head_starts, 0.0], strict=False)):
            near = is_near(_left(group))
            behind = [process for others in self.begun[place + 1 :] for process in others]
            alone = not near and self.soon is None and _used(behind) < _OTHERS_TURN * head_start
            for process in group:
                process.wait(waits or alone)
            waits = waits or near or self.soon is not None


def _left(processes: Mapping[QueryProcess, _Session]) -> float | None:
    """The work that is left of some processes, if it is known and goes on."""
    known = [one.left for process, one in processes.items() if one.searches and not process.silent]
    return min((left for left in known if left is not None), default=None)


def _over(processes: Mapping[QueryProcess, _Session], seconds: float) -> float:
    """The time at which the turn of some processes ends at the earliest, as far as it is known now.

    Args:
        processes: the processes.
        seconds: the seconds of the processor that each has in all.
    """
    if _left(processes) == math.inf:
        return 0.0
    # The clock is read last: processes may still be starting, which is waited for.
    left = seconds - _used(processes)
    return time.monotonic() + left


def _used(processes: Iterable[QueryProcess]) -> float:
    """The seconds of the processor that each of some processes has used at least; infinite where none runs."""
    return min((one.cpu_seconds() for one in processes if not one.silent), default=math.inf)


def _settled(sessions: Collection[_Session], shared: Ledger) -> Answer | None:
    """The answer if every part has a definite one: one process has answered all, or several together."""
    asked = _asked(sessions)
    answers = [one.answer for one in sessions if one.answer is not None and one.parts >= asked.keys()]
    whole = [one for one in answers if all(result.definite for result in one.results)]
    if whole:
        best = min(whole, key=lambda one: sum(result.steps or 0 for result in one.results))
    elif len(sessions) > 1 and all(map(shared.settled, asked)):
        best = Answer([shared.final[part] for part in asked])
    else:
        return None
    results = [_known(one, shared) for one in best.results]
    if best.out_of_bounds is None:
        return replace(best, results=results)
    outside = [one.trace for one in results if one.verdict is Verdict.OUT_OF_BOUNDS and one.trace is not None]
    steps = (trace for trace in outside if trace.property is None)
    beyond = min(steps, key=lambda trace: trace.length, default=best.out_of_bounds)
    return replace(best, results=results, out_of_bounds=beyond)


def _known(result: Result, shared: Ledger) -> Result:
    """A violation that is known of the part of a result, or a shorter run of its kind; else the result.

    Another engine may have told it while it goes on: of a run that goes out of bounds, since a violation is worse.
    """
    known = shared.known.get(result.about), shared.final.get(result.about)
    others = (one for one in known if one is not None and one.verdict in (result.verdict, Verdict.VIOLATED))
    return max((result, *others), key=_rank)


def _rank(result: Result) -> tuple[Verdict, bool, float]:
    """The order of definite results of one part: by the verdict, then errors of the module, then shorter runs."""
    return result.verdict, not _leaves(result), -math.inf if result.steps is None else -result.steps


def _may_be_shorter(found: Answer, sessions: Iterable[_Session]) -> bool:
    """Whether a counterexample may be longer than one that a process still looks for, and may find soon."""
    longer = any(
        one.steps and one.trace is not None and one.trace.loop is None
        for one in found.results
        if not ENGINES[one.engine].breadth_first
    )
    return longer and any(
        one.engine.breadth_first and one.searches and one.left != math.inf for one in sessions
    )


def _alone(query: Query) -> Query:
    """The query for one process: with a solver by name."""
    return query.by(LONE) if query.solver == AUTO else query


class _Session:
    """The messages of a query's process so far; the results are passed on to the ledger of all processes."""

    def __init__(self, model: Model, query: Query, shared: Ledger) -> None:
        self.model = model
        self.query = query
        self.engine = ENGINES[query.engine]
        self.parts = dict.fromkeys(self.engine.parts(model, query)).keys()
        self.ledger = Ledger(Listener(shared.progress, shared.told, shared.done))
        self._printed = shared.listener.printed
        self.reached: dict[str, Progress] = {}
        self.answer: Answer | None = None
        self.stopped = False

    @property
    def searches(self) -> bool:
        """Whether an answer may still come."""
        return self.answer is None and not self.stopped

    @property
    def left(self) -> float | None:
        """The work that is left, as its last progress says."""
        return next((one.left for one in self.reached.values()), None)

    def hear(self, message: Message) -> None:
        """Record a message."""
        match message.kind:
            case "progress":
                now: Progress = message.body
                now = replace(now, engine=now.engine or self.query.engine, far=now.far or self._far(now))
                known = self.reached.get(now.engine)
                if known is not None and now.depth < known.depth and self.engine.breadth_first:
                    # An exploration that begins anew on circuits has come as far as values before it.
                    self.reached[now.engine] = replace(known, left=now.left)
                else:
                    self.reached[now.engine] = now
                self.ledger.progress(now)
            case "told":
                self.ledger.told(message.body)
            case "done":
                self.ledger.done(message.body)
            case "printed":
                self._printed(message.body)
            case "answer":
                found: Answer = message.body
                self.answer = found
                for result in found.results:
                    self.ledger.done(result)
            case "stopped":
                self.stopped = True  # The process keeps the reason itself.
            case _:
                raise InternalError(f"a query's process sent a message of the unknown kind {message.kind}")

    def result(self, part: Part, process: QueryProcess) -> Result:
        """The result about a part of a process that has ended."""
        if part in self.ledger.final:
            return self.ledger.final[part]
        reached = max(self.reached.values(), key=lambda one: one.depth, default=Progress(-1, 0.0))
        took = process.seconds
        if part[1] is not None:
            # Of parts that are answered one after the other, the process worked on the first without an answer.
            took = max(0.0, took - sum(one.effort.total for one in self.ledger.final.values()))
            took = took if part == next(x for x in self.parts if x not in self.ledger.final) else 0.0
        effort = Effort(0.0, 0.0, took, process.peak_mb, reached.variables, reached.clauses)
        told = self.ledger.known.get(part)
        if told is None:
            stop = process.stop()
            return Result(
                property=part[0],
                engine=self.query.engine,
                verdict=Verdict.UNKNOWN,
                effort=effort,
                solver=self.query.solver if self.engine.takes_solver else None,
                part=part[1],
                depth=reached.depth,
                unroll=getattr(self.query.options, "unroll", None),
                reason=f"{stop.text}{reached.text and ', with '}{reached.text}",
                cause=stop.cause,
                reached={name: one.far for name, one in self.reached.items() if one.far},
            )
        # A violation is final; a property that goes out of bounds was still searched for a violation.
        violated = told.verdict is Verdict.VIOLATED
        known = told if violated else replace(told, depth=reached.depth, effort=effort)
        shortens = self.query.options.shortens and known.steps
        return known.perhaps_longer(process.stop().text) if shortens else known

    def _far(self, now: Progress) -> str:
        """How far the search came, in words; "" if that is not known."""
        unroll = getattr(self.query.options, "unroll", None)
        if now.text or now.depth < 0 or unroll is None:
            return now.text
        runs = any(x.temporal is not None for x in self.query.chosen(self.model))
        layers = "layer" if runs else unroll.removesuffix("s")
        return f"no bug within {counted(now.depth, layers)}"


def _asked(sessions: Iterable[_Session]) -> dict[Part, None]:
    """Every part that one of the queries asks for, in their order."""
    return {part: None for session in sessions for part in session.parts}


def _together(sessions: Mapping[QueryProcess, _Session], shared: Ledger) -> Answer:
    """The best result for each part, after all processes have ended."""
    found = []
    for part in _asked(sessions.values()):
        own = [
            session.result(part, process) for process, session in sessions.items() if part in session.parts
        ]
        found.append(_best([*own, *([shared.final[part]] if shared.settled(part) else [])]))
    answers = [session.answer for session in sessions.values() if session.answer is not None]
    return replace(answers[0], results=found) if answers else Answer(found)


def _best(results: Sequence[Result]) -> Result:
    """The best of the results of several solvers about one part."""
    known = [result for result in results if result.definite]
    if known:
        return max(known, key=lambda result: (*_rank(result), result.depth))
    deepest = max(results, key=lambda result: result.depth)
    if len(results) == 1:
        return deepest
    engines = {result.engine for result in results}
    if len(engines) > 1:
        names = [one.engine for one in results]
        fars = [dict(one.reached) for one in results]
    else:
        names = [str(one.solver) for one in results]
        told = ["; ".join(one.reached.values()) for one in results]
        fars = [{name: far} if far else {} for name, far in zip(names, told, strict=True)]
    reached = {name: far for one in fars for name, far in one.items()}
    solver = AUTO if len(engines) == 1 else None
    return replace(deepest, solver=solver, reason=_reasons(names, results, fars), reached=reached)


def _reasons(names: Sequence[str], results: Sequence[Result], fars: Sequence[Mapping[str, str]]) -> str:
    """The reasons of several engines or solvers; one that they share is told once, with how far each came.

    Args:
        names: the name of each.
        results: the result of each.
        fars: how far each came, and those that it asked itself, by name.
    """
    whys = list(map(_bare_reason, results))
    if len(set(whys)) == 1:
        if all(one.cause is Cause.NO_FORM for one in results):
            return whys[0]
        told = [far or {name: "nothing yet"} for name, far in zip(names, fars, strict=True)]
        return f"{whys[0]} ({'; '.join(f'{name}: {far}' for one in told for name, far in one.items())})"
    pairs = zip(names, whys, results, strict=True)
    return "; ".join(f"{name}: {why}{_far_in_words(name, one.reached)}" for name, why, one in pairs)


def _bare_reason(result: Result) -> str:
    """The reason of a result without how far the search came."""
    why = result.reason or ""
    for far in ("; ".join(result.reached.values()), *result.reached.values()):
        why = why.removesuffix(f", with {far}")
    return why


def _far_in_words(name: str, reached: Mapping[str, str]) -> str:
    """How far a search came, and those that it asked itself, each with its name."""
    if [*reached] == [name]:
        return f", with {reached[name]}"
    return f" ({'; '.join(f'{one}: {far}' for one, far in reached.items())})" if reached else ""

"""Obligations answered in child processes, with limits that hold and Ctrl-C that works."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

from leadline.symbolic.engines.induction.obligation import chosen_obligations, obligations
from leadline.symbolic.engines.induction.results import ObligationResult, ObligationVerdict
from leadline.symbolic.engines.limited import deadline_of
from leadline.symbolic.engines.process import QueryProcess, listen
from leadline.symbolic.engines.query import AUTO, LONE, Limits, Query
from leadline.symbolic.engines.race import RACERS, cores
from leadline.symbolic.engines.verdict import Effort
from leadline.symbolic.lang import InternalError, Model

_UNKNOWN = ObligationVerdict.UNKNOWN


def answer_obligation(
    model: Model, goal: str, obligation: str, solver: str, limits: Limits, seed: int = 0, *, source: str
) -> ObligationResult:
    """Answer one obligation in a child process within limits.

    Args:
        model: the model.
        goal: the name of the property to prove.
        obligation: the obligation's name.
        solver: the solver's name.
        limits: wall clock and address space; the time counts from the start of the process.
        seed: what the solver draws its random choices from; only Z3 takes another than 0.
        source: the protocol as the catalog finds it: its name or path.

    Returns:
        The answer; unknown, with its reason, if a limit was met.

    Raises:
        UserError: if there is no such property or obligation, or the model has no initial state.
        InternalError: if a counterexample does not replay, or the child failed for another reason than its
            limits.
    """
    (result,) = answer_obligations(model, goal, solver, limits, source=source, names=(obligation,), seed=seed)
    return result


def answer_obligations(
    model: Model,
    goal: str,
    solver: str,
    limits: Limits,
    *,
    source: str,
    names: Sequence[str] = (),
    seed: int = 0,
    told: Callable[[ObligationResult], None] = lambda _: None,
) -> list[ObligationResult]:
    """Answer the obligations of a goal in a child process, or in two.

    Args:
        model: the model.
        goal: the name of the property to prove.
        solver: the solver's name. With "auto", two solvers work at the obligations from both ends if there
            are two cores for them, until each obligation is answered by one of them; on one core it is
            `query.LONE`.
        limits: wall clock and address space for all obligations together; with two solvers, for each.
        source: the protocol as the catalog finds it: its name or path.
        names: the obligations to answer; all if there are none.
        seed: what the solver draws its random choices from; only Z3 takes another than 0.
        told: called with each answer as it is found.

    Returns:
        The answers in the obligations' fixed order; unknown, with its reason, where a limit was met.

    Raises:
        UserError: as `answer_obligation`.
        InternalError: as `answer_obligation`.
    """
    asked = [one.name for one in chosen_obligations(model, goal, tuple(names))]
    shares = _shares(asked, solver)
    return answer_shares(model, goal, shares, limits, source=source, seed=seed, told=told)


def answer_shares(
    model: Model,
    goal: str,
    shares: Mapping[str, Sequence[str]],
    limits: Limits,
    *,
    source: str,
    seed: int = 0,
    told: Callable[[ObligationResult], None] = lambda _: None,
) -> list[ObligationResult]:
    """Answer obligations by several solvers at once, a child process each.

    Args:
        model: the model.
        goal: the name of the property to prove.
        shares: for each solver the names of the obligations that it is to answer, in its order. Once each
            obligation is answered by one of them, all stop.
        limits: wall clock and address space of each process.
        source: the protocol as the catalog finds it: its name or path.
        seed: what the solvers draw their random choices from; only Z3 takes another than 0.
        told: called with each answer as it is found.

    Returns:
        As `answer_obligations`.

    Raises:
        UserError: as `answer_obligation`.
        InternalError: as `answer_obligation`.
    """
    given = {name for own in shares.values() for name in own}
    asked = [one.name for one in obligations(model, goal) if one.name in given]
    found: dict[str, ObligationResult] = {}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(_process(model, source, goal, solver, own, limits, seed))
            for solver, own in shares.items()
        ]
        for _, message in listen(processes, deadline_of(limits)):
            if message.kind == "stopped":
                continue  # The process itself keeps why it ended.
            if message.kind != "obligation":
                raise InternalError(f"a child process said {message.kind}, which nobody understands")
            _take(ObligationResult.from_json(message.body), found, told)
            if all(name in found and found[name].verdict is not _UNKNOWN for name in asked):
                return [found[name] for name in asked]
        for process in processes:
            process.end()
        return [found.get(name) or _missing(name, processes, shares) for name in asked]


def _missing(
    name: str, processes: Sequence[QueryProcess], shares: Mapping[str, Sequence[str]]
) -> ObligationResult:
    """The answer about an obligation that no process came to."""
    those = [process for process in processes if name in shares[process.query.solver]]
    seconds, megabytes = max(one.seconds for one in those), max(one.peak_mb for one in those)
    reasons = [f"{one.query.solver}: {one.reason()}" for one in those]
    solver, reason = (
        (AUTO, "; ".join(reasons)) if len(those) > 1 else (those[0].query.solver, those[0].reason())
    )
    return ObligationResult(name, solver, _UNKNOWN, reason, Effort(total=seconds, memory_mb=megabytes))


def _shares(asked: Sequence[str], solver: str) -> Mapping[str, Sequence[str]]:
    """Which solver works at what, in which order."""
    if solver != AUTO:
        return {solver: asked}
    if cores() == 1 or len(asked) == 1:
        return {LONE: asked}
    forward, backward = RACERS
    return {forward: asked, backward: asked[::-1]}


def _process(
    model: Model, source: str, goal: str, solver: str, names: Sequence[str], limits: Limits, seed: int
) -> QueryProcess:
    settings = {name: value for name, value in model.parameters.items() if value is not None}
    query = Query(source, settings, (goal,), 0, solver=solver, seed=seed if solver == "z3" else 0)
    return QueryProcess(model, query, limits, obligations=list(names))


def _take(
    result: ObligationResult, found: dict[str, ObligationResult], told: Callable[[ObligationResult], None]
) -> None:
    """Keep an answer, unless there is a better one; another solver may know what one does not."""
    known = found.get(result.name)
    if known is None or known.verdict is _UNKNOWN:
        found[result.name] = result
        told(result)

"""The front door: where a query is answered, in this process or in children of it, is decided here."""

from __future__ import annotations

from leadline.symbolic.engines.limited import answer_limited
from leadline.symbolic.engines.query import AUTO, SILENT, Limits, Listener, Query, answer_here
from leadline.symbolic.engines.race import answer_race, cores
from leadline.symbolic.engines.verdict import Result
from leadline.symbolic.lang import Model

NO_LIMITS = Limits()
INTERRUPTIBLE = frozenset({"z3"})
"""The solvers that Ctrl-C reaches in this process: python-sat does not let go of the interpreter."""


def answer(
    model: Model, query: Query, limits: Limits = NO_LIMITS, listener: Listener = SILENT
) -> list[Result]:
    """Answer a query; a KeyboardInterrupt ends it at once, wherever it runs.

    Args:
        model: the model that the query speaks of.
        query: what is asked. With the solver "auto" two solvers race if there are two cores for them; on one
            core it is `query.LONE`.
        limits: what it may use; with two solvers, each of them.
        listener: who is told on the way.

    Returns:
        A result for each property, the deadlock's last. What was not answered within the limits is unknown.

    Raises:
        ModelError: if the model has no initial state.
        UserError: if it is another one when a child process makes it anew.
        InternalError: if a counterexample does not replay, or a child process failed.
    """
    if query.solver == AUTO and cores() > 1:
        return answer_race(model, query, limits, listener)
    if limits or query.alone().solver not in INTERRUPTIBLE:
        return answer_limited(model, query, limits, listener)
    return answer_here(model, query, listener)

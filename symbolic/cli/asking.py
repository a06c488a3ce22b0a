"""The one place where the command line starts an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from leadline.symbolic.engines.verdict import Progress, Result
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.lang.parameters import Setting


@dataclass(frozen=True)
class Query:
    """What is asked, as names and numbers: it can travel to another process.

    Attributes:
        source: the protocol as the catalog finds it: its name or path.
        settings: the parameters that differ from their defaults.
        properties: the names of the properties.
        depth: steps to look ahead.
        unroll: what a layer of the unrolling holds: "steps".
        solver: the solver's name.
        deadlock: whether a deadlock counts.
        timeout: seconds to give up after; None for no limit.
        memory_mb: megabytes to give up beyond; None for no limit.
    """

    source: str
    settings: Mapping[str, Setting]
    properties: tuple[str, ...]
    depth: int
    unroll: str
    solver: str
    deadlock: bool
    timeout: float | None
    memory_mb: int | None


def ask(
    model: Model,
    query: Query,
    *,
    answered: Callable[[Result], None],
    progress: Callable[[Progress], None],
) -> list[Result]:
    """The engine's answers, a result for each property in their order and the deadlock's last.

    Args:
        model: the model that the query speaks of.
        query: what is asked.
        answered: called with each violation as soon as it is found.
        progress: called after every depth.
    """
    if query.timeout is not None or query.memory_mb is not None:
        raise UserError("--timeout and --memory are not there yet: leave them out")
    # Here, so that commands without a solver do not wait for its library to load.
    from leadline.symbolic.engines.bmc import BmcOptions, bounded_check
    from leadline.symbolic.solve import SOLVERS

    options = BmcOptions(query.depth, query.deadlock)
    properties = model.choose_properties(query.properties)
    solver = SOLVERS[query.solver]()
    return bounded_check(model, properties, options, solver, answered=answered, progress=progress)

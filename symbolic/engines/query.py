"""Queries: what is asked of an engine, as names and numbers, so that it can travel to another process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar

from leadline.symbolic.engines.memory import seldom_collected
from leadline.symbolic.engines.verdict import Progress, Result
from leadline.symbolic.lang import Model, Property
from leadline.symbolic.lang.parameters import Setting

AUTO = "auto"
"""The solver of a query that leaves the choice to the engines."""

LONE = "cadical"
"""The solver for such a query where only one can run."""


UNROLLINGS = ("steps", "sweeps")
"""What a layer of an unrolling can hold: one step, or one sweep over all actions, each taken or skipped."""


@dataclass(frozen=True)
class Query:
    """A bounded check of one protocol at given parameters.

    Attributes:
        source: the protocol as the catalog finds it: its name or path.
        settings: the parameters that differ from their defaults.
        properties: the names of the properties; None is all of them, and with none at all a deadlock can
            still be asked for.
        depth: layers to look ahead, 0 or more.
        unroll: what a layer of the unrolling holds: "steps" or "sweeps".
        solver: the solver's name, or "auto".
        symmetry: whether sorts that the model treats alike are picked in the order of first use (sweeps).
        shortest: whether counterexamples that sweeps found are to be shortest ones.
        deadlock: whether to ask for deadlocks.
        seed: what the solver draws its random choices from; only Z3 takes another than 0.
    """

    source: str
    settings: Mapping[str, Setting]
    properties: tuple[str, ...] | None
    depth: int
    unroll: str = "steps"
    solver: str = "z3"
    symmetry: bool = True
    shortest: bool = False
    deadlock: bool = False
    seed: int = 0

    def alone(self) -> Query:
        """The query for one process: with a solver by name."""
        return replace(self, solver=LONE) if self.solver == AUTO else self

    def chosen(self, model: Model) -> tuple[Property, ...]:
        """The properties to check of a model.

        Raises:
            UserError: if the model has no property of a name.
        """
        return () if self.properties == () else model.choose_properties(self.properties or ())

    def to_json(self) -> dict[str, Any]:
        """The query as a JSON object."""
        return {**asdict(self), "settings": dict(self.settings)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Query:
        """The query of a JSON object that `to_json` made."""
        names = data["properties"]
        return cls(**{**data, "properties": None if names is None else tuple(names)})


@dataclass(frozen=True)
class Limits:
    """What a query may use; None is without limit.

    Attributes:
        seconds: wall-clock time, above 0 and at most `LONGEST`.
        memory_mb: address space in megabytes, at most `LARGEST`.
    """

    LONGEST: ClassVar = 10_000_000
    """Seconds: four months."""

    LARGEST: ClassVar = 1 << 30
    """Megabytes: more than any machine has."""

    seconds: float | None = None
    memory_mb: int | None = None

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory_mb is not None


@dataclass(frozen=True)
class Listener:
    """Who is told how a search goes.

    Attributes:
        progress: called after every depth.
        told: called with a property's result whenever its verdict gets worse; the last one counts.
    """

    progress: Callable[[Progress], None] = lambda _: None
    told: Callable[[Result], None] = lambda _: None


SILENT = Listener()
"""Tells nobody."""


def answer_here(model: Model, query: Query, listener: Listener = SILENT) -> list[Result]:
    """Answer a query in this process, without limits.

    Args:
        model: the model that the query speaks of.
        query: what is asked.
        listener: who is told on the way.
    """
    # Here, so that commands without a solver do not wait for its library to load.
    from leadline.symbolic.engines.bmc import BmcOptions, bounded_check
    from leadline.symbolic.solve import SOLVERS

    properties = query.chosen(model)
    new_solver = partial(SOLVERS[query.alone().solver], query.seed)
    with seldom_collected():
        return bounded_check(model, properties, BmcOptions.of(query), new_solver, listener)

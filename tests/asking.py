"""Questions to engines, as tests put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from leadline.symbolic.catalog import Entry, find, model_of
from leadline.symbolic.engines import BmcOptions, Listener, Query, Result, answer_here
from leadline.symbolic.engines.ask.engine import NewSolver
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.bounded.bmc import bounded_layers
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.lang import Model, Property


def bounded_query(
    source: str,
    depth: int,
    unroll: str = "steps",
    *,
    settings: Mapping[str, Any] | None = None,
    properties: Sequence[str] | None = None,
    solver: str = "z3",
    seed: int = 0,
    deadlock: bool = False,
    **options: Any,
) -> Query:
    """A bounded check."""
    names = None if properties is None else tuple(properties)
    return Query(source, settings or {}, names, BmcOptions(depth, unroll, **options), solver, seed, deadlock)


def bounded_check(
    model: Model,
    targets: Sequence[Property],
    options: BmcOptions,
    new_solver: NewSolver,
    listener: Listener = SILENT,
) -> list[Result]:
    """The results of one bounded check of all targets, by its search alone."""
    layers = bounded_layers(model, targets, options, new_solver, listener)
    while True:
        try:
            next(layers)
        except StopIteration as end:
            found: list[Result] = end.value
            return found


def inductive(source: str, model: Model, goal: str, solver: str = "z3", *obligations: str) -> Query:
    """The obligations of a property of a model."""
    settings = {name: value for name, value in model.parameters.items() if value is not None}
    return Query(source, settings, (goal,), InductionOptions(obligations), solver)


@cache
def entry_at(source: str) -> Entry:
    """The protocol of a source that no test edits, loaded once a process."""
    return find(source, tried=True)


def model_for(query: Query) -> Model:
    """The model that a query is about."""
    return model_of(entry_at(query.source), query.settings)


def here(query: Query, listener: Listener = SILENT, model: Model | None = None) -> Sequence[Result]:
    """The results of a query that is answered in this process."""
    return answer_here(model or model_for(query), query, listener).results


def options_of(query: Query) -> BmcOptions:
    """The options of a bounded check."""
    assert isinstance(query.options, BmcOptions)
    return query.options

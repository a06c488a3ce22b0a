"""Search by novelty as an engine: deep bugs of modules, found by the interpreter before there are formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline.symbolic.engines.ask.engine import Engine, Limited, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model

MEMBER_PATIENCE = 5_000
"""The number of states in a row without anything new at which it stops beside the other engines of `check`."""


@dataclass(frozen=True)
class NoveltyOptions(Options):
    """The options of a search by novelty.

    Attributes:
        max_states: the number of states at which to stop; None for no limit.
        patience: the number of states in a row with neither a new fact nor a new pair of facts at which to stop;
            None for no limit.
    """

    engine = "novelty"

    max_states: int | None = option(None, metavar="N", low=1, doc="stop after N states")
    patience: int | None = option(
        None, metavar="N", low=1, doc="stop after N states in a row with nothing new"
    )


class NoveltySearch(Engine):
    """A search of TLA+ modules, by their interpreter, that goes on from states with new facts first."""

    options = NoveltyOptions
    takes_solver = False
    limited = Limited.BY_ALARM

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        return alone

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.engines.explore.module_novelty import answer_of_module

        return answer_of_module(model, query, limits, listener)

"""A portfolio: several engines at one question, each in its own process; the first definite answer counts.

Which engine is the right one is hard to foretell. Explicit search ends at once where there are few states,
sweeps find deep bugs, and property-directed reachability proves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from leadline.symbolic.engines.ask.engine import Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import LONE


@dataclass(frozen=True)
class PortfolioOptions(Options):
    """A portfolio has no options: each engine of it says how it takes part (`Engine.in_portfolio`)."""

    engine = "portfolio"


class Portfolio(Engine):
    """Every engine that takes part in a portfolio, side by side."""

    options = PortfolioOptions
    takes_solver = False
    limits_itself = True
    knows_runs = True

    def suits(self, model: Model, goal: str, options: Options) -> bool:
        return True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        # Here, since the table that these work with lists this engine too.
        from leadline.symbolic.engines.ask.table import engines_of
        from leadline.symbolic.engines.run.parallel import answer_in_children

        members = [one.in_portfolio for one in engines_of("check").values() if one.in_portfolio is not None]
        queries = [replace(query, options=options, solver=LONE) for options in members]
        return answer_in_children(model, queries, limits, listener)

"""A portfolio: several engines at one question, each in its own process; the first definite answer counts.

Which engine is the right one is hard to foretell. Explicit search ends at once where there are few states,
sweeps find deep bugs, as does search by novelty in modules, and property-directed reachability proves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, Limited, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query
from leadline.symbolic.engines.ask.result import Answer
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.lang import Model
from leadline.symbolic.solve import LONE

SWEEPS = 1.0
"""Seconds of the processor that sweeps have before proofs: most bugs that they find take less."""


@dataclass(frozen=True)
class PortfolioOptions(Options):
    """The options of a portfolio; each engine of it says how it takes part (`Engine.member`).

    Attributes:
        depth: how many steps it looks ahead at a specification in another language; None until its answer is
            definite.
    """

    engine = "portfolio"

    depth: int | None = None


class Portfolio(Engine):
    """Every engine that takes part in a portfolio, side by side."""

    options = PortfolioOptions
    takes_solver = False
    runs = AboutRuns.ANSWERED
    limited = Limited.BY_ITSELF

    def suits(self, model: Model, goal: str) -> str:
        return ""

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        # Here, since the table that these work with lists this engine too.
        from leadline.symbolic.engines.ask.table import ENGINES, engines_of
        from leadline.symbolic.engines.bounded.bmc import BmcOptions
        from leadline.symbolic.engines.explore.explore import HEAD_START, ExploreOptions
        from leadline.symbolic.engines.explore.novelty import MEMBER_PATIENCE, NoveltyOptions
        from leadline.symbolic.engines.run.formulas import FormulasOptions
        from leadline.symbolic.engines.run.parallel import answer_in_children

        options = query.options_as(PortfolioOptions)
        members = [one for engine in engines_of("check").values() if (one := engine.member(options.depth))]
        # Each of them is a process in the end.
        limits = limits.within_machine(len(members) + model.alone)
        if model.alone:
            by_itself = ENGINES[ExploreOptions.engine].member(options.depth)
            # It knows no depth: its counterexamples may be longer than the one that is asked for.
            novel = NoveltyOptions(patience=MEMBER_PATIENCE) if options.depth is None else None
            members = [one for one in (by_itself, FormulasOptions(options.depth), novel) if one]
        queries = [replace(query, options=one, solver=LONE) for one in members]
        ahead = {ExploreOptions.engine: HEAD_START, BmcOptions.engine: SWEEPS}
        return answer_in_children(model, queries, limits, listener, ahead=ahead)

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        return alone or given.get("depth") is None

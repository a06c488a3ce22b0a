"""A specification in another language through the engines that work on formulas.

The model of formulas is made here, in the process of a portfolio's member, while others explore the
specification without it. The engines' processes are copies of this one, so that it is made once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Options, Query, too_large
from leadline.symbolic.engines.ask.result import Answer, EngineFacts, Progress, Result, Verdict, formless
from leadline.symbolic.engines.ask.table import engines_of
from leadline.symbolic.engines.ask.widening import told_by_values, widened_answers
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.run.limits import Limits, address_space_mb
from leadline.symbolic.engines.run.parallel import answer_in_children
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.lang import Model, NoSymbolicForm
from leadline.symbolic.solve import LONE
from leadline.symbolic.trace import DEADLOCK

HEAD_START = 2.0
"""Seconds of the processor in which sweeps of a module's model often find a bug, if the first ten take as long."""


@dataclass(frozen=True)
class FormulasOptions(PortfolioOptions):
    """The options of its portfolio."""

    engine = "formulas"


class Formulas(Engine):
    """The members of a portfolio that work on formulas, asked about a specification in another language."""

    options = FormulasOptions
    takes_solver = False
    runs = AboutRuns.ANSWERED

    def takes(self, alone: bool, given: Mapping[str, object]) -> bool:
        return True

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        # Here, since protocols in Python need none of it.
        from leadline.symbolic.tla.outline import formed

        names = query.names(model)
        try:
            made, lacking = formed(model, names, level=True)
        except NoSymbolicForm as missing:
            return Answer([formless(name, FormulasOptions.engine, missing.why) for name in names])
        listener.progress(Progress(-1, 0.0))
        asking = _Asking(query, names, listener)
        for name, why in lacking.items():
            asking.tell(formless(name, FormulasOptions.engine, why))
        asking.ask_all(made, limits)
        return Answer([asking.known[name] for name in names])


@dataclass
class _Asking:
    """The questions to the engines, about models with wider and wider types.

    Attributes:
        query: the query.
        names: the properties that it asks about.
        listener: is told of results that will not change.
        known: the results so far.
    """

    query: Query
    names: Sequence[str]
    listener: Listener
    known: dict[str, Result] = field(default_factory=dict)
    _asked: bool = False
    _facts: EngineFacts | None = None

    def tell(self, result: Result) -> None:
        """Keep a result that will not change, and tell it."""
        self.known[result.property] = result
        self.listener.done(result)

    def ask_all(self, formed: Model, limits: Limits) -> None:
        """Ask until no run leaves the types of the model.

        Args:
            formed: the first model.
            limits: those of this process, which has no others.
        """
        memory = address_space_mb(limits)
        own = limits if memory == math.inf else replace(limits, memory_mb=int(memory))
        for _, answer in widened_answers(formed, own, self.ask):
            latest = answer
        for result in latest.results:
            if result.property not in self.known:
                self.known[result.property] = told_by_values(self.model, result)

    def ask(self, model: Model, limits: Limits) -> Answer:
        """Ask for what is not known yet, about one model."""
        for name, why in too_large(model, replace(self.query, properties=tuple(model.properties))):
            for one in (name,) if name is not None else self.names:
                if one not in self.known:
                    self.tell(formless(one, FormulasOptions.engine, why))
        self.model = model
        left = [x for x in self.names if x not in self.known and (x in model.properties or x == DEADLOCK)]
        about = tuple(name for name in left if name != DEADLOCK)
        asked = replace(self.query, properties=about, deadlock=DEADLOCK in left)
        queries = [replace(asked, options=options, solver=LONE) for options in self._members()]
        relay = Listener(self.listener.progress, told=self._done, done=self._done)
        if not left:
            return Answer(())
        # Sweeps have a head start with the first types alone, with which they find the bugs that few sweeps reach.
        # While the model was made, a module of few states was explored on values.
        ahead = {} if self._asked else {BmcOptions.engine: HEAD_START}
        self._asked = True
        answer = answer_in_children(model, queries, limits, relay, branches=True, ahead=ahead)
        self._facts = answer.facts
        return answer

    def _done(self, result: Result) -> None:
        """Tell a result that holds whatever the types: a run out of bounds may only have left them."""
        if result.verdict in (Verdict.PROVED, Verdict.VIOLATED):
            self.tell(told_by_values(self.model, result))

    def _members(self) -> Iterator[Options]:
        """The options of the engines but the explicit search, which is another member."""
        own = self.query.options_as(FormulasOptions)
        for engine in engines_of("check").values():
            options = engine.member(own.depth)
            if options is not None and not isinstance(options, ExploreOptions):
                yield options.knowing(self._facts)

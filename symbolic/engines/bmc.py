"""Bounded model checking: is a bad state reachable in 0, 1, ... K layers, each a step or a sweep?

A. Biere, A. Cimatti, E. Clarke, Y. Zhu: Symbolic Model Checking without BDDs, TACAS 1999; incremental, with
assumptions, after N. Eén, N. Sörensson: Temporal Induction by Incremental SAT Solving, BMC 2003. For sweeps
see `leadline.symbolic.encode.sweeps`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, Sink, StepsUnrolling, SweepsUnrolling, Unrolling
from leadline.symbolic.engines.alike import sorts_alike
from leadline.symbolic.engines.deadlock import deadlock_property
from leadline.symbolic.engines.query import SILENT, Listener, Query
from leadline.symbolic.engines.search import Clock, Search
from leadline.symbolic.engines.sweep_order import sweep_order
from leadline.symbolic.engines.verdict import Progress, Result, Verdict
from leadline.symbolic.lang.model import Model, Property
from leadline.symbolic.solve import Solver
from leadline.symbolic.trace import replay, shortened

STEPS = "steps"
SWEEPS = "sweeps"


@dataclass(frozen=True)
class BmcOptions:
    """What a bounded check is to do.

    Attributes:
        depth: the number of layers to look ahead, 0 or more.
        unroll: what a layer holds: "steps", one action; or "sweeps", every action once, taken or skipped.
        symmetry: whether members of a sort that the model treats alike are picked in the order of first use.
        shortest: whether a counterexample that sweeps found is to be a shortest one.
        deadlock: whether to ask for states without an enabled action.
    """

    depth: int
    unroll: str = STEPS
    symmetry: bool = True
    shortest: bool = False
    deadlock: bool = False

    @classmethod
    def of(cls, query: Query) -> BmcOptions:
        """What a query asks for."""
        return cls(query.depth, query.unroll, query.symmetry, query.shortest, query.deadlock)


def bounded_check(
    model: Model,
    properties: Sequence[Property],
    options: BmcOptions,
    new_solver: Callable[[], Solver],
    listener: Listener = SILENT,
) -> list[Result]:
    """Look for a counterexample of each property within `options.depth` layers.

    A counterexample is a shortest one where layers are steps or `options.shortest` asks for it; else it is
    one from which no single step can be dropped.

    Args:
        model: the model.
        properties: the properties to check, in one search.
        options: how far, and how.
        new_solver: makes a fresh solver.
        listener: who is told on the way.

    Returns:
        A result for each property in their order, the deadlock's last if asked for.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    targets = [*properties, *([deadlock_property(model)] if options.deadlock else [])]
    semantics = Semantics(model)
    clock = Clock()
    unroll = chosen_unrolling(semantics, targets, options)
    search = Search(semantics, targets, new_solver(), clock, unroll, put_off=options.unroll == SWEEPS)
    told = _Told(search, options, listener)
    search.start()
    for depth in range(options.depth + 1):
        last = depth == options.depth
        search.look(depth, last=last)
        told.news()
        if search.unknown is not None or not search.open:
            break
        told.progress(depth)
        if not last:
            search.advance()
    search.finish()
    told.news()
    results = [told.result(target.name) for target in targets]
    if options.unroll == SWEEPS and options.shortest:
        results = [_shortest(semantics, one, options, new_solver) for one in results]
    return results


def chosen_unrolling(
    semantics: Semantics, targets: Sequence[Property], options: BmcOptions
) -> Callable[[Encoding, Sink], Unrolling]:
    """What makes the unrolling that the options choose, for a search of the targets."""
    if options.unroll == STEPS:
        return StepsUnrolling
    sorts = sorts_alike(semantics.model, targets) if options.symmetry else ()
    order = sweep_order(semantics.model, semantics)
    return lambda encoding, sink: SweepsUnrolling(encoding, sink, order, sorts)


class _Told:
    """What the listener has been told, and the results as they are told."""

    def __init__(self, search: Search, options: BmcOptions, listener: Listener) -> None:
        self.search = search
        self.options = options
        self.listener = listener
        self.verdicts: dict[str, Verdict] = {}
        self.final: dict[str, Result] = {}

    def result(self, name: str) -> Result:
        """The result as things stand; a counterexample by sweeps is shortened."""
        if name in self.final:
            return self.final[name]
        result = self.search.result(name, self.options.unroll)
        if self.options.unroll == SWEEPS and result.trace is not None:
            trace = shortened(self.search.semantics, result.trace)
            replay(self.search.semantics, trace)
            result = replace(result, trace=trace, steps=trace.length)
        if result.verdict is Verdict.VIOLATED:
            self.final[name] = result
        return result

    def news(self) -> None:
        """Tell of every property whose verdict has become worse than was told."""
        search = self.search
        for target in search.targets:
            known = search.found if target.name in search.found else search.own_out_of_bounds
            if search.out_of_bounds is None and target.name not in known:
                continue
            verdict = Verdict.VIOLATED if target.name in search.found else Verdict.OUT_OF_BOUNDS
            if verdict > self.verdicts.get(target.name, Verdict.UNKNOWN):
                self.verdicts[target.name] = verdict
                self.listener.told(self.result(target.name))

    def progress(self, depth: int) -> None:
        """Tell that a depth is done."""
        statistics = self.search.solver.statistics()
        seconds = time.perf_counter() - self.search.clock.start
        size = statistics["variables"], statistics["clauses"]
        self.listener.progress(Progress(depth, seconds, *size, self.search.open))


def _shortest(
    semantics: Semantics, found: Result, options: BmcOptions, new_solver: Callable[[], Solver]
) -> Result:
    """A result with a shortest counterexample, looked for by steps below the length of the one found."""
    if not found.steps:
        return found
    model = semantics.model
    target = model.properties.get(found.property) or deadlock_property(model)
    clock = Clock()
    search = Search(semantics, [target], new_solver(), clock, StepsUnrolling)
    search.start()
    for depth in range(found.steps):
        last = depth + 1 == found.steps
        search.look(depth, last=last)
        shorter = search.result(target.name, found.unroll)
        if search.unknown is not None or shorter.verdict >= found.verdict:
            break
        if not last:
            search.advance()
    best = replace(shorter, depth=found.depth) if shorter.verdict >= found.verdict else found
    best = replace(best, effort=found.effort.plus(clock.effort(search.solver)))
    return best.perhaps_longer(search.unknown) if search.unknown else best

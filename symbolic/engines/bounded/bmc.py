"""Bounded model checking: is a bad state reachable in 0, 1, ... K layers, each a step or a sweep?

A. Biere, A. Cimatti, E. Clarke, Y. Zhu: Symbolic Model Checking without BDDs, TACAS 1999; incremental, with
assumptions, after N. Eén, N. Sörensson: Temporal Induction by Incremental SAT Solving, BMC 2003. For sweeps
see `leadline.symbolic.encode.unrolling`.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, StepsUnrolling, SweepsUnrolling, Unrolling
from leadline.symbolic.engines import runs as liveness
from leadline.symbolic.engines.ask.engine import AboutRuns, Engine, NewSolver
from leadline.symbolic.engines.ask.query import SILENT, Ledger, Listener, Options, Query, option
from leadline.symbolic.engines.ask.result import Answer, Progress, Result, Verdict, formless
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.bounded.search import BoundedSearch, Clock, claim_named, targets_of
from leadline.symbolic.engines.bounded.sweeps import sweep_order
from leadline.symbolic.engines.run.limits import Limits, seldom_collected
from leadline.symbolic.lang import Model, ModelError, NoInitialState, NoSymbolicForm, Property, Sort
from leadline.symbolic.solve import LONE, SOLVERS, Satisfiability, Sink
from leadline.symbolic.trace import replay, shortening

Cube = tuple[str, ...]
"""Choices in the first steps, as `StepRelation.choices` spells them."""

STEPS = "steps"
SWEEPS = "sweeps"
UNROLLINGS = (STEPS, SWEEPS)
"""A layer of an unrolling holds one step, or one sweep over all actions, each taken or skipped."""

ENDLESS = 1_000_000
"""Layers that no search gets to the end of."""

FAR = 10
"""Sweeps to look ahead where no depth is given."""

MOST_CUBES = 1000
"""The most parts into which a check may be asked to be cut."""


@dataclass(frozen=True)
class BmcOptions(Options):
    """The options of a bounded check.

    Attributes:
        depth: the number of layers to look ahead, 0 or more.
        unroll: the content of a layer: "steps", one action; or "sweeps", every action once, taken or skipped.
        symmetry: whether sweeps pick members of a symmetric sort in the order of their first use.
        shortest: whether to search for a shortest counterexample once sweeps have found one.
        refuted: the steps within which no run is bad or leaves narrower types, as was found before; -1 for none.
        ends: whether the first run out of bounds ends the search by steps.
    """

    engine = "bmc"

    depth: int = option(
        FAR,
        metavar="K",
        grid=True,
        most=100_000,
        doc=f"search K layers: steps, unless --unroll says sweeps (bmc; default: {FAR} sweeps)",
    )
    unroll: str = option(
        STEPS,
        choices=UNROLLINGS,
        noun="unrolling",
        grid=True,
        doc="the content of a layer: a step (the default with --depth), or a sweep over all actions, each of "
        "them taken or skipped (the default without); k sweeps cover all runs of k steps and more",
    )
    split: int = option(1, grid=True, low=1, most=MOST_CUBES)
    cube: Cube = ()
    shortest: bool = option(False, doc="search for a shortest counterexample if sweeps found one")
    symmetry: bool = option(True, negated="no-symmetry", doc="disable symmetry reduction")
    # Known from earlier questions about narrower types: no part of what is asked, so that ids leave them out.
    refuted: int = field(default=-1, metadata={"place": True})
    ends: bool = field(default=False, metadata={"place": True})

    @classmethod
    def chosen(cls, given: Mapping[str, object]) -> Self:
        """The options for the values that a user gave: by default sweeps if there is no depth, else steps."""
        hunt = {"unroll": SWEEPS} if given.get("depth") is None else {}
        return super().chosen({**hunt, **{key: value for key, value in given.items() if value is not None}})

    @property
    def part(self) -> str | None:
        return " ".join(self.cube) or None

    @property
    def whole(self) -> Options | None:
        return replace(self, cube=()) if self.cube else None

    @property
    def parts(self) -> int:
        return self.split

    @property
    def shortens(self) -> bool:
        return self.shortest and self.unroll == SWEEPS

    def narrowly(self, refuted: int, *, ends: bool) -> Self:
        # A part has runs of its own, and sweeps ask for runs out of bounds at the end.
        alone = self.unroll == STEPS and self.split == 1 and not self.cube
        return replace(self, refuted=refuted, ends=ends) if alone else self


class Bmc(Engine):
    """Bounded model checking by steps or sweeps."""

    options = BmcOptions
    runs = AboutRuns.ANSWERED

    def member(self, depth: int | None) -> Options | None:
        return BmcOptions(ENDLESS, SWEEPS) if depth is None else BmcOptions(depth, STEPS)

    def answer(
        self, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
    ) -> Answer:
        with seldom_collected():
            return Answer(_Searches(model, query, new_solver, listener).results())


Layers: TypeAlias = Generator[None, None, list[Result]]
"""A search that pauses after each of its layers. It ends with a result for each property."""

_Key: TypeAlias = "tuple[str, liveness.Method | None]"
"""The key of a search: the name of the claim about runs, and the method by which it is reduced."""

_STATES: _Key = "", None
"""The search about states."""


class _Searches:
    """The searches for one query: one about states, and those about the models to which claims about runs reduce.

    They take turns, since a search that finds nothing may have no end. The search about states has half of the
    time, and the claims about runs share the other half.

    Args:
        model: the model.
        query: the query.
        new_solver: makes a fresh solver.
        listener: is told of progress and results.
    """

    def __init__(self, model: Model, query: Query, new_solver: NewSolver, listener: Listener) -> None:
        self._model, self._query, self._new_solver, self._listener = model, query, new_solver, listener
        self._options = query.options_as(BmcOptions)
        self._found: dict[str, Result] = {}
        targets = targets_of(model, query)
        self._about_states = [one for one in targets if one.temporal is None]
        runs = [one for one in targets if one.temporal is not None]
        self._claims = [liveness.ReducedClaim(model, one, query, counts=False) for one in runs]
        self._depths: dict[_Key, int] = {_STATES: -1} if self._about_states else {}
        for claim in self._claims:
            self._depths |= {(claim.name, method): -1 for method in _together(claim)}

    def results(self) -> list[Result]:
        """Search until there is a result for each property."""
        claims = _in_turns(map(self._of_claim, self._claims))
        of_states = self._about_states or not self._claims
        for _ in _in_turns([self._of_states(), claims] if of_states else [claims]):
            pass
        return [self._found[name] for name in self._query.names(self._model)]

    def _of_states(self) -> Iterator[None]:
        results = yield from self._layers(self._model, self._about_states, _STATES, self._listener)
        self._found.update((one.property, one) for one in results)
        self._depths = {key: depth for key, depth in self._depths.items() if key != _STATES}

    def _of_claim(self, claim: liveness.ReducedClaim) -> Iterator[None]:
        try:
            left = [self._of_part(claim, method) for method in _together(claim)]
            # Layer by layer, so that the counterexample does not depend on the machine.
            while left and claim.known is not Verdict.VIOLATED:
                left = [one for one in left if next(one, _ENDED) is not _ENDED]
                yield
            if claim.known < Verdict.OUT_OF_BOUNDS and liveness.Method.BOUNDS in claim.reduction.needs():
                yield from self._of_part(claim, liveness.Method.BOUNDS)
            found = claim.result()
        except NoInitialState:
            raise
        except ModelError as error:
            if self._model.origin is None:
                raise
            found = formless(claim.name, BmcOptions.engine, NoSymbolicForm(error.mistakes).why)
        self._depths = {key: depth for key, depth in self._depths.items() if key[0] != claim.name}
        self._found[claim.name] = found
        self._listener.done(found)

    def _of_part(self, claim: liveness.ReducedClaim, method: liveness.Method) -> Iterator[None]:
        part = liveness.Part(method)
        stated = claim.reduction.stated(part)
        # Results about other models are not for the listener; progress is.
        listener = Listener(self._listener.progress)
        (result,) = yield from self._layers(
            stated, [stated.properties[claim.name]], (claim.name, method), listener
        )
        claim.note(part, result)

    def _layers(self, model: Model, targets: Sequence[Property], key: _Key, listener: Listener) -> Layers:
        """A search. The depth that is told is the least of all searches."""
        options = self._options
        if options.unroll == STEPS and any(one.name == liveness.SAVE for one in model.actions):
            # The step that saves the state, where the loop begins, is none of the model itself.
            options = replace(options, depth=options.depth + 1)

        def progress(now: Progress) -> None:
            self._depths[key] = now.depth
            least = min(self._depths.values())
            listener.progress(replace(now, depth=least, left=now.left if least == now.depth else None))

        told = replace(listener, progress=progress)
        return (yield from bounded_layers(model, targets, options, self._new_solver, told))


_ENDED = object()


def _together(claim: liveness.ReducedClaim) -> list[liveness.Method]:
    """The methods of a claim in which a counterexample may be found: of each at once, since none may end."""
    return [method for method in claim.reduction.needs() if method is not liveness.Method.BOUNDS]


def _in_turns(searches: Iterable[Iterator[None]]) -> Iterator[None]:
    """Searches in one: the next layer is always of that which has had the least of the processor."""
    used = dict.fromkeys(searches, 0.0)
    while used:
        search = min(used, key=used.__getitem__)
        begin = time.process_time()
        try:
            next(search)
        except StopIteration:
            del used[search]
        else:
            used[search] += time.process_time() - begin
            yield


def cuts(model: Model, goal: str, options: BmcOptions) -> Sequence[BmcOptions]:
    """The options of the parts into which a check by steps is cut, at least as many as `options.split`.

    Args:
        model: the model.
        goal: the property's name, or "deadlock".
        options: the options of the whole check.
    """
    target = claim_named(model, goal)
    sorts = sorts_alike(model, [target], truth_alone=True) if options.symmetry else ()
    # A claim about runs is asked of other models, whose steps make other choices.
    about_runs = target.temporal is not None
    found = [()] if about_runs else cubes(model, sorts, options.split, options.depth)
    if len(found) == 1:
        return (replace(options, split=1),)
    return [replace(options, split=len(found), cube=cube) for cube in found]


def bounded_layers(
    model: Model,
    targets: Sequence[Property],
    options: BmcOptions,
    new_solver: NewSolver,
    listener: Listener = SILENT,
) -> Layers:
    """Look for a counterexample of each property within `options.depth` layers, and pause after each.

    With steps or `options.shortest` a counterexample is a shortest one. Otherwise no single step of it can be
    dropped. Pauses are not counted among the seconds of the search.

    Args:
        model: the model.
        targets: the properties to check in one search; `deadlock_property` may be one of them.
        options: the options.
        new_solver: makes a fresh solver.
        listener: is told of progress and results.

    Returns:
        A result for each property in their order.

    Raises:
        ModelError: if the model has no initial state.
        InternalError: if a counterexample does not replay.
    """
    semantics = Semantics(model)
    clock = Clock()
    unroll = chosen_unrolling(semantics, targets, options)
    search = BoundedSearch(semantics, targets, new_solver(), clock, unroll, put_off=options.unroll == SWEEPS)
    news = _News(search, options, listener)
    for depth in search.layers(options.depth, refuted=options.refuted):
        news.tell()
        leaves_bounds = search.out_of_bounds is not None or search.own_out_of_bounds
        if search.over or (options.ends and leaves_bounds):
            break
        news.progress(depth)
        paused = time.perf_counter()
        yield
        clock.start += time.perf_counter() - paused
    search.finish()
    if search.own_out_of_bounds and options.symmetry and _has_order(model, targets):
        # A permutation of a run out of bounds may be a violation, perhaps the shortest.
        again = replace(options, symmetry=False)
        return (yield from bounded_layers(model, targets, again, new_solver, listener))
    news.tell()
    results = [news.result(target.name) for target in targets]
    if options.unroll == SWEEPS and options.shortest:
        results = [_shortest(semantics, one, options, new_solver) for one in results]
    return results


def _has_order(model: Model, targets: Sequence[Property]) -> bool:
    """Whether a permutation may turn a state where a property is false into one where it is out of bounds."""
    return sorts_alike(model, targets) != sorts_alike(model, targets, truth_alone=True)


def chosen_unrolling(
    semantics: Semantics, targets: Sequence[Property], options: BmcOptions
) -> Callable[[Encoding, Sink], Unrolling]:
    """A function that makes the unrolling of the options, for a search of the targets."""
    sorts = sorts_alike(semantics.model, targets, truth_alone=True) if options.symmetry else ()
    if options.unroll == STEPS:
        return lambda encoding, sink: StepsUnrolling(encoding, sink, sorts, options.cube)
    order = sweep_order(semantics.model)
    return lambda encoding, sink: SweepsUnrolling(encoding, sink, order, sorts)


class _News:
    """The results during a search; a counterexample by sweeps is shortened once, when it is new."""

    def __init__(self, search: BoundedSearch, options: BmcOptions, listener: Listener) -> None:
        self.search = search
        self.options = options
        self.ledger = Ledger(listener)

    def result(self, name: str) -> Result:
        """The present result about a property."""
        known = self.ledger.known.get((name, None))
        if known is not None and known.verdict is Verdict.VIOLATED:
            return known
        result = self.search.result(name, self.options.engine, self.options.unroll)
        if self.options.unroll == SWEEPS and result.trace is not None:
            trace, minimal = shortening(self.search.semantics, result.trace)
            replay(self.search.semantics, trace)
            result = replace(result, trace=trace, steps=trace.length).unless_minimal(minimal)
        return result

    def tell(self) -> None:
        """Tell the results whose verdict has become worse since they were told."""
        search = self.search
        for target in search.targets:
            known = search.found if target.name in search.found else search.own_out_of_bounds
            if search.out_of_bounds is None and target.name not in known:
                continue
            verdict = Verdict.VIOLATED if target.name in search.found else Verdict.OUT_OF_BOUNDS
            if self.ledger.is_news((target.name, None), verdict):
                self.ledger.told(self.result(target.name))

    def progress(self, depth: int) -> None:
        """Tell that a depth is searched."""
        solver = self.search.solver
        seconds = time.perf_counter() - self.search.clock.start
        # Bugs that few sweeps reach were looked for: a head start is over.
        left = math.inf if self.options.unroll == SWEEPS and depth >= FAR else None
        self.ledger.progress(
            Progress(depth, seconds, self.search.open, solver.variables, solver.clauses, left=left)
        )


def _shortest(semantics: Semantics, found: Result, options: BmcOptions, new_solver: NewSolver) -> Result:
    """A result with a shortest counterexample, looked for by steps below the length of the one found."""
    if not found.steps:
        return found
    model = semantics.model
    target = claim_named(model, found.property)
    clock = Clock()
    unroll = chosen_unrolling(semantics, [target], replace(options, unroll=STEPS))
    search = BoundedSearch(semantics, [target], new_solver(), clock, unroll)
    for _ in search.layers(found.steps - 1):
        shorter = search.result(target.name, options.engine, options.unroll)
        if shorter.verdict >= found.verdict:
            break
    best = replace(shorter, depth=found.depth) if shorter.verdict >= found.verdict else found
    best = replace(best, effort=found.effort.plus(clock.effort(search.solver)))
    return best.perhaps_longer(search.unknown) if search.unknown else best


def cubes(model: Model, sorts: Sequence[Sort], least: int, depth: int) -> list[Cube]:
    """Cubes that cover all runs of a model: parts of a check by steps, each with other choices in the first steps.

    M. Heule, O. Kullmann, S. Wieringa, A. Biere: Cube and Conquer: Guiding CDCL SAT Solvers by Lookaheads, HVC
    2011. The cut is by the choices of a step (its action, then its picks), not by variables of the solver.

    At first there is one cube without choices. A cube is replaced by its extensions by every way to make the
    next choice. An extension that no run agrees with is dropped, and a cube without any extension stays. A run
    that is shorter than a cube agrees with it if all of its steps do: so a search under a cube asks about each
    depth before the step from there is constrained. Under the first-use rule every run is an image of one that
    obeys the rule, so of cubes that are images of each other one is left.

    Args:
        model: the model.
        sorts: the sorts that obey the first-use rule.
        least: the number of cubes at which to stop.
        depth: the most steps that a cube may constrain.

    Returns:
        At least `least` cubes, or as many as there are within `depth` steps.
    """
    solver = SOLVERS[LONE]()
    unrolling = StepsUnrolling(Encoding(model), solver, sorts)
    unrolling.assert_initial()
    ended: list[Cube] = []
    whole: list[tuple[Cube, list[int]]] = [((), [])]
    for step in range(depth):
        unrolling.extend()
        waiting = deque((cube, literals, 0) for cube, literals in whole)
        whole = []
        while waiting:
            if len(ended) + len(whole) + len(waiting) >= least:
                return [*ended, *(cube for cube, _ in whole), *(cube for cube, *_ in waiting)]
            cube, literals, made = waiting.popleft()
            choices = unrolling.choice(step, cube[len(cube) - made :])
            longer = [
                ((*cube, text), [*literals, literal], made + 1)
                for text, literal in choices.items()
                if solver.check([*literals, literal]) is not Satisfiability.UNSATISFIABLE
            ]
            waiting += longer
            if not choices:
                whole.append((cube, literals))
            elif not longer:
                ended.append(cube)
    return [*ended, *(cube for cube, _ in whole)]

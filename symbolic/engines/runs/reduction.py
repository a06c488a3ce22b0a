"""Claims about runs, answered by engines that know invariants only: the claim becomes several, in other models.

A proof by rounds begins with guesses, of predicates that settle and of the number of rounds that a run may have.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TypeAlias

from leadline.symbolic.concrete import Runs, Semantics, State
from leadline.symbolic.engines.ask.engine import Engine, Interrupted, NewSolver
from leadline.symbolic.engines.ask.query import Listener, Query
from leadline.symbolic.engines.ask.result import Answer, Cause, Effort, JsonObject, Result, Verdict
from leadline.symbolic.engines.explore.facts import SimulateFacts
from leadline.symbolic.engines.prove.pdr.results import ProofFacts, ProofSize
from leadline.symbolic.engines.run.limits import Limits
from leadline.symbolic.engines.runs.formulas import split
from leadline.symbolic.engines.runs.loops import SAVE
from leadline.symbolic.engines.runs.parts import Method, Part, Reduction, runs_certificate
from leadline.symbolic.engines.runs.product import STUTTER, Product
from leadline.symbolic.engines.runs.random_walks import CountedSteps, ProductSteps
from leadline.symbolic.engines.runs.rounds import BEGIN, rounds_model
from leadline.symbolic.engines.runs.stabilizing import Moves
from leadline.symbolic.lang import Happens, Model, OutOfBounds, Property, expanded, expressions, nodes as n
from leadline.symbolic.meaning import Path, Steps
from leadline.symbolic.meaning.trace import action_named
from leadline.symbolic.meaning.walks import MOST_SECONDS, Walks
from leadline.symbolic.trace import Step, Trace, TraceEnd, disagreement, end_reason, replay, trace_of_path

MOST_ROUNDS = 20
"""Rounds that are tried. A run with more is likely to have them without end."""

LOOK = 15_000
"""States of the product that are looked at."""

COUNT = 100_000
"""States with rounds counted that are looked at where all states of the product are known, in `LONG` seconds."""

LONG = 10.0


class Counting:
    """Guesses about a product, from random walks and from counterexamples to earlier guesses.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        seed: what random choices are drawn from.
        share: the share of `MOST_SECONDS` that each of its random walks may take, above 0 and at most 1.

    Attributes:
        settling: the predicates that settle.
        most: the number of rounds that a run may have; None if there may be no such number.
        size: the number of states of the model that claims this, if all were found; else None.
    """

    def __init__(self, product: Product, name: str, seed: int = 0, share: float = 1.0) -> None:
        self._product, self._name = product, name
        self._seconds = share * MOST_SECONDS
        self._steps = ProductSteps(product, name)
        self._moves = Moves(product)
        walks: Walks[State] = Walks(self._steps, LOOK, Random(seed), self._seconds)
        self._moves.look(self._steps, walks.states, self._seconds)
        self.settling = self._moves.settling()
        found = self._walked(seed)
        while not walks.complete and self._moved([one[: self._steps.size] for one in found.states]):
            found = self._walked(seed)
        if walks.complete:
            found.walk(COUNT, LONG)
        self.most = self._rounds(found.states)
        self.size = len(found.states) if found.complete else None

    def _walked(self, seed: int) -> Walks[State]:
        """States of the product with its rounds counted."""
        return Walks(self._counting(MOST_ROUNDS), LOOK, Random(seed), self._seconds)

    def _counting(self, most: int) -> CountedSteps:
        moves = self._moves.moving(self.settling) if self.settling else None
        return CountedSteps(self._steps, most, moves)

    @property
    def steps(self) -> Steps:
        """The states and steps of the model that claims the number of rounds, without that model."""
        assert self.most is not None
        return self._counting(self.most)

    def _moved(self, states: Iterable[State]) -> bool:
        """Whether the steps from more states say something else about what settles."""
        self._moves.look(self._steps, dict.fromkeys(states), self._seconds)
        before, self.settling = self.settling, self._moves.settling()
        return before != self.settling

    def _rounds(self, states: Iterable[State]) -> int | None:
        most = max(map(self._counting(MOST_ROUNDS).rounds, states), default=0)
        return most if most <= MOST_ROUNDS else None

    def model(self, most: int) -> Model:
        """The model that claims a number of rounds."""
        return rounds_model(self._product, self._name, most, self.settling)

    def learn(self, trace: Trace) -> None:
        """Another guess, after a counterexample to the present one."""
        assert self.most is not None
        self.size = None
        size = len(self._product.variables)
        states = [stage.state[:size] for stage in trace.stages if stage.state is not None]
        for before, after in pairwise(states):
            self._moves.observe(before, after)
        settling = self._moves.settling()
        if settling == self.settling:
            self.most = self.most + 1 if self.most < MOST_ROUNDS else None
        self.settling = settling


Ask: TypeAlias = Callable[[Reduction, Part, int, Counting | None], Result]
"""Has an engine answer about a part of a claim, with so many questions; 0 is no limit.

The last argument is what the part's model was guessed by, if it counts rounds.
"""

PATIENCE = 100_000
"""Questions after which a proof by rounds gives way to one by loops, and that to one by rounds, ever longer."""


def answered(
    engine: Engine, model: Model, query: Query, new_solver: NewSolver, limits: Limits, listener: Listener
) -> Answer:
    """Have an engine that knows no runs answer a query, its claims about these reduced to invariants.

    The arguments are those of `Engine.answer`.
    """
    claims = query.chosen(model)
    runs = [one for one in claims if one.temporal is not None]
    names = tuple(one.name for one in claims if one.temporal is None)
    first = Answer(())
    sized = engine.facts is ProofFacts
    # Random runs tell of the model, whatever is asked.
    if names or query.deadlock or engine.facts is SimulateFacts:
        first = engine.answer(model, replace(query, properties=names), new_solver, limits, listener)

    def ask(about: Reduction, part: Part, questions: int, counting: Counting | None) -> Result:
        options = query.options.patient(questions)
        asked = replace(query, properties=(about.name,), options=options, deadlock=False)
        # Results about other models are not for the listener; progress is.
        only = Listener(listener.progress)
        by = engine if counting is None else engine.walking(counting.steps, counting.size)
        return by.answer(about.stated(part), asked, new_solver, limits, only).results[0]

    found = {one.property: one for one in first.results}
    facts = first.facts
    sizes = dict(facts.sizes) if isinstance(facts, ProofFacts) else {}
    # Those about steps alone first: others may take the rest of the time.
    for one in sorted(runs, key=lambda x: x.temporal is not None and split(x.temporal)[1] is not None):
        begin = time.process_time()
        claim = ReducedClaim(model, one, query, counts=sized)
        try:
            found[one.name] = claim.judged(ask)
        except Interrupted:
            # It tells of another model.
            unknown = Result("", query.engine, Verdict.UNKNOWN, reason="interrupted", cause=Cause.INTERRUPTED)
            told = [found.get(name) or replace(unknown, property=name) for name in query.names(model)]
            raise Interrupted(replace(first, results=told, facts=facts)) from None
        if sized:
            sizes[one.name] = replace(claim.size, cpu_seconds=round(time.process_time() - begin, 3))
            facts = ProofFacts(sizes)
        listener.done(found[one.name])
    return replace(first, results=[found[name] for name in query.names(model)], facts=facts)


class ReducedClaim:
    """A claim about runs of a model.

    Args:
        model: the model.
        claim: the claim.
        query: the query.
        counts: whether proofs by rounds are tried.
        leaves: see `Reduction`.
    """

    def __init__(
        self,
        model: Model,
        claim: Property,
        query: Query,
        *,
        counts: bool,
        leaves: Mapping[Happens, n.Node] | None = None,
    ) -> None:
        self.model, self.name, self.query, self.counts = model, claim.name, query, counts
        self.reduction = Reduction(model, claim, leaves)
        self.formula = self.reduction.formula
        self.semantics = Semantics(model)
        self.parts: list[tuple[Part, Result]] = []

    def judged(self, ask: Ask) -> Result:
        """The answer of an engine.

        Args:
            ask: has the engine answer about a part of the claim.
        """
        for method in self.reduction.needs():
            skipped = Verdict.VIOLATED if method is not Method.BOUNDS else Verdict.OUT_OF_BOUNDS
            if self.known >= skipped:
                continue
            if method is Method.LOOPS and self.counts:
                for conjunct in self.reduction.conjuncts:
                    self._live(ask, conjunct)
                    if self.parts[-1][1].verdict is not Verdict.PROVED:
                        break
            else:
                self._ask(ask, Part(method))
        return self.result()

    @property
    def known(self) -> Verdict:
        """The worst verdict about a part so far."""
        return max((one.verdict for _, one in self.parts), default=Verdict.PROVED)

    def note(self, part: Part, result: Result) -> None:
        """Take the result about the model of a part."""
        self.parts.append((part, self._told(result)))

    def result(self) -> Result:
        """The answer that the parts come to."""
        results = [one for _, one in self.parts]
        worst = max(results, key=lambda one: one.verdict)
        loops = any(part.method is Method.LOOPS for part, _ in self.parts)
        effort = Effort()
        for one in results:
            effort = effort.plus(one.effort)
        depth = min(one.depth for one in results)
        return replace(worst, effort=effort, depth=depth, loops=loops, certificate=self._certificate())

    def _live(self, ask: Ask, conjunct: int | None) -> None:
        """Ask about what is not safety: by rounds and by loops in turn, each time with more questions."""
        share = min(1.0, 2 / len(self.reduction.conjuncts))
        counting = Counting(self.reduction.product(conjunct), self.name, self.query.seed, share)
        for turn in itertools.count():
            limit = PATIENCE << 2 * turn
            while counting.most is not None:
                settled = tuple(tuple(x.text for x in level) for level in counting.settling)
                part = Part(Method.ROUNDS, counting.most, settled, conjunct)
                result = ask(self.reduction, part, limit, counting)
                if result.verdict is not Verdict.VIOLATED:
                    break
                # It has a round too many, and may be the beginning of a run that is not fair.
                assert result.trace is not None
                counting.learn(result.trace)
            if counting.most is not None and result.verdict is not Verdict.UNKNOWN:
                self.note(part, result)
                return
            if self._ask(
                ask, Part(Method.LOOPS, conjunct=conjunct), limit if counting.most is not None else 0
            ):
                return

    def _ask(self, ask: Ask, part: Part, limit: int = 0) -> bool:
        """Ask about a part; whether there is an answer within the limit, or none is to be had."""
        result = ask(self.reduction, part, limit, None)
        if limit and result.verdict is Verdict.UNKNOWN:
            return False
        self.note(part, result)
        return True

    def _told(self, result: Result) -> Result:
        """The result about another model, as one about the claim."""
        if result.trace is None:
            return result
        trace = self._restored(result.trace)
        verdict = Verdict.VIOLATED if trace.ends is TraceEnd.VIOLATES else Verdict.OUT_OF_BOUNDS
        reason = end_reason(self.semantics, trace)
        return replace(result, verdict=verdict, trace=trace, steps=trace.length, reason=reason)

    def _certificate(self) -> JsonObject | None:
        """The certificate of a proof, made of those of its parts."""
        proofs = [(part, one.certificate) for part, one in self.parts if one.certificate is not None]
        return runs_certificate(self.model, proofs) if len(proofs) == len(self.parts) else None

    @property
    def size(self) -> ProofSize:
        """The size of the proof."""
        known = ProofSize(frames=max(one.depth for _, one in self.parts))
        made = self._certificate()
        if made is None:
            return known
        orbits = [orbit for part in made["parts"] for orbit in part["clauses"]]
        methods = [part.text for part, _ in self.parts]
        return replace(known, clauses=sum(map(len, orbits)), orbits=len(orbits), methods=methods)

    # -- counterexamples ------------------------------------------------------------------------------

    def _restored(self, trace: Trace) -> Trace:
        """A counterexample of another model as one of the model itself, replayed."""
        path: list[Step] = []
        saved: int | None = None
        for step in trace.stages:
            if step.action == SAVE:
                saved = len(path) - 1
            elif step.action not in (STUTTER, BEGIN):
                path.append(self._own(step))
        if trace.ends is TraceEnd.VIOLATES:
            plain = trace_of_path(tuple(path), TraceEnd.VIOLATES, self.name)
            found = self._going_on(plain, saved) or self._outside(plain) or plain
        else:
            found = self._out_of_bounds(tuple(x for x in path if x.state is not None))
        replay(self.semantics, found)
        return found

    def _own(self, step: Step) -> Step:
        """A step without the monitor's part."""
        action = action_named(self.model, step.action)
        picks = {one.name: step.picks[one.name] for one in action.picks if one.name in step.picks}
        state = None if step.state is None else step.state[: len(self.model.variables)]
        return Step(step.action, picks, state)

    def _going_on(self, trace: Trace, saved: int | None) -> Trace | None:
        """The run with its loop, if the formula needs one: back to the state that was saved, or stopping.

        None if the formula is not false of it: it may have no value there.
        """
        places = [None, trace.length] if saved is None else [None, saved, trace.length]
        forms = [replace(trace, loop=place) for place in places]
        return next((x for x in forms if disagreement(self.semantics, x) is None), None)

    def _out_of_bounds(self, path: Path) -> Trace:
        """A run out of bounds: by a step of the model from its last state, or by the evaluation of the formula."""
        last = path[-1].state if path else None
        outcomes = list(self.semantics.initial() if last is None else self.semantics.successors(last))
        beyond = next((one for one in outcomes if one.state is None), None)
        if beyond is not None:
            return trace_of_path((*path, beyond), TraceEnd.OUT_OF_BOUNDS)
        # It is the formula, in the last state or in a step from there.
        paths = [*([path] if path else []), *((*path, one) for one in outcomes)]
        runs = [trace_of_path(one, TraceEnd.OUT_OF_BOUNDS, self.name) for one in paths]
        return next((one for one in map(self._outside, runs) if one is not None), runs[0])

    def _outside(self, trace: Trace) -> Trace | None:
        """The run up to the first state or step in which the evaluation of the formula goes out of bounds."""
        runs, nodes = Runs(self.semantics), expressions(expanded(self.formula))
        for number in range(trace.length + 1):
            visited = [stage.state for stage in trace.stages[: number + 1] if stage.state is not None]
            try:
                for node in nodes:
                    runs.evaluate(node, visited[-2:])
            except OutOfBounds:
                return replace(trace, steps=trace.steps[:number], ends=TraceEnd.OUT_OF_BOUNDS)
        return None

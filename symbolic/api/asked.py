"""A query that is put to its engine, and its answer in lines and tables."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from leadline.symbolic.api.wording import WORDINGS
from leadline.symbolic.catalog import Entry
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import (
    ENGINES,
    Answer,
    Interrupted,
    Limits,
    Listener,
    Progress,
    Query,
    Result,
    Table,
    Verdict,
    answer,
)
from leadline.symbolic.engines.ask.result import Cause, Judgement, judgement
from leadline.symbolic.engines.ask.widening import Kept, widened_answers
from leadline.symbolic.engines.explore.explore import has_slots
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.run.parallel import with_types
from leadline.symbolic.lang import Model, UserError, counted
from leadline.symbolic.meaning.trace import title
from leadline.symbolic.trace import Line, Trace, cti_lines, end_reason, lines

GRACE = 1.0
"""Seconds for which a failure is kept for the answer: a search that ends by then tells all at once."""


class _FirstFailure(KeyboardInterrupt):
    """The first property that fails ends the search."""


_BEYOND = ""
"""The subject of a step out of bounds, which concerns all properties."""


class _SoFar:
    """The results and the progress of a query so far.

    Args:
        model: the model that it is about.
        heard: is told of the progress.
        show: takes it as text.
        names: what is asked for.
        count: the number of the parts of the question.
        early: is told of each property that fails and of what goes out of bounds, after a while, and what is still
            open then; None if nobody is.
        fail_fast: whether the first of them ends the search.
        shortens: whether a shorter counterexample is looked for: a property fails once that search has ended.

    Attributes:
        results: the results by what they are about.
        reached: the progress by engine.
        failed: the results about properties that fail.
        listener: is told of all of it.
    """

    def __init__(
        self,
        model: Model,
        heard: Callable[[Progress], object],
        show: Callable[[str], object],
        names: Sequence[str],
        count: int,
        early: Callable[[Result, Sequence[str]], None] | None,
        fail_fast: bool,
        shortens: bool,
    ) -> None:
        self._model, self._heard, self._show, self._count = model, heard, show, count
        self._names = names
        self._early, self._fail_fast = early, fail_fast
        self._due: dict[str, float] = {}
        self._news: dict[str, Result] = {}
        self.results: dict[object, Result] = {}
        self.reached: dict[str, Progress] = {}
        self.failed: dict[str, Result] = {}
        told = self._told if shortens else self._done
        self.listener = Listener(self._progress, told, self._done, self._tell)

    def begin_again(self, model: Model, known: Iterable[Result]) -> None:
        """Forget what was told about the model with narrower types, since its runs are not runs of this one.

        Args:
            model: the model with wider types.
            known: the results that stay, with runs of this model.
        """
        self._model = model
        self._due = {name: due for name, due in self._due.items() if due == math.inf}
        for told in (self.results, self.failed):
            told.clear()
        for result in known:
            self._done(result)

    def _progress(self, now: Progress) -> None:
        self.reached[now.engine] = now
        self._heard(now)
        self._show("; ".join(map(str, self.reached.values())))
        self._tell()

    def _told(self, result: Result) -> None:
        self.results[result.about] = result
        if self._is_error(result) and _BEYOND not in self._news:
            self._announce(_BEYOND, result)
        if result.part is not None:
            self._show(f"{len(self.results)} of {self._count} parts")

    def _done(self, result: Result) -> None:
        self._told(result)
        fails = result.verdict is Verdict.VIOLATED and judgement(self._model, result) is Judgement.FAILED
        if fails:
            self._announce(result.property, result)
        if fails or self._is_error(result):
            self.failed[result.property] = result
            if self._fail_fast:
                raise _FirstFailure

    def _is_error(self, result: Result) -> bool:
        """Whether a run goes out of bounds, and has not only left the types of a module, which will be wider."""
        final = self._model.origin is None or self._model.alone
        return result.verdict is Verdict.OUT_OF_BOUNDS and final

    def _announce(self, subject: str, result: Result) -> None:
        """Have a result told after a while. A shorter counterexample takes the place of a longer one."""
        self._due.setdefault(subject, time.monotonic() + GRACE)
        self._news[subject] = result

    def _tell(self) -> None:
        for name, due in self._due.items():
            if self._early is not None and due < time.monotonic():
                self._due[name] = math.inf
                known = {x.property for x in self.results.values() if x.definite and x.part is None}
                self._early(self._news[name], [x for x in self._names if x not in known])


Part: TypeAlias = str | Line | Table
"""A part of an answer for a person."""


class Asked:
    """A query and its answer.

    Args:
        entry: the protocol.
        model: the model that it makes.
        query: the question.
    """

    def __init__(self, entry: Entry, model: Model, query: Query) -> None:
        self.entry = entry
        self.model = model
        self.query = query
        self.engine = ENGINES[query.engine]
        self.wording = WORDINGS[query.engine]
        self.answer = Answer(())
        self._shown: list[Result] = []

    def check_asks(self, mend: str) -> None:
        """Check that something is asked.

        Args:
            mend: how to ask for deadlocks.

        Raises:
            UserError: if there is nothing to check.
        """
        if self.wording.needs_property and self.query.properties == () and not self.query.deadlock:
            raise UserError(
                f"there is nothing to check: {self.entry.name} has no property at these parameters; state "
                f"one, or ask for deadlocks with {mend}"
            )

    def put(
        self,
        limits: Limits,
        heard: Callable[[Progress], object],
        show: Callable[[str], object],
        ask: Callable[[Model, Listener], Answer] | None = None,
        *,
        early: Callable[[Result, Sequence[str]], None] | None = None,
        fail_fast: bool = False,
    ) -> None:
        """Have the query answered.

        Args:
            limits: the most that it may use.
            heard: is told of the progress.
            show: takes a text that says how far the search is, whenever that changes.
            ask: answers it in another way than `answer`.
            early: is told of a property that fails, and of what goes out of bounds, if the search goes on for a
                while, and what is still open then.
            fail_fast: whether a property that fails, or a run out of bounds, ends the search.

        Raises:
            Interrupted: on Ctrl-C, with a message; the answer so far is kept.
        """
        count = len(self.engine.parts(self.model, self.query))
        names = self.query.names(self.model)
        so_far = _SoFar(self.model, heard, show, names, count, early, fail_fast, self.query.options.shortens)
        narrow, kept = self.model, Kept() if ask is None else None

        def asked(model: Model, rest: Limits) -> Answer:
            self.model = model
            if model is not narrow:
                so_far.begin_again(model, () if kept is None else kept.violated.values())
                show("a run leaves the types learned so far: again, with wider ones")
            if ask is not None:
                return ask(model, so_far.listener)
            assert kept is not None
            query = kept.left(model, self.query)
            nothing = query.properties == () and not query.deadlock and self.query.properties != ()
            return Answer(()) if nothing else answer(model, query, rest, so_far.listener)

        try:
            for _, found in widened_answers(narrow, limits, asked, kept):
                self._take(found)
            self._take(_in_words_of_module(self.model, self.answer))
        except Interrupted as interrupted:
            self._take(interrupted.answer)
            if not fail_fast or not so_far.failed:
                raise
            self._take(self._cut_short(self.answer, so_far.failed))
        except KeyboardInterrupt as error:
            self._take(with_types(self.model, Answer(list(so_far.results.values()))))
            if not isinstance(error, _FirstFailure):
                reached = list(so_far.reached.values())
                raise Interrupted(self.answer, self._interrupted(reached)) from None
            self._take(self._cut_short(self.answer, so_far.failed))

    def _take(self, found: Answer) -> None:
        self.answer = found
        self.model = found.model or self.model

    def _cut_short(self, answer: Answer, failed: Mapping[str, Result]) -> Answer:
        """The answer of a search that the first property that fails has ended."""
        known = {one.property: one for one in answer.results if one.definite}
        why = f"the search ended when {' and '.join(failed)} had failed (--fail-fast)"
        results = [
            known.get(name)
            or Result(name, self.engine.name, Verdict.UNKNOWN, reason=why, cause=Cause.INTERRUPTED)
            for name in self.query.names(self.model)
        ]
        facts = answer.facts
        if isinstance(facts, ExploreFacts) and facts.stopped is not None:
            facts = replace(facts, stopped="--fail-fast")
        return replace(answer, results=results, facts=facts)

    def _interrupted(self, reached: Sequence[Progress]) -> str:
        """A sentence on the progress of an interrupted search, or of each of several."""
        parts = self.engine.parts(self.model, self.query)
        if any(part for _, part in parts):
            return f"interrupted; {len(self.answer.results)} of {counted(len(parts), 'part')} answered so far"
        known = {one.property for one in self.answer.results if one.definite}
        left = ", ".join(name for name, _ in parts if name not in known) or "nothing left to search"
        if len(reached) > 1:
            far = "; ".join(f"{now.engine}: {now}" for now in reached)
            return f"interrupted; no answer so far: {left} ({far})"
        begun = reached and reached[0].depth >= 0
        depth = f"within {reached[0].depth} steps" if begun else "at any depth"
        return f"interrupted; no counterexample {depth} so far: {left}"

    @property
    def verdicts(self) -> Sequence[Result]:
        """A result for each property."""
        return self.wording.verdicts(self.model, self.query, self.answer)

    def described(self, *, every: bool = False) -> Iterator[Part]:
        """The answer for a person; the worst is last, where it stays on the screen.

        Args:
            every: whether to show the runs that reach probes.
        """
        semantics = Semantics(self.model)
        yield title(self.model)
        if self.answer.results or self.answer.facts:
            yield from self.wording.describe(self.model, self.query, self.answer)
        yield from self.reasons(semantics)
        yield from self._cti(semantics)
        for trace in self.traces(self.answer.results, every=every):
            yield ""
            yield from lines(semantics, trace)

    def _cti(self, semantics: Semantics) -> Iterator[Part]:
        failing = [one.cti for one in self.answer.results if one.cti is not None]
        if not failing:
            return
        yield ""
        yield from cti_lines(semantics, failing[0])
        if len(failing) > 1:
            yield f"{counted(len(failing) - 1, 'more obligation')} failed: see one with --obligation"

    def reasons(self, semantics: Semantics) -> Iterator[str]:
        """The reasons of verdicts, where a trace or a counterexample to induction does not tell them."""
        found: dict[str, dict[str, None]] = {}
        for result in self.answer.results:
            # The last line of a trace that is out of bounds tells the reason; so does a CTI.
            shown = end_reason(semantics, result.trace) if result.trace is not None else None
            if result.why != shown and result.cti is None:
                names = found.setdefault(str(result.why), {})
                names["unknown" if result.part else result.property] = None
        for reason, names in found.items():
            yield f"{', '.join(names)}: {reason}"

    def failure(self, result: Result) -> Iterator[Part]:
        """A property that fails, for a person, before the answer: with its run, which the answer leaves out.

        Args:
            result: the result, as the engine told it.
        """
        found = _in_words_of_module(self.model, with_types(self.model, Answer([result])))
        (typed,), semantics = found.results, Semantics(found.model or self.model)
        self._shown.append(typed)
        if typed.trace is not None:
            yield from lines(semantics, typed.trace)

    def traces(self, results: Sequence[Result], *, every: bool) -> list[Trace]:
        """The traces that were not shown during the search, the worst last.

        Each is given once: one step out of bounds may be the reason of several verdicts.

        Args:
            results: the answers that they belong to.
            every: whether to include the runs that reach probes.
        """
        shown = {(one.property, one.steps) for one in self._shown}
        results = [one for one in results if (one.property, one.steps) not in shown]
        failed = [one for one in results if judgement(self.model, one) is Judgement.FAILED]
        others = [one for one in results if every and one not in failed]
        worst_last = [*others, *sorted(failed, key=lambda one: one.verdict)]
        earlier = [one.trace for one in self._shown if one.trace is not None]
        found: list[Trace] = []
        for trace in (self.answer.out_of_bounds, *(one.trace for one in worst_last)):
            if trace is None or any(trace.same_cause(one) for one in found):
                continue
            if not any(trace.same_cause(one) and trace.length == one.length for one in earlier):
                found.append(trace)
        return found


def _in_words_of_module(model: Model, found: Answer) -> Answer:
    """An answer in the module's variables alone, with messages in place of slots, which no person has written."""
    recorded = None if model.origin is None else model.origin.recorded
    if recorded is None and not has_slots(one.type for one in model.variables):
        return found
    # Here, since protocols in Python need none of it.
    from leadline.symbolic.engines.explore.specifications import without_slots

    return without_slots(model, found)

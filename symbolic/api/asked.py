"""A query that is put to its engine, and its answer in lines and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    answer,
)
from leadline.symbolic.engines.ask.judgement import Judgement, judgement
from leadline.symbolic.engines.ask.widening import widened_answers
from leadline.symbolic.lang import Model, UserError, counted
from leadline.symbolic.trace import Line, Trace, cti_lines, end_reason, lines, read_cti
from leadline.symbolic.trace.trace import title

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
        ask: Callable[[Listener], Answer] | None = None,
    ) -> None:
        """Have the query answered.

        Args:
            limits: the most that it may use.
            heard: is told of the progress.
            show: takes a text that says how far the search is, whenever that changes.
            ask: answers it in another way than `answer`.

        Raises:
            Interrupted: on Ctrl-C, with a message; the answer so far is kept.
        """
        so_far: dict[object, Result] = {}
        reached: dict[str, Progress] = {}
        count = len(self.engine.parts(self.model, self.query))

        def progress(now: Progress) -> None:
            reached[now.engine] = now
            heard(now)
            show("; ".join(map(str, reached.values())))

        def told(result: Result) -> None:
            so_far[result.about] = result
            if result.part is not None:
                show(f"{len(so_far)} of {count} parts")

        listener = Listener(progress, told, told)
        narrow = self.model

        def asked(model: Model, rest: Limits) -> Answer:
            self.model = model
            if model is narrow and ask is not None:
                return ask(listener)
            if model is not narrow:
                show("a run leaves the types learned so far: again, with wider ones")
            return answer(model, self.query, rest, listener)

        try:
            for _, self.answer in widened_answers(narrow, limits, asked):
                self.model = self.answer.model or self.model
        except Interrupted as interrupted:
            self.answer = interrupted.answer
            self.model = self.answer.model or self.model
            raise
        except KeyboardInterrupt:
            self.answer = Answer(list(so_far.values()))
            raise Interrupted(self.answer, self._interrupted(list(reached.values()))) from None

    def _interrupted(self, reached: Sequence[Progress]) -> str:
        """A sentence on the progress of an interrupted search, or of each of several."""
        parts = self.engine.parts(self.model, self.query)
        if any(part for _, part in parts):
            return f"interrupted; {len(self.answer.results)} of {counted(len(parts), 'part')} answered so far"
        known = {one.property for one in self.answer.results}
        left = ", ".join(name for name, _ in parts if name not in known) or "nothing left to search"
        if len(reached) > 1:
            far = "; ".join(f"{now.engine}: {now}" for now in reached)
            return f"interrupted; no answer so far: {left} ({far})"
        depth = f"within {reached[0].depth} steps" if reached else "at any depth"
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
        """The first counterexample to induction."""
        failing = [one.cti for one in self.answer.results if one.cti is not None]
        if not failing:
            return
        yield ""
        yield from cti_lines(semantics, read_cti(self.model, failing[0]))
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

    def traces(self, results: Sequence[Result], *, every: bool) -> list[Trace]:
        """The traces, the worst last, each once: one step out of bounds may be the reason of several verdicts.

        Args:
            results: the answers that they belong to.
            every: whether to include the runs that reach probes.
        """
        failed = [one for one in results if judgement(self.model, one) is Judgement.FAILED]
        others = [one for one in results if every and one not in failed]
        worst_last = [*others, *sorted(failed, key=lambda one: one.verdict)]
        return distinct([self.answer.out_of_bounds, *(one.trace for one in worst_last)])


def distinct(traces: Iterable[Trace | None]) -> list[Trace]:
    """The traces without those that are there already, and without those that tell of the same cause."""
    found: list[Trace] = []
    for trace in traces:
        if trace is not None and not any(trace.same_cause(one) for one in found):
            found.append(trace)
    return found

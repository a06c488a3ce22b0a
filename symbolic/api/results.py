"""Answers as Python objects: a result for each property, each with its verdict and its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.api.diagnostics import sarif
from leadline.symbolic.api.states import Trace, frame
from leadline.symbolic.api.tables import plain
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Effort, Result as EngineResult
from leadline.symbolic.engines.ask.result import JsonObject, Judgement, judgement, kind_of, said, verdict_text
from leadline.symbolic.engines.prove.certificates import certificate
from leadline.symbolic.lang import PropertyKind, counted, unknown_name
from leadline.symbolic.meaning.trace import title
from leadline.symbolic.trace import Trace as Run, cti_lines

if TYPE_CHECKING:
    from pandas import DataFrame

VerdictName: TypeAlias = Literal["proved", "safe", "unknown", "out-of-bounds", "violated"]
"""A verdict, the worst last. "proved" holds at every depth, "safe" as deep as the search went."""


class Result:
    """The answer about one property.

    Attributes:
        property: the property's name, or "deadlock".
        verdict: "proved", "safe", "unknown", "out-of-bounds" or "violated".
        steps: the length of the counterexample in steps, or None.
        depth: the deepest layer known to hold no counterexample, -1 if none is.
        unroll: the content of a layer, "steps" or "sweeps"; None for an engine that has no layers.
        engine: the engine that answered.
        solver: the solver that answered; None for an engine that takes none.
        reason: why the verdict is unknown, the value that is out of bounds, and other notes; or None.
        cause: of an unknown verdict, its cause in a word, such as "time" or "not-inductive"; for programs.
        statistics: the cost of the answer: seconds, megabytes, variables and clauses.
    """

    def __init__(self, asked: Asked, found: EngineResult) -> None:
        self.property = found.property
        self.verdict = cast(VerdictName, str(found.verdict))
        self.steps = found.steps
        self.depth = found.depth
        self.unroll = found.unroll
        self.engine = found.engine
        self.solver = found.solver
        self.reason = found.why
        self.cause = None if found.cause is None else str(found.cause)
        self.statistics: Effort = found.effort
        self._asked = asked
        self._found = found

    @property
    def holds(self) -> bool:
        """Whether the property holds, at every depth or as deep as the search went."""
        return self.verdict in ("proved", "safe")

    @property
    def probe(self) -> bool:
        """Whether the property is a probe, which should be violated."""
        return kind_of(self._asked.model, self.property) is PropertyKind.PROBE

    @property
    def judgement(self) -> Judgement:
        """Whether the answer is as it should be: "passed", "failed", or "open" if that is not known.

        A property should hold. A probe should be violated, that is, reached; one that is not reached within
        the bound is open, and one that is unreachable has failed.
        """
        return judgement(self._asked.model, self._found)

    def __bool__(self) -> bool:
        """Whether the answer is as it should be, so that `assert leadline.prove(...)` asserts it."""
        return self.judgement is Judgement.PASSED

    @property
    def said(self) -> str:
        """The verdict in a word or two, such as "reached" for that of a probe."""
        kind = kind_of(self._asked.model, self.property)
        return said(kind, self._found.verdict, complete=self._found.complete)

    @cached_property
    def trace(self) -> Trace | None:
        """The counterexample, replayed by the concrete meaning; None without one."""
        return trace_of(self._asked, self._found.trace)

    @cached_property
    def certificate(self) -> JsonObject | None:
        """The proof as a JSON object, which `leadline prove --recheck` reads; None if there is none."""
        return certificate_of(self._asked, self._found)

    @property
    def cti(self) -> str | None:
        """The first counterexample to induction of a proof that failed, as text; None without one."""
        failing = (one.cti for one in self._asked.answer.results if one.property == self.property)
        cti = next((one for one in failing if one is not None), None)
        if cti is None:
            return None
        return "\n".join(map(str, cti_lines(Semantics(self._asked.model), cti)))

    def __repr__(self) -> str:
        return f"<Result of {self.property}: {self}>"

    def __str__(self) -> str:
        text = verdict_text(self._asked.model, self._found)
        return text if self.steps is None else f"{text} ({counted(self.steps, 'step')})"

    def _repr_html_(self) -> str:
        from leadline.symbolic.api.html import result_html

        return result_html(self)


class Results(Mapping[str, Result]):
    """The answer to a question: a result for each property, by its name. Printed, it is the report.

    Attributes:
        protocol: the protocol's name.
        parameters: the value of each of its parameters.
        title: both, and the constraints that the answers depend on.
        engine: the engine that was asked.
        facts: further facts by name: of `explore` the numbers of states, of `simulate` those of runs.
    """

    def __init__(self, asked: Asked) -> None:
        self.protocol = asked.model.protocol
        self.parameters = dict(asked.model.parameters)
        self.title = title(asked.model)
        self.engine = asked.engine.name
        told = asked.answer.facts
        self.facts: JsonObject = {} if told is None else told.to_json()
        self._asked = asked
        self._results = {found.property: Result(asked, found) for found in asked.verdicts}

    def __getitem__(self, name: str) -> Result:
        if name not in self._results:
            raise KeyError(unknown_name("there is no result about", name, list(self._results)))
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def holds(self) -> bool:
        """Whether every property holds, each probe is reached, and no step goes out of bounds."""
        passed = all(one.judgement is Judgement.PASSED for one in self.values())
        return passed and self._asked.answer.out_of_bounds is None

    def __bool__(self) -> bool:
        """`holds`, so that `assert leadline.check(...)` asserts it."""
        return self.holds

    @cached_property
    def out_of_bounds(self) -> Trace | None:
        """A run to a step that goes out of bounds, where the engine found one; or None."""
        return trace_of(self._asked, self._asked.answer.out_of_bounds)

    def to_json(self) -> dict[str, Any]:
        """The answer as the JSON object that `--format json` writes."""
        return self._asked.wording.as_json(self._asked.model, self._asked.query, self._asked.answer)

    def to_sarif(self) -> dict[str, Any]:
        """The answer in SARIF, a JSON object: a result at its line for each property that fails."""
        return sarif(self._asked)

    def to_pandas(self) -> DataFrame:
        """A row for each property, with its verdict and its cost.

        Raises:
            UserError: if pandas is not installed.
        """
        names = ("property", "verdict", "steps", "depth", "unroll", "engine", "solver", "reason")
        rows = [
            {
                **{name: getattr(one, name) for name in names},
                "seconds": one.statistics.total,
                "memory_mb": one.statistics.memory_mb,
            }
            for one in self.values()
        ]
        return frame(rows, "result")

    def __repr__(self) -> str:
        told = ", ".join(f"{name}: {one}" for name, one in self.items())
        return f"<Results of {self.protocol}: {told}>"

    def __str__(self) -> str:
        return "\n".join(line for part in self._asked.described() for line in plain(part))

    def _repr_html_(self) -> str:
        from leadline.symbolic.api.html import results_html

        return results_html(self)


def trace_of(asked: Asked, run: Run | None) -> Trace | None:
    """A run as users see it."""
    return None if run is None else Trace(asked.model, run, asked.entry.source)


def certificate_of(asked: Asked, found: EngineResult) -> JsonObject | None:
    """The certificate of a proof; None for other verdicts, and for engines without certificates."""
    if not found.holds:
        return None
    if found.certificate is None and any(one.part is not None for one in asked.answer.results):
        return certificate(asked.model, found.property, asked.answer.results, source=asked.entry.source)
    return found.certificate

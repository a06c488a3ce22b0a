"""Verdicts and results, the one family of answers that every engine gives; and the judgement of an answer.

An invariant should hold. A probe should be violated, which shows that something can be reached. Exit codes,
reports, tests and grids all ask `judged`, or `judgement` of a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from leadline.symbolic.lang import Model, PropertyKind, Value, counted
from leadline.symbolic.trace import DROPS, Cti, Trace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

JsonObject: TypeAlias = Mapping[str, Any]
"""A JSON object that was read. Whoever looks into it knows, or checks, what it holds."""


class Verdict(IntEnum):
    """The answer about a property, from the best to the worst: the verdict of several is their `max`."""

    PROVED = 0
    SAFE = 1
    UNKNOWN = 2
    OUT_OF_BOUNDS = 3
    VIOLATED = 4

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")

    @classmethod
    def named(cls, text: str) -> Verdict:
        """The verdict that `str` spells so."""
        return cls[text.upper().replace("-", "_")]


class Cause(StrEnum):
    """The cause of an unknown verdict: programs decide by it, and never by the words of a reason."""

    TIME = "time"
    """The limit on time has passed."""

    MEMORY = "memory"
    """The limit on memory, or the memory, was used up."""

    DEPTH = "depth"
    """There is neither a proof nor a counterexample within the depth asked."""

    QUESTIONS = "questions"
    """The limit on questions to solvers was reached."""

    STATES = "states"
    """The limit on states was reached."""

    RUNS = "runs"
    """No random run shows a violation."""

    TYPES = "types"
    """No finite types hold the values of a specification, it seems."""

    NO_FORM = "no-form"
    """A value of a specification has no symbolic form."""

    LOG = "log"
    """A log, or its map, has mistakes."""

    SOLVER = "solver"
    """The solver gave up."""

    NOT_INDUCTIVE = "not-inductive"
    """A part of a proof does not hold: the property may still hold, this proof of it fails."""

    INTERRUPTED = "interrupted"
    """The user ended the search."""

    CRASH = "crash"
    """The query's process failed."""

    CHANGED = "changed"
    """The protocol was changed between the plan of a grid and the query."""

    ERROR = "error"
    """A task of a grid failed."""

    LOST = "lost"
    """The machine that ran a task of a grid was lost."""

    PART = "part"
    """A part of the question has no answer."""


@dataclass(frozen=True)
class Stop:
    """The end of a search that has no answer yet.

    Attributes:
        cause: why it ended.
        text: the same for a person.
    """

    cause: Cause
    text: str


class NoteKind(StrEnum):
    """The kinds of notes on a proof."""

    VACUOUS = "vacuous"
    """The property holds vacuously."""

    PARTLY_VACUOUS = "partly-vacuous"
    """A part of the property holds vacuously."""

    NEVER_TAKEN = "never-taken"
    """An action is never taken."""


class Note(NamedTuple):
    """A note on a proof.

    Attributes:
        kind: its kind.
        text: the note in words.
    """

    kind: NoteKind
    text: str


def in_words(reason: str | None, notes: Sequence[Note]) -> str | None:
    """A reason and notes, for a person; None without any."""
    return "; ".join([*filter(None, [reason]), *(note.text for note in notes)]) or None


@dataclass(frozen=True)
class Effort:
    """The cost of an answer.

    Attributes:
        build: seconds spent on making terms and clauses.
        solve: seconds spent in the solver.
        total: seconds from start to end.
        memory_mb: the process's peak memory in megabytes.
        variables: variables given to the solver.
        clauses: clauses given to the solver.
    """

    build: float = 0.0
    solve: float = 0.0
    total: float = 0.0
    memory_mb: float = 0.0
    variables: int = 0
    clauses: int = 0

    def to_json(self) -> dict[str, object]:
        """The effort as members of a JSON object, rounded."""
        return {
            "seconds": {
                "build": round(self.build, 3),
                "solve": round(self.solve, 3),
                "total": round(self.total, 3),
            },
            "memory_mb": round(self.memory_mb, 1),
            "variables": self.variables,
            "clauses": self.clauses,
        }

    def plus(self, other: Effort) -> Effort:
        """This effort and another after it in the same process."""
        return Effort(
            self.build + other.build,
            self.solve + other.solve,
            self.total + other.total,
            max(self.memory_mb, other.memory_mb),
            self.variables + other.variables,
            self.clauses + other.clauses,
        )


Part: TypeAlias = tuple[str, str | None]
"""The subject of one result: a property, and a part of its proof or None."""


@dataclass(frozen=True)
class Result:
    """An engine's answer about one property, or about one part of its proof.

    Attributes:
        property: the property's name, or "deadlock".
        engine: the engine that answered.
        verdict: see `Verdict`; `SAFE` speaks of the states at most `depth` layers away. A part of a proof is
            proved if it holds, else unknown.
        effort: the cost of the answer.
        solver: the solver that answered or was asked; None for an engine that takes none.
        part: the part of a proof that this is about, such as an obligation's name.
        depth: the deepest layer known to hold no counterexample, -1 if none is. No bad state within so many
            sweeps means none within as many steps, and usually far more.
        unroll: a layer's content: "steps" or "sweeps"; None for an engine that has no layers.
        steps: the length of the counterexample in steps, or None.
        trace: the counterexample, replayed by the concrete meaning.
        reason: the reason for an unknown verdict, or for not knowing whether the counterexample is a shortest
            one; or the value that is out of bounds. It is for people only.
        cause: the cause of an unknown verdict.
        notes: notes on a proof by exploration.
        cti: the counterexample to induction of a part that does not hold, replayed by the concrete meaning.
        refuted: whether a proof that was rechecked is wrong.
        loops: whether the layers belong to a search for a loop. Some of them take no step, but choose where
            the loop begins, so that `depth` is no number of steps.
        certificate: the proof as JSON that `leadline prove --recheck` reads, where the engine has one.
        complete: whether every reachable state was looked at.
        reached: of an unknown verdict, how far each engine or solver came, by its name.
    """

    property: str
    engine: str
    verdict: Verdict
    effort: Effort = field(default_factory=Effort)
    solver: str | None = None
    part: str | None = None
    depth: int = -1
    unroll: str | None = None
    steps: int | None = None
    trace: Trace | None = None
    reason: str | None = None
    cause: Cause | None = None
    notes: tuple[Note, ...] = ()
    cti: Cti | None = None
    refuted: bool = False
    loops: bool = False
    certificate: JsonObject | None = None
    complete: bool = False
    reached: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def about(self) -> Part:
        """The subject."""
        return self.property, self.part

    @cached_property
    def holds(self) -> bool:
        """Whether this proves its subject."""
        return self.verdict is Verdict.PROVED

    @cached_property
    def fails(self) -> bool:
        """Whether this is a proof, or a part of one, that does not hold."""
        return self.refuted or self.cti is not None

    @cached_property
    def definite(self) -> bool:
        """Whether the question is answered; a part of a proof that does not hold is an answer."""
        return self.verdict is not Verdict.UNKNOWN or self.fails

    @cached_property
    def why(self) -> str | None:
        """The reason and the notes, for a person; None without any."""
        return in_words(self.reason, self.notes)

    def is_shorter(self, other: Result) -> bool:
        """Whether this is a shorter counterexample than the other, of the same kind."""
        if self.steps is None or other.steps is None or self.verdict is not other.verdict:
            return False
        return self.steps < other.steps

    def perhaps_longer(self, why: str) -> Result:
        """The same with a note that the search for a shortest counterexample did not end."""
        perhaps = f"perhaps not the shortest: {why}"
        return replace(self, reason=f"{self.reason}; {perhaps}" if self.reason else perhaps)

    def unless_minimal(self, minimal: bool) -> Result:
        """The same with a note that steps of the counterexample may be left out, unless none can be."""
        return self if minimal else self.perhaps_longer(f"shortening ended after {DROPS:,} tries of a step")


_ENDS = 50
"""The rows that are shown of each end of a very long table."""


def formless(name: str, engine: str, why: str, part: str | None = None) -> Result:
    """The result of an engine about a property, or a part of it, that has no symbolic form."""
    return Result(name, engine, Verdict.UNKNOWN, part=part, reason=why, cause=Cause.NO_FORM)


@dataclass(frozen=True)
class Table:
    """Facts in rows, for a person.

    Attributes:
        header: the columns' names.
        rows: the rows, each as long as the header.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def shortened(self, what: str) -> Table:
        """The table; of one that is very long the first and the last rows, and how many are left out between.

        Args:
            what: what a row is about, in the plural.
        """
        left = len(self.rows) - 2 * _ENDS
        if left <= 1:
            return self
        empty = [""] * (len(self.header) - 2)
        between = ["...", f"({left} {what})", *empty]
        return Table(self.header, [*self.rows[:_ENDS], between, *self.rows[-_ENDS:]])


def without_defaults(one: DataclassInstance) -> dict[str, object]:
    """The fields of a dataclass as members of a JSON object, without those that have their default."""
    made = asdict(one)
    return {each.name: made[each.name] for each in fields(one) if made[each.name] != each.default}


@dataclass(frozen=True)
class EngineFacts:
    """All that an engine tells besides its verdicts: a frozen dataclass for each engine that tells more."""

    def ended_early(self) -> str | None:
        """The reason why a search ended before it had looked at all that was asked; None if it did not."""
        return None

    def assumption_failed(self) -> bool:
        """Whether something that is assumed of the search itself does not hold."""
        return False

    def to_json(self) -> dict[str, object]:
        """The facts as a JSON object, without those that have their default."""
        return without_defaults(self)


Told = TypeVar("Told", bound=EngineFacts)


@dataclass(frozen=True)
class Answer:
    """An engine's answer to a query.

    Attributes:
        results: a result for each part asked, in the query's order.
        facts: further facts, if the engine has any and came to an answer.
        out_of_bounds: a run to a step out of bounds that no result may tell of.
        model: the model whose values the runs have; None if it is the one that was asked about.
        formless: of several engines, the properties that some of them had no formulas for, with the reasons.
        leaving: more states from which a step leaves types that were learned.
    """

    results: Sequence[Result]
    facts: EngineFacts | None = None
    out_of_bounds: Trace | None = None
    model: Model | None = field(default=None, compare=False, repr=False)
    formless: Mapping[str, str] = field(default_factory=dict)
    leaving: Sequence[tuple[Value, ...]] = field(default=(), compare=False, repr=False)

    def told(self, kind: type[Told]) -> Told:
        """The facts, which are of this class."""
        assert isinstance(self.facts, kind)
        return self.facts

    @property
    def runs(self) -> list[Trace]:
        """The runs of the results, and the one to a step out of bounds."""
        found = (*(one.trace for one in self.results), self.out_of_bounds)
        return [run for run in found if run is not None]

    def with_runs(self, other: Callable[[Trace], Trace]) -> Answer:
        """The same answer with another run in place of each."""

        def of(run: Trace | None) -> Trace | None:
            return None if run is None else other(run)

        results = [replace(one, trace=of(one.trace)) for one in self.results]
        return replace(self, results=results, out_of_bounds=of(self.out_of_bounds))


def is_near(left: float | None) -> bool:
    """Whether a search is near its end: no more work is left than it has done (see `Progress.left`)."""
    return left is not None and left <= 1


@dataclass(frozen=True)
class Progress:
    """The progress of a running search.

    Attributes:
        depth: the deepest layer known to hold no counterexample for the properties that are still open.
        seconds: since the start.
        open: the names of the properties without a counterexample so far.
        variables: given to the solver so far.
        clauses: given to the solver so far.
        text: the progress in words, if depth and clauses do not describe it.
        engine: the engine that searches, where several do.
        far: how far it came, in words, for the reason of an unknown verdict; "" if `text` says it.
        left: the work that is left, as a multiple of that done; infinite if it passes a limit, None if it is not
            known.
    """

    depth: int
    seconds: float
    open: tuple[str, ...] = ()
    variables: int = 0
    clauses: int = 0
    text: str = ""
    engine: str = ""
    far: str = ""
    left: float | None = None

    def __str__(self) -> str:
        return self.text or f"depth {self.depth}, {self.variables} variables, {self.clauses} clauses"


class Judgement(StrEnum):
    """Whether an answer is as it should be: yes, no, or not known yet."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"


LOG = "log"
"""The kind of the claim that a log is a run of the model, which no model states."""


def judged(kind: str | None, verdict: Verdict, *, complete: bool = False) -> Judgement:
    """The judgement of a verdict.

    Args:
        kind: the kind of the property; None for one that the model does not state, such as "deadlock".
        verdict: the verdict.
        complete: whether every reachable state was looked at.
    """
    if verdict is Verdict.UNKNOWN:
        return Judgement.OPEN
    if verdict is Verdict.OUT_OF_BOUNDS:
        return Judgement.FAILED
    if kind != PropertyKind.PROBE:
        return Judgement.FAILED if verdict is Verdict.VIOLATED else Judgement.PASSED
    if verdict is Verdict.VIOLATED:
        return Judgement.PASSED
    # Beyond the bound it may still be reached.
    return Judgement.FAILED if complete or verdict is Verdict.PROVED else Judgement.OPEN


def said(kind: str | None, verdict: Verdict, *, complete: bool = False) -> str:
    """A verdict in a word or two; the arguments are those of `judged`."""
    if kind == LOG:
        return {Verdict.PROVED: "conforms", Verdict.VIOLATED: "does not conform"}.get(verdict, str(verdict))
    if kind != PropertyKind.PROBE or verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BOUNDS):
        return str(verdict)
    words = {Judgement.PASSED: "reached", Judgement.FAILED: "unreachable", Judgement.OPEN: "not reached"}
    return words[judged(kind, verdict, complete=complete)]


def kind_of(model: Model, name: str) -> PropertyKind | None:
    """The kind of a property; None if the model does not state it."""
    claim = model.properties.get(name)
    return None if claim is None else claim.kind


def judgement(model: Model, result: Result) -> Judgement:
    """The judgement of an answer about a property of a model."""
    return judged(kind_of(model, result.property), result.verdict, complete=result.complete)


def verdict_text(model: Model, result: Result) -> str:
    """A verdict for a person, with the layers that were searched."""
    text = said(kind_of(model, result.property), result.verdict, complete=result.complete)
    bounded = result.verdict in (Verdict.SAFE, Verdict.UNKNOWN) and not result.complete
    if not bounded or result.unroll is None or result.depth < 0:
        return text
    beyond = "within" if result.verdict is Verdict.SAFE else "beyond"
    if result.loops:
        layers = "sweep" if result.unroll == "sweeps" else "layer"
        return f"{text} {beyond} {counted(result.depth, layers)} of the search for loops"
    # Every run of k steps is among the runs of k sweeps.
    covered = f" (at least {counted(result.depth, 'step')})" if result.unroll == "sweeps" else ""
    return f"{text} {beyond} {counted(result.depth, result.unroll.removesuffix('s'))}{covered}"

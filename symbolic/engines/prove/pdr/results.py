"""The options, the progress and the results of PDR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from leadline.symbolic.engines.ask.query import Options, option
from leadline.symbolic.engines.ask.result import EngineFacts, Verdict, without_defaults
from leadline.symbolic.trace import Trace

if TYPE_CHECKING:
    from leadline.symbolic.engines.prove.pdr.invariant import Invariant


Cubes = Sequence[Sequence[str]]
"""Cubes as the texts of their literals (`Facts.text`)."""


@dataclass(frozen=True)
class PdrOptions(Options):
    """The options of a search.

    Attributes:
        strengthenings: whether the property's strengthenings are tried as candidates: those that are inductive
            together hold in every frame. None is believed.
        symmetry: whether a clause is learnt for all its images under the sorts that the model treats alike.
        show: whether the invariant is told as formulas.
        within_bounds: whether a step that leaves its bounds counts as no step.
        samples: the number of reachable states to compare clauses with, 0 or more. If these are all that
            there are, clauses are taken from them.
        longer: numbers of questions, ascending, after which the samples become more, and how many. They are
            used only if they are then all that there are, or one violates the property.
        questions: the number of questions to solvers after which to give up; 0 is never.
        known: the cubes that a search with narrower types has excluded. The search begins with those that its
            first frame excludes too. None is believed.
    """

    engine = "pdr"

    strengthenings: bool = option(True, negated="no-strengthenings", doc="do not use the strengthenings")
    symmetry: bool = option(True, negated="no-symmetry", doc="disable symmetry reduction")
    show: bool = option(False, flag="show-invariant", doc="show the invariant as formulas")
    within_bounds: bool = option(
        False,
        doc="prove it of the states reached within bounds: a step that leaves them counts as none (pdr)",
    )
    samples: int = 15_000
    longer: tuple[tuple[int, int], ...] = ((12_000, 60_000), (40_000, 240_000))
    questions: int = 0
    known: Cubes = ()

    def narrowly(self, refuted: int, *, ends: bool) -> Self:
        return self

    def knowing(self, facts: EngineFacts | None) -> Self:
        return replace(self, known=facts.excluded) if isinstance(facts, ProofFacts) else self

    def patient(self, questions: int) -> Self:
        return replace(self, questions=questions)


USUAL = PdrOptions()
"""How to search unless told otherwise."""


@dataclass(frozen=True)
class PdrProgress:
    """The progress of a search.

    Attributes:
        frames: the number of frames that hold no bad state: no counterexample is shorter.
        lemmas: the number of orbits of clauses in the frames.
        questions: the number of questions that the solvers were asked.
        seconds: of wall clock, since the start.
    """

    frames: int
    lemmas: int
    questions: int
    seconds: float


@dataclass(frozen=True)
class ProofSize:
    """The cost and the size of a proof, or of the search for one.

    Attributes:
        frames: the number of frames that hold no bad state.
        questions: the number of questions to solvers; None of a claim about runs.
        within_bounds: whether it is a proof about the states reached within bounds.
        inductive_within_bounds: whether it would be one, and only bounds stand against a proof.
        clauses: the number of clauses of the invariant; None without a proof.
        orbits: the number of their orbits.
        methods: how a claim about runs is proved, a text for each part.
        invariant: the clauses by orbit as texts, if they are asked for.
        formulas: the same as TLA+.
        cpu_seconds: of this process.
    """

    frames: int
    questions: int | None = None
    within_bounds: bool = False
    inductive_within_bounds: bool = False
    clauses: int | None = None
    orbits: int | None = None
    methods: Sequence[str] = ()
    invariant: Sequence[Sequence[Sequence[str]]] | None = None
    formulas: Sequence[str] | None = None
    cpu_seconds: float | None = None

    def to_json(self) -> dict[str, object]:
        """The members that differ from their defaults."""
        return without_defaults(self)


@dataclass(frozen=True)
class ProofFacts(EngineFacts):
    """The facts about proofs.

    Attributes:
        sizes: the size of each proof, by its property.
        excluded: the cubes of all properties whose search ended where a run goes out of bounds.
    """

    sizes: Mapping[str, ProofSize]
    excluded: Cubes = ()

    def to_json(self) -> dict[str, object]:
        return {name: one.to_json() for name, one in self.sizes.items()}


@dataclass(frozen=True)
class PdrResult:
    """An answer about one property.

    Attributes:
        verdict: proved, violated, out of bounds or unknown.
        invariant: of what is proved. Where steps leave their bounds and nothing else is wrong, what shows
            that every state that is reached within them satisfies the property.
        trace: the counterexample, replayed by the concrete meaning.
        reason: what is out of bounds, or why the verdict is unknown.
        progress: how far the search went.
        excluded: the cubes that the frames exclude where a run goes out of bounds and there is no invariant.
    """

    verdict: Verdict
    invariant: Invariant | None
    trace: Trace | None
    reason: str | None
    progress: PdrProgress
    excluded: Cubes = ()

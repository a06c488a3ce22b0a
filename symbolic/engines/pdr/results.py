"""The options, the progress and the results of PDR."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.symbolic.engines.pdr.invariant import Invariant
from leadline.symbolic.engines.pdr.system import Cube
from leadline.symbolic.engines.result import Verdict
from leadline.symbolic.trace import Trace


@dataclass(frozen=True)
class PdrOptions:
    """How to search.

    Attributes:
        symmetry: whether a clause is learnt for all its images under the sorts that the model treats alike.
        strengthenings: whether the model's strengthenings are tried as candidates: those that are inductive
            together hold in every frame. None is believed.
        lemmas: cubes that are perhaps not reachable. None is believed: those that no step from the start
            leads into are excluded from the first frame.
        within_bounds: whether a step that leaves its bounds counts as no step.
        samples: the number of reachable states to compare clauses with, 0 or more. If these are all that
            there are, clauses are taken from them.
        longer: numbers of questions, ascending, after which the samples become more, and how many. They are
            used only if they are then all that there are, or one violates the property.
        generalizations: the counterexamples to generalization that are excluded for each literal.
        solver: the solver as python-sat calls it, one that gives cores.
        questions: the number of questions after which to give up; 0 is never.
        seed: what random choices are drawn from.
    """

    symmetry: bool = True
    strengthenings: bool = True
    lemmas: tuple[Cube, ...] = ()
    within_bounds: bool = False
    samples: int = 15_000
    longer: tuple[tuple[int, int], ...] = ((12_000, 60_000), (40_000, 240_000))
    generalizations: int = 3
    solver: str = "glucose4"
    questions: int = 0
    seed: int = 0


USUAL = PdrOptions()
"""How to search unless told otherwise."""


@dataclass(frozen=True)
class PdrProgress:
    """Where a search is.

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
class PdrResult:
    """An answer about one property.

    Attributes:
        verdict: proved, violated, out of bounds or unknown.
        invariant: of what is proved. Where steps leave their bounds and nothing else is wrong, what shows
            that every state that is reached within them satisfies the property.
        trace: the counterexample, replayed by the concrete meaning.
        reason: what is out of bounds, or why the verdict is unknown.
        progress: how far the search went.
    """

    verdict: Verdict
    invariant: Invariant | None
    trace: Trace | None
    reason: str | None
    progress: PdrProgress

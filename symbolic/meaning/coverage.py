"""Properties that hold vacuously: the parts of them that may be without effect.

A property holds vacuously if it still does with a part of it made false: the conclusion of an implication, whose
premise is then never true, or the body of a quantifier, whose set is then always empty. I. Beer, S. Ben-David,
C. Eisner, Y. Rodeh: Efficient detection of vacuity in temporal model checking, Formal Methods in System Design
18, 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from leadline.symbolic.meaning.interface import State

Formula = TypeVar("Formula")
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Suspect(Generic[Formula, Part]):
    """A part of a property that may be without effect.

    Attributes:
        property: the property's name.
        formula: the premise that may never be true, or the set that may always be empty.
        is_set: whether it is a set.
        partly: whether the part is one of several conjuncts or disjuncts, of which others may say something.
        beside: whether it is one of several disjuncts: where another one is true, the formula may be too.
        part: the implication or the quantifier, or its place.
        around: those in whose conclusions or bodies it is.
        weakened: the property with the part made false; the part has an effect once this is false.
    """

    property: str
    formula: Formula
    is_set: bool
    partly: bool
    beside: bool
    part: Part
    around: frozenset[Part]
    weakened: Formula


@dataclass
class Suspects(Generic[Formula, Part]):
    """The suspects that have had no effect so far.

    Attributes:
        left: each with the function that tells whether its weakened property holds in a state.
    """

    left: list[tuple[Suspect[Formula, Part], Callable[[State], bool]]]

    def look(self, state: State) -> None:
        """Look at their effect in a state."""
        if self.left:
            self.left = [(one, holds) for one, holds in self.left if holds(state)]

    @property
    def vacuous(self) -> list[Suspect[Formula, Part]]:
        """The outermost of them."""
        return outermost([one for one, _ in self.left])


def outermost(left: Sequence[Suspect[Formula, Part]]) -> list[Suspect[Formula, Part]]:
    """The suspects that are not within others.

    Args:
        left: those whose weakened property holds in all states.
    """
    parts = {(one.property, one.part) for one in left}
    return [one for one in left if not any((one.property, part) in parts for part in one.around)]

"""Gates as clauses: Tseitin's transformation, for whatever takes clauses only.

G. S. Tseitin: On the complexity of derivation in propositional calculus, 1968.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

TRUE = 1
"""Variable 1 is the constant true wherever gates and clauses go."""


class Copier(ABC):
    """Makes copies of variables and of the gates among them.

    Attributes:
        variables: what is copied.
        outside: the variables that the gates among them combine besides.
    """

    variables: Sequence[int]
    outside: frozenset[int]

    @abstractmethod
    def copy(self, images: Mapping[int, int]) -> int:
        """A copy of each variable, in their order.

        Args:
            images: the literals to take for those of `outside`.

        Returns:
            The copy of the first; those of the others follow it.
        """


class Gates(ABC):
    """Takes clauses over integer literals as in DIMACS, and gates, by default as clauses.

    Attributes:
        copies: whether there are copiers. Named literals are then no gates.
    """

    copies = False

    @abstractmethod
    def new_variables(self, count: int) -> int:
        """Reserve variables.

        Returns:
            The number of the first; the others follow it.
        """

    @abstractmethod
    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        """Assert clauses."""

    def define(self, clauses: Sequence[tuple[int, ...]]) -> None:
        """Add the clauses of a gate: they say what a new variable is, and can always be satisfied."""
        self.add(clauses)

    def conj(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the conjunction of several."""
        x = self.new_variables(1)
        if len(literals) == 2:  # most are, and this takes half the time
            left, right = literals
            self.define(((-x, left), (-x, right), (x, -left, -right)))
            return x
        self.define([*((-x, literal) for literal in literals), (x, *(-literal for literal in literals))])
        return x

    def xor(self, left: int, right: int) -> int:
        """A literal equivalent to the exclusive or of two."""
        x = self.new_variables(1)
        self.define(((-x, left, right), (-x, -left, -right), (x, -left, right), (x, left, -right)))
        return x

    def mux(self, condition: int, then: int, orelse: int) -> int:
        """A literal equivalent to `then` where the condition holds, to `orelse` elsewhere."""
        x, c, a, b = self.new_variables(1), condition, then, orelse
        # The last two follow from the others; they let the solver see what both arms agree on.
        self.define(((-c, -a, x), (-c, a, -x), (c, -b, x), (c, b, -x), (-a, -b, x), (a, b, -x)))
        return x

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        """Literals equivalent to these that do not hang on what they were made of: here, the same ones."""
        return tuple(literals)

    def copier(self, variables: Sequence[int], known: Collection[int]) -> Copier | None:
        """Makes copies of variables, and of the gates that they rest on down to known ones.

        Returns:
            None where they rest on something else, and where it is no faster to copy than to make anew: here
            it never is.
        """
        return None

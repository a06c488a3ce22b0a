"""Boolean circuits: and-gates, exclusive-or and multiplexers over integer literals, hash-consed and folded.

A literal is a non-zero integer as in DIMACS: `-x` is the negation of `x`. Variable 1 is the constant true.
Gates are numbered after their operands, so ascending order is a topological one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from leadline.symbolic.solve import TRUE as TRUE

FALSE = -TRUE

_MOST_PAIRED = 256
"""The most literals of which each two are compared to see whether at most one is true. Solvers search better so:
sweeps find the double vote in Raft (decision 18) in 17 CPU seconds, and not in 100 where the limit is 32."""


class And(NamedTuple):
    """True if all operands are."""

    operands: tuple[int, ...]


class Xor(NamedTuple):
    """True if exactly one operand is."""

    left: int
    right: int


class Mux(NamedTuple):
    """`then` where `condition` is true, `orelse` elsewhere."""

    condition: int
    then: int
    orelse: int


Gate = And | Xor | Mux


def operands(gate: Gate) -> tuple[int, ...]:
    """The literals that a gate combines."""
    return gate.operands if isinstance(gate, And) else tuple(gate)


class Circuit:
    """A growing circuit.

    Attributes:
        variables: the number of variables.
        free: the inputs.
        gates: the gate of each variable that is no input.
    """

    def __init__(self) -> None:
        self.variables = 1
        self.free: list[int] = []
        self.gates: dict[int, Gate] = {}
        self._ands: dict[tuple[int, ...], int] = {}
        self._xors: dict[tuple[int, int], int] = {}
        self._muxes: dict[tuple[int, int, int], int] = {}

    def input(self) -> int:
        """A new free variable."""
        return self.inputs(1)

    def inputs(self, count: int) -> int:
        """Make new free variables with consecutive numbers.

        Returns:
            The last of them.
        """
        self.free += range(self.variables + 1, self.variables + count + 1)
        self.variables += count
        return self.variables

    def _new_and(self, operands: tuple[int, ...]) -> int:
        self.variables += 1
        self.gates[self.variables] = And(operands)
        return self.variables

    def _new_xor(self, left: int, right: int) -> int:
        self.variables += 1
        self.gates[self.variables] = Xor(left, right)
        return self.variables

    def _new_mux(self, condition: int, then: int, orelse: int) -> int:
        self.variables += 1
        self.gates[self.variables] = Mux(condition, then, orelse)
        return self.variables

    def conj(self, literals: Iterable[int]) -> int:
        """Conjunction of any number of literals."""
        literals = tuple(literals)
        if len(literals) == 2:
            return self.both(*literals)
        kept = set(literals)
        if FALSE in kept:
            return FALSE
        kept.discard(TRUE)
        if len(kept) < 2:
            return kept.pop() if kept else TRUE
        if not kept.isdisjoint([-literal for literal in kept]):
            return FALSE
        operands = tuple(sorted(kept))
        found = self._ands.get(operands)
        if found is None:
            found = self._ands[operands] = self._new_and(operands)
        return found

    def both(self, left: int, right: int) -> int:
        """Conjunction of two literals, the most frequent kind."""
        if left > right:
            left, right = right, left
        if left == FALSE or left == -right:
            return FALSE
        if left in (TRUE, right):
            return right
        if right in (TRUE, FALSE):
            return left if right == TRUE else FALSE
        found = self._ands.get((left, right))
        if found is None:
            found = self._ands[left, right] = self._new_and((left, right))
        return found

    def disj(self, literals: Iterable[int]) -> int:
        """Disjunction of any number of literals."""
        return -self.conj([-literal for literal in literals])

    def implies(self, premise: int, conclusion: int) -> int:
        """Implication."""
        return -self.conj((premise, -conclusion))

    def xor(self, left: int, right: int) -> int:
        """Exclusive or."""
        if abs(left) > abs(right):
            left, right = right, left
        if abs(left) == TRUE:
            return -right if left == TRUE else right
        if abs(left) == abs(right):
            return FALSE if left == right else TRUE
        sign = 1 if (left > 0) == (right > 0) else -1
        left, right = abs(left), abs(right)
        found = self._xors.get((left, right))
        if found is None:
            found = self._xors[left, right] = self._new_xor(left, right)
        return sign * found

    def same(self, left: int, right: int) -> int:
        """Equivalence."""
        return -self.xor(left, right)

    def mux(self, condition: int, then: int, orelse: int) -> int:
        """If-then-else."""
        if condition < 0:
            condition, then, orelse = -condition, orelse, then
        if condition == TRUE or then == orelse:
            return then
        sign = 1
        if then < 0:
            sign, then, orelse = -1, -then, -orelse
        if then in (TRUE, condition):
            return sign * self._half(condition, True, orelse)
        other = orelse if orelse > 0 else -orelse
        if other in (TRUE, condition):
            return sign * self._half(-condition, orelse in (TRUE, -condition), then)
        if then == other:
            return sign * self.same(condition, then)
        found = self._muxes.get((condition, then, orelse))
        if found is None:
            found = self._nested(condition, then, orelse)
            if found is None:
                found = self._muxes[condition, then, orelse] = self._new_mux(condition, then, orelse)
        return sign * found

    def _nested(self, condition: int, then: int, orelse: int) -> int | None:
        """One multiplexer in place of two that share an arm, as nested conditional updates do.

        `then` is positive.
        """
        sign, other = (1, orelse) if orelse > 0 else (-1, -orelse)
        inner, outer = self.gates.get(then), self.gates.get(other)
        if inner is None and outer is None:
            return None
        if isinstance(inner, Mux):
            if inner.orelse == orelse:
                return self.mux(self.both(condition, inner.condition), inner.then, orelse)
            if inner.then == orelse:
                return self.mux(self.both(condition, -inner.condition), inner.orelse, orelse)
        if isinstance(outer, Mux):
            if sign * outer.then == then:
                return self.mux(-self.both(-condition, -outer.condition), then, sign * outer.orelse)
            if sign * outer.orelse == then:
                return self.mux(-self.both(-condition, outer.condition), then, sign * outer.then)
        found = self._partly(condition, then, orelse, orelse) if isinstance(inner, And) else None
        if found is None and isinstance(outer, And):
            found = self._partly(-condition, orelse, then, then)
        return found

    def _partly(self, condition: int, new: int, old: int, orelse: int) -> int | None:
        """`update` where `new` is a conjunction or disjunction of `old` and others; None if it is not."""
        sign, gate = (1, self.gates.get(new)) if new > 0 else (-1, self.gates.get(-new))
        if not isinstance(gate, And) or sign * old not in gate.operands:
            return None
        more = self.conj([x for x in gate.operands if x != sign * old])
        # If the others are conditions again, as in a list of cases, all go into one gate.
        inner = self.gates.get(-more)
        conditions = inner.operands if isinstance(inner, And) else (-more,)
        return sign * self.conj((sign * orelse, -self.conj((condition, *conditions))))

    def update(self, condition: int, new: int, old: int, orelse: int) -> int:
        """`new` where the condition holds, `orelse` elsewhere. Where it holds, `orelse` must equal `old`."""
        sign, gate = (1, self.gates.get(new)) if new > 0 else (-1, self.gates.get(-new))
        if isinstance(gate, Mux) and sign * gate.orelse == old:
            return self.mux(self.conj((condition, gate.condition)), sign * gate.then, orelse)
        if isinstance(gate, Mux) and sign * gate.then == old:
            return self.mux(self.conj((condition, -gate.condition)), sign * gate.orelse, orelse)
        return self._partly(condition, new, old, orelse) or self.mux(condition, new, orelse)

    def _half(self, condition: int, then: bool, orelse: int) -> int:
        return self.disj((condition, orelse)) if then else self.conj((-condition, orelse))

    def exactly_one(self, literals: list[int]) -> int:
        """The literal that exactly one of several is true."""
        if len(literals) <= _MOST_PAIRED:
            at_most = self.conj(
                -self.both(a, b) for place, a in enumerate(literals) for b in literals[:place]
            )
            return self.conj((self.disj(literals), at_most))
        # The pairs would grow with the square: each is compared with whether one before it is true.
        before, at_most_each = literals[0], list[int]()
        for literal in literals[1:]:
            at_most_each.append(-self.both(before, literal))
            before = self.disj((before, literal))
        return self.conj((before, *at_most_each))

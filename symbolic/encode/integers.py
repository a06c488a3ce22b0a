"""Integer arithmetic on symbolic values, one-hot or binary.

One-hot operations list pairs of values. Binary ones work on two's complement numbers of literals, with the
least significant bit first and the sign last.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.values import Bits, Shape, Values, is_binary, width
from leadline.symbolic.lang import Int, nodes as n

Number = list[int]
"""A two's complement number of literals."""

_TABLES: dict[type[n.Node], Callable[[int, int], int]] = {
    n.Add: operator.add,
    n.Sub: operator.sub,
    n.Mul: operator.mul,
    n.Div: operator.floordiv,
    n.Mod: operator.mod,
}


class Integers:
    """Arithmetic, comparison and conversion between integer types."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.circuit: Circuit = values.circuit

    def arithmetic(
        self, kind: type[n.Node], left: tuple[Shape, Int], right: tuple[Shape, Int], result: Int
    ) -> tuple[Shape, int]:
        """The result of an operation, and the literal that its divisor is not positive."""
        error = FALSE
        if kind in (n.Div, n.Mod):
            error = self.at_most(right, ({0: TRUE}, Int(0, 0)))
        if is_binary(left[1]) or is_binary(right[1]) or is_binary(result):
            return self._binary(kind, self.number(*left), self.number(*right), result), error
        found: dict[int, list[int]] = {}
        for x, a in left[0].items():
            for y, b in right[0].items():
                if y > 0 or kind not in (n.Div, n.Mod):
                    found.setdefault(_TABLES[kind](x, y), []).append(self.circuit.conj((a, b)))
        return {value: self.circuit.disj(found[value]) for value in sorted(found)}, error

    def _binary(self, kind: type[n.Node], left: Number, right: Number, result: Int) -> Shape:
        if kind is n.Add:
            whole = self.add(left, right)
        elif kind is n.Sub:
            whole = self.add(left, self.negate(right))
        elif kind is n.Mul:
            whole = self.multiply(left, right)
        else:
            quotient, remainder = self.divide(left, right)
            whole = quotient if kind is n.Div else remainder
        return self.from_number(whole, result)

    # -- comparison -------------------------------------------------------------------------------

    def less(self, left: tuple[Shape, Int], right: tuple[Shape, Int]) -> int:
        """Whether left is less than right."""
        return -self.at_most(right, left)

    def at_most(self, left: tuple[Shape, Int], right: tuple[Shape, Int]) -> int:
        """Whether left is at most right."""
        if left[1].high <= right[1].low:
            return TRUE
        if left[1].low > right[1].high:
            return FALSE
        if is_binary(left[1]) or is_binary(right[1]):
            difference = self.add(self.number(*right), self.negate(self.number(*left)))
            return -difference[-1]
        disj, conj = self.circuit.disj, self.circuit.conj
        values = sorted(right[0])
        at_least = FALSE
        from_value: list[tuple[int, int]] = []
        for y in reversed(values):
            at_least = disj((at_least, right[0][y]))
            from_value.append((y, at_least))
        cases = []
        for x, a in left[0].items():
            reach = [literal for y, literal in from_value if y >= x]
            cases.append(conj((a, reach[-1])) if reach else FALSE)
        return disj(cases)

    # -- conversion -------------------------------------------------------------------------------

    def convert(self, shape: Shape, source: Int, target: Int) -> tuple[Shape, int]:
        """A number as a value of another range, and the literal that it is outside that range."""
        if not is_binary(source) and not is_binary(target):
            inside = {x: literal for x, literal in shape.items() if target.low <= x <= target.high}
            return inside, self.circuit.disj([a for x, a in shape.items() if x not in inside])
        bounds = {x: ({x: TRUE}, Int(x, x)) for x in (target.low, target.high)}
        below = self.less((shape, source), bounds[target.low])
        above = self.less(bounds[target.high], (shape, source))
        error = self.circuit.disj((below, above))
        if is_binary(target):
            return self.from_number(self.number(shape, source), target), error
        low, high = max(source.low, target.low), min(source.high, target.high)
        return {x: self.values.has_value(shape, x, source) for x in range(low, high + 1)}, error

    def one_hot(self, shape: Shape, source: Int, low: int, high: int) -> dict[int, int]:
        """The literals of the source's values from `low` to `high`."""
        possible = range(max(low, source.low), min(high, source.high) + 1)
        return {x: self.values.has_value(shape, x, source) for x in possible}

    def number(self, shape: Shape, kind: Int) -> Number:
        """Two's complement of an integer value."""
        size = max(kind.low.bit_length(), kind.high.bit_length()) + 1
        if isinstance(shape, Bits):
            offset = [TRUE if kind.low >> i & 1 else FALSE for i in range(size)]
            return self.add([*shape.bits, FALSE], offset)[: size + 1]
        disj = self.circuit.disj
        return [disj([literal for x, literal in shape.items() if x >> i & 1]) for i in range(size)]

    def from_number(self, number: Number, kind: Int) -> Shape:
        """The value of a number in the type's range; a don't-care for other numbers."""
        size = kind.low.bit_length() + 1
        offset = [TRUE if -kind.low >> i & 1 else FALSE for i in range(size + 1)]
        bits = self.add(number, offset)
        wanted = width(kind) if is_binary(kind) else (kind.cardinality - 1).bit_length()
        bits = (bits + [bits[-1]] * wanted)[:wanted]
        if is_binary(kind):
            return Bits(tuple(bits))
        return {
            value: self.circuit.conj(
                bit if (value - kind.low) >> i & 1 else -bit for i, bit in enumerate(bits)
            )
            for value in kind.values()
        }

    # -- two's complement -------------------------------------------------------------------------

    def add(self, left: Number, right: Number) -> Number:
        """Sum, one bit wider than its operands."""
        size = max(len(left), len(right)) + 1
        a = left + [left[-1]] * (size - len(left))
        b = right + [right[-1]] * (size - len(right))
        carry, total = FALSE, []
        for x, y in zip(a, b, strict=True):
            half = self.circuit.xor(x, y)
            total.append(self.circuit.xor(half, carry))
            carry = self.circuit.disj((self.circuit.conj((x, y)), self.circuit.conj((half, carry))))
        return total

    def negate(self, number: Number) -> Number:
        """Negation."""
        return self.add([-bit for bit in number], [TRUE, FALSE])

    def multiply(self, left: Number, right: Number) -> Number:
        """Product: shifted sums, the sign's row subtracted."""
        size = len(left) + len(right)
        wide = left + [left[-1]] * (size - len(left))
        total: Number = [FALSE, FALSE]
        for place, bit in enumerate(right):
            row = [FALSE] * place + [self.circuit.conj((bit, x)) for x in wide]
            row = self.negate(row) if place == len(right) - 1 else row
            total = self.add(total, row)[:size]
        return total

    def divide(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Quotient rounded down and remainder, for a positive divisor.

        Adding the divisor times a power of two makes the dividend non-negative. The power is subtracted from
        the quotient.
        """
        shift = len(left) - 1
        lifted = self.add(left, [FALSE] * shift + right)
        remainder: Number = [FALSE, FALSE]
        quotient: Number = []
        for bit in reversed(lifted):
            remainder = [bit, *remainder][: len(right) + 2]
            trial = self.add(remainder, self.negate(right))
            fits = -trial[-1]
            quotient.insert(0, fits)
            remainder = [
                self.circuit.mux(fits, t, r) for t, r in zip(trial, _widen(remainder, trial), strict=False)
            ]
        whole = self.add([*quotient, FALSE], self.negate([FALSE] * shift + [TRUE, FALSE]))
        return whole, remainder


def _widen(number: Number, like: Number) -> Number:
    return number + [number[-1]] * (len(like) - len(number))

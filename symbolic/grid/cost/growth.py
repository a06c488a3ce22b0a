"""How numbers grow with the parameters: exact formulas from a few samples, verified at others.

The sizes of a protocol's types (bounds of integers, members of sorts, capacities) are numbers that its Python
code computes from the parameters. They are nearly always linear, sometimes quadratic. A number is known at
some points; the polynomial of degree two through them (Newton's divided differences) is accepted only if it
gives the number exactly at all other samples as well, among them the corners of what the grid asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sympy

M = TypeVar("M")

Place = tuple[int, ...]
"""The values of the varying parameters, in the order of their names."""


class NoFormula(Exception):
    """The samples do not determine a formula, or it fails at one of them; the text says which."""


@dataclass(frozen=True)
class Samples:
    """Places at which numbers are known.

    Attributes:
        names: the varying parameters.
        places: the samples; the first one is the base.
        steps: for each parameter the places that differ from the base in it alone: one, or two.
        pairs: for two parameters, by their numbers, the place where both have their first other value.
    """

    names: tuple[str, ...]
    places: tuple[Place, ...]
    steps: tuple[tuple[Place, ...], ...]
    pairs: Mapping[tuple[int, int], Place]

    def formula(self, row: Sequence[int]) -> Any:
        """The sympy expression, or the int, that gives a number at each place.

        Args:
            row: the number at each of `places`.

        Raises:
            NoFormula: if no polynomial of degree two does.
        """
        if all(number == row[0] for number in row):
            return row[0]
        known = dict(zip(self.places, row, strict=True))
        found = self._newton(known)
        symbols = [sympy.Symbol(name) for name in self.names]
        for place, number in known.items():
            if found.subs(dict(zip(symbols, place, strict=True))) != number:
                raise NoFormula(f"a number that is {number} at {place} is not {found}")
        return found

    def _newton(self, known: Mapping[Place, int]) -> Any:
        base = self.places[0]
        symbols = [sympy.Symbol(name) for name in self.names]
        slopes = [self._slope(known, number, steps[0]) for number, steps in enumerate(self.steps)]
        terms: list[Any] = [known[base]]
        for number, steps in enumerate(self.steps):
            moved = symbols[number] - base[number]
            terms.append(slopes[number] * moved)
            if len(steps) == 2:
                first, second = (step[number] for step in steps)
                bend = (self._slope(known, number, steps[1]) - slopes[number]) / (second - first)
                terms.append(bend * moved * (symbols[number] - first))
        for (i, j), place in self.pairs.items():
            apart = known[self.steps[i][0]] + known[self.steps[j][0]] - known[base]
            area = (place[i] - base[i]) * (place[j] - base[j])
            twist = sympy.Rational(known[place] - apart, area)
            terms.append(twist * (symbols[i] - base[i]) * (symbols[j] - base[j]))
        return sympy.expand(sympy.Add(*terms))

    def _slope(self, known: Mapping[Place, int], number: int, place: Place) -> Any:
        base = self.places[0]
        return sympy.Rational(known[place] - known[base], place[number] - base[number])


def sampled(
    names: Sequence[str], values: Sequence[Sequence[int]], at: Callable[[Place], M | None]
) -> tuple[Samples, list[M]]:
    """Places to look at, and what is there.

    Args:
        names: the varying parameters.
        values: of each, what the grid asks for, ascending: at least one.
        at: what is at a place, or None if the protocol has no model there.

    Raises:
        NoFormula: if too few places have a model.
    """
    found: dict[Place, M] = {}

    def look(place: Place) -> bool:
        if place not in found and (thing := at(place)) is not None:
            found[place] = thing
        return place in found

    # From the second values on if there are such: what is smallest is often degenerate.
    candidates = itertools.product(*([one[min(1, len(one) - 1)], *one] for one in values))
    base = next(filter(look, itertools.islice(candidates, 20)), None)
    if base is None:
        raise NoFormula("the protocol has no model at the first points")
    steps = tuple(_steps(base, number, one, look) for number, one in enumerate(values))
    pairs = {}
    for i, j in itertools.combinations(range(len(names)), 2):
        place = _moved(_moved(base, i, steps[i][0][i]), j, steps[j][0][j])
        if not look(place):
            raise NoFormula(f"there is no model where {names[i]} and {names[j]} both vary")
        pairs[i, j] = place
    # These only verify.
    for corner in (tuple(one[-1] for one in values), tuple(one[0] for one in values)):
        look(corner)
    return Samples(tuple(names), tuple(found), steps, pairs), list(found.values())


def _steps(
    base: Place, number: int, values: Sequence[int], look: Callable[[Place], bool]
) -> tuple[Place, ...]:
    own = base[number]
    near = sorted({*values[:8], *range(own - 2, own + 4)} - {own}, key=lambda x: (abs(x - own), -x))
    places = (_moved(base, number, value) for value in near)
    found = tuple(itertools.islice(filter(look, places), 2))
    if not found:
        raise NoFormula("a parameter has no second value")
    return found


def _moved(place: Place, number: int, value: int) -> Place:
    return (*place[:number], value, *place[number + 1 :])

"""Statistics of states and of random runs. They are fed with what a search or a walk meets, and know neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import itemgetter
from statistics import median
from typing import TypedDict

from leadline.symbolic.lang import Model, Value, in_tla, shortened
from leadline.symbolic.meaning import State

MOST_VALUES = 20
"""The values of a variable that are told; of the others, only how many there are."""
_LONGEST = 400
"""The characters of a value's text."""


class ValueCount(TypedDict):
    """A value as TLA+ text, and the number of states that have it."""

    value: str
    states: int


class Occurring(TypedDict):
    """The values of a variable: how many different ones occur, and the most frequent of them."""

    distinct: int
    most_frequent: list[ValueCount]


class Reached(TypedDict):
    """How often random runs reach a probe: the number of the runs, and the median of the steps that they take to
    it; None if none does."""

    runs: int
    median_steps: float | None


def occurring(
    kind: Callable[[Value], str], distinct: int, frequent: Iterable[tuple[Value, int]]
) -> Occurring:
    """The values of a variable.

    Args:
        kind: gives a value its text.
        distinct: the number of different values.
        frequent: the most frequent ones, the first one first, with the number of states that have each.
    """
    told = ((shortened(kind(value), _LONGEST), number) for value, number in islice(frequent, MOST_VALUES))
    return {"distinct": distinct, "most_frequent": [{"value": x, "states": n} for x, n in told]}


def values_of(model: Model, counts: Sequence[Counter[Value]]) -> dict[str, Occurring]:
    """The values of a model's variables, which were counted in the variables' order."""
    return values_by({one.name: partial(in_tla, one.type) for one in model.variables}, counts)


def values_by(
    kinds: Mapping[str, Callable[[Value], str]], counts: Sequence[Counter[Value]]
) -> dict[str, Occurring]:
    """The values of variables by the variables' names, each with what gives its values their texts."""
    pairs = zip(kinds.items(), counts, strict=True)
    return {name: occurring(kind, len(x), x.most_common(MOST_VALUES)) for (name, kind), x in pairs}


def counted_values(width: int, states: Sequence[State]) -> list[Counter[Value]]:
    """How often the values of each variable occur in some states.

    Args:
        width: the number of variables.
        states: a value for each variable, for each state.
    """
    return [Counter(map(itemgetter(place), states)) for place in range(width)]


@dataclass
class RunStatistics:
    """The statistics of random runs so far, one run after the other.

    Args:
        width: the number of variables.
        actions: the names of the actions.
        probes: those of the probes.

    Attributes:
        runs: the number of runs that have ended.
        longest: the steps of the longest run.
        deadlocks: the number of runs that end in a deadlock.
        taken: how often each action was taken.
        runs_taking: for each action the number of runs that take it.
        values: for each variable how often its values occur in different states.
    """

    width: int
    actions: Sequence[str]
    probes: Sequence[str]
    runs: int = 0
    longest: int = 0
    deadlocks: int = 0
    taken: list[int] = field(init=False)
    runs_taking: list[int] = field(init=False)
    values: list[Counter[Value]] = field(init=False)
    _depths: dict[int, int] = field(default_factory=dict)
    _hits: dict[str, list[int]] = field(default_factory=dict)
    _here: dict[str, int] = field(default_factory=dict)
    _acted: set[int] = field(default_factory=set)
    _length: int = 0

    def __post_init__(self) -> None:
        self.values = [Counter() for _ in range(self.width)]
        self.taken, self.runs_taking = [0] * len(self.actions), [0] * len(self.actions)

    @property
    def states(self) -> int:
        """The number of different states."""
        return len(self._depths)

    def meet(self, state: State) -> bool:
        """Count the state in which the run is; whether no run was in it before."""
        mark, depth = hash(state), self._length
        known = self._depths.get(mark)
        if known is None or known > depth:
            self._depths[mark] = depth
        if known is not None:
            return False
        for counts, value in zip(self.values, state, strict=True):
            counts[value] += 1
        return True

    def take(self, action: str) -> None:
        """Count a step of the run."""
        place = self.actions.index(action)
        self.taken[place] += 1
        self._acted.add(place)
        self._length += 1

    def reach(self, probe: str) -> None:
        """Count that the run is in a state that a probe looks for."""
        self._here.setdefault(probe, self._length)

    def end(self) -> None:
        """End the run; the next one begins."""
        self.runs += 1
        self.longest = max(self.longest, self._length)
        for place in self._acted:
            self.runs_taking[place] += 1
        for probe, steps in self._here.items():
            self._hits.setdefault(probe, []).append(steps)
        self._acted, self._here, self._length = set(), {}, 0

    def by_depth(self) -> list[int]:
        """For each number of steps, the different states that runs meet after so many, and after no fewer."""
        found = Counter(self._depths.values())
        return [found[depth] for depth in range(max(found, default=-1) + 1)]

    def reached(self, probe: int) -> tuple[int, float | None]:
        """The runs that reach a probe, by its place among them, and the median of the steps; None without runs."""
        hits = self._hits.get(self.probes[probe], [])
        return len(hits), float(median(hits)) if hits else None

"""Types learned from runs: the interpreter runs ahead, and the values that it meets give each variable a type.

A set of records of many shapes has far more possible members than runs meet. Where these are at most some
hundreds, each is a member of a type that lists them (`Listed`), a table: a set or function has a part for each. A
step that makes another record is out of bounds, and the table then grows.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import islice
from typing import Any, TypeVar

from leadline.symbolic.lang import (
    Graph,
    Int,
    Listed,
    Map,
    Mapped,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Slots,
    Tuple,
    Type,
    Work,
    site,
    without_places,
)
from leadline.symbolic.meaning import first_states, random_walk
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.slots import MOST_WRITTEN
from leadline.symbolic.tla.typing import type_of, typed, untyped
from leadline.symbolic.tla.values.interpreter import Interpreter, State, satisfied
from leadline.symbolic.tla.values.values import LazyFunction, ModelValue, Value, items_of

T = TypeVar("T")

MOST_LISTED = 600
"""The most values in a table."""
SMALL = 64
"""The most possible members of a set that needs no table."""
MOST_BITS = 4_096
"""The most possible members of a set that has a bit for each."""
WORTH = 2
"""How many times as many values there must be as are met."""


def settled(kind: Type, met: Sequence[Value], before: Type, *, slots: bool = False) -> Type:
    """The type of some values, with tables where they are worth it.

    Args:
        kind: the least type of the values.
        met: the values.
        before: the type of the values that were known before, whose tables are kept.
        slots: whether sets and functions that can be in slots are, also where a table is worth it.
    """
    match kind:
        case Graph(item=Tuple(items=(key, value))):
            arguments = {argument for one in met for argument, _ in _pairs(one)}
            table = _table(key, arguments, before)
            if not _in_slots(key, slots) or (table is not None and not slots):
                return Map(table or key, Mapped(settled(value, _results(met), _given(before))))
            return _slots(
                kind.item, max((sum(1 for _ in _pairs(one)) for one in met), default=0), before, graph=True
            )
        case Set(item=item):
            every = {member for one in met if isinstance(one, frozenset) for member in one}
            table = _table(item, every, before)
            if not _in_slots(item, slots) or (table is not None and not slots):
                return Set(table or settled(item, [*every], _item(before)))
            return _slots(
                item, max((len(one) for one in met if isinstance(one, frozenset)), default=0), before
            )
        case Option(item=item):
            return Mapped(settled(item, met, _given(before)))
        case Map(key=key, value=value):
            return Map(key, settled(value, _results(met), _given(before)))
        case Seq(item=item, capacity=capacity):
            return Seq(settled(item, _results(met), _item(before)), capacity)
        case Tuple(items=items):
            old = before.items if isinstance(before, Tuple) and len(before.items) == len(items) else items
            given, parts = _by_argument(met), enumerate(zip(items, old, strict=True), start=1)
            return Tuple(tuple(settled(x, given[place], y) for place, (x, y) in parts))
        case Record(fields=fields):
            given, known = _by_argument(met), dict(before.fields) if isinstance(before, Record) else {}
            inside = ((x, part, given[shapes.field_name(x)]) for x, part in fields)
            return kind.over(settled(part, one, known.get(x, shapes.NEVER)) for x, part, one in inside)
    return kind


def _table(item: Type, met: Iterable[Value], before: Type) -> Listed | None:
    """The type of the values met, and of those in sets or functions of the type before; None if not worth it.

    What lies in slots is not known, and stays there.
    """
    if isinstance(before, Slots):
        return None
    found = set(met)
    known = shapes.argument_and_value(before)[0] if isinstance(before, Map | Graph) else _item(before)
    if known.capped <= MOST_LISTED:
        found |= {untyped(one, known) for one in known.values()}
    rich = shapes.is_message(item) or item.capped > MOST_BITS
    if not rich or item.capped <= max(SMALL, WORTH * len(found)):
        return None
    return shapes.table_of(item, (typed(one, item) for one in found)) if len(found) <= MOST_LISTED else None


def _in_slots(item: Type, slots: bool) -> bool:
    """Whether sets of values of a type without a table are in slots, where `slots` asks for it also small ones."""
    return item.capped > (MOST_WRITTEN if slots else MOST_BITS) and not isinstance(item, Set | Int | Named)


def _slots(item: Type, most: int, before: Type, *, graph: bool = False) -> Slots:
    """The type of sets or functions in as many places as they have had members at once."""
    known = before.key.cardinality if isinstance(before, Slots) else 1
    return Slots(Int(1, max(most, known)), Mapped(item), graph)


def _messages(kind: Type) -> set[frozenset[str]]:
    """The fields of each kind of record in a set, or among the arguments of a function."""
    item = kind.item.parts[0] if isinstance(kind, Graph) else _item(kind)
    kinds = shapes.variants(item).values()
    return {frozenset(one.positions) for one in kinds if isinstance(one, Record)}


def loosened(kind: Type) -> Type:
    """The type without its tables."""
    match kind:
        case Slots():
            return without_places(kind)
        case Listed(item=item):
            return loosened(item)
        case Map(key=key, value=value) if isinstance(key, Listed) or shapes.is_message(key):
            return shapes.graph_of(shapes.unlisted(key), loosened(_given(value)))
    return kind.over(map(loosened, kind.parts))


def _pairs(value: Value) -> Iterable[tuple[Value, Value]]:
    """The arguments and values of a function; none of other values."""
    if isinstance(value, LazyFunction):
        value = value.table()
    return items_of(value) if isinstance(value, tuple) else ()


def _results(met: Sequence[Value]) -> list[Value]:
    return [x for one in met for _, x in _pairs(one)]


def _by_argument(met: Sequence[Value]) -> Mapping[Value, list[Value]]:
    """The values of functions at each argument."""
    found = defaultdict[Value, list[Value]](list)
    for argument, value in (pair for one in met for pair in _pairs(one)):
        found[argument].append(value)
    return found


def _given(kind: Type) -> Type:
    """The type of the values of a map, without its option."""
    value = shapes.argument_and_value(kind)[1] if isinstance(kind, Map | Graph) else kind
    return value.item if isinstance(value, Option) else value


def _item(kind: Type) -> Type:
    return kind.item if isinstance(kind, Set | Seq) else shapes.NEVER


WALK = 300
"""The steps of a random walk."""
LONG_WALK = 3_000
"""The most steps of the walk that seeks an action that was never taken."""
MOST_STATES = 50_000
"""The states that are met breadth first at most."""
MOST_INITIAL = 10_000
"""The initial states from which runs begin at most."""
LISTING = 2.5
"""The seconds of the processor after which initial states are listed no further."""
QUIET = 1_000
"""Runs end after so many states in a row that bring nothing new."""
FEW = 200
"""So many states are met breadth first, before any walk. Where there are no more, no walk follows."""


def _work(doing: str) -> Callable[[Mapping[str, Any]], Work]:
    def work(known: Mapping[str, Any]) -> Work:
        specification = known["self"].interpreter.specification
        return Work(doing, specification.place_of(specification.name), lambda _: str(specification.name))

    return work


@dataclass
class Learner:
    """The types of the values met so far.

    Attributes:
        interpreter: the meaning of the specification.
        types: the type of each variable; `Never` before the first state.
        seen: the number of states whose successors were asked for.
        news: how often a type has grown or a message was new.
    """

    interpreter: Interpreter
    types: dict[str, Type] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.interpreter.variables:
            self.types.setdefault(name, shapes.NEVER)
        self._deep = False
        self.first: dict[int, int] = {}
        self._depth = 0
        self._met: list[set[Any]] = [set() for _ in self.interpreter.variables]
        self._known: dict[str, set[Any]] = {name: set() for name in self.types}
        self._messages: dict[str, set[Any]] = {name: set() for name in self.types}
        self.seen = self.news = 0
        constraints = self.interpreter.specification.constraints
        self._constraints = [self.interpreter.predicate(one) for one in constraints]

    def meet(self, states: Iterable[State]) -> None:
        """Widen the types to hold the values of states."""
        columns = list(zip(*states, strict=True)) or [()] * len(self._met)
        for name, met, values in zip(self.interpreter.variables, self._met, columns, strict=True):
            # Equal values of states that a search has found are one object.
            for value in {id(one): one for one in values}.values():
                if value not in met:
                    met.add(value)
                    kind = self.types[name]
                    self.types[name] = reduce(shapes.join, self._kinds(name, kind, value), kind)
                    self.news += self.types[name] != kind

    def _kinds(self, name: str, kind: Type, value: Any) -> Iterable[Type]:
        """The types to be joined to one that shall hold a value, of which most parts have been met before.

        The values of functions have a name of their own, made of the functions' name.
        """
        known = self._known.setdefault(name, set())
        if isinstance(kind, Graph) and isinstance(value, tuple | LazyFunction):
            pairs = set(_pairs(value)) - known
            known |= pairs
            self._note(name, (key for key, _ in pairs))
            return [shapes.graph_of(type_of(key), type_of(result)) for key, result in pairs]
        if isinstance(kind, Set) and isinstance(value, frozenset) and not isinstance(kind, Graph):
            members = value - known
            known |= members
            if shapes.is_message(kind.item):
                self._note(name, members)
            return [Set(type_of(one)) for one in members]
        if isinstance(kind, Record) and isinstance(value, tuple) and value[0].keys == kind.labels:
            fields = dict(kind.fields)
            unmet = [
                (field, x) for field, x in zip(fields, value[1:], strict=True) if (field, x) not in known
            ]
            known.update(unmet)
            kinds = [
                (field, x) for field, one in unmet for x in self._kinds(f"{name}.{field}", fields[field], one)
            ]
            return [shapes.record_of(fields | {field: x}) for field, x in kinds]
        if isinstance(kind, Map) and not isinstance(kind, Slots) and isinstance(value, tuple):
            domain, *values = value
            if domain in known:
                new = dict.fromkeys(x for x in values if x not in known)
                known.update(new)
                found = [x for one in new for x in self._kinds(f"{name}[]", shapes.given(kind.value), one)]
                wrap = Mapped if isinstance(kind.value, Option) else lambda x: x
                return [Map(kind.key, wrap(x)) for x in found]
            known.add(domain)
        return [type_of(value)]

    def _note(self, name: str, messages: Iterable[Value]) -> None:
        """Note messages of a variable, but none within the values of functions.

        One that differs in the names of like model values alone is not new.
        """
        known = self._messages.get(name)
        if known is None:
            return
        before = len(known)
        if len(self._known[name]) <= MOST_LISTED:
            known |= {_renamed(one, self._alike, {}) for one in messages}
            self.news += len(known) - before

    @cached_property
    def _alike(self) -> frozenset[str]:
        """The names of the model values that are members of constant sets."""
        return frozenset(x for names in model_values(self.interpreter).values() for x in names)

    def hold(self, types: Mapping[str, Type]) -> None:
        """Widen the types to hold the values of others."""
        for name, kind in types.items():
            self.types[name] = shapes.join(self.types[name], kind)

    @site(_work("listing the initial states of"))
    def some_initial(self) -> tuple[list[State], bool]:
        """The first initial states, and whether there are more, or may be."""
        return first_states(self.interpreter.steps[0], MOST_INITIAL, LISTING, LISTING)

    def fails_initially(self) -> bool:
        """Whether the initial condition has no value and no state satisfies it."""
        outcomes: list[State | None] = []
        self.interpreter.steps[0](None, outcomes.append)
        return bool(outcomes) and all(one is None for one in outcomes)

    def successors(self, state: State) -> list[State]:
        """The states after a state, within the constraints; none if it is beyond them."""
        return [after for found in self._by_action(state) for after in found]

    def _by_action(self, state: State) -> list[list[State]]:
        """The states after a state by each action that is taken there."""
        self.seen += 1
        if not self._within(state):
            return []
        found = [self._found(step, state) for step in self.interpreter.steps[1:]]
        for action in (action for action, after in enumerate(found) if after):
            self.first[action] = min(self._depth, self.first.get(action, self._depth))
        return [after for after in found if after]

    def _within(self, state: State) -> bool:
        return all(satisfied(test, state) for test in self._constraints)

    def _found(self, step: Callable[..., None], state: State | None) -> list[State]:
        found: list[State | None] = []
        step(state, found.append)
        return [one for one in found if one is not None]

    @site(_work("learning types from runs of"))
    def run_ahead(self, starts: Sequence[State], seconds: float, levels: int = WALK) -> bool:
        """Meet all states if they are few; else those of random walks, others breadth first and, if types grew,
        those of walks again.

        Each of the three ends early where it meets nothing new for long. Longer walks then seek the actions
        that were never taken, in as many states as all three met.

        Args:
            starts: where runs begin.
            seconds: the most time, of the processor.
            levels: the most levels of the search breadth first.

        Returns:
            Whether the types still grew when the time was over, or in the last of so many levels.
        """
        until = time.process_time() + seconds
        before = dict(self.types)
        for name, kind in before.items():
            self.types[name] = loosened(kind)
        self.meet(starts)
        if starts:
            self._run(starts, until, levels)
        self._settle(before)
        return bool(starts) and seconds > 0 and (self._deep or time.process_time() > until)

    def _settle(self, before: Mapping[str, Type]) -> None:
        """Give the types their tables and slots. Messages are in slots wherever they are, if some are."""
        learned = {
            name: (kind, [*met]) for (name, kind), met in zip(self.types.items(), self._met, strict=True)
        }
        self.types |= {name: settled(*one, before[name]) for name, one in learned.items()}
        in_slots = [learned[name][0] for name, kind in self.types.items() if isinstance(kind, Slots)]
        messages = set[frozenset[str]]().union(*map(_messages, in_slots))
        for name, (kind, met) in learned.items():
            if not isinstance(self.types[name], Slots) and not messages.isdisjoint(_messages(kind)):
                self.types[name] = settled(kind, met, before[name], slots=True)

    def _run(self, starts: Sequence[State], until: float, levels: int) -> None:
        begin, now = self.seen, time.process_time()
        # A specification with more states loses a tenth of the time at most.
        if not self._search(starts, levels, _Patience(self, now + (until - now) / 10), FEW):
            return
        self._walk(starts, _Patience(self, until))
        walked = dict(self.types)
        more = self._search(starts, levels, _Patience(self, until), MOST_STATES)
        if more and self.types != walked:
            self._walk(starts, _Patience(self, until))
        if more:
            self._seek(starts, until, 2 * self.seen - begin)

    def _search(self, starts: Sequence[State], levels: int, patience: _Patience, most: int) -> bool:
        """Meet states breadth first, about so many at most. Whether there are more."""
        known = dict.fromkeys(starts)
        frontier = list(known)
        self._deep = False
        for level in range(levels):
            if not frontier or len(known) >= most:
                break
            before, self._depth = dict(self.types), level
            found: dict[State, None] = {}
            for state in frontier:
                new = [x for x in self.successors(state) if x not in known]
                self.meet(new)
                found |= dict.fromkeys(new)
                if patience.ends() or len(known) + len(found) >= most:
                    return True
            known |= found
            frontier = list(found)
            self._deep = level == levels - 1 and self.types != before
        return bool(frontier)

    def _walk(self, starts: Sequence[State], patience: _Patience) -> None:
        """Meet the states of random walks, every other of which goes to what is new."""
        chance = random.Random(0)
        new = True
        while not patience.ends():
            for _ in self._steps(chance.choice(starts), chance, WALK, new=new):
                if patience.ends():
                    break
            new = not new

    def _seek(self, starts: Sequence[State], until: float, most: int) -> None:
        """For each action that was never taken, meet the states of a long walk to what is new, until it is."""
        chance = random.Random(0)
        for action in range(len(self.interpreter.steps) - 1):
            for _ in self._steps(chance.choice(starts), chance, LONG_WALK, new=True):
                if action in self.first or self.seen > most or time.process_time() > until:
                    break

    def _steps(self, state: State, chance: random.Random, most: int, *, new: bool) -> Iterator[State]:
        """The states of a random walk. What comes after each is met.

        Args:
            state: where it begins.
            chance: chooses the steps.
            most: the most steps.
            new: whether it prefers states in which a variable has a value that it had nowhere on this walk. It
                then chooses between actions first, since one with many outcomes would hide the others.
        """
        known: list[set[Any]] = [set() for _ in self.interpreter.variables]
        self._depth = -1

        def is_new(one: State) -> bool:
            return any(value not in met for met, value in zip(known, one, strict=True))

        def drawn(state: State) -> State | None:
            self._depth += 1
            found = self._by_action(state)
            for after in found:
                self.meet(after)
            if new:
                for met, value in zip(known, state, strict=True):
                    met.add(value)
                found = [x for x in ([one for one in after if is_new(one)] for after in found) if x] or found
            groups = found if new else [[one for after in found for one in after]]
            mixed = [one for after in _shuffled(groups, chance) for one in _shuffled(after, chance)]
            # A state beyond the constraints would end the walk.
            return next(filter(self._within, mixed), next(iter(mixed), None))

        return islice(random_walk(state, drawn), most)


def _shuffled(items: list[T], chance: random.Random) -> list[T]:
    return chance.sample(items, len(items))


def _renamed(value: Value, alike: AbstractSet[str], names: dict[str, int]) -> Value:
    """A value in which interchangeable model values are numbers, counted from where each occurs first.

    Members of a set have no order, so each of them is counted by itself.
    """
    if isinstance(value, ModelValue):
        return names.setdefault(value.name, len(names)) if value.name in alike else value
    if isinstance(value, LazyFunction):
        value = value.table()
    if isinstance(value, tuple):
        return tuple(_renamed(one, alike, names) for one in value)
    if isinstance(value, frozenset):
        return len(value), frozenset(_renamed(one, alike, {}) for one in value)
    return value


def model_values(interpreter: Interpreter) -> dict[str, list[str]]:
    """The model values in each constant that is a set, without typed ones, which may not be compared with all."""
    sets = {name: x for name, x in interpreter.constants().items() if isinstance(x, frozenset)}
    return {name: [x.name for x in value if x.__class__ is ModelValue] for name, value in sets.items()}


class _Patience:
    """How long runs go on: until some time, or until they have met nothing new for long.

    Args:
        learner: counts states and what is new.
        until: the time of the processor at which they end.
    """

    def __init__(self, learner: Learner, until: float) -> None:
        self._learner = learner
        self._until = until
        self._last = learner.seen
        self._news = learner.news

    def ends(self) -> bool:
        """Whether it is time to end."""
        seen, news = self._learner.seen, self._learner.news
        if news != self._news:
            self._news, self._last = news, seen
        return seen - self._last > QUIET or time.process_time() > self._until

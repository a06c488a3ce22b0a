"""Symmetry: states that permutations of model values turn into each other count as one.

A permutation of SYMMETRY is used only if the module treats the values that it moves alike. All operators of TLA+
do, with two exceptions: a model value that is named, directly or by a constant, and CHOOSE. Names are found before
the search (`Symmetry.named`), choices between several elements when they occur (`Symmetry.chosen`).

CHOOSE takes the first element in the order of values. A permutation g changes that order: in the state that g
makes of a state s, the choice from C is one from g(C). If the first element of g(C) is g of the first one of C,
both states choose alike. Otherwise the step or formula is evaluated in s once for each element that some g
would make it choose. If the results agree, they do not depend on the choice, and s and g(s) are treated alike.
That is done only where such a choice was met (`Symmetry.alike`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import eq
from typing import Any, TypeAlias, TypeVar, cast

from leadline.symbolic.lang import LeadlineError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import Analysis
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import Specification
from leadline.symbolic.tla.values.values import (
    FAILURES,
    LISTED,
    EvaluationError,
    ModelValue,
    Order,
    Value,
    domain_of,
    items_of,
)

State: TypeAlias = tuple[Value, ...]
_Permutation: TypeAlias = Mapping[Value, Value]
_Constant: TypeAlias = Callable[[s.Expression], Value]
_Case: TypeAlias = "frozenset[int] | None"
_Other: TypeAlias = tuple[frozenset[int], s.Place, tuple[Value, ...]]
_T = TypeVar("_T")

_WRITING = ("ToString", "JsonText")
"""Operators in whose results model values are told apart by their names."""
_MOST_KNOWN = 100_000
"""Sets of which is kept how permutations choose from them, and results that are kept for a case."""
_SAMPLED = 1000
"""The states by whose values the variables are put in order."""
_FEW = 4
"""A variable has few values if at least so many of these states, on average, have the same one."""
_KEPT = LISTED | {bool}
"""The types of results that are kept. A value of another type, such as a set not listed yet, may choose later."""


class ToldApart(LeadlineError):
    """A CHOOSE has taken one of several elements that a permutation of SYMMETRY moves."""


class Symmetry:
    """The permutations of SYMMETRY whose values the module treats alike, as far as is known.

    Args:
        functions: the functions of the symmetry sets.
        order: the order in which CHOOSE goes through values.

    Attributes:
        apart: for each place where the module tells values apart that SYMMETRY exchanges, their names.
        open_choices: how often permutations would have chosen different elements.
        repeatable: whether a formula may be evaluated several times: it prints and counts nothing.
    """

    def __init__(self, functions: Iterable[Value], order: Order) -> None:
        self._order = order
        graphs = ({x: y for x, y in items_of(f) if x is not y} for f in functions)
        self.apart: dict[s.Place, frozenset[str]] = {}
        self.open_choices = 0
        self.repeatable = True
        self._watching = True
        self._case: _Case = None
        self._others: list[_Other] = []
        self._use([one for one in graphs if one])

    def _use(self, permutations: Sequence[_Permutation]) -> None:
        self.permutations = permutations
        self.moved = frozenset[Value](x for one in permutations for x in one)
        self._first: dict[tuple[Value, ...], dict[int, frozenset[int]]] = {}
        self._made: dict[tuple[_Case, Hashable], tuple[object, object, _Case, list[_Other]]] = {}
        for name in ("group", "_cases"):
            self.__dict__.pop(name, None)

    @cached_property
    def _cases(self) -> frozenset[int]:
        """The numbers of the permutations, 0 for the identity."""
        return frozenset(range(len(self.group) + 1))

    @cached_property
    def group(self) -> list[_Move]:
        """All combinations of the permutations; the identity is left out."""
        return [_Move(one) for one in group(self.permutations)]

    def told_apart(self) -> str:
        """The places where the module tells values apart, for a person; empty if there is none."""
        places = "; ".join(f"{', '.join(sorted(names))} at {place}" for place, names in self.apart.items())
        return places and f"the module tells values apart: {places}"

    def remark(self) -> str | None:
        """The places where symmetry is not used, for a person; None if there is none."""
        places = self.told_apart()
        return f"SYMMETRY does not hold, and is not used, where {places}" if places else None

    def freely(self, evaluate: Callable[..., _T], *arguments: Any) -> _T:
        """The result of an evaluation that may tell values apart."""
        watching, self._watching = self._watching, False
        try:
            return evaluate(*arguments)
        finally:
            self._watching = watching

    def end(self) -> None:
        """End the search: the choices of what comes after it do not count."""
        self._watching = False

    def named(self, specification: Specification, constant: _Constant) -> None:
        """Drop the permutations that move what a formula of a specification names, but for its initial condition.

        Where states begin does not matter to what follows: runs from a state and from its image are alike.

        Args:
            constant: gives the value of a constant.
        """
        definitions = specification.definitions
        work: list[s.Expression | s.Definition] = [
            one for one in specification.formulas if one is not specification.init
        ]
        seen = set[str]()
        analysis = Analysis(definitions, specification.levels.variables)
        while work:
            e = work.pop()
            # A name that another module binds, by a quantifier or as a parameter, may be that of a constant here.
            free = analysis.free(e)
            for node in _nodes(e):
                if isinstance(node, s.ModelValue):
                    self._drop(node.place, {x for x in self.moved if str(x) == node.name})
                if not isinstance(node, s.Apply) or node.operator in seen or node.operator not in free:
                    continue
                seen.add(node.operator)
                if node.operator in _WRITING and node.operator not in definitions:
                    self._drop(node.place, self.moved)
                elif node.operator in definitions:
                    one = definitions[node.operator]
                    fixed = not one.parameters and specification.levels.of(node) is Level.CONSTANT
                    if not (fixed and self._keep_fixing(node, constant)):
                        work.append(one)

    def _keep_fixing(self, e: s.Apply, constant: _Constant) -> bool:
        """Drop the permutations that change a constant; return whether its value shows which these are."""
        try:
            value = constant(e)
        except EvaluationError:
            return False
        if not isinstance(value, ModelValue | tuple | frozenset | str | int):
            return False
        kept = [one for one in self.permutations if _Move(one)(value) == value]
        if len(kept) < len(self.permutations):
            self.apart[e.place] = frozenset({e.operator})
            self._use(kept)
        return True

    def chosen(self, found: Sequence[Value], undecided: bool, place: s.Place) -> Value:
        """The element that a CHOOSE takes of those that satisfy its formula.

        Args:
            found: the elements, in the order of values.
            undecided: whether the formula has no value for an element after the first.

        Raises:
            ToldApart: if permutations choose differently, and `alike` does not evaluate each case.
        """
        if not self._watching or not (undecided or len(found) > 1):
            return found[0]
        elements = tuple(found)
        taken = {} if undecided else self._taken(elements)
        if len(taken) == 1 or not self.moved:
            return found[0]
        if undecided or self._case is None:
            self._drop(place, self.moved if undecided else model_values(elements))
            raise ToldApart
        self.open_choices += 1
        cases = {index: those & self._case for index, those in taken.items() if those & self._case}
        (index, self._case), *others = cases.items()
        self._others += [(those, place, elements) for _, those in others]
        return found[index]

    def computed(
        self, key: Hashable, compute: Callable[..., _T], arguments: tuple[Any, ...]
    ) -> tuple[_T, bool]:
        """The result of a computation, and whether it has no open choice.

        A result with open choices is computed once in each case.

        Args:
            key: another one for each computation. It may have ids of arguments, which are kept with the result.
            compute: the computation.
            arguments: its arguments.
        """
        known = self._made.get((self._case, key)) if self._made else None
        if known is not None:
            self.open_choices += 1
            result, _, self._case, others = known
            self._others += others
            return cast(_T, result), False
        before, opened, count = self._case, self.open_choices, len(self._others)
        made = compute(*arguments)
        if type(made) not in _KEPT:
            return made, False
        if self.open_choices > opened:
            if len(self._made) >= _MOST_KNOWN:
                self._made.clear()
            self._made[self._case, key] = (made, arguments, self._case, [])
            self._made[before, key] = (made, arguments, self._case, self._others[count:])
        return made, self.open_choices == opened

    def _taken(self, found: tuple[Value, ...]) -> dict[int, frozenset[int]]:
        """The indices of the elements that permutations choose, each with those of the permutations."""
        known = self._first.get(found)
        if known is None:
            taken: dict[int, list[int]] = {0: [0]}
            for number, move in enumerate(self.group, start=1):
                keys = [self._order.key(move(one)) for one in found]
                taken.setdefault(keys.index(min(keys)), []).append(number)
            if len(self._first) >= _MOST_KNOWN:
                self._first.clear()
            known = self._first[found] = {index: frozenset(those) for index, those in taken.items()}
        return known

    def alike(self, evaluate: Callable[[], _T], same: Callable[[_T, _T], bool] = eq) -> _T:
        """The result of an evaluation, which must be the same whatever permutations make it choose.

        Args:
            evaluate: a function that depends on nothing but the state that it is about.
            same: whether two results are the same.

        Raises:
            ToldApart: if it is not.
        """
        if not (self._watching and self.repeatable and self.permutations):
            return evaluate()
        self._others.clear()
        try:
            self._case = self._cases
            result, failure = _attempt(evaluate)
            while self._others:
                self._case, place, elements = self._others.pop()
                other, fails = _attempt(evaluate)
                both = failure is not None and fails is not None
                one = failure is None and fails is None and same(cast(_T, result), cast(_T, other))
                if not (both or one):
                    self._drop(place, model_values(elements))
                    raise ToldApart
        finally:
            self._case = None
        if failure is not None:
            raise failure
        return cast(_T, result)

    def once(self, compute: Callable[[], Value]) -> Value:
        """The value of a constant expression with a CHOOSE, which must be the same in each case.

        One that is not listed may choose later, and its choices are kept: no formula is evaluated again then.
        """
        case, self._case = self._case, None
        value = compute()
        if isinstance(value, ModelValue | tuple | frozenset | str | int):
            self._case = case
        else:
            self.repeatable = False
        return value

    def _drop(self, place: s.Place, values: Iterable[Value]) -> None:
        """Drop the permutations that move one of some values."""
        values = self.moved & frozenset(values)
        kept = [one for one in self.permutations if values.isdisjoint(one)]
        if len(kept) < len(self.permutations):
            self.apart[place] = self.apart.get(place, frozenset()) | frozenset(map(str, values))
            self._use(kept)


def _attempt(evaluate: Callable[[], _T]) -> tuple[_T | None, Exception | None]:
    """The result of an evaluation, or its error."""
    try:
        return evaluate(), None
    except FAILURES as error:
        return None, error


def _nodes(e: s.Node) -> Iterator[s.Node]:
    """The nodes of an expression, without the texts that are only shown."""
    shown = {"Assert": slice(1, 2), "Print": slice(0, 1), "PrintT": slice(0, 1)}
    silent = set[int]()
    for node in s.nodes(e):
        if id(node) in silent:
            silent |= set(map(id, s.children(node)))
            continue
        yield node
        if isinstance(node, s.Apply) and node.operator in shown:
            silent |= set(map(id, node.arguments[shown[node.operator]]))


def model_values(values: Iterable[Value]) -> Iterator[ModelValue]:
    """The model values in some values."""
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, ModelValue):
            yield value
        elif value.__class__ is frozenset:
            work += value
        elif value.__class__ is tuple:
            work += [part for pair in items_of(value) for part in pair]


def group(given: Sequence[_Permutation]) -> list[_Permutation]:
    """All permutations that combine some; the identity is left out."""
    found = {frozenset[tuple[Value, Value]](): dict[Value, Value]()}
    work = list(found.values())
    while work:
        one = work.pop()
        for other in given:
            both = {x: other.get(one.get(x, x), one.get(x, x)) for x in one.keys() | other.keys()}
            made = {x: y for x, y in both.items() if x is not y}
            if (key := frozenset(made.items())) not in found:
                found[key] = made
                work.append(made)
    return [one for one in found.values() if one]


class Orbits:
    """The states that were seen first of all that permutations turn into each other.

    To hash a value of many parts takes long, and so does to move each part. So values and their parts are
    numbered, and each has a *row*: its number and those of its images. The row of a set is made of those of its
    elements. The image of a state with the least numbers is found variable by variable. Variables of many values,
    such as the messages under way, come last and have no rows: few images are left then, and only these are made.

    Args:
        permutations: a group without the identity.
    """

    def __init__(self, permutations: Sequence[_Permutation]) -> None:
        self._permutations: list[_Permutation] = [{}, *permutations]
        self._numbers: dict[object, int] = {}
        self._rows: dict[Value, Sequence[int]] = {}
        self._domain_rows: dict[Value, Sequence[Sequence[int]]] = {}
        self._first: dict[tuple[int, ...], State] = {}
        self._places: tuple[Sequence[int], Sequence[int]] | None = None

    def __call__(self, state: State) -> State:
        """The image of a state that was seen first; the state itself if none was seen."""
        if self._places is None and len(self._first) == _SAMPLED:
            self._sort_variables(len(state))
        few, many = self._places or (range(len(state)), ())
        rows = [self._row(state[place]) for place in few]
        key = min(zip(*rows, strict=True))
        if many:
            left = [one for one, image in enumerate(zip(*rows, strict=True)) if image == key]
            for place in many:
                numbers = self._some(state[place], left)
                least = min(numbers)
                key = (*key, least)
                left = [one for one, number in zip(left, numbers, strict=True) if number == least]
        return self._first.setdefault(key, state)

    def _sort_variables(self, count: int) -> None:
        """Put variables of few values first, and begin again with the states that were seen."""
        states = list(self._first.values())
        different = [len({state[place] for state in states}) for place in range(count)]
        places = sorted(range(count), key=different.__getitem__)
        few = [place for place in places if different[place] <= len(states) // _FEW] or places
        self._places = few, places[len(few) :]
        self._first = {}
        for state in states:
            self(state)

    def _row(self, value: Value) -> Sequence[int]:
        """The numbers of a value's images by all permutations."""
        row = self._rows.get(value)
        if row is None:
            row = self._rows[value] = tuple(self._numbered(self._images(value)))
        return row

    def _images(self, value: Value) -> Iterable[object]:
        """A value and its images, with numbers for their parts."""
        if value.__class__ is frozenset:
            return self._sets([self._row(x) for x in value])
        if value.__class__ is tuple:
            pairs = [zip(x, y, strict=True) for x, y in self._pairs(value)]
            # In a tuple, so that no function has the number of a set.
            return zip(self._sets([self._numbered(pair) for pair in pairs]))
        return [one.get(value, value) for one in self._permutations]

    def _sets(self, rows: Sequence[Sequence[int]]) -> Iterable[tuple[int, ...]]:
        """The sets of the numbers that stand at the same place in some rows, in order: tuples take less memory."""
        if not rows:
            return ((),) * len(self._permutations)
        return map(tuple, map(sorted, zip(*rows, strict=True)))

    def _pairs(self, f: Value) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """The rows of a function's arguments, each with that of its value."""
        # The hash of a domain is known, those of its elements are not.
        keys = self._domain_rows.get(f[0])
        if keys is None:
            keys = self._domain_rows[f[0]] = [self._row(x) for x in f[0].keys]
        return zip(keys, map(self._row, f[1:]), strict=True)

    def _some(self, value: Value, left: Iterable[int]) -> list[int]:
        """The numbers of a value's images by some permutations.

        `_images` is for many permutations: a search that made these few by it took 29 % longer.
        """
        if value.__class__ is frozenset:
            rows = [self._row(x) for x in value]
            return self._numbered(tuple(sorted([row[one] for row in rows])) for one in left)
        if value.__class__ is tuple:
            pairs = list(self._pairs(value))
            sets = (sorted(self._numbered([(x[one], y[one]) for x, y in pairs])) for one in left)
            return self._numbered(zip(map(tuple, sets)))
        return [self._row(value)[one] for one in left]

    def _numbered(self, images: Iterable[object]) -> list[int]:
        numbers = self._numbers
        return [numbers.setdefault(one, len(numbers)) for one in images]


class _Move:
    """A permutation of model values, applied to values."""

    def __init__(self, permutation: _Permutation) -> None:
        self._known: dict[Value, Value] = dict(permutation)

    def __call__(self, value: Value) -> Value:
        kind = value.__class__
        if isinstance(value, ModelValue):
            return self._known.get(value, value)
        if kind is not tuple and kind is not frozenset:
            return value
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._moved(value)
        return found

    def _moved(self, value: Value) -> Value:
        if value.__class__ is frozenset:
            return frozenset(map(self, value))
        graph = {self(x): self(y) for x, y in items_of(value)}
        domain = domain_of(frozenset(graph))
        return (domain, *[graph[x] for x in domain.keys])

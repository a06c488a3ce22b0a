"""Sets that are not listed: infinite ones, and those with very many elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from leadline.symbolic.tla.read.analysis import sizes
from leadline.symbolic.tla.values.differences import absent, of_other_arguments
from leadline.symbolic.tla.values.values import (
    FALSE,
    KINDS,
    LETTERS,
    SIMPLE,
    TRUE,
    Domain,
    EvaluationError,
    LazyFunction,
    ModelValue,
    Order,
    Unlisted,
    Value,
    domain_of,
    fail,
    items_of,
    kind_word,
    ordered,
    sequence,
    tla_text,
)

_MOST_KNOWN = 10_000


def is_set(value: Value) -> bool:
    """Whether a value is a set, listed or not."""
    return isinstance(value, frozenset | LazySet)


class LazySet(Unlisted):
    """A set of which membership can be asked, and which is listed when it must be.

    Attributes:
        kind: what all its elements are, down to their parts, so that TLC can compare them with each other; None
            if that is not known.
    """

    kind: object = None
    _found: set[Value] | None = None

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = "a set"

    def __repr__(self) -> str:
        return "a set"

    def __contains__(self, value: Value) -> bool:
        return value in self.listed

    def has(self, value: Value) -> bool:
        """Whether a value is an element.

        Invariants on types ask for the same few values in every state, so those of several parts are kept.
        """
        if value.__class__ is not tuple and value.__class__ is not frozenset:
            return value in self
        known = self._found
        if known is None or len(known) >= _MOST_KNOWN:
            known = self._found = set()
        if value in known:
            return True
        found = value in self
        if found:
            known.add(value)
        return found

    def elements(self) -> Iterator[Value]:
        """The elements in TLC's order.

        Raises:
            EvaluationError: if there are infinitely many.
        """
        raise EvaluationError(f"{self} cannot be enumerated: it is infinite")

    def choices(self, by: Order) -> Iterator[Value]:
        """The elements in the order of CHOOSE: sorted."""
        return iter(by.ordered(self.listed))

    @cached_property
    def listed(self) -> frozenset[Value]:
        """All elements."""
        return frozenset(self.elements())

    def __iter__(self) -> Iterator[Value]:
        return self.elements()

    def __len__(self) -> int:
        return len(self.listed)

    def __eq__(self, other: object) -> bool:
        return self is other or self.listed == other

    def __hash__(self) -> int:
        return hash(self.listed)

    def __or__(self, other: Value) -> Value:
        # TLC looks into the set that is listed first.
        return Joined((self, other) if isinstance(other, LazySet) else (other, self))

    def __ror__(self, other: Value) -> Value:
        return Joined((other, self))

    def __and__(self, other: Value) -> Value:
        return frozenset(x for x in other if x in self)

    __rand__ = __and__

    def __sub__(self, other: Value) -> Value:
        return Filtered(self, lambda x: x not in other)

    def __rsub__(self, other: Value) -> Value:
        return frozenset(x for x in other if x not in self)


class Universe(LazySet):
    """One of the sets Nat, Int, STRING and Any.

    Args:
        contains: whether a value is an element; it raises an error where TLC cannot tell.
    """

    def __init__(self, name: str, contains: Callable[[Value], bool]) -> None:
        self.name = name
        self.contains = contains

    def __contains__(self, value: Value) -> bool:
        return self.contains(value)

    def elements(self) -> Iterator[Value]:
        """There are infinitely many: the error tells how a configuration puts another set in place of this one."""
        repair = f"a configuration may replace it (CONSTANT {self} <- Few)"
        raise EvaluationError(f"{self} cannot be enumerated: it is infinite; {repair}")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def _number(value: Value, low: int | None) -> bool:
    if value.__class__ is int:
        return low is None or bool(value >= low)
    if value.__class__ is ModelValue:
        return False
    raise EvaluationError(f"{tla_text(value)} is compared with numbers")


def _string(value: Value) -> bool:
    if value.__class__ is str or value.__class__ is ModelValue:
        return value.__class__ is str
    raise EvaluationError(f"{tla_text(value)} is compared with strings")


NAT = Universe("Nat", lambda value: _number(value, 0))
INT = Universe("Int", lambda value: _number(value, None))
STRING = Universe("STRING", _string)
ANY = Universe("Any", lambda value: True)
BOOLEAN = frozenset({FALSE, TRUE})


class Joined(LazySet):
    """The union of several sets."""

    def __init__(self, parts: Sequence[Value]) -> None:
        self.parts = parts
        kinds = {kind_of(part) for part in parts}
        self.kind = kinds.pop() if len(kinds) == 1 else None

    def __contains__(self, value: Value) -> bool:
        return any(member(value, part) for part in self.parts)

    def elements(self) -> Iterator[Value]:
        known = set()
        for x in itertools.chain.from_iterable(map(in_order, self.parts)):
            if x not in known:
                known.add(x)
                yield x


class Filtered(LazySet):
    """`{x \\in S : P}` for a set S that is not listed."""

    def __init__(self, base: Value, test: Callable[[Value], bool]) -> None:
        self.base, self.test = base, test

    def __contains__(self, value: Value) -> bool:
        return member(value, self.base) and self.test(value)

    def elements(self) -> Iterator[Value]:
        return (x for x in in_order(self.base) if self.test(x))


class Subsets(LazySet):
    """`SUBSET S`.

    Args:
        base: S.
        most: a set of which alone subsets are wanted: others may be left out.
    """

    def __init__(self, base: Value, most: Value | None = None) -> None:
        self.base = base
        if not is_set(base):
            what = f"{tla_text(base)}, {kind_word(base)}"
            fail(f"SUBSET of {what}: a set is needed; SUBSET binds tighter than .. or \\cup")
        self.kind = _around(frozenset, base)
        if most is not None:
            # Where members cannot be compared, no subset is left out, and comparing these tells the error.
            with suppress(EvaluationError):
                self.base = frozenset(x for x in frozenset(base) if member(x, most))

    def __contains__(self, value: Value) -> bool:
        if value.__class__ is ModelValue:
            return False
        if not isinstance(value, frozenset | LazySet):
            raise EvaluationError(f"{tla_text(value)} is no set, and is compared with sets")
        return all(member(x, self.base) for x in value)

    def elements(self) -> Iterator[Value]:
        items = ordered(frozenset(self.base))
        for bits in range(2 ** len(items)):
            yield frozenset(x for place, x in enumerate(items) if bits >> place & 1)

    def choices(self, by: Order) -> Iterator[Value]:
        return SizedSubsets(self, range(len(self.base) + 1)).choices(by)

    def __len__(self) -> int:
        return int(2 ** len(self.base))


class SizedSubsets(LazySet):
    """The members of `SUBSET S` of some sizes.

    Args:
        whole: the set of all subsets.
        sizes: the sizes.
    """

    def __init__(self, whole: Subsets, sizes: range) -> None:
        self.whole, self.base, self.sizes = whole, whole.base, sizes
        self.kind = whole.kind

    def __contains__(self, value: Value) -> bool:
        return value in self.whole and len(value) in self.sizes

    def elements(self) -> Iterator[Value]:
        return iter(ordered(frozenset(self)))

    def __iter__(self) -> Iterator[Value]:
        return self.choices(LETTERS)

    def choices(self, by: Order) -> Iterator[Value]:
        items = by.ordered(frozenset(self.base))
        parts = (itertools.combinations(items, size) for size in self.sizes)
        return map(frozenset, itertools.chain.from_iterable(parts))

    def __len__(self) -> int:
        return sum(math.comb(len(self.base), size) for size in self.sizes)


def of_size(sets: Value, comparison: str, bound: Value) -> Value:
    """At least the elements of `sets` whose cardinality is compared in this way; all, if it is no `SUBSET S`."""
    if sets.__class__ is not Subsets or bound.__class__ is not int:
        return sets
    return SizedSubsets(sets, sizes(comparison, bound, len(sets.base)))


class Functions(LazySet):
    """`[S -> T]`."""

    def __init__(self, domain: Value, range_: Value) -> None:
        for one in (domain, range_):
            if not is_set(one):
                fail(f"[S -> T] of {tla_text(one)}, {kind_word(one)}: sets are needed")
        self.domain, self.range = domain, range_
        self.kind = _around(tuple, range_)

    @cached_property
    def keys(self) -> Domain:
        """The domain of each function."""
        return domain_of(frozenset(self.domain))

    def __contains__(self, value: Value) -> bool:
        if value.__class__ is not tuple:
            if value.__class__ is ModelValue:
                return False
            if not isinstance(value, LazyFunction):
                raise EvaluationError(f"{tla_text(value)} is no function, and is compared with functions")
            value = value.table()
        if value[0] is not self.keys:
            return len(value[0].keys) == len(self.keys.keys) and of_other_arguments(value, self.keys)
        return all(member(x, self.range) for x in value[1:])

    def elements(self) -> Iterator[Value]:
        keys = self.keys
        values = tuple(in_order(self.range)) if keys.keys else ()
        return ((keys, *rest) for rest in itertools.product(values, repeat=len(keys.keys)))

    def choices(self, by: Order) -> Iterator[Value]:
        values = tuple(in_choice(self.range, by)) if self.keys.keys else ()
        return _functions(self.keys, [values] * len(self.keys.keys), by)

    def __len__(self) -> int:
        return int(len(self.range) ** len(self.domain)) if len(self.domain) else 1


class Records(LazySet):
    """`[a : S, b : T]`.

    Args:
        keys: the domain of its records.
        sets: for each name in the domain's order, the set of its values.
    """

    def __init__(self, keys: Domain, sets: tuple[Value, ...]) -> None:
        for one in sets:
            if not is_set(one):
                what = f"{tla_text(one)}, {kind_word(one)}"
                fail(f"the elements of {what}, are to be parts of values: a set is needed")
        self.keys, self.sets = keys, sets
        self.kind = _around(tuple, *sets)

    def __contains__(self, value: Value) -> bool:
        if value.__class__ is not tuple:
            if value.__class__ is ModelValue:
                return False
            raise EvaluationError(f"{tla_text(value)} is no record, and is compared with records")
        if value[0] is not self.keys:
            return of_other_arguments(value, self.keys)
        return all(map(member, value[1:], self.sets))

    def elements(self) -> Iterator[Value]:
        return ((self.keys, *rest) for rest in itertools.product(*map(in_order, self.sets)))

    def choices(self, by: Order) -> Iterator[Value]:
        return _functions(self.keys, [in_choice(one, by) for one in self.sets], by)

    def __len__(self) -> int:
        size = 1
        for one in self.sets:
            size *= len(one)
        return size


def _functions(keys: Domain, sets: Sequence[Iterable[Value]], by: Order) -> Iterator[Value]:
    """The functions with a value of each key's set, in the order of CHOOSE, in which each set is already."""
    places = by.places(keys)
    back = sorted(range(len(places)), key=places.__getitem__)
    return ((keys, *map(rest.__getitem__, back)) for rest in itertools.product(*(sets[x] for x in places)))


class Sequences(LazySet):
    """`Seq(S)`."""

    def __init__(self, base: Value) -> None:
        self.base = base

    def __contains__(self, value: Value) -> bool:
        if value.__class__ is ModelValue:
            return False
        if value.__class__ is not tuple or not hasattr(value[0], "size"):
            raise EvaluationError(f"{tla_text(value)} is no sequence, and is compared with sequences")
        return all(member(x, self.base) for x in value[1:])

    def __repr__(self) -> str:
        return f"Seq({tla_text(self.base)})"


class Product(Records):
    """`S \\X T`."""

    def __init__(self, *sets: Value) -> None:
        super().__init__(sequence(sets)[0], sets)


def kind_of(elements: Value) -> object:
    """The class of all elements of a set; None if they are of several, or of one that has parts."""
    if isinstance(elements, LazySet):
        return elements.kind
    kinds = {x.__class__ for x in elements if x.__class__ is not ModelValue}
    return next(iter(kinds), ModelValue) if len(kinds) <= 1 and SIMPLE.issuperset(kinds) else None


def _around(kind: type, *parts: Value) -> object:
    kinds = tuple(map(kind_of, parts))
    return None if None in kinds else (kind, kinds)


def member(value: Value, elements: Value) -> bool:
    """Whether a set contains a value.

    Raises:
        EvaluationError: where TLC cannot compare it with the elements.
    """
    if elements.__class__ is frozenset:
        if value in elements:
            return True
        for x in elements:
            if x.__class__ is value.__class__ in SIMPLE:
                return False
            break
        return absent(value, elements)
    if isinstance(elements, LazySet):
        return elements.has(value)
    if isinstance(elements, frozenset):
        return value in elements
    raise EvaluationError(f"{tla_text(elements)} is no set: nothing is in it")


def in_choice(elements: Value, by: Order) -> Value:
    """The elements of a set in the order in which CHOOSE goes through them."""
    return elements.choices(by) if isinstance(elements, LazySet) else in_order(elements, by)


def in_order(elements: Value, by: Order = LETTERS) -> Value:
    """The elements of a set in TLC's order.

    Raises:
        EvaluationError: if it is no set, or infinite.
    """
    if elements.__class__ is frozenset:
        return by.ordered(elements)
    if isinstance(elements, LazySet):
        return elements.elements()
    if isinstance(elements, frozenset):
        return by.ordered(frozenset(elements))
    raise EvaluationError(f"{tla_text(elements)} is no set: its elements cannot be enumerated")


def permutations(elements: Value) -> frozenset[Value]:
    """`Permutations(S)`."""
    domain = domain_of(frozenset(elements))
    return frozenset((domain, *rest) for rest in itertools.permutations(domain.keys))


def graph(f: Value) -> dict[Value, Value]:
    """The graph of a function."""
    return dict(items_of(f.table() if isinstance(f, LazyFunction) else f))

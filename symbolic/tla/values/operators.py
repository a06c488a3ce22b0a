"""The operators of the standard modules on values. Generated code calls them by their names."""

from __future__ import annotations

import itertools
import json
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from leadline.symbolic.files import read_text
from leadline.symbolic.lang import UserError
from leadline.symbolic.tla.values.differences import absent
from leadline.symbolic.tla.values.sets import (
    Filtered,
    Joined,
    LazySet,
    graph,
    in_choice,
    in_order,
    member,
)
from leadline.symbolic.tla.values.values import (
    FALSE,
    LETTERS,
    TRUE,
    EvaluationError,
    LazyFunction,
    Order,
    Value,
    domain_of,
    fail,
    function,
    model_value,
    ordered,
    sequence,
    sequence_domain,
    tla_text,
)

UNSET = object()
"""A variable of generated code without a value yet."""


class Lazy:
    """A value that is computed when it is called for the first time."""

    __slots__ = ("compute", "value")

    def __init__(self, compute: Callable[[], Value]) -> None:
        self.compute = compute
        self.value: Value = UNSET

    def __call__(self) -> Value:
        if self.value is UNSET:
            self.value = self.compute()
        return self.value


def truth(value: Value) -> bool:
    """A truth value as Python's.

    Raises:
        EvaluationError: if it is none.
    """
    if value is TRUE or value is FALSE:
        return value is TRUE
    return fail(f"{tla_text(value)} is no truth value")


def number(value: Value) -> int:
    """The value, which must be an integer."""
    return value if value.__class__ is int else fail(f"{tla_text(value)} is no integer")


def elements(value: Value) -> Value:
    """The set, which can be iterated over in any order."""
    if value.__class__ is frozenset or isinstance(value, frozenset | LazySet):
        return value
    return fail(f"{tla_text(value)} is no set: its elements cannot be enumerated")


def combinations(*sets: Value) -> list[tuple[Value, ...]]:
    """All combinations of elements of the sets, in TLC's order."""
    return list(itertools.product(*map(in_order, sets)))


def listed(value: Value) -> Value:
    """The value as it is stored: a set as the `frozenset` of its elements, a function as a table."""
    if isinstance(value, LazySet):
        return value.listed
    return value.table() if isinstance(value, LazyFunction) else value


_MOST_ENUMERATED = 100_000
_MOST_LISTED = 2_000
_MOST_TESTED = 10_000_000
"""The most elements of a set that are tested to list those of a filter."""


def _few(items: Value, most: int) -> bool:
    """Whether a finite set has at most so many elements. No set with large parts is listed to tell it."""
    if isinstance(items, Joined) and not all(_few(part, most) for part in items.parts):
        return False
    if isinstance(items, Filtered) and not _few(items.base, _MOST_TESTED):
        return False
    try:
        return len(items) <= most
    except OverflowError:  # Python refuses lengths of over 63 bits.
        return False


def kept(value: Value) -> Value:
    """The value as it is listed, unless it is a set that is infinite or large, or a function over one."""
    try:
        few = not isinstance(value, LazySet) or _few(value, _MOST_ENUMERATED)
        return listed(value) if few else value
    except EvaluationError:
        return value


def listing(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function whose values are kept so."""

    def call(*arguments: Value) -> Value:
        return kept(function(*arguments))

    return call


def enumerated(elements_: Value, by: Order) -> Value:
    """The elements in TLC's order, for several iterations."""
    items = elements(elements_)
    return tuple(in_order(items, by)) if _few(items, _MOST_ENUMERATED) else items


def choices(elements_: Value, by: Order) -> Value:
    """The elements in the order of CHOOSE, for several iterations."""
    items = elements(elements_)
    return tuple(in_choice(items, by)) if _few(items, _MOST_ENUMERATED) else _Choices(items, by)


class _Choices:
    """The elements of a large set in the order of CHOOSE."""

    def __init__(self, items: Value, by: Order) -> None:
        self.items, self.by = items, by

    def __iter__(self) -> Iterator[Value]:
        return iter(in_choice(self.items, self.by))


def quick(elements_: Value) -> Value:
    """The set, listed if it is lazy and small, and TLC finds out about its members without an error."""
    lazy = isinstance(elements_, LazySet) and elements_.kind is not None
    small = lazy and finite(elements_) and _few(elements_, _MOST_LISTED)
    return elements_.listed if small else elements(elements_)


def interval(low: Value, high: Value) -> frozenset[int]:
    """`low..high`."""
    return frozenset(range(number(low), number(high) + 1))


def apart(value: Value, low: int, high: int) -> bool:
    """False: a value that is no integer is not in `low..high`.

    Raises:
        EvaluationError: where TLC cannot compare it with the elements.
    """
    return absent(value, interval(low, min(low, high)))


def cup(a: Value, b: Value) -> Value:
    """`a \\cup b`."""
    return elements(a) | elements(b)


def cap(a: Value, b: Value) -> Value:
    """`a \\cap b`."""
    return elements(a) & elements(b)


def minus(a: Value, b: Value) -> Value:
    """`a \\ b`."""
    return elements(a) - elements(b)


def subseteq(a: Value, b: Value) -> bool:
    """`a \\subseteq b`."""
    if a.__class__ is frozenset is b.__class__:
        return a <= b or member(ordered(a - b)[0], b)
    return all(member(x, b) for x in elements(a))


def union(sets: Value) -> Value:
    """`UNION sets`, where the sets may also be a list."""
    found = [elements(x) for x in (sets if sets.__class__ is list else elements(sets))]
    lazy = any(isinstance(x, LazySet) for x in found)
    return Joined(found) if lazy else frozenset().union(*found)


def cardinality(value: Value) -> int:
    """`Cardinality(value)`."""
    return len(elements(value))


def finite(value: Value) -> bool:
    """`IsFiniteSet(value)`."""
    try:
        return len(elements(value)) >= 0
    except (EvaluationError, OverflowError) as error:
        return isinstance(error, OverflowError)


def divide(a: Value, b: Value) -> int:
    """`a \\div b`."""
    return number(a) // number(b) if b else fail(f"{a} \\div 0")


def modulo(a: Value, b: Value) -> int:
    """`a % b`, whose second argument is positive."""
    return number(a) % number(b) if number(b) > 0 else fail(f"{a} % {b}: expected a positive number")


def power(a: Value, b: Value) -> int:
    """`a ^ b`, whose second argument is natural."""
    if number(b) < 0 or (number(a) == 0 and b == 0):
        fail(f"{a} ^ {b}: expected a natural number, and not 0 ^ 0")
    return int(a**b)


def table(f: Value) -> Value:
    """The value as a tuple; it must be a function."""
    if f.__class__ is tuple:
        return f
    return f.table() if isinstance(f, LazyFunction) else fail(f"{tla_text(f)} is no function")


def domain(f: Value) -> Value:
    """`DOMAIN f`."""
    if f.__class__ is tuple:
        return f[0].plain
    return (
        f.domain if isinstance(f, LazyFunction) else fail(f"{tla_text(f)} is no function: it has no DOMAIN")
    )


def tuples(values: Iterable[Value], count: int) -> Iterator[Value]:
    """The values, each of which is to be a tuple of so many parts."""
    domain = sequence_domain(count)
    for value in values:
        if value.__class__ is not tuple or value[0] is not domain:
            fail(f"{tla_text(value)} is no tuple of {count} values")
        yield value


def recursive_function(base: Value, compute: Callable[[Value, Value], Value]) -> LazyFunction:
    """The function with the domain `base` whose value at x is `compute(itself, x)`, and then kept."""
    made = LazyFunction(base, kept=kept)
    made.compute = partial(compute, made)
    return made


def override(f: Value, g: Value) -> Value:
    """`f @@ g`."""
    return function({**graph(table(g)), **graph(table(f))})


def singleton(x: Value, value: Value) -> Value:
    """`x :> value`."""
    return (domain_of((x,)), value)


def _sequence(s: Value) -> Value:
    if s.__class__ is not tuple:
        s = table(s)
    return s if hasattr(s[0], "size") else fail(f"{tla_text(s)} is no sequence")


def length(s: Value) -> int:
    """`Len(s)`."""
    if s.__class__ is tuple and hasattr(s[0], "size"):
        return len(s) - 1
    if s.__class__ is str:
        return len(s)
    return len(_sequence(s)) - 1


def append(s: Value, value: Value) -> Value:
    """`Append(s, value)`. TLC takes strings for sequences in `Len`, `\\o`, `Tail` and `SubSeq` alone."""
    s = _sequence(s)
    return (sequence_domain(len(s)), *s[1:], value)


def concatenate(s: Value, t: Value) -> Value:
    """`s \\o t`."""
    if s.__class__ is str and t.__class__ is str:
        return s + t
    s, t = _sequence(s), _sequence(t)
    return (sequence_domain(len(s) + len(t) - 2), *s[1:], *t[1:])


def head(s: Value) -> Value:
    """`Head(s)`."""
    s = _sequence(s)
    return s[1] if len(s) > 1 else fail("Head of the empty sequence")


def tail(s: Value) -> Value:
    """`Tail(s)`."""
    if s.__class__ is str and s:
        return s[1:]
    s = _sequence(s)
    return (sequence_domain(len(s) - 2), *s[2:]) if len(s) > 1 else fail("Tail of the empty sequence")


def subseq(s: Value, low: Value, high: Value) -> Value:
    """`SubSeq(s, low, high)`."""
    text = s.__class__ is str
    s = s if text else _sequence(s)
    if number(low) > number(high):
        return "" if text else (sequence_domain(0),)
    if low < 1 or high > length(s):
        fail(f"SubSeq({tla_text(s)}, {low}, {high}): expected indices of the sequence")
    if text:
        return s[low - 1 : high]
    return (sequence_domain(high - low + 1), *s[low : high + 1])


def select(s: Value, test: Callable[[Value], Value]) -> Value:
    """`SelectSeq(s, test)`."""
    return sequence(x for x in _sequence(s)[1:] if truth(test(x)))


def fold(
    op: Callable[[Value, Value], Value],
    base: Value,
    elements: Value,
    first: Callable[[Sequence[Value]], Value] | None = None,
    by: Order = LETTERS,
) -> Value:
    """An operator applied to each element of a set in TLC's order and the result so far, which is first `base`.

    Args:
        first: takes the first of the elements that are left; None if nothing depends on which it is.
        by: the order.
    """
    left = [*in_choice(elements, by)]
    if first is not None:
        left = [left.pop(left.index(first(left))) for _ in range(len(left))]
    for x in left:
        base = op(x, base)
    return base


def sort(s: Value, less: Callable[[Value, Value], Value]) -> Value:
    """`SortSeq(s, less)`, as TLC sorts: each item in turn goes before those at the end that it is less than."""
    found: list[Value] = []
    for item in _sequence(s)[1:]:
        place = len(found)
        while place and truth(less(item, found[place - 1])):
            place -= 1
        found.insert(place, item)
    return sequence(found)


_printers: list[tuple[Callable[[str], object], set[str]]] = []
"""Functions that take texts, each with the places of the EXCEPTs that it was told of."""


@contextmanager
def printing(to: Callable[[str], object]) -> Iterator[None]:
    """A function takes each text that a module prints inside the block. Elsewhere such texts are dropped."""
    _printers.append((to, set()))
    try:
        yield
    finally:
        _printers.pop()


def silently() -> AbstractContextManager[None]:
    """Texts that a module prints inside the block are dropped: a search has shown them, or will."""
    return printing(lambda _: None)


def tell(*values: Value) -> Value:
    """`PrintT(value)` or `Print(value, result)`: the texts go where `printing` says."""
    for show, _ in _printers[-1:]:
        show("  ".join(tla_text(kept(value)) for value in values))
    return values[1] if len(values) > 1 else TRUE


def check(condition: Value, text: Value) -> Value:
    """`Assert(condition, text)`."""
    return TRUE if truth(condition) else fail(f"the assertion is false: {tla_text(text)}")


def written(value: Value) -> str:
    """`ToString(value)`."""
    return tla_text(listed(value))


def pick(value: Value) -> Value:
    """`RandomElement(value)`."""
    return random.choice(tuple(in_order(value)))


_CONFIG = {"mode": "bfs", "worker": 1, "traces": -1, "seed": 0}
_registers: dict[Value, Value] = {}


def set_level(level: int | None) -> None:
    """Set what `TLCGet("level")` is: 1 for initial states and 1 more for each step. None: it has no value."""
    if level is None:
        _registers.pop("level", None)
    else:
        _registers["level"] = level


@contextmanager
def at_level(level: int | None) -> Iterator[None]:
    """`TLCGet("level")` is `level` within, and afterwards what it was. None: it has no value."""
    before = _registers.get("level")
    set_level(level)
    try:
        yield
    finally:
        set_level(before)


_statistics: list[Callable[[], dict[Value, Value]]] = []


def set_statistics(found: Callable[[], dict[Value, Value]] | None) -> None:
    """Set what gives the numbers of a search by name: TLCGet asks for them. None: there is no search."""
    _statistics[:] = [] if found is None else [found]


@contextmanager
def without_statistics() -> Iterator[None]:
    """TLCGet has no number of a search within."""
    kept, _statistics[:] = _statistics[:], []
    try:
        yield
    finally:
        _statistics[:] = kept


def _of_tlc(deadlock: Value) -> dict[Value, Value]:
    """The values that TLCGet has."""
    found = _statistics[0]() if _statistics else {}
    found = {**found, "stats": function(found)} if found else {}
    config = function({**_CONFIG, "deadlock": deadlock})
    return {**found, "config": config, "-Dtlc2.tool.impl.Tool.cdot": "true", **_registers}


def register_or(name: Value, default: Value) -> Value:
    """`TLCGetOrDefault(name, default)`, which knows what TLCSet has set and no more."""
    return default if name == "level" else _registers.get(name, default)


def register(name: Value, *, deadlock: bool) -> Value:
    """`TLCGet(name)`: a value that was set, the configuration, or a number of a breadth-first search.

    Args:
        name: what is asked for.
        deadlock: whether a deadlock is an error.
    """
    known = _of_tlc(TRUE if deadlock else FALSE)
    if name in known:
        return known[name]
    expected = "TLCSet before, or POSTCONDITION for a number of the search"
    return fail(f"TLCGet({tla_text(name)}) has no value: expected {expected}")


def set_register(name: Value, value: Value) -> Value:
    """`TLCSet(name, value)`."""
    _registers[name] = listed(value)
    return TRUE


def named(name: Value) -> Value:
    """`TLCModelValue(name)`."""
    return model_value(name) if name.__class__ is str else fail(f"{tla_text(name)} is no string")


def number_of(text: Value) -> int:
    """`atoi(text)`."""
    if text.__class__ is str and text.removeprefix("-").isdecimal():
        return int(text)
    return fail(f"atoi({tla_text(text)}): expected the digits of an integer")


# Files


def text_of(readable: Path | None, name: Value) -> str:
    """`TextRead(name)`: the text of a file below the folder that may be read. No link leads out of it."""
    if name.__class__ is not str:
        return fail(f"{tla_text(name)} is no string: the name of a file is needed")
    if readable is None:
        return fail(f"{tla_text(name)} is not read: expected --read FOLDER with the folder that it lies in")
    # As TLC takes the name, or else from the folder itself.
    paths = [path.resolve() for path in (Path(name), readable / name)]
    below = [path for path in paths if path.is_relative_to(readable)]
    if not below:
        return fail(f"{tla_text(name)} does not lie below {readable}, the folder of --read")
    try:
        return read_text(next((path for path in below if path.is_file()), below[-1]))
    except UserError as error:
        return fail(str(error))


def json_of(readable: Path | None, name: Value) -> Value:
    """`JsonRead(name)`: the value that a file has as JSON."""
    return _from_json(text_of(readable, name), name, 0)


def json_text(value: Value) -> str:
    """`JsonText(value)`: the value as JSON."""
    return json.dumps(_to_json(listed(value)), ensure_ascii=False, separators=(",", ":"))


def json_lines_of(readable: Path | None, name: Value) -> Value:
    """`JsonLinesRead(name)`: the sequence of the values of a file's lines, each of which is JSON."""
    lines = enumerate(text_of(readable, name).split("\n"), start=1)
    return sequence([_from_json(line, name, number) for number, line in lines if line.strip()])


def _to_json(value: Value) -> object:
    """A value for JSON, as TLC has it: sequences and sets are arrays, and other functions are objects."""
    if value is TRUE or value is FALSE:
        return value is TRUE
    if isinstance(value, frozenset):
        return [_to_json(x) for x in in_order(value)]
    if value.__class__ is not tuple:
        return value if value.__class__ in (int, str) else str(value)
    domain, *items = value
    if hasattr(domain, "size"):
        return [_to_json(x) for x in items]
    keys = [key if key.__class__ is str else tla_text(key) for key in domain.keys]
    return dict(zip(keys, map(_to_json, items), strict=True))


def _from_json(text: str, name: str, line: int) -> Value:
    try:
        found = json.loads(text)
    except ValueError as error:
        return fail(f"{name}{f', line {line}' if line else ''}: no JSON: {error}")
    return _value_of(found, f"{name}{f', line {line}' if line else ''}")


def _value_of(found: object, where: str) -> Value:
    """A value of JSON: an object is a record, an array a sequence, and of a number TLC takes the whole part."""
    match found:
        case bool():
            return TRUE if found else FALSE
        case int() | str():
            return found
        case float() if math.isfinite(found):
            return int(found)
        case list():
            return sequence([_value_of(x, where) for x in found])
        case dict():
            return function({name: _value_of(x, where) for name, x in found.items()})
    return fail(f"{where}: {json.dumps(found)} is no value of TLA+: expected no null and no infinite number")


def now() -> int:
    """`JavaTime`."""
    return int(time.time()) & 0x7FFFFFFF


def unassigned(name: str) -> NoReturn:
    """Raise the error about a variable, `x` or `x'`, that is read before it has a value."""
    fail(f"{name} has no value here: expected {name} = ... before")


def incomplete(names: Sequence[str], initial: bool) -> NoReturn:
    """Raise the error about a state in which variables have no values."""
    if initial:
        fail(f"the initial condition leaves open {', '.join(names)}: expected {names[0]} = ... in it")
    shown, kept = ", ".join(f"{name}'" for name in names), ", ".join(names)
    fail(
        f"the step leaves open {shown}: expected UNCHANGED {f'<<{kept}>>' if len(names) > 1 else kept}, or values"
    )


# EXCEPT


def update(f: Value, x: Value, value: Value, place: str) -> Value:
    """`[f EXCEPT ![x] = value]`. Outside of its domain a function is left as it is, as TLC does.

    The place of an EXCEPT that changes nothing is told.

    Raises:
        EvaluationError: where TLC cannot compare the argument with those of the function.
    """
    if f.__class__ is not tuple:
        if f is UNSET:
            return UNSET
        if isinstance(f, LazyFunction) and not finite(f.domain):
            return f.updated(x, value) if x in f.domain else f
        f = table(f)
    number = f[0].index.get(x)
    if number is None:
        absent(x, f[0].plain)
        _lacking(x, place)
        return f
    items = list(f)
    items[number] = value
    return tuple(items)


def inner(f: Value, x: Value, place: str) -> Value:
    """`f[x]`, which `@` stands for in EXCEPT; UNSET outside of the domain, which is told as by `update`."""
    if f.__class__ is not tuple:
        if f is UNSET:
            return UNSET
        if isinstance(f, LazyFunction) and not finite(f.domain):
            return f[f.index[x]] if x in f.domain else UNSET
        f = table(f)
    number = f[0].index.get(x)
    if number is None:
        absent(x, f[0].plain)
        _lacking(x, place)
        return UNSET
    return f[number]


def _lacking(x: Value, place: str) -> None:
    """Tell of an EXCEPT that changes nothing, once for each place."""
    for show, told in _printers[-1:]:
        if place not in told:
            told.add(place)
            show(f"{place}: EXCEPT changes nothing, since {tla_text(x)} is not in the domain")

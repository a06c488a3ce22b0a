"""The values of TLA+ as Python values, and TLC's order of them.

| TLA+ | Python |
|---|---|
| an integer, a string | an `int`, a `str` |
| TRUE, FALSE | `TRUE`, `FALSE`, which are no numbers |
| a model value | a `ModelValue`, one object for each name |
| a set | a `frozenset` |
| a function, record, sequence or tuple | a `tuple`: its `Domain`, then its values in the domain's order |
| a set not listed yet | a `LazySet` of `leadline.symbolic.tla.values.sets` |
| a function not tabulated | a `LazyFunction` |

There is one `Domain` object for each set that is a domain. So functions with equal graphs are equal tuples,
as they are equal in TLA+, whether written as records, sequences or functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, NoReturn, TypeAlias

from leadline.symbolic.lang import OutOfBounds

Value: TypeAlias = Any


class EvaluationError(OutOfBounds):
    """An expression that has no value: TLC reports an error for it."""


FAILURES = (
    EvaluationError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    RecursionError,
    OverflowError,
)
"""The exceptions that generated code raises where an expression has no value."""


def fail(text: str) -> NoReturn:
    """Raise an evaluation error; generated code calls it within expressions."""
    raise EvaluationError(text)


KINDS = {
    "int": "an integer", "frozenset": "a set", "str": "a string", "tuple": "a function", "Truth": "a truth value",
    "bool": "a truth value", "ModelValue": "a model value", "TypedModelValue": "a model value",
    "builtin_function_or_method": "a string",
}  # fmt: skip
"""The kinds of values by the classes that errors of Python name: a method, where a string is applied."""


def kind_word(value: Value) -> str:
    """The kind of a value."""
    return KINDS.get(type(value).__name__, "a set" if isinstance(value, Unlisted) else "a function")


def in_words(error: Exception, operator: str) -> str:
    """An error that Python raised at values of the wrong kind, in the words of TLA+.

    Args:
        error: the error.
        operator: what is written at its place.
    """
    told = str(error)
    if isinstance(error, OverflowError):
        return f"{operator}: a set is too large for its elements to be counted"
    kinds = [KINDS[name] for name in re.findall(r"'(\w+)'", told) if name in KINDS]
    needed = next((word for sign, word in _NEEDED.items() if sign in told), None)
    around = "" if operator in ("", "(", "[", "{", "<<", '"') else f"{operator}: "
    if needed is not None and len(kinds) == 1 and kinds[0] != needed:
        # The place of an application is where its function begins: of `f[x].y` at `f`, which is not to blame.
        return f"{'' if needed == KINDS['tuple'] else around}{needed} is needed, and this is {kinds[0]}"
    if kinds and needed is None:
        return f"{around}no value for {' and '.join(kinds)}"
    return f"{around}a value is of the wrong kind"


_NEEDED = {"iterable": "a set", "subscriptable": "a function", "has no attribute": "a function"}


class Truth:
    """The type of TRUE and FALSE."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


TRUE = Truth("TRUE")
FALSE = Truth("FALSE")


class ModelValue:
    """A model value. It equals only itself."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return model_value, (self.name,)


class TypedModelValue(ModelValue):
    """A model value such as `a_1`, which may only be compared with those of its type, `a`."""

    __slots__ = ()


_model_values: dict[str, ModelValue] = {}


def model_value(name: str) -> ModelValue:
    """The model value of a name."""
    typed = name[1:2] == "_" and name[0].isalpha() and len(name) > 2
    return _model_values.setdefault(name, TypedModelValue(name) if typed else ModelValue(name))


class Unlisted:
    """The type of sets that are not listed."""

    def __iter__(self) -> Iterator[Value]:
        raise NotImplementedError


SIMPLE = frozenset({int, str, Truth, ModelValue})
"""The types whose values TLC compares with all others of the type."""

LISTED = SIMPLE | {TypedModelValue, frozenset, tuple}
"""The types of values that are listed, down to their parts."""


class Domain(frozenset[Value]):
    """The domain of a function.

    Attributes:
        index: for each element, its place in the functions' tuples, from 1.
        keys: the elements, names by their letters.
        plain: the domain as a set.
        first: the type of the first key; None if there is none.
        size: the length of sequences; there is no such attribute for other functions.
    """

    __slots__ = ("first", "index", "keys", "plain", "size")

    index: dict[Value, int]
    keys: tuple[Value, ...]
    first: type | None
    plain: frozenset[Value]
    size: int

    def __reduce__(self) -> tuple[Any, ...]:
        return domain_of, (self.plain,)


_domains: dict[frozenset[Value], Domain] = {}


def domain_of(elements: Iterable[Value]) -> Domain:
    """The domain with these elements."""
    plain = elements if elements.__class__ is frozenset else frozenset(elements)
    found = _domains.get(plain)
    return _new_domain(plain) if found is None else found


def _new_domain(plain: frozenset[Value]) -> Domain:
    made = Domain(plain)
    count = len(plain)
    made.keys = ordered(plain)
    made.first = made.keys[0].__class__ if plain else None
    made.plain = plain
    made.index = {key: place for place, key in enumerate(made.keys, start=1)}
    if all(place in plain for place in range(1, count + 1)):
        made.size = count
    _domains[plain] = made
    return made


_sequences: list[Domain] = []


def sequence_domain(length: int) -> Domain:
    """The domain of the sequences of a length."""
    while len(_sequences) <= length:
        _sequences.append(domain_of(range(1, len(_sequences) + 1)))
    return _sequences[length]


def sequence(values: Iterable[Value]) -> Value:
    """The sequence of these values."""
    items = tuple(values)
    return (sequence_domain(len(items)), *items)


def function(graph: dict[Value, Value]) -> Value:
    """The function with this graph."""
    domain = domain_of(frozenset(graph))
    return (domain, *[graph[key] for key in domain.keys])


def items_of(f: Value) -> Iterator[tuple[Value, Value]]:
    """The pairs of a tabulated function."""
    return zip(f[0].keys, f[1:], strict=True)


class LazyFunction:
    """A function whose values are computed when it is applied.

    Args:
        domain: its domain, of which only membership is asked.
        compute: its value at an element of the domain.
        kept: gives this value as it is kept. Before that, values of such a function may depend on each other.
    """

    __slots__ = ("_kept", "_known", "compute", "domain")

    def __init__(
        self,
        domain: Value,
        compute: Callable[[Value], Value] | None = None,
        kept: Callable[[Value], Value] | None = None,
    ) -> None:
        self.domain = domain
        self.compute = compute
        self._kept = kept
        self._known: dict[Value, Value] = {}

    # Generated code applies f to x as `f[f[0].index[x]]`. Here f[0] is f itself, and f.index[x] is a key.
    @property
    def index(self) -> _Keys:
        return _Keys(self)

    def __getitem__(self, place: Any) -> Value:
        if place.__class__ is not _Key:
            return self
        x = place.value
        if x not in self._known:
            assert self.compute is not None
            value = self._known[x] = self.compute(x)
            if self._kept is not None:
                self._known[x] = self._kept(value)
        return self._known[x]

    def updated(self, x: Value, value: Value) -> LazyFunction:
        """The function with another value at an element of its domain."""
        made = LazyFunction(self.domain, lambda y: self[_Key(y)])
        made._known[x] = value
        return made

    def table(self) -> Value:
        """The function as a tuple.

        Raises:
            EvaluationError: if its domain is infinite.
        """
        domain = domain_of(frozenset(self.domain))
        return (domain, *[self[_Key(x)] for x in domain.keys])

    def __eq__(self, other: object) -> bool:
        return self is other or self.table() == (other.table() if isinstance(other, LazyFunction) else other)

    def __hash__(self) -> int:
        return hash(self.table())


class _Key:
    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


class _Keys:
    __slots__ = ("function",)

    def __init__(self, function: LazyFunction) -> None:
        self.function = function

    def __getitem__(self, x: Value) -> _Key:
        if x not in self.function.domain:
            raise KeyError(x)
        return _Key(x)


_RANKS: dict[type, int] = {ModelValue: 0, TypedModelValue: 0, Truth: 1, int: 2, str: 3}


_MOST_ORDERED = 200_000


class Order:
    """TLC's order of the values of a specification. Where TLC cannot compare, the kind decides.

    Args:
        naming: gives the places of strings, field names and model values; the others come after them, by their
            letters.

    Attributes:
        known: the elements of sets in order, as far as they were asked for.
    """

    def __init__(self, naming: Callable[[], Mapping[str, int]]) -> None:
        self._naming = naming
        self.known: dict[frozenset[Value], tuple[Value, ...]] = {}
        # The same elements are in many sets, and the same domains in many functions.
        self._key = lru_cache(_MOST_ORDERED)(self.key)
        self.places = lru_cache(_MOST_ORDERED)(self._places)

    @cached_property
    def _ranks(self) -> Mapping[str, int]:
        return self._naming()

    def key(self, value: Value) -> tuple[Any, ...]:
        """A key by which values are sorted as TLC sorts them."""
        kind = value.__class__
        if kind is int:
            return (_RANKS[kind], value)
        if kind is Truth:
            return (_RANKS[kind], value.name)
        if kind is str or isinstance(value, ModelValue):
            name = value if kind is str else value.name
            return (_RANKS[kind], self._ranks.get(name, len(self._ranks)), name)
        if kind is tuple:
            keys, items = value[0].keys, value[1:]
            places = self.places(value[0])
            # The domains are compared before the values.
            return (4, len(items), *([self.key(each[x]) for x in places] for each in (keys, items)))
        if isinstance(value, LazyFunction):
            return self.key(value.table())
        return (5, len(value), sorted(map(self._key, value)))

    def _places(self, domain: Domain) -> tuple[int, ...]:
        """The places of a domain's elements in functions, from 0, in this order."""
        keys = domain.keys
        return tuple(sorted(range(len(keys)), key=lambda place: self.key(keys[place])))

    def ordered(self, elements: frozenset[Value]) -> tuple[Value, ...]:
        """The elements of a set in this order."""
        found = self.known.get(elements)
        if found is None:
            numbers = {x.__class__ for x in elements} == {int}
            found = tuple(sorted(elements) if numbers else sorted(elements, key=self._key))
            if len(self.known) >= _MOST_ORDERED:
                self.known.clear()
            self.known[elements] = found
        return found


LETTERS = Order(dict)
"""The order in which functions keep their values, and sets are written: that of letters."""
ordered = LETTERS.ordered


def tla_text(value: Value) -> str:
    """The value in TLA+."""
    kind = value.__class__
    if kind is str:
        return json.dumps(value, ensure_ascii=False)
    if kind is tuple:
        return _function_text(value)
    if isinstance(value, frozenset):
        return f"{{{', '.join(map(tla_text, ordered(frozenset(value))))}}}"
    if isinstance(value, LazyFunction):
        return tla_text(value.table())
    return str(value)


def _function_text(f: Value) -> str:
    if hasattr(f[0], "size"):
        return f"<<{', '.join(map(tla_text, f[1:]))}>>"
    if all(key.__class__ is str and key.isidentifier() for key in f[0].keys):
        return f"[{', '.join(f'{key} |-> {tla_text(item)}' for key, item in items_of(f))}]"
    return f"({' @@ '.join(f'{tla_text(key)} :> {tla_text(item)}' for key, item in items_of(f))})"

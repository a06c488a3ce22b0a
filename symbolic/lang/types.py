"""The types of the language: all finite once a protocol's parameters are known.

A value of a type is a plain hashable Python value:

=============  ==========================================================================
type           value
=============  ==========================================================================
Bool           ``bool``
Int            ``int``
Enum, Sort     ``str``, the member's name
Option         ``None`` or the value
Tuple, Record  ``tuple`` of the components in their declared order
Union          ``(tag, payload)``, the payload a record's tuple
Set            ``frozenset``
Map            ``tuple`` of the values in the order of the keys
Seq            ``tuple``
=============  ==========================================================================

Every type counts its values (`cardinality`), lists them in one fixed order (`values`), and says by a key
what comes first in that order (`order`). `join` gives the least type that holds the values of two types,
`includes` says whether that is a type itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, dataclass_transform

from leadline.symbolic.lang.errors import Mistake, ModelError, refuse
from leadline.symbolic.lang.span import caller_place

if TYPE_CHECKING:
    from leadline.symbolic.lang.containers import SetExpr, SetLike
    from leadline.symbolic.lang.expr import BoolExpr, IntExpr

MOST_PARTS = 100_000
"""The most keys of a map, members of a sort and parts of a variable.

The largest model that is known to be answered has a few thousand; a formula has a bit or more for each part,
so one of a million would not be read by a solver, and a slip of the keyboard is more likely.
"""
TOO_MANY = MOST_PARTS + 1
"""This number and every larger one."""
DEEPEST = 50
"""The most types within types: a traversal takes a few Python calls for each, and Python allows 1,000."""

Value = Any
"""A concrete value; its shape follows from its type (see the module's table)."""


def too_large(what: str) -> ModelError:
    """The mistake for a type or value that is too large to be built."""
    repair = "narrow its ranges, or give smaller parameters"
    return ModelError([Mistake(caller_place(), f"{what}: {repair}")])


@dataclass_transform(eq_default=False, frozen_default=True)
class Type:
    """A finite set of values in a fixed order. Subclasses are frozen dataclasses."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, repr=False, eq=False)(cls)

    def __post_init__(self) -> None:
        for part in self.parts:
            if not isinstance(part, Type):
                kind = type(self).__name__
                raise TypeError(f"{kind} is built of types, such as Int(0, 3), and {part!r} is none")
        if self.depth > DEEPEST:
            text = f"a type nested deeper than {DEEPEST}: give the state fewer types within types"
            refuse(text)

    @cached_property
    def depth(self) -> int:
        """The levels of types within types, this one included."""
        return 1 + max((part.depth for part in self.parts), default=0)

    @cached_property
    def capped(self) -> int:
        """The number of values, or `TOO_MANY`: never a number that is itself large."""
        return min(TOO_MANY, self.cardinality)

    def has_exactly(self, number: int) -> bool:
        """Whether it has a number of values, `TOO_MANY` being none."""
        return number == self.capped < TOO_MANY

    @cached_property
    def width(self) -> int:
        """The number of parts of a value (keys of maps, possible members of sets, places), or `TOO_MANY`."""
        return min(TOO_MANY, sum(part.width for part in self.parts)) if self.parts else 1

    @cached_property
    def cardinality(self) -> int:
        """The number of values."""
        raise NotImplementedError

    def values(self) -> Iterator[Value]:
        """Every value once, in the fixed order."""
        raise NotImplementedError

    @cached_property
    def first(self) -> Value:
        """The first value, without listing the others.

        Raises:
            ValueError: if the type has no value.
        """
        if self.capped == 0:
            raise ValueError(f"{self!r} has no value")
        return next(iter(self.values()))

    def order(self, value: Value) -> Any:
        """A key that sorts values in the fixed order."""
        return value

    def contains(self, value: Value) -> bool:
        """Whether a value belongs to the type (shape and bounds)."""
        raise NotImplementedError

    def join(self, other: Type) -> Type | None:
        """The least type that holds the values of both types, or None."""
        if self == other or isinstance(other, Never):
            return self
        if isinstance(self, Never):
            return other
        if isinstance(other, Option) and not isinstance(self, Option):
            inner = self.join(other.item)
            return type(other)(inner) if inner is not None else None
        if isinstance(self, Option) and not isinstance(other, Option):
            return other.join(self)
        return self._join(other) if type(self) is type(other) else None

    def _join(self, other: Any) -> Type | None:
        """The join of two types of one kind, part by part; None if they differ in more than their parts."""
        if len(self.parts) != len(other.parts):
            return None
        joined = [a.join(b) for a, b in zip(self.parts, other.parts, strict=True)]
        parts = [part for part in joined if part is not None]
        if len(parts) < len(joined):
            return None
        made = self.over(parts)
        return made if made == other.over(parts) else None

    def includes(self, other: Type) -> bool:
        """Whether every value of the other type is a value of this one."""
        return self.join(other) == self

    @cached_property
    def parts(self) -> tuple[Type, ...]:
        """The types that this one is built from."""
        return tuple(getattr(self, name) for name in ("item", "key", "value") if hasattr(self, name))

    def over(self, parts: Iterable[Type]) -> Self:
        """The same type, made of other parts."""
        rest = iter(parts)

        def other(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(other, value))
            return next(rest) if isinstance(value, Type) else value

        return type(self)(*map(other, self._key)) if self.parts else self

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Type) and self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return type(self).__name__, *self._key

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return tuple(self.__getstate__().values())

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __getstate__(self) -> dict[str, Any]:
        # The cached hash of strings differs from process to process, so it must not travel.
        return {x.name: getattr(self, x.name) for x in fields(self)}  # type: ignore[arg-type]  # a dataclass

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(map(repr, self._key))})" if self._key else type(self).__name__
        )

    def __call__(self, *values: object, **fields: object) -> NoReturn:
        given = ", ".join([*("..." for _ in values), *(f"{name}=..." for name in fields)])
        text = f"the type {self!r} is no function: write of({self!r}, {given or '...'})"
        refuse(text)

    def __iter__(self) -> NoReturn:
        members = (
            " or, written out for each member, a Python loop over .members"
            if hasattr(self, "members")
            else ""
        )
        text = f"the type {self!r} cannot be iterated over: use forall, exists or sum_of{members}"
        refuse(text)


def all_types(kinds: Iterable[Type]) -> set[Type]:
    """The types and all those inside them."""
    found: set[Type] = set()
    todo = list(kinds)
    while todo:
        kind = todo.pop()
        if kind not in found:
            found.add(kind)
            todo.extend(kind.parts)
    return found


class Never(Type):
    """The type without values: what an empty set holds."""

    @cached_property
    def cardinality(self) -> int:
        return 0

    def values(self) -> Iterator[Value]:
        return iter(())

    def contains(self, value: Value) -> bool:
        return False

    def __repr__(self) -> str:
        return "no value"


class Option(Type):
    """None, or a value of the item type."""

    item: Type

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.item, Option):
            raise TypeError("an option of an option: None would be ambiguous; wrap the inner one in a record")

    @cached_property
    def cardinality(self) -> int:
        return 1 + self.item.cardinality

    @cached_property
    def capped(self) -> int:
        return min(TOO_MANY, 1 + self.item.capped)

    def values(self) -> Iterator[Value]:
        return itertools.chain((None,), self.item.values())

    def order(self, value: Value) -> Any:
        return () if value is None else (self.item.order(value),)

    def contains(self, value: Value) -> bool:
        return value is None or self.item.contains(value)

    def __repr__(self) -> str:
        return "None" if isinstance(self.item, Never) else f"Option({self.item!r})"


class Mapped(Option):
    """The value of a partial function of TLA+ at an argument: None if its domain does not have the argument."""


class Bool(Type):
    """FALSE and TRUE, in this order."""

    @cached_property
    def cardinality(self) -> int:
        return 2

    def values(self) -> Iterator[Value]:
        return iter((False, True))

    def contains(self, value: Value) -> bool:
        return isinstance(value, bool)


class Int(Type):
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:
            raise TypeError(f"Int({self.low!r}, {self.high!r}): the bounds of an integer type are integers")

    @cached_property
    def cardinality(self) -> int:
        return max(0, self.high - self.low + 1)

    def values(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def contains(self, value: Value) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def _join(self, other: Int) -> Type:
        return Int(min(self.low, other.low), max(self.high, other.high))


if TYPE_CHECKING:
    Shared = Type
else:
    Shared = object
"""The base of a mixin of types. Type checkers take the mixin for a type, since types alone inherit from it."""


@dataclass(frozen=True, repr=False, eq=False)
class Named(Shared):
    """The mixin of enumerations and sorts. Their members are distinct, and a member is known by its name."""

    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.members) > MOST_PARTS:
            raise too_large(f"{self.name} has {len(self.members):,} members, and {MOST_PARTS:,} is the most")
        if len(set(self.members)) < len(self.members):
            twice = sorted({member for member in self.members if self.members.count(member) > 1})
            raise TypeError(f"{self.name} has a member twice: {', '.join(twice)}")

    @cached_property
    def cardinality(self) -> int:
        return len(self.members)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {member: place for place, member in enumerate(self.members)}

    def values(self) -> Iterator[Value]:
        return iter(self.members)

    def order(self, value: Value) -> Any:
        return self._places[value]

    def plain(self, value: str) -> str:
        """A member without quotation marks, unless there is another of that name."""
        bare = value.removeprefix('"').removesuffix('"')
        return value if bare in self.members else bare

    def written(self, name: object) -> object:
        """The member that `plain` wrote as a name; the name itself if there is none."""
        quoted = f'"{name}"'
        return quoted if name not in self.members and quoted in self.members else name

    def contains(self, value: Value) -> bool:
        return isinstance(value, str) and value in self._places

    def __repr__(self) -> str:
        return self.name

    if TYPE_CHECKING:
        # As of the set of its members: see `leadline.symbolic.lang.containers`.
        @property
        def size(self) -> IntExpr: ...
        @property
        def is_empty(self) -> BoolExpr: ...
        def has(self, element: object) -> BoolExpr: ...
        def filter(self, keep: Callable[..., object]) -> SetExpr: ...
        def map(self, image: Callable[..., object]) -> SetExpr: ...
        def remove(self, *elements: object) -> SetExpr: ...
        def __sub__(self, other: SetLike) -> SetExpr: ...
        def __rsub__(self, other: SetLike) -> SetExpr: ...
        def __and__(self, other: SetLike) -> SetExpr: ...
        def __or__(self, other: SetLike) -> SetExpr: ...


class Enum(Named, Type):
    """Named values that differ in kind, such as the states of a process."""


class Atoms(Named, Type):
    """An enumeration whose values are also those of the same names in every other type of atoms.

    Names in quotation marks, the strings of TLA+, come after the others, as in TLC.
    """

    def _join(self, other: Atoms) -> Type:
        members = {*self.members, *other.members}
        return Atoms(self.name, tuple(sorted(members, key=lambda name: (name.startswith('"'), name))))

    def __repr__(self) -> str:
        return f"{{{', '.join(self.members)}}}"


class Sort(Named, Type):
    """Interchangeable values, such as replicas: equality and quantifiers only, no order."""


def enum(name: str, *members: str) -> Enum:
    """An enumeration, in the order given (which `choose` follows)."""
    for one in members:
        if not isinstance(one, str):
            text = f'{one!r} is no member of {name}: members are texts, as in enum("{name}", "idle", "busy")'
            refuse(text)
    return Enum(name, members)


def sort(name: str, size: int, prefix: str | None = None) -> Sort:
    """A sort of `size` members, named by the prefix (by default the name's first letter) and 1, 2, ..."""
    if not isinstance(size, int):
        refuse(f"the size of the sort {name} is an integer, and not {size!r}")
    if size > MOST_PARTS:
        raise too_large(f"the sort {name} would have {size:,} members, and {MOST_PARTS:,} is the most")
    stem = prefix if prefix is not None else name[0].lower()
    return Sort(name, tuple(f"{stem}{place}" for place in range(1, size + 1)))

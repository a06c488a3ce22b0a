"""Sets that are not listed: membership in them and quantification over them are lowered part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from leadline.symbolic.lang import nodes as n


@dataclass(frozen=True)
class Numbers:
    """`Nat`, or `Int` if there is no least number."""

    least: int | None


@dataclass(frozen=True)
class Everything:
    """`Any`, or `STRING`."""

    strings: bool


@dataclass(frozen=True)
class PowerSet:
    """`SUBSET S`."""

    item: Domain


@dataclass(frozen=True)
class Sequences:
    """`Seq(S)`."""

    item: Domain


@dataclass(frozen=True)
class Product:
    """The functions that have a value of each part's set: `[a : S, b : T]`, `S \\X T` or `[S -> T]`.

    Attributes:
        keys: the arguments.
        parts: the set of the values at each.
        functions: whether it is `[S -> T]`, where TLC compares domains as sets: those of two sizes differ.
    """

    keys: tuple[n.Const, ...]
    parts: tuple[Domain, ...]
    functions: bool = False


@dataclass(frozen=True)
class FunctionsOf:
    """`[S -> T]` where S depends on the state."""

    arguments: n.Node
    values: Domain


@dataclass(frozen=True)
class United:
    """The union of sets of which one at least is not listed, or has too many possible members to be listed."""

    parts: Sequence[Domain]


@dataclass(frozen=True)
class Spread:
    """The union of a set for each element of another, where they have too many possible members to be listed.

    Attributes:
        whole: the set of the elements.
        name: the name of its member.
        body: the set for a member.
    """

    whole: Domain
    name: str
    body: Callable[[n.Node], Domain]


@dataclass(frozen=True)
class Cases:
    """A set that depends on the state: the one of which the condition holds, as in `[1..n -> S]` for each n.

    Attributes:
        parts: the conditions, of which one holds in each state, and the sets.
    """

    parts: Sequence[tuple[n.Node, Domain]]


@dataclass(frozen=True)
class Filtered:
    """The members of a set that is not listed for which a formula holds: `{f \\in [S -> T] : P(f)}`, `Nat \\ {0}`.

    Attributes:
        whole: the set.
        name: the name of its member in the formula.
        body: the formula, by member.
        other: the set that members are in or not, if that is the formula.
    """

    whole: Unlisted
    name: str
    body: Callable[[n.Node], n.Node]
    other: Domain | None = None


Unlisted: TypeAlias = (
    Numbers | Everything | PowerSet | Sequences | Product | FunctionsOf | United | Spread | Cases | Filtered
)
Domain: TypeAlias = n.Node | Unlisted


def listed_parts(domain: Domain) -> Iterator[n.Node]:
    """The listed sets that a set is made of, which TLC evaluates with it, whether or not they are looked into."""
    match domain:
        case n.Node():
            yield domain
        case PowerSet(item=item) | Sequences(item=item):
            yield from listed_parts(item)
        case Product(parts=parts) | United(parts=parts):
            for part in parts:
                yield from listed_parts(part)
        case FunctionsOf(arguments=arguments, values=values):
            yield arguments
            yield from listed_parts(values)
        case Cases(parts=parts):
            for _, part in parts:
                yield from listed_parts(part)
        case Filtered(whole=whole, other=other):
            yield from listed_parts(whole)
            yield from listed_parts(other) if other is not None else ()
        case Spread(whole=whole):
            yield from listed_parts(whole)

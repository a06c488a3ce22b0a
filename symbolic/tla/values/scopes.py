"""The meaning of names while expressions are translated to Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.writer import Fn


class Kind(Enum):
    """The kinds of values that a piece of Python may have.

    TRUTH is Python's own bool, which is no value: TRUE and FALSE are. SET is a frozenset.
    MODEL is an untyped model value, which TLC compares with anything.
    LAZY may be a set that is not listed, or a function that is not tabulated. VALUE is any other value.
    """

    TRUTH = "truth"
    INT = "int"
    STRING = "string"
    MODEL = "model value"
    SET = "set"
    VALUE = "value"
    LAZY = "lazy"


class Code(NamedTuple):
    """A Python expression."""

    text: str
    kind: Kind


@dataclass(frozen=True)
class Local:
    """A Python variable.

    Attributes:
        called: whether it must be called to have the value.
        itself: whether it is a function around, one of whose values is computed here.
    """

    text: str
    kind: Kind = Kind.VALUE
    called: bool = False
    itself: bool = False


@dataclass(frozen=True)
class ByName:
    """An expression that is translated where the name is used."""

    body: s.Expression
    names: Names


@dataclass(frozen=True, eq=False)
class Pending:
    """An expression that is translated before its first use in an action."""

    body: s.Expression
    names: Names


@dataclass(frozen=True)
class Operator:
    """An operator whose definition is known; it is expanded where it is used."""

    parameters: tuple[s.Parameter, ...]
    body: s.Expression
    names: Names


@dataclass(frozen=True)
class Reference:
    """An operator that has a key, or a built-in one, under another name."""

    key: str


@dataclass(frozen=True)
class Function:
    """A Python variable that is an operator, or a function of the source that is."""

    text: str
    fn: Fn | None = None
    truth: bool = False


Binding: TypeAlias = Local | ByName | Pending | Operator | Reference | Function
Names: TypeAlias = Mapping[str, Binding]


@dataclass(frozen=True)
class Scope:
    """Where an expression stands.

    Attributes:
        fn: the Python function that it becomes part of.
        names: the meanings of names that are no definitions.
        now: the Python variables of the state's variables.
        next: those of the next state's variables that are determined.
        primed: whether it is about the next state.
        known: the Python variables of pending expressions.
        picks: the names that \\E binds around it, with their Python variables.
    """

    fn: Fn
    names: Names
    now: Mapping[str, str]
    next: Mapping[str, str]
    primed: bool = False
    known: Mapping[Pending, Local] = field(default_factory=dict)
    picks: tuple[tuple[str, str], ...] = ()

    def within(self, names: Names) -> Scope:
        """The scope with other names."""
        # Made anew for most expressions, and `replace` takes three times as long.
        return Scope(self.fn, names, self.now, self.next, self.primed, self.known, self.picks)

    def also(self, /, **more: Binding) -> Scope:
        """The scope with more names."""
        return self.within({**self.names, **more})

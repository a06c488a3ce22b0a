"""The state that the corpus speaks of, and what a row is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Seq,
    Set,
    State,
    Tuple,
    Type,
    build,
    enum,
    nodes as n,
    of,
    record,
    sort,
    undefined,
    union,
)
from leadline.symbolic.lang.coercion import as_node
from leadline.symbolic.lang.span import NOWHERE

NODE = sort("Node", 3)
COLOUR = enum("Colour", "red", "green", "blue")
PAIR = record("Pair", x=Int(0, 3), y=NODE)
DEEP = record("Deep", pair=PAIR, flags=Map(NODE, Bool()))
MESSAGE = union("Message", ping={"round": Int(0, 2), "to": NODE}, stop={})
WIDE_MESSAGE = union("Message", ping={"round": Int(0, 9), "to": NODE}, stop={})
LIST = Seq(Int(0, 3), 4)
HOPS = Map(Int(2, 4), COLOUR)

VARIABLES: dict[str, tuple[Type, Any]] = {
    "i": (Int(0, 5), 2),
    "j": (Int(-3, 3), -1),
    "yes": (Bool(), True),
    "no": (Bool(), False),
    "node": (NODE, "n2"),
    "colour": (COLOUR, "green"),
    "none": (Option(Int(0, 3)), None),
    "some": (Option(Int(0, 3)), 3),
    "leader": (Option(NODE), "n2"),
    "pair": (PAIR, (2, "n3")),
    "deep": (DEEP, ((1, "n1"), (True, False, True))),
    "two": (Tuple((Int(0, 3), Bool())), (1, True)),
    "ping": (MESSAGE, ("ping", (1, "n2"))),
    "stop": (MESSAGE, ("stop", ())),
    "few": (Set(Int(0, 5)), frozenset({1, 3, 4})),
    "empty": (Set(Int(0, 5)), frozenset()),
    "nodes": (Set(NODE), frozenset({"n1", "n3"})),
    "sets": (Set(Set(Int(0, 2))), frozenset({frozenset({0}), frozenset({0, 2})})),
    "inbox": (Set(MESSAGE), frozenset({("ping", (1, "n2")), ("stop", ())})),
    "options": (Set(Option(NODE)), frozenset({None, "n3"})),
    "count": (Map(NODE, Int(0, 5)), (4, 0, 2)),
    "hops": (HOPS, ("red", "blue", "red")),
    "votes": (Map(Bool(), Map(NODE, Bool())), ((True, False, False), (False, False, True))),
    "list": (LIST, (3, 1, 3)),
    "nil": (LIST, ()),
    "full": (LIST, (0, 1, 2, 3)),
    "trail": (Seq(NODE, 2), ("n3", "n1")),
}
STATE = tuple(value for _, value in VARIABLES.values())


class Subject(Protocol):
    """A protocol whose one state is `STATE`; its only action goes from it to itself."""

    def define(self, state: Any) -> None:
        for name, (kind, _) in VARIABLES.items():
            state.declare(name, kind)

    def init(self, start: Any) -> None:
        for name, (kind, value) in VARIABLES.items():
            setattr(start, name, n.make(n.Const, kind, NOWHERE, value))


MODEL: Model = build(Subject())
NOW: Any = State({variable.name: variable for variable in MODEL.variables})


@dataclass(frozen=True)
class Row:
    """An expression and its value in `STATE`.

    Attributes:
        name: a name of its own.
        make: from the state `NOW` to the expression.
        expected: the value, or the class OutOfBounds.
        kind: the type to read the expression as; None for its own.
    """

    name: str
    make: Callable[[Any], Any]
    expected: Any
    kind: Type | None = None

    @cached_property
    def node(self) -> n.Node:
        """The expression as data."""
        return as_node(self.make(NOW), self.kind)


def node_of(kind: type[n.Node], type_: Type, *values: Any) -> n.Node:
    """A node that the language's own functions do not make, since they convert the operands first."""
    return n.make(kind, type_, NOWHERE, *values)


def fails(kind: Type = Bool()) -> Any:  # noqa: B008  # a type is a value
    """An expression that goes out of bounds wherever it is evaluated."""
    return undefined(kind, "evaluated")


def replace_round(now: Any, number: int) -> Any:
    """A ping of the wide type whose round is in a state variable's range."""
    return of(WIDE_MESSAGE, "ping", round=now.i - 2 + number, to=now.node)

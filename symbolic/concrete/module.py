"""A Python module under construction, and the code that checks that a value has a type."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leadline.symbolic.lang import (
    Atoms,
    Int,
    KeyedSet,
    Map,
    Option,
    OutOfBounds,
    Property,
    Record,
    Seq,
    Set,
    Span,
    Tuple,
    Type,
    Union,
    Value,
)
from leadline.symbolic.lang.nodes import Node

Lines: TypeAlias = "list[str | Lines]"
"""Source lines. A nested list is an indented block."""


def out_of_bounds(value: Value, source: Type, target: Type, place: str, span: Span) -> OutOfBounds:
    """The error of a value of the source type that is not one of the target type.

    The value is printed as TLA+, like the states of a trace; the type as the protocol declares it.
    """
    return OutOfBounds(f"{source.tla(value)} is not in {target!r} ({place})", span)


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """The assignment, guard or property that code belongs to: errors in the code name it.

    Attributes:
        owner: the action or property, as people know it; "" if there is none.
        span: its place; None where each expression stands for itself.
        parts: the places of parts of it.
    """

    owner: str = ""
    span: Span | None = None
    parts: Mapping[Node, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, claim: Property) -> Source:
        """A property as a source."""
        return cls(claim.name, claim.span, claim.places)

    def place(self, span: Span) -> str:
        """A place as `file:line`, without folders, with the owner."""
        line = f"{span.file.replace(chr(92), '/').rpartition('/')[2]}:{span.line}"
        return f"{line}, in {self.owner}" if self.owner else line


ANYWHERE = Source()


def render(lines: Lines, indent: int = 0) -> str:
    """The lines as source text."""
    # One space a level. Python refuses more than 100 levels, whatever their width.
    return "\n".join(
        " " * indent + line if isinstance(line, str) else render(line, indent + 1) for line in lines
    )


class Module:
    """Functions that are compiled together and share a table of constants.

    The source holds only generated names, integers and Python's own constants. Every other value is in the
    table.

    Attributes:
        outlined: for each expression with a function of its own the function's name, the expressions that it
            takes, and how many of its statements raise errors.
    """

    def __init__(self) -> None:
        self._names = 0
        self._constants: dict[str, Any] = {"OutOfBounds": OutOfBounds, "out_of_bounds": out_of_bounds}
        self._known: dict[Any, str] = {}
        self._functions: list[Lines] = []
        self.outlined: dict[Any, tuple[str, tuple[Any, ...], int]] = {}

    def fresh(self, stem: str) -> str:
        """A name that nothing else in the module has."""
        self._names += 1
        return f"{stem}{self._names}"

    def constant(self, value: Any, key: Any = None) -> str:
        """The name of a constant.

        Args:
            value: any object.
            key: hashable. Constants with equal keys are stored once; with None, this one is stored anew.
        """
        if key is not None and key in self._known:
            return self._known[key]
        name = self.fresh("K")
        self._constants[name] = value
        if key is not None:
            self._known[key] = name
        return name

    def literal(self, value: Value, kind: Type) -> str:
        """A value of a type: a literal if it is None, a Boolean or an integer, else a constant's name."""
        if value is None or isinstance(value, int):
            return repr(value) if value is None or value >= 0 else f"({value})"
        return self.constant(value, (kind, value))

    def value(self, name: str) -> Value | None:
        """The constant of a name; None if there is none."""
        return self._constants.get(name)

    def define(self, name: str, parameters: str, body: Lines) -> None:
        """Add a function."""
        self._functions.append([f"def {name}({parameters}):", body])

    def shared_function(self, key: Any, parameters: str, body: Callable[[], Lines]) -> str:
        """The name of the function with a key; it is added at the first call."""
        if key not in self._known:
            name = self._known[key] = self.fresh("f")
            self.define(name, parameters, body())
        return self._known[key]

    @property
    def source(self) -> str:
        """The source of all functions."""
        return "\n".join(render(function) for function in self._functions)

    def load(self) -> dict[str, Any]:
        """Compile the module.

        Returns:
            The functions by name.
        """
        namespace = dict(self._constants)
        with warnings.catch_warnings():
            # Python warns of conditions on constants, such as `1 is not None`. Generated code has them.
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(self.source, "<leadline concrete meaning>", "exec"), namespace)
        return namespace


def condition(module: Module, source: Type, target: Type, text: str) -> str | None:
    """The condition that a value of the source type is one of the target type; None if it always is.

    Args:
        source: a type whose values have the target's shape (`leadline.symbolic.lang.coercion.fits`).
        text: the name, or a component of a name, that holds the value.
    """
    if target.includes(source):
        return None
    match source, target:
        case Option(), Option():
            inner = condition(module, source.item, target.item, text)
            return f"({text} is None or {inner})"
        case _, Option():
            return condition(module, source, target.item, text)
        case Int(), Int():
            return _range(source, target, text)
        case Atoms(), Atoms():
            members = frozenset(target.members)
            return f"({text} in {module.constant(members, ('members', target))})"
        case (Tuple(), Tuple()) | (Record(), Record()):
            pairs = enumerate(zip(source.parts, target.parts, strict=True))
            inside = [condition(module, a, b, f"{text}[{place}]") for place, (a, b) in pairs]
            return "(" + " and ".join(x for x in inside if x is not None) + ")"
        case Union(), Union():
            return _variants(module, source, target, text)
        case Seq(), Seq():
            items = _every(module, source.item, target.item, text)
            length = f"len({text}) <= {target.capacity}" if target.capacity < source.capacity else None
            return "(" + " and ".join(x for x in (length, items) if x is not None) + ")"
        case Set(), KeyedSet():
            tests = (_every(module, source.item, target.item, text), _one_each(target, text))
            return "(" + " and ".join(x for x in tests if x is not None) + ")"
        case Set(), Set():
            return _every(module, source.item, target.item, text)
        case Map(), Map():
            return _every(module, source.value, target.value, text)
    raise TypeError(f"values of {source!r} do not have the shape of {target!r}")


def _one_each(target: KeyedSet, text: str) -> str:
    """The condition that no two members of a set have the same key."""
    return f"len({{x[{target.place}] for x in {text}}}) == len({text})"


def _range(source: Int, target: Int, text: str) -> str:
    low = f"{target.low} <= " if source.low < target.low else ""
    high = f" <= {target.high}" if source.high > target.high else ""
    return f"({low}{text}{high})"


def _variants(module: Module, source: Union, target: Union, text: str) -> str:
    tests = []
    for (tag, a), (_, b) in zip(source.variants, target.variants, strict=True):
        inner = condition(module, a, b, f"{text}[1]")
        if inner is not None:
            tests.append(f"({text}[0] != {module.literal(tag, target.tags)} or {inner})")
    return "(" + " and ".join(tests) + ")"


def _every(module: Module, source: Type, target: Type, text: str) -> str | None:
    inner = condition(module, source, target, "x")
    if inner is None:
        return None
    body: Lines = ["for x in items:", [f"if not {inner}:", ["return False"]], "return True"]
    return f"{module.shared_function(('every', source, target), 'items', lambda: body)}({text})"

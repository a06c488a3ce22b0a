"""A model: a protocol at fixed parameters, as data. What every engine works on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from leadline.symbolic.lang.errors import UserError
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.nodes import Node, field_names, postorder
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.types import Type


@dataclass(frozen=True)
class Variable:
    """A state variable; `tla` is its name in the TLA+ module."""

    name: str
    tla: str
    type: Type
    span: Span


@dataclass(frozen=True)
class Pick:
    """A choice that an action makes: any value of the type or, with a domain, any member of that set."""

    name: str
    type: Type
    domain: Node | None
    span: Span


@dataclass(frozen=True)
class Action:
    """A named part of the next-state relation, or the initial states.

    Meaning: go through `body` in order. A pick takes some value (the action is enabled once for each); a
    guard that is false ends it there, disabled. Then every update is evaluated, in the order of the model's
    variables, in the old state. Evaluation that leaves its bounds, in a pick's domain, a guard or an update,
    makes the outcome *out of bounds*. Variables without an update keep their value.

    Attributes:
        name: in snake_case.
        tla: the name in the TLA+ module.
        doc: the author's docstring.
        body: picks and guards (Boolean expressions) in the order written.
        updates: the next value of each variable that the action assigns, of the variable's type.
    """

    name: str
    tla: str
    doc: str
    span: Span
    body: tuple[Pick | Node, ...]
    updates: tuple[tuple[str, Node], ...]

    @cached_property
    def picks(self) -> tuple[Pick, ...]:
        """The picks in order."""
        return tuple(item for item in self.body if isinstance(item, Pick))

    @cached_property
    def roots(self) -> tuple[Node, ...]:
        """Every expression of the action."""
        parts = [item.domain if isinstance(item, Pick) else item for item in self.body]
        return (*(part for part in parts if part is not None), *(node for _, node in self.updates))


class PropertyKind(StrEnum):
    """What a property claims."""

    INVARIANT = "invariant"
    PROBE = "probe"


@dataclass(frozen=True)
class Property:
    """A claim about every reachable state. A probe is one that is expected to be violated.

    Attributes:
        name: in kebab-case, as on the command line.
        tla: the name in the TLA+ module.
        doc: where it comes from and what is known of it.
        formula: a Boolean expression over the state variables.
    """

    name: str
    tla: str
    kind: PropertyKind
    doc: str
    span: Span
    formula: Node


@dataclass(frozen=True)
class Model:
    """A protocol at fixed parameters.

    Attributes:
        protocol: the protocol's name.
        parameters: every parameter's value.
        variables: the state variables, in the order of the concrete state tuple.
        init: the initial states, as an action that has no current state and assigns every variable.
        actions: the actions, in the order written.
        properties: the properties by name.
    """

    protocol: str
    parameters: Mapping[str, Setting | None]
    variables: tuple[Variable, ...]
    init: Action
    actions: tuple[Action, ...]
    properties: Mapping[str, Property]

    def variable(self, name: str) -> Variable:
        """The variable of that name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    def choose_properties(self, names: tuple[str, ...]) -> tuple[Property, ...]:
        """The properties of those names, or all if there are no names.

        Raises:
            UserError: if a name is unknown.
        """
        for name in names:
            if name not in self.properties:
                what = f"{self.protocol} has no property"
                raise UserError(unknown_name(what, name, list(self.properties)))
        return tuple(self.properties[name] for name in names or self.properties)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the model means: variables, initial states, actions, properties."""
        lines = [f"{v.name}:{describe(v.type)}" for v in self.variables]
        for action in (self.init, *self.actions):
            shape = [f"pick {x.name}" if isinstance(x, Pick) else "guard" for x in action.body]
            lines += [action.name, *shape, *(name for name, _ in action.updates)]
            lines += _canonical(action.roots)
        for one in self.properties.values():
            lines += [one.name, *_canonical((one.formula,))]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def describe(kind: Type) -> str:
    """A type in full: unlike its `repr`, with the parts of named ones."""
    own = {k: v for k, v in vars(kind).items() if isinstance(v, (str, int, tuple)) and not k.startswith("_")}
    plain = [
        f"{k}={v!r}" for k, v in sorted(own.items()) if k in ("name", "members", "low", "high", "capacity")
    ]
    fields = getattr(kind, "fields", None) or getattr(kind, "variants", None) or ()
    inside = [name for name, _ in fields] + [describe(part) for part in kind.parts]
    return f"{type(kind).__name__}({', '.join(plain + inside)})"


def _canonical(roots: tuple[Node, ...]) -> list[str]:
    numbers: dict[Node, int] = {}
    lines = []
    for node in postorder(*roots):
        numbers[node] = len(numbers)
        lines.append(f"{type(node).__name__} {describe(node.type)} {_fields(node, numbers)}")
    return [*lines, *(str(numbers[root]) for root in roots)]


def _fields(node: Node, numbers: dict[Node, int]) -> str:
    shown = []
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            shown.append(f"#{numbers[value]}" if value in numbers else f"{value!r}")
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            shown.append(" ".join(f"#{numbers[item]}" for item in value))
        elif isinstance(value, frozenset):
            shown.append(repr(sorted(value, key=repr)))
        else:
            shown.append(repr(value))
    return "; ".join(shown)

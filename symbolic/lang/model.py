"""A model: a protocol at fixed parameters, as data. What every engine works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from leadline.symbolic.lang.errors import UserError
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.fingerprint import Fingerprint
from leadline.symbolic.lang.nodes import And, IsVariant, Node, PickVar
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.span import Span
from leadline.symbolic.lang.structures import Union
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

    def possible(self, pick: Pick) -> Type:
        """The type of a pick or, where the guard right behind it asks for one variant, that variant alone.

        Nothing may stand between the two: it could go out of bounds for the other variants.
        """
        behind = self.body[self.body.index(pick) + 1 :]
        guard = behind[0] if behind else None
        while isinstance(guard, And):
            guard = guard.items[0]
        if not isinstance(guard, IsVariant) or not isinstance(pick.type, Union):
            return pick.type
        if not isinstance(guard.item, PickVar) or guard.item.name != pick.name:
            return pick.type
        return Union(pick.type.name, ((guard.tag, pick.type.by_tag[guard.tag]),))

    @cached_property
    def roots(self) -> tuple[Node, ...]:
        """Every expression of the action."""
        parts = [item.domain if isinstance(item, Pick) else item for item in self.body]
        return (*(part for part in parts if part is not None), *(node for _, node in self.updates))


class PropertyKind(StrEnum):
    """What a property claims."""

    INVARIANT = "invariant"
    PROBE = "probe"
    STRENGTHENING = "strengthening"


@dataclass(frozen=True)
class Property:
    """A claim about every reachable state. A probe is one that is expected to be violated.

    Attributes:
        name: in kebab-case, as on the command line.
        tla: the name in the TLA+ module.
        doc: where it comes from and what is known of it.
        formula: a Boolean expression over the state variables.
        strengthens: of a strengthening, the names of the properties whose inductive proofs use it; all if
            there are none.
        entails: of a strengthening, whether those follow from it and their other strengthenings.
    """

    name: str
    tla: str
    kind: PropertyKind
    doc: str
    span: Span
    formula: Node
    strengthens: tuple[str, ...] = ()
    entails: bool = False


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
        sweep_order: the names of the actions in the order of a sweep; derived if empty.
    """

    protocol: str
    parameters: Mapping[str, Setting | None]
    variables: tuple[Variable, ...]
    init: Action
    actions: tuple[Action, ...]
    properties: Mapping[str, Property]
    sweep_order: tuple[str, ...] = ()

    def variable(self, name: str) -> Variable:
        """The variable of that name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    def choose_properties(self, names: tuple[str, ...]) -> tuple[Property, ...]:
        """The properties of those names, or all but strengthenings if there are no names.

        Raises:
            UserError: if a name is unknown.
        """
        for name in names:
            if name not in self.properties:
                what = f"{self.protocol} has no property"
                raise UserError(unknown_name(what, name, list(self.properties)))
        return tuple(self.properties[name] for name in names or self.claimed)

    @cached_property
    def claimed(self) -> tuple[str, ...]:
        """The names of the properties but for strengthenings, which are only means to prove others."""
        kept = PropertyKind.STRENGTHENING
        return tuple(name for name, one in self.properties.items() if one.kind is not kept)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the model means: variables, initial states, actions, properties.

        The same in every process, and blind to the names of record types, docstrings and places in files.
        """
        text = Fingerprint()
        for variable in self.variables:
            text.say("variable", variable.name, text.type(variable.type))
        for action in (self.init, *self.actions):
            text.say("action", action.name)
            for item in action.body:
                if isinstance(item, Pick):
                    domain = text.node(item.domain) if item.domain is not None else ""
                    text.say("pick", item.name, text.type(item.type), domain)
                else:
                    text.say("guard", text.node(item))
            for name, node in action.updates:
                text.say("update", name, text.node(node))
        for one in self.properties.values():
            text.say("property", one.name, text.node(one.formula))
        return text.digest()

"""A model: a protocol at fixed parameters, as data. Every engine works on one.

A model has a canonical text and its hash, which are equal wherever the same model is built. The text has every
field of every dataclass that a model is made of, but for places in files and the fields of `LEFT_OUT`. A field
that is added to one of them is covered without a word here.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from typing import Any, ClassVar

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import UserError, unknown_property
from leadline.symbolic.lang.fairness import Fairness
from leadline.symbolic.lang.nodes import And, Bound, IsVariant, Node, PickVar, postorder
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.lang.rules import connective
from leadline.symbolic.lang.span import Span, placed
from leadline.symbolic.lang.structures import Union
from leadline.symbolic.lang.temporal import Temporal, expressions
from leadline.symbolic.lang.types import Type, Value

GUARDS = ""
"""Stands for the guards of an action among the names of variables: see `Origin.influences`."""
ERRORS = "CASE"
"""Stands for the expressions of an action that may have no value: see `Origin.influences`."""


@dataclass(frozen=True)
class Variable:
    """A state variable; `tla` is its name in the TLA+ module."""

    name: str
    tla: str
    type: Type
    span: Span

    @property
    def node(self) -> n.StateVar:
        """Its value in a state, as an expression."""
        return n.make(n.StateVar, self.type, self.span, self.name)


@dataclass(frozen=True)
class Pick:
    """A choice that an action makes: any value of the type or, with a domain, any member of that set."""

    name: str
    type: Type
    domain: Node | None
    span: Span

    @property
    def node(self) -> n.PickVar:
        """The value picked, as an expression."""
        return n.make(n.PickVar, self.type, self.span, self.name)


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
        places: by variable, the places at which its parts were assigned, and those of branches; under "" those
            of guards. Nodes are shared with other actions, and their own places may lie there.
        fixed: the picks that are not in the body, since a guard fixes them, each with the equation that does.
        defined: by variable, a formula that goes out of bounds where the specification in another language has no
            next value for it, whatever the variable's type, and is true elsewhere; none where it always has one.
    """

    name: str
    tla: str
    doc: str
    span: Span
    body: tuple[Pick | Node, ...]
    updates: tuple[tuple[str, Node], ...]
    places: Mapping[str, Mapping[Node, Span]] = field(default_factory=dict, compare=False, repr=False)
    fixed: tuple[tuple[Pick, Node], ...] = field(default=(), compare=False, repr=False)
    defined: Mapping[str, Node] = field(default_factory=dict, compare=False, repr=False)

    def picking(self, names: Collection[str]) -> Action:
        """The action with those of its fixed picks that have one of these names."""
        more = [item for pair in self.fixed if pair[0].name in names for item in pair]
        return replace(self, body=(*self.body, *more), fixed=())

    def place_of(self, guard: Node) -> Span | None:
        """The place of a guard, if it is known."""
        return self.places.get("", {}).get(guard)

    def within(self, constraints: Sequence[Property]) -> Action:
        """The action guarded by constraints: enabled in no state that is beyond one of them."""
        places = {node: one.span for one in constraints for node in (one.formula, *n.children(one.formula))}
        guards = {**places, **self.places.get("", {})}
        body = (*(one.formula for one in constraints), *self.body)
        return replace(self, body=body, places={**self.places, "": guards})

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
    """The kinds of properties."""

    INVARIANT = "invariant"
    PROBE = "probe"
    STRENGTHENING = "strengthening"
    CONSTRAINT = "constraint"
    VIEW = "view"
    ALIAS = "alias"
    TEMPORAL = "temporal"
    STEP = "step"
    REFINEMENT = "refinement"

    @property
    def about_runs(self) -> bool:
        """Whether properties of this kind are claims about runs, not about states."""
        return self in (PropertyKind.TEMPORAL, PropertyKind.STEP, PropertyKind.REFINEMENT)

    @property
    def is_claim(self) -> bool:
        """Whether a property of this kind is true or false of a protocol, so that it can be asked about."""
        return self not in (PropertyKind.CONSTRAINT, PropertyKind.VIEW, PropertyKind.ALIAS)

    @property
    def is_expression(self) -> bool:
        """Whether a property of this kind is an expression of any type, not a formula."""
        return self in (PropertyKind.VIEW, PropertyKind.ALIAS)


@dataclass(frozen=True)
class Property:
    """A claim about every reachable state, or about every fair run. A probe should be violated.

    Attributes:
        name: in kebab-case, as on the command line.
        tla: the name in the TLA+ module.
        doc: the author's docstring: its source, and what is known of it.
        formula: a Boolean expression over the state variables, of a view or an alias one of any type; without
            a value if the claim is about runs.
        strengthens: of a strengthening, the names of the properties whose inductive proofs use it; all if
            there are none.
        entails: of a strengthening, whether those follow from it and their other strengthenings.
        temporal: the formula of a claim about runs: a temporal property, a step property or a refinement.
        places: the places of the formula's parts in the author's function. Nodes are shared with other
            properties, and their own places may lie there.
    """

    name: str
    tla: str
    kind: PropertyKind
    doc: str
    span: Span
    formula: Node
    strengthens: tuple[str, ...] = ()
    entails: bool = False
    temporal: Temporal | None = None
    places: Mapping[Node, Span] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Its expressions: over the state or, of a claim about runs, also over the state after a step."""
        return (self.formula,) if self.temporal is None else tuple(expressions(self.temporal))


@dataclass(frozen=True)
class AliasValue:
    """The value of an alias at a state of a trace.

    Attributes:
        name: in snake_case.
        tla: the name in the TLA+ module.
        type: the type of the value.
        value: the value; None if it has none.
        why: why it has none: the expression that goes out of bounds; None if it has one.
    """

    name: str
    tla: str
    type: Type
    value: Value
    why: str | None = None


class Origin(ABC):
    """The specification in another language that a model was made of. It has a meaning of its own.

    The model may have narrower types: a run that leaves them is out of bounds, and makes them wider.
    """

    alone: ClassVar[bool] = False
    """Whether it alone knows the model's actions, which is enough for exploration on values."""

    recorded: str | None = None
    """The variable of the model that is none of the specification's; None if there is none.

    States that differ in it alone are one state of the specification.
    """

    @property
    def symmetric(self) -> bool:
        """Whether the specification itself has states stand for others, which are not counted then."""
        return False

    @property
    def text(self) -> str:
        """The text that decides the meaning of the actions and claims that it alone knows."""
        return ""

    @abstractmethod
    def disagreement(self, model: Model, run: Any) -> str | None:
        """The reason why the specification refutes a `Trace` of the model; None if it allows the run.

        Whether a run goes out of bounds is not asked: the specification may have a value there.
        """

    @abstractmethod
    def retaken(self, model: Model, run: Any) -> Any:
        """A `Trace` of the model as the specification takes it, in its own values.

        Raises InternalError if it does not take it.
        """

    @abstractmethod
    def complaint(self, model: Model, states: Sequence[tuple[Value, ...]], claim: str | None) -> str | None:
        """The error that the specification itself raises where a run goes out of bounds, or None.

        Args:
            model: the model.
            states: the states of the run.
            claim: the property whose evaluation in the last state has no value; None if the next step has none.
        """

    @abstractmethod
    def widened(
        self, model: Model, states: Sequence[tuple[Value, ...]], others: Sequence[tuple[Value, ...]] = ()
    ) -> Model | None:
        """The model with types wide enough for what follows a run; None if they are already.

        Args:
            model: the model.
            states: the states of a run, after which the model goes out of bounds.
            others: more states in which it does.

        Raises Endless if they become wider again and again.
        """

    def as_widened(self, narrow: Model, model: Model) -> Sequence[Node] | None:
        """The variables of a model with narrower types as values of a wider one's; None if they have no such.

        Args:
            narrow: the model with narrower types.
            model: the model that `widened` made of it.
        """
        return None

    def rewidened(self, narrow: Model, model: Model, state: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """A state of a model with narrower types as one of a wider one; None if it is none.

        Args:
            narrow: the model with narrower types.
            model: the model that `widened` made of it.
            state: the state.
        """
        return None

    def first_taken(self) -> Mapping[str, int]:
        """For each action that runs were seen to take, by its TLA+ name, the least number of steps before it."""
        return {}

    @property
    def influences(self) -> Mapping[str, Mapping[str, Collection[str]]]:
        """The variables that decide the steps of each action, by its TLA+ name.

        Each variable that the action changes has the names of some, and so have `GUARDS` and, if an expression of
        the action may have no value, `ERRORS`. The model tells less: it lacks what its types decide.
        """
        return {}

    def influencing(self, claim: str) -> Collection[str]:
        """The names of the variables that a property of states reads. The model tells less, as of `influences`."""
        return ()

    def operator_at(self, place: Span) -> str:
        """The name of the operator whose definition a place lies in; "" if that is not known."""
        return ""

    def written(self, place: Span, operators: Collection[str]) -> str:
        """The text of the application, quantifier or set (`{`) at a place if it is one of these; "" otherwise."""
        return ""

    def learned(self) -> Mapping[str, object]:
        """The JSON, beside the protocol, with which another process makes the same model."""
        return {}

    def aliases(
        self, model: Model, states: Sequence[tuple[Value, ...]], loop: int | None
    ) -> list[tuple[AliasValue, ...]]:
        """The values of the specification's aliases at each state of a run.

        Args:
            model: the model.
            states: the states of the run.
            loop: the number of steps to the state that follows the last one, if the run goes on for ever.
        """
        return [() for _ in states]


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
        sweep_order: the names of the actions in the order of a sweep; others come behind these.
        constraints: bounds of the search. Their formulas are the first guards of every action, so that a
            state in which one is false has no successor; verdicts are about runs within them.
        fairness: the conditions that runs satisfy. Claims about states do not depend on them.
        origin: the specification in another language that it was made of, if any.
        view: an expression; `explore` keeps one state for each of its values. Every other engine looks at
            all states.
        symmetry: permutations, with the identity, by which `explore` takes states for one; without them, all of
            the members of sorts that are treated alike. The image of each member that has another one, by the
            name of its sort and its own.
        aliases: expressions that are shown at the states of traces.
    """

    protocol: str
    parameters: Mapping[str, Setting | None]
    variables: tuple[Variable, ...]
    init: Action
    actions: tuple[Action, ...]
    properties: Mapping[str, Property]
    sweep_order: tuple[str, ...] = ()
    constraints: tuple[Property, ...] = ()
    fairness: tuple[Fairness, ...] = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)
    view: Property | None = None
    symmetry: tuple[Mapping[tuple[str, str], str], ...] = ()
    aliases: tuple[Property, ...] = ()

    @cached_property
    def unconstrained(self) -> tuple[Action, ...]:
        """The actions without the guards that the constraints put first."""
        return tuple(replace(x, body=x.body[len(self.constraints) :]) for x in self.actions)

    @cached_property
    def constraint(self) -> Node:
        """The conjunction of the constraints; the constant true if there are none."""
        with placed(self.init.span):
            return connective(n.And, [one.formula for one in self.constraints])

    @property
    def shown(self) -> tuple[Property, ...]:
        """The view, if there is one, and the aliases."""
        return (*([] if self.view is None else [self.view]), *self.aliases)

    @property
    def scope(self) -> str:
        """The constraints that verdicts depend on, in words: `within small-terms`; or ""."""
        return f"within {' and '.join(one.name for one in self.constraints)}" if self.constraints else ""

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
                raise UserError(unknown_property(what, name, list(self.properties)))
        return tuple(self.properties[name] for name in names or self.claimed)

    @cached_property
    def claimed(self) -> tuple[str, ...]:
        """The names of the properties but for strengthenings, which are only means to prove others."""
        kept = PropertyKind.STRENGTHENING
        return tuple(name for name, one in self.properties.items() if one.kind is not kept)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that an answer may depend on, strengthenings and the sweep order included.

        The same in every process, and blind to the names of record types, docstrings and places in files.
        """
        # Types may be of the runs that were found: where the origin alone knows the rest, its text decides.
        return fingerprint(self.origin.text if self.origin is not None and self.origin.alone else self)

    @property
    def learned(self) -> Mapping[str, object]:
        """What its origin has learned: see `Origin.learned`; nothing if the origin alone knows the actions."""
        return {} if self.origin is None or self.alone else self.origin.learned()

    @property
    def alone(self) -> bool:
        """Whether its origin alone knows the actions: see `Origin.alone`."""
        return self.origin is not None and self.origin.alone


LEFT_OUT: Mapping[tuple[str, str], str] = {
    ("Model", "protocol"): "a label: what it stands for is in the formulas, and queries' ids have it too",
    ("Model", "parameters"): "labels: what they decide is in the formulas, and queries' ids have them too",
    ("Model", "origin"): "what it means is in the formulas",
    ("Model", "view"): "only the command `explore` uses it, and tells so",
    ("Model", "symmetry"): "only the command `explore` uses it",
    ("Model", "aliases"): "text for people",
    ("Action", "doc"): "text for people",
    ("Happens", "actions"): "they are in the formula",
    ("Action", "fixed"): "their values are in the body",
    ("Action", "defined"): "what they say is in the updates",
    ("Action", "places"): "places in files",
    ("Property", "places"): "places in files",
    ("Property", "doc"): "text for people",
    ("Record", "name"): "records with the same fields are one type",
    ("Record", "verbatim"): "text for people",
    ("Union", "name"): "unions with the same variants are one type",
}
"""The fields that no answer depends on, by class and name, each with the reason."""


def fingerprint(thing: object) -> str:
    """The hash of the canonical text of a model or a part of one, in hexadecimal.

    Raises:
        TypeError: if it holds something that has no canonical text.
    """
    text = _Text()
    text.line(text.word(thing))
    return text.hash.hexdigest()


class _Text:
    """Gathers lines; nodes and types are written once each, and then by number.

    Nothing enters that differs between processes: neither the order of a Python set nor the name that
    equal record types happened to have when a node was first made.
    """

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._numbers: dict[Node | Type, str] = {}

    def line(self, *words: str) -> None:
        self.hash.update((" ".join(words) + "\n").encode())

    def word(self, value: Any) -> str:
        """A value as a word that differs from the words of all other values."""
        if isinstance(value, Bound):
            return self._fields(value)  # A binder's variable need not occur in its body.
        if isinstance(value, Node | Type):
            return self._numbers.get(value) or self._numbered(value)
        if isinstance(value, str):
            return repr(str(value))
        if value is None or isinstance(value, (bool, int)):
            return repr(value)
        if isinstance(value, tuple):
            return f"({' '.join(map(self.word, value))})"
        if isinstance(value, frozenset):
            return f"{{{' '.join(sorted(map(self.word, value)))}}}"
        if isinstance(value, Mapping):
            return f"[{' '.join(f'{self.word(key)}:{self.word(x)}' for key, x in value.items())}]"
        if isinstance(value, Span):
            return "@"  # The same model may be written elsewhere.
        if is_dataclass(value):
            return self._fields(value)
        raise TypeError(f"{value!r} in a model has no canonical text")

    def _fields(self, value: Any) -> str:
        kind: Any = type(value)
        words = (self.word(getattr(value, name)) for name in _written(kind))
        return f"{kind.__name__}({' '.join(words)})"

    def _numbered(self, one: Node | Type) -> str:
        for part in postorder(one) if isinstance(one, Node) else (one,):
            if part not in self._numbers:
                text = self._fields(part)
                self._numbers[part] = f"{'n' if isinstance(part, Node) else 't'}{len(self._numbers)}"
                self.line(self._numbers[part], text)
        return self._numbers[one]


@cache
def _written(kind: Any) -> tuple[str, ...]:
    """The names of the dataclass fields that appear in its text."""
    names = (field.name for field in fields(kind))
    return tuple(name for name in names if (kind.__name__, name) not in LEFT_OUT)

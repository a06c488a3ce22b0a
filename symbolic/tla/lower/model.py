"""A specification with types as a model of the language, which every engine takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.lang import (
    BOOL,
    Action,
    Int,
    Model,
    Origin,
    Pick,
    Property,
    PropertyKind,
    Type,
    Variable,
    nodes as n,
)
from leadline.symbolic.lang.nodes import substitute
from leadline.symbolic.tla.lower import shapes
from leadline.symbolic.tla.lower.actions import Paths
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.keys import unkeyed
from leadline.symbolic.tla.lower.picks import Way
from leadline.symbolic.tla.lower.scope import Scope, Unsupported
from leadline.symbolic.tla.lower.sorts import Sorts, sorted_type
from leadline.symbolic.tla.lower.steps import actions_of, converted
from leadline.symbolic.tla.lower.temporal import Claims
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.specification import Specification

NO_ERROR = "no-error"
"""The claim where a configuration makes none: as for TLC, every reachable state and its steps have a value."""


def lowered(
    specification: Specification, types: Mapping[str, Type], origin: Origin, sorts: Sorts | None = None
) -> Model:
    """The model of a specification.

    Args:
        specification: a loaded specification with initial states and steps.
        types: the type of each variable.
        origin: the specification as the model's origin.
        sorts: the sort of each model value that is of one.

    Raises:
        Unsupported: if a part has no symbolic form.
    """
    assert specification.init is not None and specification.next is not None
    sorts = sorts or {}
    types = {name: sorted_type(kind, sorts) for name, kind in types.items()}
    lowering = Lowering(specification, types, sorts)
    names = tuple(types)
    variables = tuple(Variable(name, name, kind, _place(specification)) for name, kind in types.items())
    ways = [_typed(lowering, way) for way in Paths(lowering, initial=True).of(specification.init)]
    init = _initial(lowering, ways, names)
    actions = actions_of(Paths(lowering).of(specification.next), lowering, "Next")
    properties = _properties(lowering)
    constraints = tuple(
        Property(
            f"constraint-{i}",
            f"constraint_{i}",
            PropertyKind.CONSTRAINT,
            "",
            one.place,
            lowering.truth(one, Scope()),
        )
        for i, one in enumerate(specification.constraints, start=1)
    )
    return Model(
        specification.name,
        {},
        variables,
        init,
        tuple(action.within(constraints) for action in actions),
        properties,
        constraints=constraints,
        origin=origin,
    )


def initial_types(specification: Specification) -> dict[str, Type]:
    """The types of the values that the initial condition gives to variables, whether or not a state has them all.

    Raises:
        Unsupported: if the condition has no symbolic form.
    """
    assert specification.init is not None
    lowering = Lowering(specification, dict.fromkeys(specification.variables, shapes.NEVER))
    ways = Paths(lowering, initial=True).of(specification.init)
    found: dict[str, Type] = {}
    for name, value in (pair for way in ways for pair in way.next):
        found[name] = shapes.join(found.get(name, shapes.NEVER), unkeyed(value.type))
    return found


def _properties(lowering: Lowering) -> dict[str, Property]:
    """The claims of the configuration, or `NO_ERROR` where it makes none."""
    specification = lowering.specification
    names = (*specification.invariants, *specification.properties)
    if not names and not specification.deadlock:
        return {NO_ERROR: _invariant(NO_ERROR, _place(specification), lowering.terms.boolean(True))}
    return {name: property_of(lowering, name) for name in names}


def property_of(lowering: Lowering, name: str) -> Property:
    """A claim of the configuration.

    Raises:
        Unsupported: if it has no symbolic form.
    """
    specification = lowering.specification
    if name in specification.properties:
        return Claims(lowering).of(name)
    formula = lowering.truth(specification.invariants[name], Scope())
    return _invariant(name, specification.place_of(name), formula)


def _invariant(name: str, place: s.Place, formula: n.Node) -> Property:
    return Property(name, name, PropertyKind.INVARIANT, "", place, formula)


def _typed(lowering: Lowering, way: Way) -> Way:
    places = dict(way.places)
    found = ((name, converted(lowering, name, value, places[name])) for name, value in way.next)
    return replace(way, next=tuple(found))


def _place(specification: Specification) -> s.Place:
    return s.Place(specification.file, 1, 1)


def _initial(lowering: Lowering, ways: list[Way], names: tuple[str, ...]) -> Action:
    """The initial states of several paths as one action."""
    init = lowering.specification.init
    place = init.place if init is not None else s.BUILT_IN
    for way in ways:
        missing = [name for name in names if name not in dict(way.next)]
        if missing:
            raise Unsupported(place, f"the initial states do not say {', '.join(missing)}")
    body: Sequence[Pick | n.Node]
    values: dict[str, n.Node]
    if not ways:
        body = [lowering.terms.boolean(False)]
        values = {x: n.make(n.Undefined, kind, place, "no state") for x, kind in lowering.variables.items()}
    elif len(ways) == 1:
        body, values = ways[0].body, dict(ways[0].next)
    else:
        body, values = _branches(lowering, ways, place)
    return Action("init", "Init", "", place, tuple(body), tuple((name, values[name]) for name in names))


def _branches(
    lowering: Lowering, ways: Sequence[Way], place: s.Place
) -> tuple[list[Pick | n.Node], dict[str, n.Node]]:
    """The body and the values of an action that picks one of several paths first."""
    kind = Int(1, len(ways))
    var = n.make(n.PickVar, kind, place, "branch")
    terms = lowering.terms
    here = [terms.equal(var, terms.integer(number)) for number in range(1, len(ways) + 1)]
    body: list[Pick | n.Node] = [Pick("branch", kind, None, place)]
    values: dict[str, n.Node] = {}
    for number, way in enumerate(ways, start=1):
        renamed = {x.name: f"{x.name}_{number}" for x in way.body if isinstance(x, Pick)}
        for item in way.body:
            body.append(
                _renamed_pick(item, renamed)
                if isinstance(item, Pick)
                else terms.make(n.Implies, BOOL, here[number - 1], _renamed(item, renamed))
            )
        for name, value in way.next:
            mine = _renamed(value, renamed)
            values[name] = mine if name not in values else terms.ite(here[number - 1], mine, values[name])
    return body, values


def _renamed(node: n.Node, names: Mapping[str, str]) -> n.Node:
    leaves: dict[n.Node, n.Node] = {
        x: n.make(n.PickVar, x.type, x.span, names[x.name])
        for x in n.postorder(node)
        if isinstance(x, n.PickVar)
    }
    return substitute(node, leaves)


def _renamed_pick(pick: Pick, names: Mapping[str, str]) -> Pick:
    domain = _renamed(pick.domain, names) if pick.domain is not None else None
    return Pick(names[pick.name], pick.type, domain, pick.span)

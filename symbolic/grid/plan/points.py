"""The points of a grid: what a plan needs of the model at each, which is built once and not kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.engines.induction import obligations
from leadline.symbolic.grid.cost.layers import Layer, NoFormula, layer_formula, size_at
from leadline.symbolic.grid.cost.sizes import LayerSize, property_size
from leadline.symbolic.grid.query import parameters_json
from leadline.symbolic.lang import Model, PropertyKind, UserError
from leadline.symbolic.lang.parameters import Setting

Settings = tuple[tuple[str, Setting], ...]
"""The parameters that a grid sets, in its order."""


@dataclass(frozen=True)
class Point:
    """A protocol at given parameters.

    Attributes:
        settings: the parameters that the grid sets.
        protocol: the protocol's name.
        parameters: all parameters, as `parameters_json` writes them.
        fingerprint: the model's.
        kinds: each property's kind.
        claimed: the properties that are asked for where none is named.
        obligations: for each invariant the names of its proof's obligations, where they are wanted.
        size: the size of a layer, in numbers, with every property but strengthenings.
    """

    settings: Settings
    protocol: str
    parameters: str
    fingerprint: str
    kinds: Mapping[str, PropertyKind]
    claimed: tuple[str, ...]
    obligations: Mapping[str, tuple[str, ...]]
    size: LayerSize


@dataclass(frozen=True)
class Family:
    """The points of a table that differ in integer parameters alone, and the size of their layers.

    Attributes:
        protocol: the protocol's name.
        fixed: what is set besides.
        varying: the names of the parameters in which they differ.
        layer: the size as a formula in those; None if they have no formula.
        reason: why there is none; "" if there is one.
    """

    protocol: str
    fixed: Settings
    varying: tuple[str, ...]
    layer: Layer | None
    reason: str = ""


class Families:
    """The families of one table.

    Args:
        entry: the protocol.
        parameters: for each parameter that is set, its values.
    """

    def __init__(self, entry: Entry, parameters: Mapping[str, Sequence[Setting]]) -> None:
        self._entry = entry
        self._varying = {
            name: [value for value in values if type(value) is int]
            for name, values in parameters.items()
            if len(values) > 1 and entry.protocol.parameters[name].kind is int
        }
        self.found: dict[Settings, Family] = {}

    def of(self, settings: Settings) -> Family:
        """The family of a point, whose formula is derived when the first of its points comes up."""
        fixed = tuple((name, value) for name, value in settings if name not in self._varying)
        if fixed not in self.found:
            self.found[fixed] = self._family(fixed)
        return self.found[fixed]

    def _family(self, fixed: Settings) -> Family:
        layer, reason = None, "only one point"
        if self._varying:
            try:
                layer, reason = layer_formula(self._entry, dict(fixed), self._varying), ""
            except NoFormula as error:
                reason = str(error)
        return Family(self._entry.name, fixed, tuple(self._varying), layer, reason)


class Points:
    """The points met so far.

    Args:
        proofs: the sources of the protocols whose obligations are wanted.
    """

    def __init__(self, proofs: Set[str]) -> None:
        self._proofs = proofs
        self._known: dict[tuple[str, str], Point | UserError] = {}

    def at(self, entry: Entry, settings: Settings, family: Family) -> Point:
        """What is known of a point.

        Args:
            entry: the protocol.
            settings: the parameters that the grid sets.
            family: the point's.

        Raises:
            UserError: if the protocol has no model there.
        """
        declared = {name: one.default for name, one in entry.protocol.parameters.items()}
        key = entry.source, parameters_json({**declared, **dict(settings)})
        if key not in self._known:
            try:
                model = model_of(entry, dict(settings))
                proofs = _obligations(model) if entry.source in self._proofs else {}
                self._known[key] = _point(model, settings, key[1], family, proofs)
            except UserError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, UserError):
            raise found
        return found


def _point(
    model: Model,
    settings: Settings,
    parameters: str,
    family: Family,
    proofs: Mapping[str, tuple[str, ...]],
) -> Point:
    return Point(
        settings=settings,
        protocol=model.protocol,
        parameters=parameters,
        fingerprint=model.fingerprint,
        kinds={name: one.kind for name, one in model.properties.items()},
        claimed=model.claimed,
        obligations=proofs,
        size=_size(model, settings, family),
    )


def _obligations(model: Model) -> dict[str, tuple[str, ...]]:
    goals = [name for name, one in model.properties.items() if one.kind is PropertyKind.INVARIANT]
    return {goal: tuple(one.name for one in obligations(model, goal)) for goal in goals}


def _size(model: Model, settings: Settings, family: Family) -> LayerSize:
    if family.layer is None:
        return size_at(model)
    found = family.layer.at(dict(settings))
    # A property may have no formula while the layer has one.
    others = {name: property_size(model, name) for name in model.claimed if name not in found.properties}
    return LayerSize(found.layer, {**found.properties, **others})


def how_many(parameters: Mapping[str, Sequence[Setting]]) -> int:
    """The number of points of a table."""
    return math.prod(map(len, parameters.values()))


def spelled(settings: Settings) -> str:
    """A point for a person to read."""
    told = [(name, str(value).lower() if isinstance(value, bool) else value) for name, value in settings]
    return ", ".join(f"{name} = {value}" for name, value in told) or "its defaults"

"""The size of one layer of an unrolling, from the types alone: about how many variables and clauses it takes.

Several models of one protocol, at different parameters, are walked together. They have the same shape but for
numbers: bounds of integers, members of sorts, capacities. Where those differ a formula in the parameters
takes their place (`growth`; least general generalization, G. D. Plotkin: A note on inductive generalization,
Machine Intelligence 5, 1970), and so the sizes of types and of whole layers become sympy expressions. One
model alone gives plain numbers by the same rules.

How many literals a type takes is exact (`leadline.symbolic.encode.layout`). What an operation costs is what
its gates take in variables and clauses (Tseitin): an and-gate of m operands 1 + (m + 1), a multiplexer 1 + 6;
it is made once for each value of the bound variables that it depends on, and not at all where it depends on
nothing else. Constants that fold, gates that are shared and conditions for bounds are not looked at.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from leadline.symbolic.grid.cost.growth import NoFormula
from leadline.symbolic.grid.cost.nodes import bare
from leadline.symbolic.grid.cost.operations import Walk
from leadline.symbolic.grid.cost.typesizes import Size, TypeSizes, aligned
from leadline.symbolic.lang.model import Model
from leadline.symbolic.lang.nodes import Node, PickVar, make
from leadline.symbolic.lang.types import Type


@dataclass(frozen=True)
class LayerSize:
    """About how many variables and clauses one layer takes.

    Attributes:
        layer: the step itself.
        properties: what each property adds to it, as far as it has a formula; without the strengthenings.
    """

    layer: Size
    properties: Mapping[str, Size]


def layer_size(models: Sequence[Model], formula: Callable[[Sequence[int]], Size]) -> LayerSize:
    """The size of a layer of models that differ in numbers only.

    Args:
        models: one protocol's models at several points, or one.
        formula: what stands for a number that the models have each their own of.

    Raises:
        NoFormula: if their actions differ in more, or `formula` raises it.
    """
    walk = Walk(TypeSizes(formula), dict(narrowed for model in models for narrowed in _narrowed(model)))
    layer: Size = 0
    for actions in aligned([model.actions for model in models]):
        layer += walk.cost([action.roots for action in actions])
        # The new state is that of the action that is taken.
        for updates in aligned([[node for _, node in action.updates] for action in actions]):
            layer += walk.changes.literals(bare(updates))
    names = [name for name in models[0].claimed if all(name in model.properties for model in models)]
    properties = {}
    for name in names:
        with contextlib.suppress(NoFormula):
            properties[name] = _property_size(models, name, walk.types)
    return LayerSize(layer, properties)


def property_size(model: Model, name: str) -> int:
    """About how many variables and clauses a property adds to a layer of a model."""
    size: int = _property_size([model], name, TypeSizes(lambda row: row[0]))
    return size


def _property_size(models: Sequence[Model], name: str, types: TypeSizes) -> Size:
    return Walk(types).cost([(model.properties[name].formula,) for model in models])


def _narrowed(model: Model) -> Iterator[tuple[Node, Type]]:
    """What picks can be, where that is less than their types."""
    for action in model.actions:
        for pick in action.picks:
            if action.possible(pick) != pick.type:
                yield make(PickVar, pick.type, pick.span, pick.name), action.possible(pick)

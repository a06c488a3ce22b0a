"""Layers of a protocol's models as formulas in its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leadline.symbolic.catalog import Entry, model_of
from leadline.symbolic.grid.cost.growth import NoFormula, Place, sampled
from leadline.symbolic.grid.cost.sizes import LayerSize, layer_size
from leadline.symbolic.grid.grammar.arithmetic import Evaluator, evaluator
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.lang.parameters import Setting


@dataclass(frozen=True)
class Layer:
    """The size of a layer as sympy expressions in the varying parameters.

    Attributes:
        size: the expressions.
    """

    size: LayerSize

    def at(self, values: Mapping[str, Setting]) -> LayerSize:
        """The size at a point, in numbers.

        Args:
            values: at least the varying parameters.
        """
        layer, properties = self._evaluators
        return LayerSize(layer(values), {name: value(values) for name, value in properties.items()})

    @cached_property
    def _evaluators(self) -> tuple[Evaluator, Mapping[str, Evaluator]]:
        size = self.size
        return evaluator(_expression(size.layer)), {
            name: evaluator(_expression(value)) for name, value in size.properties.items()
        }


def _expression(size: Any) -> Any:
    import sympy

    return sympy.Integer(size) if isinstance(size, int) else size


def size_at(model: Model) -> LayerSize:
    """The size of a layer of one model, in numbers."""
    return layer_size([model], lambda row: row[0])


def layer_formula(entry: Entry, fixed: Mapping[str, Setting], varying: Mapping[str, Sequence[int]]) -> Layer:
    """The size of a layer of a protocol's models that differ in some integer parameters.

    About ten models are built, at the grid's own values and their neighbours.

    Args:
        entry: the protocol.
        fixed: the other parameters that are set.
        varying: for each parameter that varies, the values that the grid asks for: at least one each.

    Raises:
        NoFormula: if there is none: the models differ in more than numbers, or the numbers do not grow as
            polynomials of degree two do.
    """
    names = tuple(varying)

    def at(place: Place) -> Model | None:
        try:
            return model_of(entry, {**fixed, **dict(zip(names, place, strict=True))})
        except UserError:
            # A place of our own choice that the protocol has no model for, or one of the grid's: told there.
            return None

    samples, models = sampled(names, [sorted(set(values)) for values in varying.values()], at)
    return Layer(layer_size(models, samples.formula))


__all__ = ["Layer", "NoFormula", "layer_formula", "size_at"]

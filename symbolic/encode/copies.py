"""Layers copied from an earlier one.

Where the states of two layers have the same constants, the layers have the same gates with other variables. A
solver that can copy gates together (`Sink.copier`) then takes the second from the first: making it gate by
gate would fold and share to the same end.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.template import Copier, Instance, Template, Unrolled

Row = Sequence[int]

Images = dict[int, int]
"""What stands for each literal in a copy, positive and negative."""


class Layers:
    """The instances of layers, each made anew or copied from a layer with the same constants.

    Args:
        circuit: what they go into.
    """

    def __init__(self, circuit: Unrolled) -> None:
        self._circuit = circuit
        self._model: _Model | None = None
        self._images: Images | None = None
        self._made: list[Instance] = []

    def begin(self, row: Row, beside: Sequence[Instance], *, named: bool = True) -> None:
        """Begin a layer.

        Args:
            row: the literals of the state before it.
            beside: the instances that there are of that state, in the same order for each layer.
            named: whether the row is one of named literals. Where a state's literal is a gate, and the layer
                has that gate as well, this says nothing of other states: such a layer is not copied.
        """
        self._made = []
        if not self._circuit.sink.copies:
            return
        self._images = None if self._model is None else self._model.images(row, beside)
        if self._images is None:
            self._model = _Model(self._circuit, row, beside, self._made) if named else None

    def instance(self, template: Template, given: Row) -> Instance:
        """The layer's next instance; all layers have the same templates in the same order."""
        if self._images is not None and self._model is not None:
            original = self._model.instances[len(self._made)]
            made = Instance.copied(original, self._images, self._circuit)
        else:
            made = Instance(template, given, self._circuit)
        self._made.append(made)
        return made


class _Model:
    """A layer to take copies of.

    Args:
        circuit: what it is in.
        row: the literals of the state before it.
        beside: the instances that there were of that state.
        instances: the layer's; there may be more later, and they may make more.
    """

    def __init__(
        self, circuit: Unrolled, row: Row, beside: Sequence[Instance], instances: Sequence[Instance]
    ) -> None:
        self.instances = instances
        self._circuit = circuit
        self._row = row
        self._beside = list(beside)
        self._copier: Copier | None = None
        self._shared: list[tuple[int, int, int]] = []
        self._looked = False

    def images(self, row: Row, beside: Sequence[Instance]) -> Images | None:
        """What stands for the layer's literals in a copy after another state, which is made.

        None if that state has other constants, or the layer cannot be copied.
        """
        kinds = [(one.template, other.template) for one, other in zip(beside, self._beside, strict=False)]
        if len(beside) != len(self._beside) or any(a is not b for a, b in kinds):
            return None
        images = _alike(self._row, row)
        if images is None:
            return None
        if not self._looked:
            self._looked = True
            self._look()
        if self._copier is None:
            return None
        for variable, place, literal in self._shared:
            image = beside[place](literal)
            images[variable], images[-variable] = image, -image
        variables = self._copier.variables
        first, count = self._copier.copy(images), len(variables)
        images.update(zip(variables, range(first, first + count), strict=True))
        images.update(zip([-x for x in variables], range(-first, -first - count, -1), strict=True))
        return images

    def _look(self) -> None:
        """See what the layer consists of, and what it shares with the instances beside it."""
        ranges = [found for one in self.instances for found in one.ranges]
        block = [variable for begin, end in ranges for variable in range(begin, end)]
        row = {abs(x) for x in self._row}
        places = [one.standing_for() for one in self._beside]
        self._copier = self._circuit.sink.copier(block, row.union(*places))
        outside = () if self._copier is None else sorted(self._copier.outside)
        for variable in (x for x in outside if x not in row):
            at = next(at for at, place in enumerate(places) if variable in place)
            self._shared.append((variable, at, places[at][variable]))


def _alike(row: Row, other: Row) -> Images | None:
    """What stands for the literals of one row in another with the same constants; None if it has others."""
    images = {TRUE: TRUE, -TRUE: -TRUE}
    for one, image in zip(row, other, strict=True):
        if (abs(one) == TRUE) != (abs(image) == TRUE) or images.setdefault(one, image) != image:
            return None
        images[-one] = -image
    return images

"""Layers that are copied are those that would be made anew."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.catalog import entries, find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode import Encoding, StepsUnrolling, SweepsUnrolling
from leadline.symbolic.encode.template import Instance
from leadline.symbolic.engines.bounded.bmc import BmcOptions, chosen_unrolling
from leadline.symbolic.lang import Model, Protocol, build
from leadline.symbolic.solve import Satisfiability
from leadline.symbolic.solve.z3_solver import Z3Solver
from tests.encode.protocols import Clock, Letterbox, Picky, Shelf

LAYERS = 8
OWN: dict[str, Protocol] = {"clock": Clock(), "letterbox": Letterbox(), "picky": Picky(), "shelf": Shelf()}
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] if name == "kafka-transactions" else [])
    for name in (*entries(), *OWN)
]
"""The largest protocol takes a minute of solving."""


FEW: dict[str, dict[str, int]] = {"kafka-replication": {"replicas": 2}, "spanner-leases": {"replicas": 2}}
"""Parameters of protocols whose layers are large otherwise."""


def model_called(name: str) -> Model:
    return build(OWN[name]) if name in OWN else model_of(find(name), FEW.get(name, {}))


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[Instance]:
    """The instances that are copied."""
    found: list[Instance] = []
    copied = Instance.copied.__func__  # type: ignore[attr-defined]

    def noted(cls: type[Instance], *given: Any) -> Instance:
        made: Instance = copied(cls, *given)
        found.append(made)
        return made

    monkeypatch.setattr(Instance, "copied", classmethod(noted))
    return found


class Layers:
    """A model unrolled in a solver, with the formulas of its properties in every state."""

    def __init__(self, model: Model, unroll: str) -> None:
        claims = list(model.properties.values())
        self.solver = Z3Solver()
        encoding = Encoding(model)
        make = chosen_unrolling(Semantics(model), claims, BmcOptions(LAYERS, unroll))
        self.unrolling = make(encoding, self.solver)
        assert isinstance(self.unrolling, (StepsUnrolling, SweepsUnrolling))
        self.circuit = self.unrolling.circuit
        self._predicates = encoding.predicates(claims)

    def extend(self, depth: int, *, late: bool = False) -> None:
        """Add the layer after a depth; what goes out of bounds in it is asked for at once, or later."""
        here = self.unrolling.predicates(self._predicates, depth)
        for violated in self._predicates.violated:
            here(violated)
        if not late:
            self.unrolling.out_of_bounds(depth)
        self.unrolling.extend()

    @property
    def size(self) -> tuple[int, ...]:
        """The variables and clauses so far."""
        return tuple(self.solver.statistics().values())


def sizes(model: Model, unroll: str, *, late: bool) -> list[tuple[int, ...]]:
    """The variables and clauses after each layer, and in the end."""
    layers, found = Layers(model, unroll), []
    for depth in range(LAYERS):
        layers.extend(depth, late=late)
        found.append(layers.size)
    for depth in range(LAYERS if late else 0):
        layers.unrolling.out_of_bounds(depth)
    return [*found, layers.size]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unroll", "late"), [("steps", True), pytest.param("sweeps", False, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", NAMES)
def test_copies_have_the_size_of_what_they_stand_for(
    name: str, unroll: str, late: bool, copied: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_called(name)
    with_copies = sizes(model, unroll, late=late)
    assert copied
    monkeypatch.setattr(Z3Solver, "copier", lambda *_: None)
    copied.clear()
    for made, anew in zip(with_copies, sizes(model, unroll, late=late), strict=True):
        # Some of what a layer shares with what is beside it is copied as well: to Z3 it is one term.
        assert all(one <= other <= 1.08 * one for one, other in zip(anew, made, strict=True)), (made, anew)
    assert not copied


@pytest.mark.parametrize("unroll", ["steps", "sweeps"])
@pytest.mark.parametrize("name", NAMES)
def test_copies_mean_the_same(name: str, unroll: str, copied: list[Instance]) -> None:
    """Beside each copy of the last layer the same is made anew: no assignment tells them apart."""
    layers = Layers(model_called(name), unroll)
    for depth in range(LAYERS):
        copied.clear()
        layers.extend(depth)
    assert copied
    solver = layers.solver
    for copy in copied:
        anew = Instance(copy.template, [copy(x) for x in copy.template.inputs], layers.circuit)
        solver.add([(copy(x), -anew(x)) for x in copy.template.free])
        solver.add([(-copy(x), anew(x)) for x in copy.template.free])
        roots = [(copy(x), anew(x)) for x in copy.template.roots]
        differ = [solver.xor(*pair) for pair in roots if 1 not in map(abs, pair)]
        assert all(pair[0] == pair[1] for pair in roots if 1 in map(abs, pair))
        assert solver.check([-solver.conj([-x for x in differ])] if len(differ) > 1 else differ) is (
            Satisfiability.UNSATISFIABLE if differ else Satisfiability.SATISFIABLE
        )

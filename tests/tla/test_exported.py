"""Protocols that are written as TLA+ modules mean the same there: two meanings that share no code but words."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, assume, given, settings

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.export import tla_module, tlc_config
from leadline.symbolic.export.module import check_names
from leadline.symbolic.lang import Int, Model, UserError, nodes as n
from leadline.symbolic.meaning import Exploration
from leadline.symbolic.notation.names import nodes_of
from leadline.symbolic.tla.read.config import parse_config
from leadline.symbolic.tla.read.specification import load
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.exploring import explore
from tests.strategies import models

FEW = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(FEW, max_examples=1000)


def read_back(model: Model, folder: Path) -> Behaviour:
    """The model's module, read."""
    path = folder / "exported.tla"
    names = [name for name, one in model.properties.items() if one.temporal is None]
    path.write_text(tla_module(model))
    return Behaviour(load(path, parse_config(tlc_config(model, names), "exported.cfg")))


def compare(model: Model, folder: Path, depth: int | None, most: int | None = None) -> Exploration:
    """Explore a model and its module, and compare all that both tell.

    A step out of bounds leads nowhere in a model, and in its module to states that violate an invariant.
    """
    names = [name for name, one in model.properties.items() if one.temporal is None]
    ours = explore(Semantics(model), names, depth, max_states=most)
    behaviour = read_back(model, folder)
    invariants = tuple(behaviour.specification.invariants)
    theirs = explore(cast(Semantics, behaviour), invariants, depth, max_states=most)
    beyond = [ours.out_of_bounds, *(one.out_of_bounds for one in ours.properties.values())]
    if any(path is not None for path in beyond):
        outside = [path for one in theirs.properties.values() for path in (one.violation, one.out_of_bounds)]
        # A value within an expression that leaves the range of its place has a value in TLA+ all the same.
        reasons = [path[-1].why for path in beyond if path] + [one.why for one in ours.properties.values()]
        narrow = any(" is not in " in (why or "") for why in reasons)
        assert narrow or theirs.out_of_bounds is not None or any(path is not None for path in outside)
        return theirs
    assert theirs.states_within_steps == ours.states_within_steps
    assert (theirs.complete, theirs.deadlocks) == (ours.complete, ours.deadlocks)
    assert theirs.out_of_bounds is None
    for name, found in ours.properties.items():
        assert theirs.properties[model.properties[name].tla].steps == found.steps
    return theirs


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        pytest.param("kafka-replication", 4, marks=pytest.mark.slow),
        pytest.param("kafka-transactions", 6, marks=pytest.mark.slow),
        ("pulsar-compaction", 2),
        ("spanner-leases", 5),
        pytest.param("spanner-transactions", 6, marks=pytest.mark.slow),
        ("two-phase-commit", 9),
    ],
)
def test_a_built_in_protocol(tmp_path: Path, name: str, depth: int) -> None:
    assert compare(model_of(find(name), {}), tmp_path, depth).states > 50


def is_comparable(model: Model) -> bool:
    """Whether a model begins, and leaves no choice of which TLC's order of values may decide otherwise."""
    chosen = [node for node in nodes_of(model) if isinstance(node, n.Choose)]
    return all(isinstance(node.type, Int) for node in chosen) and any(
        one.state is not None for one in Semantics(model).initial()
    )


@FEW
@given(model=models())
def test_random_protocols(tmp_path_factory: pytest.TempPathFactory, model: Model) -> None:
    assume(is_comparable(model))
    compare(model, tmp_path_factory.mktemp("tla"), 4, 500)


@pytest.mark.slow
@MANY
@given(model=models())
def test_many_random_protocols(tmp_path_factory: pytest.TempPathFactory, model: Model) -> None:
    assume(is_comparable(model))
    compare(model, tmp_path_factory.mktemp("tla"), 5, 3000)


def test_a_module_with_strings_is_written_again_and_model_values_are_refused(tmp_path: Path) -> None:
    def made(name: str, given: str) -> Model:
        path = tmp_path / f"{name}.tla"
        body = 'CONSTANT N\nVARIABLE x\nInit == x = "a"\nNext == x\' \\in {"a", N}\nShort == x # "c"'
        path.write_text(f"---- MODULE {name} ----\n{body}\n====\n")
        path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANT Short CONSTANT N = {given}")
        return model_of(find(str(path)), {})

    assert compare(made("Words", '"b"'), tmp_path, None).states == 2
    with pytest.raises(UserError, match="no constant for the model value N"):
        check_names(made("Values", "N"))

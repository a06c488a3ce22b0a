"""Exported modules parse as TLA+: those of all built-in protocols, and of random ones."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from leadline.symbolic.catalog import entries, model_of
from leadline.symbolic.lang import Model
from leadline.symbolic.lang.parameters import Setting
from tests.export.parsed import check_module, definitions
from tests.strategies import models


def variants() -> Iterator[tuple[str, dict[str, Setting]]]:
    """Every protocol with its defaults, with every choice, and with every switch thrown."""
    for name, entry in entries().items():
        yield name, {}
        for parameter in entry.protocol.parameters.values():
            if isinstance(parameter.default, bool):
                yield name, {parameter.name: not parameter.default}
            for choice in parameter.choices or ():
                if choice != parameter.default:
                    yield name, {parameter.name: choice}


VARIANTS = list(variants())


def test_there_are_variants() -> None:
    assert len(VARIANTS) >= 15


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        pytest.param(x, y, id="-".join([x, *map(str, y.values())]), marks=[pytest.mark.slow] if y else [])
        for x, y in VARIANTS
    ],
)
def test_protocol(name: str, setting: dict[str, Setting]) -> None:
    model = model_of(entries()[name], setting)
    operators = definitions(check_module(model))
    expected = {"Init", "Next", "Spec", "vars", "InBounds"}
    expected |= {action.tla for action in model.actions}
    expected |= {one.tla for one in model.properties.values()}
    assert expected <= operators.keys()


@settings(max_examples=8, deadline=None)
@given(models())
def test_random_protocol(model: Model) -> None:
    check_module(model)

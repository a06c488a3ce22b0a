"""TLC's figures for the TLA+ modules (`data/tlc.json`, which says how they were got), and how to compare them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Result, Verdict
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning import Exploration
from tests.asking import bounded_query, here
from tests.tlc_names import CONSTANTS, MODULES, PROPERTIES

Row = dict[str, Any]


def rows_where(wanted: Callable[[Row], bool]) -> list[Row]:
    """The figures that are wanted: a row for each module and setting of its constants."""
    rows: list[Row] = json.loads((Path(__file__).parent / "data" / "tlc.json").read_text())["rows"]
    return [row for row in rows if wanted(row)]


def name_of(row: Row) -> str:
    """The row's name in pytest's report."""
    return "-".join([row["module"], *(str(value) for value in row["parameters"].values())])


def by_size(rows: list[Row], quick: int) -> list[Any]:
    """The rows as parameters of a test; those of more than so many distinct states are slow."""
    return [
        pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if row["distinct_states"] > quick else [])
        for row in rows
    ]


def settings_of(row: Row) -> dict[str, Any]:
    """The parameters that the row's module and constants settle."""
    _, settings = MODULES[row["module"]]
    named = {CONSTANTS[constant]: value for constant, value in row["parameters"].items()}
    return settings | {name: _setting(value) for name, value in named.items() if name is not None}


def _setting(value: int | str) -> int | bool | str:
    """A constant as TLC's configuration gives it, as a parameter's value; a set becomes its size."""
    if isinstance(value, int):
        return value
    return len(value.split(",")) if value[0] == "{" else {"TRUE": True, "FALSE": False}.get(value, value)


def model_of_row(row: Row) -> Model:
    """The row's model."""
    protocol, _ = MODULES[row["module"]]
    return model_of(find(protocol), settings_of(row))


def shortest_violations(row: Row) -> dict[str, int | None]:
    """By our names of the properties: the length that the row gives, in steps, or None."""
    return {
        # TLC cannot evaluate Kafka's TypeOk, which compares records with an integer; ours can, and holds.
        PROPERTIES[name]: None if found["result"] == "evaluation error" else found["shortest_violation_steps"]
        for name, found in row["properties"].items()
    }


def steps_of(exploration: Exploration) -> dict[str, int | None]:
    """Each property's shortest violation in steps, or None."""
    return {name: found.steps for name, found in exploration.properties.items()}


def check_bounds(exploration: Exploration) -> None:
    """Nothing goes out of bounds: the encoding's ranges are wide enough."""
    assert exploration.steps_out_of_bounds == 0
    assert all(found.out_of_bounds is None for found in exploration.properties.values())


def check_all_states(exploration: Exploration, row: Row) -> None:
    """The exploration is complete and finds the row's number of states at every depth."""
    assert exploration.complete
    assert list(exploration.states_within_steps) == row["states_within_steps"]
    assert exploration.states_within_steps[0] == row["initial_states"]
    assert exploration.states == row["distinct_states"]
    assert exploration.diameter == row["diameter_steps"]


def bounded(model: Model, solver: str, depth: int) -> dict[str, Result]:
    """The bounded check of all the model's properties, by the property's name."""
    given = {name: value for name, value in model.parameters.items() if value is not None}
    query = bounded_query(model.protocol, depth, settings=given, solver=solver)
    return {result.property: result for result in here(query, model=model)}


def check_bounded(results: Mapping[str, Result], shortest: Mapping[str, int | None], depth: int) -> None:
    """Check that each violation within the depth is found in so many steps, and all else is safe to the depth."""
    for name, steps in shortest.items():
        result = results[name]
        reached = steps is not None and steps <= depth
        expected = (Verdict.VIOLATED, steps) if reached else (Verdict.SAFE, None)
        assert (result.verdict, result.steps) == expected, name
        assert result.depth == (steps - 1 if reached and steps is not None else depth), name

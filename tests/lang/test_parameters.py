"""Parameters: their ranges, and every complaint about them, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.lang import (
    ModelError,
    Parameter,
    ParameterError,
    Protocol,
    UserError,
    parameter,
    parse_setting,
)
from tests.lang.sample import in_action, model


class Settings(Protocol):
    """A protocol of all kinds of parameters."""

    nodes: int = parameter(3, at_least=1, at_most=5, doc="nodes")
    steps: int = parameter(0, at_least=0, doc="steps")
    below: int = parameter(0, at_most=9, doc="at most nine")
    any_number: int = parameter(7, doc="any integer")
    strict: bool = parameter(False, doc="whether strict")
    variant: str = parameter("new", choices=("old", "new"), doc="which variant")
    label: str = parameter("x", doc="any text")
    derived: int | None = parameter(None, at_least=2, doc="follows from the others")


COMPLAINTS = [
    ({"nodes": 0}, "nodes must be 1..5, and is 0"),
    ({"nodes": 6}, "nodes must be 1..5, and is 6"),
    ({"steps": -1}, "steps must be >= 0, and is -1"),
    ({"below": 10}, "below must be <= 9, and is 10"),
    ({"nodes": True}, "nodes must be an integer, and is True"),
    ({"nodes": "3"}, "nodes must be an integer, and is '3'"),
    ({"strict": 1}, "strict must be true or false, and is 1"),
    ({"variant": "newest"}, "variant must be old | new, and is 'newest'"),
    ({"label": 3}, "label must be text, and is 3"),
    ({"derived": 1}, "derived must be >= 2, and is 1"),
    ({"node": 3}, "settings has no parameter `node`: did you mean `nodes`?"),
    (
        {"zzz": 3},
        "settings has no parameter `zzz`: "
        "it has nodes, steps, below, any_number, strict, variant, label, derived",
    ),
    (
        {"node": 3, "strict": 1, "steps": -1},
        "settings has no parameter `node`: did you mean `nodes`?\n"
        "steps must be >= 0, and is -1\nstrict must be true or false, and is 1",
    ),
]


@pytest.mark.parametrize(("given", "text"), COMPLAINTS, ids=[str(given) for given, _ in COMPLAINTS])
def test_complaint(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Settings(**given)
    assert str(caught.value) == text


def test_settings_are_attributes() -> None:
    made = Settings(nodes=5, derived=2)
    assert made.settings == {
        "nodes": 5,
        "steps": 0,
        "below": 0,
        "any_number": 7,
        "strict": False,
        "variant": "new",
        "label": "x",
        "derived": 2,
    }
    assert (made.nodes, made.derived, Settings().derived) == (5, 2, None)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("nodes", "1..5"),
        ("steps", ">= 0"),
        ("below", "<= 9"),
        ("any_number", "integer"),
        ("strict", "true or false"),
        ("variant", "old | new"),
        ("label", "text"),
        ("derived", ">= 2"),
    ],
)
def test_ranges_are_shown(name: str, shown: str) -> None:
    assert Settings.parameters[name].range == shown


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("nodes", "4", 4), ("strict", "True", True), ("strict", "false", False), ("variant", "old", "old")],
)
def test_settings_are_read_from_text(name: str, text: str, value: Any) -> None:
    read = parse_setting(Settings.parameters[name], text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("nodes", "four", "nodes must be an integer, and is 'four'"),
        ("strict", "yes", "strict must be true or false, and is 'yes'"),
    ],
)
def test_text_that_cannot_be_read(name: str, text: str, told: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_setting(Settings.parameters[name], text)
    assert str(caught.value) == told


class Files(Protocol):
    """Text that names a file."""

    choice: str = parameter("small", choices=("small", "large"), file=".toml", doc="a name or a file")
    path: str = parameter("x.csv", file=".csv", doc="a file")


def test_a_file_may_stand_in_place_of_a_choice() -> None:
    assert Files(choice="large").settings["choice"] == "large"
    assert Files(choice="any/where.toml").settings["choice"] == "any/where.toml"
    with pytest.raises(ParameterError) as caught:
        Files(choice="where.tom")
    assert str(caught.value) == "choice must be small | large | the path of a .toml file, and is 'where.tom'"
    with pytest.raises(ParameterError) as caught:
        Files(path="x.tsv")
    assert str(caught.value) == "path must be the path of a .csv file, and is 'x.tsv'"


def test_parameters_are_inherited() -> None:
    class More(Settings):
        extra: int = parameter(1, doc="one more")

    assert list(More.parameters) == [*Settings.parameters, "extra"]
    assert isinstance(More.parameters["extra"], Parameter)


def test_properties_are_chosen_by_name() -> None:
    source = in_action("pass") + "\n@invariant(Sample)\ndef low_count(p, now):\n    return now.count < 3\n"
    built = model(source)
    assert [x.name for x in built.choose_properties(())] == ["low-count"]
    assert [x.name for x in built.choose_properties(("low-count",))] == ["low-count"]
    with pytest.raises(UserError) as caught:
        built.choose_properties(("low-cont",))
    assert str(caught.value) == "sample has no property `low-cont`: did you mean `low-count`?"


def test_the_parameters_of_a_model_are_those_it_was_built_with() -> None:
    assert model(in_action("pass"), size=3).parameters == {"size": 3}


WRONG_BODIES = {
    "sweep_order = 5": "sweep_order is 5, and a tuple of the names of actions",
    "sweep_order = ('go', 5)": "sweep_order is ('go', 5)",
    "picks = 5": "picks is 5, and a dictionary",
    "protocol_name = 5": "protocol_name is 5, and text is needed",
    "__doc__ = 5": "__doc__ is 5, and text is needed",
    "def __init__(self): pass": "a protocol has no __init__",
    "top = parameter(3, doc=5)": "the parameter top has doc=5, and text is needed",
    "top = parameter(0, at_least=1)": "the default of a parameter is wrong: top must be >= 1, and is 0",
    "top = parameter(3.5)": "the parameter top has default=3.5",
    "top = parameter(3, at_least='a')": "the parameter top has at_least='a', and an integer",
    "top = parameter('a', choices=('a', 5))": "has choices=('a', 5), and a tuple of texts",
    "top = parameter('a', choices=5)": "has choices=5, and a tuple of texts",
}


@pytest.mark.parametrize("line", WRONG_BODIES)
def test_what_a_class_says_of_itself(line: str) -> None:
    with pytest.raises(ModelError) as caught:
        exec(f"class Made(Protocol):\n    {line}\n", {"Protocol": Protocol, "parameter": parameter})
    assert WRONG_BODIES[line] in str(caught.value)
    assert "<string>:1: Made: " in str(caught.value)

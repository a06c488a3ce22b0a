"""Free values: every value of the type, each readable again, and nothing else; don't-cares are free."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.encode import values as encoding
from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.layout import Layout, decode
from leadline.symbolic.encode.values import Bits, Items, Maybe, Shape, Tagged, Values
from leadline.symbolic.lang import Bool, Int, Map, Option, Seq, Set, Tuple, Type, enum, record, sort, union
from leadline.symbolic.lang.types import Never
from tests import strategies
from tests.encode.truth import Solved, all_rows, decoded, input_columns, simulate

NODE = sort("Node", 3)
COLOUR = enum("Colour", "red", "green", "blue")
PAIR = record("Pair", x=Int(0, 2), y=COLOUR)
MESSAGE = union("Message", ping={"to": NODE, "round": Int(3, 7)}, stop={}, pong={"ok": Bool()})
NOTHING = Int(1, 0)
KINDS: dict[str, Type] = {
    "binary": Int(-3, 70),
    "binary, full": Int(0, 127),
    "one number": Int(5, 5),
    "options": Option(Int(-1, 3)),
    "option of one number": Option(Int(4, 4)),
    "option of nothing": Option(NOTHING),
    "option of never": Option(Never()),
    "set of nothing": Set(NOTHING),
    "sequence of nothing": Seq(NOTHING, 2),
    "empty sequences": Seq(NODE, 0),
    "sequences": Seq(PAIR, 2),
    "sequence of one number": Seq(Int(4, 4), 3),
    "union": MESSAGE,
    "union with an impossible variant": union("U", no={"x": NOTHING}, a={}, b={"y": Bool()}, c={}),
    "union of one variant": union("U", only={"x": Bool()}),
    "set of options": Set(Option(NODE)),
    "map of options": Map(Bool(), Option(NODE)),
    "nested": Tuple((Option(record("R", log=Seq(Bool(), 2), at=Option(COLOUR))), Bool())),
    "nothing": Tuple(()),
}


def round_trip(kind: Type) -> None:
    """Every value, written into the inputs of a free value, is valid, equal to itself alone, read back."""
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    shape = layout.free(kind)
    listed = list(kind.values())
    valid = layout.valid(shape, kind)
    has = [symbolic.has_value(shape, value, kind) for value in listed]
    equal = [symbolic.equal(shape, symbolic.constant(kind, value), kind) for value in listed]
    columns = simulate(circuit, input_columns(circuit, shape, kind, listed), len(listed))
    assert columns(valid) == (1 << len(listed)) - 1
    for row, value in enumerate(listed):
        assert decoded(shape, kind, columns, row) == value
        assert columns(has[row]) == columns(equal[row]) == 1 << row


def possible_values(kind: Type) -> set[Any]:
    """The values that the solver finds for a valid free value; each is excluded once it is read."""
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    shape = layout.free(kind)
    has = {value: symbolic.has_value(shape, value, kind) for value in kind.values()}
    solved = Solved(circuit, [*has.values(), *layout.literals(shape, kind)], [layout.valid(shape, kind)])
    found: set[Any] = set()
    while solved.possible():
        value = decode(shape, kind, solved.true)
        assert value in has and value not in found
        found.add(value)
        solved.solver.add([(-solved.instance(has[value]),)])
    return found


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_values_of_a_type(kind: Type) -> None:
    round_trip(kind)
    assert possible_values(kind) == set(kind.values())


@given(strategies.types())
def test_values_of_random_types_are_read_back(kind: Type) -> None:
    round_trip(kind)


@given(strategies.types(most=24))
def test_a_valid_value_is_one_of_the_type(kind: Type) -> None:
    assert possible_values(kind) == set(kind.values())


@pytest.mark.parametrize("limit", [0, 3])
@given(kind=strategies.types(most=24))
def test_the_same_in_binary(limit: int, kind: Type) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "ONE_HOT_LIMIT", limit)
        round_trip(kind)
        assert possible_values(kind) == set(kind.values())


@given(st.data())
def test_the_literals_of_a_type_are_as_many_for_every_shape(data: st.DataObject) -> None:
    kind = data.draw(strategies.types())
    one, other = data.draw(strategies.values(kind)), data.draw(strategies.values(kind))
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    width = len(layout.literals(layout.free(kind), kind))
    chosen = symbolic.ite(circuit.input(), symbolic.constant(kind, one), symbolic.constant(kind, other), kind)
    for shape in (symbolic.constant(kind, one), symbolic.arbitrary(kind), chosen):
        assert len(layout.literals(shape, kind)) == width


@given(st.data())
def test_a_choice_between_values_is_the_chosen_one(data: st.DataObject) -> None:
    kind = data.draw(strategies.types())
    values = data.draw(st.lists(strategies.values(kind), min_size=1, max_size=4))
    circuit = Circuit()
    symbolic = Values(circuit)
    arms = [(circuit.input(), symbolic.constant(kind, value)) for value in values]
    shape = symbolic.mux(arms, kind)
    right = [symbolic.has_value(shape, value, kind) for value in values]
    columns = simulate(circuit, {x: 1 << row for row, (x, _) in enumerate(arms)}, len(arms))
    for row, value in enumerate(values):
        assert decoded(shape, kind, columns, row) == value
        assert columns(right[row]) >> row & 1


@given(st.data())
def test_the_cases_of_a_value_are_its_values(data: st.DataObject) -> None:
    kind = data.draw(strategies.types())
    listed = list(kind.values())
    circuit = Circuit()
    layout = Layout(circuit)
    shape = layout.free(kind)
    cases = Values(circuit).cases(shape, kind)
    columns = simulate(circuit, input_columns(circuit, shape, kind, listed), len(listed))
    assert {value for value, _ in cases} == set(listed) and len(cases) == len(listed)
    assert all(columns(literal) == 1 << listed.index(value) for value, literal in cases)


DONT_CARES: list[tuple[Type, Shape, Any]] = [
    (Option(COLOUR), Maybe(FALSE, {}), None),
    (Option(COLOUR), Maybe(FALSE, {"red": TRUE, "blue": TRUE}), None),
    (Option(Int(0, 70)), Maybe(FALSE, Bits((TRUE,) * 7)), None),
    (Seq(COLOUR, 3), Items({1: TRUE}, ({"red": TRUE}, {}, {"red": TRUE, "green": TRUE})), ("red",)),
    (Seq(Option(NODE), 1), Items({0: TRUE}, (Maybe(TRUE, {}),)), ()),
    (MESSAGE, Tagged({"stop": TRUE}, {"ping": ({}, Bits((TRUE,) * 3)), "stop": ()}), ("stop", ())),
    (MESSAGE, Tagged({"pong": TRUE}, {"ping": ({}, Bits((TRUE,) * 3)), "pong": (TRUE,)}), ("pong", (True,))),
    (Map(Bool(), Option(NODE)), (Maybe(FALSE, {}), Maybe(TRUE, {"n2": TRUE})), (None, "n2")),
    (Set(Option(NODE)), {None: TRUE}, frozenset({None})),
]


@pytest.mark.parametrize(("kind", "shape", "value"), DONT_CARES)
def test_what_is_no_part_of_the_value_may_be_anything(kind: Type, shape: Shape, value: Any) -> None:
    """The item of an absent option, the places past a sequence's length, payloads of other tags."""
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    constant = symbolic.constant(kind, value)
    assert decode(shape, kind, lambda literal: literal == TRUE) == value
    assert symbolic.has_value(shape, value, kind) == TRUE
    assert symbolic.equal(shape, constant, kind) == symbolic.equal(constant, shape, kind) == TRUE
    assert not any(
        symbolic.has_value(shape, other, kind) == TRUE for other in kind.values() if other != value
    )
    free = layout.free(kind)
    row = zip(layout.literals(free, kind), layout.literals(shape, kind), strict=True)
    inputs = {x: int(literal == TRUE) for x, literal in row}
    valid = layout.valid(free, kind)
    assert simulate(circuit, inputs, 1)(valid), "validity must not constrain a don't-care"


@pytest.mark.parametrize(
    "kind",
    [Option(COLOUR), Seq(COLOUR, 2), MESSAGE, Option(PAIR), Seq(Option(COLOUR), 1), Int(-1, 4)],
    ids=repr,
)
def test_every_valid_assignment_is_read_as_a_value_and_told_equal_to_it(kind: Type) -> None:
    """All assignments, those of the don't-cares included."""
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    shape, other = layout.free(kind), layout.free(kind)
    listed = list(kind.values())
    has = [symbolic.has_value(shape, value, kind) for value in listed]
    valid, equal = layout.valid(shape, kind), symbolic.equal(shape, other, kind)
    inputs, rows = all_rows(layout.literals(shape, kind))
    columns = simulate(circuit, inputs, rows)
    good = [row for row in range(rows) if columns(valid) >> row & 1]
    for row in good:
        value = decoded(shape, kind, columns, row)
        assert [v for v, x in zip(listed, has, strict=True) if columns(x) >> row & 1] == [value]
    for value in listed:
        fixed = {
            x: ((1 << rows) - 1) * bit for x, bit in input_columns(circuit, other, kind, [value]).items()
        }
        columns = simulate(circuit, inputs | fixed, rows)
        for row in good:
            assert bool(columns(equal) >> row & 1) == (decoded(shape, kind, columns, row) == value)


@pytest.mark.parametrize("kind", [COLOUR, Seq(PAIR, 2), MESSAGE, Option(NODE)], ids=repr)
def test_a_value_equals_itself_without_a_gate(kind: Type) -> None:
    """So recursion over a set without an element that was taken from it ends as the set does."""
    circuit = Circuit()
    shape = Layout(circuit).free(kind)
    assert Values(circuit).equal(shape, shape, kind) == TRUE
    assert not circuit.gates


def test_a_type_without_values_has_no_valid_one() -> None:
    circuit = Circuit()
    layout = Layout(circuit)
    assert layout.valid(layout.free(NOTHING), NOTHING) == FALSE
    impossible = Tuple((Bool(), NOTHING))
    assert layout.valid(layout.free(impossible), impossible) == FALSE
    assert layout.values.arbitrary(NOTHING) is None


def test_a_value_of_a_type_of_which_the_values_cannot_be_counted() -> None:
    """The number of these sets has over 10^19 bits."""
    kind = Tuple((Set(Set(Int(0, 63))), Bool()))
    assert Layout(Circuit()).values.placeholder(kind) == ({}, FALSE)


@pytest.mark.parametrize("capacity", [63, 64, 65])
def test_long_sequences_are_equal_only_at_equal_lengths(capacity: int) -> None:
    kind = Seq(Bool(), capacity)
    circuit = Circuit()
    layout, symbolic = Layout(circuit), Values(circuit)
    shape = layout.free(kind)
    listed = [(True,) * size for size in (0, 1, capacity - 1, capacity)]
    columns = input_columns(circuit, shape, kind, listed)
    equal = [symbolic.equal(shape, symbolic.constant(kind, value), kind) for value in listed]
    look = simulate(circuit, columns, len(listed))
    for row, column in product(range(4), range(4)):
        assert bool(look(equal[row]) >> column & 1) == (row == column)

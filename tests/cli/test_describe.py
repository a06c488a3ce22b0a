"""Types in the words of TLA+, and sizes without counting."""

import pytest

from leadline.symbolic.api.tables import summary
from leadline.symbolic.cli.show import indented, size
from leadline.symbolic.lang import Int, Map, Option, Seq, Set, Tuple, Type, bits
from leadline.symbolic.notation.types import set_text
from tests.trace.samples import ENTRY, KINDS, MESSAGE, NODE


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_bits_are_the_logarithm_of_the_number_of_values(kind: Type) -> None:
    assert 2.0 ** bits(kind) == pytest.approx(kind.cardinality)


def test_a_size_beyond_all_memory_is_no_trouble() -> None:
    assert size(bits(Set(Set(Int(1, 40))))) == f"2^{2.0**40:.1f}"
    assert size(bits(Set(Set(Set(Int(1, 40)))))) == "2^inf"
    assert size(bits(Seq(Set(Int(1, 600)), 2))) == "2^1200.0"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (KINDS["is_on"], "BOOLEAN"),
        (KINDS["colour"], '{"red", "green"}'),
        (KINDS["owner"], "Node \\cup {None}"),
        (KINDS["pair"], '(0..1) \\X {"red", "green"}'),
        (Tuple(()), "{<<>>}"),
        (ENTRY, "[from : Node, endOffset : -1..2]"),
        (
            MESSAGE,
            '[type : {"ping"}, to : Node, hops : 0..1] \\cup [type : {"stop"}] '
            '\\cup [type : {"value"}, value : BOOLEAN]',
        ),
        (Map(NODE, Set(Option(NODE))), "[Node -> SUBSET (Node \\cup {None})]"),
        (Seq(Int(0, 1), 4), "BoundedSeq(0..1, 4)"),
    ],
)
def test_types_in_tla(kind: Type, text: str) -> None:
    assert set_text(kind).text == text


def test_docstrings() -> None:
    assert summary("One\nline.\n\nMore.") == "One line."
    assert list(indented("a\n\n  b", 2)) == ["  a", "", "    b"]
    assert list(indented("", 2)) == []

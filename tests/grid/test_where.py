"""Conditions on rows: what they mean, and that nothing in them is ever run."""

import pytest

from leadline.symbolic.grid.rows import read_where
from leadline.symbolic.lang import UserError
from tests.grid.rows import obligation, row

ROWS = [
    row(),
    row(query="b2", verdict="safe", steps=None, depth=10, parameters='{"nodes":2,"overflow":true,"depth":7}'),
    obligation("implication", query="c3", parameters='{"nodes":3,"overflow":null,"variant":"kip-320"}'),
    row(query="d4", parameters='{"nodes":"many"}', solver="cadical", task_seconds=2.5),
]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("verdict == 'violated'", "a d"),
        ('verdict == "violated" and solver != "z3"', "d"),
        ("nodes >= 2", "b c"),
        ("nodes == 'many' or nodes == 1", "a d"),
        ("not nodes >= 2", "a d"),
        ("not (nodes >= 2 or solver == 'cadical')", "a"),
        ("nodes >= 2 or solver == 'cadical' and steps == 3", "b c d"),
        ("(nodes >= 2 or solver == 'cadical') and steps == 3", "d"),
        ("overflow == true", "b"),
        ("overflow == null", "c d"),
        ("overflow != null", "a b"),
        ("overflow != true", "a c d"),
        ("depth == 10", "b"),
        ("parameters.depth == 7", "b"),
        ("obligation == 'implication'", "c"),
        ("variant == 'kip-320'", "c"),
        ("depth < -0.5", "c"),
        ("task_seconds > 1.5e0", "d"),
        ("not not steps == null", "b c"),
        ("started < '2026-02'", "a b c d"),
        ("steps > 2", "a d"),
        ("1 < steps <= 3", "a d"),
        ("3 == steps", "a d"),
        ("task_seconds * 2 - 1 >= 4", "d"),
        ("max(depth, 5) == 10", "b"),
        ("overflow", "b"),
        ("not overflow", "a c d"),
        ("12 // (steps - 3) == 1 or nodes == 2", "b"),
    ],
)
def test_what_it_means(text: str, wanted: str) -> None:
    condition = read_where(text, ROWS)
    assert " ".join(one.query[0] for one in ROWS if condition(one)) == wanted


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("verdict = 'safe'", "line 1, column 9: `=` means nothing in a condition: write == to compare"),
        (
            "verdikt == 'safe'",
            "line 1, column 1: the store has no column or parameter `verdikt`: did you mean `verdict`?",
        ),
        ("parameters.solver == 'z3'", "line 1, column 1: the store has no column or parameter `solver`"),
        ("verdict == 3", "line 1, column 12: verdict is a text, never a number"),
        ("steps == 'x'", "line 1, column 10: steps is a number, never a text"),
        ("overflow == 1", "line 1, column 13: overflow is a truth value, never a number"),
        ("overflow < true", "line 1, column 1: a truth value is only equal or not"),
        ("steps < null", "line 1, column 9: null is only equal or not"),
        ("steps", "line 1, column 1: a truth value is needed here, and this is a number"),
        ("steps ==", "line 1, column 9: something is missing at the end"),
        ("steps == - 'x'", "line 1, column 12: a number is needed here, and this is a text"),
        ("steps == 1 steps == 2", "line 1, column 12: `steps` is not expected here"),
        ("(steps == 1", "line 1, column 1: '(' was never closed"),
        (
            "steps == 1 and",
            "line 1, column 15: something is missing at the end",
        ),
        ("", "line 1, column 1: something is missing at the end"),
        ("steps == 'x", "line 1, column 10: `'` means nothing in a condition: the text has no closing quote"),
        (
            "steps ==\n  __import__('os')",
            "line 2, column 3: this means nothing in a condition: see its grammar",
        ),
        ("steps.__class__ == 1", "line 1, column 1: the store has no column or parameter `steps.__class__`"),
        (
            "steps == 1_0",
            "line 1, column 10: `1_0` means nothing in a condition: write a number, a text in plain",
        ),
        ("steps == " + "9" * 19, "line 1, column 10: an integer has at most 18 digits"),
        ("steps == [1]", "line 1, column 10: `[` means nothing in a condition: see the grammar of"),
        ("steps in 3", "line 1, column 7: `in` means nothing in a condition: see the grammar"),
        ("print(steps)", "line 1, column 1: this means nothing in a condition: see its grammar"),
        ("steps() == 1", "line 1, column 1: this means nothing in a condition: see its grammar"),
        ("parameters.a.b == 1", "line 1, column 1: this means nothing in a condition: see its grammar"),
        ("\0", "line 1, column 1: `\0` means nothing in a condition"),
        ("not " * 240 + "steps", "line 1, column "),
        ("(" * 60 + "steps == 1" + ")" * 60, "line 1, column 51: this is nested deeper than 50"),
        ("s" * 2000, "line 1, column 1001: a condition has at most 1000 characters"),
    ],
)
def test_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(UserError) as caught:
        read_where(text, ROWS)
    assert str(caught.value).startswith(f"--where: {complaint}")


def test_all_mistakes_are_told() -> None:
    with pytest.raises(UserError) as caught:
        read_where("a == 1 and b == 2", ROWS)
    assert [line.split(" of")[0].split(": ")[1] for line in str(caught.value).splitlines()] == [
        "line 1, column 1",
        "line 1, column 12",
    ]

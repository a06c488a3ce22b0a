"""Constraints: what they mean, checked against an evaluator of their own; what is refused, and where."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leadline.symbolic.conditions import LONGEST, NESTING, Condition
from leadline.symbolic.grid.gridfile import read_constraint
from tests.grid.declared import DECLARED, UNSET

POINT: dict[str, Any] = {
    "replicas": 3,
    "log_size": 2,
    "fast": True,
    "slow": False,
    "variant": "kip-279",
    "max_pid": None,
}


def told(text: str) -> list[str]:
    said: list[str] = []
    assert read_constraint(text, DECLARED, UNSET, said.append) is None, text
    return said


def read(text: str) -> Condition:
    said: list[str] = []
    found = read_constraint(text, DECLARED, UNSET, said.append)
    assert found is not None and not said, (text, said)
    return found


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("replicas > log_size", True),
        ("replicas == log_size", False),
        ("1 < log_size < replicas <= 3", True),
        ("3 > log_size > 2", False),
        ("fast", True),
        ("replicas > 2.5 and replicas < 1e1", True),
        ("variant < 'kip-300' and variant != null", True),
        ("not fast", False),
        ("not not fast and not slow", True),
        ("slow or replicas == 3 and log_size == 3", False),
        ("(slow or replicas == 3) and log_size == 2", True),
        ("fast == true", True),
        ("fast != slow", True),
        ("(replicas > 2) == slow", False),
        ('variant == "kip-279"', True),
        ("variant != 'kip-320'", True),
        ("'kip-101' == variant", False),
        ("replicas - log_size - 1 == 0", True),
        ("-replicas // 2 == -2", True),
        ("- -replicas == 3", True),
        ("-replicas % 2 == 1", True),
        ("replicas * log_size // 4 * 3 == 3", True),
        ("min(replicas, log_size, 7) == 2", True),
        ("max(replicas) + 1 == 4", True),
        ("replicas\n\t== 3", True),
        # What is divided by zero has no value, and nothing here depends on it.
        ("replicas == 4 and 1 // (log_size - 2) == 1", False),
        ("1 % (log_size - 2) == 1 or replicas == 3", True),
    ],
)
def test_meaning(text: str, holds: bool) -> None:
    assert read(text).holds(POINT) is holds


def test_a_division_by_zero_has_no_value() -> None:
    divided = "1 // (log_size - 2) == 1"
    for text in (divided, "0 * (1 % (log_size - 2)) == 0", f"not ({divided})", f"fast and ({divided})"):
        with pytest.raises(ZeroDivisionError):
            read(text).holds(POINT)


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("replicas ^ 2 == 4", ["1, column 10: `^` means nothing in a constraint: there are no powers here"]),
        ("replicas = 2", ["1, column 10: `=` means nothing in a constraint: write == to compare"]),
        ("replicas / 2 == 1", ["1, column 10: `/` means nothing in a constraint: write // for the quotient"]),
        (
            "variant == 'kip",
            ["1, column 12: `'` means nothing in a constraint: the text has no closing quote"],
        ),
        ("fast and\n  é", ["2, column 3: `é` means nothing in a constraint: see the grammar of "]),
        (
            "replicas >",
            ["1, column 11: something is missing at the end"],
        ),
        (
            "",
            ["1, column 1: something is missing at the end"],
        ),
        ("(fast", ["1, column 1: '(' was never closed"]),
        ("fast)", ["1, column 5: unmatched ')'"]),
        ("fast slow", ["1, column 6: `slow` is not expected here"]),
        ("min replicas > 1", ["1, column 5: `replicas` is not expected here"]),
        ("min(replicas, 2 == 2", ["1, column 4: '(' was never closed"]),
        ("replica > 1", ["1, column 1: there is no parameter `replica`: did you mean `replicas`?"]),
        ("max_pid > 1", ["1, column 1: max_pid is derived unless it is set: give it values in `parameters`"]),
        ("replicas", ["1, column 1: a truth value is needed here, and this is a number"]),
        ("1 < 2", ["1, column 1: nothing is named: it would say the same everywhere"]),
        ("fast < 1", ["1, column 1: a truth value is only equal or not"]),
        ("replicas < null", ["1, column 12: null is only equal or not"]),
        ("variant < 1", ["1, column 11: variant is a text, never a number"]),
        ("not replicas", ["1, column 5: a truth value is needed here, and this is a number"]),
        (
            "-fast == 1",
            ["1, column 2: a number is needed here, and this is a truth value"],
        ),
        ("fast == 1", ["1, column 9: fast is a truth value, never a number"]),
        ("variant == 'kip-32'", ["1, column 12: variant is never `kip-32`: did you mean `kip-320`?"]),
        ("replicas // 0 == 1", ["1, column 13: this divides by zero"]),
        ("replicas % (3 - 3) == 1", ["1, column 13: this divides by zero"]),
        ("(fast slow)", ["1, column 2: an operator is missing in the part that begins here"]),
        (
            "replicas ** 2 == 4",
            ["1, column 10: `**` means nothing in a constraint: there are no powers here"],
        ),
        ("fast is true", ["1, column 6: `is` means nothing in a constraint: see the grammar"]),
        ("replicas in (1, 2)", ["1, column 10: `in` means nothing in a constraint: see the grammar"]),
        ("fast == True", ["1, column 9: `True` means nothing in a constraint: write"]),
        ("replicas == 0x3", ["1, column 13: `0x3` means nothing in a constraint: write a number"]),
        ("replicas == 1_0", ["1, column 13: `1_0` means nothing in a constraint: write a number"]),
        ("replicas == 3j", ["1, column 13: `3j` means nothing in a constraint: write a number"]),
        ("'kip' '-101' == variant", ["1, column 1: `'kip' '-101'` means nothing in a constraint: write a"]),
        ("f'{fast}' == variant", ["1, column 1: this means nothing in a constraint: see its grammar"]),
        ("b'kip-101' == variant", ["1, column 1: `b'kip-101'` means nothing in a constraint: write a"]),
        ("r'kip-101' == variant", ["1, column 1: `r'kip-101'` means nothing in a constraint: write a"]),
        ("'''kip-101''' == variant", ["1, column 1: `'''kip-101'''` means nothing in a constraint: write"]),
        ("+replicas == 3", ["1, column 1: this means nothing in a constraint: see its grammar"]),
        ("min() == 3 and fast", ["1, column 1: this means nothing in a constraint: see its grammar"]),
        ("min(*fast) == 3", ["1, column 5: this means nothing in a constraint: see its grammar"]),
        ("fast  # and slow", ["1, column 7: `#` means nothing in a constraint: see the grammar"]),
        ("fast and \\\n slow", ["1, column 10: `\\` means nothing in a constraint: see the grammar"]),
        ("fast\0", ["1, column 5: `\0` means nothing in a constraint: see the grammar"]),
        ("variant == 'é' and\n  fäst", ["2, column 4: `ä` means nothing in a constraint: see the grammar"]),
        (
            "variant == 'é' and fast < 1",
            ["1, column 12: variant is never `é`", "1, column 20: a truth value is only"],
        ),
        ("replicas > 1234567890123456789", ["1, column 12: an integer has at most 18 digits"]),
        (
            "replica > 1 and fast + 1 == 2 and log_size",
            [
                "1, column 1: there is no parameter `replica`: did you mean `replicas`?",
                "1, column 17: a number is needed here, and this is a truth value",
                "1, column 35: a truth value is needed here, and this is a number",
            ],
        ),
    ],
)
def test_refused_with_its_place(text: str, mistakes: list[str]) -> None:
    said = told(text)
    assert len(said) == len(mistakes), said
    for one, expected in zip(said, mistakes, strict=True):
        assert one.startswith(f"line {expected}")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch ran')",
        "(lambda: 1)() == 1",
        "[fast][0]",
        "fast if fast else slow",
        "fast;",
        "[x for x in fast]",
        "(x for x in fast)",
        "(yield fast)",
        "(fast := slow)",
        "await fast",
        "fast.__class__ == 1",
        "fast()",
        "min(fast)(fast)",
        "min(key=fast) == 1",
        "print(replicas) == 1",
        "`fast`",
        "fast, slow",
        "{fast}",
        "~replicas == 1",
        "replicas @ 2 == 1",
        "replicas << 99999999 == 1",
        "... == fast",
    ],
)
def test_python_is_not_understood(text: str) -> None:
    assert told(text)[-1].startswith("line 1, column ")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "fast",
        "(" * 900 + "fast",
        "not (" * 190 + "fast",
        "-" * 900 + "(",
        "-" * 990 + "fast",
        "not " * 245 + "fast",
        "fast if " * 60 + "fast" + " else fast" * 40,
        "min(" * 49 + "-" * 300 + "1" + ")" * 49,
        "x" * 1000,
        "f'{fast}'" * 100,
        "\0" * 900,
        "min(" * 240 + "1",
        "1 - (" * 190,
        "1//" * 300 + "1 == replicas",
        "9" * 999,
        "replicas " * 100,
    ],
)
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    assert len(told(text)) == 1


def test_how_long_and_how_deep() -> None:
    fits = " and ".join(["fast"] * 111)
    assert len(fits) < LONGEST and read(fits).holds(POINT)
    assert f"at most {LONGEST} characters" in told(fits + " and fast" * 12)[0]
    deep = NESTING - 1
    assert read("(" * deep + "fast" + ")" * deep).holds(POINT)
    assert f"nested deeper than {NESTING}" in told("(" * NESTING + "fast" + ")" * NESTING)[0]
    many = " * ".join(["999999999999999999"] * 40)
    assert not read(f"{many} * 2 == replicas").holds(POINT)


# -- against another evaluator -------------------------------------------------------------------------------

Evaluated = Callable[[dict[str, Any]], Any]
NO_VALUE = object()


def lifted(function: Callable[..., Any], *parts: Evaluated) -> Evaluated:
    def value(point: dict[str, Any]) -> Any:
        values = [part(point) for part in parts]
        try:
            return NO_VALUE if NO_VALUE in values else function(*values)
        except ZeroDivisionError:
            return NO_VALUE

    return value


def joined(decided: bool, *parts: Evaluated) -> Evaluated:
    def value(point: dict[str, Any]) -> Any:
        values = [part(point) for part in parts]
        return decided if decided in values else NO_VALUE if NO_VALUE in values else not decided

    return value


INTEGERS = st.one_of(
    st.sampled_from(["replicas", "log_size"]).map(lambda name: (name, lambda point: point[name])),
    st.integers(0, 7).map(lambda number: (str(number), lambda point: number)),
)
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod}
RELATIONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def computed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    binary = st.tuples(inner, st.sampled_from(sorted(SIGNS)), inner).map(
        lambda x: (f"({x[0][0]} {x[1]} {x[2][0]})", lifted(SIGNS[x[1]], x[0][1], x[2][1]))
    )
    extreme = st.tuples(st.sampled_from([min, max]), inner, inner).map(
        lambda x: (f"{x[0].__name__}({x[1][0]}, {x[2][0]})", lifted(x[0], x[1][1], x[2][1]))
    )
    return st.one_of(binary, extreme, inner.map(lambda x: (f"-({x[0]})", lifted(operator.neg, x[1]))))


NUMBERS = st.recursive(INTEGERS, computed, max_leaves=6)
COMPARISONS = st.one_of(
    st.tuples(NUMBERS, st.sampled_from(sorted(RELATIONS)), NUMBERS).map(
        lambda x: (f"{x[0][0]} {x[1]} {x[2][0]}", lifted(RELATIONS[x[1]], x[0][1], x[2][1]))
    ),
    st.tuples(NUMBERS, NUMBERS, NUMBERS).map(
        lambda x: (
            f"{x[0][0]} < {x[1][0]} <= {x[2][0]}",
            joined(False, lifted(operator.lt, x[0][1], x[1][1]), lifted(operator.le, x[1][1], x[2][1])),
        )
    ),
    st.sampled_from(["fast", "slow"]).map(lambda name: (name, lambda point: point[name])),
    st.sampled_from(DECLARED["variant"].choices).map(
        lambda text: (f'variant == "{text}"', lambda point: point["variant"] == text)
    ),
    st.booleans().map(lambda value: (str(value).lower(), lambda point: value)),
)


def connected(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda x: (f"({' and '.join(y[0] for y in x)})", joined(False, *(y[1] for y in x)))),
        several.map(lambda x: (f"({' or '.join(y[0] for y in x)})", joined(True, *(y[1] for y in x)))),
        inner.map(lambda x: (f"not ({x[0]})", lifted(operator.not_, x[1]))),
        st.tuples(inner, inner).map(
            lambda x: (f"(({x[0][0]}) == ({x[1][0]}))", lifted(operator.eq, x[0][1], x[1][1]))
        ),
    )


POINTS = st.fixed_dictionaries(
    {
        "replicas": st.integers(-3, 9),
        "log_size": st.integers(-3, 9),
        "fast": st.booleans(),
        "slow": st.booleans(),
        "variant": st.sampled_from(DECLARED["variant"].choices),
    }
)


@settings(max_examples=60)
@given(st.recursive(COMPARISONS, connected, max_leaves=8), POINTS)
def test_random_constraints_mean_what_python_says(case: Any, point: dict[str, Any]) -> None:
    text, expected = case
    said: list[str] = []
    found = read_constraint(text, DECLARED, UNSET, said.append)
    if found is None:
        known = ("nothing is named", "divides by zero", "nested deeper", "characters")
        assert said and all(any(part in one for part in known) for one in said), (text, said)
        return
    value = expected(point)
    if value is not NO_VALUE:
        assert found.holds(point) is value, text
        return
    # Whether `a < b <= a` is false does not depend on b, which may well have no value.
    with contextlib.suppress(ZeroDivisionError):
        found.holds(point)


WORDS: tuple[str, ...] = (
    "replicas",
    "fast",
    "variant",
    "nobody",
    "and",
    "or",
    "not",
    "true",
    "false",
    "min",
    "max",
    "(",
    ")",
)
WORDS += (",", "<", "<=", "==", "!=", "+", "-", "*", "//", "%", "0", "7", "'x'", "\n")


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(WORDS),
            max_size=30,
        ).map(" ".join),
    )
)
def test_garbage_is_told_and_raises_nothing(text: str) -> None:
    said: list[str] = []
    found = read_constraint(text, DECLARED, UNSET, said.append)
    assert (found is None) == bool(said)
    assert all(one.startswith("line ") for one in said)

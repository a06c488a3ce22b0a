"""The translation to Python: none of the kinds of nodes forgotten, and no expression too deep for it."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.expressions import RULES
from leadline.symbolic.concrete.writer import Module, Writer, complete
from leadline.symbolic.lang import (
    Int,
    InternalError,
    OutOfBounds,
    Set,
    UserError,
    choose,
    exists,
    int_range,
    ite,
    map_of,
    replace,
    set_of,
    undefined,
)
from leadline.symbolic.lang.nodes import KINDS, Bound, Invalid, PickVar, Slice, make
from leadline.symbolic.lang.span import NOWHERE
from tests.corpus import MODEL, NOW, STATE

SEMANTICS = Semantics(MODEL)


def value(expression: Any) -> Any:
    return SEMANTICS.evaluate(expression.node, STATE)


def test_every_kind_is_translated_but_mistakes() -> None:
    assert {*KINDS} - RULES.keys() == {Invalid}


def test_rules_that_forget_a_kind_are_refused() -> None:
    with pytest.raises(TypeError, match=r"no rule for \['Slice'\]; no finished model has \[\]"):
        complete({kind: rule for kind, rule in RULES.items() if kind is not Slice})


def test_a_rule_for_no_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no rule for \[\]; no finished model has \['Invalid'\]"):
        complete({**RULES, Invalid: RULES[Slice]})


def test_a_long_sum() -> None:
    assert value(reduce(lambda total, _: total + NOW.i, range(2000), NOW.i)) == 2 * 2001


def test_a_long_sum_nested_to_the_right() -> None:
    assert value(reduce(lambda total, _: NOW.i - total, range(2001), NOW.i)) == 0


def test_a_long_chain_of_conditions() -> None:
    chain = reduce(lambda rest, k: ite(NOW.i == k, k, rest), range(500, 2, -1), NOW.j)
    assert value(chain) == -1
    assert value(ite(NOW.i == 2, 7, chain)) == 7


def test_a_long_chain_of_conditions_that_may_fail() -> None:
    fails = undefined(Int(0, 9), "the end")
    chain = reduce(lambda rest, k: ite(NOW.list[NOW.i] == k, k, rest), range(300, 1, -1), fails)
    assert value(ite(NOW.list[NOW.i] == 1, NOW.some.value, chain)) == 3
    with pytest.raises(OutOfBounds, match="the end"):
        value(chain)


def test_what_all_branches_share_is_written_twice_at_most() -> None:
    """Each condition has the one before in both branches: copies would double with each."""
    start = NOW.i
    nested = reduce(lambda inner, i: ite(start % (i + 2) == 0, inner + 1, inner - 1), range(60), start)
    expected = 2 + sum(1 if 2 % (i + 2) == 0 else -1 for i in range(60))
    assert value(nested) == expected


def test_many_updates_of_one_map() -> None:
    counts = reduce(lambda m, k: m.set(NOW.node, (m[NOW.node] + 1) % 6), range(100), NOW.count)
    assert value(counts) == (4, 100 % 6, 2)


def test_many_updates_of_one_record() -> None:
    pair = reduce(lambda r, k: replace(r, x=(r.x + 1) % 4), range(100), NOW.pair)
    assert value(pair) == ((2 + 100) % 4, "n3")


def test_quantifiers_deep_inside_each_other() -> None:
    def nest(depth: int, total: Any) -> Any:
        if depth == 0:
            return total == NOW.i
        return exists(set_of(NOW.i - 2, NOW.i - 1), lambda x: nest(depth - 1, total + x))

    assert value(nest(12, NOW.i - 2)) is True
    assert value(nest(1, NOW.i - 2)) is False


def test_maps_of_choices_deep_inside_each_other() -> None:
    def nest(depth: int) -> Any:
        if depth == 0:
            return choose(NOW.few, lambda x: x > NOW.i)
        return map_of(Int(0, 19), lambda k: nest(depth - 1) + k)[depth]

    assert value(nest(2)) == 3 + 1 + 2


def test_a_universe_that_is_too_large_is_refused_with_its_place() -> None:
    with pytest.raises(UserError, match=r"test_translation.py:\d+: the set of all values of Set"):
        value(set_of(NOW.few).map(lambda x: x | NOW.few) - make_universe())


def make_universe() -> Any:
    """All sets of 30 numbers."""
    from leadline.symbolic.lang.coercion import as_node
    from leadline.symbolic.lang.expr import wrap

    return wrap(as_node(Set(Int(0, 29))))


def test_a_large_type_can_be_quantified_over_as_far_as_needed() -> None:
    assert value(exists(Set(Int(0, 29)), lambda x: x == NOW.few)) is True
    assert value(exists(int_range(0, 10**12), lambda x: x == NOW.i)) is True


@pytest.mark.parametrize("kind", [PickVar, Bound])
def test_a_variable_without_a_value_is_an_internal_error(kind: Any) -> None:
    fields = ("x",) if kind is PickVar else ("x", 1)
    with pytest.raises(InternalError, match="`x`"):
        SEMANTICS.evaluate(make(kind, Int(0, 1), NOWHERE, *fields), STATE)


def test_a_pick_has_the_value_of_the_environment() -> None:
    picked = make(PickVar, Int(0, 9), NOWHERE, "x")
    assert [SEMANTICS.evaluate(picked, STATE, {"x": x}) for x in (4, 7)] == [4, 7]


def test_parts_that_many_functions_share_are_written_once() -> None:
    # Each level takes the two below it several times, behind conditions, as an unrolled recursion does.
    def after(two: tuple[Any, Any], level: int) -> tuple[Any, Any]:
        before, last = two
        # A choice may go out of bounds: functions with errors are told apart by the places that these name.
        chosen = choose(set_of(last), lambda x: x % 2 == last % 2)
        far = ite(last > level, chosen, ite(before % 2 == 0, before + 1, last - 1))
        return last, ite(last % 3 == 1, last, ite(last + before == level, far, before))

    def written(levels: int) -> int:
        _, last = reduce(after, range(levels), (NOW.i, NOW.i + 1))
        module, variables = Module(), {variable.name: k for k, variable in enumerate(MODEL.variables)}
        Writer(module, variables, (last.node,), RULES).translate(last.node)
        return len(module.source.splitlines())

    assert written(80) < 3 * written(40)

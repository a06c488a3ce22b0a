"""Values that are compared need not be listed, nor pairs of members that do not fit or are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import pytest

from leadline.symbolic.encode.circuit import TRUE, Circuit
from leadline.symbolic.encode.expressions import Expressions, sought_in
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.encode.values import Values
from leadline.symbolic.lang import (
    BOOL,
    Int,
    Map,
    Seq,
    Set,
    Type,
    case,
    choose,
    exists,
    forall,
    implies,
    listed,
    looked_up,
    map_of,
    member_of,
    nodes as n,
    record,
    wrap,
)
from leadline.symbolic.lang.span import NOWHERE
from tests.encode.truth import Solved

MESSAGE = record("Message", round=Int(0, 999), of=Int(0, 999))
LISTED = listed(MESSAGE, [(round, of) for round in range(0, 900, 100) for of in (3, 4)])


def variable(name: str, kind: Type) -> n.Node:
    return n.make(n.StateVar, kind, NOWHERE, name)


def test_a_member_that_is_written_is_compared() -> None:
    """The type has a million values, and more than 65,536 are never listed."""
    circuit = Circuit()
    layout = Layout(circuit)
    state = {name: layout.free(MESSAGE) for name in "xyz"}
    written = n.make(n.SetOf, Set(MESSAGE), NOWHERE, (variable("y", MESSAGE), variable("z", MESSAGE)))
    inside = n.make(n.Member, BOOL, NOWHERE, variable("x", MESSAGE), written)
    either = n.make(
        n.Or,
        BOOL,
        NOWHERE,
        tuple(n.make(n.Eq, BOOL, NOWHERE, variable("x", MESSAGE), variable(y, MESSAGE)) for y in "yz"),
    )
    expressions = Expressions(circuit, state, {})
    (found, error), (expected, _) = expressions.evaluate(inside), expressions.evaluate(either)
    solved = Solved(circuit, [found, expected], [])
    assert error == -TRUE
    assert solved.possible(found) and solved.possible(-found)
    assert not solved.possible(found, -expected) and not solved.possible(-found, expected)


def test_whether_a_constant_is_a_member_or_a_key_is_compared_with_no_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sum of two bags is a function over every message: such a model took 41 s to be made."""
    circuit = Circuit()
    layout = Layout(circuit)
    state = {"sent": layout.free(Set(PAIR)), "of": layout.free(Map(PAIR, BOOL))}
    monkeypatch.delattr(Values, "has_values")
    monkeypatch.delattr(Values, "cases")
    expressions = Expressions(circuit, state, {})
    inside = n.make(
        n.Member, BOOL, NOWHERE, n.make(n.Const, PAIR, NOWHERE, (1, 3)), variable("sent", Set(PAIR))
    )
    assert expressions.evaluate(inside) == (state["sent"][1, 3], -TRUE)
    count: Any = wrap(variable("of", Map(PAIR, BOOL)))
    made, error = expressions.evaluate(map_of(PAIR, lambda key: count[key]).node)
    assert (made, error) == (state["of"], -TRUE)


def searched(kind: type[n.Node], domain: n.Node, result: Type) -> n.Node:
    var = n.make(n.Bound, LISTED, NOWHERE, "m", 1)
    here = n.make(n.Eq, BOOL, NOWHERE, looked_up(var), variable("x", MESSAGE))
    return n.make(kind, result, NOWHERE, var, domain, here)


def test_the_member_of_a_list_is_found_with_a_gate_for_each() -> None:
    circuit = Circuit()
    state = {"x": Layout(circuit).free(MESSAGE)}
    chosen = member_of(variable("x", MESSAGE), LISTED)
    assert isinstance(chosen, n.Choose) and sought_in(chosen) is not None
    shape, error = Expressions(circuit, state, {}).evaluate(chosen)
    assert list(shape) == list(LISTED.members)
    assert len(circuit.gates) < 4 * len(LISTED.members)
    solved = Solved(circuit, [error, *shape.values()], [])
    for member in LISTED.members:
        assert solved.possible(shape[member], -error) and not solved.possible(shape[member], error)


@pytest.mark.parametrize("kind", [n.Exists, n.Forall])
def test_a_value_is_looked_for_in_a_set_of_a_list(kind: type[n.Node]) -> None:
    """Only where some member has to have it: that all have it is another question."""
    circuit = Circuit()
    layout = Layout(circuit)
    state = {"x": layout.free(MESSAGE), "sent": layout.free(Set(LISTED))}
    node = searched(kind, variable("sent", Set(LISTED)), BOOL)
    found, error = Expressions(circuit, state, {}).evaluate(node)
    sent = state["sent"]
    empty = [-literal for literal in sent.values()]
    first, *others = LISTED.members
    alone = [sent[first], *(-sent[x] for x in others)]
    solved = Solved(circuit, [found, error, *sent.values()], [])
    assert not solved.possible(error)
    assert solved.possible(found, *empty) is (kind is n.Forall)
    assert solved.possible(found, *alone) and solved.possible(-found, *alone)
    assert solved.possible(found, *sent.values()) is (kind is n.Exists)


PAIR = record("Pair", kind=Int(0, 2), of=Int(0, 4))


def with_value(one: Any) -> Any:
    """The kind of a pair, told by an expression that has a value for each kind, though a part of it has not."""
    return case((one.kind == 0, 0), otherwise=2 // one.kind)


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The members with which bodies of binders are evaluated from here on."""
    tried: list[Any] = []
    body = Expressions._body

    def counted(*given: Any) -> Any:
        tried.append(given[2])
        return body(*given)

    monkeypatch.setattr(Expressions, "_body", counted)
    return tried


@pytest.mark.parametrize("universal", [True, False])
@pytest.mark.parametrize(("kind", "other"), [(lambda one: one.kind, 1), (with_value, 2)])
def test_of_pairs_only_those_that_fit_are_gone_through(
    universal: bool, kind: Callable[[Any], Any], other: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: Any = wrap(variable("sent", Set(PAIR)))
    if universal:
        node = forall(
            sent, lambda a: forall(sent, lambda b: implies((kind(a) == 0) & (kind(b) == other), a.of != b.of))
        ).node
    else:
        node = exists(
            sent, lambda a: exists(sent, lambda b: (kind(a) == 0) & (kind(b) == other) & (a.of == b.of))
        ).node
    circuit = Circuit()
    members = Layout(circuit).free(Set(PAIR))
    tried = watched(monkeypatch)
    found, error = Expressions(circuit, {"sent": members}, {}).evaluate(node)
    clashes = [circuit.conj((members[0, of], members[1, of])) for of in range(5)]
    expected = -circuit.disj(clashes) if universal else circuit.disj(clashes)
    solved = Solved(circuit, [found, expected], [])
    assert error == -TRUE
    assert solved.possible(found) and solved.possible(-found)
    assert not solved.possible(found, -expected) and not solved.possible(-found, expected)
    # The test of the first on 15 members, of the second on 15, the first five members, and five with each of them.
    assert len(tried) == 15 + 15 + 5 + 25


@pytest.mark.parametrize("universal", [True, False])
def test_members_that_a_body_does_not_tell_apart_are_one(universal: bool) -> None:
    """Of 15 members with three kinds, a condition on the kinds of two is evaluated for nine pairs."""
    sent: Any = wrap(variable("sent", Set(PAIR)))
    if universal:
        node = forall(sent, lambda a: forall(sent, lambda b: a.kind + b.kind != 3)).node
    else:
        node = exists(sent, lambda a: exists(sent, lambda b: a.kind + b.kind == 3)).node
    circuit = Circuit()
    members = Layout(circuit).free(Set(PAIR))
    made = Expressions(circuit, {"sent": members}, {})
    found, error = made.evaluate(node)
    kinds = [circuit.disj([members[kind, of] for of in range(5)]) for kind in range(3)]
    both = circuit.conj((kinds[1], kinds[2]))
    solved = Solved(circuit, [found, both], [])
    assert error == -TRUE
    assert solved.possible(found) and solved.possible(-found)
    expected = -both if universal else both
    assert not solved.possible(found, -expected) and not solved.possible(-found, expected)
    sums = [key for key in made._memo if isinstance(key[0], n.Add)]
    assert len(sums) == 9


def test_members_that_a_body_reads_whole_are_told_apart() -> None:
    sent: Any = wrap(variable("sent", Set(PAIR)))
    node = forall(sent, lambda a: forall(sent, lambda b: (a.kind != b.kind) | (a == b))).node
    circuit = Circuit()
    members = Layout(circuit).free(Set(PAIR))
    found, _ = Expressions(circuit, {"sent": members}, {}).evaluate(node)
    solved = Solved(circuit, [found, *members.values()], [])
    assert solved.possible(found, members[0, 0], members[1, 0])
    assert not solved.possible(found, members[0, 0], members[0, 1])


@pytest.mark.parametrize("turned", [True, False])
def test_a_map_made_of_pairs_looks_for_each_key_at_its_own_pairs(
    turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: Any = wrap(variable("sent", Set(PAIR)))

    def value(key: Any) -> Any:
        def here(one: Any) -> Any:
            return (key == one.kind if turned else one.kind == key) & (one.of != 3)

        return case((exists(sent, here), choose(sent, here).of), otherwise=4)

    circuit = Circuit()
    members = Layout(circuit).free(Set(PAIR))
    tried = watched(monkeypatch)
    made, error = Expressions(circuit, {"sent": members}, {}).evaluate(map_of(Int(0, 2), value).node)
    # Each of three keys, and each of its five pairs twice, for there is one and for the first.
    assert len(tried) == 3 + 2 * 15
    known, kind = {1: {0, 2}, 2: {3}}, Int(0, 4)
    found = [[Values(circuit).has_value(one, number, kind) for number in kind.values()] for one in made]
    solved = Solved(circuit, [error, *chain(*found)], [])
    assert not solved.possible(error)
    sent_here = [bit if of in known.get(key, ()) else -bit for (key, of), bit in members.items()]
    for literals, expected in zip(found, (4, 0, 4), strict=True):
        assert [x for x, one in enumerate(literals) if solved.possible(one, *sent_here)] == [expected]


def test_sequences_are_compared_with_many_values_by_their_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item with each of its values once, not with the items of every sequence."""
    circuit = Circuit()
    kind = Seq(Int(0, 2), 4)
    shape = Layout(circuit).free(kind)
    compared = list[Type]()
    inner = Values.has_values

    def noted(self: Values, one: Any, values: Sequence[Any], of: Type) -> list[int]:
        compared.extend([of] * len(values))
        return inner(self, one, values, of)

    monkeypatch.setattr(Values, "has_values", noted)
    Values(circuit).has_values(shape, [*kind.values()], kind)
    assert compared.count(kind.item) == 3 * 4


def test_a_part_is_compared_with_the_values_that_are_left_by_those_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    circuit = Circuit()
    shape = Values(circuit).constant(MESSAGE, (300, 3))[0], Layout(circuit).free(MESSAGE)[1]
    compared = list[tuple[Type, int]]()
    inner = Values.has_values

    def noted(self: Values, one: Any, values: Sequence[Any], of: Type) -> list[int]:
        compared.append((of, len(values)))
        return inner(self, one, values, of)

    monkeypatch.setattr(Values, "has_values", noted)
    found = Values(circuit).has_values(shape, LISTED.listed, MESSAGE)
    assert compared == [(MESSAGE, 18), (Int(0, 999), 9), (Int(0, 999), 2)]
    assert [value for value, literal in zip(LISTED.listed, found, strict=True) if literal != -TRUE] == [
        (300, 3),
        (300, 4),
    ]


ROUNDS = Int(0, 999)
PLAIN = n.make(n.Bound, MESSAGE, NOWHERE, "m", 1)
ROUND = n.make(n.Bound, ROUNDS, NOWHERE, "m", 1)


@pytest.mark.parametrize(
    ("var", "value", "known", "other"),
    [
        (PLAIN, PLAIN, (300, 3), (300, 5)),
        (PLAIN, n.make(n.Coerce, MESSAGE, NOWHERE, PLAIN), (300, 3), (300, 5)),
        (
            ROUND,
            n.make(n.MakeRecord, MESSAGE, NOWHERE, (ROUND, n.make(n.Const, ROUNDS, NOWHERE, 3))),
            300,
            301,
        ),
    ],
    ids=["itself", "converted", "in a record"],
)
def test_the_members_of_constants_are_looked_up(
    var: n.Bound, value: n.Node, known: Any, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No value is compared, and no value stands in for another, which has another member."""
    sent = n.make(n.StateVar, Set(var.type), NOWHERE, "sent")
    members = n.make(n.SetMap, Set(LISTED), NOWHERE, var, sent, member_of(value, LISTED))
    monkeypatch.delattr(Values, "has_values")
    circuit = Circuit()
    here, gone = circuit.input(), circuit.input()
    monkeypatch.setattr("leadline.symbolic.encode.expressions._frozen", None)
    found, error = Expressions(circuit, {"sent": {known: here, other: gone}}, {}).evaluate(members)
    assert (found, error) == ({LISTED.by_value[300, 3]: here}, gone)

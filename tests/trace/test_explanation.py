"""The reasons why a property is false: the parts that decide it, as text and as JSON."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Option,
    OutOfBounds,
    Protocol,
    Set,
    all_of,
    always,
    any_of,
    build,
    eventually,
    exists,
    for_each,
    forall,
    implies,
    invariant,
    ite,
    leads_to,
    map_of,
    nodes as n,
    of,
    record,
    sort,
    step_property,
    temporal,
)
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.report.trace_page import trace_page
from leadline.symbolic.trace import Trace, document, explanation, lines
from leadline.symbolic.trace.explainer import Explainer
from tests.holder import holder
from tests.report.runs import ROUND, Ring, run
from tests.strategies import expressions, states, types
from tests.trace.samples import ALL, MODEL

Formula = Callable[[Any, Any], Any]


BALLOT = record("Ballot", number=Int(0, 3), valid=Bool())


class Ballot(Protocol):
    """Three nodes have voted: n1 twice, n2 once, n3 never."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 3)
        state.votes = Map(self.Node, Int(0, 3))
        state.chief = Option(self.Node)
        state.voters = Set(self.Node)
        state.is_open = Bool()
        state.ballots = Set(BALLOT)

    def init(self, start: Any) -> None:
        voted = {"n1": 2, "n2": 1, "n3": 0}
        start.votes = map_of(self.Node, lambda node: ite(node == "n1", 2, ite(node == "n2", 1, 0)))
        start.chief = None
        start.voters = of(Set(self.Node), *(name for name, count in voted.items() if count))
        start.is_open = True
        start.ballots = of(Set(BALLOT), *(of(BALLOT, number=k, valid=k > 1) for k in (1, 2)))


def explainer(formula: Formula) -> tuple[Explainer, Any]:
    """The explainer of a formula, and the only state."""

    @invariant(Ballot)
    def claim(protocol: Any, now: Any) -> Any:
        return formula(protocol, now)

    semantics = Semantics(build(Ballot(), [claim]))
    (begin,) = semantics.initial()
    return Explainer(semantics.model, semantics.model.properties["claim"].formula), begin.state


CASES: dict[str, tuple[Formula, list[str]]] = {
    "comparison": (
        lambda p, now: now.votes["n1"] < now.votes["n2"],
        ["FALSE  votes[n1] < votes[n2]   (2 < 1)"],
    ),
    "only the false conjuncts, also behind one that guards another": (
        lambda p, now: all_of(now.is_open, now.chief.is_some, now.chief.value == "n1", ~now.is_open),
        ["FALSE  chief # None   (None # None)", "FALSE  ~isOpen"],
    ),
    "all disjuncts": (
        lambda p, now: any_of(now.chief.is_some, now.voters.has("n3")),
        ["FALSE  chief # None   (None # None)", "FALSE  n3 \\in voters   (n3 \\in {n1, n2})"],
    ),
    "premise and conclusion": (
        lambda p, now: implies(now.is_open, now.votes["n2"] == 0),
        ["TRUE   isOpen", "FALSE  votes[n2] = 0   (1 = 0)"],
    ),
    "the first counterexample of nested quantifiers": (
        lambda p, now: forall(
            p.Node, lambda node: forall(now.voters, lambda voter: now.votes[node] >= now.votes[voter])
        ),
        ["for node = n2, voter = n1 in voters:", "  FALSE  votes[n1] <= votes[n2]   (2 <= 1)"],
    ),
    "every element of a set that has no such element": (
        lambda p, now: exists(now.voters, lambda voter: now.votes[voter] > 2),
        [
            "FALSE  \\E voter \\in voters : 2 < votes[voter]",
            "  for voter = n1 in voters:",
            "    FALSE  2 < votes[n1]   (2 < 2)",
            "  for voter = n2 in voters:",
            "    FALSE  2 < votes[n2]   (2 < 1)",
        ],
    ),
    "an empty set": (
        lambda p, now: exists(now.voters - p.Node, lambda voter: now.votes[voter] > 2),
        ["FALSE  \\E voter \\in voters \\ Node : 2 < votes[voter]   (voters \\ Node = {})"],
    ),
    "a negated quantifier": (
        lambda p, now: ~exists(p.Node, lambda node: now.votes[node] == 0),
        ["for node = n3:", "  TRUE   votes[n3] = 0   (0 = 0)"],
    ),
    "the arm that is taken": (
        lambda p, now: ite(now.chief.is_none, now.votes["n3"] > 0, now.chief.value == "n1"),
        ["TRUE   chief = None   (None = None)", "FALSE  0 < votes[n3]   (0 < 0)"],
    ),
    "an element that is long keeps its name": (
        lambda p, now: forall(now.ballots, lambda one: any_of(one.valid, one.number > now.votes["n1"])),
        [
            "for one = [number |-> 1, valid |-> FALSE] in ballots:",
            "  FALSE  one.valid",
            "  FALSE  votes[n1] < one.number   (2 < 1)",
        ],
    ),
    "what several disjuncts lack once": (
        lambda p, now: any_of(
            all_of(now.chief.is_some, now.votes["n1"] > now.votes["n3"]),
            all_of(now.chief.is_some, now.votes["n2"] > now.votes["n1"]),
        ),
        ["FALSE  chief # None   (None # None)", "FALSE  votes[n1] < votes[n2]   (2 < 1)"],
    ),
    "branches below a quantifier": (
        lambda p, now: forall(
            p.Node, lambda node: any_of(now.votes[node] > 0, forall(now.voters, lambda x: x == node))
        ),
        [
            "for node = n3:",
            "  FALSE  0 < votes[n3]   (0 < 0)",
            "  for x = n1 in voters:",
            "    FALSE  n1 = n3",
        ],
    ),
}


@pytest.mark.parametrize(("formula", "expected"), CASES.values(), ids=CASES)
def test_what_decides(formula: Formula, expected: list[str]) -> None:
    explain, state = explainer(formula)
    assert explain.reason(state).lines() == expected


def test_it_is_short() -> None:
    explain, state = explainer(
        lambda p, now: all_of(
            *(now.votes["n2"] > k for k in range(1, 3)),
            *[exists(p.Node, lambda node, k=k: now.votes[node] > k) for k in (2, 3)],
        )
    )
    lines = explain.reason(state).lines()
    assert len(lines) == 10
    assert lines[-1] == "(7 more lines)"


def test_all_counterexamples_for_a_page() -> None:
    explain, state = explainer(lambda p, now: forall(p.Node, lambda node: now.votes[node] == 2))
    assert [part.chosen for part in explain.reason(state, most=8).parts] == [("node", "n2"), ("node", "n3")]
    (first,) = explain.reason(state).parts
    assert first.terms == (("votes[n2]", "1"),)


def test_every_subformula_in_every_state() -> None:
    explain, state = explainer(lambda p, now: forall(now.voters, lambda node: now.votes[node] == 2))
    other = (*state[:2], frozenset(("n3",)), *state[3:])
    assert dict(explain.table([state, other])) == {
        "\\A node \\in voters : votes[node] = 2": ["FALSE", "FALSE"],
        "votes[n1] = 2": ["TRUE", "TRUE"],
        "votes[n2] = 2": ["FALSE", "FALSE"],
        "votes[n3] = 2": ["FALSE", "FALSE"],
        "votes[n1]": ["2", "2"],
        "votes[n2]": ["1", "1"],
        "votes[n3]": ["0", "0"],
    }


def test_out_of_bounds_has_no_value() -> None:
    explain, state = explainer(lambda p, now: implies(now.chief.is_some, now.votes[now.chief.value] > 1))
    assert dict(explain.table([state]))["1 < votes[chief]"] == [None]


def check_reason(data: st.DataObject) -> None:
    """A reason has the value of its formula, whatever the formula is, and a table has it in its first row."""
    kinds = {"one": data.draw(types(depth=3, most=32)), "other": data.draw(types(depth=2, most=16))}
    variables = {name: wrap(n.make(n.StateVar, kind, NOWHERE, name)) for name, kind in kinds.items()}
    formula = data.draw(expressions(variables, Bool(), 20)).node
    semantics = Semantics(holder(kinds))
    found = [data.draw(states(kinds)) for _ in range(3)]
    explain = Explainer(semantics.model, formula)
    values = []
    for state in found:
        try:
            values.append("TRUE" if semantics.evaluate(formula, state) else "FALSE")
        except OutOfBounds:
            values.append("out of bounds")
        for most in (1, 4):
            reason = explain.reason(state, most)
            assert reason.value == values[-1]
            assert 1 <= len(reason.lines()) <= 10
            json.dumps(reason.to_json())
    for text, row in explain.table(found)[:1]:
        if text == explain.reason(found[0]).formula:
            assert [value or "out of bounds" for value in row] == values


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_formulas(data: st.DataObject) -> None:
    check_reason(data)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_random_formulas(data: st.DataObject) -> None:
    check_reason(data)


@pytest.mark.parametrize("trace", ALL.values(), ids=ALL)
def test_only_a_false_property_is_explained(trace: Trace) -> None:
    why = explanation(MODEL, trace)
    assert (why is not None) is (trace.ends == "violates")
    written = document(MODEL, trace, "everything")["explanation"]
    assert written == (why.to_json() if why else None)


def test_json() -> None:
    explain, state = explainer(lambda p, now: forall(p.Node, lambda node: now.votes[node] > 1))
    assert explain.reason(state).to_json() == {
        "formula": "\\A node \\in Node : 1 < votes[node]",
        "value": False,
        "because": [
            {
                "formula": "1 < votes[n2]",
                "value": False,
                "with": {"node": "n2"},
                "terms": {"votes[n2]": "1"},
            }
        ],
    }


# -- properties of runs ------------------------------------------------------------------------------------


def settles(protocol: Any, now: Any) -> Any:
    return eventually(always(now.has["n1"]))


def reaches(protocol: Any, now: Any) -> Any:
    return eventually(now.has["n2"])


def returns(protocol: Any, now: Any) -> Any:
    return always(eventually(now.has["n2"]))


def visits_each(protocol: Any, now: Any) -> Any:
    return for_each(protocol.Node, lambda node: eventually(now.has[node]))


def stays(protocol: Any, now: Any) -> Any:
    return always(now.has["n1"])


def is_delivered(protocol: Any, now: Any) -> Any:
    return leads_to(now.has["n1"], now.has["n2"])


def reaches_from_all(protocol: Any, now: Any) -> Any:
    """For n1 and n3, which have the token, and not for n2 as the first or n1 and n3 as the second."""

    def pairs(a: Any) -> Any:
        return for_each(protocol.Node, lambda b: always(leads_to(now.has[a], now.has[b])))

    return always(for_each(protocol.Node, pairs))


def moves_each(protocol: Any, now: Any) -> Any:
    """Of a form whose predicates cannot be blamed one by one."""
    return for_each(protocol.Node, lambda node: always(now.has[node]) | eventually(now.has[node]))


def keeps_mail(protocol: Any, now: Any, nxt: Any) -> Any:
    return forall(now.mail, lambda token: nxt.mail.has(token))


RUNS: dict[Callable[..., Any], list[str]] = {
    settles: ["in state 3:", "  FALSE  has[n1]"],
    reaches: ["in state 4:", "  FALSE  has[n2]"],
    returns: ["in state 4:", "  FALSE  has[n2]"],
    visits_each: ["for node = n2, in state 4:", "  FALSE  has[n2]"],
    stays: ["in state 3:", "  FALSE  has[n1]"],
    is_delivered: ["in state 0:", "  TRUE   has[n1]", "in each of the states 0 to 4:", "  FALSE  has[n2]"],
    reaches_from_all: [
        "for a = n1, b = n2:",
        "  in state 0:",
        "    TRUE   has[n1]",
        "  in each of the states 0 to 4:",
        "    FALSE  has[n2]",
    ],
    moves_each: ["for node = n2:", "  FALSE  MovesEach"],
    keeps_mail: [
        "for token = [source |-> n3, target |-> n1] in mail, in step 4:",
        "  FALSE  token \\in mail'   ([source |-> n3, target |-> n1] \\in {})",
    ],
}


@pytest.mark.parametrize(("formula", "expected"), RUNS.items(), ids=lambda x: getattr(x, "__name__", ""))
def test_a_run_that_goes_round(formula: Callable[..., Any], expected: list[str]) -> None:
    """The token goes from n1 to n3 and back, for ever."""
    state = (step_property if formula is keeps_mail else temporal)(Ring)
    model = build(Ring(), [state(formula)])
    (name,) = model.properties
    semantics = Semantics(model)
    trace = replace(run(semantics, ROUND, name), loop=0)
    why = explanation(model, trace)
    assert (why and why.lines()) == expected
    assert [str(line).strip() for line in lines(semantics, trace)][-1] == expected[-1].strip()
    page = trace_page(semantics, trace)
    assert ("has[n2]" in page) is (formula not in (settles, stays, keeps_mail))


def test_a_run_that_does_not_go_on_refutes_no_promise() -> None:
    model = build(Ring(), [temporal(Ring)(reaches), temporal(Ring)(stays)])
    found = {name: explanation(model, run(Semantics(model), ROUND[:2], name)) for name in model.properties}
    assert found["reaches"] is None
    assert found["stays"] is not None and found["stays"].chosen == ("state", "2")

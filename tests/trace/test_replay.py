"""A trace is believed only where the concrete meaning takes every step of it and its end is as claimed."""

from dataclasses import replace
from typing import Any

import pytest

from leadline.symbolic.lang import InternalError
from leadline.symbolic.trace import Step, Trace, TraceEnd, disagreement, end_reason, replay
from tests.trace.samples import ALL, MODEL, OVERFLOW, REACHED, RESTED, SEMANTICS, UNDEFINED, VIOLATION

COUNT = [variable.name for variable in MODEL.variables].index("count")


@pytest.mark.parametrize("trace", ALL.values(), ids=ALL)
def test_a_run_of_the_model_replays(trace: Trace) -> None:
    replay(SEMANTICS, trace)


def changed(trace: Trace, number: int, **fields: Any) -> Trace:
    steps = list(trace.steps)
    steps[number - 1] = replace(steps[number - 1], **fields)
    return replace(trace, steps=tuple(steps))


def wrong_count(trace: Trace, number: int) -> Trace:
    state = list(trace.steps[number - 1].state or ())
    state[COUNT] = 0
    return changed(trace, number, state=tuple(state))


assert VIOLATION.initial is not None
TAMPERED: dict[str, tuple[Trace, str]] = {
    "another value": (
        wrong_count(VIOLATION, 1),
        r"step 1 \(send_to\): count becomes 1, and the trace says 0",
    ),
    "a value too few": (
        changed(VIOLATION, 2, state=(VIOLATION.last or ())[:-1]),
        r"step 2 \(send_to\): the state has 9 values, and the model 10 variables",
    ),
    "a value of no type": (
        replace(VIOLATION, initial=("maybe", *VIOLATION.initial[1:])),
        "the initial state: isOn becomes FALSE, and the trace says 'maybe'",
    ),
    "another initial pick": (
        replace(VIOLATION, initial_picks={"first_owner": "n1"}),
        "the initial state: owner becomes n1, and the trace says None",
    ),
    "no such action": (changed(VIOLATION, 1, action="sent_to"), "there is no action sent_to"),
    "init in the middle": (changed(VIOLATION, 1, action="init"), r"step 1 \(init\)"),
    "an action that is not enabled": (
        changed(VIOLATION, 1, action="rest", picks={}),
        r"step 1 \(rest\): Quiesce is not enabled",
    ),
    "another pick": (
        changed(VIOLATION, 1, picks={"new_node": "n2", "hops": 0}),
        r"step 1 \(send_to\): owner becomes n2, and the trace says n1",
    ),
    "a pick too few": (
        changed(VIOLATION, 1, picks={"hops": 0}),
        "send_to picks new_node, hops, and the trace hops",
    ),
    "an unknown pick": (changed(RESTED, 3, picks={"x": 0}), "rest picks nothing, and the trace x"),
    "a pick of no type": (
        changed(VIOLATION, 1, picks={"new_node": "n7", "hops": 0}),
        "the pick new_node is not a value of its type: 'n7'",
    ),
    "a step too few": (
        replace(VIOLATION, steps=VIOLATION.steps[:1]),
        "the end, after step 1: small holds",
    ),
    "another property": (
        replace(REACHED, property="small"),
        "the end, after step 0: small holds",
    ),
    "an unknown property": (replace(VIOLATION, property="large"), "there is no property large"),
    "no property": (replace(VIOLATION, property=None), "the trace names no property"),
    "no deadlock": (
        replace(VIOLATION, ends=TraceEnd.DEADLOCK, property=None),
        "send_to is enabled: this is not a deadlock",
    ),
    "a step within bounds": (
        changed(VIOLATION, 2, state=None),
        r"step 2 \(send_to\): SendTo\(newNode = n2, hops = 1\) stays within bounds",
    ),
    "a step out of bounds": (
        changed(OVERFLOW, 3, state=VIOLATION.last),
        r"step 3 \(send_to\): .* goes out of bounds",
    ),
    "a step after one out of bounds": (
        replace(OVERFLOW, steps=(*OVERFLOW.steps, OVERFLOW.steps[0])),
        "the trace goes on after a step that goes out of bounds",
    ),
    "out of bounds and violated": (
        replace(OVERFLOW, ends=TraceEnd.VIOLATES, property="small"),
        "the last step goes out of bounds, and the trace says `violates`",
    ),
    "a property within bounds": (
        replace(REACHED, ends=TraceEnd.OUT_OF_BOUNDS),
        "never-owned evaluates within bounds",
    ),
    "a property out of bounds": (
        replace(UNDEFINED, ends=TraceEnd.VIOLATES),
        "the evaluation of owner-is-first goes out of bounds",
    ),
}


@pytest.mark.parametrize(("trace", "complaint"), TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_trace_is_refused(trace: Trace, complaint: str) -> None:
    with pytest.raises(
        InternalError, match=f"^a counterexample of everything does not replay: .*({complaint})"
    ):
        replay(SEMANTICS, trace)


def test_a_step_that_needs_more_picks_than_it_has_is_refused() -> None:
    within = replace(OVERFLOW, steps=(*OVERFLOW.steps[:2], Step("send_to", {}, None)))
    assert disagreement(SEMANTICS, within) == "step 3 (send_to): the pick `new_node` has no value"


def test_the_reason_of_an_end_out_of_bounds() -> None:
    reason = end_reason(SEMANTICS, OVERFLOW)
    assert reason is not None and reason.startswith("<<n1, n2, n1>> is not in Seq(Node, 2)")
    assert "None" in (end_reason(SEMANTICS, UNDEFINED) or "")
    assert end_reason(SEMANTICS, VIOLATION) is None

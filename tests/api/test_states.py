"""Counterexamples as Python values."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import leadline
from leadline import (
    Bool,
    Int,
    Map,
    Option,
    Protocol,
    Seq,
    Set,
    Tuple,
    UserError,
    action,
    enum,
    invariant,
    map_of,
    of,
    pick,
    record,
    sort,
    union,
)


class Everything(Protocol):
    """A state with a variable of every type."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 2)
        self.Log = record("Log", end_offset=Int(0, 3), full=Bool())
        self.Msg = union("Msg", write={"at": Int(0, 3)}, stop={})
        state.on = Bool()
        state.mode = enum("Mode", "slow", "fast")
        state.leader = Option(self.Node)
        state.pair = Tuple((Int(0, 3), self.Node))
        state.queue = Seq(Int(0, 3), 2)
        state.isr = Set(self.Node)
        state.replica_log = Map(self.Node, self.Log)
        state.seen = Set(self.Log)
        state.grid = Map(Int(0, 1), Int(0, 1))
        state.sent = Set(self.Msg)

    def init(self, start: Any) -> None:
        start.on, start.mode, start.leader = False, "slow", None
        start.pair = (1, "n2")
        start.queue = of(Seq(Int(0, 3), 2), 3)
        start.isr = of(Set(self.Node), "n1")
        start.replica_log = map_of(self.Node, lambda node: of(self.Log, end_offset=0, full=False))
        start.seen = of(Set(self.Log))
        start.grid = map_of(Int(0, 1), lambda x: x)
        start.sent = of(Set(self.Msg))

    @action
    def append(self, now: Any, nxt: Any, node: Any = pick("Node")) -> None:
        nxt.leader = node
        nxt.replica_log[node].end_offset = 2
        nxt.seen = now.seen.add(now.replica_log[node])
        nxt.sent = now.sent.add(of(self.Msg, "write", at=1))


@invariant(Everything)
def nobody_leads(protocol: Any, now: Any) -> Any:
    return now.leader == None  # noqa: E711  # an expression


@pytest.fixture(scope="module")
def trace() -> leadline.Trace:
    found = leadline.explore(Everything)["nobody-leads"].trace
    assert found is not None
    return found


def test_values_of_every_type(trace: leadline.Trace) -> None:
    first, last = trace
    assert (first.on, first.mode, first.leader, first.pair, first.queue) == (
        False,
        "slow",
        None,
        (1, "n2"),
        (3,),
    )
    assert (last.leader, first.isr, first.grid) == ("n1", {"n1"}, {0: 0, 1: 1})
    assert last.replica_log["n1"].end_offset == 2
    assert last["replica_log"]["n1"]["end_offset"] == 2
    assert last.replica_log == {
        "n1": {"end_offset": 2, "full": False},
        "n2": {"end_offset": 0, "full": False},
    }
    assert last.seen == {first.replica_log["n1"]}
    (sent,) = last.sent
    assert (sent.tag, sent.at, repr(sent)) == ("write", 1, "write(at=1)")
    assert pickle.loads(pickle.dumps(sent)) == sent
    assert "grid" in first and len(first) == len(trace.model.variables)


def test_names_that_are_not_there(trace: leadline.Trace) -> None:
    with pytest.raises(AttributeError, match="there is no variable `leder`: there are on, mode, leader"):
        _ = trace[0].leder
    with pytest.raises(AttributeError, match="Log has no field `start`: it has end_offset, full"):
        _ = trace[0].replica_log["n1"].start


def test_steps(trace: leadline.Trace) -> None:
    (step,) = trace.steps
    assert (step.action, step.picks, str(step)) == ("append", {"node": "n1"}, "Append(node = n1)")
    assert step.changes[:2] == ("leader = n1", "replicaLog[n1].endOffset = 2")
    assert step.state == trace[1] == trace[-1]
    assert trace[0:1] == [trace[0]]
    assert str(trace[0]).startswith('on = FALSE\nmode = "slow"\n')
    assert "NobodyLeads is false" in str(trace)


def test_formats(trace: leadline.Trace) -> None:
    assert json.loads(json.dumps(trace.to_json()))["length"] == 1
    assert trace.to_itf()["states"][1]["leader"] == "n1"
    assert trace.to_picture().startswith("<svg ") and trace.to_picture("mermaid").startswith(
        "sequenceDiagram"
    )
    with pytest.raises(UserError, match="one of mermaid, svg, dot is needed"):
        trace.to_picture("png")
    assert "MODULE found" in trace.to_tla("found")
    assert trace.to_html().startswith("<!doctype html>")


def test_tables(trace: leadline.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    table = trace.to_pandas()
    assert list(table["action"]) == ["Init", "Append(node = n1)"]
    assert list(table["replica_log[n1].end_offset"]) == [0, 2]
    assert (table.index.name, list(table["leader"].isna())) == ("step", [True, False])
    row = leadline.explore(Everything).to_pandas().loc[0]
    assert (row["property"], row["verdict"], row["steps"]) == ("nobody-leads", "violated", 1)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(leadline.UserError, match="pip install 'leadline\\[pandas\\]'"):
        trace.to_pandas()


def test_html_is_escaped(trace: leadline.Trace) -> None:
    results = leadline.explore(Everything)
    for shown in (trace, results, results["nobody-leads"], leadline.load(Everything)):
        text = shown._repr_html_()
        assert text.startswith('<div class="leadline"><style>@scope') and text.endswith("</div>")
    assert "Append(node = n1)" in trace._repr_html_()
    assert '<td class="verdict violated">violated (1 step)</td>' in results._repr_html_()
    assert "<code>{&quot;slow&quot;, &quot;fast&quot;}</code>" in leadline.load(Everything)._repr_html_()

"""The reasons why the loop of a run satisfies each fairness condition: in text, in JSON, and of TLA+ modules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Query, answer
from leadline.symbolic.lang import (
    Bool,
    Map,
    Model,
    Protocol,
    action,
    build,
    eventually,
    exists,
    map_of,
    pick,
    sort,
    strong,
    temporal,
    weak,
)
from leadline.symbolic.trace import Step, Trace, document, lines, replay
from tests.tla.loading import write
from tests.tla.test_liveness import MUTEX, config


class Doors(Protocol):
    """Doors that open and shut, and that can be locked while they are open."""

    def define(self, state: Any) -> None:
        self.Door = sort("Door", 3)
        state.open = Map(self.Door, Bool())
        state.locked = Map(self.Door, Bool())

    def init(self, start: Any) -> None:
        start.open = map_of(self.Door, lambda door: False)
        start.locked = map_of(self.Door, lambda door: False)

    def fair(self) -> Iterator[Any]:
        yield weak("lock", each="door", of="locked")
        yield strong("swing", each="door")

    @action
    def swing(self, now: Any, nxt: Any, door: Any = pick("Door")) -> None:
        nxt.require(~now.locked[door])
        nxt.open[door] = ~now.open[door]

    @action
    def lock(self, now: Any, nxt: Any, door: Any = pick("Door")) -> None:
        nxt.require(now.open[door])
        nxt.locked[door] = True


@temporal(Doors)
def one_is_locked(protocol: Any, now: Any) -> Any:
    return eventually(exists(protocol.Door, lambda door: now.locked[door]))


def swinging() -> tuple[Model, Trace]:
    """The doors swing one after the other, for ever."""
    model = build(Doors(), [one_is_locked])
    semantics, steps = Semantics(model), []
    initial = state = semantics.initial()[0].state
    for door in ("d2", "d2", "d3", "d3", "d1", "d1"):
        found = semantics.outcome(state, "swing", {"door": door})
        assert found is not None
        state = found.state
        steps.append(Step("swing", {"door": door}, state))
    trace = Trace({}, initial, tuple(steps), property="one-is-locked", loop=0)
    replay(semantics, trace)
    return model, trace


def test_each_value_of_a_condition_has_its_reason() -> None:
    model, trace = swinging()
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert told[told.index("fairness:") + 1 :] == [
        "WF_locked(Lock) at d1, d2, d3: not enabled in state 0",
        "SF_vars(Swing) at d1: taken at step 5",
        "SF_vars(Swing) at d2: taken at step 1",
        "SF_vars(Swing) at d3: taken at step 3",
    ]
    found = document(model, trace, "doors")["fairness"]
    assert found[:2] == [
        {
            "condition": "WF_locked(Lock)",
            "at": ["d1", "d2", "d3"],
            "why": "not enabled in state 0",
            "state": 0,
        },
        {"condition": "SF_vars(Swing)", "at": ["d1"], "why": "taken at step 5", "step": 5},
    ]


def found(folder: Path, name: str, claim: str, body: str = MUTEX) -> tuple[Model, Trace]:
    """The counterexample to a claim of the module of two processes."""
    path = write(folder, M=body)
    path.with_suffix(".cfg").write_text(config(name, claim))
    model = model_of(find(str(path)), {})
    (result,) = answer(model, Query(str(path), {}, (claim,), BmcOptions(depth=5), "cadical")).results
    assert result.trace is not None
    return model, result.trace


def test_the_premises_of_a_module(tmp_path: Path) -> None:
    """The values of the claim's quantifier, and those of the fairness conditions of the specification."""
    model, trace = found(tmp_path, "Weak", "Live")
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert told[told.index("Back to state 0, for ever: Live is false of this run, which is fair.") + 1 :] == [
        "for p = p2, state = 2:",
        'FALSE  pc[p2] = "in"   ("try" = "in")',
        "fairness:",
        "WF_vars(Enter(p)) at p = p1: taken at step 1",
        "WF_vars(Leave(p)) at p = p1: taken at step 2",
        "WF_vars(Enter(p)) at p = p2: never enabled in the loop",
        "WF_vars(Leave(p)) at p = p2: never enabled in the loop",
    ]


def test_a_run_that_stops_under_fairness(tmp_path: Path) -> None:
    """A premise of the claim is fairness, too, though the model has none."""
    body = MUTEX.replace("Enter(p) == ", "Enter(p) == p = turn /\\ FALSE /\\ ")
    model, trace = found(tmp_path, "Every", "Some", body)
    told = [str(line).strip() for line in lines(Semantics(model), trace)]
    assert "Nothing happens any more: Some is false of this run, which is fair." in told
    assert told[-1] == "WF_vars(Next): never enabled in the loop"

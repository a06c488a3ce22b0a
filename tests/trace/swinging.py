"""A run in a loop."""

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
from leadline.symbolic.trace import Step, Trace, replay
from tests.tla.explored import MUTEX, config
from tests.tla.loading import write


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


def found(folder: Path, name: str, claim: str, body: str = MUTEX) -> tuple[Model, Trace]:
    """The counterexample to a claim of the module of two processes."""
    path = write(folder, M=body)
    path.with_suffix(".cfg").write_text(config(name, claim))
    model = model_of(find(str(path)), {})
    (result,) = answer(model, Query(str(path), {}, (claim,), BmcOptions(depth=5), "cadical")).results
    assert result.trace is not None
    return model, result.trace

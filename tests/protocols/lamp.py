"""A protocol in a user's own file, with claims about runs of each kind, some of which fail."""

from collections.abc import Iterator
from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Protocol,
    action,
    eventually,
    implies,
    leads_to,
    parameter,
    refines,
    step_property,
    temporal,
    weak_next,
)


class Plug(Protocol):
    """Something is plugged in, once."""

    def define(self, state: Any) -> None:
        state.inside = Bool()

    def init(self, start: Any) -> None:
        start.inside = False

    @action
    def push(self, now: Any, nxt: Any) -> None:
        nxt.inside = True


class Lamp(Protocol):
    """A lamp is plugged in and then switched, until it is worn."""

    fairness: str = parameter("weak-next", choices=("none", "weak-next"), doc="whether a run goes on")

    def define(self, state: Any) -> None:
        state.plugged = Bool()
        state.lit = Bool()
        state.worn = Bool()

    def init(self, start: Any) -> None:
        start.plugged = False
        start.lit = False
        start.worn = False

    @action
    def plug_in(self, now: Any, nxt: Any) -> None:
        nxt.require(~now.plugged)
        nxt.plugged = True

    @action
    def switch(self, now: Any, nxt: Any) -> None:
        nxt.require(now.plugged)
        nxt.lit = ~now.lit

    @action
    def wear(self, now: Any, nxt: Any) -> None:
        nxt.require(now.lit, ~now.worn)
        nxt.worn = True

    def fair(self) -> Iterator[Any]:
        if self.fairness == "weak-next":
            yield weak_next()


@temporal(Lamp)
def is_plugged(protocol: Any, now: Any) -> Any:
    """Holds if a run goes on; else it may stop at once."""
    return eventually(now.plugged)


@temporal(Lamp)
def wears_out(protocol: Any, now: Any) -> Any:
    """Fails: the lamp may be switched for ever, in a loop of two steps after one."""
    return leads_to(now.plugged, now.worn)


@step_property(Lamp)
def stays_worn(protocol: Any, now: Any, nxt: Any) -> Any:
    """Holds."""
    return implies(now.worn, nxt.worn)


@step_property(Lamp)
def stays_lit(protocol: Any, now: Any, nxt: Any) -> Any:
    """Fails in the third step."""
    return implies(now.lit, nxt.lit)


@refines(Lamp, Plug)
def is_a_plug(protocol: Any, now: Any, abstract: Any) -> None:
    """Holds."""
    abstract.inside = now.plugged


@refines(Lamp, Plug)
def lamp_is_the_plug(protocol: Any, now: Any, abstract: Any) -> None:
    """Fails in the third step, in which the lamp goes out."""
    abstract.inside = now.lit

"""The coffee can problem of D. Gries: The science of programming, 1981, with its claims about steps and runs."""

from collections.abc import Iterator
from typing import Any

from leadline.symbolic.lang import (
    Int,
    Protocol,
    action,
    always,
    eventually,
    int_range,
    leads_to,
    parameter,
    record,
    step_property,
    temporal,
    weak_next,
)


class CoffeeCan(Protocol):
    """Two beans are taken out of a can and one is put back, until one is left.

    Two black beans are replaced by a black one, two white ones too, and two of different colours by the white.
    """

    beans: int = parameter(6, at_least=1, doc="most beans in the can at first")
    mistake: bool = parameter(False, doc="whether a white bean is put back in place of two white ones")

    def define(self, state: Any) -> None:
        state.can = record("Can", black=Int(0, self.beans), white=Int(0, self.beans))

    def init(self, start: Any) -> None:
        black = start.pick("black", int_range(0, self.beans))
        white = start.pick("white", int_range(0, self.beans))
        start.require(black + white >= 1, black + white <= self.beans)
        start.can = {"black": black, "white": white}

    @action
    def pick_same_color_black(self, now: Any, nxt: Any) -> None:
        nxt.require(now.can.black >= 2)
        nxt.can.black = now.can.black - 1

    @action
    def pick_same_color_white(self, now: Any, nxt: Any) -> None:
        nxt.require(now.can.white >= 2)
        if self.mistake:
            nxt.can.white = now.can.white - 1
        else:
            nxt.can.black = now.can.black + 1
            nxt.can.white = now.can.white - 2

    @action
    def pick_different_color(self, now: Any, nxt: Any) -> None:
        nxt.require(now.can.black >= 1, now.can.white >= 1)
        nxt.can.black = now.can.black - 1

    def fair(self) -> Iterator[Any]:
        yield weak_next()


def count(can: Any) -> Any:
    return can.black + can.white


@step_property(CoffeeCan)
def monotonic_decrease(protocol: Any, now: Any, nxt: Any) -> Any:
    """Every step takes a bean: `[][BeanCount' < BeanCount]_can`."""
    return count(nxt.can) < count(now.can)


@step_property(CoffeeCan)
def loop_invariant(protocol: Any, now: Any, nxt: Any) -> Any:
    """The parity of the white beans stays: `[][IsEven(can.white) <=> IsEven(can'.white)]_can`."""
    return now.can.white % 2 == nxt.can.white % 2


@temporal(CoffeeCan)
def termination_hypothesis(protocol: Any, now: Any) -> Any:
    """An even number of white beans ends with a black bean, an odd one with a white bean, for good."""
    even = now.can.white % 2 == 0
    black = always((now.can.black == 1) & (now.can.white == 0))
    white = always((now.can.black == 0) & (now.can.white == 1))
    return leads_to(even, black) & leads_to(~even, white)


@temporal(CoffeeCan)
def eventually_terminates(protocol: Any, now: Any) -> Any:
    """One bean is left in the end."""
    return eventually(count(now.can) == 1)

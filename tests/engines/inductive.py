"""A small protocol of which every kind of obligation can fail; also a user's file for other processes."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Int,
    Next,
    Protocol,
    State,
    action,
    implies,
    invariant,
    parameter,
    probe,
    strengthening,
)

FAULTS = ("none", "odd-start", "start-outside", "odd-step", "step-outside", "no-start")


class Twos(Protocol):
    """A number that begins at 0, grows by twos up to 8, and falls back to 0."""

    fault: str = parameter("none", choices=FAULTS, doc="what is wrong")

    def define(self, state: Any) -> None:
        state.number = Int(0, 9)

    def init(self, start: Any) -> None:
        first = start.pick("first", Int(-2, 1))
        least = {"odd-start": 1, "start-outside": -2, "no-start": 2}.get(self.fault, 0)
        start.require(first == least)
        start.number = first

    @action
    def add(self, now: State, nxt: Next) -> None:
        """Two more."""
        if self.fault != "step-outside":
            nxt.require(now.number <= 6)
        nxt.number = now.number + 2

    @action
    def fall(self, now: State, nxt: Next) -> None:
        """Back to the start, or beside it."""
        nxt.require(now.number >= 7)
        nxt.number = 1 if self.fault == "odd-step" else 0


@invariant(Twos)
def even(protocol: Twos, now: State) -> Any:
    """Inductive by itself."""
    return now.number % 2 == 0


@invariant(Twos)
def not_five(protocol: Twos, now: State) -> Any:
    """Holds, and is inductive with a strengthening only."""
    return now.number != 5


@invariant(Twos)
def not_seven(protocol: Twos, now: State) -> Any:
    """Holds, and is not inductive by itself: 5 comes before 7."""
    return now.number != 7


@invariant(Twos)
def at_most_eight(protocol: Twos, now: State) -> Any:
    """Holds, but does not follow from what is said to entail it."""
    return now.number <= 8


@invariant(Twos)
def evaluates(protocol: Twos, now: State) -> Any:
    """Holds, and its evaluation is out of bounds at 3 only, which is not reached."""
    return 10 // ((now.number + 7) % 10) < 20


@invariant(Twos)
def impossible(protocol: Twos, now: State) -> Any:
    """False at first."""
    return now.number > 2


@probe(Twos)
def never_four(protocol: Twos, now: State) -> Any:
    """Is reached."""
    return now.number != 4


@strengthening(Twos, of="not-five", entails=True)
def grows_by_twos(protocol: Twos, now: State) -> Any:
    """A formula from which the property follows."""
    return (now.number % 2 == 0) & (now.number <= 8)


@strengthening(Twos, of="at-most-eight", entails=True)
def at_most_nine(protocol: Twos, now: State) -> Any:
    """Too weak."""
    return now.number <= 9


@strengthening(Twos, of="impossible")
def contradiction(protocol: Twos, now: State) -> Any:
    """No state satisfies it."""
    return (now.number > 5) & (now.number < 5)


@strengthening(Twos, of=("grows-by-twos", "at-most-nine"))
def help_of_helps(protocol: Twos, now: State) -> Any:
    """Is used wherever what it is for is."""
    return implies(now.number == 3, now.number < 3)

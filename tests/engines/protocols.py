"""Small protocols with known verdicts; also a user's file for queries that travel to another process."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Int,
    Map,
    Next,
    Option,
    Protocol,
    Seq,
    State,
    action,
    exists,
    forall,
    invariant,
    ite,
    map_of,
    of,
    parameter,
    pick,
    probe,
    record,
    sort,
    union,
)


class Lift(Protocol):
    """A lift of one button: it goes up, and from the top back to the ground, or out of bounds, or nowhere."""

    top: int = parameter(4, at_least=1, doc="the top floor")
    first: int = parameter(0, at_least=0, doc="the highest floor to begin on")
    at_top: str = parameter("back", choices=("back", "stop", "break"), doc="what happens at the top")

    def define(self, state: Any) -> None:
        state.floor = Int(0, self.top)

    def init(self, start: Any) -> None:
        start.floor = start.pick("floor", Int(0, self.first))

    @action
    def up(self, now: State, nxt: Next) -> None:
        """One floor up, out of bounds from the top if the lift breaks there."""
        if self.at_top != "break":
            nxt.require(now.floor < self.top)
        nxt.floor = now.floor + 1

    @action(when=lambda p: p.at_top == "back")
    def back(self, now: State, nxt: Next) -> None:
        """From the top to the ground."""
        nxt.require(now.floor == self.top)
        nxt.floor = 0

    @action(when=lambda p: p.at_top == "back")
    def wait(self, now: State, nxt: Next) -> None:
        """Stutters."""
        nxt.floor = now.floor


@invariant(Lift)
def below_top(protocol: Lift, now: State) -> Any:
    """Violated at the top."""
    return now.floor < protocol.top


@invariant(Lift)
def in_range(protocol: Lift, now: State) -> Any:
    """Holds."""
    return now.floor >= 0


@invariant(Lift)
def off_the_ground(protocol: Lift, now: State) -> Any:
    """Violated at once."""
    return now.floor > 0


@probe(Lift)
def never_two(protocol: Lift, now: State) -> Any:
    """Violated on the second floor."""
    return now.floor != 2


@invariant(Lift)
def not_evaluable_at_one(protocol: Lift, now: State) -> Any:
    """Out of bounds on the first floor, violated on the third."""
    return 6 // (1 - now.floor + 9 * (now.floor // 2)) != 6 // (now.floor + 4)


class Begin(Protocol):
    """Ways to begin: none, some out of bounds, and none but those."""

    fine: bool = parameter(True, doc="whether there is a way to begin")
    broken: bool = parameter(True, doc="whether a way to begin is out of bounds")

    def define(self, state: Any) -> None:
        state.number = Int(0, 1)

    def init(self, start: Any) -> None:
        number = start.pick("number", Int(0, 3))
        start.require((number == 0) if not self.broken else (number != 1))
        start.require(self.fine | (number > 1))
        start.number = number


@invariant(Begin)
def zero(protocol: Begin, now: State) -> Any:
    """Holds."""
    return now.number == 0


class Pigeons(Protocol):
    """Pigeons fly into holes one after the other: that not all find one is hard to see for a solver."""

    holes: int = parameter(10, at_least=1, doc="number of holes")

    def define(self, state: Any) -> None:
        self.Hole = sort("Hole", self.holes)
        self.Pigeon = sort("Pigeon", self.holes + 1)
        state.at = Map(self.Pigeon, Option(self.Hole))

    def init(self, start: Any) -> None:
        start.at = map_of(self.Pigeon, lambda pigeon: None)

    @action
    def fly(self, now: State, nxt: Next) -> None:
        """All at once, each to a hole of its own."""
        to = nxt.pick("to", Map(self.Pigeon, self.Hole))
        nxt.require(forall(self.Pigeon, lambda a, b: (a == b) | (to[a] != to[b])))
        nxt.at = map_of(self.Pigeon, lambda pigeon: to[pigeon])


@invariant(Pigeons)
def nobody_flew(protocol: Pigeons, now: State) -> Any:
    """Holds, since they do not fit."""
    return forall(protocol.Pigeon, lambda pigeon: now.at[pigeon].is_none)


@probe(Pigeons)
def somebody_sits(protocol: Pigeons, now: State) -> Any:
    """Violated at once."""
    return exists(protocol.Pigeon, lambda pigeon: now.at[pigeon].is_some)


class Still(Protocol):
    """Nothing ever happens."""

    def define(self, state: Any) -> None:
        state.value = Int(0, 2)

    def init(self, start: Any) -> None:
        start.value = start.pick("value", Int(0, 2))


@probe(Still)
def never_one(protocol: Still, now: State) -> Any:
    """Violated by one of the ways to begin."""
    return now.value != 1


class Dice(Protocol):
    """One action with picks, of which some take no step."""

    def define(self, state: Any) -> None:
        self.Face = Int(1, 6)
        state.sum = Int(0, 12)

    def init(self, start: Any) -> None:
        start.sum = 0

    @action
    def throw(self, now: State, nxt: Next, one: Any = pick("Face"), two: Any = pick("Face")) -> None:
        """A double counts; the other throws leave no way on."""
        nxt.require(one == two, now.sum + one + two <= 12)
        nxt.sum = now.sum + one + two


@invariant(Dice)
def not_twelve(protocol: Dice, now: State) -> Any:
    """Violated by a throw of sixes."""
    return now.sum < 12


class Nobody(Protocol):
    """Work that nobody can do, if there are no workers: parts of the state have no values at all."""

    workers: int = parameter(0, at_least=0, at_most=2, doc="how many there are")

    def define(self, state: Any) -> None:
        self.Worker = sort("Worker", self.workers)
        self.Work = record("Work", by=self.Worker, left=Int(0, 1))
        self.Note = union("Note", none={}, done={"by": self.Worker, "at": Int(0, 2)})
        state.work = Option(self.Work)
        state.notes = Seq(self.Note, 1)
        state.at = Int(0, 2)

    def init(self, start: Any) -> None:
        start.work = None
        start.notes = []
        start.at = 0

    @action
    def begin(self, now: State, nxt: Next, by: Any = pick("Worker")) -> None:
        """Somebody begins."""
        nxt.work = of(self.Work, by=by, left=1)

    @action
    def tick(self, now: State, nxt: Next) -> None:
        """Time passes, from 0 again where nothing is left to do."""
        idle = now.work.is_some & (now.work.value.left == 0)
        nxt.at = ite(idle, 0, (now.at + 1) % 3)
        nxt.notes = [of(self.Note, "none")]


@invariant(Nobody)
def work_is_done_late(protocol: Nobody, now: State) -> Any:
    """Out of bounds where there is no work."""
    return (now.at < 2) | (now.work.value.left == 1)


@invariant(Nobody)
def notes_are_of_the_past(protocol: Nobody, now: State) -> Any:
    """Out of bounds where there is no note, or one of nobody's."""
    return (now.at < 2) | (now.notes[1].as_a("done").at < now.at)

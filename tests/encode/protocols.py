"""Protocols whose encodings leave much open: don't-cares in the state, picks from nothing, many values."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Int,
    Next,
    Option,
    Protocol,
    Seq,
    Set,
    State,
    action,
    all_of,
    enum,
    invariant,
    ite,
    of,
    parameter,
    pick,
    probe,
    record,
    sort,
    union,
)


class Shelf(Protocol):
    """Things are put away and taken out; what they were must leave no trace in the encoding.

    Most parts of a state are don't-cares most of the time: the item of an absent option, the places past the
    length of a sequence, the payload of another tag.
    """

    def define(self, state: Any) -> None:
        self.Colour = enum("Colour", "red", "green", "blue")
        self.Node = sort("Node", 3)
        self.Thing = record("Thing", colour=self.Colour, owner=Option(self.Node))
        self.Slip = union(
            "Slip", lent={"to": self.Node, "days": Int(0, 2)}, idle={}, lost={"at": self.Colour}
        )
        state.pile = Seq(self.Colour, 2)
        state.held = Option(self.Thing)
        state.slip = self.Slip

    def init(self, start: Any) -> None:
        start.pile = []
        start.held = None
        start.slip = of(self.Slip, "idle")

    @action
    def put(self, now: State, nxt: Next, colour: Any = pick("Colour")) -> None:
        """Something is put on the pile."""
        nxt.require(now.pile.length < 2)
        nxt.pile = now.pile.append(colour)

    @action
    def take(self, now: State, nxt: Next, owner: Any = pick("Node")) -> None:
        """The oldest thing is taken; a red one belongs to nobody. An empty pile empties the hands."""
        empty = now.pile.length == 0
        nxt.require(~empty | now.held.is_some)
        first = ite(empty, "red", now.pile[1])
        thing = of(self.Thing, colour=first, owner=ite(first == "red", None, owner))
        nxt.held = ite(empty, None, thing)
        nxt.pile = ite(empty, now.pile, now.pile.rest)

    @action
    def drop(self, now: State, nxt: Next) -> None:
        """A resource that is held is lost, or handed back if it was nobody's."""
        nxt.require(now.held.is_some)
        nxt.held = None
        nobody = now.held.value.owner.is_none
        nxt.slip = ite(nobody, of(self.Slip, "idle"), of(self.Slip, "lost", at=now.held.value.colour))

    @action
    def lend(self, now: State, nxt: Next) -> None:
        """The owner of what is held gets it, for as many days as there are things on the pile."""
        nxt.require(now.held.is_some, now.held.value.owner.is_some)
        nxt.slip = of(self.Slip, "lent", to=now.held.value.owner.value, days=now.pile.length)
        nxt.held = None

    @action
    def clear(self, now: State, nxt: Next) -> None:
        """All but the oldest thing goes."""
        nxt.require(now.pile.length > 1)
        nxt.pile = now.pile.truncate(1)


class Picky(Protocol):
    """An action that has nothing to pick, beside one that has; a third fails before it picks from nothing."""

    top: int = parameter(0, at_least=0, doc="the largest number to pick")
    fails: bool = parameter(False, doc="whether the domain of a pick goes out of bounds at 2")

    def define(self, state: Any) -> None:
        self.Number = Int(1, self.top)
        state.count = Int(0, 3)
        state.none = Option(Int(0, 3))

    def init(self, start: Any) -> None:
        start.count = 0
        start.none = None

    @action
    def up(self, now: State, nxt: Next) -> None:
        """Count."""
        nxt.require(now.count < 3)
        nxt.count = now.count + 1

    @action
    def back(self, now: State, nxt: Next, number: Any = pick("Number")) -> None:
        """Back to the start, once there is a number."""
        nxt.require(now.count >= number)
        nxt.count = 0

    @action
    def choose_from_none(self, now: State, nxt: Next, number: Any = pick("Number")) -> None:
        """The domain of the second pick may fail."""
        nxt.require(number > 0)
        nxt.count = 1

    @action
    def fail(self, now: State, nxt: Next) -> None:
        """The domain fails before it can be seen to be empty."""
        if self.fails:
            nxt.require(now.count == 2)
            nobody = of(Set(self.Number))
            number = nxt.pick("number", ite(now.none.value == 0, nobody, nobody))
            nxt.require(number > 0)
        nxt.count = now.count


@probe(Picky)
def never_three(protocol: Picky, now: State) -> Any:
    """Violated by counting, whatever there is to pick."""
    return now.count != 3


@invariant(Picky)
def never_full(protocol: Picky, now: State) -> Any:
    """Holds."""
    return now.none.is_none


class Clock(Protocol):
    """A large number that doubles: an integer in binary."""

    def define(self, state: Any) -> None:
        self.Hand = Int(0, 2)
        state.now = Int(-100, 900)
        state.late = Option(Int(0, 99))

    def init(self, start: Any) -> None:
        start.now = start.pick("begin", Int(-3, 3))
        start.late = None

    @action
    def tick(self, now: State, nxt: Next) -> None:
        """Time doubles, and goes out of bounds in the end."""
        nxt.require(now.now != 0)
        nxt.now = 2 * now.now

    @action
    def note(self, now: State, nxt: Next, hand: Any = pick("Hand")) -> None:
        """The time by one of three hands is noted, or forgotten before time begins."""
        nxt.late = ite(now.now < 0, None, (now.now + hand) % 100)


class Letterbox(Protocol):
    """Letters of three kinds are received by a guard on the kind, in all the places where one may stand."""

    early: bool = parameter(False, doc="whether a letter is opened before it is known to be one")

    def define(self, state: Any) -> None:
        self.Name = enum("Name", "a", "b")
        self.Letter = union(
            "Letter", Bill={"sum": Int(1, 5), "payee": self.Name}, Card={"sender": self.Name}, Empty={}
        )
        state.box = Set(self.Letter)
        state.paid = Int(0, 6)

    def init(self, start: Any) -> None:
        start.box = of(
            Set(self.Letter),
            of(self.Letter, "Bill", sum=2, payee="a"),
            of(self.Letter, "Card", sender="b"),
            of(self.Letter, "Empty"),
        )
        start.paid = 0

    @action
    def pay(self, now: State, nxt: Next) -> None:
        """The guard stands right behind the pick; the third bill of five is too much."""
        letter = nxt.pick("letter", now.box)
        nxt.require(letter.is_a("Bill"))
        nxt.box = now.box.remove(letter)
        nxt.paid = now.paid + letter.as_a("Bill").sum

    @action
    def remind(self, now: State, nxt: Next) -> None:
        """The guard is the first of several; a bill comes again, and larger."""
        letter = nxt.pick("letter", now.box)
        nxt.require(all_of(letter.is_a("Bill"), now.paid < 4, letter.as_a("Bill").sum < 5))
        bill = letter.as_a("Bill")
        nxt.box = now.box.remove(letter).add(of(self.Letter, "Bill", sum=bill.sum + 1, payee="b"))

    @action
    def read(self, now: State, nxt: Next) -> None:
        """Something else stands between the pick and the guard."""
        letter = nxt.pick("letter", now.box)
        nxt.require(letter.as_a("Card").sender == "b" if self.early else now.paid < 6)
        nxt.require(letter.is_a("Card"))
        nxt.box = now.box.remove(letter)

    @action
    def swap(self, now: State, nxt: Next) -> None:
        """The guard behind the second pick is about the first."""
        one = nxt.pick("one", now.box)
        other = nxt.pick("other", now.box)
        nxt.require(one.is_a("Empty"))
        nxt.require(~other.is_a("Empty"))
        nxt.box = now.box.remove(one).remove(other).add(of(self.Letter, "Bill", sum=5, payee="a"))

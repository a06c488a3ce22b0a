"""Small protocols whose states can be counted by hand."""

from __future__ import annotations

from typing import Any

from leadline.symbolic.lang import (
    Int,
    Map,
    Next,
    Option,
    Protocol,
    Seq,
    Set,
    State,
    action,
    exists,
    forall,
    invariant,
    map_of,
    of,
    parameter,
    pick,
    probe,
    record,
    sort,
    union,
)


class Counter(Protocol):
    """A number that counts up to `last`, and stops there or, without a guard, goes out of bounds."""

    last: int = parameter(3, at_least=0, doc="the last number")
    guarded: bool = parameter(True, doc="whether it stops at the last number")

    def define(self, state: Any) -> None:
        state.number = Int(0, self.last)

    def init(self, start: Any) -> None:
        start.number = 0

    @action
    def count(self, now: State, nxt: Next) -> None:
        """Count."""
        if self.guarded:
            nxt.require(now.number < self.last)
        nxt.number = now.number + 1

    @action
    def jump(self, now: State, nxt: Next) -> None:
        """Never enabled."""
        nxt.require(now.number > self.last)
        nxt.number = 0


@probe(Counter)
def below_two(protocol: Counter, now: State) -> Any:
    """Violated at 2."""
    return now.number < 2


@invariant(Counter)
def two_is_unspeakable(protocol: Counter, now: State) -> Any:
    """Cannot be evaluated at 2."""
    return 6 // (2 - now.number) != 5


class Subsets(Protocol):
    """Members join and leave a set, one or two at a time; it begins with one member or with none."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 3)
        state.members = Set(self.Node)

    def init(self, start: Any) -> None:
        members = start.pick("members", Set(self.Node))
        start.require(members.size <= 1)
        start.members = members

    @action
    def join(self, now: State, nxt: Next, a: Any = pick("Node"), b: Any = pick("Node")) -> None:
        """Both members join; enabled for both orders of a pair."""
        nxt.require(~now.members.has(a), ~now.members.has(b))
        nxt.members = now.members.add(a, b)

    @action
    def leave(self, now: State, nxt: Next) -> None:
        """One member leaves."""
        member = nxt.pick("member", now.members)
        nxt.members = now.members.remove(member)


class Partial(Protocol):
    """Steps that go out of bounds before all picks are made."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 2)
        state.value = Option(Int(0, 3))
        state.none_left = Set(self.Node)

    def init(self, start: Any) -> None:
        start.value = None
        start.none_left = set()

    @action
    def guard_fails(self, now: State, nxt: Next, a: Any = pick("Node"), b: Any = pick("Node")) -> None:
        """The guard needs only the first pick, and fails for n2."""
        nxt.require((a == "n1") | (now.value.value == 1))
        nxt.require(b == "n2")
        nxt.value = 1

    @action
    def domain_fails(self, now: State, nxt: Next, a: Any = pick("Node")) -> None:
        """The second pick's domain fails, before a guard that would be false."""
        b = nxt.pick("b", Set(Int(0, 1)))
        c = nxt.pick("c", of(Set(Int(0, 3)), now.value.value))
        nxt.require(a != a, b.has(c))
        nxt.value = 2

    @action
    def nothing_to_pick(self, now: State, nxt: Next) -> None:
        """The guard would fail, but is written behind a pick that has no choice."""
        a = nxt.pick("a", now.none_left)
        nxt.require(now.value.value == 1)
        nxt.none_left = now.none_left.remove(a)


class Broken(Protocol):
    """Of its three ways to begin one goes out of bounds and one is not allowed."""

    def define(self, state: Any) -> None:
        state.number = Int(0, 1)

    def init(self, start: Any) -> None:
        wanted = start.pick("wanted", Int(0, 2))
        start.require(wanted != 1)
        start.number = wanted


class Letters(Protocol):
    """Nodes send each other letters with every structure of the language in use."""

    nodes: int = parameter(2, at_least=1, doc="number of nodes")

    def define(self, state: Any) -> None:
        self.Node = sort("Node", self.nodes)
        self.Letter = union("Letter", hello={"to": self.Node, "hops": Int(0, 2)}, bye={})
        self.Info = record("Info", last=Option(self.Node), heard=Int(0, 2))
        state.info = Map(self.Node, self.Info)
        state.post = Set(self.Letter)
        state.log = Seq(self.Node, 2)

    def init(self, start: Any) -> None:
        start.info = map_of(self.Node, lambda node: of(self.Info, last=None, heard=0))
        first = start.pick("first", self.Node)
        start.post = of(Set(self.Letter), of(self.Letter, "hello", to=first, hops=0))
        start.log = []

    @action
    def forward(self, now: State, nxt: Next, to: Any = pick("Node")) -> None:
        """A letter goes on; out of bounds after two hops, and once the log is full."""
        letter = nxt.pick("letter", now.post)
        nxt.require(letter.is_a("hello"))
        hello = letter.as_a("hello")
        nxt.require(to != hello.to, forall(now.log.places, lambda place: now.log[place] != to))
        nxt.post = now.post.remove(letter).add(of(self.Letter, "hello", to=to, hops=hello.hops + 1))
        nxt.info[hello.to].last = to
        with nxt.when(hello.hops == 1):
            nxt.info[hello.to].heard = now.info[hello.to].heard + 1
        nxt.log = now.log.append(to)

    @action
    def forget(self, now: State, nxt: Next) -> None:
        """The log loses its oldest entry; out of bounds if it is empty and a letter is on its way."""
        nxt.require(exists(now.post, lambda letter: letter.is_a("hello")))
        nxt.log = now.log.rest

    @action
    def say_bye(self, now: State, nxt: Next, node: Any = pick("Node")) -> None:
        """A node that has heard anything ends it."""
        nxt.require(now.info[node].last.is_some, now.info[node].last.value != node)
        nxt.post = now.post.add(of(self.Letter, "bye"))

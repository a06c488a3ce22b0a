"""A small protocol in a user's own file: one run of it, so that every engine finds the same trace."""

from collections.abc import Iterable
from typing import Any

from leadline.symbolic.lang import Int, Protocol, Set, action, invariant, of, parameter, pick, probe, sort


class Counter(Protocol):
    """A number of nodes count together.

    The protocol deadlocks at the top, unless it overflows there.
    """

    top: int = parameter(3, at_least=1, at_most=9, doc="where counting ends")
    nodes: int = parameter(1, at_least=1, doc="number of nodes")
    overflow: bool = parameter(False, doc="whether counting goes on at the top")

    def assume(self) -> Iterable[tuple[bool, str]]:
        yield self.top != 5, "top is not 5"

    def define(self, state: Any) -> None:
        self.Node = sort("Node", self.nodes)
        state.count = Int(0, self.top)
        state.seen_by = Set(self.Node)

    def init(self, start: Any) -> None:
        start.count = 0
        start.seen_by = of(Set(self.Node))

    @action
    def count_up(self, now: Any, nxt: Any, node: Any = pick("Node")) -> None:
        """A node counts."""
        if not self.overflow:
            nxt.require(now.count < self.top)
        nxt.count = now.count + 1
        nxt.seen_by = now.seen_by.add(node)


@invariant(Counter)
def below_three(protocol: Any, now: Any) -> Any:
    """Fails where top is at least 3."""
    return now.count < 3


@invariant(Counter)
def not_negative(protocol: Any, now: Any) -> Any:
    """Holds."""
    return now.count >= 0


@probe(Counter)
def never_one(protocol: Any, now: Any) -> Any:
    """Counting begins."""
    return now.count != 1

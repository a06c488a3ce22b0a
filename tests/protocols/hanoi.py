"""The towers of Hanoi, after the module Hanoi of tlaplus/Examples."""

from leadline.symbolic.lang import (
    Int,
    Map,
    Protocol,
    Set,
    action,
    exists,
    of,
    parameter,
    pick,
    probe,
)

TOWER = pick("Tower")


class Hanoi(Protocol):
    """Discs on towers, the smallest uppermost. All begin on the first tower."""

    discs: int = parameter(5, at_least=1, at_most=10, doc="number of discs")
    towers: int = parameter(3, at_least=3, at_most=5, doc="number of towers")

    def define(self, state):
        self.Tower = Int(1, self.towers)
        self.Disc = Int(1, self.discs)
        state.towers = Map(self.Tower, Set(self.Disc))

    def init(self, start):
        every, none = of(Set(self.Disc), *range(1, self.discs + 1)), of(Set(self.Disc))
        start.towers = {tower: every if tower == 1 else none for tower in range(1, self.towers + 1)}

    @action
    def move(self, now, nxt, origin=TOWER, to=TOWER, disc=pick("Disc")):
        """The uppermost disc of a tower is put upon a larger one, or on an empty tower."""
        nxt.require(origin != to, now.towers[origin].has(disc), self.is_smaller(now, disc, origin))
        nxt.require(self.is_smaller(now, disc, to))
        nxt.towers[origin] = now.towers[origin].remove(disc)
        nxt.towers[to] = now.towers[to].add(disc)

    def is_smaller(self, now, disc, tower):
        """Whether a disc is smaller than every other disc of a tower."""
        return ~exists(now.towers[tower], lambda other: other < disc)


@probe(Hanoi)
def not_solved(protocol, now):
    """Violated once all discs are on the last tower: after 2 ** discs - 1 moves with three towers."""
    return now.towers[protocol.towers] != of(Set(protocol.Disc), *range(1, protocol.discs + 1))

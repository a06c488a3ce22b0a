"""A protocol that cannot move."""

STUCK = '''
"""A counter that somebody forgot to let go beyond two."""

from leadline import Bool, Int, Protocol, action, invariant, probe


class Stuck(Protocol):
    def define(self, state):
        state.count = Int(0, 9)

    def init(self, start):
        start.count = 0

    @action
    def count(self, now, nxt):
        nxt.require(now.count < 2)
        nxt.count = now.count + 1


@invariant(Stuck)
def small(stuck, now):
    return now.count < 9


@probe(Stuck)
def never_one(stuck, now):
    return now.count != 1


@probe(Stuck)
def never_five(stuck, now):
    return now.count != 5
'''

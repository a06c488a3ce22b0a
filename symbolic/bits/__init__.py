"""Models evaluated on many states at once: circuits as bitwise operations on packed rows. Floor 4.

A third meaning of models beside values and solvers, which shares the encoding with the solvers. The search on
values is the oracle for it, and counterexamples are replayed by values.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand
from leadline.symbolic.lang import UserError

if TYPE_CHECKING:
    from leadline.symbolic.bits.divided import DividedSearch
    from leadline.symbolic.bits.fair import Conditions
    from leadline.symbolic.bits.initial import drawn_states, initial_states, picks_to
    from leadline.symbolic.bits.machine import Key, Machine
    from leadline.symbolic.bits.orbits import Orbits
    from leadline.symbolic.bits.search import Search, occurring
    from leadline.symbolic.bits.shards import Block, Shard, joined
    from leadline.symbolic.bits.walks import RandomRuns
    from leadline.symbolic.encode.expressions import Claim


class NoCircuits(UserError):
    """A model cannot be explored on circuits; the text says why.

    It stands here, since a handler of it must not load numpy where memory is short.
    """


MOST_NOTES = 64
"""The most notes about a step: a word has a bit for each."""


def require_notes(number: int) -> None:
    """Raise NoCircuits if there are more notes about a step than a word has bits."""
    if number > MOST_NOTES:
        raise NoCircuits(f"steps are noted to meet over {MOST_NOTES} conditions of fairness")


__getattr__ = on_demand(__name__)

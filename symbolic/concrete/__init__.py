"""The concrete meaning of protocols: Python values, one step at a time, and breadth-first exploration.

Expressions are compiled to Python source. Nothing here is shared with the symbolic meaning: only so does a
replay by this one say anything about a counterexample found by the other.
"""

from leadline.symbolic.concrete.actions import MissingPick
from leadline.symbolic.concrete.explore import Checked, Exploration, Explorer, Level, explore
from leadline.symbolic.concrete.paths import Path
from leadline.symbolic.concrete.runs import Runs, Word, is_refuted, neglected, satisfies
from leadline.symbolic.concrete.semantics import Outcome, Semantics, State, first_states, no_initial_state

__all__ = [
    "Checked",
    "Exploration",
    "Explorer",
    "Level",
    "MissingPick",
    "Outcome",
    "Path",
    "Runs",
    "Semantics",
    "State",
    "Word",
    "explore",
    "first_states",
    "is_refuted",
    "neglected",
    "no_initial_state",
    "satisfies",
]

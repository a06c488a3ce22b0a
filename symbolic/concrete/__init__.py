"""The concrete meaning of models: Python values, one step at a time. It implements `Meaning`. Floor 3.

Expressions are compiled to Python source. Nothing here is shared with the symbolic meaning: only so does a
replay by this one say anything about a counterexample found by the other.
"""

from leadline.symbolic.concrete.actions import MissingPick
from leadline.symbolic.concrete.runs import Runs, neglected
from leadline.symbolic.concrete.semantics import Semantics, State

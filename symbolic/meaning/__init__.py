"""One interface of meanings on values, and the searches over it. Floor 2.

The meaning of a model (`leadline.symbolic.concrete`) and that of a TLA+ module (`leadline.symbolic.tla.values`)
implement `Meaning`: initial states, steps, properties, and how a step is told. Breadth-first search, random walks,
fair runs, the temporal formulas that a run satisfies and replay are written once, here, and know neither.
"""

from leadline.symbolic.meaning.explore import OFTEN, Checked, Counts, Exploration, Explorer, Level
from leadline.symbolic.meaning.interface import (
    Enough,
    Levels,
    Meaning,
    Path,
    State,
    Step,
    Steps,
    beginning_until,
    candidates,
    first_states,
    path_of,
)
from leadline.symbolic.meaning.runs import Predicates, Word, is_refuted, satisfies
from leadline.symbolic.meaning.walks import random_walk

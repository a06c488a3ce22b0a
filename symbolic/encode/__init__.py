"""The symbolic meaning of protocols: finite domains encoded as Boolean circuits and clauses. Floor 3.

A model becomes three templates, each encoded once: the initial states, one layer of the unrolling, and the
properties of a state. A depth is an instance of a template: a copy with other literals.
"""

from leadline.symbolic.encode.encoding import Encoding, InitialStates, StatePredicates, StepRelation
from leadline.symbolic.encode.template import Instance, Template, Unrolled
from leadline.symbolic.encode.unrolling import (
    StepsUnrolling,
    SweepsUnrolling,
    Unrolling,
    optional_action,
)

"""What protocols mean as formulas: finite-domain encoding into Boolean circuits and clauses. Floor 2.

A model becomes three templates, each encoded once: the initial states, one layer of the unrolling, and the
properties of a state. A depth is made by renaming a template's literals.
"""

from leadline.symbolic.encode.order import static_order
from leadline.symbolic.encode.steps import Encoding, InitialStates, StatePredicates, StepRelation
from leadline.symbolic.encode.sweeps import SweepsUnrolling
from leadline.symbolic.encode.template import Clause, Instance, Sink, Template, Unrolled
from leadline.symbolic.encode.unrolling import (
    RawRun,
    RawStep,
    StepsUnrolling,
    Unrolling,
)

__all__ = [
    "Clause",
    "Encoding",
    "InitialStates",
    "Instance",
    "RawRun",
    "RawStep",
    "Sink",
    "StatePredicates",
    "StepRelation",
    "StepsUnrolling",
    "SweepsUnrolling",
    "Template",
    "Unrolled",
    "Unrolling",
    "static_order",
]

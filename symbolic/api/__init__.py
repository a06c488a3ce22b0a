"""The library: what scripts, tests and notebooks import from `leadline`. Floor 7.

A question is asked by a function, whose keywords are the options of the command of that name and the
parameters of the protocol. The answer is an object, whose counterexample is a sequence of states.
"""

from leadline.symbolic.api.grids import GridResults, grid
from leadline.symbolic.api.protocols import LoadedProtocol, ProtocolLike, load
from leadline.symbolic.api.results import Result, Results, VerdictName
from leadline.symbolic.api.states import Fields, Step, Trace
from leadline.symbolic.api.verbs import Stopped, check, explore, prove, simulate
from leadline.symbolic.api.verify import Unanswered, Violated, verify
from leadline.symbolic.engines import Effort, Progress

__all__ = [
    "Effort",
    "Fields",
    "GridResults",
    "LoadedProtocol",
    "Progress",
    "ProtocolLike",
    "Result",
    "Results",
    "Step",
    "Stopped",
    "Trace",
    "Unanswered",
    "VerdictName",
    "Violated",
    "check",
    "explore",
    "grid",
    "load",
    "prove",
    "simulate",
    "verify",
]

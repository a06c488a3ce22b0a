"""The library: what `import leadline` gives besides the language, for scripts, tests and notebooks.

A question is a function: `check`, `prove`, `explore`, `simulate` or `grid`. Its keywords are the options of the
command of that name, and the parameters of the protocol. The answer is an object with a result for each
property; a counterexample is a sequence of states. `ARCHITECTURE.md` calls this floor 7.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.api.conformance import Differs, Fitting, assert_conforms, conform
    from leadline.symbolic.api.driving import drive
    from leadline.symbolic.api.grids import GridResults, grid
    from leadline.symbolic.api.protocols import LoadedProtocol, ProtocolLike, load
    from leadline.symbolic.api.results import Result, Results, VerdictName
    from leadline.symbolic.api.states import Fields, Step, Trace
    from leadline.symbolic.api.verbs import Stopped, check, explore, prove, simulate
    from leadline.symbolic.api.verification import Unanswered, Violated, verify
    from leadline.symbolic.api.workbench import Workbench
    from leadline.symbolic.engines import Effort, Progress

__all__ = [
    "Differs",
    "Effort",
    "Fields",
    "Fitting",
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
    "Workbench",
    "assert_conforms",
    "check",
    "conform",
    "drive",
    "explore",
    "grid",
    "load",
    "prove",
    "simulate",
    "verify",
]

__getattr__ = on_demand(
    __name__,
    {
        ".conformance": ("Differs", "Fitting", "assert_conforms", "conform"),
        ".driving": ("drive",),
        ".grids": ("GridResults", "grid"),
        ".protocols": ("LoadedProtocol", "ProtocolLike", "load"),
        ".results": ("Result", "Results", "VerdictName"),
        ".states": ("Fields", "Step", "Trace"),
        ".verbs": ("Stopped", "check", "explore", "prove", "simulate"),
        ".verification": ("Unanswered", "Violated", "verify"),
        ".workbench": ("Workbench",),
        "leadline.symbolic.engines": ("Effort", "Progress"),
    },
)

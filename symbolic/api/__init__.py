"""The library: what `import leadline` gives besides the language, for scripts, tests and notebooks.

A question is a function: `check`, `prove`, `explore`, `simulate` or `grid`. Its keywords are the options of the
command of that name, and the parameters of the protocol. The answer is an object with a result for each
property; a counterexample is a sequence of states. `ARCHITECTURE.md` calls this floor 7.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.api.conformance import (
        Differs as Differs,
        Fitting as Fitting,
        assert_conforms as assert_conforms,
        conform as conform,
        drive as drive,
    )
    from leadline.symbolic.api.grids import GridResults as GridResults, grid as grid
    from leadline.symbolic.api.protocols import (
        LoadedProtocol as LoadedProtocol,
        ProtocolLike as ProtocolLike,
        load as load,
    )
    from leadline.symbolic.api.results import Result as Result, Results as Results, VerdictName as VerdictName
    from leadline.symbolic.api.states import Fields as Fields, Step as Step, Trace as Trace
    from leadline.symbolic.api.verbs import (
        Stopped as Stopped,
        check as check,
        explore as explore,
        prove as prove,
        simulate as simulate,
    )
    from leadline.symbolic.api.verification import (
        Unanswered as Unanswered,
        Violated as Violated,
        verify as verify,
    )
    from leadline.symbolic.api.workbench import Workbench as Workbench
    from leadline.symbolic.engines import Effort as Effort, Progress as Progress

__getattr__ = on_demand(__name__)

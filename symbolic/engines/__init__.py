"""The engines, which answer queries about any protocol. Floor 5.

An engine takes its own frozen options and answers with the ordered verdicts: violated, out of bounds,
unknown, safe to depth k, proved. A bound that is hit is reported, and never counts as safe. `engine` is the
interface, `table` lists the engines, `parallel` has them answer queries.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.engines.ask.engine import Engine, Interrupted
    from leadline.symbolic.engines.ask.query import AUTO, Listener, Options, Query
    from leadline.symbolic.engines.ask.result import Answer, Effort, Progress, Result, Table, Verdict
    from leadline.symbolic.engines.ask.table import ENGINES, engines_of
    from leadline.symbolic.engines.bounded.bmc import UNROLLINGS, BmcOptions, chosen_unrolling
    from leadline.symbolic.engines.run.limits import Limits, cores
    from leadline.symbolic.engines.run.parallel import (
        answer,
        answer_here,
        answer_in_child,
        answer_in_children,
    )

__getattr__ = on_demand(__name__)

"""Conformance: is the log of an implementation a run of a model? Floor 6.

A log is a run with gaps. It conforms if a run of the model fills them. The runs are searched with the meaning on
values (`states`), on circuits (`circuits`) or with a solver (`solver`); a run that the latter two find is replayed
by values.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.conform.ask import Conformance, Fits, conformance
    from leadline.symbolic.conform.events import Log
    from leadline.symbolic.conform.logs import LogMap, read_map

__getattr__ = on_demand(__name__)

"""Models written for other tools: TLA+ modules and configurations for TLC, AIGER circuits. Floor 5.

from leadline.symbolic.export import tla_module, tlc_config
"""

from leadline.symbolic.export.aiger import aiger, is_aiger, origin_of, witness
from leadline.symbolic.export.limits import large_sets
from leadline.symbolic.export.machine import SequentialCircuit
from leadline.symbolic.export.module import tla_module, tlc_config
from leadline.symbolic.notation.names import module_name

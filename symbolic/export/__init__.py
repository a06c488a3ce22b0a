"""Models written for other tools: TLA+ modules and configurations for TLC, AIGER circuits. Floor 5.

from leadline.symbolic.export import tla_module, tlc_config
"""

from leadline.symbolic.export.aiger import SequentialCircuit, aiger, is_aiger, origin_of, witness
from leadline.symbolic.export.module import large_sets, tla_module, tlc_config
from leadline.symbolic.notation.names import module_name

"""Models written out for other tools. Floor 2: imports lang.

from leadline.symbolic.export import tla_module, tlc_config
"""

from leadline.symbolic.export.module import tla_module, tlc_config
from leadline.symbolic.export.names import module_name

__all__ = ["module_name", "tla_module", "tlc_config"]

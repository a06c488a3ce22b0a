"""Claims about runs: reduced to invariants of other models, for every engine that knows these.

Two more ways to the same answers share nothing with this one but the formulas: explicit search
(`leadline.symbolic.meaning.fair`), and the replay of every counterexample (`leadline.symbolic.meaning.runs`).
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.engines.runs.loops import SAVE
    from leadline.symbolic.engines.runs.parts import PARTS, Method, Part, Reduction
    from leadline.symbolic.engines.runs.product import Product
    from leadline.symbolic.engines.runs.reduction import ReducedClaim, answered

__getattr__ = on_demand(__name__)

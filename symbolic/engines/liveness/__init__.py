"""Claims about runs: reduced to invariants of other models, for every engine that knows these.

Two more ways to the same answers share nothing with this one but the formulas: explicit search
(`leadline.symbolic.concrete.fair`), and the replay of every counterexample (`leadline.symbolic.concrete.runs`).
"""

from leadline.symbolic.engines.liveness.loops import loop_model
from leadline.symbolic.engines.liveness.product import product_of
from leadline.symbolic.engines.liveness.reduction import answered

__all__ = ["answered", "loop_model", "product_of"]

"""Proof by induction: an invariant that no step leaves, checked conjunct by conjunct and action by action.

Each obligation is a part of its own. `obligation` lists what must hold and why that suffices; `engine` puts it to
a solver.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.engines.prove.induction.engine import InductionOptions
    from leadline.symbolic.engines.prove.induction.obligation import ObligationKind, conjuncts, obligations

__getattr__ = on_demand(__name__)

"""Property-directed reachability with symmetry: proofs for all depths that need no help.

`system` makes a transition system of the encoding's circuits, `frames` asks a solver about it, `generalize`
makes strong clauses of what it answers, `samples` knows reachable states, `engine` is the search, `invariant`
keeps and checks what was proved, `quantified` tells it as formulas, and `strengthenings` writes these in Python.
"""

from typing import TYPE_CHECKING

from leadline.on_demand import on_demand

if TYPE_CHECKING:
    from leadline.symbolic.engines.prove.pdr.engine import Seen, pdr
    from leadline.symbolic.engines.prove.pdr.invariant import Invariant, recheck
    from leadline.symbolic.engines.prove.pdr.quantified import formulas
    from leadline.symbolic.engines.prove.pdr.results import PdrOptions, PdrProgress

__getattr__ = on_demand(__name__)

"""Exploration by several processes, each of which owns a part of the states.

U. Stern, D. L. Dill: Parallelizing the Murphi verifier, CAV 1997. The states of one depth are expanded by all
processes at once. A successor is sent to its owner, who knows whether it is new. A depth ends for all at the
same time, so the numbers of states at each depth and the lengths of counterexamples are those of one process.
"""

from leadline.symbolic.engines.workers.processes import WorkerDied
from leadline.symbolic.engines.workers.team import Team

__all__ = ["Team", "WorkerDied"]

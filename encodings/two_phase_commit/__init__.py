"""Two-phase commit with resource managers and transaction managers that crash.

Source: the PlusCal algorithm of module 2PCDoodle, from a series of blog posts on two-phase commit in TLA+
(2022), itself made from the algorithm P2TCommit. Variables and labels have the names of its TLA+ translation.
Where that has a disjunction inside an action, each arm is an action here: the label and a word for the arm.
"""

from leadline.encodings.two_phase_commit.protocol import TwoPhaseCommit

__all__ = ["TwoPhaseCommit"]

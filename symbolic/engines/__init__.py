"""The ways to reach a verdict: bounded model checking, inductive proof, explicit exploration. Floor 4.

An engine knows no protocol. It answers with one of the ordered verdicts (violated, out of bounds,
unknown, safe to depth k, proved), and takes its own frozen options. A bound that is hit is
reported, never silently called safe.
"""

from leadline.symbolic.engines.dispatch import answer
from leadline.symbolic.engines.limited import answer_limited
from leadline.symbolic.engines.proof import answer_proof, formula_of
from leadline.symbolic.engines.query import UNROLLINGS, Limits, Listener, Query, answer_here
from leadline.symbolic.engines.verdict import Effort, Progress, Result, Verdict

__all__ = [
    "UNROLLINGS",
    "Effort",
    "Limits",
    "Listener",
    "Progress",
    "Query",
    "Result",
    "Verdict",
    "answer",
    "answer_here",
    "answer_limited",
    "answer_proof",
    "formula_of",
]

"""Proof by induction: an invariant that no step leaves, checked conjunct by conjunct and action by action.

`obligation` says what must hold and why that suffices, `checker` puts it to a solver in this process,
`children` does so in child processes with limits, and `certificates` keeps what was proved in a file.
"""

from leadline.symbolic.engines.induction.certificates import (
    Certificate,
    certificate,
    other_solver,
    read_certificate,
    recheck,
)
from leadline.symbolic.engines.induction.children import answer_obligation, answer_obligations
from leadline.symbolic.engines.induction.obligation import (
    Obligation,
    ObligationKind,
    conjuncts,
    obligations,
)
from leadline.symbolic.engines.induction.results import ObligationResult, ObligationVerdict

__all__ = [
    "Certificate",
    "Obligation",
    "ObligationKind",
    "ObligationResult",
    "ObligationVerdict",
    "answer_obligation",
    "answer_obligations",
    "certificate",
    "conjuncts",
    "obligations",
    "other_solver",
    "read_certificate",
    "recheck",
]

"""The properties of transaction commit."""

from leadline.encodings.transaction_commit import TransactionCommit
from leadline.symbolic.lang import exists, invariant, proved


@invariant(TransactionCommit, tla="TCConsistent", known=proved(resource_managers=(2, 3, 4)))
def consistency(protocol, now):
    """No resource manager has committed while another has aborted.

    From `TCConsistent` of TCommit.
    """

    def some(state):
        return exists(protocol.RM, lambda rm: now.rm_state[rm] == state)

    return ~(some("committed") & some("aborted"))

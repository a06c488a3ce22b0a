"""Two-phase commit: all managers together."""

from __future__ import annotations

from leadline.encodings.two_phase_commit.backup_manager import BackupManager
from leadline.encodings.two_phase_commit.managers import backup_manager
from leadline.encodings.two_phase_commit.resource_managers import ResourceManagers
from leadline.encodings.two_phase_commit.transaction_manager import TransactionManager
from leadline.symbolic.lang import Next, State, action


class TwoPhaseCommit(TransactionManager, ResourceManagers, BackupManager):
    """A transaction manager (TM) asks resource managers (RMs) to prepare and then to commit or to abort.

    It broadcasts again and again, one RM at a time. A RM may crash when it takes a message; it loses its
    messages and recovers its state from a log, and does not crash twice in the same state.

    Variants:

    - crashing-managers: all know of a crashed TM (`live`), and a RM that sees it decides by itself, from the
      TM's last state. As in the source, the TM itself does not care: it goes on deciding and broadcasting.
    - backup-manager: a crashed TM stops, perhaps in the middle of a broadcast, and a backup manager (BTM)
      that never crashes decides anew from the RMs' states. The source prints only the BTM's decision; the
      rest is as in the other variant, its broadcast as the TM's. A RM takes any of its messages. A TM that
      dies while the RMs are working leaves them waiting for ever: a deadlock after 2 steps.
    """

    @action
    def terminating(self, now: State, nxt: Next) -> None:
        """All have ended, and nothing happens any more. The backup manager need not have begun."""
        nxt.require(self.all_rms_done(now), now.pc.tm == "Done")
        if backup_manager(self):
            nxt.require((now.pc.btm == "Done") | (now.pc.btm == "BTM"))

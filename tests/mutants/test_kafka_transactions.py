"""Coordinators with a mistake put in: each breaks a property that holds of the coordinators without it."""

from typing import Any

import pytest

from leadline.encodings.kafka_transactions import KafkaTransactions
from leadline.encodings.kafka_transactions.transitions import Attempt
from leadline.symbolic.catalog import find
from leadline.symbolic.concrete import Semantics, explore
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import (
    NamedExpr,
    Next,
    State,
    action,
    all_of,
    build,
    ite,
    map_of,
    of,
    pick,
)
from tests.truth import bounded


class LeadsFromNothing(KafkaTransactions):
    """A new leader does not read what the old one knows."""

    @action
    def become_leader(
        self,
        now: State,
        nxt: Next,
        b: NamedExpr = pick("Broker"),
        p: NamedExpr = pick("LogPartition"),
    ) -> None:
        """Forgets the log partition's own transaction ids."""
        nxt.require(now.aux_coord_ctr < self.max_coordinator_changes)
        nxt.require(b != now.tc_log_metadata[b][p].leader)
        epoch = now.txn_log_epoch[p] + 1
        nxt.txn_log_leader[p] = b
        nxt.txn_log_epoch[p] = epoch
        nxt.tc_log_metadata[b][p] = of(self.PartitionMetadata, cepoch=epoch, leader=b)
        nxt.tc_tid_metadata[b] = map_of(self.Tid, lambda tid: None)
        nxt.aux_coord_ctr = now.aux_coord_ctr + 1


class CommitsAlone(KafkaTransactions):
    """A broker that only believes that it leads commits without the others."""

    @action
    def commit_txn_log_append(
        self,
        now: State,
        nxt: Next,
        b: NamedExpr = pick("Broker"),
        p: NamedExpr = pick("LogPartition"),
    ) -> None:
        """Does not compare coordinator epochs, and not whether the controller knows of it."""
        log, hwm = now.tc_log[b][p], now.tc_log_hwm[p]
        nxt.require(hwm < log.length, now.tc_log_metadata[b][p].leader == b)
        self.commit_next(now, nxt, b, p)


class TakesPreparedForUnknown(KafkaTransactions):
    """A coordinator does not expect an abort that is prepared and not complete."""

    def init_pid_transition(self, now: State, broker: Any, tid: Any, metadata: Any) -> Attempt:
        """Leaves one arm out."""
        sound = super().init_pid_transition(now, broker, tid, metadata)
        unknown = all_of(metadata.state == "PrepareAbort")
        return Attempt(ite(unknown, of(self.Error, "IllegalState"), sound.error), sound.transition)

"""The transaction coordinators: brokers that lead partitions of the transaction log."""

from __future__ import annotations

from typing import Any

from leadline.encodings.kafka_transactions.cluster import AS_PUBLISHED
from leadline.encodings.kafka_transactions.transitions import Transitions
from leadline.symbolic.lang import (
    Bool,
    BoolExpr,
    NamedExpr,
    Next,
    Option,
    State,
    action,
    case,
    forall,
    int_range,
    ite,
    map_of,
    of,
    pick,
    undefined,
)


class Coordinators(Transitions):
    """What transaction coordinators do, those included that only believe that they still are."""

    @action
    def receive_init_pid_request(self, now: State, nxt: Next) -> None:
        """A coordinator logs a new producer epoch, or the abort of the transaction that stands in its way.

        It makes up metadata, with a new producer id, where it knows nothing of the transaction id. The client
        gets its answer at once only if it is an error.
        """
        message, request = self.receive(now, nxt, "InitPidRequest")
        b, c, tid = request.dest, request.source, self.tid_of(now, request.source)
        with nxt.when(~self.leads(now, b, tid)):
            self.reply(now, nxt, message, self.init_pid_error(b, c, "NotCoordinator"))
        with nxt.otherwise():
            # Also where the metadata is not new: so pid_source can fall, and a producer id come again.
            metadata = now.tc_tid_metadata[b][tid].or_else(self.new_metadata(now))
            nxt.pid_source = metadata.pid
            nxt.tc_tid_metadata[b][tid] = metadata
            attempt = self.init_pid_transition(now, b, tid, metadata)
            with nxt.when(attempt.error.is_some):
                self.reply(now, nxt, message, self.init_pid_error(b, c, attempt.error.value))
            with nxt.otherwise():
                nxt.messages = now.messages.remove(message)
                self.log_for_client(now, nxt, request, attempt.transition)

    @action
    def receive_add_partitions_to_txn_request(self, now: State, nxt: Next) -> None:
        """A coordinator logs one more topic partition of a transaction, if the producer is not fenced."""
        message, request = self.receive(now, nxt, "AddPartitionsToTxnRequest")
        b, c, tid = request.dest, request.source, self.tid_of(now, request.source)
        known = now.tc_tid_metadata[b][tid]
        metadata = known.value
        attempt = self.add_partitions_transition(now, b, tid, metadata, request.partition)
        error = case(
            (~self.leads(now, b, tid), self.error("NotCoordinator")),
            (known.is_none, self.error("InvalidProducerIdMapping")),
            (now.client[c].pid.value != metadata.pid, self.error("InvalidProducerIdMapping")),
            (now.client[c].epoch.value != metadata.pepoch, self.error("ProducerFenced")),
            (now.tc_tid_transition[b][tid], self.error("ConcurrentTransactions")),
            (
                self.is_in(metadata.state, "PrepareCommit", "PrepareAbort"),
                self.error("ConcurrentTransactions"),
            ),
            otherwise=attempt.error,
        )
        with nxt.when(error.is_some):
            self.reply(now, nxt, message, self.add_partitions_error(b, c, error.value))
        with nxt.otherwise():
            nxt.messages = now.messages.remove(message)
            self.log_for_client(now, nxt, request, attempt.transition)

    @action
    def commit_txn_log_append(
        self,
        now: State,
        nxt: Next,
        b: NamedExpr = pick("Broker"),
        p: NamedExpr = pick("LogPartition"),
    ) -> None:
        """The leader's next entry is replicated, takes effect, and the client that waits for it is answered.

        All brokers must have learnt of the leader. A prepared abort is at once followed by its completion.
        """
        nxt.require(now.tc_log_hwm[p] < now.tc_log[b][p].length, b == now.txn_log_leader[p])
        epoch = now.tc_log_metadata[b][p].cepoch
        nxt.require(forall(self.Broker, lambda bb: now.tc_log_metadata[bb][p].cepoch == epoch))
        self.commit_next(now, nxt, b, p)

    @action
    def become_leader(
        self,
        now: State,
        nxt: Next,
        b: NamedExpr = pick("Broker"),
        p: NamedExpr = pick("LogPartition"),
    ) -> None:
        """The controller makes another broker the leader of a log partition, under a new coordinator epoch.

        The new leader reads what the old one knows of the partition's transaction ids. As published, it
        forgets what it knows of those of other partitions, which it may lead as well: most likely a slip.
        """
        nxt.require(now.aux_coord_ctr < self.max_coordinator_changes)
        nxt.require(b != now.tc_log_metadata[b][p].leader)
        epoch = now.txn_log_epoch[p] + 1
        leader = now.txn_log_leader[p]
        nxt.txn_log_leader[p] = b
        nxt.txn_log_epoch[p] = epoch
        nxt.tc_log_metadata[b][p] = of(self.PartitionMetadata, cepoch=epoch, leader=b)
        forgets = self.variant == AS_PUBLISHED
        nxt.tc_tid_metadata[b] = map_of(
            self.Tid,
            lambda tid: ite(
                self.partition_for(tid) == p,
                now.tc_tid_metadata[leader][tid],
                None if forgets else now.tc_tid_metadata[b][tid],
            ),
        )
        nxt.aux_coord_ctr = now.aux_coord_ctr + 1

    @action
    def become_follower(
        self,
        now: State,
        nxt: Next,
        b: NamedExpr = pick("Broker"),
        p: NamedExpr = pick("LogPartition"),
    ) -> None:
        """A broker learns of a leader, takes over its log, and turns away the clients that wait for an entry.

        What the leader has not committed yet is copied too, and so appended once more when it commits.
        """
        leader = now.txn_log_leader[p]
        nxt.require(now.tc_log_metadata[b][p].cepoch < now.txn_log_epoch[p], b != leader)
        log = now.tc_log[b][p]
        uncommitted = int_range(now.tc_log_hwm[p] + 1, log.length)
        awaited = uncommitted.filter(lambda offset: log[offset].callback.is_some)
        nxt.messages = now.messages | awaited.map(lambda offset: self.failure(log[offset]))
        nxt.tc_log_metadata[b][p] = of(self.PartitionMetadata, cepoch=now.txn_log_epoch[p], leader=leader)
        nxt.tc_log[b][p] = now.tc_log[leader][p]
        nxt.tc_tid_metadata[b] = map_of(
            self.Tid, lambda tid: ite(self.partition_for(tid) == p, None, now.tc_tid_metadata[b][tid])
        )
        nxt.tc_tid_transition[b] = map_of(
            self.Tid, lambda tid: (self.partition_for(tid) != p) & now.tc_tid_transition[b][tid]
        )

    # -- what a coordinator can tell ----------------------------------------------------------------------

    def leads(self, now: State, broker: Any, tid: Any) -> BoolExpr:
        """Whether a broker believes that it leads the log partition of a transaction id."""
        believed: BoolExpr = now.tc_log_metadata[broker][self.partition_for(tid)].leader == broker
        return believed

    def new_metadata(self, now: State) -> Any:
        """Metadata of a transaction id that nothing is known of."""
        return of(self.Metadata, pid=now.pid_source + 1, pepoch=-1, state="Empty", partitions=set())

    # -- parts of actions ---------------------------------------------------------------------------------

    def commit_next(self, now: State, nxt: Next, b: Any, p: Any) -> None:
        """The leader's first entry above the high watermark takes effect."""
        log, hwm = now.tc_log[b][p], now.tc_log_hwm[p]
        entry = log[hwm + 1]
        state = entry.transition.state
        nxt.tc_log_hwm[p] = hwm + 1
        nxt.tc_tid_metadata[b][entry.tid] = entry.transition
        completion = self.complete_transition(entry.transition)
        prepared = self.is_in(state, "PrepareAbort", "PrepareCommit")
        goes_on = prepared & completion.error.is_none
        completed = self.entry(entry.tid, completion.transition, None)

        def replicated(bb: Any) -> Any:
            own = bb == b
            logged = now.tc_log[bb][p].append(ite(own, completed, entry))
            return now.tc_log[bb].set(p, ite(own & ~goes_on, now.tc_log[bb][p], logged))

        # The leader has the entry already; its followers get it now.
        nxt.tc_log = map_of(self.Broker, replicated)
        nxt.tc_tid_transition[b][entry.tid] = goes_on
        with nxt.when(prepared):
            caller = entry.callback.value
            code = completion.error.or_else(of(self.Error, "ConcurrentTransactions"))
            nxt.messages = now.messages.add(self.init_pid_error(caller.broker, caller.client, code))
        with nxt.elsewhen(self.is_in(state, "Empty", "Ongoing")):
            nxt.messages = now.messages.add(self.success(entry))
        with nxt.elsewhen(~self.is_in(state, "CompleteAbort", "CompleteCommit")):
            # Never reached: the module gives no value to tc_log here.
            nxt.require(undefined(Bool(), "CommitTxnLogAppend does not know this kind of entry"))

    def log_for_client(self, now: State, nxt: Next, request: Any, transition: Any) -> None:
        """The coordinator appends a transition to its log. Once that is committed, the client is answered."""
        b, tid = request.dest, self.tid_of(now, request.source)
        p = self.partition_for(tid)
        caller = of(self.Caller, broker=b, client=request.source)
        nxt.tc_log[b][p] = now.tc_log[b][p].append(self.entry(tid, transition, caller))
        nxt.tc_tid_transition[b][tid] = True

    def entry(self, tid: Any, transition: Any, caller: Any) -> Any:
        """An entry of the log."""
        return of(self.Entry, tid=tid, transition=transition, callback=caller)

    def success(self, entry: Any) -> Any:
        """The answer to the client when an entry is committed that grants what was asked for."""
        transition, caller = entry.transition, entry.callback.value
        route = {"dest": caller.client, "source": caller.broker}
        granted = of(self.InitPidAnswer, "OK", pid=transition.pid, pepoch=transition.pepoch)
        added = of(self.AddPartitionsAnswer, "OK", partitions=transition.partitions)
        return ite(
            transition.state == "Ongoing",
            of(self.Message, "AddPartitionsToTxnResponse", answer=added, **route),
            of(self.Message, "InitPidResponse", answer=granted, **route),
        )

    def failure(self, entry: Any) -> Any:
        """The answer to the client when an entry is given up."""
        caller = entry.callback.value
        return ite(
            entry.transition.state == "Ongoing",
            self.add_partitions_error(caller.broker, caller.client, "NotCoordinator"),
            self.init_pid_error(caller.broker, caller.client, "NotCoordinator"),
        )

    def error(self, code: str) -> Any:
        """An error, where there may be none."""
        return of(Option(self.Error), code)

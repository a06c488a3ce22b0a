"""Kafka's transactions: clients, and the coordinators that give them producer ids and keep a log.

Source: the TLA+ module kafka_transactions_for_web by Jack Vanlightly ("Throwaway Kafka txns for TLA web", a
gist of 2024). Variables and actions have the names of the module.
"""

from dataclasses import dataclass
from typing import Any

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Option,
    Protocol,
    Seq,
    Set,
    action,
    all_of,
    any_of,
    case,
    enum,
    forall,
    int_range,
    ite,
    map_of,
    of,
    parameter,
    pick,
    record,
    set_of,
    sort,
    strong,
    undefined,
    union,
    weak,
)

AS_PUBLISHED = "as-published"
MENDED_BECOME_LEADER = "mended-become-leader"

CLIENT_STATES = ("Ready", "SentInitPidRequest", "HasPid", "BegunTxn", "Terminated")
TXN_STATES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "PrepareEpochFence",
    "Dead",
)
ERRORS = (
    "IllegalState",
    "NotCoordinator",
    "ConcurrentTransactions",
    "ProducerFenced",
    "InvalidTransition",
    "InvalidProducerIdMapping",
)

BROKER = pick("Broker")
LOG_PARTITION = pick("LogPartition")

VALID_PREVIOUS = {
    "Empty": ("Empty", "CompleteCommit", "CompleteAbort"),
    "Ongoing": ("Ongoing", "Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareCommit": ("Ongoing",),
    "PrepareAbort": ("Ongoing", "PrepareEpochFence"),
    "CompleteCommit": ("PrepareCommit",),
    "CompleteAbort": ("PrepareAbort",),
    "Dead": ("Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareEpochFence": ("Ongoing",),
}
"""The states that each state may follow."""


def balanced(items: tuple[str, ...], places: tuple[str, ...]) -> dict[str, str]:
    """The first mapping, in the order of `places`, in which no place has two items more than another."""
    each, extra = divmod(len(items), len(places))
    spread = [place for number, place in enumerate(places) for _ in range(each + (number < extra))]
    return dict(zip(items, spread, strict=True))


@dataclass(frozen=True)
class Attempt:
    """An error or None, and the transition that was asked for, which counts if there is no error."""

    error: Any
    transition: Any


class KafkaTransactions(Protocol):
    """Clients get producer ids and add partitions to transactions, which coordinators log.

    The broker that leads a transaction id's log partition coordinates it, and may change at any time. Clients
    that share a transaction id fence each other: a later one gets a higher producer epoch, and an ongoing
    transaction of an earlier one is aborted first. No transaction is ever committed: the source has no
    request for that yet. Clients come to rest, so a deadlock is no mistake here.

    Variants:

    - as-published: a broker that becomes leader of a log partition forgets the transaction ids of the others.
    - mended-become-leader: it keeps them. The two differ with two or more log partitions only.

    A client may never get its producer id although all is fair, where two clients share a transaction id and
    its coordinator changes once. A loop of 3 steps after 17 shows it: `all-clients-get-pid`.

    1. Client c1 has a producer id and an ongoing transaction at broker b1. The InitPidRequest of c2 makes b1
       log a PrepareAbort. When b1 commits that entry, it answers c2 with ConcurrentTransactions, and appends
       the CompleteAbort to its own log, uncommitted.
    2. Broker b2 becomes leader. It takes over what b1 knows, the state PrepareAbort, and keeps its own log, in
       which the CompleteAbort is missing. Then b1 becomes a follower and copies that log: the entry is lost.
       No client waits for it, so none is told, and no action writes it again.
    3. From then on c2 sends an InitPidRequest, b2 answers it with ConcurrentTransactions since the state is
       PrepareAbort, c2 receives the answer and is ready to ask again, for ever.

    Fairness does not help. In each state of the loop only the action that is taken is enabled:
    CommitTxnLogAppend finds no entry above the high watermark, each broker knows the leader, and c1 has added
    all its partitions. So fairness demands nothing else. A coordinator that completed
    the prepared transactions of a log that it takes over would end the loop; the module has no such step.

    Producer ids, producer epochs and the log are unbounded in the source. Their bounds here follow from the
    other parameters; where one is too small, the outcome is out of bounds.
    """

    variant: str = parameter(
        AS_PUBLISHED,
        choices=(AS_PUBLISHED, MENDED_BECOME_LEADER),
        doc="whether a new leader forgets the transactions of other log partitions, or keeps them (mended)",
    )
    brokers: int = parameter(2, at_least=1, at_most=9, doc="number of brokers")
    clients: int = parameter(2, at_least=1, at_most=9, doc="number of clients")
    transaction_ids: int = parameter(1, at_least=1, at_most=9, doc="number of transaction ids")
    log_partitions: int = parameter(1, at_least=1, at_most=9, doc="partitions of the transaction log")
    topic_partitions: int = parameter(1, at_least=1, at_most=9, doc="partitions that clients write to")
    max_coordinator_changes: int = parameter(1, at_least=0, doc="how often a log partition's leader changes")
    max_pid: int | None = parameter(
        None, at_least=1, doc="last producer id; by default as many as can be handed out"
    )
    max_producer_epoch: int | None = parameter(
        None, at_least=0, doc="last producer epoch; by default beyond what is reached"
    )
    max_log_length: int | None = parameter(
        None, at_least=1, doc="entries that a log partition can hold; by default more than are written"
    )

    fairness: str = parameter(
        AS_PUBLISHED, choices=(AS_PUBLISHED, "none"), doc="which actions a run does not neglect for ever"
    )

    # -- bounds of what the module leaves unbounded -------------------------------------------------------

    @property
    def last_pid(self):
        """The last producer id.

        A broker makes one if it believes that it leads a transaction id's log partition and knows nothing of
        the transaction id. That happens once for each transaction id, and once more after each change of a
        coordinator: another broker then believes that it leads, and has forgotten the others.
        """
        return self.max_pid or self.transaction_ids * (self.max_coordinator_changes + 1)

    @property
    def last_epoch(self):
        """The last producer epoch.

        Each client gets an epoch, and the abort of a transaction takes one for each client but the last. This
        is exact up to one change of a coordinator. From the second on, leaders replay entries that they have
        twice (see BecomeFollower) and clients ask again: then it is an estimate, above all that was seen.
        """
        if self.max_producer_epoch is not None:
            return self.max_producer_epoch
        replays = max(0, self.max_coordinator_changes - 1) * (self.brokers - 1) * self.clients
        return 2 * (self.clients - 1) + replays

    @property
    def log_capacity(self):
        """The entries that a log partition can hold.

        One for each epoch, one to complete each abort, one for each client and topic partition, and those
        that a follower has twice after a change. Exact up to one change; then an estimate, as for epochs.
        """
        if self.max_log_length is not None:
            return self.max_log_length
        changes = self.max_coordinator_changes
        once = 3 * self.clients - 2 + self.clients * self.topic_partitions + changes
        replays = max(0, changes * (changes + 1) // 2 - 1) * (self.brokers - 1) * self.clients
        return once + replays

    # -- the state ----------------------------------------------------------------------------------------

    def define(self, state):
        # Brokers, log partitions and transaction ids are no sorts. The first leaders and the log partition of
        # each transaction id are one fixed balanced choice, which does not treat them alike.
        self.Broker = enum("Broker", *(f"b{i + 1}" for i in range(self.brokers)))
        self.Tid = enum("TransactionId", *(f"tid{i + 1}" for i in range(self.transaction_ids)))
        self.LogPartition = enum("TxnLogPartition", *(f"p{i + 1}" for i in range(self.log_partitions)))
        self.Client = sort("Client", self.clients)
        self.TopicPartition = sort("TopicPartition", self.topic_partitions, "tp")

        self.ClientState = enum("ClientState", *CLIENT_STATES)
        self.TxnState = enum("TxnState", *TXN_STATES)
        self.Error = enum("Error", *ERRORS)
        self.Partitions = Set(self.TopicPartition)
        self.Pid = Int(1, self.last_pid)
        self.Epoch = Int(0, self.last_epoch)
        self.define_transactions()
        self.define_messages()

        state.client = Map(self.Client, self.ClientRecord)
        state.declare("tc_tid_metadata", self.by_broker_and_tid(Option(self.Metadata)), tla="tc_tid_metadata")
        # The module keeps the transition itself, always that of the last entry for the transaction id in the
        # broker's own log. It only ever asks whether there is one.
        state.declare("tc_tid_transition", self.by_broker_and_tid(Bool()), tla="tc_tid_transition")
        log = Seq(self.Entry, self.log_capacity)
        state.declare("tc_log", Map(self.Broker, Map(self.LogPartition, log)), tla="tc_log")
        state.declare(
            "tc_log_metadata",
            Map(self.Broker, Map(self.LogPartition, self.PartitionMetadata)),
            tla="tc_log_metadata",
        )
        # The module has a high watermark for each broker, and moves all of them at once. So the
        # conditions of its BecomeFollower on them always hold.
        state.declare("tc_log_hwm", Map(self.LogPartition, Int(0, self.log_capacity)), tla="tc_log_hwm")
        state.declare("txn_log_leader", Map(self.LogPartition, self.Broker), tla="txn_log_leader")
        state.declare("txn_log_epoch", Map(self.LogPartition, self.CoordinatorEpoch), tla="txn_log_epoch")
        state.declare("pid_source", Int(0, self.last_pid), tla="pid_source")
        state.declare("aux_coord_ctr", Int(0, self.max_coordinator_changes), tla="aux_coord_ctr")
        state.messages = Set(self.Message)
        state.declare("messages_discard", Set(self.Message), tla="messages_discard")
        # topic_partitions, which stays empty, and t_to_p_mapping, which stays the same, are left out.

    def define_transactions(self):
        """The types of transactions, of the coordinators' log and metadata, and of clients."""
        # `last_pepoch` is left out: nobody reads it, and it is pepoch - 1 in the states Empty and Ongoing (if
        # pepoch is not -1) and else -1. So is `last_pid`, which only metadata has that is not logged yet.
        self.Transition = record(
            "Transition", pid=self.Pid, pepoch=self.Epoch, state=self.TxnState, partitions=self.Partitions
        )
        self.Metadata = record(
            "TxnMetadata",
            pid=self.Pid,
            pepoch=Int(-1, self.last_epoch),
            state=self.TxnState,
            partitions=self.Partitions,
        )
        # The module's callback has the responses to send on success and on failure. They follow from the
        # transition, from the broker that logged it and from the client that asked for it, if any.
        self.Caller = record("Caller", broker=self.Broker, client=self.Client)
        self.Entry = record("Entry", tid=self.Tid, transition=self.Transition, callback=Option(self.Caller))
        self.CoordinatorEpoch = Int(1, self.max_coordinator_changes + 1)
        self.PartitionMetadata = record("PartitionMetadata", cepoch=self.CoordinatorEpoch, leader=self.Broker)
        self.ClientRecord = record(
            "ClientRecord",
            state=self.ClientState,
            tc=Option(self.Broker),
            tid=Option(self.Tid),
            pid=Option(self.Pid),
            epoch=Option(self.Epoch),
            last_state=Option(self.ClientState),
            last_error=Option(self.Error),
            pending_partitions=self.Partitions,
            partitions=self.Partitions,
        )

    def define_messages(self):
        """The types of messages."""
        # A client takes a transaction id, a producer id and an epoch once and for all, so that its requests
        # need not repeat them; it asks for one topic partition at a time. Only responses that grant something
        # have more in them than an error.
        self.InitPidAnswer = union(
            "InitPidAnswer", OK={"pid": self.Pid, "pepoch": self.Epoch}, Error={"code": self.Error}
        )
        self.AddPartitionsAnswer = union(
            "AddPartitionsAnswer", OK={"partitions": self.Partitions}, Error={"code": self.Error}
        )
        to_broker = {"dest": self.Broker, "source": self.Client}
        to_client = {"dest": self.Client, "source": self.Broker}
        self.Message = union(
            "Message",
            InitPidRequest=to_broker,
            InitPidResponse={"answer": self.InitPidAnswer, **to_client},
            AddPartitionsToTxnRequest={"partition": self.TopicPartition, **to_broker},
            AddPartitionsToTxnResponse={"answer": self.AddPartitionsAnswer, **to_client},
        )

    def by_broker_and_tid(self, kind):
        """The type of a map from brokers and transaction ids."""
        return Map(self.Broker, Map(self.Tid, kind))

    def init(self, start):
        partitions = self.LogPartition
        leaders = of(Map(partitions, self.Broker), balanced(partitions.members, self.Broker.members))
        start.client = map_of(self.Client, lambda client: self.new_client())
        start.tc_tid_metadata = map_of(self.Broker, lambda b: map_of(self.Tid, lambda tid: None))
        start.tc_tid_transition = map_of(self.Broker, lambda b: map_of(self.Tid, lambda tid: False))
        start.tc_log = map_of(self.Broker, lambda b: map_of(partitions, lambda p: of(Seq(self.Entry, 0))))
        start.tc_log_metadata = map_of(
            self.Broker,
            lambda b: map_of(partitions, lambda p: of(self.PartitionMetadata, cepoch=1, leader=leaders[p])),
        )
        start.tc_log_hwm = map_of(partitions, lambda p: 0)
        start.txn_log_leader = leaders
        start.txn_log_epoch = map_of(partitions, lambda p: 1)
        start.pid_source = 0
        start.aux_coord_ctr = 0
        start.messages = set()
        start.messages_discard = set()

    def new_client(self):
        """A client that has done nothing yet. The module writes -1 where it has no pid and no epoch."""
        return of(
            self.ClientRecord,
            state="Ready",
            tc=None,
            tid=None,
            pid=None,
            epoch=None,
            last_state=None,
            last_error=None,
            pending_partitions=set(),
            partitions=set(),
        )

    def fair(self):
        """The module's `Fairness`: all but changes of coordinators, at each client and broker by itself.

        Requests are sent under strong fairness, since they wait while the coordinator answers another client.
        """
        if self.fairness != AS_PUBLISHED:
            return
        for request in ("InitPid", "AddPartitionsToTxn"):
            action = "init_pid" if request == "InitPid" else "add_partitions_to_txn"
            yield strong(f"send_{action}_request", each="c")
            yield weak(f"receive_{action}_request", each=self.ends_of(f"{request}Request"))
            yield weak(f"receive_{action}_response", each=self.ends_of(f"{request}Response"))
        yield weak("commit_txn_log_append", each=("b", "p"))
        yield weak("become_follower", each=("b", "p"))

    def ends_of(self, kind):
        """The function of a message of that kind that gives its two ends."""
        return lambda msg: (msg.as_a(kind).dest, msg.as_a(kind).source)

    # -- operators ----------------------------------------------------------------------------------------

    def partition_for(self, tid):
        """The log partition of a transaction id."""
        mapping = balanced(self.Tid.members, self.LogPartition.members)
        return of(Map(self.Tid, self.LogPartition), mapping)[tid]

    def current_tc(self, now, tid):
        """The broker that leads the log partition of a transaction id, and so coordinates it."""
        return now.txn_log_leader[self.partition_for(tid)]

    def tid_of(self, now, client):
        """The transaction id of a client that has sent a message, and so has one."""
        return now.client[client].tid.value

    # -- messages -----------------------------------------------------------------------------------------

    def receive(self, now, nxt, kind):
        """Some message of that kind, and its fields. It joins the processed messages, which are state too."""
        message = nxt.pick("msg", now.messages)
        nxt.require(message.is_a(kind))
        nxt.messages_discard = now.messages_discard.add(message)
        return message, message.as_a(kind)

    def reply(self, now, nxt, received, response):
        """A response replaces the received message."""
        nxt.messages = now.messages.remove(received).add(response)

    def init_pid_error(self, broker, client, error):
        """The response of a broker that gives a client no producer id."""
        answer = of(self.InitPidAnswer, "Error", code=error)
        return of(self.Message, "InitPidResponse", answer=answer, dest=client, source=broker)

    def add_partitions_error(self, broker, client, error):
        """The response of a broker that does not add a client's topic partition."""
        answer = of(self.AddPartitionsAnswer, "Error", code=error)
        return of(self.Message, "AddPartitionsToTxnResponse", answer=answer, dest=client, source=broker)

    def is_refused(self, response, *errors):
        """Whether the response's answer is one of the errors."""
        refused = of(Set(self.Error), *errors)
        return all_of(response.answer.is_a("Error"), refused.has(response.answer.as_a("Error").code))

    # -- transaction coordinators: brokers that lead partitions of the transaction log ---------------------

    @action
    def receive_init_pid_request(self, now, nxt):
        """A coordinator logs a new producer epoch, or the abort of the transaction that stands in its way.

        If it knows nothing of the transaction id it makes new metadata with a new producer id. The client is
        answered at once only if there is an error; otherwise once the entry is committed.
        """
        message, request = self.receive(now, nxt, "InitPidRequest")
        b, c, tid = request.dest, request.source, self.tid_of(now, request.source)
        with nxt.when(~self.leads(now, b, tid)):
            self.reply(now, nxt, message, self.init_pid_error(b, c, "NotCoordinator"))
        with nxt.otherwise():
            # As in the module, also if the metadata is not new: pid_source can fall, and an id be used twice.
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
    def receive_add_partitions_to_txn_request(self, now, nxt):
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
    def commit_txn_log_append(self, now, nxt, b=BROKER, p=LOG_PARTITION):
        """The leader's next entry is replicated, takes effect, and the client that waits for it is answered.

        All brokers must have learnt of the leader. A prepared abort is at once followed by its completion.
        """
        nxt.require(now.tc_log_hwm[p] < now.tc_log[b][p].length, b == now.txn_log_leader[p])
        epoch = now.tc_log_metadata[b][p].cepoch
        nxt.require(forall(self.Broker, lambda bb: now.tc_log_metadata[bb][p].cepoch == epoch))
        self.commit_next(now, nxt, b, p)

    @action
    def become_leader(self, now, nxt, b=BROKER, p=LOG_PARTITION):
        """The controller makes another broker the leader of a log partition, under a new coordinator epoch.

        The new leader reads what the old one knows of the partition's transaction ids. As published, it
        forgets the transaction ids of other partitions, which it may lead as well: most likely a slip.
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
    def become_follower(self, now, nxt, b=BROKER, p=LOG_PARTITION):
        """A broker learns of a leader, takes over its log, and turns away the clients that wait for an entry.

        It copies entries that the leader has not committed too, and gets them once more when they are.
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

    # -- operators of coordinators -------------------------------------------------------------------------

    def leads(self, now, broker, tid):
        """Whether a broker believes that it leads the log partition of a transaction id."""
        return now.tc_log_metadata[broker][self.partition_for(tid)].leader == broker

    def new_metadata(self, now):
        """The metadata of a transaction id of which the coordinator knows nothing."""
        return of(self.Metadata, pid=now.pid_source + 1, pepoch=-1, state="Empty", partitions=set())

    # -- parts of actions ---------------------------------------------------------------------------------

    def commit_next(self, now, nxt, b, p):
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

        def replicated(bb):
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

    def log_for_client(self, now, nxt, request, transition):
        """The coordinator appends a transition to its log. Once that is committed, the client is answered."""
        b, tid = request.dest, self.tid_of(now, request.source)
        p = self.partition_for(tid)
        caller = of(self.Caller, broker=b, client=request.source)
        nxt.tc_log[b][p] = now.tc_log[b][p].append(self.entry(tid, transition, caller))
        nxt.tc_tid_transition[b][tid] = True

    def entry(self, tid, transition, caller):
        """An entry of the log."""
        return of(self.Entry, tid=tid, transition=transition, callback=caller)

    def success(self, entry):
        """The answer to the client when its entry is committed: the request is granted."""
        transition, caller = entry.transition, entry.callback.value
        route = {"dest": caller.client, "source": caller.broker}
        granted = of(self.InitPidAnswer, "OK", pid=transition.pid, pepoch=transition.pepoch)
        added = of(self.AddPartitionsAnswer, "OK", partitions=transition.partitions)
        return ite(
            transition.state == "Ongoing",
            of(self.Message, "AddPartitionsToTxnResponse", answer=added, **route),
            of(self.Message, "InitPidResponse", answer=granted, **route),
        )

    def failure(self, entry):
        """The answer to the client when its entry is given up."""
        caller = entry.callback.value
        return ite(
            entry.transition.state == "Ongoing",
            self.add_partitions_error(caller.broker, caller.client, "NotCoordinator"),
            self.init_pid_error(caller.broker, caller.client, "NotCoordinator"),
        )

    def error(self, code):
        """An error, of the type that also has None."""
        return of(Option(self.Error), code)

    # -- the states of a transaction and how they may follow each other ------------------------------------

    def get_transition(self, pending, state, new_state, *, pid, pepoch, partitions):
        """A transition from one state to another, refused while another one is pending."""
        error = case(
            (pending, of(Option(self.Error), "ConcurrentTransactions")),
            (self.is_in(state, *VALID_PREVIOUS[new_state]), None),
            otherwise=of(self.Error, "InvalidTransition"),
        )
        transition = of(self.Transition, pid=pid, pepoch=pepoch, state=new_state, partitions=partitions)
        return Attempt(error, transition)

    def is_in(self, state, *states):
        """Whether the state of a transaction is one of these."""
        return of(Set(self.TxnState), *states).has(state)

    def init_pid_transition(self, now, broker, tid, metadata):
        """The transition for an InitPidRequest: a new epoch, or first the abort of an ongoing transaction."""
        pending, state = now.tc_tid_transition[broker][tid], metadata.state
        bumped = {"pid": metadata.pid, "pepoch": metadata.pepoch + 1}
        renewed = self.get_transition(pending, state, "Empty", **bumped, partitions=set())
        fenced = self.get_transition(
            pending, state, "PrepareEpochFence", **bumped, partitions=metadata.partitions
        )
        aborted = self.end_transaction(pending, metadata, fenced.transition)
        error = case(
            (self.is_in(state, "CompleteAbort", "CompleteCommit", "Empty"), renewed.error),
            (state == "Ongoing", ite(fenced.error.is_some, fenced.error, aborted.error)),
            (self.is_in(state, "PrepareAbort", "PrepareCommit"), of(self.Error, "ConcurrentTransactions")),
            otherwise=of(self.Error, "IllegalState"),
        )
        return Attempt(error, ite(state == "Ongoing", aborted.transition, renewed.transition))

    def end_transaction(self, pending, metadata, fenced):
        """The abort of the ongoing transaction, in the epoch of the transition that fences its producer."""
        abort = self.get_transition(
            pending,
            metadata.state,
            "PrepareAbort",
            pid=fenced.pid,
            pepoch=fenced.pepoch,
            partitions=metadata.partitions,
        )
        # Never reached. The module gives no value to tc_log if the producer is of a later epoch, and reads a
        # missing transition if the abort is refused.
        unassigned = undefined(Option(self.Error), "EndTransaction does not say what becomes of tc_log")
        missing = undefined(self.Transition, "EndTransaction reads a transition that there is not")
        error = case(
            (fenced.pepoch < metadata.pepoch, unassigned),
            (metadata.state == "Ongoing", None),
            otherwise=of(self.Error, "IllegalState"),
        )
        return Attempt(error, ite(abort.error.is_some, missing, abort.transition))

    def add_partitions_transition(self, now, broker, tid, metadata, partition):
        """The transition that adds a topic partition to the transaction, and begins one if there is none."""
        return self.get_transition(
            now.tc_tid_transition[broker][tid],
            metadata.state,
            "Ongoing",
            pid=metadata.pid,
            pepoch=metadata.pepoch,
            partitions=metadata.partitions.add(partition),
        )

    def complete_transition(self, prepared):
        """The transition that completes a prepared one, which no longer counts as pending."""
        same = {"pid": prepared.pid, "pepoch": prepared.pepoch, "partitions": prepared.partitions}
        commit = self.get_transition(False, prepared.state, "CompleteCommit", **same)
        abort = self.get_transition(False, prepared.state, "CompleteAbort", **same)
        commits = prepared.state == "PrepareCommit"
        return Attempt(
            ite(commits, commit.error, abort.error), ite(commits, commit.transition, abort.transition)
        )

    # -- clients: producers that want a producer id and then add partitions to a transaction ---------------

    @action
    def send_init_pid_request(self, now, nxt, c=pick("Client"), tid=pick("Tid")):
        """A client asks for a producer id, for any transaction id or, when it tries again, for the same.

        It finds the coordinator in the same step, though this may have moved when the request arrives.
        """
        nxt.require(now.client[c].state == "Ready")
        nxt.require(any_of(now.client[c].tid.is_none, now.client[c].tid == tid))
        request = of(self.Message, "InitPidRequest", dest=self.current_tc(now, tid), source=c)
        nxt.messages = now.messages.add(request)
        nxt.client[c].tid = tid
        nxt.client[c].state = "SentInitPidRequest"

    @action
    def receive_init_pid_response(self, now, nxt):
        """A client gets its producer id and epoch, or an error, after which it is ready to try again."""
        message, response = self.receive(now, nxt, "InitPidResponse")
        c = response.dest
        nxt.require(now.client[c].state == "SentInitPidRequest")
        nxt.messages = now.messages.remove(message)
        with nxt.when(response.answer.is_a("OK")):
            granted = response.answer.as_a("OK")
            nxt.client[c].state = "HasPid"
            nxt.client[c].tc = response.source
            nxt.client[c].pid = granted.pid
            nxt.client[c].epoch = granted.pepoch
        with nxt.otherwise():
            nxt.client[c].state = "Ready"
            nxt.client[c].last_state = now.client[c].state
            nxt.client[c].last_error = response.answer.as_a("Error").code

    @action
    def send_add_partitions_to_txn_request(self, now, nxt, c=pick("Client"), p=pick("TopicPartition")):
        """A client with a producer id asks to add one more topic partition to its transaction."""
        client = now.client[c]
        nxt.require(any_of(client.state == "HasPid", client.state == "BegunTxn"))
        nxt.require(client.pending_partitions.is_empty, ~client.partitions.has(p))
        request = of(self.Message, "AddPartitionsToTxnRequest", partition=p, dest=client.tc.value, source=c)
        nxt.messages = now.messages.add(request)
        nxt.client[c].pending_partitions = set_of(p)
        nxt.client[c].state = "BegunTxn"

    @action
    def receive_add_partitions_to_txn_response(self, now, nxt):
        """A client learns that partitions were added, or of an error.

        After some errors it may try again, perhaps with another coordinator. After the others it ends, so
        that clients do not fence each other for ever.
        """
        message, response = self.receive(now, nxt, "AddPartitionsToTxnResponse")
        c = response.dest
        client = now.client[c]
        nxt.require(client.state == "BegunTxn")
        nxt.messages = now.messages.remove(message)
        with nxt.when(response.answer.is_a("OK")):
            added = response.answer.as_a("OK").partitions
            nxt.client[c].pending_partitions = client.pending_partitions - added
            nxt.client[c].partitions = client.partitions | added
        with nxt.otherwise():
            error = response.answer.as_a("Error").code
            nxt.client[c].pending_partitions = set()
            nxt.client[c].last_state = client.state
            nxt.client[c].last_error = error
            with nxt.when(self.is_refused(response, "ConcurrentTransactions", "NotCoordinator")):
                coordinator = self.current_tc(now, self.tid_of(now, c))
                nxt.client[c].tc = ite(error == "NotCoordinator", coordinator, client.tc)
            with nxt.otherwise():
                nxt.client[c].state = "Terminated"
                nxt.client[c].partitions = set()

"""Kafka's transactions: the parameters, types, variables and messages."""

from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Option,
    Protocol,
    Seq,
    Set,
    all_of,
    enum,
    map_of,
    of,
    parameter,
    record,
    sort,
    strong,
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


def balanced(items: tuple[str, ...], places: tuple[str, ...]) -> dict[str, str]:
    """The first mapping, in the order of `places`, in which no place has two items more than another."""
    each, extra = divmod(len(items), len(places))
    spread = [place for number, place in enumerate(places) for _ in range(each + (number < extra))]
    return dict(zip(items, spread, strict=True))


class Cluster(Protocol):
    """The state of clients and brokers, without the actions."""

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

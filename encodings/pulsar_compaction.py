"""Pulsar's topic compaction: a compactor that crashes between the steps of its second phase.

Source: the TLA+ module compaction of thetumbled/pulsar-tlaplus, in its form with `ModelProducer`. Variables,
actions and states have the names of the module, with its spelling of "Cusror".
"""

from leadline.symbolic.lang import (
    Int,
    Map,
    Option,
    Protocol,
    Seq,
    Set,
    action,
    all_of,
    enum,
    int_range,
    ite,
    map_of,
    of,
    parameter,
    pick,
    record,
    sort,
    weak_next,
)

WEAK_NEXT = "weak-next"

PHASE_ONE = "Compactor_In_PhaseOne"
PHASE_TWO_WRITE = "Compactor_In_PhaseTwoWrite"
PHASE_TWO_UPDATE_CONTEXT = "Compactor_In_PhaseTwoUpdateContext"
PHASE_TWO_UPDATE_HORIZON = "Compactor_In_PhaseTwoUpdateHorizon"
PHASE_TWO_PERSIST_CUSROR = "Compactor_In_PhaseTwoPersistCusror"
PHASE_TWO_DELETE_LEDGER = "Compactor_In_PhaseTwoDeleteLedger"


def producer_modelled(protocol):
    """Whether the producer sends messages one by one."""
    return bool(protocol.model_producer)


def consumer_modelled(protocol):
    """Whether there is a consumer."""
    return bool(protocol.model_consumer)


class PulsarCompaction(Protocol):
    """A compactor copies the latest message of each key to a compacted ledger and then moves the horizon.

    Phase one reads all messages and notes the latest of each key; phase two writes these to a new ledger,
    makes that the topic's (the context), moves the compaction horizon, persists both in a cursor and deletes
    the ledger before. When the broker crashes, the compactor begins anew with what the cursor says. It
    compacts again and again, also where no message is new, until there are no ledger ids left.

    The defaults are the published configuration of the module. As in the module the consumer does nothing, so
    the system never terminates if there is one that must consume.
    """

    message_sent_limit: int = parameter(3, at_least=1, doc="messages that can be sent")
    compaction_times_limit: int = parameter(3, at_least=1, doc="compacted ledgers that can be written")
    keys: int = parameter(2, at_least=0, doc="number of keys; a message may have none besides")
    values: int = parameter(2, at_least=0, doc="number of values; a message may have none besides")
    retain_null_key: bool = parameter(True, doc="whether compaction keeps messages without a key")
    max_crash_times: int = parameter(1, at_least=0, doc="number of times that the broker may crash")
    model_producer: bool = parameter(False, doc="whether messages are sent one by one, or all are at first")
    model_consumer: bool = parameter(False, doc="whether there is a consumer")
    consume_times_limit: int = parameter(2, at_least=0, doc="times that the consumer is to consume")
    fairness: str = parameter(
        "none", choices=("none", WEAK_NEXT), doc="whether a run goes on while anything can change"
    )

    def define(self, state):
        # The module has numbers, 0 for the null key and the null value, and only compares them for equality.
        self.Key = sort("Key", self.keys)
        self.Value = sort("Value", self.values)
        # A message's id is its place in `messages`.
        self.MessageId = Int(1, self.message_sent_limit)
        self.Message = record("Message", key=Option(self.Key), value=Option(self.Value))
        self.LedgerId = Int(1, self.compaction_times_limit)
        self.CompactorState = enum(
            "CompactorState",
            PHASE_ONE,
            PHASE_TWO_WRITE,
            PHASE_TWO_UPDATE_CONTEXT,
            PHASE_TWO_UPDATE_HORIZON,
            PHASE_TWO_PERSIST_CUSROR,
            PHASE_TWO_DELETE_LEDGER,
        )
        # None stands for a key that phase one has not seen, which is not in the domain of the module's map.
        latest_for_key = Map(self.Key, Option(self.MessageId))
        self.PhaseOneResult = record(
            "PhaseOneResult", read_position=self.MessageId, latest_for_key=latest_for_key
        )
        horizon = Int(0, self.message_sent_limit)
        context = Int(0, self.compaction_times_limit)
        self.Cursor = record("Cursor", compaction_horizon=horizon, compacted_topic_context=context)

        state.messages = Seq(self.Message, self.message_sent_limit)
        # The module has the messages themselves. They are some of `messages`, which only grows, in the same
        # order. So the set of their ids says the same, in one bit a message.
        state.compacted_ledgers = Map(self.LedgerId, Option(Set(self.MessageId)))
        state.cursor = Option(self.Cursor)
        state.compactor_state = self.CompactorState
        state.phase_one_result = Option(self.PhaseOneResult)
        state.compaction_horizon = horizon
        state.compacted_topic_context = context
        state.crash_times = Int(0, self.max_crash_times)
        state.consume_times = Int(0, self.consume_times_limit)

    def init(self, start):
        places = range(1, self.message_sent_limit + 1)
        sent = [] if self.model_producer else [start.pick(f"message_{i}", self.Message) for i in places]
        start.messages = of(Seq(self.Message, self.message_sent_limit), *sent)
        start.compacted_ledgers = map_of(self.LedgerId, lambda ledger_id: None)
        start.cursor = None
        start.compactor_state = PHASE_ONE
        start.phase_one_result = None
        start.compaction_horizon = 0
        start.compacted_topic_context = 0
        start.crash_times = 0
        start.consume_times = 0

    @action(when=producer_modelled)
    def producer(self, now, nxt, message=pick("Message")):
        """The producer sends a message of any key and value, or of none."""
        nxt.require(now.messages.length < self.message_sent_limit)
        nxt.messages = now.messages.append(message)

    @action
    def compactor_phase_one(self, now, nxt):
        """The compactor reads all messages there are and notes the latest of each key."""
        nxt.require(now.compactor_state == PHASE_ONE, now.phase_one_result.is_none)
        nxt.require(now.messages.length > 0)
        nxt.phase_one_result = of(
            self.PhaseOneResult,
            read_position=now.messages.length,
            latest_for_key=map_of(self.Key, lambda key: self.latest(now, key)),
        )
        nxt.compactor_state = PHASE_TWO_WRITE

    @action
    def compactor_phase_two_write(self, now, nxt):
        """The compactor writes the messages to keep to a new ledger, if an id is left.

        After a crash it writes another ledger. It only ever deletes the last ledger but one.
        """
        nxt.require(now.phase_one_result.is_some, now.compactor_state == PHASE_TWO_WRITE)
        new_compacted_ledger_id = self.max_compacted_ledger_id(now) + 1
        nxt.require(new_compacted_ledger_id <= self.compaction_times_limit)
        nxt.compacted_ledgers[new_compacted_ledger_id] = self.compact_messages(now)
        nxt.compactor_state = PHASE_TWO_UPDATE_CONTEXT

    @action
    def compactor_phase_two_update_context(self, now, nxt):
        """The new ledger becomes the topic's; the horizon is still that of the ledger before."""
        nxt.require(now.compactor_state == PHASE_TWO_UPDATE_CONTEXT)
        nxt.compactor_state = PHASE_TWO_UPDATE_HORIZON
        nxt.compacted_topic_context = self.max_compacted_ledger_id(now)

    @action
    def compactor_phase_two_update_horizon(self, now, nxt):
        """The compaction horizon moves to the end of what phase one has read."""
        nxt.require(now.compactor_state == PHASE_TWO_UPDATE_HORIZON)
        nxt.compactor_state = PHASE_TWO_PERSIST_CUSROR
        nxt.compaction_horizon = now.phase_one_result.value.read_position

    @action
    def compactor_phase_two_persist_cusror(self, now, nxt):
        """Horizon and context are persisted: a crash no longer undoes this compaction."""
        nxt.require(now.compactor_state == PHASE_TWO_PERSIST_CUSROR)
        nxt.compactor_state = PHASE_TWO_DELETE_LEDGER
        nxt.cursor = of(
            self.Cursor,
            compaction_horizon=now.compaction_horizon,
            compacted_topic_context=now.compacted_topic_context,
        )

    @action
    def compactor_phase_two_delete_ledger(self, now, nxt):
        """The compactor deletes the last ledger but one, if there is one, and is ready for phase one."""
        nxt.require(now.compactor_state == PHASE_TWO_DELETE_LEDGER)
        nxt.compactor_state = PHASE_ONE
        nxt.phase_one_result = None
        max_ledger_id = self.max_compacted_ledger_id(now)
        # Not `> 1`: as in the module it is a mistake to get here without any ledger.
        with nxt.when(max_ledger_id != 1):
            nxt.compacted_ledgers[max_ledger_id - 1] = None

    @action
    def broker_crash(self, now, nxt):
        """The broker crashes: the compactor begins anew, with horizon and context as the cursor has them.

        A ledger that is written and not yet in the cursor stays.
        """
        nxt.require(now.crash_times < self.max_crash_times)
        nxt.crash_times = now.crash_times + 1
        nxt.compactor_state = PHASE_ONE
        nxt.phase_one_result = None
        with nxt.when(now.cursor.is_some):
            nxt.compaction_horizon = now.cursor.value.compaction_horizon
            nxt.compacted_topic_context = now.cursor.value.compacted_topic_context
        with nxt.otherwise():
            nxt.compaction_horizon = 0
            nxt.compacted_topic_context = 0

    @action(when=consumer_modelled)
    def consumer(self, now, nxt):
        """The consumer consumes. The module models nothing of it: nothing changes."""

    @action
    def terminating(self, now, nxt):
        """All is sent and no ledger id is left: nothing needs to happen any more."""
        nxt.require(self.has_terminated(now))

    def fair(self):
        """As published, nothing is fair: a run may stop anywhere. `weak-next` adds `WF_vars(Next)`."""
        if self.fairness == WEAK_NEXT:
            yield weak_next()

    # -- operators ----------------------------------------------------------------------------------------

    def has_terminated(self, now):
        """Whether all is sent and compacted: no ledger id is left."""
        ended = all_of(
            now.messages.length == self.message_sent_limit,
            now.compactor_state == PHASE_TWO_WRITE,
            self.max_compacted_ledger_id(now) == self.compaction_times_limit,
        )
        return ended & (now.consume_times == self.consume_times_limit) if self.model_consumer else ended

    def written_ledgers(self, now):
        """The ids of the ledgers that are written and not deleted."""
        return int_range(1, self.compaction_times_limit).filter(
            lambda ledger_id: now.compacted_ledgers[ledger_id].is_some
        )

    def max_compacted_ledger_id(self, now):
        """The last of these ids, or 0 if there is none."""
        ids = self.written_ledgers(now)
        return ite(ids.is_empty, 0, ids.greatest)

    def latest(self, now, key):
        """The id of the latest message of a key, or None."""
        ids = now.messages.places.filter(lambda i: now.messages[i].key == key)
        return ite(ids.is_empty, None, ids.greatest)

    def compact_messages(self, now):
        """The ids of the messages to keep, by the result of phase one."""
        found = now.phase_one_result.value
        return int_range(1, found.read_position).filter(lambda i: self.is_kept(now, i))

    def is_kept(self, now, i):
        """Whether compaction keeps a message: the latest of its key; one without a key if those are kept."""
        key = now.messages[i].key
        latest_for_key = now.phase_one_result.value.latest_for_key
        return ite(key.is_none, self.retain_null_key, latest_for_key[key.value] == i)

"""What is claimed of Kafka's transactions: the invariants of module kafka_transactions_for_web, and more.

"At 2/2/1/1/1/1" means 2 brokers, 2 clients, 1 transaction id, 1 log partition, 1 topic partition and 1 change
of a coordinator: the defaults, of which TLC says the same. Lengths are in steps.
"""

from __future__ import annotations

from leadline.encodings.kafka_transactions import KafkaTransactions
from leadline.symbolic.lang import BoolExpr, State, forall, invariant, probe

INIT_PID_ERRORS = ("ConcurrentTransactions", "NotCoordinator")
ADD_PARTITIONS_ERRORS = (*INIT_PID_ERRORS, "ProducerFenced", "InvalidProducerIdMapping")


@invariant(KafkaTransactions, tla="TypeOK")
def type_ok(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """The errors that responses tell are among those that are meant for them.

    From `TypeOK` of the module; what else it says of messages is said by their types. Holds: proved by
    induction, and with it that no step is out of bounds, for at most one change of a coordinator and, as
    published, one log partition; with several the mended variant is proved.
    """
    no_other_init_pid = _no_response(protocol, now, "InitPidResponse", *_others(protocol, INIT_PID_ERRORS))
    return no_other_init_pid & _no_response(
        protocol, now, "AddPartitionsToTxnResponse", *_others(protocol, ADD_PARTITIONS_ERRORS)
    )


@invariant(KafkaTransactions)
def no_bad_state_response(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No client that wants a producer id is told of an illegal state or an invalid transition.

    From `NoBadStateResponse` of the module. Holds: proved as `type-ok` is.
    """
    return _no_response(protocol, now, "InitPidResponse", "IllegalState", "InvalidTransition")


@invariant(KafkaTransactions)
def no_invalid_producer_id_mapping(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No producer is told that its transaction id's coordinator has never heard of it.

    Not in the module: it tells the variants apart. As published it fails after 7 steps with 2 log partitions,
    at 2/1/1/2/1/1 already: a broker that leads one forgets its transaction ids when it becomes leader of the
    other. Mended it holds at 2/2/2/2/1/1, and with a single log partition in both variants at 2/2/1/1/1/1.
    """
    return _no_response(protocol, now, "AddPartitionsToTxnResponse", "InvalidProducerIdMapping")


@probe(KafkaTransactions)
def no_producer_fenced(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No producer is told that another with its transaction id has taken over.

    From a comment of the module (at `TestInv`). It fails after 9 steps at 2/2/1/1/1/1 and without changes of
    coordinators. A single client is never fenced at 2/1/1/1/1/1, and with 2 changes after 17 steps: a leader
    can replay an entry of its log that it has twice.
    """
    return _no_response(protocol, now, "AddPartitionsToTxnResponse", "ProducerFenced")


@probe(KafkaTransactions)
def no_epoch_fence_abort(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No coordinator ever logs the completion of an abort.

    Its failure shows that a client's transaction can be aborted for another's sake. It fails after 10 steps
    at 2/2/1/1/1/1 and without changes of coordinators.
    """
    return forall(
        protocol.Broker,
        lambda b: forall(
            protocol.LogPartition,
            lambda p: forall(
                now.tc_log[b][p].places,
                lambda offset: now.tc_log[b][p][offset].transition.state != "CompleteAbort",
            ),
        ),
    )


@probe(KafkaTransactions)
def no_terminated(protocol: KafkaTransactions, now: State) -> BoolExpr:
    """No client ends for an error that it cannot mend.

    It fails after 10 steps at 2/2/1/1/1/1 and without changes of coordinators: a fenced client ends.
    """
    return forall(protocol.Client, lambda c: now.client[c].state != "Terminated")


def _no_response(protocol: KafkaTransactions, now: State, kind: str, *errors: str) -> BoolExpr:
    """No message of that kind tells one of the errors."""
    return forall(now.messages, lambda m: ~(m.is_a(kind) & protocol.is_refused(m.as_a(kind), *errors)))


def _others(protocol: KafkaTransactions, errors: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(error for error in protocol.Error.members if error not in errors)

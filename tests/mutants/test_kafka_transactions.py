"""Coordinators with a mistake put in: each breaks a property that holds of the coordinators without it."""

import pytest

from leadline.encodings.kafka_transactions import Attempt, KafkaTransactions
from leadline.symbolic.catalog import find
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import action, build, ite, map_of, of, pick
from tests.asking import bounded_query, here
from tests.exploring import explore


class LeadsFromNothing(KafkaTransactions):
    """A new leader does not read what the old one knows."""

    @action
    def become_leader(self, now, nxt, b=pick("Broker"), p=pick("LogPartition")):
        """Forgets the transaction ids of the log partition that it begins to lead."""
        nxt.require(now.aux_coord_ctr < self.max_coordinator_changes)
        nxt.require(b != now.tc_log_metadata[b][p].leader)
        epoch = now.txn_log_epoch[p] + 1
        nxt.txn_log_leader[p] = b
        nxt.txn_log_epoch[p] = epoch
        nxt.tc_log_metadata[b][p] = of(self.PartitionMetadata, cepoch=epoch, leader=b)
        nxt.tc_tid_metadata[b] = map_of(self.Tid, lambda tid: None)
        nxt.aux_coord_ctr = now.aux_coord_ctr + 1


class CommitsAlone(KafkaTransactions):
    """A broker that only believes that it leads commits entries without the others."""

    @action
    def commit_txn_log_append(self, now, nxt, b=pick("Broker"), p=pick("LogPartition")):
        """Compares no coordinator epochs."""
        nxt.require(now.tc_log_hwm[p] < now.tc_log[b][p].length, now.tc_log_metadata[b][p].leader == b)
        self.commit_next(now, nxt, b, p)


class KnowsNoPreparedAbort(KafkaTransactions):
    """A coordinator does not expect a client before an abort is complete."""

    def init_pid_transition(self, now, broker, tid, metadata):
        """Leaves out that the client is to try again."""
        attempt = super().init_pid_transition(now, broker, tid, metadata)
        unknown = of(self.Error, "IllegalState")
        return Attempt(ite(metadata.state == "PrepareAbort", unknown, attempt.error), attempt.transition)


MUTANTS = [
    # A client gets its producer id (4) and begins (1), the leader changes (2), and the client, sent away by
    # the old leader (2), asks the new one (2).
    (LeadsFromNothing, {"clients": 1}, "no-invalid-producer-id-mapping", 11),
    # As before, with the change of the leader before the old one commits the client's producer id.
    pytest.param(CommitsAlone, {"clients": 1}, "no-invalid-producer-id-mapping", 11, marks=pytest.mark.slow),
    # A client begins a transaction (7). Another makes the coordinator prepare its abort (3), is told to try
    # again (1), and does so (2) before the abort is complete.
    pytest.param(
        KnowsNoPreparedAbort,
        {"brokers": 1, "max_coordinator_changes": 0},
        "no-bad-state-response",
        13,
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize("solver", ["cadical", pytest.param("z3", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("mutant", "settings", "name", "steps"), MUTANTS)
def test_mutant_is_found(
    mutant: type[KafkaTransactions], settings: dict[str, int], name: str, steps: int, solver: str
) -> None:
    claims = find("kafka-transactions").claims
    sound = explore(Semantics(build(KafkaTransactions(**settings), claims)), [name])
    assert sound.complete
    assert sound.properties[name].violations == 0
    model = build(mutant(**settings), claims)
    assert explore(Semantics(model), [name]).properties[name].steps == steps
    query = bounded_query(model.protocol, steps, settings=settings, properties=(name,), solver=solver)
    (result,) = here(query, model=model)
    assert (result.verdict, result.steps, result.depth) == (Verdict.VIOLATED, steps, steps - 1)

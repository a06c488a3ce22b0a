"""Compactors with a mistake put in: each breaks a property that holds of the compactor without it."""

import pytest

from leadline.encodings.pulsar_compaction import (
    PHASE_ONE,
    PHASE_TWO_DELETE_LEDGER,
    PHASE_TWO_PERSIST_CUSROR,
    PHASE_TWO_UPDATE_HORIZON,
    PulsarCompaction,
)
from leadline.symbolic.catalog import find
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import action, build
from tests.exploring import explore
from tests.truth import bounded


class KeepsAllLedgers(PulsarCompaction):
    """The ledger before the new one is not deleted."""

    @action
    def compactor_phase_two_delete_ledger(self, now, nxt):
        """Deletes nothing."""
        nxt.require(now.compactor_state == PHASE_TWO_DELETE_LEDGER)
        nxt.compactor_state = PHASE_ONE
        nxt.phase_one_result = None


class MovesHorizonToTheEnd(PulsarCompaction):
    """The horizon moves past messages that were sent after phase one had read."""

    @action
    def compactor_phase_two_update_horizon(self, now, nxt):
        """Takes the number of messages where it should take the read position."""
        nxt.require(now.compactor_state == PHASE_TWO_UPDATE_HORIZON)
        nxt.compactor_state = PHASE_TWO_PERSIST_CUSROR
        nxt.compaction_horizon = now.messages.length


class PersistsTooEarly(PulsarCompaction):
    """The cursor may be persisted one phase too early."""

    @action
    def compactor_phase_two_persist_cusror(self, now, nxt):
        """Does not wait for the horizon to move."""
        state = now.compactor_state
        nxt.require((state == PHASE_TWO_UPDATE_HORIZON) | (state == PHASE_TWO_PERSIST_CUSROR))
        nxt.compactor_state = PHASE_TWO_DELETE_LEDGER
        nxt.cursor = {
            "compaction_horizon": now.compaction_horizon,
            "compacted_topic_context": now.compacted_topic_context,
        }


class KeepsHorizonInCrash(PulsarCompaction):
    """After a crash the horizon is ahead of the ledger that the cursor tells of."""

    @action
    def broker_crash(self, now, nxt):
        """Takes only the context from the cursor."""
        nxt.require(now.crash_times < self.max_crash_times)
        nxt.crash_times = now.crash_times + 1
        nxt.compactor_state = PHASE_ONE
        nxt.phase_one_result = None
        with nxt.when(now.cursor.is_some):
            nxt.compacted_topic_context = now.cursor.value.compacted_topic_context
        with nxt.otherwise():
            nxt.compaction_horizon = 0
            nxt.compacted_topic_context = 0


SMALL = {"message_sent_limit": 2, "compaction_times_limit": 2, "keys": 1, "values": 0}
NO_CRASHES = {**SMALL, "message_sent_limit": 1, "compaction_times_limit": 3, "max_crash_times": 0}

MUTANTS = [
    # Two compactions of six steps; phase one and the write of the third.
    (KeepsAllLedgers, NO_CRASHES, "compacted-ledger-leak", 14),
    # A message, phase one, a message that it has not read, and three steps to the horizon.
    (MovesHorizonToTheEnd, {**SMALL, "model_producer": True}, "compaction-horizon-correctness", 6),
    # Phase one, write, context, and then the cursor instead of the horizon.
    (PersistsTooEarly, SMALL, "type-safe", 4),
    # A message and its compaction, another message and the compaction to its horizon, a crash.
    pytest.param(
        KeepsHorizonInCrash,
        {**SMALL, "model_producer": True},
        "compaction-horizon-correctness",
        13,
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("mutant", "settings", "name", "steps"), MUTANTS)
def test_mutant_is_found(
    mutant: type[PulsarCompaction], settings: dict[str, int | bool], name: str, steps: int
) -> None:
    claims = find("pulsar-compaction").claims
    sound = explore(Semantics(build(PulsarCompaction(**settings), claims)), [name])
    assert sound.complete
    assert sound.properties[name].violations == 0
    model = build(mutant(**settings), claims)
    assert explore(Semantics(model), [name]).properties[name].steps == steps
    for solver in ("cadical", "z3"):
        result = bounded(model, solver, steps)[name]
        assert (result.verdict, result.steps, result.depth) == (Verdict.VIOLATED, steps, steps - 1)

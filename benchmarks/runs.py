"""Claims about runs that TLC was asked about, with its verdict and its seconds.

The rows are those of `tests/data/liveness.json`: the published modules, with the seconds of one run of TLC.
Leadline's seconds are of the machine that runs the benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from leadline.symbolic.lang import Setting

_AT: TypeAlias = tuple[str, dict[str, Setting]]


class RunsCase(NamedTuple):
    """A claim about runs at some parameters.

    Attributes:
        name: as the command line and the records call it.
        protocol: the protocol's name.
        parameters: the parameters.
        property: the property's name.
        tlc: the seconds that TLC took.
        holds: whether the claim holds.
    """

    name: str
    protocol: str
    parameters: Mapping[str, Setting]
    property: str
    tlc: float
    holds: bool = True


def _named(protocol: str, names: str, *values: Setting, **more: Setting) -> _AT:
    return protocol, {**dict(zip(names.split(), values, strict=True)), **more}


def _transactions(*values: Setting, **more: Setting) -> _AT:
    names = "clients brokers transaction_ids log_partitions topic_partitions max_coordinator_changes"
    return _named("kafka-transactions", names, *values, **more)


def _commit(*values: Setting) -> _AT:
    return _named("two-phase-commit", "resource_managers rm_may_fail tm_may_fail", *values)


def _compaction(*values: Setting, **more: Setting) -> _AT:
    names = (
        "message_sent_limit compaction_times_limit keys values max_crash_times model_producer model_consumer "
        "consume_times_limit retain_null_key"
    )
    return _named("pulsar-compaction", names, *values, **more)


def _spanner(*values: Setting) -> _AT:
    return _named("spanner-transactions", "transactions tt_init_abs tt_max_si tt_interval", *values)


RUNS = (
    RunsCase(
        "runs-transactions-pid-111110",
        *_transactions(1, 1, 1, 1, 1, 0, fairness="as-published"),
        "all-clients-get-pid",
        5.1,
    ),
    RunsCase(
        "runs-transactions-pid-121111",
        *_transactions(1, 2, 1, 1, 1, 1, fairness="as-published"),
        "all-clients-get-pid",
        6.4,
    ),
    RunsCase(
        "runs-transactions-pid-221110",
        *_transactions(2, 2, 1, 1, 1, 0, fairness="as-published"),
        "all-clients-get-pid",
        8.3,
    ),
    RunsCase(
        "runs-transactions-pid-221110-unfair",
        *_transactions(2, 2, 1, 1, 1, 0, fairness="none"),
        "all-clients-get-pid",
        7.0,
        holds=False,
    ),
    RunsCase(
        "runs-transactions-pid-221111",
        *_transactions(2, 2, 1, 1, 1, 1, fairness="as-published"),
        "all-clients-get-pid",
        27.9,
        holds=False,
    ),
    RunsCase(
        "runs-transactions-pid-222110-unfair",
        *_transactions(2, 2, 2, 1, 1, 0, fairness="none"),
        "all-clients-get-pid",
        5.3,
        holds=False,
    ),
    RunsCase(
        "runs-transactions-partitions-111110",
        *_transactions(1, 1, 1, 1, 1, 0, fairness="as-published"),
        "one-client-adds-all-partitions",
        3.8,
    ),
    RunsCase(
        "runs-transactions-partitions-211110",
        *_transactions(2, 1, 1, 1, 1, 0, fairness="as-published"),
        "one-client-adds-all-partitions",
        6.1,
    ),
    RunsCase(
        "runs-transactions-partitions-221110",
        *_transactions(2, 2, 1, 1, 1, 0, fairness="as-published"),
        "one-client-adds-all-partitions",
        7.8,
    ),
    RunsCase(
        "runs-transactions-partitions-221110-unfair",
        *_transactions(2, 2, 1, 1, 1, 0, fairness="none"),
        "one-client-adds-all-partitions",
        4.7,
        holds=False,
    ),
    RunsCase(
        "runs-transactions-partitions-222110",
        *_transactions(2, 2, 2, 1, 1, 0, fairness="as-published"),
        "one-client-adds-all-partitions",
        8.6,
    ),
    RunsCase(
        "runs-transactions-partitions-222110-unfair",
        *_transactions(2, 2, 2, 1, 1, 0, fairness="none"),
        "one-client-adds-all-partitions",
        6.1,
        holds=False,
    ),
    RunsCase("runs-commit-ends-1FF", *_commit(1, False, False), "termination", 2.0),
    RunsCase("runs-commit-ends-1FT", *_commit(1, False, True), "termination", 1.9),
    RunsCase("runs-commit-ends-1TF", *_commit(1, True, False), "termination", 2.7),
    RunsCase("runs-commit-ends-1TT", *_commit(1, True, True), "termination", 3.0),
    RunsCase("runs-commit-ends-2FF", *_commit(2, False, False), "termination", 2.1),
    RunsCase("runs-commit-ends-2TF", *_commit(2, True, False), "termination", 19.9),
    RunsCase("runs-commit-ends-3FF", *_commit(3, False, False), "termination", 11.4),
    RunsCase("runs-commit-decided-1FF", *_commit(1, False, False), "completed", 5.4),
    RunsCase("runs-commit-decided-1FT", *_commit(1, False, True), "completed", 5.4),
    RunsCase("runs-commit-decided-1TF", *_commit(1, True, False), "completed", 6.8),
    RunsCase("runs-commit-decided-1TT", *_commit(1, True, True), "completed", 7.8),
    RunsCase("runs-commit-decided-2FF", *_commit(2, False, False), "completed", 8.0),
    RunsCase("runs-commit-decided-2FT", *_commit(2, False, True), "completed", 12.6),
    RunsCase("runs-commit-decided-2TT", *_commit(2, True, True), "completed", 36.0),
    RunsCase("runs-commit-decided-3FT", *_commit(3, False, True), "completed", 51.1),
    RunsCase(
        "runs-compaction-ends-22111FF1T",
        *_compaction(2, 2, 1, 1, 1, False, False, 1, True, fairness="weak-next"),
        "termination",
        3.6,
    ),
    RunsCase(
        "runs-compaction-ends-32211FF1T",
        *_compaction(3, 2, 2, 1, 1, False, False, 1, True, fairness="weak-next"),
        "termination",
        8.5,
    ),
    RunsCase(
        "runs-compaction-ends-23112TF1T",
        *_compaction(2, 3, 1, 1, 2, True, False, 1, True, fairness="weak-next"),
        "termination",
        6.6,
    ),
    RunsCase(
        "runs-compaction-ends-22111FF1T-unfair",
        *_compaction(2, 2, 1, 1, 1, False, False, 1, True, fairness="none"),
        "termination",
        2.9,
        holds=False,
    ),
    RunsCase(
        "runs-compaction-ends-22110TF1T-unfair",
        *_compaction(2, 2, 1, 1, 0, True, False, 1, True, fairness="none"),
        "termination",
        2.5,
        holds=False,
    ),
    RunsCase(
        "runs-compaction-ends-22111TT2T-unfair",
        *_compaction(2, 2, 1, 1, 1, True, True, 2, True, fairness="none"),
        "termination",
        2.4,
        holds=False,
    ),
    RunsCase(
        "runs-compaction-ends-32211FF1T-unfair",
        *_compaction(3, 2, 2, 1, 1, False, False, 1, True, fairness="none"),
        "termination",
        3.5,
        holds=False,
    ),
    RunsCase("runs-spanner-done-nonconflict-111", *_spanner("nonconflict", 1, 1, 1), "done", 11.7),
    RunsCase("runs-spanner-done-nonconflict-121", *_spanner("nonconflict", 1, 2, 1), "done", 18.7),
    RunsCase("runs-spanner-done-circular-111", *_spanner("circular", 1, 1, 1), "done", 59.1),
)
"""The claims."""

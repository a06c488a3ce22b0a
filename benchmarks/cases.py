"""The cases of `leadline bench`: a fixed table, so that two runs measure the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leadline.benchmarks.ways import LASSOS, PROOFS, RUN_PROOFS, SEARCHES, USUAL, WITHOUT_SORTS
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import Setting

TIMEOUT = 60.0
"""Seconds for one measurement, where a case does not say otherwise."""

HARDEST = 300.0
"""The same for the cases whose times are compared with what hardly ends."""

MEMORY_MB = 8000
"""Megabytes of address space for one measurement."""

LIVENESS = Path(__file__).with_name("liveness.json")
"""TLC's verdicts on claims about runs of the published modules, and the seconds of one run."""


@dataclass(frozen=True)
class Case:
    """One question, put to several ways to an answer.

    Attributes:
        name: as the command line and the records call it.
        protocol: the protocol's name.
        parameters: the parameters that differ from their defaults.
        property: the property's name.
        expected: violated; safe within the layers; or proved for all depths.
        steps: how many steps to look ahead; for a violation no shorter than a shortest counterexample; 0
            for a proof.
        sweeps: how many sweeps to look ahead; 0 for a proof.
        ways: the ways that make sense here.
        shortest: the length of a shortest counterexample in steps, where it is known.
        growth: the picture of growth with parameters that this case is a point of, as "protocol: what is
            asked; by which parameters"; None for a case that is in none.
        point: its place there, for a person to read.
        deep: whether there is a picture of its growth with depth.
        quick: whether it belongs to the small table of `--quick`.
        timeout: seconds for one measurement.
        cpu: CPU seconds within which PDR is to prove it, where there is a target.
        tlc: of a claim about runs, the seconds that TLC took for it.
    """

    name: str
    protocol: str
    parameters: Mapping[str, Setting]
    property: str
    expected: Verdict
    steps: int
    sweeps: int
    ways: tuple[str, ...]
    shortest: int | None = None
    growth: str | None = None
    point: str = ""
    deep: bool = False
    quick: bool = False
    timeout: float = TIMEOUT
    cpu: float | None = None
    tlc: float | None = None


def _finds(
    name: str,
    protocol: str,
    parameters: dict[str, Setting],
    claim: str,
    steps: int,
    *,
    known: bool = True,
    ways: tuple[str, ...] = USUAL,
    **more: Any,
) -> Case:
    """A case with a violation, `known` to take so many steps at the least, or else at the most."""
    frozen = MappingProxyType(parameters)
    shortest = steps if known else None
    return Case(name, protocol, frozen, claim, Verdict.VIOLATED, steps, 12, ways, shortest=shortest, **more)


def _refutes(
    name: str,
    protocol: str,
    parameters: dict[str, Setting],
    claim: str,
    steps: int,
    sweeps: int,
    *,
    ways: tuple[str, ...] = USUAL,
    **more: Any,
) -> Case:
    """A case without a violation."""
    return Case(
        name, protocol, MappingProxyType(parameters), claim, Verdict.SAFE, steps, sweeps, ways, **more
    )


def _proves(
    name: str,
    protocol: str,
    parameters: dict[str, Setting],
    claim: str,
    cpu: float | None = None,
    **more: Any,
) -> Case:
    """A case that is proved for all depths, without strengthenings."""
    frozen = MappingProxyType(parameters)
    return Case(name, protocol, frozen, claim, Verdict.PROVED, 0, 0, PROOFS, cpu=cpu, **more)


def _about_runs(row: dict[str, Any]) -> Case:
    """A case about runs: a lasso is found by sweeps, a claim that holds is proved."""
    holds = row["result"] == "holds"
    verdict, sweeps, ways = (Verdict.PROVED, 0, RUN_PROOFS) if holds else (Verdict.VIOLATED, 12, LASSOS)
    about = row["name"], row["protocol"], MappingProxyType(row["parameters"]), row["property"]
    return Case(*about, verdict, 0, sweeps, ways, tlc=row["tlc_seconds"])


def _kafka(variant: str, sizes: str) -> tuple[str, dict[str, Setting]]:
    """Kafka's replication at replicas/log/records/epochs."""
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    return "kafka-replication", {
        "variant": variant,
        **dict(zip(names, map(int, sizes.split("/")), strict=True)),
    }


def _compaction(messages: int, keys_and_values: int) -> tuple[str, dict[str, Setting]]:
    return "pulsar-compaction", {
        "message_sent_limit": messages,
        "keys": keys_and_values,
        "values": keys_and_values,
        "max_crash_times": 3,
    }


def _backup(managers: int) -> tuple[str, dict[str, Setting]]:
    return "two-phase-commit", {"variant": "backup-manager", "resource_managers": managers}


def _managers(managers: int) -> tuple[str, dict[str, Setting]]:
    return "two-phase-commit", {"resource_managers": managers}


def _transactions(clients: int, brokers: int, transaction_ids: int) -> tuple[str, dict[str, Setting]]:
    sizes = {"clients": clients, "brokers": brokers, "transaction_ids": transaction_ids}
    return "kafka-transactions", dict(sizes)


# Where plain steps and the explorer would only show that they are lost.
_LARGE = (*SEARCHES, "sweeps/cadical/no-symmetry", "explore", "tlc", "apalache")
_SMALL_REFUTED = (*USUAL, "sweeps/z3/no-symmetry")

_FIRST_TRY = "kip-320-first-try"
_MENDED = "mended-handle-vote"
_REPLICATION = "kafka-replication: strong-isr of KIP-320's first try, found; by replicas/log/records/epochs"
_COMPACTION = "pulsar-compaction: compacted-ledger-leak, found; by messages/keys and values"
_COMMITTED = "two-phase-commit: not-committed, found; by number of resource managers"

CASES = (
    _finds(
        "kip-320-first-try-3222",
        *_kafka(_FIRST_TRY, "3/2/2/2"),
        "strong-isr",
        12,
        growth=_REPLICATION,
        point="3/2/2/2",
        deep=True,
        timeout=HARDEST,
    ),
    _finds(
        "kip-320-first-try-3444",
        *_kafka(_FIRST_TRY, "3/4/4/4"),
        "strong-isr",
        12,
        known=False,
        growth=_REPLICATION,
        point="3/4/4/4",
    ),
    _finds(
        "kip-320-first-try-3666",
        *_kafka(_FIRST_TRY, "3/6/6/6"),
        "strong-isr",
        12,
        known=False,
        ways=_LARGE,
        growth=_REPLICATION,
        point="3/6/6/6",
    ),
    _finds(
        "kip-320-first-try-5444",
        *_kafka(_FIRST_TRY, "5/4/4/4"),
        "strong-isr",
        12,
        known=False,
        ways=_LARGE,
        growth=_REPLICATION,
        point="5/4/4/4",
    ),
    _finds(
        "kip-320-first-try-5666",
        *_kafka(_FIRST_TRY, "5/6/6/6"),
        "strong-isr",
        12,
        known=False,
        ways=_LARGE,
        growth=_REPLICATION,
        point="5/6/6/6",
    ),
    _finds("kip-101-3222", *_kafka("kip-101", "3/2/2/2"), "strong-isr", 10),
    _finds("kip-279-3222", *_kafka("kip-279", "3/2/2/2"), "strong-isr", 10),
    _finds(
        "truncate-to-high-watermark-2222",
        *_kafka("truncate-to-high-watermark", "2/2/2/2"),
        "strong-isr",
        9,
        quick=True,
    ),
    _finds(
        "truncate-to-high-watermark-3222",
        *_kafka("truncate-to-high-watermark", "3/2/2/2"),
        "strong-isr",
        8,
    ),
    _refutes("kip-320-2222", *_kafka("kip-320", "2/2/2/2"), "strong-isr", 9, 6, ways=_SMALL_REFUTED),
    _refutes(
        "kip-320-3222",
        *_kafka("kip-320", "3/2/2/2"),
        "strong-isr",
        12,
        6,
        ways=_SMALL_REFUTED,
        deep=True,
        timeout=HARDEST,
    ),
    _finds(
        "compaction-leak-32",
        *_compaction(3, 2),
        "compacted-ledger-leak",
        8,
        growth=_COMPACTION,
        point="3/2",
        quick=True,
    ),
    _finds(
        "compaction-leak-43",
        *_compaction(4, 3),
        "compacted-ledger-leak",
        8,
        known=False,
        growth=_COMPACTION,
        point="4/3",
    ),
    _finds(
        "compaction-leak-63",
        *_compaction(6, 3),
        "compacted-ledger-leak",
        8,
        known=False,
        growth=_COMPACTION,
        point="6/3",
    ),
    _finds("backup-manager-2", *_backup(2), "consistency", 24, ways=WITHOUT_SORTS, deep=True, quick=True),
    _finds("backup-manager-4", *_backup(4), "consistency", 28, known=False, ways=WITHOUT_SORTS),
    _finds(
        "not-committed-2",
        *_managers(2),
        "not-committed",
        11,
        ways=WITHOUT_SORTS,
        growth=_COMMITTED,
        point="2",
        quick=True,
    ),
    _finds(
        "not-committed-3",
        *_managers(3),
        "not-committed",
        15,
        known=False,
        ways=WITHOUT_SORTS,
        growth=_COMMITTED,
        point="3",
    ),
    _finds(
        "not-committed-5",
        *_managers(5),
        "not-committed",
        19,
        known=False,
        ways=WITHOUT_SORTS,
        growth=_COMMITTED,
        point="5",
    ),
    _finds("backup-not-committed-2", *_backup(2), "not-committed", 13, ways=WITHOUT_SORTS),
    _finds("no-producer-fenced", *_transactions(2, 2, 1), "no-producer-fenced", 9),
    _finds("no-epoch-fence-abort", *_transactions(2, 2, 1), "no-epoch-fence-abort", 10),
    _finds("no-terminated", *_transactions(2, 2, 1), "no-terminated", 10),
    _finds(
        "no-epoch-fence-abort-332",
        *_transactions(3, 3, 2),
        "no-epoch-fence-abort",
        10,
        known=False,
        ways=_LARGE,
    ),
    _refutes("leases-3", "spanner-leases", {"replicas": 3}, "disjointness", 10, 8, deep=True),
    _refutes("leases-4", "spanner-leases", {"replicas": 4, "tt_max_si": 6}, "disjointness", 10, 8),
    _finds("leases-5", "spanner-leases", {"replicas": 5}, "disjointness", 17, known=False),
    _refutes(
        "spanner-nonconflict",
        "spanner-transactions",
        {"transactions": "nonconflict"},
        "strict-serializability",
        12,
        8,
        ways=WITHOUT_SORTS,
    ),
    _refutes(
        "spanner-circular",
        "spanner-transactions",
        {"transactions": "circular"},
        "strict-serializability",
        12,
        8,
        ways=WITHOUT_SORTS,
    ),
    _proves("prove-commit-7", *_managers(7), "consistency", 8),
    _proves("prove-commit-12", *_managers(12), "consistency"),
    _proves("prove-leases-5", "spanner-leases", {"replicas": 5, "variant": _MENDED}, "disjointness", 3),
    _proves(
        "prove-compaction-43",
        "pulsar-compaction",
        {"message_sent_limit": 4, "keys": 3},
        "compaction-horizon-correctness",
        8,
    ),
    _proves("prove-kip-320-2222", *_kafka("kip-320", "2/2/2/2"), "strong-isr", 3, quick=True),
    _proves("prove-kip-320-3222", *_kafka("kip-320", "3/2/2/2"), "strong-isr", 60, timeout=HARDEST),
    _proves("prove-kip-320-2444", *_kafka("kip-320", "2/4/4/4"), "strong-isr", timeout=HARDEST),
    _proves("prove-transactions", "kafka-transactions", {}, "no-bad-state-response"),
    _proves(
        "prove-nonconflict", "spanner-transactions", {"transactions": "nonconflict"}, "strict-serializability"
    ),
    *map(_about_runs, json.loads(LIVENESS.read_text(encoding="utf-8"))),
)
"""Every case, those that are compared with each other side by side."""

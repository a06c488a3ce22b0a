"""The page of what is known to hold, proved without strengthenings."""

from pathlib import Path

import pytest

from leadline.benchmarks import proofs, proved
from leadline.benchmarks.proving import Proof, Task, prove

KIP = {"replicas": 2}


def test_rows_that_are_proved_stand_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "proofs.md"
    assert proved.main(["--only", "values = 0", "--limit", "60", "--out", str(page)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 and all("| proved |" in line and line.endswith(" | |") for line in told)
    text = page.read_text()
    assert "3 of 3 rows are proved" in text
    assert 'leadline.benchmarks.proved --limit 60 --seed 0 --only "values = 0" --out' in text
    assert text.splitlines()[-3:] == told


def test_a_row_that_is_not_proved_says_what_stopped_it() -> None:
    found = prove(Task("kafka-replication", KIP, "strong-isr", limit=0.1))
    assert found.verdict == "unknown" and found.reason == "time: 0.1 CPU seconds"
    row = next(row for row in proved.rows() if row.name == "kafka-replication strong-isr replicas = 2")
    assert "| unknown | " in proved._line(row, found)
    assert proved._line(row, found).endswith("| time: 0.1 CPU seconds |")


def test_a_proof_that_crashes_says_so() -> None:
    found = prove(Task("kafka-replication", KIP, "no-such", limit=10))
    assert found.verdict == "unknown" and found.reason == "crash: KeyError: 'no-such'"


def test_rows_hold_at_the_defaults_and_no_violated_one_is_among_them() -> None:
    names = [row.name for row in proved.rows()]
    assert len(names) == len(set(names))
    assert "kafka-transactions type-ok" in names and "two-phase-commit consistency" in names
    assert "spanner-leases disjointness replicas = 5" not in names
    assert not [name for name in names if "leader-in-isr" in name or "not-committed" in name]


def test_proofs_are_told_with_what_the_other_solver_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(proofs, "prove", lambda task: Proof("proved", 1.0, 3, 40, None, 5, 9, 4))
    assert proofs.main(["prove-leases-5", "--recheck"]) == 0
    assert "minimized to 4 orbits; Z3 refuses nothing" in capsys.readouterr().out
    monkeypatch.setattr(proofs, "prove", lambda task: Proof("unknown", 1.0, 3, 40, "time: 9 CPU seconds"))
    assert proofs.main(["prove-leases-5"]) == 1
    assert "time: 9 CPU seconds" in capsys.readouterr().out

"""The page of what is known to hold, proved without strengthenings."""

from pathlib import Path

import pytest

from leadline.benchmarks import proofs, proved
from leadline.benchmarks.proving import Proof, Task, prove

KIP = {"replicas": 2}


@pytest.mark.slow
def test_rows_that_are_proved_stand_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are measured once, and kept with the revision and the machine."""
    page, store = tmp_path / "proofs.md", tmp_path / "proofs.jsonl"
    options = ["--only", "values = 0", "--limit", "60", "--store", str(store), "--out", str(page)]
    assert proved.main(options) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 and all("| proved |" in line and line.endswith(" | |") for line in told)
    text, kept = page.read_text(), store.read_text()
    assert "3 of 3 rows are proved" in text
    assert f"- 3 rows at revision {proved.revision()} on " in text
    assert 'leadline.benchmarks.proved --limit 60 --seed 0 --only "values = 0" --store' in text
    assert text.splitlines()[-3:] == told
    assert proved.main(options) == 0
    assert (store.read_text(), page.read_text()) == (kept, text)


def measured(proof: Proof, limit: float = 60, seed: int = 0) -> proved.Measured:
    return proved.Measured("two-phase-commit consistency", limit, seed, "abc", "2026-11-22", "here", proof)


def test_what_a_larger_limit_may_prove_is_measured_again() -> None:
    stopped, held = Proof("unknown", 60.0, reason="time: 60 CPU seconds"), Proof("proved", 1.0, clauses=3)
    assert measured(stopped).answers(60, 0) and not measured(stopped).answers(61, 0)
    assert measured(held).answers(61, 0) and not measured(held).answers(60, 1)


def test_the_page_of_a_store_has_what_is_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the last of what was measured; a process that ends loses nothing."""
    page, store = tmp_path / "proofs.md", tmp_path / "proofs.jsonl"
    for proof in (Proof("unknown", 9.0, reason="crash: no"), Proof("proved", 1.5, 3, 40, None, 5, 9)):
        proved._keep(store, measured(proof))
    options = [
        "--stored",
        "--only",
        "two-phase-commit consistency",
        "--store",
        str(store),
        "--out",
        str(page),
    ]
    assert proved.main(options) == 0
    told = capsys.readouterr().out.splitlines()
    text = page.read_text()
    assert "| two-phase-commit | defaults | consistency | proved | 1.5 | 9 | 5 | abc | |" in told
    assert "1 of 5 rows are proved, in 1.5 to 2 s, together 2 s. 4 rows not measured." in text
    assert text.count("| not measured | | | | | |") == 4


def test_proofs_of_a_grid_are_rows_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = tmp_path / "own.toml"
    grid.write_text(
        '[[check]]\nprotocol = "transaction-commit"\nengines = ["pdr"]\nproperties = "consistency"\n'
        "parameters = { resource_managers = [2, 4] }\n"
        '[[check]]\nprotocol = "two-phase-commit"\ndepth = 3\n'
    )
    options = [
        "--stored",
        "--only",
        "transaction-commit",
        "--grid",
        str(grid),
        "--out",
        str(tmp_path / "p.md"),
    ]
    assert proved.main(options) == 0
    above, below = (tmp_path / "p.md").read_text().split("\n## own.toml\n")
    assert [row.name for row in proved.grid_rows(grid)] == [
        "transaction-commit consistency",
        "transaction-commit consistency resource_managers = 4",
    ]
    assert "0 of 2 rows are proved. 2 rows not measured." in below and "two-phase" not in below
    assert "| transaction-commit | defaults | consistency | not measured |" in above


@pytest.mark.slow
def test_a_row_that_is_not_proved_says_what_stopped_it() -> None:
    found = prove(Task("kafka-replication", KIP, "strong-isr", limit=0.1))
    assert found.verdict == "unknown" and found.reason == "time: 0.1 CPU seconds"
    row = next(row for row in proved.rows() if row.name == "kafka-replication strong-isr")
    assert "| unknown | " in proved._line(row, measured(found))
    assert proved._line(row, measured(found)).endswith("| abc | time: 0.1 CPU seconds |")


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
    monkeypatch.setattr(proofs, "prove", lambda task: Proof("proved", 1.0, 3, 40, None, 5, 9, ()))
    assert proofs.main(["prove-leases-5", "--recheck"]) == 0
    assert "Z3 refuses nothing" in capsys.readouterr().out
    monkeypatch.setattr(proofs, "prove", lambda task: Proof("unknown", 1.0, 3, 40, "time: 9 CPU seconds"))
    assert proofs.main(["prove-leases-5"]) == 1
    assert "time: 9 CPU seconds" in capsys.readouterr().out

"""`leadline bench` from end to end, on the smallest case."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from leadline.benchmarks import cases
from leadline.benchmarks.record import SCHEMA
from leadline.symbolic.cli import main
from tests.benchmarks.rows import case


def bench(out: Path, *arguments: str) -> int:
    return main(["bench", "--out", str(out), *arguments])


def test_a_case_is_measured_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ("--case", "not-committed-2", "--way", "sweeps/cadical", "--way", "explore")
    assert bench(tmp_path, *chosen, "--repeats", "1", "--baseline", "explore", "--targets") == 0
    told = capsys.readouterr().out
    lines = [line.split() for line in told.splitlines()]
    (swept,) = [line for line in lines if line[:2] == ["not-committed-2", "sweeps/cadical"]]
    (explored,) = [line for line in lines if line[:1] == ["explore"]]
    assert swept[2] == "violated" and "violated in 11 steps" in told
    assert explored[explored.index("steps") + 3] == "1.00x"
    (faster,) = [line for line in told.splitlines() if "at least 20 times faster" in line]
    assert "not measured" in faster and faster.endswith("open")

    rows = pq.read_table(tmp_path / "bench.parquet").to_pylist()
    assert all(row["cores"] >= 1 and row["total_memory_mb"] > 100 for row in rows)
    assert all(row["verdict"] == "violated" and row["as_expected"] and row["seconds"] > 0 for row in rows)
    by_way = {row["way"]: row for row in rows}
    assert set(by_way) == {"sweeps/cadical", "explore"}
    assert by_way["explore"]["steps"] == 11 and by_way["explore"]["depth"] == 10
    assert [point["states"] for point in by_way["explore"]["points"]][:3] == [1, 2, 4]
    assert by_way["sweeps/cadical"]["clauses"] == by_way["sweeps/cadical"]["points"][-1]["clauses"]

    columns = pq.read_schema(tmp_path / "bench.parquet")
    assert columns.equals(SCHEMA)
    assert all(columns.field(name).metadata[b"doc"] for name in columns.names)
    assert "| not-committed-2 | sweeps/cadical | violated in " in (tmp_path / "bench.md").read_text()
    picture = ElementTree.parse(tmp_path / "parameters-two-phase-commit.svg").getroot()
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.slow
def test_what_is_stopped_is_recorded_and_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--case", "kip-320-3222", "--way", "explore")
    assert bench(tmp_path, *chosen, "--repeats", "2", "--timeout", "0.5") == 0
    assert "> 0.50" in capsys.readouterr().out
    (row,) = pq.read_table(tmp_path / "bench.parquet").to_pylist()
    assert (row["ended"], row["verdict"], row["timeout_seconds"]) == ("time", "unknown", 0.5)
    assert row["reason"] == "time: stopped after 0.5 s" and row["as_expected"]


def test_a_wrong_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = replace(case("not-committed-2"), shortest=10)
    monkeypatch.setattr(cases, "CASES", (wrong,))
    assert bench(tmp_path, "--way", "explore", "--repeats", "1") == 255
    captured = capsys.readouterr()
    assert "violated in 11 steps (WRONG)" in captured.out
    assert (
        "not-committed-2 by explore: violated in 11 steps (WRONG), expected is violated in 10" in captured.err
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--case", "no-such"],
            "--case no-such: there is no such case; there are\n  kip-320-first-try-3222\n",
        ),
        (["--way", "sweeps/cadica"], "there is no way sweeps/cadica: there are steps/z3, "),
        (["--baseline", "stairs"], "there is no way stairs: "),
        (["--case", "leases-3", "--quick"], "leave --quick out"),
        (["--case", "leases-3", "--way", "sweeps/z3/no-symmetry"], "none of these cases is measured by"),
        (["--repeats", "0"], "an integer, at least 1"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert bench(tmp_path / "new", *arguments) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_command_that_is_not_there_is_no_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bench(tmp_path, "--way", "tlc") == 2
    assert "--way tlc: there is no command tlc on the PATH" in capsys.readouterr().err

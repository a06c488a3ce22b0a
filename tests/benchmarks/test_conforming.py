"""The table of long logs."""

from __future__ import annotations

import re

import pytest

from leadline.benchmarks import conforming


@pytest.mark.slow
def test_a_right_log_conforms_and_an_altered_one_differs_at_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    conforming.main(["--events", "60"])
    lines = capsys.readouterr().out.splitlines()
    right, wrong = ([cell.strip() for cell in row.split("|")[1:-1]] for row in lines[2:4])
    assert right[1:3] == ["Leadline, right", "conforms"]
    altered, refused = re.search(r"\d+", wrong[1]), re.search(r"does not conform \(line (\d+)\)", wrong[2])
    assert altered and refused and 54 < int(altered.group()) <= int(refused.group(1))
    assert lines[5] == "60 events, the altered line:"
    assert "the log says" in lines[6], "the field is named"

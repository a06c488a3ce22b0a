"""The example notebooks run from their first cell to their last, and show what they should."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.api.notebooks import NOTEBOOKS, ROOT, RUN


def executed(notebook: Path, folder: Path) -> list[dict[str, Any]]:
    """The cells of a notebook after it has run in a folder."""
    done = folder / "done.ipynb"
    # A process of its own: what Jupyter warns of is not our concern.
    command = [sys.executable, "-c", RUN, str(notebook), str(done)]
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    cells: list[dict[str, Any]] = json.loads(done.read_text())["cells"]
    return cells


def shown(cells: list[dict[str, Any]], kind: str) -> list[str]:
    """The outputs of one kind."""
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return ["".join(output["data"][kind]) for output in outputs if kind in output.get("data", {})]


def test_the_notebooks_are_stored_without_outputs() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"conform", "first-protocol", "grid"}
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_the_logs_of_a_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Jupyter, which takes seconds to start; the tests of the wheel run all notebooks in it."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "how-to" / "conform.md").read_text()
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "docs" / "notebooks" / "conform.ipynb").read_text())["cells"]:
        text = "".join(cell["source"])
        if text.startswith("%%writefile "):
            head, content = text.split("\n", 1)
            name = head.split()[1]
            assert f"# {name}\n{content}\n```" in page, "the files are those of the how-to page"
            Path(name).write_text(content)
        elif cell["cell_type"] == "code":
            exec(compile(text, cell["id"], "exec"), names)
    assert len(names["found"].run.steps) == 10


@pytest.mark.slow
def test_the_first_protocol(tmp_path: Path) -> None:
    cells = executed(ROOT / "docs" / "notebooks" / "first-protocol.ipynb", tmp_path)
    pages = shown(cells, "text/html")
    assert any('<td class="verdict violated">violated (' in page for page in pages)
    assert any("Write(worker = w2)" in page for page in pages)
    assert any('<td class="verdict proved">' in page for page in pages)
    assert any("place[w1]" in page for page in pages), "the table of pandas"


@pytest.mark.slow
def test_the_grid(tmp_path: Path) -> None:
    cells = executed(ROOT / "docs" / "notebooks" / "grid.ipynb", tmp_path)
    assert any('<table class="map">' in page for page in shown(cells, "text/html"))
    assert "Violated where" in (tmp_path / "counter-grid.html").read_text()

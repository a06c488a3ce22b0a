"""Traces, certificates and stores are data: no command runs a Python file that they name."""

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.cost import CostModel
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import answer
from tests.cli.conftest import Leadline
from tests.grid.rows import row

EVIL = "from pathlib import Path\nPath({marker!r}).touch()\n"
NAMES = (
    "evil.py",
    "./evil.py",
    "{folder}/evil.py",
    "evil.py:Counter",
    "evil",
    "evil.Counter",
    "../{last}/evil",
)
"""Names of a file in the working directory: as a command line takes them, as Python does, as nobody does."""

PAIRS = [
    *((name, name) for name in NAMES),
    *((name, "counter") for name in NAMES),
    *(("counter", name) for name in NAMES),
    ("two-phase-commit", "evil.py"),
    ("evil.py", "two-phase-commit"),
    ("\0", "\0"),
    ("x" * 5000, "y" * 5000),
    ("", ""),
]
GRID = """[[check]]
protocol = "counter.py"
properties = ["not-negative", "below-three"]
kinds = ["induction"]
parameters = { top = 2 }
"""

Marker = Callable[[], bool]


@pytest.fixture
def marker(leadline: Leadline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Marker:
    """A trap in the working directory, which is on Python's path; says whether it ran."""
    path = tmp_path / "it-ran"
    text = EVIL.format(marker=str(path)) + (tmp_path / "counter.py").read_text()
    for name in ("evil.py", "evil_offer.py", "pdb_evil.py"):
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    return path.exists


def named(data: dict[str, Any], protocol: str, source: str, folder: Path) -> dict[str, Any]:
    own = {"folder": str(folder), "last": folder.name}
    return {**data, "protocol": protocol.format(**own), "source": source.format(**own)}


def test_the_trap_works(leadline: Leadline, marker: Marker) -> None:
    leadline("show", "evil.py")
    assert marker()


def test_no_trace_and_no_certificate_runs_a_file(leadline: Leadline, marker: Marker, tmp_path: Path) -> None:
    leadline("check", "counter.py", "--property", "below-three", "--format", "json", "--out", "t.json")
    leadline("prove", "counter.py", "-p", "top=2", "--property", "not-negative", "--out", "p.json")
    (result,) = json.loads(Path("t.json").read_text())["results"]
    proof = json.loads(Path("p.json").read_text())
    for protocol, source in PAIRS:
        Path("t.json").write_text(json.dumps(named(result["trace"], protocol, source, tmp_path)))
        Path("p.json").write_text(json.dumps(named(proof, protocol, source, tmp_path)))
        for command in (("trace", "t.json"), ("prove", "--recheck", "p.json")):
            ran = leadline(*command)
            assert (ran.code, ran.out) == (2, ""), (protocol, source)
            assert "Traceback" not in ran.err
            if "two-phase-commit" not in (protocol, source):
                assert f"leadline {' '.join(command)} --protocol " in ran.err
            assert not marker(), (command, protocol, source)


def test_no_store_runs_a_file(leadline: Leadline, marker: Marker, tmp_path: Path) -> None:
    leadline("check", "counter.py", "--property", "below-three", "--format", "json", "--out", "t.json")
    trace = json.loads(Path("t.json").read_text())["results"][0]["trace"]
    store = Store(tmp_path / "store")
    store.create()
    for number, (protocol, source) in enumerate(PAIRS[:-3]):
        of = named({}, protocol, source, tmp_path)
        place = f"traces/{number}.json"
        text = json.dumps(named(trace, protocol, source, tmp_path))
        store.keep(row(query=f"q{number}", trace=place, **of), {place: text})
    for command in (
        ("report", "store", "--out", "r.html"),
        ("report", "store", "--out", "r.html", "--protocol", "counter.py"),
        *(("results", "store", "--format", form) for form in ("table", "json", "sarif")),
        ("results", "store", "--baseline", "store"),
        ("results", "store", "--compact"),
        ("trace", "store/traces/0.json"),
    ):
        assert leadline(*command).code in (0, 2)
        assert not marker(), command


def test_a_report_replays_what_the_command_line_names(leadline: Leadline, tmp_path: Path) -> None:
    leadline("check", "counter.py", "--property", "below-three", "--format", "json", "--out", "t.json")
    trace = json.loads(Path("t.json").read_text())["results"][0]["trace"]
    store = Store(tmp_path / "store")
    store.create()
    store.keep(row(trace="traces/t.json", source="counter.py"), {"traces/t.json": json.dumps(trace)})

    def note(*more: str) -> str:
        assert leadline("report", "store", "--out", "r.html", *more).code == 0
        return Path("r.html").read_text()

    command = f"leadline trace {store.folder / 'traces/t.json'} --protocol counter.py"
    assert "lacks what a page needs, and not replayed; leadline trace " in note()
    assert "Replayed step by step as this page was written" in note("--protocol", "counter.py")
    assert leadline(*command.split()[1:]).code == 0
    shutil.copy("counter.py", "other.py")
    Path("other.py").write_text(Path("other.py").read_text().replace("now.count < 3", "now.count < 2"))
    changed = note("--protocol", "other.py")
    assert "It does not replay here: counter has changed since it was written" in changed
    ran = leadline(*command.split()[1:-1], "other.py")
    assert (ran.code, "the protocol has changed since" in ran.err) == (0, True)
    assert main(["report", "store", "--out", "r.html", "--protocol", "nowhere.py"]) == 2
    Path("q.traces").touch()
    ran = leadline("report", "store", "--out", "q.html", "--protocol", "counter.py")
    assert ran.code == 2 and ran.err.endswith(".html: Not a directory\n")


def test_a_grid_loads_what_its_file_names(leadline: Leadline, marker: Marker, tmp_path: Path) -> None:
    """All is answered by an earlier run, and the certificate is missing; the rows name another file."""
    Path("grid.toml").write_text(GRID)
    store = Store(tmp_path / "store")
    store.create()
    queries = plan(Path("grid.toml"), CostModel()).queries
    for query in queries:
        found = answer(query, "run-1", None)
        assert found.row.verdict == "proved"
        store.keep(Row(**{**asdict(found.row), "source": str(tmp_path / "evil.py")}))
    ran = leadline("grid", "grid.toml", "--store", "store")
    assert ran.code == 0, ran.err
    assert not marker()
    certificates = [json.loads(path.read_text()) for path in Path("store", "certificates").iterdir()]
    assert len(certificates) == 2
    assert {one["source"] for one in certificates} == {str(tmp_path / "counter.py")}

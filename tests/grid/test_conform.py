"""Grids that ask whether the logs in a folder conform."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines.ask.result import Cause
from leadline.symbolic.grid import task
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.runs import new_run
from leadline.symbolic.grid.store import Store
from leadline.symbolic.grid.task import Errand
from leadline.symbolic.grid.witnesses import answers
from tests.grid.planned import mistakes, planned

GRID = """
[[check]]
protocol = "counter.py"
engines = ["conform"]
logs = "runs"
"""
COUNTS = [{"action": "CountUp", "after": {"count": count}} for count in (1, 2)]


def written(path: Path, lines: list[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def logs(folder: Path) -> Path:
    """Logs: one that conforms, one of two nodes that does not, one that is none."""
    written(folder / "runs" / "right.ndjson", [*COUNTS])
    written(folder / "runs" / "wrong" / "a.ndjson", [COUNTS[0], {"action": "CountUp", "after": {"count": 3}}])
    written(folder / "runs" / "wrong" / "b.ndjson", [])
    (folder / "runs" / "broken.ndjson").write_text('{"action": "CountUp"}\nno JSON\n')
    (folder / "runs" / ".hidden").write_text("no log")
    return folder


def ids(text: str = GRID, path: str = "grid.toml") -> dict[str, str]:
    return {one.property: one.id for one in planned(text, path).queries}


def test_a_changed_log_is_another_question(logs: Path) -> None:
    before = ids()
    assert before.keys() == {"runs/right.ndjson", "runs/wrong", "runs/broken.ndjson"}
    written(logs / "runs" / "wrong" / "b.ndjson", [COUNTS[0]])
    after = ids()
    assert {name for name in before if before[name] != after[name]} == {"runs/wrong"}
    (logs / "elsewhere").mkdir()
    for name in ("runs", "counter.py"):
        shutil.move(name, "elsewhere")
    assert ids(path="elsewhere/grid.toml") == after, "the place of a log is no part of the question"


def test_the_map_and_the_hidden_steps_belong_to_the_question(logs: Path) -> None:
    Path("map.toml").write_text('[log]\naction = "action"\n')
    several = f'{GRID}map = "map.toml"\nhidden = [0, 2]\nby = ["values", "solver"]\n'
    made = planned(several).queries
    assert len({one.id for one in made}) == 12
    right = [one for one in made if "right" in one.property]
    assert {one.property for one in right} == {
        "runs/right.ndjson, map.toml",
        "runs/right.ndjson, map.toml, 2 hidden",
    }
    assert {one.question for one in right} == {"conform, by values", "conform, by solver"}
    Path("map.toml").write_text('[log]\naction = "action"\nskip = ["action == 1"]\n')
    assert not {one.id for one in made} & {one.id for one in planned(several).queries}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GRID.replace("runs", "run"), "check[1].logs: run: there is no such folder"),
        (
            GRID.replace("runs", "counter.py"),
            "check[1].logs: counter.py: a folder is needed, and this is a file",
        ),
        (GRID.replace("runs", "nothing"), "check[1].logs: nothing: there are no logs in this folder"),
        (GRID.replace('"runs"', "3"), "check[1].logs: a path as text is needed, not 3"),
        (
            GRID.replace('logs = "runs"', ""),
            'check[1].logs: is missing: write logs = "FOLDER", a folder with logs',
        ),
        (
            f'{GRID}map = "map.toml"\n',
            "check[1].map: {folder}/map.toml cannot be read: No such file or directory",
        ),
        (
            f'{GRID}map = "wrong.toml"\n',
            "check[1].map: at its defaults: the map: counter has no action `CountUpp`: did you mean `CountUp`?",
        ),
        (
            GRID.replace('engines = ["conform"]', ""),
            "check[1].logs: means nothing for kinds = bounded: leave it out",
        ),
        (f"{GRID}deadlock = true\n", "check[1].deadlock: means nothing for kinds = conform: leave it out"),
        (
            f"{GRID}by = 'magic'\n",
            'check[1].by: there is no way "magic": choose of auto, values, circuits, solver',
        ),
        (f"{GRID}hidden = -1\n", "check[1].hidden: an integer in 0..1000 is needed, not -1"),
    ],
)
def test_mistakes(logs: Path, text: str, told: str) -> None:
    (logs / "nothing").mkdir()
    Path("wrong.toml").write_text('[actions]\nup = "CountUpp"\n')
    assert mistakes(text) == [told.replace("{folder}", str(logs))]


def test_answers(logs: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]) -> None:
    Path("grid.toml").write_text(GRID)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 20
    out = capsys.readouterr().out
    assert "failed: 1 of 3 logs of counter, such as runs/wrong of counter at" in out
    rows = {one.property: one for one in Store(Path("kept")).all().rows.values()}
    verdicts = {name: (one.kind, one.verdict, one.depth) for name, one in rows.items()}
    assert verdicts == {
        "runs/right.ndjson": ("log", "proved", 2),
        "runs/wrong": ("log", "violated", 1),
        "runs/broken.ndjson": ("log", "unknown", 0),
    }
    assert rows["runs/wrong"].steps == 1
    assert str(rows["runs/wrong"].reason).splitlines() == [
        "runs/wrong/a.ndjson:2: no step explains this, after 1 of 2 events",
        '{"action": "CountUp", "after": {"count": 3}}',
        "CountUp(node = n1): count would be 2, and the log says 3",
        "nearest: CountUp(node = n1) is possible, but count would be 2, and the log says 3",
    ]
    broken = rows["runs/broken.ndjson"]
    assert (broken.cause, str(broken.reason)[:35]) == (Cause.LOG, "runs/broken.ndjson:2 is not JSON: E")
    assert not answers(Store(Path("kept")), [one.query for one in rows.values()]).warnings

    asked.clear()
    written(logs / "runs" / "right.ndjson", [*COUNTS, {"action": "CountUp"}])
    assert main(["grid", "grid.toml", "--store", "kept", "--replay"]) == 20
    assert [one.property for one in asked] == ["runs/right.ndjson"], (
        "only the log that was changed is asked again"
    )


def test_a_report_shows_the_event_and_the_objections(
    logs: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text(GRID)
    main(["grid", "grid.toml", "--store", "kept"])
    assert main(["report", "kept", "--protocol", "counter.py", "--out", "all.html", "--svg", "maps.svg"]) == 0
    page = Path("all.html").read_text()
    objection = "CountUp(node = n1): count would be 2, and the log says 3"
    assert "<p>1 of 3 logs conform.</p>" in page
    assert objection in page
    (run,) = Path("all.traces").iterdir()
    assert objection in run.read_text()
    assert f"all.traces/{run.name}" in page
    assert "logs: 3 queries: 1 does not conform, 1 unknown, 1 conforms" in Path("maps.svg").read_text()
    capsys.readouterr()
    assert main(["results", "kept", "--format", "junit"]) == 0
    assert 'failures="1" errors="1"' in capsys.readouterr().out


def test_a_log_that_changes_after_the_plan_is_told(logs: Path) -> None:
    (query,) = (one for one in planned(GRID).queries if one.property == "runs/right.ndjson")
    written(logs / "runs" / "right.ndjson", [COUNTS[0]])
    row = task.answer(query, new_run(), None).row
    assert (row.verdict, row.cause) == ("unknown", Cause.CHANGED)
    assert row.reason == "changed: runs/right.ndjson was changed since the grid was planned"


def test_a_machine_without_the_files_gets_them_by_value(logs: Path) -> None:
    Path("map.toml").write_text('[log]\naction = "action"\n')
    (query,) = (one for one in planned(f'{GRID}map = "map.toml"\n').queries if "wrong" in one.property)
    files = query.query.options.contents()
    shutil.rmtree("runs")
    Path("map.toml").unlink()
    errand = Errand(query, new_run(), None, logs / "kept", "sign", task.answer)
    assert errand.do().row.cause == Cause.CHANGED
    row = replace(errand, files=files).do().row
    assert row.verdict == "violated"
    assert str(row.reason).startswith("runs/wrong/a.ndjson:2: no step explains this")


def test_a_refusal_makes_other_ways_moot(logs: Path, asked: list[GridQuery]) -> None:
    Path("grid.toml").write_text(f'{GRID}by = ["values", "solver"]\n')
    main(["grid", "grid.toml", "--store", "kept"])
    rows = [one for one in Store(Path("kept")).all().rows.values() if one.property == "runs/wrong"]
    assert sorted((one.verdict, one.reason == "does not conform") for one in rows) == [
        ("moot", True),
        ("violated", False),
    ]
    assert len(plan(Path("grid.toml")).queries) == 6

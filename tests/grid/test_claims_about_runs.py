"""Claims about runs in grids: asked of each engine, kept with stem and loop, replayed, pruned, reported."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from tests.grid.rows import local

LAMP = Path(__file__).parent.parent / "protocols" / "lamp.py"

GRID = """
solver = "cadical"
depth = 6
unroll = ["steps", "sweeps"]

[[check]]
protocol = "lamp.py:Lamp"
properties = ["is-plugged", "wears-out", "stays-worn", "stays-lit", "is-a-plug", "lamp-is-the-plug"]
kinds = ["bounded", "explore", "pdr"]
parameters = { fairness = "weak-next" }

[[check]]
protocol = "lamp.py:Lamp"
properties = ["is-plugged"]
kinds = ["bounded", "explore", "pdr"]
parameters = { fairness = "none" }
"""
FEWER = """
[[check]]
protocol = "lamp.py:Lamp"
properties = ["is-plugged", "wears-out"]
kinds = ["bounded", "explore", "pdr"]
split = 2
depth = 6
solver = "cadical"
parameters = { fairness = ["none", "weak-next"] }
"""
GOES_ON, STOPS = '{"fairness":"weak-next"}', '{"fairness":"none"}'


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that is filled once for all tests."""
    return tmp_path_factory.mktemp("once") / "kept"


@pytest.fixture
def kept(folder: Path, asked: list[GridQuery], once: Path) -> Store:
    """A store in which every query is answered, also those that another answer makes moot."""
    shutil.copy(LAMP, folder)
    Path("grid.toml").write_text(GRID)
    if not once.exists():
        assert main(["grid", "grid.toml", "--no-prune", "--store", str(once)]) == 0
    shutil.copytree(once, "kept")
    asked.clear()
    return Store(Path("kept"))


def rows(store: Store, name: str, parameters: str = GOES_ON) -> list[Row]:
    every = store.all().rows.values()
    return [row for row in every if (row.property, row.parameters) == (name, parameters)]


def test_every_engine_gives_the_verdict(kept: Store) -> None:
    wanted = {
        ("is-plugged", GOES_ON): "holds",
        ("is-plugged", STOPS): "violated",
        ("wears-out", GOES_ON): "violated",
        ("stays-worn", GOES_ON): "holds",
        ("stays-lit", GOES_ON): "violated",
        ("is-a-plug", GOES_ON): "holds",
        ("lamp-is-the-plug", GOES_ON): "violated",
    }
    for (name, parameters), verdict in wanted.items():
        found = {(row.engine, row.unroll): row.verdict for row in rows(kept, name, parameters)}
        proved, safe = ("proved", "safe") if verdict == "holds" else ("violated", "violated")
        assert found == {
            ("bmc", "steps"): safe,
            ("bmc", "sweeps"): safe,
            ("explore", None): proved,
            ("pdr", None): proved,
        }


def test_rows_have_stem_and_loop(kept: Store) -> None:
    (row,) = (row for row in rows(kept, "wears-out") if row.engine == "explore")
    assert (row.kind, row.steps, row.stem, row.loop) == ("temporal", 3, 1, 2)
    for row in rows(kept, "is-plugged", STOPS):
        assert (row.steps, row.stem, row.loop) == (row.steps, row.steps, 1)
    for row in (*rows(kept, "stays-lit"), *rows(kept, "lamp-is-the-plug")):
        assert (row.steps, row.stem, row.loop) == (3, None, None)
    assert {row.kind for row in kept.all().rows.values()} == {"temporal", "step", "refinement"}


def test_nothing_is_asked_twice_and_all_is_replayed(
    kept: Store, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    traces = len([*Path("kept", "traces").iterdir()])
    assert main(["grid", "grid.toml", "--no-prune", "--store", "kept", "--replay"]) == 0
    assert f"replayed: {traces} counterexamples, 3 certificates" in capsys.readouterr().err
    assert asked == []


EDITS = {
    "another loop": ({"stem": 0, "loop": 3}, "another loop: 1, not 0"),
    "no loop": ({"stem": None, "loop": None}, "another loop: 1, not None"),
    "a loop that is too long": ({"loop": 3}, "it has a loop of 3 after 1 of 3 steps"),
    "a loop without a run": ({"verdict": "safe", "steps": None, "trace": None}, "a loop without a run"),
}
SLOW = {"no loop", "a loop without a run"}


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        pytest.param(*one, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name, one in EDITS.items()
    ],
)
def test_a_row_that_was_edited(
    edit: dict[str, int | None],
    why: str,
    kept: Store,
    asked: list[GridQuery],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (row,) = (row for row in rows(kept, "wears-out") if row.engine == "explore")
    kept.keep(replace(row, **edit))  # type: ignore[arg-type]  # fields of many types
    assert main(["grid", "grid.toml", "--no-prune", "--store", "kept"]) == 0
    assert why in capsys.readouterr().err
    assert [query.id for query in asked] == [row.query]


def test_one_answer_is_enough(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    """A violation makes every other query moot that would find it too, a proof those that prove nothing."""
    shutil.copy(LAMP, folder)
    Path("grid.toml").write_text(FEWER)
    assert all(query.obligation is None for query in plan(Path("grid.toml")).queries)
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    told = capsys.readouterr().out
    assert "violated in 3 steps, back to state 1" in told or "violated in 4 steps, back to state 2" in told
    assert "violated in 0 steps, then stops" in told
    about = [query for query in asked if query.property == "is-plugged"]
    assert len(about) < 6, "some of the six queries at two points are moot"


def test_documents_for_others(kept: Store, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["results", "kept", "--where", "property == 'wears-out' and fairness == 'weak-next'"]
    capsys.readouterr()
    assert main([*run, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(row["stem"], row["loop"]) for row in found} >= {(1, 2)}
    assert main([*run, "--format", "junit"]) == 0
    (failure,) = Xml.fromstring(capsys.readouterr().out).iter("failure")
    assert failure.get("message") == "violated in 3 steps, back to state 1"
    assert main([*run, "--format", "sarif"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert (result["properties"]["stem"], result["properties"]["loop"]) == (1, 2)
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] > 1


def test_a_loop_that_is_new_fails_as_liveness(kept: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code against a baseline is TLC's: 13 for a claim about runs or steps."""
    shutil.copytree("kept", "before")
    before = Store(Path("before"))
    for name, code in (("wears-out", 13), ("stays-lit", 13)):
        for row in rows(before, name):
            whole = row.depth_asked is None
            good = {"verdict": "proved" if whole else "safe", "depth": row.depth_asked or -1}
            before.keep(replace(row, **good, steps=None, stem=None, loop=None, trace=None))  # type: ignore[arg-type]
        where = f"property == '{name}' and fairness == 'weak-next'"
        assert main(["results", "kept", "--baseline", "before", "--where", where]) == code
    assert "worse: wears-out of lamp" in capsys.readouterr().out


def test_the_report_shows_the_loop(kept: Store) -> None:
    """Also where the user's file may not be loaded, so that the trace is shown as it is stored."""
    for row in kept.all().rows.values():
        if row.parameters == STOPS:
            next(local(kept.results).glob(f"{row.query}.*")).unlink()
    for more, last in (
        (["--protocol", "lamp.py:Lamp"], "Back to state 1, for ever: WearsOut is false of this run"),
        ([], "Back to state 1, for ever: WearsOut is false of this run"),
    ):
        assert main(["report", "kept", "--out", "report.html", *more]) == 0
        page = Path("report.html").read_text(encoding="utf-8")
        assert last in page and "violated in 3 steps, back to state 1" in page
        pages = [one.read_text(encoding="utf-8") for one in Path("report.traces").iterdir()]
        assert sum('"loop": 1' in one or '"loop":1' in one for one in pages) == 1


def test_known_facts_decide_whether_a_loop_is_expected(
    folder: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("grid.toml").write_text(
        '[[check]]\nprotocol = "pulsar-compaction"\nproperties = "termination"\nkinds = "explore"\n'
        'parameters = { fairness = ["none", "weak-next"] }\n'
    )
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    capsys.readouterr()
    assert main(["results", "kept"]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == "2 as expected, of 2 cells"
    (stops,) = [row for row in Store(Path("kept")).all().rows.values() if row.verdict == "violated"]
    assert (stops.steps, stops.stem, stops.loop) == (0, 0, 1)

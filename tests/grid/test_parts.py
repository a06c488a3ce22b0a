"""Checks that are cut into parts: a row for each part, and one verdict for all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines import BmcOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.grid.cells import cells, joined, obligations_of
from leadline.symbolic.grid.pruning import Pruning
from leadline.symbolic.grid.query import GridQuery, options_json
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from tests.grid.planned import mistakes, planned
from tests.grid.queries import finding, query
from tests.grid.rows import local, row

# The parts of this check have a counterexample each, one of two steps and one of three.
FORK = """
from leadline.symbolic.lang import Int, Protocol, action, invariant, ite

class Fork(Protocol):
    def define(self, state):
        state.place = Int(0, 9)

    def init(self, start):
        start.place = 0

    @action
    def slow(self, now, nxt):
        nxt.require((now.place != 5) & (now.place < 9))
        nxt.place = now.place + 1

    @action
    def fast(self, now, nxt):
        nxt.require(now.place == 0)
        nxt.place = 5

    @action
    def last(self, now, nxt):
        nxt.require(now.place == 5)
        nxt.place = 3

@invariant(Fork)
def not_three(protocol, now):
    return now.place != 3

@invariant(Fork)
def below_nine(protocol, now):
    return now.place < 9
"""

GRID = """
solver = "cadical"
[[check]]
protocol = "fork.py"
properties = "PROPERTY"
depth = 6
split = 2
"""


@pytest.fixture
def grid(folder: Path, asked: list[GridQuery]) -> Path:
    (folder / "fork.py").write_text(FORK)
    path = folder / "grid.toml"
    path.write_text(GRID.replace("PROPERTY", "below-nine"))
    return path


def part(name: str, verdict: str, split: int = 3, **changes: Any) -> Row:
    """A row about a part of a check of ten steps."""
    options = options_json(BmcOptions(10, split=split, cube=(name,)))
    return row(query=name, obligation=name, options=options, verdict=verdict, **changes)


SAFE = [part(name, "safe") for name in "abc"]
STOPPED = part("c", "unknown", reason="time: stopped after 9 s", depth=7)
FOUND = part("c", "violated", steps=4, depth=3, trace="traces/c.json")
LONGER = part("b", "violated", steps=6, depth=5, trace="traces/b.json")
MOOT = [part(name, "moot", depth=-1, reason="violated in 4 steps") for name in "ab"]
OUTSIDE = part("b", "out-of-bounds", steps=3, depth=10, trace="traces/b.json", reason="4 is not in 0..3")


@pytest.mark.parametrize(
    ("rows", "verdict", "steps", "depth", "reason"),
    [
        (SAFE, "safe", None, 10, None),
        (SAFE[:2], "unknown", None, -1, "1 of 3 parts have no answer"),
        ([*SAFE[:2], STOPPED], "unknown", None, 7, "time: stopped after 9 s; 1 of 3 parts have no answer"),
        ([*SAFE[:2], FOUND], "violated", 4, 3, None),
        ([*SAFE[:1], LONGER, FOUND], "violated", 4, 3, None),
        ([*MOOT, FOUND], "violated", 4, -1, "perhaps not the shortest: 2 of 3 parts have no answer"),
        ([SAFE[0], OUTSIDE, FOUND], "violated", 4, 3, None),
        ([SAFE[0], OUTSIDE, SAFE[2]], "out-of-bounds", 3, 10, "4 is not in 0..3"),
        (
            [*MOOT, part("c", "moot", reason="proved", depth=-1)],
            "moot",
            None,
            -1,
            "violated in 4 steps",
        ),
    ],
)
def test_parts_are_put_together(
    rows: list[Row], verdict: str, steps: int | None, depth: int, reason: str | None
) -> None:
    (whole,) = joined(rows)
    assert (whole.verdict, whole.steps, whole.depth, whole.reason) == (verdict, steps, depth, reason)
    assert whole.obligation is None and whole.question() == "10 steps, in 3 parts"
    assert whole.task_seconds == len(rows)
    assert whole.contradiction() is None
    assert joined([whole]) == [whole]


def test_other_questions_stay_apart() -> None:
    """Of another cut, another solver, another model: each is a question of its own."""
    others = [
        *(part(name, "safe", split=2) for name in "ab"),
        *(part(name, "safe", solver="cadical") for name in "abc"),
        part("a", "safe", fingerprint="g"),
        row(query="whole"),
    ]
    found = joined([*SAFE, *others])
    assert [one.verdict for one in found] == ["safe", "safe", "safe", "unknown", "violated"]
    assert [one.question() for one in found[:2]] == ["10 steps, in 3 parts", "10 steps, in 2 parts"]


def test_a_part_alone_makes_no_cell_safe() -> None:
    (cell,) = cells(SAFE[:2], {})
    assert (cell.verdict, cell.answered) == ("unknown", False)
    (cell,) = cells(SAFE, {})
    assert (cell.verdict, cell.text()) == ("safe", "safe within 10 steps")


# -- plans and pruning ----------------------------------------------------------------------------------


def parts(text: str) -> list[str | None]:
    return [one.obligation for one in planned(text).in_file_order()]


def test_a_plan_has_a_query_for_each_part(grid: Path) -> None:
    todo = planned(grid.read_text())
    assert [one.obligation for one in todo.in_file_order()] == ["slow", "fast"]
    assert {one.query.options.parts for one in todo.queries} == {2}
    assert len({one.id for one in todo.queries}) == 2
    assert obligations_of(todo.queries) == {}, "they are no proof"
    assert parts(grid.read_text().replace("split = 2", "split = [1, 2]")) == [None, "slow", "fast"]
    assert parts(grid.read_text().replace("depth = 6", "depth = 0")) == [None], "there is nothing to cut"


def test_sweeps_are_not_cut(grid: Path) -> None:
    (told,) = mistakes(grid.read_text().replace("split = 2", 'split = 2\nunroll = "sweeps"'))
    assert told.startswith("check[1].split: only steps are cut into parts")
    (told,) = mistakes(grid.read_text().replace("split = 2", "split = 0"))
    assert told.startswith("check[1].split: an integer in 1..1000 is needed")


def test_a_counterexample_in_a_part_stops_the_others() -> None:
    one, two, whole = (query(depth=5, split=2, cube=x) for x in (("a",), ("b",), ()))
    shallower = query(depth=2, split=2, cube=("b",))
    pruning = Pruning([one, two, whole, shallower])
    assert set(pruning.learn(finding(one, "violated", 2, 3))) == {two.id, whole.id}


def test_a_part_that_is_safe_stops_nothing() -> None:
    one, two = (query(depth=5, split=2, cube=x) for x in (("a",), ("b",)))
    assert not Pruning([one, two]).learn(finding(one, "safe", 5))


def test_a_proof_makes_all_parts_moot() -> None:
    one, two = (query(depth=5, split=2, cube=x) for x in (("a",), ("b",)))
    proof = query(options=PdrOptions())
    assert Pruning([one, two, proof]).learn(finding(proof, "proved")).keys() == {one.id, two.id}


# -- the command ----------------------------------------------------------------------------------------


def test_all_parts_are_safe(grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert len(asked) == 2
    out = capsys.readouterr().out
    assert " ".join(out.splitlines()[2].split()[:-3]) == (
        "below-nine 6 steps, in 2 parts cadical safe within 6 steps"
    )
    assert "1 query: 1 safe" in out
    assert main(["results", "kept"]) == 0
    out = capsys.readouterr().out
    assert "6 steps, in 2 parts" in out and "1 query: 1 safe" in out
    assert main(["results", "kept", "--format", "junit"]) == 0
    (case,) = ElementTree.fromstring(capsys.readouterr().out).iter("testcase")
    assert not list(case), "it passes"


def test_only_missing_parts_are_asked_again(
    grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["grid", "grid.toml", "--store", "kept"])
    store, missing = Store(Path("kept")), asked[1]
    asked.clear()
    (path,) = local(store.results).glob(f"{missing.id}.*")
    path.unlink()
    capsys.readouterr()
    assert main(["results", "kept", "--format", "junit"]) == 0
    (case,) = ElementTree.fromstring(capsys.readouterr().out).iter("testcase")
    (error,) = case
    assert error.tag == "error" and "1 of 2 parts have no answer" in error.attrib["message"]
    assert main(["grid", "grid.toml", "--store", "kept"]) == 0
    assert asked == [missing]
    assert "1 query: 1 safe" in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--no-prune"]])
def test_a_counterexample_is_one_of_the_whole(
    options: list[str], grid: Path, asked: list[GridQuery], capsys: pytest.CaptureFixture[str]
) -> None:
    grid.write_text(GRID.replace("PROPERTY", "not-three"))
    assert main(["grid", "grid.toml", "--store", "kept", *options]) == 0
    assert len(asked) == (2 if options else 1)
    out = capsys.readouterr().out
    # Without pruning the shortest of all parts counts.
    found = "violated in 2 steps" if options else f"violated in {3 if asked[0].obligation == 'slow' else 2}"
    assert found in out and "1 query: 1 violated" in out
    # Its counterexample replays, and the row stands.
    asked.clear()
    assert main(["grid", "grid.toml", "--store", "kept", "--replay", *options]) == 0
    assert not asked
    assert main(["report", "kept", "--protocol", "fork.py", "--out", "page.html"]) == 0
    assert "Replayed step by step" in Path("page.html").read_text()

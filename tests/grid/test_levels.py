"""Exploration level by level over shards: the numbers and paths of one search, whatever is lost on the way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.ask.query import Query
from leadline.symbolic.engines.explore.circuits import CircuitExplorer
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.grid import levels
from leadline.symbolic.grid.levels import Divided, LevelErrand
from leadline.symbolic.grid.spark import ClassicLink
from leadline.symbolic.lang import UserError
from leadline.symbolic.meaning import Exploration
from leadline.symbolic.tla import origin
from tests.tla.modules import MAILBOX, MAILBOX_CFG

CASES: list[tuple[str, dict[str, Any], tuple[str, ...], ExploreOptions]] = [
    (
        "two-phase-commit",
        {"resource_managers": 1},
        ("consistency", "not-committed"),
        ExploreOptions(depth=11),
    ),
    (
        "kafka-replication",
        {"replicas": 2, "variant": "kip-101"},
        ("strong-isr", "weak-isr"),
        ExploreOptions(),
    ),
    ("pulsar-compaction", {}, ("compacted-ledger-leak",), ExploreOptions(depth=5)),
]


def numbers(found: Exploration) -> object:
    """The part of a result that does not depend on the order of states."""
    lengths = {
        name: (
            one.steps,
            None if one.out_of_bounds is None else len(one.out_of_bounds),
            one.why,
            one.violations,
        )
        for name, one in found.properties.items()
    }
    return (
        (found.states, found.states_within_steps, found.complete, found.generated, found.actions, lengths),
        (found.deadlocks, found.deadlock and len(found.deadlock)),
        (found.steps_out_of_bounds, found.out_of_bounds and len(found.out_of_bounds)),
    )


def here(errand: LevelErrand) -> list[bytes]:
    """Do an errand in each shard, in this process."""
    return [errand.do(number) for number in range(errand.shards)]


def divided(case: int, folder: Path, shards: int) -> Divided:
    protocol, settings, names, options = CASES[case]
    model = model_of(find(protocol), settings)
    return Divided(model, Query(protocol, settings, names, options), folder, shards)


def explored(
    case: int, folder: Path, shards: int, do: Callable[[LevelErrand], list[bytes]] = here
) -> Exploration:
    made = divided(case, folder, shards)
    return made.summary(made.run(do, lambda *_: None))


def whole(case: int) -> Exploration:
    protocol, settings, names, options = CASES[case]
    explorer = CircuitExplorer(
        Semantics(model_of(find(protocol), settings)), names, options.depth, lambda _: None, None
    )
    explorer.run()
    return explorer.summary()


@pytest.mark.parametrize("case", [0, pytest.param(1, marks=pytest.mark.slow), 2])
def test_the_numbers_are_those_of_one_search(case: int, tmp_path: Path) -> None:
    assert numbers(explored(case, tmp_path, 3)) == numbers(whole(case))


def test_shards_that_are_lost_are_made_again(tmp_path: Path) -> None:
    chance = random.Random(1)

    def do(errand: LevelErrand) -> list[bytes]:
        found = []
        for number in range(errand.shards):
            if chance.random() < 0.2:
                levels._HELD.clear()  # a worker is lost
            found.append(errand.do(number))
            if chance.random() < 0.2:
                found[-1] = errand.do(number)  # its answer is lost
        return found

    assert numbers(explored(0, tmp_path, 2, do)) == numbers(whole(0))


def test_a_driver_goes_on_where_it_was(tmp_path: Path) -> None:
    done: list[int] = []

    def until(last: int) -> Callable[[LevelErrand], list[bytes]]:
        def do(errand: LevelErrand) -> list[bytes]:
            if errand.depth > last:
                raise KeyboardInterrupt
            done.append(errand.depth)
            return here(errand)

        return do

    with pytest.raises(KeyboardInterrupt):
        explored(0, tmp_path, 2, until(7))
    levels._HELD.clear()
    assert numbers(explored(0, tmp_path, 2, until(1000))) == numbers(whole(0))
    assert done == [*range(len(done))], "no level is gone through twice"
    left = {path.suffix for path in tmp_path.glob("*/*")}
    assert left == {".json", ".states"}, "blocks that have arrived are removed"


def test_a_number_of_states_ends_it_after_a_level(tmp_path: Path) -> None:
    protocol, settings, names, _ = CASES[0]
    query = Query(protocol, settings, names, ExploreOptions(max_states=100))
    made = Divided(model_of(find(protocol), settings), query, tmp_path, 2)
    stopped = made.run(here, lambda *_: None)
    assert stopped == f"states: stopped at {made.states}" and made.states >= 100
    assert not made.summary(stopped).complete


@pytest.mark.parametrize(
    ("names", "options", "told"),
    [
        (("consistency",), ExploreOptions(symmetry=True), "--symmetry: explore --master cannot do that"),
        (("consistency",), ExploreOptions(by="values"), "--by values: explore --master is on circuits"),
        (("termination",), ExploreOptions(), "termination is a claim about runs"),
    ],
)
def test_what_levels_do_not_answer_is_said(
    names: tuple[str, ...], options: ExploreOptions, told: str
) -> None:
    query = Query("two-phase-commit", {}, names, options)
    with pytest.raises(UserError, match=told):
        levels.check_levels(model_of(find("two-phase-commit"), {}), query)


class Lone(ClassicLink):
    """A link whose machines are this process."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def slots(self) -> int:
        return 3

    def each(self, title: str, number: int, work: Callable[[int], bytes]) -> list[bytes]:
        self.asked.append(title)
        return [work(one) for one in range(number)]


@pytest.mark.slow
def test_a_module_whose_types_widen_is_explored_as_by_its_interpreter(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its runs are told by the module's own values, whichever way they are found."""
    link = Lone()

    @contextmanager
    def opened(*_: object) -> Iterator[Lone]:
        yield link

    monkeypatch.setattr(levels, "opened", opened)
    # No run is made ahead: each step that is new to the types widens them.
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", -1.0)
    Path("Mailbox.tla").write_text(MAILBOX)
    Path("Mailbox.cfg").write_text(MAILBOX_CFG)
    told = []
    for more in (["--by", "values"], ["--master", "local[3]"]):
        assert main(["explore", "Mailbox.tla", "--format", "json", *more]) == 12
        told.append(json.loads(capsys.readouterr().out))
    values, spark = told
    assert link.asked.count("level 0") > 1, "the types have widened"
    for name in ("states", "states_within_steps", "complete", "actions"):
        assert spark[name] == values[name], name
    results = [one["properties"]["NotAllServed"] for one in told]
    assert results[0]["verdict"] == results[1]["verdict"] == "violated"
    assert results[0]["steps"] == results[1]["steps"]

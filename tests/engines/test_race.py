"""Two solvers at one query: the first complete answer wins, and nothing is left of the other."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import IO, Any

import pytest

from leadline.symbolic.engines import (
    Answer,
    Effort,
    Limits,
    Listener,
    Progress,
    Query,
    Result,
    Verdict,
    answer,
)
from leadline.symbolic.engines.ask.query import AUTO, SILENT
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.run import parallel, process
from leadline.symbolic.engines.run.limits import cores
from leadline.symbolic.engines.run.parallel import answer_in_children
from leadline.symbolic.engines.run.process import Forked
from leadline.symbolic.lang import InternalError, ModelError
from leadline.symbolic.solve import LONE, RACERS
from leadline.symbolic.trace import TraceEnd
from tests.asking import bounded_query, here, model_for
from tests.engines.limited import is_at_depth_0, over_after

FILE = Path(__file__).parent / "protocols.py"
MINUTE = Limits(60)

HANGS = "import signal; signal.pause()"
DIES = "import os; os.kill(os.getpid(), 9)"


class Scripted:
    """Another program in the place of a child process."""

    def __init__(self, script: str, errors: IO[bytes]) -> None:
        command = [sys.executable, "-c", script]
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        assert self._child.stdout is not None
        self.pid = self._child.pid
        self.output = os.dup(self._child.stdout.fileno())
        self._child.stdout.close()

    def end(self) -> tuple[int, float]:
        os.close(self.output)
        self._child.kill()
        return self._child.wait(), 0.0


class Children:
    """The child processes that are started, in the order of `RACERS`; other programs may take their place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pids: list[int] = []
        self.instead: dict[int, str] = {}
        monkeypatch.setattr(process, "Forked", self._forked)

    def _forked(self, job: Mapping[str, Any], errors: IO[bytes]) -> Forked | Scripted:
        script = self.instead.get(len(self.pids))
        child = Forked(job, errors) if script is None else Scripted(script, errors)
        assert child.pid is not None
        self.pids.append(child.pid)
        return child

    def assert_gone(self) -> None:
        for pid in self.pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Children:
    return Children(monkeypatch)


def query(name: str, depth: int = 6, **options: Any) -> Query:
    return bounded_query(f"{FILE}:{name}", depth, **{"solver": AUTO, **options})


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cores", lambda: 2)


def race(asked: Query, limits: Limits = MINUTE, listener: Listener = SILENT) -> Sequence[Result]:
    return answer(model_for(asked), asked, limits, listener).results


def says(results: list[Result]) -> str:
    """A program that answers at once, as the child would, and then hangs."""
    return tells("answer", Answer(results))


def tells(kind: str, body: object) -> str:
    """A program that sends a message, as the child would, and then hangs."""
    content = pickle.dumps((kind, body))
    message = len(content).to_bytes(process.LENGTH) + content
    return f"import os; os.write(1, {message!r}); {HANGS}"


@pytest.mark.parametrize("name", ["Lift", "Dice"])
def test_the_answer_is_that_of_the_solver_that_won(name: str, children: Children) -> None:
    asked = query(name, deadlock=True)
    results = race(asked)
    (winner,) = {result.solver for result in results}
    same = here(asked.by(str(winner)))
    nothing = Effort()
    assert [replace(one, effort=nothing) for one in results] == [replace(one, effort=nothing) for one in same]
    assert len(children.pids) == 2
    children.assert_gone()


@pytest.mark.parametrize(
    ("place", "script"),
    [
        pytest.param(0, HANGS, id="the first hangs"),
        pytest.param(1, DIES, id="the second dies"),
        pytest.param(1, HANGS, id="the second hangs", marks=pytest.mark.slow),
        pytest.param(0, DIES, id="the first dies", marks=pytest.mark.slow),
    ],
)
def test_the_other_one_wins(place: int, script: str, children: Children) -> None:
    children.instead[place] = script
    results = race(query("Lift", deadlock=True))
    assert {result.solver for result in results} == {RACERS[1 - place]}
    assert [result.verdict.name for result in results].count("SAFE") == 2
    children.assert_gone()


def test_an_answer_that_is_not_complete_does_not_win(children: Children) -> None:
    asked = query("Lift", 3, properties=("in-range", "never-two"))
    safe, violated = here(asked)
    unknown = replace(safe, verdict=Verdict.UNKNOWN, depth=2, solver="cadical", reason="the solver gave up")
    children.instead[0] = says([unknown, violated])
    first, second = race(asked)
    assert (first.verdict, first.solver, second.solver) == (Verdict.SAFE, "z3", "z3")
    assert second.verdict is Verdict.VIOLATED


def test_what_is_known_of_each_property_is_put_together(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One solver is certain of the one property, the other of the other."""
    asked = query("Lift", 3, properties=("in-range", "never-two", "below-top"))
    safe, violated, open_ = here(asked)
    dim: Any = {"verdict": Verdict.UNKNOWN, "steps": None, "trace": None}
    by_cadical = [
        replace(safe, solver="cadical"),
        replace(violated, **dim, depth=1, solver="cadical", reason="tired"),
        replace(open_, **dim, depth=1, solver="cadical", reason="tired"),
    ]
    by_z3 = [
        replace(safe, **dim, depth=2, solver="z3", reason="bored"),
        replace(violated, solver="z3"),
        replace(open_, **dim, depth=2, solver="z3", reason="bored"),
    ]
    children.instead = {0: says(by_cadical), 1: says(by_z3)}
    answers = count(1)
    over_after(monkeypatch, lambda message: message.kind == "answer" and next(answers) == 2)
    results = race(asked)
    assert [(one.verdict, one.depth, one.solver) for one in results] == [
        (Verdict.SAFE, 3, "cadical"),
        (Verdict.VIOLATED, violated.depth, "z3"),
        (Verdict.UNKNOWN, 2, "auto"),
    ]
    assert [one.reason for one in results] == [None, None, "cadical: tired; z3: bored"]
    assert results[1].trace == violated.trace is not None
    children.assert_gone()


def test_a_run_that_violates_one_property_may_violate_others_on_its_way(
    children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One engine finds a run to the top, by the second floor; the other one nothing."""
    names = ("below-top", "never-two", "not-evaluable-at-one")
    asked = replace(query("Lift", 4, properties=names), solver=LONE)
    violated, *others = here(asked)
    dim: Any = {"verdict": Verdict.UNKNOWN, "steps": None, "trace": None, "reason": "tired"}
    children.instead = {0: says([violated, *(replace(one, **dim) for one in others)]), 1: HANGS}
    exploring = replace(asked, options=ExploreOptions())
    over_after(monkeypatch, lambda message: message.kind == "answer")
    results = answer_in_children(model_for(asked), [asked, exploring], MINUTE).results
    assert [(one.verdict, one.steps, one.engine) for one in results] == [
        (Verdict.VIOLATED, 4, "bmc"),
        (Verdict.VIOLATED, 2, "bmc"),
        (Verdict.UNKNOWN, None, "bmc"),
    ]
    found = results[1].trace
    assert found is not None and (found.property, found.length) == ("never-two", 2)
    children.assert_gone()


def test_a_violation_is_not_lost_to_an_answer_out_of_bounds(children: Children, tmp_path: Path) -> None:
    """One engine tells a violation and searches on; the whole answer of the other one is out of bounds."""
    asked = replace(query("Lift", 4, properties=("below-top",)), solver=LONE)
    (violated,) = here(asked)
    assert violated.trace is not None
    heard = tmp_path / "heard"
    beyond = replace(violated.trace, steps=violated.trace.steps[:1], ends=TraceEnd.OUT_OF_BOUNDS)
    outside = replace(violated, verdict=Verdict.OUT_OF_BOUNDS, steps=1, trace=beyond)
    children.instead = {
        0: tells("told", violated),
        1: f"import os, time\nwhile not os.path.exists({str(heard)!r}): time.sleep(0.01)\n{says([outside])}",
    }
    listener = Listener(told=lambda _: heard.touch())
    (result,) = answer_in_children(model_for(asked), [asked, asked], MINUTE, listener).results
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, violated.steps)
    children.assert_gone()


@pytest.mark.slow
def test_both_keep_their_limits(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that either solver found is reported once."""
    heard: list[int] = []
    told: list[str] = []
    listener = Listener(lambda now: heard.append(now.depth), lambda result: told.append(result.property))
    solvers = count(1)
    over_after(monkeypatch, lambda message: is_at_depth_0(message) and next(solvers) == 2)
    flew, sits = race(query("Pigeons", settings={"holes": 11}), Limits(600), listener)
    assert (flew.verdict, flew.depth, flew.solver) == (Verdict.UNKNOWN, 0, AUTO)
    assert flew.reason is not None and flew.reason.startswith("time: stopped after 600 s (cadical: ")
    assert "no bug within 0 steps" in flew.reason and "no bug within 0 steps" in flew.reached.values()
    assert (sits.verdict, sits.steps, sits.trace is not None) == (Verdict.VIOLATED, 0, True)
    assert (heard, told) == ([0], ["somebody-sits"])
    children.assert_gone()


def test_news_are_told_once() -> None:
    heard: list[int] = []
    told: list[tuple[str, Verdict]] = []
    listener = Listener(
        lambda now: heard.append(now.depth), lambda result: told.append((result.property, result.verdict))
    )
    race(query("Lift", 5, settings={"at_top": "break"}), MINUTE, listener)
    assert heard == sorted(set(heard))
    assert len(told) == len(set(told))
    assert {("off-the-ground", Verdict.VIOLATED), ("never-two", Verdict.VIOLATED)} <= set(told)


def test_ctrl_c_ends_both(children: Children) -> None:
    def tired(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        race(query("Pigeons", settings={"holes": 11}), MINUTE, Listener(progress=tired))
    assert len(children.pids) == 2
    children.assert_gone()


def test_the_users_mistake_comes_back_as_such(children: Children) -> None:
    with pytest.raises(ModelError, match=r"begin has no initial state"):
        race(query("Begin", settings={"fine": False, "broken": False}))
    children.assert_gone()


def test_what_nobody_understands_is_a_fault(children: Children) -> None:
    children.instead[0] = tells("hello", 1)
    with pytest.raises(InternalError, match="of the unknown kind hello"):
        race(query("Pigeons", settings={"holes": 11}))
    children.assert_gone()


@pytest.mark.parametrize(
    ("solver", "processors", "limits", "started", "by"),
    [
        (AUTO, 2, Limits(), 2, set(RACERS)),
        (AUTO, 1, Limits(), 1, {LONE}),
        (AUTO, 1, Limits(60), 1, {LONE}),
        ("cadical", 2, Limits(), 1, {"cadical"}),
        ("z3", 2, Limits(), 1, {"z3"}),
        ("z3", 2, Limits(60), 1, {"z3"}),
    ],
    ids=lambda value: str(sorted(value)) if isinstance(value, set) else str(value),
)
def test_where_a_query_is_answered(
    solver: str,
    processors: int,
    limits: Limits,
    started: int,
    by: set[str],
    children: Children,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "cores", lambda: processors)
    asked = query("Lift", 2, solver=solver, properties=("never-two",))
    (result,) = race(asked, limits)
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 2)
    assert result.solver in by
    assert len(children.pids) == started


def test_the_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert cores() == 1
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert cores() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1

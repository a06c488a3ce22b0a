"""A run taken step by step in a script."""

from pathlib import Path

import leadline
from tests.tla.loading import write


def test_a_run_step_by_step() -> None:
    bench = leadline.Workbench("two-phase-commit", resource_managers=3)
    assert [str(one) for one in bench.steps()][-1] == "TM_prepare"
    bench.take(1)
    (step,) = bench.shown()[1:]
    assert (step.action, step.picks) == ("rm_main_decide", {"rm": 1})
    assert str(bench.here()) == "RM_MAIN_decide(rm = 1)"
    found = bench.find("tmState.state == 'commit'")
    assert found.run is not None and bench.place == len(found.run) - 1
    assert bench.value("consistency") == "TRUE"
    assert bench.why("TM_prepare", {})[0].wrong


def test_a_search_with_too_many_states_goes_on_with_a_solver(monkeypatch) -> None:  # type: ignore[no-untyped-def]  # a fixture
    from leadline.symbolic.api import workbench

    monkeypatch.setattr(workbench, "MOST_STATES", 3)
    bench = leadline.Workbench("two-phase-commit", depth=6)
    assert len(bench.find("rm_state[2] != 'working'").run or ()) == 4
    missing = bench.find("consistency & (tmState.state == 'abort') & (rmState[1] == 'committed')")
    assert (missing.run, missing.depth, missing.stopped) == (None, 6, None)
    assert str(missing) == "not true in any state within 6 steps"


def test_the_first_of_very_many_initial_states_are_listed(tmp_path: Path) -> None:
    path = write(
        tmp_path, M="EXTENDS Integers\nVARIABLE s\nInit == s \\in SUBSET (1..60)\nNext == s' = {1} \\ s"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    bench = leadline.Workbench(str(path))
    assert (len(bench.begins()), bench.value("s")) == (500, "{}")

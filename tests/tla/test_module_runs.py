"""Random runs of modules: by the interpreter, and side by side where a module soon has circuits."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leadline.symbolic.bits import NoCircuits
from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.engines import Answer, Limits, Options, Query, Verdict, answer, answer_in_child
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.engines.explore import module_runs
from leadline.symbolic.engines.explore.explore import CIRCUITS, VALUES
from leadline.symbolic.engines.explore.facts import ExploreFacts, SimulateFacts
from leadline.symbolic.engines.explore.simulate import SimulateOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.solve import LONE
from leadline.symbolic.tla import origin
from leadline.symbolic.trace import DEADLOCK
from tests.tla.asking import Asking, Tlc
from tests.tla.loading import write
from tests.tla.random_modules import MODULES

JOBS = """
EXTENDS Naturals, TLC
VARIABLES x, told
vars == <<x, told>>
Init == x \\in 0..2 /\\ told = ""
Add == x < 9 /\\ x' = x + 1 /\\ told' = {text}
Double == x \\in {{3, 4}} /\\ x' = 2 * x /\\ told' = {text}
Reset == x = 9 /\\ x' = 0 /\\ UNCHANGED told
Move == Double \\/ Reset
Next == Add \\/ Move
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Small == x < 8
Even == x = 5 => told[3] = 4
StartsAtTwo == x = 2
Grows == [][x' > x]_x
Ends == <>[](x = 9)
Level == TLCGet("level") <= 4
NotFive == x # 5
Few == x < 7
Near == TLCGet("level") < 3
Compares == [][x' # "x"]_x
"""
ALONE = "ToString({x})"
"""An expression without symbolic form. It does not tell again what was told, which would double at each step."""
LOWERED = '"a"'


def runs(
    folder: Path, config: str, text: str = ALONE, limits: Limits | None = None, **options: Any
) -> Answer:
    path = write(folder, M=JOBS.format(text=text))
    path.with_suffix(".cfg").write_text(config)
    model = model_on_values(find(str(path)), {})
    query = Query(
        str(path), {}, None, SimulateOptions(**{"runs": 200, "depth": 20, **options}), deadlock=True
    )
    return answer(model, query, limits or Limits())


def ends(told: Answer) -> dict[str, tuple[Verdict, int | None]]:
    return {one.property: (one.verdict, one.steps) for one in told.results}


def test_a_module_without_symbolic_form_has_random_runs(tmp_path: Path) -> None:
    """Invariants, errors of the module and claims about steps and initial states are found; runs are replayed."""
    told = runs(
        tmp_path,
        "SPECIFICATION Spec\nINVARIANTS Small Even\nPROPERTIES StartsAtTwo Grows Ends\nCHECK_DEADLOCK FALSE",
    )
    found, facts = ends(told), told.told(SimulateFacts)
    assert facts.by == VALUES and "no symbolic form" in str(facts.by_values_since)
    small, steps = found["Small"]
    assert small is Verdict.VIOLATED and steps is not None and 3 <= steps <= 8, "no state is met twice"
    assert found["Even"][0] is Verdict.OUT_OF_BOUNDS
    assert found["StartsAtTwo"] == (Verdict.VIOLATED, 0) and found["Grows"][0] is Verdict.VIOLATED
    (live,) = [one for one in told.results if one.property == "Ends"]
    assert live.verdict is Verdict.UNKNOWN and "no claim about whole runs" in str(live.reason)
    with pytest.raises(NoCircuits, match="has no symbolic form"):
        runs(tmp_path, "SPECIFICATION Spec", by=CIRCUITS)


@pytest.mark.parametrize("by", [CIRCUITS, VALUES])
def test_both_take_the_actions_of_the_module_alike(by: str, tmp_path: Path) -> None:
    """An action that the model has in several parts is as likely as another, and is told as one."""
    told = runs(tmp_path, "SPECIFICATION Spec\nINVARIANT NotFive", LOWERED, by=by, runs=4_000, depth=1)
    facts = told.told(SimulateFacts)
    assert (facts.by, set(facts.actions)) == (by, {"Add", "Double", "Reset"})
    assert facts.actions["Add"] == facts.runs == 4_000
    told = runs(tmp_path, "SPECIFICATION Spec", LOWERED, by=by, runs=4_000, depth=4, weights=("Double=3",))
    facts = told.told(SimulateFacts)
    # Of the runs that meet 3 or 4, three in four double there.
    assert facts.runs_taking["Double"] / facts.runs == pytest.approx(0.87, abs=0.04), facts


def test_a_claim_about_steps_without_a_value_is_told_with_its_place(tmp_path: Path) -> None:
    (told, _) = runs(tmp_path, "SPECIFICATION Spec\nPROPERTY Compares", by=VALUES).results
    assert told.verdict is Verdict.OUT_OF_BOUNDS
    assert told.reason is not None and "M.tla:" in told.reason and "is compared with" in told.reason


def test_constraints_end_runs(tmp_path: Path) -> None:
    config = "SPECIFICATION Spec\nCONSTRAINT Few\nINVARIANT Small"
    for text, by in ((ALONE, None), (LOWERED, CIRCUITS)):
        told = runs(tmp_path, config, text, by=by)
        assert ends(told)["Small"][0] is Verdict.VIOLATED, "4 doubled is beyond the constraint, and looked at"
        assert ends(told)[DEADLOCK][0] is Verdict.UNKNOWN, "a state beyond it is no deadlock"


def test_formulas_know_the_level_in_a_run(tmp_path: Path) -> None:
    told = runs(tmp_path, "SPECIFICATION Spec\nINVARIANT Level", by=VALUES)
    (level,) = [one for one in told.results if one.property == "Level"]
    assert (level.verdict, level.steps) == (Verdict.VIOLATED, 4)


def test_a_constraint_knows_the_level_in_a_run(tmp_path: Path) -> None:
    """As in TLC, a state of level 3, two steps from the beginning, is met and not left, and is no deadlock."""
    facts = runs(tmp_path, "SPECIFICATION Spec\nCONSTRAINT Near", by=VALUES).told(SimulateFacts)
    assert (facts.longest, facts.deadlocks) == (2, 0)


def test_the_time_ends_runs(tmp_path: Path) -> None:
    told = runs(tmp_path, "SPECIFICATION Spec", runs=10_000_000, limits=Limits(seconds=3.0))
    facts = told.told(SimulateFacts)
    assert facts.stopped == "time: stopped after 3 s" and facts.steps == sum(facts.actions.values()) > 0


MANY = """
EXTENDS Naturals, FiniteSets
VARIABLES s, x
Init == s \\in SUBSET (1..40) /\\ x \\in 0..1
Next == \\E i \\in s : s' = s \\ {i} /\\ x' = 1 - x
Inv == ~(Cardinality(s) = 1 /\\ x = 1 /\\ 7 \\in s)
"""


@pytest.mark.parametrize(
    "options",
    [SimulateOptions(runs=50, by=CIRCUITS), BmcOptions(0), PdrOptions()],
    ids=lambda one: one.engine,
)
def test_a_run_that_begins_in_one_of_very_many_states_is_told(options: Options, tmp_path: Path) -> None:
    """Not all of 2^41 are listed to find the one."""
    path = write(tmp_path, M=MANY)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK TRUE")
    alone = isinstance(options, SimulateOptions)
    model = (model_on_values if alone else model_of)(find(str(path)), {})
    asked = Query(str(path), {}, None if not alone else (), options, LONE, deadlock=alone)
    found = answer_in_child(model, asked, Limits(seconds=60))
    (told,) = found.results
    assert told.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("seed", [seed for seed, *_ in MODULES.rows()][::12])
def test_runs_of_random_modules_go_where_exploration_does(seed: int, tmp_path: Path) -> None:
    path = MODULES.write(tmp_path, seed)
    if "RandomElement(" in path.read_text():
        return
    (told,) = [Tlc(*row) for row in MODULES.rows() if row[0] == seed]
    asking = Asking(path, told)
    asking.specification = replace(asking.specification, view=None, symmetry=())
    model = model_on_values(asking.entry, {})
    options = SimulateOptions(runs=100, depth=12, by=VALUES)
    found = answer(model, Query(str(path), {}, None, options, deadlock=asking.deadlock))
    within = asking.every.told(ExploreFacts).states_within_steps
    depths = found.told(SimulateFacts).states_by_depth
    # Exploration does not count states beyond a constraint.
    assert asking.specification.constraints or all(
        sum(depths[: k + 1]) <= states for k, states in enumerate(within[: len(depths)])
    )
    least = {one.property: one for one in asking.every.results}
    for one in found.results:
        if one.verdict is Verdict.VIOLATED and asking.every.told(ExploreFacts).complete:
            there = least[one.property]
            assert there.verdict is Verdict.VIOLATED and there.steps is not None
            assert one.steps is not None and one.steps >= there.steps


GROWING = r"""
EXTENDS Naturals, Sequences
VARIABLES n, log
vars == <<n, log>>
Init == n = 0 /\ log = <<>>
Step == n < 60 /\ n' = n + 1 /\ log' = IF n % 20 = 19 THEN Append(log, n) ELSE log
Spec == Init /\ [][Step]_vars
Grows == [][Step => Len(log') >= Len(log)]_vars
"""


def test_runs_that_leave_the_types_are_none_of_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim about steps goes out of bounds with the step that types do not hold; wider ones follow."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    path = write(tmp_path, M=GROWING)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Grows\nCHECK_DEADLOCK FALSE")
    model = model_on_values(find(str(path)), {})
    told = answer(model, Query(str(path), {}, None, SimulateOptions(runs=20, depth=70), deadlock=False))
    assert ends(told) == {"Grows": (Verdict.UNKNOWN, None)}, "random runs prove nothing"


def test_types_that_runs_leave_late_leave_the_time_to_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than half of the time is over when wider types are known."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    late, widened = [0.0], origin.TlaOrigin.widened

    def slowly(*arguments: Any) -> Any:
        late[0] = 31.0
        return widened(*arguments)

    monkeypatch.setattr(origin.TlaOrigin, "widened", slowly)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late[0])
    monkeypatch.setattr(module_runs, "time", clock)
    path = write(tmp_path, M=GROWING)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nCHECK_DEADLOCK FALSE")
    for options, by in (
        (SimulateOptions(runs=20), VALUES),
        (SimulateOptions(runs=20, by=CIRCUITS), CIRCUITS),
    ):
        late[0] = 0.0
        query = Query(str(path), {}, None, options, deadlock=False)
        told = answer(model_on_values(find(str(path)), {}), query, Limits(seconds=60))
        assert (told.told(SimulateFacts).by, late[0]) == (by, 31.0)

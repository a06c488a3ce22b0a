"""Constraints that bound `TLCGet("level")`, in formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.cli import main
from leadline.symbolic.engines import BmcOptions, Options, Verdict
from leadline.symbolic.engines.bounded.bmc import SWEEPS
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import NoSymbolicForm
from leadline.symbolic.tla.outline import formed
from tests.tla.loading import write
from tests.tla.lowered import asked

BODY = r"""
    EXTENDS Naturals, TLC
    VARIABLES x, y, LEVEL
    Init == x = 0 /\ y = 0 /\ LEVEL = "low"
    Inc == x' = x + 1 /\ UNCHANGED <<y, LEVEL>>
    Move == x > 0 /\ x' = x - 1 /\ y' = y + 1 /\ UNCHANGED LEVEL
    Skip == UNCHANGED <<x, y, LEVEL>>
    Next == Inc \/ Move \/ Skip
    Spec == Init /\ [][Next]_<<x, y, LEVEL>>
    Most == 6
    Few == y < 9
    Limit == Few /\ Most >= TLCGet("level")
    Near == TLCGet("level") < Most + 1
    Exact == TLCGet("level") <= Most /\ TLCGet("level") # 3
    Other == y < 9
    Within == ~(x = 4 /\ y = 1)
    Beyond == ~(x = 3 /\ y = 2)
    Early == TLCGet("level") < 6
    Comes == <>(x = 1)
    Both == ENABLED (Inc \cdot Move)
    Shown == [level |-> TLCGet("level"), x |-> x]
    """


def limited(folder: Path, more: str = "CONSTRAINT Limit") -> Path:
    path = write(folder, M=BODY)
    path.with_suffix(".cfg").write_text(
        f"SPECIFICATION Spec INVARIANTS Within Beyond ALIAS Shown CONSTRAINT Other {more} CHECK_DEADLOCK FALSE"
    )
    return path


@pytest.mark.parametrize("more", ["CONSTRAINT Limit", "CONSTRAINT Near ACTION_CONSTRAINT Other"])
@pytest.mark.parametrize("options", [BmcOptions(depth=9), BmcOptions(depth=6, unroll=SWEEPS), PdrOptions()])
def test_runs_are_as_long_as_constraints_on_the_level_allow(
    options: Options, more: str, tmp_path: Path
) -> None:
    """TLC counts the states of the first six levels, and checks those of the seventh."""
    path = limited(tmp_path, more)
    found, within = asked(path, "Within", options)
    assert (within.verdict, within.steps) == (Verdict.VIOLATED, 6)
    assert within.trace is not None and "LEVEL_" not in [one.name for one in found.variables]
    assert asked(path, "Beyond", options)[1].verdict in (Verdict.SAFE, Verdict.PROVED)


def test_a_run_beside_a_proof_has_the_variables_of_the_module_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(limited(tmp_path)), "--engine", "pdr"]) == 12
    told = capsys.readouterr().out
    assert "Within violated in 6 steps" in told and "proved" in told and "LEVEL_" not in told


def test_exploration_counts_no_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(limited(tmp_path))
    assert main(["explore", path]) == 12
    told = capsys.readouterr().out
    assert "12 states within 5 steps" in told and "LEVEL_" not in told
    assert main(["explore", path, "--by", "circuits"]) == 20
    assert "only exploration on values answers" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more",
    [
        "CONSTRAINT Exact",
        "CONSTRAINT Limit INVARIANT Early",
        "CONSTRAINT Limit INVARIANT Both",
        "CONSTRAINT Limit ACTION_CONSTRAINT Near",
    ],
)
def test_other_uses_of_the_level_depend_on_the_search(more: str, tmp_path: Path) -> None:
    with pytest.raises(NoSymbolicForm, match="TLCGet has no symbolic form"):
        model_of(find(str(limited(tmp_path, more))), {})


def test_a_claim_about_runs_has_no_form_where_they_end(tmp_path: Path) -> None:
    entry = find(str(limited(tmp_path, "CONSTRAINT Limit PROPERTY Comes")))
    made, lacking = formed(model_on_values(entry, {}), ["Within", "Comes"], level=True)
    assert [*made.properties] == ["Within"]
    assert "a bound on the level of states cuts off" in lacking["Comes"]

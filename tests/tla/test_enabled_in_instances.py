"""ENABLED, WF and SF within an instance that puts expressions in place of its module's variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import BmcOptions, Options, Query, Verdict, answer
from leadline.symbolic.engines.prove.pdr import PdrOptions
from tests.tla.explored import explored
from tests.tla.loading import write

CLOCK = """
EXTENDS Naturals
VARIABLE m
Minute == m' = (m + 1) % 4
Init == m = 0
Half == INSTANCE Flip WITH n <- m % 2
Other(k) == INSTANCE Flip WITH n <- (m + k) % 2
Late == INSTANCE Pair WITH p <- m, q <- m \\div 2
Twice == INSTANCE Pair WITH p <- m, q <- m
Spec == Init /\\ [][Minute]_m
Fair == Spec /\\ WF_m(Minute)
Flips == Half!Spec
Strongly == Half!Strong
Begins == Half!Spec /\\ Other(2)!Spec
Misses == Other(1)!Spec
Low == Late!Bounded
CanDiffer == [](Twice!CanDiffer /\\ ~Twice!MustDiffer)
"""
MODULES = {
    "Flip": """
EXTENDS Naturals
VARIABLE n
Following == (n + 1) % 2
Step == n' = Following
Stay == UNCHANGED n
Spec == n = 0 /\\ [][Step \\/ Stay]_<<n>> /\\ WF_n(Step)
Strong == SF_<<n>>(Step /\\ Following' # n')
""",
    "Pair": """
EXTENDS Naturals
VARIABLES p, q
Inner == INSTANCE Flip WITH n <- q
Next == p' = (p + 1) % 4 /\\ q' = (p + 1) \\div 2
Bounded == [](ENABLED Next => p \\in 0..3) /\\ WF_q(Inner!Step)
CanDiffer == ENABLED (p' = 0 /\\ q' = 1)
MustDiffer == ENABLED (p # q /\\ p' = 0 /\\ q' = 1)
""",
}
HOLDS = {
    ("Fair", "Flips"): True,
    ("Spec", "Flips"): False,
    ("Fair", "Strongly"): True,
    ("Spec", "Strongly"): False,
    ("Fair", "Begins"): True,
    ("Fair", "Misses"): False,
    ("Fair", "Low"): True,
    ("Spec", "CanDiffer"): True,
}


def config(name: str, claim: str) -> str:
    return f"SPECIFICATION {name}\nPROPERTY {claim}\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize(("name", "claim"), HOLDS)
def test_exploration_by_the_interpreter(name: str, claim: str, tmp_path: Path) -> None:
    (result,) = explored(tmp_path, CLOCK, config(name, claim), **MODULES)
    assert result.verdict is (Verdict.SAFE if HOLDS[name, claim] else Verdict.VIOLATED), result.reason


@pytest.mark.parametrize(("name", "claim"), [*HOLDS][:3])
@pytest.mark.parametrize("options", [BmcOptions(depth=5), PdrOptions()])
def test_symbolic_engines(options: Options, name: str, claim: str, tmp_path: Path) -> None:
    path = write(tmp_path, M=CLOCK, **MODULES)
    path.with_suffix(".cfg").write_text(config(name, claim))
    query = Query(str(path), {}, (claim,), options, "cadical")
    (result,) = answer(model_of(find(str(path)), {}), query).results
    proved = Verdict.SAFE if isinstance(options, BmcOptions) else Verdict.PROVED
    assert result.verdict is (proved if HOLDS[name, claim] else Verdict.VIOLATED), result.reason


LOOP = """
EXTENDS Naturals
VARIABLES done, left, last
vars == <<done, left, last>>
Pick == \\E x \\in left : done' = done \\cup {x} /\\ left' = left \\ {x} /\\ last' = {}
Spec == done = {} /\\ left = {1, 2} /\\ last = {} /\\ [][Pick]_vars /\\ WF_vars(Pick)
A == INSTANCE Abstract WITH left <- left \\cup last
Refines == A!Spec
"""
ABSTRACT = """
VARIABLES done, left
vars == <<done, left>>
Step == \\E x \\in left : done' = done \\cup {x} /\\ left' = left \\ {x}
Stay == left = {} /\\ UNCHANGED vars
Spec == done = {} /\\ [][Step \\/ Stay]_vars /\\ WF_vars(Step \\/ Stay)
"""


def test_unchanged_of_a_name_gives_values_to_all_its_variables(tmp_path: Path) -> None:
    """As in MisraReachability: `vars` has a substituted variable and one that is not."""
    (found,) = explored(tmp_path, LOOP, "SPECIFICATION Spec\nPROPERTY Refines\n", Abstract=ABSTRACT)
    assert (found.verdict, found.reason) == (Verdict.SAFE, None)


def test_a_next_value_that_an_instance_does_not_give_is_told(tmp_path: Path) -> None:
    body = """
EXTENDS Naturals
VARIABLE x
Spec == x = 0 /\\ [][x' = 1 - x]_x
A == INSTANCE Larger WITH y <- 2 * x
Fair == A!Fair
"""
    larger = "EXTENDS Naturals\nVARIABLE y\nFair == WF_y(y < 7 /\\ y' > y)\n"
    path = write(tmp_path, M=body, Larger=larger)
    path.with_suffix(".cfg").write_text(config("Spec", "Fair"))
    (by_values,) = explored(tmp_path, body, config("Spec", "Fair"), Larger=larger)
    query = Query(str(path), {}, ("Fair",), PdrOptions(), "cadical")
    for found in (by_values, *answer(model_of(find(str(path)), {}), query).results):
        assert found.verdict is Verdict.OUT_OF_BOUNDS
        assert found.reason is not None and "A!y' " in found.reason


def test_a_claim_about_runs_without_a_value_names_the_formula(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nSpec == x = 0 /\\ [][x' = 1 - x]_x\nC == <>[](1 \\div x = 1)\n"
    (found,) = explored(tmp_path, body, "SPECIFICATION Spec\nPROPERTY C\n")
    assert found.verdict is Verdict.OUT_OF_BOUNDS
    assert found.reason is not None and "M.tla:5:" in found.reason, "the line of the claim"

"""Logs of random protocols: thinned runs conform, and an alteration does where brute force says so."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from leadline.symbolic.conform import Conformance, Fits, conformance
from leadline.symbolic.lang import Model, UserError
from tests.conform.thinned import Thinning, altered, fits, interleaved, random_run, thinned, write
from tests.strategies import models

WAYS = ("values", "circuits", "solver")
FEW = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Model, random.Random]:
    return draw(models()), random.Random(draw(st.integers(0, 1 << 30)))


def judged(model: Model, log: Path, hidden: int, by: str) -> Conformance | None:
    """The answer; None if the model has no circuits."""
    try:
        return conformance(model, [log], hidden=hidden, by=by)
    except UserError:
        return None


def compare(folder: Path, model: Model, chance: random.Random) -> None:
    # A model takes longer to make than several logs to judge, and many have no steps: nothing is thrown away.
    for _ in range(3):
        compare_one(folder, model, chance)


def compare_one(folder: Path, model: Model, chance: random.Random) -> None:
    run = random_run(model, 8, chance)
    lines = thinned(model, run, Thinning(), chance)
    if not lines:
        return
    log = write(folder / "log.ndjson", lines)
    for by in WAYS:
        found = judged(model, log, 2, by)
        assert found is None or found.verdict is Fits.CONFORMS, by
    told = [one for one in lines if one["after"]]
    if not told:
        return
    other = altered(model, lines, chance)
    log = write(log, other)
    explained = fits(model, other, 2)
    for by in WAYS:
        found = judged(model, log, 2, by)
        if found is not None:
            assert (found.verdict is Fits.CONFORMS) == (explained is None), by
            assert explained is None or found.explained == explained, by


@FEW
@given(case=cases())
def test_thinned_runs_conform_and_alterations_where_brute_force_says_so(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Model, random.Random]
) -> None:
    compare(tmp_path_factory.mktemp("log"), *case)


@pytest.mark.slow
@settings(FEW, max_examples=300)
@given(case=cases())
def test_many(tmp_path_factory: pytest.TempPathFactory, case: tuple[Model, random.Random]) -> None:
    compare(tmp_path_factory.mktemp("log"), *case)


@FEW
@given(case=cases())
def test_logs_of_nodes_without_one_clock_conform(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Model, random.Random]
) -> None:
    model, chance = case
    folder = tmp_path_factory.mktemp("log")
    for _ in range(3):
        lines = thinned(model, random_run(model, 6, chance), Thinning(hide=0), chance)
        if len(lines) > 1:
            parts = enumerate(interleaved(lines, 2, chance))
            logs = [write(folder / f"{n}.ndjson", part) for n, part in parts]
            for by in WAYS:
                with suppress(UserError):
                    assert conformance(model, logs, by=by), by

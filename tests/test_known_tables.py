"""The `known` tables beside the properties are true: each row, at each of its points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from leadline.benchmarks.known_points import Point, points_of
from leadline.symbolic.catalog import Entry, entries, find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Query, Verdict
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.prove.induction.engine import Checker
from leadline.symbolic.engines.prove.induction.obligation import obligations
from leadline.symbolic.lang import Claim, Known, Model, PropertyKind, expected
from leadline.symbolic.lang.known import Status
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.solve import SOLVERS
from tests.asking import bounded_query, here
from tests.exploring import explore

SWEEPS = 9
"""How far sweeps look for a counterexample of which a row knows no shortest length."""


def tables() -> Iterator[tuple[Entry, Claim, Known, Point]]:
    """Each row of each table, at each of its points."""
    for entry in entries().values():
        for claim in entry.claims:
            for row in claim.known:
                for point in points_of(entry, row):
                    yield entry, claim, row, point


def name_of(point: Point) -> str:
    return "-".join(str(value) for _, value in point if value is not None)


POINTS = list(dict.fromkeys((entry.name, point) for entry, _, _, point in tables()))


def test_every_row_counts_at_each_of_its_points() -> None:
    for entry, claim, row, point in tables():
        assert expected(claim, entry.protocol, dict(point)) is row, (claim.name, row.text(), point)


def test_every_claim_has_a_table_that_speaks_of_the_defaults() -> None:
    for entry in entries().values():
        defaults = {name: one.default for name, one in entry.protocol.parameters.items()}
        for claim in entry.claims:
            if claim.kind is not PropertyKind.STRENGTHENING:
                assert claim.known and expected(claim, entry.protocol, defaults), claim.name


def known_at(entry: Entry, model: Model) -> dict[str, Known]:
    """The known verdict of each property of a model, by its table."""
    of = {claim.name: claim for claim in entry.claims}
    found = {name: expected(of[name], entry.protocol, model.parameters) for name in model.properties}
    return {name: row for name, row in found.items() if row is not None and row in of[name].known}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "point"), [pytest.param(*one, id=f"{one[0]}-{name_of(one[1])}") for one in POINTS]
)
def test_what_is_known_is_so(protocol: str, point: Point) -> None:
    entry = find(protocol)
    settings = {name: value for name, value in point if value is not None}
    model = model_of(entry, settings)
    known = known_at(entry, model)
    assert known
    check_proofs(model, [name for name, row in known.items() if row.status is Status.PROVED])
    check_explored(model, [name for name, row in known.items() if row.status is Status.HOLDS])
    check_violations(
        model, settings, {name: row for name, row in known.items() if row.status is Status.VIOLATED}
    )


def check_proofs(model: Model, names: list[str]) -> None:
    for name in names:
        checker = Checker(model, name, SOLVERS["cadical"])
        for one in obligations(model, name):
            assert checker.check(one).holds, one.name


def check_explored(model: Model, chosen: list[str]) -> None:
    about_runs = tuple(name for name in chosen if model.properties[name].temporal is not None)
    if about_runs:
        settings = {name: value for name, value in model.parameters.items() if value is not None}
        query = Query(model.protocol, settings, about_runs, ExploreOptions(prove=True))
        assert {one.verdict for one in here(query, model=model)} == {Verdict.PROVED}
    names = [name for name in chosen if name not in about_runs]
    if names:
        found = explore(Semantics(model), names)
        assert found.complete and found.steps_out_of_bounds == 0
        assert {name: one.violations for name, one in found.properties.items()} == dict.fromkeys(names, 0)


def check_violations(model: Model, settings: Mapping[str, Setting], rows: Mapping[str, Known]) -> None:
    """Shortest lengths by steps, all in one search; others by sweeps, which shorten what they find.

    Claims about runs are explored, as the commands of their rows do: a loop of sweeps depends on the solver.
    """
    lengths = {name: row.steps for name, row in rows.items() if row.exact and row.steps is not None}
    bounds = {name: row.steps for name, row in rows.items() if not row.exact and row.steps is not None}
    assert len(lengths) + len(bounds) == len(rows), "each row has a length"
    if lengths:
        depth = max(lengths.values())
        query = bounded_query(
            model.protocol, depth, settings=settings, properties=tuple(lengths), solver="cadical"
        )
        found = {result.property: (result.verdict, result.steps) for result in here(query, model=model)}
        assert found == {name: (Verdict.VIOLATED, steps) for name, steps in lengths.items()}
    for name, bound in bounds.items():
        query = bounded_query(
            model.protocol, SWEEPS, "sweeps", settings=settings, properties=(name,), solver="cadical"
        )
        if model.properties[name].temporal is not None:
            query = Query(model.protocol, settings, (name,), ExploreOptions())
        (result,) = here(query, model=model)
        assert result.verdict is Verdict.VIOLATED and result.steps is not None
        assert result.steps <= bound

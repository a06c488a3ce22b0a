"""The table of cases speaks of protocols, parameters and properties that exist, and agrees with TLC."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from leadline.benchmarks.cases import CASES, Case
from leadline.benchmarks.measurement import model
from leadline.benchmarks.ways import BASELINE, WAYS
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang.model import Model
from leadline.symbolic.lang.symmetry import symmetric_sorts
from tests.tlc_names import MODULES
from tests.truth import rows_where, settings_of


def parametrized(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """A test of cases; those of the small table are quick, and the first of each protocol."""
    firsts = {case.protocol: case.name for case in reversed(CASES)}
    marked = [
        pytest.param(
            case,
            id=case.name,
            marks=[] if case.quick or firsts[case.protocol] == case.name else [pytest.mark.slow],
        )
        for case in cases
    ]
    return pytest.mark.parametrize("case", marked)


every_case = parametrized(CASES)


@cache
def model_of(name: str) -> Model:
    """The model of the case of a name, built once for all tests."""
    return model(next(case for case in CASES if case.name == name))


def figures(case: Case) -> list[dict[str, Any]]:
    """TLC's figures for the case, if it was asked."""
    asked = model_of(case.name)
    name = asked.properties[case.property].tla
    return [
        {**row["properties"][name], "complete": row["complete"]}
        for row in rows_where(lambda row: MODULES[row["module"]][0] == case.protocol)
        if name in row["properties"] and settings_of(row).items() <= dict(asked.parameters).items()
    ]


@every_case
def test_it_can_be_asked(case: Case) -> None:
    (claim,) = model_of(case.name).choose_properties((case.property,))
    assert claim.name == case.property
    assert set(case.ways) <= WAYS.keys()
    assert case.shortest is None or case.steps == case.shortest
    assert (case.growth is None) == (case.point == "")


@parametrized(case for case in CASES if case.expected is not Verdict.PROVED and case.tlc is None)
def test_symmetry_is_switched_off_only_where_there_is_some(case: Case) -> None:
    asked = model_of(case.name)
    sorts = symmetric_sorts(asked, asked.choose_properties((case.property,)))
    assert bool(sorts) == any(way.endswith("/no-symmetry") for way in case.ways)


@every_case
def test_it_agrees_with_tlc(case: Case) -> None:
    for figure in figures(case):
        assert figure["result"] == ("violated" if case.expected is Verdict.VIOLATED else "holds")
        assert figure["shortest_violation_steps"] == case.shortest


@pytest.mark.slow
def test_tlc_was_asked_of_many_cases() -> None:
    known = {case.name for case in CASES if figures(case)}
    assert {"kip-320-first-try-3222", "kip-320-2222", "compaction-leak-32", "backup-manager-2"} < known
    assert {"no-producer-fenced", "leases-3", "spanner-nonconflict", "not-committed-2"} < known


def test_every_protocol_and_verdict_is_measured() -> None:
    assert {case.protocol for case in CASES} == {protocol for protocol, _ in MODULES.values()}
    assert {case.expected for case in CASES} == {Verdict.SAFE, Verdict.VIOLATED, Verdict.PROVED}
    assert any(str(case.parameters.get("replicas")) == "5" for case in CASES)


def test_names_are_different() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    points = [(case.growth, case.point) for case in CASES if case.growth]
    assert len(set(points)) == len(points)
    growths = {growth for growth, _ in points}
    assert len({growth.partition(":")[0] for growth in growths}) == len(growths)


def test_the_baseline_is_a_way() -> None:
    assert BASELINE in WAYS
    assert all(way.name == name for name, way in WAYS.items())

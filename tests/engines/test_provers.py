"""PDR, the check of invariants, and the portfolio, through the interface of engines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.engines import ENGINES, Answer, Limits, Query, Verdict, answer
from leadline.symbolic.engines.prove.certificates import read_certificate, recheck
from leadline.symbolic.engines.prove.invariants import InvariantQuery, spelled, understood
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.engines.prove.pdr.results import ProofFacts
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.lang import Model, UserError
from tests.asking import model_for

MINUTE = Limits(60)
LIFT = f"{Path(__file__).parent / 'protocols.py'}:Lift"
COMMIT = "two-phase-commit"


def query(source: str, *names: str, options: Any, **settings: Any) -> Query:
    return Query(source, settings, names or None, options)


def asked(question: Query, limits: Limits = MINUTE) -> tuple[Model, Answer]:
    model = model_for(question)
    return model, answer(model, question, limits)


def test_a_proof_without_help_is_accepted_by_the_other_solver(tmp_path: Path) -> None:
    model, told = asked(query(COMMIT, "consistency", options=PdrOptions(strengthenings=False)))
    (result,) = told.results
    assert (result.verdict, result.engine) == (Verdict.PROVED, "pdr")
    size = told.told(ProofFacts).sizes["consistency"]
    assert size.clauses and size.orbits and size.clauses >= size.orbits
    found = read_certificate(written(tmp_path, result.certificate))
    again = recheck(model, found, MINUTE, source=COMMIT)
    assert [(one.verdict, one.solver) for one in again.results] == [(Verdict.PROVED, "z3")]


def written(folder: Path, certificate: Mapping[str, Any] | None) -> Path:
    assert certificate is not None
    path = folder / "proof.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


@pytest.mark.slow
def test_an_invariant_without_a_clause_that_it_needs_is_refused() -> None:
    """Each orbit of an invariant is left out once: what is left proves nothing."""
    _, told = asked(query(COMMIT, "consistency", options=PdrOptions(False, show=True)))
    clauses = told.told(ProofFacts).sizes["consistency"].invariant
    assert clauses is not None and len(clauses) > 3
    refused = []
    for number in range(0, len(clauses), max(1, len(clauses) // 4)):
        rest = tuple(orbit for at, orbit in enumerate(clauses) if at != number)
        _, checked = asked(query(COMMIT, "consistency", options=InvariantQuery((), _tuples(rest))))
        refused.append(not checked.results[0].holds)
        assert checked.results[0].holds or "the invariant does not prove it" in str(checked.results[0].reason)
    assert sum(refused) > len(refused) // 2
    _, whole = asked(query(COMMIT, "consistency", options=InvariantQuery((), _tuples(clauses))))
    assert whole.results[0].holds


def _tuples(clauses: Any) -> Any:
    return tuple(tuple(tuple(cube) for cube in orbit) for orbit in clauses)


def test_an_invariant_survives_its_texts() -> None:
    model, told = asked(query(COMMIT, "consistency", options=PdrOptions(False)))
    certificate = told.results[0].certificate
    assert certificate is not None
    clauses = _tuples(certificate["clauses"])
    assert spelled(model, understood(model, (), clauses)) == clauses
    with pytest.raises(UserError, match=r"speaks of 'nothing = 1', and two-phase-commit has no such part"):
        understood(model, (), ((("nothing = 1",),),))


@pytest.mark.parametrize("options", [PdrOptions(), PortfolioOptions()], ids=lambda x: x.engine)
def test_violations_are_found_and_replayed(options: Any) -> None:
    _, told = asked(query(LIFT, "never-two", options=options))
    (result,) = told.results
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 2)
    assert result.trace is not None and result.trace.length == 2


def test_a_portfolio_answers_without_a_depth() -> None:
    """Each property is answered by the engine that is first."""
    names = ("consistency", "type-ok", "not-committed")
    _, told = asked(query(COMMIT, *names, options=PortfolioOptions()))
    verdicts = {one.property: one.verdict for one in told.results}
    assert verdicts["consistency"] is verdicts["type-ok"] is Verdict.PROVED
    assert verdicts["not-committed"] is Verdict.VIOLATED
    members = {one.name for one in ENGINES.values() if one.member(None)}
    assert {one.engine for one in told.results} <= members


@pytest.mark.slow
def test_a_portfolio_that_runs_out_of_time_tells_how_far_each_came() -> None:
    large = {"max_records": 6, "log_size": 6, "max_leader_epoch": 6, "replicas": 5}
    _, told = asked(query("kafka-replication", "weak-isr", options=PortfolioOptions(), **large), Limits(2))
    (result,) = told.results
    assert result.verdict is Verdict.UNKNOWN
    assert str(result.reason).startswith("time: stopped after 2 s (")
    for name in (one.name for one in ENGINES.values() if one.member(None)):
        assert f"{name}: " in str(result.reason)

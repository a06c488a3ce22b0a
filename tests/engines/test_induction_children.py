"""Inductive proofs in child processes, with limits, and their certificates."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Effort, Limits, Listener, Result, Verdict, answer, answer_in_child
from leadline.symbolic.engines.ask.query import SILENT, Ledger
from leadline.symbolic.engines.ask.result import Cause, Stop
from leadline.symbolic.engines.prove.certificates import (
    InductionCertificate,
    certificate,
    read_certificate,
    recheck,
)
from leadline.symbolic.engines.prove.induction.engine import Induction
from leadline.symbolic.engines.prove.induction.obligation import obligations
from leadline.symbolic.engines.run import process
from leadline.symbolic.engines.run.parallel import _Session
from leadline.symbolic.engines.run.process import Forked, Message, QueryProcess
from leadline.symbolic.lang import InternalError, Model, ModelError, UserError
from leadline.symbolic.solve import SOLVERS
from tests.asking import entry_at, inductive
from tests.engines.limited import over_after

FILE = str(Path(__file__).parent / "inductive.py")
PIGEONS = f"{Path(__file__).parent / 'protocols.py'}:Pigeons"
PROVED = "two-phase-commit"
MINUTE = Limits(60)


def twos(fault: str = "none") -> Model:
    return model_of(entry_at(FILE), {"fault": fault})


def managers(count: int = 2) -> Model:
    return model_of(find(PROVED), {"resource_managers": count})


def pigeons() -> Model:
    return model_of(entry_at(PIGEONS), {"holes": 11})


def proving(
    model: Model,
    goal: str,
    solver: str,
    limits: Limits = MINUTE,
    *names: str,
    source: str = FILE,
    listener: Listener = SILENT,
) -> list[Result]:
    """Obligations answered in child processes, both solvers beside each other for "auto"."""
    query = inductive(source, model, goal, solver, *names)
    ask = answer if solver == "auto" else answer_in_child
    return list(ask(model, query, limits, listener).results)


def test_the_seconds_of_a_process_that_is_ended_are_those_of_one_obligation() -> None:
    model = twos()
    query = inductive(FILE, model, "even", "z3")
    talk = _Session(model, query, Ledger(SILENT))
    first, *others = talk.parts
    effort = Effort(total=3.0)
    talk.ledger.done(Result(*first[:1], query.engine, Verdict.PROVED, effort, part=first[1]))
    ended = SimpleNamespace(query=query, seconds=10.0, peak_mb=1.0, stop=lambda: Stop(Cause.TIME, "time"))
    told = [talk.result(part, cast(QueryProcess, ended)).effort.total for part in (first, *others)]
    assert told == [3.0, 7.0, *(0.0 for _ in others[1:])]


@pytest.mark.parametrize("solver", [*(pytest.param(x, marks=pytest.mark.slow) for x in SOLVERS), "auto"])
def test_all_obligations(solver: str) -> None:
    model = managers()
    told: list[Result] = []
    results = proving(model, "consistency", solver, source=PROVED, listener=Listener(done=told.append))
    assert [one.part for one in results] == [one.name for one in obligations(model, "consistency")]
    assert all(one.holds for one in results)
    assert sorted(str(one.part) for one in told) == sorted(str(one.part) for one in results)
    assert {one.solver for one in results} <= ({solver} if solver != "auto" else set(SOLVERS))
    assert all(one.effort.total > 0 and one.effort.memory_mb > 10 for one in results)


def test_two_solvers_work_from_both_ends() -> None:
    model, engine = managers(), Induction()
    query = inductive(PROVED, model, "consistency", "z3")
    forwards, backwards = (
        engine.parts(model, query),
        engine.parts(model, replace(query, options=query.options.beside())),
    )
    assert forwards == backwards[::-1] and len(set(forwards)) > 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_obligation(solver: str) -> None:
    (result,) = proving(twos(), "not-seven", solver, MINUTE, "consecution of not-seven under add")
    assert (result.fails, result.solver) == (True, solver)
    assert result.cti is not None
    assert (result.cti.fragment.initial, result.cti.fragment.last) == ((5,), (7,))


@pytest.mark.parametrize(
    "solver",
    [pytest.param(x, marks=[] if x == "cadical" else [pytest.mark.slow]) for x in (*SOLVERS, "auto")],
)
def test_the_time_is_kept_by_killing(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers from before the limit are kept."""
    done, easy = set[str | None](), 4 if solver == "auto" else 3

    def is_last(message: Message) -> bool:
        if message.kind == "done":
            done.add(message.body.part)
        return len(done) == easy

    over_after(monkeypatch, is_last)
    results = proving(pigeons(), "nobody-flew", solver, Limits(seconds=600), source=PIGEONS)
    hard = {one.part: one for one in results}["consecution of nobody-flew under fly"]
    assert not hard.definite
    assert hard.reason is not None and "time: stopped after 600 s" in hard.reason
    assert (hard.solver, hard.cti) == (solver, None)
    assert hard.effort.total == max(one.effort.total for one in results) and hard.effort.memory_mb > 10
    others = [one for one in results if one is not hard]
    if solver == "auto":
        assert all(one.holds for one in others)
    else:
        assert others[0].holds
        assert not others[-1].definite, "it comes after the hard one"


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_memory_is_limited(solver: str) -> None:
    (result,) = proving(pigeons(), "nobody-flew", solver, Limits(60, 30), "implication", source=PIGEONS)
    assert not result.definite
    assert result.reason is not None and "limit of 30 MB" in result.reason


def test_no_child_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []

    def forked(*arguments: Any) -> Forked:
        child = Forked(*arguments)
        assert child.pid is not None
        pids.append(child.pid)
        return child

    def tired(_: Result) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "Forked", forked)
    with pytest.raises(KeyboardInterrupt):
        proving(pigeons(), "nobody-flew", "auto", source=PIGEONS, listener=Listener(done=tired))
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_mistakes_are_the_users() -> None:
    with pytest.raises(UserError, match="even has no obligation `implicaton`: did you mean `implication`"):
        proving(twos(), "even", "z3", MINUTE, "implicaton")
    with pytest.raises(ModelError, match="twos has no initial state"):
        proving(twos("no-start"), "even", "z3", MINUTE, "initiation of even")


# -- certificates ----------------------------------------------------------------------------------------


def proof(solver: str = "cadical") -> dict[str, Any]:
    model = managers()
    results = proving(model, "consistency", solver, source=PROVED)
    return certificate(model, "consistency", results, source=PROVED)


def write(folder: Path, data: Any) -> Path:
    path = folder / "proof.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_certificate() -> None:
    made = proof()
    assert (made["verdict"], made["property"]) == ("proved", "consistency")
    assert made["parameters"] == dict(managers().parameters)
    assert made["fingerprint"] == managers().fingerprint
    first = made["conjuncts"][0]
    assert first["name"] == "down-while-recovering"
    assert first["formula"].startswith('\\A rm \\in 1..2 : (rmState[rm] = "unavailable") = ')
    assert len(made["obligations"]) == len(obligations(managers(), "consistency"))
    assert made["obligations"][-1].keys() == {"name", "solver", "seconds", "verdict"}


@pytest.mark.parametrize(
    ("solver", "other"), [pytest.param("z3", "cadical", marks=pytest.mark.slow), ("cadical", "z3")]
)
def test_the_other_solver_checks_again(solver: str, other: str, tmp_path: Path) -> None:
    found = read_certificate(write(tmp_path, proof(solver)))
    results = recheck(managers(), found, Limits(60), source=PROVED).results
    assert {(one.holds, one.solver) for one in results} == {(True, other)}
    assert isinstance(found, InductionCertificate) and len(results) == len(found.obligations)


def test_each_obligation_is_checked_by_the_other_solver(tmp_path: Path) -> None:
    made = proof()
    for one in made["obligations"][::2]:
        one["solver"] = "z3"
    found = read_certificate(write(tmp_path, made))
    results = recheck(managers(), found, Limits(60), source=PROVED).results
    given = [one["solver"] for one in made["obligations"]]
    assert all(one.solver != solver for one, solver in zip(results, given, strict=True))
    assert all(one.holds for one in results)


def test_what_is_not_proved_gets_none() -> None:
    model = twos()
    results = proving(model, "not-seven", "cadical")
    with pytest.raises(InternalError, match="the consecution of not-seven under add is not known to hold"):
        certificate(model, "not-seven", results, source=FILE)
    with pytest.raises(InternalError, match="the initial states in bounds is not known to hold"):
        certificate(model, "not-seven", results[1:], source=FILE)


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda made: made.pop(name)


MUTANTS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda made: made.update(fingerprint="0" * 64), "a proof about another model: two-phase-commit"),
    (lambda made: made["parameters"].update(resource_managers=3), "a proof about another model"),
    (lambda made: made["conjuncts"].pop(), ".conjuncts: these are not the conjuncts by which consistency"),
    (
        lambda made: made["conjuncts"][0].update(formula="TRUE"),
        ".conjuncts: these are not the conjuncts by which consistency",
    ),
    (
        lambda made: made["obligations"].pop(3),
        ".obligations: the initiation of commit-is-decided is missing, so this proves nothing",
    ),
    (lambda made: made["obligations"].reverse(), "there are others than should be, or in another order"),
    (lambda made: made["obligations"].append(made["obligations"][0]), "there are others than should be"),
    (lambda made: made.update(property="consistensy"), ".property: two-phase-commit has no property"),
    (
        lambda made: made.update(property="type-ok"),
        ".conjuncts: these are not the conjuncts by which type-ok",
    ),
    (lambda made: made["obligations"][0].update(verdict="fails"), ".obligations[0].verdict: a proof needs"),
    (
        lambda made: made["obligations"][0].update(solver="oracle"),
        ".obligations[0].solver: one of z3, cadical",
    ),
    (lambda made: made["obligations"][0].update(seconds="1"), ".obligations[0].seconds: a number is needed"),
    (lambda made: made["obligations"].insert(0, 7), ".obligations[0]: an object is needed"),
    (lambda made: made.update(verdict="safe"), ".verdict: proved is needed, not 'safe'"),
    (lambda made: made.update(version=1), "reads version 2, not 1: prove the property again"),
    (lambda made: made.update(version=True), ".version: an integer is needed"),
    (lambda made: made.update(more=1), ".more has no meaning in a certificate"),
    (
        lambda made: made["parameters"].update(resource_managers=[2]),
        ".parameters.resource_managers: an integer",
    ),
    (_drop("fingerprint"), ": fingerprint is missing, so this is no certificate of Leadline's"),
    (_drop("obligations"), ": obligations is missing, so this is no certificate of Leadline's"),
]


@pytest.mark.parametrize(("mutate", "complaint"), MUTANTS)
def test_a_mutant_is_refused(
    mutate: Callable[[dict[str, Any]], Any], complaint: str, tmp_path: Path, made: dict[str, Any]
) -> None:
    mutate(made)
    path = write(tmp_path, made)
    with pytest.raises(UserError) as told:
        found = read_certificate(path)
        recheck(model_of(find(found.protocol), found.settings), found, Limits(60), source=PROVED)
    assert str(told.value).startswith(str(path)) and complaint in str(told.value)


@pytest.fixture(scope="module")
def proved() -> str:
    return json.dumps(proof())


@pytest.fixture
def made(proved: str) -> dict[str, Any]:
    """A certificate that the test may spoil."""
    data: dict[str, Any] = json.loads(proved)
    return data


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1', '{"a": 1, "a": 2}', "null"])
def test_a_file_that_is_no_certificate(text: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"proof\.json"):
        read_certificate(path)


def test_a_file_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_certificate(tmp_path / "nowhere.json")


def test_a_forged_certificate_does_not_stand(tmp_path: Path) -> None:
    """It says that all obligations hold, and the other solver finds that one does not."""
    model = twos()
    results = proving(model, "not-seven", "cadical")
    forged = [replace(one, verdict=Verdict.PROVED, reason=None, cti=None) for one in results]
    path = write(tmp_path, certificate(model, "not-seven", forged, source=FILE))
    again = recheck(model, read_certificate(path), Limits(60), source=FILE).results
    assert [one.part for one in again if one.fails] == ["consecution of not-seven under add"]

"""The questions of PDR: states that are found are in their frame, and remembered steps are steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Verdict
from leadline.symbolic.engines.prove.pdr import Invariant, PdrOptions, engine, frames, memory, pdr, recheck
from leadline.symbolic.engines.prove.pdr.frames import Frames, Lemma
from leadline.symbolic.engines.prove.pdr.memory import FoundStep, Memory
from leadline.symbolic.engines.prove.pdr.samples import Samples
from leadline.symbolic.engines.prove.pdr.system import BadCause, Cube, System
from leadline.symbolic.lang import Model
from leadline.symbolic.meaning.walks import Walks
from leadline.symbolic.solve import SOLVERS

Step = Callable[..., FoundStep | Cube]
FEW = PdrOptions(strengthenings=False, samples=50)


def leases(replicas: int = 3) -> Model:
    return model_of(find("spanner-leases"), {"variant": "mended-handle-vote", "replicas": replicas})


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers are made anew often, few steps are remembered, and pairs are excluded early."""
    monkeypatch.setattr(engine, "_PAIRS_AFTER", 20)
    monkeypatch.setattr(frames, "_GARBAGE", 40)
    monkeypatch.setattr(memory, "_MOST", 256)
    monkeypatch.setattr(memory, "_PART", 64)


def test_a_state_that_is_found_is_in_its_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by the question for which the solver is made anew, which numbers the frames' switches anew."""
    asked, rebuild, rebuilt = Frames.step_into, Frames._rebuild, 0

    def step_into(self: Frames, frame: int, cube: Cube, **more: Any) -> FoundStep | Cube:
        answer = asked(self, frame, cube, **more)
        if frame and isinstance(answer, FoundStep):
            state = set(answer.state)
            lemmas = self.from_frame(frame)
            assert not any(state.issuperset(image) for lemma in lemmas for image in lemma.orbit)
        return answer

    def counted(self: Frames) -> None:
        nonlocal rebuilt
        rebuilt += 1
        rebuild(self)

    monkeypatch.setattr(Frames, "step_into", step_into)
    monkeypatch.setattr(Frames, "_rebuild", counted)
    model = leases()
    assert pdr(model, model.properties["disjointness"], FEW).verdict is Verdict.PROVED
    assert rebuilt > 3


def test_remembered_steps_are_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver agrees with every answer from memory, of the cube and of its images."""
    ruled_out, known_step, remembered = Frames.ruled_out, Frames.known_step_into, [0, 0]

    def asked(self: Frames, frame: int, cube: Cube, *, other: bool = True) -> Cube | None:
        before = self.questions
        answer = ruled_out(self, frame, cube, other=other)
        if self.questions == before:
            remembered[0] += 1
            assert answer is None and isinstance(self.step_into(frame, cube, other=other), FoundStep)
        return answer

    def known(self: Frames, frame: int, cube: Cube) -> FoundStep | None:
        answer = known_step(self, frame, cube)
        if answer is not None:
            remembered[1] += 1
            state, into = set(answer.state), set(self.lift(answer, cube))
            assert into <= state and not state.issuperset(cube)
            assert not any(state.issuperset(x) for lemma in self.from_frame(frame) for x in lemma.orbit)
        return answer

    monkeypatch.setattr(Frames, "ruled_out", asked)
    monkeypatch.setattr(Frames, "known_step_into", known)
    model = leases()
    assert pdr(model, model.properties["disjointness"], FEW).verdict is Verdict.PROVED
    assert min(remembered) > 20


def test_pairs_without_samples_are_excluded_as_far_as_that_is_inductive() -> None:
    model, dice = leases(), Random(0)
    target, semantics = model.properties["disjointness"], Semantics(model)
    system = System(model, target)
    samples = Samples(system, Walks(semantics, 50, dice), None, semantics, dice)
    asked = Frames(system, lambda: None, Memory(system, dice))
    pairs = samples.pairs()[:300]
    assert all(len(x) <= 2 and not samples.hits(x) for x in pairs)
    lemmas = [asked.lemma(x) for x in pairs if not asked.begins_in(x)]
    kept = asked.inductive_part(lemmas)
    assert 0 < len(kept) < len(lemmas)
    found = Invariant.of(system, [x.cube for x in kept])
    failing = recheck(model, target, found, SOLVERS["z3"])
    assert not [x for x in failing if x.startswith(("initiation", "consecution"))]
    for more in [x for x in lemmas if x not in kept][:9]:
        assert asked.inductive_part([*kept, more]) == kept


@pytest.mark.parametrize("images", [3, 4_000])
def test_an_invariant_has_what_the_proof_needs_alone(images: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few images of a cube are excluded at once, all lemmas may be needed."""
    monkeypatch.setattr(frames, "_MOST_IMAGES", images)
    needed, parts = Frames.needed, list[tuple[int, int]]()

    def counted(self: Frames, lemmas: list[Lemma], ways: list[BadCause]) -> Iterable[Lemma]:
        found = [*needed(self, lemmas, ways)]
        parts.append((len(found), len(lemmas)))
        return found

    monkeypatch.setattr(Frames, "needed", counted)
    model = leases()
    target = model.properties["disjointness"]
    found = pdr(model, target, FEW).invariant
    assert found is not None and recheck(model, target, found, SOLVERS["z3"]) == ()
    ((some, every),) = parts
    assert some < every if images > 3 else some == every

"""A question that is asked again of a model with wider types, and interrupted then."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from leadline.symbolic.api import asked
from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Answer, Interrupted, Limits, Listener, Query, Result, Verdict
from leadline.symbolic.engines.ask.widening import Kept
from leadline.symbolic.engines.bounded.bmc import BmcOptions
from leadline.symbolic.lang import Model


def test_runs_of_the_narrower_model_are_not_told_of_the_wider_one(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = find("two-phase-commit")
    narrow, wide = model_of(entry, {}), model_of(entry, {"resource_managers": 3})

    def answers(
        model: Model, limits: Limits, ask: Callable[[Model, Limits], Answer], _: Kept
    ) -> Iterator[tuple[Model, Answer]]:
        yield model, ask(model, limits)
        yield wide, ask(wide, limits)

    def answered(model: Model, query: Query, limits: Limits, listener: Listener) -> Answer:
        if model is wide:
            raise KeyboardInterrupt
        found = Result("consistency", "bmc", Verdict.OUT_OF_BOUNDS, steps=1)
        listener.told(found)
        return Answer([found])

    monkeypatch.setattr(asked, "widened_answers", answers)
    monkeypatch.setattr(asked, "answer", answered)
    question = Asked(entry, narrow, Query(entry.source, {}, ("consistency",), BmcOptions(3), "cadical"))
    with pytest.raises(Interrupted):
        question.put(Limits(), lambda _: None, lambda _: None)
    assert question.model is wide
    assert not question.answer.results
    assert list(question.reasons(Semantics(wide))) == []

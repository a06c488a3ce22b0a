"""TLA+ modules asked about as models."""

from __future__ import annotations

from pathlib import Path

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Limits, Options, Query, Result
from leadline.symbolic.lang import Model
from leadline.symbolic.tla.learning import Learner


def asked(path: Path, name: str, options: Options) -> tuple[Model, Result]:
    entry = find(str(path))
    model = model_of(entry, {})
    question = Asked(entry, model, Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(), lambda _: None, lambda _: None)
    (result,) = question.verdicts
    return question.model, result


def counts(learner: Learner) -> list[int]:
    """The states within so many steps, found by the interpreter."""
    known = dict.fromkeys(learner.some_initial()[0])
    frontier, found = list(known), [len(known)]
    while True:
        after = dict.fromkeys(x for state in frontier for x in learner.successors(state) if x not in known)
        if not after:
            return found
        known |= after
        frontier = list(after)
        found.append(len(known))

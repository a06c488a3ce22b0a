"""Counterexamples to induction: a state that satisfies all conjuncts, and what goes wrong from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import InternalError, Model, OutOfBounds, UserError
from leadline.symbolic.trace.document import INDUCTION, Stored, document
from leadline.symbolic.trace.replay import end_reason, wrong_end, wrong_step
from leadline.symbolic.trace.text import Line, LineKind, ending, parts
from leadline.symbolic.trace.trace import Trace, call_of, title


@dataclass(frozen=True)
class Cti:
    """Why an obligation of an inductive proof fails.

    Attributes:
        obligation: the obligation's name.
        conjuncts: the names of the conjuncts that the first state satisfies; none if it is an initial state.
        fragment: a state and at most one step from it, as a run that begins in that state; its end says what
            goes wrong. The state need not be reachable, unless it is an initial state.
    """

    obligation: str
    conjuncts: tuple[str, ...]
    fragment: Trace


def replay_cti(semantics: Semantics, cti: Cti) -> None:
    """Take the step of a counterexample to induction, and look at both states.

    Raises:
        InternalError: if the first state does not satisfy all conjuncts (or is no initial state where it
            should be), if the step is none that the model can take, or if nothing is wrong at its end.
    """
    wrong = cti_disagreement(semantics, cti)
    if wrong is not None:
        raise InternalError(
            f"a counterexample to induction of {semantics.model.protocol} ({cti.obligation}) does not "
            f"replay: {wrong}"
        )


def cti_disagreement(semantics: Semantics, cti: Cti) -> str | None:
    """How a counterexample to induction departs from what the model does, or None if it is one."""
    begin, *steps = cti.fragment.stages
    if len(steps) > 1:
        return f"it has {len(steps)} steps, and one is the most"
    if not cti.conjuncts:
        wrong = wrong_step(semantics, None, begin, at_end=not steps)
        if wrong is not None:
            return f"the initial state: {wrong}"
    elif begin.state is None:
        return "there is no first state"
    for name in cti.conjuncts:
        wrong = _not_satisfied(semantics, name, begin.state)
        if wrong is not None:
            return f"the first state: {wrong}"
    for step in steps:
        wrong = wrong_step(semantics, begin.state, step, at_end=True)
        if wrong is not None:
            return f"the step: {wrong}"
    wrong = wrong_end(semantics, cti.fragment)
    return f"the end: {wrong}" if wrong is not None else None


def _not_satisfied(semantics: Semantics, name: str, state: Any) -> str | None:
    try:
        return None if semantics.holds(name, state) else f"{name} is false"
    except OutOfBounds as error:
        return f"the evaluation of {name} goes out of bounds ({error})"


def cti_document(model: Model, cti: Cti, source: str) -> dict[str, Any]:
    """A counterexample to induction as a JSON object.

    That of its fragment, as `document` makes it, with the obligation and the conjuncts beside.

    Args:
        model: the model.
        cti: the counterexample.
        source: the protocol as the catalog finds it: its name or path.
    """
    about = {"obligation": cti.obligation, "conjuncts": list(cti.conjuncts)}
    return {**document(model, cti.fragment, source), INDUCTION: about}


def is_cti(stored: Stored) -> bool:
    """Whether a stored trace is a counterexample to induction, not a run."""
    return INDUCTION in stored.data


def stored_cti(model: Model, stored: Stored) -> Cti:
    """The counterexample to induction of a document. Not replayed yet.

    Raises:
        UserError: if something in it is not of the model, with its place in the file.
    """
    about, place = stored.data[INDUCTION], f"{stored.place}.{INDUCTION}"
    if not isinstance(about, dict) or set(about) != {"obligation", "conjuncts"}:
        raise UserError(f"{place}: an object with exactly obligation, conjuncts is needed")
    obligation, names = about["obligation"], about["conjuncts"]
    if not isinstance(obligation, str):
        raise UserError(f"{place}.obligation: text is needed")
    if not isinstance(names, list) or not all(isinstance(x, str) and x in model.properties for x in names):
        raise UserError(f"{place}.conjuncts: an array of names of properties of {model.protocol} is needed")
    return Cti(obligation, tuple(names), stored.trace(model))


def cti_lines(semantics: Semantics, cti: Cti) -> Iterator[Line]:
    """The text of a counterexample to induction: the first state in full, the action, and what it changes."""
    model, fragment = semantics.model, cti.fragment
    yield Line(LineKind.HEAD, f"{title(model)}: {cti.obligation} fails")
    begin, *steps = fragment.stages
    satisfied = "A state that satisfies every conjunct (it need not be reachable)"
    first = satisfied if cti.conjuncts else call_of(model, begin)
    yield Line(LineKind.STEP, f"  0  {first}")
    yield from (Line(LineKind.PART, f"       {text}") for text in parts(model, None, begin))
    for step in steps:
        yield Line(LineKind.STEP, f"  1  {call_of(model, step)}")
        yield from (Line(LineKind.PART, f"       {text}") for text in parts(model, begin.state, step))
    yield Line(LineKind.END, f"     {ending(model, fragment, end_reason(semantics, fragment))}")


def read_cti(model: Model, body: Mapping[str, Any]) -> Cti:
    """The counterexample to induction that `cti_document` wrote in another process."""
    return stored_cti(model, Stored("the child's answer", body))

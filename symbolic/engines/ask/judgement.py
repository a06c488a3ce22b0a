"""The judgement of an answer: whether it is as it should be.

An invariant should hold. A probe should be violated, which shows that something can be reached. Exit codes,
reports, tests and grids all ask here.
"""

from __future__ import annotations

from enum import StrEnum

from leadline.symbolic.engines.ask.result import Result, Verdict
from leadline.symbolic.lang import Model, PropertyKind, counted


class Judgement(StrEnum):
    """Whether an answer is as it should be: yes, no, or not known yet."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"


def judged(kind: str | None, verdict: Verdict, *, complete: bool = False) -> Judgement:
    """The judgement of a verdict.

    Args:
        kind: the kind of the property; None for one that the model does not state, such as "deadlock".
        verdict: the verdict.
        complete: whether every reachable state was looked at.
    """
    if verdict is Verdict.UNKNOWN:
        return Judgement.OPEN
    if verdict is Verdict.OUT_OF_BOUNDS:
        return Judgement.FAILED
    if kind != PropertyKind.PROBE:
        return Judgement.FAILED if verdict is Verdict.VIOLATED else Judgement.PASSED
    if verdict is Verdict.VIOLATED:
        return Judgement.PASSED
    # Beyond the bound it may still be reached.
    return Judgement.FAILED if complete or verdict is Verdict.PROVED else Judgement.OPEN


def said(kind: str | None, verdict: Verdict, *, complete: bool = False) -> str:
    """A verdict in a word or two; the arguments are those of `judged`."""
    if kind != PropertyKind.PROBE or verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BOUNDS):
        return str(verdict)
    words = {Judgement.PASSED: "reached", Judgement.FAILED: "unreachable", Judgement.OPEN: "not reached"}
    return words[judged(kind, verdict, complete=complete)]


def kind_of(model: Model, name: str) -> PropertyKind | None:
    """The kind of a property; None if the model does not state it."""
    claim = model.properties.get(name)
    return None if claim is None else claim.kind


def judgement(model: Model, result: Result) -> Judgement:
    """The judgement of an answer about a property of a model."""
    return judged(kind_of(model, result.property), result.verdict, complete=result.complete)


def verdict_text(model: Model, result: Result) -> str:
    """A verdict for a person, with the layers that were searched."""
    text = said(kind_of(model, result.property), result.verdict, complete=result.complete)
    bounded = result.verdict in (Verdict.SAFE, Verdict.UNKNOWN) and not result.complete
    if not bounded or result.unroll is None or result.depth < 0:
        return text
    beyond = "within" if result.verdict is Verdict.SAFE else "beyond"
    if result.loops:
        layers = "sweep" if result.unroll == "sweeps" else "layer"
        return f"{text} {beyond} {counted(result.depth, layers)} of the search for loops"
    # Every run of k steps is among the runs of k sweeps.
    covered = f" (at least {counted(result.depth, 'step')})" if result.unroll == "sweeps" else ""
    return f"{text} {beyond} {counted(result.depth, result.unroll.removesuffix('s'))}{covered}"

"""The fairness of a run that goes on for ever: for each condition, the reason why the loop satisfies it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.symbolic.concrete import Runs, Semantics
from leadline.symbolic.lang import (
    Always,
    Both,
    Either,
    Eventually,
    Fairness,
    Happens,
    Holds,
    Model,
    Negated,
    Temporal,
    counted,
    expanded,
    in_tla,
)
from leadline.symbolic.meaning import Word
from leadline.symbolic.meaning.trace import Trace, word_of

_MOST_NAMED = 4


@dataclass(frozen=True)
class Fair:
    """A fairness condition, and why a run satisfies it.

    Attributes:
        condition: its text, such as `WF_vars(Send)`.
        at: the values at which it is asked by itself and for which this is the reason; none if it is asked once.
        taken: the number of a step of the loop that is one of its action; None if the loop has none.
        disabled: if no step is, the number of a state of the loop in which none can be taken.
        never: whether none can be taken in any state of the loop, as strong fairness asks for.
    """

    condition: str
    at: tuple[str, ...]
    taken: int | None
    disabled: int | None
    never: bool

    def why(self) -> str:
        """The reason in words."""
        if self.taken is not None:
            return f"taken at step {self.taken}"
        if self.never:
            return "never enabled in the loop"
        return f"not enabled in state {self.disabled}"

    @property
    def name(self) -> str:
        """Its text, with the values."""
        named = ", ".join(self.at) if len(self.at) <= _MOST_NAMED else counted(len(self.at), "value")
        return f"{self.condition}{f' at {named}' if named else ''}"

    @property
    def place(self) -> int | None:
        """The number of the step or state in the reason."""
        return self.disabled if self.taken is None else self.taken

    def __str__(self) -> str:
        return f"{self.name}: {self.why()}"

    def to_json(self) -> dict[str, Any]:
        """The condition as a JSON object; `step` or `state` has the place in the run."""
        found: dict[str, Any] = {"condition": self.condition, "at": list(self.at), "why": self.why()}
        if self.taken is not None:
            return {**found, "step": self.taken}
        return found if self.never else {**found, "state": self.disabled}


def fairness(model: Model, trace: Trace) -> list[Fair]:
    """The fairness conditions of the model and the reasons why a run satisfies them; none if it does not go on.

    Values at which a condition has the same reason are told together.
    """
    if trace.loop is None:
        return []
    runs, word = Runs(Semantics(model)), word_of(trace)
    found = [one for fair in model.fairness for one in _of_model(runs, fair, word)]
    claim = model.properties.get(trace.property or "")
    if claim is not None and claim.temporal is not None:
        found += _of_claim(runs, claim.temporal, word)
    return _together(found)


def assumes_fairness(model: Model, trace: Trace) -> bool:
    """Whether the property of a trace is claimed of fair runs alone."""
    claim = model.properties.get(trace.property or "")
    return bool(model.fairness) or (
        claim is not None and claim.temporal is not None and _has_premise(claim.temporal)
    )


def _has_premise(claim: Temporal) -> bool:
    match claim:
        case Both(items=items):
            return any(map(_has_premise, items))
        case Either(items=(Negated(item=Both()), _)):
            return True
    return False


def _together(found: Sequence[Fair]) -> list[Fair]:
    groups: dict[tuple[object, ...], list[str]] = {}
    for one in found:
        groups.setdefault((one.condition, one.taken, one.disabled, one.never), []).extend(one.at)
    return [Fair(key[0], tuple(at), *key[1:]) for key, at in groups.items()]  # type: ignore[arg-type]  # as they went in


def _fair(condition: str, at: str, word: Word, able: Sequence[bool], taken: Sequence[bool]) -> Fair:
    """A condition that the loop satisfies: judged by the actions enabled and taken at each of its places."""
    here = (at,) if at else ()
    for place, is_taken in zip(word.repeated, taken, strict=True):
        if is_taken:
            return Fair(condition, here, place + 1, None, False)
    idle = [place for place, is_able in zip(word.repeated, able, strict=True) if not is_able]
    return Fair(condition, here, None, idle[0] if idle else None, len(idle) == len(able))


def _of_model(runs: Runs, fair: Fairness, word: Word) -> Iterator[Fair]:
    """A condition of the model, at each value at which it is asked."""
    names = {one.name: one.tla for one in runs.semantics.model.variables}
    of = "vars" if not fair.of else ", ".join(names[name] for name in fair.of)
    text = f"{'SF' if fair.strong else 'WF'}_{of if len(fair.of) < 2 else f'<<{of}>>'}({fair.name})"
    for keys, able, taken in runs.tried(fair, word):
        at = ", ".join(in_tla(kind, key) for kind, key in zip(fair.types, keys, strict=True))
        yield _fair(text, at, word, able, taken)


def _of_claim(runs: Runs, claim: Temporal, word: Word) -> Iterator[Fair]:
    """The conditions that a claim has as premises, as claims of TLA+ modules do."""
    match claim:
        case Both(items=items):
            for item in items:
                yield from _of_claim(runs, item, word)
        case Either(items=(Negated(item=Both() as premises), _)):
            yield from _premise(runs, "", expanded(premises), word)


def _premise(runs: Runs, at: str, premise: Temporal, word: Word) -> Iterator[Fair]:
    """A premise that is weak or strong fairness with its text as name, or has such conjuncts."""
    match premise:
        case Both(items=items, names=names):
            for name, item in zip(names or [""] * len(items), items, strict=True):
                yield from _premise(runs, ", ".join(filter(None, (at, name))), item, word)
        case (
            Always(Eventually(Either(items=(Negated(Holds(node=able)), Happens(node=taken)), names=(text,))))
            | Either(
                items=(
                    Eventually(Always(Negated(Holds(node=able)))),
                    Always(Eventually(Happens(node=taken))),
                ),
                names=(text,),
            )
        ):
            can = [runs.holds(able, word.states[place]) for place in word.repeated]
            does = [runs.happens(taken, word.states[place], word.after(place)) for place in word.repeated]
            yield _fair(text, at, word, can, does)

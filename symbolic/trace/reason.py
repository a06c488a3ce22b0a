"""A reason why a formula has its value: as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_MOST_LINES = 10
_WIDTH = 80
_MOST_TOLD = 4

PLACES = ("state", "step")
"""The names by which a reason about a run tells its place."""


@dataclass(frozen=True)
class Reason:
    """A subformula with its value in a state, and the parts that decide it.

    Attributes:
        formula: the subformula, with the values of bound variables that are numbers or names.
        value: its value: TRUE or FALSE.
        terms: where there are no parts, the terms that it compares, with their values.
        instance: the same formula with the values in place of the terms; "" if that says nothing.
        parts: the subformulas that decide: of a false conjunction those that are false, of a false "for all"
            one for each counterexample shown, of a false "there is" one for each element.
        chosen: of a part of a quantifier, the variable and its value.
        domain: the set from which that was chosen; "" if it is a constant.
        exhaustive: whether the parts are all that the quantifier ranges over.
        left_out: the number of further parts of a quantifier that are not shown.
    """

    formula: str
    value: str
    terms: tuple[tuple[str, str], ...] = ()
    instance: str = ""
    parts: tuple[Reason, ...] = ()
    chosen: tuple[str, str] | None = None
    domain: str = ""
    exhaustive: bool = False
    left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """The reason as a JSON object; empty fields are left out."""
        fields: dict[str, Any] = {"formula": self.formula, "value": self.value == "TRUE"}
        if self.chosen:
            fields["with"] = dict([self.chosen])
        if self.terms:
            fields["terms"] = dict(self.terms)
        if self.parts:
            fields["because"] = [part.to_json() for part in self.parts]
        return fields | ({"left_out": self.left_out} if self.left_out else {})

    def lines(self) -> list[str]:
        """The reason in at most ten lines."""
        found = list(_told(self))
        if len(found) > _MOST_LINES:
            found[_MOST_LINES - 1 :] = [f"({len(found) - _MOST_LINES + 1} more lines)"]
        return found

    def sentence(self) -> str:
        """The reason in words for the middle of a sentence, formulas between backquotes."""
        told = list(_pieces(self))
        if len(told) > _MOST_TOLD:
            told[_MOST_TOLD - 1 :] = [f"{len(told) - _MOST_TOLD + 1} more"]
        return ", and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def _pieces(reason: Reason) -> Iterator[str]:
    """The formulas that decide, with their values, in words."""
    chosen = [reason]
    while len(reason.parts) == 1 and not reason.exhaustive:
        (reason,) = reason.parts
        chosen.append(reason)
    given = "".join(f"{text}, " for text in _given(chosen, "`"))
    if reason.parts and not reason.exhaustive:
        for part in reason.parts:
            for piece in _pieces(part):
                yield given + piece
                given = ""
    else:
        instance = f" (`{_cut(reason.instance)}`)" if reason.instance else ""
        yield f"{given}`{_cut(reason.formula)}` is {reason.value.lower()}{instance}"


def _is_place(reason: Reason) -> bool:
    """Whether a reason is chosen by its place in a run."""
    return reason.chosen is not None and reason.chosen[0] in PLACES


def _place(kind: str, number: str) -> str:
    if number.startswith("each of"):
        return f"in {number.replace('each of', f'each of the {kind}s')}"
    return f"in {kind} {number}"


def _told(reason: Reason, indent: str = "") -> Iterator[str]:
    """The lines: the values chosen on the way to the first branch, and below them what decides there."""
    chosen = [reason]
    while len(reason.parts) == 1 and not reason.exhaustive:
        (reason,) = reason.parts
        chosen.append(reason)
    if given := _given(chosen):
        yield f"{indent}{', '.join(given)}:"
        indent += "  "
    if reason.exhaustive or not reason.parts:
        instance = f"   ({_cut(reason.instance)})" if reason.instance else ""
        yield f"{indent}{reason.value:<5}  {_cut(reason.formula)}{instance}"
        indent += "  "
    for part in reason.parts:
        yield from _told(part, indent)
    if reason.left_out:
        yield f"{indent}and so on, for {reason.left_out} more"


def _given(chosen: Sequence[Reason], quote: str = "") -> list[str]:
    """The values of quantifiers and the place in the run that were chosen, in words."""
    values = [_choice(one) for one in chosen if one.chosen and not _is_place(one)]
    places = [_place(*one.chosen) for one in chosen if one.chosen and _is_place(one)]
    return [*([f"for {', '.join(f'{quote}{text}{quote}' for text in values)}"] if values else []), *places]


def _choice(reason: Reason) -> str:
    within = f" in {_cut(reason.domain)}" if reason.domain else ""
    return f"{' = '.join(reason.chosen or ())}{within}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."

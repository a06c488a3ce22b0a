"""ALIAS of a configuration: expressions that are shown at the states of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.symbolic.tla.read.syntax import Apply
from leadline.symbolic.tla.values import operators
from leadline.symbolic.tla.values.interpreter import Interpreter, State
from leadline.symbolic.tla.values.values import EvaluationError, Value, items_of


@dataclass(frozen=True, slots=True)
class Field:
    """A field of ALIAS at a state.

    Attributes:
        name: its name; that of the operator where ALIAS is no record.
        value: its value; None if it has none.
        why: the error in place of a value.
    """

    name: str
    value: Value | None
    why: str | None = None


def fields_of(interpreter: Interpreter, states: Sequence[State], loop: int | None) -> list[tuple[Field, ...]]:
    """The fields of ALIAS at each state of a run, without those that only repeat a variable; none without ALIAS.

    A primed variable has its value in the state after; the last state of a run without a loop is followed by
    itself.

    Args:
        interpreter: the meaning of the specification.
        states: the states of the run.
        loop: the place of the state that the last one is again, if the run goes on for ever.
    """
    alias = interpreter.specification.alias
    if alias is None:
        return [() for _ in states]
    whole = alias.operator if isinstance(alias, Apply) else "ALIAS"
    value = interpreter.term_of_step(alias)
    last = len(states) - 1
    # The last state of a run with a loop is the one at the loop again, unless the run stops there.
    after_last = states[loop + 1] if loop is not None and loop < last else states[-1]
    found = list[tuple[Field, ...]]()
    for state, after in zip(states, (*states[1:], after_last), strict=True):
        try:
            shown = interpreter.guarded(lambda: operators.listed(value(state, after)))  # noqa: B023
        except EvaluationError as error:
            found.append((Field(whole, None, str(error)),))
        else:
            found.append(tuple(_fields(interpreter, whole, shown, state)))
    return found


def _fields(interpreter: Interpreter, whole: str, value: Value, state: State) -> list[Field]:
    pairs = list(items_of(value)) if isinstance(value, tuple) else []
    if not pairs or not all(isinstance(key, str) for key, _ in pairs):
        return [Field(whole, value)]
    known = dict(zip(interpreter.variables, state, strict=True))
    kept = [(str(key), x) for key, x in pairs if key not in known or known[str(key)] != x]
    return [Field(f"{key}_alias" if key in known else key, x) for key, x in kept]

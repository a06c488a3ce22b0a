"""A trace as a TLA+ module: one operator a state, as Apalache writes its counterexamples."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.symbolic.concrete import State
from leadline.symbolic.export.names import Scope, Words, words_of
from leadline.symbolic.lang import Model, Option, Sort, Type
from leadline.symbolic.trace.changes import in_full
from leadline.symbolic.trace.text import headline
from leadline.symbolic.trace.trace import Trace, call_of


def tla_module(model: Model, trace: Trace, name: str = "counterexample", reason: str | None = None) -> str:
    """The text of a module whose operators `State0`, `State1` and so on each describe one state.

    Variables are called what they are in the module that `export` writes.

    Args:
        model: the model.
        trace: a run of it.
        name: the module's name, which has to be that of the file for TLA+'s own tools; a name that TLA+
            does not allow becomes `counterexample`.
        reason: why its end is out of bounds, as `end_reason` says.
    """
    words = words_of(model)
    name = name if re.fullmatch(r"\w*[A-Za-z]\w*", name, re.ASCII) else "counterexample"
    parts = [
        f"{f' MODULE {name} ':-^80}",
        _comment(headline(model, trace)),
        "EXTENDS Integers, Sequences, FiniteSets, TLC",
        *_constants(model),
        "VARIABLES\n" + ",\n".join(f"  {name}" for name in words.variables.values()),
        *_stages(model, words, trace, reason),
        "=" * 80,
    ]
    return "\n\n".join(parts) + "\n"


def _comment(text: str) -> str:
    return f"(* {text.replace('(*', '( *').replace('*)', '* )')} *)"


def _constants(model: Model) -> list[str]:
    names: dict[str, None] = {}
    pending = [variable.type for variable in reversed(model.variables)]
    seen: set[Type] = set()
    while pending:
        kind = pending.pop()
        if kind in seen:
            continue
        seen.add(kind)
        pending.extend(reversed(kind.parts))
        if isinstance(kind, Sort):
            names.update(dict.fromkeys(kind.members))
        elif isinstance(kind, Option):
            names["None"] = None
    return [f"CONSTANTS\n  {', '.join(names)}"] if names else []


def _stages(model: Model, words: Words, trace: Trace, reason: str | None) -> Iterator[str]:
    scope = Scope(words.taken)
    for number, stage in enumerate(trace.stages):
        what = "Initial state" if number == 0 else f"Step {number}"
        call = _comment(f"{what}: {call_of(model, stage)}")
        if stage.state is None:
            why = f": {reason}" if reason else ""
            yield _comment(f"{what}: {call_of(model, stage)} goes out of bounds{why}")
        else:
            operator = scope.take(f"State{number}")
            yield "\n".join([call, f"{operator} ==", *_conjuncts(model, words, stage.state)])


def _conjuncts(model: Model, words: Words, state: State) -> Iterator[str]:
    for variable, value in zip(model.variables, state, strict=True):
        first, *rest = in_full(variable.type, words.variables[variable.name], value)
        yield f"  /\\ {first}"
        yield from (f"     {line}" for line in rest)

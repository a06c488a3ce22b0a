"""Traces for other tools: the Informal Trace Format of Apalache (its ADR 015), and TLA+ modules.

Names are those of TLA+. In ITF, sorts and enumerations are strings, an option is its value or the string
"None", a union is a variant ``{"tag": ..., "value": record}``. As in Apalache, "U_OF_UNIT" stands for
an empty record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from leadline.symbolic.concrete import State
from leadline.symbolic.lang import (
    Atoms,
    Graph,
    Int,
    Map,
    Model,
    Option,
    Set,
    Sort,
    Tuple,
    Type,
    Union,
    Value,
    setting_text,
)
from leadline.symbolic.meaning.trace import Trace, call_of
from leadline.symbolic.notation.names import Scope, Words, words_of
from leadline.symbolic.trace.aliases import alias_values
from leadline.symbolic.trace.text import alias_lines, headline, in_full
from leadline.symbolic.trace.values import to_json

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf(model: Model, trace: Trace, reason: str | None = None) -> dict[str, Any]:
    """A trace as a JSON object in ITF. A step that goes out of bounds has no state; `#meta` names it.

    `loop` is the place of the state that follows the last one, if the run goes on for ever. The step back to
    it is named by `#meta`; where the run stops, the last state follows itself. Aliases are among the variables,
    so that viewers show them; `#meta` names them.

    Args:
        model: the model.
        trace: a run of it.
        reason: why its end is out of bounds, from `end_reason`.
    """
    names = [variable.tla for variable in model.variables]
    shown = alias_values(model, trace)
    aliases = list(dict.fromkeys(one.tla for stage in shown for one in stage))
    states = [
        {
            "#meta": {"index": number, "action": call_of(model, stage)},
            **{v.tla: _itf_value(v.type, x) for v, x in zip(model.variables, stage.state, strict=True)},
            **{one.tla: _itf_value(one.type, one.value) for one in more if one.why is None},
        }
        for number, (stage, more) in enumerate(zip(trace.once, shown, strict=False))
        if stage.state is not None
    ]
    meta = {
        "format": "ITF",
        "format-description": FORMAT,
        "description": headline(model, trace),
        "protocol": model.protocol,
        "parameters": {
            name: setting_text(value) for name, value in model.parameters.items() if value is not None
        },
        "ends": str(trace.ends),
    }
    if aliases:
        meta["aliases"] = aliases
    if trace.last is None:
        meta["out-of-bounds"] = call_of(model, trace.stages[-1]) + (f": {reason}" if reason else "")
    if len(trace.once) < len(trace.stages):
        meta["back"] = call_of(model, trace.stages[-1])
    loop = {} if trace.loop is None else {"loop": trace.loop}
    return {"#meta": meta, "params": [], "vars": [*names, *aliases], "states": states, **loop}


def _itf_value(kind: Type, value: Value) -> Any:
    match kind:
        case Int():
            return {"#bigint": str(value)}
        case Option() if value is None:
            return "None"
        case Map():
            pairs = kind.pairs(value)
            return {"#map": [[_itf_value(kind.key, k), _itf_value(kind.value, v)] for k, v in pairs]}
        case Union() if not kind.by_tag[value[0]].fields:
            return {"tag": value[0], "value": "U_OF_UNIT"}
    made = to_json(kind, value, _itf_value)
    sign = {Tuple: "#tup", Set: "#set", Graph: "#set"}.get(type(kind))
    return {sign: made} if sign else made


# -- TLA+ ------------------------------------------------------------------------------------------------


def tla_module(model: Model, trace: Trace, name: str = "counterexample", reason: str | None = None) -> str:
    """A trace as a TLA+ module, in the form of Apalache's counterexamples: `State0`, `State1` and so on.

    Each of these operators describes one state. Variables have the names of the module that `export` writes.
    A run that goes on for ever ends with a comment that names the state to which it goes back, or says that it
    stutters, as TLC does.

    Args:
        model: the model.
        trace: a run of it.
        name: the module's name, which for TLA+'s tools has to be the file's name. A name that TLA+ does not
            allow becomes `counterexample`.
        reason: why its end is out of bounds, from `end_reason`.
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
    def named(kind: Type) -> Iterator[str]:
        if isinstance(kind, Atoms | Sort):
            yield from (name for name in kind.members if not name.startswith('"'))
        elif isinstance(kind, Option):
            yield "None"
        for part in kind.parts:
            yield from named(part)

    names = dict.fromkeys(name for variable in model.variables for name in named(variable.type))
    return [f"CONSTANTS\n  {', '.join(names)}"] if names else []


def _stages(model: Model, words: Words, trace: Trace, reason: str | None) -> Iterator[str]:
    scope = Scope(words.taken)
    names = []
    shown = alias_values(model, trace)
    for number, stage in enumerate(trace.once):
        what = "Initial state" if number == 0 else f"Step {number}"
        call = _comment(f"{what}: {call_of(model, stage)}")
        if stage.state is None:
            why = f": {reason}" if reason else ""
            yield _comment(f"{what}: {call_of(model, stage)} goes out of bounds{why}")
        else:
            operator = scope.take(f"State{number}")
            names.append(operator)
            below = [_comment(text) for text in alias_lines(shown[number])]
            yield "\n".join([call, f"{operator} ==", *_conjuncts(model, words, stage.state), *below])
    if trace.stutters:
        yield _comment("Stuttering")
    elif trace.loop is not None:
        back = call_of(model, trace.stages[-1])
        yield _comment(f"Step {trace.length}: {back}. Back to {names[trace.loop]}")


def _conjuncts(model: Model, words: Words, state: State) -> Iterator[str]:
    for variable, value in zip(model.variables, state, strict=True):
        first, *rest = in_full(variable.type, words.variables[variable.name], value)
        yield f"  /\\ {first}"
        yield from (f"     {line}" for line in rest)

"""A question of an agent, answered in a process of its own: `leadline mcp` starts one for each, and can end it.

The process reads one JSON object from standard input: the name of the tool, its arguments, and what it may do. It
writes a JSON object a line: its progress, and at last the answer. Files are read only in the folder that it is
confined to, as `leadline.symbolic.files` says; one file is written, where the arguments say so.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from leadline.symbolic import api
from leadline.symbolic.api.protocols import LoadedProtocol, OfModule, loaded, settings_of
from leadline.symbolic.api.results import Result, Results
from leadline.symbolic.api.states import Trace
from leadline.symbolic.api.workbench import MOST_STEPS, Workbench
from leadline.symbolic.catalog import (
    Entry,
    entries,
    model_of,
    model_on_values,
    split_path,
)
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import Progress
from leadline.symbolic.engines.explore import specifications
from leadline.symbolic.files import CONFINED, is_allowed, is_there, read_text
from leadline.symbolic.lang import (
    Action,
    Foreign,
    LeadlineError,
    Model,
    ModelError,
    Span,
    UserError,
    constant_text,
    setting_text,
)
from leadline.symbolic.notation.types import set_text
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.trace import LineKind, Stored, chosen_traces, replayed

Json: TypeAlias = dict[str, Any]

LARGEST = 60_000
"""The characters of an answer at most."""
_MOST_FILES = 200
_OVERHEAD = 1_500
"""Megabytes of address space beside those of a search: code, libraries and the model."""
_EVERY = 0.3
"""Seconds between two tellings of progress."""


class Asked:
    """A question.

    Args:
        tool: the name of the tool.
        arguments: its arguments, as its schema has them.
        python: whether Python that comes from the folder or the agent may be run.
        tell: takes the progress in words.
    """

    def __init__(
        self, tool: str, arguments: Mapping[str, Any], python: bool, tell: Callable[[str], None]
    ) -> None:
        self.tool, self.arguments, self.python, self._tell = tool, arguments, python, tell
        self._told = 0.0

    def get(self, name: str) -> Any:
        """An argument, or None."""
        return self.arguments.get(name)

    def progress(self, now: Progress) -> None:
        """Tell of the progress of a search, but not too often."""
        if time.monotonic() - self._told > _EVERY:
            self._told = time.monotonic()
            self._tell(str(now))

    # -- the protocol ------------------------------------------------------------------------------

    def protocol(self) -> LoadedProtocol:
        """The protocol at the parameters that are asked for.

        Raises:
            UserError: if there is none, or it may not be loaded.
        """
        name, given, config = self.arguments["protocol"], self.get("parameters") or {}, self.get("config")
        if split_path(name) is not None and not self.python:
            raise UserError(
                f"{name} is a file of Python, which would be run: whoever starts the server has to allow it, by "
                "`leadline mcp --python`"
            )
        of_module: OfModule = {
            "config": Path(config) if config else None,
            "folders": [Path(one) for one in self.get("folders") or ()],
            "invariants": self.get("invariants") or (),
        }
        entry = loaded(name, {}, self.get("properties") or (), given, of_module).entry
        return LoadedProtocol(
            entry, settings_of(entry, [f"{key}={constant_text(x)}" for key, x in given.items()])
        )


# -- the tools ---------------------------------------------------------------------------------------------


def list_protocols(asked: Asked) -> Json:
    """All protocols that can be named."""
    found: Json = {
        "built_in": [
            {"protocol": name, "about": one.doc.partition("\n")[0]} for name, one in entries().items()
        ],
        "modules": [
            {"protocol": path, "config": _beside(path)} for path in islice(_files(".tla"), _MOST_FILES)
        ],
    }
    if asked.python:
        text = "leadline"
        own = (path for path in _files(".py") if text in _readable(path))
        found["python_files"] = list(islice(own, _MOST_FILES))
    return found


def _files(suffix: str) -> Iterator[str]:
    """The files of the folder with a suffix, in order; hidden folders and links are left out."""
    for folder, inner, names in os.walk("."):
        inner[:] = sorted(one for one in inner if not one.startswith((".", "__")))
        yield from sorted(str(Path(folder, name)) for name in names if name.endswith(suffix))


def _readable(path: str) -> str:
    with suppress(UserError):
        return read_text(Path(path), 1 << 20)
    return ""


def _beside(module: str) -> str | None:
    config = Path(module).with_suffix(".cfg")
    return str(config) if is_there(config) else None


def show_protocol(asked: Asked) -> Json:
    """The parameters, variables, actions and properties of a protocol."""
    loaded = asked.protocol()
    entry = loaded.entry
    model = model_on_values(entry, loaded.settings)
    parameters = [
        {
            "name": name,
            "value": setting_text(x) if (x := model.parameters.get(name)) is not None else None,
            "about": one.doc,
        }
        for name, one in entry.protocol.parameters.items()
    ]
    typed = not issubclass(entry.protocol, Foreign)
    return {
        "protocol": entry.name,
        "about": entry.doc,
        "language": "python" if typed else "tla",
        "parameters": parameters,
        "variables": [
            {"name": one.tla, **({"type": set_text(one.type).text} if typed else {})}
            for one in model.variables
        ],
        "actions": [_action(model, one) for one in model.actions],
        "properties": [
            {"name": one.name, "kind": str(one.kind), "about": one.doc, "place": _place(one.span)}
            for one in model.properties.values()
        ],
    }


def _action(model: Model, action: Action) -> Json:
    """An action; of a module, the outline of whose actions has no picks, with the place of its definition."""
    told: Json = {"name": action.tla, "about": action.doc}
    if isinstance(model.origin, TlaOrigin):
        return {**told, "place": _place(model.origin.specification.place_of(action.tla))}
    return {**told, "picks": [pick.name for pick in action.picks], "place": _place(action.span)}


def _place(span: Span) -> str:
    """A place, by the path within the folder where it is there."""
    file = Path(span.file)
    with suppress(ValueError):
        file = file.resolve().relative_to(Path.cwd())
    return f"{file}:{span.line}"


def ask(asked: Asked) -> Json:
    """The answer to check, prove, explore or simulate."""
    options = {
        name: value
        for name, value in asked.arguments.items()
        if name
        not in ("protocol", "parameters", "config", "folders", "invariants", "property", "properties", "save")
    }
    loaded = asked.protocol()
    names = [*(asked.get("invariants") or ()), *(asked.get("properties") or ())]
    own = [asked.get("property")] if asked.get("property") else names
    save = _place_to_save(asked.get("save"))
    if asked.tool == "prove":
        result = api.prove(loaded, properties=own, progress=asked.progress, **options)
        told: Json = {"results": [_result(result)]}
        return told | _saved(save, {result.property: result.trace})
    verb = {"check": api.check, "explore": api.explore, "simulate": api.simulate}[asked.tool]
    results: Results = verb(loaded, properties=own or None, progress=asked.progress, **options)
    beyond = results.out_of_bounds
    told = {
        "protocol": results.title,
        "holds": results.holds,
        "results": [_result(one) for one in results.values()],
    }
    if beyond is not None:
        told["out_of_bounds"] = _run(beyond)
    if results.facts:
        told["facts"] = results.facts
    return told | _saved(save, {one.property: one.trace for one in results.values()})


def _result(result: Result) -> Json:
    found: Json = {
        "property": result.property,
        "verdict": str(result.verdict),
        "judgement": str(result.judgement),
        "said": str(result),
        "engine": result.engine,
        "steps": result.steps,
        "reason": result.reason,
    }
    if result.trace is not None:
        found["counterexample"] = _run(result.trace)
    if result.cti is not None:
        found["counterexample_to_induction"] = result.cti.splitlines()
    return {name: value for name, value in found.items() if value is not None}


_ENDS = 25
"""The steps of a long run that are told from its beginning, and from its end."""


def _run(trace: Trace) -> Json:
    """A run: its initial state, then each action with its picks and what it changes, and why it is an error."""
    steps = [{"step": 0, "action": "Init", "changes": str(trace[0]).splitlines()}] if len(trace) else []
    steps += [
        {"step": number, "action": str(step), "changes": list(step.changes)}
        for number, step in enumerate(trace.steps, start=1)
    ]
    told: Json = {"ends": trace.ends, "length": len(trace.steps)}
    if trace.loop is not None:
        told["back_to_step"] = trace.loop
    if len(steps) > 2 * _ENDS:
        told["left_out"] = f"steps {_ENDS} to {len(steps) - _ENDS - 1}"
        steps = [*steps[:_ENDS], *steps[-_ENDS:]]
    return {**told, "steps": steps, "why": _why(trace)}


def _why(trace: Trace) -> list[str]:
    """The lines of a run's text that say why it is an error: those after its last step."""
    lines = list(trace.lines())
    last = max((place for place, one in enumerate(lines) if one.kind is LineKind.END), default=0)
    return [str(one).strip() for one in lines[last:]]


def _place_to_save(name: str | None) -> Path | None:
    """The file for counterexamples.

    Raises:
        UserError: if it is there already, or may not be written.
    """
    if name is None:
        return None
    path = Path(name)
    if path.suffix != ".json" or not is_allowed(path):
        raise UserError(f"save: {name}: a new .json file in the server's folder is needed")
    if os.path.lexists(path):
        raise UserError(f"save: {name} is there already: choose another name")
    return path


def _saved(path: Path | None, traces: Mapping[str, Trace | None]) -> Json:
    found = {name: one for name, one in traces.items() if one is not None}
    if path is None or not found:
        return {}
    data = {"results": [{"property": name, "trace": one.to_json()} for name, one in found.items()]}
    try:
        # It must not be there, so that no link leads elsewhere.
        with path.open("x", encoding="utf-8") as file:
            json.dump(data, file)
    except OSError as error:
        raise UserError(f"save: {path} cannot be written: {error.strerror}") from error
    return {"saved": str(path)}


def evaluate(asked: Asked) -> Json:
    """Expressions in a state, with the steps that are possible there, and what forbids others."""
    bench = Workbench(asked.protocol(), depth=asked.get("depth") or 20, timeout=asked.get("timeout"))
    if (
        bench.ground.language == "python"
        and not asked.python
        and (asked.get("expressions") or asked.get("find"))
    ):
        raise UserError(
            "expressions about this protocol are Python, which would be run: whoever starts the server has to "
            "allow it, by `leadline mcp --python`; steps and why need no expression"
        )
    _go(bench, asked)
    values = {}
    for text in asked.get("expressions") or ():
        try:
            value = bench.value(text)
            values[text] = {"value": value} if value is not None else {"defined": True}
        except UserError as error:
            values[text] = {"error": str(error)}
    steps = bench.steps()
    told: Json = {
        "after_steps": bench.place,
        "run": [str(one) for one in bench.shown()],
        "state": list(bench.whole().changes),
        "values": values,
        "possible_steps": [
            {"step": str(one), "changes": list(one.changes)}
            if one.state is not None
            else {"step": str(one), "out_of_bounds": True}
            for one in steps
        ],
    }
    if len(steps) == MOST_STEPS:
        told["left_out"] = f"more than {MOST_STEPS} steps are possible"
    if asked.get("why"):
        told["why"] = {name: _objections(bench, name) for name in asked.arguments["why"]}
    return told


def _objections(bench: Workbench, name: str) -> list[Json] | Json:
    try:
        return [
            {"step": x.call, "possible": not x.wrong, "because": list(x.wrong)} for x in bench.why(name, {})
        ]
    except UserError as error:
        return {"error": str(error)}


def _go(bench: Workbench, asked: Asked) -> None:
    ways = [name for name in ("trace", "find", "initial") if asked.get(name)]
    if len(ways) > 1:
        raise UserError(f"{' and '.join(ways)}: give one of them")
    if asked.get("trace"):
        bench.follow(_stored(asked))
    if asked.get("initial"):
        bench.begin(asked.arguments["initial"])
    if asked.get("find"):
        found = bench.find(asked.arguments["find"])
        if found.run is None:
            raise UserError(f"{asked.arguments['find']}: {found}")
    if asked.get("step") is not None:
        bench.go(asked.arguments["step"])
    for number in asked.get("take") or ():
        bench.take(number)


def _stored(asked: Asked) -> Stored:
    (found,) = chosen_traces(Path(asked.arguments["trace"]), asked.get("of_property"), "of_property")
    return found


def explain(asked: Asked) -> Json:
    """A stored counterexample: replayed, step by step, with the reason why it is one."""
    stored, loaded = _stored(asked), asked.protocol()
    if stored.protocol != loaded.name:
        raise UserError(f"{asked.arguments['trace']} has a run of {stored.protocol}, not of {loaded.name}")
    trace = _replayed(loaded.entry, stored)
    told = {"protocol": stored.protocol, "property": trace.property, **_run(trace)}
    step = asked.get("step")
    if step is not None:
        if not 0 <= step < len(trace):
            raise UserError(f"step: a number in 0..{len(trace) - 1} is needed, not {step}")
        told["state"] = {"step": step, "values": str(trace[step]).splitlines()}
    return told


def _replayed(entry: Entry, stored: Stored) -> Trace:
    if issubclass(entry.protocol, Foreign):
        return Trace(*specifications.replayed(model_on_values(entry, stored.settings), stored), entry.source)
    semantics = Semantics(model_of(entry, stored.settings))
    return Trace(semantics.model, replayed(semantics, stored), entry.source)


TOOLS: Mapping[str, Callable[[Asked], Json]] = {
    "list_protocols": list_protocols,
    "show_protocol": show_protocol,
    "check": ask,
    "prove": ask,
    "explore": ask,
    "simulate": ask,
    "evaluate": evaluate,
    "explain": explain,
}
"""The tools. `leadline.symbolic.serve.mcp` has their schemas."""


# -- the process -------------------------------------------------------------------------------------------


def answered(asked: Asked) -> Json:
    """The answer of a tool, or the error in its place."""
    try:
        return bounded(TOOLS[asked.tool](asked))
    except ModelError as error:
        mistakes = [{"place": _place(one.span), "text": one.text} for one in error.mistakes]
        return bounded({"error": str(error), "mistakes": mistakes})
    except LeadlineError as error:
        return bounded({"error": str(error)})
    except MemoryError:
        return {"error": "out of memory: ask about fewer states, or with a larger `memory`"}
    except RecursionError:
        return {"error": "an expression nests too deeply"}


def bounded(answer: Json) -> Json:
    """An answer with long texts and lists cut, until it is no larger than `LARGEST`."""
    longest, most = 4_000, 500
    found = _cut(answer, longest, most)
    while len(json.dumps(found)) > LARGEST and most > 4:
        longest, most = longest * 2 // 3, most * 2 // 3
        found = _cut(answer, longest, most)
    assert isinstance(found, dict)
    return found


def _cut(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return (
            value
            if len(value) <= longest
            else f"{value[:longest]}... ({len(value) - longest} more characters)"
        )
    if isinstance(value, Mapping):
        shown = {key: _cut(x, longest, most) for key, x in islice(value.items(), most)}
        return shown if len(value) <= most else {**shown, "...": f"{len(value) - most} more"}
    if isinstance(value, list | tuple):
        items = [_cut(x, longest, most) for x in value[:most]]
        return items if len(value) <= most else [*items, f"({len(value) - most} more)"]
    return value


def main() -> None:
    """Answer one question."""
    # The server must not read what libraries and protocols print.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    question = json.loads(sys.stdin.readline())
    assert CONFINED in os.environ
    bytes_ = (question["memory"] + _OVERHEAD) << 20
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))

    def tell(text: str) -> None:
        _put(channel, {"progress": text})

    asked = Asked(question["tool"], question["arguments"], question["python"], tell)
    _put(channel, {"answer": answered(asked)})


def _put(channel: TextIO, message: Json) -> None:
    channel.write(f"{json.dumps(message)}\n")
    channel.flush()


if __name__ == "__main__":
    main()

"""The server for agents: Leadline's questions as tools of the Model Context Protocol, on standard input and
output.

Each call is answered by a process of its own (`leadline.symbolic.serve.job`), which has limits on time and memory,
reads files in one folder alone, and is ended with its children when the call is cancelled.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import mcp_types as t
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from jsonschema import Draft202012Validator
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

import leadline
from leadline.symbolic.files import CONFINED

Json: TypeAlias = dict[str, Any]
Context: TypeAlias = ServerRequestContext[dict[str, Any]]

SECONDS, MEGABYTES = 60, 2_000
"""The limits of a call that asks for none, if more is allowed."""
_GRACE = 10
"""Seconds beyond its limit in which a call may end by itself."""
_AT_ONCE = 2
"""The calls that are answered at the same time; others wait."""
_LONGEST_LINE = 4 << 20


@dataclass(frozen=True)
class Allowed:
    """The limits of one call.

    Attributes:
        folder: the folder whose files are read.
        seconds: its time.
        megabytes: its memory, for each process that works on it.
        python: whether Python of the folder and of the agent is run.
    """

    folder: Path
    seconds: int = 600
    megabytes: int = 8_000
    python: bool = False


INSTRUCTIONS = """\
Leadline is a model checker for TLA+ modules and for protocols in Python. Begin with list_protocols, then
show_protocol. `check` answers most questions: a verdict for each property, with a shortest run to a violation
where there is one. Verdicts: `violated` (with a counterexample), `out-of-bounds` (a step leaves the ranges of the
model), `unknown` (the limits were reached, or runs prove nothing), `safe` (as deep as the search went), `proved`
(in all reachable states). An answer with `error` says what to mend, and its `mistakes` where. Where a message
names an option of the command line, such as `-p N=3`, give the argument of that meaning: `parameters`. To see why
an action cannot be taken, or what holds in a state, use `evaluate`. Paths are relative to the server's folder;
nothing outside of it is read."""


# -- schemas -----------------------------------------------------------------------------------------------


def _text(about: str) -> Json:
    return {"type": "string", "maxLength": 10_000, "description": about}


def _number(about: str, low: int, most: int | None = None) -> Json:
    return {
        "type": "integer",
        "minimum": low,
        "description": about,
        **({} if most is None else {"maximum": most}),
    }


def _flag(about: str) -> Json:
    return {"type": "boolean", "description": about}


def _texts(about: str) -> Json:
    return {
        "type": "array",
        "items": {"type": "string", "maxLength": 10_000},
        "maxItems": 100,
        "description": about,
    }


_PROTOCOL = {
    "protocol": _text(
        "The protocol: a name from list_protocols, or the path of a TLA+ module, such as specs/Queue.tla."
    ),
    "parameters": {
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "Values of parameters; of a TLA+ module TLA+ expressions for its constants, such as "
        '{"N": 3, "Node": "{n1, n2}"}. Default: those of the configuration.',
    },
    "config": _text("Of a TLA+ module: the path of its configuration. Default: the .cfg file beside it."),
    "folders": _texts("Of a TLA+ module: folders with other modules that it extends or instantiates."),
}
_PROPERTIES = {
    "properties": _texts("The properties, by name. Default: all of the protocol, or of the configuration."),
    "invariants": _texts(
        "Of a TLA+ module: operators to check in every state, in place of those of the configuration."
    ),
}


def _limits(allowed: Allowed) -> dict[str, Json]:
    seconds, megabytes = min(SECONDS, allowed.seconds), min(MEGABYTES, allowed.megabytes)
    return {
        "timeout": _number(f"Stop after so many seconds. Default: {seconds}.", 1, allowed.seconds),
        "memory": _number(
            f"Megabytes for each process that works on it. Default: {megabytes}.", 64, allowed.megabytes
        ),
    }


_SAVE = {
    "save": _text(
        "Write the counterexamples to this new .json file, for explain and evaluate. Nothing is overwritten."
    )
}
_STORED = {
    "trace": _text("A file with counterexamples, by `save` or by `leadline check --format json`."),
    "of_property": _text("The property whose run in that file is meant, if there are several."),
}
_DEADLOCK = {
    "deadlock": _flag(
        "Report a state in which no action is enabled; a module's CHECK_DEADLOCK is its default."
    )
}
_OF_CHECK = {
    **_DEADLOCK,
    "depth": _number("Look so many steps ahead only. Default: as far as the limits allow.", 0, 100_000),
    **_SAVE,
}
_OF_EXPLORE = {
    **_DEADLOCK,
    "depth": _number("Explore so many steps only.", 0, 100_000),
    "max_states": _number("Stop at so many states.", 1),
    "count_values": _flag("Tell the values of each variable, and how many states have each."),
    "coverage": _flag("Tell guards that are never true, and properties that hold vacuously."),
    **_SAVE,
}
_OF_SIMULATE = {
    **_DEADLOCK,
    "runs": _number("The number of runs. Default: 1000.", 1, 1_000_000),
    "depth": _number("The steps of a run at most. Default: 100.", 0, 100_000),
    "seed": _number("The seed of the random choices. Default: 0.", 0),
    **_SAVE,
}
_OF_EVALUATE = {
    "initial": _number("Begin in the N-th initial state. Default: 1.", 1),
    "find": _text("An expression: go to the nearest reachable state in which it is true."),
    **_STORED,
    "step": _number("Go to the state after so many steps of the run.", 0),
    "take": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "maxItems": 1_000,
        "description": "Take these steps one after the other, each by its place from 1 among possible_steps.",
    },
    "expressions": _texts(
        "Expressions to evaluate there. TLA+ may name one, `Name == expression`, for the next."
    ),
    "why": _texts("Actions: tell which guard forbids each, for the picks that come nearest."),
    "depth": _number("The steps that find looks ahead. Default: 20.", 0, 100_000),
}
_OF_EXPLAIN = {**_STORED, "step": _number("Tell also the whole state after so many steps.", 0)}

ABOUT = {
    "list_protocols": "List the protocols that are built in, and the TLA+ modules of the folder.",
    "show_protocol": (
        "Show a protocol: its parameters with their values, its variables, its actions and properties with their "
        "documentation and places, or the mistakes in it."
    ),
    "check": (
        "Check properties: by several engines at once, or within `depth` steps. Answers a verdict for each "
        "property; a violated one has a counterexample, step by step, with what each step changes and why the "
        "property is false."
    ),
    "prove": (
        "Prove a property in all reachable states, by induction or by property-directed reachability, or find a "
        "counterexample."
    ),
    "explore": (
        "Search all reachable states, breadth first: their number by depth, how often each action is taken, "
        "deadlocks, and a verdict for each property."
    ),
    "simulate": (
        "Take random runs: how often each action is taken, how many runs reach a probe, the states by depth, and "
        "the values of variables. Runs prove nothing, so a property that is not violated stays unknown."
    ),
    "evaluate": (
        "Stand in a state, and tell it: the values of expressions there, the steps that are possible, and why "
        "others are not. The state is an initial one, the nearest in which `find` is true, or one of a stored "
        "run; `step` and `take` go on from there. Expressions are TLA+ for a TLA+ module, and Python for other "
        "protocols, which the server has to allow."
    ),
    "explain": (
        "Replay a stored counterexample and explain it: each step with what it changes, and why the property is "
        "false at the end."
    ),
}
"""The function of each tool."""


def tools(allowed: Allowed) -> list[t.Tool]:
    """The tools, with what they take."""
    limits = _limits(allowed)
    asking = {**_PROTOCOL, **_PROPERTIES, **limits}
    takes: dict[str, tuple[dict[str, Json], list[str]]] = {
        "list_protocols": ({}, []),
        "show_protocol": ({**_PROTOCOL, **limits}, ["protocol"]),
        "check": ({**asking, **_OF_CHECK}, ["protocol"]),
        "prove": (
            {**_PROTOCOL, "property": _text("The property."), **limits, **_SAVE},
            ["protocol", "property"],
        ),
        "explore": ({**asking, **_OF_EXPLORE}, ["protocol"]),
        "simulate": ({**asking, **_OF_SIMULATE}, ["protocol"]),
        "evaluate": ({**_PROTOCOL, **_OF_EVALUATE, **limits}, ["protocol"]),
        "explain": ({**_PROTOCOL, **_OF_EXPLAIN, **limits}, ["protocol", "trace"]),
    }
    return [_tool(name, about, *takes[name]) for name, about in ABOUT.items()]


def _tool(name: str, about: str, properties: dict[str, Json], required: list[str]) -> t.Tool:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    writes = "save" in properties
    hints = t.ToolAnnotations(read_only_hint=not writes, destructive_hint=False, open_world_hint=False)
    return t.Tool(name=name, description=about, input_schema=schema, annotations=hints)


# -- the server --------------------------------------------------------------------------------------------


@dataclass
class Desk:
    """The place where calls are answered.

    Attributes:
        allowed: the most that a call may do.
    """

    allowed: Allowed
    _turns: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(_AT_ONCE))

    def __post_init__(self) -> None:
        self.tools = {one.name: one for one in tools(self.allowed)}

    async def listed(self, _: Context, __: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        return t.ListToolsResult(tools=list(self.tools.values()))

    async def called(self, context: Context, call: t.CallToolRequestParams) -> t.CallToolResult:
        arguments = dict(call.arguments or {})
        wrong = self.complaint(call.name, arguments)
        if wrong is not None:
            return _result({"error": wrong})
        async with self._turns:
            return _result(await self.answer(context, call.name, arguments))

    def complaint(self, name: str, arguments: Json) -> str | None:
        """The error in a call, or None."""
        tool = self.tools.get(name)
        if tool is None:
            return f"there is no tool {name}: there are {', '.join(self.tools)}"
        wrong = sorted(Draft202012Validator(tool.input_schema).iter_errors(arguments), key=str)
        told = [f"{'.'.join(map(str, one.absolute_path)) or 'arguments'}: {one.message}" for one in wrong]
        return "; ".join(told)[:2_000] or None

    async def answer(self, context: Context, tool: str, arguments: Json) -> Json:
        """The answer of a process of its own, which ends with this."""
        limits = self.tools[tool].input_schema["properties"].keys() & {"timeout", "memory"}
        seconds = arguments.get("timeout", min(SECONDS, self.allowed.seconds))
        memory = arguments.get("memory", min(MEGABYTES, self.allowed.megabytes))
        if limits:
            arguments = {**arguments, "timeout": seconds, "memory": memory}
        question = {"tool": tool, "arguments": arguments, "memory": memory, "python": self.allowed.python}
        try:
            with anyio.fail_after(seconds + _GRACE):
                async with _process(self.allowed.folder) as process:
                    return await _conversation(process, question, context)
        except TimeoutError:
            return {"error": f"no answer within {seconds} s, with {_GRACE} s more for reading the protocol"}


@asynccontextmanager
async def _process(folder: Path) -> AsyncIterator[Process]:
    """A process for a call, which is killed with its children in the end."""
    environment = {**os.environ, CONFINED: str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "leadline.symbolic.serve.job"]
    process = await anyio.open_process(
        command, cwd=folder, env=environment, stderr=None, start_new_session=True
    )
    try:
        yield process
    finally:
        # Its children by fork are in its group; the others ask the system to end with it.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _conversation(process: Process, question: Json, context: Context) -> Json:
    """Ask, pass the progress on, and wait for the answer."""
    assert process.stdin is not None and process.stdout is not None
    await process.stdin.send(f"{json.dumps(question)}\n".encode())
    lines = BufferedByteReceiveStream(process.stdout)
    count = 0
    with suppress(anyio.EndOfStream, anyio.IncompleteRead):
        while True:
            message = json.loads(await lines.receive_until(b"\n", _LONGEST_LINE))
            if "answer" in message:
                answer: Json = message["answer"]
                return answer
            count += 1
            await context.session.report_progress(count, message=message["progress"])
    code = await process.wait()
    if code == -signal.SIGKILL:
        return {"error": "the call was ended: it used more memory than there is; ask about fewer states"}
    return {"error": f"a fault of Leadline's (code {code}); its standard error says more"}


def _result(answer: Mapping[str, Any]) -> t.CallToolResult:
    """An answer as JSON, both structured and as text for clients that show only that."""
    text = json.dumps(answer, ensure_ascii=False)
    return t.CallToolResult(
        content=[t.TextContent(type="text", text=text)],
        structured_content=dict(answer),
        is_error="error" in answer,
    )


def serve(allowed: Allowed) -> None:
    """Serve an agent on standard input and output until it closes them."""
    desk = Desk(allowed)
    server = Server(
        "leadline",
        version=leadline.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=desk.listed,
        on_call_tool=desk.called,
    )

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)

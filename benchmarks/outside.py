"""Other checkers on the same models, where their commands are on the PATH: TLC and Apalache."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.benchmarks.cases import Case
from leadline.benchmarks.children import Ended, run
from leadline.benchmarks.measurement import Measurement, model
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.export import module_name, tla_module, tlc_config
from leadline.symbolic.lang import UserError

_VIOLATED = 12
"""The exit code of both for a violated invariant."""


def tlc(case: Case, limits: Limits) -> Measurement:
    """What TLC says, breadth-first with one worker: only so are its counterexamples surely shortest ones."""
    return _measured(case, limits, _tlc_command, _read_tlc)


def apalache(case: Case, limits: Limits) -> Measurement:
    """What Apalache says within the case's number of steps.

    It wants types that a module does not declare, so it takes few of them; what it says is the reason.
    """
    return _measured(case, limits, _apalache_command, _read_apalache)


def _tlc_command(name: str, case: Case) -> list[str]:
    return ["tlc", "-workers", "1", "-config", f"{name}.cfg", f"{name}.tla"]


def _apalache_command(name: str, case: Case) -> list[str]:
    return ["apalache-mc", "check", f"--config={name}.cfg", f"--length={case.steps}", f"{name}.tla"]


@dataclass(frozen=True)
class _Said:
    """What a checker's output says, as far as it says it."""

    verdict: Verdict = Verdict.UNKNOWN
    depth: int = -1
    steps: int | None = None
    states: int | None = None
    tool: str | None = None


def _measured(
    case: Case,
    limits: Limits,
    command: Callable[[str, Case], Sequence[str]],
    read: Callable[[Ended, Case], _Said],
) -> Measurement:
    assert limits.seconds is not None
    asked = model(case)
    name = module_name(asked)
    try:
        module, config = tla_module(asked), tlc_config(asked, [case.property])
    except UserError as error:
        return Measurement(Verdict.UNKNOWN, 0.0, reason=f"crash: {error}")
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder:
        Path(folder, f"{name}.tla").write_text(module, encoding="utf-8")
        Path(folder, f"{name}.cfg").write_text(config, encoding="utf-8")
        # A heap that the command itself sets comes later, and counts.
        heap = f"-Xmx{limits.memory_mb}m"
        ended = run(
            command(name, case),
            "",
            limits.seconds,
            folder=Path(folder),
            more={"JAVA_TOOL_OPTIONS": heap, "JVM_ARGS": heap},
        )
    said = read(ended, case)
    return Measurement(
        verdict=said.verdict,
        seconds=ended.seconds,
        depth=said.depth,
        steps=said.steps,
        memory_mb=ended.memory_mb,
        states=said.states,
        reason=_why(ended, limits.seconds) if said.verdict is Verdict.UNKNOWN else None,
        tool=said.tool,
    )


def _why(ended: Ended, seconds: float) -> str:
    if ended.status is None:
        return f"time: stopped after {seconds:g} s"
    if "OutOfMemoryError" in ended.output + ended.errors or "Java heap space" in ended.output:
        return "memory: stopped at the limit of Java's heap"
    return f"crash: exited with {ended.status} ({ended.last_words})"


def _read_tlc(ended: Ended, case: Case) -> _Said:
    text = ended.output
    counted = re.findall(r"([\d,]+) distinct states found", text)
    depth = re.search(r"depth of the complete state graph search is (\d+)", text)
    states = int(counted[-1].replace(",", "")) if counted else None
    version = re.search(r"TLC2 Version .*", text)
    tool = version[0] if version else None
    if ended.status == 0 and depth:
        # It counts states, from the initial one on.
        return _Said(Verdict.SAFE, int(depth[1]) - 1, None, states, tool)
    if ended.status == _VIOLATED:
        broken = re.search(r"Invariant (\S+) is violated", text)
        steps = (
            max((int(number) for number in re.findall(r"^State (\d+):", text, re.MULTILINE)), default=1) - 1
        )
        outside = broken is not None and broken[1] == "InBounds"
        verdict = Verdict.OUT_OF_BOUNDS if outside else Verdict.VIOLATED
        return _Said(verdict, steps - 1, steps, states, tool)
    return _Said(states=states, tool=tool)


def _read_apalache(ended: Ended, case: Case) -> _Said:
    version = re.search(r"APALACHE version:? .*", ended.output)
    tool = version[0].strip() if version else None
    if ended.status == 0:
        return _Said(Verdict.SAFE, case.steps, tool=tool)
    broken = re.search(r"State (\d+): state invariant \d+ violated", ended.output)
    if ended.status == _VIOLATED and broken:
        return _Said(Verdict.VIOLATED, int(broken[1]) - 1, int(broken[1]), tool=tool)
    return _Said(tool=tool)

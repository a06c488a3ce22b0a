"""Other checkers on the same models, where their commands are there: TLC, Apalache, ABC, a user's program."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.benchmarks.cases import Case
from leadline.benchmarks.children import Ended, run
from leadline.benchmarks.measurement import Measurement, model
from leadline.symbolic.engines import Limits, Verdict
from leadline.symbolic.export import SequentialCircuit, aiger, module_name, tla_module, tlc_config
from leadline.symbolic.lang import UserError, setting_text

VARIABLE = "LEADLINE_BESIDE"
"""The environment variable that names a user's program, as `leadline.benchmarks.ways.BESIDE` says."""

_VIOLATED = 12
"""The exit code of both for a violated invariant."""


def tlc(case: Case, limits: Limits) -> Measurement:
    """Ask TLC, breadth-first with one worker: only so are its counterexamples surely shortest ones."""
    return _measured(case, limits, _tlc_command, _read_tlc)


def apalache(case: Case, limits: Limits) -> Measurement:
    """Ask Apalache within the case's number of steps.

    It wants types that a module does not declare, so it takes few of them; what it says is the reason.
    """
    return _measured(case, limits, _apalache_command, _read_apalache)


def abc(case: Case, limits: Limits) -> Measurement:
    """Ask ABC's property-directed reachability about the circuit: about the property, and about bounds."""
    return _measured(case, limits, _abc_command, _read_abc)


def beside(case: Case, limits: Limits) -> Measurement:
    """Ask the program that the environment names."""
    return _measured(case, limits, _beside_command, _read_beside)


def program_beside() -> str:
    """The program that the environment names, or ""."""
    return os.environ.get(VARIABLE, "")


Prepare = Callable[[Path, Case], Sequence[str]]
"""Writes the files of a case to a folder, and gives the command that is run there."""


def _tlc_command(folder: Path, case: Case) -> list[str]:
    name = _written(folder, case)
    return ["tlc", "-workers", "1", "-config", f"{name}.cfg", f"{name}.tla"]


def _apalache_command(folder: Path, case: Case) -> list[str]:
    name = _written(folder, case)
    return ["apalache-mc", "check", f"--config={name}.cfg", f"--length={case.steps}", f"{name}.tla"]


def _written(folder: Path, case: Case) -> str:
    """The name of the TLA+ module and its configuration, which are written."""
    asked = model(case)
    name = module_name(asked)
    Path(folder, f"{name}.tla").write_text(tla_module(asked), encoding="utf-8")
    Path(folder, f"{name}.cfg").write_text(tlc_config(asked, [case.property]), encoding="utf-8")
    return name


def _abc_command(folder: Path, case: Case) -> list[str]:
    asked = model(case)
    machine = SequentialCircuit(asked, asked.choose_properties((case.property,)))
    Path(folder, "model.aig").write_bytes(aiger(machine, case.protocol, binary=True))
    return ["berkeley-abc", "-c", "read_aiger model.aig; strash; pdr -a"]


def _beside_command(folder: Path, case: Case) -> list[str]:
    given = [f"{name}={setting_text(value)}" for name, value in case.parameters.items()]
    return [str(Path(program_beside()).resolve()), case.protocol, case.property, *given]


@dataclass(frozen=True)
class _Said:
    """The verdict and figures in a checker's output, as far as it has them."""

    verdict: Verdict = Verdict.UNKNOWN
    depth: int = -1
    steps: int | None = None
    states: int | None = None
    tool: str | None = None


def _measured(
    case: Case, limits: Limits, prepare: Prepare, read: Callable[[Ended, Case], _Said]
) -> Measurement:
    assert limits.seconds is not None
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder:
        try:
            command = prepare(Path(folder), case)
        except UserError as error:
            return Measurement(Verdict.UNKNOWN, 0.0, reason=f"crash: {error}")
        # A heap that the command itself sets comes later, and counts.
        heap = f"-Xmx{limits.memory_mb}m"
        ended = run(
            command,
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


def _read_abc(ended: Ended, case: Case) -> _Said:
    counts = re.search(r"All = (\d+)\. Proved = (\d+)\. Disproved = (\d+)\.", ended.output)
    if counts and counts[1] == counts[2]:
        return _Said(Verdict.PROVED)
    asserted = re.search(r"Output (\d+) was asserted", ended.output)
    if asserted:
        # The first bad output is the property's, the others are values out of bounds.
        return _Said(Verdict.VIOLATED if asserted[1] == "0" else Verdict.OUT_OF_BOUNDS)
    return _Said()


def _read_beside(ended: Ended, case: Case) -> _Said:
    verdicts: Mapping[int | None, Verdict] = {0: Verdict.PROVED, _VIOLATED: Verdict.VIOLATED}
    return _Said(verdicts.get(ended.status, Verdict.UNKNOWN))

"""One proof by PDR without strengthenings, in a process of its own."""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from leadline.benchmarks.children import run
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines.prove.pdr import PdrOptions, pdr, recheck
from leadline.symbolic.engines.prove.pdr.results import PdrProgress
from leadline.symbolic.engines.run.limits import NotWorthIt, worth
from leadline.symbolic.lang import Setting
from leadline.symbolic.solve import DEFAULT, SOLVERS

_GRACE = 60
"""CPU seconds beyond the limit, for what does not look whether to stop, before the process is ended."""


@dataclass(frozen=True)
class Task:
    """A property to prove.

    Attributes:
        protocol: the protocol's name.
        parameters: those that differ from their defaults.
        property: the property's name.
        limit: CPU seconds.
        seed: of random choices.
        recheck: whether another solver checks the invariant.
    """

    protocol: str
    parameters: Mapping[str, Setting]
    property: str
    limit: float
    seed: int = 0
    recheck: bool = False


@dataclass(frozen=True)
class Proof:
    """The outcome of an attempt to prove a row.

    Attributes:
        verdict: proved, violated, out of bounds or unknown.
        seconds: CPU seconds of the whole process, from the start of the interpreter on, without the recheck.
        frames: that hold no bad state.
        questions: that the solvers were asked.
        reason: what is out of bounds, or why the verdict is unknown.
        orbits: of clauses, in the invariant or, where there is none, in the frames.
        clauses: in the invariant; None if there is none.
        failing: what the other solver refuses; None if it was not asked.
    """

    verdict: str
    seconds: float
    frames: int = 0
    questions: int = 0
    reason: str | None = None
    orbits: int = 0
    clauses: int | None = None
    failing: Sequence[str] | None = None


def prove(task: Task) -> Proof:
    """Prove it in a process of its own."""
    command = [sys.executable, "-m", __name__, json.dumps(asdict(task))]
    done = run(command, "", math.inf)
    assert done.status is not None
    if done.status < 0 and done.cpu_seconds > task.limit:
        return Proof("unknown", done.cpu_seconds, reason="time: the process did not stop by itself")
    if done.status:
        words = done.errors.strip().splitlines() or [f"exit code {done.status}"]
        return Proof("unknown", done.cpu_seconds, reason=f"crash: {words[-1]}")
    found = Proof(**json.loads(done.output))
    return found if task.recheck else replace(found, seconds=done.cpu_seconds)


def _prove_here(task: Task) -> Proof:
    """Prove it in this process."""
    model = model_of(find(task.protocol), task.parameters)
    target = model.properties[task.property]
    latest = [PdrProgress(0, 0, 0, 0.0)]
    try:
        with worth(max(task.limit - time.process_time(), 1e-3)):
            found = pdr(model, target, PdrOptions(strengthenings=False), seed=task.seed, told=latest.append)
    except NotWorthIt:
        why, far = f"time: {task.limit:g} CPU seconds", latest[-1]
        return Proof("unknown", time.process_time(), far.frames, far.questions, why, far.lemmas)
    seconds, progress, invariant = time.process_time(), found.progress, found.invariant
    sizes = (progress.frames, progress.questions, found.reason)
    if invariant is None:
        return Proof(str(found.verdict), seconds, *sizes, progress.lemmas)
    failing = recheck(model, target, invariant, SOLVERS[DEFAULT]) if task.recheck else None
    return Proof(str(found.verdict), seconds, *sizes, len(invariant.orbits), invariant.clauses, failing)


if __name__ == "__main__":
    asked = Task(**json.loads(sys.argv[1]))
    hard = int(asked.limit) + _GRACE
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    print(json.dumps(asdict(_prove_here(asked))))

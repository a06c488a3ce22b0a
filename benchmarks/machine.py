"""The machine and the versions behind a measurement."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import leadline
from leadline.symbolic.engines.run.limits import cores
from leadline.symbolic.lang import counted
from leadline.symbolic.solve import SOLVERS


@dataclass(frozen=True)
class Machine:
    """The conditions that a time depends on. Each field is a column of the record."""

    host: Annotated[str, "the name of the machine"]
    system: Annotated[str, "its system and architecture"]
    cpu: Annotated[str, "its processor, as the system names it"]
    cores: Annotated[int, "the cores that the run might use"]
    total_memory_mb: Annotated[int, "its memory in megabytes"]
    load_at_start: Annotated[float, "the load average of the minute before the run began"]
    leadline_version: Annotated[str, "the version of Leadline"]
    python_version: Annotated[str, "the version of Python"]
    solver_versions: Annotated[str, "the package of each solver and its version"]

    def told(self) -> str:
        """The machine in a sentence for a person."""
        return (
            f"{self.cpu}, {counted(self.cores, 'core')}, {self.total_memory_mb} MB, "
            f"load {self.load_at_start:.1f} at the start; {self.system}, Python {self.python_version}, "
            f"Leadline {self.leadline_version}, {self.solver_versions}"
        )


def this_machine() -> Machine:
    """The machine that this process runs on, as it is now."""
    return Machine(
        host=platform.node(),
        system=f"{platform.system()} {platform.machine()}",
        cpu=_cpu(),
        cores=cores(),
        total_memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        load_at_start=os.getloadavg()[0],
        leadline_version=leadline.__version__,
        python_version=platform.python_version(),
        solver_versions=", ".join(kind.version for kind in SOLVERS.values()),
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"

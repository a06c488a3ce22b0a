"""A protocol whose queries come to grief in their own processes, until a file named `mended` is there."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from leadline.symbolic.lang import Int, Next, Protocol, State, action, invariant, parameter

FOLDER = Path(__file__).parent


class Trap(Protocol):
    """One step up."""

    trap: str = parameter(
        "none", choices=("none", "crash", "memory", "hang", "wait", "stay"), doc="what happens"
    )
    number: int = parameter(0, at_least=0, at_most=99, doc="tells queries apart")

    def define(self, state: Any) -> None:
        if Path(sys.argv[0]).stem == "forkserver" and not (FOLDER / "mended").exists():
            spring(self.trap)
        state.count = Int(0, 100)

    def init(self, start: Any) -> None:
        start.count = self.number

    @action
    def up(self, now: State, nxt: Next) -> None:
        """Once."""
        nxt.require(now.count == self.number)
        nxt.count = now.count + 1


def spring(trap: str) -> None:
    """The fault that happens in the query's process."""
    if trap == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif trap == "memory":
        bytearray(4 << 30)
    elif trap == "hang":
        signal.pause()
    elif trap in ("wait", "stay"):
        (FOLDER / f"{trap}s.{os.getpid()}").touch()
        while not (FOLDER / "go").exists():
            time.sleep(0.02)


@invariant(Trap)
def low(protocol: Trap, now: State) -> Any:
    """Holds."""
    return now.count <= protocol.number + 1

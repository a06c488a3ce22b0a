"""The command line in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def leadline_process(*arguments: str, folder: Path, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process of the command, killed at the end if it still runs: a test that fails leaves none behind."""
    # Like the command that is installed, it does not look for modules where it is called.
    command = [sys.executable, "-P", "-m", "leadline", *arguments]
    streams = {"stderr": subprocess.PIPE, **options}
    with subprocess.Popen(command, cwd=folder, text=True, **streams) as process:
        try:
            yield process
        finally:
            process.kill()

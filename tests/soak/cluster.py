"""A standalone cluster of the installed Spark's on this machine: a master and workers of one core each."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from tests.soak.processes import below

ON_LOOPBACK = (
    *("--conf", "spark.driver.host=127.0.0.1"),
    *("--conf", "spark.driver.bindAddress=127.0.0.1"),
    *("--conf", "spark.executor.memory=512m"),
    # An executor passes small messages on, and starts sooner without the better compiler.
    *("--conf", "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
)
"""Options of `leadline grid` for this cluster."""

_PACKAGE = "org.apache.spark.deploy"
_HERE = ("--host", "127.0.0.1", "--webui-port", "0")
_PATIENCE = 400.0  # seconds until a daemon is believed not to start


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@dataclass
class Cluster:
    """A cluster, which `start` starts and `stop` ends.

    Attributes:
        folder: for its logs and the files of executors.
        size: the number of workers.
        environment: variables to set.
        port: the master's.
        daemons: the process of the master and of each worker, by name: `master`, `worker-1` and so on.
    """

    folder: Path
    size: int = 2
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The address of the master."""
        return f"spark://127.0.0.1:{self.port}"

    @property
    def workers(self) -> list[str]:
        """The names of the workers."""
        return [f"worker-{number + 1}" for number in range(self.size)]

    def log(self, name: str) -> Path:
        """The log of a daemon."""
        return self.folder / f"{name}.log"

    def start(self) -> None:
        """Start the master, wait for it, and start the workers.

        Raises:
            TimeoutError: if they do not start.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self.begin("master")
        _until(lambda: "New state: ALIVE" in self._said("master"), "the master starts")
        for name in self.workers:
            self.begin(name)
        _until(lambda: self._said("master").count("Registering worker") >= self.size, "the workers register")

    def begin(self, name: str) -> None:
        """Start a daemon, perhaps one that was killed, and wait for nothing."""
        if name == "master":
            arguments = [f"{_PACKAGE}.master.Master", *_HERE, "--port", str(self.port)]
        else:
            own = ("--cores", "1", "--memory", "700m", "--work-dir", str(self.folder / name))
            arguments = [f"{_PACKAGE}.worker.Worker", *_HERE, *own, self.url]
        settings = {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(self.folder),
            **self.environment,
        }
        with self.log(name).open("ab") as file:
            self.daemons[name] = subprocess.Popen(
                [str(Path(_find_spark_home(), "bin", "spark-class")), *arguments],
                stdout=file,
                stderr=file,
                env={**os.environ, **settings},
            )

    def kill(self, name: str) -> None:
        """Kill a daemon, and leave what it has started to end by itself."""
        self.daemons[name].kill()
        self.daemons[name].wait()

    def stop(self) -> None:
        """End all daemons and what they have started."""
        for process in self.daemons.values():
            for one in below(process.pid):
                one.kill()
            process.kill()
            process.wait()

    def _said(self, name: str) -> str:
        with suppress(OSError):
            return self.log(name).read_text(errors="replace")
        return ""


def _until(found: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not found():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {_PATIENCE:g} s in vain until {what}")
        time.sleep(0.05)

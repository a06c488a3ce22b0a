"""Processes that answer about files, so that no file can stop the server: a slow one is ended.

A request and its answer are pickles, each behind its length. The texts that have changed travel with a request.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import resource
import select
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from leadline.symbolic.files import environment
from leadline.symbolic.serve.study import Study
from leadline.symbolic.tla.read.drafts import Refused

_LENGTH = 8
_IDLE = 1.0
"""Seconds without a question after which a process has time for itself."""


class Faulty(Exception):
    """A fault of Leadline's in a worker; its text is the traceback."""


class TooLong(Exception):
    """A worker that was ended since it took too long, or that ended itself."""


class Worker:
    """A process that answers questions, one after another; it starts with the first.

    Args:
        folders: other folders with modules.
        beside: a folder from which a file's code may import.
        memory: the most megabytes of the process; None for any number.
    """

    def __init__(
        self, folders: Sequence[Path], beside: Path | None = None, memory: int | None = None
    ) -> None:
        self._words = [str(memory or 0), *map(str, folders)]
        self._beside = beside
        self._process: asyncio.subprocess.Process | None = None
        self._ended: list[asyncio.subprocess.Process] = []
        self._lock = asyncio.Lock()
        self._texts: dict[Path, str] = {}
        self._changed: dict[Path, str | None] = {}

    def hold(self, path: Path, text: str | None) -> None:
        """Let the process know the text of a file with the next question; None for one that was closed."""
        self._changed[path] = text
        if text is None:
            self._texts.pop(path, None)
        else:
            self._texts[path] = text

    async def ask(self, question: str, *given: object, seconds: float | None = None) -> Any:
        """The answer of a method of `Study`. A question that is cancelled ends the process.

        Raises:
            Refused: as the method does.
            TooLong: if it takes more than so many seconds, or ends the process.
            Faulty: if the method fails otherwise.
        """
        async with self._lock:
            process = self._process or await self._start()
            changed, self._changed = self._changed, {}
            try:
                kind, answer = await asyncio.wait_for(
                    self._exchange(process, changed, question, given), seconds
                )
            except (asyncio.IncompleteReadError, ConnectionError, TimeoutError) as error:
                await self.close()
                raise TooLong(question) from error
            except BaseException:
                self.end()
                raise
        if kind == "refused":
            raise Refused(answer)
        if kind == "failed":
            raise Faulty(answer)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", __name__, *self._words,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True,
            env=environment(self._beside),
        )  # fmt: skip
        self._changed = dict(self._texts)
        return self._process

    async def _exchange(
        self, process: asyncio.subprocess.Process, changed: Mapping[Path, str | None], *asked: object
    ) -> tuple[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        content = pickle.dumps((changed, *asked))
        process.stdin.write(len(content).to_bytes(_LENGTH) + content)
        await process.stdin.drain()
        size = int.from_bytes(await process.stdout.readexactly(_LENGTH))
        found: tuple[str, Any] = pickle.loads(await process.stdout.readexactly(size))
        return found

    async def close(self) -> None:
        """End the process, and wait until it has: its pipes are to be closed before the loop is."""
        self.end()
        while self._ended:
            await self._ended.pop().wait()

    def end(self) -> None:
        """End the process, and those that it has started."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            self._ended.append(process)
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.killpg(process.pid, signal.SIGKILL)


def _serve(requests: IO[bytes], answers: IO[bytes], folders: Sequence[Path]) -> None:
    study = Study(folders)
    # Objects are collected when nobody has asked for a while.
    gc.disable()
    while length := requests.read(_LENGTH):
        changed, question, given = pickle.loads(requests.read(int.from_bytes(length)))
        try:
            study.hold(changed)
            answer: tuple[str, object] = "answer", getattr(study, question)(*given)
        except Refused as error:
            answer = "refused", str(error)
        except Exception:
            answer = "failed", traceback.format_exc()
        content = pickle.dumps(answer)
        answers.write(len(content).to_bytes(_LENGTH) + content)
        answers.flush()
        if not select.select([requests], [], [], _IDLE)[0]:
            gc.collect()


if __name__ == "__main__":
    memory = int(sys.argv[1]) << 20
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # A protocol's file must neither print into the answers nor read the questions.
    asked, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    _serve(asked, told, [Path(one) for one in sys.argv[2:]])

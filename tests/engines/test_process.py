"""The fork server: copies of it work where and as they are asked, and it is replaced when it is lost."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import leadline
from leadline.symbolic.engines import Limits, Listener, Verdict
from leadline.symbolic.engines.run import process
from leadline.symbolic.lang import InternalError
from tests.engines.limited import FILE, HARD, limited, query

SMALL = query("Lift", 2, properties=("never-two",))


def server() -> int:
    limited(SMALL, Limits(60))
    return process._servers[0].process.pid


def test_one_server_answers_all_queries() -> None:
    assert server() == server()


def test_a_path_is_seen_from_the_folder_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = server()
    (tmp_path / "mine.py").write_text(FILE.read_text())
    monkeypatch.chdir(tmp_path)
    (result,) = limited(replace(SMALL, source="mine.py:Lift"), Limits(60))
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 2)
    assert server() == first


def test_a_server_that_is_killed_takes_its_copies_along_and_is_replaced() -> None:
    first = server()
    listener = Listener(progress=lambda _: os.kill(first, signal.SIGKILL))
    flew, _ = limited(query("Pigeons", settings=HARD), Limits(60), listener)
    assert (flew.verdict, flew.reason) == (
        Verdict.UNKNOWN,
        "crash: the query's process was ended by SIGKILL",
    )
    assert server() != first
    os.kill(server(), signal.SIGKILL)
    process._servers[0].process.wait()
    (result,) = limited(SMALL, Limits(60))
    assert result.verdict is Verdict.VIOLATED


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process._close()
    (tmp_path / "gc.py").write_text("")
    (tmp_path / "selectors.py").write_text("raise RuntimeError('this is no module')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(leadline, "__file__", str(tmp_path / "leadline" / "__init__.py"))
    with pytest.raises(InternalError, match=r"the fork server failed: [^$]*Error"):
        limited(SMALL, Limits(60))
    process._close()


LIMITS = (0.2, 0.4, 0.6)


def test_a_line_that_another_copy_holds_open_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that is stopped while it starts has not closed what it got with the server's memory."""
    held, late, send = list[int](), list[bool](), process._send

    def holding(*descriptors: int) -> Any:
        held.append(os.dup(descriptors[-1]))
        return send(*descriptors)

    def let_go() -> None:
        late.append(True)
        while held:
            os.close(held.pop())

    monkeypatch.setattr(process, "_send", holding)
    timer = threading.Timer(60, let_go)
    timer.start()
    (result,) = limited(SMALL, Limits(60))
    timer.cancel()
    assert result.verdict is Verdict.VIOLATED and held and not late
    let_go()


def test_queries_at_once_end_each_for_itself() -> None:
    ends: dict[float, str | None] = {}

    def ask(seconds: float) -> None:
        ends[seconds] = limited(query("Pigeons", settings=HARD), Limits(seconds))[0].reason

    threads = [threading.Thread(target=ask, args=(seconds,)) for seconds in LIMITS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert ends == {seconds: f"time: stopped after {seconds:g} s" for seconds in LIMITS}


PARENT = """
import sys
from leadline.symbolic.engines import Limits, Listener
from leadline.symbolic.engines.run import process
from tests.engines.limited import HARD, limited, query

def told(_):
    print(process._servers[0].process.pid, flush=True)

limited(query("Pigeons", settings=HARD), Limits(600), Listener(progress=told))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_the_parent_goes(how: signal.Signals) -> None:
    root = Path(__file__).parent.parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as parent:
        assert parent.stdout is not None
        number = int(parent.stdout.readline())
        (copy,) = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        running = [os.pidfd_open(pid) for pid in (number, int(copy))]
        parent.send_signal(how)
    for descriptor in running:
        ended, _, _ = select.select([descriptor], [], [], 60)
        os.close(descriptor)
        assert ended, "a process has outlived its parent"


def test_a_copy_of_this_process_has_a_server_of_its_own() -> None:
    """As Spark's workers are copies of one process."""
    first = server()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, str(server()).encode())
        finally:
            process._close()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        other = int(pipe.read())
    os.waitpid(pid, 0)
    assert other != first
    assert server() == first


def test_what_has_arrived_by_the_end_of_the_time_is_heard() -> None:
    message = process.Message("progress", None)

    class Heard:
        silent = False

        def __init__(self) -> None:
            self.ends = os.pipe()
            os.write(self.ends[1], b"m")

        def fileno(self) -> int:
            return self.ends[0]

        def read(self) -> list[process.Message]:
            return [message]

    child = Heard()
    heard = process.listen([cast(process.QueryProcess, child)], lambda: 0.0)
    assert [one for _, one in heard] == [message]
    for one in child.ends:
        os.close(one)

"""`leadline init` writes a first protocol; `leadline watch` checks a protocol whenever its file changes."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from leadline.symbolic.catalog import split_path
from leadline.symbolic.cli.output import write_out
from leadline.symbolic.cli.terminal import Exit, is_terminal, tell
from leadline.symbolic.lang import UserError

_OFTEN = 0.25
"""Seconds between two looks at the files."""

PROTOCOL = '''\
"""{title}: two workers add one to a shared counter, one at a time."""

from leadline import Bool, Int, Map, Protocol, action, enum, forall, invariant, map_of, parameter, sort


class {name}(Protocol):
    """Workers take a lock, read a shared counter, and write it back one larger."""

    workers: int = parameter(2, at_least=1, at_most=5, doc="number of workers")

    picks = {{"worker": "Worker"}}

    def define(self, state):
        self.Worker = sort("Worker", self.workers)
        state.counter = Int(0, self.workers)
        state.locked = Bool()
        state.seen = Map(self.Worker, Int(0, self.workers))
        state.place = Map(self.Worker, enum("Place", "idle", "reading", "done"))

    def init(self, start):
        start.counter = 0
        start.locked = False
        start.seen = map_of(self.Worker, lambda worker: 0)
        start.place = map_of(self.Worker, lambda worker: "idle")

    @action
    def read(self, now, nxt, worker):
        """A worker takes the lock and reads. Without the guard on the lock, counts get lost: try it."""
        nxt.require(now.place[worker] == "idle")
        nxt.require(~now.locked)
        nxt.locked = True
        nxt.seen[worker] = now.counter
        nxt.place[worker] = "reading"

    @action
    def write(self, now, nxt, worker):
        """It writes what it read, plus one, and gives the lock back."""
        nxt.require(now.place[worker] == "reading")
        nxt.counter = now.seen[worker] + 1
        nxt.locked = False
        nxt.place[worker] = "done"


@invariant({name})
def nothing_lost(protocol, now):
    """Once all workers are done, the counter has counted all of them."""
    all_done = forall(protocol.Worker, lambda worker: now.place[worker] == "done")
    return all_done.implies(now.counter == protocol.workers)
'''

TEST = '''\
"""Run by `pytest`: a property that is violated fails, one without an answer is an error."""

import leadline
from {module} import {name}


@leadline.verify({name}, timeout=60)
def test_every_property(): ...


@leadline.verify({name}, property="nothing-lost", workers=3, depth=6)
def test_three_workers_within_six_steps(): ...
'''


def declare_init(parser: argparse.ArgumentParser) -> None:
    """Declare `init`."""
    parser.add_argument("name", metavar="NAME", help="the protocol's name, such as my-protocol")
    parser.set_defaults(run=_init)


def declare_watch(parser: argparse.ArgumentParser) -> None:
    """Declare `watch`."""
    parser.description = (
        "Run `leadline check` on a file, and again whenever that file or another Python file in "
        "its folder changes. Ctrl-C ends it."
    )
    parser.add_argument(
        "file", metavar="FILE.py", help="the file, with :ClassName if it holds several protocols"
    )
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, metavar="...", help="options of `leadline check`"
    )
    parser.set_defaults(run=_watch)


def _init(args: argparse.Namespace) -> Exit:
    """Write the protocol and its test into the working directory."""
    module = args.name.replace("-", "_").lower()
    if not module.isidentifier() or not module.isascii():
        raise UserError(
            f"{args.name} cannot name a Python file: use letters, digits and -, such as my-protocol"
        )
    name = "".join(part.capitalize() for part in module.split("_"))
    files = {Path(f"{module}.py"): PROTOCOL, Path(f"test_{module}.py"): TEST}
    there = [str(path) for path in files if path.exists()]
    if there:
        raise UserError(f"{' and '.join(there)}: there already; nothing is written")
    for path, text in files.items():
        write_out(path, text.format(name=name, module=module, title=name))
    wrote = f"wrote {' and '.join(map(str, files))}"
    tell(f"{wrote}; now run\n  leadline check {module}.py\n  pytest test_{module}.py")
    return Exit.HOLDS


def _watch(args: argparse.Namespace) -> Exit:
    """Check again and again until Ctrl-C."""
    file = split_path(args.file)
    if file is None or not file[0].is_file():
        raise UserError(f"{args.file} is not a Python file that can be watched")
    command = [sys.executable, "-m", "leadline", "check", args.file, *args.options]
    while True:
        seen = _stamps(file[0])
        if is_terminal(sys.stdout):
            sys.stdout.write("\x1b[2J\x1b[H")
            sys.stdout.flush()
        tell(f"{time.strftime('%H:%M:%S')} check {' '.join([args.file, *args.options])}")
        with subprocess.Popen(command) as process:
            try:
                while process.poll() is None and _stamps(file[0]) == seen:
                    time.sleep(_OFTEN)
            finally:
                process.kill()
        while _stamps(file[0]) == seen:
            time.sleep(_OFTEN)


def _stamps(path: Path) -> Mapping[Path, tuple[int, int]]:
    """The times and sizes of the Python files in a file's folder."""
    found = {}
    for one in path.parent.glob("*.py"):
        try:
            status = one.stat()
        except OSError:  # an editor replaces it just now
            continue
        found[one] = status.st_mtime_ns, status.st_size
    return found

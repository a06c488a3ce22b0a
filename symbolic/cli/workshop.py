"""Commands around the work: `init`, `watch`, `completion`, and the servers `lsp` and `mcp`."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import keyword
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leadline.symbolic import lang
from leadline.symbolic.catalog import entries, split_path
from leadline.symbolic.cli.inputs import add_path, at_least
from leadline.symbolic.cli.output import write_out
from leadline.symbolic.cli.terminal import Exit, is_terminal, put, tell
from leadline.symbolic.engines import Limits
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
        "Run `leadline check` on a Python file or TLA+ module, and again whenever that file or another Python "
        "file, module or configuration in its folder changes. Ctrl-C ends it."
    )
    parser.add_argument(
        "file", metavar="FILE", help="the file, with :ClassName if a Python file holds several protocols"
    )
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, metavar="...", help="options of `leadline check`"
    )
    parser.set_defaults(run=_watch)


def _init(args: argparse.Namespace) -> Exit:
    module = args.name.replace("-", "_").lower()
    if not re.fullmatch("[a-z][a-z0-9_]*", module):
        raise UserError(
            f"{args.name} cannot name a Python file: use letters, digits and -, such as my-protocol"
        )
    name = "".join(part.capitalize() for part in module.split("_"))
    files = {Path(f"{module}.py"): PROTOCOL, Path(f"test_{module}.py"): TEST}
    there = [str(path) for path in files if path.exists()]
    if there:
        raise UserError(f"{' and '.join(there)}: there already; nothing is written")
    # The module of this name, such as `queue`, which Python itself needs, would not be found from this folder.
    found = importlib.util.find_spec(module)
    if keyword.iskeyword(module) or hasattr(lang, name) or (found is not None and found.origin is not None):
        other = f"my-{args.name}"
        raise UserError(
            f"{args.name}: Python, a package or Leadline has this name: use another, such as {other}"
        )
    for path, text in files.items():
        write_out(path, text.format(name=name, module=module, title=name), "cannot write")
    wrote = f"wrote {' and '.join(map(str, files))}"
    tell(f"{wrote}; now run\n  leadline check {module}.py\n  pytest test_{module}.py")
    return Exit.HOLDS


def _watch(args: argparse.Namespace) -> Exit:
    path, _ = split_path(args.file) or (Path(args.file), None)
    if path.suffix not in (".py", ".tla") or not path.is_file():
        raise UserError(f"{args.file} is no Python file or TLA+ module that can be watched")
    command = [sys.executable, "-m", "leadline", "check", args.file, *args.options]
    while True:
        seen = _stamps(path)
        if is_terminal(sys.stdout):
            sys.stdout.write("\x1b[2J\x1b[H")
            sys.stdout.flush()
        tell(f"{time.strftime('%H:%M:%S')} check {' '.join([args.file, *args.options])}")
        with subprocess.Popen(command) as process:
            try:
                while process.poll() is None and _stamps(path) == seen:
                    time.sleep(_OFTEN)
            finally:
                process.kill()
        while _stamps(path) == seen:
            time.sleep(_OFTEN)


def _stamps(path: Path) -> Mapping[Path, tuple[int, int]]:
    """The times and sizes of the files in a file's folder that may matter to a check of it."""
    found = {}
    for one in path.parent.iterdir():
        if one.suffix not in (".py", ".tla", ".cfg"):
            continue
        try:
            status = one.stat()
        except OSError:  # an editor replaces it just now
            continue
        found[one] = status.st_mtime_ns, status.st_size
    return found


SHELLS = ("bash", "zsh", "fish")

_INSTALL = """\
bash: leadline completion bash > ~/.local/share/bash-completion/completions/leadline
zsh:  leadline completion zsh > a folder of $fpath, as _leadline
fish: leadline completion fish > ~/.config/fish/completions/leadline.fish"""


def declare_completion(parser: argparse.ArgumentParser) -> None:
    """Declare `completion`."""
    parser.description = (
        "Write the script with which a shell completes commands, options, protocols and files."
    )
    parser.epilog = _INSTALL
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.set_defaults(run=_completion)


def _completion(args: argparse.Namespace) -> Exit:
    # Here, since nothing else needs it; and the parser has to have every command.
    import shtab

    from leadline.symbolic.cli import new_parser

    parser = new_parser([], whole=True)
    protocols = " ".join(entries())
    files = "find . -maxdepth 2 -name '*.py' -not -path '*/.*' | cut -c3-"
    _mark(parser, {Path: shtab.FILE}, {"protocol": shtab.cmd(f"printf '%s\\n' {protocols}; {files}")})
    put(shtab.complete(parser, args.shell))
    return Exit.HOLDS


def _mark(parser: argparse.ArgumentParser, by_type: dict[Any, Any], by_name: dict[str, Any]) -> None:
    """Say how the arguments of a parser and its commands are completed."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                _mark(one, by_type, by_name)
            continue
        found = by_type.get(action.type) if action.option_strings else by_name.get(action.dest)
        if found is None and action.type is Path:
            found = by_type[Path]
        if found is not None and not action.choices:
            action.complete = found  # type: ignore[attr-defined]  # shtab's own attribute


def declare_lsp(parser: argparse.ArgumentParser) -> None:
    """Declare `lsp`."""
    parser.description = (
        "The language server for TLA+ modules, their configurations and protocols in Python. An editor starts "
        "it, and speaks to it on standard input and output."
    )
    parser.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output, as it does in any case"
    )
    add_path(parser)
    parser.set_defaults(run=_lsp)


def _lsp(args: argparse.Namespace) -> Exit:
    with extra("lsp"):
        server = importlib.import_module("leadline.symbolic.serve.lsp")
    server.serve(args.path)
    return Exit.HOLDS


def declare_mcp(parser: argparse.ArgumentParser) -> None:
    """Declare `mcp`."""
    parser.description = (
        "A server for agents, by the Model Context Protocol: tools to list, show, check, prove, explore and "
        "simulate protocols, to evaluate expressions in a state, and to explain counterexamples. An agent "
        "starts it, and speaks to it on standard input and output. It reads files in the folder in which it is "
        "started, and in no other, and writes only where a call says so, a new file there."
    )
    parser.add_argument(
        "--python",
        action="store_true",
        help="allow protocols in Python files, and expressions in Python: code, which runs with your rights",
    )
    most: dict[str, Any] = {"type": at_least(1, Limits.LARGEST), "default": None}
    parser.add_argument("--timeout", metavar="S", help="the most seconds of a call (default: 600)", **most)
    parser.add_argument(
        "--memory", metavar="MB", help="the most megabytes of each process of a call (default: 8000)", **most
    )
    parser.set_defaults(run=_mcp)


def _mcp(args: argparse.Namespace) -> Exit:
    with extra("mcp"):
        server = importlib.import_module("leadline.symbolic.serve.mcp")
    given = {"seconds": args.timeout, "megabytes": args.memory}
    chosen = {name: value for name, value in given.items() if value is not None}
    server.serve(server.Allowed(Path.cwd(), python=args.python, **chosen))
    return Exit.HOLDS


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports that need the packages of an extra, which has the name of its command.

    Raises:
        UserError: if one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "leadline":
            raise
        told = f"leadline {name} needs {error.name}, which is not installed"
        raise UserError(f"{told}: pip install 'leadline[{name}]'") from error

"""The time from a change in an editor to the mistakes: `python -m leadline.benchmarks.typing_speed`.

A real `leadline lsp` is asked by its protocol about a module of 1,000 lines, which changes as it does while one
types. For each kind of change one line tells the median and the longest time by the clock, and the seconds of the
processor that all processes of the server took for a change. The pauses between changes are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types as t
from pygls.lsp.client import LanguageClient

PAUSE = 0.5
"""Seconds between two changes."""


def module(definitions: int) -> str:
    """A module with so many definitions of two lines."""
    parts = [
        f"Op{i}(a, b) == /\\ a \\in 0..{i}\n  /\\ IF b > {i} THEN x + a = b ELSE \\E k \\in 1..3 : k = a\n"
        for i in range(definitions)
    ]
    head = "---- MODULE Typed ----\nEXTENDS Naturals, Sequences\nVARIABLE x\n"
    return f"{head}{''.join(parts)}Init == x = 0\nNext == x' = x + 1\n====\n"


CHANGES: dict[str, Callable[[str, int], str]] = {
    "a sound module, one digit": lambda text, number: text.replace("x = 0", f"x = {number}"),
    "a sound module, one more line at its beginning": lambda text, number: text.replace(
        "VARIABLE x\n", "VARIABLE x\n" + "\n" * number
    ),
    "a definition unfinished at the end": lambda text, number: text.replace("x = 0", f"x = {number} /\\ ("),
    "a definition unfinished in the middle": lambda text, number: text.replace(
        "Op200(a, b) == ", f"Op200(a, b) == {number} + ("
    ),
    "a name that is unknown": lambda text, number: text.replace("x = 0", f"x = N{number}"),
}


class Typist:
    """A session with the server.

    Args:
        path: the file that is written.
    """

    def __init__(self, path: Path) -> None:
        self.uri = path.as_uri()
        self.client = LanguageClient("typist", "1")
        self.told: asyncio.Queue[t.PublishDiagnosticsParams] = asyncio.Queue()
        self.client.feature(t.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.told.put_nowait(params))
        self.version = 0

    async def begin(self, text: str) -> None:
        """Start the server and open the file."""
        await self.client.start_io(sys.executable, "-m", "leadline", "lsp")
        options = {"types": False}  # runs for types take a second of a processor after the file is opened
        await self.client.initialize_async(
            t.InitializeParams(capabilities=t.ClientCapabilities(), initialization_options=options)
        )
        item = t.TextDocumentItem(uri=self.uri, language_id="tlaplus", version=0, text=text)
        self.client.text_document_did_open(t.DidOpenTextDocumentParams(text_document=item))
        await self.mistakes()

    async def mistakes(self) -> None:
        """Wait for the mistakes in the latest version."""
        while (await self.told.get()).version != self.version:
            pass

    async def change(self, text: str) -> float:
        """Type a text; the seconds until its mistakes are told."""
        self.version += 1
        begin = time.perf_counter()
        about = t.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        whole = t.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(
            t.DidChangeTextDocumentParams(text_document=about, content_changes=[whole])
        )
        await self.mistakes()
        return time.perf_counter() - begin

    async def end(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]  # pygls declares no types there


def spent(process: int) -> float:
    """The seconds of a processor that the children of a process took, and theirs."""
    total = 0.0
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + spent(int(child))
    return total


async def measure(definitions: int, times: int) -> None:
    """Print a line for each kind of change."""
    text = module(definitions)
    print(f"{len(text.splitlines()):,} lines, {times} changes of each kind")
    print(f"{'median':>8}{'longest':>9}{'processor':>11}")
    with tempfile.TemporaryDirectory() as folder:
        typist = Typist(Path(folder, "Typed.tla"))
        await typist.begin(text)
        for name, change in CHANGES.items():
            await typist.change(text)
            seconds, processor = list[float](), 0.0
            for number in range(1, times + 1):
                await asyncio.sleep(PAUSE)
                before = spent(os.getpid())
                seconds.append(await typist.change(change(text, number)))
                processor += spent(os.getpid()) - before
            print(
                f"{statistics.median(seconds):7.3f}s{max(seconds):8.3f}s{processor / times:10.3f}s  {name}",
                flush=True,
            )
        await typist.end()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--definitions", type=int, default=497, help="of the module, two lines each")
    parser.add_argument("--times", type=int, default=20, help="changes of each kind")
    options = parser.parse_args(arguments)
    asyncio.run(measure(options.definitions, options.times))


if __name__ == "__main__":
    main()

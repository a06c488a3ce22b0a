"""A client of the language server: JSON-RPC on the pipes of its process."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

PATIENCE = 60.0


class Client:
    """A session with `leadline lsp`.

    Args:
        capabilities: those of the client.
        options: settings of the server.
        errors: where the server's standard error goes; by default where that of the tests does.
        words: more words of the command line.
    """

    def __init__(
        self,
        capabilities: dict[str, Any] | None = None,
        *words: str,
        options: dict[str, Any] | None = None,
        errors: IO[bytes] | None = None,
    ) -> None:
        command = [sys.executable, "-m", "leadline", "lsp", *words]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        self.kept: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self._came: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        params: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        params["initializationOptions"] = options
        self.about = self.ask("initialize", **params)
        self._send(method="initialized", params={})

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            length = int(header.split(b":")[1])
            while self.process.stdout.readline().strip():
                pass
            self._came.put(json.loads(self.process.stdout.read(length)))
        self._came.put({"ended": True})

    def _send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send(method=method, **({"params": params} if params else {}))

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; a RuntimeError with the server's message if it refuses."""
        number = next(self._numbers)
        self._send(id=number, method=method, **({"params": params} if params else {}))
        answer = self.wait(lambda message: message.get("id") == number and "method" not in message)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def wait(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that fits, of those that are kept and those to come."""
        for message in self.kept:
            if fits(message):
                self.kept.remove(message)
                return message
        while not fits(message := self._came.get(timeout=PATIENCE)):
            assert "ended" not in message, "the server has ended"
            self.kept.append(message)
            if "id" in message and "method" in message:  # a request of the server's, such as to refresh
                self._send(id=message["id"], result=None)
        return message

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with another text than it has if one is given.

        Returns:
            Its URI.
        """
        uri = path.as_uri()
        written = path.read_bytes().decode() if text is None else text
        document = {"uri": uri, "languageId": "tlaplus", "version": 1, "text": written}
        self.tell("textDocument/didOpen", textDocument=document)
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        """Type another text."""
        about = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", textDocument=about, contentChanges=[{"text": text}])

    def mistakes(self, uri: str, version: int) -> list[dict[str, Any]]:
        """The diagnostics of a version."""

        def fits(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            told = message.get("method") == "textDocument/publishDiagnostics"
            return told and params["uri"] == uri and params.get("version") == version

        found: list[dict[str, Any]] = self.wait(fits)["params"]["diagnostics"]
        return found

    def end(self) -> int:
        """End the session; the exit code."""
        self.ask("shutdown")
        self.tell("exit")
        with self.process:
            return self.process.wait(PATIENCE)

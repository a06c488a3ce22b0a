"""An S3 server on 127.0.0.1 whose faults a test chooses: moto's, behind a layer that refuses, hides and cuts."""

from __future__ import annotations

import logging
import re
import select
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from pyarrow.fs import FileSystem
from werkzeug.serving import make_server

from leadline.symbolic.grid.remote import Remote
from leadline.symbolic.grid.store import Store

BUCKET = "bucket"
Answer = Iterable[bytes]
Fault = Callable[[str, str], int | None]
"""The status with which a request is refused, by its method and path; None if it is served."""

_CODES = {503: "SlowDown", 500: "InternalError", 403: "AccessDenied"}
_ENTRY = re.compile(rb"<Contents>.*?</Contents>", re.DOTALL)
_KEY = re.compile(rb"<Key>([^<]*)</Key>")


class ObjectStore:
    """The server.

    Attributes:
        requests: the method and path of each request so far.
        users: the access keys that may do anything; None for any.
        wrote: the access key and the path of each object that was put.
        fault: refuses requests.
        late: the seconds until a new object is listed.
    """

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
        self.requests: list[tuple[str, str]] = []
        self.users: set[str] | None = None
        self.wrote: list[tuple[str, str]] = []
        self.fault: Fault = lambda method, path: None
        self.late = 0.0
        self._put: dict[bytes, float] = {}
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        files, _ = FileSystem.from_uri(f"{self.uri('')}&allow_bucket_creation=true")
        files.create_dir(BUCKET)

    def uri(self, path: str, port: int | None = None, user: str = "", bucket: str = BUCKET) -> str:
        """The URI of a path in the bucket."""
        at = f"endpoint_override=127.0.0.1:{port or self.port}&scheme=http&region=us-east-1"
        return f"s3://{user}{bucket}/{path}?{at}"

    def reset(self) -> None:
        """Serve every request again."""
        self.requests.clear()
        self.wrote.clear()
        self.users, self.fault, self.late = None, (lambda method, path: None), 0.0

    def known(self, names: Iterable[str]) -> None:
        """List the objects of these names, however new they are."""
        for key in [key for key in self._put if key.rpartition(b"/")[2].decode() in names]:
            del self._put[key]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Answer:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.requests.append((method, path))
        signed = re.search(r"Credential=([^/,]*)", environ.get("HTTP_AUTHORIZATION", ""))
        user = signed[1] if signed else ""
        refused = self.users is not None and user not in self.users
        status = 403 if refused else self.fault(method, path)
        if status is not None:
            return self._refused(status, environ, start)
        if method == "PUT":
            self.wrote.append((user, path))
            self._put.setdefault(path.removeprefix(f"/{BUCKET}/").encode(), time.monotonic())
        if method == "GET" and "list-type=2" in environ["QUERY_STRING"] and self.late:
            return self._listed(environ, start)
        found: Answer = self._moto(environ, start)
        return found

    def _refused(self, status: int, environ: dict[str, Any], start: Callable[..., Any]) -> Answer:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        body = f"<Error><Code>{_CODES[status]}</Code><Message>refused</Message></Error>".encode()
        start(f"{status} refused", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _listed(self, environ: dict[str, Any], start: Callable[..., Any]) -> Answer:
        """A listing without the objects that are new."""
        told: list[Any] = []
        body = b"".join(self._moto(environ, lambda *given: told.extend(given)))

        def seen(entry: re.Match[bytes]) -> bytes:
            key = _KEY.search(entry[0])
            assert key is not None
            new = time.monotonic() - self._put.get(key[1], -self.late) < self.late
            return b"" if new else entry[0]

        body = _ENTRY.sub(seen, body)
        headers = [(name, value) for name, value in told[1] if name.lower() != "content-length"]
        start(told[0], [*headers, ("Content-Length", str(len(body)))])
        return [body]


class _Proxy(socketserver.ThreadingTCPServer):
    """Passes connections on, and cuts requests in the middle."""

    def __init__(self, port: int, cuts: int, after: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port, self.cuts, self.after = port, cuts, after
        self.done: list[int] = []


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        proxy = self.server
        assert isinstance(proxy, _Proxy)
        passed = 0
        with socket.create_connection(("127.0.0.1", proxy.port)) as server, suppress(OSError):
            while True:
                for source in select.select([self.request, server], [], [])[0]:
                    data = source.recv(1 << 12)
                    if not data:
                        return
                    if source is server:
                        self.request.sendall(data)
                        continue
                    passed += len(data)
                    if passed > proxy.after and len(proxy.done) < proxy.cuts:
                        server.sendall(data[: proxy.after - passed])
                        proxy.done.append(passed)
                        return
                    server.sendall(data)


@contextmanager
def proxy(port: int, cuts: int, after: int) -> Iterator[tuple[int, list[int]]]:
    """A TCP proxy that cuts its first connections in the middle of a request's body.

    Args:
        port: the server's.
        cuts: the number of requests to cut.
        after: the bytes of a request that are passed on before the cut.

    Yields:
        The proxy's port, and a list with an entry for each cut.
    """
    with _Proxy(port, cuts, after) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield made.server_address[1], made.done
        finally:
            made.shutdown()
            thread.join()


def keys(patch: pytest.MonkeyPatch) -> None:
    """Credentials, which moto does not look at, and none from the machine."""
    patch.setenv("AWS_ACCESS_KEY_ID", "key")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "word")
    patch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def elsewhere(store: Store) -> Remote:
    assert isinstance(store.folder, Remote)
    return store.folder


def objects(store: Store, folder: str = "results") -> list[str]:
    place = elsewhere(store) / folder if folder else elsewhere(store)
    return sorted(name for name in place.stamps() if not name.startswith("."))

"""Files of an object store or another file system of pyarrow, by URI: `s3://`, `gs://`, `abfs://`, `hdfs://`.

A `Remote` has the few methods of `pathlib.Path` that a store of results needs, so that a store is written once
for both. A file is written whole or not at all: as one object, or on Hadoop as a file that then takes its
name. No call lasts for minutes, and every error is one line that says what to do.
"""

from __future__ import annotations

import errno
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote

from leadline.redaction import redacted
from leadline.symbolic.lang import LeadlineError, UserError

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
"""The schemes of URIs that pyarrow knows besides file."""

AT_ONCE = 16
"""The number of requests that are under way at once, where there are many to make."""

_CONNECT = 5.0  # seconds after which a server that does not connect counts as away
_SILENT = 10.0  # seconds after which a server that falls silent does
_ATTEMPTS = 3  # of each request; pyarrow waits a little longer before each
_RENAMES = ("hdfs", "viewfs")  # where a file is seen while it is written

T = TypeVar("T")
S = TypeVar("S")


class StoreAway(LeadlineError, RuntimeError):
    """A store cannot be reached now; it may be later.

    Attributes:
        unknown: whether its host has no address, as after a typing mistake.
    """

    def __init__(self, text: str, *, unknown: bool = False) -> None:
        super().__init__(text)
        self.unknown = unknown


@dataclass(frozen=True)
class Remote:
    """A file, or the common beginning of the names of several files, as a folder is.

    Printed, it is a URI without the passwords and keys that may be in it. Its methods raise an OSError if they
    may not or cannot do their work, whose `strerror` says why, and `StoreAway` if the store cannot be reached.

    Attributes:
        base: the URI that the user gave.
        below: the path below it; "" for itself.
    """

    base: str = field(repr=False)
    below: str = ""

    def __truediv__(self, name: str) -> Remote:
        return Remote(self.base, f"{self.below}/{name}" if self.below else name)

    def __str__(self) -> str:
        path, mark, query = self.base.partition("?")
        return redacted(f"{path.rstrip('/')}{'/' if self.below else ''}{self.below}{mark}{query}")

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The last part of its path."""
        path = self.base.partition("?")[0].rstrip("/") if not self.below else self.below
        return path.rpartition("/")[2]

    def content(self, most: int) -> bytes:
        """The content of the file.

        Args:
            most: the most bytes that it may have.
        """
        with self._opened() as (files, path), files.open_input_stream(path, compression=None) as stream:
            found: bytes = stream.read(most + 1)
        if not found and self.base.lower().startswith("abfs"):
            # Azure's file system makes an empty object first, and puts the content into it at the end.
            raise FileNotFoundError(errno.ENOENT, "it is not written yet", str(self))
        if len(found) > most:
            raise OSError(errno.EFBIG, f"it has more than {most} bytes, the most that is read", str(self))
        return found

    def put(self, data: bytes) -> None:
        """Write the file, whole or not at all; one that is there is replaced."""
        try:
            with self._opened() as (files, path):
                if not self.base.lower().startswith(_RENAMES):
                    _write(files, path, data)
                    return
                part = f"{path.rpartition('/')[0]}/.{uuid.uuid4().hex}.part"
                try:
                    _write(files, part, data)
                    _rename(files, part, path)
                except BaseException:
                    with suppress(Exception):
                        files.delete_file(part)
                    raise
        except FileNotFoundError as error:
            raise OSError(errno.EINVAL, _NO_SUCH_BUCKET, str(Remote(self.base))) from error

    def mkdir(self) -> None:
        """Make the folder, where the file system has folders."""
        if self.base.lower().startswith(_RENAMES):
            with self._opened() as (files, path):
                files.create_dir(path, recursive=True)

    def exists(self) -> bool:
        """Whether the file, or one below it, is there."""
        from pyarrow.fs import FileType

        with self._opened() as (files, path):
            return bool(files.get_file_info(path).type != FileType.NotFound)

    def iterdir(self) -> Iterator[Remote]:
        """The files below it."""
        return (self / name for name in self.stamps())

    def stamps(self) -> dict[str, tuple[int, int]]:
        """The names of the files below it, each with numbers that change when it is replaced."""
        from pyarrow.fs import FileSelector, FileType

        try:
            with self._opened() as (files, path):
                # In S3 a bucket that is missing would pass for an empty folder.
                empty = not self.base.lower().startswith("s3")
                found = files.get_file_info(FileSelector(path, allow_not_found=empty))
        except FileNotFoundError:
            return {}
        return {one.base_name: (one.size, one.mtime_ns) for one in found if one.type == FileType.File}

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file."""
        try:
            with self._opened() as (files, path):
                files.delete_file(path)
        except FileNotFoundError:
            if not missing_ok:
                raise

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path in it; its errors are told in Leadline's words."""
        import pyarrow as pa

        try:
            files, path = _opened(self.base)
            yield files, f"{path}/{self.below}" if self.below else path
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(self)) from error
        except (OSError, pa.ArrowException) as error:
            # Its own message may hold the URI as it was given.
            raise _in_words(self, error) from None


Place: TypeAlias = Path | Remote
"""A file or folder, on this machine or elsewhere."""


def place_of(text: str) -> Place:
    """The place that a user names: a path, or a URI.

    Raises:
        UserError: if a store cannot have this URI.
    """
    scheme, colon, rest = text.partition("://")
    if text and not colon:
        return Path(text)
    if scheme.lower() == "file" and rest.startswith("/"):
        return Path(unquote(rest))
    if scheme.lower() not in SCHEMES or not rest.partition("?")[0].rpartition("@")[2].strip("/"):
        given = redacted(text) or "an empty name"
        raise UserError(
            f"a store is a folder, or s3://BUCKET/PATH, gs://, abfs:// or hdfs://, and {given} is none"
        )
    if scheme.lower().startswith("abfs") and "enable_tls=false" in rest and "=anonymous" not in rest:
        # pyarrow 26 ends the process at the first request.
        raise UserError(
            f"{redacted(text)}: Azure's credentials are not sent without TLS: leave enable_tls=false out"
        )
    return Remote(text)


def at_once(work: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """The results of requests, many of which are under way at once; the first error ends it."""
    wanted = [*items]
    if len(wanted) < 2:
        return [*map(work, wanted)]
    with ThreadPoolExecutor(AT_ONCE, "store") as threads:
        return [*threads.map(work, wanted)]


@lru_cache(8)
def _opened(uri: str) -> tuple[Any, str]:
    """The file system of a URI, with limits on time, and the path in it.

    Raises:
        OSError, ArrowException: if the URI is none, or the store cannot be reached.
    """
    from pyarrow import fs

    if uri.startswith("gs") and "retry_limit_seconds=" not in uri:
        uri = f"{uri}{'&' if '?' in uri else '?'}retry_limit_seconds={_ATTEMPTS * _SILENT:g}"
    files, path = fs.FileSystem.from_uri(uri)
    if uri.lower().startswith("s3"):
        # No URI can say how long to wait; pickling tells the arguments that it stands for.
        _, (given,) = files.__reduce__()
        own = {
            "connect_timeout": _CONNECT,
            "request_timeout": _SILENT,
            "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
            # A small object is one request then, and is there whole once that is answered.
            "allow_delayed_open": True,
            # Without this a large object whose upload fails is published by its parts so far, when the
            # stream is destroyed (pyarrow 26).
            "background_writes": True,
        }
        files = fs.S3FileSystem(**{**given, **own})
    return files, path.rstrip("/")


def _write(files: Any, path: str, data: bytes) -> None:
    stream = files.open_output_stream(path, compression=None)
    # Not as a context: to close the stream after an error could publish the half of it.
    stream.write(data)
    stream.close()


def _rename(files: Any, part: str, path: str) -> None:
    """Rename a file, replacing the target even where the file system itself does not."""
    from pyarrow.fs import FileType

    try:
        files.move(part, path)
    except OSError:
        if files.get_file_info(path).type == FileType.NotFound:
            raise
        files.delete_file(path)
        files.move(part, path)


_DENIED = re.compile(
    r"ACCESS_DENIED|AccessDenied|INVALID_ACCESS_KEY|INVALID_CLIENT_TOKEN|SIGNATURE_DOES_NOT_MATCH|EXPIRED_TOKEN|"
    r"MISSING_AUTHENTICATION|UNRECOGNIZED_CLIENT|INVALID_SIGNATURE|HTTP status(?: code)? 40[13]|PERMISSION_DENIED|"
    r"UNAUTHENTICATED|AuthenticationException|AuthorizationFailure|AccessControlException|Permission denied"
)
_NO_BUCKET = re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound|bucket does not exist")
_NO_SUCH_BUCKET = "there is no such bucket: create it, or mend the URI"
_UNKNOWN_HOST = re.compile(r"resolve host ?name|UnknownHost|CURL error \[6\]|curlCode: 6,")
_AWAY = re.compile(
    r"NETWORK_CONNECTION|SLOW_DOWN|THROTTL|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|REQUEST_TIMEOUT|TooManyRequests|"
    r"REQUEST_TIME_TOO_SKEWED|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED|TransportException|[Tt]imed? ?out|"
    r"HTTP status(?: code)? (?:429|5\d\d)|Connection refused|ConnectException|Failed to connect|SafeMode|"
    r"CURL error"
)
_CAUSES = (
    (_UNKNOWN_HOST, "its host is not found: mend the URI, or look at the network"),
    (
        re.compile(r"curlCode: 7,|CURL error \[7\]|Connection refused|ConnectException"),
        "nothing listens there",
    ),
    (re.compile(r"curlCode: 28,|[Tt]imed? ?out"), "it does not answer in time"),
    (re.compile(r"SLOW_DOWN|THROTTL|429|TooManyRequests"), "it asks to slow down"),
    (re.compile(r"curlCode: (?:52|55|56),"), "the connection was cut"),
)
_KEYS = {
    "s3": (
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE)",
        ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"),
    ),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS", ("GOOGLE_APPLICATION_CREDENTIALS",)),
    "abfs": ("AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET", ("AZURE_CLIENT_ID",)),
}


def _in_words(place: Remote, error: Exception) -> Exception:
    """An error of a file system as one of Leadline's: mistakes of the user, and a store that is away."""
    text = redacted(str(error).strip())
    scheme = place.base.partition("://")[0].lower()
    store = Remote(place.base)
    if isinstance(error, ValueError):  # pyarrow's for a URI that is none
        return UserError(f"the store {store}: {text.partition(chr(10))[0]}")
    if "libhdfs" in text or "libjvm" in text:
        return UserError(
            f"the store {store} needs Hadoop's client: install it, and set JAVA_HOME, HADOOP_HOME and "
            "CLASSPATH=$(hadoop classpath --glob)"
        )
    if _NO_BUCKET.search(text):
        return OSError(errno.EINVAL, _NO_SUCH_BUCKET, str(store))
    if _DENIED.search(text):
        return PermissionError(errno.EACCES, f"access is denied: {_about_keys(scheme)}", str(store))
    if _UNKNOWN_HOST.search(text) or _AWAY.search(text):
        cause = next((said for found, said in _CAUSES if found.search(text)), _gist(text))
        return StoreAway(
            f"the store {store} cannot be reached: {cause}", unknown=bool(_UNKNOWN_HOST.search(text))
        )
    return OSError(errno.EREMOTEIO, _gist(text), str(place))


def _gist(text: str) -> str:
    """The end of the first line, without the number of the request."""
    return text.partition("\n")[0].partition(" (Request ID")[0].rpartition("AWS Error ")[2][:300]


def _about_keys(scheme: str) -> str:
    """Advice about the credentials that the environment has, or has not."""
    name, variables = next(
        (found for start, found in _KEYS.items() if scheme.startswith(start)), ("the credentials", ())
    )
    if any(os.environ.get(one) for one in variables):
        return f"the credentials may not do this, or are out of date (the environment has {name})"
    return f"set {name} in the environment, unless credentials come from elsewhere"

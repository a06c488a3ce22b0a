"""A query's own process: `python -m leadline.symbolic.engines.child`, its job on its standard input.

The job is one JSON object: the query, `memory_mb` or null, the number of the parent's process, and, if a
proof is wanted rather than an answer, what to refute and where to write it.

A solver's limits of its own are only requests, so the address space is limited here and the wall clock by the
parent, who kills. Answers go out line by line as they are found: what was told is not lost with the process.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1

Say = Callable[[str, Any], None]
"""Sends a message of a kind to the parent."""


def main() -> None:
    """Read the query, answer it, exit."""
    # What libraries print must not mix with the answers: it goes where errors go.
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def say(kind: str, body: Any) -> None:
        channel.write(json.dumps({kind: body}, separators=(",", ":")) + "\n")

    request = json.loads(sys.stdin.readline())
    _die_with(request["parent"])
    if request["memory_mb"] is not None:
        size = request["memory_mb"] << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _load_solvers(limited=request["memory_mb"] is not None)
        if "refute" in request:
            _refute(request["query"], say, **request["refute"])
        else:
            _answer(request["query"], say)
    except MemoryError:
        say("stopped", "memory")
    except Exception as error:
        _tell(error, say)
    channel.flush()
    # Without tidying up: after an allocation failed, destructors of the solver may not come back.
    os._exit(0)


def _load_solvers(*, limited: bool) -> None:
    """Load the solvers' libraries, which may be too large for the limit.

    Raises:
        MemoryError: if they do not load under a limit.
    """
    try:
        import leadline.symbolic.solve  # noqa: F401  # for its effect
    except Exception as error:
        if not limited:
            raise
        raise MemoryError from error


def _answer(data: Any, say: Say) -> None:
    # Here, so that loading the libraries counts under the limit too.
    from leadline.symbolic.catalog import find, model_of
    from leadline.symbolic.engines.query import Listener, Query, answer_here
    from leadline.symbolic.engines.wire import result_json

    query = Query.from_json(data)
    model = model_of(find(query.source), query.settings)
    listener = Listener(
        progress=lambda now: say("progress", asdict(now)),
        told=lambda result: say("told", result_json(model, result, query.source)),
    )
    results = answer_here(model, query, listener)
    say("results", [result_json(model, result, query.source) for result in results])


def _refute(data: Any, say: Say, *, names: list[str], proof: str, formula: str) -> None:
    # Here, so that loading the libraries counts under the limit too.
    from leadline.symbolic.catalog import find, model_of
    from leadline.symbolic.engines.bmc import BmcOptions
    from leadline.symbolic.engines.query import Query
    from leadline.symbolic.engines.refutation import write_refutation

    query = Query.from_json(data)
    model = model_of(find(query.source), query.settings)
    try:
        made = write_refutation(model, names, BmcOptions.of(query), Path(proof), Path(formula))
    except OSError as error:
        say("user_error", f"the proof cannot be written: {error.strerror}")
    else:
        say("refuted", asdict(made))


def _tell(error: Exception, say: Say) -> None:
    from leadline.symbolic.lang import UserError

    if "out of memory" in str(error).lower():
        say("stopped", "memory")
    elif isinstance(error, UserError):
        say("user_error", str(error))
    else:
        say("internal_error", traceback.format_exc())


def _die_with(parent: int) -> None:
    """End when the parent does, even if that is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


if __name__ == "__main__":
    main()

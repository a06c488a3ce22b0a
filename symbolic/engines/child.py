"""A query's own process, a copy of the fork server: its job comes on its standard input.

The job is one JSON object: the query, the model's fingerprint, `memory_mb` or null, the number of the
parent's process, and, if a proof is wanted rather than an answer, what to refute and where to write it; or,
if the query's property is to be proved by induction, the names of the obligations to check.

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

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines.bmc import BmcOptions
from leadline.symbolic.engines.induction.checker import check_query
from leadline.symbolic.engines.memory import size_mb
from leadline.symbolic.engines.query import Listener, Query, answer_here
from leadline.symbolic.engines.refutation import write_refutation
from leadline.symbolic.engines.wire import model_error_json, result_json
from leadline.symbolic.lang import Model, ModelError, UserError

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
        _check_size(request["memory_mb"])
        query = Query.from_json(request["query"])
        model = _model(query, request["fingerprint"])
        if "refute" in request:
            _refute(model, query, say, **request["refute"])
        elif "obligations" in request:
            _check(model, query, say, request["obligations"])
        else:
            _answer(model, query, say)
    except MemoryError:
        say("stopped", "memory")
    except Exception as error:
        _tell(error, say)
    channel.flush()
    # Without tidying up: after an allocation failed, destructors of the solver may not come back.
    os._exit(0)


def _check_size(limit: int | None) -> None:
    """See that the libraries, which are loaded, are not too large for the limit.

    Raises:
        MemoryError: if they are.
    """
    size = size_mb()
    if limit is not None and size is not None and size >= limit:
        raise MemoryError


def _model(query: Query, fingerprint: str) -> Model:
    """The model that the parent speaks of, made anew.

    Raises:
        UserError: if it is another one here.
    """
    model = model_of(find(query.source), query.settings)
    if model.fingerprint != fingerprint:
        raise UserError(
            f"{query.source} makes another model each time that it is loaded, or was changed meanwhile: run "
            "it again; a model may depend on its parameters only, not on chance, time or a Python set's order"
        )
    return model


def _answer(model: Model, query: Query, say: Say) -> None:
    listener = Listener(
        progress=lambda now: say("progress", asdict(now)),
        told=lambda result: say("told", result_json(model, result, query.source)),
    )
    results = answer_here(model, query, listener)
    say("results", [result_json(model, result, query.source) for result in results])


def _refute(model: Model, query: Query, say: Say, *, names: list[str], proof: str, formula: str) -> None:
    try:
        made = write_refutation(model, names, BmcOptions.of(query), Path(proof), Path(formula))
    except OSError as error:
        say("user_error", f"the proof cannot be written: {error.strerror}")
    else:
        say("refuted", asdict(made))


def _check(model: Model, query: Query, say: Say, names: list[str]) -> None:
    for result in check_query(model, query, names):
        say("obligation", result.to_json())


def _tell(error: Exception, say: Say) -> None:
    if "out of memory" in str(error).lower():
        say("stopped", "memory")
    elif isinstance(error, ModelError):
        say("model_error", model_error_json(error))
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

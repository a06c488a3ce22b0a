"""One trace in the format asked for."""

from __future__ import annotations

from pathlib import Path

from leadline.symbolic.cli.output import as_json
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.trace import Trace, document, end_reason, itf, tla_module


def written_trace(form: str, semantics: Semantics, trace: Trace, source: str, out: Path | None) -> str:
    """A trace as a file's text.

    Args:
        form: json, itf or tla.
        semantics: the concrete meaning of the model.
        trace: the trace.
        source: the protocol as the catalog finds it.
        out: the file, whose name a TLA+ module has to bear.
    """
    model = semantics.model
    if form == "json":
        return as_json(document(model, trace, source))
    reason = end_reason(semantics, trace)
    if form == "itf":
        return as_json(itf(model, trace, reason))
    return tla_module(model, trace, out.stem if out is not None else "counterexample", reason)

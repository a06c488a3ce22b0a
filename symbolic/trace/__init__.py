"""Counterexamples: replayed, shown as text, and written as JSON, ITF or TLA+. Floor 3.

A trace is replayed step by step by the concrete meaning, which shares no code with the encoding,
before anyone sees it. A replay that fails is an internal error, told loudly, with the query that
reproduces it.
"""

from leadline.symbolic.lang.properties import DEADLOCK
from leadline.symbolic.trace.cti import (
    Cti,
    cti_disagreement,
    cti_document,
    cti_lines,
    is_cti,
    read_cti,
    replay_cti,
    stored_cti,
)
from leadline.symbolic.trace.document import Stored, document, stored_traces
from leadline.symbolic.trace.itf import itf
from leadline.symbolic.trace.replay import disagreement, end_reason, replay
from leadline.symbolic.trace.shorten import shortened
from leadline.symbolic.trace.text import Line, LineKind, headline, lines
from leadline.symbolic.trace.tla import tla_module
from leadline.symbolic.trace.trace import Step, Trace, TraceEnd, call_of, trace_of_path

__all__ = [
    "DEADLOCK",
    "Cti",
    "Line",
    "LineKind",
    "Step",
    "Stored",
    "Trace",
    "TraceEnd",
    "call_of",
    "cti_disagreement",
    "cti_document",
    "cti_lines",
    "disagreement",
    "document",
    "end_reason",
    "headline",
    "is_cti",
    "itf",
    "lines",
    "read_cti",
    "replay",
    "replay_cti",
    "shortened",
    "stored_cti",
    "stored_traces",
    "tla_module",
    "trace_of_path",
]

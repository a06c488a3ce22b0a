"""Counterexamples: replayed, shown as text, and written as JSON, ITF or TLA+. Floor 4.

Every trace is replayed step by step by the concrete meaning before it is shown. The concrete meaning shares
no code with the encoding. A replay that fails is an internal error.
"""

from leadline.symbolic.lang import DEADLOCK
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.trace import Cti, Trace, TraceEnd, call_of, trace_of_path
from leadline.symbolic.trace.document import (
    INDUCTION,
    Stored,
    chosen_traces,
    cti_document,
    document,
    is_cti,
    stored_cti,
    stored_traces,
)
from leadline.symbolic.trace.explanation import explanation
from leadline.symbolic.trace.formats import itf, tla_module
from leadline.symbolic.trace.replay import (
    DROPS,
    cti_disagreement,
    disagreement,
    end_place,
    end_reason,
    replay,
    replay_cti,
    replayed,
    runs_to_others,
    shortened,
    shortening,
)
from leadline.symbolic.trace.text import Line, LineKind, cti_begin, cti_lines, lines

"""Queries that take long, for limits and processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline.symbolic.engines import (
    Limits,
    Listener,
    Query,
    Result,
    answer_in_child,
)
from leadline.symbolic.engines.ask.query import SILENT
from tests.asking import bounded_query, model_for

FILE = Path(__file__).parent / "protocols.py"


HARD = {"holes": 11}


def query(name: str, depth: int = 6, **options: Any) -> Query:
    return bounded_query(f"{FILE}:{name}", depth, **options)


def limited(asked: Query, limits: Limits, listener: Listener = SILENT) -> Sequence[Result]:
    return answer_in_child(model_for(asked), asked, limits, listener).results

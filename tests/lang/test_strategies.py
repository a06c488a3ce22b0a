"""The random expressions and protocols reach the whole language, without a mistake in them."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leadline.symbolic.lang import Bool, Int, Map, Model, Option, Set, nodes as n

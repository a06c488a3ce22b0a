"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is no failure: no test asserts on seconds.
settings.register_profile("leadline", deadline=None)
settings.load_profile("leadline")

"""Settings that all tests share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from leadline.symbolic.catalog import trial
from leadline.symbolic.catalog.trial import Trial
from leadline.symbolic.lang.parameters import Setting

# A busy machine is no failure: no test asserts on seconds. Slow tests say how many examples they want.
settings.register_profile("leadline", deadline=None, max_examples=40)
settings.load_profile("leadline")

HERE = Path(__file__).parent
OWN = {path.read_bytes(): path for path in (*HERE.glob("*/counter.py"), *HERE.glob("protocols/*.py"))}
OWN |= {path.read_bytes(): path for path in (HERE / "engines").glob("[!t]*.py")}
"""The protocol files of the tests, by their content."""


@cache
def _fingerprint(path: Path, name: str, given: frozenset[tuple[str, Setting]]) -> str | None:
    return Trial(path).fingerprint(name, dict(given))


class KnownTrial:
    """The trial of a copy of one of the tests' own files: each point of it is tried once for all tests."""

    loaded = True

    def __init__(self, path: Path) -> None:
        self._path = path

    def fingerprint(self, name: str, settings: Mapping[str, Setting]) -> str | None:
        return _fingerprint(self._path, name, frozenset(settings.items()))


@pytest.fixture(scope="session", autouse=True)
def _known_trials() -> Iterator[None]:
    """Most commands of the tests are about a few files, and a trial takes a quarter of a second to start."""

    def tried(path: Path) -> Trial | KnownTrial:
        own = OWN.get(path.read_bytes())
        return Trial(path) if own is None else KnownTrial(own)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "Trial", tried)
        yield

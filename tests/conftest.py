"""Settings that all tests share."""

from __future__ import annotations

import gc
import json
import math
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from leadline.symbolic.api import progress
from leadline.symbolic.catalog import trial
from leadline.symbolic.catalog.trial import Trial
from leadline.symbolic.lang.parameters import Setting

# A busy machine is no failure: no test asserts on seconds. Slow tests say how many examples they want.
settings.register_profile("leadline", deadline=None, max_examples=25)
settings.load_profile("leadline")


@dataclass(frozen=True)
class Text:
    """The text of a protocol file with those of the files beside it that it may import, wherever they lie."""

    texts: tuple[bytes, ...]
    path: Path = field(compare=False)

    @classmethod
    def of(cls, path: Path) -> Text:
        text = path.read_bytes()
        beside = [one for one in sorted(path.parent.glob("*.py")) if os.fsencode(one.stem) in text]
        return cls((text, *(one.read_bytes() for one in beside)), path)


@lru_cache(maxsize=4)
def _trial(text: Text) -> Trial:
    return Trial(text.path)


@cache
def _loaded(text: Text) -> bool:
    return _trial(text).loaded


@cache
def _fingerprint(text: Text, name: str, settings: str) -> str | None:
    return _trial(text).fingerprint(name, json.loads(settings))


class KnownTrial(Trial):
    """The trial of a text: each point of it is tried once for all tests."""

    def __init__(self, path: Path) -> None:
        self._text = Text.of(path)
        self.loaded = _loaded(self._text)

    def fingerprint(self, name: str, settings: Mapping[str, Setting]) -> str | None:
        try:
            return _fingerprint(self._text, name, json.dumps(dict(settings)))
        except BaseException:  # The trial has ended.
            _trial.cache_clear()
            raise


# What is collected stays to the end: the garbage collector need not run before, nor look at it afterwards.
gc.disable()

# Tests send Ctrl-C to what they start, which would ignore it if a shell runs the tests in its background.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _known_trials() -> Iterator[None]:
    """Many tests are about the same few texts, and a trial takes a fifth of a second to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "Trial", KnownTrial)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_progress() -> Iterator[None]:
    """Work that is short tells nothing of its progress; none is short on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "_SOON", math.inf)
        yield

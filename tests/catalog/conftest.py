"""A fixture for tests of the catalog: the trial of a file without a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from leadline.symbolic.catalog import trial
from leadline.symbolic.catalog.entry import model_of
from leadline.symbolic.catalog.sources import load_file
from leadline.symbolic.lang.parameters import Setting


class TrialHere:
    """A trial in this process, for files that are known to end neither it nor to change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.loaded = True

    def fingerprint(self, name: str, settings: Mapping[str, Setting]) -> str | None:
        entries = {entry.protocol.__name__: entry for entry in load_file(self._path, tried=True)}
        return model_of(entries[name], settings).fingerprint


@pytest.fixture
def tried_here() -> Iterator[None]:
    """Spares tests of what a file says the process that tries it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "Trial", TrialHere)
        yield

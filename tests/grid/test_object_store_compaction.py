"""Compaction of a store in an S3 server: several runs at once, and manifests that are merged."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from leadline.symbolic.grid import store as stores
from leadline.symbolic.grid.remote import StoreAway
from leadline.symbolic.grid.store import Store, compact
from tests.grid.object_store import ObjectStore, elsewhere, objects
from tests.grid.queries import query
from tests.grid.rows import row


@pytest.mark.slow
def test_several_at_once(store: Store) -> None:
    """Runs that begin at once are all in the manifest, and compactions at once lose no row."""
    runs = [f"run-{number}" for number in range(4)]

    def work(run: str) -> None:
        store.record(run, [query()])
        store.keep(row(query=run, run=run))
        for _ in range(9):
            # The server answers with its own failure if a key goes away while it is read.
            with suppress(StoreAway):
                compact(store)
                break

    threads = [threading.Thread(target=work, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.manifest().runs) == sorted(store.all().rows) == runs
    for _ in range(2):
        compact(store)
        assert sorted(store.all().rows) == sorted(store.manifest().runs) == runs
        assert len(manifests(store)) == 1


def manifests(store: Store) -> list[str]:
    return [name for name in objects(store, "") if name.startswith("manifest")]


def test_manifests_that_are_merged(
    server: ObjectStore, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two runs the later counts after it too; one that cannot be read is kept, and a late list loses none."""
    point = query().parameters
    for run, fingerprint in (("20260101T000000Z-a", "old"), ("20260102T000000Z-a", "new")):
        store.record(run, [replace(query(), fingerprint=fingerprint)])
    (elsewhere(store) / "manifest.20260101T000000Z-b.json").put(b"{")
    names = objects(store, "")
    server.late = 3600.0
    server.known(names)
    compact(store)
    server.late = 0.0
    assert len(manifests(store)) == 4, "the merged one is not listed: nothing is removed"
    compact(store)
    assert [name.partition("-merged-")[0] for name in manifests(store)] == [
        "manifest.20260101T000000Z-b.json",
        "manifest.20260102T000000Z-a",
    ]
    store.record("20260103T000000Z-a", [replace(query(), fingerprint="newest")])
    assert store.manifest().fingerprints[query().protocol][point] == "newest"
    assert len(store.manifest().runs) == 3

    before, listed = store.manifest(), [manifests(store)]
    compact(store)
    monkeypatch.setattr(stores, "_files_of", lambda folder: listed.pop() if listed else manifests(store))
    assert store.manifest() == before, "they are merged between the list and the read"

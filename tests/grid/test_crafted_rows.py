"""A row of anyone's making blocks no other: it is told and passed over."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.rows import to_table
from leadline.symbolic.grid.store import Store
from tests.grid.rows import row

CRAFTED: dict[str, dict[str, Any]] = {
    "parameters that are a list": {"parameters": "[1]"},
    "parameters that are null": {"parameters": "null"},
    "parameters that are no JSON": {"parameters": "{"},
    "parameters of an object": {"parameters": '{"top":{"a":1}}'},
    "an infinite parameter": {"parameters": '{"top":Infinity}'},
    "an integer of 5,000 digits": {"parameters": f'{{"top":{"9" * 5000}}}'},
    "half a character": {"parameters": '{"top":"\\ud800"}'},
    "nested deeply": {"parameters": "[" * 100_000},
    "infinite seconds": {"task_seconds": float("inf")},
    "seconds that are no number": {"build_seconds": float("nan")},
    "negative memory": {"memory_mb": -1.0},
    "options that are none": {"options": "[" * 100_000},
    "options of an object": {"options": '{"depth":{"a":[1]}}'},
    "an engine that is none": {"engine": "\x1b[2J"},
    "a verdict that is none": {"verdict": "fine"},
    "another kind": {"kind": "\x1b[2J"},
    "a property that is none": {"property": "\x1b[2J\n"},
    "a cause that is none": {"verdict": "unknown", "steps": None, "cause": "\x1b[2J"},
    "the cause of a violation": {"cause": "time"},
    "notes that are no list": {"notes": "[" * 100_000},
    "notes of another kind": {"notes": '[["fine","x"]]'},
    "a note that is no text": {"notes": '[["vacuous",{}]]'},
    "half a character in a note": {"notes": '[["vacuous","\\ud800"]]'},
    "a date before the first": {"started": datetime.max},
}


def crafted(store: Store, changes: dict[str, Any]) -> None:
    """Store a row that no grid writes, beside one that a grid writes."""
    store.create()
    store.keep(row(query="good", trace=None))
    wrong = replace(row(query="bad", property="other", trace=None), **changes)
    if wrong.started == datetime.max:
        wrong = replace(wrong, started=row().started)
    table = to_table([wrong])
    if changes.get("started") == datetime.max:
        place = table.schema.get_field_index("started")
        far = pa.array([-(2**62)], pa.int64()).cast(table.schema.field("started").type)
        table = table.set_column(place, table.schema.field("started"), far)
    pq.write_table(table, store.path("bad", wrong.run))


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_row(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "store")
    crafted(store, CRAFTED[name])
    for form in ("json", "table", "csv", "junit", "sarif"):
        assert main(["results", str(store.folder), "--format", form]) == 0
        told = capsys.readouterr()
        assert "below-three" in told.out
        assert "Traceback" not in told.err
        assert "\x1b" not in told.out.replace("\\u001b", "") + told.err or form == "csv"
        if form == "json":
            assert {"good"} <= {one["query"] for one in json.loads(told.out)}
    assert main(["report", str(store.folder), "--out", str(tmp_path / "report.html")]) == 0
    assert "below-three" in (tmp_path / "report.html").read_text()
    assert main(["results", str(store.folder), "--compact"]) == 0
    assert "good" in store.all().rows

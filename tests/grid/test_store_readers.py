"""`docs/store.md`: its table is the schema, and its three ways to read a store see the same rows.

`LEADLINE_REWRITE=1 pytest tests/grid/test_store_readers.py` writes the table anew.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.symbolic.grid.rows import SCHEMA, SCHEMA_VERSION
from leadline.symbolic.grid.session import require_java
from leadline.symbolic.grid.store import Store, compact
from leadline.symbolic.lang import UserError
from tests.grid.rows import later, local, obligation, row, unknown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "store.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
HEAD = "|---|---|---|---|\n"


def table() -> str:
    """The schema as the page's table."""
    lines = []
    for column in SCHEMA:
        null, doc = "yes" if column.nullable else "", column.metadata[b"doc"].decode()
        lines.append(f"| `{column.name}` | {column.type} | {null} | {doc} |\n")
    return "".join(lines)


def test_the_table_is_the_schema() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, head, rest = text.partition(HEAD)
    _, end, after = rest.partition("\n## The manifest")
    if "LEADLINE_REWRITE" in os.environ:
        PAGE.write_text(f"{before}{head}{table()}{end}{after}", encoding="utf-8")
    assert f"{HEAD}{table()}\n## The manifest" in PAGE.read_text(encoding="utf-8")
    assert f"Version {SCHEMA_VERSION}." in text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two runs, compacted in part; one file is only half-written."""
    made = tmp_path_factory.mktemp("readers")
    store = Store(made / "store")
    store.create()
    store.keep(unknown("time: stopped", predicted_seconds=None, timeout_seconds=None))
    store.keep(obligation("implication", query="d4"))
    compact(store)
    store.keep(later(1))
    store.keep(row(query="b2", verdict="safe", steps=None, trace=None))
    (local(store.results) / ".c3.run-1.parquet.0.part").write_bytes(b"PAR1")
    return made


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(code, id=name, marks=[] if name == "duckdb" else [pytest.mark.slow])
        for code, name in zip(BLOCKS, ("duckdb", "pandas", "spark"), strict=True)
    ],
)
def test_reader(code: str, folder: Path) -> None:
    if "pyspark" in code:
        try:
            require_java()
        except UserError as error:
            pytest.skip(str(error))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=folder,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == [("proved", 1), ("safe", 1), ("violated", 1)]
    latest = Store(folder / "store").all().rows.values()
    assert sorted(one.verdict for one in latest) == ["proved", "safe", "violated"]

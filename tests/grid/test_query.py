"""A query's id is the same wherever the same is asked, and another for anything else."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import leadline
from leadline.symbolic.engines import Limits
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.grid.query import GridQuery
from tests.grid.queries import changed, with_options

GRID = '[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\nparameters = { nodes = 2 }\n'


def query_in(folder: Path) -> GridQuery:
    (folder / "grid.toml").write_text(GRID)
    (query,) = plan(folder / "grid.toml").queries
    return query


@pytest.mark.slow
def test_the_same_in_every_process(folder: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from leadline.symbolic.grid.plan import plan\n"
        "print(*(query.id for query in plan(Path('grid.toml')).queries))"
    )
    expected = query_in(folder).id
    for seed in ("1", "2"):
        path = str(Path(leadline.__file__).parent.parent)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        ran = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert ran.stdout.split() == [expected]


def test_another_model_is_another_query(folder: Path) -> None:
    before = query_in(folder).id
    path = folder / "counter.py"
    text = path.read_text()
    path.write_text(text.replace('"""A node counts."""', '"""A node counts, and says so."""'))
    assert query_in(folder).id == before, "a docstring is no part of the model"
    path.write_text(text.replace("now.count + 1", "now.count + 2"))
    assert query_in(folder).id != before


def test_anything_else_is_another_query(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_in(folder)
    others = [
        changed(query, property="never-one"),
        replace(query, kind="probe"),
        with_options(query, depth=11),
        changed(query, solver="cadical"),
        with_options(query, unroll="sweeps"),
        replace(query, protocol="other"),
        replace(query, parameters='{"nodes":3,"overflow":false,"top":3}'),
        replace(query, fingerprint="0"),
    ]
    assert len({query.id, *(other.id for other in others)}) == 1 + len(others)
    assert replace(query, limits=Limits(1, 1)).id == query.id
    assert changed(query, source="/elsewhere/counter.py").id == query.id
    monkeypatch.setattr(leadline, "__version__", "99")
    assert replace(query).id != query.id

"""Leadline and the user's files are sent to machines that may lack them; hosts that lack a solver are named."""

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.find_spark_home import _find_spark_home

from leadline.symbolic.catalog import find, packed
from leadline.symbolic.grid import shipping
from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.shipping import Lack, packed_errand, unpacked, write_archive
from leadline.symbolic.grid.task import Errand, TaskResult, planned_model, unanswered
from leadline.symbolic.grid.workers import Lacks, SparkGaveUp
from leadline.symbolic.lang import UserError
from tests.grid.queries import query

# The program of one of Spark's machines: it finds Spark's own Python code, and these folders.
ELSEWHERE = """
import pathlib, sys
work, found, *folders = sys.argv[1:]
sys.path += folders
from pyspark import cloudpickle
pathlib.Path(found).write_bytes(cloudpickle.loads(pathlib.Path(work).read_bytes())())
"""
SPARKS = sorted(Path(_find_spark_home(), "python", "lib").glob("*.zip"))
LIBRARIES = Path(cloudpickle.__file__).parent.parent.parent


def elsewhere(work: object, folder: Path, *paths: Path) -> TaskResult | Lack:
    """The result of a function on a machine with these folders and archives."""
    (folder / "work").write_bytes(cloudpickle.dumps(work))  # type: ignore[no-untyped-call]  # pyspark's
    names = map(str, (folder / "work", folder / "found", *SPARKS, *paths))
    done = [sys.executable, "-I", "-S", "-c", ELSEWHERE, *names]
    subprocess.run(done, cwd=folder, timeout=300, check=True)
    return unpacked((folder / "found").read_bytes())


@pytest.mark.slow
def test_a_machine_that_lacks_leadline_or_a_solver_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "_HOLD", 0.0)

    def stub(asked: GridQuery, run: str, predicted: float | None) -> TaskResult:
        from leadline.symbolic.catalog import find

        return TaskResult(unanswered(asked, run, predicted, find("two-phase-commit").doc))

    work = packed_errand(Errand(query(), "run", None, tmp_path, "sign", stub))
    bare = elsewhere(work, tmp_path)
    assert isinstance(bare, Lack) and bare.what == "the Python package leadline"
    assert sys.executable in str(bare) and str(bare).startswith(f"host {bare.host} lacks")

    write_archive(tmp_path / "leadline.zip")
    found = elsewhere(work, tmp_path, tmp_path / "leadline.zip", LIBRARIES)
    assert isinstance(found, TaskResult) and found.row.reason == find("two-phase-commit").doc
    assert found.row.query == query().id, "the version is the driver's"

    some = tmp_path / "some"
    some.mkdir()
    for path in LIBRARIES.iterdir():
        if not path.name.startswith(("z3_solver", "leadline", "_", ".")):
            (some / path.name).symlink_to(path)
    half = elsewhere(work, tmp_path, tmp_path / "leadline.zip", some)
    assert isinstance(half, Lack) and half.what == "the Python package z3-solver"


def test_another_version_of_leadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "_HOLD", 0.0)
    found = unpacked(shipping.answer_here(b"", "9.9"))
    assert isinstance(found, Lack) and found.what.startswith("Leadline 9.9 (it has ")


def test_a_file_is_sent_whole(folder: Path) -> None:
    """As to a machine that has no such file."""
    model_here = planned_model(query(settings={}, fingerprint=fingerprint("counter.py")))
    text = packed("counter.py", whole=True)
    assert text is not None
    program = (
        "from leadline.symbolic.catalog import receive, find, model_of; import sys\n"
        "receive('counter.py', sys.stdin.read())\n"
        "print(model_of(find('counter.py'), {}).fingerprint)"
    )
    Path("counter.py").rename("moved.py")
    done = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == model_here.fingerprint
    assert packed("two-phase-commit", whole=True) is None


def fingerprint(source: str) -> str:
    from leadline.symbolic.catalog import model_of

    return model_of(find(source, tried=True), {}).fingerprint


def test_a_file_that_cannot_be_sent(folder: Path) -> None:
    text = Path("counter.py").read_text()
    Path("counter.py").write_text(f"import threading\nLOCK = threading.Lock()\n{text}")
    assert packed("counter.py", whole=True), "nothing uses it"
    lock = "def define(self, state: Any, lock: Any = threading.Lock())"
    Path("counter.py").write_text(
        f"import threading\n{text}".replace("def define(self, state: Any)", lock, 1)
    )
    with pytest.raises(UserError, match="cannot be sent to another process"):
        packed("counter.py", whole=True)


def test_queries_go_to_other_hosts_while_there_are_any() -> None:
    told: list[str] = []
    lacks = Lacks(told.append)
    for _ in range(20):
        # A third one runs on a host that can answer it.
        lacks.refused("a", "host h lacks z3")
        lacks.refused("b", "host h lacks z3")
        lacks.look(3)
    assert [text.partition(":")[0] for text in told] == ["host h lacks z3"]
    lacks.ended()
    for _ in range(6):
        lacks.look(2)
        lacks.refused("a", "host h lacks z3")
        lacks.refused("b", "host g lacks z3")
    lacks.refused("b", "host g lacks z3")
    lacks.refused("b", "host g lacks z3")
    with pytest.raises(SparkGaveUp, match="no host answers: host h lacks z3; host g lacks z3"):
        lacks.look(2)

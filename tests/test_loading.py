"""A command loads what it needs: modules are counted, not seconds."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COUNTER = str(Path(__file__).parent / "cli" / "counter.py")

REPORT = """
import sys
from leadline.__main__ import main
main()
own = sorted(name for name in sys.modules if name.partition(".")[0] == "leadline")
print("LOADED", *{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
print(*own, sep="\\n", file=sys.stderr)
"""

PASSED = """
import sys
from leadline.symbolic.cli import main
from leadline.symbolic.engines.run import parallel

def importing(frame):
    while frame.f_code.co_name != "<module>" or "importlib" not in frame.f_back.f_code.co_filename:
        frame = frame.f_back
        if frame is None or frame.f_back is None:
            return False
    return True

# It returns None, so that Python calls it for each call and for no line.
def look(frame, event, _):
    file = frame.f_code.co_filename
    if file not in passed and "symbolic" in file and not importing(frame):
        passed.add(file)

# One member of a race is as good as the other, and in this process it is seen.
parallel.answer_in_children = lambda model, queries, limits, listener: parallel.answer_here(
    model, queries[0], listener
)
passed = set()
sys.settrace(look)
main(sys.argv[1:])
sys.settrace(None)
print("PASSED", *sorted(passed), sep="\\n", file=sys.stderr)
"""

OF_GRIDS = {"py4j", "pyarrow", "pyspark"}
LARGE = {*OF_GRIDS, "IPython", "cloudpickle", "pysat", "shtab", "sympy", "tree_sitter", "z3"}
OTHER_ROOMS = tuple(f"leadline.symbolic.{room}" for room in ("tla", "grid", "report", "export"))


def loaded(*words: str, **environment: str) -> tuple[set[str], set[str]]:
    """The modules of Leadline and the packages that a command has loaded when it ends."""
    command = [sys.executable, "-c", REPORT, *words]
    surroundings = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=surroundings)
    packages, *own = done.stderr.rpartition("LOADED ")[2].splitlines()
    return set(own), set(packages.split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["--bogus"], ["chekc"]], ids=" ".join)
def test_the_help_loads_nearly_nothing(words: list[str]) -> None:
    own, packages = loaded(*words)
    assert len(own) < 30, own
    assert not packages & LARGE


QUESTIONS = {"check", "explore", "simulate"}


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["check", COUNTER],
        ["explore", COUNTER],
        ["prove", "transaction-commit", "--property", "consistency"],
        *(
            pytest.param(words, marks=pytest.mark.slow)
            for words in (
                ["check", COUNTER, "--depth", "2", "--timeout", "60"],
                ["check", "transaction-commit"],
                ["simulate", COUNTER, "--runs", "2"],
                ["export", COUNTER, "--to", "tla"],
            )
        ),
    ],
    ids=lambda words: " ".join(Path(word).name for word in words),
)
def test_a_command_loads_what_it_needs(words: list[str], tmp_path: Path) -> None:
    """Nothing but a grid loads Spark, Arrow or Java, in its process or in a child: each would leave a file behind.

    A question about a protocol in Python loads less than that.
    """
    for name in OF_GRIDS:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'started')!r}, 'w')\n")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    java.chmod(0o755)
    path = f"{java.parent}{os.pathsep}{os.environ['PATH']}"
    own, packages = loaded(*words, PYTHONPATH=str(tmp_path), PATH=path, JAVA_HOME=str(tmp_path))
    assert not packages & OF_GRIDS
    assert not (tmp_path / "started").exists()
    if words[0] in QUESTIONS:
        assert len(own) <= 140, own
        assert not packages & LARGE - {"z3", "pysat"}
        assert not [name for name in own if name.startswith(OTHER_ROOMS)]


@pytest.mark.parametrize(
    ("words", "most"),
    [(["two-phase-commit", "--depth", "1"], 80), (["Small.tla"], 90)],
    ids=["model", "module"],
)
def test_a_question_passes_few_files(words: list[str], most: int, tmp_path: Path) -> None:
    """A reader who follows a question through the code opens the files of `symbolic` whose functions it calls."""
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nSmall == x < 2\n"
    (tmp_path / "Small.tla").write_text(f"---- MODULE Small ----\n{body}====\n")
    (tmp_path / "Small.cfg").write_text("INIT Init NEXT Next INVARIANT Small")
    command = [sys.executable, "-c", PASSED, "check", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    passed = done.stderr.rpartition("PASSED\n")[2].splitlines()
    assert 40 < len(passed) <= most, passed


@pytest.mark.parametrize("package", ["api", "engines", "engines.runs", "engines.prove.pdr"])
def test_a_package_that_loads_on_demand_has_all_its_names(package: str) -> None:
    face = importlib.import_module(f"leadline.symbolic.{package}")
    modules = {path.stem for path in Path(face.__path__[0]).iterdir()}
    for name in face.__all__:
        assert getattr(face, name) is not None
        # Python would take it for the module.
        assert name not in modules
    assert not hasattr(face, "nothing")


def test_a_run_writes_its_report_and_ends_as_its_grid_does(tmp_path: Path) -> None:
    """So it does where a query has no answer."""
    root = Path(__file__).resolve().parent.parent
    if not (root / "Makefile").exists() or shutil.which("make") is None:
        pytest.skip("no Makefile, or no make")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "leadline"
    command.write_text('#!/bin/sh\ncase $1 in grid) exit 20;; report) echo "$@";; esac\n')
    command.chmod(0o755)
    (tmp_path / ".installed").touch()
    run = [
        "make",
        "--no-print-directory",
        "run",
        f"VENV={tmp_path}",
        "STORE=cells",
        "REPORT=cells.html",
        "JAVA_HOME=somewhere",
    ]
    done = subprocess.run(run, cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout == "report cells --out cells.html\n"
    assert done.returncode == 2 and "Error 20" in done.stderr


def test_running_installs_nothing_for_tests(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent.parent
    if not (root / "Makefile").exists() or shutil.which("make") is None:
        pytest.skip("no Makefile, or no make")
    told = {}
    for target in ("run", "test"):
        command = ["make", "--dry-run", target, f"VENV={tmp_path}/venv"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        told[target] = [
            line.split("--editable ")[1] for line in done.stdout.splitlines() if "--editable" in line
        ]
    assert told == {"run": ["."], "test": [".", "'.[test]'"]}

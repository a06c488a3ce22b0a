"""Leadline works as users use it, installed from the wheel, where the tree cannot be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.api.notebooks import NOTEBOOKS, RUN
from tests.pages import PAGES, REFERENCE, File, follow, steps

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment: with the wheel, and with the other packages of this one.

    These are linked one by one, so that neither the `.pth` file of an editable installation nor its entry
    points are seen.
    """
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    found = folder / "venv" / "bin" / "python"
    (wheel,) = (folder / "dist").glob("*.whl")
    options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "--python", found, "install", *options, wheel], check=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.suffix != ".pth" and "leadline" not in path.name and not (packages / path.name).exists():
            (packages / path.name).symlink_to(path)
    # The program that comes with pytest, for this Python.
    program = found.parent / "pytest"
    program.write_text(f"#!{found}\nimport sys, pytest\nsys.exit(pytest.console_main())\n")
    program.chmod(0o755)
    return found


def run(python: Path, folder: Path, *command: str) -> tuple[int, str]:
    """Run a command in a folder, with the environment's programs: its exit code, and what it writes."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))
    }
    environment["PATH"] = f"{python.parent}:{os.environ['PATH']}"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


WHERE = """\
import importlib, json, sys
from importlib.metadata import distributions
names = ["leadline", "leadline.symbolic.api", "leadline.encodings", "leadline.properties.two_phase_commit"]
files = [importlib.import_module(name).__file__ for name in names]
found = [x for x in distributions() if x.name == "leadline"]
groups = sorted(x.group for x in found[0].entry_points)
print(json.dumps([sys.path, files, [str(x.locate_file("")) for x in found], groups]))
"""


def test_only_the_wheel_is_seen(python: Path, tmp_path: Path) -> None:
    code, told = run(python, tmp_path, "python", "-c", WHERE)
    assert code == 0, told
    path, files, places, groups = json.loads(told)
    inside = str(python.parent.parent)
    assert not [one for one in path if one.startswith(str(ROOT))]
    assert all(one.startswith(inside) for one in files), files
    assert [one.startswith(inside) for one in places] == [True]
    assert groups == ["console_scripts", "leadline.commands", "pytest11"]


@pytest.mark.slow
def test_a_first_protocol_and_its_test(python: Path, tmp_path: Path) -> None:
    """pytest finds the plugin by the entry point of the wheel, with all other plugins."""
    assert run(python, tmp_path, "leadline", "init", "my-counter")[0] == 0
    code, told = run(python, tmp_path, "pytest", "-p", "no:cacheprovider", "-rA")
    assert code == 0 and "2 passed" in told and "leadline-" in told, told
    (tmp_path / "my_counter.py").write_text(
        (tmp_path / "my_counter.py").read_text().replace("nxt.require(~now.locked)", "")
    )
    code, told = run(python, tmp_path, "pytest", "-p", "no:cacheprovider")
    assert code == 1 and "nothing-lost is violated" in told, told


@pytest.mark.slow
@pytest.mark.parametrize("page", [*PAGES, *REFERENCE], ids=lambda page: page.stem)
def test_a_page(page: Path, python: Path, tmp_path: Path) -> None:
    assert follow(page, tmp_path, lambda line: run(python, tmp_path, "sh", "-c", line)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook(notebook: Path, python: Path, tmp_path: Path) -> None:
    code, told = run(python, tmp_path, "python", "-c", RUN, str(notebook), "done.ipynb")
    assert code == 0, told
    assert (tmp_path / "done.ipynb").exists()


def test_the_newcomers_script_has_twenty_lines() -> None:
    (page,) = (page for page in PAGES if page.stem == "script")
    (script,) = (step for step in steps(page.read_text(encoding="utf-8")) if isinstance(step, File))
    assert 15 <= len(script.text.splitlines()) <= 22

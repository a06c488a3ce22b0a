"""Every command of the tutorial, of the how-to guides and of the explanations does what its page shows."""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from tests.pages import PAGES, REFERENCE, Command, File, as_shown, blocks, code_of, follow, steps

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
"""A file of this name that a page makes is the picture that it shows."""
GRID = re.compile(r"^\$ leadline grid (?!.*--plan)", re.MULTILINE)
"""Pages with this start Spark."""
QUICK = {
    "README",
    "1-two-counters",
    "2-a-proof",
    "3-messages",
    "from-tla",
    "pdr",
    "agents",
    "editor",
    "aiger",
}
"""The first pages of a user, those that change most often, and those that take no time. All others are slow."""


def of_pages() -> list[object]:
    """The pages; the slow ones are marked. Only tests/test_wheel.py starts the cluster, which has a fixed port."""
    pages = [page for page in (*PAGES, *REFERENCE) if page.stem != "clusters"]
    return [
        pytest.param(
            page,
            id=page.relative_to(ROOT).with_suffix("").as_posix(),
            marks=[] if page.stem in QUICK else [pytest.mark.slow],
        )
        for page in pages
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, from which a page's commands are run. The modules of other tests' folders are forgotten."""
    monkeypatch.chdir(tmp_path)
    others = [x for x in sys.path if x.startswith((str(tmp_path.parent), str(ROOT / "tests")))]
    monkeypatch.setattr(sys, "path", [x for x in sys.path if x not in others])
    for name, module in [*sys.modules.items()]:
        if "." not in name and str(Path(getattr(module, "__file__", None) or "").parent) in others:
            monkeypatch.delitem(sys.modules, name)
    return tmp_path


def shell(line: str, folder: Path) -> tuple[int, str]:
    """Run a command of the tree's Python by the shell."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    for name, module in (
        ("leadline", "leadline"),
        ("pytest", "pytest -p leadline.pytest_plugin"),
        ("python", ""),
    ):
        script = f'#!/bin/sh\nexec {sys.executable} {module and "-m " + module} "$@"\n'
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("page", of_pages())
def test_a_page_is_as_shown(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(line: str) -> tuple[int, str]:
        if not line.startswith("leadline ") or GRID.match(f"$ {line}") or set(line) & set("|<>&;$"):
            return shell(line, folder)
        code = main(shlex.split(line)[1:])
        out, err = capsys.readouterr()
        return code, out + err

    assert follow(page, folder, run) > 0
    for made in (one for one in folder.iterdir() if (PICTURES / one.name).exists()):
        if "LEADLINE_REWRITE" in os.environ:
            shutil.copy(made, PICTURES)
        text = made.read_text(encoding="utf-8")
        assert text == (PICTURES / made.name).read_text(encoding="utf-8"), (
            f"{made.name}: LEADLINE_REWRITE=1 renews it"
        )


def test_there_are_pages_of_each_kind() -> None:
    assert {page.stem for page in (*PAGES, *REFERENCE)} >= QUICK
    kinds = [page.parent.name for page in PAGES]
    assert (kinds.count("tutorial"), kinds.count("how-to") >= 3, kinds.count("explanation")) == (5, True, 3)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_is_a_file_or_is_run(page: Path) -> None:
    """A text in a block is a file with its name, or commands; nothing is only to look at."""
    text = page.read_text(encoding="utf-8")
    assert len(blocks(text)) * 2 == text.count("```")
    for language, body in blocks(text):
        assert language == "text" or list(steps(f"```\n{body}```")), body


def test_a_page_is_read() -> None:
    text = (
        "```python\n# a.py\nx = 1\n```\n```\n$ leadline one\nfirst\n...\nlast\n$ two\n```\n```\nnone\n```\n"
    )
    assert list(steps(text)) == [
        File("a.py", "# a.py\nx = 1\n"),
        Command("leadline one", "first\n...\nlast\n"),
        Command("two", ""),
    ]
    assert as_shown("a ... c\n\n...\ne", "0\na b c\nd\n  e\ne\n")
    assert as_shown("a  24  0.1  32\nb  -  explore", "a  24    12.53     117\nb  -  pdr\n")
    assert not as_shown("a  24  0.1  32", "a  25  0.1  32") and not as_shown("b  3  pdr", "b  4  pdr")
    assert not as_shown("a\nb", "b\na\n") and not as_shown("a", "ab")
    told = [Command("leadline one", word) for word in ("x  violated  1", "x out-of-bounds", "proved")]
    assert [code_of(one) for one in told] == [12, 21, 0]
    assert code_of(Command("leadline one | tail -n 1", "x  violated  1")) == 0


@pytest.mark.parametrize("name", ["retry", "states"])
def test_the_graph_that_is_shown_is_of_the_file_beside_it(name: str) -> None:
    """Graphviz made the SVG of the other file; it writes the names of nodes and edges into its titles."""
    nodes = re.findall(r"^  (n\d+(?: -> n\d+)?) \[", (PICTURES / f"{name}.dot").read_text(), re.MULTILINE)
    drawn = re.findall(r"<title>(n.*)</title>", (PICTURES / f"{name}.svg").read_text())
    assert {one.replace(" ", "") for one in nodes} == {html.unescape(one) for one in drawn}

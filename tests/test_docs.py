"""The documents name only what is there, and the site with the API reference is built without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.symbolic import lang

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("symbolic", "encodings", "properties", "benchmarks", "docs", "src", "tests", "tools", ".ci")


def named_paths(text: str) -> set[str]:
    """The paths from the root that a document names between backquotes; a path with a placeholder is none."""
    words = (word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split())
    paths = {word.partition("::")[0].rstrip("/") for word in words}
    return {one for one in paths if one.partition("/")[0] in FOLDERS and re.fullmatch(r"[\w./-]+", one)}


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_every_path_that_is_named_exists(document: str) -> None:
    named = named_paths((ROOT / document).read_text(encoding="utf-8"))
    assert named, "no path is found in the text"
    missing = sorted(one for one in named if not (ROOT / one).exists())
    assert not missing, f"{document} names what is not there: {', '.join(missing)}"


def test_a_path_is_recognised() -> None:
    text = "`symbolic/lang/nodes.py`, `pytest tests/cli::test_x`, `docs/`, `encodings/<name>.py`, `a.py`"
    assert named_paths(text) == {"symbolic/lang/nodes.py", "tests/cli", "docs"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http:", "https:")):
            assert (document.parent / target.partition("#")[0]).exists(), target


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the API reference."""
    folder = tmp_path_factory.mktemp("reference")
    command = [sys.executable, "-W", "error", "tools/docs_site.py", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def test_the_reference_has_every_public_name_of_the_language(reference: Path) -> None:
    page = (reference / "leadline" / "symbolic" / "lang.html").read_text(encoding="utf-8")
    missing = [name for name in lang.__all__ if f'id="{name}"' not in page]
    assert not missing


def test_every_document_is_in_the_site_once(reference: Path) -> None:
    index = (reference / "index.html").read_text(encoding="utf-8")
    contents = index[index.index("<main") :]
    for document in DOCUMENTS:
        page = document.relative_to(ROOT).with_suffix(".html").as_posix()
        assert contents.count(f'href="{page}"') == 1, page


def test_the_links_of_the_site_lead_somewhere(reference: Path) -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in reference.rglob("*.html")}
    assert len(pages) > 15
    broken = []
    for page, text in pages.items():
        for link in re.findall(r'href="(?!data:|https?:|[$])([^"]+)"', text):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.is_file() or (anchor and f'id="{anchor}"' not in pages[target]):
                broken.append(f"{page.relative_to(reference)}: {link}")
    assert not broken

"""The documents name only what is there, and the site is built without a warning."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

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


def test_every_name_is_where_architecture_says() -> None:
    """Names that stand right before the path of their module or folder, as in: `build` in `symbolic/...`."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    pairs = re.findall(r"`(\w+)`,? (?:in|of|to|\()\s?\(?`(symbolic/[\w./]+)`", text)
    assert len(pairs) > 5
    missing = []
    for name, place in pairs:
        path = ROOT / place
        files = [path] if path.is_file() else path.rglob("*.py")
        made = re.compile(rf"^\s*(?:def |class )?{name}\b(?: =|: |\(|:)", re.MULTILINE)
        if not any(made.search(file.read_text(encoding="utf-8")) for file in files):
            missing.append(f"{name} in {place}")
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http:", "https:")):
            assert (document.parent / target.partition("#")[0]).exists(), target


SOURCES = ROOT / "src" / "leadline"
WITH_EXAMPLES = [
    path.relative_to(SOURCES.parent)
    for folder in (SOURCES, *(one for one in SOURCES.iterdir() if one.is_symlink()))
    for path in sorted(folder.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples_of_docstrings(path: Path) -> None:
    """Only the modules that have examples are loaded; pytest's own collector loads all, in each of its workers."""
    failed, tried = doctest.testmod(importlib.import_module(".".join(path.with_suffix("").parts)))
    assert tried and not failed


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site. Sphinx comes with the extra `docs`, and so with `test`."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        "docs",
        str(folder),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.mark.slow
def test_the_reference_has_every_public_name_of_the_language(site: Path) -> None:
    page = (site / "api" / "language.html").read_text(encoding="utf-8")
    missing = [name for name in lang.__all__ if f'id="leadline.symbolic.lang.{name}"' not in page]
    assert not missing


@pytest.mark.slow
def test_the_search_covers_the_guides(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert all(
        f'"{page}"' in index for page in ("tutorial/1-two-counters", "how-to/ci", "api/library", "store")
    )


@pytest.mark.slow
def test_the_links_of_the_site_lead_somewhere(site: Path) -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert len(pages) > 30
    broken = []
    for page, text in pages.items():
        for link in re.findall(r'(?:href|src)="(?!data:|https?:|[$])([^"]+)"', text):
            path, _, anchor = link.partition("?")[0].partition("#")
            anchor = link.partition("#")[2]
            target = (page.parent / unquote(path)).resolve() if path else page
            if not target.is_file() or (anchor and target in pages and f'id="{anchor}"' not in pages[target]):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken


@pytest.mark.slow
def test_a_page_of_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    loaded = re.compile(
        r'(?:<(?:script|img)[^>]* src|<link[^>]* href)="(?:https?:)?//|(?:url\(|@import )["\']?(?:https?:)?//'
    )
    assert not [path.name for path in files if loaded.search(path.read_text(encoding="utf-8"))]

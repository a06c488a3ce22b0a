"""Write the API reference, made by pdoc from the docstrings, with the guides of docs/ beside it.

Usage: python tools/reference.py FOLDER. A type that pdoc cannot resolve is a warning; under
`python -W error`, as in `make docs`, it ends the run.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pdoc
from pdoc.render_helpers import to_html

ROOT = Path(__file__).resolve().parent.parent

MODULES = (
    "leadline.symbolic.api",
    "leadline.symbolic.lang",
    "leadline.symbolic.catalog",
    "leadline.symbolic.engines",
    "leadline.symbolic.engines.engine",
    "leadline.symbolic.engines.query",
    "leadline.symbolic.solve",
)
"""The public modules: the library, the language, the catalog, and the interfaces of engines and solvers."""

HIDDEN = ("!leadline.symbolic.lang.temporal",)
"""Modules with the name of a function that the package around them exports."""

GUIDES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
)

PAGE = """{% extends "frame.html.jinja2" %}
{% block title %}{{ title }}{% endblock %}
{% block nav %}<a class="pdoc-button" href="{{ up }}index.html">Leadline</a>{% endblock %}
{% block content %}<main class="pdoc"><div class="docstring">{{ text | safe }}</div></main>{% endblock %}"""


def page_of(guide: str) -> str:
    """The path of a guide's page in the reference."""
    return guide.removesuffix(".md") + ".html"


def linked(html: str) -> str:
    """The text with its links to other guides led to their pages."""
    return re.sub(r'href="(?!https?:)([\w./-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', html)


def write_page(folder: Path, path: str, title: str, html: str) -> None:
    """Write one page in pdoc's frame."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    page = pdoc.render.env.from_string(PAGE).render(title=title, text=html, up="../" * path.count("/"))
    target.write_text(page, encoding="utf-8")


def contents() -> str:
    """The first page, in Markdown."""
    guides = [f"- [{guide.removesuffix('.md')}]({page_of(guide)})" for guide in GUIDES]
    modules = [f"- [{name}]({name.replace('.', '/')}.html)" for name in MODULES]
    return "\n".join(["# Leadline", "", "## Reference", "", *modules, "", "## Guides", "", *guides])


def main() -> None:
    """Write all pages into the folder that the command line names."""
    folder = Path(sys.argv[1])
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(*MODULES, *HIDDEN, output_directory=folder)
    for guide in GUIDES:
        text = (ROOT / guide).read_text(encoding="utf-8")
        write_page(folder, page_of(guide), guide, linked(to_html(text)))
    write_page(folder, "index.html", "Leadline", to_html(contents()))


if __name__ == "__main__":
    main()

"""Write the documentation as a site: the pages of docs/, and the API reference made by pdoc from the docstrings.

Usage: python tools/docs_site.py FOLDER. A type that pdoc cannot resolve is a warning; under
`python -W error`, as in `make docs`, it ends the run. Decision 12 says why pdoc makes both.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pdoc
from pdoc.render_helpers import to_html

ROOT = Path(__file__).resolve().parent.parent

MODULES = {
    "leadline.symbolic.api": "the library: what `import leadline` gives besides the language",
    "leadline.symbolic.lang": "the language: types, expressions, protocols, properties",
    "leadline.symbolic.catalog": "where protocols are found",
    "leadline.symbolic.engines": "questions, verdicts and limits",
    "leadline.symbolic.engines.engine": "the interface of an engine",
    "leadline.symbolic.engines.query": "the options of an engine",
    "leadline.symbolic.solve": "the interface of a solver",
}
"""The public modules, each with what it has."""

HIDDEN = ("!leadline.symbolic.lang.temporal",)
"""Modules with the name of a function that the package around them exports."""

SECTIONS = (
    ("Tutorial", "From two counters to a replicated log. Begin here.", ("docs/tutorial/*.md",)),
    (
        "How-to guides",
        "How to do one thing.",
        ("docs/how-to/first-grid.md", "docs/how-to/from-tla.md", "docs/how-to/*.md", "docs/clusters.md"),
    ),
    ("Reference", "What there is, in full.", ("docs/language.md", "docs/grid-files.md", "docs/*.md")),
    (
        "Explanation",
        "How it works, and why.",
        ("docs/explanation/steps-and-sweeps.md", "docs/explanation/*.md"),
    ),
    ("The project", "For those who work on Leadline.", ("*.md", "docs/decisions/*.md")),
)
"""Each with a line about it, and the patterns of its pages; a page is in the first section that names it."""

PAGE = """{% extends "frame.html.jinja2" %}
{% block title %}{{ title }}{% endblock %}
{% block style %}{{ super() }}<style>
nav.pdoc .section { margin: 1rem 0 .3rem; font-weight: 600 }
nav.pdoc a.here { font-weight: 600 }
main.pdoc .turn { display: flex; justify-content: space-between; margin-top: 3rem }
main.pdoc .docstring { max-width: 50rem }
main.pdoc .docstring .pdoc-code { margin: 0 }
main.pdoc .docstring :is(table, pre) { display: block; overflow-x: auto }
</style>{% endblock %}
{% block nav %}<a class="pdoc-button" href="{{ up }}index.html">Leadline</a>{{ nav | safe }}{% endblock %}
{% block content %}<main class="pdoc"><div class="docstring">{{ text | safe }}</div></main>{% endblock %}"""


def sections() -> Iterator[tuple[str, str, list[str]]]:
    """The sections: the name of each, the line about it, and its pages as paths from the root."""
    taken: set[str] = set()
    for name, about, patterns in SECTIONS:
        every = [path.relative_to(ROOT).as_posix() for one in patterns for path in sorted(ROOT.glob(one))]
        pages = [page for page in dict.fromkeys(every) if page not in taken]
        taken.update(pages)
        yield name, about, pages


def title_of(page: str) -> str:
    """The heading of a page."""
    return (ROOT / page).read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def html_of(page: str) -> str:
    """The path of a page in the site."""
    return page.removesuffix(".md") + ".html"


def linked(html: str) -> str:
    """The text with its links to other pages led to where these are in the site."""
    return re.sub(r'href="(?!https?:)([\w./-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', html)


def navigation(here: str, reach: str) -> str:
    """The links beside a page: all sections, where its own one is in full."""
    lines = []
    for name, _, pages in sections():
        shown = pages if here in pages or name in ("Tutorial", "How-to guides") else pages[:0]
        links = (f'href="{reach}{html_of(page)}"' + ' class="here"' * (page == here) for page in shown)
        inside = "".join(
            f"<li><a {link}>{escape(title_of(page))}</a></li>"
            for link, page in zip(links, shown, strict=True)
        )
        anchor = name.lower().replace(" ", "-")
        lines.append(
            f'<p class="section"><a href="{reach}index.html#{anchor}">{name}</a></p><ul>{inside}</ul>'
        )
    return "".join(lines)


def turn(here: str, reach: str) -> str:
    """The links to the page before and the page after, within a section."""
    pages = next(pages for _, _, pages in sections() if here in pages)
    place = pages.index(here)
    texts = ["<span></span>", "<span></span>"]
    for end, neighbour, text in ((0, place - 1, "&larr; {}"), (1, place + 1, "{} &rarr;")):
        if 0 <= neighbour < len(pages):
            page = pages[neighbour]
            texts[end] = f'<a href="{reach}{html_of(page)}">{text.format(escape(title_of(page)))}</a>'
    return f'<p class="turn">{"".join(texts)}</p>'


def write_page(folder: Path, path: str, title: str, html: str, nav: str) -> None:
    """Write one page in pdoc's frame."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    page = pdoc.render.env.from_string(PAGE).render(title=title, text=html, nav=nav, up=reach_from(path))
    target.write_text(page, encoding="utf-8")


def reach_from(path: str) -> str:
    """The way from a page to the top of the site."""
    return "../" * path.count("/")


def contents() -> str:
    """The first page, in Markdown."""
    lines = ["# Leadline", "", title_line(), ""]
    for section, about, pages in sections():
        lines += [
            f"## {section}",
            "",
            about,
            "",
            *(f"- [{title_of(page)}]({html_of(page)})" for page in pages),
        ]
        if section == "Reference":
            lines += [f"- [{name}]({name.replace('.', '/')}.html): {what}" for name, what in MODULES.items()]
        lines.append("")
    return "\n".join(lines)


def title_line() -> str:
    """The first paragraph of the README."""
    return (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[1]


def main() -> None:
    """Write all pages into the folder that the command line names."""
    folder = Path(sys.argv[1])
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(*MODULES, *HIDDEN, output_directory=folder)
    for _, _, pages in sections():
        for page in pages:
            html = linked(to_html((ROOT / page).read_text(encoding="utf-8")))
            reach = reach_from(page)
            write_page(
                folder, html_of(page), title_of(page), html + turn(page, reach), navigation(page, reach)
            )
    write_page(folder, "index.html", "Leadline", to_html(contents()), navigation("", ""))
    # Pages link to these as they are.
    for path in [ROOT / "LICENSE", *(ROOT / "docs").rglob("*.json"), *(ROOT / "docs").rglob("*.ipynb")]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


if __name__ == "__main__":
    main()

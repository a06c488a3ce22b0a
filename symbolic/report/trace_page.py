"""A run as one HTML page to walk through step by step, which loads nothing and opens from disk.

All texts are data. They reach the page as JSON in which `<` is escaped, and its script shows them as texts.
The page's policy lets only that script run, by its hash, and forbids the network.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from string import Template

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.report.assets import asset
from leadline.symbolic.trace import Trace
from leadline.symbolic.trace.page import Data, page_data


def trace_page(semantics: Semantics, trace: Trace, note: str = "", back: str = "", *, begin: str = "") -> str:
    """The page of a run.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        note: a sentence: how the run was checked.
        back: the address of the report that the page belongs to, relative to the page.
        begin: the first state's name, if it is no initial state.
    """
    return html_of(page_data(semantics, trace, begin), note, back)


def html_of(data: Data, note: str = "", back: str = "") -> str:
    """The page of these data, from `page_data` or `stored_page_data`."""
    protocol, finding = data["title"], data["finding"]
    style = asset("palette.css") + asset("trace.css")
    script = asset("trace.js") + asset("space_time.js")
    policy = (
        f"default-src 'none'; style-src {hash_of(style)}; script-src {hash_of(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    link = f'<a href="{escape(back, quote=True)}">Back to the report</a>' if back else ""
    return Template(asset("trace.html")).substitute(
        title=escape(f"{finding}: {protocol}"),
        policy=policy,
        style=style,
        script=script,
        finding=escape(finding),
        protocol=escape(protocol),
        note=escape(note),
        back=link,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def hash_of(text: str) -> str:
    """The source of a policy that allows a style sheet or a script of this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

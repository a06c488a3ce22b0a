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
from leadline.symbolic.grid.query import layers_text, point_text
from leadline.symbolic.report.assets import asset
from leadline.symbolic.report.trace_data import Data, run_data, stored_data
from leadline.symbolic.trace import Stored, Trace, headline
from leadline.symbolic.trace.trace import title


def trace_page(semantics: Semantics, trace: Trace, note: str = "", back: str = "", *, begin: str = "") -> str:
    """The page of a run.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        note: a sentence: how the run was checked.
        back: the address of the report that the page belongs to, relative to the page.
        begin: what the first state is, if it is no initial state.
    """
    protocol = title(semantics.model)
    finding = headline(semantics.model, trace).removeprefix(f"{protocol}: ")
    return _html(run_data(semantics, trace, begin), protocol, finding, note, back)


def stored_page(stored: Stored, note: str = "", back: str = "") -> str:
    """The page of a stored run without its model: values as in JSON, and no reasons and no lanes.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: if it is not a trace that Leadline wrote.
    """
    data, held = stored_data(stored), stored.data
    finding = f"{held['property'] or held['ends']}, {layers_text(len(data['steps']) - 1, 'steps')}"
    point = point_text(held["parameters"])
    return _html(data, f"{stored.protocol}{f' ({point})' if point else ''}", finding, note, back)


def _html(data: Data, protocol: str, finding: str, note: str, back: str) -> str:
    style = asset("palette.css") + asset("trace.css")
    script = asset("trace.js") + asset("space_time.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
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


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

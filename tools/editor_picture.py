"""Draw what the language server tells of a module: docs/pictures/editor.png. Needs Chromium.

    .venv/bin/python -m tools.editor_picture

The server is asked as an editor asks it, and every text in the picture is one of its answers.
"""

from __future__ import annotations

import html
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.serve.client import Client

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "editor.png"
MODULE = r"""---- MODULE Lock ----
EXTENDS Naturals, FiniteSets
CONSTANT Workers
VARIABLES holder, waiting  \* who has the lock, and who wants it

Init == holder = {} /\ waiting = {}

\* A worker asks for the lock.
Ask(w) == w \notin holder /\ waiting' = waiting \cup {w} /\ UNCHANGED holder

\* It takes the lock, though another one may have it.
Take(w) ==
  /\ w \in waiting
  /\ holder' = holder \cup {w}
  /\ waiting' = waiting \ {w}

Next == \E w \in Workers : Ask(w) \/ Take(w)

Exclusive == Cardinality(holder) <= 1
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANT Workers = {w1, w2}\nINVARIANT Exclusive\nCHECK_DEADLOCK FALSE\n"
STYLE = """
body { margin: 0; background: #fff; font: 15px/1.55 "DejaVu Sans Mono", monospace; color: #24292f }
main { padding: 18px 24px; width: 1080px; position: relative }
.line { white-space: pre } .no { color: #8c959f; display: inline-block; width: 2.2em }
.lens { color: #57606a; font-size: 12px; margin-left: 3em } .hint { color: #57606a; background: #eef1f4;
font-size: 12px; padding: 1px 6px; border-radius: 3px; margin-left: 1em }
.wrong { text-decoration: underline wavy #cf222e } .box { border: 1px solid #d0d7de; border-radius: 6px;
background: #f6f8fa; padding: 8px 12px; margin: 10px 0 0; white-space: pre-wrap; font-size: 13px }
.name { font-weight: bold }
"""


def answers(folder: Path) -> dict[str, Any]:
    """The server's answers about the module, after a check of its property."""
    (folder / "Lock.tla").write_text(MODULE)
    (folder / "Lock.cfg").write_text(CONFIG)
    client = Client()
    uri = client.open(folder / "Lock.tla")
    client.mistakes(uri, 1)
    client.wait(lambda one: "variables are known" in str(one))
    asked = {"textDocument": {"uri": uri}}
    lenses = client.ask("textDocument/codeLens", **asked)
    client.ask("workspace/executeCommand", **lenses[0]["command"])
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = {
        "mistakes": client.mistakes(uri, 1),
        "lenses": client.ask("textDocument/codeLens", **asked),
        "hints": client.ask("textDocument/inlayHint", **asked, range=whole),
        "hover": client.ask("textDocument/hover", **asked, position={"line": 13, "character": 6}),
    }
    client.end()
    return found


def page(found: dict[str, Any]) -> str:
    """The module with the answers at their places, and below it the hover and the counterexample."""
    lines = []
    for number, text in enumerate(MODULE.splitlines()):
        here = [one["command"]["title"] for one in found["lenses"] if one["range"]["start"]["line"] == number]
        lines += [f'<div class="lens">{html.escape(" | ".join(here))}</div>'] if here else []
        shown = html.escape(text)
        for one in found["mistakes"]:
            start, end = one["range"]["start"], one["range"]["end"]
            if start["line"] == number:
                parts = (
                    text[: start["character"]],
                    text[start["character"] : end["character"]],
                    text[end["character"] :],
                )
                before, name, after = map(html.escape, parts)
                shown = f'{before}<span class="wrong">{name}</span>{after}'
        hints = [one["label"] for one in found["hints"] if one["position"]["line"] == number]
        behind = "".join(f'<span class="hint">{html.escape(one)}</span>' for one in hints)
        lines.append(f'<div class="line"><span class="no">{number + 1}</span> {shown}{behind}</div>')
    (mistake,) = found["mistakes"]
    steps = "\n".join(one["message"].replace("\n", "   ") for one in mistake["relatedInformation"])
    boxes = [("Hover over holder", found["hover"]["contents"]["value"]), (mistake["message"], steps)]
    below = [
        f'<div class="box"><span class="name">{html.escape(name)}</span>\n{html.escape(text)}</div>'
        for name, text in boxes
    ]
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><main>{''.join(lines + below)}</main>"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder, "editor.html")
        drawn.write_text(page(answers(Path(folder))), encoding="utf-8")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1128,920",
        ]
        command = ["chromium", *options, f"--screenshot={PICTURE}", drawn.as_uri()]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()

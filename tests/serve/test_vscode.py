"""The extension for VS Code agrees with the server. Its own tests, `npm test`, start both."""

import json
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent.parent / "editors" / "vscode"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="an sdist is without the extension")


def test_the_settings_are_those_of_the_server() -> None:
    lsp = pytest.importorskip(
        "leadline.symbolic.serve.lsp", reason="the extra leadline[lsp] is not installed"
    )
    about = json.loads((FOLDER / "package.json").read_text())
    declared = about["contributes"]["configuration"]["properties"]
    own = {f"leadline.{one.name}": one.default for one in fields(lsp.Settings) if one.name != "path"}
    assert {name: declared[name]["default"] for name in own} == own
    assert declared.keys() - own.keys() == {"leadline.command", "leadline.python", "leadline.path"}
    page = (FOLDER.parent.parent / "docs" / "how-to" / "editor.md").read_text()
    assert declared.keys() <= set(re.findall(r"`(leadline\.\w+)`", page))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_extension_is_javascript() -> None:
    for name in ("extension.js", "test/extension.test.js"):
        subprocess.run(["node", "--check", name], cwd=FOLDER, check=True)

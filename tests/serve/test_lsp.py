"""The language server, asked by its protocol."""

import subprocess
import sys
from pathlib import Path

from tests.serve.client import Client

HALF = "---- MODULE Half ----\nVARIABLE x\nInit == x =\nNext == x' = x\n====\n"

WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pygls", "lsprotocol"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from leadline.__main__ import main
sys.argv = ["leadline", "lsp"]
sys.exit(main())
"""


def test_without_its_packages_the_command_says_how_to_install_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'leadline[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_is_told_as_one_types(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "Half.tla", HALF)
    (mistake,) = client.mistakes(uri, 1)
    assert mistake["range"]["start"]["line"] == 3
    assert "unfinished" in mistake["message"]
    client.change(uri, 2, HALF.replace("x =\n", "x = 0\n"))
    assert client.mistakes(uri, 2) == []

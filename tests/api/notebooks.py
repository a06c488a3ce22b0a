"""The notebooks of the documentation, and how they are run."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


RUN = """
import sys, nbformat
from nbclient import NotebookClient
from pathlib import Path
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=600, kernel_name="python3").execute(cwd=".")
nbformat.write(book, sys.argv[2])
"""

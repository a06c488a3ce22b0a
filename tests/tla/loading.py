"""Specifications from text."""

from __future__ import annotations

import textwrap
from pathlib import Path

from leadline.symbolic.tla.read.config import parse_config
from leadline.symbolic.tla.read.specification import Specification, load


def write(folder: Path, **modules: str) -> Path:
    """Write modules into a folder; the names are those of the modules. The first one's file is returned."""
    for name, body in modules.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{textwrap.dedent(body)}\n====\n")
    return folder / f"{next(iter(modules))}.tla"


def specification(folder: Path, body: str, config: str = "", **modules: str) -> Specification:
    """The specification of a module M with this body."""
    return load(write(folder, M=body, **modules), parse_config(config, "M.cfg"))

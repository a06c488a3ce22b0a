"""Whether there is a Java for Spark to run on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from leadline.symbolic.lang import UserError


def require_java() -> None:
    """Look for Java as Spark does.

    Raises:
        UserError: if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(Path(home, "bin", "java"), os.X_OK):
        raise UserError(
            f"grids need Java 17 or newer, but JAVA_HOME is {home}, which has no bin/java: set it to one "
            "that has, or unset it after apt-get install default-jre-headless"
        )
    if not home and shutil.which("java") is None:
        raise UserError(
            "grids need Java 17 or newer: apt-get install default-jre-headless (or set JAVA_HOME)"
        )

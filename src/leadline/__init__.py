"""Leadline: SMT-based bounded model checking of distributed protocols."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("leadline")
except PackageNotFoundError:  # a source tree on the path that was never installed
    __version__ = "0+uninstalled"

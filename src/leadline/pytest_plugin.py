"""The pytest plugin: tests made by `leadline.verify`, and with `--leadline` the properties in Python files.

A test suite that has neither loads nothing more of Leadline than this file.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from leadline.symbolic.api.verification import Verification

_MARK = "__leadline_verification__"
_IMPORT = re.compile(rb"^\s*(?:from|import)\s+leadline\b", re.MULTILINE)
_PROPERTY = re.compile(rb"^@(?:\w+\.)?(?:invariant|probe)\(", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("leadline", "checks of protocols by Leadline")
    group.addoption(
        "--leadline",
        action="store_true",
        help="check the properties that Python files state, except those in test files",
    )
    group.addoption(
        "--leadline-depth",
        type=int,
        metavar="K",
        help="search K steps (default: until each property is proved or violated)",
    )
    group.addoption(
        "--leadline-timeout",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds for each property; an unknown one is an error (default: 60)",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ProtocolFile | None:
    """Collect a file that states properties."""
    config = parent.config
    if not config.getoption("leadline") or file_path.suffix != ".py":
        return None
    if file_path.name == "conftest.py" or any(map(file_path.match, config.getini("python_files"))):
        return None
    text = file_path.read_bytes()
    if not (_IMPORT.search(text) and _PROPERTY.search(text)):
        return None
    made: ProtocolFile = ProtocolFile.from_parent(parent, path=file_path)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Have a test's check answered: what goes wrong here is an error of the test, and no failure."""
    verification: Verification | None = getattr(getattr(item, "obj", None), _MARK, None)
    if verification is not None:
        _answer(verification)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Show a counterexample without the way to it through Leadline's own code."""
    if not hasattr(getattr(item, "obj", None), _MARK):
        return (yield)
    from leadline.symbolic.api.verification import Violated

    try:
        return (yield)
    except Violated as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _answer(verification: Verification) -> None:
    from leadline.symbolic.lang import InternalError, LeadlineError

    try:
        _ = verification.results
    except InternalError:
        raise
    except LeadlineError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


class ProtocolFile(pytest.File):
    """A Python file whose protocols are checked, at their default parameters."""

    def collect(self) -> Iterator[PropertyItem]:
        """A test for each property of each protocol."""
        # Here, since other test suites need none of it.
        from leadline.symbolic.api.protocols import LoadedProtocol
        from leadline.symbolic.api.verification import Verification
        from leadline.symbolic.catalog import load_file

        config = self.config
        asked = {"timeout": config.getoption("leadline_timeout"), "depth": config.getoption("leadline_depth")}
        given = {name: value for name, value in asked.items() if value is not None}
        for entry in load_file(self.path):
            protocol = LoadedProtocol(entry, {})
            lines = {claim.name: claim.span.line for claim in entry.claims}
            for name in protocol.model.claimed:
                verification = Verification(protocol, {"properties": [name], **given})
                title = f"{entry.protocol.__name__}::{name}"
                yield PropertyItem.from_parent(self, name=title, verification=verification, line=lines[name])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The mistakes in the file, without a traceback."""
        from leadline.symbolic.lang import UserError

        mistaken = isinstance(excinfo.value, UserError)
        return str(excinfo.value) if mistaken else super().repr_failure(excinfo)


class PropertyItem(pytest.Item):
    """A property of a protocol, as a test."""

    def __init__(self, *, verification: Verification, line: int, **more: Any) -> None:
        super().__init__(**more)
        self.verification = verification
        self.line = line

    def setup(self) -> None:
        """Have the property checked."""
        _answer(self.verification)

    def runtest(self) -> None:
        """Fail with the counterexample if the property does not hold."""
        from leadline.symbolic.api.verification import Violated

        try:
            self.verification.judge()
        except Violated as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None

    def reportinfo(self) -> tuple[Path, int, str]:
        """The line on which the property is written."""
        return self.path, self.line - 1, self.name

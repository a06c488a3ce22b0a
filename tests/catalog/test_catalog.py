"""Protocols are found by name, through entry points and in files; their mistakes are told with the place."""

import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.symbolic.catalog import GROUP, complaints, entries, find, load_file, model_of
from leadline.symbolic.lang import AssumptionFailed, Claim, ModelError, ParameterError, UserError

PROTOCOL = """\
from leadline.symbolic.lang import Int, Protocol, action, invariant, parameter

class Base(Protocol):
    pass

class _Hidden(Protocol):
    def define(self, state):
        state.x = Int(0, 1)

class MyCounter(Base):
    '''Counts.'''

    top: int = parameter(3, at_least=1, doc="where counting ends")

    def assume(self):
        yield self.top != 5, "top is not 5"

    def define(self, state):
        state.count = Int(0, self.top)

    def init(self, start):
        start.count = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.count < self.top)
        nxt.count = now.count + 1

@invariant(MyCounter)
def small(protocol, now):
    return now.count < 2
"""


Write = Callable[..., Path]
Offer = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_built_in_protocols_have_their_properties() -> None:
    found = entries()
    assert list(found) == sorted(found)
    assert found, "leadline.encodings defines protocols"
    for name, entry in found.items():
        assert (entry.name, entry.source) == (name, name)
        assert entry.claims, f"leadline.properties states nothing of {name}"
        assert find(name) == entry
        assert model_of(entry, {}).protocol == name


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(
        UserError, match="there is no protocol `two-phase-comit`: did you mean `two-phase-commit`"
    ):
        find("two-phase-comit")
    with pytest.raises(UserError, match=r"there is no protocol `zzz`: there are .*two-phase-commit"):
        find("zzz")


def test_a_file_of_the_users(write: Write) -> None:
    path = write(PROTOCOL)
    entry = find(str(path))
    assert (entry.name, entry.source, entry.doc) == ("my-counter", str(path), "Counts.")
    assert [claim.name for claim in entry.claims] == ["small"]
    assert find(f"{path}:MyCounter").name == find(f"{path}:my-counter").name == "my-counter"
    assert model_of(entry, {"top": 4}).parameters == {"top": 4}
    with pytest.raises(ParameterError, match="top must be >= 1, and is 0"):
        model_of(entry, {"top": 0})
    with pytest.raises(AssumptionFailed, match="top is not 5"):
        model_of(entry, {"top": 5})


def test_a_file_is_read_anew_and_hides_no_module(write: Write) -> None:
    path = write(PROTOCOL, "json.py")
    assert find(str(path)).name == "my-counter"
    path.write_text(PROTOCOL.replace("MyCounter", "Other"))
    assert find(str(path)).name == "other"
    assert sys.modules["json"].__file__ != str(path)


def test_a_file_may_import_the_file_beside_it(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    write("TOP = 3\n", "beside_of_test_catalog.py")
    path = write("from beside_of_test_catalog import TOP\n" + PROTOCOL.replace("(3, at", "(TOP, at"))
    assert find(str(path)).protocol.parameters["top"].default == 3


def test_a_file_may_state_properties_of_an_imported_protocol(write: Write) -> None:
    path = write(
        "from leadline.encodings.two_phase_commit import TwoPhaseCommit\n"
        "from leadline.symbolic.lang import invariant\n"
        "@invariant(TwoPhaseCommit)\n"
        "def mine(protocol, now):\n"
        "    return True\n"
    )
    entry = find(str(path))
    assert entry.name == "two-phase-commit"
    assert [claim.name for claim in entry.claims] == ["mine"]


def test_several_protocols_in_a_file(write: Write) -> None:
    path = write(PROTOCOL + "\nclass Second(MyCounter):\n    pass\n")
    assert [entry.source for entry in load_file(path)] == [f"{path}:MyCounter", f"{path}:Second"]
    assert [claim.name for claim in find(f"{path}:Second").claims] == ["small"]
    with pytest.raises(UserError, match=rf"holds 2 protocols: name one of {path}:MyCounter, {path}:Second"):
        find(str(path))
    with pytest.raises(UserError, match="has no protocol `Secnd`: did you mean `Second`"):
        find(f"{path}:Secnd")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1\n", r"mine\.py holds no protocol: define a subclass"),
        ("\n\ndef f(:\n", r"mine\.py:3: Python says: SyntaxError: "),
        ("import os\nx = 1 / 0\n", r"mine\.py:2: Python says: ZeroDivisionError: division by zero"),
        ("import no_such_module\n", r"mine\.py:1: Python says: ModuleNotFoundError: No module named"),
        ("\nraise SystemExit(3)\n", r"mine\.py:2: loading the file ends the program"),
        ("x = '\0'\n", r"mine\.py.*: Python says: "),
        (
            PROTOCOL + "\nclass Other(MyCounter):\n    protocol_name = 'my-counter'\n",
            "holds two protocols named my-c",
        ),
    ],
)
def test_a_file_that_is_no_protocol(text: str, complaint: str, write: Write) -> None:
    with pytest.raises(UserError, match=complaint):
        find(str(write(text)))


def test_a_path_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.py cannot be read: No such file"):
        find(str(tmp_path / "nowhere.py"))
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(UserError, match=r"folder\.py is a folder"):
        find(str(tmp_path / "folder.py"))
    with pytest.raises(
        UserError, match="is not a Python file: a protocol of your own is in a file that ends in"
    ):
        find(str(tmp_path))
    with pytest.raises(UserError, match=r"is a configuration: name the module.* --config M\.cfg"):
        find("M.cfg")


def test_two_properties_of_one_name_are_refused(write: Write) -> None:
    again = "\nfirst = small\n@invariant(Base)\ndef small(protocol, now):\n    return now.count < 3\n"
    with pytest.raises(
        UserError, match=r"my-counter has two properties named small: .*:29 and .*:34; rename one"
    ):
        find(str(write(PROTOCOL + again)))


def test_a_mistake_in_assume_is_a_mistake_of_the_model(write: Write) -> None:
    entry = find(str(write(PROTOCOL.replace("self.top != 5", "self.bottom != 5"))))
    with pytest.raises(ModelError, match=r"mine\.py:16: Python says: AttributeError: .*bottom"):
        model_of(entry, {})


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Offer:
    """Install a package that offers a module with this text under the entry-point group."""
    points: list[importlib.metadata.EntryPoint] = []
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == GROUP else [])

    def offered(module: str, text: str) -> None:
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        points.append(importlib.metadata.EntryPoint(module, module, GROUP))

    return offered


def test_an_entry_point_offers_protocols(offer: Offer) -> None:
    offer("offered_counter", PROTOCOL)
    assert complaints() == ()
    entry = find("my-counter")
    assert entries()["my-counter"] == entry
    assert [type(claim) for claim in entry.claims] == [Claim]


def test_a_broken_entry_point_breaks_nothing_else(offer: Offer) -> None:
    offer("offered_broken", "import no_such_module\n")
    offer("offered_empty", "x = 1\n")
    offer("offered_double", PROTOCOL.replace("MyCounter", "TwoPhaseCommit"))
    assert "two-phase-commit" in entries()
    broken, empty, double = complaints()
    assert broken.startswith(
        "the entry point offered_broken = offered_broken of a package cannot be loaded: Python"
    )
    assert empty.endswith("holds no protocol")
    assert double.endswith("offers a second protocol named two-phase-commit: it is left out")
    assert entries()["two-phase-commit"].protocol.__module__.startswith("leadline.encodings")
    with pytest.raises(UserError, match=r"there is no protocol `offered`.*\n.*cannot be loaded"):
        find("offered")


def test_an_edit_within_size_and_time_stamp_of_a_file_beside_it_is_seen(write: Write) -> None:
    helper = write("TOP = 3\n", "helper_of_stale_bytecode.py")
    path = write("from helper_of_stale_bytecode import TOP\n" + PROTOCOL.replace("(3, at", "(TOP, at"))
    stamp = helper.stat().st_mtime_ns
    text = "import sys; from leadline.symbolic.catalog import find; found = find(sys.argv[1]).protocol; "
    text += "print([one.default for one in found.parameters.values()])"
    writing = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    told = []
    for value in (3, 4):
        helper.write_text(f"TOP = {value}\n")
        os.utime(helper, ns=(stamp, stamp))
        ran = subprocess.run(
            [sys.executable, "-c", text, str(path)], capture_output=True, text=True, check=True, env=writing
        )
        told.append(ran.stdout)
    assert "3" in told[0] and "4" in told[1]

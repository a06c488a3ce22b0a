"""A property or an action that a file marks and that no protocol would have is told; nothing else is."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.symbolic.catalog import GROUP, complaints, entries, find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.cli.terminal import Exit
from leadline.symbolic.lang import ModelError

pytestmark = pytest.mark.usefixtures("tried_here")

BEFORE = """\
from leadline.symbolic.lang import *

class A(Protocol):
    def define(self, state):
        state.x = Int(0, 3)

    def init(self, start):
        start.x = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.x < 3)
        nxt.x = now.x + 1

"""
FORMULA = "def one(p, now):\n    return now.x < 2\n"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.setattr(sys, "path", list(sys.path))

    def written(text: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def check(path: Path, *told: str) -> None:
    """Check that a search for the file's protocol reports exactly this; `{a}` is the line that ends in `#a`."""
    places = {
        line.rpartition("#")[2].strip(): f"{path}:{number}"
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if "#" in line
    }
    with pytest.raises(ModelError) as caught:
        find(str(path))
    assert [str(one) for one in caught.value.mistakes] == [text.format(**places) for text in told]


LOST = {
    "written without a class": (
        "@invariant  #a\n" + FORMULA,
        "{a}: invariant needs the protocol: write @invariant(YourProtocol) above one",
    ),
    "of a class that is no protocol": (
        "@probe(int)  #a\n" + FORMULA,
        "{a}: the class int is no protocol: write @probe(YourProtocol)",
    ),
    "of an instance": (
        "@invariant(A())  #a\n" + FORMULA,
        "{a}: an instance of A is given in place of its class: write @invariant(YourProtocol)",
    ),
    "of a string": (
        "@strengthening('A')  #a\n" + FORMULA,
        "{a}: 'A' is no class of a protocol: write @strengthening(YourProtocol)",
    ),
    "of two kinds": (
        "@probe(A)  #a\n@invariant(A)\n" + FORMULA,
        "{a}: @probe is written above the property one: decorate one function once; for several protocols "
        "give them all, as in @invariant((A, B))",
    ),
    "hidden by another of its name": (
        "@invariant(A)  #a\n" + FORMULA + "@probe(A)  #b\n" + FORMULA,
        "{a}: the property one is lost: `one` is written again, at {b}; rename one",
    ),
    "hidden by a value": (
        "@invariant(A)  #a\n" + FORMULA + "one = 1\n",
        "{a}: the property one is lost: `one` is written again; rename one",
    ),
    "hidden by a decorator": (
        "@lambda claim: lambda p, now: True  #a\n@invariant(A)\n" + FORMULA,
        "{a}: the property one is lost: a decorator above @invariant hides it: write @invariant above all "
        "others",
    ),
    "made in a loop": (
        "for bound in (1, 2):\n    @invariant(A)  #a\n    def one(p, now):\n        return now.x < 2\n",
        "{a}: the property one is lost: `one` is written again, at {a}; rename one",
    ),
    "in a class": (
        "class Properties:\n    @invariant(A)  #a\n    def one(p, now):\n        return now.x < 2\n",
        "{a}: the property one is lost: it stands in a class: write it outside",
    ),
    "made in a function": (
        "def made():\n    @invariant(A)  #a\n    def one(p, now):\n        return now.x < 2\nmade()\n",
        "{a}: the property one is lost: it is kept under no name of the module: assign it to one",
    ),
    "kept in a list": (
        FORMULA.replace("def one(p, now):", "def one(p, now):  #a") + "ALL = [invariant(A)(one)]\n",
        "{a}: the property one is lost: it is kept under no name of the module: assign it to one",
    ),
    "of a protocol that the file does not offer": (
        "class _Hidden(A):\n    pass\n@invariant(_Hidden)  #a\n" + FORMULA,
        "{a}: the property one is of no protocol that is offered here (A): write the decorator with one "
        "of them, or with a base class of one",
    ),
    "an action of the module": (
        "@action  #a\ndef down(self, now, nxt):\n    nxt.x = 0\n",
        "{a}: the action down is in no protocol: write it as a method of a protocol's class, "
        "under a name of its own",
    ),
    "an action of a class that is no protocol": (
        "class B:\n    @action  #a\n    def down(self, now, nxt):\n        nxt.x = 0\n",
        "{a}: the action down is in no protocol: write it as a method of a protocol's class, "
        "under a name of its own",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_lost(name: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    body, told = LOST[name]
    path = write(BEFORE + body)
    check(path, told)
    assert main(["check", str(path), "--depth", "1"]) == Exit.MODEL_MISTAKES
    assert "the model has 1 mistake" in capsys.readouterr().err


def test_all_is_told_at_once_with_the_mistakes_of_the_model(write: Write) -> None:
    bad = (
        "@invariant\n"
        + FORMULA
        + "@invariant(A)\ndef two(p, now):\n    return now.y\n@action\ndef three(): 0\n"
    )
    with pytest.raises(ModelError) as caught:
        find(str(write(BEFORE + bad)))
    told = [one.text for one in caught.value.mistakes]
    assert told[0].startswith("invariant needs the protocol")
    assert told[1].startswith("there is no variable `y`")
    assert told[2].startswith("the action three is in no protocol")


GOOD = {
    "of a base class": "@invariant(A)\n" + FORMULA + "class B(A):\n    pass\n",
    "of several protocols": "class B(Protocol):\n    pass\n@invariant((B, A))\n" + FORMULA,
    "under another name": "@invariant(A)\n" + FORMULA + "other = one\ndel one\n",
    "made by a function and assigned": "def made():\n    @invariant(A)\n    def one(p, now):\n"
    "        return now.x < 2\n    return made and one\nkept = made()\n",
    "a lambda": "kept = invariant(A)(lambda p, now: now.x < 2)\n",
    "one of the same code": "from dataclasses import replace\n@invariant(A)\n"
    + FORMULA
    + "one = replace(one, doc='again')\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_not_lost(name: str, write: Write) -> None:
    source = f"{write(BEFORE + GOOD[name])}:A"
    for _ in range(2):  # a file may be read again
        assert len(find(source).claims) == 1


def test_a_property_that_is_deleted_is_meant_to_be(write: Write) -> None:
    assert find(str(write(BEFORE + "@invariant(A)\n" + FORMULA + "del one\n"))).claims == ()


def test_actions_from_elsewhere(write: Write) -> None:
    body = (
        "class Mixin:\n    @action\n    def down(self, now, nxt):\n        nxt.x = 0\n"
        "@action\ndef left(self, now, nxt):\n    nxt.x = 1\n"
        "class B(Mixin, A):\n    sideways = left\n"
    )
    model = model_of(find(f"{write(BEFORE + body)}:B"), {})
    assert [one.name for one in model.actions] == ["up", "down", "left"]


def test_actions_lost_in_an_imported_class_that_is_no_protocol(write: Write) -> None:
    down = "    @action\n    def down(self, now, nxt):\n        nxt.x = 0\n"
    hidden = write(BEFORE + "class Mixin:\n" + down + down, "mixin_of_test_lost.py")
    body = "from mixin_of_test_lost import A, Mixin\nclass B(Mixin, A):\n    pass\n"
    with pytest.raises(ModelError) as caught:
        model_of(find(str(write(body))), {})
    line = BEFORE.count("\n") + 2
    assert [str(one) for one in caught.value.mistakes] == [
        f"{hidden}:{line}: the action down is lost: `down` is written again in the same class, "
        f"at {hidden}:{line + 3}; rename one"
    ]


def test_a_property_that_is_lost_in_an_imported_file(write: Write) -> None:
    hidden = write(BEFORE + "@invariant(A)\n" + FORMULA + "@invariant(A)\n" + FORMULA, "file_of_test_lost.py")
    path = write("from file_of_test_lost import *\n")
    with pytest.raises(ModelError) as caught:
        find(str(path))
    first = BEFORE.count("\n") + 1
    assert [str(one) for one in caught.value.mistakes] == [
        f"{hidden}:{first}: the property one is lost: `one` is written again, at {hidden}:{first + 3}; "
        "rename one"
    ]


def test_properties_of_an_imported_file_that_are_not_imported_are_left_out(write: Write) -> None:
    write(BEFORE + "@invariant(A)\n" + FORMULA, "other_of_test_lost.py")
    assert find(str(write("from other_of_test_lost import A\n"))).claims == ()


def test_a_package_that_loses_a_property_is_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "offers_lost": BEFORE + "@invariant\n" + FORMULA,
        "offers_end": "raise SystemExit(0)\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [importlib.metadata.EntryPoint(name, name, GROUP) for name in texts]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == GROUP else [])
    lost, end = complaints()
    assert "invariant needs the protocol: write @invariant(YourProtocol) above one" in lost
    assert end.endswith(
        "cannot be loaded: this ends the program, and a model may not: leave out exit() and SystemExit"
    )
    assert "a" not in entries()


@pytest.mark.parametrize("end", ["exit(0)", "raise SystemExit"])
def test_assumptions_do_not_end_the_program(end: str, write: Write) -> None:
    path = write(BEFORE + "class B(A):\n    def assume(self):\n        " + end + "\n")
    with pytest.raises(ModelError, match=r"mine\.py:17: this ends the program"):
        model_of(find(f"{path}:B"), {})


@pytest.mark.parametrize("number", ["999999999", "99999999999999999999999"])
@pytest.mark.parametrize(
    ("command", "protocol", "name"),
    [
        ("show", "two-phase-commit", "resource_managers"),
        ("explore", "two-phase-commit", "resource_managers"),
        ("check", "spanner-leases", "tt_max_si"),
        ("show", "pulsar-compaction", "keys"),
        ("show", "kafka-replication", "log_size"),
    ],
)
def test_parameters_that_make_types_too_large(
    command: str, protocol: str, name: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, protocol, "-p", f"{name}={number}"]) == Exit.MODEL_MISTAKES
    told = capsys.readouterr().err
    assert "100,000" in told and "give smaller parameters" in told and "/encodings/" in told

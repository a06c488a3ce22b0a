"""Protocols that are classes of this process only: other processes get them by value."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline import Int, ModelError, Protocol, UserError, action, invariant
from leadline.symbolic.catalog import find, model_of, packed
from leadline.symbolic.engines import BmcOptions, Limits, Query, answer_in_child

CELL = """\
from leadline import Int, Protocol, action, invariant

TOP = 3

class Counter(Protocol):
    def define(self, state):
        state.count = Int(0, TOP)

    def init(self, start):
        start.count = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.count < TOP)
        nxt.count = now.count + 1
"""
ANOTHER = """
    @action
    def down(self, now, nxt):
        nxt.require(now.count > 0)
        nxt.count = now.count - 1
"""
MIXIN = """\
TOP = 3

class Mixin:
    @action
    def stay(self, now, nxt):
        pass

    @action
    def reset(self, now, nxt):
        nxt.count = 0
"""
CLAIM = """\
@invariant(Counter)
def small(protocol, now):
    return now.count < TOP
"""


def in_child(protocol: type[Protocol], *claims: Any, depth: int = 4) -> leadline.VerdictName:
    """The verdict about the only property, from another process."""
    (found,) = leadline.check(
        protocol, properties=claims or None, depth=depth, solver="cadical", timeout=60
    ).values()
    return found.verdict


def ran(*cells: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names after these cells of a notebook have run."""
    space = names if names is not None else {"__name__": "cells"}
    for text in cells:
        exec(text, space)
    return space


def test_a_class_made_by_exec() -> None:
    assert in_child(ran(CELL, CLAIM)["Counter"]) == "violated"
    assert in_child(ran(CELL, CLAIM, names={})["Counter"]) == "violated"  # no __name__: a class of `builtins`


def test_the_order_of_actions_goes_along() -> None:
    """Pickled, a class has its members in alphabetical order; the model is that of the order written."""
    mixed = CELL.replace("class Counter(Protocol)", "class Counter(Mixin, Protocol)").replace(
        "TOP = 3", MIXIN
    )
    for cell in (CELL + ANOTHER, mixed, mixed + ANOTHER):
        assert in_child(ran(cell, CLAIM)["Counter"]) == "violated"


def test_a_class_with_what_surrounds_it() -> None:
    """A class in a function: its bases, closures and modules go along."""
    top = 2

    class Base(Protocol):
        def define(self, state: Any) -> None:
            state.count = Int(0, top)

        def init(self, start: Any) -> None:
            start.count = 0

    class Local(Base):
        @action
        def up(self, now: Any, nxt: Any) -> None:
            nxt.count = now.count + half(2)

    @invariant(Local)
    def small(protocol: Any, now: Any) -> Any:
        return now.count <= top

    assert in_child(Local, small, depth=2) == "safe"
    assert in_child(Local, small, depth=3) == "out-of-bounds"


def half(number: int) -> int:
    return number // 2


def test_a_module_of_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_of_by_value.py").write_text("def top():\n    return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    cell = CELL.replace("TOP = 3", "import beside_of_by_value\nTOP = 3").replace(
        "Int(0, TOP)", "Int(0, beside_of_by_value.top())"
    )
    assert in_child(ran(cell, CLAIM)["Counter"]) == "violated"


def test_a_property_of_ones_own_about_a_built_in_protocol() -> None:
    from leadline.encodings.two_phase_commit import TwoPhaseCommit

    @invariant(TwoPhaseCommit)
    def mine(protocol: Any, now: Any) -> Any:
        return now.rm_state[1] != "prepared"

    assert in_child(TwoPhaseCommit, mine, depth=6) == "violated"
    assert leadline.load(TwoPhaseCommit).entry.source == "two-phase-commit"


def test_a_model_that_is_another_one_elsewhere() -> None:
    cell = CELL.replace("TOP = 3", "import os").replace("TOP", "os.getpid()")
    found = leadline.load(ran(cell, CLAIM.replace("TOP", "os.getpid()"))["Counter"])
    query = Query(found.entry.source, {}, None, BmcOptions(1), "cadical")
    with pytest.raises(ModelError, match="makes another model each time that it is loaded"):
        answer_in_child(found.model, query, Limits(60))


def test_what_cannot_be_sent_is_told() -> None:
    cell = CELL.replace("state.count", "assert LOCK\n        state.count")
    counter = ran(cell, CLAIM, names={"__name__": "cells", "LOCK": threading.Lock()})["Counter"]
    with pytest.raises(
        UserError, match=r"the class Counter cannot be sent to another process: .*lock.*; leave"
    ):
        in_child(counter)
    assert leadline.explore(counter)["small"].verdict == "violated", "this process needs nothing sent"


def test_a_property_of_an_earlier_class_is_told() -> None:
    space = ran(CELL, CLAIM)
    old = space["Counter"]
    ran(CELL, names=space)
    assert space["Counter"] is not old
    with pytest.raises(ModelError, match=r"the property small has no effect: .* defined anew: run it again"):
        leadline.load(space["Counter"])
    ran(CLAIM, names=space)
    assert leadline.load(space["Counter"]).properties == ("small",)


def test_a_cell_that_failed_before_loses_no_action() -> None:
    broken = f"{CELL}\n    1 / 0\n"
    space = ran("")
    with pytest.raises(ZeroDivisionError):
        ran(broken, names=space)
    ran(CELL, CLAIM, names=space)
    assert leadline.explore(space["Counter"]).facts["states"] == 4


def test_one_source_for_one_class() -> None:
    space = ran(CELL, CLAIM)
    first, second = (leadline.load(space["Counter"]).entry for _ in range(2))
    assert first is second
    assert find(first.source) is first
    assert model_of(first, {}).protocol == "counter"
    assert packed("two-phase-commit") is None

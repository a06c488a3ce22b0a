"""Actions, branches, paths and variants in the model."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.symbolic.lang import (
    Action,
    AssumptionFailed,
    Bool,
    Int,
    Model,
    PropertyKind,
    Protocol,
    action,
    build,
    invariant,
    nodes as n,
    parameter,
    probe,
    sort,
)
from leadline.symbolic.notation.expressions import to_tla
from tests.lang.sample import in_action, in_init, model


def action_of(body: str, arguments: str = "") -> Action:
    return model(in_action(body, arguments)).actions[0]


def updates(body: str) -> dict[str, str]:
    return {name: to_tla(node) for name, node in action_of(body).updates}


def guards(body: str) -> list[str]:
    return [to_tla(item) for item in action_of(body).body if isinstance(item, n.Node)]


UPDATES = {
    "whole variables, in the order of the model": (
        "nxt.mode = 'busy'\nnxt.count = now.count",
        {"count": "count", "mode": '"busy"'},
    ),
    "nothing": ("pass", {}),
    "when": (
        "with nxt.when(now.pair[0]):\n    nxt.count = 1",
        {"count": "IF pair[1] THEN 1 ELSE count"},
    ),
    "when and otherwise": (
        "with nxt.when(now.pair[0]):\n    nxt.count = 1\nwith nxt.otherwise():\n    nxt.count = 2",
        {"count": "IF pair[1] THEN 1 ELSE 2"},
    ),
    "only otherwise assigns": (
        "with nxt.when(now.pair[0]):\n    nxt.mode = 'busy'\nwith nxt.otherwise():\n    nxt.count = 2",
        {"count": "IF pair[1] THEN count ELSE 2", "mode": 'IF pair[1] THEN "busy" ELSE mode'},
    ),
    "elsewhen": (
        "with nxt.when(now.count == 1):\n    nxt.count = 1\n"
        "with nxt.elsewhen(now.count == 2):\n    nxt.mode = 'busy'\n"
        "with nxt.elsewhen(now.count == 3):\n    nxt.count = 3\n"
        "with nxt.otherwise():\n    nxt.count = 0",
        {
            "count": "IF count = 1 THEN 1 ELSE IF count = 2 THEN count ELSE IF count = 3 THEN 3 ELSE 0",
            "mode": 'IF count = 1 THEN mode ELSE IF count = 2 THEN "busy" ELSE mode',
        },
    ),
    "nested branches": (
        "with nxt.when(now.pair[0]):\n"
        "    with nxt.when(now.count == 1):\n        nxt.count = 2\n"
        "    with nxt.otherwise():\n        nxt.count = 3\n",
        {"count": "IF pair[1] THEN (IF count = 1 THEN 2 ELSE 3) ELSE count"},
    ),
    "two branches after each other": (
        "with nxt.when(now.pair[0]):\n    nxt.info['n1'].seen = 1\n"
        "with nxt.when(now.count == 1):\n    nxt.info['n2'].seen = 2",
        {
            "info": "IF count = 1 THEN "
            "[(IF pair[1] THEN [info EXCEPT ![n1].seen = 1] ELSE info) EXCEPT ![n2].seen = 2] "
            "ELSE IF pair[1] THEN [info EXCEPT ![n1].seen = 1] ELSE info"
        },
    ),
    "paths of one variable": (
        "nxt.info['n1'].seen = 1\nnxt.info['n2'].seen = 2\nnxt.info['n1'].buddy = 'n2'",
        {"info": "[info EXCEPT ![n1].seen = 1, ![n2].seen = 2, ![n1].buddy = n2]"},
    ),
    "places of a sequence and components": (
        "nxt.log[now.log.length] = now.leader\nnxt.pair[0] = False",
        {"log": "[log EXCEPT ![Len(log)] = leader]", "pair": "[pair EXCEPT ![1] = FALSE]"},
    ),
    "a branch that the parameters decide": (
        "with nxt.when(self.size > 5):\n    nxt.count = 1\nwith nxt.otherwise():\n    nxt.count = 2",
        {"count": "2"},
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_updates(name: str) -> None:
    body, expected = UPDATES[name]
    assert updates(body) == expected


def test_a_split_chain_keeps_the_order_of_assignments() -> None:
    # Whether the keys are equal is not known, so the later assignment must win on every path.
    body = """
    with nxt.when(now.pair[0]):
        nxt.info[now.leader].seen = 1
    nxt.info["n1"].seen = 2
    with nxt.otherwise():
        nxt.info[now.leader].seen = 3
    """
    first = "(IF pair[1] THEN [info EXCEPT ![leader].seen = 1] ELSE info)"
    then = f"[{first} EXCEPT ![n1].seen = 2]"
    assert updates(body) == {
        "info": f"IF pair[1] THEN {then} ELSE [{first} EXCEPT ![n1].seen = 2, ![leader].seen = 3]"
    }


GUARDS = {
    "in order": ("nxt.require(now.count == 1, now.pair[0])", ["count = 1", "pair[1]"]),
    "in a branch": (
        "with nxt.when(now.pair[0]):\n    nxt.require(now.count == 1)\n"
        "with nxt.otherwise():\n    nxt.require(now.count == 2)",
        ["pair[1] => count = 1", "~pair[1] => count = 2"],
    ),
    "true is no guard": ("nxt.require(True, self.size == 2)", []),
    "false is one": ("nxt.require(self.size == 9)", ["FALSE"]),
    "choose_any": (
        "nxt.choose_any('m', now.inbox)",
        ['IF inbox # {} THEN TRUE ELSE Assert(FALSE, "choose_any(m) from an empty set")'],
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_guards(name: str) -> None:
    body, expected = GUARDS[name]
    assert guards(body) == expected


def test_picks_over_types_and_sets_in_their_order() -> None:
    act = action_of("m = nxt.pick('m', now.inbox)\nnxt.leader = to", ", to=pick('Node')")
    assert [(x.name, repr(x.type), x.domain and to_tla(x.domain)) for x in act.picks] == [
        ("to", "Node", None),
        ("m", "Msg", "inbox"),
    ]
    assert [x.span.line for x in act.picks] == [act.span.line + 1, act.span.line + 2]


def test_init_may_branch_if_every_path_assigns() -> None:
    body = """
    first = start.pick("first", Bool())
    with start.when(first):
        start.count = 1
    with start.otherwise():
        start.count = 2
    """
    init = model(in_init(body).replace("        start.count = 0\n", "")).init
    assert to_tla(dict(init.updates)["count"]) == "IF first THEN 1 ELSE 2"
    assert [name for name, _ in init.updates] == ["count", "mode", "leader", "info", "log", "inbox", "pair"]


class Door(Protocol):
    """A door of one of two kinds."""

    lockable: bool = parameter(True, doc="whether there is a lock")
    rooms: int = parameter(2, at_least=1, at_most=4, doc="number of rooms")

    def assume(self) -> list[tuple[bool, str]]:
        return [(self.lockable or self.rooms < 4, "four rooms need a lock")]

    def define(self, state: Any) -> None:
        self.Room = sort("Room", self.rooms)
        state.open = Bool()
        state.declare("open_count", Int(0, 3), tla="Opened")

    def init(self, start: Any) -> None:
        start.open = False
        start.open_count = 0

    @action(tla="OpenTheDoor", when=lambda door: not door.lockable)
    def open_door(self, now: Any, nxt: Any) -> None:
        """Anyone may."""
        nxt.require(~now.open)
        nxt.open = True

    @action(when=lambda door: door.lockable)
    def unlock_door(self, now: Any, nxt: Any) -> None:
        nxt.open = True

    @action
    def close_door(self, now: Any, nxt: Any) -> None:
        nxt.open = False


class Gate(Door):
    """A door that is opened otherwise and never closed."""

    @action
    def open_door(self, now: Any, nxt: Any) -> None:
        nxt.open = ~now.open

    close_door = None  # type: ignore[assignment]  # how a protocol drops an action


@invariant(Door, tla="Shut")
def never_open(door: Door, now: Any) -> Any:
    """Where it comes from."""
    return ~now.open


@probe(Door, when=lambda door: door.lockable)
def never_locked(door: Door, now: Any) -> Any:
    return now.open if door.rooms > 1 else True


def build_door(kind: type[Protocol] = Door, **given: Any) -> Model:
    return build(kind(**given), [never_open, never_locked])


def test_variants_have_different_actions_and_properties() -> None:
    assert [x.name for x in build_door(lockable=True).actions] == ["unlock_door", "close_door"]
    assert [x.name for x in build_door(lockable=False).actions] == ["open_door", "close_door"]
    assert list(build_door(lockable=True).properties) == ["never-open", "never-locked"]
    assert list(build_door(lockable=False).properties) == ["never-open"]


def test_a_subclass_replaces_and_drops_actions() -> None:
    gate = build_door(Gate)
    assert [x.name for x in gate.actions] == ["open_door", "unlock_door"]
    assert to_tla(dict(gate.actions[0].updates)["open"]) == "~open"


def test_names_and_docstrings() -> None:
    door = build_door(lockable=False)
    assert door.protocol == "door"
    assert (door.actions[0].tla, door.actions[0].doc) == ("OpenTheDoor", "Anyone may.")
    assert (door.actions[1].tla, door.actions[1].doc) == ("CloseDoor", "")
    assert [(x.name, x.tla) for x in door.variables] == [("open", "open"), ("open_count", "Opened")]
    shut = door.properties["never-open"]
    assert (shut.tla, shut.doc, shut.kind) == ("Shut", "Where it comes from.", PropertyKind.INVARIANT)


def test_a_property_may_be_a_constant() -> None:
    locked = build_door(rooms=1).properties["never-locked"]
    assert to_tla(locked.formula) == "TRUE"
    assert locked.kind is PropertyKind.PROBE


def test_assumptions() -> None:
    with pytest.raises(AssumptionFailed) as caught:
        Door(rooms=4, lockable=False)
    assert str(caught.value) == "assumption on the parameters is false: four rooms need a lock"

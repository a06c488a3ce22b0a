"""A protocol with a variable of every type, and runs of it that end in every way."""

from typing import Any

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    Option,
    Protocol,
    Seq,
    Set,
    Tuple,
    Type,
    action,
    build,
    enum,
    invariant,
    map_of,
    of,
    parameter,
    pick,
    probe,
    record,
    sort,
    union,
)
from leadline.symbolic.trace import Step, Trace, TraceEnd

NODE = sort("Node", 2)
COLOUR = enum("Colour", "red", "green")
# `from` is a keyword of Python and `end_offset` is spelled otherwise in TLA+.
ENTRY = record("Entry", **{"from": NODE, "end_offset": Int(-1, 2)})
MESSAGE = union("Message", ping={"to": NODE, "hops": Int(0, 1)}, stop={}, value={"value": Bool()})


class Everything(Protocol):
    """Has a variable of every type."""

    last: int = parameter(3, at_least=1, doc="the last count")

    def define(self, state: Any) -> None:
        self.Node = NODE
        self.Hops = Int(0, 1)
        state.is_on = Bool()
        state.count = Int(0, self.last)
        state.colour = COLOUR
        state.owner = Option(NODE)
        state.pair = Tuple((Int(0, 1), COLOUR))
        state.replica_log = Map(NODE, ENTRY)
        state.by_number = Map(Int(0, 1), Bool())
        state.inbox = Set(MESSAGE)
        state.history = Seq(NODE, 2)
        state.newest = MESSAGE

    def init(self, start: Any) -> None:
        start.is_on = False
        start.count = 0
        start.colour = "red"
        start.owner = start.pick("first_owner", Option(NODE))
        start.pair = (0, "red")
        start.replica_log = map_of(NODE, lambda n: of(ENTRY, **{"from": n, "end_offset": -1}))
        start.by_number = {0: False, 1: True}
        start.inbox = of(Set(MESSAGE))
        start.history = []
        start.newest = of(MESSAGE, "stop")

    @action
    def send_to(self, now: Any, nxt: Any, new_node: Any = pick("Node"), hops: Any = pick("Hops")) -> None:
        """Everything changes."""
        nxt.is_on = ~now.is_on
        nxt.count = now.count + 1
        nxt.colour = "green"
        nxt.owner = new_node
        nxt.pair[0] = hops
        nxt.replica_log[new_node].end_offset = now.count
        nxt.by_number[hops] = now.is_on
        nxt.inbox = now.inbox.add(of(MESSAGE, "ping", to=new_node, hops=hops))
        nxt.history = now.history.append(new_node)
        nxt.newest = of(MESSAGE, "value", value=now.is_on)

    @action(tla="Quiesce")
    def rest(self, now: Any, nxt: Any) -> None:
        """Only the inbox is emptied."""
        nxt.require(now.count == 2)
        nxt.inbox = of(Set(MESSAGE))


@invariant(Everything)
def small(protocol: Any, now: Any) -> Any:
    """Fails after two steps."""
    return now.count < 2


@probe(Everything)
def never_owned(protocol: Any, now: Any) -> Any:
    """Reached at once."""
    return now.owner.is_none


@invariant(Everything)
def owner_is_first(protocol: Any, now: Any) -> Any:
    """Its evaluation goes out of bounds where there is no owner."""
    return now.owner.value == "n1"


MODEL: Model = build(Everything(), [small, never_owned, owner_is_first])
SEMANTICS = Semantics(MODEL)
KINDS: dict[str, Type] = {variable.name: variable.type for variable in MODEL.variables}


def run(*calls: tuple[str, dict[str, Any]], owner: str | None = None, **end: Any) -> Trace:
    """The trace that these steps make."""
    outcome = SEMANTICS.outcome(None, "init", {"first_owner": owner})
    assert outcome is not None
    state = initial = outcome.state
    steps = []
    for name, picks in calls:
        outcome = SEMANTICS.outcome(state, name, picks)
        assert outcome is not None
        state = outcome.state
        steps.append(Step(name, picks, state))
    return Trace({"first_owner": owner}, initial, tuple(steps), **end)


SEND_1 = ("send_to", {"new_node": "n1", "hops": 0})
SEND_2 = ("send_to", {"new_node": "n2", "hops": 1})
VIOLATION = run(SEND_1, SEND_2, ends=TraceEnd.VIOLATES, property="small")
REACHED = run(owner="n2", ends=TraceEnd.VIOLATES, property="never-owned")
OVERFLOW = run(SEND_1, SEND_2, SEND_1, ends=TraceEnd.OUT_OF_BOUNDS)
UNDEFINED = run(ends=TraceEnd.OUT_OF_BOUNDS, property="owner-is-first")
RESTED = run(SEND_1, SEND_2, ("rest", {}), ends=TraceEnd.VIOLATES, property="small")
ALL = {
    "violation": VIOLATION,
    "reached": REACHED,
    "overflow": OVERFLOW,
    "undefined": UNDEFINED,
    "rested": RESTED,
}

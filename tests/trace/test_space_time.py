"""Space-time diagrams: which lanes there are, who acts, and which steps a message joins."""

from typing import Any

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    Bool,
    Map,
    Protocol,
    Seq,
    Set,
    action,
    build,
    enum,
    map_of,
    of,
    pick,
    record,
    sort,
)
from leadline.symbolic.trace.page import groups, space_time
from tests.report.runs import kip_320, ring, run


def diagram(made: Any) -> dict[str, Any]:
    semantics, trace = made
    found = space_time(semantics.model, trace)
    assert found is not None
    return found


def test_entries_of_a_map_are_received_by_who_picks_their_key() -> None:
    found = diagram(kip_320())
    assert [(group["name"], group["on"], len(group["lanes"])) for group in found["groups"]] == [
        ("Replica", True, 3),
        ("epoch", False, 3),
    ]
    assert found["messages"] == [
        (1, 2, "0 :> [leader |-> r1, isr |-> {r1, r2, r3}]", "Request"),
        (4, 5, "1 :> [leader |-> r2, isr |-> {r1, r2}]", "Request"),
        (4, 6, "1 :> [leader |-> r2, isr |-> {r1, r2}]", "Request"),
        (8, 10, "2 :> [leader |-> r1, isr |-> {r1, r2, r3}]", "Request"),
    ]


def test_the_actor_is_the_pick_whose_own_state_changes() -> None:
    steps = diagram(kip_320())["steps"]
    assert steps[0] == {"acts": False, "lanes": []}
    # BecomeFollower(leader = r2, replica = r3, epoch = 1)
    assert steps[5]["lanes"][:2] == [2, 1]


def test_a_message_that_is_taken_away() -> None:
    found = diagram(ring())
    assert found["messages"] == [
        (1, 2, "[source |-> n1, target |-> n3]", "Token"),
        (3, 4, "[source |-> n3, target |-> n1]", "Token"),
    ]
    # The receiver is not picked: it is named in the message, and its entry changes.
    assert [step["lanes"][0] for step in found["steps"][1:]] == [0, 2, 2, 0]


class Post(Protocol):
    """Letters from one to another, whose first word is the sender."""

    def define(self, state: Any) -> None:
        self.One = enum("One", "ann", "bob")
        self.Letter = record("Letter", sender=self.One, about=enum("About", "hello", "bye"))
        state.mail = Set(self.Letter)
        state.read = Map(self.One, Bool())

    def init(self, start: Any) -> None:
        start.mail = of(Set(self.Letter))
        start.read = map_of(self.One, lambda one: False)

    @action
    def send(self, now: Any, nxt: Any, one: Any = pick("One")) -> None:
        nxt.mail = now.mail.add(of(self.Letter, sender=one, about="bye"))

    @action
    def take(self, now: Any, nxt: Any, one: Any = pick("One")) -> None:
        letter = nxt.pick("letter", now.mail)
        nxt.mail = now.mail.remove(letter)
        nxt.read[one] = True


def test_a_sender_is_not_the_kind_of_a_message() -> None:
    calls: list[Any] = [("send", {"one": "ann"}), ("take", {"one": "bob", "letter": ("ann", "bye")})]
    semantics = Semantics(build(Post(), []))
    assert [kind for *_, kind in diagram((semantics, run(semantics, calls, "none")))["messages"]] == ["bye"]


def test_messages_that_stay_and_are_picked_by_their_fields() -> None:
    semantics = Semantics(model_of(find("spanner-leases"), {"replicas": 3}))
    calls: list[Any] = [("vote", {"replica": "r1"})]
    calls += [("handle_vote", {"replica": other, "voter": "r1", "end": 4}) for other in ("r2", "r3")]
    found = diagram((semantics, run(semantics, calls, "disjointness")))
    vote = '[type |-> "Vote", end |-> 4, voter |-> r1]'
    assert found["messages"] == [(1, 2, vote, "Vote"), (1, 3, vote, "Vote")]


def test_a_message_that_is_moved_to_a_log_is_not_sent_again() -> None:
    """A client asks twice in the same words; `messages_discard` keeps the first request and its answer."""
    semantics = Semantics(model_of(find("kafka-transactions"), {}))
    error = ("InitPidResponse", (("Error", ("ConcurrentTransactions",)), "c2", "b2"))
    calls: list[Any] = [
        ("become_leader", {"b": "b2", "p": "p1"}),
        ("send_init_pid_request", {"c": "c1", "tid": "tid1"}),
        ("receive_init_pid_request", {"msg": ("InitPidRequest", ("b2", "c1"))}),
    ]
    for _ in range(2):
        calls.append(("send_init_pid_request", {"c": "c2", "tid": "tid1"}))
        calls.append(("receive_init_pid_request", {"msg": ("InitPidRequest", ("b2", "c2"))}))
        calls.append(("receive_init_pid_response", {"msg": error}))
    found = diagram((semantics, run(semantics, calls, "type-ok")))
    assert [message[:2] for message in found["messages"]] == [(2, 3), (4, 5), (5, 6), (7, 8), (8, 9)]


def test_an_inbox_is_read_by_its_owner_alone() -> None:
    semantics = Semantics(model_of(find("two-phase-commit"), {"variant": "backup-manager"}))
    asks = ("tm_prepare", "tm_crash_when_prepare_broadcast", "tm_b1", "tm_b2", "tm_b2")
    calls: list[Any] = [(name, {}) for name in asks]
    calls.append(("rm_main_receive", {"rm": 2, "one": ("prepare",)}))
    found = diagram((semantics, run(semantics, calls, "consistency")))
    assert found["groups"] == [{"name": "rm", "on": True, "lanes": ["rm 1", "rm 2"]}]
    assert [message[:2] for message in found["messages"]] == [(5, 6)], "the first, of rm 1, is not read"
    assert found["steps"][4] == {"acts": False, "lanes": [0]}, "the manager has no lane, the inbox has"


class Waiting(Protocol):
    """Clients wait, and write values; only sets know of them."""

    def define(self, state: Any) -> None:
        self.Client, self.Value = sort("Client", 2), sort("Value", 2)
        state.waiting = Set(self.Client)
        state.written = Seq(self.Value, 2)

    def init(self, start: Any) -> None:
        start.waiting = set()
        start.written = []

    @action
    def wait(self, now: Any, nxt: Any, client: Any = pick("Client")) -> None:
        nxt.waiting = now.waiting.add(client)

    @action
    def write(self, now: Any, nxt: Any, value: Any = pick("Value"), client: Any = pick("Client")) -> None:
        nxt.written = now.written.append(value)
        nxt.waiting = now.waiting.remove(client)


def test_members_of_sets_have_lanes_where_no_map_has_keys() -> None:
    semantics = Semantics(build(Waiting()))
    calls: list[Any] = [("wait", {"client": "c2"}), ("write", {"value": "v1", "client": "c2"})]
    found = diagram((semantics, run(semantics, calls, "none")))
    assert found["groups"] == [{"name": "Client", "on": True, "lanes": ["c1", "c2"]}], "values are data"
    assert found["steps"][1:] == [{"acts": True, "lanes": [1]}, {"acts": True, "lanes": [1]}]


def test_no_lanes_without_members_that_act() -> None:
    model = model_of(find("pulsar-compaction"), {})
    assert groups(model) == []

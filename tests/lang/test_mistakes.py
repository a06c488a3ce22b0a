"""Every mistake in an action: its place and the key words of its text (`...` for any others)."""

from __future__ import annotations

import pytest

from leadline.symbolic.lang import ModelError
from tests.lang.sample import check, in_action, model

TWICE = "different branches"
NO_TRUTH = "no truth value ... `if` ... ite"
VARIABLES = "count, mode, leader, info, log, inbox, pair"

IN_ACTIONS = {
    "assigned twice": (
        "nxt.count = 1  #a\nnxt.count = 2  #b",
        "{b}: count is assigned twice on one path: {a} and {b}; ... " + TWICE,
    ),
    "assigned twice, once in a branch": (
        "nxt.count = 1  #a\nwith nxt.when(now.pair[0]):\n    nxt.count = 2  #b",
        "{b}: count is assigned twice on one path: {a} and {b}; ... " + TWICE,
    ),
    "assigned in part and as a whole": (
        "nxt.info[now.leader].seen = 1  #a\nnxt.info[now.leader] = of(self.Info, seen=0, buddy=None)  #b",
        "{b}: info is partly assigned twice on one path: {a} and {b}; ... " + TWICE,
    ),
    "type clash": (
        "nxt.count = now.leader  #a",
        "{a}: type clash: a value of Int(0, 3) is needed, and this is of Node",
    ),
    "a pick without a name": (
        "nxt.pick(7, self.Node)  #a",
        "{a}: a pick has a name, and this is 7: write nxt.pick(",
    ),
    "a pick of one argument": (
        "nxt.pick(self.Node)  #a",
        "{a}: Python says: TypeError: ... write nxt.pick(",
    ),
    "a variant without its tag": (
        "nxt.inbox = now.inbox.add(of(self.Msg, round=1))  #a",
        '{a}: of(Msg, ...) takes a variant before its fields: "ping", "stop"',
    ),
    "a number that is none": (
        "nxt.count = now.count + 1 / 2  #a",
        "{a}: numbers are integers, and this is 0.5: write //",
    ),
    "clash of an option": (
        "nxt.leader = now.info[now.leader].buddy  #a",
        "{a}: type clash ... Node is needed ... Option(Node) ... .value ... guard",
    ),
    "clash with None": (
        "nxt.leader = None  #a",
        "{a}: type clash: a value of Node is needed, and this is None",
    ),
    "equality of different types": (
        "nxt.require(now.leader == now.count)  #a",
        "{a}: type clash: equality of Node and Int(0, 3)",
    ),
    "arms of different types": (
        "nxt.count = ite(now.pair[0], now.leader, now.count)  #a",
        "{a}: type clash: the arms of a condition are of Node and Int(0, 3)",
    ),
    "set of different types": (
        "nxt.require(set_of(now.leader, now.count).is_empty)  #a",
        "{a}: type clash: the items of a set are of different types: Int(0, 3), Node",
    ),
    "constant out of range": (
        "nxt.count = 7  #a",
        "{a}: 7 can never be in Int(0, 3): widen",
    ),
    "unknown field with a near name": (
        "nxt.count = now.info[now.leader].sean  #a",
        "{a}: a Info has no field `sean`: did you mean `seen`?",
    ),
    "unknown field far from any": (
        "nxt.count = now.info[now.leader].zzz  #a",
        "{a}: a Info has no field `zzz`: it has seen, buddy",
    ),
    "unknown field of the next state": (
        "nxt.info[now.leader].sean = 1  #a",
        "{a}: a Info has no field `sean`: did you mean `seen`?",
    ),
    "unknown variable": (
        "nxt.require(now.counter == 1)  #a",
        "{a}: there is no variable `counter`: did you mean `count`?",
    ),
    "unknown next variable": (
        "nxt.zzz[now.leader].part = 1  #a",
        "{a}: there is no variable `zzz`: it has " + VARIABLES,
    ),
    "unknown variant": (
        "nxt.require(exists(now.inbox, lambda m: m.is_a('pin')))  #a",
        "{a}: a Msg has no variant `pin`: did you mean `ping`?",
    ),
    "unknown member": (
        "nxt.mode = 'ide'  #a",
        "{a}: 'ide' is not a member of Mode; it has idle, busy",
    ),
    "field of an option": (
        "nxt.require(now.info[now.leader].buddy.name == now.leader)  #a",
        "{a}: an option has no `name` ... .value",
    ),
    "sort compared by order": (
        "nxt.require(now.leader < now.leader)  #a",
        "{a}: sort Node have no order ... ==",
    ),
    "enumeration compared by order": (
        "nxt.require(now.mode <= now.mode)  #a",
        "{a}: enumeration Mode have no order ... ==",
    ),
    "if on an expression": ("if now.count == 1:  #a\n    nxt.count = 2", "{a}: " + NO_TRUTH),
    "chained comparison": ("nxt.require(0 < now.count < 2)  #a", "{a}: " + NO_TRUTH),
    "len": (
        "nxt.require(len(now.log) == 1)  #a",
        "{a}: `len` ... .length ... .size",
    ),
    "in": (
        "nxt.require(now.leader in now.log)  #a",
        "{a}: `in` ... .has(x) ... .is_in(set)",
    ),
    "connective without brackets": (
        "nxt.require(now.count == 1 & now.count)  #a",
        "{a}: `&` and `|` need Booleans ... write (a == b) & (c == d)",
    ),
    "current state assigned": (
        "now.count = 1  #a",
        "{a}: `count` of the current state cannot be assigned: use nxt.count",
    ),
    "part of the current state assigned": (
        "now.info[now.leader] = None  #a",
        "{a}: a part of the current state cannot be assigned: assign to the next state",
    ),
    "next state read in a guard": (
        "nxt.require(nxt.count > 1)  #a",
        "{a}: next value of `count` cannot be read ... now.count",
    ),
    "next state compared in a guard": (
        "nxt.require(nxt.count == 1)  #a",
        "{a}: next value of `count` cannot be compared ... `=` ... now.count",
    ),
    "comparison in place of an assignment": (
        "nxt.info[now.leader] == None  #a",
        "{a}: next value of `info` cannot be compared ... `=` ... now.info",
    ),
    "next state read by +=": (
        "nxt.count += 1  #a",
        "{a}: next value of `count` cannot be read ... now.count",
    ),
    "method of the next state": (
        "nxt.inbox = nxt.inbox.add(of(self.Msg, 'stop'))  #a",
        "{a}: next value of `inbox` cannot be read ... now.inbox",
    ),
    "part of what has none": (
        "nxt.count[1] = 1  #a",
        "{a}: a Int(0, 3) has no part at this place: assign all of it",
    ),
    "component that is not there": (
        "nxt.pair[2] = 1  #a",
        "{a}: a Tuple(Bool, Int(0, 3)) has no part at this place: it has 0..1",
    ),
    "otherwise without when": (
        "with nxt.otherwise():  #a\n    nxt.count = 1",
        "{a}: `otherwise` without a `when` before it: ... nxt.when",
    ),
    "elsewhen after otherwise": (
        "with nxt.when(now.pair[0]):\n    nxt.count = 1\nwith nxt.otherwise():\n    nxt.count = 2\n"
        "with nxt.elsewhen(now.pair[0]):  #a\n    nxt.mode = 'busy'",
        "{a}: `elsewhen` without a `when` before it: ... nxt.when",
    ),
    "mistake in the condition of an empty branch": (
        "with nxt.when(now.count):  #a\n    pass",
        "{a}: type clash: a value of Bool is needed, and this is of Int(0, 3)",
    ),
    "mistake in a branch that is never taken": (
        "with nxt.when(self.size > 9):\n    nxt.count = now.leader  #a",
        "{a}: type clash: a value of Int(0, 3) is needed, and this is of Node",
    ),
    "pick in a branch": (
        "with nxt.when(now.pair[0]):\n    x = nxt.pick('x', self.Node)  #a",
        "{a}: pick `x` ... branch ... before it",
    ),
    "two picks of one name": (
        "x = nxt.pick('x', self.Node)\ny = nxt.pick('x', self.Node)  #a",
        "{a}: there are two picks named `x`: rename one",
    ),
    "pick from what is no set": (
        "x = nxt.pick('x', now.count)  #a",
        "{a}: type clash: a set is needed, and this is of Int(0, 3)",
    ),
    "function of two arguments": (
        "nxt.inbox = now.inbox.filter(lambda a, b: True)  #a",
        "{a}: 2 arguments ... one",
    ),
    "argument outside of its function": (
        "kept = []\nforall(self.Node, lambda x: kept.append(x) or x == x)  #a\nnxt.leader = kept[0]",
        "{a}: act uses `x` outside",
    ),
    "Python exception": (
        "nxt.count = 1 // 0  #a",
        "{a}: Python says: ZeroDivisionError: integer division or modulo by zero",
    ),
    "missing fields": (
        "nxt.info[now.leader] = {'seen': 1, 'body': None}  #a",
        "{a}: Info has the fields seen, buddy: missing buddy; unknown body",
    ),
    "missing keys": (
        "nxt.info = {'n1': of(self.Info, seen=0, buddy=None), 'n7': None}  #a",
        "{a}: a Map(Node, Info) needs exactly its keys: missing n2; unknown n7",
    ),
    "too many items": (
        "nxt.log = ['n1', 'n2', 'n1']  #a",
        "{a}: 3 items do not fit into Seq(Node, 2)",
    ),
    "string without a type": (
        "nxt.require(set_of('idle').is_empty)  #a",
        "{a}: the string 'idle' has no type here: write of(E, 'idle')",
    ),
    "divisor never positive": (
        "nxt.count = now.count // -1  #a",
        "{a}: the divisor is in Int(-1, -1), never positive",
    ),
    "power": ("nxt.count = now.count ** 2  #a", "{a}: `**` ... x * x"),
    "abs": ("nxt.count = abs(now.count)  #a", "{a}: `abs` ... maximum(x, -x)"),
    "division": ("nxt.count = now.count / 2  #a", "{a}: `/` ... //"),
    "list added to a sequence": ("nxt.log = [self.Node.members[0]] + now.log  #a", "{a}: `+` ... .prepend"),
    "sequences added": ("nxt.log = now.log + now.log  #a", "{a}: `+` ... .concat"),
    "record called": (
        "nxt.count = self.Info(seen=1).seen  #a",
        "{a}: the type Info is no function: write of(Info, seen=...)",
    ),
    "sort called": (
        "nxt.count = self.Node('n1')  #a",
        "{a}: the type Node is no function: write of(Node, ...)",
    ),
    "sort iterated over": (
        "for node in self.Node:  #a\n    pass",
        "{a}: Node cannot be iterated over ... forall ... .members",
    ),
    "expression iterated over": ("nxt.count = sum(now.log)  #a", "{a}: iterated over ... sum_of"),
    "range of an expression": ("for place in range(now.count):  #a\n    pass", "{a}: `range` ... int_range"),
    "strings without a type in a set": (
        "x = nxt.pick('x', {'idle', 'busy'})  #a",
        "{a}: 'busy', 'idle' have no type ... of(Set(E)",
    ),
    "string that is no member in a set": (
        "nxt.require(now.mode.is_in({'idle', 'asleep'}))  #a",
        "{a}: 'asleep' is not a member of Mode; it has idle, busy",
    ),
    "pick from a map": ("x = nxt.pick('x', now.info)  #a", "{a}: a set is needed ... .range ... Map(K, V)"),
    "quantifier over a sequence": (
        "nxt.require(forall(now.log, lambda x: True))  #a",
        "{a}: set is needed ... .items()",
    ),
    "quantifier with too few domains": (
        "nxt.require(forall(self.Node, self.Node, lambda a, b, c: True))  #a",
        "{a}: 3 arguments ... 2 domains",
    ),
    "quantifier without a function": ("nxt.require(exists(self.Node))  #a", "{a}: exists(S, lambda x: ...)"),
    "sum of what has none": ("nxt.count = sum_of(now.log)  #a", "{a}: sum needs integers ... Node"),
    "fold of what has none": (
        "nxt.count = fold(now.count, 0, lambda a, b: a)  #a",
        "{a}: fold needs a set, map or sequence",
    ),
    "too many names for a tuple": (
        "a, b, c = now.pair  #a",
        "{a}: not enough values to unpack",
    ),
    "two mistakes in one expression": (
        "nxt.require(\n    now.foo\n    == now.bar)  #a",
        "sample.py:32: there is no variable `foo`: it has " + VARIABLES,
        "sample.py:33: there is no variable `bar`: it has " + VARIABLES,
    ),
}


@pytest.mark.parametrize("name", IN_ACTIONS)
def test_mistake_in_an_action(name: str) -> None:
    body, *told = IN_ACTIONS[name]
    check(in_action(body), *told)


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        ("to", ""),
        ("to=pick()", ""),
        ("to=pick('Nodes')", "no type `Nodes` ... "),
    ],
)
def test_pick_without_a_domain(argument: str, why: str) -> None:
    source = in_action("nxt.leader = to", ", " + argument)
    line = source.splitlines().index("    @action") + 1 + ("pick" in argument)
    repair = "to=pick('TheType') ... picks = ... nxt.pick"
    check(source, f"sample.py:{line}: pick `to` of act has no domain ... {why}{repair}")


HINT = "bind tighter than comparisons: write (a == b) & (c == d)"
PRECEDENCE = {
    "now.pair[0] & now.count == 1": HINT,
    "~now.pair[0] & now.log == []": HINT,
    "now.count == 1 & now.pair[0]": HINT,
    "now.count == 1 & now.count == 2": HINT,
    "now.mode == 'idle' | now.pair[0]": HINT,
    "now.pair[0] | now.count < 2": HINT,
    "now.inbox == set() & now.pair[0]": HINT,
    "now.inbox == now.inbox & now.pair[0]": "bind tighter than comparisons, so write (a == b) & c",
    "~now.count == 1": "binds tighter than comparisons: write ~(a == b)",
}


@pytest.mark.parametrize("formula", PRECEDENCE)
def test_parentheses_that_are_missing(formula: str) -> None:
    check(in_action(f"nxt.require({formula})  #a"), "{a}: " + PRECEDENCE[formula])


@pytest.mark.parametrize("formula", ["now.leader == None", "now.inbox == set()", "now.count.is_in([])"])
def test_messages_name_no_type_without_values(formula: str) -> None:
    with pytest.raises(ModelError) as caught:
        model(in_action(f"nxt.require(({formula}) == 1)"))
    assert "Never" not in str(caught.value)


def test_a_misspelled_variable_is_told_once() -> None:
    source = in_action("pass").replace("start.count = 0", "start.cout = 0  #a")
    check(source, "{a}: there is no variable `cout`: did you mean `count`?")


def test_a_misspelled_pick_is_told_once() -> None:
    source = in_action("nxt.leader = leder", ", leder").replace(
        "    @action\n    def act", "    picks = {'leader': 'Node'}\n\n    @action\n    def act"
    )
    with pytest.raises(ModelError) as caught:
        model(source)
    (told,) = caught.value.mistakes
    assert "the pick `leder` of act has no domain (did you mean `leader`, which picks names?)" in told.text

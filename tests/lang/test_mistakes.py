"""Every mistake of a model's author: its place and the key words of its text (`...` for any others)."""

from __future__ import annotations

import pytest

from tests.lang.sample import BEFORE, INIT, check, in_action, in_init

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
        "{a}: the string 'idle' has no type here: write of(TheEnumeration, 'idle')",
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
        "{a}: 'busy', 'idle' have no type ... of(Set(TheEnumeration)",
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


def test_variable_not_assigned_in_init() -> None:
    source = BEFORE.replace("Int(0, 3)\n        state.mode", "Int(0, 3)  #a\n        state.mode")
    check(
        source + INIT.replace("        start.count = 0\n", ""),
        "{a}: init does not assign count: write start.count = ...",
    )


def test_variable_assigned_on_some_paths_of_init() -> None:
    body = "first = start.pick('first', Bool())\nwith start.when(first):\n    start.count = 0  #a"
    check(
        in_init(body).replace("        start.count = 0\n        start.mode", "        start.mode"),
        "{a}: init assigns count only in part ... start.count = ... every path",
    )


def test_init_reads_the_current_state() -> None:
    keep = """
from leadline.symbolic.lang.model import Variable
NOW = State({"count": Variable("count", "count", Int(0, 3), Span("", 0))})

class Sample"""
    source = (BEFORE + INIT).replace("class Sample", keep.lstrip(), 1)
    check(
        source.replace("start.pair = (True, 0)", "start.pair = (True, NOW.count)  #a"),
        "{a}: init reads `count`, and there is no state before the initial one",
    )


def test_initial_value_read_in_init() -> None:
    check(
        (BEFORE + INIT).replace("start.pair = (True, 0)", "start.pair = (True, start.count)  #a"),
        "{a}: initial value of `count` cannot be read ... Python variable",
    )


def test_init_that_is_cut_short_is_not_blamed_for_the_rest() -> None:
    check(
        (BEFORE + INIT).replace("start.count = 0", "start.count = 1 // 0  #a"),
        "{a}: Python says: ZeroDivisionError: integer division or modulo by zero",
    )


def test_variable_declared_twice_without_a_type_or_with_a_taken_name() -> None:
    check(
        BEFORE.replace("state.count = Int(0, 3)", "state.count = Int(0, 3)  #a")
        + "        state.count = Bool()  #b\n        state.flag = True  #c\n        state.pick = Bool()  #d\n"
        + INIT,
        "{b}: count is declared twice, first at {a}",
        "{c}: flag needs a type, such as Bool() or Int(0, 3), not True",
        "{d}: a variable cannot be called `pick`: nxt.pick means something else",
    )


def test_no_variables() -> None:
    source = (
        BEFORE.partition("class")[0]
        + "class Empty(Protocol):\n    def define(self, state):  #a\n        pass\n"
    )
    check(source, "{a}: define declares no variable: state.x = a type")


def test_types_that_cannot_be() -> None:
    wrong = {
        'enum("M", "a", "a")': "M has a member twice: a",
        'record("R", node=Bool())': "a record cannot have a field `node`: every expression uses that name",
        "Option(Option(Bool()))": "an option of an option ... record",
        "Int(0, 1.5)": "Int(0, 1.5): the bounds of an integer type are integers",
        "Seq(Bool(), -1)": "a sequence's capacity is an integer from 0, and this is -1",
    }
    for kind, text in wrong.items():
        check(BEFORE + f"        state.wrong = {kind}  #a\n" + INIT, f"{{a}}: Python says: TypeError: {text}")


def test_action_replaced_by_a_method_that_is_none() -> None:
    source = in_action("pass") + "\nclass Other(Sample):\n    def act(self, now, nxt):  #a\n        pass\n"
    check(source, "{a}: act replaces an action and is none itself: write @action above it")


def test_state_of_another_protocol() -> None:
    source = in_action("NOWS.append(now)\nnxt.require(now.count == 1)").replace(
        "class S", "NOWS = []\n\nclass S"
    )
    other = """
build(Sample())

class Other(Protocol):
    def define(self, state):
        state.flag = Bool()

    def init(self, start):
        start.flag = True

    @action  #a
    def act(self, now, nxt):
        nxt.flag = NOWS[0].count == 1
"""
    check(source + other, "{a}: act reads `count`, a variable of another protocol or other parameters")


def test_many_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    body = """
    nxt.require(now.leader < now.leader)  #c
    nxt.count = now.leader  #d
    nxt.mode = "asleep"  #e
    nxt.info[now.leader].sean = 1  #f
    if now.count == 1:  #g
        nxt.log = []
    """
    source = in_action(body).replace('start.mode = "idle"', "start.mode = 3  #b")
    source += "\n@invariant(Sample)  #h\ndef one(p, now):\n    return now.flag\n"
    check(
        source.replace("        start.count = 0\n", "").replace(
            "Int(0, 3)\n        state.m", "Int(0, 3)  #a\n        state.m"
        ),
        "{a}: init does not assign count: write start.count = ...",
        "{b}: type clash: a value of Mode is needed, and this is of Int(3, 3)",
        "{c}: sort Node have no order",
        "{d}: type clash: a value of Int(0, 3) is needed, and this is of Node",
        "{e}: 'asleep' is not a member of Mode; it has idle, busy",
        "{f}: a Info has no field `sean`: did you mean `seen`?",
        "{g}: " + NO_TRUTH,
        "sample.py:39: there is no variable `flag`: it has " + VARIABLES,
    )


def test_an_action_needs_two_states() -> None:
    source = in_action("pass").replace("def act(self, now, nxt)", "def act(self, now)")
    line = source.splitlines().index("    @action") + 1
    check(source, f"sample.py:{line}: act needs two states ... def act(self, now, nxt)")


def test_sorts_whose_members_have_the_same_names() -> None:
    declared = "        self.Name = sort('Name', 3)\n        state.name = self.Name  #a\n"
    source = BEFORE + declared + INIT.replace("start.count = 0", "start.count, start.name = 0, 'n1'")
    check(source, "{a}: sorts Node and Name both have the name `n1` ... prefix=")
    check(source.replace("'Name', 3", "'Name', 3, prefix='name'").replace("'n1'", "'name1'"))


def test_picks_that_no_action_has() -> None:
    source = in_action("nxt.leader = to", ", to").replace(
        "    def define(self", "    picks = {'to': 'Node', 'form': 'Node'}\n\n    def define(self", 1
    )
    line = source.splitlines().index("    def define(self, state):") + 1
    check(source, f"sample.py:{line}: picks: no action has an argument `form` ... to")
    check(source.replace(", 'form': 'Node'", ""))
